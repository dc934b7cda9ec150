#!/usr/bin/env bats
# The tests of c2c cl that compute: their curves, and what they refuse. That a
# kernel computes what it should, the host checks; no case asks how fast.
#
# Each case runs in a shell of its own (SC2030, SC2031); bats and the helpers
# set what seems unset (SC2154); what seems the shell's is jq's (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load cl

@test "branch: times of both orders, over one path's" {
	need_device
	"$C2C" cl branch "${small[@]}" -q -o a.json -o a.dat >out
	holds '[.series[] | select(.y.statistic == "median") |
		[.name, .y.unit]] == [["neighbours differ", "ms"],
		["256 neighbours agree", "ms"], ["neighbours differ", "times"],
		["256 neighbours agree", "times"]]'
	holds 'all(.series[]; .x.values == [1, 4, 16, 32])'
	holds '[.series[] | select(.y.statistic == "median") |
		.y.values[]] | all(.[]; . > 0)'
	holds '[.series[] | select(.y.unit == "times") | .y.values[0]] ==
		[1, 1]'
	holds '.run.tests[0] | .status == "done" and .section == "2.4" and
		(.findings | length == 3)'
	grep -q '32 paths take' out
	no_files_but a.dat a.json out
}

@test "branch: what does not fit is refused" {
	need_device
	run --separate-stderr "$C2C" cl branch --size 1M
	refused 2 "--size" "rowcol"
	run --separate-stderr "$C2C" cl branch --work-items 100
	refused 2 "--work-group" "100"
	no_files_but
}
