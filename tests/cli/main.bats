# c2c itself: help, version, unknown commands. C2C comes from tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

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

@test "the version is one line" {
	run --separate-stderr "$C2C" --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^c2c\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
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
