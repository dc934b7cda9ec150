#!/usr/bin/env bats
# The latencies of c2c cache: orders, chains, pages, what is refused, and the
# machine code of the timed loops.
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
	command=cache
	# Few working sets, and few passes.
	small=(--latency --sizes 4K:64K --steps 1 "${short[@]}")
}

teardown()
{
	end_jobs
}

# refuses STATUS TEXT OPTION...: c2c cache ends with this status and message.
refuses()
{
	run --separate-stderr "$C2C" cache "${@:3}"
	[ "$status" -eq "$1" ]
	[[ "$stderr" == *"$2"* ]]
	[ -z "$output" ]
}

@test "a curve for each order and each number of chains" {
	"$C2C" cache "${small[@]}" --no-infer --order random,page,stride:256 \
		--chains 1:4,3 --dirty -o a.json
	sound a.json true
	holds '.options | .order == "random,page,stride:256" and
		.chains == "1:4,3" and .dirty and .no_infer and .latency and
		(.bandwidth | not)'
	# Chains 1, 2, 4, 3, and one with stores, for each order.
	holds '[.curves[] | select(.y.unit == "ns") | .member] |
		group_by(.) | map([.[0], length]) ==
		[["load", 5], ["page by page", 5], ["stride of 256 B", 5]]'
	holds '[.curves[] | select(.y.unit == "ns" and .member == "load") |
		.variant] == [null, "2 chains", "4 chains", "3 chains",
		"with stores"]'
}

@test "the inference has points of its own" {
	"$C2C" cache "${small[@]}" -o a.json
	sound a.json true
	holds '[.curves[].test] | unique == ["latency", "line", "ways"]'
	holds '[.curves[] | select(.test == "line").x.values] ==
		[[8, 16, 32, 64, 128]]'
	holds '[.curves[] | select(.test == "ways").x.values] |
		all(. == [range(1; 33)]) and length >= 1'
	holds '[.curves[] | select(.variant == "4k pages").member] ==
		["load", "page by page"]'
	"$C2C" cache "${small[@]}" --no-infer -o b.json
	jq -e '([.curves[].test] | unique == ["latency"]) and
		.caches == null' b.json
}

@test "a curve for each kind of pages that there is" {
	run --separate-stderr "$C2C" cache "${small[@]}" --no-infer \
		--pages all -o a.json
	[ "$status" -eq 0 ]
	sound a.json true
	# Each kind has its curves, or a warning says why not.
	for kind in 4k thp hugetlb; do
		jq -e --arg kind $kind 'any(.curves[].variant;
			. == $kind + " pages") != any(.run.warnings[];
			startswith($kind + " pages are left out: "))' a.json
	done
	holds 'any(.curves[].variant; . == "4k pages")'
	# Levels come from the largest pages, and so do the fastest passes.
	holds '.run.pages as $pages | [.curves[].variant | strings |
		select(startswith("fastest pass")) | ltrimstr("fastest pass, ")] |
		all(. == $pages + " pages")'
	# Each has a column in the chart.
	[ "$(grep -o '[a-z0-9]* pages' <<<"$output" | sort -u | wc -l)" -eq \
		"$(jq '[.curves[] | select(.place != "detail")] | length' \
			a.json)" ]
}

@test "pages that this machine lacks are those of --pages" {
	for part in --latency --bandwidth "--shared 48K"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$C2C" cache $part --pages hugetlb \
			--passes 1:1
		[ "$status" -eq 0 ] ||
			refused 77 "c2c cache: --pages: " hugetlb
	done
}

@test "a quick run has a doubling a step, and little time" {
	"$C2C" cache --latency --quick --sizes 4K:64K --passes 6:6 -o a.json
	holds '.options | .quick and .steps == 1 and .budget_s == 1.5'
	"$C2C" cache --latency --quick --sizes 4K:64K --steps 2 --budget 1 \
		--passes 6:6 -o a.json
	holds '.options | .steps == 2 and .budget_s == 1'
}

@test "latency by the clock of the system" {
	C2C_CLOCK=clock "$C2C" cache "${small[@]}" -o a.json
	sound a.json true
	holds '.machine.clock.source == "clock_monotonic_raw"'
}

@test "orders, chains and pages that do not exist" {
	refuses 2 "'upwards' is none of random, page, stride:BYTES" \
		--order upwards
	refuses 2 "'' is none of random" --order random,
	refuses 2 "'random' is named twice" --order random,page,random
	refuses 2 "'100' is not a multiple of 64" --order stride:100
	refuses 2 "'0' is not between 64 B and 1 GiB" --order stride:0
	refuses 2 "'2G' is not between" --order stride:2G
	refuses 2 "'' is not a whole number" --order stride:
	refuses 2 "--chains" --chains 0
	refuses 2 "--chains" --chains 33
	refuses 2 "--chains" --chains 1,,2
	refuses 2 "has a MAX below its MIN" --chains 4:2
	refuses 2 "2 is named twice" --chains 1:4,2
	refuses 2 "'2m' is none of auto, 4k, thp, hugetlb, all" --pages 2m
}

@test "what does not go together" {
	refuses 2 "--pair: only --shared measures pairs" --pair 0,1
	refuses 2 "--from: only --shared measures pairs" --from 0
	refuses 2 "--jobs: only --shared measures pairs" --jobs 2
	refuses 2 "--bandwidth does not measure" --bandwidth --dirty
	refuses 2 "--shared and --quick exclude each other" --shared L1 --quick
	refuses 2 "--shared and --latency exclude" --shared L1 --latency
	refuses 2 "no matrix" --keep-passes -o a.json
	refuses 2 "only --shared can be resumed" --resume a.json
	refuses 2 "--all-pairs: only --shared measures pairs" --all-pairs
	refuses 2 "--latency and --bandwidth exclude" --latency --bandwidth
	refuses 2 "--steps is of latency" --bandwidth --steps 2
	refuses 2 "--pages all is of latency" --bandwidth --pages all
	for option in "--threads 1" "--access read" "--width scalar" \
		"--memory own"; do
		# shellcheck disable=SC2086 # words
		refuses 2 "which --latency does not measure" --latency $option
	done
	for option in "--sizes 1K" "--steps 2" "--order page" "--chains 2" \
		--dirty "--threads 1" "--access read" "--width scalar" \
		"--memory own"; do
		# shellcheck disable=SC2086 # words
		refuses 2 "--shared and ${option% *} exclude each other" \
			--shared L1 $option
	done
	refuses 2 "can hold only a matrix" -o a.csv
	no_files_but
}

@test "sizes that are absurd, or beyond memory" {
	refuses 2 "has a MAX below its MIN" --sizes 8K:4K
	refuses 2 "--sizes" --sizes 0:4K
	refuses 2 "--sizes" --sizes 1K:999999999999999999999
	refuses 2 "no working set of --sizes holds two strides" \
		--latency --sizes 4K:64K --order stride:64K
	(
		# Some machines have so much.
		[[ ${MODE:-plain} == *san* ]] || ulimit -v 4000000
		refuses 77 "not enough memory" --latency --sizes 1K:128G \
			--steps 1
		refuses 77 "not enough memory" --bandwidth --sizes 1K:128G
	)
	refuses 2 "make more than" --latency --steps 16 --chains 1:32 \
		--order random,page,stride:64,stride:128,stride:256 \
		--sizes 64:16M --pages all --no-infer --chains \
		"$(seq -s, 32)"
}

# loop FUNCTION: the instructions of its innermost loop, one a line, without the
# registers' names.
loop()
{
	objdump -d --no-show-raw-insn "$C2C" | awk -v name="<$1>:" '
	$2 == name { inside = 1; next }
	inside && NF == 0 { exit }
	inside {
		at = $1
		sub(/:$/, "", at)
		n++
		address[at] = n
		line[n] = $2 " " $3
		if ($2 ~ /^j/ && ($3 in address)) {
			for (i = address[$3]; i <= n; i++)
				print line[i]
			exit
		}
	}' | sed -E 's/%r[a-z0-9]+|%e[a-z]+/R/g'
}

# only LOADS STORES FUNCTION: its loop has this many loads and stores, and
# otherwise only counts its turns.
only()
{
	loop "$3" >code
	grep -c '^mov (R),R$' code | grep -qx "$1"
	[ "$(grep -c '^mov R,(R)$' code)" -eq "$2" ]
	# Moves between registers aside, what is left counts, tests and jumps.
	grep -vE '^mov (\(R\),R|R,\(R\)|R,R)$' code >rest
	[ "$(wc -l <rest)" -le 3 ]
	! grep -vE '^(sub|add|dec|test|cmp|jne|ja|jb|jae) ' rest
}

@test "the timed loops load, and do nothing else" {
	[ "$(uname -m)" = x86_64 ] || skip "code of $(uname -m) is not read here"
	[ "${MODE:-plain}" = plain ] || skip "a $MODE build adds its own"
	only 32 0 chase_one
	[ "$(grep -c '^mov R,R$' code)" -eq 0 ]
	only 32 32 chase_dirty
	for n in 2 4 8; do
		only $((4 * n)) 0 "chase_$n"
		[ "$(grep -c '^mov R,R$' code)" -eq 0 ]
	done
}

# moves LOADS STORES FUNCTION: its loop has this many loads and stores of its
# widest registers, and otherwise only counts and jumps.
moves()
{
	loop "$3" >code
	[ "$(grep -cE '^v?(mov|add|mul)[a-z]+ [^,]*\(R\),' code)" -eq "$1" ]
	[ "$(grep -cE '^v?mov[a-z]+ [^,]*,[^,]*\(R\)$' code)" -eq "$2" ]
	grep -vE '^v?(mov|add|mul)(nt)?[as]?p?[ds] ' code >rest
	[ "$(wc -l <rest)" -le 5 ]
	! grep -vE '^(sub|add|cmp|jne|ja|jb|jae) ' rest
}

@test "the loops of rates move what they say, by registers of their width" {
	[ "$(uname -m)" = x86_64 ] || skip "code of $(uname -m) is not read here"
	[ "${MODE:-plain}" = plain ] || skip "a $MODE build adds its own"
	for width in avx512:zmm:4 avx2:ymm:8 sse2:xmm:8 scalar:sd:8; do
		IFS=: read -r name register loads <<<"$width"
		moves "$loads" 0 "rate_read_$name"
		[ "$(grep -c "$register" code)" -eq "$loads" ]
		moves 0 8 "rate_write_$name"
		[ "$(grep -c "$register" code)" -eq 8 ]
		moves 8 8 "rate_copy_$name"
		moves 16 8 "rate_triad_$name"
		moves 0 8 "rate_nt_write_$name"
		moves 8 8 "rate_nt_copy_$name"
		[ "$name" = scalar ] || [ "$(grep -c movntpd code)" -eq 8 ]
	done
}
