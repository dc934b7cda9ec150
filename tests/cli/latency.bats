#!/usr/bin/env bats
# c2c latency as a user types it: what it measures and writes, and what it
# refuses. For bad machines and rude users see hostile.bats.
#
# The tests assert only what physics and order guarantee of numbers (sound.jq).
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154) and use what seems unused (SC2034).
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	command=latency
	small=("${short[@]}")
}

teardown()
{
	end_jobs
}

# keys INDENT: the keys at that depth below the top, in one line.
keys()
{
	sed -n "s/^  $1\"\([a-z_0-9]*\)\":.*/\1/p" | tr '\n' ' '
}

@test "a default run fills every matrix of every format" {
	need_two_cpus
	run --separate-stderr "$C2C" latency "${short[@]}" -o a.json -o a.dat \
		-o a.csv
	[ "$status" -eq 0 ]
	[[ $output == *minimum*median*maximum* ]]
	[[ $output == *"95 % intervals within"* ]]
	no_files_but a.csv a.dat a.json
	sound a.json true
	holds '.options.pairs == "all" and .options.method == "line"'
	for statistic in median min p10 p90 ci_low ci_high passes; do
		grep -q "^# matrix: latency $statistic " a.dat
	done
	[ "$(cell a.dat median 1 2)" = "$(cell a.dat median 2 1)" ]
	[ "$(cell a.dat median 1 1)" = nan ]
	# The three say the same.
	[ "$(cell a.dat median 1 2)" = "$(jq '.matrices[0].values[0][1]' a.json)" ]
	[ "$(sed -n 2p a.csv | cut -d, -f3)" = "$(cell a.dat median 1 2)" ]
}

@test "the summary wraps on a terminal, between words, and only there" {
	need_two_cpus
	"$C2C" latency -q "${patient[@]}" >out
	grep -q '^95 % intervals .* which --runs 5 measures$' out
	script -qec "TERM=xterm COLUMNS=45 '$C2C' latency -q ${patient[*]}" \
		typescript </dev/null >/dev/null 2>&1 3>&-
	tr -d '\r' <typescript | sed '1,/^minimum/{/^minimum/!d};/^Script/d' >wrapped
	[ "$(wc -L <wrapped)" -le 45 ]
	# A further line begins with blanks.
	[ "$(grep -c '^    [^ ]' wrapped)" -ge 3 ]
	# Nothing is lost.
	tr -s '\n ' '  ' <wrapped >words
	grep -q 'of the medians (widest between CPUs .*); another run may differ by more, which --runs 5 measures' words
}

@test "--json prints what -o FILE.json writes" {
	need_two_cpus
	"$C2C" latency "${short[@]}" --json -o a.json >printed 2>err
	diff a.json printed
	sound printed true
}

@test "the JSON has the keys of the format, in its order" {
	need_two_cpus
	"$C2C" latency "${short[@]}" --json >a.json
	[ "$(keys '' <a.json)" = "format version command started elapsed_s complete tool machine options run cpus matrices topology " ]
	[ "$(sed -n '/^  "machine"/,/^  }/p' a.json | keys '  ')" = "hostname cpu_model arch kernel hypervisor microcode governor smt boost clock packages numa_nodes llcs cores cpus_online huge_pages warnings " ]
	[ "$(sed -n '/^  "options"/,/^  }/p' a.json | keys '  ')" = "pairs pair per cpus passes_min passes_max precision_pct budget_s jobs idle seed runs method round_trips samples home lines relax round_trip both_ways warm_up " ]
	holds '(.tool | keys_unsorted) == ["version", "compiler", "cflags"]'
	holds '(.machine.clock | keys_unsorted) ==
		["source", "hz", "invariant", "step_ns"]'
	holds 'all(.matrices[]; keys_unsorted == ["name", "statistic", "unit",
		"quantity", "better", "symmetric", "values"])'
	"$C2C" plot --term a.json >/dev/null
}

@test "each method of the help is the one that runs" {
	need_two_cpus
	methods=$(sed -n 's/^.*--method=\([^ ]*\).*/\1/p' <("$C2C" latency --help))
	[ "$methods" = "line|cas|two-line|one-way" ]
	for method in ${methods//|/ }; do
		"$C2C" latency --pair "$(pair)" --passes 1:1 -v --method "$method" \
			-o a.json >out 2>err || [ "$method" = one-way ]
		grep -q "method $method on CPUs" err
	done
}

@test "every option is recorded with its effective value" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --passes 7:7 --precision 5 --budget 3 --jobs max --idle park \
		--seed 42 --round-trips 20 --samples 3 --home interleave \
		--relax pause --cpus "$b,$a" --method cas --round-trip
	holds '.options | .passes_min == 7 and .passes_max == 7
		and .precision_pct == 5 and .budget_s == 3 and .jobs == 1
		and .idle == "park" and .seed == 42 and .round_trips == 20
		and .samples == 3 and .home == "interleave" and .relax == "pause"
		and .method == "cas" and .round_trip and .pairs == "all"
		and .per == "cpu"'
	holds "(.options.cpus == \"$b,$a\") and .cpus == [$b, $a]"
	holds '.run.passes == 7 and .matrices[6].values[0][1] == 7'
	measure --pair "$a,$b" --idle spin --jobs 1000
	holds ".options.pairs == \"pair\" and .options.pair == \"$a,$b\""
	holds '.options.idle == "spin" and .options.jobs == 1'
}

@test "a run makes exactly as many passes as were asked for" {
	need_two_cpus
	for passes in 1:1 2:2 7:7 100:100; do
		measure --passes "$passes" --cpus "$(pair)"
		holds ".run.passes == ${passes%:*}"
		holds "[.matrices[6].values[][] | select(. != null)] | unique ==
			[${passes%:*}]"
	done
}

@test "a budget of nothing still gives the whole matrix" {
	need_two_cpus
	"$C2C" latency --budget 0 -o a.json >out 2>err
	sound a.json true
	holds '.run.passes >= 1'
}

@test "every method, way to wait, home and number of jobs measures" {
	need_two_cpus
	for method in line cas two-line; do
		measure --method "$method"
		holds ".options.method == \"$method\" and .matrices[0].symmetric"
	done
	for jobs in 1 max auto 2; do
		measure --jobs "$jobs"
		holds '.options.jobs >= 1 and .options.jobs == .run.jobs'
	done
	for idle in park spin auto; do
		measure --idle "$idle"
		holds '.options.idle == "park" or .options.idle == "spin"'
	done
	for home in first second interleave "node:$(a_node)"; do
		measure --home "$home"
		holds ".options.home == \"$home\""
	done
	for relax in none pause; do
		measure --relax "$relax"
		holds ".options.relax == \"$relax\""
	done
	for lines in 1 8 100000; do
		measure --lines "$lines"
	done
	C2C_CLOCK=clock measure
	holds '.machine.clock | .step_ns > 0 and del(.step_ns) ==
		{"source": "clock_monotonic_raw", "hz": 1000000000,
			"invariant": true}'
}

# The trial of both waiting loops in a.json.
trial='[.run | to_entries[] | select(.key | startswith("relax_")) | .value]'

@test "both waiting loops are tried, and the record has one of them and both figures" {
	need_two_cpus
	for method in line cas two-line; do
		for relax in "" --relax=auto; do
			measure --method "$method" ${relax:+"$relax"}
			holds '.options.relax | . == "none" or . == "pause"'
			holds "$trial | length > 0 and all((keys_unsorted ==
				[\"turns\", \"none\", \"pause\", \"ratio\",
				\"ci_low\", \"ci_high\"]) and .turns >= 1 and
				.none > 0.5 and .pause > 0.5 and .ratio > 0)"
		done
	done
	# Neither a loop of the user's nor a long visit needs one.
	for relax in none pause; do
		measure --relax "$relax"
		holds "$trial == []"
	done
	"$C2C" latency --json --round-trips 1000000 --samples 1 --passes 1:1 \
		--pair "$(pair)" >a.json
	holds "$trial | length == 1"
	# A budget of nothing has one round: too few turns for an interval.
	"$C2C" latency --json --budget 0 --pair "$(pair)" >a.json
	holds "$trial | all(.turns <= 4 and .ci_low == null)"
	holds '.options.relax == "pause"'
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
		.options.relax = $loop |
		.run.relax_core = figure($none; $pause) |
		.run.relax_llc = figure(50; 50) |
		.matrices[].values |= map(map(null))' a.json >b.json
}

@test "a run that goes on waits by the loop of the first, and tells its trial" {
	need_two_cpus
	measure --cpus "$(pair)" --relax none
	for loop in none pause; do
		tried "$loop" 32 14
		measure --cpus "$(pair)" --resume b.json
		holds ".options.relax == \"$loop\""
		holds "$trial | length == 2"
		holds '.run.relax_core | .turns == 96 and .none == 32 and
			.pause == 14 and .ratio == 0.4375'
		grep -q "^waiting loop: $loop; .* none 32, pause 14 ns" out
		[[ $(<out) != *"none 50"* ]]
		measure --cpus "$(pair)" --resume b.json --relax "$loop"
	done
	refuse 2 --relax pause -- --resume b.json --cpus "$(pair)" --relax none
	# 10 % are no difference.
	tried none 30 28
	measure --cpus "$(pair)" --resume b.json
	run -1 grep "waiting loop" out
	# Neither is what noise may have made.
	tried none 32 14
	jq '.run.relax_core.ci_high = 1.2' b.json >c.json
	measure --cpus "$(pair)" --resume c.json
	run -1 grep "waiting loop" out
}

@test "a trial of anything else in a record is no trial" {
	need_two_cpus
	measure --cpus "$(pair)" --relax none
	for block in null 7 '"x"' '[1]' '{}' '{"turns": "x"}' '{"turns": -1}' \
		'{"turns": 96, "none": null, "pause": {}, "ratio": 1e300,
			"ci_low": "1", "ci_high": 0.5}'; do
		tried none 32 14
		jq --argjson block "$block" '.run.relax_core = $block' \
			b.json >c.json
		measure --cpus "$(pair)" --resume c.json
		"$C2C" compare a.json c.json >out 2>err || [ $? -eq 2 ]
	done
}

@test "kept passes are those that the matrices were made of" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$(pair)"
	holds 'has("passes") | not'
	measure --passes 7:7 --cpus "$b,$a" --round-trip --keep-passes -o a.dat
	holds '.passes | length == 1'
	holds ".passes[0] | .name == \"latency\" and .unit == \"ns\"
		and .pairs == [[$b, $a]]"
	holds '.passes[0].values | length == 7 and all(length == 1)'
	holds '[.matrices[:2][].values[0][1]] ==
		([.passes[0].values[][0]] | sort | [.[3], .[0]])'
	holds '.passes[0].start_s |
		length == 7 and . == sort and .[0] >= 0'
	holds '.passes[0].start_s[6] <= .elapsed_s'
	run -1 grep -q start_s a.dat
	"$C2C" plot --term a.json >/dev/null
	# Each direction by itself, where counters allow it.
	if "$C2C" latency "${short[@]}" --cpus "$(pair)" --method one-way \
		--keep-passes --json >a.json 2>err; then
		holds ".passes[0].pairs == [[$b, $a], [$a, $b]]"
	fi
}

@test "passes that nothing would hold are refused" {
	for file in a.dat a.csv a.png; do
		run --separate-stderr "$C2C" latency --keep-passes -o "$file"
		refused 2 --keep-passes --json .json
	done
	for mode in --readers=all --sweep=64:64K; do
		run --separate-stderr "$C2C" queue "$mode" --keep-passes --json
		refused 2 --keep-passes "no matrix"
	done
	no_files_but
}

@test "a run that goes on hands on the passes of the first" {
	need_two_cpus
	measure --cpus "$(pair)" --keep-passes
	first=$(jq -c '.passes[0]' a.json)
	jq '.matrices[].values = [[null, null], [null, null]]' a.json >b.json
	measure --cpus "$(pair)" --resume b.json
	holds ".passes == [$first]"
	measure --cpus "$(pair)" --resume b.json --keep-passes
	holds "(.passes | length) == 2 and .passes[1] == $first"
	holds '.passes[0].values != .passes[1].values'
}

@test "pairs together by choice may be resumed one at a time" {
	need_two_cpus
	measure --cpus "$(pair)"
	jq '.matrices[].values = [[null, null], [null, null]]
		| .options.jobs = 4 | .options.idle = "park" | .run.jobs = 4
		| .run.jobs_bias = 0.01 | .run.pass_alone_s = 0.7' a.json >b.json
	measure --cpus "$(pair)" --resume b.json
	holds '.complete and .options.jobs == 4 and .options.idle == "park"
		and .run.jobs == 4 and .run.jobs_bias == 0.01
		and .run.pass_alone_s == 0.7'
	jq '.run.pass_alone_s = null' b.json >c.json
	refuse 2 "'c.json'" "--jobs" -- "${small[@]}" --cpus "$(pair)" \
		--resume c.json
	# Pairs together have lines of their own; on too few cores, none are.
	jq '.options.jobs = 200 | .options.lines = 1800' b.json >d.json
	measure --cpus "$(pair)" --resume d.json
	jq '.run.pass_alone_s = null | .options.jobs = 1' b.json >e.json
	measure --cpus "$(pair)" --resume e.json
}

@test "a record of other lines, another clock, unit or direction is not resumed" {
	need_two_cpus
	measure --cpus "$(pair)" --lines 500
	jq '.matrices[].values = [[null, null], [null, null]]' a.json >part.json
	local same=("${small[@]}" --cpus "$(pair)" --lines 500)
	refuse 2 "'part.json'" "--lines 495" "--lines 1017" -- \
		"${small[@]}" --cpus "$(pair)" --resume part.json
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
	measure --cpus "$(pair)" --lines 500 --resume part.json
	measure --cpus "$(pair)" --lines 495 --resume part.json
}

# A NUMA node that has memory.
a_node()
{
	cut -d, -f1 /sys/devices/system/node/has_memory 2>/dev/null |
		cut -d- -f1 | grep . || echo 0
}

@test "one-way reports both directions, or why it cannot" {
	need_two_cpus
	run --separate-stderr "$C2C" latency "${short[@]}" --method one-way -o a.json
	if [ "$status" -eq 0 ]; then
		sound a.json true
		holds 'all(.matrices[]; .symmetric | not)'
	else
		refused 77 counter two-line
		no_files_but
	fi
	C2C_CLOCK=clock run --separate-stderr "$C2C" latency --method one-way
	refused 77 counter clock_monotonic_raw
}

@test "both ways measures each pair in either order" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	for method in line cas two-line; do
		measure --both-ways --method "$method" --keep-passes \
			--passes 40:40
		holds '.options.both_ways and
			.run.pairs == (.cpus | length * (length - 1))'
		holds 'all(.matrices[]; .symmetric | not)'
		# Two figures of their own, not one in two cells.
		holds 'all(.passes[]; (.pairs | unique | length) == (.pairs | length))'
		holds '.matrices[0].values | [.[0][1], .[1][0]] | all(. > 0)'
		# SMT siblings have few different values: medians may be equal.
		holds ".passes[0] | (.pairs[0] | reverse) as \$back |
			(.pairs | index([\$back])) as \$i |
			any(.values[]; .[0] != .[\$i])"
	done
	measure --both-ways --pair "$b,$a"
	holds ".run.pairs == 2 and .cpus == [$b, $a]"
	# A record of one way is none of both.
	measure --pair "$a,$b" -o b.json
	jq '.matrices[].values = [[null, null], [null, null]]' b.json >part.json
	refuse 2 "'part.json'" "without --both-ways" -- "${short[@]}" \
		--pair "$a,$b" --both-ways --resume part.json
	refuse 2 --both-ways --from -- "${short[@]}" --both-ways --from "$a"
	refuse 2 --both-ways one-way -- --both-ways --method one-way
	jq 'del(.options.both_ways)' part.json >old.json
	measure --pair "$a,$b" --resume old.json
}

@test "a file says whether it holds one way or round trips" {
	need_two_cpus
	measure
	holds 'all(.matrices[:6][]; .quantity == "one-way")'
	measure --round-trip
	holds 'all(.matrices[:6][]; .quantity == "round-trip")'
	grep -q '^round-trip, ' out
}

@test "a seed is drawn anew unless it is given" {
	need_two_cpus
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
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$b,$a"
	holds ".cpus == [$b, $a]"
	measure --pair "$b,$a"
	holds ".cpus == [$b, $a] and .run.pairs == 1"
	measure --from "$b"
	holds "(.cpus | index($b)) as \$i | .run.pairs == (.cpus | length) - 1 and
		all(.matrices[6].values | to_entries[];
			.key == \$i or (.value | all(. == null) or .[\$i] > 0))"
	measure --cores --cpus "$a,$b" ||
		grep -q "one CPU" err
	measure --cpus "pu:0-1" || grep -q "cannot use\|affinity\|cpuset" err
	measure --cpus "$a,$b,$a"
	holds ".cpus == [$a, $b]"
}

@test "wrong CPUs are named, with those there are" {
	need_two_cpus
	for list in 1048575 0-1048575 '' ',' 0,,1 x 1-0 core:99999 nonsense:0 99999999999; do
		run --separate-stderr "$C2C" latency --cpus "$list" -o a.json
		refused 2 --cpus
	done
	run --separate-stderr "$C2C" latency --cpus 1048575
	refused 2 "CPU 1048575" "online"
	for pair in 0,0 0 0,1048575 '' a,b '0,'; do
		run --separate-stderr "$C2C" latency --pair "$pair"
		refused 2 --pair
	done
	run --separate-stderr "$C2C" latency --from 1048575
	refused 2 --from
	run --separate-stderr "$C2C" latency --pair 0,1 --from 0
	refused 2 --pair --from
	run --separate-stderr "$C2C" latency --pair 0,1 --cpus 0,1
	refused 2 --pair --cpus
	run --separate-stderr "$C2C" latency --pair 0,1 --pair 0,1
	refused 2 "--pair: given twice"
	run --separate-stderr "$C2C" latency --from 0 --from 0
	refused 2 "--from: given twice"
	no_files_but
}

@test "a CPU outside the affinity is refused and the allowed ones are told" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	run --separate-stderr taskset -c "$a" "$C2C" latency --cpus "$a,$b"
	[ "$status" -eq 77 ] || refused 2 "CPU $b"
}

@test "one usable CPU is status 77 with the reason" {
	IFS=, read -r a _ <<<"$(pair)"
	run --separate-stderr taskset -c "${a:-0}" "$C2C" latency -o a.json
	refused 77 "one CPU"
	no_files_but
}

@test "zero and absurd numbers are refused by option" {
	local bad=(0 -1 x '' 1e99 99999999999999999999 ' 1')
	for option in --round-trips --samples --lines --jobs --passes; do
		for value in "${bad[@]}"; do
			run --separate-stderr "$C2C" latency "$option=$value" -o a.json
			refused 2 "$option"
		done
	done
	for value in 0 -1 x '' nan inf 101; do
		run --separate-stderr "$C2C" latency "--precision=$value"
		refused 2 --precision
	done
	for value in -1 x '' nan inf 1e30; do
		run --separate-stderr "$C2C" latency "--budget=$value"
		refused 2 --budget
	done
	for value in -1 x '' 9007199254740992; do
		run --separate-stderr "$C2C" latency "--seed=$value"
		refused 2 --seed
	done
	for value in 5:2 5: :5 5:6:7; do
		run --separate-stderr "$C2C" latency "--passes=$value"
		refused 2 --passes
	done
	run --separate-stderr "$C2C" latency --round-trips 1000000 --samples 10000
	refused 2 --round-trips --samples
	no_files_but
}

@test "unknown words are refused with those there are" {
	run --separate-stderr "$C2C" latency --method telepathy
	refused 2 --method line cas two-line one-way
	run --separate-stderr "$C2C" latency --idle sleep
	refused 2 --idle park spin auto
	run --separate-stderr "$C2C" latency --relax nap
	refused 2 --relax none pause auto
	for home in away node: node:x; do
		run --separate-stderr "$C2C" latency --home "$home"
		refused 2 --home
	done
	need_two_cpus
	run --separate-stderr "$C2C" latency --home node:9999
	refused 2 --home 9999
	run --separate-stderr "$C2C" latency --method one-way --round-trip
	refused 2 --round-trip
	run --separate-stderr "$C2C" latency --no-such-option
	refused 2 no-such-option
	run --separate-stderr "$C2C" latency stray
	refused 2 stray
}

@test "outputs of unknown kinds, named twice or in missing folders are refused" {
	for file in a.txt a '' .json/; do
		run --separate-stderr "$C2C" latency -o "$file"
		refused 2 -o || refused 1 -o
	done
	run --separate-stderr "$C2C" latency -o a.json -o a.json
	refused 2 -o twice
	run --separate-stderr "$C2C" latency -o a.json -o ./a.json
	refused 2 -o twice
	ln -s a.json b.json
	echo old >a.json
	run --separate-stderr "$C2C" latency -o a.json -o b.json
	refused 2 -o twice
	[ "$(cat a.json)" = old ]
	run --separate-stderr "$C2C" latency -o missing/a.json
	refused 1 -o missing
	run --separate-stderr "$C2C" latency -o /dev/null/a.json
	refused 1 -o
	no_files_but a.json b.json
}

@test "no colour reaches a pipe, none of a bare environment breaks it" {
	need_two_cpus
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
	need_two_cpus
	"$C2C" info | grep -q "What would disturb" ||
		skip "nothing would disturb a measurement here"
	run --separate-stderr "$C2C" latency "${short[@]}"
	[[ $stderr == *"'c2c info' explains it"* ]]
}

@test "--runs measures in new processes, and one record has all of them" {
	need_two_cpus
	need_jq
	run --separate-stderr "$C2C" latency --runs 3 "${short[@]}" --seed 7 \
		--keep-passes --pair "$(pair)" -o runs.json
	[ "$status" -eq 0 ]
	[[ $output == *"median of 3 runs with 18 passes in all over 1 pair"* ]]
	[[ $output == *"range of the runs within "* ]]
	[[ $output == *"standard deviation of a pair: "*" between runs, "*" between passes"* ]]
	[[ $output == *"largest: "*"; passes leave "* ]]
	# Six passes do not tell the lines.
	[[ $output == *"not told apart: the cache lines and their node"* ]]
	jq -e '(.runs | length) == 3 and .complete and .run.runs == 3 and
		.run.interval == "range" and .options.runs == 3 and
		([.runs[].options.seed] == [7, 8, 9]) and
		([.runs[].options.relax] | unique | length) == 1 and
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
	# Other commands take it as any record. Three runs on a busy machine may
	# differ by more than analyze takes, so their intervals are made narrow.
	jq '.matrices[0].values as $m | (.matrices[] |
		select(.statistic | startswith("ci_"))).values = $m' \
		runs.json >narrow.json
	"$C2C" analyze narrow.json
	"$C2C" plot --term runs.json
	"$C2C" export --hwloc x.xml runs.json
	"$C2C" latency "${short[@]}" --runs 1 --pair "$(pair)" --json >one.json
	jq -e '.runs == null' one.json
	# What ends the options here does not end those of each run.
	"$C2C" latency "${short[@]}" --pair "$(pair)" --json --seed 7 \
		--runs 2 -- >two.json
	jq -e '[.runs[].options.seed] == [7, 8]' two.json
}

@test "--runs tells the part of the lines and of the clock" {
	need_two_cpus
	need_jq
	run --separate-stderr "$C2C" latency -q --runs 3 --passes 200:200 \
		--lines 18 --pair "$(pair)" -o runs.json
	[ "$status" -eq 0 ]
	[[ $output == *" between passes, "*" by the cache lines"* ]]
	[[ $output != *"the cache lines and their node"* ]]
	jq -e '[.runs[].matrices[] | select(.statistic == "sd_lines") |
		.values[0][1] >= 0] == [true, true, true] and
		(.matrices | map(.statistic) | index("sd_lines") != null)' \
		runs.json
	# A clock is measured where the instruction set has a chain for it.
	[ "$(uname -m)" = x86_64 ] || return 0
	jq -e '[.runs[].run.core_clock_ghz // empty] | length == 0 or
		all(. > 0.1 and . < 20)' runs.json
	# A single run has neither.
	measure --pair "$(pair)"
	holds '[.matrices[].statistic] | index("sd_lines") == null'
	holds '.run.core_clock_ghz == null'
}

@test "what --runs cannot do is refused" {
	need_two_cpus
	for bad in 0 -1 x 1001; do
		run --separate-stderr "$C2C" latency "--runs=$bad"
		refused 2 --runs
	done
	run --separate-stderr "$C2C" latency --runs 2 --resume x.json
	refused 2 --resume --runs
	# The error of the first run is that of the command.
	run --separate-stderr "$C2C" latency --runs 2 --pair 0,99999
	[ "$status" -ne 0 ]
	[[ $stderr == *99999* && $stderr != *"c2c latency: c2c"* ]]
	run --separate-stderr "$C2C" latency --runs 2 -o /nowhere/x.json
	refused 1 /nowhere
}

@test "an interrupt keeps the runs that ended and what the broken one has" {
	need_two_cpus
	need_jq
	"$C2C" latency -q --runs 3 "${long[@]}" --pair "$(pair)" -o cut.json \
		>printed 2>said &
	pid=$!
	# The first run has measured something when it has used CPU time.
	for _ in $(seq 100); do
		sleep 0.1
		pgrep -P "$pid" >/dev/null && break
	done
	sleep 2
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
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
	grep -q "one run does not tell how far runs differ" printed
}

@test "--runs of queue, memcpy and cache keep all runs, and compare takes them" {
	need_two_cpus
	need_jq
	"$C2C" queue -q "${short[@]}" --pair "$(pair)" --runs 2 -o queue.json
	"$C2C" memcpy -q "${short[@]}" --size 1M --pair "$(pair)" --runs 2 \
		-o memcpy.json
	"$C2C" cache -q "${short[@]}" --latency --sizes 1K:8K --no-infer \
		--cpus "$(pair | cut -d , -f 1)" --runs 2 -o cache.json
	for command in queue memcpy cache; do
		jq -e '(.runs | length) == 2 and .run.runs == 2' $command.json
		cp $command.json again.json
		run --separate-stderr "$C2C" compare -q $command.json again.json
		[ "$status" -eq 0 ]
		[[ $output == *"cannot be told from 2 and 2 runs"* ]]
	done
	# A point has the median of the runs.
	jq -e '. as $all | [range(.curves[0].x.values | length)] | all(. as $k |
		([$all.runs[].curves[0].median[$k]] | add / 2) as $middle |
		($all.curves[0].median[$k] / $middle - 1 | fabs) < 1e-5)' \
		cache.json
}
