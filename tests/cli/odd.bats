#!/usr/bin/env bats
# Broken systems: a clock that moves in steps, a kernel that refuses an answer,
# memory that runs out. Either a message says so, or no figure shows it.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
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

@test "a clock of coarse steps gives no figures but says what it cannot tell" {
	need_two_cpus
	for words in "latency --round-trips 50" queue; do
		# shellcheck disable=SC2086 # words
		odd ODD_CLOCK=steps C2C_CLOCK=clock "$C2C" $words \
			"${short[@]}" -o a.json
		refused 77 "a step of the clock (10 ms)" --round-trips --chunks
	done
	# Nor is the counter calibrated by it.
	odd ODD_CLOCK=steps "$C2C" info
	[ "$status" -eq 0 ]
	[[ $output == *"clock_monotonic_raw at 1000.000 MHz"*" 10 ms"* ]]
	run ! test -e a.json
	# What is no time needs no clock.
	odd ODD_CLOCK=steps "$C2C" queue --order-check "${short[@]}"
	[ "$status" -eq 0 ]
}

@test "a clock that runs backwards, or stands still, is named and not used" {
	for words in info latency queue 'memcpy --size 1M'; do
		# shellcheck disable=SC2086 # words
		odd ODD_CLOCK=back "$C2C" $words
		refused 77 "c2c ${words%% *}: " \
			"clock_monotonic_raw runs backwards"
	done
	odd ODD_CLOCK=still C2C_CLOCK=clock "$C2C" latency
	refused 77 "clock_monotonic_raw stands still"
}

@test "kernels are not timed by a clock of coarse steps" {
	odd ODD_CLOCK=steps "$C2C" cl stride --quick -o a.json
	[[ $stderr != *"no OpenCL"* && $stderr != *"without OpenCL"* ]] ||
		skip "no OpenCL device is here"
	refused 77 "clock_monotonic_raw moves in steps of 10 ms"
	run ! test -e a.json
}

@test "a copy that lost its CPU is made again, and told if nothing helps" {
	need_two_cpus
	odd ODD_SWITCHES=1 "$C2C" memcpy --size 2M --passes 2:2 -o a.json
	[ "$status" -eq 0 ]
	[[ $stderr =~ ([0-9]+)\ of\ ([0-9]+)\ copies\ were\ disturbed ]]
	[ "${BASH_REMATCH[1]}" -eq "${BASH_REMATCH[2]}" ]
	jq -e 'any(.run.warnings[]; test("the fastest of 3 tries")) and
		all(.matrices[0].values[][]; . > 0)' a.json
}

@test "a record that does not reach the disk is a failure, and the old one stays" {
	printf '0,1\n1,0\n' >in.csv
	echo old >a.json
	odd ODD_DISK=full "$C2C" export in.csv -o a.json
	refused 1 "'a.json' cannot be written: Input/output error"
	[ "$(cat a.json)" = old ]
	no_files_but a.json in.csv odd_libc
}

@test "under SCHED_FIFO waiting CPUs sleep, because nothing runs beside them" {
	need_two_cpus
	odd ODD_FIFO=1 "$C2C" latency "${short[@]}" -o a.json
	[ "$status" -eq 0 ]
	jq -e '.options.idle == "park"' a.json
	rm a.json
	odd ODD_FIFO=1 "$C2C" latency "${short[@]}" --idle spin -o a.json
	refused 1 "--idle spin: " SCHED_FIFO "--idle park"
	run ! test -e a.json
}

@test "a link that is put in the place of an output is not followed" {
	local lat=$srcdir/tests/cases/plot/in/lat.json
	echo theirs >theirs.json
	echo old >a.json
	odd ODD_LINK=theirs.json "$C2C" export "$lat" -o a.json
	refused 1 a.json "symbolic link"
	[ "$(<theirs.json)" = theirs ]
}

@test "an append-only folder, where nothing can be renamed, is refused" {
	local lat=$srcdir/tests/cases/plot/in/lat.json
	mkdir there
	odd ODD_APPEND=1 "$C2C" export "$lat" -o there/a.json
	refused 1 there/a.json append-only
	[ -z "$(ls -A there)" ]
}

# numbers_of NAME...: those of system calls that this machine has.
numbers_of()
{
	for name; do
		printf '#include <sys/syscall.h>\nSYS_%s\n' "$name" |
			${CC:-cc} -E -P - | grep '^[0-9]*$' || :
	done
}

# refusing CODE "CALL..." ARGUMENT...: c2c where the calls fail by that errno.
refusing()
{
	local code=$1 numbers
	# shellcheck disable=SC2086
	mapfile -t numbers < <(numbers_of $2)
	shift 2
	run ./refused "$code" "${numbers[@]}" -- "$C2C" --version
	[ "$status" -eq 0 ] || skip "filters of system calls are not permitted"
	run --separate-stderr timeout -s KILL 60 \
		./refused "$code" "${numbers[@]}" -- "$C2C" "$@"
}

@test "a kernel that does not tell which CPUs may be used is named" {
	compile refused.c
	# Where nobody asks first, hwloc asks for ever.
	for name in info latency; do
		refusing 1 sched_getaffinity "$name"
		refused 1 "c2c $name: " sched_getaffinity "not permitted" seccomp
	done
}

@test "a filter of system calls is named, and no limit is" {
	need_two_cpus
	compile refused.c
	for code in 1 38; do
		refusing "$code" sched_setaffinity latency -q
		refused 1 "cannot bind a thread" seccomp sched_setaffinity
		refusing "$code" "clone clone3" latency -q
		refused 1 "cannot start the thread" seccomp clone3
		[[ $stderr != *ulimit* ]]
		refusing "$code" memfd_create latency -q --runs 2
		refused 1 seccomp memfd_create
		[[ $stderr != *memory\ for* ]]
		# Advice may be refused.
		refusing "$code" madvise latency -q --budget 0.1
		[ "$status" -eq 0 ]
	done
	# The unbound runs have shown that a program may be started.
	refusing 1 sched_setaffinity try --rounds 8 --threads 1 -o - -- true
	[[ $output$stderr == *"must allow sched_setaffinity)"* ]]
	[[ $output$stderr != *execve* ]]
	refusing 11 "clone clone3" latency -q
	refused 1 "cannot start the thread" "ulimit -u"
	[[ $stderr != *seccomp* ]]
}
