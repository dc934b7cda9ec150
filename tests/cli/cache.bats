#!/usr/bin/env bats
# c2c cache as a user types it: what it measures and writes, and what it
# refuses. For bad machines and rude users see hostile.bats.
#
# Of numbers, the tests assert only what physics and order guarantee (sound.jq).
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
	small=(--sizes 1K:1M --steps 1 "${short[@]}")
}

teardown()
{
	end_jobs
}

@test "latency over the working set, in every format" {
	run --separate-stderr "$C2C" cache --latency "${small[@]}" \
		-o a.json -o a.dat
	[ "$status" -eq 0 ]
	# Levels, then a chart, on a terminal of any width.
	[[ $output == "Caches as measured: CPU "*"Bars are logarithmic."* ]]
	[[ $output == *"latencies, median of "*" passes over "*" points in "* ]]
	no_files_but a.dat a.json
	sound a.json true
	holds '.curves[0] | .x.values[0] == 1024 and .x.values[-1] == 1048576
		and (.x.values | length) == 11'
	# A load from 1 MiB takes at least as long as one from 1 KiB.
	holds '.curves[0].median | .[-1] == null or .[0] == null or
		.[-1] > 0.9 * .[0]'
	# On a busy machine the end of L1 may not show.
	if jq -e '.caches[0].least_bytes' a.json >/dev/null; then
		[ "$(grep -c '^L1d  *1 KiB .*[#█]' <<<"$output")" -eq 1 ]
	fi
	grep -q '^# curve: ' a.dat
}

@test "who shares a cache is a matrix over the CPUs" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	"$C2C" cache --shared 48K --cpus "$a,$b" "${patient[@]}" -o a.json \
		-o a.csv >out 2>err
	sound a.json true
	holds '.options.shared == "48K" and .options.shared_bytes == 49152'
	holds '.matrices[0] | .name == "shared" and .quantity == "slowdown"'
	# Six passes may not decide whether they share it.
	tr '\n' ' ' <out | grep -q '48 KiB sharing: .* share[s ].*it'
	"$C2C" plot --term a.csv | grep -q 'times (high where a cache is shared)'
	"$C2C" plot --term a.json >text
	grep -q '(48 KiB cache)' text
}

@test "rates by the accesses and numbers of CPUs asked for" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	"$C2C" cache --bandwidth --cpus "$a,$b" --sizes 4K:64K "${short[@]}" \
		--access nt-copy,read,read --threads 2,all,1 -o a.json
	sound a.json true
	holds '[.curves[] | [.test, .family, .member, (.cpus | length)]] == [
		["bandwidth", "2 CPUs", "nt-copy", 2],
		["bandwidth", "2 CPUs", "read", 2],
		["bandwidth", "1 CPU", "nt-copy", 1],
		["bandwidth", "1 CPU", "read", 1]]'
	# Each CPU has a part of the working set, at least one turn of a loop.
	holds '.curves[1].x.values == [4096, 8192, 16384, 32768, 65536]'
	holds '.options | .access == "nt-copy,read,read" and
		.threads == "2,all,1" and .width == "widest" and
		.memory == "own"'
}

@test "a stride needs a working set of two of it" {
	run --separate-stderr "$C2C" cache --latency --order stride:8K \
		--sizes 1K:8K "${short[@]}" -o a.json
	refused 2 "holds two strides" --sizes --order
	"$C2C" cache --latency --order stride:4K --sizes 1K:8K --steps 1 \
		--no-infer "${short[@]}" -o a.json >/dev/null
	holds '.curves[0].x.values == [8192]'
}

@test "the default sizes fit half of the free memory" {
	[ "${MODE:-plain}" = plain ] || [ "$MODE" = coverage ] ||
		skip "sanitizers want address space without bound"
	for limit in 150000 300000 500000; do
		(
			ulimit -v "$limit"
			"$C2C" cache --steps 1 --passes 1:1 -o "$limit.json" \
				>/dev/null
		)
	done
	sound 500000.json true
	run --separate-stderr bash -c "ulimit -v 60000; '$C2C' cache \
		--sizes 1K:512M ${short[*]}"
	refused 77 "not enough memory" --sizes --no-infer
}

@test "an interrupt leaves a whole record or none" {
	local seconds status
	for seconds in 0.05 0.5 1.5; do
		rm -f a.json
		# Bash makes background jobs ignore SIGINT, so this sends SIGTERM.
		timeout --preserve-status -s TERM "$seconds" "$C2C" cache -q \
			--sizes 1K:64K --steps 1 --passes 100000:100000 \
			--budget 600 -o a.json >out && status=0 || status=$?
		[ "$status" -eq 130 ] || [ "$status" -eq 143 ]
		[ ! -e a.json ] || sound a.json false
		find . -type f ! -name out ! -name a.json >others
		[ "$(cat others)" = ./others ]
	done
}

@test "output that nobody takes is an error" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	status=0
	"$C2C" cache -q --sizes 1K:4K --steps 1 "${short[@]}" >/dev/full 2>err ||
		status=$?
	[ "$status" -eq 1 ]
	grep -q "No space left" err
	status=0
	"$C2C" cache -q --sizes 1K:4K --steps 1 "${short[@]}" >&- 2>err ||
		status=$?
	[ "$status" -eq 1 ]
	grep -q "standard output" err
}

@test "a single working set is a row of the chart" {
	"$C2C" cache --latency --sizes 256K "${short[@]}" >out
	grep -q '^ *256 KiB  *[0-9.]* [#█]' out
}

@test "no fastest pass is slower than the median" {
	"$C2C" cache --latency --sizes 1K:64M --no-infer --passes 6:6 -o a.json
	holds '[.curves[] | select(.member == "load" and .y.unit == "clk")]
		| length == 2 and .[1].variant == "fastest pass" and
		([.[0].median, .[1].median] | transpose
			| all(.[0] == null or .[1] <= .[0]))'
}

@test "a large working set alone keeps to its budget" {
	# This is ten times what fits. A batch of visits was once planned by the
	# time of a short visit, and ran over the budget.
	# Beside other programs, every visit until then may be disturbed.
	for _ in {1..5}; do
		"$C2C" cache --latency --no-infer --sizes 256M:256M \
			--budget 0.5 -o a.json >/dev/null && break
	done
	holds '.run.passes < 5000'
}

@test "what no level holds has no name in the chart" {
	"$C2C" cache --sizes 1K:64K --steps 1 "${short[@]}" -o a.json >out
	# On a busy machine the end of L1 may not show.
	for name in $(jq -r '.caches[0] | select(.most_bytes).name' a.json); do
		grep -q "^$name .*KiB .*[#█]" out
	done
	! grep -q '^L3 .*[#█]' out || false
}

@test "all widths, and one array for all CPUs" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	"$C2C" cache --bandwidth --cpus "$a,$b" --sizes 16K:16K "${short[@]}" \
		--access read --threads 2 --width all --memory shared \
		--passes 40:40 -o a.json
	sound a.json true
	holds '[.curves[].variant] | length > 1 and .[-1] == "scalar"'
	holds 'all(.curves[].x.values; . == [16384])'
}

# refuses STATUS TEXT OPTION...: c2c cache ends with this status and message.
refuses()
{
	run --separate-stderr "$C2C" cache "${@:3}" --sizes 4K:8K "${short[@]}"
	[ "$status" -eq "$1" ]
	[[ "$stderr" == *"$2"* ]]
}

@test "accesses, widths and numbers of CPUs that do not exist" {
	refuses 2 "'sing' is none of read, write, copy" --access read,sing
	refuses 2 "--access: an item of the list is empty" --access read,
	refuses 2 "--access: an item of the list is empty" --access ""
	refuses 2 "'widish' is none of widest, scalar" --width widish
	refuses 2 "'mine' is none of own, shared" --memory mine
	refuses 2 "'0' is neither 'llc' nor 'all' nor a number" --threads 0
	refuses 2 "'-1' is neither" --threads=-1
	refuses 2 "item of the list is empty" --threads 1,,2
	refuses 2 "more than 64 numbers" \
		--threads "$(seq -s, 65)"
	refuses 2 "1000000 CPUs are more than the" --threads 1000000
	run --separate-stderr "$C2C" cache --bandwidth --access triad,copy \
		--sizes 64:1023 "${short[@]}"
	[ "$status" -eq 2 ]
	[[ "$stderr" == *"1023 bytes are too few for a rate"* ]]
	if [ "$(uname -m)" = aarch64 ]; then
		refuses 77 "no avx512 registers; choose among neon, scalar" \
			--width avx512
	else
		refuses 77 "no neon registers; choose among" --width neon
	fi
}

@test "levels and sizes that --shared cannot measure" {
	need_two_cpus
	shares() { run --separate-stderr "$C2C" cache --shared "$2"
		[ "$status" -eq "$1" ]
		[[ "$stderr" == *"--shared: "*"$3"* ]]; }
	shares 2 L1,L2 "names several levels"
	shares 2 Lx "found 'Lx', expected a level"
	shares 2 "" "expected a level"
	shares 2 15K "'15K' is not between 16 KiB and 512 MiB"
	shares 2 1E "is not a size"
	shares 2 99999999999999999999 "too large"
	shares 77 L9 "the system tells no L9 of CPU"
}

@test "one CPU shares no cache" {
	run --separate-stderr taskset -c "$(pair | cut -d, -f1)" \
		"$C2C" cache --shared 48K
	[ "$status" -eq 77 ]
	[[ "$stderr" == *"one CPU only"* ]]
}

@test "passes of slowdowns are kept, analysed, compared and exported" {
	need_two_cpus
	for file in a b; do
		"$C2C" cache --shared 48K --cpus "$(pair)" --passes 13:100000 \
			--precision 50 -q --keep-passes -o "$file.json" \
			>/dev/null
	done
	# Both directions are one number.
	holds '.passes[0].pairs | length == 1'
	holds '.matrices[0].symmetric'
	"$C2C" analyze -q a.json >text
	grep -q '^48 KiB sharing: the two CPUs .*share it' text
	run "$C2C" compare -q a.json b.json
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	[[ "$output" == *times* ]]
	"$C2C" export a.json --hwloc a.xml
	grep -q '<topology' a.xml
	# A slowdown is neither a latency nor a rate.
	run ! grep -q 'distances2.*shared' a.xml
}

@test "--json prints what -o FILE.json writes, and plot reads it" {
	need_jq
	"$C2C" cache --latency "${small[@]}" --json -o a.json >printed 2>err
	diff a.json printed
	holds '(keys_unsorted) - ["tlbs"] == ["format", "version", "command",
		"started", "elapsed_s", "complete", "tool", "machine",
		"options", "run", "cpus", "matrices", "curves", "caches",
		"topology"]'
	"$C2C" plot --term - <a.json >out
	# In a pipe, plot prints all numbers in the order of the panels.
	[ "$(grep -c '^ *1 KiB ' out)" -ge 2 ]
	[ "$(grep -c 'Bars are logarithmic' out)" -eq 0 ]
}

@test "levels are in the record, with what the system says" {
	need_jq
	measure --latency
	holds '.caches | length > 0 and all(.[:-1][]; .memory | not)'
	holds 'all(.caches[]; .memory == (.name == "memory"))'
	holds '[.caches[].level] == [range(1; 1 + (.caches | length))]'
	# What was found lies within what was measured.
	holds 'all(.caches[] | select(.least_bytes and .most_bytes);
		.least_bytes <= .most_bytes and .least_bytes >= 1024
		and .most_bytes <= 1048576)'
	holds 'all(.caches[]; .why == null or (.why | type == "string"))'
	measure --latency --no-infer
	holds '(.caches // []) == [] and .options.no_infer'
	holds '[.curves[].test] | unique == ["latency"]'
}

@test "a picture and a .dat have the levels, and a .csv has no curves" {
	need_jq
	measure --latency -o a.dat
	[ "$(grep -c '^# cache: ' a.dat)" -eq "$(jq '.caches | length' a.json)" ]
	"$C2C" plot -q a.json --test latency -o a.svg || skip "no gnuplot"
	if [ "$(jq '[.caches[] | select(.least_bytes)] | length' a.json)" -gt 0 ]
	then
		grep -q '>L1d<' a.svg
		grep -q 'Shaded: where a cache ends' a.svg
	fi
	refuse 2 .csv "these are curves" -- --latency "${small[@]}" -o b.csv
}

@test "the chart fits its terminal, also without UTF-8 and colours" {
	for columns in 40 80 200; do
		COLUMNS=$columns LC_ALL=C "$C2C" cache -q "${small[@]}" >out
		sed -n '/load \[ns\]/,/^Bars/p' out >chart
		[ "$(wc -l <chart)" -gt 10 ]
		# The last line is a sentence.
		sed '$d' chart | awk -v most="$columns" 'length > most {
			print; bad = 1 } END { exit bad }'
		LC_ALL=C grep -q '##' chart
		[ "$(LC_ALL=C grep -c '[^ -~]' chart)" -eq 0 ]
	done
}

@test "an interrupt leaves a record of what was measured" {
	begin_command cache "${long[@]}" --sizes 1K:1M -o a.json
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	sound a.json false
	holds 'any(.curves[].median[]; . != null)'
	grep -q '^Caches as measured' out
}

@test "one CPU has caches too" {
	cpu=$("$C2C" info --json | tr -d ' \n' |
		sed 's/.*"allowed":\[\([0-9]*\).*/\1/')
	measure --cpus "$cpu"
	holds ".cpus == [$cpu] and all(.curves[]; .cpus == [$cpu])"
}

@test "sizes, orders, chains and parts that cannot be are refused" {
	refuse 2 --sizes "MAX below its MIN" -- --sizes 1M:1K
	refuse 2 --sizes "'5'" -- --sizes 5
	refuse 2 --sizes "'x'" -- --sizes x
	refuse 2 --steps "'0'" -- --steps 0
	refuse 2 --order "random, page, stride:BYTES" -- --order backwards
	refuse 2 --order "multiple of 64" -- --order stride:100
	refuse 2 --chains "'64'" 32 -- --chains 64
	refuse 2 --chains "MAX below its MIN" -- --chains 8:2
	refuse 2 --pages auto 4k thp hugetlb all -- --pages 1G
	refuse 2 --shared "L1, L2, L3" -- --shared big
	refuse 2 --latency --shared -- --shared L1 --latency
	refuse 2 --bandwidth --chains -- --bandwidth --chains 2
	refuse 2 --sizes "'10' is not between 64 B and 128 GiB" -- --sizes 10
	refuse 2 stray -- stray
	no_files_but
}

# table NAME STATUS: analyze --audit of the record caches/NAME.json prints
# NAME.txt and ends with this status. C2C_GOLDEN=new writes NAME.txt again after
# an intended change.
table()
{
	local golden="$srcdir/tests/cli/caches"
	run --separate-stderr "$C2C" analyze --audit "$golden/$1.json"
	[ "$status" -eq "$2" ]
	[ -z "$stderr" ]
	if [ "${C2C_GOLDEN:-}" = new ]; then
		echo "$output" >"$golden/$1.txt"
	fi
	diff -u "$golden/$1.txt" <(echo "$output")
}

@test "a record's table has what was measured and what the system says" {
	table less 0
	run ! grep '.\{81\}' <<<"$output"
}

@test "what the system says only fits a wide interval" {
	jq '.caches[0].most_bytes *= 3 | .caches[].gib_per_s.write = null' \
		"$srcdir/tests/cli/caches/less.json" >a.json
	"$C2C" analyze --audit a.json >out
	grep -q '^L1d .* 48 KiB  *fits$' out
	grep -q '^L2 .* 2 MiB  *same$' out
	# Rates that nobody measured have no column.
	grep -q ' ns *read copy  system ' out
}

@test "an audit fails where the system says something else" {
	table differs 3
	# A cache may measure smaller than it is, because others use it.
	run "$C2C" analyze --audit -q "$srcdir/tests/cli/caches/less.json"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a record of caches is no matrix to analyse" {
	for option in --json --live '-o a.json' '--topology a.xml'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$C2C" analyze $option \
			"$srcdir/tests/cli/caches/less.json"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ "$stderr" == *"/less.json' is a record of c2c cache: "* ]]
		[[ "$stderr" == *"'jq .caches $srcdir/"*"/less.json'"* ]]
	done
}

@test "the table of a run is that of its record" {
	"$C2C" cache "${small[@]}" -o a.json >out 2>err
	"$C2C" analyze a.json >table
	[ -s table ]
	grep -q '^Caches as measured: CPU ' table
	# The run prints curves and its warnings, too.
	[ "$(grep -cxFf table out)" -ge "$(wc -l <table)" ]
	holds '.caches | length >= 1'
}

@test "the record tells the pages of rates and of shared rings" {
	for mode in '--bandwidth --sizes 64K:128K' '--shared 64K'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$C2C" cache $mode --pages thp \
			"${patient[@]}" --json
		echo "$mode: $status, $stderr" # shown on failure
		[ "$status" -eq 77 ] && continue # needs two CPUs, huge pages
		[ "$status" -eq 0 ]
		jq -e '.run.pages == "thp" and .run.huge_share == 1' \
			<<<"$output"
	done
}
