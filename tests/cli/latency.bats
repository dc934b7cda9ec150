#!/usr/bin/env bats
# c2c latency as a user types it: what it measures and writes, and what it
# refuses. For bad machines and rude users see hostile.bats.
#
# The CPUs are made up: between SMT siblings (0 and 1, 2 and 3, ...) the latency
# is 20 ns, below one cache (0 to 3, 4 to 7) 60 ns, else 140 ns, in each pass 5 %
# more or less, and a visit takes 1 ms. See tests/made_up.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154) and use what seems unused (SC2034).
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	make_up
	command=latency
	small=("${short[@]}")
}

teardown()
{
	end_jobs
	settle
}

# keys INDENT: the keys at that depth below the top, in one line.
keys()
{
	sed -n "s/^  $1\"\([a-z_0-9]*\)\":.*/\1/p" | tr '\n' ' '
}

# What is measured without noise, all passes alike.
quiet()
{
	export C2C_MADE_UP="noise=0${1:+ $1}"
}

# bats test_tags=threads
@test "a default run fills every matrix of every format" {
	quiet
	run --separate-stderr "$C2C" latency --seed=7 -o a.json -o a.dat -o a.csv
	[ "$status" -eq 0 ]
	[[ $output == *"minimum 20 ns (CPUs 0 and 1), median 140, maximum 140 (CPUs 0 and 4)"* ]]
	[[ $output == *"one-way, median of 23 passes over 28 pairs in 1.0 s, 4 pairs together (bias +0.0 %); passes agree at 1.00 (even, odd) and 1.00 (halves)"* ]]
	[[ $output == *"95 % intervals within 1.0 % of the medians "* ]]
	no_files_but a.csv a.dat a.json
	sound a.json true
	holds '.options.pairs == "all" and .options.method == "line"'
	holds '[.matrices[].statistic] == ["median", "min", "p10", "p90",
		"ci_low", "ci_high", "passes"]'
	holds '.matrices[] | select(.statistic != "passes") | .values == [
		[null, 20, 60, 60, 140, 140, 140, 140],
		[20, null, 60, 60, 140, 140, 140, 140],
		[60, 60, null, 20, 140, 140, 140, 140],
		[60, 60, 20, null, 140, 140, 140, 140],
		[140, 140, 140, 140, null, 20, 60, 60],
		[140, 140, 140, 140, 20, null, 60, 60],
		[140, 140, 140, 140, 60, 60, null, 20],
		[140, 140, 140, 140, 60, 60, 20, null]]'
	# The last pass had not come to all pairs.
	holds '[.matrices[6].values[][] | values] | length == 56 and
		unique == [23, 24]'
	# The three say the same.
	for statistic in median min p10 p90 ci_low ci_high passes; do
		grep -q "^# matrix: latency $statistic " a.dat
	done
	[ "$(cell a.dat median 1 2) $(cell a.dat median 2 1)" = "20 20" ]
	[ "$(cell a.dat median 1 1) $(cell a.dat median 8 1)" = "nan 140" ]
	[ "$(sed -n 2p a.csv)" = 0,,20,60,60,140,140,140,140 ]
	"$C2C" latency --seed=7 --json >printed 2>err
	jq 'del(.started)' printed >again.json
	jq 'del(.started)' a.json | diff - again.json
}

@test "the summary wraps on a terminal, between words, and only there" {
	"$C2C" latency -q "${patient[@]}" >out
	grep -q '^95 % intervals .* see --runs 5$' out
	script -qec "TERM=xterm COLUMNS=45 '$C2C' latency -q ${patient[*]}" \
		typescript </dev/null >/dev/null 2>&1 3>&-
	tr -d '\r' <typescript | sed '1,/^minimum/{/^minimum/!d};/^Script/d' >wrapped
	[ "$(wc -L <wrapped)" -le 45 ]
	# A further line begins with blanks.
	[ "$(grep -c '^    [^ ]' wrapped)" -ge 3 ]
	# Nothing is lost.
	tr -s '\n ' '  ' <wrapped >words
	grep -q 'of the medians (widest between CPUs .*); runs may differ by more: see --runs 5' words
}

@test "the JSON has the keys of the format, in its order" {
	"$C2C" latency "${short[@]}" --json >a.json
	[ "$(keys '' <a.json)" = "format version command started elapsed_s complete tool machine options run cpus matrices topology " ]
	[ "$(sed -n '/^  "machine"/,/^  }/p' a.json | keys '  ')" = "hostname cpu_model arch kernel hypervisor microcode governor smt boost clock packages numa_nodes llcs cores cpus_online huge_pages warnings " ]
	[ "$(sed -n '/^  "options"/,/^  }/p' a.json | keys '  ')" = "pairs pair per cpus passes_min passes_max precision_pct budget_s jobs idle seed runs method round_trips samples home lines spin_hint round_trip both_ways by_line keep_lines warm_up sample_statistic " ]
	holds '(.tool | keys_unsorted) == ["version", "compiler", "cflags"]'
	holds '(.machine.clock | keys_unsorted) ==
		["source", "hz", "invariant", "step_ns"]'
	holds 'all(.matrices[]; keys_unsorted == ["name", "statistic", "unit",
		"quantity", "better", "symmetric", "values"])'
	"$C2C" plot --term a.json >/dev/null
}

@test "every option is recorded with its effective value" {
	measure --passes 7:7 --precision 5 --budget 3 --jobs max --idle park \
		--seed 42 --round-trips 20 --samples 3 --home interleave \
		--spin-hint pause --cpus 1,0 --method cas --round-trip
	holds '.options | .passes_min == 7 and .passes_max == 7
		and .precision_pct == 5 and .budget_s == 3 and .jobs == 1
		and .idle == "park" and .seed == 42 and .round_trips == 20
		and .samples == 3 and .home == "interleave" and .spin_hint == "pause"
		and .method == "cas" and .round_trip and .pairs == "all"
		and .per == "cpu"'
	holds '.options.cpus == "1,0" and .cpus == [1, 0]'
	holds '.run.passes == 7 and .matrices[6].values[0][1] == 7'
	measure --pair 0,1 --idle spin --jobs 1000
	holds '.options.pairs == "pair" and .options.pair == "0,1"'
	holds '.options.idle == "spin" and .options.jobs == 1'
}

@test "a run makes exactly as many passes as were asked for" {
	for passes in 1:1 2:2 7:7 100:100; do
		measure --passes "$passes" --cpus 0,1
		holds ".run.passes == ${passes%:*}"
		holds "[.matrices[6].values[][] | select(. != null)] | unique ==
			[${passes%:*}]"
	done
}

@test "a budget ends a run after the pass that spends it, and never the first" {
	"$C2C" latency --jobs 1 --budget 0 -o a.json >out 2>err
	sound a.json true
	holds '.run.passes == 2'
	# A visit takes a second, a pass four.
	export C2C_MADE_UP="visit_ms=1000"
	local run=("$C2C" latency -q --from 0 --cpus 1-4 --spin-hint none --jobs 1)
	while read -r passes budget arguments; do
		# shellcheck disable=SC2086
		"${run[@]}" --budget "$budget" $arguments --json >a.json
		holds ".matrices[6].values[4][:4] == $passes"
	done <<-'END'
	[1,1,1,1] 0
	[1,1,1,1] 3.5
	[2,2,2,2] 7.5 --passes 1:1000 --precision 0.01
	END
	# Who asks for passes gets them.
	"${run[@]}" --passes 9:9 --json >a.json
	holds '.run.passes == 9 and .elapsed_s == 36'
}

@test "a run ends when its intervals are narrow, after a second at least, or a quarter" {
	"$C2C" latency -q --cpus 0,2 --spin-hint none --precision 50 --json >a.json
	holds '.elapsed_s | . >= 0.25 and . < 0.3'
	"$C2C" latency -q --cpus 0,2,4 --spin-hint none --precision 50 --json >a.json
	holds '.elapsed_s | . >= 1 and . < 1.1'
	# The median of n passes of 5 % noise needs more for less.
	for precision in 50 2 0.5; do
		"$C2C" latency -q --cpus 0,2 --spin-hint none --json \
			--passes 6:100000 --precision "$precision" >a.json
		holds ".run.passes as \$n | [.matrices[4, 0, 5].values[0][1]] |
			.[2] - .[0] <= 2 * .[1] * $precision / 100"
		jq .run.passes a.json
	done >passes
	[ "$(tr '\n' ' ' <passes)" = "11 26 567 " ]
}

@test "every method, way to wait, home and number of jobs measures" {
	quiet
	methods=$(sed -n 's/^.*--method=\([^ ]*\).*/\1/p' <("$C2C" latency --help=rows))
	[ "$methods" = "line|cas|two-line|one-way" ]
	while read -r method there back; do
		measure --method "$method" --pair 0,1 -v
		grep -q "method $method on CPUs 0,1\|method $method on CPUs 0-1" err
		holds ".options.method == \"$method\" and
			.matrices[0].values == [[null, $there], [$back, null]] and
			.matrices[0].symmetric == ($there == $back)"
	done <<-'END'
	line 20 20
	cas 30 30
	two-line 25 25
	one-way 20 22
	END
	while read -r jobs together; do
		measure --jobs "$jobs"
		holds ".options.jobs == $together and .run.jobs == $together
			and .run.jobs_bias == (if $together > 1 then 0 else null end)
			and .matrices[0].values[0] ==
				[null, 20, 60, 60, 140, 140, 140, 140]"
	done <<-'END'
	1 1
	2 2
	max 4
	auto 4
	END
	while read -r option word effective; do
		measure "--$option" "$word" --pair 0,2
		holds ".options[\"${option//-/_}\"] | tostring == \"$effective\""
		holds '.matrices[0].values[0][1] == 60'
	done <<-'END'
	idle park park
	idle spin spin
	idle auto park
	home first first
	home second second
	home interleave interleave
	home node:1 node:1
	spin-hint none none
	spin-hint pause pause
	lines 1 1
	lines 8 8
	lines 100000 99999
	END
	holds '.machine.clock == {"source": "tsc", "hz": 2500000000,
		"invariant": true, "step_ns": 20}'
	C2C_CLOCK=clock measure --pair 0,2
	holds '.machine.clock == {"source": "clock_monotonic_raw",
		"hz": 1000000000, "invariant": true, "step_ns": 20} and
		.matrices[0].values[0][1] == 60'
}

@test "samples that take no longer than a step of the clock are told, or refused" {
	quiet step_ns=3000
	local brief=("${short[@]}" --round-trips 50)
	run --separate-stderr "$C2C" latency "${brief[@]}" --pair 0,1 -o a.json
	refused 77 "6 of 6 samples took no longer than a step of the clock (3 us)" \
		C2C_CLOCK=clock
	C2C_CLOCK=clock run --separate-stderr "$C2C" latency "${brief[@]}" \
		--pair 0,1 -o a.json
	refused 77 /sys/devices/system/clocksource
	no_files_but
	# The nearest pairs only, of many: they do not count.
	run --separate-stderr "$C2C" latency "${brief[@]}" --seed=7 -o a.json
	refused 77 "16 of 96 samples"
	measure --pair 0,2 --round-trips 50
	holds '.matrices[0].values[0][1] == 60'
	# No interval is narrower than a step: 3 us over 2 x 50.
	holds '[.matrices[4, 5].values[0][1]] == [30, 90]'
	holds '.run.warnings | any(contains("(3 us) is up to 50 % of a value"))'
	# Unless it is told, c2c takes as many as the clock needs.
	measure
	holds '.options.round_trips == 12800 and .matrices[0].values[0][1] == 20'
	holds '.run.warnings | all(contains("a step of the clock") | not)'
	quiet step_ns=60
	measure --pair 0,2
	holds '.options.round_trips == 50'
}

# The trial of both waiting loops in a.json.
trial='[.run | to_entries[] | select(.key | startswith("spin_hint_")) | .value]'

@test "both waiting loops are tried, and the record has one of them and both figures" {
	# The bare loop has to be lower by 5 %.
	while read -r bare hint none; do
		quiet "bare=$bare"
		measure --spin-hint auto
		holds ".options.spin_hint == \"$hint\" and ($trial | length) == 3"
		holds ".run.spin_hint_core | .none == $none and .pause == 20 and
			.turns == 20 and .ci_low == .ratio and .ci_high == .ratio and
			(.ratio - 20 / $none | fabs) < 1e-4"
		holds '[.run | .spin_hint_llc.pause, .spin_hint_machine.pause] == [60, 140]'
	done <<-'END'
	10 pause 22
	-4 pause 19.2
	-10 none 18
	END
	# What is measured waits by the loop that was chosen.
	holds '.matrices[0].values[0][1, 2, 4] | IN(18, 54, 126)'
	# Neither a loop of the user's nor a long visit needs one.
	for hint in none pause; do
		measure --spin-hint "$hint"
		holds "$trial == []"
	done
	"$C2C" latency --json --round-trips 1000000 --samples 1 --passes 1:1 \
		--pair 0,1 >a.json
	holds "$trial | length == 1"
	# A budget of nothing has one round: too few turns for an interval.
	"$C2C" latency --json --budget 0 --pair 0,1 >a.json
	holds "$trial | all(.turns == 4 and .ci_low == null)"
	holds '.options.spin_hint == "pause"'
}

# tried LOOP CORE_NONE CORE_PAUSE: b.json is a.json without values, by that
# loop, after a trial with these figures of SMT siblings; of others both loops
# had the same.
tried()
{
	jq --arg loop "$1" --argjson none "$2" --argjson pause "$3" '
		def figure($none; $pause): {turns: 96, $none, $pause,
			ratio: ($pause / $none), ci_low: (0.99 * $pause / $none),
			ci_high: (1.01 * $pause / $none)};
		.options.spin_hint = $loop |
		.run.spin_hint_core = figure($none; $pause) |
		.run.spin_hint_llc = figure(50; 50) |
		.matrices[].values |= map(map(null))' a.json >b.json
}

@test "a run that goes on waits by the loop of the first, and tells its trial" {
	measure --cpus 0,1 --spin-hint none
	for loop in none pause; do
		tried "$loop" 32 14
		measure --cpus 0,1 --resume b.json
		holds ".options.spin_hint == \"$loop\""
		holds "$trial | length == 2"
		holds '.run.spin_hint_core | .turns == 96 and .none == 32 and
			.pause == 14 and .ratio == 0.4375'
		grep -q "^waiting loop: $loop (trial: none 32, pause 14 ns" out
		[[ $(<out) != *"none 50"* ]]
		measure --cpus 0,1 --resume b.json --spin-hint "$loop"
	done
	refuse 2 --spin-hint pause -- --resume b.json --cpus 0,1 --spin-hint none
	# 10 % are no difference.
	tried none 30 28
	measure --cpus 0,1 --resume b.json
	run -1 grep "waiting loop" out
	# Neither is what noise may have made.
	tried none 32 14
	jq '.run.spin_hint_core.ci_high = 1.2' b.json >c.json
	measure --cpus 0,1 --resume c.json
	run -1 grep "waiting loop" out
}

@test "a trial of anything else in a record is no trial" {
	measure --cpus 0,1 --spin-hint none
	for block in null 7 '"x"' '[1]' '{}' '{"turns": "x"}' '{"turns": -1}' \
		'{"turns": 96, "none": null, "pause": {}, "ratio": 1e300,
			"ci_low": "1", "ci_high": 0.5}'; do
		tried none 32 14
		jq --argjson block "$block" '.run.spin_hint_core = $block' \
			b.json >c.json
		measure --cpus 0,1 --resume c.json
		"$C2C" compare a.json c.json >out 2>err || [ $? -eq 2 ]
	done
}

@test "kept passes are those that the matrices were made of" {
	measure --cpus 0,1
	holds 'has("passes") | not'
	measure --passes 7:7 --cpus 1,0 --round-trip --keep-passes -o a.dat
	holds '.passes | length == 1'
	holds ".passes[0] | .name == \"latency\" and .unit == \"ns\"
		and .pairs == [[1, 0]]"
	holds '.passes[0].values | length == 7 and all(length == 1)'
	holds '[.matrices[:2][].values[0][1]] ==
		([.passes[0].values[][0]] | sort | [.[3], .[0]])'
	holds '.passes[0].start_s |
		length == 7 and . == sort and .[0] >= 0'
	holds '.passes[0].start_s[6] <= .elapsed_s'
	run -1 grep -q start_s a.dat
	"$C2C" plot --term a.json >/dev/null
	# Each direction by itself.
	measure --cpus 1,0 --method one-way --keep-passes
	holds '[.passes[].pairs] == [[[0, 1], [1, 0]]]'
}

@test "a run that goes on hands on the passes of the first" {
	measure --cpus 0,1 --keep-passes
	first=$(jq -c '.passes[0]' a.json)
	jq '.matrices[].values = [[null, null], [null, null]]' a.json >b.json
	measure --cpus 0,1 --resume b.json
	holds ".passes == [$first]"
	measure --cpus 0,1 --resume b.json --keep-passes --seed=8
	holds "(.passes | length) == 2 and .passes[1] == $first"
	holds '.passes[0].values != .passes[1].values'
}

@test "pairs together by choice may be resumed one at a time" {
	measure --cpus 0,1
	jq '.matrices[].values = [[null, null], [null, null]]
		| .options.jobs = 4 | .options.idle = "park" | .run.jobs = 4
		| .run.jobs_bias = 0.01 | .run.jobs_chosen = true' a.json >b.json
	measure --cpus 0,1 --resume b.json
	holds '.complete and .options.jobs == 4 and .options.idle == "park"
		and .run.jobs == 4 and .run.jobs_bias == 0.01
		and .run.jobs_chosen'
	jq '.run.jobs_chosen = false' b.json >c.json
	refuse 2 "'c.json'" "--jobs" -- "${small[@]}" --cpus 0,1 \
		--resume c.json
	# Pairs together have lines of their own; on too few cores, none are.
	jq '.options.jobs = 200 | .options.lines = 1800' b.json >d.json
	measure --cpus 0,1 --resume d.json
	jq '.run.jobs_chosen = false | .options.jobs = 1' b.json >e.json
	measure --cpus 0,1 --resume e.json
}

@test "a record of other lines, another clock, unit or direction is not resumed" {
	measure --cpus 0,1 --lines 500
	jq '.matrices[].values = [[null, null], [null, null]]' a.json >part.json
	local same=("${small[@]}" --cpus "0,1" --lines 500)
	refuse 2 "'part.json'" "--lines 495" "--lines 1017" -- \
		"${small[@]}" --cpus "0,1" --resume part.json
	refuse 2 "'part.json'" "without --round-trip" -- \
		"${same[@]}" --round-trip --resume part.json
	jq '.machine.clock.source = "sundial"' part.json >other.json
	refuse 2 "'other.json'" "'sundial'" C2C_CLOCK -- \
		"${same[@]}" --resume other.json
	jq '.matrices[0].unit = "us"' part.json >other.json
	refuse 2 "'other.json'" "one-way in us" "one-way in ns" -- \
		"${same[@]}" --resume other.json
	jq '.matrices[0].quantity = "round-trip"' part.json >other.json
	refuse 2 "'other.json'" "round-trip in ns" "one-way in ns" -- \
		"${same[@]}" --resume other.json
	# Those of whole visits are those that were asked for.
	measure --cpus 0,1 --lines 500 --resume part.json
	measure --cpus 0,1 --lines 495 --resume part.json
}

@test "one-way reports both directions, or why it cannot" {
	quiet
	measure --method one-way
	holds 'all(.matrices[]; .symmetric | not)'
	holds '.matrices[0].values | .[0] == [null, 20, 60, 60, 140, 140, 140, 140]
		and (.[5] | map(. // 0 | . * 10 | round)) ==
			[1540, 1540, 1540, 1540, 220, 0, 600, 600]'
	# One counter is ahead of the other.
	quiet apart_ns=5
	measure --method one-way
	holds '.matrices[0].values | .[0][1] == 25 and .[1][0] == 17'
	quiet apart_ns=8
	run --separate-stderr "$C2C" latency --method one-way -o a.json
	refused 77 "the latencies of both directions differ by 14 ns, so one counter may be 7 ns ahead" \
		two-line
	quiet apart_ns=1000
	run --separate-stderr "$C2C" latency --method one-way -o a.json
	refused 77 "no message arrived after it was sent" two-line
	C2C_CLOCK=clock run --separate-stderr "$C2C" latency --method one-way
	refused 77 "no invariant counter (its clock source is clock_monotonic_raw)"
	no_files_but a.json err out
}

@test "both ways measures each pair in either order" {
	quiet back=10
	while read -r method there back; do
		measure --both-ways --method "$method" --keep-passes
		holds '.options.both_ways and .run.pairs == 56'
		holds 'all(.matrices[]; .symmetric | not)'
		holds "[.matrices[0].values | .[0][1], .[1][0]] == [$there, $back]"
		holds 'all(.passes[]; (.pairs | unique | length) == 56)'
	done <<-'END'
	line 20 22
	cas 30 33
	two-line 25 27.5
	END
	measure --both-ways --pair 1,0
	holds '.run.pairs == 2 and .cpus == [1, 0] and
		.matrices[0].values == [[null, 22], [20, null]]'
	# A record of one way is none of both.
	measure --pair 0,1 -o b.json
	jq '.matrices[].values = [[null, null], [null, null]]' b.json >part.json
	refuse 2 "'part.json'" "without --both-ways" -- "${short[@]}" \
		--pair 0,1 --both-ways --resume part.json
	jq 'del(.options.both_ways)' part.json >old.json
	measure --pair 0,1 --resume old.json
}

@test "a file says whether it holds one way or round trips" {
	quiet
	measure --pair 0,2
	holds 'all(.matrices[:6][]; .quantity == "one-way" and .values[0][1] == 60)'
	measure --pair 0,2 --round-trip
	holds 'all(.matrices[:6][]; .quantity == "round-trip" and
		.values[0][1] == 120)'
	grep -q '^round-trip, ' out
}

@test "a seed is drawn anew unless it is given" {
	measure
	first=$(jq .options.seed a.json)
	measure
	holds ".options.seed != $first"
	for seed in 0 7 9007199254740991; do
		measure --seed "$seed"
		[ "$(get a.json seed)" = "$seed" ]
	done
}

@test "CPUs and pairs keep their order, and only these are measured" {
	quiet
	while read -r pairs cpus arguments; do
		# shellcheck disable=SC2086
		measure $arguments
		holds ".cpus == $cpus and .run.pairs == $pairs"
	done <<-'END'
	1 [1,0] --cpus 1,0
	1 [1,0] --pair 1,0
	1 [0,1] --cpus pu:0-1
	1 [0,1] --cpus 0,1,0
	6 [0,2,4,6] --cores
	1 [0,4] --per llc
	1 [0,4] --per node
	3 [5,2,7] --cpus 5,2,7
	7 [0,1,2,3,4,5,6,7] --from 1
	2 [4,6,1] --cpus 4,6 --from 1
	END
	holds '[.matrices[0, 6].values[] | map(. // 0)] ==
		[[0, 0, 140], [0, 0, 140], [140, 140, 0],
		[0, 0, 6], [0, 0, 6], [6, 6, 0]]'
	refuse 2 --cpus "one CPU" -- --cores --cpus 0,1
}

@test "no colour reaches a pipe, none of a bare environment breaks it" {
	run --separate-stderr env -i "$C2C" latency "${short[@]}"
	[ "$status" -eq 0 ]
	[[ $output != *$'\033'* ]]
	run --separate-stderr "$C2C" latency "${short[@]}" --quiet
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	run --separate-stderr "$C2C" latency "${short[@]}" --verbose
	[[ $stderr == *seed* ]]
}

@test "what c2c info warns of is warned of beside the figures" {
	"$C2C" info | grep -q "What would disturb"
	run --separate-stderr "$C2C" latency "${short[@]}"
	[[ $stderr == *"this is not the real machine ('c2c info' explains this"* ]]
}

@test "--runs measures in new processes, and one record has all of them" {
	run --separate-stderr "$C2C" latency --runs 3 "${short[@]}" --seed=7 \
		--keep-passes --pair 0,1 -o runs.json
	[ "$status" -eq 0 ]
	[[ $output == *"median of 3 runs with 18 passes in all over 1 pair"* ]]
	[[ $output == *"range of the runs within "* ]]
	[[ $output == *"standard deviation of a pair: "*" between runs, "*" between passes"* ]]
	[[ $output == *"largest: "*"; passes leave "* ]]
	# Six passes do not tell the lines.
	[[ $output == *"not separated: the effects of cache lines and their node"* ]]
	jq -e '(.runs | length) == 3 and .complete and .run.runs == 3 and
		.run.interval == "range" and .options.runs == 3 and
		([.runs[].options.seed] == [7, 8, 9]) and
		([.runs[].options.spin_hint] | unique | length) == 1 and
		(.runs | all(.passes[0].values | length == 6)) and
		(.topology.hwloc_xml != null) and
		(.runs | all(.topology.hwloc_xml == null)) and
		([.matrices[].statistic] | index("sd_runs") != null) and
		(.matrices[0].values[0][1] as $v | ([.runs[].matrices[0] |
			.values[0][1]] | sort | .[1]) == $v)' runs.json
	for i in 0 1 2; do
		jq ".topology as \$all | .runs[$i] |
			.topology = \$all" runs.json >one.json
		sound one.json true
	done
	# Other commands take it as any record.
	"$C2C" analyze runs.json
	"$C2C" plot --term runs.json
	"$C2C" export --hwloc x.xml runs.json
	"$C2C" latency "${short[@]}" --runs 1 --pair 0,1 --json >one.json
	jq -e '.runs == null' one.json
	# What ends the options here does not end those of each run.
	"$C2C" latency "${short[@]}" --pair 0,1 --json --seed=7 \
		--runs 2 -- >two.json
	jq -e '[.runs[].options.seed] == [7, 8]' two.json
}

@test "--runs tells the part of the lines and of the clock" {
	run --separate-stderr "$C2C" latency -q --runs 3 --passes 200:200 \
		--lines 18 --pair 0,1 -o runs.json
	[ "$status" -eq 0 ]
	[[ $output == *" between passes, "*" by the cache lines"* ]]
	[[ $output != *"the effects of cache lines and their node"* ]]
	jq -e '[.runs[].matrices[] | select(.statistic == "sd_lines") |
		.values[0][1] >= 0] == [true, true, true] and
		(.matrices | map(.statistic) | index("sd_lines") != null)' \
		runs.json
	jq -e '[.runs[].run.core_clock_ghz] == [3.5, 3.5, 3.5]' runs.json
	# A single run has neither.
	measure --pair 0,1
	holds '[.matrices[].statistic] | index("sd_lines") == null'
	holds '.run.core_clock_ghz == null'
}

# bats test_tags=threads
@test "an interrupt keeps the runs that ended and what the broken one has" {
	# The process that began the runs is told, in the middle of the first.
	status=0
	C2C_MADE_UP="visit_ms=0.001 end=3000 parent=1 signal=15" "$C2C" latency -q \
		--runs 3 "${long[@]}" -o cut.json >printed 2>said || status=$?
	[ "$status" -eq 130 ]
	jq -e '.complete == false and (.runs | length) == 1 and
		.runs[0].complete == false and
		(.run.warnings | any(test("interrupted in run 1 of 3")))' \
		cut.json
	# Its figures are those of that run, with the intervals of its passes.
	jq -e '.run.interval == "passes" and .matrices == .runs[0].matrices and
		(.matrices | any(.statistic == "ci_low" and
			.values[0][1] != null))' cut.json
	grep -q "95 % intervals of its passes within " printed
	grep -q "a single run does not show how far runs differ" printed
}

@test "the error of the first run is that of the command" {
	run --separate-stderr "$C2C" latency --runs 2 --pair 0,99999
	refused 2 "c2c latency: --pair: CPU 99999 is not on this machine"
	[[ $stderr != *"c2c latency: c2c"* ]]
}

@test "--runs of queue, memcpy and cache keep all runs, and compare takes them" {
	"$C2C" queue -q "${short[@]}" --pair 0,1 --runs 2 -o queue.json
	"$C2C" memcpy -q "${short[@]}" --size 1M --pair 0,1 --runs 2 \
		-o memcpy.json
	"$C2C" cache -q "${short[@]}" --latency --sizes 1K:8K --no-infer \
		--cpus "$(pair | cut -d , -f 1)" --runs 2 -o cache.json
	for command in queue memcpy cache; do
		jq -e '(.runs | length) == 2 and .run.runs == 2' $command.json
		cp $command.json again.json
		run --separate-stderr "$C2C" compare -q $command.json again.json
		[ "$status" -eq 0 ]
		[[ $output == *"cannot tell from 2 and 2 runs"* ]]
	done
	# A point has the median of the runs.
	jq -e '. as $all | [range(.curves[0].x.values | length)] | all(. as $k |
		([$all.runs[].curves[0].median[$k]] | add / 2) as $middle |
		($all.curves[0].median[$k] / $middle - 1 | fabs) < 1e-5)' \
		cache.json
}
