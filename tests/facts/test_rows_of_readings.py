"""What was read whole: of each topic, of each host, and of each cluster."""

from auditor.facts.schema import ARRAY_TOPICS, HOST_TOPICS, VCENTER_TOPICS

from .fleets import Facts
from .whole_rows import add, rows_of_step

OF_ENDPOINTS = (
    *(
        "hosts",
        "datastores",
        "vms",
        "pods",
        "storage_policies",
        "tasks",
        "array",
        "nodes",
        "volumes",
        "addresses",
        "volume_load",
        "qos_policies",
    ),
    *(
        "protocol_endpoints",
        "bindings",
        "array_hosts",
        "connections",
        "sessions",
        "pools",
        "pool_load",
        "replication",
        "efficiency",
        "scrub",
        "background_jobs",
    ),
)
OF_HOSTS = ("options", "modules", "devices", "paths", "hbas", "device_scheduling", "lockmode")


def read(given: Facts, endpoint: str, scope: str, topic: str, *, complete: bool = True) -> None:
    add(given, "reading", {"endpoint": endpoint, "scope": scope, "topic": topic, "complete": complete})


def of_topics() -> Facts:
    """An endpoint, and a host of "vc" and of "vc-2", for each topic, which alone was read of it; and of topics that were read in part."""
    given: Facts = {}
    for topic in (*OF_ENDPOINTS, "extensions"):
        read(given, topic, "", topic)
        read(given, topic, "another scope", "hosts")
    for topic in OF_ENDPOINTS:
        read(given, "in part", "", topic)
        read(given, "in part", "", topic, complete=False)
    for endpoint in ("vc", "vc-2"):
        for host_id in (*OF_HOSTS, "in part", "not read"):
            add(given, "host", {"endpoint": endpoint, "host_id": host_id, "cluster_id": "c1" if endpoint == "vc" else None})
    for topic in OF_HOSTS:
        read(given, "vc", topic, topic)
        read(given, "vc", "in part", topic)
        read(given, "vc", "in part", topic, complete=False)
    return given


def of_domains() -> Facts:
    """Clusters of two hosts; of one host a topic was not read; the hosts of "vc-2" were not listed whole."""
    given: Facts = {}
    for endpoint in ("vc", "vc-2", "vc-3"):
        if endpoint != "vc-3":
            read(given, endpoint, "", "hosts", complete=endpoint == "vc")
        for missing in ("nothing", "options", "devices", "device_scheduling"):
            for n in (1, 2):
                host_id = f"{missing} {n}"
                add(given, "host", {"endpoint": endpoint, "host_id": host_id, "cluster_id": missing})
                for topic in ("options", "devices", "device_scheduling"):
                    read(given, endpoint, host_id, topic, complete=topic != missing or n == 2 or endpoint != "vc")
        add(given, "host", {"endpoint": endpoint, "host_id": "alone", "cluster_id": None})
    return given


FLEETS = [of_topics, of_domains]


def test_every_topic_that_a_collector_reads_is_of_a_host_or_of_an_endpoint() -> None:
    assert set(OF_HOSTS) < set(HOST_TOPICS)
    assert set(OF_ENDPOINTS) < set(VCENTER_TOPICS).union(*ARRAY_TOPICS.values())


def test_a_topic_of_an_endpoint_was_read_where_every_answer_about_it_is_whole() -> None:
    rows = rows_of_step("step_endpoint_reading", of_topics())
    assert not any(None in row.values() for row in rows)
    found = {row["endpoint"]: {topic for topic, whole in row.items() if whole is True} for row in rows}
    assert found == {topic: {f"{topic}_read"} for topic in OF_ENDPOINTS} | {"in part": set(), "extensions": set()}


def test_a_topic_of_a_host_was_read_where_every_answer_about_it_is_whole() -> None:
    rows = rows_of_step("step_host_reading", of_topics())
    assert not any(None in row.values() for row in rows)
    found = {(row["endpoint"], row["host_id"], row["domain_id"]): {name for name, value in row.items() if value is True} for row in rows}
    nothing = {("vc", "in part", "c1"): set[str](), ("vc", "not read", "c1"): set[str]()}
    of_vc = {("vc", topic, "c1"): {f"{topic}_read"} for topic in OF_HOSTS}
    assert found == nothing | of_vc | {("vc-2", host_id, host_id): set[str]() for host_id in (*OF_HOSTS, "in part", "not read")}


def test_a_topic_of_a_cluster_was_read_where_it_was_of_every_host_and_all_hosts_are_listed() -> None:
    rows = rows_of_step("step_domain_reading", of_domains())
    found = {(row["endpoint"], row["domain_id"]): (row["options_read"], row["devices_read"], row["scheduling_read"]) for row in rows}
    none = (False, False, False)
    of_vc = {
        "nothing": (True, True, True),
        "options": (False, True, True),
        "devices": (True, False, False),
        "device_scheduling": (True, True, False),
    }
    of_all = {(endpoint, domain): none for endpoint in ("vc", "vc-2", "vc-3") for domain in (*of_vc, "alone")}
    assert found == of_all | {("vc", domain): values for domain, values in of_vc.items()}


def test_the_hosts_of_all_vcenters_were_read_where_each_listed_them() -> None:
    assert rows_of_step("step_vcenter_reading", of_domains()) == [{"hosts_read": False, "datastores_read": False, "vms_read": False}]
    given: Facts = {}
    for endpoint in ("vc", "vc-2"):
        read(given, endpoint, "", "hosts")
        read(given, endpoint, "", "datastores", complete=endpoint == "vc")
        read(given, endpoint, "", "vms")
        read(given, endpoint, "a host", "hosts", complete=False)
    assert rows_of_step("step_vcenter_reading", given) == [{"hosts_read": True, "datastores_read": False, "vms_read": True}]
    assert rows_of_step("step_vcenter_reading", {}) == [{"hosts_read": False, "datastores_read": False, "vms_read": False}]
