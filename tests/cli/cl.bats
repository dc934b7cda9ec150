#!/usr/bin/env bats
# c2c cl as a user types it: what it measures and writes, what it refuses, and
# what it does with broken implementations.
#
# slow: it runs kernels some forty times, and times native loops beside most.
#
# The tests assert only that figures exist and are above 0: c2c itself checks
# what the kernels compute.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154); what seems the shell's is jq's (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load cl

# broken TEXT: an implementation that runs this C code when it is loaded.
broken()
{
	command -v "${CC%% *}" >/dev/null || skip "no C compiler"
	mkdir vendors
	printf '%s\n' '#include <stdio.h>' '#include <stdlib.h>' \
		'#include <unistd.h>' \
		"__attribute__((constructor)) static void load(void) { $1 }" \
		>broken.c
	${CC:-cc} -shared -fPIC -o libbroken.so broken.c
	echo "$PWD/libbroken.so" >vendors/broken.icd
	export OCL_ICD_VENDORS=$PWD/vendors/
}

# takers TEST OPTION...: those that take it, as the refusal of TEST has them.
takers()
{
	run --separate-stderr "$C2C" cl "$@"
	refused 2 "${*:2:1}" " does not apply to $1, only to "
	takers=${stderr##*, only to }
}

@test "which test takes which option is said alike by the help and a refusal" {
	need_opencl
	"$C2C" cl --help=rows >help
	for row in "math --size 4M" "rowcol --work-items 512" \
		"bus --work-group 64" "local --work-group sweep" \
		"math --sizes 1K:1M" "math --access read"; do
		read -r test option value <<<"$row"
		takers "$test" "$option" "$value"
		grep -e "$option=" help | grep -qF "($takers)"
	done
	no_files_but help
}

@test "each test takes the options of its source, which all has too" {
	local test
	need_opencl
	no_implementation
	for test in rowcol scale stride local constant image bus math branch \
		cache stream banks latency incore peak launch roofline all; do
		run --separate-stderr "$C2C" cl "$test" --as-published -q
		refused 77 "no OpenCL device"
	done
}

@test "all hands an option to the tests that take it, and says so first" {
	need_opencl
	no_implementation
	run --separate-stderr "$C2C" cl all --group suite --size 1M --work-group 32
	refused 77 "--size applies only to rowcol, local, constant, bus; the other" \
		"--work-group applies only to rowcol, scale, stride, local,"
	run --separate-stderr "$C2C" cl all --group suite --size 1M -q
	refused 77 "no OpenCL device"
	[[ $stderr != *warning* ]]
	# What suits none, alone or with another, is refused.
	run --separate-stderr "$C2C" cl all --group suite --size 1M --work-group 3
	refused 2 "--work-group: " "no multiple of 3"
	run --separate-stderr "$C2C" cl rowcol --work-group 3
	refused 2 "--work-group: found 3, expected a power of two"
	run --separate-stderr "$C2C" cl all --group suite --size 5
	refused 2 "--size: bus takes multiples of 4 KiB"
	run --separate-stderr "$C2C" cl all --group suite --work-items 96 --work-group 64
	refused 2 "stride: --work-group: 96 work-items"
	no_files_but vendors
}

@test "CPUs that are not there are named" {
	need_opencl
	run --separate-stderr "$C2C" cl scale --cpus 0-99999
	refused 2 "--cpus: 0-99999: CPUs " " are not on this machine"
}

@test "a build without OpenCL says how to get it" {
	run --separate-stderr "$C2C" cl list
	[[ $stderr == *"built without OpenCL"* ]] ||
		skip "c2c was built with OpenCL"
	refused 77 "ocl-icd-opencl-dev"
	run --separate-stderr "$C2C" cl rowcol
	refused 77 "built without OpenCL"
	no_files_but
}

@test "a machine without an implementation says what to install" {
	need_opencl
	no_implementation
	for test in list rowcol all; do
		run --separate-stderr "$C2C" cl $test
		refused 77 "no OpenCL device" "pocl-opencl-icd" "$PWD/vendors"
	done
	no_files_but vendors
}

@test "variables that may hide all devices are named" {
	need_device
	POCL_DEVICES=$'caf\351' run --separate-stderr "$C2C" cl list
	[ "$status" -ne 0 ] || skip "this implementation takes no such variable"
	refused 77 "pocl" "loads but finds no device" "POCL_DEVICES is 'caf?'"
}

@test "a folder for kernels that is full or missing is named" {
	need_opencl
	fake
	export FAKE_ICD=opens
	TMPDIR=$PWD/absent run --separate-stderr "$C2C" cl branch --device bad
	refused 1 "'$PWD/absent/c2c-cl-" "set TMPDIR to another"
	need_root "to mount a file system"
	# Of a name that is no UTF-8.
	local small_folder=$PWD/caf$'\351'
	mkdir "$small_folder"
	mount -t tmpfs -o size=64k tmpfs "$small_folder" 2>/dev/null ||
		skip "mounting is not permitted here"
	dd if=/dev/zero of="$small_folder/full" bs=4k count=32 2>/dev/null || true
	POCL_CACHE_DIR=$small_folder run --separate-stderr "$C2C" cl branch \
		--device bad
	local chosen=$stderr
	TMPDIR=$small_folder run --separate-stderr "$C2C" cl branch \
		--device bad -o a.json
	umount "$small_folder"
	[[ $chosen == *"no space is left in '$PWD/caf"*"(POCL_CACHE_DIR chooses"* ]]
	[ "$status" -eq 1 ]
	[[ $stderr == *"no space is left in '$PWD/caf"*"(TMPDIR chooses"* ]]
	holds '.run.tests[0] | .status == "failed" and
		(.reason | contains("caf?/c2c-cl-"))'
}

@test "a folder for kernels that may not be written is named" {
	need_opencl
	fake
	cp "$library" libfake.so
	echo "$PWD/libfake.so" >vendors/fake.icd
	let_nobody_in
	mkdir -m 555 closed
	chmod 777 tmp
	POCL_CACHE_DIR=$PWD/closed FAKE_ICD=opens run --separate-stderr \
		as_nobody ./c2c cl branch --device bad
	[ "$status" -eq 1 ]
	[[ $stderr == *"c2c may not write into '$PWD/closed' (POCL_CACHE_DIR chooses"* ]]
}

@test "implementations that do not load are named" {
	need_opencl
	no_implementation
	echo "$PWD/absent.so" >vendors/absent.icd
	run --separate-stderr "$C2C" cl list
	refused 77 "no OpenCL device" "'$PWD/vendors/absent.icd' does not" \
		"$PWD/absent.so: cannot open" "OCL_ICD_VENDORS is '$PWD"
	: >vendors/aaa.icd
	run --separate-stderr "$C2C" cl rowcol -o a.json
	refused 77 "'$PWD/vendors/aaa.icd' names no library"
	# Loaders look for the whole line. This library would load.
	printf 'libc.so.6\r\n' >vendors/aaa.icd
	run --separate-stderr "$C2C" cl list
	refused 77 "'$PWD/vendors/aaa.icd' has" "line end of Windows" dos2unix
	printf '\xef\xbb\xbflibc.so.6\n' >vendors/aaa.icd
	run --separate-stderr "$C2C" cl list
	refused 77 "'$PWD/vendors/aaa.icd' has a byte order mark"
	# One file, in its folder or by its path; or a library itself.
	OCL_ICD_VENDORS=absent.icd OPENCL_VENDOR_PATH=$PWD/vendors \
		run --separate-stderr "$C2C" cl list
	refused 77 "'$PWD/vendors/absent.icd' does not"
	OCL_ICD_VENDORS=vendors/absent.icd run --separate-stderr "$C2C" cl list
	refused 77 "'vendors/absent.icd' does not"
	OCL_ICD_VENDORS=$PWD/lib.so run --separate-stderr "$C2C" cl list
	refused 77 "$PWD/lib.so: cannot open"
	no_files_but vendors vendors/aaa.icd vendors/absent.icd
}

@test "names that are not UTF-8, or would harm a terminal, are shown safely" {
	need_opencl
	fake
	run --separate-stderr "$C2C" cl list
	[ "$status" -eq 0 ]
	[[ $output == "0. bad ??[31m name é"$'\n'* ]]
	"$C2C" cl list --json >a.json
	holds 'map(.name) == ["bad ??[31m name é"]'
	run --separate-stderr "$C2C" cl scale --device bad -o a.json
	refused 1 "CL_INVALID_VALUE"
	holds '.run.tests[0].device.name == "bad ??[31m name é"'
}

@test "a useless implementation does not hide a good one" {
	need_opencl
	fake
	echo "$PWD/absent.so" >vendors/absent.icd
	run --separate-stderr "$C2C" cl list
	[ "$status" -eq 0 ]
	[[ $output == "0. bad"* ]]
	[[ $stderr == "c2c cl: warning: "*"/absent.icd' does not load"* ]]
	run --separate-stderr "$C2C" cl list -q
	[ -z "$stderr" ]
	run --separate-stderr "$C2C" cl scale --device bad -q -o a.json
	holds '.run.warnings[0] | contains("absent.icd")'
	rm vendors/absent.icd
	FAKE_ICD=fails run --separate-stderr "$C2C" cl list
	refused 77 "platform 'Fake caf?' cannot list its devices" \
		"CL_OUT_OF_HOST_MEMORY"
}

@test "an implementation that ends the process is named" {
	need_opencl
	broken 'fputs("cannot find a thing\n", stderr); abort();'
	run --separate-stderr "$C2C" cl list
	refused 1 "ended by signal 6" "cannot find a thing"
	no_files_but broken.c libbroken.so vendors vendors/broken.icd
}

@test "an implementation that exits is named" {
	need_opencl
	broken '_exit(7);'
	run --separate-stderr "$C2C" cl rowcol
	refused 1 "exited with status 7"
}

@test "an implementation that hangs is ended" {
	need_opencl
	broken 'for (;;) pause();'
	run --separate-stderr "$C2C" cl list --limit 0.5
	refused 1 "did not end within 0.5 s (--limit)" \
		"installed: $PWD/vendors/broken.icd; OCL_ICD_VENDORS="
	no_files_but broken.c libbroken.so vendors vendors/broken.icd
}

@test "an interrupt ends a test that hangs" {
	need_opencl
	broken 'for (;;) pause();'
	env --default-signal=INT "$C2C" cl list >out 2>err 3>&- &
	pid=$!
	# The handler is there when the folder for kernels is.
	for _ in {1..100}; do
		compgen -G 'tmp/c2c-cl-*' >/dev/null && break
		sleep 0.05
	done
	kill -INT "$pid"
	finish
	cat err
	[ "$status" -eq 130 ]
	[ ! -s out ]
	no_files_but broken.c err libbroken.so out vendors vendors/broken.icd
}

@test "list shows the devices, as text and as JSON" {
	need_device
	run --separate-stderr "$C2C" cl list
	[ "$status" -eq 0 ]
	[[ $output == "0. "* ]]
	[[ $output == *"compute units"* ]]
	cp "$runs/devices.json" a.json
	holds 'type == "array" and all(.[]; .compute_units > 0 and
		.global_bytes > 0 and (.name | length > 0) and
		(.images, .double | type == "boolean"))'
	no_files_but a.json
}

@test "a device that is not there is refused" {
	need_device
	run --separate-stderr "$C2C" cl scale --device nonsense
	refused 2 "no device 'nonsense'" "there are: 0 ("
	run --separate-stderr "$C2C" cl scale --device ''
	refused 2 "no device ''"
	run --separate-stderr "$C2C" cl scale --device 4711
	refused 2 "4711"
	"$C2C" cl list | grep -q ' gpu$' && skip "there is a GPU"
	run --separate-stderr "$C2C" cl scale --device gpu
	refused 77 "no gpu device" "OpenCL driver of the GPU"
}

# Two devices of one implementation, which says itself how they differ.
need_two_devices()
{
	need_ceiling
	export POCL_DEVICES="pthread basic"
	"$C2C" cl list --json >devices.json
	[ "$(jq length devices.json)" -eq 2 ] ||
		skip "this implementation has no two devices"
}

@test "bus copies between two devices of a platform, both ways" {
	need_two_devices
	measure_cl bus "${small[@]}" --size 64K -q -o a.json >out
	holds '[.curves[] | select(.statistic == "median" and
		.family == "between devices") | [.member, .median[0] > 0]] == [
		["from device 1", true], ["to device 1", true]]'
	says 'copies of 64 KiB to device 1: [0-9.]+ GiB/s; from it: [0-9.]+ GiB/s'
}

@test "bus does without copies to a device that cannot be used" {
	need_two_devices
	library faulty
	FAULT=alone LD_PRELOAD=$library measure_cl bus "${small[@]}" \
		--size 64K -o a.json >out 2>err
	grep -q '^c2c cl: warning: bus: no copies to and from device 1: a context of two devices: CL_OUT_OF_RESOURCES' err
	holds '.complete and ([.curves[].family] |
		index("between devices") == null and length > 0)'
}

@test "all devices: each has its curves, its rows and its part of the text" {
	need_two_devices
	need_no_coverage
	measure_cl branch "${small[@]}" --device all -q -o a.json >out
	holds '.options.device == "all" and .complete and
		(.run | has("device") | not) and [.run.tests[] | [.test, .status, .device.index]] ==
		[["branch", "done", 0], ["branch", "done", 1]]'
	holds '[.curves[].device | capture("^device (?<d>[01]) \\(").d] as $of |
		($of | length) == (.curves | length) and
		($of | index("0") == 0 and index("1") > 0) and
		$of == ($of | sort)'
	holds '[.curves[] | select(.member == "neighbours differ" and
		.y.unit == "ms" and .statistic == "median") | .device] |
		length == 2 and .[0] != .[1]'
	[ "$(grep -cE '^device 0: |^device 1: ' out)" -eq 2 ]
	# A heading, tables and findings, then those of the next.
	sed -nE 's/^(device [01]): .*/\1/p; s/^branch: .*(device [01]).*\[.*/\1/p
		s/^branch .section.*/findings/p' out | uniq >order
	[ "$(paste -sd, order)" = "device 0,findings,device 1,findings" ]
	no_files_but a.json devices.json order out
}

@test "an interrupted all goes on with the tests that it lacks" {
	local same name
	need_two_devices
	need_no_coverage
	export POCL_CACHE_DIR=$compiled
	same=(all --group suite "${small[@]}" --device all)
	measure_cl branch "${small[@]}" --device all -q -o a.json >out
	# Two rows and the curves of eight tests, as if only the last one of the
	# second device had not run.
	jq '.options.method = "all" | .options.group = "suite" |
		.complete = false | .run.tests = [.run.tests[] as $row |
		["rowcol", "scale", "stride", "local", "constant", "image",
			"bus", "math", "branch"][] as $name |
		$row | .test = $name] |
		.run.tests[1] |= (.status = "unavailable" | .reason = "no room") |
		.run.tests[-1].status = "not run" |
		(.run.tests[-1].device.index) as $last |
		.curves |= map(select(.device |
			startswith("device \($last) (") | not))' a.json >part.json
	cp part.json a.json
	measure_cl "${same[@]}" --resume a.json -o a.json >out 2>err
	cat err
	grep -qx "c2c cl: 17 of 18 tests are from 'a.json'" err
	grep -qE "^c2c cl: branch on device 1 \(.*\): .*; $verdict\$" err
	# All is as it was, in the order of one run, and the rest is new.
	jq -e --slurpfile part part.json '$part[0] as $part | .complete and
		(.run.tests[:-1] | map(del(.section))) ==
			($part.run.tests[:-1] | map(del(.section))) and
		.run.tests[-1].status == "done" and
		.curves[:$part.curves | length] == $part.curves and
		(.curves | length) == 2 * ($part.curves | length) and
		.elapsed_s > $part.elapsed_s and .run.resumed ==
		{started: $part.started, elapsed_s: $part.elapsed_s}' a.json
	# Another interrupt keeps what a test had that has not run again, and
	# curves of what was the only device get its name.
	jq '.run.tests[0].status = "not run" |
		.run.tests[-1].status = "timed out" |
		(.curves[] | select(.device | startswith("device 0 (")) |
			.device) = null' a.json >again.json
	env --default-signal=INT "$C2C" cl "${same[@]}" --resume again.json \
		-o again.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" rowcol
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	jq -e --slurpfile before a.json '.run.tests[-1].status == "timed out" and
		(.complete | not) and ([.curves[] | select(.test == "branch")] ==
			$before[0].curves)' again.json
	run --separate-stderr "$C2C" cl "${same[@]}" --resume a.json -o a.json
	refused 2 "--resume: 'a.json': it has every test"
	for name in '.run.tests[0].device.driver = "7": device.s driver' \
		'.run.tests[0].device.index = 9: device.s index' \
		'.machine.hostname = "else": another machine' \
		'.run.environment = []: variables for OpenCL were not set, and are now .*POCL_DEVICES='; do
		jq "${name%: *}" part.json >other.json
		run --separate-stderr "$C2C" cl "${same[@]}" --resume other.json
		[ "$status" -eq 2 ]
		grep -q "^c2c cl: --resume: 'other.json': .*${name##*: }" \
			<<<"$stderr"
	done
}

@test "all devices: a gap tells whose it is" {
	need_two_devices
	export POCL_CACHE_DIR=$compiled
	POCL_MEMORY_LIMIT=1 run --separate-stderr "$C2C" cl branch \
		"${small[@]}" --work-items 4294967040 --device all -q
	echo "$stderr"
	[ "$status" -eq 77 ]
	[[ $stderr == *"branch on device 0 ("*"branch on device 1 ("* ]]
}

@test "all devices are the first, where there is one" {
	need_ceiling
	[ "$(jq length "$runs/devices.json")" -eq 1 ] || skip "there are several devices"
	fixture branch
	mv a.json b.json
	measure_cl branch "${small[@]}" --device all -q -o a.json >out
	run ! grep -q '^device' out
	# Notes on other programs may stand in one of them.
	for file in a b; do
		jq '[.curves[] | [.member, .x.name, .x.values, .family,
			.y.unit]], [.run.tests[] | .test, .status, .device]' \
			$file.json >$file
	done
	cmp a b
}

# lost KERNEL ARGUMENT ITEMS AFTER COMMAND...: see elsewhere.c.
lost()
{
	local -x KERNEL=$1 ARGUMENT=$2 ITEMS=$3 AFTER=$4
	LD_PRELOAD=$library POCL_CACHE_DIR=$compiled run --separate-stderr "$C2C" cl \
		"${@:5}" "${small[@]}" -q
	[ "$status" -eq 1 ]
}

# slow: six runs, each with another launch that is lost.
@test "right results of other runs are not taken for those of the timed ones" {
	need_ceiling
	need_no_coverage
	library elsewhere
	# What columns read comes to what rows read did.
	lost read_array 1 0 2 rowcol --size 1M
	[[ $stderr == *"read in columns of 1 MiB of words, "*" element"*" per item"* ]]
	# Of the last round; the best n is the same in all.
	lost read_rows 1 0 8 rowcol --size 1M
	[[ $stderr == *"read in vectors in rows of 1 MiB of words"* ]]
	# All but those that choose how many turns there are.
	lost image_read 1 262144 2 image
	[[ $stderr == *"image, read of a square, size 4 MiB: "* ]]
	# The last of ten triads: the one before it had another factor. Then the
	# one after the host wrote, and what the device writes.
	while read -r kernel after what; do
		NUMBER=1 lost "$kernel" 7 1 "$after" svm --sizes 96K:96K
		[[ $stderr == *"coarse-grain buffers, $what, size 96 KiB: "* ]]
	done <<-END
		svm_triad 9 second run
		svm_triad 5 first run
		svm_fill 1 first touch by device
	END
}

@test "rowcol gives curves of both orders, plain and padded" {
	need_ceiling
	fixture rowcol
	holds '.command == "cl" and .complete and .format == "c2c-result"'
	holds '.run.device == .run.tests[0].device.name'
	holds '[.curves[] | select(.statistic == "median" and
		.y.unit == "GiB/s")] | (map(select(.family !=
			"rows in vectors, read")) | length == 8 and
			all(.[]; .x.values == [1, 8, 64, 512])) and
		(map(select(.family == "rows in vectors, read") |
			[.member, .x.values]) == [["1 MiB of words", [64, 512]]])'
	holds '[.curves[] | select(.statistic == "median") |
		.median[]] | all(.[]; . == null or . > 0)'
	holds '.run.tests[0] | .status == "done" and .timing.launch_us > 0 and
		(.columns_fall | length == 4) and (.ceilings | length == 2) and
		(.points | length > 0 and all(.[]; all(.runs[]; . == 2) and
			all(.work_group[]; . > 0) and
			(.x | length) == (.runs | length))) and
		all(.columns_fall[]; (.lines_held | keys) ==
			(.held_for_cpus | keys) and
			(.lines_held | keys) == (.exceeded_at | keys)) and
		all(.columns_fall[]; . as $row | .exceeded_at | to_entries |
			all(.[]; .value == null or .value *
				$row.held_for_cpus[.key] >
				$row.lines_held[.key]))'
	# What follows is about figures, of which none may be missing.
	! is_whole || holds '.run.tests[0] |
		# 512 lines that are 2 KiB apart fill any L1.
		all(.columns_fall[] | select((.padded | not) and
			.lines_held.L1); .exceeded_at.L1 > 0) and
		(.findings | (map(select(test("^(read|write) in columns of 1 MiB of words(, padded)?, 512 elements per item beside (read|write) in rows of 1 MiB of words(, padded)?: "))) | length == 4) and
			(.[-1] | test("^rows in vectors, 1 MiB of words, [0-9]+ elements per item, measured again in alternation with the native loop: [0-9.]+ GiB/s, native [0-9.]+; within a round [0-9]+ % of native \\([0-9]+ to [0-9]+\\)$")))'
	# Read in whatever way, the words of an array have one sum.
	# 2654435761 in two parts, or the product is none of a double's numbers.
	local sum
	sum=$(awk 'BEGIN {
		for (i = 0; i < 262144; i++) {
			low = i * 31153 % 4294967296
			high = i * 40503 % 65536 * 65536
			sum = (sum + int((low + high) % 4294967296 / 256)) \
				% 4294967296
		}
		printf "%.0f", sum
	}')
	holds '.run.tests[0].points | map(select(.y | contains("read"))) as $r |
		($r | map(.checksum[]) | unique | length == 2) and
		([$r[] | select(.name | contains("padded") | not) |
			.checksum[]] | length > 0 and
			all(.[]; . == '"$sum"')) and
		# Written: other numbers at each point.
		(map(select(.y | contains("write")) | .checksum) |
			length == 4 and all(.[]; all(.[]; . >= 0) and
				(unique | length) == length))'
	grep -q 'row over column, write \[times\]' out
	grep -qE '^  threads: [0-9]+ on CPUs [0-9,-]+(, not pinned to one CPU each)?$' out
	[ "$(jq '.curves | length' a.json)" -eq 15 ]
}

@test "scale measures OpenCL beside threads and a loop" {
	need_ceiling
	fixture scale
	holds '[.curves[] | select(.family == "time" and
		.statistic == "median") | .member] == ["OpenCL",
		"OpenCL, two groups a unit", "threads, bound, ready",
		"threads, bound", "threads, not bound", "one loop"]'
	holds '[.curves[] | select(.family == "speed-up")] | length == 5 and
		all(.[2:][]; .median[0] == 1)'
	# One work-item is one kernel: both curves are against the same time.
	holds '[.curves[] | select(.statistic == "median" and
			(.member | startswith("OpenCL")))] |
		map(select(.family == "time"))[:2] as $times |
		map(select(.family == "speed-up")) as $ups |
		([$times[].median[0] | numbers] | min) as $one |
		[$times, $ups] | transpose | all(.[];
			[.[0].median, .[1].median] | transpose | all(.[];
				.[0] == null or
				(.[0] * .[1] / $one - 1 | fabs) < 1e-4))'
	! is_whole || holds '[.run.tests[0].findings[] |
		select(test("^(OpenCL|threads|one loop).*: at best [0-9.]+ ms, at (1 work-item or thread|[0-9]+ work-items or threads)$"))] |
		length == 6'
	# By whomever, it is one and the same addition.
	holds '[.run.tests[0].points[] | .checksum[]] | length > 10 and
		.[0] > 0 and (unique | length == 1)'
	# Of threads that were not seen to work, none are compared.
	holds '(.cpus | length) as $cpus | .run.tests[0] |
		(.findings | length >= 6) and (.rejected or
		(.threads | length) < $cpus or
		(.timing.clock as $clock | any(.findings[]; test("^the best kernel and the best ready threads, measured again alternately: [0-9.]+ (us|ms|s)" +
			(if $clock == "event" then " without a launch of [0-9.]+ (us|ms|s)" else "" end) +
			" and [0-9.]+ (us|ms|s); within a round OpenCL took [0-9.]+ times as long \\([0-9.]+ to [0-9.]+\\)$"))))'
	# Over CPUs a point may be missing where another program had one of them.
	holds '[.curves[] | select(.family == "time over CPUs" and
		.statistic == "median") | .x.values[-1]] ==
		[(.cpus | length), (.cpus | length)] or
		(.run.tests[0].threads_bound | not)'
}

@test "scale: threads are counted against CPUs, not against the device" {
	need_ceiling
	need_two_cpus
	POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1 measure_cl scale \
		"${small[@]}" --cpus "$(pair)" -q -o a.json >out
	holds '.run.tests[0].device.compute_units == 1'
	grep -q "threads: 1 on CPUs $(pair), not pinned to one CPU each" out
	holds '.run.tests[0] | ([.notes[] | select(test(
			"^fewer threads of the implementation work \\(1\\) than there are CPUs \\(2\\)"))] |
			length == 1) and
		(.findings | length > 0 and
			all(.[]; contains("measured again") | not))'
	holds 'def of($y): .curves[] | select(.member == "threads, bound" and
			.family == $y) | .median;
		[of("speed-up"), of("efficiency")] | transpose[1:] | length > 0 and
			all(.[]; (.[0] / 2 - .[1] | fabs) < 1e-4 * .[0])'
	holds 'def of($y): .curves[] | select(.member == "OpenCL" and
			.family == $y) | .median;
		[of("speed-up"), of("efficiency")] | .[0] == .[1]'
}

@test "one number of work-items is measured, in groups of one size, on the CPUs asked for" {
	need_ceiling
	need_two_cpus
	cpu=$(pair)
	cpu=${cpu#*,}
	measure_cl scale "${small[@]}" --work-items 64 --work-group 16 \
		--cpus "$cpu" -v -o a.json >out 2>err
	grep -q "^c2c cl: device 0 (.*), CPUs .*$cpu; 2 runs of a point after 0; POCL_" \
		err
	points=$(jq '[.curves[] | select(.statistic == "median") |
		.median[] | numbers] | length' a.json)
	grep -qE "^c2c cl: scale: $points points in [0-9.]+ s\$" err
	holds '.run.tests[0].elapsed_s | . > 0'
	holds '[.curves[] | select(.member == "OpenCL" and .family == "time")] |
		all(.[]; .x.values == [64])'
	holds '.options.work_group == 16 and .options.work_items == 64'
	holds ".cpus == [$cpu]"
	holds ".run.tests[0] | .threads_where_asked and
		(.threads | length > 0 and all(.[]; .cpus == \"$cpu\" and
		.last_cpu == $cpu and .ran_s > 0))"
}

# Of a test that was done; the second and the last where other programs run.
verdict='(ok(, [0-9]+ wide)?|threads elsewhere|[0-9]+ rejected)'

# slow: nine tests run, one after the other.
@test "the tests of the article make one record, in which each is named" {
	need_ceiling
	need_no_coverage
	measure_cl all --group suite "${small[@]}" --size 256K \
		--work-items 1024 --work-group 256 -o a.json >out 2>err
	cat err
	grep -qE "^c2c cl: image: image read, .*: [0-9.]+ GiB/s, [0-9]+ % of its ceiling; $verdict\$" err
	# A line for each test and no tables: one screen, with one more where a
	# ceiling came out low. Its best may be rejected, but not where none is.
	grep -qE "^math .*([0-9] GFLOP/s +[0-9]+ %  $verdict|-  [0-9]+ rejected)\$" out
	grep -q 'tables: .*--verbose' out
	[ "$(grep -cv '^over 100 %: ' out)" -le 15 ]
	[ "$(awk 'length > 80' out | wc -l)" -eq 0 ]
	holds '.run.warnings[0] | startswith("--size applies only to ")'
	holds '.options.group == "suite"'
	holds 'if (.cpus | length) > 1 then .run.compiled_ahead.processes >= 2
		else true end'
	holds 'all(.run.tests[]; has("compiled_ahead") | not)'
	# What stride finds natively, local and constant do not measure again.
	holds '[.run.tests[].ceilings[]? | select(.what == "native read")] |
		group_by(.bytes) | any(.[]; length > 2 and
			(map(.gib_per_s) | unique | length) < length)'
	holds '[.run.tests[] | [.test, .status]] ==
		[["rowcol", "done"], ["scale", "done"],
		["stride", "done"], ["local", "done"],
		["constant", "done"], ["image", "done"], ["bus", "done"],
		["math", "done"], ["branch", "done"]]'
	holds '.curves | length > 30'
	# Sums of whole numbers; results of math differ within bounds.
	holds 'all(.run.tests[]; .rejected or (.points | length > 0))'
	holds 'all(.run.tests[]; .test as $test | .points |
		all(.[]; (.x | length) == (.checksum | length) and
			all(.checksum[]; (. == null) == ($test == "math"))))'
	holds '[.curves[].test] | unique ==
		["branch", "bus", "constant", "image", "local", "math",
		"rowcol", "scale", "stride"]'
	documented a.json
	if command -v gnuplot >/dev/null; then
		# A page, though the script knows some curves by their names.
		"$C2C" plot -q a.json -o a.svg
		read -r wide high < <(sed -n \
			's/.*viewBox="0 0 \([0-9]*\) \([0-9]*\)".*/\1 \2/p' a.svg)
		[ "$high" -le $((wide * 9 / 5)) ]
	fi
	# Rates have ceilings, and none is far above.
	holds '[.curves[] | select(.ceiling) | .test] | unique == ["bus", "constant", "image",
		"local", "math", "rowcol", "stride"]'
	holds '([.run.tests[] | {(.test): [.ceilings[]?.ci_high] | max}] | add) as
		$most | .curves as $all | [$all[] | select(.ceiling) | . as $bound |
		$all[] | select(.statistic == "median" and
			.test == $bound.test and .family == $bound.family and
			(.member | endswith($bound.member))) |
		.x.values == $bound.x.values and ([.median, $bound.ceiling] |
			transpose |
			all(.[]; .[1] > 0 and (.[0] <= 1.2 * .[1] or
				.[0] <= $most[$bound.test])))] |
		length > 15 and all'
}

@test "the manual has every key of the records in data" {
	documented "$srcdir"/data/*-cl-*.json
}

@test "taskset is honoured" {
	need_device
	need_two_cpus
	cpu=$(pair)
	cpu=${cpu#*,}
	(
		taskset -pc "$cpu" "$BASHPID" >/dev/null
		measure_cl branch "${small[@]}" --work-items 4096 -q \
			-o a.json >out
	)
	holds ".cpus == [$cpu] and (.run.tests[0].threads |
		all(.[]; .cpus == \"$cpu\"))"
}

@test "what the user set stays and is recorded" {
	need_opencl
	fake
	POCL_MAX_PTHREAD_COUNT=1 run "$C2C" cl scale --device bad -q -o a.json
	[ "$status" -eq 1 ]
	holds '.run.environment | any(.[]; .name == "POCL_MAX_PTHREAD_COUNT" and
		.value == "1" and .by == "user") and
		any(.[]; .name == "POCL_CACHE_DIR" and .by == "c2c")'
}

@test "a test that takes too long is in the record with its reason" {
	need_opencl
	# The list of its devices is there at once, which the limit holds for, too.
	fake
	FAKE_ICD=hangs run --separate-stderr "$C2C" cl scale --device bad \
		--limit 2 -q -o a.json
	[ "$status" -eq 1 ]
	[[ $stderr == "c2c cl: scale: "*"did not end within 2 s (--limit)"* ]]
	holds '.complete == false and (.run.tests | map([.test, .status])) ==
		[["scale", "timed out"]] and
		(.run.tests[0].reason | contains("within 2 s"))'
}

@test "a test that fails is in the record with its reason" {
	need_opencl
	fake
	run --separate-stderr "$C2C" cl scale --device bad -o a.json -o a.dat
	refused 1 "scale: the device's facts: CL_INVALID_VALUE"
	holds '.complete == false and .matrices == [] and
		(has("curves") | not) and (.run.tests[0] |
		.status == "failed" and .device.index == 0 and
		(.reason | contains("CL_INVALID_VALUE")))'
	grep -q '^# run.tests: .*CL_INVALID_VALUE' a.dat
	# With no device there is no test, and an older file stays.
	rm vendors/fake.icd
	run --separate-stderr "$C2C" cl branch -o a.json
	refused 77 "no OpenCL device"
	holds '.run.tests[0].status == "failed"'
}

@test "what lies beside a failed implementation is named with its remedy" {
	need_opencl
	fake
	export FAKE_ICD=aborts
	FAKE_SAYS='Final linking of kernel work failed.' \
		run --separate-stderr "$C2C" cl scale --device bad -q
	refused 1 "Final linking" "install a linker (package binutils)"
	# Only a folder of the user can have old kernels.
	FAKE_SAYS='Assertion failed' \
		run --separate-stderr "$C2C" cl scale --device bad -q
	refused 1 "Assertion failed"
	[[ $stderr != *POCL_CACHE_DIR* ]]
	mkdir old
	FAKE_SAYS='Assertion failed' POCL_CACHE_DIR=$PWD/old \
		run --separate-stderr "$C2C" cl scale --device bad -q
	refused 1 "'$PWD/old' may be damaged: remove that folder"
	FAKE_SAYS='std::bad_alloc' \
		run --separate-stderr "$C2C" cl scale --device bad -q
	refused 1 bad_alloc
	[[ $stderr != *ulimit* ]]
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers want address space without bound"
	FAKE_SAYS='std::bad_alloc' run --separate-stderr bash -c \
		'ulimit -v 8388608 && exec "$1" cl scale --device bad -q' \
		bash "$C2C"
	refused 1 bad_alloc "ulimit -v allows 8 GiB of address space"
}

@test "kernels that do not build are named, with the compiler's reason" {
	need_opencl
	fake
	FAKE_ICD=opens run --separate-stderr "$C2C" cl scale --device bad \
		-o a.json
	refused 1 "scale: session.cl: the kernels do not build" \
		"(CL_BUILD_PROGRAM_FAILURE): kernel:7: no caf? kernel:7: no"
	((${#stderr} > 600 && ${#stderr} < 800))
	[[ $stderr != *[$'\n\r\t']* ]]
	holds '.run.tests[0] | .status == "failed" and
		(.reason | startswith("session.cl: the kernels do not build"))'
}

@test "a test that the device cannot do is in the record with its reason" {
	need_device
	export POCL_CACHE_DIR=$compiled
	# Results of 16 GiB, of a branch that has no size.
	POCL_MEMORY_LIMIT=1 run --separate-stderr "$C2C" cl branch \
		"${small[@]}" --work-items 4294967040 -o a.json
	refused 77 "larger than the device allows (" "choose fewer --work-items"
	[[ $stderr != *--size* ]]
	holds '.complete and (.run.tests | map([.test, .status])) ==
		[["branch", "unavailable"]] and
		(.run.tests[0].reason | contains("larger than the device"))'
}

@test "a test whose process is killed does not end the others" {
	need_opencl
	fake
	# Its compiler does not come back.
	FAKE_ICD=hangs "$C2C" cl all --group suite --device bad -q -o a.json \
		>out 2>err 3>&- &
	pid=$!
	for test in long rowcol scale stride local constant image bus math \
		branch; do
		child_of "$pid" $test
		kill -KILL "$child"
	done
	finish
	[ "$status" -eq 1 ]
	grep -q 'rowcol: .* was ended by signal 9 .*did memory run out' err
	[ "$(grep -c ' was ended by signal 9 ' err)" -eq 9 ]
	holds '.complete == false and
		(.run.tests | map(.status) == [range(9) | "failed"])'
}

# compile_ahead GROUP ARGUMENT...: the child of `all` that compiles. What it found
# out is in ./a.json, and each of its processes came to its end.
compile_ahead()
{
	local found
	need_no_sanitizer
	need_no_coverage
	need_device
	need_two_cpus
	found=$(mktemp /dev/shm/c2c-XXXXXX)
	mkdir cache
	export POCL_CACHE_DIR=$PWD/cache
	"$C2C" cl all --group="$1" --child=all --cpus="$(pair)" --device=0 \
		"${@:2}" --repeat=2 --discard=0 --quick --budget=0 \
		3>told 4>"$found"
	sed 's/^D//' "$found" >a.json
	rm "$found"
	sort -g -C told
	[ "$(tail -n 1 told)" = 1.0000 ]
}

# compiles_nothing TEST ARGUMENT...: the test finds all its kernels compiled.
compiles_nothing()
{
	find cache -name '*.so' | grep -q . ||
		skip "this implementation leaves no machine code"
	touch seen
	measure_cl "$1" "${small[@]}" --cpus "$(pair)" "${@:2}" -q -o a.json >out
	find cache -name '*.so' -newer seen >late
	cat late
	[ ! -s late ]
}

# slow: PoCL compiles the kernels of ten tests. What this child finds out is how
# many processes did it.
@test "all: kernels are compiled side by side before the first test" {
	local test
	compile_ahead memory
	holds '.compiled_ahead | .processes == 2 and .elapsed_s > 0'
	# Not launch: PoCL compiles its kernel for small grids only if none was
	# large before, and the order of sizes is random.
	for test in banks latency incore; do
		compiles_nothing "$test"
	done
}

# slow: PoCL compiles the kernels of nine tests.
@test "all: kernels are compiled with the options of each test's source" {
	# A process compiles as much of math as it can.
	compile_ahead suite --as-published
	# Its work-groups have 32 work-items.
	compiles_nothing stride --as-published
}

@test "all: an interrupt while kernels are compiled leaves nothing behind" {
	need_opencl
	need_two_cpus
	fake
	FAKE_CPU=1 FAKE_ICD=hangs env --default-signal=INT "$C2C" cl all \
		--device bad --cpus "$(pair)" -o a.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" all
	# Those that compile are children of the one that waits for them.
	until all_of "$child" | awk 'END { exit NR != 4 }'; do
		kill -0 "$pid"
		sleep 0.05
	done
	all_of "$child" >processes
	kill -INT "$pid"
	finish
	cat err
	[ "$status" -eq 130 ]
	grep -q 'ended before anything was measured; nothing was written$' err
	while read -r process; do
		gone "$process"
	done <processes
	rm processes
	no_files_but err out vendors vendors/fake.icd
}

@test "all: a compiler that ends its process ends no test but its own" {
	need_opencl
	need_two_cpus
	fake
	export FAKE_CPU=1 FAKE_ICD=aborts FAKE_SAYS="no ld"
	run --separate-stderr "$C2C" cl all --group suite --device bad \
		--cpus "$(pair)" -o a.json
	[ "$status" -eq 1 ]
	holds '.run.compiled_ahead.processes == 2 and
		(.run.tests | map(.status) == [range(9) | "failed"])'
	[ "$(grep -c ' was ended by signal 6 ' <<<"$stderr")" -eq 9 ]
}

# A child's pipe, 3, says how far it is: at each line its result may be kept in
# the file 4, which has the whole result in the end. It lies in memory.
@test "each point is progress, and all of them come to the end" {
	need_ceiling
	need_two_cpus
	kept=$(mktemp /dev/shm/c2c-XXXXXX)
	while read -r test per_line options; do
		# shellcheck disable=SC2086
		POCL_CACHE_DIR=$compiled "$C2C" cl "$test" --child="$test" \
			--cpus="$(pair)" --device=0 --repeat=2 --discard=0 \
			--quick $options 3>told 4>"$kept"
		sed '1s/^R//' "$kept" >a.json
		[ "$(tail -n 1 told)" = 1.0000 ]
		sort -g -C told
		holds "[.curves[] | select(.statistic == \"median\" and
			(.y.unit | IN(\"times\",
				\"speed-up per CPU\") | not)) |
			.median[] | numbers] | length > 0 and
			length <= $per_line * $(wc -l <told)"
	done <<-'END'
		scale 1 --work-items=65536
		rowcol 2 --size=1M
		math 1 --work-items=1024 --work-group=256
	END
	rm "$kept"
}

@test "a test whose process is killed keeps what it measured before" {
	need_ceiling
	need_jq
	POCL_CACHE_DIR=$compiled "$C2C" cl rowcol --quick --repeat 300 \
		--discard 0 --size 1M --budget 60 -o a.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" rowcol
	# Points are in the file in memory that its parent reads.
	until tail -c +2 "/proc/$child/fd/4" 2>/dev/null | jq -n -e \
		'[input.curves[].median[] | numbers] | length > 0' \
		>seen 2>&1; do
		kill -0 "$child"
		sleep 0.2
	done
	kill -KILL "$child"
	finish
	cat err
	[ "$status" -eq 1 ]
	points=$(jq '[.curves[] | select(.statistic == "median") |
		.median[] | numbers] | length' a.json)
	grep -qE "are kept: $points points?\$" err
	holds '.complete == false and .run.tests[0].status == "failed" and
		(.run.tests[0].reason | contains("are kept"))'
	[ "$points" -gt 0 ]
}

@test "an interrupt leaves what was measured, marked incomplete" {
	need_ceiling
	env --default-signal=INT POCL_CACHE_DIR="$compiled" "$C2C" cl all \
		--group suite "${small[@]}" --size 256K --work-items 1024 \
		--work-group 256 -v -o a.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" rowcol
	kill -TERM "$child"
	child_of "$pid" stride
	kill -INT "$pid"
	finish
	cat err
	[ "$status" -eq 130 ]
	holds '.complete == false and ([.run.tests[] | .status] |
		.[0] == "failed" and .[2:] == ["interrupted", "not run",
			"not run", "not run", "not run", "not run", "not run"])
		and ([.curves[].test] |
			index("scale") != null and index("image") == null)'
	grep -q '^c2c cl: stride has 5 s to save its results' err
	grep -q '^c2c cl: stride: .*interrupted' err
	grep -qx 'c2c cl: 6 tests were not run' err
	grep -qx 'c2c cl: saved: a.json, marked incomplete' err
	grep -q '^c2c cl: to run the other tests, add --resume a.json to the command$' err
	grep -q '^scale ' out
	run ! grep -q '^scale .* failed$' out
	grep -q '^rowcol .* failed$' out
	grep -q '^stride .* interrupted$' out
	grep -q '^branch .*  -  *-  not run$' out
	# --verbose has the tables too.
	grep -q '^scale: time' out
	grep -q '^branch: not run' out
	[ -z "$(pgrep -P "$pid")" ]
	no_files_but a.json err out
}

@test "several runs of a test are one record, with the intervals of the runs" {
	need_ceiling
	# On a terminal of 60 columns.
	cat >narrow <<-EOF
		#!/bin/sh
		script -qec "TERM=xterm COLUMNS=60 '$C2C' \$* 2>said" \
			typescript </dev/null >/dev/null 2>&1 3>&-
		status=\$?
		cat said >&2
		exit \$status
	EOF
	chmod +x narrow
	C2C=$PWD/narrow measure_cl stride "${small[@]}" --runs 2 -o a.json
	holds '.complete and .options.runs == 2 and .run.runs == 2 and
		.run.interval == "range" and (.runs | length) == 2 and
		.topology.hwloc_xml != null and
		(.runs | all(.topology.hwloc_xml == null and .options.runs == null))'
	# Each point has the median and the range of what the runs have.
	holds '. as $all | [range(.curves | length) as $c |
		range($all.curves[$c].x | length) as $i |
		[$all.runs[].curves[$c].median[$i]] as $both |
		select(all($both[]; . != null)) | $all.curves[$c] |
		[.median[$i], .low[$i], .high[$i]] | . as $has |
		[($both | add / 2), ($both | min), ($both | max)] |
		[., $has] | transpose | all(.[]; .[0] / .[1] - 1 | fabs < 1e-4)] |
		length > 4 and all'
	# The report wraps between words; a further line begins with blanks.
	tr -d '\r' <typescript | sed '1,/^stride (/{/^stride (/!d};/^Script/d' >out
	[ "$(wc -L <out)" -le 60 ]
	grep -q '^medians of 2 runs in ' out
	tr -s '\n ' '  ' <out >words
	grep -q ' the lines below the tables are from one run range of the runs within .* (widest: stride: ' words
	[ "$(grep -c 'largest' out)" -eq 0 ]
	# compare takes the runs as such.
	cp a.json b.json
	"$C2C" compare a.json b.json | grep 'from 2 and 2 runs'
}

@test "an interrupt of a later run keeps those before" {
	need_device
	env --default-signal=INT POCL_CACHE_DIR="$compiled" "$C2C" cl stride "${small[@]}" \
		--budget 0 --runs 100 -o a.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" stride
	until has_ended "$child"; do sleep 0.05; done
	child_of "$pid" stride
	kill -INT "$pid"
	finish
	cat err
	[ "$status" -eq 130 ]
	holds '.complete == false and .options.runs == 100 and
		.run.runs == (.runs | length) and .runs[0].complete and
		(.run.warnings | any(startswith("ended in run ")))'
	valid a.json
	no_files_but a.json err out
}

@test "a second interrupt ends c2c and a test that does not end, and all is left clean" {
	need_device
	# Nothing that it is asked ends it: compilers catch what is only ignored.
	env --default-signal=INT --block-signal=TERM POCL_CACHE_DIR="$compiled" \
		"$C2C" cl scale --repeat 10000 -o a.json >out 2>err 3>&- &
	pid=$!
	child_of "$pid" scale
	kill -INT "$pid"
	until grep -q 'another interrupt ends c2c at once$' err; do
		kill -0 "$pid"
		sleep 0.05
	done
	# What comes sooner is the same request.
	sleep 0.5
	kill -INT "$pid"
	finish
	cat err
	# By the signal, so that nobody could say a word.
	[ "$status" -eq 130 ]
	[ "$(tail -n 1 err)" = "$(grep 'another interrupt ends c2c at once$' err)" ]
	gone "$child"
	for _ in {1..100}; do
		compgen -G 'tmp/c2c-cl-*' >/dev/null || break
		sleep 0.05
	done
	no_files_but err out
}

@test "the curves can be plotted and printed from the record" {
	need_ceiling
	fixture scale
	"$C2C" plot a.json --term >plain
	grep -q 'threads' plain
	"$C2C" export a.json -o b.dat
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	"$C2C" plot a.json -o a.svg
	gnuplot -c "$srcdir/plots/curves.gp" b.dat b.svg
	grep -q '>time \[ms\]<' b.svg && grep -q '>OpenCL<' b.svg
	# A panel each for times, speed-ups and efficiencies.
	for title in 'time \[ms\]' 'speed-up \[times\]' 'efficiency \[speed-up per CPU\]'; do
		grep -q ">$title<" a.svg
	done
	# What was measured stands above: the CPUs, or another device.
	model=$(sed -n 's/^# machine.cpu_model: //p' b.dat)
	platform=$(sed -n 's/^# run.platform: //p' b.dat)
	grep -qF ">$model" a.svg
	grep -qF "through $platform" a.svg
	jq '.run.device = "Some GPU" | .run.device_type = "gpu"' a.json >c.json
	"$C2C" plot c.json -o c.svg
	grep -q '>Some GPU' c.svg
}

@test "all devices divide no budget of c2c measure" {
	need_device
	"$C2C" measure -q --budget 2 -o a.json cl --quick --repeat 2 \
		--discard 0 --device all bus --size 4M >out
	jq -e '.sections[0].options.budget_s > 1' a.json
}
