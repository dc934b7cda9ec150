# c2c compare as a user types it. C2C and srcdir come from tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load helpers

setup() {
	: "${C2C:?}" "${srcdir:?}"
	# shellcheck source=tests/cli/helpers.bash
	. "$srcdir/tests/cli/helpers.bash"
	enter_folder
	need_jq
	virtual=$srcdir/data/xeon-64vcpu.json
	real=$PWD/real.json
	bare xeon-64vcpu >real.json
}

# bare NAME: a record of data/ as if its machine were not virtual. One run of a
# virtual machine proves no change.
bare() {
	jq '.machine.hypervisor = null' "$srcdir/data/$1.json"
}

# changed FACTOR [FILTER]: the recorded latencies times that.
changed() {
	need_jq
	jq --argjson by "$1" '.matrices |= map(if .unit == "ns" then
		.values |= map(map(if . == null then . else . * $by end))
		else . end) | '"${2:-.}" "$real"
}

# square N VALUE: a bare CSV of N CPUs.
square() {
	awk -v n="$1" -v value="$2" 'BEGIN {
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++)
				printf "%s%s", i == j ? "" : value,
					j < n - 1 ? "," : "\n"
	}'
}

@test "the report says what changed: pairs, levels, and around them" {
	changed 1.1 '.machine.kernel = "Linux 7.0" | .options.seed = 1' >new.json
	run --separate-stderr "$C2C" compare "$real" new.json
	[ "$status" -eq 0 ]
	[[ $output == *"machine.kernel"*"-> Linux 7.0"* ]]
	[[ $output != *"options.seed"* ]]
	[[ $output =~ [0-9]+" of 2016 pairs changed" ]]
	[[ $output == *" 0 better"* ]]
	[[ $output =~ "llc, inside  "[^$'\n']*"+10.0  worse" ]]
	[[ $output =~ "llc, between"[^$'\n']*"+10.0  worse" ]]
	[[ $output =~ "all pairs"[^$'\n']*"+10.0  worse" ]]
	[[ $stderr != *"virtual CPUs"* ]]
	run --separate-stderr "$C2C" compare -q "$real" new.json
	[ -z "$stderr" ]
}

@test "a result says that its waiting loops differ, also with -q, and what a trial had" {
	need_jq
	jq '.options.relax = "pause"' "$real" >pause.json
	run --separate-stderr "$C2C" compare "$real" pause.json
	[ "$status" -eq 0 ]
	[[ $output == *"options.relax"*"none -> pause"* ]]
	[[ $output == *"In doubt: "*"'pause.json' with pause: that alone"*siblings* ]]
	[[ $output != *trial* ]]
	# Either of both may have the trial.
	jq '.run.relax_core = {turns: 96, none: 32, pause: 14, ratio: 0.4375,
		ci_low: 0.43, ci_high: 0.44}' pause.json >tried.json
	for files in "$real tried.json" "tried.json $real"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" compare $files
		[[ $output == *"none 32, pause 14 ns in one core"* ]]
	done
	run --separate-stderr "$C2C" compare --by-level "$real" pause.json
	[[ $output == *"with pause: that alone"* ]]
	run --separate-stderr "$C2C" compare -q "$real" pause.json -o d.json
	[[ $output == *"In doubt: "* ]]
	[ -z "$stderr" ]
	jq -e '.files[0].doubt | contains("with pause: that alone")' d.json
	# Of a fleet, the first and how many.
	jq 'del(.options.relax)' "$real" >old.json
	run --separate-stderr "$C2C" compare -q "$real" old.json pause.json tried.json
	[[ $output == *"In doubt, 2 of 3, the first: "*"'pause.json' with pause"* ]]
	[ -z "$stderr" ]
	# One loop, and records that do not say.
	for other in tried.json old.json; do
		run --separate-stderr "$C2C" compare pause.json "$other" -o d.json
		[[ $output$stderr != *"that alone"* ]]
		jq -e '.files[0].doubt == null' d.json
	done
}

@test "the same numbers again are no change" {
	cp "$real" again.json
	run --separate-stderr "$C2C" compare --threshold 0 "$real" again.json
	[ "$status" -eq 0 ]
	[[ $output == *"Compared machine, tool and options: no difference."* ]]
	[[ $output == *"0 of 2016 pairs changed"* ]]
	[[ $output != *worse$'\n'* && $output == *"no more than noise"* ]]
}

@test "--threshold exits with 3 for what got worse beyond it, and only then" {
	changed 1.1 >slow.json
	run --separate-stderr "$C2C" compare --threshold 9 "$real" slow.json
	[ "$status" -eq 3 ]
	[[ $stderr == *"llc, inside: worse by 10.0 %"* ]]
	run "$C2C" compare -q --threshold 11 "$real" slow.json
	[ "$status" -eq 0 ]
	run "$C2C" compare -q --threshold 5 slow.json "$real"
	[ "$status" -eq 0 ]
	run --separate-stderr "$C2C" compare --threshold x "$real" slow.json
	refused 2 --threshold "'x'"
}

@test "--json and -o .json are one format" {
	changed 0.8 >fast.json
	run --separate-stderr "$C2C" compare --json "$real" fast.json \
		-o '%h%%.json'
	[ "$status" -eq 0 ]
	diff <(echo "$output") "$(hostname)%.json"
	jq -e '.format == "c2c-comparison" and .version == 1 and
		(.cpus | length) == 64 and (.files[0] |
			(.change_pct + 20 | fabs) < 0.001 and
			(.matrices[0] | .test == "intervals" and
			.pairs.compared == 2016 and .pairs.worse == 0 and
			(.change | length) == 64 and .change[0][0] == null and
			(.change_pct[3][9] + 20 | fabs) < 0.001 and
			.significant[3][9] == .significant[9][3] and
			(.levels | map(.kind) == ["llc", "llc", null])))' \
		<<<"$output"
}

@test "passes that were kept are tested" {
	need_two_cpus
	need_jq
	"$C2C" latency -q --pair "$(pair)" --passes 20:20 --keep-passes \
		-o measured.json >/dev/null
	# The record is of this machine, its values are not: a busy one has
	# passes that say nothing.
	values()
	{
		jq --argjson times "$1" 'def values(f): map(if . == null then .
				else $times * f end);
			.machine.hypervisor = null |
			.matrices |= map(.values |= map(values(55))) |
			.passes |= map(.values |= (to_entries | map(.key as $i |
				.value | values(50 + $i * 7 % 11))))' measured.json
	}
	values 1 >a.json
	values 2 >b.json
	run --separate-stderr "$C2C" compare -q --json a.json b.json
	[ "$status" -eq 0 ]
	jq -e '.files[0].matrices[0] | .test == "passes" and
		.pairs.worse == 1 and .p[0][1] < 0.05' <<<"$output"
}

@test "what is not of one thing is refused with the reason" {
	changed 1 '.options.method = "cas"' >cas.json
	run --separate-stderr "$C2C" compare "$real" cas.json
	refused 2 "method line" cas --by-level
	changed 1 '.options.round_trip = true | .matrices[].quantity =
		"round-trip"' >round.json
	for option in -q --by-level; do
		run --separate-stderr "$C2C" compare "$real" round.json $option
		refused 2 round
		[[ $stderr != *--by-level* ]]
	done
	changed 1 '.machine.cpu_model = "Other"' >model.json
	run --separate-stderr "$C2C" compare "$real" model.json
	refused 2 Other --by-level
	run --separate-stderr "$C2C" compare "$real" \
		"$srcdir/data/xeon-16vcpu.json"
	refused 2 "CPU 16" --by-level
	run --separate-stderr "$C2C" compare "$real" \
		"$srcdir/data/xeon-64vcpu-queue-warm.json" --by-level
	refused 2 "c2c latency" "c2c queue"
	run --separate-stderr "$C2C" compare \
		"$srcdir/data/xeon-64vcpu-queue-warm.json" \
		"$srcdir/data/xeon-64vcpu-sweep-warm.json"
	refused 2 sweep "no matrix 'writer'"
	printf '%s\n' '# format: c2c-result' '# version: 1' \
		'# command: memcpy' '# complete: true' '# cpus: [3]' \
		'# matrix: copy median GiB/s - higher asymmetric' 'cpu 3' \
		'3 12.5' | jq -R -n -f "$srcdir/tests/cli/short.jq" >one.json
	for option in -q --by-level; do
		run --separate-stderr "$C2C" compare $option one.json "$real"
		refused 2 "'one.json' has only one CPU, and compare needs pairs"
	done
	run --separate-stderr "$C2C" compare "$real" none.json
	refused 1 none.json
	run --separate-stderr "$C2C" compare "$real"
	refused 2 "only one FILE"
	run --separate-stderr "$C2C" compare "$real" "$real"
	refused 2 "given twice"
}

@test "--by-level compares what has other CPUs" {
	bare xeon-16vcpu >few.json
	run --separate-stderr "$C2C" compare --by-level few.json "$real"
	[ "$status" -eq 0 ]
	[[ $output =~ "all pairs"[^$'\n']*"worse" ]]
	[[ $output == *"llc, inside: only in $real"* ]]
	run --separate-stderr "$C2C" compare --by-level \
		"$srcdir/data/xeon-16vcpu.json" "$real" -o diff.png
	refused 2 diff.png --by-level
}

@test "a fleet is ranked and its outlier named" {
	for i in 1 2 3 4 5 6; do
		square 8 "$((100 + i + (i == 4 ? 40 : 0)))" >"n$i.csv"
	done
	run --separate-stderr "$C2C" compare n*.csv
	[ "$status" -eq 0 ]
	[ "$(awk '/^ *[0-9.]+ %/ { print $NF == "outlier" ? $(NF - 1) "!" : $NF }' \
		<<<"$output" | paste -sd ' ')" = "n2.csv n3.csv n5.csv n6.csv n4.csv!" ]
	run --separate-stderr "$C2C" compare --threshold 20 n*.csv
	[ "$status" -eq 3 ]
	[[ $stderr == *n4.csv*"worse by"* && $stderr != *n5.csv* ]]
	run --separate-stderr "$C2C" compare n*.csv -o diff.png
	refused 2 diff.png "two files"
	run --separate-stderr "$C2C" compare n1.csv n2.csv n4.csv
	[[ $output == *"none can be called an outlier"* ]]
	run "$C2C" compare n1.csv n2.csv
	[[ $output == *"n1.csv does not describe its machine"* ]]
	[[ $output != *"no difference"* ]]
}

@test "a host of the fleet that cannot be compared is listed, the rest ranked" {
	for i in 1 2 3; do
		square 8 "$((100 + i))" >"n$i.csv"
	done
	square 7 100 >less.csv
	run --separate-stderr "$C2C" compare n1.csv less.csv n2.csv n3.csv \
		-o fleet.json
	[ "$status" -eq 0 ]
	[ "$(awk '/%/ { print $NF }' <<<"$output" | paste -sd ' ')" = "n2.csv n3.csv" ]
	[[ $output == *"Cannot be compared"*"less.csv"*"has CPU 7"* ]]
	run --separate-stderr "$C2C" compare -v n1.csv less.csv n2.csv
	[ "$status" -eq 0 ]
	[[ $output == *"n2.csv against n1.csv"* ]]
	[[ $output != *"less.csv against"* ]]
	# What is missing is what one looks for.
	run --separate-stderr "$C2C" compare --threshold 50 n1.csv less.csv n2.csv
	[ "$status" -eq 3 ]
	[[ $stderr == *"'less.csv' cannot be compared"* ]]
	run --separate-stderr "$C2C" compare --threshold 50 n1.csv n2.csv n3.csv
	[ "$status" -eq 0 ]
	# Nothing is left, or it is the reference.
	run --separate-stderr "$C2C" compare less.csv n1.csv n2.csv
	refused 2 "has CPU 7"
	run --separate-stderr "$C2C" compare n1.csv none.csv n2.csv
	refused 1 none.csv
	need_jq
	jq -e '(.files | map(.source)) == ["n2.csv", "n3.csv"] and
		(.not_compared | length) == 1 and
		(.not_compared[0] | .source == "less.csv" and
			(.reason | contains("CPU 7")))' fleet.json
}

@test "what a file says is shown by a terminal, not obeyed" {
	changed 1 '.machine.hostname = "\u001b[31mhost" |
		.machine.kernel = "\u009b2J" | .machine["k\u0007y"] = "\r" |
		.machine.cpu_model = .machine.cpu_model + "\u001b[5m" |
		.matrices[].unit = "n\u001bs" |
		.run.warnings = ["\u001b]0;x\u0007"]' >escapes.json
	changed 1 '.machine.cpu_model += "\u001b[5m" |
		.matrices[].unit = "n\u001bs"' >others.json
	for words in "compare others.json" "compare $real" analyze plot \
		"compare others.json $real"; do
		# shellcheck disable=SC2086
		"$C2C" $words escapes.json >>seen 2>&1 || [ $? -le 2 ]
	done
	[ -s seen ]
	! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' seen ||
		false
}

@test "every command replaces %h and %% in the name of an output" {
	square 4 100 >a.csv
	square 4 90 >b.csv
	host=$(hostname)
	"$C2C" compare -q a.csv b.csv -o 'c-%h.json' >/dev/null
	"$C2C" analyze -q a.csv -o '%%a-%h.json' >/dev/null
	"$C2C" export -q a.csv -o '%h%%.csv'
	[ -s "c-$host.json" ] && [ -s "%a-$host.json" ] && [ -s "$host%.csv" ]
	for command in compare analyze export plot latency memcpy queue; do
		for name in '%x.json' '100%' '%'; do
			run --separate-stderr "$C2C" "$command" -o "$name" a.csv
			refused 2 "$name" %h %%
		done
	done
}

@test "no command writes what it reads" {
	square 4 100 >a.csv
	square 4 90 >b.csv
	for name in a b; do
		"$C2C" export -q $name.csv -o $name.json
	done
	ln -s a.json link.json
	ln -s a.json link.png
	sums=$(sha256sum ./*.json ./*.csv)
	while read -r -a words; do
		run --separate-stderr "$C2C" "${words[@]}"
		refused 2 "${words[-1]#*=}" "destroy it" || {
			echo "${words[*]}"
			return 1
		}
	done <<-'END'
	compare a.json b.json -o b.json
	compare a.json b.json -o a.json
	compare a.json b.json -o ./link.json
	analyze a.json -o a.json
	analyze b.json a.json -o ./a.json
	analyze b.json --topology a.json -o a.json
	plot a.json -o link.png
	export a.csv -o ./a.csv
	export a.json --hwloc=a.json
	export a.json --hwloc=link.json
	END
	run --separate-stderr "$C2C" export a.csv -o new.json --hwloc ./new.json
	refused 2 ./new.json "given twice"
	[ "$(sha256sum ./*.json ./*.csv)" = "$sums" ]
	"$C2C" export -q - --hwloc - <a.csv >out.xml
	[ -s out.xml ]
}

# cache TIMES [FILTER]: a record of c2c cache whose reads have that rate in L2.
cache() {
	need_jq
	jq -n --argjson by "$1" '[range(16) | 1024 * pow(2; .)] as $x |
		[$x[] | if . > 32768 and . <= 1048576 then 50 * $by
			elif . <= 32768 then 100 else 10 end] as $y |
		{format: "c2c-result", version: 1, command: "cache",
		started: "2026-11-22T12:00:00Z", complete: true,
		tool: {version: "1"}, machine: {hostname: "n1", cpu_model: "Z"},
		options: {pages: "thp", seed: 1}, cpus: [0, 1],
		curves: [{test: "bandwidth", family: "rate of 1 CPU",
			member: "read", cpus: [0],
			x: {name: "working set", unit: "B", kind: "working_sets", values: $x},
			y: {name: "rate", unit: "GiB/s"}, median: $y,
			low: ($y | map(. * 0.99)), high: ($y | map(. * 1.01))},
			{test: "latency", family: "latency",
			member: "load", cpus: [0],
			x: {name: "working set", unit: "B", kind: "working_sets", values: [$x[9, 10]]},
			y: {name: "latency", unit: "clk"}, median: [15, 15 / $by],
			low: [14, 14.9 / $by], high: [16, 15.1 / $by]}],
		caches: [["L1d", 1, 32768, 49152], ["L2", 2, 1048576, 1572864],
				["memory", 3, null, null]] |
			map({name: .[0], level: .[1], memory: (.[2] == null),
				least_bytes: .[2], most_bytes: .[3], gib_per_s: {},
				told: {}, verdicts: {size: "same",
				line: "unknown", ways: "unknown"}})} |
		'"${2:-.}"
}

@test "a level of a curve that changed is told, and its cache" {
	cache 1 >a.json
	cache 0.8 '.machine.microcode = "2" | .caches[1].least_bytes = 524288 |
		.caches[1].most_bytes = 786432' >b.json
	run --separate-stderr "$C2C" compare a.json b.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"machine.microcode"*"-> 2"* ]]
	[[ $output == *"L1d size: 32-48 KiB, was 32-48 KiB: no change"* ]]
	[[ $output == *"L2 size: 512-768 KiB, was 1-1.5 MiB: smaller"* ]]
	[[ $output == *"2 curves at 18 points: 6 points changed"* ]]
	[[ $output == *"L2, bandwidth: rate of 1 CPU: read: 20.0 % lower (50 -> 40 GiB/s) at 4 of 4 points: worse"* ]]
	[[ $output != *"L1d, bandwidth"* ]]
	cache 0.8 '.caches[1].least_bytes = 262144 | .caches[1].most_bytes = 524288 |
		.curves[1].median = [15, 15]' >odd.json
	run "$C2C" compare a.json odd.json
	[[ $output == *": smaller, but the latencies between do not confirm it"* ]]
	run "$C2C" compare -v a.json b.json
	[[ $output == *"L1d, bandwidth"*"no more than noise"* ]]
	run --separate-stderr "$C2C" compare a.json b.json --threshold 19
	[ "$status" -eq 3 ]
	[[ $stderr == *"rate of 1 CPU, read, L2: worse by 20.0 %"* ]]
	[[ $stderr == *"L2 size: smaller by 25.0 %"* ]]
	run "$C2C" compare -q a.json b.json --threshold 26
	[ "$status" -eq 0 ]
	# Larger and faster is no reason to fail.
	run --separate-stderr "$C2C" compare b.json a.json --threshold 0
	[ "$status" -eq 0 ]
	[[ $output == *": larger"*"25.0 % higher (40 -> 50 GiB/s)"*": better"* ]]
	run --separate-stderr "$C2C" compare --json a.json b.json
	jq -e '.files[0] | .matrices == [] and (.curves[0] |
			.points == {compared: 16, alone: 0, tested: 16,
				better: 0, worse: 5}
			and .judged_by == "intervals" and .better == "higher" and
			(.levels[1] | .level == "L2" and .significant and
				.changed == 4 and .change == -10)) and
		(.sizes | map(.what) == ["L1d size", "L2 size"]) and
		(.sizes | map(.changed) == [false, true])' <<<"$output"
}

@test "the same curves again are no change" {
	cache 1 >a.json
	cp a.json b.json
	run --separate-stderr "$C2C" compare a.json b.json --threshold 0
	[ "$status" -eq 0 ]
	[[ $output == *" 0 points changed"*"No curve changed by more than noise"* ]]
	for name in sweep-warm 16vcpu-cl-all; do
		file=$(basename "$srcdir"/data/xeon*"$name".json .json)
		bare "$file" >first.json
		cp first.json again.json
		run --separate-stderr "$C2C" compare -q first.json again.json
		[ "$status" -eq 0 ]
		[[ $output == *" 0 points changed"* ]]
	done
}

@test "a record with too few passes for a test is named, with the remedy" {
	local -r none='.curves[].low |= map(null) | .curves[].high |= map(null)'
	cache 1 >a.json
	cache 0.5 "$none"' | .run = {passes: 4}' >few.json
	cache 0.5 "$none" >other.json
	run --separate-stderr "$C2C" compare a.json few.json --threshold 0
	[ "$status" -eq 0 ]
	[[ ${output//$'\n '/} == *"2 curves at 18 points: none can be tested"*"few.json has no 95 % intervals: it has 4 passes, and they need 6. Measure it again with --passes 6."* ]]
	[[ $output != *"a.json has"* && $output != *"50.0 %"* ]]
	[[ $output != *"No curve changed"* && $output == *"-v prints"* ]]
	run --separate-stderr "$C2C" compare -v few.json a.json
	[[ $output == *"few.json has no 95 %"*"100.0 % higher (25 -> 50 GiB/s)"* ]]
	[[ $output != *"-v prints"* ]]
	# How many passes another record has is unknown; both lack intervals.
	run --separate-stderr "$C2C" compare few.json other.json
	[[ $output == *"few.json has no"*"other.json has no 95 % intervals."* ]]
	# Each has intervals where the other has none.
	cache 1 '.curves[0].low |= map(null)' >left.json
	cache 1 '.curves[1].low |= map(null)' >right.json
	run --separate-stderr "$C2C" compare left.json right.json
	[[ $output == *"No point has a 95 % interval in both records."* ]]
}

@test "curves of other pages, machines or CPUs are refused" {
	cache 1 >a.json
	cache 1 '.options.pages = "hugetlb"' >pages.json
	cache 1 '.machine.cpu_model = "Y"' >model.json
	cache 1 '.cpus = [0, 2]' >cpus.json
	cache 1 '.curves = []' >none.json
	cache 1 '.curves[].member = "write"' >other.json
	while read -r name words; do
		run --separate-stderr "$C2C" compare a.json "$name.json"
		# shellcheck disable=SC2086
		refused 2 $name.json $words
		[[ $stderr != *--by-level* ]]
	done <<-'END'
	pages thp hugetlb
	model Y curves
	cpus curves
	none neither
	other share
	END
	cache 1 '.options.chunk_bytes = 64' >small.json
	cache 1 '.options.chunk_bytes = 4096' >large.json
	run --separate-stderr "$C2C" compare small.json large.json
	refused 2 large.json chunk_bytes 64 4096
	run --separate-stderr "$C2C" compare --by-level a.json model.json
	refused 2 a.json "only curves"
	run --separate-stderr "$C2C" compare a.json model.json other.json
	refused 2 "Y"
	# A fleet is ranked without intervals.
	cache 0.5 '.curves[].low |= map(null)' >few.json
	run --separate-stderr "$C2C" compare a.json few.json model.json
	[ "$status" -eq 0 ]
	[[ $output == *few.json*"Cannot be compared"*n1* ]]
}

@test "curves before and after are one picture" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	cache 1 >a.json
	cache 0.8 >b.json
	run --separate-stderr "$C2C" compare a.json b.json -o curves.svg
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	grep -q 'b.json against a.json' curves.svg
	grep -q 'Hollow points: after' curves.svg
}

@test "the difference is drawn as a picture" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	square 4 100 >a.csv
	square 4 90 >b.csv
	run --separate-stderr "$C2C" compare a.csv b.csv -o diff.svg
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	grep -q 'b.csv against a.csv' diff.svg
	# All is ten better: the dark end of the purple, and none of viridis.
	grep -qi '2d004b\|45, *0, *75' diff.svg
	! grep -qi '440154\|68, *1, *84' diff.svg || false
	# The ends of the colours are the values as the picture has them, and
	# 10.1 - 9.9 is not the number that is written so.
	square 2 9.9 >a.csv
	square 2 10.1 >b.csv
	"$C2C" compare -q a.csv b.csv -o diff.svg
	grep -q '>0\.200' diff.svg
	! grep -q 'beyond\|≤\|≥' diff.svg || false
	run --separate-stderr "$C2C" compare a.csv b.csv -o diff.txt
	refused 2 diff.txt
}

@test "one pair is one pair" {
	printf ',50\n50,\n' >a.csv
	printf ',60\n60,\n' >b.csv
	run "$C2C" compare a.csv b.csv
	[ "$status" -eq 0 ]
	[[ $output == *" 1 pair;"* ]]
	[[ $output != *"1 pairs"* ]]
}

@test "the difference is shown in the terminal" {
	command -v script >/dev/null || skip "script is not installed"
	square 4 100 >a.csv
	square 4 130 >b.csv
	COLORTERM=truecolor TERM=xterm COLUMNS=80 LINES=30 script -qec \
		"'$C2C' compare a.csv b.csv" /dev/null </dev/null >out
	# The dark end of the orange.
	grep -q '48;2;127;59;8m' out
	COLORTERM=truecolor TERM=xterm COLUMNS=80 LINES=30 script -qec \
		"'$C2C' compare b.csv a.csv" /dev/null </dev/null >out
	grep -q '48;2;45;0;75m' out
}

# of_runs FACTOR NAME: a record of five runs of eight CPUs, two in a core, with
# values that differ by up to 4 % from run to run; those in a core times FACTOR.
of_runs() {
	jq -n --argjson by "$1" --argjson seed "$2" 'def value($r):
			(1 + (($r * 7 + $seed * 3) % 5) / 100);
		def matrix($r): [range(8) as $i | [range(8) as $j |
			if $i == $j then null
			elif ($i / 2 | floor) == ($j / 2 | floor)
			then 20 * $by * value($r)
			else (100 + ($i + $j) % 3) * value($r) end]];
		def record($r): {format: "c2c-result", version: 1,
			command: "latency", complete: true,
			machine: {hypervisor: "KVM", cpu_model: "Test CPU"},
			options: {method: "line"}, cpus: [range(8)],
			matrices: [{name: "latency", statistic: "median",
				unit: "ns", quantity: "one-way",
				better: "lower", symmetric: true,
				values: matrix($r)}]};
		record(2) + {runs: [record(range(5))]}'
}

@test "one run each of a virtual machine proves no change" {
	changed 1.5 '.machine.hypervisor = "KVM"' >slow.json
	run --separate-stderr "$C2C" compare "$virtual" slow.json
	[ "$status" -eq 0 ]
	[[ $output == *"Verdict: cannot be told from one run each; run again with --runs 5."* ]]
	[[ $output == *"all pairs"*"+50.0  cannot be told"* ]]
	# Whoever looks only at the colours is told, too.
	local words="A change cannot be told from one run each; run again with --runs 5."
	CLICOLOR_FORCE=1 run "$C2C" compare -q "$virtual" slow.json
	[[ $output == *"$words" ]]
	if command -v gnuplot >/dev/null; then
		"$C2C" compare -q "$virtual" slow.json -o slow.svg
		grep -qF ">$words<" slow.svg
	fi
	# Whoever looks only at the status is told, -q or not.
	run --separate-stderr "$C2C" compare -q --threshold 5 "$virtual" slow.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"--threshold: 'slow.json': cannot be told from one run each"* ]]
	run --separate-stderr "$C2C" compare -q --json "$virtual" slow.json
	jq -e '.files[0] | (.undecided | startswith("cannot be told")) and
		.runs == [1, 1] and .matrices[0].test == "none" and
		.matrices[0].pairs.worse == 0' <<<"$output"
	# A run that drifted is no better on bare metal.
	jq '.run.agreement.verdict = "drifted"' "$real" >drifted.json
	run --separate-stderr "$C2C" compare -q "$real" drifted.json
	[[ $output == *"Verdict: cannot be told"* ]]
}

@test "records of runs are judged by the spread between runs" {
	of_runs 1 0 >a.json
	of_runs 1 1 >again.json
	of_runs 1.1 1 >slow.json
	run --separate-stderr "$C2C" compare --threshold 0 a.json again.json
	[ "$status" -eq 0 ]
	[[ $output == *"Runs: 5 against 5"*"0 of 28 pairs changed"* ]]
	run --separate-stderr "$C2C" compare --threshold 5 a.json slow.json
	[ "$status" -eq 3 ]
	[[ $output == *"4 of 28 pairs changed"* ]]
	[[ $stderr == *"inside: worse by "* ]]
	run --separate-stderr "$C2C" compare --json a.json slow.json
	jq -e '.files[0] | .undecided == null and .runs == [5, 5] and
		(.matrices[0] | .test == "runs" and .p[0][1] <= 0.05 and
			.p[0][2] > 0.05)' <<<"$output"
}

# at TIMES <RECORD: its runs began in these seconds of a minute.
at()
{
	jq --argjson times "$1" '.runs |= (to_entries | map(.value + {started:
		"2026-11-24T10:00:\($times[.key])Z"}))'
}

# on_metal <RECORD: no hypervisor.
on_metal()
{
	jq 'del(.machine.hypervisor, .runs[].machine.hypervisor)'
}

first='["01", "02", "03", "04", "05"]'
second='["06", "07", "08", "09", "10"]'
odd='["01", "03", "05", "07", "09"]'
even='["02", "04", "06", "08", "10"]'

@test "compare warns if all runs of one side came first, not if they took turns" {
	of_runs 1 0 >a.json
	of_runs 1 1 >b.json
	at "$first" <a.json | on_metal >first.json
	at "$second" <b.json | on_metal >second.json
	run --separate-stderr "$C2C" compare first.json second.json
	[[ $output == *"One side came first"*"take turns"* ]]
	run --separate-stderr "$C2C" compare second.json first.json --json
	jq -e '.files[0] | .in_a_row and (.needs_turns | not)' <<<"$output"
	at "$odd" <a.json >first.json
	at "$even" <b.json >second.json
	run --separate-stderr "$C2C" compare first.json second.json
	[[ $output == *"Runs: 5 against 5"* && $output != *"came first"* ]]
	# Nobody knows.
	run --separate-stderr "$C2C" compare --json a.json b.json
	jq -e '.files[0].in_a_row == false' <<<"$output"
}

@test "drift of a whole machine is no verdict, a level beside the rest is" {
	of_runs 1 0 | at "$first" >a.json
	# All pairs by 1.2: who came first decides nothing.
	of_runs 1 1 | at "$second" | jq '(.matrices, .runs[].matrices)[].values
		|= map(map(if . then . * 1.2 else . end))' >drift.json
	run --separate-stderr "$C2C" compare --threshold 5 a.json drift.json
	[ "$status" -eq 0 ]
	[[ $output == *"All runs of one side came first"*"this machine may drift"* ]]
	[[ $output == *"28 pairs; none was tested, since one side came first"* ]]
	[[ $output == *"all pairs"*" changed or drifted"* ]]
	[[ $output != *"rest of the machine (p"* ]]
	[[ $stderr == *"3 levels changed, or the machine drifted"* ]]
	run --separate-stderr "$C2C" compare --json a.json drift.json
	jq -e '.files[0] | .needs_turns and (.matrices[0] | .pairs.tested == 0
		and all(.levels[]; .p <= 0.05 and .significant == null) and
		all(.levels[:2][]; .rest_significant == false) and
		.levels[2].rest_significant == null)' <<<"$output"
	printf '%s' "$output" >drift-against-a.json
	must_be_valid drift-against-a.json
	# Bare metal does not drift like that, and turns would show it.
	on_metal <a.json >x.json
	on_metal <drift.json >y.json
	run --separate-stderr "$C2C" compare --threshold 5 x.json y.json
	[ "$status" -eq 3 ]
	at "$odd" <a.json >x.json
	at "$even" <drift.json >y.json
	run --separate-stderr "$C2C" compare --threshold 5 x.json y.json
	[ "$status" -eq 3 ]
	[[ $output == *"all pairs"*" worse"* ]]
	# One level in addition: the rest of the run is what it is judged by.
	of_runs 1.1 1 | at "$second" | jq '(.matrices, .runs[].matrices)[].values
		|= map(map(if . then . * 1.2 else . end))' >slow.json
	run --separate-stderr "$C2C" compare --threshold 5 a.json slow.json
	[ "$status" -eq 3 ]
	[[ $output == *"inside"*"+29.5"*" worse than the rest"*"inside: 10.0 % worse relative to the rest of the machine"* ]]
	[[ $output == *"between: 9.1 % better relative to the rest"* ]]
	[[ $stderr == *"inside: worse by 10.0 % relative to the rest"* ]]
	[[ $stderr != *"between: worse"* ]]
	# The others became faster: nothing got worse, whatever the ratio.
	run --separate-stderr "$C2C" compare -q --threshold 5 slow.json a.json
	[ "$status" -eq 0 ]
	[[ $output == *"inside: 9.1 % better relative"*"between: 10.0 % worse relative"* ]]
	# By 2 %: levels may drift that far apart.
	of_runs 1.02 1 | at "$second" >little.json
	run --separate-stderr "$C2C" compare -q --json a.json little.json
	jq -e 'all(.files[0].matrices[0].levels[:2][];
		.rest_p <= 0.05 and (.rest_significant | not))' <<<"$output"
}

@test "--strict demands an answer" {
	of_runs 1 0 | at "$first" >a.json
	of_runs 1.5 1 | at "$second" >slow.json
	of_runs 1 1 | at "$second" >same.json
	jq '(.matrices, .runs[].matrices)[].values |=
		map(map(if . then . * 1.2 else . end))' same.json >drift.json
	run --separate-stderr "$C2C" compare -q --strict --threshold 5 a.json drift.json
	[ "$status" -eq 4 ]
	[[ $stderr == *"drift.json"*"Measure again in turns"* ]]
	cp "$virtual" copy.json
	run --separate-stderr "$C2C" compare -q --strict --threshold 5 "$virtual" copy.json
	[ "$status" -eq 4 ]
	# What is told goes first; and 0 is an answer.
	run --separate-stderr "$C2C" compare -q --strict --threshold 5 a.json slow.json
	[ "$status" -eq 3 ]
	run --separate-stderr "$C2C" compare -q --strict --threshold 5 a.json same.json
	[ "$status" -eq 0 ]
	run --separate-stderr "$C2C" compare -q --strict --threshold 5 \
		a.json same.json drift.json
	[ "$status" -eq 4 ]
	run --separate-stderr "$C2C" compare --strict a.json slow.json
	refused 2 "--strict" "no --threshold"
}

@test "several files between commas are the runs of a side" {
	of_runs 1 0 >a.json
	of_runs 1.1 1 >slow.json
	for i in 0 1 2 3 4; do
		jq ".runs[$i]" a.json >"a$i.json"
		jq ".runs[$i]" slow.json >"b$i.json"
	done
	run --separate-stderr "$C2C" compare a0.json,a1.json,a2.json,a3.json \
		b0.json,b1.json,b2.json,b3.json --threshold 5
	[ "$status" -eq 3 ]
	[[ $output == *"Runs: 4 against 4, which is enough: the least p is 0.036, and 0.05 is needed."* ]]
	[[ $output == *"28 pairs; too few runs to test single pairs"* ]]
	# Records of runs and single ones together.
	run --separate-stderr "$C2C" compare a.json,a1.json slow.json
	[[ $output == *"Runs: 5 against 6"* ]]
	# Two and two prove nothing.
	run --separate-stderr "$C2C" compare -q --threshold 5 \
		a0.json,a1.json b0.json,b1.json
	[ "$status" -eq 0 ]
	[[ $output == *"Verdict: cannot be told from 2 and 2 runs, which reach p = 0.42 at best, where 0.05 is needed; run again with --runs 5"* ]]
	[[ $stderr == *"--threshold"*"cannot be told"* ]]
	# A comma may be part of a name.
	cp a.json 'x,y.json'
	run --separate-stderr "$C2C" compare 'x,y.json' slow.json
	[ "$status" -eq 0 ]
	run --separate-stderr "$C2C" compare a0.json,none.json b0.json
	refused 1 none.json
	run --separate-stderr "$C2C" compare a0.json,a1.json b0.json -o a1.json
	refused 2 a1.json "is an input too"
	square 3 5 >three.csv
	run --separate-stderr "$C2C" compare a0.json,three.csv b0.json
	[ "$status" -eq 2 ]
}

@test "runs that change by any factor are compared" {
	of_runs 1 0 >a.json
	of_runs 1 1 >b.json
	for factor in 1.5 3 20; do
		jq "(.matrices, .runs[].matrices)[].values |=
			map(map(if . then . * $factor else . end))" b.json >c.json
		run --separate-stderr "$C2C" compare --threshold 5 a.json c.json
		[ "$status" -eq 3 ]
		[[ $output == *"all pairs"*" worse"* ]]
	done
	# Runs of a side that are as far apart show no levels, and are compared.
	jq '.runs[0]' a.json >a0.json
	jq '.runs[0]' c.json >c0.json
	run --separate-stderr "$C2C" compare a0.json,c0.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"from 2 and 5 runs"*"all pairs"* ]]
	[[ $output == *"levels are left out, all pairs are one: "* ]]
	# Five runs that are as far apart are judged all the same.
	for i in 0 1 2 3 4; do
		jq ".runs[$i]" a.json >"a$i.json"
		jq ".runs[$i]" c.json >"c$i.json"
	done
	run --separate-stderr "$C2C" compare --threshold 5 \
		a0.json,a1.json,a2.json,c0.json,c1.json a.json
	[ "$status" -eq 0 ]
	[[ $output == *"Runs: 5 against 5"*"all pairs"* ]]
	[[ $output == *"levels are left out, all pairs are one: "* ]]
}

# curve_runs HOLES: six runs of a curve of eight points, 10 to 80 ns; all but the
# first lack its last HOLES.
curve_runs()
{
	jq -n --argjson holes "$1" 'def median($r): [range(8) as $k |
			if $r > 0 and $k >= 8 - $holes then null
			else 10 * ($k + 1) * (1 + (($r * 7) % 5) / 1000) end];
		def record($r): {format: "c2c-result", version: 1,
			command: "cache", complete: true,
			machine: {cpu_model: "Test CPU"}, options: {}, cpus: [0],
			matrices: [], curves: [{test: "latency",
				family: "latency", member: "random",
				device: null, cpus: [0], statistic: "median",
				x: {name: "working set", unit: "B",
					values: [range(8) | 1024 * (. + 1)]},
				y: {name: "latency", unit: "ns"},
				median: median($r), low: [range(8) | null],
				high: [range(8) | null], ceiling: null}]};
		record(0) + {runs: [record(range(6))]} |
		.curves[0].median |= map(. * (1 - $holes / 10000))'
}

@test "the points of a stretch are those that all runs have" {
	curve_runs 0 >a.json
	curve_runs 2 >b.json
	run --separate-stderr "$C2C" compare -v a.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"2 points were not tested, since a run has no value there"* ]]
	[[ $output == *": no more than noise"* && $output != *": better"* ]]
	# The others are most of them; these are not.
	curve_runs 5 >b.json
	run --separate-stderr "$C2C" compare -v --strict --threshold 5 a.json b.json
	[ "$status" -eq 4 ]
	[[ $output == *": not tested"* && $stderr == *"1 level was not tested"* ]]
}

@test "what a run has no value for was not tested" {
	of_runs 1 0 >a.json
	of_runs 2 1 | jq '(.matrices[], .runs[3].matrices[]).values |=
		(.[0][2] = null | .[2][0] = null) |
		.matrices[].values[0][2] = 100 | .matrices[].values[2][0] = 100
		' >b.json
	run --separate-stderr "$C2C" compare --threshold 5 a.json b.json
	[ "$status" -eq 3 ]
	[[ $output == *"4 of 27 pairs changed; 1 pair was not tested, since a run has no value there"* ]]
	run --separate-stderr "$C2C" compare --json a.json b.json
	jq -e '.files[0].matrices[0] | .pairs.compared == 28 and
		.pairs.tested == 27 and .p[0][2] == null and
		.significant[0][2] == null and .significant[0][3] == false' \
		<<<"$output"
	# One run has no value of a whole level.
	jq '.runs[3].matrices[].values = [range(8) as $i | [range(8) as $j |
			if ($i / 2 | floor) == ($j / 2 | floor)
			then null else 100 end]]' b.json >c.json
	run --separate-stderr "$C2C" compare -q --threshold 5 a.json c.json
	[ "$status" -eq 0 ]
	[[ $output == *inside*"  not tested"*"all pairs"*"  no more than noise"* ]]
	[[ $stderr == *"--threshold: 'c.json': 1 level was not tested"* ]]
	run --separate-stderr "$C2C" compare --json a.json c.json
	jq -e '.files[0].matrices[0].levels[0] | .p == null and
		.significant == null' <<<"$output"
	# Intervals that only one file has.
	run --separate-stderr "$C2C" compare "$real" "$real"
	[[ $output != *"not tested"* ]]
	jq '(.matrices[] | select(.statistic == "ci_low").values[0][1]) = null |
		(.matrices[] | select(.statistic == "ci_low").values[1][0]) = null
		' "$real" >holed.json
	run --separate-stderr "$C2C" compare "$real" holed.json
	[[ $output == *"1 pair was not tested, since a file has no interval there"* ]]
}

@test "one file is one run, however it is named" {
	of_runs 1 0 | jq '.runs[0]' >a.json
	cp a.json b.json
	for twice in a.json,a.json a.json,b.json,./a.json; do
		run --separate-stderr "$C2C" compare "$twice" b.json
		refused 2 "is given twice, and is one run"
	done
}
