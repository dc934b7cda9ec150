#!/usr/bin/env bats
# c2c memcpy as a user types it: what it measures and writes, and what it
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
	command=memcpy
	# Regions that every cache holds, and few passes.
	small=(--size 256K "${short[@]}")
}

teardown()
{
	end_jobs
}

# one_cpu: the first CPU that this process may use, also where it is alone.
one_cpu()
{
	"$C2C" info --json | tr -d ' \n' | sed 's/.*"allowed":\[\([0-9]*\).*/\1/'
}

@test "a run fills the matrix with its diagonal, in every format" {
	need_two_cpus
	run --separate-stderr "$C2C" memcpy "${small[@]}" \
		-o a.json -o a.dat -o a.csv
	[ "$status" -eq 0 ]
	[[ $output == *source*copier*minimum*median*maximum* ]]
	[[ $output == *"higher is better"* ]]
	[[ $output == *"95 % intervals within"* ]]
	no_files_but a.csv a.dat a.json
	sound a.json true
	holds '.options.size_bytes == 262144 and .options.method == "libc"
		and .options.dest == "prefaulted" and .options.pairs == "all"'
	holds '(.cpus | length) as $n | .run.pairs == $n * $n'
	[ "$(cell a.dat median 1 1)" = "$(jq '.matrices[0].values[0][0]' a.json)" ]
	[ "$(sed -n 2p a.csv | cut -d, -f2)" = "$(cell a.dat median 1 1)" ]
	"$C2C" plot --term a.csv | grep -q "$(one_cpu)"
}

@test "--json prints what -o FILE.json writes, and c2c plot reads it" {
	"$C2C" memcpy "${small[@]}" --json -o a.json >printed 2>err
	diff a.json printed
	sound printed true
	"$C2C" memcpy "${small[@]}" --json 2>err | "$C2C" plot --term - >out
	grep -q 'GiB/s' out
	grep -q 'c2c memcpy' out
}

@test "the JSON has the keys of the format, in its order" {
	measure
	holds '(keys_unsorted) == ["format", "version", "command", "started",
		"elapsed_s", "complete", "tool", "machine", "options", "run",
		"cpus", "matrices", "topology"]'
	holds '(.options | keys_unsorted)[:17] == ["pairs", "pair", "per",
		"cpus", "passes_min", "passes_max", "precision_pct", "budget_s",
		"jobs", "idle", "seed", "runs", "size_bytes", "method", "dest", "pages",
		"vector"]'
	holds '(.run | keys_unsorted) == ["pairs", "passes", "jobs", "jobs_bias",
		"pass_alone_s", "cpus_at_once", "memory_bound", "pages", "huge_share", "agreement", "warnings"]'
	holds 'all(.matrices[] | select(.statistic != "passes");
		.quantity == "rate")'
}

@test "every option is recorded with its effective value" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --size 1M --dest fresh --copy stream --pages 4k --seed 42 \
		--idle park --passes 7:7 --cpus "$b,$a" --jobs 1
	holds '.options | .size_bytes == 1048576 and .dest == "fresh"
		and .method == "stream" and .pages == "4k" and .seed == 42
		and .idle == "park" and .passes_min == 7 and .jobs == 1
		and (.vector | IN("avx512", "avx2", "sse2", "neon", "scalar"))'
	holds ".cpus == [$b, $a] and .run.passes == 7 and .run.pages == \"4k\"
		and .run.huge_share == 0"
	# Page faults in the time are in the name of the figure.
	holds 'all(.matrices[] | select(.statistic != "passes");
		.quantity == "rate with page faults")'
	grep -q 'page faults' out
	measure --dest prefaulted --copy libc
	holds '.options.vector == "libc" and .options.dest == "prefaulted"'
}

@test "only the CPUs and pairs asked for are measured" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --pair "$b,$a"
	holds ".cpus == [$b, $a] and .run.pairs == 4"
	measure --from "$b"
	holds "(.cpus | index($b)) as \$i | .run.pairs == (.cpus | length) and
		all(.matrices[] | select(.unit != \"passes\") | .values
			| to_entries[]; all(.value[]; . == null) == (.key != \$i))"
	for per in core llc node package; do
		measure --per "$per"
		holds ".options.per == \"$per\""
		holds '.run.pairs == (.cpus | length | . * .)'
	done
	measure --cores
	holds '.options.per == "core"'
}

@test "one CPU copies what it wrote itself" {
	cpu=$(one_cpu)
	measure --cpus "$cpu"
	holds ".cpus == [$cpu] and .run.pairs == 1
		and .matrices[0].values[0][0] > 0"
	taskset -c "$cpu" "$C2C" memcpy "${small[@]}" -o a.json >out 2>err
	sound a.json true
}

@test "the number of pairs is told, and about how long they take" {
	cpu=$(one_cpu)
	measure --cpus "$cpu"
	grep -q '^c2c memcpy: 1 pair, about .* pass' err
	measure --cpus "$cpu" --quiet
	[ ! -s err ]
}

@test "a region that caches hold is told of" {
	measure --size 64K
	grep -q 'the region is smaller than 4 times the largest' err
	holds 'any(.run.warnings[]; test("caches held part"))'
}

@test "sizes that are none, or too large, are refused" {
	for size in 0 1 4095 1025T 18446744073709551615 99999999999999999999 \
		'' -4K x 1e9 0x1000 ' 4K' 4Q 4.5M; do
		refuse 2 --size "'$size'" -- --size "$size"
	done
	for size in 4097 262145; do
		refuse 2 --size "'$size'" 4096 -- --size "$size"
	done
	# A quarter of an EiB is more than any machine has.
	refuse 1 "not enough memory" GiB --size -- --size 1024T
	no_files_but
}

@test "missing memory is told before anything starts" {
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers want address space without bound"
	echo old >a.json
	status=0
	(ulimit -v 1000000 && exec "$C2C" memcpy --size 1G -o a.json) \
		>out 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q '^c2c memcpy: not enough memory: c2c needs [0-9]* regions of 1 GiB' err
	[ "$(wc -l <err)" -eq 1 ]
	[ ! -s out ]
	[ "$(cat a.json)" = old ]
}

@test "the default size fits into what this process may have" {
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers want address space without bound"
	need_jq
	llc=$("$C2C" info --json | jq '[.caches[].bytes] | max // 0')
	[ "$llc" -le 100000000 ] || skip "four times its LLC is a lot of memory"
	(ulimit -v 2000000 && exec "$C2C" memcpy --cpus "$(one_cpu)" \
		--passes 1:1 -o a.json) >out 2>err
	sound a.json true
	# Two regions of it, in nine tenths of that.
	holds ".options.size_bytes >= 4 * $llc
		and .options.size_bytes <= 900 * 1024000"
	holds '.options.size_bytes | . == pow(2; log2 | floor)'
}

@test "two regions on each node are all the memory that is had" {
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers need memory of their own"
	need_jq
	nodes=$("$C2C" info --json | jq '.machine.numa_nodes // 1')
	for dest in prefaulted fresh; do
		"$C2C" memcpy --size 64M --dest "$dest" --passes 5:5 >out 2>err \
			3>&- &
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

@test "pages that cannot be had are unavailable, with the remedy" {
	if [ "$(sed -n 's/^HugePages_Free: *//p' /proc/meminfo)" != 0 ]; then
		measure --pages hugetlb
		holds '.run.pages == "hugetlb" and .run.huge_share == 1'
	else
		run --separate-stderr "$C2C" memcpy "${small[@]}" \
			--pages hugetlb -o a.json
		refused 77 hugetlb "sysctl vm.nr_hugepages="
		no_files_but
	fi
	measure --pages auto
	holds '(.run.pages == "4k") == any(.run.warnings[]; test("huge pages"))'
	measure --pages 4k
	holds 'any(.run.warnings[]; test("huge pages")) | not'
	if grep -q '\[never\]' /sys/kernel/mm/transparent_hugepage/enabled; then
		refuse 77 "transparent huge pages" -- --pages thp
	fi
}

@test "unknown words are refused with those there are" {
	refuse 2 --copy libc stream -- --copy rep
	refuse 2 --copy libc stream -- --copy ''
	refuse 2 --dest prefaulted fresh -- --dest cold
	refuse 2 --pages auto 4k thp hugetlb -- --pages 1G
	refuse 2 --per core llc node package -- --per socket
	refuse 2 stray -- stray
	refuse 2 no-such-option -- --no-such-option
	refuse 2 home -- --home first
	for jobs in 2 max auto; do
		refuse 2 --jobs "one at a time" -- --jobs "$jobs"
	done
	refuse 2 --pair 0,0 -- --pair 0,0
	refuse 2 --cpus 1048575 -- --cpus 1048575
	refuse 2 --from -- --from 1048575
	refuse 2 --pair --per -- --pair 0,1 --per node
	no_files_but
}

# A record whose values no run measures, in which those of some pairs are
# missing. $1: jq's path to them, in .values.
break_record()
{
	need_jq
	jq --tab '.complete = false | .matrices |= map(.values |= (
		map(map(if . then 123456 else . end)) | '"$1"' = null))' \
		a.json >part.json
}

# resume ARGUMENT...: go on with part.json into a sound a.json.
resume()
{
	"$C2C" memcpy "${small[@]}" --resume part.json "$@" -o a.json \
		>out 2>err
	sound a.json true
}

@test "a record is completed by what it lacks, and by nothing else" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b"
	break_record '.[0][1]'
	resume --cpus "$a,$b"
	holds '.run.pairs == 1'
	holds 'all(.matrices[].values; .[0][0] == 123456 and .[1][0] == 123456
		and .[1][1] == 123456)'
	holds 'all(.matrices[].values; .[0][1] > 0 and .[0][1] < 100000)'
	jq -e --slurpfile part part.json \
		'.run.resumed == {started: $part[0].started,
			elapsed_s: $part[0].elapsed_s}
		and .elapsed_s > $part[0].elapsed_s' a.json
	grep -q '^c2c memcpy: 1 pair, ' err
	grep -q 'over 1 pair in' out
}

@test "rows that a record lacks are measured, one CPU with itself among them" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b"
	break_record '(.[1][0], .[1][1], .[0][0])'
	resume --cpus "$a,$b"
	holds '.run.pairs == 3'
	holds 'all(.matrices[].values; .[0][1] == 123456 and .[0][0] < 100000
		and .[1][0] < 100000 and .[1][1] < 100000)'
	# The first row alone, then all.
	"$C2C" memcpy "${small[@]}" --cpus "$a,$b" --from "$a" -o part.json \
		>out 2>err
	row=$(jq -c '[.matrices[].values[0]]' part.json)
	resume --cpus "$a,$b"
	holds '.run.pairs == 2'
	[ "$(jq -c '[.matrices[].values[0]]' a.json)" = "$row" ]
	# Of the CPUs that --pair names, too.
	measure --pair "$b,$a"
	break_record '.[1][1]'
	resume --pair "$b,$a"
	holds '.run.pairs == 1'
}

@test "a record may be resumed into itself, again and again" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b"
	break_record '(.[1][0], .[1][1])'
	mv part.json a.json
	"$C2C" memcpy "${small[@]}" --cpus "$a,$b" --resume a.json -o a.json \
		>out 2>err
	sound a.json true
	holds '.run.pairs == 2 and .matrices[0].values[0][0] == 123456'
	cp a.json whole.json
	run --separate-stderr "$C2C" memcpy "${small[@]}" --cpus "$a,$b" \
		--resume a.json -o a.json
	refused 2 --resume "'a.json'" "nothing to measure"
	diff a.json whole.json
}

@test "a record of something else is refused, and why" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b"
	break_record '.[0][1]'
	same=("${small[@]}" --cpus "$a,$b" --resume part.json)
	refuse 2 "'part.json'" "--size 256K" "--size 512K" -- "${same[@]}" --size 512K
	refuse 2 "'part.json'" "--dest prefaulted" "--dest fresh" -- "${same[@]}" --dest fresh
	refuse 2 "'part.json'" "--copy libc" "--copy stream" -- "${same[@]}" --copy stream
	refuse 2 "'part.json'" "--pages auto" "--pages 4k" -- "${same[@]}" --pages 4k
	refuse 2 "'part.json'" "--cpus $a,$b" -- "${same[@]}" --cpus "$b,$a"
	refuse 2 "'part.json'" "--cpus $a,$b" -- "${same[@]}" --cpus "$a"
	while read -r key name; do
		jq ".machine.$key = \"another\"" part.json >other.json
		refuse 2 "'other.json'" "another machine" "$name" "'another'" -- \
			"${same[@]}" --resume other.json
	done <<-'END'
		hostname host name
		cpu_model CPU model
	END
	# What is not known is not held against it.
	jq 'del(.machine)' part.json >other.json
	"$C2C" memcpy "${same[@]}" --resume other.json >out 2>err
	grep -q 'over 1 pair in' out
	# A matrix is not resumed by another command, nor from another format.
	run --separate-stderr "$C2C" latency --cpus "$a,$b" --resume part.json
	refused 2 --resume "'part.json'" "not a record of c2c latency"
	jq '.command = "queue"' part.json >other.json
	refuse 2 --resume "not a record of c2c memcpy" -- \
		"${same[@]}" --resume other.json
	"$C2C" memcpy "${small[@]}" -o other.csv >out 2>err
	refuse 2 --resume "'other.csv'" -- "${same[@]}" --resume other.csv
}

@test "a record is resumed as its CPUs waited, one pair at a time" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b" --idle park
	break_record '.[1][0]'
	same=("${small[@]}" --cpus "$a,$b")
	refuse 2 --resume "--idle park" "--idle spin" -- \
		"${same[@]}" --idle spin --resume part.json
	jq '.options.jobs = 4' part.json >other.json
	refuse 2 --resume "--jobs 4" "--jobs 1" -- \
		"${same[@]}" --idle park --resume other.json
	resume --cpus "$a,$b" --idle park
	holds '.options.idle == "park"'
}

@test "what a record lacked of memory and trust stays with its values" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure --cpus "$a,$b"
	break_record '.[1][0]'
	jq '.run.pages = "4k" | .run.huge_share = 0 | .run.memory_bound = false
		| .run.warnings = ["it was noisy"]' part.json >other.json
	mv other.json part.json
	resume --cpus "$a,$b"
	holds '.run | .pages == "4k" and .huge_share == 0
		and (.memory_bound | not)'
	holds '.run.warnings | index("of the resumed run: it was noisy")'
	# Three medians are of a record whose intervals are gone.
	jq '.matrices |= map(if .statistic == "ci_low" then
		.values |= map(map(null)) else . end)' part.json >other.json
	mv other.json part.json
	resume --cpus "$a,$b" --passes 6:6
	grep -q '; 3 of 4 medians have none; another run may differ by more, which --runs 5' out
}

@test "a record that is none, or a part of one, is refused" {
	need_two_cpus
	measure
	head -c 700 a.json >part.json
	echo garbage >garbage.json
	: >empty.json
	head -c 4096 /dev/urandom >noise.json
	for file in part.json garbage.json empty.json noise.json missing.json \
		.; do
		status=0
		"$C2C" memcpy "${small[@]}" --resume "$file" >out 2>err ||
			status=$?
		[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
		grep -q "^c2c memcpy: --resume: .*$file" err
		[ ! -s out ]
	done
	# Fewer numbers than CPUs.
	jq '.matrices |= map(.values |= .[:1])' a.json >short.json
	run --separate-stderr "$C2C" memcpy "${small[@]}" --resume short.json
	[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
	[[ $stderr == *--resume* ]]
}
