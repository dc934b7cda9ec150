#!/usr/bin/env bats
# Bad files, for every command that reads results: the message names the file,
# the place and what was expected, and nothing is written.
#
# bats and helpers.bash set what seems unset (SC2154).
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	printf ',50,60\n50,,70\n60,70,\n' >good.csv
}

# each STATUS FILE WORD...: every command refuses it with that status and these
# words, and leaves the folder as it was.
each()
{
	local want=$1 file=$2 words
	shift 2
	while read -r words; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" ${words//FILE/$file}
		refused "$want" "c2c ${words%% *}: " "'$file'" "$@" || {
			echo "of: c2c $words"
			return 1
		}
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done <<-'END'
	analyze FILE -o out.json
	analyze --json good.csv FILE
	export FILE --hwloc out.xml
	export FILE --placement libvirt -o out.csv
	compare good.csv FILE -o out.json
	compare --by-level --json FILE good.csv
	END
	[ ! -e out.json ] && [ ! -e out.xml ] && [ ! -e out.csv ]
}

# record CPUS VALUES: a result of c2c with one matrix.
record()
{
	printf '{"format": "c2c-result", "version": 1, "command": "latency",
"complete": false, "cpus": %s, "matrices": [{"name": "latency",
"statistic": "median", "unit": "ns", "quantity": "one-way",
"better": "lower", "symmetric": true, "values": %s}]}\n' "$1" "$2"
}

@test "cells that are no numbers are named by line and column" {
	printf ',5,6\n5,,x7\n6,7,\n' >word.csv
	each 1 word.csv "line 2, column 3" "found 'x7'" "expected a number"
	printf ',5,6\n-5,,7\n6,7,\n' >negative.csv
	each 1 negative.csv "line 2, column 1" "found '-5'" "not negative"
	printf ',5,6\n5,,7\n6,inf,\n' >infinite.csv
	each 1 infinite.csv "line 3, column 2" "found 'inf'"
	echo hello >hello.csv
	each 1 hello.csv "line 1, column 1" "found 'hello'" "a matrix"
	printf ',5\n5,\033[2J\n' >escape.csv
	each 1 escape.csv "line 2, column 2"
	[[ $stderr != *$'\033'* ]]
}

@test "text that a terminal would obey is refused in every format" {
	local what="found control characters"
	printf 'cpu: A\033[31mB median ns one-way lower,0,1,2\n0,,5,6\n1,5,,7\n2,6,7,\n' \
		>corner.csv
	each 1 corner.csv "matrices[0].name: $what"
	"$C2C" export good.csv -o good.json
	sed 's/"latency", "statistic"/"late\\u001bncy", "statistic"/' good.json \
		>words.json
	each 1 words.json "matrices[0].name: $what"
	sed 's/"complete"/"new": "\\u009b", &/' good.json >unknown.json
	each 1 unknown.json "an unknown key: $what"
	for bad in corner.csv words.json unknown.json; do
		run --separate-stderr "$C2C" plot --term "$bad"
		refused 1 "'$bad'" "$what"
	done
	# In UTF-8 one character commands as well as two of ASCII.
	"$C2C" export -q good.csv --hwloc - |
		sed '0,/value="/s//&\xc2\x9b31m/' >obey.xml
	grep -q $'\302\233' obey.xml
	run --separate-stderr "$C2C" analyze good.csv --topology obey.xml
	refused 1 "'obey.xml'" "$what"
	run --separate-stderr "$C2C" export good.csv --topology obey.xml --hwloc -
	refused 1 "'obey.xml'" "$what"
}

@test "shapes that are no matrix are named by line" {
	printf ',5,6\n5,,7\n' >short.csv
	each 1 short.csv "line 1" "found 3 cells" "expected 2"
	printf ',5\n5,\n6,7,8\n' >long.csv
	each 1 long.csv "line" "cells" "expected"
	awk 'BEGIN { for (i = 0; i < 20000; i++) printf "5,"; print "5" }' >wide.csv
	each 1 wide.csv "line 1" "more than 16384 cells"
}

@test "files without cells, missing files and binary files are refused" {
	: >empty.csv
	each 1 empty.csv "no cells"
	printf ',,\n,,\n,,\n' >missing.csv
	each 1 missing.csv "only empty cells"
	each 1 absent.csv "No such file"
	mkdir folder.csv
	each 1 folder.csv "directory"
	printf ',5\0\n5,\n' >null.csv
	each 1 null.csv "line 1"
}

@test "records that are newer, truncated or of something else are refused" {
	record '[0, 1, 2]' '[[null, 5, 6], [5, null, 7], [6, 7, null]]' >whole.json
	sed 's/"version": 1/"version": 2/' whole.json >newer.json
	each 1 newer.json "version: found 2" "a newer c2c"
	head -c -20 whole.json >cut.json
	each 1 cut.json "line 4, column" "not JSON"
	# What begins with its format is taken for c2c's own, and validated.
	printf '{"version": 1, "format": "c2c-analysis"}\n' >other.json
	each 1 other.json "format: found 'c2c-analysis'"
	sed 's/\[6, 7, null\]/[6, 7]/' whole.json >ragged.json
	each 1 ragged.json "matrices[0].values[2]" "found 2"
	sed 's/, 7, null/, 8, null/' whole.json >crooked.json
	each 1 crooked.json "CPU" "symmetric"
}

@test "one CPU, or no number at all, is refused with the reason" {
	need_jq
	record '[0]' '[[null]]' >one.json
	printf '5\n' >one.csv
	for file in one.json one.csv; do
		for words in "analyze $file" "export $file --hwloc out.xml" \
			"export $file --placement qemu" "compare $file good.csv" \
			"compare good.csv $file" \
			"compare --by-level good.csv $file"; do
			# shellcheck disable=SC2086
			run --separate-stderr "$C2C" $words
			refused 2 "'$file' has only one CPU"
		done
	done
	record '[0, 1, 2]' '[[null, null, null], [null, null, null],
		[null, null, null]]' >nothing.json
	for words in "analyze nothing.json" "export nothing.json --hwloc out.xml" \
		"export nothing.json --placement qemu" \
		"compare nothing.json good.csv" \
		"compare --by-level good.csv nothing.json"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" $words
		refused 2 "'nothing.json' has no usable number"
		[[ $stderr != *interval* ]]
	done
	# Of runs that differ too much there are numbers, and the reason is said.
	record '[0, 1]' '[[null, 100], [100, null]]' | jq '.matrices += [
		.matrices[0] + {statistic: "ci_low", values: [[null, 40], [40, null]]},
		.matrices[0] + {statistic: "ci_high", values: [[null, 220], [220, null]]}]' \
		>unsure.json
	run --separate-stderr "$C2C" analyze unsure.json
	refused 2 "'unsure.json' has no usable number" \
		"the intervals are wider than a factor of two"
	# A gate that compared nothing must not be open.
	run --separate-stderr "$C2C" compare --threshold 5 good.csv nothing.json
	refused 2 "'good.csv' and 'nothing.json'" "share no pair of CPUs"
	[ ! -e out.xml ]
}

@test "two files of different shape are not compared" {
	printf ',5\n5,\n' >two.csv
	run --separate-stderr "$C2C" analyze good.csv two.csv
	refused 2 "'good.csv' has CPU 2 and 'two.csv' does not"
	run --separate-stderr "$C2C" compare good.csv two.csv
	refused 2 "'good.csv' has CPU 2 and 'two.csv' does not" --by-level
	record '[0, 1, 3]' '[[null, 5, 6], [5, null, 7], [6, 7, null]]' >other.json
	run --separate-stderr "$C2C" compare good.csv other.json
	refused 2 "CPU 2" --by-level
}

@test "5,000 CPUs with nearly no numbers are handled" {
	# A triangle: a row more each line, of empty cells but the first.
	awk 'BEGIN {
		print ""
		for (i = 1; i < 5000; i++) {
			print "5" row
			row = row ","
		}
	}' >many.csv
	run --separate-stderr "$C2C" analyze many.csv
	[ "$status" -eq 0 ]
	[[ $output == *"5000 CPUs"*"Left out: "*" of 12497500 pairs"* ]]
	run --separate-stderr "$C2C" export -q many.csv --placement slurm --threads 2
	[ "$status" -eq 0 ]
	run --separate-stderr "$C2C" compare good.csv many.csv
	refused 2 "'many.csv' has CPU 3 and 'good.csv' does not"
}

@test "a failed print of JSON is told once" {
	need_two_cpus
	"$C2C" latency --passes 2:2 -q -o - >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <err)" -eq 1 ]
	grep -q 'standard output: .*free some space' err
}

@test "a file of another kind is named, with what to give" {
	printf '\211PNG\r\n\032\n' >a.png
	printf '%%PDF-1.5\n' >a.pdf
	echo '<?xml version="1.0"?>' >a.xml
	for file in a.png a.pdf a.xml; do
		run --separate-stderr "$C2C" analyze "$file"
		refused 1 "not a record: name the .json or the .csv"
	done
	[[ $stderr == *XML* ]]
}

@test "a full disk under a picture or a page has a remedy" {
	printf ',1\n1,\n' >a.csv
	for file in a.html a.json; do
		ln -s /dev/full "$file"
		run --separate-stderr "$C2C" analyze a.csv -q -o "$file"
		[ "$status" -eq 1 ]
		[[ $stderr == *"'$file' cannot be written: No space left on device: free some space"* ]]
	done
}
