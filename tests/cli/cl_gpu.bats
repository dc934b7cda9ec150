#!/usr/bin/env bats
# What c2c cl does otherwise on GPUs, on a device that says that it is one (see
# like_gpu.c): its kernels run as before, so no case asks how fast they are.
#
# slow: what a GPU gets has other options, so that most kernels are compiled again.
#
# A run leaves a record for all cases that ask for the same; see once().
#
# Each case runs in its own shell (SC2030, SC2031); bats and the helpers
# set what seems unset (SC2154); what seems the shell's is jq's (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load cl

# gpu [NAME=VALUE]... TEST ARGUMENT...: once, what this test leaves there. No
# buffer is larger than what takes little time.
gpu()
{
	library like_gpu
	for_any_group
	once LD_PRELOAD="$library${hasten:+:$hasten}" LARGEST_MIB=32 \
		"$@" --device gpu "${small[@]}" -q -o a.json
}

# refused_gpu [NAME=VALUE]... TEST ARGUMENT...: it cannot be done there, and the
# message is $stderr.
refused_gpu()
{
	library like_gpu
	run -77 --separate-stderr measure_cl LD_PRELOAD="$library" "$@" \
		--device gpu "${small[@]}" -q
}

@test "theory is told, recorded and no reason to reject" {
	need_ceiling
	gpu local --work-items 4096
	holds '.run.tests[0] | .status == "done" and .device.type == "gpu" and
		(has("rejected") | not) and all(.ceilings[]; .gib_per_s == null)'
	# 132 units of 128 bytes at 1.98 GHz.
	holds '[.run.tests[0].theory[] | [.name, (.gib_per_s | round),
		.each_clock_and_unit]] ==
		[["local memory", 31157, 128],
		["local memory, in vectors", 31157, 128]]'
	holds 'all(.run.tests[0].theory[]; .best_share > 0 and .best_share < 1 and
		(.source | contains("CUDA")))'
	holds '[.curves[] | select(.statistic == "theory") |
		[.member, .family, (.ceiling | unique | map(round))]] ==
		[["theory", "local memory", [31157]],
		["theory", "local memory, in vectors", [31157]]]'
	says 'theory, local memory: 31157 GiB/s \(CUDA .* 128 B per clock and unit\); the best reaches [0-9]+ %'
	documented a.json
}

# The device says that NVIDIA made it, and its compiler that NVIDIA did not.
@test "where no kernel counts clocks, the clock is what the device reports" {
	need_ceiling
	gpu constant --work-items 1024
	[ ! -s err ]
	holds '.run.tests[0] | .status == "done" and .core_clock ==
		{least_ghz: 1.98, median_ghz: 1.98, by: "device"}'
	says 'core clock: 1\.98 GHz, as the device reports'
}

# slow: on a GPU each operation is a program.
@test "operations have the theory of their type" {
	need_ceiling
	gpu math --work-items 1024
	holds '[.run.tests[0].theory[] | [.name, (.gflop_per_s | round)]] ==
		[["float", 66908], ["double", 33454]]'
	says 'theory, float: 66908 GFLOP/s \(.*: 256 operations per clock and unit\)'
}

# Of 65,536 work-items in groups of 2,048.
@test "a group larger than the device takes is told and recorded" {
	need_ceiling
	gpu scale --work-group 2048
	holds '[.run.tests[0].points[] | select(.name == "OpenCL" and
		.y == "time")][0] | .x[-1] == 65536 and .work_group[-1] == 1024'
	holds '.run.warnings | any(.[]; test("have 1024 work-items, not"))'
	holds '.run.tests[0].points | map(select(.name == "one loop"))[0] |
		.runs == [2] and .work_group == [null]'
}

@test "work-items and the step of strides follow the device" {
	need_ceiling
	gpu stride --size 4M
	# 132 units of 2,048 hold 270,336; c2c itself checks what is read.
	says 'global memory, 4 MiB: 524288 work-items, n grows by 524288 words'
	holds '([.curves[] | select(.statistic == "median") | .family] | unique) ==
		["global memory, 4 MiB"]'
	holds '.run.tests[0] | .status == "done"'
	# No step is longer than the array.
	gpu stride --size 2M --work-items 1024
	says 'global memory, 2 MiB: 1024 work-items, n grows by 524288 words'
}

@test "rowcol goes through an array until a run lasts a hundred launches" {
	need_ceiling
	gpu rowcol --size 1M
	says '1 MiB of words: a run goes through the array up to [0-9]+ times, so that it lasts 100 launches'
	# A launch is too long for that to be once.
	run -1 grep -q 'up to 1 times' out
	holds '.run.tests[0].status == "done" and ([.curves[] |
		select(.statistic == "median" and .y.unit == "GiB/s") |
		.family] | unique) == ["read, 1 MiB of words", "write, 1 MiB of words"]'
	# What was read in rounds has the sum of one.
	holds '.run.tests[0].points | map(select(.y | contains("read")) |
		.checksum[]) | unique | length == 2'
}

@test "stream goes from few work-items a unit to all that it holds" {
	need_ceiling
	gpu stream --size 8M
	# One group a unit, and two where it may not be as large.
	holds '[.curves[] | select(.statistic == "median") | .x.values] ==
		[range(6) | [32, 128, 512, 2048]]'
	holds '.run.tests[0] | .status == "done" and
		([.points[].work_group] | unique) == [[32, 128, 512, 1024]]'
	says '5pt: at best [0-9.]+ GiB/s, [0-9.]+ bytes per clock and unit, at [0-9]+ work-items? a unit'
	# A cache may hold so little: no theory of memory.
	holds '.run.tests[0] | has("theory") | not'
}

@test "fine: a test has the points of its source" {
	need_ceiling
	small=(--fine --repeat 1 --discard 0 --budget 0)
	gpu incore
	# The host has computed the end of each chain, too.
	holds '.options.fine and ([.curves[] | select(.family == "fma of float") |
		.member] == ["1 chain", (range(2; 9) | "\(.) chains")]) and
		all(.curves[]; all(.median[]; . > 0))'
	# 3 to 100 % of the largest number that a unit holds.
	gpu stream --size 8M
	holds '.run.tests[0].device.unit_items == 2048 and
		([.curves[] | select(.member == "init") | .x.values] ==
		[[range(64; 2049; 64)]])'
	gpu constant --work-items 1024
	holds 'all(.curves[]; .x.name != "stride" or
		.x.values == [range(1; 129)])'
}

# slow: it has kernels for each kind of element, and images in software.
@test "fine: cache has lines for elements of buffers and images" {
	need_ceiling
	small=(--as-published --repeat 1 --discard 0 --budget 0)
	gpu cache --size 2M
	# The host checks all of it. Not every PoCL has images of 8 bytes.
	holds '.run.tests[0] | .status == "done" and .as_published == "--fine"'
	[ "$(jq '[.curves[] | select(.member == "image, 8 B")] | length' a.json)" -gt 0 ] ||
		says 'elements, write, image, 8 B is left out: the device lacks such images'
	holds '[.curves[] | select((.family | startswith("elements")) and
		.member != "image, 8 B") |
		[.family, .member, .x.values[0]]] == [("read", "write") as $access |
		("buffer, 4 B", "buffer, 8 B", "buffer, 12 B", "buffer, 16 B",
			"image, 4 B", "image, 16 B") |
		["elements, \($access)", .,
			if . == "buffer, 12 B" then 3072 else 4096 end]]'
	holds 'all(.curves[]; .statistic != "median" or all(.median[]; . > 0))'
	holds '[.curves[] | select(.member == "blocks") | [.family, .x.values]] ==
		[["read", [2097152]], ["write", [2097152]]]'
}

@test "cache has parts of their own, one place, different places and blocks" {
	need_ceiling
	gpu cache --size 2M
	# 132 units of 4 KiB at least, or all together.
	holds '[.curves[] | select(.statistic == "median") |
		[.family, .member, .x.values[0]]] == [("read", "write") as $access |
		[$access, "parts of their own", 132 * 4096],
		[$access, "one place", 4096]]'
	holds '.run.tests[0] | .status == "done" and
		[.theory[] | [.name, (.gib_per_s | round)]] == [["read", 31157]]'
}

# Lines of 128 bytes, in images blocks, and half of the constant memory: the host
# follows all chains.
@test "cache has elements of 4 to 16 bytes" {
	local bytes
	need_ceiling
	for bytes in 4 8 12 16; do
		gpu cache --size 1M --element "$bytes"
		holds ".options.element_bytes == $bytes and
			([.curves[].family] | unique == [\"read\", \"write\"]) and
			all(.curves[]; .statistic != \"median\" or
				all(.median[]; . > 0))"
	done
	run -77 --separate-stderr "$C2C" cl cache --element 4 --cpus "$(pair)" -q
	refused 77 "--element: CPUs read and write whole lines"
}

@test "latency has the lines of a GPU" {
	need_ceiling
	gpu latency
	holds '[.curves[] | .member] == ["global memory", "local memory",
		"constant memory", "image1d_buffer", "image2d"]'
	holds '.run.tests[0] | .status == "done"'
	holds '[.curves[].median[]] | all(. > 0)'
}

@test "latency goes on where a kernel cannot have all local memory" {
	need_ceiling
	gpu MOST_LOCAL=16384 latency
	holds '.run.tests[0] | .status == "done" and (.notes | length) == 1 and
		(.notes[0] | startswith("local memory: not all sizes") and
		contains("CL_OUT_OF_RESOURCES"))'
	holds '[.curves[] | select(.member == "local memory").median[2:][]] |
		length > 0 and all(. == null)'
	holds '[.curves[] | select(.member != "local memory").median[]] |
		all(. > 0)'
}

# It says that it has 132 units, and runs two groups at a time.
@test "latency between units is refused where these cannot meet" {
	need_ceiling
	refused_gpu POCL_MAX_PTHREAD_COUNT=2 latency --units
	[[ $stderr == *"does not run 132 work-groups, one for each compute unit, at the same time"* ]]
}

# It needs no double; its words may be as wide.
@test "banks has theory for local memory, and words on banks" {
	need_ceiling
	gpu NO_DOUBLE=1 banks
	holds '.run.tests[0] | .status == "done" and .notes == [] and
		([.theory[] | [.name, (.gib_per_s | round)]] ==
			[["local memory", 31157]])'
	says 'for comparison: with 32 banks of 4 B, '
}

# Groups keep to 8 KiB of their own, two for each of 132 units; or go through all.
# slow: images are software, and each kind has kernels.
@test "formats has amounts of memory for a unit and for all" {
	need_ceiling
	gpu formats --size 1M
	holds '[.curves[] | select(.statistic == "median" and .x.unit == "B") |
		.family] | unique == ["read, 1 MiB", "read, 16 KiB a unit",
		"write, 1 MiB", "write, 16 KiB a unit"]'
	holds '[.curves[] | select(.family == "write, 1 MiB" and
		.statistic == "median") | .member] == ["buffer, float",
		"buffer, uint", "image of a buffer, float", "image, float"]'
	holds '.run.tests[0] | .status == "done" and (has("rejected") | not) and
		(has("theory") | not)'
	says 'read of image and buffer, 1 MiB, share of the buffer '
	run ! says 'the largest amount, fits'
}

@test "formats leaves out what images cannot do, and says why" {
	need_ceiling
	gpu formats --size 1M
	says 'read of image, float, .* beside read of buffer, float'
	gpu NO_IMAGES=1 formats --size 1M
	says 'images are left out: this device has none \(CL_DEVICE_IMAGE_SUPPORT\)'
	holds '.run.tests[0].status == "done" and
		([.curves[].member | select(contains("image"))] | length) == 0'
}

@test "peak has theory of both panels on GPUs, and no lines of 64 B" {
	need_ceiling
	gpu peak
	holds '[.curves[] | select(.statistic == "median") | .member] ==
		["4 B", "16 B", "buffer, 16 B", "image1d_buffer, 16 B"]'
	holds '[.curves[] | select(.statistic == "median") | .x.values[-1]] |
		unique == [262144]'
	# Theory, of NVIDIA also for the first-level cache.
	holds '[.curves[] | select(.statistic == "theory") | .family] ==
		["local memory", "first-level cache"]'
	gpu NO_IMAGES=1 NO_DOUBLE=1 peak
	says 'image1d_buffer is left out: this device has none'
	holds '[.curves[].member | select(contains("image"))] == [] and
		(.run.tests[0] | .status == "done" and
			(.notes | all(contains("double") | not)))'
}

@test "launch goes on where groups do not run at the same time" {
	need_ceiling
	gpu launch
	says 'one kernel: left out, because this device does not run 132 work-groups at the same time'
	holds '.run.tests[0].status == "done" and
		all(.curves[] | select(.member == "one kernel") | .median[];
			. == null) and
		all(.curves[] | select(.member == "queued") | .median[]; . > 0)'
}

# roofline [NAME=VALUE]...: with these, in a slot.
roofline()
{
	gpu ON_BUS=1 "$@" roofline
}

@test "roofline has the roof of theory on GPUs" {
	need_ceiling
	# Without NVIDIA's library nothing tells the power.
	roofline NO_DOUBLE=1
	holds '.run.tests[0].status == "done" and
		[.curves[] | select(.family == "power")] == []'
	# 66.9 TFLOP/s are 14 operations for each byte of 4.8 TB/s.
	holds '.curves[] | select(.statistic == "theory" and
		.family == "float") | .member == "roof" and
		(.ceiling[0] > 1199 and .ceiling[0] < 1201) and
		.ceiling[-1] > 60000'
	says 'memory delivers [0-9.]+ GB/s \([0-9]+ % of theory\)'
}

# slow: each point takes power for a while, though clocks run faster.
@test "roofline has the power where the management library tells it" {
	local nvml hasten
	need_ceiling
	library hasten
	hasten=$library
	library like_nvml
	nvml=$runs/nvml
	mkdir -p "$nvml"
	ln -sf "$library" "$nvml/libnvidia-ml.so.1"
	roofline LD_LIBRARY_PATH="$nvml"
	holds '.run.tests[0] | .status == "done" and .notes == []'
	holds '(.curves[0].x.values) as $x | [.curves[] |
		select(.family == "power") | [.member, .statistic, .x.name,
		.y.unit, (.median | length)]] ==
		[["float", "double"][] | [., "median", "intensity", "W",
		($x | length)]]'
	# 400 W, as far as a busy machine lets c2c tell the time; not mW.
	holds 'all(.curves[] | select(.family == "power") | .median[];
		. > 4 and . < 40000)'
	holds '[.curves[] | select(.family == "temperature") | .y.unit,
		.median[]] | unique == [66, "°C"]'
	says 'roofline of float: the device needs [0-9]+ W at the lowest intensity and at most [0-9]+ W; at best it computes [0-9.e+-]+ GFLOP/s per W'
	documented a.json
	# One type takes half of the time.
	roofline LD_LIBRARY_PATH="$nvml" NO_ENERGY=1 NO_DOUBLE=1
	holds '[.curves[] | select(.family == "power") | .median[]] | unique ==
		[123]'
	says 'roofline of float: the device needs 123 W at the lowest intensity and at most 123 W'
}

@test "incore has one group of sub-groups on GPUs" {
	need_ceiling
	gpu incore
	says 'a sub-group has [0-9]+ work-items'
	holds '[.curves[] | [.x.name, .x.unit, .x.values]] | unique ==
		[["sub-groups", null, [1, 32]]]'
	holds '.run.tests[0] | .status == "done" and (.findings[0] |
		capture("has (?<n>[0-9]+) work").n | tonumber) as $n |
		all(.points[]; .work_group == [$n, 32 * $n])'
	says 'fma of double: .* with [18] chains?, (1|32) sub-groups?'
}

# slow: the largest size without --sizes is 384 MiB.
@test "svm has the kinds of buffers that the device has" {
	need_ceiling
	gpu SVM=1 svm --sizes 96K:1M
	holds '[.curves[] | select(.statistic == "median") |
		[.family, .member, .x.values]] == [["first touch by host",
		"first touch by device", "first run", "second run"][] |
		["coarse-grain buffers", ., [98304, 393216]]]'
	holds '.run.tests[0] | .status == "done" and .timing.clock == "host" and
		(.points | map(.work_group | unique) | unique) ==
			[[null], [256]]'
	run ! says 'the largest size is'
	# What may have either type takes float.
	gpu NO_DOUBLE=1 SVM=2 svm --sizes 96K:96K
	holds '[.curves[].family] | unique == ["fine-grain buffers"]'
	holds '.run.tests[0] | .status == "done" and
		(.notes[0] | startswith("double is left out: "))'
	# Half of the device's memory would take too long, which is said.
	small=(--quick --repeat 1 --discard 0 --budget 3600)
	gpu LARGEST_MIB=4096 SVM=1 svm
	says 'the largest size is 384 MiB, so .* allows up to [0-9.]+ GiB here'
}

@test "svm is left out where a device has none, and says so" {
	need_ceiling
	for capabilities in none 0 4; do
		refused_gpu SVM=$capabilities svm -o a.json
		[[ $stderr == *"this device has no buffers of shared virtual memory (CL_DEVICE_SVM_CAPABILITIES)"* ]]
		holds '.run.tests[0] | .status == "unavailable" and
			(.reason | contains("shared virtual memory"))'
	done
}

# No kernel with a double builds there.
@test "what needs double is left out where a device has none, with the reason" {
	need_ceiling
	for test in "math --work-items 1024" "stream --size 8M" incore roofline; do
		if [ "$test" = roofline ]; then
			roofline NO_DOUBLE=1
		else
			# shellcheck disable=SC2086
			gpu NO_DOUBLE=1 $test
		fi
		holds '.run.tests[0] | .status == "done" and .notes == [
			"double is left out: the device does not support it (CL_DEVICE_DOUBLE_FP_CONFIG)"]'
		holds '(.curves | length > 0) and
			all(.curves[]; [.family, .member] |
			all(.[]; contains("double") | not))'
	done
}
