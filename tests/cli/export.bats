#!/usr/bin/env bats
# c2c export and the programs that read what it writes, in a shell; what it
# writes is in cases of tests/cases/export.
#
# bats and helpers.bash set what seems unset (SC2154). Placements are options
# and beginnings of commands, meant to be split into words (SC2046, SC2086).
# shellcheck disable=SC2046,SC2086,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	cp "$srcdir"/tests/cases/export/in/{matrix.csv,nodes.json} .
}

need_hwloc()
{
	local tool
	for tool in lstopo-no-graphics hwloc-info hwloc-calc hwloc-distrib; do
		command -v "$tool" >/dev/null ||
			skip "$tool is not installed (hwloc-nox)"
	done
}

@test "a topology that cannot be written has its reason" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run --separate-stderr "$C2C" export -q matrix.csv --hwloc /dev/full
	[ "$status" -eq 1 ]
	[[ $stderr == *"/dev/full"*"No space left"* ]]
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
	[ "$(wc -l <examples)" -eq 17 ]
	cp "$srcdir/data/xeon-64vcpu-moving.json" kept.json
	while read -r example; do
		echo "$example"
		bash -c "$example" >out 2>err
		cat err
		# Nothing but what the placement buys and how to pin threads.
		sed '/ between them[,;] /d; /^c2c export: instead of places/d
			/^c2c export: the anonymous record/d; /^c2c export: the record does not show/d
			/^c2c export: this binds/d
			/^c2c export: thread [0-9]*: taskset -p -c [0-9]* TID$/d' \
			err >rest
		[ ! -s rest ]
		case $example in
		*epoch*) grep -qx 'taskset --cpu-list 10,26 program' out ;;
		near=*) grep -qx 'taskset --cpu-list 0-3 program' out ;;
		*taskset*) grep -qx 'taskset --cpu-list 0,2,4,6 program' out ;;
		*jq*) grep -q '^\[1,2,' out ;;
		*slurm*) grep -q '^srun .*map_cpu:0,16,.* --exclusive program$' out ;;
		hwloc-calc*) grep -qx '16,.*,31' out ;;
		esac
	done <examples
	grep -q "<cell id='1' cpus='16-31' " guest.xml
	grep -q "sockets='2' dies='2' cores='4' threads='2'" guest.xml
}

# reversed_pair: two.csv of two CPUs, the second of which has the first thread.
reversed_pair()
{
	IFS=, read -r a b <<<"$(pair)"
	printf 'cpu,%s,%s\n%s,,50\n%s,50,\n' "$b" "$a" "$b" "$a" >two.csv
}

@test "taskset and numactl obey" {
	need_two_cpus
	reversed_pair
	allowed='s/^Cpus_allowed_list:[[:space:]]*//p'
	[ "$($("$C2C" export -q two.csv --placement taskset --threads 1) \
		sed -n "$allowed" /proc/self/status)" = "$b" ]
	command -v numactl >/dev/null || skip "numactl is not installed"
	[ "$($("$C2C" export -q two.csv --placement numactl --threads 1) \
		sed -n "$allowed" /proc/self/status)" = "$b" ]
}

@test "OpenMP obeys, by places and by the variable of GCC" {
	need_two_cpus
	reversed_pair
	cat >threads.c <<-'EOF'
		#include <omp.h>
		#include <sched.h>
		#include <stdio.h>
		int main(void)
		{
		#pragma omp parallel
		#pragma omp critical
			printf("thread %d: CPU %d\n", omp_get_thread_num(),
				sched_getcpu());
		}
	EOF
	gcc -D_GNU_SOURCE -fopenmp -o threads threads.c
	printf 'thread 0: CPU %s\nthread 1: CPU %s\n' "$b" "$a" >want
	places=$("$C2C" export two.csv --placement omp 2>said)
	OMP_DISPLAY_ENV=true $places ./threads 2>taken | sort >got
	diff want got
	grep -F "OMP_PLACES = '{$b},{$a}'" taken
	other=$(grep -o 'GOMP_CPU_AFFINITY=[^ ]*' said)
	env OMP_NUM_THREADS=2 "$other" ./threads | sort >got
	diff want got
}

@test "slots of Open MPI are hwloc's logical numbers" {
	need_hwloc
	lstopo-no-graphics -i "numa:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)" \
		--of xml >os.xml
	"$C2C" export -q matrix.csv --topology os.xml --placement rankfile \
		--spread --threads 5 >ranks
	sed 's/.*slot=//' ranks | while read -r slot; do
		hwloc-calc -i os.xml --physical-output --intersect pu "pu:$slot"
	done >cpus
	"$C2C" export -q matrix.csv --placement slurm --spread --threads 5 |
		sed 's/.*map_cpu://' | tr , '\n' | diff - cpus
}

# grammar FORMAT: what each line may be, from the documents that c2c-export(1)
# names under "Where the grammars are from".
grammar()
{
	local cpu='(0|[1-9][0-9]*)' list set
	list="$cpu(,$cpu)*"
	set="$cpu(-$cpu)?(,$cpu(-$cpu)?)*"
	case $1 in
	taskset) echo "taskset --cpu-list $set" ;;
	numactl) echo "numactl --physcpubind=$set --localalloc" ;;
	slurm) echo "srun --nodes=1 --ntasks=[1-9][0-9]* --cpu-bind=map_cpu:$list" ;;
	omp) echo "env OMP_NUM_THREADS=[1-9][0-9]* OMP_PROC_BIND=close OMP_PLACES=[{]${cpu}[}](,[{]${cpu}[}])*" ;;
	rankfile) echo "rank $cpu=[+]n0 slot=$cpu" ;;
	likwid) echo "likwid-pin -c $list" ;;
	systemd) echo "\[Service\]|(CPUAffinity|AllowedCPUs|NUMAMask)=$set|NUMAPolicy=(bind|local)" ;;
	podman) echo "podman run --cpuset-cpus=$set( --cpuset-mems=$set)?" ;;
	dpdk) echo "--lcores=$cpu@$cpu(,$cpu@$cpu)*" ;;
	haproxy) echo "nbthread ([1-9]|[1-5][0-9]|6[0-4])|cpu-map 1/([1-9]|[1-5][0-9]|6[0-4]) $cpu" ;;
	seastar) echo "--cpuset=$set --smp=[1-9][0-9]*" ;;
	proxmox) echo "--affinity $set --sockets 1 --cores [1-9][0-9]*" ;;
	nfd) echo "feature[.]node[.]kubernetes[.]io/[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?=[a-zA-Z0-9]([-_.a-zA-Z0-9]{0,61}[a-zA-Z0-9])?" ;;
	scx) echo "systemctl set-property --runtime c2c-${cpu}[.]slice AllowedCPUs=$set" ;;
	esac
}

# The CPUs of a placement, a line each.
cpus_of() # FORMAT
{
	case $1 in
	rankfile | nfd) ;;
	numactl) grep -oE 'bind=[-0-9,]*' ;;
	slurm) grep -o ':.*' ;;
	omp) grep -o '{.*' | tr -d '{}' ;;
	systemd) grep AllowedCPUs ;;
	podman) grep -o 'cpus=[-0-9,]*' ;;
	dpdk) sed 's/.*=//' | tr , '\n' | sed 's/.*@//' ;;
	haproxy) sed -n 's/^cpu-map [^ ]* //p' ;;
	seastar) grep -o 'cpuset=[-0-9,]*' ;;
	proxmox) grep -o 'affinity [-0-9,]*' ;;
	scx) sed 's/.*=//' ;;
	*) cat ;;
	esac | sed 's/.*[= :]//' | tr , '\n' |
		awk -F- '{ for (i = $1; i <= $NF; i++) print i }' | sort -n
}

@test "every placement is of its program's grammar, with all CPUs once" {
	need_hwloc
	lstopo-no-graphics -i "numa:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)" \
		--of xml >os.xml
	formats=$("$C2C" export --help | tr '\n' ' ' | tr -s ' ' |
		sed 's/.*--placement=FORMAT [^:]*: //; s/ Where .*//; s/ -.*//')
	for format in $formats; do
		rule=$(grammar "$format")
		# Others are run by their programs, or held to the schema.
		[ -n "$rule" ] || [[ $format =~ ^(libvirt|qemu|json)$ ]]
		[ -n "$rule" ] || continue
		for options in '' '--threads 1' '--spread --threads 5' \
			'--level smt --threads 3 --topology os.xml'; do
			[[ $format != rankfile || $options == *os.xml ]] || continue
			[[ $format != nfd || -z $options ]] || continue
			"$C2C" export -q matrix.csv --placement "$format" $options \
				>placement
			[ -s placement ]
			! grep -vxE -e "$rule" placement || false
			# A grammar that takes anything shows nothing.
			sed 's/[0-9]\b/&,/' placement | grep -vxE -e "$rule"
			[ "$format" != nfd ] && [ "$format" != rankfile ] || continue
			"$C2C" export -q matrix.csv --placement taskset $options |
				cpus_of taskset >want
			cpus_of "$format" <placement | diff want -
		done
	done
}

@test "a program of hwloc reads the measured distances" {
	# shellcheck disable=SC2046 # flags
	gcc -Wall -Werror -o distances \
		"$srcdir/examples/measured_distances.c" \
		$(pkg-config --cflags --libs hwloc)
	"$C2C" export -q matrix.csv --hwloc lat.xml
	HWLOC_XMLFILE=lat.xml ./distances >nearest
	[ "$(wc -l <nearest)" -eq 16 ]
	head -n 2 nearest | diff - <(printf 'CPU %s ns\n' \
		'0: CPU 8 at 20.1' '1: CPU 9 at 21.0')
	# Not the distances of this machine, if it has any.
	run ! ./distances
}

@test "what data/SUBMIT.md says works, and leaves no host in the record" {
	need_jq
	make_up
	export C2C
	awk '/^```sh/ { open = 1; next } /^```/ { open = 0 } open' \
		"$srcdir/data/SUBMIT.md" >script
	[ "$(wc -l <script)" -eq 6 ]
	sed -i 's/^c2c latency/& -q --seed 1 --passes 6:6/' script
	# shellcheck disable=SC2016
	sed -i '1i c2c() { "$C2C" "$@"; }' script
	bash -e script >said
	[ "$(jq .machine.hostname record.json)" = null ]
	jq -e '.matrices[0].values[0][1] > 0' record.json
}

@test "libvirt takes the domain" {
	command -v virt-xml-validate >/dev/null ||
		skip "virt-xml-validate is not installed (libvirt-clients)"
	need_hwloc
	lstopo-no-graphics -i "numa:2 core:4 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)" \
		--of xml >os.xml
	"$C2C" export matrix.csv --placement libvirt --memory 3G >domain.xml
	virt-xml-validate domain.xml domain
	"$C2C" export matrix.csv --topology os.xml --placement libvirt \
		>nodes.xml
	virt-xml-validate nodes.xml domain
}

@test "QEMU takes the options" {
	command -v qemu-system-x86_64 >/dev/null ||
		skip "qemu-system-x86_64 is not installed"
	printf 'info numa\nquit\n' | qemu-system-x86_64 -machine q35,accel=tcg \
		-nodefaults -display none -S -monitor stdio \
		$("$C2C" export -q matrix.csv --placement qemu --memory 64M) >numa
	grep -q '^node 1 cpus: 8 9 10 11 12 13 14 15' numa
	grep -q '^node 1 size: 32 MB' numa
}

# The firmware has one value of node 3 for the CPUs of nodes 0 and 1, and says
# that these are equally near to node 1, so hwloc gives them to it.
@test "measured attributes take the place of the firmware's" {
	need_hwloc
	need_jq
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
