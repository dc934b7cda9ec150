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
	run --separate-stderr "$C2C" analyze lat.csv -o groups.svg
	[ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
	"$srcdir/tests/cases/plot/bin/drawn" groups.svg >drawn
	# The labels below the cells.
	y=$(awk '$1 == "text" && $NF == 16 && $4 == "center" { print $3; exit }' drawn)
	[[ $(awk -v y="$y" '$1 == "text" && $3 == y { printf "%s ", $NF }' drawn) == \
		"0 16 1 17 "*" 7 23 8 24 "* ]]
	# Across and down: one thick line in the middle, thin ones by pairs.
	awk '
	$1 == "cells" { left = $2; cell = $4 }
	$1 == "rule" && $3 == "#FFFFFF" && $4 == $6 {
		print $2, ($4 - left) / cell
	}' drawn >borders
	grep -qx '2 16' borders
	for place in 2 4 6 8 10 12 14 18 20 22 24 26 28 30; do
		grep -qx "0.6 $place" borders
	done
	[ "$(wc -l <borders)" -eq 15 ]
	grep -q '^text .* lat.csv$' drawn

	# c2c plot draws the same.
	"$C2C" plot lat.csv --order groups -o plotted.svg
	cmp groups.svg plotted.svg
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
