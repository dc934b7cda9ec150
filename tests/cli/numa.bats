#!/usr/bin/env bats
# c2c numa as a user types it: what it measures and writes, and what it refuses.
#
# Of numbers, the tests assert only what order guarantees (sound.jq): the
# machine may be busy, and may have one node or several.
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
	command=numa
	# Beside other programs, many visits are disturbed and dropped: go on
	# until some were not.
	small=(--size 4M --passes 6:100000 --budget 5 --precision 50)
}

teardown()
{
	end_jobs
}

@test "a default run measures latency, bandwidth and load, in every format" {
	need_two_cpus
	run --separate-stderr "$C2C" numa "${small[@]}" -o a.json -o a.dat
	[ "$status" -eq 0 ]
	[[ $output == "Idle latency [ns]"*"memory of"*"node 0"* ]]
	[[ $output == *"Bandwidth [GiB/s], mix 1:0"* ]]
	[[ $output == *"memory by node, median of "*" points in "* ]]
	no_files_but a.dat a.json
	sound a.json true
	holds '.options | .latency and .bandwidth and .loaded
		and .mix == "1:0" and .pages == "auto" and (.quick | not)
		and .ring_bytes == 4194304 and .array_bytes == 4194304'
	holds '.matrices[0].rows.ids - .matrices[0].columns.ids == []
		or (.matrices[0].columns.ids | length) > 0'
	# One delay for each load, and the idle point only over the rate.
	holds 'all(.curves[] | select(.test == "loaded");
		.x.values[0] == 0 and (.x.values | length) == 20)'
	holds 'all(.curves[] | select(.test != "loaded");
		(.x.values | length) == 19 and .x.values[-1] == 20000)'
	grep -q '^# matrix: latency median ns idle lower asymmetric$' a.dat
	grep -q '^node  *[0-9]' a.dat
}

@test "a part is measured alone" {
	measure --latency
	holds '[.matrices[].name] | unique - ["told-distance", "told-latency",
		"told-bandwidth"] == ["latency"]'
	holds '(.curves // []) == []'
	measure --bandwidth
	holds '[.matrices[] | select(.statistic != "told") | .name] | unique
		== ["bandwidth-1:0"]'
	need_two_cpus
	measure --loaded
	holds '[.matrices[] | select(.statistic != "told")] == []
		and ([.curves[].test] | unique == ["delay", "load", "loaded"])'
}

@test "each mix has a matrix and a curve" {
	need_two_cpus
	measure --bandwidth --loaded --mix 3:1,triad,3:1
	holds '[.matrices[] | select(.statistic == "median") | .name]
		== ["bandwidth-3:1", "bandwidth-triad"]'
	holds '[.curves[] | select(.test == "loaded") | .member] | unique
		== ["3:1", "triad"]'
	measure --bandwidth --mix 1:0,3:1,2:1,1:1,triad,nt
	holds '[.matrices[] | select(.statistic == "median")] | length == 6'
}

@test "one CPU has no curve under load, and is told so if it asks" {
	cpu=$("$C2C" info --json | tr -d ' \n' |
		sed 's/.*"allowed":\[\([0-9]*\).*/\1/')
	measure --cpus "$cpu"
	holds ".cpus == [$cpu] and (.curves // []) == []"
	refuse 77 --loaded "two CPUs" -- --loaded --cpus "$cpu" "${small[@]}"
}

@test "memory lies on the nodes of the record" {
	measure --latency
	holds '.run.memory_bound and
		([.run.warnings[] | select(test("has no figures"))] == [])'
	holds 'all(.matrices[] | select(.statistic == "passes") | .values[][];
		. > 0)'
}

@test "--json prints what -o FILE.json writes, and plot reads it" {
	need_two_cpus
	need_jq
	"$C2C" numa "${small[@]}" --json -o a.json >printed 2>err
	diff a.json printed
	"$C2C" plot --term --matrix latency - <printed >out 2>err
	grep -q '^node  *[0-9]' out
	"$C2C" plot --term --test load a.json >out 2>err
	grep -q 'turns' out
	if command -v gnuplot >/dev/null; then
		"$C2C" plot a.json --matrix latency -o a.svg
		grep -q 'memory of node' a.svg
		"$C2C" plot a.json --test loaded -o b.svg
		grep -q 'loaded' b.svg
	fi
	# Loading and saving loses nothing.
	"$C2C" export a.json -o b.json
	diff <(jq -S . a.json) <(jq -S . b.json)
}

@test "two runs are compared, matrices and curves" {
	need_two_cpus
	for file in a b; do
		"$C2C" numa -q "${small[@]}" -o "$file.json" >/dev/null
	done
	run --separate-stderr "$C2C" compare -q a.json b.json
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[[ $output == *"idle latency, medians in ns"* ]]
	[[ $output == *"bandwidth-1:0, medians in GiB/s"* ]]
	[[ $output == *"curves at "* ]]
	run --separate-stderr "$C2C" compare -q a.json b.json --json
	[[ $output == *'"nodes"'* ]]
	# Of one node there is a picture of the curves, of more a heatmap.
	if command -v gnuplot >/dev/null; then
		"$C2C" compare -q a.json b.json -o difference.svg >/dev/null
		grep -q '<svg' difference.svg
	fi
	run --separate-stderr "$C2C" compare --by-level a.json b.json
	refused 2 --by-level "NUMA nodes"
}

@test "--runs makes one record of nodes, and compare judges it by runs" {
	need_two_cpus
	need_jq
	run --separate-stderr "$C2C" numa -q --size 1M --passes 1:100000 \
		--budget 0.3 --runs 2 -o a.json
	[ "$status" -eq 0 ]
	[[ $output == *"memory by node, median of 2 runs with "* ]]
	[[ $output == *"range of the runs within "*"(widest: CPUs of node "* ]]
	jq -e '(.runs | length) == 2 and .run.runs == 2 and
		(.run.loaded_peak_gib_per_s | length) ==
			([.curves[] | select(.test == "loaded")] | length)' a.json
	# A point under load has the medians of both figures.
	jq -e '. as $all | [range(.curves | length)] | all(. as $c |
		$all.curves[$c] as $m | [$all.runs[].curves[$c]] as $r |
		[range($m.median | length)] | all(. as $k |
			([$r[].median[$k]] | all) | not or
			(($r[0].median[$k] + $r[1].median[$k]) / 2 /
				$m.median[$k] - 1 | fabs) < 1e-4))' a.json
	# Other commands take it as any record.
	"$C2C" plot --term --matrix latency a.json
	"$C2C" export a.json -o b.json
	diff <(jq -S . a.json) <(jq -S . b.json)
	run --separate-stderr "$C2C" compare -q a.json b.json
	[ "$status" -eq 0 ]
	[[ $output == *"cannot be told from 2 and 2 runs"* ]]
}

# many_runs FACTOR NAME: a record of nodes of five runs, whose values differ
# by up to 4 % from run to run.
many_runs()
{
	jq -n --argjson by "$1" --argjson seed "$2" '
		def times($r): $by * (1 + (($r * 7 + $seed * 3) % 5) / 100);
		def record($r): {format: "c2c-result", version: 1,
			command: "numa", complete: true,
			machine: {hypervisor: "KVM", cpu_model: "Test CPU"},
			options: {}, cpus: [0, 1], matrices: [
				{name: "latency", statistic: "median",
				unit: "ns", quantity: "idle", better: "lower",
				rows: {kind: "node", ids: [0, 1]},
				columns: {kind: "node", ids: [0, 2]},
				symmetric: false, values:
					[[100 * times($r), 300], [200, 400]]}]};
		record(2) + {runs: [record(range(5))]}'
}

@test "nodes are judged by the spread between runs" {
	need_jq
	many_runs 1 0 >a.json
	many_runs 1 1 >again.json
	many_runs 1.1 1 >slow.json
	run --separate-stderr "$C2C" compare -q --threshold 0 a.json again.json
	[ "$status" -eq 0 ]
	[[ $output == *"Runs: 5 against 5"*"0 of 4 cells changed"* ]]
	run --separate-stderr "$C2C" compare --threshold 5 a.json slow.json
	[ "$status" -eq 3 ]
	[[ $output == *"1 of 4 cells changed"*"permutation test of runs"* ]]
	[[ $stderr == *"CPUs of node 0, memory of node 0: worse by "* ]]
	# One run each proves nothing on a virtual machine.
	jq '.runs[0]' a.json >one.json
	jq '.runs[0]' slow.json >other.json
	run --separate-stderr "$C2C" compare -q --threshold 5 one.json other.json
	[ "$status" -eq 0 ]
	[[ $output == *"Verdict: cannot be told from one run each"* ]]
	[[ $stderr == *"cannot be told from one run each"* ]]
	# Single records between commas are runs, too.
	for i in 0 1 2 3; do
		jq ".runs[$i]" a.json >"a$i.json"
		jq ".runs[$i]" slow.json >"b$i.json"
	done
	run --separate-stderr "$C2C" compare --threshold 5 \
		a0.json,a1.json,a2.json,a3.json b0.json,b1.json,b2.json,b3.json
	[ "$status" -eq 3 ]
	[[ $output == *"Runs: 4 against 4"*"1 of 4 cells changed"* ]]
	# All runs have the nodes of the record.
	jq '.runs[1].matrices[].columns.ids = [0, 3]' a.json >bad.json
	run --separate-stderr "$C2C" plot --term bad.json
	[ "$status" -eq 1 ]
	[[ $stderr == *"matrices of other NUMA nodes than the record has"* ]]
	# Nor may the runs be of CPUs where the record is of nodes.
	jq 'del(.runs[].matrices[0] | .rows, .columns)' a.json >bad.json
	run --separate-stderr "$C2C" plot --term bad.json
	[ "$status" -eq 1 ]
	[[ $stderr == *"matrices of other NUMA nodes than the record has"* ]]
	jq '.matrices[].columns.ids = [0, 3]' a0.json >bad.json
	run --separate-stderr "$C2C" compare a0.json,bad.json a1.json
	refused 2 "of different NUMA nodes"
}

@test "a cell that got worse exceeds the threshold" {
	need_jq
	measure --latency --passes 6:6
	jq '(.matrices[] | select(.statistic != "passes" and
		(.statistic | test("told") | not)).values) |=
		map(map(if . then . * 2 else . end))' a.json >b.json
	for file in a b; do # narrow intervals, whatever the machine had
		jq '(.matrices[] | select(.statistic == "median") | .values) as $m |
			(.matrices[] | select(.statistic | test("ci_"))).values = $m' \
			"$file.json" >"narrow-$file.json"
	done
	# Of virtual machines, one run each proves nothing.
	for file in a b; do
		jq '.machine.hypervisor = null' "narrow-$file.json" >"$file.json"
		mv "$file.json" "narrow-$file.json"
	done
	run --separate-stderr "$C2C" compare --threshold 5 narrow-a.json narrow-b.json
	[ "$status" -eq 3 ]
	[[ $stderr == *"CPUs of node "*", memory of node "*": worse by 100.0 %"* ]]
}

@test "a record without CPUs is no topology" {
	need_jq
	measure --latency
	jq '.cpus = [] | del(.topology)' a.json >none.json
	run --separate-stderr "$C2C" export none.json --hwloc x.xml
	[ "$status" -ne 0 ]
	[ "$status" -lt 128 ]
}

@test "what needs pairs of CPUs refuses a record of nodes" {
	measure --latency
	run --separate-stderr "$C2C" analyze a.json
	refused 2 "NUMA nodes" "c2c latency"
	run --separate-stderr "$C2C" export a.json --placement taskset
	refused 2 "no matrix of CPUs"
	run --separate-stderr "$C2C" export a.json -o a.csv
	[ "$status" -ne 0 ]
	[[ $stderr == *"NUMA nodes"* ]]
	[ ! -e a.csv ]
	run --separate-stderr "$C2C" plot a.json --order topology --term \
		--matrix latency
	refused 2 "--order topology" "NUMA nodes"
}

@test "a turn of a delay counts, and does nothing else" {
	[ "$(uname -m)" = x86_64 ] || skip "code of $(uname -m) is not read here"
	[ "${MODE:-plain}" = plain ] || skip "a $MODE build adds its own"
	objdump -d --no-show-raw-insn "$C2C" |
		sed -n '/<wait_turns>:/,/^$/p' | awk '{ print $2 }' >code
	[ "$(grep -cE '^(sub|dec)$' code)" -eq 1 ]
	[ "$(grep -c '^jne$' code)" -eq 1 ]
	! grep -qE '^(mov|call|rdtsc|div|push)' code || false
}

@test "what makes no sense is refused" {
	refuse 2 --mix "'4:1'" "1:0, 3:1, 2:1" -- --mix 4:1
	refuse 2 --mix "''" -- --mix ''
	refuse 2 --mix "1:0," -- --mix 1:0,
	refuse 2 --mix --latency -- --mix 1:0 --latency
	refuse 2 --size -- --size 1K
	refuse 2 --size -- --size 1e9
	refuse 2 --pages hugetlb -- --pages 3k
	refuse 2 --pair --cpus -- --pair 0,1
	refuse 2 --from --cpus -- --from 0
	refuse 2 --all-pairs --cpus -- --all-pairs
	refuse 2 --jobs -- --jobs 2
	refuse 2 --runs -- --runs 0
	refuse 2 --keep-passes -- --keep-passes
	refuse 2 --cpus 99999 -- --cpus 99999
	refuse 2 stray -- stray
	refuse 2 .csv -- -o b.csv
	refuse 1 "not enough memory" --size -- --size 100G
	refuse 77 --pages "hugetlb pages" -- --pages hugetlb --size 100G
	echo '{}' >b.json
	refuse 2 --resume -- --resume b.json
	rm b.json
	no_files_but
}

@test "the help has no option that is refused" {
	"$C2C" numa --help >help
	for name in all-pairs pair from resume jobs keep-passes; do
		! grep -q -- "--$name" help || false
	done
	grep -q -- --runs= help
}

@test "an interrupt while the memory is prepared is told" {
	start_command numa --size 512M -o a.json
	until_rose cpu_ticks 20
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	[ -e a.json ] || grep -q "interrupted before anything was measured" err
}

@test "--quick is short unless a budget is given" {
	small=(--size 4M --precision 50)
	measure --quick --latency
	holds '.options.quick and .options.budget_s == 1.5'
	measure --quick --latency --budget 1
	holds '.options.budget_s == 1'
}

@test "an interrupt leaves a record of what was measured" {
	need_two_cpus
	for _ in {1..5}; do
		begin_command numa "${long[@]}" --size 4M -o a.json
		kill -INT "$pid"
		finish
		[ "$status" -eq 130 ]
		[ ! -e a.json ] || break
	done
	sound a.json false
	grep -q '^memory by node' out
}

@test "output that nobody takes is an error" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run --separate-stderr bash -c \
		"'$C2C' numa -q ${small[*]} --latency >/dev/full"
	[ "$status" -eq 1 ]
}
