#!/usr/bin/env bats
# c2c export as a user types it, and the programs that read what it writes.
#
# bats and helpers.bash set what seems unset (SC2154). Placements are options
# and beginnings of commands, meant to be split into words (SC2046).
# shellcheck disable=SC2046,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
}

# matrix.csv: a machine of 16 CPUs. Siblings, 8 apart, are 20 ns from each
# other, CPUs of one package 60 ns, of two 150 ns, more or less.
matrix()
{
	awk 'BEGIN {
		srand(7)
		for (i = 0; i < 16; i++) {
			for (j = 0; j < 16; j++) {
				ns = i % 8 == j % 8 ? 20 : \
					int(i % 8 / 4) == int(j % 8 / 4) ? 60 : 150
				printf "%s%s", j ? "," : "", i == j ? "" : \
					sprintf("%.1f", ns + 2 * rand())
			}
			print ""
		}
	}' >matrix.csv
}

# matrix.json: the same of a machine that said it were this of hwloc's
# synthetic descriptions.
matrix_on()
{
	need_jq
	need_hwloc
	matrix
	lstopo-no-graphics -i "$1" --of xml >os.xml
	"$C2C" export matrix.csv --json |
		jq --rawfile xml os.xml '.topology = {hwloc_xml: $xml}' \
			>matrix.json
}

need_hwloc()
{
	local tool
	for tool in lstopo-no-graphics hwloc-info hwloc-calc hwloc-distrib; do
		command -v "$tool" >/dev/null ||
			skip "$tool is not installed (hwloc-nox)"
	done
}

# pairs N NEAR FAR: N CPUs in pairs that are NEAR ns from each other and FAR
# from others, more or less.
pairs()
{
	awk -v n="$1" -v near="$2" -v far="$3" 'BEGIN {
		srand(7)
		for (i = 0; i < n; i++) {
			for (j = 0; j < n; j++)
				printf "%s%s", j ? "," : "", i == j ? "" : \
					(int(i / 2) == int(j / 2) ? near : far) + \
						2 * rand()
			print ""
		}
	}'
}

# like.csv: four CPUs that are all alike.
like()
{
	printf ',50,50,50\n50,,50,50\n50,50,,50\n50,50,50,\n' >like.csv
}

@test "a topology that cannot be written has its reason" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	matrix
	run --separate-stderr "$C2C" export -q matrix.csv --hwloc /dev/full
	[ "$status" -eq 1 ]
	[[ $stderr == *"/dev/full"*"No space left"* ]]
}

@test "hwloc's programs show the measured groups" {
	matrix_on "package:1 l3:1 core:16 pu:1"
	run --separate-stderr "$C2C" export matrix.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	lstopo-no-graphics -i out.xml --of console >tree
	[ "$(grep -c 'Group[0-9](smt)' tree)" -eq 8 ]
	[ "$(grep -c 'Group[0-9](\(package\|group\))' tree)" -eq 2 ]
	[ "$(hwloc-info -i out.xml | grep -c 'Group[01] ')" -eq 2 ]
	[ "$(hwloc-calc -i out.xml --po -I pu group1:1)" = 1,9 ]
	[ "$(hwloc-calc -i out.xml --po -I pu group0:1)" = 4,12,5,13,6,14,7,15 ]
	[ "$(hwloc-distrib -i out.xml --single 2)" = $'0x00000001\n0x00000010' ]
	hwloc-info -i out.xml group1:0 >info
	grep -q 'info C2CLevel = smt' info
	grep -q 'info C2CInside = 2[0-2].* ns' info
	grep -q 'info C2CBetween = ' info
	grep -q 'info C2CConfidence = ' info
}

@test "programs started with HWLOC_XMLFILE see them, c2c too" {
	matrix_on "package:1 l3:1 core:16 pu:1"
	"$C2C" export matrix.json --hwloc out.xml
	export HWLOC_XMLFILE=$PWD/out.xml
	[ "$(hwloc-calc --number-of group1 all)" -eq 8 ]
	[ "$(hwloc-info | grep -c Group)" -eq 2 ]
	"$C2C" info --json | tr -d ' \n' | grep -q '"cpus_online":16,'
}

# Of a machine that has each kind of level, and tells none of them.
@test "the examples of the manual page work" {
	need_jq
	need_hwloc
	awk 'BEGIN {
		for (i = 0; i < 32; i++) {
			for (j = 0; j < 32; j++)
				printf "%s%s", j ? "," : "", i == j ? "" : \
					int(i / 2) == int(j / 2) ? 10 : \
					int(i / 8) == int(j / 8) ? 30 : \
					int(i / 16) == int(j / 16) ? 90 : 250
			print ""
		}
	}' >latencies.csv
	lstopo-no-graphics -i "package:1 core:32 pu:1" --of xml >os.xml
	"$C2C" export latencies.csv --json | jq --rawfile xml os.xml \
		'.topology = {hwloc_xml: $xml}' >measured.json
	mkdir bin
	export PATH=$PWD/bin:$PATH measured=$PWD/measured.json
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n%s\n' 'exec hwloc-info' >bin/program
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n%s || exec %s "$@"\n' '[ "$*" = os.xml ]' \
		lstopo-no-graphics >bin/lstopo
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho "${0##*/}" "$@"\n' | tee bin/srun >bin/taskset
	# shellcheck disable=SC2016
	printf '#!/bin/sh\n%s\nexec "$C2C" "$@"\n' \
		'[ "$*" = "latency -o lat.json" ] && exec cp "$measured" lat.json' \
		>bin/c2c
	chmod +x bin/*
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh SEE/s/^\(\.Dl \)*\$ //p' \
		"$srcdir/man/c2c-export.1" >examples
	[ "$(wc -l <examples)" -eq 14 ]
	cp "$srcdir/data/xeon-64vcpu-moving.json" kept.json
	while read -r example; do
		echo "$example"
		bash -c "$example" >out 2>err
		cat err
		[ ! -s err ]
		case $example in
		*epoch*) grep -qx 'taskset --cpu-list 3,19 program' out ;;
		near=*) grep -qx 'taskset --cpu-list 0,2,8,10 program' out ;;
		*taskset*) grep -qx 'taskset --cpu-list 0,2,4,6 program' out ;;
		*slurm*) grep -q '^srun .*map_cpu:0,16,.* --exclusive program$' out ;;
		hwloc-calc*) grep -qx '16,.*,31' out ;;
		esac
	done <examples
	grep -q "<cell id='1' cpus='16-31' " guest.xml
	grep -q "sockets='2' dies='2' cores='4' threads='2'" guest.xml
}

@test "latencies are distances in picoseconds" {
	matrix_on "package:1 l3:1 core:16 pu:1"
	"$C2C" export matrix.json --hwloc out.xml
	lstopo-no-graphics -i out.xml --distances >distances
	grep -q 'latency matrix (name c2c latency ps .*between 16 PUs' distances
	# From CPU 0 to CPU 8, its sibling; logical indexes are another order.
	want=$(sed -n 1p matrix.csv | cut -d , -f 9 | tr -d .)00
	at=$(hwloc-calc -i out.xml -I pu --pi pu:8)
	[ "$(awk -v at="$at" '
		/^ *index/ { for (i = 2; i <= NF; i++) if ($i == at) column = i }
		$1 == 0 && column { print $column; exit }' distances)" = "$want" ]
}

@test "rates are distances in MiB/s" {
	need_hwloc
	need_jq
	cat >queue.dat <<-'END'
	# format: c2c-result
	# version: 1
	# command: queue
	# complete: true
	# cpus: [0, 1, 2]
	# matrix: reader median GiB/s rate higher asymmetric
	cpu   0     1     2
	0   nan     2     3
	1   2.5   nan   3.5
	2   2.5     4   nan


	# matrix: writer median GiB/s rate higher asymmetric
	cpu   0     1     2
	0   nan     2     3
	1   2.5   nan   nan
	2   2.5     4   nan
	END
	jq -R -n -f "$srcdir/tests/cli/short.jq" queue.dat >queue.json
	run --separate-stderr "$C2C" export queue.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"the matrix writer is left out: 1 of its cells"* ]]
	lstopo-no-graphics -i out.xml --distances >distances
	grep -q 'bandwidth matrix (name c2c reader MiB/s .*3 PUs' distances
	grep -qE '^ +1 +2560 +4096 +3584' distances
	run ! grep -q writer distances
}

@test "what the numbers deny is left out, with a warning" {
	matrix_on "core:8 pu:2"
	run --separate-stderr "$C2C" export matrix.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: "*"these types are left out: Core"* ]]
	run ! grep -q 'type="Core"' out.xml
	[ "$(hwloc-calc -i out.xml --po -I pu group1:7)" = 7,15 ]
	run --separate-stderr "$C2C" export -q matrix.json --hwloc out.xml
	[ -z "$stderr" ]
}

@test "what is advertised is not doubled" {
	matrix_on "package:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)"
	run --separate-stderr "$C2C" export matrix.json --hwloc out.xml -v
	[ "$status" -eq 0 ]
	[[ $stderr == *"level smt: 0 inserted, 8 there already"* ]]
	[[ $stderr == *"level package: 0 inserted, 2 there already"* ]]
	run ! grep -q 'type="Group"' out.xml
	hwloc-info -i out.xml core:3 | grep -q 'info C2CLevel = smt'
}

@test "a file without topology gives a plain one, and says so" {
	need_hwloc
	matrix
	run --separate-stderr "$C2C" export matrix.csv --hwloc out.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"'matrix.csv' holds no topology"*"16 CPUs"* ]]
	[ "$(hwloc-calc -i out.xml -N pu all)" -eq 16 ]
	run ! grep -q 'type="Core"' out.xml
	[ "$(hwloc-calc -i out.xml --po -I pu group1:1)" = 1,9 ]
	"$C2C" export -q - --hwloc - <matrix.csv | cmp - out.xml
}

@test "--topology gives a bare file the objects of its machine" {
	need_hwloc
	matrix
	lstopo-no-graphics -i "package:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)" \
		--of xml >os.xml
	run --separate-stderr "$C2C" export matrix.csv --topology os.xml \
		--hwloc out.xml -v
	[ "$status" -eq 0 ]
	[[ $stderr == *"level smt: 0 inserted, 8 there already"* ]]
	[[ $stderr == *"level package: 0 inserted, 2 there already"* ]]
	[[ $stderr != *"no topology"* ]]
	[ "$(hwloc-calc -i out.xml -N core all)" -eq 8 ]
	# Names of levels come from it: these are packages of four cores.
	[ "$("$C2C" export -q matrix.csv --topology os.xml --placement taskset \
		--level package --threads 2)" = "taskset --cpu-list 0,1" ]
}

@test "--topology takes the place of the one in the file" {
	matrix_on "package:1 l3:1 core:16 pu:1"
	lstopo-no-graphics -i "numa:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)" \
		--of xml >other.xml
	"$C2C" export -q matrix.json --topology other.xml --hwloc out.xml
	[ "$(hwloc-calc -i out.xml -N numa all)" -eq 2 ]
	[ "$(hwloc-calc -i out.xml -N core all)" -eq 8 ]
	"$C2C" export -q matrix.json --topology other.xml --placement libvirt |
		grep -q "<memnode cellid='1' mode='strict' nodeset='1'/>"
}

@test "a topology must have as many CPUs as rows, or the CPUs named" {
	need_hwloc
	matrix
	for cores in 7 9; do
		lstopo-no-graphics -i "core:$cores pu:2" --of xml >os.xml
		run --separate-stderr "$C2C" export matrix.csv \
			--topology os.xml --hwloc out.xml
		refused 2 --topology "'os.xml' has $((cores * 2)) CPUs" \
			"'matrix.csv' has 16"
	done
	# Numbers of CPUs say which of more they are.
	printf 'cpu,3,7\n3,,50\n7,50,\n' >two.csv
	"$C2C" export -q two.csv --topology os.xml --hwloc out.xml
	[ "$(hwloc-calc -i out.xml -N pu all)" -eq 18 ]
	printf 'cpu,3,70\n3,,50\n70,50,\n' >two.csv
	run --separate-stderr "$C2C" export two.csv --topology os.xml \
		--placement taskset
	refused 2 --topology os.xml "no CPU 70"
	run --separate-stderr "$C2C" export two.csv --topology absent.xml \
		--hwloc none.xml
	refused 1 absent.xml "No such file"
	run --separate-stderr "$C2C" export two.csv --topology two.csv \
		--hwloc none.xml
	refused 1 two.csv XML
	no_files_but matrix.csv os.xml out.xml two.csv
}

@test "CPUs keep their numbers" {
	need_hwloc
	printf 'cpu,3,7,90\n3,,50,50\n7,50,,50\n90,50,50,\n' >some.csv
	"$C2C" export -q some.csv --hwloc out.xml
	[ "$(hwloc-calc -i out.xml --po -I pu all)" = 3,7,90 ]
	run "$C2C" export -q some.csv --placement slurm --threads 2
	[ "$output" = "srun --nodes=1 --ntasks=2 --cpu-bind=map_cpu:3,7" ]
}

@test "a topology of other CPUs is refused" {
	matrix_on "core:8 pu:1"
	echo old >out.xml
	run --separate-stderr "$C2C" export matrix.json --hwloc out.xml
	refused 2 "matrix.json" "no CPU 8"
	[ "$(cat out.xml)" = old ]
}

@test "a broken topology is refused" {
	need_jq
	matrix
	"$C2C" export matrix.csv --json |
		jq '.topology = {hwloc_xml: "<topology>"}' >matrix.json
	run --separate-stderr "$C2C" export matrix.json --hwloc out.xml
	refused 1 "matrix.json" topology
	no_files_but matrix.csv matrix.json
}

@test "threads are packed and spread" {
	matrix
	slurm() { # OPTION... : the CPUs of the threads
		"$C2C" export matrix.csv --placement slurm "$@" |
			sed 's/.*map_cpu://'
	}
	[ "$(slurm --level smt --threads 4)" = 0,8,1,9 ]
	[ "$(slurm --level 1 --threads 4)" = 0,8,1,9 ]
	[ "$(slurm --level 2 --threads 6)" = 0,1,2,3,8,9 ]
	[ "$(slurm --pack --threads 10)" = 0,1,2,3,8,9,10,11,4,5 ]
	[ "$(slurm --spread --threads 6)" = 0,4,1,5,2,6 ]
	[ "$(slurm --level smt --spread --threads 9)" = 0,1,2,3,4,5,6,7,8 ]
	[ "$(slurm --level 2 | tr , '\n' | sort -n | paste -sd ,)" = \
		0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15 ]
}

@test "taskset, numactl and slurm get commands" {
	matrix
	options=(--level smt --threads 3)
	run "$C2C" export matrix.csv --placement taskset "${options[@]}"
	[ "$output" = "taskset --cpu-list 0,1,8" ]
	run "$C2C" export matrix.csv --placement numactl "${options[@]}"
	[ "$output" = "numactl --physcpubind=0,1,8 --localalloc" ]
	run "$C2C" export matrix.csv --placement slurm "${options[@]}"
	[ "$output" = "srun --nodes=1 --ntasks=3 --cpu-bind=map_cpu:0,8,1" ]
}

@test "taskset and numactl obey" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	printf 'cpu,%s,%s\n%s,,50\n%s,50,\n' "$b" "$a" "$b" "$a" >two.csv
	allowed='s/^Cpus_allowed_list:[[:space:]]*//p'
	[ "$($("$C2C" export -q two.csv --placement taskset --threads 1) \
		sed -n "$allowed" /proc/self/status)" = "$b" ]
	command -v numactl >/dev/null || skip "numactl is not installed"
	[ "$($("$C2C" export -q two.csv --placement numactl --threads 1) \
		sed -n "$allowed" /proc/self/status)" = "$b" ]
}

@test "libvirt takes the domain" {
	matrix
	"$C2C" export matrix.csv --placement libvirt --memory 3G >domain.xml
	grep -q "<vcpupin vcpu='1' cpuset='8'/>" domain.xml
	grep -q "<topology sockets='2' dies='1' cores='4' threads='2'/>" \
		domain.xml
	grep -q "<cell id='1' cpus='8-15' memory='1536' unit='MiB'>" domain.xml
	# 60 ns inside, 150 between.
	[ "$(grep -c "<sibling id='[01]' value='10'/>" domain.xml)" -eq 2 ]
	[ "$(grep -c "<sibling id='[01]' value='25'/>" domain.xml)" -eq 2 ]
	[ "$(grep -c '<vcpupin ' domain.xml)" -eq 16 ]
	run ! grep -q memnode domain.xml
	command -v virt-xml-validate >/dev/null ||
		skip "virt-xml-validate is not installed (libvirt-clients)"
	virt-xml-validate domain.xml domain
}

@test "a guest has all the memory that was asked for" {
	matrix
	for threads in 9 10 11 13 15; do
		"$C2C" export -q matrix.csv --placement libvirt --threads "$threads" \
			--memory 1000M >domain.xml
		grep -q "<memory unit='MiB'>1000</memory>" domain.xml
		[ "$(sed -n "s/.*<cell .* memory='\([0-9]*\)'.*/\1/p" domain.xml |
			awk '{ sum += $1 } END { print sum }')" = 1000 ]
	done
}

@test "a guest's memory is on the nodes that hold its CPUs" {
	matrix_on "numa:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)"
	"$C2C" export matrix.json --placement libvirt >domain.xml
	grep -q "<memnode cellid='1' mode='strict' nodeset='1'/>" domain.xml
	run --separate-stderr "$C2C" export matrix.json --placement qemu
	[[ $output == *"id=c2c1,size=8192M,host-nodes=1,policy=bind"* ]]
	[[ $stderr == *"vCPU to CPU: 0:0 1:8 2:1 "* ]]
	command -v virt-xml-validate >/dev/null ||
		skip "virt-xml-validate is not installed (libvirt-clients)"
	virt-xml-validate domain.xml domain
}

@test "QEMU takes the options" {
	matrix
	run "$C2C" export -q matrix.csv --placement qemu --memory 64M
	[ "${lines[0]}" = "-m 64M" ]
	[ "${lines[1]}" = "-smp 16,sockets=2,cores=4,threads=2" ]
	[ "${lines[5]}" = "-numa node,nodeid=1,cpus=8-15,memdev=c2c1" ]
	[ "${lines[6]}" = "-numa dist,src=0,dst=1,val=25" ]
	command -v qemu-system-x86_64 >/dev/null ||
		skip "qemu-system-x86_64 is not installed"
	printf 'info numa\nquit\n' | qemu-system-x86_64 -machine q35,accel=tcg \
		-nodefaults -display none -S -monitor stdio \
		$("$C2C" export -q matrix.csv --placement qemu --memory 64M) >numa
	grep -q '^node 1 cpus: 8 9 10 11 12 13 14 15' numa
	grep -q '^node 1 size: 32 MB' numa
}

@test "nodes of a guest have no distances where nothing tells them" {
	# Three packages; between the first and the last nothing was measured.
	awk 'BEGIN {
		srand(3)
		for (i = 0; i < 60; i++)
			for (j = 0; j < 60; j++) {
				a = int(i / 20)
				b = int(j / 20)
				printf "%s%s", i == j || (a != b && a + b == 2) ? \
					"" : sprintf("%.1f", \
					(a == b ? 50 : 150) + 2 * rand()),
					j < 59 ? "," : "\n"
			}
	}' >gap.csv
	run --separate-stderr "$C2C" export gap.csv --placement qemu
	[ "$status" -eq 0 ]
	[[ $output == *"nodeid=2"* && $output != *dist* ]]
	[[ $stderr == *"no distances between its nodes"* ]]
	run --separate-stderr "$C2C" export gap.csv --placement qemu --threads 40 \
		--pack
	[[ $output == *"-numa dist,src=0,dst=1,val=30"* ]]
	[[ $stderr != *"no distances"* ]]
}

@test "a guest that is not alike throughout has no false topology" {
	matrix
	run --separate-stderr "$C2C" export matrix.csv --placement libvirt \
		--level 2 --threads 10
	[ "$status" -eq 0 ]
	[[ $stderr == *"NUMA nodes have different numbers of CPUs"*": each has 2 CPUs"* ]]
	[[ $stderr == *"cores have different numbers of threads"* ]]
	[[ $output == *"sockets='5' dies='1' cores='2' threads='1'"* ]]
	[[ $output == *"<cell id='0' cpus='0-7' memory='8192'"* ]]
	[[ $output == *"<cell id='1' cpus='8-9' memory='2048'"* ]]
}

@test "siblings and a cache in common make no NUMA nodes of a guest" {
	pairs 8 10 60 >siblings.csv
	for level in "" --level=1; do
		# shellcheck disable=SC2086
		run "$C2C" export -q siblings.csv --placement libvirt $level
		[[ $output == *"sockets='1' dies='1' cores='4' threads='2'"* ]]
		[ "$(grep -c '<cell ' <<<"$output")" -eq 1 ]
	done
	pairs 8 45 200 >caches.csv
	"$C2C" analyze caches.csv | grep -q 'sharing a cache'
	run "$C2C" export -q caches.csv --placement libvirt
	[[ $output == *"sockets='1' dies='4' cores='2' threads='1'"* ]]
	[ "$(grep -c '<cell ' <<<"$output")" -eq 1 ]
	run "$C2C" export -q caches.csv --placement qemu
	[ "${lines[1]}" = "-smp 8,sockets=1,dies=4,cores=2,threads=1" ]
	# Threads within a package, whatever shares what in it.
	matrix
	run "$C2C" export -q matrix.csv --placement qemu --level smt --threads 4
	[ "${lines[1]}" = "-smp 4,sockets=1,cores=2,threads=2" ]
}

@test "guests of other processors have no dies" {
	need_jq
	pairs 8 45 200 >caches.csv
	"$C2C" export caches.csv --json | jq '.machine = {arch: "aarch64"}' \
		>arm.json
	run "$C2C" export -q arm.json --placement qemu
	[ "${lines[1]}" = "-smp 8,sockets=1,cores=8,threads=1" ]
}

@test "guests that QEMU cannot have are refused or warned of" {
	# What rates show may be nodes.
	pairs 258 150 60 >nodes.csv
	set -- nodes.csv --unit GiB/s --placement qemu
	run --separate-stderr "$C2C" export "$@"
	refused 2 "129 NUMA nodes" "at most 128"
	run --separate-stderr "$C2C" export "$@" --threads 256
	[ "$status" -eq 0 ]
	[[ $stderr == *"warning: 256 vCPUs: more than 255 need"* ]]
	run --separate-stderr "$C2C" export "$@" --threads 255
	[[ $stderr != *"more than 255"* ]]
}

@test "without levels, threads go where pairs are near" {
	printf ',50,54,52\n50,,54,54\n54,54,,48\n52,54,48,\n' >pairs.csv
	run "$C2C" export -q pairs.csv --placement taskset --threads 2
	[ "$output" = "taskset --cpu-list 2,3" ]
	run "$C2C" export -q pairs.csv --placement slurm --threads 3
	[ "$output" = "srun --nodes=1 --ntasks=3 --cpu-bind=map_cpu:0,2,3" ]
}

@test "CPUs that are all alike have no groups, and any of them will do" {
	need_hwloc
	like
	run --separate-stderr "$C2C" export like.csv --placement taskset --threads 2
	[ "$status" -eq 0 ]
	[ "$output" = "taskset --cpu-list 0,1" ]
	[[ $stderr == *"no level"*"near each other"* ]]
	run --separate-stderr "$C2C" export like.csv --placement taskset \
		--threads 2 --spread
	[ "$output" = "taskset --cpu-list 0,1" ]
	[[ $stderr == *"no level"*"the first CPUs"* ]]
	"$C2C" export -q like.csv --hwloc out.xml
	run ! grep -q Group out.xml
	run --separate-stderr "$C2C" export like.csv --placement taskset --level smt
	refused 2 "--level" "found 'smt'" none
}

@test "a level or a number of threads that is not there is refused" {
	matrix
	run --separate-stderr "$C2C" export matrix.csv --placement slurm --level node
	refused 2 "--level" "found 'node'" "1 smt, 2 "
	run --separate-stderr "$C2C" export matrix.csv --placement slurm --level 3
	refused 2 "--level" "found '3'" "1 smt, 2 "
	run --separate-stderr "$C2C" export matrix.csv --placement slurm --threads 17
	refused 2 "--threads" "found 17" "at most 16"
	run --separate-stderr "$C2C" export matrix.csv --placement qemu --memory 1M
	refused 2 "--memory" "less than 1 MiB"
}

@test "conversions there and back lose nothing" {
	need_jq
	matrix
	"$C2C" export matrix.csv -o a.json -o a.dat
	"$C2C" export a.json --dat | cmp - a.dat
	"$C2C" export a.json --json | cmp - a.json
	"$C2C" export - --csv <a.json >b.csv
	"$C2C" export b.csv -o c.csv
	cmp b.csv c.csv
	# CPU 0 to all others, where 20.0 is written as 20.
	[ "$(sed -n 2p b.csv | cut -d , -f 3-)" = \
		"$(sed -n 1p matrix.csv | cut -d , -f 2- | sed 's/\.0\>//g')" ]
	no_files_but a.dat a.json b.csv c.csv matrix.csv
}

# rates.json: two packages of four CPUs, where a copy is faster within.
rates()
{
	awk 'BEGIN {
		print "# format: c2c-result\n# version: 1\n# command: memcpy"
		print "# complete: true\n# cpus: [0, 1, 2, 3, 4, 5, 6, 7]"
		print "# matrix: copy median GiB/s rate higher asymmetric"
		print "cpu 0 1 2 3 4 5 6 7"
		for (i = 0; i < 8; i++) {
			printf "%d", i
			for (j = 0; j < 8; j++)
				printf " %s", i == j ? "nan" : \
					int(i / 4) == int(j / 4) ? 9 : 4
			print ""
		}
	}' | jq -R -n -f "$srcdir/tests/cli/short.jq" >rates.json
}

@test "rates stay rates in a CSV" {
	need_jq
	rates
	"$C2C" export rates.json -o rates.csv
	[ "$(head -n 1 rates.csv)" = \
		"cpu: copy median GiB/s rate higher,0,1,2,3,4,5,6,7" ]
	for file in rates.json rates.csv; do
		"$C2C" analyze "$file" --json | seen | jq -c .levels >"$file.levels"
	done
	diff rates.json.levels rates.csv.levels
	[ "$(jq length rates.csv.levels)" -eq 1 ]
	"$C2C" compare rates.json rates.csv
	"$C2C" export rates.csv --json |
		jq -e '.command == "memcpy" and .matrices[0].better == "higher"'
	# A bare square claims no command.
	sed 's/^cpu: [^,]*/cpu/' rates.csv >bare.csv
	run --separate-stderr "$C2C" compare bare.csv rates.json
	refused 2 "'rates.json' holds no matrix 'latency', which 'bare.csv' has"
}

@test "a level is as sure in the topology as in the report" {
	local file=$srcdir/data/xeon-64vcpu.json
	"$C2C" export -q "$file" --hwloc out.xml
	"$C2C" analyze "$file" >report
	[ "$(grep -o 'C2CConfidence" value="[^"]*' out.xml | cut -d '"' -f 3 |
		sort -u)" = "$(sed -n 's/.*; confidence //p' report)" ]
}

# Of virtual CPUs that moved: siblings at first were others than in the end.
@test "one epoch is exported as if nothing else had been measured" {
	local moving=$srcdir/data/xeon-64vcpu-moving.json
	local siblings=(--placement taskset --level smt --threads 2)
	run --separate-stderr "$C2C" export "$moving" "${siblings[@]}" --epoch 1
	[ "$status" -eq 0 ]
	[ "$output$stderr" = "taskset --cpu-list 0,18" ]
	run --separate-stderr "$C2C" export "$moving" "${siblings[@]}" --epoch last
	[ "$output$stderr" = "taskset --cpu-list 3,19" ]
	run --separate-stderr "$C2C" export "$moving" "${siblings[@]}"
	refused 2 "--level" none
	"$C2C" export "$moving" --epoch 2 -o two.json
	"$C2C" analyze two.json >of_file
	"$C2C" analyze "$moving" --epoch 2 >of_epoch
	diff <(sed 1d of_file) <(sed 1d of_epoch)
	run --separate-stderr "$C2C" export "$moving" --csv --epoch 7
	refused 2 moving.json "no epoch 7: there are 6"
}

@test "what does not go together is refused" {
	matrix
	while read -r words; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" export $words
		refused 2 "c2c export: "
	done <<-'END'
	--csv
	matrix.csv
	matrix.csv other.csv --csv
	matrix.csv --csv --dat
	matrix.csv --json --placement taskset
	matrix.csv --hwloc - --csv
	matrix.csv --hwloc a.xml --hwloc b.xml
	matrix.csv --placement taskset --pack --spread
	matrix.csv --csv --threads 2
	matrix.csv --csv --level smt
	matrix.csv --csv --topology os.xml
	matrix.csv --hwloc a.xml --topology b.xml --topology c.xml
	matrix.csv --hwloc a.xml --topology ./a.xml
	matrix.csv --placement pbs
	matrix.csv --placement taskset --level socket
	matrix.csv --placement taskset --level 0
	matrix.csv --placement taskset --threads 0
	matrix.csv --placement qemu --memory lots
	matrix.csv --placement taskset --memory 1G
	matrix.csv --placement numactl --memory 1G
	matrix.csv --placement slurm --memory 1G
	matrix.csv --csv --epoch first
	matrix.csv --csv --epoch last
	matrix.csv -o a.xml
	matrix.csv -o a.png
	matrix.csv -o a.csv -o ./a.csv
	END
	no_files_but matrix.csv
}

@test "one CPU is converted, and nothing else" {
	printf '5\n' >one.csv
	[ "$("$C2C" export one.csv --csv)" = $'cpu,0\n0,5' ]
	for options in "--hwloc out.xml" "--placement taskset"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" export one.csv $options
		refused 2 "'one.csv' has only one CPU" "--csv"
	done
	no_files_but one.csv
}

# caches.json: CPU 0 of four on two packages measured its caches. The system
# tells an L2 of another size, and neither L1 nor L3.
caches()
{
	need_jq
	need_hwloc
	lstopo-no-graphics -i "package:2 l2:2(size=2097152) core:1 pu:1" --of xml \
		>os.xml 2>/dev/null
	jq -n --rawfile xml os.xml 'def cache($name; $level; $from; $to; $says;
			$cpus): {name: $name, level: $level, memory: ($from == null),
			cpus: $cpus, least_bytes: $from, most_bytes: $to,
			gib_per_s: {}, told: {}, verdicts: {size: $says,
			line: "unknown", ways: "unknown"}};
		{format: "c2c-result", version: 1, command: "cache",
		started: "2026-11-22T12:00:00Z", complete: true, cpus: [0, 1],
		topology: {hwloc_xml: $xml}, curves: [{family: "f", member: "m",
			cpus: [0], x: {name: "x", unit: "B", values: [1024]},
			y: {name: "y", unit: "ns"}, median: [1], low: [1],
			high: [1]}], caches: [
			cache("L1d"; 1; 45056; 53248; "hidden"; []),
			cache("L2"; 2; 1048576; 1310720; "differs"; []),
			cache("L3"; 3; 8388608; 16777216; "hidden"; [0, 1]),
			cache("memory"; 4; null; null; "unknown"; [])]}' \
		>caches.json
}

# nodes: nodes.json, a record over the nodes of two.xml. From the CPUs of node
# 0 the memory of node 1 is nearer than their own; node 1 lacks a figure.
nodes()
{
	need_jq
	lstopo-no-graphics -i "numa:2 core:2 pu:1" --of xml >two.xml 2>/dev/null
	jq -n --rawfile xml two.xml '
	def matrix($name; $unit; $better; $values): {name: $name,
		statistic: "median", unit: $unit, quantity: null, better: $better,
		symmetric: false, rows: {kind: "node", ids: [0, 1]},
		columns: {kind: "node", ids: [0, 1]}, values: $values};
	{format: "c2c-result", version: 1, command: "numa", started: null,
		elapsed_s: null, complete: true, cpus: [0, 1, 2, 3],
		matrices: [
			matrix("latency"; "ns"; "lower"; [[200, 90], [null, 100.4]]),
			matrix("bandwidth-3:1"; "GiB/s"; "higher"; [[1, 2], [3, 4]]),
			matrix("bandwidth-1:0"; "GiB/s"; "higher";
				[[20, 10.5], [10, 20]])],
		topology: {hwloc_xml: $xml}}' >nodes.json
}

@test "measured nodes have memory attributes, by which hwloc chooses" {
	nodes
	run --separate-stderr "$C2C" export nodes.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	best=(hwloc-info -i out.xml -s --local-memory --local-memory-flags 4)
	[ "$("${best[@]}" --best-memattr latency pu:0)" = NUMANode:1 ]
	[ "$("${best[@]}" --best-memattr bandwidth pu:0)" = NUMANode:0 ]
	[ "$("${best[@]}" --best-memattr latency pu:2)" = NUMANode:1 ]
	lstopo-no-graphics -i out.xml --memattrs >attributes
	sed -n '/`Bandwidth/,/^Memory/p' attributes >bandwidth
	# 10.5 GiB/s of reads, from the CPUs of node 0.
	grep -q 'NUMANode L#1 = 10752 from cpuset 0x00000003' bandwidth
	sed -n '/`Latency/,/^Memory/p' attributes >latency
	grep -q 'NUMANode L#1 = 100 from cpuset 0x0000000c' latency
	! grep -q 'NUMANode L#0 = .* from cpuset 0x0000000c' latency || false
	hwloc-info -i out.xml machine:0 | grep -q 'info C2COrigin = c2c numa'
	# Without the matrix of reads it is the first mix that counts.
	jq 'del(.matrices[2])' nodes.json >mixed.json
	"$C2C" export -q mixed.json --hwloc mixed.xml
	lstopo-no-graphics -i mixed.xml --memattrs |
		grep -q 'NUMANode L#1 = 4096 from cpuset 0x0000000c'
}

# The firmware has one value of node 3 for the CPUs of nodes 0 and 1, and says
# that these are equally near to node 1, so hwloc gives them to it.
@test "measured attributes take the place of the firmware's" {
	nodes
	sh "$srcdir/tests/topo/machine.sh" memory tree
	for node in 1 3; do
		told=tree/sys/devices/system/node/node$node/access0/initiators
		mkdir -p "$told/node0" "$told/node1"
		echo 50 | tee "$told/read_latency" >"$told/write_latency"
		echo 5120 | tee "$told/read_bandwidth" >"$told/write_bandwidth"
	done
	HWLOC_FSROOT=tree HWLOC_COMPONENTS=-x86 lstopo-no-graphics --of xml \
		>told.xml 2>/dev/null
	grep -q '<memattr name="Latency"' told.xml
	jq --rawfile xml told.xml '.topology.hwloc_xml = $xml |
		.matrices |= map(select(.name == "latency") |
			.columns.ids = [1, 3])' nodes.json >latency.json
	run --separate-stderr "$C2C" export latency.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[ -z "$output$stderr" ]
	lstopo-no-graphics -i out.xml --memattrs >attributes
	sed -n '/`Latency/,/^Memory/p' attributes |
		grep -o 'NUMANode.* from cpuset 0x[0-9a-f]*' | sort >latency
	diff latency - <<-'EOF'
		NUMANode L#2 = 200 from cpuset 0x00000003
		NUMANode L#3 = 100 from cpuset 0x0000000c
		NUMANode L#3 = 90 from cpuset 0x00000003
	EOF
	! grep -E '(Read|Write)Latency' out.xml || false
	# What was not measured stays.
	grep -q '<memattr name="Bandwidth"' out.xml
}

@test "nodes that a topology lacks are left out, and none is an error" {
	nodes
	lstopo-no-graphics -i "core:4 pu:1" --of xml >one.xml 2>/dev/null
	run --separate-stderr "$C2C" export nodes.json --topology one.xml \
		--hwloc out.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"2 figures of latency are left out"* ]]
	[[ $stderr == *"3 figures of bandwidth are left out"* ]]
	hwloc-info -i out.xml numa:0 >info
	grep -q 'Latency from initiator 0x0000000f = 200' info
	jq '.topology = null' nodes.json >none.json
	run --separate-stderr "$C2C" export none.json --hwloc none.xml
	refused 2 "holds no topology" --topology
	[ ! -e none.xml ]
	run --separate-stderr "$C2C" export nodes.json --placement taskset
	refused 2 --placement "c2c latency"
}

@test "matrices of nodes that make no sense are refused" {
	nodes
	for edit in '.matrices[1].rows.ids = [0, 2]' \
		'.matrices[0].rows.kind = "unit"' \
		'.matrices[0].rows.ids = [0, 0]' \
		'.matrices[0].columns = null' \
		'del(.matrices[2].rows, .matrices[2].columns)' \
		'.matrices[0].rows.ids = [0]' \
		'.matrices[0].rows = 7' \
		'.matrices[0].columns.ids = []' \
		'.matrices[0].columns.ids = [range(2000)]' \
		'.matrices[0].values[1] = [1]'; do
		jq "$edit" nodes.json >bad.json
		run --separate-stderr "$C2C" export bad.json --hwloc bad.xml
		refused 1 "bad.json" "matrices["
		[ ! -e bad.xml ]
	done
}

@test "measured caches replace those that the topology hides or contradicts" {
	caches
	run --separate-stderr "$C2C" export caches.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[ "$(grep -c warning <<<"$stderr")" -eq 1 ]
	[[ $stderr == *"L1, which the topology lacks, is put over CPU 0 alone"*"--shared 44K"* ]]
	lstopo-no-graphics -i out.xml --of console >tree
	[ "$(grep -c 'L2 L#[0-3] (1024KB)' tree)" -eq 4 ]
	[ "$(grep -c 'L1d L#[0-9]* (44KB)' tree)" -eq 1 ]
	grep -q 'L3 L#0 (8192KB)' tree
	[ "$(hwloc-calc -i out.xml --po -I pu l3:0)" = 0,1 ]
	[ "$(hwloc-calc -i out.xml --po -I pu l1d:0)" = 0 ]
	hwloc-info -i out.xml l2:3 >info
	grep -q 'info C2CMeasuredBytes = 1048576-1310720' info
	grep -q 'info C2CToldBytes = 2097152' info
	grep -q 'info C2CMeasuredOn = CPU 0' info
	hwloc-info -i out.xml l3:0 | grep -q 'info C2CSharedBy = 0,1'
	# Where others used a part, the system may be right.
	jq '.caches[1].verdicts.size = "less"' caches.json >less.json
	"$C2C" export -q less.json --hwloc less.xml
	hwloc-info -i less.xml l2:3 >info
	grep -q 'info C2CMeasuredBytes = 1048576-1310720' info
	! grep -q C2CToldBytes info || false
	lstopo-no-graphics -i less.xml --of console | grep -q 'L2 L#0 (2048KB)'
	run --separate-stderr "$C2C" export -q caches.json --hwloc=-
	[ -z "$stderr" ]
	[ "$output" = "$(cat out.xml)" ]
	# Of a run that measured one CPU; another topology; none.
	jq '.cpus = [0]' caches.json >one.json
	"$C2C" export -q one.json --hwloc one.xml
	hwloc-info -i one.xml l3:0 | grep -q 'info C2CSharedBy = 0,1'
	lstopo-no-graphics -i "core:2 pu:1" --of xml >plain.xml 2>/dev/null
	"$C2C" export -q caches.json --topology plain.xml --hwloc two.xml
	[ "$(hwloc-calc -i two.xml --number-of l3 all)" -eq 1 ]
	jq '.topology = null' caches.json >none.json
	run --separate-stderr "$C2C" export none.json --hwloc none.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"holds no topology"* ]]
	[ "$(hwloc-calc -i none.xml --number-of l2 all)" -eq 1 ]
}

@test "caches say who shares them, after c2c cache --shared" {
	matrix_on "package:1 l2:16 core:1 pu:1"
	jq '.command = "cache" | .options = {shared: "L2"} | .matrices[] |=
		(.name = "shared" | .unit = "times" | .quantity = "slowdown" |
		.values |= map(map(if . == null then . elif . < 30 then 2.5
		else 1 end)))' matrix.json >shared.json
	"$C2C" export -q shared.json --hwloc out.xml
	# Groups come first: the fourth is of CPU 9.
	hwloc-info -i out.xml l2:3 | grep -q 'info C2CSharedBy = 1,9'
	jq '.options.shared = "2M"' shared.json >bytes.json
	"$C2C" export -q bytes.json --hwloc bytes.xml
	! grep -q C2CSharedBy bytes.xml || false
}

@test "a measured cache that crosses the topology is left out" {
	caches
	jq '.caches[2].cpus = [0, 2] | .caches[0].level = 9' caches.json >odd.json
	run --separate-stderr "$C2C" export odd.json --hwloc out.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"L3 is left out: its CPUs cross objects"* ]]
	[[ $stderr == *"L9 is left out: hwloc knows no level of this number"* ]]
	[ "$(hwloc-calc -i out.xml --number-of l2 all)" -eq 4 ]
	run --separate-stderr "$C2C" export caches.json --placement taskset
	refused 2 "'caches.json' holds no matrix" "c2c latency"
	jq '.caches = []' caches.json >curves.json
	run --separate-stderr "$C2C" export curves.json --hwloc out.xml
	refused 2 "'curves.json' holds no matrix"
}

@test "numbers beyond those of hwloc are not called missing" {
	need_hwloc
	printf ',2e15,5\n5,,5\n5,5,\n' >huge.csv
	run --separate-stderr "$C2C" export huge.csv --hwloc out.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"latency is left out: 1 of its cells are over 10^18"* ]]
	[[ $stderr != *missing* ]]
}

@test "an output that cannot be written is known before anything is" {
	matrix
	run --separate-stderr "$C2C" export matrix.csv --csv --hwloc none/out.xml
	refused 1 "--hwloc: 'none/out.xml'" "no folder"
	run --separate-stderr "$C2C" export matrix.csv --csv -o none/a.json
	refused 1 "-o: 'none/a.json'" "no folder"
	no_files_but matrix.csv
}

@test "a run that was ended early is exported with a warning" {
	need_jq
	matrix
	"$C2C" export matrix.csv --json | jq '.complete = false' >part.json
	run --separate-stderr "$C2C" export part.json --csv
	[ "$status" -eq 0 ]
	[[ $stderr == *"before it was complete"* ]]
	run --separate-stderr "$C2C" export -q part.json --csv
	[ -z "$stderr" ]
}
