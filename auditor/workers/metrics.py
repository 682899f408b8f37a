"""What scheduler and workers serve over HTTP: /health and, where it was requested, /metrics. Dask's dashboard is never served.

Source: https://distributed.dask.org/en/stable/prometheus.html
"""

from __future__ import annotations

import socket
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from auditor.bounds.extras import how_to_install
from auditor.errors import ConfigurationError
from auditor.workers.sites import sites_of

if TYPE_CHECKING:
    from distributed.scheduler import Scheduler

_LAST_PORT = 65535
SITE_METRIC = "auditor_site_workers"
_PAGES = {"scheduler": "distributed.http.scheduler.prometheus", "worker": "distributed.http.worker.prometheus"}


@dataclass(frozen=True, slots=True)
class HttpServer:
    """Where the HTTP server of a scheduler or worker listens. Dask always has one; without metrics it is on loopback, and empty."""

    host: str = "127.0.0.1"
    port: int = 0
    has_metrics: bool = False

    @property
    def address(self) -> str:
        """As Dask takes it."""
        return f"{self.host}:{self.port}"

    def shown(self) -> str:
        """How a line goes on that says where everything is."""
        return f", metrics on http://{self.address}/metrics" if self.has_metrics else ""

    def configure(self) -> None:
        """Have Dask serve nothing else: by default it has pages with logs, tasks and call stacks for everybody who asks."""
        import dask

        for role, page in _PAGES.items():
            pages = [page, "distributed.http.health"] if self.has_metrics else []
            dask.config.set({f"distributed.{role}.http.routes": pages})


def http_server(requested: str | None) -> HttpServer:
    """The server for the address of ``--metrics``; None: no metrics.

    Raises:
        ConfigurationError: it is no address, it is taken, or what makes metrics is not installed.
    """
    if requested is None:
        return HttpServer()
    host, _, port = requested.rpartition(":")
    number = int(port) if port.isascii() and port.isdigit() else 0
    if not host or ":" in host or not 0 < number <= _LAST_PORT:  # Dask takes no IPv6 address here
        raise _refused(f'--metrics "{requested}" is not an IPv4 address or a name, and a port', "--metrics 127.0.0.1:9786")
    if find_spec("prometheus_client") is None:
        raise _refused("--metrics needs prometheus-client, which is not installed here", how_to_install("scale"))
    # Dask would take another port and go on: the metrics would be missing where they are looked for.
    try:
        with socket.socket() as attempt:
            attempt.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            attempt.bind((host, number))
    except OSError as error:
        raise _refused(
            f"metrics cannot be served on {requested}: {error.strerror or error}", "choose another --metrics ADDRESS:PORT."
        ) from None
    return HttpServer(host, number, has_metrics=True)


def _refused(what: str, do: str) -> ConfigurationError:
    return ConfigurationError(what, why="nothing was started.", do=do)


class SiteCollector:
    """How many workers each site has, for Prometheus. A site that had one keeps its line, so that its loss is a 0 and not a silence."""

    def __init__(self, scheduler: Scheduler) -> None:
        self._scheduler = scheduler
        self._known: set[str] = set()

    def collect(self) -> Iterable[Any]:
        """What prometheus-client calls when somebody asks for the metrics."""
        from prometheus_client.core import GaugeMetricFamily

        sites = [site for worker in list(self._scheduler.workers.values()) for site in sites_of(worker.resources)]
        self._known.update(sites)
        family = GaugeMetricFamily(SITE_METRIC, "Workers that may read the endpoints of a site", labels=["site"])
        for site in sorted(self._known):
            family.add_metric([site], sites.count(site))
        yield family


def register_sites(scheduler: Scheduler) -> None:
    """Add the workers of each site to the metrics of this process; nothing where prometheus-client is not installed."""
    if find_spec("prometheus_client") is not None:
        import prometheus_client

        prometheus_client.REGISTRY.register(SiteCollector(scheduler))
