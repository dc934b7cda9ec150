#!/usr/bin/env bats
# c2c info of the real machine; reports of pretended ones are cases of
# tests/cases/info.

bats_require_minimum_version 1.5.0
load helpers

@test "info: every row is there, in 80 columns" {
	run --separate-stderr "$C2C" info
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for label in Machine 'CPU model' Microcode Hypervisor Memory Packages \
		'NUMA nodes' LLCs Caches 'Cache line' Cores Online Offline Isolated \
		Allowed Clock Governor Boost 'Huge pages' Load; do
		grep -q "^$label  *[^ ]" <<<"$output"
	done
	report=$output
	run ! grep '.\{81\}' <<<"$report"
}

@test "info: taskset narrows what is allowed, and the report says why" {
	cpus=$(taskset -cp $$ | sed 's/.*: //')
	case $cpus in
	*[,-]*) ;;
	*) skip "one CPU may be used here: nothing to narrow" ;;
	esac
	first=${cpus%%[,-]*}
	run taskset -c "$first" "$C2C" info
	[ "$status" -eq 0 ]
	grep -q "^Allowed  *1: $first (.*affinity" <<<"$output"
	grep -q 'outside this process.s affinity' <<<"$output"
	grep -q 'Remedy: taskset -c' <<<"$output"
}

@test "info: a full standard output is a failure" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	for option in '' --json; do
		# shellcheck disable=SC2086
		run bash -c '"$1" info $2 >/dev/full' bash "$C2C" "$option"
		[ "$status" -eq 1 ]
		[[ "$output" == *"cannot write"* ]]
	done
}

@test "info: the clock can be forced" {
	C2C_CLOCK=clock run -0 "$C2C" info
	grep -q '^Clock  *clock_monotonic_raw at 1000.000 MHz' <<<"$output"
}
