# Prints how the disks of this Windows are set, for `auditor audit --from`. It only reads.
function ask($class) {
    if (Get-Command Get-CimInstance -ErrorAction SilentlyContinue) { Get-CimInstance $class } else { Get-WmiObject $class }
}
function setting($path, $name) { (Get-ItemProperty -Path $path -Name $name -ErrorAction SilentlyContinue).$name }
function word($text) { ("$text".Trim()) -replace '\s+', '_' }
"auditor-guest 1"
"system windows"
"taken " + (Get-Date).ToUniversalTime().ToString("yyyy-MM-ddTHH:mm:ssZ", [Globalization.CultureInfo]::InvariantCulture)
"hostname $env:COMPUTERNAME"
"kernel " + (ask Win32_OperatingSystem).Version
"serial " + (ask Win32_BIOS).SerialNumber
$set = setting "HKLM:\SYSTEM\CurrentControlSet\Services\pvscsi\Parameters\Device" "DriverParameter"
if ($set) { foreach ($one in "$set".Split(",")) { "parameter module=pvscsi name=" + $one.Trim().Replace("=", " value=") } }
$timeout = setting "HKLM:\SYSTEM\CurrentControlSet\Services\Disk" "TimeOutValue"
foreach ($disk in ask Win32_DiskDrive) {
    $driver = setting ("HKLM:\HARDWARE\DEVICEMAP\Scsi\Scsi Port " + $disk.SCSIPort) "Driver"
    "disk name=disk$($disk.Index) driver=$(word $driver) vendor= model=$(word $disk.Model) queue_depth= adapter_depth=" +
    " timeout_s=$timeout sectors=$([math]::Floor($disk.Size / 512))"
}
foreach ($part in ask Win32_DiskPartition) {
    "partition disk=disk$($part.DiskIndex) name=disk$($part.DiskIndex)-$($part.Index) start_sectors=$($part.StartingOffset / 512)" +
    " sectors=$([math]::Floor($part.Size / 512))"
}
"end"
