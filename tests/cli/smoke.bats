#!/usr/bin/env bats
# Each measuring command on the CPUs that are there: how it ends, and what its
# record holds. How fast anything is, a busy machine decides: no case asks it.
# What the commands do with what they measure is tested on made-up CPUs.
#
# bats and helpers.bash set what seems unset (SC2154), and use what seems unused
# (SC2034); a case is one subshell (SC2030, SC2031).
# shellcheck disable=SC2030,SC2031,SC2034,SC2154

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
}

# Six passes over the CPUs a and b, of which each has a value; FILTER holds too.
smoke() # FILTER COMMAND ARGUMENT...
{
	local filter=$1
	command=$2
	shift 2
	measure --cpus "$a,$b" "$@"
	grep -q 'median of 6 passes over' out
	holds ".cpus == [$a, $b] and .run.passes == 6"
	holds "$filter"
}

@test "c2c latency measures by each method that needs no common counter" {
	for method in line cas two-line; do
		smoke '.options.relax | IN("none", "pause")' latency \
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
		all(.runs[]; .complete and .run.passes == 6)'
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
	grep -q 'every byte arrived as published' out
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
		"$C2C" memcpy --size 64M --dest "$dest" --passes 5:5 \
			--cpus "$a,$b" >out 2>err 3>&- &
		pid=$!
		most=0
		while now=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' \
			"/proc/$pid/status" 2>/dev/null) && [ -n "$now" ]; do
			most=$now
		done
		finish
		[ "$status" -eq 0 ]
		# And the program itself.
		[ "$most" -gt 65536 ]
		[ "$most" -lt $((2 * nodes * 65536 + 48 * 1024)) ]
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
