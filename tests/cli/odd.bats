#!/usr/bin/env bats
# Systems that are not as they should be: a clock in steps, a kernel that
# refuses to tell, memory that is out. Either a message says so, or no figure
# shows it.
#
# Each case runs in a shell of its own (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154).
# shellcheck disable=SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
}

# compile NAME.c FLAG...: it becomes ./NAME.
compile()
{
	local name=${1%.c}
	shift
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE "$@" -o "$name" \
		"$srcdir/tests/cli/$name.c"
}

# odd VARIABLE=VALUE... COMMAND...: with the library of odd_libc.c before it.
odd()
{
	[[ ${MODE:-plain} != *san* ]] ||
		skip "what sanitizers preload must come first"
	[ -e odd_libc ] || compile odd_libc.c -shared -fPIC
	run --separate-stderr env LD_PRELOAD="$PWD/odd_libc" "$@"
}

@test "without memory for the options no command goes on" {
	for name in analyze cl compare export info latency memcpy plot queue; do
		odd ODD_ARGP=1 "$C2C" "$name"
		refused 1 "c2c $name: the options cannot be taken" \
			"Cannot allocate memory"
	done
}

@test "a kernel that does not tell which CPUs may be used is named" {
	compile refused.c
	local number
	number=$(printf '#include <sys/syscall.h>\nSYS_sched_getaffinity\n' |
		${CC:-cc} -E -P - | tail -n 1)
	run ./refused 1 "$number" -- "$C2C" --version
	[ "$status" -eq 0 ] || skip "filters of system calls are not permitted"
	# Where nobody asks first, hwloc asks for ever.
	for name in info latency; do
		run --separate-stderr timeout -s KILL 60 \
			./refused 1 "$number" -- "$C2C" "$name"
		refused 1 "c2c $name: " sched_getaffinity "not permitted" seccomp
	done
}
