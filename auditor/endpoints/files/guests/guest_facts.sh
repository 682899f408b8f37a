#!/bin/sh
# Prints how the disks of this Linux are set, for `auditor audit --from`. It only reads.
# Run it as root: without that it cannot say which virtual machine it is of.
echo "auditor-guest 1"
echo "system linux"
echo "taken $(date -u +%Y-%m-%dT%H:%M:%SZ)"
echo "hostname $(uname -n)"
echo "kernel $(uname -r)"
serial=$(cat /sys/class/dmi/id/product_serial 2>/dev/null) && echo "serial $serial"
for file in /sys/module/vmw_pvscsi/parameters/*; do
    [ -r "$file" ] && echo "parameter module=vmw_pvscsi name=${file##*/} value=$(cat "$file")"
done
of() { # the content of a file as one word; nothing where it cannot be read
    cat "$1" 2>/dev/null | tr -s ' \t\n' '_' | sed 's/^_*//; s/_*$//'
}
for disk in /sys/block/sd* /sys/block/nvme*n* /sys/block/vd*; do
    [ -e "$disk/device" ] || continue
    address=$(cd -P "$disk/device" 2>/dev/null && pwd) address=${address##*/} name=${disk##*/}
    driver=$(of "/sys/class/scsi_host/host${address%%:*}/proc_name")
    case $name in nvme*) driver=nvme ;; vd*) driver=virtio_blk ;; esac
    echo "disk name=$name driver=$driver vendor=$(of "$disk/device/vendor") model=$(of "$disk/device/model")" \
        "queue_depth=$(of "$disk/device/queue_depth") adapter_depth=$(of "/sys/class/scsi_host/host${address%%:*}/can_queue")" \
        "timeout_s=$(of "$disk/device/timeout") sectors=$(of "$disk/size")"
    for part in "$disk/$name"*; do
        [ -r "$part/start" ] && echo "partition disk=$name name=${part##*/} start_sectors=$(cat "$part/start") sectors=$(of "$part/size")"
    done
done
echo "end"
