#!/usr/bin/env bats
# c2c contend as a user types it: what it measures and writes, and what it
# refuses.
#
# Of numbers, the tests assert only what order guarantees (sound.jq): the
# machine may be busy. That every word holds what was done to it, c2c itself
# checks in each visit.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154) and use what seems unused (SC2034); what seems
# the shell's is jq's (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	command=contend
	# Beside other programs, most visits are disturbed and dropped.
	small=(--passes 100:100000 --precision 50)
}

teardown()
{
	end_jobs
}

@test "a default run measures everything, in every format" {
	need_two_cpus
	run --separate-stderr "$C2C" contend "${small[@]}" \
		-o a.json -o a.dat
	[ "$status" -eq 0 ]
	[[ $output == *"[Mops/s]"*CPUs*load*lock* ]]
	[[ $output == *"operations a second, median of "*" points in "* ]]
	no_files_but a.dat a.json
	sound a.json true
	holds '.options | .operation == "load,store,add,exchange,cas,lock"
		and .share == "word,line,none" and .relax == "both"
		and .line_bytes >= 64 and (.quick | not)'
	holds '[.curves[] | select(.test == "sum") | [.member, .variant]]
		| unique == ([["load", null], ["store", null], ["add", null],
		["exchange", null], ["cas", null], ["cas", "relax"],
		["lock", null], ["lock", "relax"]] | sort)'
	holds '[.curves[] | select(.test == "sharing") | [.member, .variant]]
		| unique == ([["store", "add", "exchange", "cas"][] |
			[., null], [., "own lines"]] | sort)'
	holds '[.curves[].test] - ["latency", "p99"] | unique ==
		["cpus", "fairness", "jain", "sharing", "sum"]'
	# The most CPUs are all that may be used.
	holds '(.cpus | length) as $n |
		any(.curves[]; .test == "sum" and .x.values[-1] == $n)'
	grep -q '^# curve: ' a.dat
}

@test "operations, sharing and hint are those asked for" {
	need_two_cpus
	measure --operation cas,add --share none,word --relax pause
	holds '[.curves[] | select(.test == "sum") | [.member, .variant]]
		| unique == [["add", null], ["cas", "relax"]]'
	holds '[.curves[] | select(.test == "sharing") | [.member, .variant]]
		| unique == [["add", "own lines"], ["cas", "own lines"]]'
	measure --operation lock --relax none
	holds '[.curves[] | [.member, .variant]] | unique == [["lock", null]]'
}

@test "every CPU has its part of the sum" {
	need_two_cpus
	measure --operation add --share word
	holds '(.cpus | sort) as $all | [.curves[] | select(.test == "cpus")][-1]
		| .x.values == $all and (.cpus | sort) == $all'
}

@test "one CPU contends with nobody" {
	cpu=$("$C2C" info --json | tr -d ' \n' |
		sed 's/.*"allowed":\[\([0-9]*\).*/\1/')
	measure --cpus "$cpu"
	holds ".cpus == [$cpu] and all(.curves[];
		.cpus == [$cpu] and .family == \"one CPU\")"
	taskset -c "$cpu" "$C2C" contend "${small[@]}" -q --operation add \
		-o a.json >/dev/null
	sound a.json true
}

@test "domains grow, and none is measured twice" {
	need_two_cpus
	measure --operation add --share word
	holds '[.curves[] | select(.test == "sum") | .x.values[-1]] as $n
		| $n == ($n | unique)'
	holds '[.curves[] | select(.test == "sum") | .family]
		- ["SMT siblings", "same LLC", "same package", "all packages"]
		== []'
}

@test "--json prints what -o FILE.json writes, and plot reads it" {
	need_jq
	"$C2C" contend "${small[@]}" --operation add --json -o a.json \
		>printed 2>err
	diff a.json printed
	"$C2C" plot --term - <printed >out 2>err
	grep -q '^sum: ' out
	mv printed b.json
	"$C2C" plot --term --test fairness b.json >out 2>err
	grep -q 'share' out
}

@test "two runs are compared curve by curve" {
	need_no_sanitizer
	need_two_cpus
	for file in a b; do
		"$C2C" contend -q "${small[@]}" --operation add \
			-o "$file.json" >/dev/null
	done
	run --separate-stderr "$C2C" compare -q a.json b.json --json
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[[ $output == *'"add"'* ]]
}

@test "a picture is drawn, and a .csv has no curves" {
	need_two_cpus
	"$C2C" contend -q "${small[@]}" --operation add,lock -o a.json \
		>out 2>err
	if command -v gnuplot >/dev/null; then
		"$C2C" plot a.json -o a.svg
		grep -q '>sum<' a.svg
	fi
	refuse 2 .csv "these are curves" -- -o b.csv
}

@test "what makes no sense is refused" {
	refuse 2 --operation "'swap'" "exchange, cas, lock" -- --operation swap
	refuse 2 --operation "''" -- --operation ''
	refuse 2 --share "word, line, none" -- --share lines
	refuse 2 --relax both none pause -- --relax yes
	refuse 2 --pair --cpus -- --pair 0,1
	refuse 2 --from --cpus -- --from 0
	refuse 2 --all-pairs --cpus -- --all-pairs
	refuse 2 --jobs -- --jobs 2
	refuse 2 --keep-passes -- --keep-passes
	refuse 2 --cpus 99999 -- --cpus 99999
	refuse 2 stray -- stray
	refuse 2 "nothing is left" -- --operation lock --share line,none
	echo '{}' >b.json
	refuse 2 --resume -- --resume b.json
	rm b.json
	no_files_but
}

@test "--quick is short unless a budget is given" {
	measure --quick --operation add
	holds '.options.quick and .options.budget_s == 1.5
		and .options.share == "word"'
	measure --quick --operation add --budget 1 --share word,line
	holds '.options.budget_s == 1 and .options.share == "word,line"'
}

@test "an interrupt leaves a record of what was measured" {
	need_two_cpus
	for _ in {1..5}; do
		begin_command contend "${long[@]}" -o a.json
		kill -INT "$pid"
		finish
		[ "$status" -eq 130 ]
		[ ! -e a.json ] || break
	done
	sound a.json false
	holds '[.curves[].median[]] | any(.[]; . != null)'
	grep -q '^sum: ' out
}

@test "output that nobody takes is an error" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run --separate-stderr bash -c \
		"'$C2C' contend -q ${small[*]} --operation add >/dev/full"
	[ "$status" -eq 1 ]
}
