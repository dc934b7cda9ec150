#!/usr/bin/env bats
# c2c queue as a user types it: what it measures and writes, and what it
# refuses. For bad machines and rude users see hostile.bats.
#
# The CPUs are made up; what is measured between them is as tests/made_up/pairs.c
# says.
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
	make_up
	command=queue
	# A queue that is soon through.
	small=(--chunks 64 "${short[@]}")
}

teardown()
{
	end_jobs
	settle
}

@test "a default run fills both matrices, in every format" {
	C2C_MADE_UP="noise=0 back=25" run --separate-stderr "$C2C" queue "${short[@]}" -o a.json -o a.dat -o a.csv
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
	# A chunk of 512 bytes takes a reader 20 ns and its bytes at 16 GiB/s.
	holds '[.matrices[] | select(.statistic == "median") |
		[.values[0][0, 1, 2, 4], .values[1][0] | . // 0 | . * 1000 | round]]
		== [[0, 12766, 6383, 3192, 10213], [0, 9575, 4787, 2394, 7660]]'
	# The file says the same as the table.
	[ "$(cell a.dat median 1 2)" = "$(jq -r '.matrices[0, 7].values[0][1]' a.json)" ]
	[ "$(cell a.dat median 1 1)" = $'nan\nnan' ]
	"$C2C" plot --term a.json | grep -q '^reader'
	"$C2C" queue "${small[@]}" --json -o a.json >printed 2>err
	diff a.json printed
}

@test "the JSON has the keys of the format, in its order" {
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
		"jobs_chosen", "cpus_at_once", "memory_bound", "pages", "huge_share", "agreement", "warnings"]'
	holds 'all(.matrices[]; keys_unsorted == ["name", "statistic", "unit",
		"quantity", "better", "symmetric", "values"])'
	holds 'all(.matrices[] | select(.statistic != "passes");
		.quantity == "rate")'
}

@test "every option is recorded with its effective value" {
	measure --passes 7:7 --chunk 256 --chunks 100 --warm --home second \
		--pages 4k --seed 42 --idle park --cpus 1,0 --jobs max
	holds '.options | .passes_min == 7 and .passes_max == 7 and .seed == 42
		and .chunk_bytes == 256 and .chunks == 100 and .method == "warm"
		and (.cold | not) and .home == "second" and .pages == "4k"
		and .idle == "park" and .readers == null
		and (.order_check | not)
		and (.vector | IN("avx512", "avx2", "sse2", "neon", "scalar"))
		and .line_bytes >= 64'
	holds ".cpus == [1, 0] and .run.passes == 7 and .run.pages == \"4k\""
	holds '.run.huge_share == 0'
	measure --pair 1,0 --cold
	holds ".cpus == [1, 0] and .options.cold and .run.pairs == 2"
	measure --from 1
	holds "(.cpus | index(1)) as \$i | .run.pairs == (.cpus | length) - 1 and
		all(.matrices[] | select(.unit != \"passes\") | .values
			| to_entries[]; .key == \$i or all(.value[]; . == null))"
}

@test "every size of chunk and queue, home and kind of pages measures" {
	for chunk in 64 192 64K; do
		measure --pair 0,1 --chunk "$chunk"
	done
	holds '.options.chunk_bytes == 65536'
	# One small chunk may take no longer than a step of the clock.
	measure --chunks 1 --chunk 64K
	for home in first second interleave; do
		measure --home "$home" --pair 0,1
		holds ".options.home == \"$home\""
	done
	while read -r jobs together; do
		measure --jobs "$jobs"
		holds ".run.jobs == $together"
	done <<-'END'
	1 1
	max 4
	auto 4
	END
	C2C_CLOCK=clock measure
	holds '.machine.clock.source == "clock_monotonic_raw"'
	# A size may be written in several ways; the last word counts.
	measure --chunk 1KiB --cold --warm
	holds '.options.chunk_bytes == 1024 and .options.method == "warm"'
}

@test "pages are those that can be had, and what is missing is told" {
	measure --pages auto
	holds '.run | .pages == "thp" and .huge_share == 1 and
		all(.warnings[]; test("huge pages") | not)'
	measure --pages thp
	holds '.run.pages == "thp" and .run.huge_share == 1'
	measure --pages 4k
	holds '.run | .pages == "4k" and .huge_share == 0 and
		all(.warnings[]; test("huge pages") | not)'
	export C2C_MADE_UP=thp=0
	measure --pages auto
	holds '.run | .pages == "4k" and any(.warnings[];
		test("only 0 % of the memory was in huge pages"))'
	refuse 77 "transparent huge pages" -- --pages thp
	refuse 77 hugetlb "sysctl vm.nr_hugepages=" -- --pages hugetlb
}

@test "missing memory is told before anything starts" {
	# A process may have nine tenths of 2 GiB.
	export C2C_MADE_UP=free_gib=2
	for arguments in "" "--sweep 64:64K --pair 0,1" "--readers all"; do
		# shellcheck disable=SC2086
		refuse 1 "not enough memory" GiB "fewer --chunks" -- \
			--chunks 65536 --chunk 64K $arguments
	done
	refuse 1 "smaller MAX of --sweep-chunks" -- --chunk 64K \
		--sweep-chunks 1:16777216
	# Jobs have a queue each.
	"$C2C" queue --chunks 8192 --chunk 64K --jobs 1 --passes 1:1 \
		--pair 0,1 -o a.json >out 2>err
	refuse 1 "fewer --jobs" -- --chunks 8192 --chunk 64K --jobs max
	no_files_but a.json err out
}

@test "a sweep's queues all have the length of --chunks times --chunk" {
	measure --sweep 64:256 --pair 0,1 --chunks 100 --chunk 1K
	holds '.options.queue_bytes == 100 * (1024 + .options.line_bytes)'
	holds '.options | .chunk_bytes == null and .chunks == null'
}

@test "a sweep gives curves with their fits, for the pair that was named" {
	rm -f a.json
	"$C2C" queue --sweep 256:8K --pair 1,0 --chunks 256 --passes 20:20 \
		-o a.json >out 2>err
	sound a.json true
	holds '.matrices == [] and .options.sweep_min == 256
		and .options.sweep_max == 8192'
	holds ".cpus == [1, 0] and .run.pairs == 6"
	# Readers before writers.
	holds '[.curves[].member] == ["reader", "writer"]'
	holds "all(.curves[]; .cpus == [1, 0] and .statistic == \"median\"
		and .x.name == \"chunk\" and .x.unit == \"B\"
		and .x.values == [256, 512, 1024, 2048, 4096, 8192])"
	# A chunk takes 20 ns, and its bytes at 16 GiB/s; a writer less.
	holds '.curves[0].fit | (.overhead_ns, .rate_gib_per_s | length == 3 and
			.[0] >= .[1] and .[0] <= .[2])
		and (.overhead_ns[0] / 20 - 1 | fabs) < 0.05
		and (.rate_gib_per_s[0] / 16 - 1 | fabs) < 0.05
		and (.half_rate_bytes / 343.6 - 1 | fabs) < 0.1
		and .worst_error < 0.05'
	holds '[.curves[0, 1].median[0]] | (.[1] / .[0] * 3 / 4 - 1 | fabs) < 0.01'
	grep -q '^time of a chunk = a + bytes / b:' out
	for side in reader writer; do
		grep -qE "^  $side, .* \(CPUs 1 and 0\): a = [0-9.]+ ns, b = [0-9.]+ GiB/s, half of b at [0-9]+ bytes; within [0-9.]+ %" out
	done
	"$C2C" plot a.json -o a.svg
	grep -q 'fit' a.svg
	"$C2C" plot --term a.json | grep -q 'chunk'
	if command -v gnuplot >/dev/null; then
		"$C2C" plot a.json -o a.png
		[ "$(head -c 4 a.png | tail -c 3)" = PNG ]
	fi
}

@test "a sweep of chunks has curves over their number, of one size" {
	rm -f a.json
	# One smaller chunk may take no longer than a step of the clock.
	"$C2C" queue --sweep-chunks 1:100 --chunk 16K --pair 1,0 \
		--passes 20:20 -o a.json >out 2>err
	sound a.json true
	holds '.options | .sweep_chunks_min == 1 and .sweep_chunks_max == 100
		and .chunk_bytes == 16384 and .chunks == null
		and .queue_bytes == null and .sweep_min == null'
	holds '.matrices == [] and .run.pairs == 7'
	holds '[.curves[].member] == ["reader", "writer"]'
	holds "all(.curves[]; .cpus == [1, 0] and .x.name == \"chunks\"
		and .x.unit == null and .x.kind == \"counts\" and .fit == null
		and .x.values == [1, 2, 4, 8, 16, 32, 64]
		and (.median | all(. > 0)))"
	run ! grep -q 'a + bytes / b' out
	"$C2C" plot --term a.json | grep -qx 'chunks.*'
}

@test "a sweep without a pair takes one of each distance there is" {
	rm -f a.json
	"$C2C" queue --sweep 64:64K --chunks 16 --passes 1:1 -o a.json >out 2>err
	sound a.json true
	holds '[.curves[] | [.member, .variant, .cpus]] == [
		["reader", "SMT siblings", [0, 1]], ["reader", "same LLC", [0, 2]],
		["reader", "other package", [0, 4]],
		["writer", "SMT siblings", [0, 1]], ["writer", "same LLC", [0, 2]],
		["writer", "other package", [0, 4]]] and .run.pairs == 33'
	holds '.curves[0].x.values == [range(11) | 64 * pow(2; .)]'
	# One pass has no interval: missing, not nought.
	holds 'all(.curves[].low[]; . == null)'
}

@test "one reader is a curve of one point" {
	measure --readers 1 --from 0
	holds ".cpus == [0, 1] and .run.pairs == 1 and .matrices == []
		and .options.readers == \"1\""
	holds "[.curves[] | [.member, .statistic, .cpus]] ==
		[[\"writer\", \"median\", [0]], [\"reader\", \"mean\", [1]],
		[\"reader\", \"median\", [1]]]"
	holds 'all(.curves[]; .x == {"name": "readers", "unit": "CPUs",
		"kind": "amounts", "values": [1]} and .y.name == "rate" and .y.unit == "GiB/s")'
	# The mean of one reader is that reader.
	holds '.curves[1].median == .curves[2].median'
	# Naming one twice makes it no more than one.
	measure --readers 1,1 --from 0
	holds '.run.pairs == 1'
	# The other way round.
	measure --readers 0 --from 1
	holds ".cpus == [1, 0]"
}

# bats test_tags=threads
@test "readers are added one by one, by the topology, and share the rate" {
	export C2C_MADE_UP=noise=0
	while read -r cpus arguments; do
		# shellcheck disable=SC2086
		measure --readers $arguments
		holds ".cpus == $cpus and .run.pairs == (.cpus | length) - 1"
	done <<-'END'
	[0,1] all --cpus 0,1
	[0,1,2,3] llc
	[0,1,2,3] node
	[5,4,6,7] node --from 5
	[0,1,2,3,4,5,6,7] all
	END
	holds '[.curves[] | [.member, .statistic, .cpus[0], .x.values[0]]] == [
		["writer", "median", 0, 1], ["reader", "mean", 1, 1],
		["reader", "median", 1, 1], ["reader", "median", 2, 2],
		["reader", "median", 3, 3], ["reader", "median", 4, 4],
		["reader", "median", 5, 5], ["reader", "median", 6, 6],
		["reader", "median", 7, 7]] and
		all(.curves[]; .x.values[-1] == 7)'
	# Each of two readers has half of what one has.
	holds '.curves[2].median | (.[0] / .[1] - 2 | fabs) < 1e-3'
	# The mean lies among the readers.
	holds '.curves[1].median[1] as $mean | [.curves[2, 3].median] |
		[.[0][1], .[1][0]] | sort | .[0] <= $mean and $mean <= .[1]'
}

@test "bad readers are named" {
	refuse 2 --readers "CPU 0 is the writer" --from -- \
		--readers 0,1 --from 0
	refuse 2 --readers "CPU 0 is the writer" -- --readers 0
	refuse 2 --readers "CPU 1048575" -- --readers 1048575
	refuse 2 --readers "only the writer, CPU 0" -- --readers all --cpus 0
	for list in '' ',' x 1-0 nonsense:0 99999999999 LLC; do
		refuse 2 --readers -- --readers "$list"
	done
	refuse 2 --from -- --readers all --from 1048575
	refuse 2 --readers --pair -- --readers 1 --pair 0,1
	refuse 2 --jobs --readers -- --readers 1 --jobs max
	refuse 2 --readers --order-check -- --readers 1 --order-check
	refuse 2 --resume matrix -- --readers 1 --resume a.json
	no_files_but
}

@test "--order-check sees no wrong byte, whatever the queue" {
	for arguments in --cold --warm "--chunk 64K" "--chunk 192 --chunks 333" \
		"--pages 4k"; do
		# shellcheck disable=SC2086
		measure --order-check $arguments
		holds '.options.order_check and (.matrices
			| map(select(.statistic == "median")) | length == 1
			and .[0].name == "mismatch" and .[0].unit == "bytes"
			and all(.[0].values[][]; . == null or . == 0))
			and .run.most_wrong_bytes == 0'
		grep -q 'every byte arrived as the writer published it' out
	done
}

@test "--order-check ends with 3 if a byte of one pass is wrong" {
	status=0
	C2C_MADE_UP="wrong=5 wrong_pass=4" "$C2C" queue --order-check \
		"${small[@]}" -o a.json >out 2>err || status=$?
	[ "$status" -eq 3 ]
	holds '.complete and .run.most_wrong_bytes == 5 and
		any(.run.warnings[]; test("CPU 1 read 5 bytes in one pass that CPU 0 had not published"))'
	run ! grep -q 'every byte arrived' out
}

@test "a record is completed by what it lacks, and by nothing else" {
	measure --cpus 0,1
	# No run measures such values: they can only have been copied.
	jq --tab '.complete = false
		| .matrices |= map(.values[0][1] = null | .values[1][0] |=
			if . then 123456 else . end)' a.json >part.json
	"$C2C" queue "${small[@]}" --cpus 0,1 --resume part.json \
		-o a.json >out 2>err
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
	"$C2C" queue "${small[@]}" --cpus 0,1 --resume part.json \
		-o a.json >out 2>err
	holds '.run.pairs == 1 and .matrices[7].values[1][0] < 100000
		and .matrices[0].values[1][0] < 100000'
}
