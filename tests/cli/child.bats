#!/usr/bin/env bats
# The processes that c2c starts, with everything against them: signals that
# nobody can catch, a kernel that refuses kill(), little stack, no room for a
# record. c2c says how they ended, and neither a process nor a file is left.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154).
# shellcheck disable=SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	make_up
	printf ',50,90,90\n50,,90,90\n90,90,,50\n90,90,50,\n' >a.csv
}

teardown()
{
	end_jobs
	! mountpoint -q full || umount full
}

# begin_runs: runs without end; in $child the first, in $keeper what
# ends it should c2c be killed.
begin_runs()
{
	C2C_MADE_UP=real_time=1 env --default-signal=INT "$C2C" latency \
		--runs 2 "${long[@]}" -o a.json >out 2>err 3>&- &
	pid=$!
	for _ in {1..600}; do
		# Not the child that tries the topology, which is gone soon.
		child=$(pgrep -P "$pid" -f -- --child=) &&
			keeper=$(pgrep -P "$pid" | grep -vx "$child") && return
		sleep 0.05
	done
	return 1
}

# none_left STATUS FILE...: so it ended, with nobody and no other files left.
none_left()
{
	gone "$pid"
	finish
	cat err
	[ "$status" -eq "$1" ]
	gone "$child"
	gone "$keeper"
	no_files_but a.csv err out "${@:2}"
}

# whole_runs FILE: both runs are in it.
whole_runs()
{
	jq -e '.complete and (.runs | length) == 2' "$1"
}

@test "kill -9 of a run is named, and nothing is written" {
	begin_runs
	kill -KILL "$child"
	none_left 1
	grep -qxF "c2c latency: it was ended by signal 9 (Killed): did memory run out? See 'dmesg'" err
}

@test "kill -9 of c2c ends the run" {
	begin_runs
	kill -KILL "$pid"
	none_left 137
}

@test "kill -9 of c2c ends a run that is stopped" {
	begin_runs
	kill -STOP "$child"
	kill -KILL "$pid"
	none_left 137
}

@test "c2c does not wait for a keeper that is stopped, or gone" {
	for signal in STOP KILL; do
		begin_runs
		kill -$signal "$keeper"
		kill -INT "$pid"
		gone "$pid"
		# There is none if it was too early for a value.
		rm -f a.json
		none_left 130
	done
}

@test "kill -9 of gnuplot is named" {
	mkdir bin
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho a word\nkill -KILL $$\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run --separate-stderr "$C2C" plot a.csv -o a.png
	refused 1 "gnuplot was ended by signal 9: a word"
	no_files_but a.csv bin bin/gnuplot
}

# without_kill: $refused is a command before c2c for which kill() fails.
without_kill()
{
	local number
	${CC:-cc} -std=gnu11 -D_GNU_SOURCE -o tmp/refused \
		"$srcdir/tests/cli/refused.c"
	number=$(printf '#include <sys/syscall.h>\nSYS_kill\n' |
		${CC:-cc} -E -P - | grep '^[0-9]*$')
	refused=("$PWD/tmp/refused" 1 "$number" --)
	"${refused[@]}" "$C2C" --version >out ||
		skip "filters of system calls are not permitted"
}

@test "where kill() is refused runs and pictures end" {
	without_kill
	timeout -s KILL 60 "${refused[@]}" "$C2C" latency -q --runs 2 \
		"${short[@]}" -o a.json >out 2>err
	whole_runs a.json
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	timeout -s KILL 60 "${refused[@]}" "$C2C" plot a.csv -o a.png
	[ -s a.png ]
}

@test "where kill() is refused an interrupt ends c2c, and that ends its child" {
	local gnuplot
	without_kill
	mkdir bin
	mkfifo begun
	# shellcheck disable=SC2016
	printf '#!/bin/sh\necho $$ >begun\nexec sleep 1000\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH env --default-signal=INT "${refused[@]}" "$C2C" \
		plot a.csv -o a.png >out 2>err 3>&- &
	pid=$!
	read -r -t 60 gnuplot <>begun
	kill -INT "$pid"
	gone "$pid"
	finish
	[ "$status" -eq 130 ]
	grep -q "a signal to c2c ended gnuplot" err
	gone "$gnuplot"
	[ ! -e a.png ]
}

@test "64 KiB of stack are enough for c2c and its children" {
	need_no_sanitizer "nothing: its own frames are large"
	ulimit -s 64
	"$C2C" latency -q --runs 2 "${short[@]}" -o a.json >out 2>err
	whole_runs a.json
	# gnuplot itself needs more.
	mkdir bin
	printf '#!/bin/sh\necho small\nexit 3\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH run --separate-stderr "$C2C" plot a.csv -o a.png
	refused 1 "gnuplot failed with status 3: small"
}

@test "a run that has no room for its record is named" {
	(
		ulimit -f 1
		trap '' XFSZ
		"$C2C" latency -q --runs 2 "${short[@]}" >out 2>err
	) && status=0 || status=$?
	[ "$status" -eq 1 ]
	grep -q 'the result was not kept' err
	no_files_but a.csv err out
}

@test "a full disk costs no record of runs" {
	mount_full 16
	echo old >full/a.json
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	run --separate-stderr "$C2C" latency -q --runs 2 "${short[@]}" \
		-o full/a.json
	[ "$status" -eq 1 ]
	[ "$(cat full/a.json)" = old ]
	[[ $stderr == *"saved as $TMPDIR/c2c-latency-"*.json* ]]
	whole_runs "$TMPDIR"/c2c-latency-*.json
}
