"""SQL macros that the views use beside DuckDB's own functions: short lists of names, families of arrays, ceilings, option strings."""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

from auditor.facts.efficiency_states import efficiency_works
from auditor.facts.families import BEGINNING, SPECIAL, all_inquiries, families_of_claim, family_of_inquiry, family_of_name
from auditor.facts.family_advice import TOPICS, advice_sql
from auditor.facts.node_states import has_node_states, node_is_up
from auditor.facts.special_devices import TINY_BYTES, purpose_of_device
from auditor.facts.volume_states import volume_serves
from auditor.sql.statements import execute, run

if TYPE_CHECKING:
    import duckdb

AGGREGATES = frozenset({"few", "few_distinct", "one_family"})
"""The macros that take the values of many rows."""

# Both give the first five values in order and how many more there are; NULL when there is none. `few` is cheaper: each value comes once.
_FEW = """
CREATE OR REPLACE MACRO few(x) AS
    array_to_string(min(x, 5), ', ') || CASE WHEN count(x) > 5 THEN ' and ' || (count(x) - 5) || ' more' ELSE '' END;
CREATE OR REPLACE MACRO few_distinct(x, separator := ', ') AS
    array_to_string(list_slice(list_sort(list(DISTINCT x) FILTER (WHERE x IS NOT NULL)), 1, 5), separator)
    || CASE WHEN count(DISTINCT x) > 5 THEN ' and ' || (count(DISTINCT x) - 5) || ' more' ELSE '' END;
"""

# Of several operational states the first is the main one. `is_lost`: no path carries I/O. Source: VIM API reference,
# ScsiLun.operationalState and ScsiLunState.
_DEVICE = f"""
CREATE OR REPLACE MACRO purpose_of_device(vendor, model, is_tiny) AS {purpose_of_device()};
CREATE OR REPLACE MACRO is_tiny_disk(size_bytes) AS size_bytes <= {TINY_BYTES};
CREATE OR REPLACE MACRO main_state(states) AS nullif(trim(split_part(states, ',', 1)), '');
CREATE OR REPLACE MACRO is_lost(state) AS state IN ('error', 'lostCommunication', 'timeout');
"""

# How near a volume is to its ceiling. A FlashArray reports instead how long QoS held an operation back: one that waits is at the ceiling.
_CEILING = """
CREATE OR REPLACE MACRO ceiling_use(utilization, throttle_us) AS
    coalesce(utilization, CASE WHEN throttle_us > 0 THEN 1.0 WHEN throttle_us = 0 THEN 0.0 END);
"""

# The words of a module's option string; NULL where its quotes do not close. A value in quotes may hold blanks;
# settings/host_module_option.py takes the same words. A number is what is written as numbers are: what a driver makes of 0x40, 010, "64" or
# 64,64 has no source.
_OPTIONS = r"""
CREATE OR REPLACE MACRO option_words(options) AS CASE
    WHEN regexp_matches(regexp_replace(options, '([^\s"'']|"[^"]*"|''[^'']*'')+', '', 'g'), '\S') THEN NULL
    ELSE regexp_extract_all(options, '(?:[^\s"'']|"[^"]*"|''[^'']*'')+')
END;
CREATE OR REPLACE MACRO plain_number(word) AS CASE WHEN regexp_full_match(word, '0|[1-9]\d{0,17}') THEN TRY_CAST(word AS BIGINT) END;
"""

# An IPv4 address or mask as a number; NULL of all else, a host's name and an IPv6 address among them.
_ADDRESS = r"""
CREATE OR REPLACE MACRO ipv4(address) AS CASE
    WHEN regexp_full_match(address, '(\d{1,3}\.){3}\d{1,3}')
    THEN list_reduce(list_transform(string_split(address, '.'), lambda part: CAST(part AS BIGINT)), lambda high, low: high * 256 + low)
END;
"""

# Whether the text of a claim rule names what a device answers to an inquiry: '' names all, and NULL is where no document says. A text is
# compared as it is; whether case counts is not stated. A model as ^mod* names what begins with mod; other uses of ^ and *, `*` alone and
# one in a vendor included, are not described. Blanks at the end of the answer were trimmed away.
# Sources: ESXCLI Concepts and Examples 8.0, "Managing SATPs" (^mod*); Khalil, Storage Implementation in vSphere 5.0, "Claim Rules" (exact
# match).
_CLAIMS = rf"""
CREATE OR REPLACE MACRO claims_exactly(pattern, answer) AS CASE
    WHEN pattern = '' THEN true
    WHEN regexp_matches(pattern, '{SPECIAL}') THEN NULL
    WHEN pattern = answer THEN true
    WHEN lower(pattern) <> lower(answer) THEN false
END;
CREATE OR REPLACE MACRO claims_model(pattern, answer) AS CASE
    WHEN NOT regexp_full_match(pattern, '{BEGINNING}') THEN claims_exactly(pattern, answer)
    WHEN starts_with(answer, pattern[2:-2]) THEN true
    WHEN NOT starts_with(lower(rpad(answer, 16, ' ')), lower(pattern[2:-2])) THEN false
END;
"""

# The options of a round robin that say one thing; NULL where two counts, or two ways to choose, stand in one text: which of them wins has
# no source. `policy=iops;iops=1` says one thing. Source: VMware, esxcli storage nmp psp roundrobin deviceconfig set (type and its number).
_ROUND_ROBIN = """
CREATE OR REPLACE MACRO clear_round_robin(options) AS CASE
    WHEN len(list_distinct(
            list_concat(regexp_extract_all(options, 'policy=([a-z]+)', 1), regexp_extract_all(options, '(iops|bytes)=', 1))
        )) <= 1
        AND len(list_distinct(regexp_extract_all(options, '(?:iops|bytes)=[^;,]*'))) <= 1
    THEN options
END;
"""

# Whether vCenter's copy of a device's paths is not what the host's own esxcli lists: `listed` are the paths that its policy sends I/O by.
# The copy has the same of each path, where it reports that of all of them (`working`). Without it a copy with fewer active paths is wrong
# for certain, and one with more only under round robin, where paths that are not optimized are active and idle: which of the two it is,
# nobody knows. Sources: vSphere API reference, HostMultipathInfoPath.isWorkingPath; an idle device may have no working path in the copy
# (lamw/vmware-scripts#71).
_TWO_READINGS = """
CREATE OR REPLACE MACRO paths_differ(active, working, listed, psp) AS
    CASE
        WHEN working > 0 OR listed = 0 THEN working <> listed
        WHEN listed > active THEN true
        WHEN psp <> 'VMW_PSP_RR' THEN false
        ELSE listed < active
    END;
"""

# Dedup that starts by how much was written, at no known minute. A policy names a schedule of the cluster instead, and people name these as
# they like: "autumn" is none. Source: docs/domain/facts.md#7-2 ("auto", "auto@20"); endpoints/ontap/schedules.py, is_automatic.
_AUTOMATIC = """
CREATE OR REPLACE MACRO is_automatic(schedule, policy) AS
    CASE WHEN schedule IS NOT NULL THEN policy IS NULL AND split_part(lower(trim(schedule)), '@', 1) = 'auto' END;
"""

# When an advanced option takes effect; of those that neither names it is not recorded. At boot: rules iscsi/max-io-size, ontap/nfs-heap and
# queue/nfs-max-queue-depth; VMware KB 323325 of the heartbeats of NFS, where NetApp says that no reboot is needed; of NFS.MaxVolumes and
# SunRPC.MaxConnPerIP as far as vendors ask for a reboot after setting them together with the heap (unverified). At once: as the shipped
# rules about these options have it (Scsi.ScsiVVolPESNRO: for protocol endpoints to come). Source: docs/domain/facts.md#5-12.
_WHEN = r"""
CREATE OR REPLACE MACRO acts_at_boot(option) AS
    option IN ('ISCSI.MaxIoSizeKB', 'NFS.MaxQueueDepth', 'NFS.MaxVolumes', 'Net.TcpipHeapMax', 'Net.TcpipHeapSize', 'SunRPC.MaxConnPerIP')
    OR starts_with(option, 'NFS.Heartbeat');
CREATE OR REPLACE MACRO acts_at_once(option) AS
    option IN (
        'DataMover.HardwareAcceleratedInit', 'DataMover.HardwareAcceleratedMove', 'DataMover.MaxHWTransferSize', 'VMFS3.EnableBlockDelete',
        'VMFS3.HardwareAcceleratedLocking', 'VMFS3.UseATSForHBOnVMFS5', 'Scsi.ScsiVVolPESNRO', 'Disk.DiskMaxIOSize', 'Disk.DelayOnBusy'
    )
    OR regexp_matches(option, '^Disk[.](QFull|Sched)');
"""

# Rates are means of some seconds, so one that is held at its ceiling may read a little below it. Policy: no vendor names a share.
_AT_CEILING = "CREATE OR REPLACE MACRO at_ceiling() AS 0.95;\n"

# When a latency has left its own normal, and how likely it is that at least `fits` of `tries` independent tries fit, each with probability
# `share`. Why so: docs/design/episodes.md#normal and #chance. Policy: 10 ms and twice the median are the least that counts.
_EPISODES = """
CREATE OR REPLACE MACRO off_normal_ms(normal, low, spreads) AS
    greatest((1 + normal) * exp(spreads * greatest(ln((1 + normal) / (1 + low)) / 1.2816, 0.1)) - 1, 2 * normal, normal + 10);
CREATE OR REPLACE MACRO chance_of(fits, tries, share) AS CASE
    WHEN fits IS NULL OR tries IS NULL OR share IS NULL THEN NULL
    WHEN fits = 0 OR share >= 1 THEN 1.0
    WHEN share <= 0 THEN 0.0
    ELSE least(1.0, list_sum(list_transform(range(fits, tries + 1), lambda n:
        exp(lgamma(tries + 1) - lgamma(n + 1) - lgamma(tries - n + 1) + n * ln(share) + (tries - n) * ln(1 - share)))))
END;
"""

# What a family's vendor asks for, 'none' without a source; see facts/family_advice.py.
_ADVICE = "".join(f"CREATE OR REPLACE MACRO {topic}_advice(family) AS {advice_sql(topic)};\n" for topic in TOPICS)

# Whether a node, controller or volume serves hosts; see facts/node_states.py and facts/volume_states.py.
_NODES = f"""
CREATE OR REPLACE MACRO node_is_up(family, state) AS {node_is_up()};
CREATE OR REPLACE MACRO has_node_states(family) AS {has_node_states()};
CREATE OR REPLACE MACRO volume_serves(family, state) AS {volume_serves()};
CREATE OR REPLACE MACRO efficiency_works(state, operation_state) AS {efficiency_works()};
"""


@cache
def _families() -> str:
    """The macros that tell families apart; plugins have families too, and are imported when the first macros are made.

    An inquiry is believed before a name, unless nobody here knows what it answers; see facts/families.py. Of what several hosts report of
    one device it is the one family that they name, and NULL where they name two.
    """
    return rf"""
CREATE OR REPLACE MACRO family_of_inquiry(vendor, model) AS {family_of_inquiry()};
CREATE OR REPLACE MACRO family_of_name(device) AS {family_of_name()};
CREATE OR REPLACE MACRO believed_family(of_inquiry, of_name) AS coalesce(nullif(of_inquiry, 'other'), of_name, of_inquiry);
CREATE OR REPLACE MACRO one_family(x) AS
    CASE WHEN count(DISTINCT nullif(x, 'other')) < 2 THEN coalesce(min(nullif(x, 'other')), min(x)) END;
CREATE OR REPLACE MACRO all_inquiries() AS {all_inquiries()};
CREATE OR REPLACE MACRO families_of_claim(vendor, model) AS {families_of_claim()};
CREATE OR REPLACE MACRO claimed_model(model) AS CASE WHEN regexp_full_match(model, '{BEGINNING}') THEN model[2:-2] ELSE model END;
"""


def _texts() -> tuple[str, str]:
    """The text that creates all macros, and a digest of it, which the last of them answers with."""
    plain = (
        _FEW,
        _ADDRESS,
        _CLAIMS,
        _ROUND_ROBIN,
        _DEVICE,
        _CEILING,
        _AT_CEILING,
        _AUTOMATIC,
        _OPTIONS,
        _WHEN,
        _TWO_READINGS,
        _ADVICE,
        _NODES,
        _EPISODES,
    )
    text = _families() + "".join(plain)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{text}CREATE OR REPLACE MACRO digest_of_macros() AS '{digest}';\n", digest


def create_macros(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the macros in the schema `main` of `connection`, unless it has them: to make them takes 25 ms, and an audit asks twice."""
    import duckdb

    text, digest = _texts()
    try:
        [held] = execute(connection, "SELECT digest_of_macros()").fetchall()
    except duckdb.CatalogException:
        held = None
    if held != (digest,):
        run(connection, text)
