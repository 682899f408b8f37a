"""The table headings of an ETERNUS DX in text answers; most end with a ruler whose dashes are as wide as the columns."""

GROUPS = (
    "Port Group           Host Group           LUN Group             LUN Overlap",
    "No. Name             No. Name             No.  Name             Volumes",
    "--- ---------------- --- ---------------- ---- ---------------- -----------",
)

CONNECTIONS = (
    "<Connection List>",
    "  Port             Host",
    "                   No.  Name",
    "  ---------------- ---- ----------------",
)

PORT_HOSTS = (
    "Host                  LUN Group             LUN Overlap LUN Mask",
    "No.  Name             No.  Name             Volumes     Group No.",
    "---- ---------------- ---- ---------------- ----------- ---------",
)

LUNS = (
    "LUN  Volume                                 Status                    Size(MB)",
    "     No.   Name",
    "---- ----- -------------------------------- ------------------------- ---------",
)

GROUP_LUNS = (
    "LUN  Volume                                 Status                    Size(MB)  LUN Overlap UID",
    "     No.   Name                                                                      Volume",
    "---- ----- -------------------------------- ------------------------- --------- ----------- --------------------------------",
)

LUN_GROUPS = (
    "LUN Group             LUN Overlap",
    "No.  Name             Volumes",
    "---- ---------------- -----------",
)

UIDS = (
    (
        "Volume                                 Status                    Type              RG or TPP or FTRP     TFOG                 "
        "Size(MB)  UID"
    ),
    (
        "No.   Name                                                                         No.  Name             No. Name             "
        "          ID                               Mode"
    ),
    (
        "----- -------------------------------- ------------------------- ----------------- ---- ---------------- --- ---------------- "
        "--------- -------------------------------- -------"
    ),
)

VOLUMES = (
    "Volume                                 Status                    Type              RG or TPP or FTRP     Size(MB)  Copy",
    "No.   Name                                                                         No.  Name                       Protection",
    "----- -------------------------------- ------------------------- ----------------- ---- ---------------- --------- ----------",
)

EARLY_VOLUMES = (
    "Volume                Status                    Type      Expansion       RAID Group           Size(MB)   Reserved",
    "No.  Name                                                 (Concatenation) No. Name                        Deletion",
)

WWNS = (
    "Host                  WWN              Host Response",
    "No.  Name                              No. Name",
    "---- ---------------- ---------------- --- ----------------",
)

ISCSI = (
    "Host                  Host Response        IP Address                              iSCSI Name                       CmdSN Count",
    "No.  Name             No. Name",
    "---- ---------------- --- ---------------- --------------------------------------- -------------------------------- -----------",
)

HOST_GROUP = (
    "Host Group            Host Response        Host Type",
    "No.  Name             No. Name",
    "---- ---------------- --- ---------------- ----------",
)

GROUP_HOSTS = (
    "<Host List>",
    "  Host                  WWN",
    "  No.  Name",
    "  ---- ---------------- ----------------------------------------",
)

RAID_GROUPS = (
    "RAID  Group           RAID     Assigned  Status                          Total        Free",
    "No.  Name             Level    CM                                        Capacity(MB) Capacity(MB)",
    "---- ---------------- -------- --------- ------------------------------- ------------ ------------",
)

EARLY_RAID_GROUPS = (
    "RAID Group           RAID    Assigned Status                    Total        Free",
    "No. Name             Level   CM                                 Capacity(MB) Capacity(MB)",
)

THIN_POOLS = "[Pool No],[Pool Name],[Status],[Used Status],[Total Capacity(MB)],[Used Capacity(MB)],[RAID Level]"
