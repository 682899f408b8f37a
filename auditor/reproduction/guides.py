"""The reproduction of each lesson: its files, its load, and what to expect before and after the cure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from auditor.model import Lesson
from auditor.reproduction import jobs
from auditor.reproduction.bounds import MOST_FILE_BYTES, TEST_FILE
from auditor.text.numbers import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditor.reproduction.situation import Situation

_GIB = 2**30


@dataclass(frozen=True, slots=True)
class Guide:
    """The parts of a reproduction.

    Attributes:
        files: their texts by name, README.md not among them.
        machine: where the load runs.
        load: how much, in words.
        seconds: how long all of it takes at most.
        steps: what a person does, in order.
        before: what is seen while the finding is there.
        after: what is seen after the cure.
        stop: how to stop, and how to tidy up.
        care: what else may go wrong, each a sentence.
    """

    files: Mapping[str, str]
    machine: str
    load: str
    seconds: int
    steps: tuple[str, ...]
    before: str
    after: str
    stop: str
    care: tuple[str, ...] = field(default=())


def guide_of(situation: Situation, folder: str, read_percent: int = 0) -> Guide:
    """The reproduction of a finding, with its test file in `folder` of the test machine.

    Args:
        situation: the finding, and what lies round it.
        folder: as `bounds.checked_folder` accepts it.
        read_percent: the share of reads, as `bounds.checked_reads` accepts it; 0: the load of the report, which writes.
    """
    if situation.lesson is Lesson.THROTTLED_NEIGHBOUR:
        return _throttled_neighbour(folder, read_percent)
    if situation.lesson is Lesson.SIOC_AGAINST_QOS:
        return _sioc(situation, folder, read_percent)
    return _GUIDES[situation.lesson](situation, folder)


def _file_first(folder: str, read_percent: int) -> Mapping[str, str]:
    """The files that write what is read afterwards; none for a load that only writes."""
    if not read_percent:
        return {}
    return {"prepare.fio": jobs.preparation(folder), "run-prepare.sh": jobs.runner(folder, ["prepare"], 3 * 60, MOST_FILE_BYTES + _GIB)}


def _prepare_first(machine: str, read_percent: int) -> tuple[str, ...]:
    if not read_percent:
        return ()
    return (f"In {machine}, before its disk gets a ceiling: sh run-prepare.sh, once. It writes 4 GiB at 50 MiB/s, which the load reads.",)


def _throttled_neighbour(folder: str, read_percent: int) -> Guide:
    seconds = jobs.NEIGHBOUR_SECONDS
    commands = jobs.commands_text(read_percent)
    return Guide(
        files={
            **_file_first(folder, read_percent),
            "load.fio": jobs.neighbour_load(folder, read_percent),
            "run-load.sh": jobs.runner(folder, ["load"], seconds + 60, 0 if read_percent else 2 * _GIB),
            "neighbour.sh": jobs.probe(folder, 5 * 60),
        },
        machine=(
            "two test machines that run nothing else, on one host, each with a disk on a datastore below: NOISY, whose disk the"
            " array holds to"
            " few operations (the lowest tier; at most 100 a second of 512 KiB), and NEIGHBOUR, whose disk it does not hold back"
        ),
        load=f"at most 100 MiB/s: random {commands} of 512 KiB, 40 in flight, in a file of 1 GiB; in NEIGHBOUR 5 reads of 4 KiB a second",
        seconds=seconds,
        steps=(
            *_prepare_first("NOISY", read_percent),
            "In NEIGHBOUR: sh neighbour.sh. Let it run for a minute: that is the quiet figure.",
            "In NOISY: sh run-load.sh. Watch what NEIGHBOUR prints.",
            "The load ends by itself. NEIGHBOUR has to come back to its quiet figure within seconds.",
            "Make the cure, and do the same again.",
            "To see that block size and depth matter: set bs=4k and iodepth=1 in load.fio. Nothing is to be seen then.",
        ),
        before=(
            "NEIGHBOUR's reads take hundreds of milliseconds while NOISY's load runs; the report measured 300 to 400 ms, with writes. The"
            " array is nearly idle."
        ),
        after=(
            "NEIGHBOUR's reads take about what they take without that load; the report measured about 1 ms. NOISY stays as slow as its cap."
        ),
        stop="Ctrl-C in NOISY. What is in flight is finished by the array at the cap's pace, within seconds.",
        care=(
            (
                "Every machine whose disk lies behind the same queue on that host waits as well: use a host from which production was"
                " moved away."
            ),
            "Never lower the limits of a production volume for it; give the test disk a tier of its own.",
        ),
    )


def _queue_depth(_situation: Situation, folder: str) -> Guide:
    seconds = jobs.STEP_SECONDS * len(jobs.STEPS)
    threads = ", ".join(map(str, jobs.STEPS))
    return Guide(
        files={
            "prepare.fio": jobs.preparation(folder),
            "load.fio": jobs.queue_steps(folder),
            "run-prepare.sh": jobs.runner(folder, ["prepare"], 3 * 60, MOST_FILE_BYTES + _GIB),
            "run-load.sh": jobs.runner(folder, ["load"], seconds + 60, 0),
            "neighbour.sh": jobs.probe(folder, 10 * 60),
        },
        machine="one test machine that runs nothing else, with a disk of its own on a paravirtual controller, on a datastore below",
        load=(
            f"4 KiB random reads by {threads} threads, one step after the other, at most 134,400 a second; before that 4 GiB are written"
            " once, at 50 MiB/s"
        ),
        seconds=seconds,
        steps=(
            "In the test machine: sh run-prepare.sh, once.",
            "In any machine that shares the device: sh neighbour.sh, so that you see whom you disturb.",
            (
                "In the test machine: sh run-load.sh. On the host: esxtop, key u, columns ACTV, QUED, DAVG, KAVG; or `auditor watch"
                " HOST/DEVICE`."
            ),
            "Note IOPS and latency of each step. Make the cure, and do the same again.",
        ),
        before=(
            "from the step on at which the queue is full, IOPS stay and latency grows with the threads; QUED is above 0 and KAVG"
            " grows, DAVG does not."
            " The report measured 65,000 IOPS at 1.4 ms with a queue of 32"
        ),
        after=(
            "IOPS grow on until the array or the new queue is the limit, and QUED is 0 for as long. The report measured 125,000 IOPS"
            " at 0.7 ms"
            " with a queue of 96. What the array does at most is the end of it: expect no more than its own ceiling"
        ),
        stop="Ctrl-C, or the time that is over. Nothing is left in flight but what the queues hold.",
        care=(
            "Fast reads are load for the array. Where a step raises the neighbour's latency above what its owner accepts, stop there.",
            "The default depths are right for most: raising a queue takes the fairness from the others who share the device.",
        ),
    )


def _sioc(situation: Situation, folder: str, read_percent: int) -> Guide:
    rate = jobs.sequential_rate(situation.limit_bytes_per_second)
    known = (
        "a fifth above the cap that was read" if situation.limit_bytes_per_second else "for a cap of 50 MiB/s, as the array's was not read"
    )
    speed = number_text(rate / 4)
    return Guide(
        files={
            **_file_first(folder, read_percent),
            "load.fio": jobs.sequential_load(folder, situation.limit_bytes_per_second, read_percent),
            "run-load.sh": jobs.runner(folder, ["load"], jobs.SEQUENTIAL_SECONDS + 60, 0 if read_percent else MOST_FILE_BYTES + _GIB),
            "neighbour.sh": jobs.probe(folder, 10 * 60),
        },
        machine="one test machine with a disk on the datastore below; neighbour.sh in a second one with a disk on the same datastore",
        load=(
            f"sequential {jobs.commands_text(read_percent)} of 256 KiB, 16 in flight, at most {rate} a second ({speed} MiB/s, {known}),"
            " in one file of 4 GiB"
        ),
        seconds=jobs.SEQUENTIAL_SECONDS,
        steps=(
            *_prepare_first("the test machine", read_percent),
            "In the second machine: sh neighbour.sh.",
            "In the test machine: sh run-load.sh.",
            'In vCenter: the datastore\'s chart, counter "Storage I/O Control active time" (datastore.siocActiveTimePercentage).',
            "Make the cure (Storage I/O Control off on this datastore, or no cap), and do the same again.",
        ),
        before=(
            "SIOC's active time goes to 100 % together with the latency, which the report saw at 50 to 100 ms for every machine of the"
            " datastore."
        ),
        after="the load stays at the array's cap, SIOC's active time stays at 0, and the neighbour's latency comes back at once.",
        stop="Ctrl-C in the test machine.",
        care=("Machines that lose their heartbeat for too long are restarted by HA: use a datastore without production machines.",),
    )


def _background(_situation: Situation, folder: str) -> Guide:
    return Guide(
        files={"measure.sh": jobs.probe(folder, 2 * 60 * 60, 1.0)},
        machine=(
            "a test machine with a disk on a datastore below. Nothing is written: background work is the array's own load, and more load"
            " would only hurt"
        ),
        load="one read of 4 KiB a second; of the measuring script alone",
        seconds=2 * 60 * 60,
        steps=(
            "In the test machine: sh measure.sh > latency.txt, across at least one start of the schedule that the finding names.",
            (
                "On ONTAP meanwhile, to read only: statistics show-periodic -interval 5; snapmirror show -fields state,last-transfer-size;"
                " volume efficiency show -fields state,progress; storage aggregate scrub -action status"
            ),
            "Lay the times side by side: latency grows when transfers start and falls when they end.",
            "Make the cure (seldomer, later, or one after another), and measure for as long again.",
        ),
        before=(
            "latency follows the schedule, whatever the machines do; the report saw disks busy for 80 % of the time and spikes above"
            " 1,000 ms."
        ),
        after="with half of the transfers the disks are busy for about half of that share of the time: the report saw 40 %.",
        stop="Ctrl-C.",
        care=("Do not start transfers, deduplications or scrubs by hand to see it sooner: production waits for the same disks.",),
    )


_COMMANDS = """# To be typed by a person, line by line, in a shell of ONE test host. Not a script: nothing here is started by itself.
# The host carries no production machine, and no other array whose offload matters: the option is host-wide.
# Put your own datastore and folder; make the folder once: mkdir /vmfs/volumes/TEST-DATASTORE/auditor-test

# 1. What is set now. Note it: you put it back in step 5.
esxcli system settings advanced list -o /DataMover/HardwareAcceleratedInit
esxcli system settings advanced list -o /DataMover/HardwareAcceleratedMove

# 2. With offload as it is: how long does zeroing 10 GB take?
time vmkfstools -c 10G -d eagerzeroedthick /vmfs/volumes/TEST-DATASTORE/auditor-test/on.vmdk

# 3. Offload of zeroing and copying off, on this host alone.
#    Leave VMFS3.HardwareAcceleratedLocking alone: on ATS-only VMFS, off is an outage.
esxcli system settings advanced set -o /DataMover/HardwareAcceleratedInit -i 0
esxcli system settings advanced set -o /DataMover/HardwareAcceleratedMove -i 0

# 4. The same again without offload.
time vmkfstools -c 10G -d eagerzeroedthick /vmfs/volumes/TEST-DATASTORE/auditor-test/off.vmdk

# 5. Put both options back to what step 1 showed (1 is the default), and remove the disks.
esxcli system settings advanced set -o /DataMover/HardwareAcceleratedInit -i 1
esxcli system settings advanced set -o /DataMover/HardwareAcceleratedMove -i 1
vmkfstools -U /vmfs/volumes/TEST-DATASTORE/auditor-test/on.vmdk
vmkfstools -U /vmfs/volumes/TEST-DATASTORE/auditor-test/off.vmdk
"""


def _offload(_situation: Situation, folder: str) -> Guide:
    return Guide(
        files={"commands.txt": _COMMANDS, "neighbour.sh": jobs.probe(folder, 15 * 60)},
        machine=(
            "ONE test host without production machines, with a test datastore on the array; neighbour.sh in a test machine on another"
            " datastore of it"
        ),
        load="the array zeroes 10 GB, twice. That cannot be held back: on an affected array every volume waits meanwhile",
        seconds=10 * 60,
        steps=(
            "In a test machine on another datastore of the same array: sh neighbour.sh.",
            "On the test host: the commands of commands.txt, one by one.",
            "Lay the two times and the neighbour's latency side by side.",
        ),
        before=(
            "on an affected array zeroing with offload is slower than without, and everybody waits: the report saw 180 s, and more than"
            " 800 ms elsewhere."
        ),
        after="without offload, or with fixed firmware: the report saw 14 s, and no neighbour that waits.",
        stop="Ctrl-C ends vmkfstools. What the array was handed already it finishes: wait for the neighbour's latency to come back.",
        care=(
            "An affected array is slow for EVERY host while it zeroes: agree on a time with all who use it.",
            "Do not turn hardware locking off.",
        ),
    )


_GUIDES = {
    Lesson.QUEUE_DEPTH: _queue_depth,
    Lesson.BACKGROUND: _background,
    Lesson.OFFLOAD: _offload,
}

TIDY_UP = f"Afterwards remove {TEST_FILE} and ioping's leftovers from the test folder."
