"""What to do about a gap in files of hosts can be done with files, whatever the folder is called that they lie in."""

import pytest

from auditor.endpoints.files import archives, collect, opening
from auditor.model import Gap
from auditor.report.terminal.gap_lines import remedy_of

TAKE, COPY, SORT = "take the output once more, whole", "copy the file once more", "sort the files"


@pytest.mark.parametrize(
    ("why", "remedy"),
    [
        ("its files do not have it: take `esxcli iscsi session connection list` too", "take these outputs too"),
        ("a saved output says less, or other things, than is needed: size of naa.1 is missing", TAKE),
        ("Only a part of the output was kept.", TAKE),
        ("two files have it, and differ: only the newer one was read", SORT),
        ("its files are of several hosts (a, b): put those of each into a folder of its own", SORT),
        ("it is broken: it is cut off; what was read of it may not be all, or not as it was", COPY),
        ("it was cut into parts, and not all are there or could be read; missing: 2", COPY),
        (archives._NOTHING, "name a support bundle, or a file or folder"),
        ("files of several hosts lie beside it (a, b), and its name is of none: put it into its host's folder.", SORT),
        (opening.NO_FILE, "where it counts, put the file itself there"),
        (opening.BAD_NAME, "where it counts, put the file itself there"),
        (
            "it has no counters of storage: esxtop was told to leave them out (use -a), or it is not of esxtop",
            "take the file of esxtop once",
        ),
        ("their .vmx files say neither whether they run nor how large their disks are, and may not be all", "audit the vCenter"),
        (collect._ONLY_VCENTER, "audit the vCenter"),
        ("it cannot be read: Permission denied", "give the account the right"),
    ],
)
def test_a_remedy_of_files_is_one_for_files(why: str, remedy: str) -> None:
    assert remedy_of(Gap("files", "evidence/connection denied/esx-01.tgz", why)).startswith(remedy)
