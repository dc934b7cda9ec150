# c2c itself: its version, what it does in a terminal and with a full standard
# output; its help and refusals are cases of tests/cases/main. C2C comes from
# tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	unset NO_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES
}

@test "the version tells revision, licence and libraries too" {
	for word in --version -V; do
		run --separate-stderr "$C2C" "$word"
		[ "$status" -eq 0 ]
		[ -z "$stderr" ]
		[ "${#lines[@]}" -eq 4 ]
		[[ ${lines[0]} =~ ^c2c\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
		[[ ${lines[1]} =~ ^Revision:\ +[0-9a-z.-]+$ ]]
		[[ ${lines[2]} =~ ^Licence:\ +MIT$ ]]
		[[ ${lines[3]} =~ hwloc.*[0-9]\.[0-9].*jansson\ [0-9].*OpenCL ]]
	done
	# CITATION.cff and NEWS have the same.
	version=${lines[0]#c2c }
	grep -qx "version: $version" "${srcdir:?}/CITATION.cff"
	head -n 1 "$srcdir/NEWS" | grep -qw "$version"
}

# slow: some thirty commands run, one after another.
@test "the help of every command fits a screen, and its examples run" {
	local command example
	enter_folder
	make_up
	"$C2C" latency -q -o lat.json
	for example in before after good new cache machine; do
		cp lat.json "$example.json"
	done
	cp "$srcdir/data/h200-cl-all.json" gpu.json
	cp "$srcdir/data/xeon-16vcpu-cl-all.json" cpu.json
	for command in $("$C2C" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p'); do
		"$C2C" "$command" --help >help
		[ "$(wc -l <help)" -le 45 ]
		run ! grep -E '^.{81}' help
		sed -n '/^Examples:$/,/^$/s/^  c2c \(.\{40\}\) .*/\1/p' help >examples
		[ -s examples ]
		while read -ra example; do
			case ${example[0]} in
			watch) example+=(--for 1) ;;
			# They need devices; the cases of c2c cl run tests.
			cl) example+=(--help) ;;
			# It refuses CPUs that are not there.
			try) example=(try --help) ;;
			esac
			echo "c2c ${example[*]}"
			"$C2C" "${example[@]}" >text 2>messages ||
				# Its answer about made-up CPUs may be no.
				[[ ${example[0]} = check && $? = [34] ]]
		done <examples
	done
}

@test "a full or closed standard output is a failure, for help too" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	for words in --help --version --schema info 'info --json' 'latency --help' \
		'latency --help=all' 'plot --help' 'help info'; do
		for output in '/dev/full' '&-'; do
			run --separate-stderr sh -c "'$C2C' $words >$output"
			[ "$status" -eq 1 ]
			[[ $stderr == *"standard output"* ]]
		done
	done
}

@test "a terminal gets the colours that it announces, and whole words" {
	command -v script >/dev/null || skip "script is not installed"
	local run
	cd "$BATS_TEST_TMPDIR"
	printf ',50\n50,\n' >a.csv
	run="'$C2C' plot a.csv"
	unset COLORTERM NO_COLOR CLICOLOR_FORCE
	terminal()
	{
		script -qec "$1" typescript </dev/null >/dev/null 2>&1 3>&-
	}
	terminal "TERM=xterm $run"
	grep -q $'\033\[4[0-7]m' typescript
	run ! grep -q $'\033\[48' typescript
	terminal "TERM=xterm-256color $run"
	grep -q $'\033\[48;5;' typescript
	terminal "TERM=xterm COLORTERM=truecolor $run"
	grep -q $'\033\[48;2;' typescript
	terminal "TERM=xterm COLORTERM=truecolor $run --color never"
	run ! grep -q $'\033' typescript
	# Whatever draws: c2c latency is in hostile.bats, c2c watch in watch.bats.
	printf ',20,50\n20,,50\n50,50,\n' >a.csv
	printf ',40,50\n40,,90\n50,90,\n' >b.csv
	for words in 'plot --term a.csv' 'analyze a.csv' 'compare a.csv b.csv'; do
		terminal "TERM=xterm-16color '$C2C' $words"
		grep -qE $'\033\\[(4[0-7]|10[0-7])m' typescript
		terminal "TERM=dumb '$C2C' $words"
		grep -q '[0-9]' typescript
		run ! grep -q $'\033' typescript
		terminal "NO_COLOR=1 TERM=xterm-256color '$C2C' $words"
		run ! grep -q $'\033\[[0-9;]*m' typescript
	done
	for words in 'latency -o x.txt' 'export a.csv --csv --level x' \
		'memcpy --size 4MB'; do
		terminal "TERM=xterm COLUMNS=30 '$C2C' $words || true"
		tr -d '\r' <typescript | sed -n '/^c2c/,/^Try/{/^Try/d;p}' >message
		[ "$(wc -l <message)" -gt 1 ]
		[ "$(wc -L <message)" -le 30 ]
		# Joined again, it is what a pipe gets in one line.
		# shellcheck disable=SC2086
		"$C2C" $words 2>&1 | head -n 1 >line || true
		[ "$(tr -s '\n ' ' ' <message)" = "$(cat line) " ]
	done
}

@test "sentences of a report wrap at the edge of a narrow terminal" {
	cd "$BATS_TEST_TMPDIR"
	printf ',50,50\n50,,50\n50,50,\n' >a.csv
	for columns in 40 200; do
		script -qec "TERM=xterm COLUMNS=$columns '$C2C' analyze -q a.csv" \
			typescript </dev/null >/dev/null 2>&1 3>&-
		tr -d '\r' <typescript | sed '1d;/^$/,$!d;/^Script/d' >said
		[ "$(wc -L <said)" -le "$((columns < 80 ? columns : 80))" ]
		[ "$(wc -L <said)" -gt 30 ]
	done
}
