#!/usr/bin/env bats
# Files that are large, and a record that cannot be printed; how bad files are
# refused is in cases of tests/cases/files.
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

# slow: 12 million pairs, without optimisation.
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

@test "a compressed record comes through a pipe, in pieces and of any size" {
	make_up
	"$C2C" latency --passes 2:2 -q -o a.json -o a.json.zst >out
	# More than a pipe holds, and the first byte alone.
	od -An -tx1 -N 200000 /dev/urandom >pad
	jq --rawfile pad pad '.pad = $pad' a.json >b.json
	zstd -qc b.json >b.json.zst
	[ "$(wc -c <b.json.zst)" -gt 100000 ]
	for record in a b; do
		"$C2C" analyze - -q --json <$record.json >plain
		{
			head -c 1
			sleep 0.1
			cat
		} <$record.json.zst | "$C2C" analyze - -q --json >packed
		cmp plain packed
	done
	mkfifo c.json.gz
	gzip -dc <c.json.gz >c.json 3>&- &
	"$C2C" export a.json -q -o c.json.gz
	wait $!
	cmp a.json c.json
	[ -p c.json.gz ]
}

@test "what unpacks to zeros without end is refused at once" {
	mkdir bin
	printf '#!/bin/sh\nexec cat /dev/zero\n' >bin/gzip
	chmod +x bin/gzip
	printf '\x1f\x8b' >a.json.gz
	PATH=$PWD/bin:$PATH run --separate-stderr \
		timeout 60 "$C2C" analyze a.json.gz
	refused 1 "'a.json.gz'" "gzip unpacks it to NUL bytes"
}

@test "a failed print of JSON is told once" {
	make_up
	"$C2C" latency --passes 2:2 -q -o - >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ]
	[ "$(wc -l <err)" -eq 1 ]
	grep -q 'standard output: .*free some space' err
}
