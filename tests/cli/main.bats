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

@test "an unknown command is named" {
	run --separate-stderr "$C2C" latence
	[ "$status" -eq 2 ]
	[[ $stderr == *"'latence'"* ]]
	[[ $stderr == *"c2c --help"* ]]
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

@test "help for what is no command is a usage error" {
	run --separate-stderr "$C2C" help latence
	[ "$status" -eq 2 ]
	[[ $stderr == *"'latence'"* ]]
}

@test "a full standard output is a failure" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run --separate-stderr sh -c "'$C2C' --help >/dev/full"
	[ "$status" -eq 1 ]
	[[ $stderr == *"standard output"* ]]
}
