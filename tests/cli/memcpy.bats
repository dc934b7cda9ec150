#!/usr/bin/env bats
# c2c memcpy as a user types it: what it measures and writes, and what it
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
	command=memcpy
	# Regions that every cache holds, and few passes.
	small=(--size 256K "${short[@]}")
}

teardown()
{
	end_jobs
	settle
}

# bats test_tags=threads
@test "a run fills the matrix with its diagonal, in every format" {
	C2C_MADE_UP="noise=0 back=25" run --separate-stderr "$C2C" memcpy "${small[@]}" \
		-o a.json -o a.dat -o a.csv
	[ "$status" -eq 0 ]
	[[ $output == *source*copier*minimum*median*maximum* ]]
	[[ $output == *"higher is better"* ]]
	[[ $output == *"95 % intervals within"* ]]
	no_files_but a.csv a.dat a.json
	sound a.json true
	holds '.options.size_bytes == 262144 and .options.method == "libc"
		and .options.dest == "prefaulted" and .options.pairs == "all"'
	# Of itself, its sibling, a CPU below its cache, another; and back.
	holds '.run.pairs == 64 and ([.matrices[0].values |
		.[0][0, 1, 2, 4], .[4][0, 4] | . * 1000 | round]
		== [16000, 12000, 8000, 4000, 3200, 16000])'
	[ "$(cell a.dat median 1 1)" = "$(jq '.matrices[0].values[0][0]' a.json)" ]
	[ "$(sed -n 2p a.csv | cut -d, -f2)" = "$(cell a.dat median 1 1)" ]
	"$C2C" plot --term a.csv | grep -q "^ *0 "
	"$C2C" memcpy "${small[@]}" --json -o a.json >printed 2>err
	diff a.json printed
}

@test "the JSON has the keys of the format, in its order" {
	measure
	holds '(keys_unsorted) == ["format", "version", "command", "started",
		"elapsed_s", "complete", "tool", "machine", "options", "run",
		"cpus", "matrices", "topology"]'
	holds '(.options | keys_unsorted)[:18] == ["pairs", "pair", "per",
		"cpus", "passes_min", "passes_max", "precision_pct", "budget_s",
		"jobs", "idle", "seed", "runs", "size_bytes", "slice_bytes",
		"method", "dest", "pages", "vector"]'
	holds '(.run | keys_unsorted) == ["pairs", "passes", "jobs", "jobs_bias",
		"jobs_chosen", "cpus_at_once", "memory_bound", "pages", "huge_share", "agreement", "warnings"]'
	holds 'all(.matrices[] | select(.statistic != "passes");
		.quantity == "rate")'
}

@test "every option is recorded with its effective value" {
	measure --size 1M --dest fresh --copy stream --pages 4k --seed 42 \
		--idle park --passes 7:7 --cpus 1,0 --jobs 1
	holds '.options | .size_bytes == 1048576 and .dest == "fresh"
		and .method == "stream" and .pages == "4k" and .seed == 42
		and .idle == "park" and .passes_min == 7 and .jobs == 1
		and (.vector | IN("avx512", "avx2", "sse2", "neon", "scalar"))'
	holds ".cpus == [1, 0] and .run.passes == 7 and .run.pages == \"4k\"
		and .run.huge_share == 0"
	# Page faults in the time are in the name of the figure.
	holds 'all(.matrices[] | select(.statistic != "passes");
		.quantity == "rate with page faults")'
	grep -q 'page faults' out
	measure --dest prefaulted --copy libc
	holds '.options.vector == "libc" and .options.dest == "prefaulted"'
}

@test "only the CPUs and pairs asked for are measured" {
	measure --pair 1,0
	holds ".cpus == [1, 0] and .run.pairs == 4"
	measure --from 1
	holds "(.cpus | index(1)) as \$i | .run.pairs == (.cpus | length) and
		all(.matrices[] | select(.unit != \"passes\") | .values
			| to_entries[]; all(.value[]; . == null) == (.key != \$i))"
	while read -r per cpus; do
		measure --per "$per"
		holds ".options.per == \"$per\" and .cpus == $cpus
			and .run.pairs == (.cpus | length | . * .)"
	done <<-'END'
	core [0,2,4,6]
	llc [0,4]
	node [0,4]
	package [0,4]
	END
	measure --cores
	holds '.options.per == "core"'
}

@test "one CPU copies what it wrote itself" {
	measure --cpus 0
	holds ".cpus == [0] and .run.pairs == 1
		and .matrices[0].values[0][0] > 0"
}

@test "a region that caches hold is told of" {
	measure --size 15M
	grep -q 'the region is smaller than 4 times the largest last-level cache (4 MiB)' err
	holds 'any(.run.warnings[]; test("caches held part"))'
	measure --size 16M
	holds 'any(.run.warnings[]; test("caches held part")) | not'
}

@test "copies that are disturbed in every try are reported" {
	C2C_MADE_UP=disturbed=3 measure --cpus 0,1
	holds 'any(.run.warnings[];
		test("^8 of 24 copies were disturbed by another program"))'
}

@test "the default takes slices of regions that fit into memory" {
	# Twelve slices and twice the LLC, on each of two nodes, twice.
	while read -r free slice bytes; do
		C2C_MADE_UP="free_gib=$free" "$C2C" memcpy --passes 1:1 \
			-o a.json >out 2>err
		sound a.json true
		holds ".options | .size_bytes == $bytes
			and .slice_bytes == $slice and .method == \"stream\""
	done <<-'END'
	64 33554432 436207616
	1 16777216 218103808
	0.25 4194304 58720256
	END
	# Of four times the LLC at least.
	export C2C_MADE_UP=free_gib=0.0625
	refuse 1 "not enough memory: c2c needs 4 regions of 20 MiB" --size --
	refuse 1 "4 regions of 1 PiB" --size -- --size 1024T
}

@test "fewer CPUs copy larger slices, and a size is copied whole" {
	"$C2C" memcpy --cpus 0,1 --passes 1:1 -o a.json >out 2>err
	# Five slices and twice the LLC.
	holds '.options | .slice_bytes == 67108864 and .size_bytes == 402653184'
	[[ $(cat out) == *"(stream, 64 MiB slices, 384 MiB)"* ]]
	"$C2C" memcpy --cpus 0,1 --slice 1M --copy libc --passes 1:1 -o a.json \
		>out 2>err
	holds '.options | .slice_bytes == 1048576 and .size_bytes == 16777216
		and .method == "libc"'
	measure --cpus 0,1
	holds '.options | .slice_bytes == 262144 and .size_bytes == 262144
		and .method == "libc"'
	[[ $(cat out) == *"(libc, 256 KiB)"* ]]
	refuse 2 "--slice: with --size" -- --size 4M --slice 1M
}

@test "pages are those that can be had, and what is missing is told" {
	measure --pages thp
	export C2C_MADE_UP=thp=0
	refuse 77 "transparent huge pages" -- "${small[@]}" --pages thp
	refuse 77 hugetlb "sysctl vm.nr_hugepages=" -- --size 4M --pages hugetlb
}

# A record whose values no run measures, in which those of some pairs are
# missing. $1: jq's path to them, in .values.
break_record()
{
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
	measure --cpus 0,1
	break_record '.[0][1]'
	resume --cpus 0,1
	holds '.run.pairs == 1'
	holds 'all(.matrices[].values; .[0][0] == 123456 and .[1][0] == 123456
		and .[1][1] == 123456)'
	holds 'all(.matrices[].values; .[0][1] > 0 and .[0][1] < 100000)'
	jq -e --slurpfile part part.json \
		'.run.resumed == {started: $part[0].started,
			elapsed_s: $part[0].elapsed_s}
		and .elapsed_s > $part[0].elapsed_s' a.json
	grep -q 'over 1 pair in' out
}

@test "rows that a record lacks are measured, one CPU with itself among them" {
	measure --cpus 0,1
	break_record '(.[1][0], .[1][1], .[0][0])'
	resume --cpus 0,1
	holds '.run.pairs == 3'
	holds 'all(.matrices[].values; .[0][1] == 123456 and .[0][0] < 100000
		and .[1][0] < 100000 and .[1][1] < 100000)'
	# The first row alone, then all.
	"$C2C" memcpy "${small[@]}" --cpus "0,1" --from 0 -o part.json \
		>out 2>err
	row=$(jq -c '[.matrices[].values[0]]' part.json)
	resume --cpus 0,1
	holds '.run.pairs == 2'
	[ "$(jq -c '[.matrices[].values[0]]' a.json)" = "$row" ]
	# Of the CPUs that --pair names, too.
	measure --pair 1,0
	break_record '.[1][1]'
	resume --pair 1,0
	holds '.run.pairs == 1'
}

@test "a record may be resumed into itself, again and again" {
	measure --cpus 0,1
	break_record '(.[1][0], .[1][1])'
	mv part.json a.json
	"$C2C" memcpy "${small[@]}" --cpus "0,1" --resume a.json -o a.json \
		>out 2>err
	sound a.json true
	holds '.run.pairs == 2 and .matrices[0].values[0][0] == 123456'
	cp a.json whole.json
	run --separate-stderr "$C2C" memcpy "${small[@]}" --cpus 0,1 \
		--resume a.json -o a.json
	refused 2 --resume "'a.json'" "nothing to measure"
	diff a.json whole.json
}

@test "a record of something else is refused, and why" {
	need_two_cpus
	measure --cpus 0,1
	break_record '.[0][1]'
	same=("${small[@]}" --cpus "0,1" --resume part.json)
	refuse 2 "'part.json'" "--size 256K" "--size 512K" -- "${same[@]}" --size 512K
	refuse 2 "'part.json'" "--dest prefaulted" "--dest fresh" -- "${same[@]}" --dest fresh
	refuse 2 "'part.json'" "--copy libc" "--copy stream" -- "${same[@]}" --copy stream
	refuse 2 "'part.json'" "--pages auto" "--pages 4k" -- "${same[@]}" --pages 4k
	refuse 2 "'part.json'" "--cpus 0,1" -- "${same[@]}" --cpus 1,0
	refuse 2 "'part.json'" "--cpus 0,1" -- "${same[@]}" --cpus 0
	# A machine that has a name.
	local real=$builddir/c2c a b
	IFS=, read -r a b <<<"$(C2C=$real pair)"
	jq ".cpus = [$a, $b] | .options.cpus = \"$a,$b\"" part.json >real.json
	while read -r key name; do
		jq ".machine.$key = \"another\"" real.json >other.json
		C2C=$real refuse 2 "'other.json'" "another machine" "$name" \
			"'another'" -- "${small[@]}" --cpus "$a,$b" \
			--resume other.json
	done <<-'END'
		hostname host name
		cpu_model CPU model
	END
	# What is not known is not held against it.
	jq 'del(.machine)' part.json >other.json
	"$C2C" memcpy "${same[@]}" --resume other.json >out 2>err
	grep -q 'over 1 pair in' out
	# A matrix is not resumed by another command, nor from another format.
	run --separate-stderr "$C2C" latency --cpus 0,1 --resume part.json
	refused 2 --resume "'part.json'" "not a record of c2c latency"
	jq '.command = "queue"' part.json >other.json
	refuse 2 --resume "not a record of c2c memcpy" -- \
		"${same[@]}" --resume other.json
	"$C2C" memcpy "${small[@]}" -o other.csv >out 2>err
	refuse 2 --resume "'other.csv'" -- "${same[@]}" --resume other.csv
}

@test "a record is resumed as its CPUs waited, one pair at a time" {
	measure --cpus 0,1 --idle park
	break_record '.[1][0]'
	same=("${small[@]}" --cpus "0,1")
	refuse 2 --resume "--idle park" "--idle spin" -- \
		"${same[@]}" --idle spin --resume part.json
	jq '.options.jobs = 4' part.json >other.json
	refuse 2 --resume "--jobs 4" "--jobs 1" -- \
		"${same[@]}" --idle park --resume other.json
	resume --cpus 0,1 --idle park
	holds '.options.idle == "park"'
}

@test "what a record lacked of memory and trust stays with its values" {
	measure --cpus 0,1
	break_record '.[1][0]'
	jq '.run.pages = "4k" | .run.huge_share = 0 | .run.memory_bound = false
		| .run.warnings = ["it was noisy"]' part.json >other.json
	mv other.json part.json
	resume --cpus 0,1
	holds '.run | .pages == "4k" and .huge_share == 0
		and (.memory_bound | not)'
	holds '.run.warnings | index("of the resumed run: it was noisy")'
	# Three medians are of a record whose intervals are gone.
	jq '.matrices |= map(if .statistic == "ci_low" then
		.values |= map(map(null)) else . end)' part.json >other.json
	mv other.json part.json
	resume --cpus 0,1 --passes 6:6
	grep -q '; 3 of 4 medians have no interval; runs may differ by more: see --runs 5' out
}

@test "a record that is none, or a part of one, is refused" {
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
