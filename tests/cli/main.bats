# c2c itself: help, version, unknown commands. C2C comes from tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	unset NO_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES
}

@test "help lists every command and goes to standard output" {
	for word in --help -h help; do
		run --separate-stderr "$C2C" "$word"
		[ "$status" -eq 0 ]
		for command in info latency plot; do
			[[ $output == *"  $command "* ]]
		done
		# shellcheck disable=SC2154
		[ -z "$stderr" ]
	done
}

@test "no command is a usage error with the help" {
	run --separate-stderr "$C2C"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *Usage:* ]]
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
		[[ ${lines[3]} =~ hwloc.*[0-9]\.[0-9].*jansson\ [0-9].*libnuma\ \(API\ [0-9]+\).*OpenCL ]]
	done
	# CITATION.cff and NEWS have the same.
	version=${lines[0]#c2c }
	grep -qx "version: $version" "${srcdir:?}/CITATION.cff"
	head -n 1 "$srcdir/NEWS" | grep -qw "$version"
}

@test "an unknown command is named, whatever it looks like" {
	for word in latence '' -- -x --bogus -latency 'info latency' ../c2c $'a\nb'; do
		run --separate-stderr "$C2C" "$word"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == *"'$word'"* ]]
		[[ $stderr == *"c2c --help"* ]]
	done
}

@test "an argument that a terminal would obey is refused, and not echoed" {
	local escape=$'\e[31m' csi=$'\302\23331m'
	for words in "$escape" "help $escape" "plot --$escape" "plot x.csv -$csi" \
		"analyze $csi" "plot x.csv --title=$escape" "compare a.csv$csi b.csv" \
		"export x.csv -o $escape.json"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" $words
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == "c2c: '"*"?"*"31m"*"': found control characters"* ]]
		[[ $stderr != *$'\e'* && $stderr != *$'\302'* ]]
	done
}

@test "every command explains itself" {
	for command in info latency plot; do
		run --separate-stderr "$C2C" "$command" --help
		[ "$status" -eq 0 ]
		[[ $output == "Usage: c2c $command"* ]]
		long=$output
		run "$C2C" "$command" -h
		[ "$output" = "$long" ]
		run "$C2C" help "$command"
		[ "$output" = "$long" ]
	done
}

@test "help for an unknown command is a usage error" {
	run --separate-stderr "$C2C" help latence
	[ "$status" -eq 2 ]
	[[ $stderr == *"'latence'"* ]]
}

@test "a full or closed standard output is a failure, for help too" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	for words in --help --version info 'info --json' 'latency --help' \
		'latency --usage' 'plot --help' 'help info'; do
		for output in '/dev/full' '&-'; do
			run --separate-stderr sh -c "'$C2C' $words >$output"
			[ "$status" -eq 1 ]
			[[ $stderr == *"standard output"* ]]
		done
	done
}

@test "-h is help wherever it stands among options" {
	for words in 'plot x.csv -h' 'plot -h x.csv' 'latency -q -h' \
		'cl -o a.json -h' 'export --csv -?' '-h plot' '--help plot'; do
		command=${words%% *}
		[[ $command != -* ]] || command=plot
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" $words
		[ "$status" -eq 0 ]
		[[ $output == "Usage: c2c $command"* ]]
		[ -z "$stderr" ]
	done
	# Not where it is the value of an option.
	run --separate-stderr "$C2C" export no-such.csv --level -h --csv
	[ "$status" -eq 2 ]
	run --separate-stderr "$C2C" -h -q
	[ "$status" -eq 0 ]
	[[ $output == "Usage: c2c COMMAND"* ]]
}

@test "-o - is --json, and a picture cannot go there" {
	cd "$BATS_TEST_TMPDIR"
	printf ',50\n50,\n' >a.csv
	printf ',60\n60,\n' >b.csv
	for words in 'analyze a.csv' 'compare a.csv b.csv' 'export a.csv'; do
		# shellcheck disable=SC2086
		"$C2C" $words -o - >dash 2>err
		# shellcheck disable=SC2086
		"$C2C" $words --json >json 2>>err
		[ -s dash ]
		cmp dash json
		# shellcheck disable=SC2086
		"$C2C" $words -o - -o c.json >dash 2>>err
		cmp dash json
		cmp c.json json
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" $words -o - -o -
		[ "$status" -eq 2 ]
		[[ $stderr == *"-o: '-' is given twice"* ]]
		rm c.json
	done
	run --separate-stderr "$C2C" plot a.csv -o -
	[ "$status" -eq 2 ]
	[[ $stderr == *"a picture needs a file"* ]]
	run --separate-stderr "$C2C" export a.csv -o - --csv
	[ "$status" -eq 2 ]
	[[ $stderr == *"--csv and --json (or -o -)"* ]]
	[ ! -e ./- ]
}

@test "a file that a command cannot write is not offered" {
	cd "$BATS_TEST_TMPDIR"
	printf ',50\n50,\n' >a.csv
	run --separate-stderr "$C2C" export a.csv -o x.png
	[ "$status" -eq 2 ]
	[[ $stderr == *"'c2c plot'"* ]]
	run --separate-stderr "$C2C" export a.csv -o x.txt
	[ "$status" -eq 2 ]
	[[ $stderr == *".json, .dat or .csv"* && $stderr != *png* ]]
	run --separate-stderr "$C2C" latency -o x.txt
	[ "$status" -eq 2 ]
	[[ $stderr == *png* ]]
}

@test "MB is refused, MiB and M are not" {
	run --separate-stderr "$C2C" memcpy --size 4MB
	[ "$status" -eq 2 ]
	[[ $stderr == *"--size: '4MB'"*"4M or 4MiB"* ]]
	for size in 4M 4MiB 4m; do
		run --separate-stderr "$C2C" memcpy --size "$size" -h
		[ "$status" -eq 0 ]
	done
}

@test "--color decides against terminal and environment" {
	local escape=$'\e['
	cd "$BATS_TEST_TMPDIR"
	printf ',50\n50,\n' >a.csv
	for words in 'plot a.csv' 'analyze a.csv'; do
		for colours in '' '--color=auto' '--color never' \
			'--color always --color auto'; do
			# shellcheck disable=SC2086
			run "$C2C" $words $colours
			[ "$status" -eq 0 ]
			[[ $output != *"$escape"* ]]
		done
		# shellcheck disable=SC2086
		run env NO_COLOR=1 TERM=dumb "$C2C" $words --color=always
		[[ $output == *"$escape"* ]]
		# shellcheck disable=SC2086
		run env CLICOLOR_FORCE=1 COLORTERM=truecolor "$C2C" $words
		[[ $output == *"${escape}48;2;"* ]]
		# shellcheck disable=SC2086
		run env CLICOLOR_FORCE=1 "$C2C" $words --color=never
		[[ $output != *"$escape"* ]]
	done
	run --separate-stderr "$C2C" plot a.csv --color=red
	[ "$status" -eq 2 ]
	[[ $stderr == *"--color: 'red' is none of auto, always, never"* ]]
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

@test "an option's name in other programs is told the name here" {
	local said

	while read -r command typed said; do
		run --separate-stderr "$C2C" "$command" "$typed"
		refused 2 "'${typed%=*}'"
		[[ $stderr == *"did you mean '$said'"* ]]
	done <<-'END'
		latency --time --budget=SECONDS
		latency --time=5 --budget=SECONDS
		watch --time --for=TIME
		cl --timeout --limit=SECONDS
		numa --timeout --budget=SECONDS
		latency --format=csv --output=FILE
		latency --csv --output=FILE
		plot --svg --output=OUT
		numa --threads --cpus=LIST
		cl --cores --cpus=LIST
		latency --silent --quiet
		info --format --output=FILE
		info --file --output=FILE
	END
	# A command without that option gets no guess.
	for typed in --time --threads; do
		run --separate-stderr "$C2C" info "$typed"
		refused 2 "unrecognized option '$typed'"
		[[ $stderr != *"did you mean"* ]]
	done
	# Nor does a format that a command does not write.
	run --separate-stderr "$C2C" analyze --csv
	refused 2 "unrecognized option '--csv'"
	[[ $stderr != *"did you mean"* ]]
}

@test "a mistyped command or option is told the right one" {
	run --separate-stderr "$C2C" anaylze a.json
	refused 2 "'anaylze' is not a command; did you mean 'analyze'?"
	run --separate-stderr "$C2C" xyz
	refused 2 "'xyz' is not a command"
	[[ $stderr != *"did you mean"* ]]
	run --separate-stderr "$C2C" latency -q --passses 3
	refused 2 "'--passses'; did you mean '--passes=MIN[:MAX]'?"
	run --separate-stderr "$C2C" latency --zebra
	refused 2 "'--zebra'"
	[[ $stderr != *"did you mean"* ]]
	# The value of an option, and what follows --, are none.
	run --separate-stderr "$C2C" latency -o --passses
	refused 2 "-o: '--passses' ends in no extension"
	run --separate-stderr "$C2C" plot --title --passses -- --passses
	[[ $stderr != *"did you mean"* ]]
}
