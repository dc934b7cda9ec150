#!/usr/bin/env bats
# The tests of c2c cl that compute: their curves, and what they refuse. c2c
# itself checks what the kernels compute; no case asks how fast they are.
#
# slow: each of twenty tests compiles all of its kernels.
#
# Each case runs in its own shell (SC2030, SC2031); bats and the helpers
# set what seems unset (SC2154); what seems the shell's is jq's (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load cl

@test "the record of a test has the options of its source, but not the user's" {
	need_device
	measure_cl branch --as-published "${small[@]}" --work-group 64 -q \
		-o a.json >out
	holds '[.options.work_items, .options.work_group,
		.run.tests[0].as_published] ==
		[32768, 64, "--work-items=32768"]'
}

@test "branch gives times of both orders, over that of one path" {
	need_device
	fixture branch
	holds '[.curves[] | select(.statistic == "median") |
		[.member, .y.unit]] == [["neighbours differ", "ms"],
		["256 neighbours agree", "ms"], ["neighbours differ", "times"],
		["256 neighbours agree", "times"]]'
	holds 'all(.curves[]; .x.values == [1, 32])'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . > 0)'
	holds '[.curves[] | select(.y.unit == "times") | .median[0]] ==
		[1, 1]'
	holds '.run.tests[0] | .status == "done" and .section == "2.4" and
		.findings[:2] == ["the cost of divergent paths is unknown",
			"neighbours differ, 32 paths beside 256 neighbours " +
			"agree: too few runs to compare"]'
	says 'neighbours differ, 32 paths beside 1: too few'
}

# No interval is as narrow as that, but some visit fits any such budget.
@test "what is wide when the budget is spent is told and recorded" {
	need_device
	measure_cl branch --quick --work-items 4096 --precision 0.01 \
		--budget 0 -q -o a.json >out
	holds '.options | .precision_pct == 0.01 and .budget_s == 0'
	holds '[.run.tests[0].points[] | select(.y == "time") |
		[.visits, .runs] | transpose[]] | length == 4 and
		all(.[]; . == [1, 6])'
	holds '.run.tests[0].wide as $wide |
		[.curves[] | select(.y.unit == "ms") |
			[.median, .low, .high] | transpose[] |
			select(.[2] - .[1] > 2e-4 * .[0])] | length == $wide'
	says '4 points ha(s|ve) a 95 % interval wider than \+-0.01 %'
}

# slow: LLVM compiles kernels of four operations and of functions, of two types.
@test "math measures arithmetic with its latency, and typical functions" {
	local width=8
	need_ceiling
	fixture math
	holds 'def median: [.curves[] | select(.statistic == "median")];
		[median[] | select(.family == "float") | .member] ==
			["add", "mul", "mad", "fma"] and
		([median[] | select(.family == "latency of float")] |
			length == 3) and
		([median[] | select(.y.unit == "Gcalls/s" and
			(.family | startswith("float"))) | .member] ==
			["sin"])'
	# As many floats as a register has, and no less than 8.
	grep -qw avx512f /proc/cpuinfo && width=16
	holds 'all(.curves[]; .x.values == if .family | startswith("latency")
		then [1] else ['"$width"'] end)'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	holds '.run.tests[0] | .status == "done" and
		all(.ceilings[]; .gflop_per_s > 0) and
		([.ceilings[:3][] | [.name, .what]] == [
			["add and sub of float", "native additions"],
			["mul of float", "native multiplications"],
			["mad and fma of float",
				"native multiplications with additions"]]) and
		all(.best[]; .work_items >= 1024 and .work_group >= 32) and
		([.best[] | select(.type == "float") |
			[.vector, .operation]] | sort == ['"$width"' as $n |
			("add", "fma", "mad", "mul") | [$n, .]]) and
		all(.calls[]; .off_ulp <= .bound_ulp and .calls > 0)'
	# Of two runs: a median of each, and no verdict. Counters of coverage
	# slow the native loops and not the kernels, whose rates are rejected.
	[[ ${MODE:-plain} == *coverage* ]] ||
	holds '.run.tests[0].findings | (map(select(test("^(add|mul|mad|fma) " +
		"of float: at best [0-9.e+]+ GFLOP/s, [0-9.e+]+ operations per " +
		"clock and unit, [0-9]+( to [0-9]+)? % of its ceiling, at " +
		"vector '"$width"'$"))) | length > 0) and
		(map(select(test("^float: the latency of a mad is " +
		".* ns: c2c does not know whether the mad is fused"))) | length == 1)'
	grep -q 'the CPUs natively, mul of float: .* GFLOP/s' out
}

# slow: PoCL compiles kernels in several processes.
@test "math compiles its kernels before it measures, in several processes" {
	local first
	# It takes a minute under one, and the next case compiles ahead too.
	need_no_sanitizer
	need_device
	need_two_cpus
	# Kernels of chains are there, but none of a group, nor the first one of
	# the process that measures.
	fixture math
	mkdir cache
	(cd "$compiled" && find . \( -name program.bc -o -name '*_1_1.so' \) \
		-exec cp --parents -t "$OLDPWD/cache" {} +)
	# Of the usual groups only one divides these, and kernels are compiled for
	# it.
	POCL_CACHE_DIR=$PWD/cache measure_cl math "${small[@]}" -q \
		--work-items 96 -o a.json >out
	holds '.run.tests[0] | .best | length > 0 and
		all(.[]; .work_items == 96 and .work_group == 32)'
	holds '.run.compiled_ahead | .processes >= 2 and .elapsed_s > 0'
	# The first kernel of the process that measures.
	first=$(find cache -name work.so -printf '%T@ %p\n' | sort -n |
		head -n 1 | cut -d ' ' -f 2)
	[ -n "$first" ] || skip "this implementation leaves no machine code"
	# One function and one vector of one or two types.
	[ "$(find cache -name 'calls_*.so' | wc -l)" -ge 1 ]
	find cache -name '*_*.so' -newer "$first" >late
	[ ! -s late ]
}

@test "math: an interrupt ends the processes that compile" {
	local pid child first
	need_opencl
	need_two_cpus
	fake
	# Its compiler does not come back.
	FAKE_ICD=hangs env --default-signal=INT "$C2C" cl math --device bad \
		-o a.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" long
	# One process starts them.
	until first=$(pgrep -oP "$child") &&
		[ "$(pgrep -cP "$first")" -ge 2 ]; do
		kill -0 "$pid"
		sleep 0.05
	done
	pgrep -P "$first" >compilers
	echo "$first" >>compilers
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	grep -q 'ended before anything was measured; nothing was written' err
	[ ! -e a.json ]
	while read -r compiler; do
		gone "$compiler"
	done <compilers
}

@test "math takes the work-items and the group that the user wants" {
	need_no_sanitizer
	need_ceiling
	# No power of two: of calls too no other number will do.
	measure_cl math "${small[@]}" --work-items 4000 --work-group 250 \
		--cpus "$(pair | cut -d , -f 1)" -q -o a.json >out
	holds '.run.tests[0] | all(.best[], .calls[]; .work_items == 4000 and
		.work_group == 250)'
	# Alone, a process that compiles ahead would only do the same earlier.
	holds '(.run.tests[0].calls | length > 0) and
		(.run | has("compiled_ahead") | not)'
}

# slow: its kernels are compiled for groups of three shapes, with images in
# software.
@test "image measures squares and shapes, and a buffer beside them" {
	need_ceiling
	# Not of a quick run, which has squares only.
	fixture image
	holds '[.curves[] | select(.statistic == "median" and
		.family == "squares")] | map(.member) == ["image, read",
		"image, write", "buffer, read", "buffer, write"] and
		all(.[]; .x.values == [16384, 65536, 262144, 1048576, 4194304])'
	holds '[.curves[] | select(.statistic == "median" and
		.family == "16 KiB in all shapes")] | length == 4 and
		all(.[]; .x.values == [8, 16, 32, 64, 128])'
	holds '[.curves[] | select(.statistic == "median" and
		.family == "1 MiB in all shapes")] | length == 4 and
		all(.[]; .x.values == [8, 16, 32, 64, 128, 256, 512, 1024,
			2048, 4096, 8192])'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	holds '.run.tests[0] | .status == "done" and (.ceilings |
		length == 14 and
		.[2].name == "squares, size 256 KiB, read" and
		.[12].name == "1 MiB in all shapes, read")'
	# Of two runs: no verdict.
	holds '.run.tests[0] | .rejected as $gaps | .findings |
		($gaps or (map(select(test("^image, read of a square, size " +
		"4 MiB beside buffer, read of a square: too few"))) |
		length == 1)) and
		([map(select(test("^image, (read|write) of (16 K|1 M)iB, " +
		"width [0-9]+ beside [0-9]+:")))[] | split(": ")[1]] | unique ==
		["too few runs to compare"])'
}

@test "bus measures copies and maps both ways and within the device" {
	need_device
	fixture bus
	holds '[.curves[] | select(.statistic == "median" and
		.y.unit == "GiB/s") | [.family, .member]] == [
		["host to device", "copy, pageable memory"],
		["host to device", "copy, pinned memory"],
		["host to device", "map, copy by the host, unmap"],
		["device to host", "copy, pageable memory"],
		["device to host", "copy, pinned memory"],
		["device to host", "map, copy by the host, unmap"],
		["device to device", "copy"]]'
	holds '[.curves[] | select(.y.unit == "GiB/s")] |
		all(.[]; .x.values == [4194304, 16777216])'
	holds '[.curves[] | select(.y.unit == "ms" and
		.statistic == "median")] | map(.member) == ["to write",
		"to read"] and all(.[]; .x.values[0] == 4096 and
		all(.median[]; . > 0))'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	holds '.run.tests[0] | .status == "done" and .section == "2.2" and
		.timing.clock == "host" and .timing.launch_us == null and
		(.rejected or .findings[:2] == [
			"host to device, copy, pinned memory, size 16 MiB " +
			"beside host to device, copy, pageable memory: " +
			"too few runs to compare",
			"device to host, copy, pinned memory, size 16 MiB " +
			"beside device to host, copy, pageable memory: " +
			"too few runs to compare"]) and
		(.ceilings | length == 4 and all(.[]; .gib_per_s > 0)) and
		(.maps | length == 2 and all(.[]; .same_address))'
	# It launches no kernel.
	says "timed by the host's clock, from the call until"
	run ! grep -q 'launch' out
	# Another program may have had the CPU, which intervals show.
	holds '.run.tests[0].maps | all(.[]; .moves_bytes != true)'
	says 'maps to write .* of 16 MiB take [0-9.]+ [num]?s, of a page [0-9.]+ [num]?s'
	measure_cl bus "${small[@]}" --size 4K -q -o a.json >out
	holds '.run.tests[0].maps | all(.[]; .moves_bytes == null)'
	says 'maps to read are too small to show.* of 4 KiB'
}

@test "bus over sizes has copies only, and no maps" {
	need_device
	# MAX need not be a doubling of MIN.
	measure_cl bus "${small[@]}" --sizes 3K:200K -q -o a.json >out
	holds '[.curves[] | select(.statistic == "median") | [.family, .member,
		.x.name, .x.unit]] == [
		["host to device", "copy, pageable memory", "size", "B"],
		["host to device", "copy, pinned memory", "size", "B"],
		["device to host", "copy, pageable memory", "size", "B"],
		["device to host", "copy, pinned memory", "size", "B"]]'
	holds 'all(.curves[]; .x.values == [3072, 12288, 49152, 196608])'
	holds '[.curves[] | select(.statistic == "ceiling") | .member] |
		sort == ["all CPUs", "all CPUs", "one CPU", "one CPU"]'
	holds '.options | .sizes_min == 3072 and .sizes_max == 204800 and
		.size_bytes == null'
	# Each size has the ceilings of its own bytes, but no less than 4 KiB.
	holds '.run.tests[0] | .status == "done" and (has("maps") | not) and
		([.ceilings[] | select(.name | endswith(", one CPU")) | .bytes]
			== [4096, 12288, 49152, 196608])'
	if is_whole; then
		says 'device to host, copy, pinned memory, size 192 KiB beside device to host, copy, pageable memory: '
		says 'host to device, copy, pinned memory: 3 KiB take [0-9.]+ [num]?s'
		says 'host to device, copy, pinned memory: at best [0-9.]+ GiB/s, at size [0-9]+ KiB'
	fi
	documented a.json
}

@test "a sweep of work-groups gives the best of each point, and its size" {
	need_ceiling
	for_any_group
	"$C2C" cl list --json >a.json
	most=$(jq '.[] | select(.type == "cpu") | .work_group_max' a.json |
		head -n 1)
	measure_cl scale "${small[@]}" --work-group sweep -q -o a.json >out
	holds '.options.work_group == "sweep"'
	holds '[.curves[] | select(.family == "time" and
		.statistic == "median") | .member] | index("OpenCL") == 0 and
		all(.[]; . != "OpenCL, two groups a unit")'
	# One of work-items, and where CPUs are parted one of these.
	holds '[.curves[] | select(.y.unit == "work-items")] |
		length == ([.[].family] | unique | length) and
		.[0].family == "best work-group, time" and
		all(.[]; .member == "OpenCL" and (.median | length > 0))'
	holds "[.curves[] | select(.y.unit == \"work-items\")] |
		all(.[]; all(.median[]; . >= 1 and . <= $most and
			log2 == (log2 | floor)))"
	# No more than there are work-items, and from 1,024 on no less than 16.
	holds '.curves[] | select(.family == "best work-group, time") |
		[.x.values, .median] | transpose |
		all(.[]; .[1] <= .[0] and (.[0] <= 1024 or .[1] >= 16))'
	grep -q 'best work-group, time \[work-items\]' out
}

@test "a sweep of work-groups gives the best of each number of paths" {
	need_ceiling
	for_any_group
	measure_cl branch "${small[@]}" --work-group sweep --work-items 2048 \
		-q -o a.json >out
	holds '[.curves[] | select(.y.unit == "work-items") | .member] ==
		["neighbours differ", "256 neighbours agree"]'
	holds 'all(.curves[] | select(.y.unit == "work-items");
		.x.values == [1, 32] and all(.median[]; . >= 16))'
	says 'in groups of the best size'
}

@test "stride measures reading and writing over the stride" {
	need_device
	fixture stride
	holds '[.curves[] | select(.statistic == "median") |
		[.family, .member]] == [["global memory, 4 MiB", "read"],
		["global memory, 4 MiB", "write"],
		["global memory, 4 MiB, in lines", "read"],
		["global memory, 4 MiB, in lines", "write"]]'
	holds 'all(.curves[]; .x.values == if .x.unit == "lines"
		then [1, 2, 4, 8, 16] else [0, 1, 2, 16] end)'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	# The lines of stride 0 are 128 KiB apart; 4 KiB a CPU is the least.
	holds '(.cpus | length) as $cpus | .run.tests[0] | .status == "done" and
		([.ceilings[] | [.name, .bytes] |
			select(.[0] | contains("lines") | not)] ==
		[["read of global memory, 4 MiB, stride 0", 4096 * $cpus],
		["read of global memory, 4 MiB, stride 1 to 16", 4194304],
		["write of global memory, 4 MiB, stride 0", 4096 * $cpus],
		["write of global memory, 4 MiB, stride 1 to 16", 4194304]])'
	says 'read of global memory, 4 MiB beside stride 1: stride 2, '
	# The parts of lines: whole ones of 256 for each CPU.
	holds '(.cpus | length) as $cpus | (65536 / $cpus / 256 | floor) as $part |
		[.run.tests[0].ceilings[] |
			select(.name == "read of global memory, 4 MiB, in lines, stride 4") |
			.bytes] == [[$part * 256 * $cpus * 64 / 4, 4096 * $cpus] | max]'
	says 'for comparison: if each line of 16 words served one access only'
}

# slow: it has both arrays.
@test "fine: stride has all strides of both arrays" {
	need_device
	for_any_group
	measure_cl stride --fine --repeat 1 --discard 0 --budget 0 -q -o a.json >out
	holds '[.curves[] | select(.statistic == "median" and .x.unit == "words") |
		[.family, .x.values]] == [("4 MiB", "64 MiB") |
		["global memory, \(.)", [range(17)]] | (., .)]'
}

@test "stride takes the size, the work-items and the group that the user wants" {
	need_no_sanitizer
	need_device
	for_any_group
	measure_cl stride "${small[@]}" --size 2M --work-items 96 \
		--work-group 32 -q -o a.json >out
	holds 'all(.curves[]; .family | startswith("global memory, 2 MiB"))'
	# With 96 work-items 1 to 16 words apart, in 16 places, 6 to 96 lines.
	holds '(.cpus | length) as $cpus | [.run.tests[0].ceilings[] |
		select(.name == "read of global memory, 2 MiB, stride 16") | .bytes] ==
		[[96 * 16 * 64, 4096 * $cpus] | max]'
}

@test "local measures reading and writing over the stride" {
	need_device
	fixture local
	holds '[.curves[] | select(.statistic == "median") | .member] ==
		["read", "write", "read", "write"] and
		all(.curves[]; .x.values == [0, 1, 2, 16])'
	holds '[.curves[] | [.family, .x.unit]] | unique ==
		[["local memory", "words"],
		["local memory, in vectors", "vectors of 64 B"]]'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	holds '(.cpus | length) as $cpus | .run.tests[0] | .status == "done" and
		all(.ceilings[]; .bytes == 16384 * $cpus)'
	says 'the kernels use 16 KiB'
	says 'write of local memory beside stride 1: stride 2, '
	# A CPU has none.
	holds 'all(.run.tests[0].findings[]?; contains("banks") | not)'
}

@test "local takes groups that are no power of two, of one and larger than a tile" {
	need_no_sanitizer
	need_device
	for_any_group
	for group in 1 48 2048; do
		measure_cl local "${small[@]}" --size 4K \
			--work-items $((2 * group)) --work-group "$group" -q >out
		run grep 'where the article' out
		[ -z "$output" ]
		says "the kernels use 4 KiB, with $((2 * group)) work-items"
	done
}

@test "constant measures the rate of many chains, one alone, and one address" {
	need_device
	fixture constant
	holds '[.curves[] | select(.statistic == "median") |
		[.family, .member, .y.unit]] == [
		["constant memory", "many work-items", "GiB/s"],
		["constant memory", "eight chains a work-item", "GiB/s"],
		["latency", "one work-item", "ns"],
		["constant memory, one address", "read", "GiB/s"]] and
		all(.curves[]; .x | .values == if .name == "stride"
			then [1, 16, 128]
			else [1024, 4096, 16384, 65536] end)'
	# All CPUs read all of it; 4 KiB a CPU is the least.
	holds '(.cpus | length) as $cpus | [.run.tests[0].ceilings[].bytes / $cpus]
		== [65536, 4096, 16384, 65536]'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	# But for those of other programs.
	holds '.run.tests[0] | .status == "done" and (.rejected or
		([.findings[] | select(contains("interval") | not)] |
			length == 6))'
	says 'constant memory, one work-item: at best [0-9.]+ ns, [0-9.]+ clocks, at stride [0-9]+'
	says 'eight chains a work-item, stride 1 beside constant memory, many work-items: '
	says "work-groups have 256 work-items .in the article 32."
	# A chain of n steps from 0 ends at n strides.
	holds '.run.tests[0].points[] | select(.name == "one work-item") |
		[.x, .checksum] | transpose | map(.[1] / .[0]) |
		.[0] > 0 and (unique | length == 1)'
	for_any_group
	measure_cl constant "${small[@]}" --size 1K --work-items 100 \
		--work-group 10 -q -o a.json >out
	holds '[.curves[] | select(.x.name == "size")| .x.values] == [[1024]]'
	says '1 KiB of constant memory, 100 work-items'
}

@test "stream measures six kernels over the work-items of a unit" {
	need_device
	fixture stream
	holds '[.curves[] | [.family, .member, .x.name, .x.kind, .x.values]] ==
		["init", "read", "scale", "triad", "3pt", "5pt" |
		["arrays of 8 MiB", ., "work-items a unit", "counts", [1, 16]]]'
	# Copies count both ways, so all three have one ceiling.
	holds '[.curves[] | {(.member): .ceiling}] | add |
		all(.[]; .[0] > 0 and .[0] == .[1]) and .scale == ."3pt" and
		.scale == ."5pt"'
	holds '[.run.tests[0].ceilings[] | [.name, .what, .bytes]] == [
		["init", "native write", 8388608],
		["read", "native read", 8388608],
		["scale, 3pt, 5pt", "native copy", 8388608],
		["triad", "native triad", 8388608]]'
	# What is written does not depend on who writes it, and sums add up.
	! is_whole || holds '.run.tests[0].points | all(.[]; .x | length > 0) and
		([.[] | select(.name != "read") | .checksum | unique | length] |
		unique) == [1] and
		([.[].checksum[0]] | unique | length) >= 5'
	says 'stream \(after gpu-stream\): '
	says 'three arrays of 8 MiB of double'
	documented a.json
}

@test "cache measures rates over the size of an array, by ways of sharing it" {
	need_device
	fixture cache
	is_ceiling || return 0
	holds '[.curves[] | select(.statistic == "median") |
		[.family, .member]] == [["read", "parts of their own"],
		["read", "one place"], ["write", "parts of their own"],
		["write", "one place"]]'
	# From 1 KiB a unit on, each size four times the one before.
	holds '.run.tests[0].device.compute_units as $units | [.curves[] |
		select(.statistic == "median") | .x | [.kind, .unit, .values[0],
		(.values | .[1:] as $next | .[:-1] | to_entries |
		map($next[.key] / .value) | unique)]] | unique ==
		[["bytes", "B", 1024 * $units, [4]]]'
	holds 'all(.curves[]; .x.values | max <= 1048576)'
	holds 'all(.curves[] | select(.statistic == "median");
		all(.ceiling[]; . > 0))'
	# What is read depends on the size, and on nothing else.
	! is_whole || holds '[.run.tests[0].points[] | select(.y == "read") |
		.checksum | unique | length >= 4] | unique == [true]'
	! is_whole || says 'write, one place, array [0-9]+ KiB beside write, parts of their own: '
	# At 64 KiB a CPU, where that is one of the sizes.
	holds '.run.tests[0] | .device.compute_units as $units |
		[.findings[] | select(test("equal shares of the work, .* as "))] |
		length == if $units >= 2 and $units <= 16 then 1 else 0 end'
	documented a.json
}

@test "cache takes the memory of its largest array, not of --sizes" {
	local least most bytes
	need_device
	need_jq
	fixture cache
	# The next size but one: megabytes, as pages may have two.
	least=$(jq '16 * .curves[0].x.values[-1]' a.json)
	for most in "$least" $((4 * least - 1024)); do
		measure_cl cache "${small[@]}" --sizes "$least:$most" \
			--access read -q -o a.json >out
		holds ".curves[0].x.values == [$least] and
			(${bytes:-.run.tests[0].memory.bytes} ==
			.run.tests[0].memory.bytes)"
		bytes=$(jq '.run.tests[0].memory.bytes' a.json)
	done
}

@test "latency follows chains through each kind of memory" {
	need_device
	fixture latency
	holds '[.curves[] | .family] | unique == ["latency"]'
	holds '[.curves[] | .member][0:3] ==
		["global memory", "local memory", "constant memory"]'
	holds '.curves[] | select(.member == "global memory") |
		.x.values[0:4] == [4096, 16384, 65536, 262144] and .x.kind == "bytes"'
	holds '[.curves[].median[]] | all(. > 0)'
	# No cache is as slow as memory.
	holds '.curves[0] | .y.unit == "ns" and .median[0] < .median[-1]'
	holds '.run.tests[0] | .status == "done" and .section == "gpu-latency"'
	documented a.json
}

@test "a range of sizes is a part of the usual ones, and compares with all" {
	local access least most
	need_ceiling
	export POCL_CACHE_DIR=$compiled
	need_jq
	# The sizes depend on how many CPUs there are.
	fixture cache
	mv a.json all.json
	read -r least most < <(jq -r '.curves[0].x.values[1:3] | @tsv' all.json)
	for access in read write; do
		measure_cl cache "${small[@]}" --sizes "$least:$most" \
			--access $access -q -o a.json >out
		holds ".options | .sizes_min == $least and
			.sizes_max == $most and .size_bytes == null and
			.access == \"$access\""
		jq -ne --arg access $access --slurpfile a a.json \
			--slurpfile all all.json 'def sizes: [.curves[] |
				select(.statistic == "median" and .family ==
				$access) | [.family, .member, .x.values]];
			($a[0] | sizes) == ($all[0] | sizes |
				map(.[2] |= map(select(. >= '"$least"' and
					. <= '"$most"'))))
			and ([$a[0].curves[].family] | unique == [$access])
			and ($a[0] | sizes | map(.[2] | length)) == [2, 2]'
		# A figure above its ceiling is missing.
		"$C2C" compare all.json a.json >out 2>&1 || true
		grep -qE '^[12] curves? at [1-4] point|share no curve' out
	done
	measure_cl latency "${small[@]}" --sizes 5K:200K -q -o a.json >out
	holds '[.curves[] | select(.member == "global memory") | .x.values] ==
		[[16384, 65536]]'
	measure_cl latency "${small[@]}" --sizes 16K:64K:4 -q -o a.json >out
	holds '.options.sizes_each_doubling == 4 and ([.curves[] |
		select(.member == "global memory") | .x.values] ==
		[[16384, 19520, 23232, 27584, 32768, 38976, 46400, 55168, 65536]])'
	run --separate-stderr "$C2C" cl cache --sizes 1K:1K --cpus "$(pair)" -q
	refused 77 "its smallest size here is above --sizes, from 1 KiB to 1 KiB"
	run --separate-stderr "$C2C" cl cache --sizes 9001K:9001K -q --quick
	refused 77 "none of its sizes here, from " " MiB, is within --sizes, from 8.79 MiB to 8.79 MiB"
}

@test "arrays and work-items that the device cannot have are refused before they are had" {
	need_device
	export POCL_CACHE_DIR=$compiled
	run --separate-stderr "$C2C" cl bus --size 1T
	refused 77 "arrays of 1 TiB, and memory suffices for" "smaller --size"
	run --separate-stderr "$C2C" cl bus --sizes 1K:1T
	refused 77 "arrays of 1 TiB, and memory suffices for" "smaller --sizes"
	run --separate-stderr "$C2C" cl svm --sizes 24M:1T
	refused 77 "svm needs three arrays of 1 TiB in all, and there is room for" \
		"smaller --sizes, or --beyond for more than half of"
	# Not even then more than the host has.
	run --separate-stderr "$C2C" cl svm --sizes 24M:1T --beyond
	refused 77 "svm needs three arrays of 1 TiB in all" "smaller --sizes"
	[[ $stderr != *"or --beyond"* ]]
	# Unless the user chooses it, the group is the device's.
	run --separate-stderr "$C2C" cl constant --work-items 1000
	refused 2 "--work-items" "256" "768 and 1024"
	# What a device cannot hold is no mistake of the user's.
	export POCL_MEMORY_LIMIT=1
	"$C2C" cl list --json >a.json
	most=$(jq '.[0].largest_buffer_bytes' a.json)
	((most == 1 << 28)) || skip "this implementation takes no such limit"
	run --separate-stderr "$C2C" cl stride --size 512M
	refused 77 "256 MiB" "--size"
	run --separate-stderr "$C2C" cl constant --size 1G
	refused 77 "constant memory" "--size"
	# Of a buffer as large as the largest, the padding is too much.
	run --separate-stderr "$C2C" cl rowcol "${small[@]}" --size "$most"
	refused 77 "too little memory" "--size"
	rm a.json
	no_files_but
}

@test "latency has a matrix over compute units" {
	need_device
	export POCL_CACHE_DIR=$compiled
	[ "$(jq '[.[] | select(.type == "cpu")][0].compute_units' "$runs/devices.json")" -gt 1 ] ||
		skip "one compute unit has no pair"
	# More than one pass, whose shares are no 1.8e+02 %.
	measure_cl latency --units --repeat 2 --discard 0 --budget 0 -q \
		-o a.json >out
	holds '.complete and .options.units and (has("curves") | not)'
	holds '[.matrices[] | [.name, .statistic, .unit, .quantity, .symmetric]] ==
		[["median", "min", "p10", "p90"][] |
		["latency", ., "ns", "one-way", true]]'
	# Units have numbers from 0 on, and no topology.
	holds '(.cpus | length) as $n | .cpus == [range($n)] and
		$n == .run.tests[0].device.compute_units'
	holds '.topology.hwloc_xml == null'
	holds 'all(.matrices[]; .values as $v | all(range($v | length); . as $i |
		$v[$i][$i] == null and all($v[$i][]; . == null or . > 0)))'
	holds '[.matrices[] | .values[0][1] == .values[1][0]] | all'
	holds '[.matrices[].values[0][1]] | .[1] <= .[2] and .[2] <= .[0] and
		.[0] <= .[3]'
	says '[0-9]+ compute units, (1 pair|[0-9]+ pairs) by [0-9]+ lines in [0-9]+ passes: one way'
	says 'units are numbers of work-groups: c2c does not know which unit runs a group'
	grep -q '^unit  *0  *1' out
	documented a.json
	says 'the passes of (the|a) pair differ by (under )?[0-9.]+ %'
	"$C2C" analyze a.json | grep -q '[0-9] units$'
	cp a.json b.json
	"$C2C" compare -q a.json b.json | grep -q '[0-9] units$'
	run --separate-stderr "$C2C" analyze --live a.json
	refused 2 "--live: 'a.json' has the compute units of a device"
	run --separate-stderr "$C2C" export a.json --placement taskset
	refused 2 "which have no topology or placement"
	run --separate-stderr "$C2C" cl latency --units --cpus 0 -q
	refused 77 "this device has one compute unit only"
}

# slow: LLVM compiles kernels of two sizes and many strides.
@test "banks measures elements of two sizes over strides and widths" {
	need_device
	fixture banks
	holds '[.curves[] | select(.statistic == "median") |
		[.family, .member, .x.name, .x.values]] ==
		[(["local memory", "stride", [0, 1, 2, 3, 4, 8, 16, 32]],
		["cached global memory", "stride", [0, 1, 2, 3, 4, 8, 16, 32]],
		["cached global memory, blocks", "width",
			[1, 2, 4, 8, 16, 32, 64]]) as [$family, $name, $x] |
		("4 B", "8 B") | [$family, ., $name, $x]]'
	holds '.run.tests[0] | .status == "done" and
		all(.points[]?.checksum[]; . >= 0)'
	if is_whole; then
		says '8 B from local memory: at best [0-9.]+ GiB/s, [0-9.]+ bytes per clock and unit, .* at stride [0-9]+'
		says '4 B from local memory beside stride 1: stride 2, .*; stride 3, .*; stride 32, .*; stride 0, '
		says 'blocks beside width 1: width 2, .*; width 32, '
	fi
	# A CPU has none.
	holds 'all(.run.tests[0].findings[]?; contains("banks") | not)'
	documented a.json
	# By default a table is full. Where the native loop is slow, it runs again
	# for each of 512 points, which takes minutes.
	if is_ceiling; then
		library hasten
		measure_cl LD_PRELOAD="$library" banks --budget 0 --repeat 1 --discard 0 \
			--work-group 1024 -q -o a.json >out
		holds '[.curves[] | select(.x.name == "stride") | .x.values] |
			length >= 4 and all(.[]; . == [range(128)])'
	fi
	# Groups smaller than the neighbours; those were larger than the usual.
	for_any_group
	measure_cl banks "${small[@]}" --work-group 1 -q >out
}

@test "atomic counts what all work-items of a group add to its words" {
	need_device
	fixture atomic
	holds '[.curves[] | [.family, .member, .y.unit, .x.values]] ==
		[["local memory", "atomic_add", "Gop/s", [1, 2, 4, 8, 16, 32, 64, 128, 256]]]'
	holds '.run.tests[0] | .status == "done" and
		all(.points[].checksum[]; . >= 0)'
	says 'atomic_add: at best [0-9.e-]+ Gop/s, [0-9.e-]+ operations per clock and unit, at [0-9]+ words? of a group'
	documented a.json
	for_any_group
	measure_cl atomic "${small[@]}" --work-group 2 -q -o a.json >out
	holds '.curves[0].x.values == [1, 2]'
}

# slow: its kernels are compiled for each kind of element.
@test "formats measures elements from buffers and images" {
	local held
	need_device
	fixture formats
	# A panel for reads and one for writes of each amount of memory.
	holds '[.curves[] | select(.statistic == "median" and .x.unit == "B") |
		.family] | unique | length | . == 4 or . == 6'
	holds '[.curves[] | select(.statistic == "median" and .x.unit == "B") |
		.x.values] | unique == [[4, 16]]'
	holds '[.curves[] | select(.family == "read, 32 MiB" and
		.statistic == "median") | .member] ==
		["buffer, float", "buffer, uint", "buffer, uint, multiplied"]'
	holds '[.curves[] | select(.statistic == "ceiling") | .family] ==
		([.curves[] | select(.statistic == "median" and .x.unit == "B") |
		.family] | reduce .[] as $family ([]; if index([$family]) then .
		else . + [$family] end))'
	holds 'all(.curves[].ceiling // [] | .[]; . > 0)'
	# Of eight elements some come from the buffer.
	holds '[.curves[] | select(.statistic == "median" and .x.unit == "%") |
		.x.values] | unique == [[0, 50, 100]]'
	# Floats and words have other sums of the same data.
	! is_whole ||
		holds '[.run.tests[0].points[].checksum[]] | unique | length >= 8'
	says 'images of 32 MiB are left out: on a CPU they are software'
	held=$(jq -r '.topology.hwloc_xml' a.json |
		grep -oE 'type="L3Cache".* cache_size="[0-9]+"' |
		grep -oE '[0-9]+"$' | awk '{ sum += $1 } END { print sum + 0 }')
	if ((held >= 32 << 20)); then
		says '32 MiB, the largest amount, fits the last-level caches \([0-9.]+ [MG]iB in all\): its rates are rates of caches'
	elif ((held > 0)); then
		run ! says 'the largest amount, fits'
		rm words
	fi
	documented a.json
}

# slow: 24 kernels are compiled.
@test "incore measures chains of operations over vectors" {
	need_device
	fixture incore
	holds '[.curves[] | [.family, .member, .x.name, .x.unit, .x.kind,
		.y.unit, .x.values]] == [["float", "double"][] as $type |
		["fma", "div", "sqrt"][] as $of | ["1 chain", "8 chains"][] |
		["\($of) of \($type)", ., "vector", "elements", "counts", "ns",
		[1, 16]]]'
	# The median takes a time; what was computed is a number of its own.
	holds 'all(.curves[]; all(.median[]; . > 0)) and
		all(.run.tests[0].points[]; .work_group == [1, 1] and
			all(.checksum[]; . > 0))'
	holds '[.run.tests[0].points[].checksum[]] | unique | length == 24'
	says 'fma of float: latency [0-9.]+ ns \([0-9.]+ clocks\); at best one takes [0-9.]+ ns \([0-9.]+ clocks\), with (1 chain|8 chains), vector (1|16), so about [0-9.]+ are in flight'
	says 'sqrt of double: at best [0-9.]+ elements per clock and compute unit'
	documented a.json
}

@test "svm has first touches and runs in both kinds of shared memory" {
	need_ceiling
	fixture svm
	holds '[.curves[] | select(.statistic == "median") | [.family, .member,
		.x.values]] | .[0:4] == [["first touch by host",
		"first touch by device", "first run", "second run"][] |
		["coarse-grain buffers", ., [range(9) | 3072 * pow(2; .)]]]'
	holds '[.curves[] | select(.statistic == "ceiling") | .member] |
		unique == ["all CPUs"]'
	holds '.run.tests[0] | .status == "done" and .section == "um-stream" and
		.timing.clock == "host" and .timing.launch_us > 0'
	says 'coarse-grain buffers, first touch by device, size 768 KiB beside coarse-grain buffers, first touch by host: '
	says 'coarse-grain buffers, second run, size [0-9]+ [KM]iB beside coarse-grain buffers, first run: '
	documented a.json
}

@test "peak reads words and vectors from local memory and from L1" {
	need_device
	fixture peak
	is_ceiling || return 0
	holds '[.curves[] | select(.statistic == "median") | [.family, .member,
		.x.name, .x.kind, .y.unit]] ==
		[["local memory", ("4 B", "16 B", "64 B" | [.])],
		["first-level cache", ("buffer, 16 B", "buffer, 64 B",
		"image1d_buffer, 16 B" | [.])] | .[0] as $family | .[1:][] |
		[$family] + . + ["work-items", "counts", "GiB/s"]]'
	holds '[.curves[] | select(.statistic == "median") | .x.values] | unique
		== [[1024, 16384], [1024, 16384, 262144]]'
	# Each number of work-items leaves other words, whatever reads them.
	holds 'all(.curves[].ceiling // [] | .[]; . > 0)'
	if is_whole; then
		holds '[.run.tests[0].points[].checksum[]] | unique | length >= 6'
		says 'local memory, 64 B: at best [0-9.]+ GiB/s, [0-9.]+ bytes per clock and unit, .* at (1024|16384|262144) work-items'
		says 'local memory, 64 B, .*beside local memory, 4 B'
	fi
	documented a.json
}

@test "launch counts the kernels that ran, however they are launched" {
	need_device
	fixture launch
	is_ceiling || return 0
	holds '[.curves[] | select(.statistic == "median") | [.family, .x.name,
		.x.kind, .y.unit, .x.values[0], (.x.values | length) > 3]] |
		unique == [["small kernels", "data of a launch", "bytes",
		"GiB/s", 65536, true]]'
	holds '[.curves[].member | select(. != "copy")] == ["queued"]'
	holds 'all(.curves[].ceiling // [] | .[]; . == null or . > 0)'
	# The fit is of what a launch takes; launches that were slow by chance
	# have none.
	[ "$(jq '[.curves[] | select(.member == "queued" and .fit)] | length' \
		a.json)" -eq 0 ] || says 'queued: (launches of up to .* take [0-9.]+ [num]?s plus their bytes at [0-9.e+]+ GiB/s|no line fits)'
	holds 'all(.curves[] | select(.fit) | .fit;
		.overhead_ns[0] > 0 and .half_rate_bytes > 0)'
	documented a.json
}

# slow: its arrays are larger than the caches.
@test "roofline goes from memory to arithmetic, below its roof" {
	need_device
	fixture roofline
	is_ceiling || return 0
	# Operations a byte of 0 to 512 additional fma, of doubles half of it.
	holds '[.curves[] | select(.member == "fma") | [.family, .member,
		.x.name, .x.unit, .y.unit, .x.values[0], .x.values[-1]]] | .[0] ==
		["float", "fma", "intensity", "operations/B", "GFLOP/s", 0.25,
		128.25] and (length == 1 or
		.[1][5:] == [0.125, 64.125])'
	# The clock beside each rate, where c2c measures it.
	holds '[.curves[] | select(.y.unit == "GHz") | .family] |
		unique | . == [] or . == ["clock of the cores"]'
	holds 'if .run.tests[0].core_clock.by == "c2c" then
		[.curves[] | select(.family == "clock of the cores") |
		[.member, .x.values, all(.median[]; . > 0)]] ==
		[.curves[] | select(.member == "fma") |
		[.family, .x.values, true]] else true end'
	holds '[.curves[] | select(.family == "power")] == []'
	# Each intensity leaves other sums.
	! is_whole ||
		holds '[.run.tests[0].points[].checksum[]] | unique | length >= 6'
	# The roof is what memory or the units bear.
	! is_whole || holds '.run.tests[0].ceilings as $of |
		[.curves[] | select(.statistic == "ceiling") |
		"roofline of \(.family), " as $name |
		($of[] | select(.name == $name + "memory").gib_per_s) as $memory |
		($of[] | select(.name == $name + "arithmetic").gflop_per_s)
			as $units |
		[.x.values, .ceiling] | transpose[] |
		.[1] / ([.[0] * $memory * 1.073741824, $units] | min) - 1 |
		fabs < 1e-3] | length > 5 and all'
	! is_whole || says 'roofline of float: memory delivers [0-9.]+ GB/s, the units compute [0-9.]+ GFLOP/s; the ridge is at [0-9.]+ operations per byte'
	documented a.json
}

@test "the clock of the cores is told, and --verbose has tables in clocks" {
	# Where c2c has a counter, it has a chain of additions too.
	local clocked='.machine.clock.source as $source |
		.run.tests[0].core_clock |
		.least_ghz > 0 and .least_ghz <= .median_ghz and
		(.by == "c2c" or $source == "clock_monotonic_raw")'
	need_device
	fixture constant
	says 'core clock: [0-9.]+ GHz'
	# Below each table the same in clocks.
	grep -oE '^constant: .*\[.*\]$' out >titles
	grep -E '\[(GiB/s|ns)\]$' titles | sed 'p; s|GiB/s|B/clock/unit|
		s|\[ns\]|[clocks]|' | diff - titles
	[ "$(wc -l <titles)" -ge 4 ]
	holds "$clocked"
	# They are for people: the record has the clock, and each curve once.
	holds '[.curves[] | select(.statistic == "median").y.unit] | unique ==
		["GiB/s", "ns"]'
	"$C2C" plot --term a.json >drawn
	[ "$(grep -c clock drawn)" -eq 0 ]
	cp a.json again.json
	"$C2C" compare a.json again.json >compared
	measure_cl constant "${small[@]}" --size 1K -q >out
	says 'core clock: [0-9.]+ GHz'
	[ "$(grep -c /clock out)" -eq 0 ]
	# No kernel runs here, so no rate is that of units.
	measure_cl bus --size 64K "${small[@]}" -v -o a.json >out
	[ "$(grep -c /clock out)" -eq 0 ]
	holds "$clocked"
}

@test "buffers of CPU devices lie in huge pages, as ceilings do" {
	local enabled=none
	need_device
	read -r enabled </sys/kernel/mm/transparent_hugepage/enabled || true
	[[ $enabled =~ \[(always|madvise)\] ]] ||
		skip "no transparent huge pages here: $enabled"
	# Pieces of 2 MiB and more that are free.
	awk '{ for (i = 14; i <= NF; i++) n += $i } END { exit n < 64 }' \
		/proc/buddyinfo ||
		skip "no transparent huge pages here: memory is in pieces"
	unset GLIBC_TUNABLES
	measure_cl stride "${small[@]}" --size 2M -q -o a.json >out
	holds '.run.tests[0].memory | .bytes >= 4194304 and
		.huge_bytes > .bytes / 2'
}

# faulty FAULT TEST [OPTION]...: what c2c cl says of kernels with that fault is
# in ./err; its status is 1.
faulty()
{
	local status=0
	env FAULT="$1" LD_PRELOAD="$library" POCL_CACHE_DIR="$compiled" \
		COMPILER_PATH="$srcdir/tests/cli/linker" "$C2C" cl "${@:2}" \
		--quick --repeat 2 --discard 0 --budget 0 -q >out 2>err ||
		status=$?
	[ "$status" -eq 1 ] || {
		echo "$*: status $status"
		cat err
		return 1
	}
}

@test "each test of memory notices wrong results and work that is left out" {
	local fault test
	need_ceiling
	[ "$(nproc)" -gt 1 ] || skip "a single work-group has no half"
	library faulty
	for test in cache stream formats stride rowcol roofline svm \
		atomic; do
		for fault in wrong half; do
			faulty "$fault" "$test"
			grep -q "cl: $test: .* the device and of the host differ" err
		done
	done
}

# With a ceiling of an eighth it is the same.
@test "rates of an eighth of the time are above their ceilings" {
	need_ceiling
	library faulty
	faulty faster cache --sizes 128K:256K --access read
	grep -q 'read, parts of their own, .* natively$' err
	faulty faster stream --size 8M
	grep -q 'triad, .* natively$' err
	faulty faster stride --size 2M
	grep -q 'stride: .* natively$' err
	faulty faster rowcol --size 1M
	grep -q 'read in vectors in rows .* natively$' err
	faulty faster svm --sizes 12M:12M
	grep -q 'svm: .* natively$' err
}
