# c2c analyze in a shell and in a terminal; its reports are cases of
# tests/cases/analyze. C2C and srcdir come from tests/run.
# shellcheck shell=bash disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	inputs=$srcdir/tests/cases/analyze/in
	cp "$inputs/lat.csv" .
}

@test "the refusal in the manual refuses what was not compared as well" {
	need_jq
	jq '.matrices[].values |= map(map(if . and . > 100 then . - 100
		else . end))' "$inputs/lat.json" >good.json
	cp "$inputs/lat.json" hidden.json
	jq '.run = {agreement: {even_odd: 0.95, halves: 0.6}}' good.json \
		>moved.json
	# From the manual's own words, without the prompt.
	# shellcheck disable=SC2016
	sed -n '/^Refuse a machine/,/^\.Ed/s/^[$>] //p' \
		"$srcdir/man/c2c-analyze.1" | sed 's/\\-/-/g; s/^c2c/"$C2C"/' >refuse
	[ -s refuse ]
	for name in good hidden moved; do
		cp $name.json lat.json
		rm -f audit.json
		# shellcheck source=/dev/null
		said=$(. ./refuse 2>/dev/null)
		echo "$name ${said:-accepted}"
	done >verdicts
	diff verdicts - <<-'END'
	good accepted
	hidden refused
	moved refused
	END
}

@test "the picture has the order of the groups and lines between them" {
	mkdir bin
	cat >bin/gnuplot <<-'END'
	#!/bin/sh
	# gnuplot -d -c SCRIPT DATA OUT KIND
	cp "$4" "$DRAWN.dat"
	printf '\211PNG\r\n\032\n....IEND\256B`\202' >"$5"
	END
	chmod +x bin/gnuplot
	DRAWN=$PWD/drawn PATH=$PWD/bin:$PATH run --separate-stderr \
		"$C2C" analyze lat.csv -o groups.png
	[ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
	[ -s groups.png ]
	grep -q '^# cpus: \[0, 16, 1, 17, .*, 7, 23, 8, 24, ' drawn.dat
	# Across and down: one thick line in the middle, thin ones by pairs.
	awk '
	$2 == "plot.matrix:" { left = $3; side = $5 }
	$2 == "plot.front:" && $8 == "#FFFFFF" && $3 == $5 {
		lines[++n] = $7 " " $3
	}
	END {
		for (i = 1; i <= n; i++) {
			split(lines[i], line, " ")
			print line[1], (line[2] - left) / side * 32
		}
	}' drawn.dat >borders
	grep -qx '2 16' borders
	for place in 2 4 6 8 10 12 14 18 20 22 24 26 28 30; do
		grep -qx "0.6 $place" borders
	done
	[ "$(wc -l <borders)" -eq 15 ]
	grep -q '^# plot.text: .* lat.csv$' drawn.dat

	# c2c plot draws the same.
	DRAWN=$PWD/plotted PATH=$PWD/bin:$PATH \
		"$C2C" plot lat.csv --order groups -o plotted.png
	cmp drawn.dat plotted.dat
}

@test "a terminal shows the heatmap by group" {
	command -v script >/dev/null || skip "script(1) is not installed"
	run script -qec "env TERM=xterm COLORTERM=truecolor COLUMNS=80 LINES=60 LC_ALL=C.UTF-8 \
		'$C2C' analyze lat.csv" /dev/null </dev/null
	[[ $output == *"Level 1"*"lower is better"* ]]
	[[ $output == *$'\e[38;2;'* ]]
	run script -qec "env TERM=xterm '$C2C' analyze --json lat.csv" \
		/dev/null </dev/null
	[[ $output != *"lower is better"* ]]
}
