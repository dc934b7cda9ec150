#!/usr/bin/env bats
# c2c queue as a user types it: what it measures and writes, and what it
# refuses. For bad machines and rude users see hostile.bats.
#
# The tests assert only what physics and order guarantee of numbers (sound.jq).
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
	command=queue
	# A queue that is soon through.
	small=(--chunks 64 "${short[@]}")
}

teardown()
{
	end_jobs
}

@test "a default run fills both matrices, in every format" {
	need_two_cpus
	run --separate-stderr "$C2C" queue "${short[@]}" -o a.json -o a.dat -o a.csv
	[ "$status" -eq 0 ]
	[[ $output == *writer*"CPU "*reader*"CPU "* ]]
	[[ $output == *"writer: minimum"*"reader: minimum"* ]]
	[[ $output == *"higher is better"* ]]
	no_files_but a.csv a.dat a.json
	sound a.json true
	holds '.options.chunk_bytes == 512 and .options.chunks == 8192
		and .options.method == "cold" and .options.pairs == "all"'
	for name in writer reader; do
		for statistic in median min p10 p90 ci_low ci_high passes; do
			grep -q "^# matrix: $name $statistic " a.dat
		done
	done
	# The file says the same as the table.
	[ "$(cell a.dat median 1 2)" = "$(jq -r '.matrices[0, 7].values[0][1]' a.json)" ]
	[ "$(cell a.dat median 1 1)" = $'nan\nnan' ]
	"$C2C" plot --term a.json | grep -q '^reader'
}

@test "--json prints what -o FILE.json writes, and c2c plot reads it" {
	need_two_cpus
	"$C2C" queue "${small[@]}" --json -o a.json >printed 2>err
	diff a.json printed
	sound printed true
	"$C2C" queue "${small[@]}" --json 2>err | "$C2C" plot --term - >out
	grep -q '^writer$' out
	grep -q '^reader$' out
	grep -q 'GiB/s' out
}

@test "the JSON has the keys of the format, in its order" {
	need_two_cpus
	measure
	holds '(keys_unsorted) == ["format", "version", "command", "started",
		"elapsed_s", "complete", "tool", "machine", "options", "run",
		"cpus", "matrices", "topology"]'
	holds '(.options | keys_unsorted) == ["pairs", "pair", "per", "cpus",
		"passes_min", "passes_max", "precision_pct", "budget_s", "jobs",
		"idle", "seed", "runs", "chunk_bytes", "chunks", "home", "pages",
		"readers", "sweep_min", "sweep_max", "sweep_chunks_min",
		"sweep_chunks_max", "order_check", "cold",
		"method", "warm_up", "vector", "line_bytes", "queue_bytes"]'
	holds '(.run | keys_unsorted) == ["pairs", "passes", "jobs", "jobs_bias",
		"pass_alone_s", "cpus_at_once", "memory_bound", "pages", "huge_share", "agreement", "warnings"]'
	holds 'all(.matrices[]; keys_unsorted == ["name", "statistic", "unit",
		"quantity", "better", "symmetric", "values"])'
	holds 'all(.matrices[] | select(.statistic != "passes");
		.quantity == "rate")'
}

@test "every option is recorded with its effective value" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --passes 7:7 --chunk 256 --chunks 100 --warm --home second \
		--pages 4k --seed 42 --idle park --cpus "$b,$a" --jobs max
	holds '.options | .passes_min == 7 and .passes_max == 7 and .seed == 42
		and .chunk_bytes == 256 and .chunks == 100 and .method == "warm"
		and (.cold | not) and .home == "second" and .pages == "4k"
		and .idle == "park" and .readers == null
		and (.order_check | not)
		and (.vector | IN("avx512", "avx2", "sse2", "neon", "scalar"))
		and .line_bytes >= 64'
	holds ".cpus == [$b, $a] and .run.passes == 7 and .run.pages == \"4k\""
	holds '.run.huge_share == 0'
	measure --pair "$b,$a" --cold
	holds ".cpus == [$b, $a] and .options.cold and .run.pairs == 2"
	measure --from "$b"
	holds "(.cpus | index($b)) as \$i | .run.pairs == (.cpus | length) - 1 and
		all(.matrices[] | select(.unit != \"passes\") | .values
			| to_entries[]; .key == \$i or all(.value[]; . == null))"
}

@test "every size of chunk and queue, home and kind of pages measures" {
	need_two_cpus
	line=$("$C2C" info --json | jq '.machine.line_bytes // 64')
	for chunk in "$line" $((3 * line)) 64K; do
		measure --pair "$(pair)" --chunk "$chunk"
	done
	holds '.options.chunk_bytes == 65536'
	# One small chunk may take no longer than a step of the clock.
	measure --chunks 1 --chunk 64K
	for home in first second interleave; do
		measure --home "$home" --pair "$(pair)"
		holds ".options.home == \"$home\""
	done
	for jobs in 1 max auto; do
		measure --jobs "$jobs"
	done
	measure --pages auto
	holds '.run.pages == "4k" or .run.huge_share == 1'
	C2C_CLOCK=clock measure
	# A size may be written in several ways; the last word counts.
	measure --chunk 1KiB --cold --warm
	holds '.options.chunk_bytes == 1024 and .options.method == "warm"'
}

@test "base pages where huge ones were looked for are told of" {
	need_two_cpus
	measure --pages auto
	holds '(.run.pages == "4k") == any(.run.warnings[]; test("huge pages"))'
	measure --pages 4k
	holds 'any(.run.warnings[]; test("huge pages")) | not'
}

@test "pages that cannot be had are unavailable, with the remedy" {
	need_two_cpus
	if [ "$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)" != 0 ]; then
		measure --pages hugetlb
		holds '.run.pages == "hugetlb" and .run.huge_share == 1'
	else
		refuse 77 hugetlb "sysctl vm.nr_hugepages=" -- --pages hugetlb
	fi
	# Memory that is in pieces now may not be so in the next run.
	run --separate-stderr "$C2C" queue "${small[@]}" --pages thp -o a.json
	if [ "$status" -eq 0 ]; then
		holds '.run.pages == "thp" and .run.huge_share == 1'
	else
		refused 77 "transparent huge pages"
	fi
}

@test "a chunk must be whole lines, and not more than 64 KiB" {
	need_two_cpus
	for chunk in 1 63 65 100 511 65535; do
		refuse 2 --chunk "$chunk bytes" "cache line" -- --chunk "$chunk"
	done
	for chunk in 0 65600 128K 1T 18446744073709551616 99999999999999999999 \
		'' -64 64.5 x 0x40 ' 64' 64KB2; do
		refuse 2 --chunk "'$chunk'" -- --chunk "$chunk"
	done
	for chunks in 0 16777217 99999999999999999999 '' -1 x 1K; do
		refuse 2 --chunks "'$chunks'" -- --chunks "$chunks"
	done
	no_files_but
}

@test "unknown words are refused with those there are" {
	refuse 2 --pages auto 4k thp hugetlb -- --pages 2M
	refuse 2 --home first second interleave -- --home away
	refuse 2 --home -- --home node:
	refuse 2 stray -- stray
	refuse 2 no-such-option -- --no-such-option
	need_two_cpus
	refuse 2 --home 9999 -- --home node:9999
	no_files_but
}

@test "missing memory is told before anything starts" {
	need_two_cpus
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers want address space without bound"
	echo old >a.json
	# 256 GiB where a process may have four.
	for arguments in "" "--sweep 64:64K --pair $(pair)" "--readers all"; do
		status=0
		# shellcheck disable=SC2086
		(ulimit -v 4000000 && exec "$C2C" queue --chunks 4194304 \
			--chunk 64K $arguments -o a.json) >out 2>err || status=$?
		[ "$status" -eq 1 ]
		grep -q 'not enough memory.*GiB' err
		[ ! -s out ]
		[ "$(cat a.json)" = old ]
	done
	# Jobs have a queue each.
	status=0
	(ulimit -v 1000000 && exec "$C2C" queue --chunks 16384 --chunk 64K \
		-o a.json) >out 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q 'fewer --chunks' err
	no_files_but a.json err out
}

@test "a sweep's queues all have the length of --chunks times --chunk" {
	need_two_cpus
	measure --sweep 64:256 --pair "$(pair)" --chunks 100 --chunk 1K
	holds '.options.queue_bytes == 100 * (1024 + .options.line_bytes)'
	holds '.options | .chunk_bytes == null and .chunks == null'
}

@test "a sweep gives curves with their fits, for the pair that was named" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	rm -f a.json
	"$C2C" queue --sweep 256:8K --pair "$b,$a" --chunks 256 --passes 20:20 \
		-o a.json -o a.dat >out 2>err
	sound a.json true
	holds '.matrices == [] and .options.sweep_min == 256
		and .options.sweep_max == 8192'
	holds ".cpus == [$b, $a] and .run.pairs == 6"
	# Readers before writers.
	holds '[.curves[].member] == ["reader", "writer"]'
	holds "all(.curves[]; .cpus == [$b, $a] and .statistic == \"median\"
		and .x.name == \"chunk\" and .x.unit == \"B\"
		and .x.values == [256, 512, 1024, 2048, 4096, 8192])"
	# A fit where there is one, each figure with its interval.
	holds 'all(.curves[].fit | select(.); (.overhead_ns | length == 3)
		and (.rate_gib_per_s | length == 3) and has("half_rate_bytes")
		and .worst_error >= 0)'
	# No chunk takes less time for having more bytes.
	holds 'all(.curves[].fit | select(.) | .rate_gib_per_s[];
		. == null or . > 0)'
	# Where a and b are known, so is what follows from them.
	holds 'all(.curves[].fit | select(.); .overhead_ns[0] <= 0 or
		((.overhead_ns[0] * .rate_gib_per_s[0]
			* 1.073741824) / .half_rate_bytes | . > 0.999 and . < 1.001))'
	holds 'all(.curves[].fit | select(.); .overhead_ns[0] > 0
		or .half_rate_bytes == null)'
	grep -q '^time of a chunk = a + bytes / b:' out
	# What is given lies within what is given for its interval.
	holds 'all(.curves[].fit | select(.) | .overhead_ns, .rate_gib_per_s;
		any(. == null) or (.[0] >= .[1] and .[0] <= .[2]))'
	for side in reader writer; do
		grep -qE "^  $side, .* \(CPUs $b and $a\): (a = .* ns, b = .* GiB/s.*; within|no line fits)" out
	done
	grep -q 'fit' a.dat
	"$C2C" plot --term a.json | grep -q 'chunk'
	if command -v gnuplot >/dev/null; then
		"$C2C" plot a.json -o a.png
		[ "$(head -c 4 a.png | tail -c 3)" = PNG ]
	fi
}

@test "a sweep of chunks has curves over their number, of one size" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	rm -f a.json
	# One smaller chunk may take no longer than a step of the clock.
	"$C2C" queue --sweep-chunks 1:100 --chunk 16K --pair "$b,$a" \
		--passes 20:20 -o a.json >out 2>err
	sound a.json true
	holds '.options | .sweep_chunks_min == 1 and .sweep_chunks_max == 100
		and .chunk_bytes == 16384 and .chunks == null
		and .queue_bytes == null and .sweep_min == null'
	holds '.matrices == [] and .run.pairs == 7'
	holds '[.curves[].member] == ["reader", "writer"]'
	holds "all(.curves[]; .cpus == [$b, $a] and .x.name == \"chunks\"
		and .x.unit == null and .x.kind == \"counts\" and .fit == null
		and .x.values == [1, 2, 4, 8, 16, 32, 64]
		and (.median | all(. > 0)))"
	run ! grep -q 'a + bytes / b' out
	"$C2C" plot --term a.json | grep -qx 'chunks.*'
}

@test "bad sweeps of chunks are named" {
	need_two_cpus
	for sweep in 64 : 64: :64 x:y 0:64 64:0 1:16777217 1024:64 16:64K ''; do
		refuse 2 --sweep-chunks -- --sweep-chunks "$sweep"
	done
	refuse 2 --sweep-chunks "twice" -- --sweep-chunks 5:9
	IFS=, read -r a b <<<"$(pair)"
	for other in "--sweep 64:64K" "--readers $b" --order-check "--from $a" \
		"--jobs 2" "--chunks 5"; do
		# shellcheck disable=SC2086
		refuse 2 --sweep-chunks "${other%% *}" -- --sweep-chunks 16:64 \
			$other
	done
	refuse 2 --sweep-chunks "one CPU" -- --sweep-chunks 16:64 --cpus "$a"
	refuse 2 --resume matrix -- --sweep-chunks 16:64 --resume a.json
	refuse 1 "smaller MAX of --sweep-chunks" -- --chunk 64K \
		--sweep-chunks 1:16777216
	no_files_but
}

@test "a sweep without a pair takes one of each distance there is" {
	need_two_cpus
	rm -f a.json
	"$C2C" queue --sweep 64:64K --chunks 16 --passes 1:1 -o a.json >out 2>err
	sound a.json true
	holds '[.curves[] | select(.member == "reader") | .variant] as $found
		| ($found | length > 0) and ($found - ["SMT siblings",
			"same LLC", "same package", "other package"]) == []
		and ($found | unique | length) == ($found | length)
		and .run.pairs == 11 * ($found | length)'
	holds '.curves[0].x.values == [range(11) | 64 * pow(2; .)]'
	# One pass has no interval: missing, not nought.
	holds 'all(.curves[].low[]; . == null)'
}

@test "bad sweeps are named" {
	need_two_cpus
	for sweep in 64 : 64: :64 x:y 0:64 64:0 -64:64 64:128K 1024:64 64-128 \
		64:64K:1 '' 99999999999999999999:64K; do
		refuse 2 --sweep -- --sweep "$sweep"
	done
	refuse 2 --sweep "100 bytes" "cache line" -- --sweep 100:6400
	refuse 2 --sweep "four times" -- --sweep 64:128
	IFS=, read -r a b <<<"$(pair)"
	refuse 2 --sweep "one CPU" -- --sweep 64:64K --cpus "$a"
	refuse 2 --sweep --pair --from -- --sweep 64:64K --from "$a"
	refuse 2 --sweep --readers -- --sweep 64:64K --readers "$b"
	refuse 2 --sweep --order-check -- --sweep 64:64K --order-check
	refuse 2 --jobs --sweep -- --sweep 64:64K --jobs 2
	refuse 2 --resume matrix -- --sweep 64:64K --resume a.json
	no_files_but
}

@test "curves are no CSV: refused before they are measured" {
	need_two_cpus
	for arguments in "--sweep 64:64K" "--readers all"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" queue $arguments -o a.json -o a.csv
		refused 2 -o "'a.csv'" matrix .dat
	done
	no_files_but
}

@test "one reader is a curve of one point" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --readers "$b" --from "$a"
	holds ".cpus == [$a, $b] and .run.pairs == 1 and .matrices == []
		and .options.readers == \"$b\""
	holds "[.curves[] | [.member, .statistic, .cpus]] ==
		[[\"writer\", \"median\", [$a]], [\"reader\", \"mean\", [$b]],
		[\"reader\", \"median\", [$b]]]"
	holds 'all(.curves[]; .x == {"name": "readers", "unit": "CPUs",
		"kind": "amounts", "values": [1]} and .y.name == "rate" and .y.unit == "GiB/s")'
	# The mean of one reader is that reader.
	holds '.curves[1].median == .curves[2].median'
	# Naming one twice makes it no more than one.
	measure --readers "$b,$b" --from "$a"
	holds '.run.pairs == 1'
	# The other way round.
	measure --readers "$a" --from "$b"
	holds ".cpus == [$b, $a]"
}

@test "groups of readers are what the topology says, without the writer" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --readers all --cpus "$a,$b"
	holds ".cpus == [$a, $b] and .run.pairs == 1"
	for group in llc node; do
		status=0
		"$C2C" queue "${small[@]}" --readers "$group" -o a.json \
			>out 2>err || status=$?
		if [ "$status" -eq 0 ]; then
			sound a.json true
			holds ".run.pairs == (.cpus | length) - 1"
		else
			[ "$status" -eq 77 ]
			grep -q "no CPU shares the" err
		fi
	done
	refuse 2 --readers "only the writer, CPU $a" -- --readers all --cpus "$a"
}

@test "readers are added one by one on three CPUs and more" {
	[ "$(nproc)" -ge 3 ] || skip "this machine has fewer than three CPUs"
	measure --readers all
	holds '(.cpus | length) as $n | .run.pairs == $n - 1
		and (.curves
			| length == $n + 1
			and .[0].x.values == [range(1; $n)]
			and .[1].x.values == [range(1; $n)]
			and ([range(2; $n + 1) as $i | .[$i].x.values
				== [range($i - 1; $n)]] | all))'
	# The mean of a pass lies among its readers.
	measure --readers all --passes 1:1
	holds '[.curves[].median[-1]] as $last | $last[1] <= ($last[2:] | max) * 1.001'
}

@test "bad readers are named" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	refuse 2 --readers "CPU $a is the writer" --from -- \
		--readers "$a,$b" --from "$a"
	refuse 2 --readers "CPU $a is the writer" -- --readers "$a"
	refuse 2 --readers "CPU 1048575" -- --readers 1048575
	for list in '' ',' x 1-0 nonsense:0 99999999999 LLC; do
		refuse 2 --readers -- --readers "$list"
	done
	refuse 2 --from -- --readers all --from 1048575
	refuse 2 --readers --pair -- --readers "$b" --pair "$a,$b"
	refuse 2 --jobs --readers -- --readers "$b" --jobs max
	refuse 2 --readers --order-check -- --readers "$b" --order-check
	refuse 2 --resume matrix -- --readers "$b" --resume a.json
	no_files_but
}

@test "--order-check sees no wrong byte, whatever the queue" {
	need_two_cpus
	for arguments in --cold --warm "--chunk 64K" "--chunk 192 --chunks 333" \
		"--pages 4k"; do
		# shellcheck disable=SC2086
		measure --order-check $arguments
		holds '.options.order_check and (.matrices
			| map(select(.statistic == "median")) | length == 1
			and .[0].name == "mismatch" and .[0].unit == "bytes"
			and all(.[0].values[][]; . == null or . == 0))
			and .run.most_wrong_bytes == 0'
		grep -q 'every byte arrived as published' out
	done
}

@test "a record is completed by what it lacks, and by nothing else" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b"
	# No run measures such values: they can only have been copied.
	jq --tab '.complete = false
		| .matrices |= map(.values[0][1] = null | .values[1][0] |=
			if . then 123456 else . end)' a.json >part.json
	"$C2C" queue "${small[@]}" --cpus "$a,$b" --resume part.json \
		-o a.json >out 2>err
	need_jq
	holds '.complete and .run.pairs == 1'
	holds 'all(.matrices[]; .values[1][0] == 123456)'
	holds 'all(.matrices[] | select(.unit != "passes"); .values[0][1] > 0
		and .values[0][1] < 100000)'
	jq -e --slurpfile part part.json \
		'.run.resumed.started == $part[0].started
		and .run.resumed.elapsed_s == $part[0].elapsed_s
		and .elapsed_s > $part[0].elapsed_s' a.json
	grep -q 'over 1 pair in' out
	# One side alone is no value.
	jq '.matrices[7].values[1][0] = null' a.json >part.json
	"$C2C" queue "${small[@]}" --cpus "$a,$b" --resume part.json \
		-o a.json >out 2>err
	holds '.run.pairs == 1 and .matrices[7].values[1][0] < 100000
		and .matrices[0].values[1][0] < 100000'
}
