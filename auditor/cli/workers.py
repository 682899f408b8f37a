"""`auditor workers`: reads endpoints on other machines, near the endpoints."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli import options
from auditor.cli.paths import folder_to_write

if TYPE_CHECKING:
    from datetime import datetime

    from auditor.workers.address import Address

app = typer.Typer(help="Reads endpoints on other machines, near the endpoints: workers and their scheduler (Dask).", no_args_is_help=True)

Certificates = Annotated[
    Path | None,
    typer.Option(
        "--certificates",
        metavar="DIR",
        help="The certificates of this machine. [default: $AUDITOR_WORKERS_CERTIFICATES, else ~/.config/auditor/workers]",
        show_default=False,
    ),
]
Metrics = Annotated[
    str | None,
    typer.Option(
        "--metrics",
        metavar="ADDRESS:PORT",
        help="Serve /metrics for Prometheus and /health, in clear and to everybody who reaches it. [default: neither]",
        show_default=False,
    ),
]
_FILES = (
    ("the scheduler", ("ca.pem", "scheduler.pem", "scheduler-key.pem")),
    ("each worker", ("ca.pem", "worker.pem", "worker-key.pem")),
    ("people who run auditor --workers", ("ca.pem", "client.pem", "client-key.pem")),
)


@app.command("certificates")
def certificates(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", callback=folder_to_write, help="Where the files go; made if it is not there.")
    ],
    name: Annotated[
        list[str] | None,
        typer.Option(
            "--name",
            metavar="HOST",
            help="A name or address of the scheduler's or a worker's machine, for other programs: Dask does not compare it. Repeatable.",
        ),
    ] = None,
    days: Annotated[int, typer.Option("--days", metavar="N", min=1, max=3650, help="How long they are valid.")] = 365,
) -> int:
    """Make the certificates with which scheduler, workers and clients trust each other. No file is overwritten.

    The authority's own key is not kept, so nobody can make more of them. To renew, make a new set, exchange the files on all machines, and
    start scheduler and workers again; during the change a ca.pem may hold both authorities, one below the other.

    Anybody who has one of the keys may run programs on every worker: keep client-key.pem like a password of all endpoints.

    Example: auditor workers certificates --out certificates --name scheduler.example.net
    """
    from auditor.workers.certificates import make_certificates

    until = make_certificates(out, tuple(name or ()), days)
    print(_made_text(out, until), end="")
    return 0


def _made_text(folder: Path, until: datetime) -> str:
    width = max(len(who) for who, _ in _FILES)
    lines = [f"  {who:<{width}}  {', '.join(files)}" for who, files in _FILES]
    wrote = f"wrote {folder}, valid until {until:%Y-%m-%d %H:%M} UTC. Copy to a folder of mode 0700 of"
    return "\n".join([wrote, *lines, "and nothing else to any of them. Then: auditor workers scheduler --certificates DIR", ""])


@app.command("scheduler")
def scheduler(
    listen: Annotated[
        str,
        typer.Option("--listen", metavar="ADDRESS:PORT", help="Where workers and clients reach it; tcp://127.0.0.1:8786 is without TLS."),
    ] = "127.0.0.1:8786",
    certificates: Certificates = None,
    metrics: Metrics = None,
) -> int:
    """Run the scheduler that hands out endpoints to workers, until it is stopped. It prints one line when it can be reached.

    Example: auditor workers scheduler --listen 0.0.0.0:8786 --certificates certificates

    Exit codes: 0 ended by a signal, 3 it could not begin.
    """
    from auditor.workers.address import parse_address
    from auditor.workers.metrics import http_server
    from auditor.workers.security import certificates_folder, security_for
    from auditor.workers.serving import serve_scheduler

    address, folder = parse_address(listen, "--listen"), certificates_folder(certificates)
    security = security_for(address, folder, "scheduler")
    _warn_of(address, folder, "scheduler")
    serve_scheduler(address, security, http_server(metrics), _say)
    return 0


@app.command("start")
def start(
    scheduler: Annotated[str, typer.Option("--scheduler", metavar="ADDRESS", help="Its scheduler; tcp:// on loopback is without TLS.")],
    site: Annotated[
        list[str] | None,
        typer.Option("--site", metavar="NAME", help="A site of fleet.yaml whose endpoints it reads. Repeatable. [default: none]"),
    ] = None,
    certificates: Certificates = None,
    threads: Annotated[int, typer.Option("--threads", metavar="N", min=1, max=256, help="How many endpoints it reads at once.")] = 4,
    memory_limit: Annotated[
        str,
        typer.Option(
            "--memory-limit",
            metavar="SIZE",
            help="For example 4GiB. Near it nothing new is begun; at 95% the worker is started again. [default: the machine's]",
            show_default=False,
        ),
    ] = "auto",
    host: Annotated[
        str | None,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="Its own address, to listen on. [default: that by which it reaches the scheduler]",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int,
        typer.Option(
            "--port",
            metavar="N",
            min=0,
            max=65534,
            help="The port it listens on; the process that watches over it takes the next one. [default: any]",
            show_default=False,
        ),
    ] = 0,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="Its name in lists. [default: its address]")] = None,
    metrics: Metrics = None,
) -> int:
    """Run a worker until it is stopped. It reads endpoints of its sites, and those of no site; it prints one line when it is ready.

    Passwords are looked up on the worker, as fleet.yaml says: the variables, files and programs that it names have to be on this machine.
    It waits for its scheduler, and starts again when the scheduler went away and came back. The scheduler has to reach the worker as well.

    Example: auditor workers start --scheduler scheduler.example.net:8786 --site vienna --certificates certificates

    Exit codes: 0 ended by a signal, 3 it could not begin.
    """
    from auditor.workers.address import parse_address
    from auditor.workers.metrics import http_server
    from auditor.workers.security import certificates_folder, security_for
    from auditor.workers.worker import WorkerOptions, memory_limit_of, serve_worker

    address, folder = parse_address(scheduler, "--scheduler"), certificates_folder(certificates)
    security = security_for(address, folder, "worker")
    _warn_of(address, folder, "worker")
    limit = memory_limit_of(memory_limit)
    serve_worker(WorkerOptions(address, security, http_server(metrics), tuple(site or ()), threads, limit, host, port, name), _say)
    return 0


@app.command("list")
def list_workers(
    workers: Annotated[str, typer.Option("--workers", metavar="ADDRESS", help="The scheduler; tcp:// on loopback is without TLS.")],
    fleet: options.Fleet = None,
    certificates: Certificates = None,
) -> int:
    """Show the workers of a scheduler: sites, version, load; with --fleet also the sites that no worker reads.

    Example: auditor workers list --workers scheduler.example.net:8786 --fleet fleet.yaml

    Exit codes: 0 each site of fleet.yaml has a worker, 2 one has none: its endpoints would not be read, 3 no scheduler answers.
    """
    from auditor.fleet.loading import load_fleet
    from auditor.report.terminal.workers import write_workers
    from auditor.workers.address import parse_address
    from auditor.workers.inventory import listed_workers
    from auditor.workers.security import certificates_folder, security_for
    from auditor.workers.versions import version_text

    address = parse_address(workers, "--workers")
    sites = [] if fleet is None else [site.name for site in load_fleet(fleet).sites]
    listed = listed_workers(address, security_for(address, certificates_folder(certificates), "client"))
    served = {site for worker in listed for site in worker.sites}
    without = [site for site in sites if site not in served]
    write_workers(listed, without, version_text(), sys.stdout)
    return 2 if without or (fleet is not None and not listed) else 0


def _warn_of(address: Address, folder: Path, role: str) -> None:
    """Warn of a key that others of this machine may read, and of certificates that soon end."""
    from datetime import UTC, datetime, timedelta

    from auditor.cli.terminal import warn
    from auditor.workers.security import is_read_by_others, valid_until

    if not address.is_encrypted:
        return
    if is_read_by_others(folder, role):
        warn(
            f"{folder / f'{role}-key.pem'} may be read by every account of this machine, and lets each of them run programs on every worker"
        )
    until = valid_until(folder, role)
    if until - datetime.now(UTC) < timedelta(days=_SOON_DAYS):
        warn(f"{folder / f'{role}.pem'} is valid until {until:%Y-%m-%d %H:%M} UTC; to renew: auditor workers certificates --help")


def _say(text: str) -> None:
    print(text, flush=True)


_SOON_DAYS = 30
