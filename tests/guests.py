"""What a guest prints of its disk."""


def said(hostname: str, uuid: str, *, depth: int = 64, timeout: int = 180, start: int = 2048) -> str:
    """The answer of a Linux in the machine whose BIOS has that UUID."""
    digits = uuid.replace("-", "")
    pairs = [digits[at : at + 2] for at in range(0, 32, 2)]
    return f"""auditor-guest 1
system linux
taken 2026-11-25T02:00:00Z
hostname {hostname}
serial VMware-{" ".join(pairs[:8])}-{" ".join(pairs[8:])}
disk name=sda driver=vmw_pvscsi vendor=VMware model=Virtual_disk queue_depth={depth} adapter_depth=1022 timeout_s={timeout} sectors=8388608
partition disk=sda name=sda1 start_sectors={start} sectors=8386560
end
"""
