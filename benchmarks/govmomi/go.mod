module auditor/benchmarks/govmomi

go 1.23

require github.com/vmware/govmomi v0.46.3
