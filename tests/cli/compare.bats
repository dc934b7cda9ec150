# c2c compare in a terminal and its pictures; its reports are cases of
# tests/cases/compare. C2C and srcdir come from tests/run.
# shellcheck shell=bash disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	cp "$srcdir"/tests/cases/compare/in/* .
}

@test "every command replaces %h and %% in the name of an output" {
	local host
	host=$(hostname)
	"$C2C" compare -q 100.csv 90.csv -o 'c-%h.json' >/dev/null
	"$C2C" analyze -q 100.csv -o '%%a-%h.json' >/dev/null
	"$C2C" export -q 100.csv -o '%h%%.csv'
	[ -s "c-$host.json" ] && [ -s "%a-$host.json" ] && [ -s "$host%.csv" ]
}

@test "curves before and after are one picture" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	run --separate-stderr "$C2C" compare caches.json smaller.json -o curves.svg
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	grep -q 'smaller.json against caches.json' curves.svg
	grep -q 'read, after' curves.svg
}

@test "the difference is drawn as a picture" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	run --separate-stderr "$C2C" compare 100.csv 90.csv -o diff.svg
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	grep -q '90.csv against 100.csv' diff.svg
	# All is ten better: the dark end of the purple, and none of viridis.
	grep -qi '2d004b\|45, *0, *75' diff.svg
	! grep -qi '440154\|68, *1, *84' diff.svg || false
	# The ends of the colours are the values as the picture has them, and
	# 10.1 - 9.9 is not the number that is written so.
	printf ',9.9\n9.9,\n' >a.csv
	printf ',10.1\n10.1,\n' >b.csv
	"$C2C" compare -q a.csv b.csv -o diff.svg
	grep -q '>0\.200' diff.svg
	! grep -q 'beyond\|≤\|≥' diff.svg || false
	run --separate-stderr "$C2C" compare a.csv b.csv -o diff.txt
	refused 2 diff.txt
}

@test "the difference is shown in the terminal" {
	command -v script >/dev/null || skip "script is not installed"
	printf ',100\n100,\n' >a.csv
	printf ',130\n130,\n' >b.csv
	COLORTERM=truecolor TERM=xterm COLUMNS=80 LINES=30 script -qec \
		"'$C2C' compare a.csv b.csv" /dev/null </dev/null >out
	# The dark end of the orange.
	grep -q '48;2;127;59;8m' out
	COLORTERM=truecolor TERM=xterm COLUMNS=80 LINES=30 script -qec \
		"'$C2C' compare b.csv a.csv" /dev/null </dev/null >out
	grep -q '48;2;45;0;75m' out
}

# Whoever looks only at the colours is told, too.
@test "a picture says that one run of a virtual machine proves no change" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	need_jq
	jq '.machine.hypervisor = "KVM"' before.json >guest.json
	cp guest.json again.json
	"$C2C" compare -q guest.json again.json -o guest.svg
	grep -qF '>c2c cannot tell from one run each; run again with --runs 5.<' \
		guest.svg
}
