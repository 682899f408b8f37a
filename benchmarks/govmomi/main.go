// One lane of ../collect.py: reads the storage and the options of every host with govmomi's PropertyCollector, ten hosts a page, one
// worker, into the rows that the other lanes make, and says what it took. The clock stands still while rows are hashed.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/vmware/govmomi"
	"github.com/vmware/govmomi/session"
	"github.com/vmware/govmomi/view"
	"github.com/vmware/govmomi/vim25"
	"github.com/vmware/govmomi/vim25/methods"
	"github.com/vmware/govmomi/vim25/mo"
	"github.com/vmware/govmomi/vim25/soap"
	"github.com/vmware/govmomi/vim25/types"
)

const page = 10
const null = "\\N"

var narrow = []string{
	"name", "config.storageDevice.scsiLun", "config.storageDevice.multipathInfo", "config.storageDevice.hostBusAdapter", "config.option",
}

type row []string

type seen struct {
	Rows    map[string]int
	total   uint64
	hashing time.Duration
	cpu     time.Duration
}

func (s *seen) add(table string, rows []row) {
	s.Rows[table] += len(rows)
	began, cpu := time.Now(), cpuTime()
	lines := make([]string, len(rows))
	for at, one := range rows {
		lines[at] = strings.Join(one, "\t")
	}
	sum := sha256.Sum256([]byte(strings.Join(lines, "\n")))
	s.total += binary.BigEndian.Uint64(sum[:8])
	s.hashing += time.Since(began)
	s.cpu += cpuTime() - cpu
}

func main() {
	port := flag.Int("port", 0, "of the replaying server")
	folder := flag.String("folder", "", "that holds ca.pem and password")
	user := flag.String("user", "", "")
	flag.Parse()
	ctx := context.Background()

	began := time.Now()
	client := connect(ctx, *port, *folder, *user)
	all, err := view.NewManager(client.Client).CreateContainerView(ctx, client.ServiceContent.RootFolder, []string{"HostSystem"}, true)
	check(err)
	opened := time.Since(began)

	found := seen{Rows: map[string]int{}}
	began, cpu := time.Now(), cpuTime()
	read(ctx, client, all.Reference(), &found)
	took, spent := time.Since(began)-found.hashing, cpuTime()-cpu-found.cpu
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"lane": "govmomi", "seconds": took.Seconds(), "cpu_seconds": spent.Seconds(), "peak_mib": peakMiB(), "open_seconds": opened.Seconds(),
		"rows": found.Rows, "digest": fmt.Sprintf("%016x", found.total), "passes": 1,
	}))
}

func connect(ctx context.Context, port int, folder, user string) *govmomi.Client {
	password, err := os.ReadFile(folder + "/password")
	check(err)
	address := &url.URL{Scheme: "https", Host: fmt.Sprintf("127.0.0.1:%d", port), Path: "/sdk"}
	wire := soap.NewClient(address, false)
	check(wire.SetRootCAs(folder + "/ca.pem"))
	inner, err := vim25.NewClient(ctx, wire)
	check(err)
	client := &govmomi.Client{Client: inner, SessionManager: session.NewManager(inner)}
	check(client.Login(ctx, url.UserPassword(user, strings.TrimSpace(string(password)))))
	return client
}

func read(ctx context.Context, client *govmomi.Client, all types.ManagedObjectReference, found *seen) {
	collector := client.ServiceContent.PropertyCollector
	answer, err := methods.RetrievePropertiesEx(ctx, client, &types.RetrievePropertiesEx{
		This: collector,
		SpecSet: []types.PropertyFilterSpec{{
			ObjectSet: []types.ObjectSpec{{Obj: all, Skip: types.NewBool(true), SelectSet: []types.BaseSelectionSpec{
				&types.TraversalSpec{Type: "ContainerView", Path: "view"},
			}}},
			PropSet: []types.PropertySpec{{Type: "HostSystem", PathSet: narrow}},
		}},
		Options: types.RetrieveOptions{MaxObjects: page},
	})
	check(err)
	result := answer.Returnval
	for {
		for _, one := range result.Objects {
			var host mo.HostSystem
			check(mo.LoadObjectContent([]types.ObjectContent{one}, &host))
			take(host, found)
		}
		if result.Token == "" {
			return
		}
		more, err := methods.ContinueRetrievePropertiesEx(ctx, client, &types.ContinueRetrievePropertiesEx{This: collector, Token: result.Token})
		check(err)
		result = &more.Returnval
	}
}

func take(host mo.HostSystem, found *seen) {
	id := host.Self.Value
	storage := host.Config.StorageDevice
	names := map[string]string{}
	devices := make([]row, 0, len(storage.ScsiLun))
	for _, one := range storage.ScsiLun {
		lun := one.GetScsiLun()
		names[lun.Key] = lun.CanonicalName
		local, ssd, size := null, null, null
		if disk, ok := one.(*types.HostScsiDisk); ok {
			local, ssd = boolean(disk.LocalDisk), boolean(disk.Ssd)
			size = strconv.FormatInt(disk.Capacity.Block*int64(disk.Capacity.BlockSize), 10)
		}
		devices = append(devices, row{
			id, lun.CanonicalName, lun.DisplayName, strings.TrimSpace(lun.Vendor), strings.TrimSpace(lun.Model), strings.TrimSpace(lun.Revision),
			lun.LunType, boolean(lun.ProtocolEndpoint), strconv.Itoa(int(lun.QueueDepth)), lun.VStorageSupport, local, ssd, size,
			strings.Join(lun.OperationalState, ","),
		})
	}
	found.add("device", devices)
	adapters := map[string]string{}
	for _, one := range storage.HostBusAdapter {
		hba := one.GetHostHostBusAdapter()
		adapters[hba.Key] = hba.Device
	}
	paths := make([]row, 0, 4*len(devices))
	for _, unit := range storage.MultipathInfo.Lun {
		psp, satp := unit.Policy.GetHostMultipathInfoLogicalUnitPolicy().Policy, unit.StorageArrayTypePolicy.Policy
		for _, path := range unit.Path {
			kind, target := "block", null
			switch transport := path.Transport.(type) {
			case *types.HostInternetScsiTargetTransport:
				kind, target = "iscsi", strings.ToLower(transport.IScsiName)
			case *types.HostFibreChannelTargetTransport:
				kind, target = "fc", fmt.Sprintf("%016x", uint64(transport.PortWorldWideName))
			}
			paths = append(paths, row{id, names[unit.Lun], adapters[path.Adapter], path.Name, path.State, kind, target, psp, satp})
		}
	}
	found.add("path", paths)
	options := make([]row, 0, len(host.Config.Option))
	for _, one := range host.Config.Option {
		option := one.GetOptionValue()
		value, kind := text(option.Value)
		options = append(options, row{id, option.Key, value, kind})
	}
	found.add("host_option", options)
}

func text(value any) (string, string) {
	switch held := value.(type) {
	case bool:
		return strconv.FormatBool(held), "boolean"
	case string:
		return held, "string"
	case int64:
		return strconv.FormatInt(held, 10), "long"
	case int32:
		return strconv.Itoa(int(held)), "int"
	}
	return fmt.Sprint(value), fmt.Sprintf("%T", value)
}

func boolean(value *bool) string {
	if value == nil {
		return null
	}
	return strconv.FormatBool(*value)
}

// cpuTime is what all cores spent on this process.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// peakMiB is the most memory this process ever had; 0 where there is no /proc.
func peakMiB() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "VmHWM:" {
			kib, _ := strconv.ParseFloat(words[1], 64)
			return kib / 1024
		}
	}
	return 0
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
