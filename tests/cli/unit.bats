#!/usr/bin/env bats
# --unit and --better describe a .csv of another tool, in every command that
# reads one.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154).
# shellcheck disable=SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
}

# rates: a queue's reader on eight cores, four to an L3, in GiB/s, as measured
# by a tool that writes numbers alone: near is fast, and nothing is far slower.
rates()
{
	awk 'BEGIN {
		for (i = 0; i < 8; i++)
			for (j = 0; j < 8; j++) {
				rate = int(i / 4) == int(j / 4) ? 13.5 : 10.5
				noise = (i * 7 + j * 13) % 19 / 19 - 0.5
				printf "%s%s", i == j ? "" : rate + noise, j < 7 ? "," : "\n"
			}
	}' >rates.csv
}

@test "a rate shows the groups that it hides as a latency" {
	rates
	run "$C2C" analyze rates.csv
	[[ $output == *"No groups"* ]]
	run "$C2C" analyze rates.csv --unit GiB/s
	[[ $output == *"2 groups of 4 CPUs"*"0-3  4-7"*"GiB/s inside"* ]]
	# Of a unit that nobody knows, which end is good has to be told.
	run "$C2C" analyze rates.csv --unit chunks --better higher
	[[ $output == *"2 groups of 4 CPUs"*"chunks inside"* ]]
	run "$C2C" analyze rates.csv --unit GiB/s --better lower
	[[ $output == *"No groups"* ]]
}

@test "a picture and a comparison know which end is good" {
	rates
	run "$C2C" plot rates.csv --term --unit MB/s
	[[ $output == *"rate [MB/s]"*"MB/s (higher is better)"* ]]
	run "$C2C" plot rates.csv --term --unit us
	[[ $output == *"latency [us]"*"us (lower is better)"* ]]
	# A tenth less is worse, for a rate.
	awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++) if ($i != "") $i *= 0.9 } 1' \
		rates.csv >slow.csv
	run "$C2C" compare rates.csv slow.csv --threshold 5 --unit GiB/s
	[ "$status" -eq 3 ]
	run "$C2C" compare rates.csv slow.csv --threshold 5
	[ "$status" -eq 0 ]
}

@test "a record keeps the unit that it was given" {
	rates
	"$C2C" export rates.csv --unit GiB/s -o a.json -o a.csv
	holds '.matrices[0] | .unit == "GiB/s" and .better == "higher"
		and .name == "rate"'
	[ "$(head -n 1 a.csv | cut -d, -f1)" = "cpu: rate median GiB/s - higher" ]
	for file in a.json a.csv; do
		for words in "" "--unit GiB/s" "--unit GiB/s --better higher"; do
			# shellcheck disable=SC2086
			run "$C2C" analyze $file $words
			[[ $output == *"2 groups of 4 CPUs"* ]]
		done
	done
}

@test "what a file says of itself is not contradicted" {
	rates
	"$C2C" export rates.csv --unit GiB/s -o a.json -o a.csv
	for command in analyze plot "export --csv" "compare rates.csv"; do
		for file in a.json a.csv; do
			# shellcheck disable=SC2086
			run --separate-stderr "$C2C" $command $file --unit ns
			refused 2 "'$file'" "'ns'" "'GiB/s'"
			# shellcheck disable=SC2086
			run --separate-stderr "$C2C" $command $file \
				--unit GiB/s --better lower
			refused 2 "'$file'" "'lower'" higher
		done
	done
}

@test "units and ends that are none are refused" {
	rates
	for command in analyze plot "export --csv" "compare other.csv"; do
		for words in --unit= "--unit=a b" "--unit=-" "--unit=a,b" \
			$'--unit=\e[1m' $'--unit=\xff' --better=higher \
			--better=best; do
			# shellcheck disable=SC2086
			run --separate-stderr "$C2C" $command rates.csv "$words"
			refused 2 "${words%%=*}"
		done
	done
}
