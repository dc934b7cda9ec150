#!/bin/sh
# In "make check-guest", not in "make check".
# slow: QEMU emulates each instruction.
# c2c on a machine with several NUMA nodes: a guest that QEMU emulates.
#
# Eight CPUs: two packages, two cores each, two threads each. Four nodes: 0 and
# 1 with CPUs and memory, 2 with CPUs and no memory, 3 with memory and no CPUs.
# Its firmware contradicts itself: SLIT puts node 3 farthest from nodes 0 and 1,
# HMAT says that it is nearer than their own memory, and as fast.
# It has more CPUs than the machine that runs it may have, so they do not all
# run at once. Times mean nothing here. Shapes, bindings, refusals and records
# do.
set -u
: "${srcdir:?}" "${builddir:?}" "${C2C:?}"
# shellcheck source=tests/meta/tap.sh
. "$srcdir/tests/meta/tap.sh"

place=$builddir/guest
kernel=$place/vmlinuz
seconds=800
mkdir -p "$place" || exit 99
cd "$place" || exit 99

# As bootstrap has it, which brings the kernel.
if [ "$(uname -m)" != x86_64 ] || ! grep -qx ID=debian /etc/os-release; then
	skip "the guest boots and ends" "the guest is x86-64 and Debian's, and this machine is $(uname -m)$(
		. /etc/os-release 2>/dev/null && echo ", ${NAME:-}")"
	finish
	exit 0
fi

# What is missing: bootstrap brings it.
missing()
{
	for tool in qemu-system-x86_64 cpio jq /bin/busybox; do
		command -v "$tool" >/dev/null || echo "$tool is missing"
	done
	[ -f "$kernel" ] || echo "$kernel is missing"
}

# The root file system: a busybox, c2c with its libraries, and what runs there.
pack()
{
	rm -rf root
	mkdir -p root/bin root/proc root/sys root/dev &&
		cp /bin/busybox root/bin/ &&
		cp "$C2C" root/bin/c2c &&
		cp "$srcdir/tests/guest/init" "$srcdir/tests/guest/commands" \
			root/ &&
		chmod +x root/init || return
	for library in $(ldd "$C2C" | grep -o '/[^ ]*'); do
		mkdir -p "root${library%/*}" &&
			cp -L "$library" "root$library" || return
	done
	(cd root && find . | cpio -o -H newc --quiet) | gzip -1 >root.gz
}

# integers BYTES VALUE...: little-endian.
integers()
{
	bytes=$1
	shift
	for value; do
		for _ in $(seq "$bytes"); do
			# shellcheck disable=SC2059 # a byte in octal
			printf "\\$(printf %o $((value & 255)))"
			value=$((value >> 8))
		done
	done
}

# locality TYPE UNIT VALUE...: a structure of HMAT, from nodes 0 to 2 to the
# memory of 0, 1 and 3.
locality()
{
	integers 2 1 0
	integers 4 $((8 + 24 + 4 * 6 + 2 * 9))
	integers 1 0 "$1" 0 0
	integers 4 3 3 0
	integers 8 "$2"
	integers 4 0 1 2 0 1 3
	shift 2
	integers 2 "$@"
}

# QEMU's own HMAT (-machine hmat=on) says that node 2 has memory, and then
# Linux ignores the table. Latency in units of 1,000 ps, bandwidth of 1,024 MB/s.
hmat_table()
{
	integers 4 0
	locality 0 1000 100 200 50 200 100 50 200 200 50
	locality 3 1024 20 10 20 10 20 20 10 10 20
}

# Run it to its end; what came of it is in out/.
boot()
{
	rm -rf console results out
	hmat_table >hmat
	mkdir out
	timeout "$seconds" qemu-system-x86_64 -nodefaults -no-user-config \
		-display none -no-reboot -M q35 -cpu max,vendor=GenuineIntel \
		-accel tcg,thread=multi -m 1024 \
		-smp 8,sockets=2,cores=2,threads=2 \
		-object memory-backend-ram,id=m0,size=384M \
		-object memory-backend-ram,id=m1,size=384M \
		-object memory-backend-ram,id=m3,size=256M \
		-numa node,nodeid=0,cpus=0-3,memdev=m0 \
		-numa node,nodeid=1,cpus=4-5,memdev=m1 \
		-numa node,nodeid=2,cpus=6-7 \
		-numa node,nodeid=3,memdev=m3 \
		-numa dist,src=0,dst=1,val=20 -numa dist,src=0,dst=2,val=20 \
		-numa dist,src=0,dst=3,val=40 -numa dist,src=1,dst=2,val=20 \
		-numa dist,src=1,dst=3,val=40 -numa dist,src=2,dst=3,val=15 \
		-acpitable sig=HMAT,rev=2,data=hmat \
		-kernel "$kernel" -initrd root.gz \
		-append "console=ttyS0 quiet panic=-1" \
		-serial file:console -serial file:results \
		</dev/null >qemu.log 2>&1 ||
		echo "QEMU ended with status $?" >>qemu.log
	base64 -d results | tar -xz -C out
}

# ended STATUS NAME...: what did not end with it, and what it said.
ended()
{
	status=$1
	shift
	for name; do
		[ "$(cat "out/$name.status" 2>&1)" = "$status" ] || {
			echo "$name ended with $(cat "out/$name.status" 2>&1)," \
				"expected $status:"
			tail -n 5 "out/$name.err"
		}
	done
}

# holds FILE FILTER...: the jq filters that are not true of a JSON file.
holds()
{
	file=out/$1
	shift
	for filter; do
		jq -e "$filter" "$file" >/dev/null 2>jq.log ||
			echo "${file#out/} is not: $filter $(cat jq.log)"
	done
}

found=$(missing)
if [ -n "$found" ]; then
	report "the guest boots and ends" "$found
./bootstrap check --full brings what is missing"
	finish
	exit 0
fi
pack && boot
report "the guest boots and ends" "$(
	[ -f out/end ] || tail -n 20 console qemu.log)"
sed 's/^/# /' console

report "info tells the nodes, with and without CPUs" "$(
	ended 0 info
	holds info.out '.machine.numa_nodes == 4' '.machine.cpus_online == 8' \
		'.machine.packages == 2' '.machine.cores == 4' \
		'[.numa_nodes[] | .cpus] ==
			[[0, 1, 2, 3], [4, 5], [6, 7], []]' \
		'[.numa_nodes[] | .memory_bytes > 0] ==
			[true, true, false, true]'
)"

# measured NAME CPUS: a run either has every pair of these CPUs, or it names
# those that the host never ran at the same time. On a busy host that may be
# all, and then there is no record; or the host became busy during the run.
measured()
{
	if [ ! -f "out/$1.json" ]; then
		grep -qE '^c2c [a-z]*: nothing was measured: (vCPUs .* did not run at the same time|CPUs .* did not finish a visit)' \
			"out/$1.err" || {
			echo "$1 ended with $(cat "out/$1.status") and wrote nothing:"
			tail -n 5 "out/$1.err"
		}
		return
	fi
	# shellcheck disable=SC2016 # jq's own names
	holds "$1.json" ".cpus == $2" \
		'(.run.warnings | map(select(test(
			"vCPUs . and . did not run at the same time"))) | length) as $named |
		(.run.warnings | map(capture("^(?<n>[0-9]+) (more pairs of vCPUs did|pairs? w(as|ere) not visited)").n
			| tonumber) | add // 0) as $more |
		(.matrices[0].values | flatten | map(select(. == null)) | length) as $holes |
		.matrices[0].symmetric and
		$holes == (.cpus | length) + 2 * ($named + $more) and
		.complete == ($named + $more == 0) or
		(.run.warnings | any(test("did not finish a visit")))'
	ended "$(jq 'if .complete then 0 else 1 end' "out/$1.json")" "$1"
}

all='[0, 1, 2, 3, 4, 5, 6, 7]'
report "latency has every pair, or names those that never ran at once" "$(
	measured latency "$all"
	measured spin '[0, 1, 2, 3]'
)"
report "a run of more vCPUs than cores lets waiting CPUs sleep" "$(
	if [ ! -f out/latency.json ]; then
		grep 'nothing was measured' out/latency.err |
			grep -v 'the host runs about .* of 8 vCPUs at the same time'
	elif [ "$(nproc)" -lt 6 ]; then
		holds latency.json '.run.cpus_at_once | . > 0 and . < 6.4' \
			'.options.idle == "park"' \
			'.run.warnings | any(test("the host runs about .* of these 8 vCPUs"))'
	fi
	[ ! -f out/latency.json ] || holds latency.json '[.matrices[] | select(.statistic == "median") | .values | flatten
			| .[] | select(. != null)] | all(. < 20000)'
	[ ! -f out/spin.json ] || holds spin.json '.options.idle == "spin"'
)"

# lies NAME NODE...: the memory of the lines is on these nodes, as the kernel
# says, and nowhere else; and the record says that it is bound.
lies()
{
	name=$1
	shift
	for node; do
		grep -qE "^[0-9a-f]+ (prefer|bind)[^ ]*:$node .* N$node=[0-9]{2,} " \
			"out/$name.maps" || echo "$name has nothing on node $node"
	done
	grep -E '^[0-9a-f]+ (prefer|bind)' "out/$name.maps" | while read -r line; do
		node=${line#*:}
		node=${node%% *}
		case " $* " in
		*" $node "*) ;;
		*) echo "$name has memory for node $node: $line" ;;
		esac
		case $line in
		*" N$node="*) ;;
		*) echo "$name asked for node $node, and has: $line" ;;
		esac
		printf '%s\n' "$line" | grep -oE 'N[0-9]+=' | grep -v "N$node=" |
			sed "s/^/$name, for node $node, has memory on /"
	done
	[ ! -f "out/$name.json" ] || holds "$name.json" .run.memory_bound
}

for node in 0 1 3; do
	report "--home node:$node puts the lines on node $node" "$(
		measured "home-node:$node" '[0, 4, 6]'
		lies "home-node:$node" "$node"
		[ ! -f "out/home-node:$node.json" ] ||
			holds "home-node:$node.json" \
				".options.home == \"node:$node\""
	)"
done
# CPUs 0, 4 and 6: the last has no memory of its own, and the nearest is used.
for home in first second interleave; do
	report "--home $home puts the lines on the nodes with memory" "$(
		measured "home-$home" '[0, 4, 6]'
		lies "home-$home" 0 1 3
	)"
done
report "a queue lies on the node that is asked for" "$(
	ended 0 queue-home
	lies queue-home 3
)"
report "a node without memory, or that is not there, is refused" "$(
	ended 2 no-memory no-node
	for name in no-memory no-node; do
		grep -q 'there is no NUMA node [29] with memory on this machine (nodes: 0,1,3)' \
			"out/$name.err" || cat "out/$name.err"
	done
)"
report "a node without CPUs has none to measure" "$(
	ended 2 no-cpus
	grep -q 'numa:3 has no CPUs' out/no-cpus.err || cat out/no-cpus.err
)"
report "--per node takes a CPU of each node that has some" "$(
	measured per-node '[0, 4, 6]'
	measured per-package '[0, 4]'
	measured node-cpus '[6, 7]'
	ended 0 memcpy
	holds memcpy.json '.cpus == [0, 4, 6]' '.options.per == "node"'
)"

report "queue measures a CPU of each core" "$(
	ended 0 queue
	holds queue.json '.cpus == [0, 2, 4, 6]' \
		'[.matrices[].name] | unique == ["reader", "writer"]'
)"
report "memcpy copies between nodes, also for CPUs without memory" "$(
	holds memcpy.json .run.memory_bound \
		'[.matrices[] | select(.statistic == "median") | .values | flatten
			| .[] | . > 0] | length == 9 and all'
)"
report "cache has curves of the latency" "$(
	ended 0 cache
	holds cache.json '[.curves[] | select(.test == "latency")] | length > 0'
)"
report "contend has a curve of two CPUs" "$(
	ended 0 contend
	holds contend.json '.curves | length > 0'
)"
report "cl says that there is no device" "$(
	ended 77 cl
	grep -q 'there is no OpenCL device here' out/cl.err || cat out/cl.err
)"

report "analyze takes the record" "$(
	ended 0 analyze
	holds analyze.out '.format == "c2c-analysis"' '.cpus | length >= 3'
)"
report "compare takes two records" "$(
	case $(cat out/compare.status) in
	0 | 3) ;;
	*) [ ! -f out/home-first.json ] || [ ! -f out/home-second.json ] ||
		ended 0 compare ;;
	esac
)"
report "export writes a topology with the four nodes" "$(
	ended 0 export placement
	for os_index in 0 1 2 3; do
		grep -q "type=\"NUMANode\" os_index=\"$os_index\"" \
			out/export.xml || echo "there is no node $os_index"
	done
	grep -qE '^taskset --cpu-list [0-7],[0-7]$' out/placement.out ||
		cat out/placement.out
)"
report "plot draws it in the terminal" "$(
	ended 0 plot
	[ "$(wc -l <out/plot.out)" -ge 4 ] || cat out/plot.out
)"
report "numa measures latency under load" "$(
	ended 0 loaded
	holds loaded.json .complete \
		'[.curves[] | select(.test == "loaded")] | length > 0'
)"
# What the firmware says is in the record, and the verdict on it follows from
# the matrices: for the CPUs of nodes 0 and 1, of their own memory and node 3's.
report "numa compares with SLIT and HMAT what it measured" "$(
	ended 0 numa
	# shellcheck disable=SC2016 # jq's own names
	holds numa.json .complete \
		'def told: [.matrices[] | select(.statistic == "reported")] |
			map({key: .name, value: .values}) | from_entries;
		told == {
			"reported-distance": [[10, 20, 40], [20, 10, 40], [20, 20, 15]],
			"reported-latency":
				[[100, null, 50], [null, 100, 50], [null, null, 50]],
			"reported-bandwidth":
				[[20, null, 20], [null, 20, 20], [null, null, 20]]}' \
		'def cells($name; $statistic): .matrices[] | select(
			.name == $name and .statistic == $statistic) | .values |
			[[.[0][0], .[0][2]], [.[1][1], .[1][2]]];
		# 1: node 3 has the lower figure, 0: they are alike, null: not sure.
		def order($name):
			[cells($name; "median"), cells($name; "ci_low"),
				cells($name; "ci_high")] | transpose | map(
			. as [[$a, $b], [$a0, $b0], [$a1, $b1]] |
			if [$a0, $b0, $a1, $b1] | any(. == null) then null
			elif (($a - $b) | fabs) < 0.1 * ([$a, $b] | min) then 0
			elif $b1 < $a0 then 1
			elif $a1 < $b0 then -1
			else null end);
		def verdict($said): map(select(. != null)) |
			if any(. != $said) then "differs"
			elif length > 0 then "agrees" else null end;
		.run.firmware_latency == (order("latency") | verdict(1)) and
		.run.firmware_bandwidth == (order("bandwidth-1:0") | verdict(0))' \
		'.run | [.firmware_distance, .firmware_latency] != ["agrees", "agrees"]'
	for table in SLIT HMAT; do
		grep -q "^The firmware says: .* ($table)" out/numa.out ||
			cat out/numa.out
	done
	[ "$(grep -cE '^(The firmware differs: from node|The firmware agrees with|The measurement is too)' \
		out/numa.out)" = 3 ] || cat out/numa.out
)"
report "export has what was measured in the place of HMAT" "$(
	ended 0 attributes
	[ "$(grep -c '<memattr_value' out/attributes.xml)" = 18 ] ||
		grep memattr out/attributes.xml
)"
report "watch ends when its time is over, with a log" "$(
	measured watch '[0, 4, 6]'
	# The start may take more than three seconds allow, and c2c says so. A pass
	# that is held up may take a little more.
	[ ! -f out/watch.json ] || sed -n 's/.* used \(.*\) % of.*(limit 5 %\(.*\)).*/\1 \2/p' \
		out/watch.out | grep -qE '^([0-4]\.|5\.[0-4])|the start used' ||
		cat out/watch.out
	for event in start end; do
		grep -q "\"event\":\"$event\"" out/watch.log || cat out/watch.log
	done
)"
finish
