"""`auditor lab`: the simulated fleet, to try things on."""

from __future__ import annotations

import select
import signal
import socket
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import completions
from auditor.cli.paths import file_to_write, folder_to_write
from auditor.errors import ConfigurationError
from auditor.model.endpoint_kinds import endpoint_type
from auditor.system.shell import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from auditor_lab.description import LabFleet
    from auditor_lab.faults import FaultFile
    from auditor_lab.recorded.serving import RecordedLab
    from auditor_lab.serving import Lab

app = typer.Typer(help="A simulated fleet behind real protocols on loopback, to try things on.", no_args_is_help=True)

Scenario = Annotated[
    str | None,
    typer.Option(
        "--scenario",
        metavar="NAME|FILE",
        autocompletion=completions.scenario_names,
        help="One scenario, or a YAML file of your own. [default: every one]",
    ),
]
WriteFleet = Annotated[
    Path | None,
    typer.Option("--write-fleet", metavar="PATH", callback=file_to_write, help="Write a fleet.yaml that audits it."),
]
Faults = Annotated[
    Path | None,
    typer.Option("--faults", metavar="FILE", help="Faults to inject by endpoint, in YAML; read again whenever the file changes."),
]
Site = Annotated[
    str | None,
    typer.Option(
        "--site",
        metavar="NAME",
        help="The simulated site: endpoints of two sites report different identities. [default: the path of --write-fleet]",
    ),
]
_LOOK_SECONDS = 0.5  # between two looks at the control file


@app.command("up")
def up(
    scenario: Scenario = None,
    write_fleet: WriteFleet = None,
    site: Site = None,
    faults: Faults = None,
    recording: Annotated[
        Path | None, typer.Option("--recording", metavar="BUNDLE", help="Serve a bundle of `auditor record` instead, read-only.")
    ] = None,
) -> int:
    """Serve the lab until interrupted.

    Example: auditor lab up --scenario solidfire-vvols --write-fleet lab.yaml
    """
    from auditor_lab.scenario import described

    if recording is not None:
        if scenario is not None or faults is not None or site is not None:
            raise ConfigurationError(
                "--recording goes without --scenario, --site and --faults",
                why="nothing was served.",
                do="auditor lab up --recording BUNDLE",
            )
        return _serve_recording(recording, write_fleet)
    return _serve(described(scenario or "all"), write_fleet, faults, site)


@app.command("generate")
def generate(
    hosts: Annotated[int, typer.Option("--hosts", metavar="N", min=1, max=1_000_000, help="Hosts of all vCenters together.")] = 64,
    luns: Annotated[int, typer.Option("--luns", metavar="N", min=1, max=16_384, help="Devices each host sees.")] = 32,
    paths: Annotated[int, typer.Option("--paths", metavar="N", min=1, max=1024, help="Paths to each device.")] = 4,
    vcenters: Annotated[int, typer.Option("--vcenters", metavar="N", min=1, max=10_000, help="vCenters the hosts are spread over.")] = 1,
    seed: Annotated[
        int, typer.Option("--seed", metavar="S", min=-(2**63), max=2**63 - 1, help="Equal seeds and sizes make equal fleets.")
    ] = 1,
    write_fleet: WriteFleet = None,
    site: Site = None,
    faults: Faults = None,
) -> int:
    """Serve a fleet of any size, drawn from a seed, until interrupted.

    Example: auditor lab generate --hosts 10000 --luns 128 --paths 4 --vcenters 8 --seed 1 --write-fleet big.yaml
    """
    from auditor_lab.generated.cluster import FleetSize
    from auditor_lab.generated.fleet import generate as generated

    try:
        size = FleetSize(hosts, luns, paths, vcenters)
    except ValueError as error:
        raise ConfigurationError(str(error), why="nothing was served.", do="auditor lab generate --help") from error
    return _serve(generated(size, seed), write_fleet, faults, site)


def _serve(fleet: LabFleet, write_fleet: Path | None, faults: Path | None, site: str | None) -> int:
    """Serve a fleet until it is stopped; a mistake in the control file ends it at the start; later it is printed."""
    from auditor_lab.faults import FaultFile
    from auditor_lab.serving import serve, served_by

    # A lab that is started anew with the same fleet file stands where it stood; two with one scenario each are two sites.
    place = site if site is not None else str(write_fleet.resolve()) if write_fleet is not None else ""
    with _interruptions() as signals, serve(fleet, place) as lab:
        control = None if faults is None else FaultFile(faults, served_by(lab))
        if control is not None:
            control.refresh()
        _announce(lab, write_fleet)
        while not select.select([signals], [], [], None if control is None else _LOOK_SECONDS)[0]:
            if control is not None:
                _look_again(control)
    return 0


def _serve_recording(bundle: Path, write_fleet: Path | None) -> int:
    """Serve a recording until it is stopped."""
    from auditor.recording.bundle import read_bundle
    from auditor_lab.recorded.serving import serve_recording

    with _interruptions() as signals, serve_recording(read_bundle(bundle)) as lab:
        _announce(lab, write_fleet)
        select.select([signals], [], [])
    return 0


def _announce(lab: Lab | RecordedLab, write_fleet: Path | None) -> None:
    """Write the fleet file, and print where the endpoints are."""
    if write_fleet is not None:
        lab.write_fleet(write_fleet)
        print(f"auditor audit --fleet {quoted(str(write_fleet))}")
    for kind, name, server in lab.served():
        print(f"{name}: {endpoint_type(kind).protocol}://{server.host}:{server.port} ({kind})", file=sys.stderr)
    print("serving on loopback until interrupted (Ctrl-C)", file=sys.stderr, flush=True)
    sys.stdout.flush()


@contextmanager
def _interruptions() -> Iterator[socket.socket]:
    """A socket that can be read from once a signal has come.

    A signal that another thread gets, or that comes just before a wait begins, does not end the wait; but it always writes here.
    """

    def pass_over(_number: int, _frame: FrameType | None) -> None:
        """Only there so that the signal does not end the process."""

    signals, writer = socket.socketpair()
    with signals, writer:
        writer.settimeout(0)
        before = signal.set_wakeup_fd(writer.fileno())
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, pass_over)
        try:
            yield signals
        finally:
            signal.set_wakeup_fd(before)


def _look_again(control: FaultFile) -> None:
    try:
        if control.refresh():
            print("the faults are those of the changed file", file=sys.stderr, flush=True)
    except ConfigurationError as error:
        print(error, file=sys.stderr, flush=True)


@app.command("evidence")
def evidence(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", callback=folder_to_write, help="Where the files go.")],
    scenario: Scenario = None,
    formatter: Annotated[
        str, typer.Option("--formatter", metavar="NAME", help="text, xml, json, csv or keyvalue, as esxcli's --formatter.")
    ] = "text",
    bundle: Annotated[bool, typer.Option("--bundle", help="Write a bundle of vm-support for each host instead.")] = False,
) -> int:
    """Write what esxcli prints on every host of a scenario: a folder for each, or a bundle of vm-support.

    Example: auditor lab evidence --scenario odd-neighbours --out evidence
    """
    from auditor_lab.evidence.bundle import write_bundles
    from auditor_lab.evidence.formatters import FORMATTERS
    from auditor_lab.evidence.outputs import write_outputs
    from auditor_lab.scenario import described

    if formatter not in FORMATTERS or (bundle and formatter != "text"):
        wrong = "--bundle goes without --formatter" if formatter in FORMATTERS else f'there is no formatter "{formatter}"'
        raise ConfigurationError(wrong, why="nothing was written.", do=f"without --bundle, choose one of: {', '.join(FORMATTERS)}.")
    fleet = described(scenario or "all")
    for path in write_bundles(fleet, out) if bundle else write_outputs(fleet, out, formatter=formatter):
        print(path)
    return 0


@app.command("export-vcsim")
def export(
    directory: Annotated[Path, typer.Argument(metavar="DIR", callback=folder_to_write, help="Where the files go.")],
    scenario: Scenario = None,
) -> int:
    """Write a scenario as a directory that VMware's own simulator loads.

    Example: auditor lab export-vcsim model --scenario solidfire-vvols && vcsim -load model -api-version 8.0.2.0
    """
    from auditor_lab.scenario import described
    from auditor_lab.vcsim import export_vcsim

    if directory.exists() and any(directory.iterdir()):
        raise ConfigurationError(
            f"{directory} is not empty", why="nothing was written: vcsim would load what lies there as well.", do="name a new directory."
        )
    fleet = described(scenario or "all")
    export_vcsim(fleet, directory)
    for vcenter in fleet.vcenters:
        folder = directory if len(fleet.vcenters) == 1 else directory / vcenter.name
        print(f"vcsim -load {folder} -l 127.0.0.1:8989 -api-version 8.0.2.0")
    return 0
