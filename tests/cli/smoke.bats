#!/usr/bin/env bats
# Each measuring command on the CPUs that are there: how it ends, and what its
# record holds. How fast anything is, a busy machine decides: no case asks it.
# What the commands do with what they measure is tested on made-up CPUs.
#
# bats and helpers.bash set what seems unset (SC2154), and use what seems unused
# (SC2034); a case is one subshell (SC2030, SC2031); jq has variables (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	need_two_cpus
	need_jq
	IFS=, read -r a b <<<"$(pair)"
	small=("${short[@]}")
}

teardown()
{
	end_jobs
	settle
}

# Six passes over the CPUs a and b, of which each has a value; FILTER holds too.
smoke() # FILTER COMMAND ARGUMENT...
{
	local filter=$1
	command=$2
	shift 2
	measure --cpus "$a,$b" "$@"
	# A visit that the host disturbed has no value.
	grep -Eq 'median of [1-6] pass(es)? over' out
	holds ".cpus == [$a, $b] and (.run.passes | . >= 1 and . <= 6)"
	holds "$filter"
}

@test "c2c latency measures by each method that needs no common counter" {
	for method in line cas two-line; do
		smoke '.options.spin_hint | IN("none", "pause")' latency \
			--method "$method"
		# Light needs that for a hand's breadth, a program for its start.
		holds '.run.pairs == 1 and .matrices[0].unit == "ns" and
			(.matrices[0].values[0][1] | . > 0.5 and . < 1e7) and
			.matrices[0].symmetric and
			(.matrices[6].values[0][1] | . >= 1 and . <= 6)'
	done
	smoke '.run.pairs == 2 and (.matrices[0].symmetric | not)' latency \
		--both-ways
	C2C_CLOCK=clock smoke '.machine.clock.source == "clock_monotonic_raw"' \
		latency
}

@test "c2c latency --method one-way measures, or says why it cannot" {
	run --separate-stderr "$C2C" latency "${small[@]}" --cpus "$a,$b" \
		--method one-way -o a.json
	if [ "$status" -eq 0 ]; then
		sound a.json true
	else
		refused 77 counter two-line
		no_files_but
	fi
}

@test "c2c latency --runs measures in new processes" {
	"$C2C" latency -q "${small[@]}" --pair "$a,$b" --runs 2 -o a.json >out
	holds '.complete and (.runs | length) == 2 and
		all(.runs[]; .complete and .run.passes >= 1)'
	# Where the instruction set has a chain for it.
	[ "$(uname -m)" != x86_64 ] ||
		holds 'all(.runs[].run.core_clock_ghz | values; . > 0.1 and . < 20)'
}

@test "c2c queue measures cold and warm, sweeps, readers and order" {
	for temperature in cold warm; do
		smoke '[.matrices[].name] | unique == ["reader", "writer"]' queue \
			--chunks 64 "--$temperature"
		holds '.run.pairs == 2 and .matrices[0].unit == "GiB/s" and
			([.matrices[0, 7].values | .[0][1], .[1][0]] |
				all(. > 0 and . < 1e5))'
	done
	"$C2C" queue -q "${small[@]}" --pair "$a,$b" --sweep 64:1K --chunks 64 \
		-o a.json >out
	sound a.json true
	holds "all(.curves[]; .cpus == [$a, $b] and (.median | length == 5 and
		all(. > 0)))"
	"$C2C" queue -q "${small[@]}" --from "$a" --readers "$b" --chunks 64 \
		-o a.json >out
	sound a.json true
	"$C2C" queue -q "${small[@]}" --cpus "$a,$b" --order-check --chunks 256 \
		-o a.json >out
	grep -q 'every byte arrived as the writer published it' out
	holds '.run.most_wrong_bytes == 0'
}

@test "c2c memcpy copies and compares, to old memory and to fresh" {
	for way in "--copy libc" "--copy stream" "--dest fresh"; do
		# shellcheck disable=SC2086
		smoke '.run.pairs == 4 and .matrices[0].unit == "GiB/s"' memcpy \
			--size 256K $way
		holds '[.matrices[0].values[][]] | length == 4 and
			all(. > 0 and . < 1e5)'
	done
}

@test "c2c memcpy holds two regions on each node, and no more" {
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers need memory of their own"
	nodes=$("$C2C" info --json | jq '.machine.numa_nodes // 1')
	for dest in prefaulted fresh; do
		most=$(python3 -c 'import resource, subprocess, sys
subprocess.check_call(sys.argv[1:], stdout=sys.stderr)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' \
			"$C2C" memcpy --size 32M --dest "$dest" --passes 2:2 \
			--cpus "$a,$b" 2>err)
		# And the program itself.
		[ "$most" -gt 32768 ]
		[ "$most" -lt $((2 * nodes * 32768 + 24 * 1024)) ]
	done
}

@test "memory that is missing is told before anything starts" {
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers want address space without bound"
	echo old >a.json
	for words in "memcpy --size 1G" "queue --chunks 16384 --chunk 64K"; do
		status=0
		# shellcheck disable=SC2086
		(ulimit -v 1000000 && exec "$C2C" $words -o a.json) \
			>out 2>err || status=$?
		[ "$status" -eq 1 ]
		grep -q '^c2c [a-z]*: not enough memory: c2c needs [0-9]* .*GiB' err
		[ ! -s out ]
		[ "$(cat a.json)" = old ]
	done
}

@test "c2c watch measures in bursts, and tells its duty" {
	"$C2C" watch --cpus "$a,$b" --for 1s --log log -o a.json >out 2>err
	must_be_valid a.json
	[ "$(jq -r .event log | tr '\n' ' ')" = "start end " ]
	holds ".complete and .cpus == [$a, $b] and .run.watch.bursts > 0 and
		.run.watch.duty_pct > 0 and .matrices[0].values[0][1] > 0.5"
}

@test "a CPU outside the affinity is refused and the allowed ones are told" {
	run --separate-stderr taskset -c "$a" "$C2C" memcpy --cpus "$a,$b"
	refused 2 "CPU $b"
	run --separate-stderr taskset -c "$a" "$C2C" latency -o a.json
	refused 77 "one CPU"
	taskset -c "$a" "$C2C" memcpy --size 64K --passes 1:1 -o a.json >out
	holds ".cpus == [$a] and .run.pairs == 1 and .matrices[0].values[0][0] > 0"
}

# Short, but until a visit of each pair was not disturbed.
patient=(--passes 6:100000 --precision 50 --budget 60)

# within FILTER LEAST MOST: some numbers, and all of them are between these.
within()
{
	holds "[$1 | numbers] | length > 0 and all(.[]; . >= $2 and . <= $3)"
}

# The record has all CPUs that this process may use.
has_all_cpus()
{
	"$C2C" info --json >info.json
	holds "(.cpus | sort) == $(jq -c '[.. | .allowed? | arrays][0]' info.json)"
}

@test "c2c numa measures the memory of each node" {
	"$C2C" numa --size 4M "${patient[@]}" -o a.json >out 2>err
	sound a.json true
	has_all_cpus
	holds '.run.memory_bound and
		([.run.warnings[] | select(test("has no figures"))] == [])'
	holds 'all(.matrices[] | select(.statistic == "passes" and
		.name == "latency").values[][]; . > 0)'
	within '.matrices[] | select(.statistic == "median" and
		.unit == "ns").values[][]' 0.5 1e5
	within '.matrices[] | select(.statistic == "median" and
		.unit == "GiB/s").values[][]' 0.01 1e5
	within '.curves[] | select(.test == "loaded").median[]' 0.5 1e6
	within '.curves[] | select(.test == "load").median[]' 1e-4 1e5
}

@test "c2c measure runs several commands into one record" {
	"$C2C" measure --budget 3 -o a.json latency "${small[@]}" \
		--pair "$a,$b" + contend --operation load --cpus "$a,$b" \
		>out 2>err
	must_be_valid a.json
	grep -q "^== latency .* (1 of 2)$" out
	grep -q "^operations a second, median of" out
	holds ".command == \"measure\" and .complete and .cpus == [$a, $b]"
	holds '[.sections[] | .command, .complete] ==
		["latency", true, "contend", true]'
}

# slow: c2c report --quick takes fifteen seconds.
@test "c2c report measures latency, caches and memory, and answers" {
	need_no_sanitizer
	"$C2C" report --quick -o a.json -o a.html >out 2>err
	must_be_valid a.json
	[ "$(wc -l <out)" -le 40 ]
	grep -q "^Machine  " out
	grep -q "^To do  " out
	grep -q '"answers"' a.html
	holds '.command == "report" and
		any(.sections[]; .command == "latency")'
	"$C2C" report a.json | grep -q "^To do  "
}

@test "c2c contend measures one CPU and all of them" {
	"$C2C" contend "${patient[@]}" --operation load,lock -o a.json \
		>out 2>err
	sound a.json true
	has_all_cpus
	# The most CPUs are all that may be used.
	holds '(.cpus | length) as $n |
		any(.curves[]; .test == "sum" and .x.values[-1] == $n)'
	within '.curves[] | select(.test == "sum").median[]' 0.001 1e7
	# A median below the clock's step is none.
	holds 'all(.curves[] | select(.test == "latency").median[] | numbers;
		. >= 0.01 and . <= 1e8)'
	within '.curves[] | select(.test == "p99" and .member == "lock") |
		.median[]' 0.01 1e8
}

@test "c2c states measures a CPU itself and a pair, or says what fails" {
	run --separate-stderr "$C2C" states "${patient[@]}" --operation load \
		--pair "$a,$b" -o a.json
	# An emulated CPU has no caches; a busy host moves the pair.
	[[ $status -eq 0 || $status -eq 4 ]]
	sound a.json true
	holds ".cpus[:2] == [$a, $b] and
		any(.curves[]; .test == \"apart\" and .cpus[:2] == [$a, $b])"
	[ "$status" -eq 4 ] || holds '[.curves[] | select(.test == "load").member] |
		contains(["modified", "exclusive", "memory"])'
}

@test "c2c cache measures latencies and rates over the working set" {
	"$C2C" cache --sizes 1K:1M --steps 1 --passes 6:6 -o a.json >out 2>err
	sound a.json true
	holds '.caches | length > 0 and all(.[:-1][]; .memory | not)'
	holds '.curves[0] | .x.values[0] == 1024 and .x.values[-1] == 1048576'
	within '.curves[] | select(.y.unit == "ns").median[]' 0.05 1e5
	within '.curves[] | select(.test == "bandwidth").median[]' 0.01 1e6
	# Where a load from L2 takes three times as long as one from L1.
	holds '.curves[0].median | .[0] == null or .[-1] == null or
		.[-1] > 0.5 * .[0]'
}

@test "c2c cache measures whether two CPUs share a cache" {
	"$C2C" cache --shared 48K --cpus "$(pair)" "${patient[@]}" -o a.json \
		>out 2>err
	sound a.json true
	within '.matrices[] | select(.statistic == "median").values[][]' 0.2 20
}

@test "c2c check answers by its status, from what it measures" {
	run --separate-stderr "$C2C" check --cpus "$a,$b" --share llc \
		--format json
	[[ $status == [034] ]]
	jq -e --argjson a "$a" --argjson b "$b" '.source == null and
		(.findings | length) == 1 and .findings[0].value > 0.5 and
		(.findings[0].cpus - [$a, $b]) == []' <<<"$output"
}
