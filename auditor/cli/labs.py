"""`auditor lab`: the simulated fleet, to try things on."""

from __future__ import annotations

import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.errors import ConfigurationError

if TYPE_CHECKING:
    from types import FrameType

app = typer.Typer(help="A simulated fleet behind real protocols on loopback, to try things on.", no_args_is_help=True)

Scenario = Annotated[str | None, typer.Option("--scenario", metavar="NAME", help="One scenario. [default: every one]")]


@app.command("up")
def up(
    scenario: Scenario = None,
    write_fleet: Annotated[Path | None, typer.Option("--write-fleet", metavar="PATH", help="Write a fleet.yaml that audits it.")] = None,
) -> int:
    """Serve the lab until interrupted.

    Example: auditor lab up --scenario solidfire-vvols --write-fleet lab.yaml
    """
    from auditor.lab.scenario import load_scenario
    from auditor.lab.serving import serve

    done = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        done.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    with serve(load_scenario(scenario or "all")) as lab:
        if write_fleet is not None:
            lab.write_fleet(write_fleet)
            print(f"auditor audit --fleet {write_fleet}")
        for name, server in lab.vcenters.items():
            print(f"{name}: https://{server.host}:{server.port}", file=sys.stderr)
        for name, array in lab.arrays.items():
            print(f"{name}: https://{array.host}:{array.port}", file=sys.stderr)
        print("serving on loopback until interrupted (Ctrl-C)", file=sys.stderr, flush=True)
        sys.stdout.flush()
        done.wait()
    return 0


@app.command("export-vcsim")
def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where the files go.")],
    scenario: Scenario = None,
) -> int:
    """Write a scenario as a directory that VMware's own simulator loads.

    Example: auditor lab export-vcsim model --scenario solidfire-vvols && vcsim -load model -api-version 8.0.2.0
    """
    from auditor.lab.scenario import load_scenario
    from auditor.lab.vcsim import export_vcsim

    if directory.exists() and any(directory.iterdir()):
        raise ConfigurationError(
            f"{directory} is not empty", why="nothing was written: vcsim would load what lies there as well.", do="name a new directory."
        )
    fleet = load_scenario(scenario or "all")
    export_vcsim(fleet, directory)
    for vcenter in fleet.vcenters:
        folder = directory if len(fleet.vcenters) == 1 else directory / vcenter.name
        print(f"vcsim -load {folder} -l 127.0.0.1:8989 -api-version 8.0.2.0")
    return 0
