#!/bin/sh
# Build the files of a pretended machine: the part of /proc and /sys that hwloc
# and c2c read. HWLOC_FSROOT=FOLDER then pretends it.
# Usage: machine.sh NAME FOLDER
#
# hybrid      10 CPUs: two P cores of two threads, four E cores with one L2,
#             an L3 over these, and two low-power E cores with an L2 alone
# restricted  two packages of four CPUs, of which 6 and 7 are offline; cgroup
#             v2 leaves 0-4, the affinity 0-2
# cgroup-v1   the same by cgroup v1, without any limit but the cpuset
# memory      node 0: CPUs 0,1 without memory; node 1: CPUs 2,3 with memory;
#             nodes 2 and 3: memory without CPUs, 2 nearer to node 0 than 1 is
# uneven      cores at two depths: cores 0 and 1 have an L1 for each of two
#             CPUs, of core 2 (CPU 4) the other CPU is offline
# bare        one CPU and hardly a file: a locked-down container
set -eu

name=$1
root=$2
cpus=$root/sys/devices/system/cpu

# put PATH TEXT
put()
{
	[ -d "$root/${1%/*}" ] || mkdir -p "$root/${1%/*}"
	printf '%s\n' "$2" >"$root/$1"
}

# mask FIRST-LAST: the kernel's hexadecimal map of up to 31 CPUs
mask()
{
	first=${1%-*}
	last=${1#*-}
	printf '%x' $(((1 << (last + 1)) - (1 << first)))
}

# cpu NUMBER CORE-ID THREADS PACKAGE-ID PACKAGE-CPUS
cpu()
{
	put "sys/devices/system/cpu/cpu$1/topology/core_id" "$2"
	put "sys/devices/system/cpu/cpu$1/topology/core_cpus" "$(mask "$3")"
	put "sys/devices/system/cpu/cpu$1/topology/thread_siblings" \
		"$(mask "$3")"
	put "sys/devices/system/cpu/cpu$1/topology/physical_package_id" "$4"
	put "sys/devices/system/cpu/cpu$1/topology/package_cpus" "$(mask "$5")"
	put "sys/devices/system/cpu/cpu$1/topology/core_siblings" \
		"$(mask "$5")"
}

# cache NUMBER INDEX LEVEL TYPE SIZE CPUS
cache()
{
	put "sys/devices/system/cpu/cpu$1/cache/index$2/level" "$3"
	put "sys/devices/system/cpu/cpu$1/cache/index$2/type" "$4"
	put "sys/devices/system/cpu/cpu$1/cache/index$2/size" "$5"
	put "sys/devices/system/cpu/cpu$1/cache/index$2/shared_cpu_map" \
		"$(mask "$6")"
	put "sys/devices/system/cpu/cpu$1/cache/index$2/coherency_line_size" 64
	put "sys/devices/system/cpu/cpu$1/cache/index$2/ways_of_associativity" 8
	put "sys/devices/system/cpu/cpu$1/cache/index$2/number_of_sets" 64
	put "sys/devices/system/cpu/cpu$1/cache/index$2/physical_line_partition" 1
}

# node NUMBER CPU-MASK CPU-LIST MIB "DISTANCE..."
node()
{
	put "sys/devices/system/node/node$1/cpumap" "$2"
	put "sys/devices/system/node/node$1/cpulist" "$3"
	put "sys/devices/system/node/node$1/meminfo" \
		"Node $1 MemTotal:       $(($4 * 1024)) kB"
	put "sys/devices/system/node/node$1/distance" "$5"
}

# present ONLINE PRESENT
present()
{
	put sys/devices/system/cpu/online "$1"
	put sys/devices/system/cpu/present "$2"
	put sys/devices/system/cpu/possible "$2"
}

meminfo()
{
	put proc/meminfo "MemTotal:       $1 kB
HugePages_Total:      $2
HugePages_Free:       $3
Hugepagesize:       2048 kB"
}

cpuinfo()
{
	put proc/cpuinfo "processor	: 0
vendor_id	: GenuineIntel
model name	: $1
microcode	: 0x2b
flags		: fpu tsc constant_tsc nonstop_tsc$2"
}

hybrid()
{
	present 0-9 0-9
	for i in 0 1 2 3; do
		cpu $i $((i / 2)) "$((i / 2 * 2))-$((i / 2 * 2 + 1))" 0 0-9
		cache $i 0 1 Data 48K "$((i / 2 * 2))-$((i / 2 * 2 + 1))"
		cache $i 2 2 Unified 2048K "$((i / 2 * 2))-$((i / 2 * 2 + 1))"
		cache $i 3 3 Unified 24576K 0-7
		put "sys/devices/system/cpu/cpu$i/cpufreq/cpuinfo_max_freq" \
			5000000
	done
	for i in 4 5 6 7 8 9; do
		cpu $i $((i + 4)) $i-$i 0 0-9
		cache $i 0 1 Data 32K $i-$i
		put "sys/devices/system/cpu/cpu$i/cpufreq/cpuinfo_max_freq" \
			$((i < 8 ? 3800000 : 2500000))
	done
	for i in 4 5 6 7; do
		cache $i 2 2 Unified 4096K 4-7
		cache $i 3 3 Unified 24576K 0-7
	done
	for i in 8 9; do
		cache $i 2 2 Unified 2048K 8-9
	done
	node 0 3ff 0-9 32768 10
	meminfo 33554432 4 3
	cpuinfo "Pretended Hybrid 155H" ""
	for i in 0 1 2 3 4 5 6 7 8 9; do
		put "sys/devices/system/cpu/cpu$i/cpufreq/scaling_governor" \
			powersave
	done
	put sys/devices/system/cpu/intel_pstate/no_turbo 0
	put sys/devices/system/cpu/smt/active 1
	put sys/devices/system/cpu/isolated ""
	put sys/devices/system/cpu/cpu0/cpuidle/state0/name POLL
	put sys/devices/system/cpu/cpu0/cpuidle/state0/latency 0
	put sys/devices/system/cpu/cpu0/cpuidle/state1/name C1E
	put sys/devices/system/cpu/cpu0/cpuidle/state1/latency 2
	put sys/devices/system/cpu/cpu0/cpuidle/state2/name C6
	put sys/devices/system/cpu/cpu0/cpuidle/state2/latency 220
	put sys/devices/system/cpu/cpu0/cpuidle/state3/name C10
	put sys/devices/system/cpu/cpu0/cpuidle/state3/latency 1048
	put sys/devices/system/cpu/cpu0/cpuidle/state3/disable 1
	put sys/kernel/mm/transparent_hugepage/enabled "always madvise [never]"
	put proc/loadavg "0.25 0.20 0.10 1/200 4242"
	put proc/stat "cpu  100 0 100 9800 0 0 0 0 0 0"
}

# The packages, nodes and CPUs of restricted and cgroup-v1.
server()
{
	present 0-5 0-7
	for i in 0 1 2 3; do
		cpu $i $i $i-$i 0 0-3
		cache $i 0 3 Unified 8192K 0-3
	done
	for i in 4 5; do
		cpu $i $i $i-$i 1 4-5
		cache $i 0 3 Unified 8192K 4-5
	done
	put sys/devices/system/cpu/cpu6/online 0
	put sys/devices/system/cpu/cpu7/online 0
	node 0 f 0-3 1024 "10 21"
	node 1 30 4-5 2048 "21 10"
	meminfo 3145728 0 0
	put proc/self/status "Name:	c2c
Cpus_allowed:	07
Cpus_allowed_list:	0-2"
}

restricted()
{
	server
	cpuinfo "Pretended Server" " hypervisor"
	put sys/devices/system/cpu/isolated 2,4
	put sys/class/dmi/id/sys_vendor "QEMU"
	put sys/class/dmi/id/product_name "Standard PC (Q35 + ICH9, 2009)"
	put sys/devices/system/clocksource/clocksource0/current_clocksource hpet
	put sys/devices/system/clocksource/clocksource0/available_clocksource \
		"hpet acpi_pm"
	put sys/devices/system/cpu/cpufreq/boost 0
	put sys/devices/system/cpu/smt/control on
	put sys/kernel/mm/transparent_hugepage/enabled "[always] madvise never"
	put proc/sys/kernel/numa_balancing 1
	put proc/loadavg "3.50 3.20 3.10 4/200 4242"
	put proc/stat "cpu  4000 0 1000 4700 0 0 0 300 0 0"
	put proc/mounts "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0"
	put proc/self/cgroup "0::/work.slice/job"
	put sys/fs/cgroup/cgroup.controllers "cpuset cpu memory"
	put sys/fs/cgroup/work.slice/job/cpuset.cpus.effective 0-4
	put sys/fs/cgroup/work.slice/job/cpuset.mems.effective 0-1
	put sys/fs/cgroup/work.slice/job/cpu.max "max 100000"
	put sys/fs/cgroup/work.slice/cpu.max "150000 100000"
}

cgroup_v1()
{
	server
	cpuinfo "Pretended Server" ""
	put proc/mounts "cgroup /sys/fs/cgroup/cpuset cgroup rw,cpuset 0 0"
	put proc/self/cgroup "3:cpuset:/job
2:cpu,cpuacct:/job"
	put sys/fs/cgroup/cpuset/job/cpuset.cpus 1-4
	put sys/fs/cgroup/cpuset/job/cpuset.mems 0-1
	put sys/fs/cgroup/cpu/job/cpu.cfs_quota_us -1
	put sys/fs/cgroup/cpu/job/cpu.cfs_period_us 100000
}

memory()
{
	present 0-3 0-3
	for i in 0 1; do
		cpu $i $i $i-$i 0 0-1
	done
	for i in 2 3; do
		cpu $i $i $i-$i 1 2-3
	done
	node 0 3 0-1 0 "10 21 17 28"
	node 1 c 2-3 4096 "21 10 28 17"
	node 2 0 "" 8192 "17 28 10 28"
	node 3 0 "" 16384 "28 17 28 10"
	meminfo 29360128 0 0
	cpuinfo "Pretended Memory" ""
}

uneven()
{
	present 0-4 0-5
	for i in 0 1 2 3; do
		cpu $i $((i / 2)) "$((i / 2 * 2))-$((i / 2 * 2 + 1))" 0 0-4
	done
	cpu 4 2 4-4 0 0-4
	for i in 0 1 2 3 4; do
		cache $i 0 1 Data 32K $i-$i
	done
	node 0 1f 0-4 32768 10
}

bare()
{
	mkdir -p "$cpus/cpu0" "$root/proc"
	present 0 0
	cpu 0 0 0-0 0 0-0
}

case $name in
hybrid | restricted | memory | uneven | bare) "$name" ;;
cgroup-v1) cgroup_v1 ;;
*)
	echo "machine.sh: there is no machine '$name'" >&2
	exit 2
	;;
esac
