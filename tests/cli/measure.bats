#!/usr/bin/env bats
# c2c measure with everything against its parts: signals, a crash, no room, a
# terminal. What it refuses and what it writes is in tests/cases/measure.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154); jq has variables (SC2016).
# shellcheck disable=SC2016,SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers

quick=(latency --passes 6:6 --pair "0,1")
endless=("${long[@]}" --pair "2,3" --spin-hint pause)

setup()
{
	enter_folder
	need_jq
	make_up
	made_up=
}

teardown()
{
	end_jobs
	! mountpoint -q full || umount full
}

# begin_parts OPTION...: a short part, one without end that has these options,
# and another short one. $child is the process of the second, $keeper what ends
# it should c2c be killed, and $run a run that it started, with --runs.
begin_parts()
{
	C2C_MADE_UP="real_time=1 slow_us=500 $made_up" env --default-signal=INT "$C2C" measure -q \
		-o a.json "${quick[@]}" + latency "${endless[@]}" "$@" + \
		queue --passes 6:6 --cpus 0,1 >out 2>err 3>&- &
	pid=$!
	run=
	for _ in {1..600}; do
		sleep 0.05
		child=$(pgrep -P "$pid" -f -- --child-section=2:3) || continue
		keeper=$(pgrep -P "$pid" | grep -vx "$child") || continue
		[[ $* == *--runs* ]] || break
		run=$(pgrep -P "$child" -f -- --child=) && break
	done
	[ -n "$child" ]
	# Batches of visits are done.
	(
		pid=${run:-$child}
		until_rose sleeps 6
	)
}

# none_left STATUS FILE...: c2c ended so, with nobody and no other files left.
none_left()
{
	gone "$pid"
	finish
	cat err
	[ "$status" -eq "$1" ]
	gone "$child"
	gone "$keeper"
	[ -z "$run" ] || gone "$run"
	no_files_but err out "${@:2}"
}

# has FILTER: of a.json, which is as the schema says.
has()
{
	valid a.json
	jq -e "$1" a.json || {
		jq -c 'del(.topology, .machine) | .sections[] |= .command' a.json
		return 1
	}
}

@test "kill -9 of a part is named, and the others go on" {
	begin_parts
	kill -KILL "$child"
	none_left 1 a.json
	grep -qxF "c2c measure: latency ${endless[*]}: it was ended by signal 9 (Killed): did memory run out? See 'dmesg'" err
	has '[.sections[].command] == ["latency", "queue"] and
		(.complete | not) and (.skipped | length) == 1 and
		(.skipped[0].reason | startswith("it was ended by signal 9"))'
}

@test "a part that cannot be started is named" {
	begin_parts
	prlimit --pid "$pid" --nofile=9
	kill -KILL "$child"
	none_left 1 a.json
	grep -q "^c2c measure: queue --passes 6:6 --cpus 0,1: c2c cannot start itself: " err
	has '[.sections[].command] == ["latency"] and
		(.skipped[1].reason | startswith("c2c cannot start itself: "))'
}

@test "kill -9 of c2c loses only the part that runs" {
	begin_parts
	kill -KILL "$pid"
	none_left 137 a.json
	has '[.sections[] | .command, .complete] == ["latency", true] and
		(.complete | not)'
}

@test "a record behind a link is written after each part, too" {
	echo old >b.json
	ln -s b.json a.json
	begin_parts
	kill -KILL "$pid"
	none_left 137 a.json b.json
	[ -L a.json ]
	has '[.sections[].command] == ["latency"]'
}

@test "kill -9 of c2c ends the runs of a part" {
	begin_parts --runs 2
	kill -KILL "$pid"
	none_left 137 a.json
}

@test "a part that is stopped is told, and an interrupt ends it" {
	begin_parts
	kill -STOP "$child"
	for _ in {1..100}; do
		! grep -q "waiting for process $child, which is stopped" err ||
			break
		sleep 0.05
	done
	kill -INT "$pid"
	none_left 130 a.json
	grep -q "waiting for process $child, which is stopped" err
}

@test "an interrupt ends the part that runs, and keeps what it has" {
	for runs in "" "--runs 2"; do
		# shellcheck disable=SC2086
		begin_parts $runs
		kill -INT "$pid"
		none_left 130 a.json
		has '(.complete | not) and .sections[0].complete and
			all(.sections[1:][]; .complete | not) and
			.skipped[-1] == {"command": "queue",
				"arguments": ["--passes", "6:6", "--cpus", "0,1"],
				"reason": "not run, because c2c was interrupted"} and
			.run.warnings == ["interrupted: c2c kept the measured values, marked incomplete"]'
		# One pass takes no time.
		[ -n "$runs" ] || has '(.sections | length) == 2'
	done
}

@test "a second interrupt ends all at once" {
	begin_parts
	# What is traced hears nothing.
	"$builddir/tests/cli/freeze" "$child" 60 >frozen 3>&- &
	freezer=$!
	until [ -s frozen ]; do
		kill -0 "$freezer" 2>/dev/null || {
			wait "$freezer" || [ $? -ne 77 ] ||
				skip "ptrace is not permitted here"
			false
		}
		sleep 0.05
	done
	kill -INT "$pid"
	# One that comes within 0.3 s is the same request.
	sleep 0.5
	run ! has_ended "$pid"
	kill -INT "$pid"
	none_left 130 a.json frozen
	has '[.sections[].command] == ["latency"]'
}

@test "an interrupt before there is a value writes nothing" {
	made_up=drop=1
	begin_parts
	kill -INT "$pid"
	none_left 130
	grep -qx "c2c measure: interrupted before anything was measured; nothing was written" err
	[ ! -s out ] || ! grep -v '^== \|^$' out
}

@test "a part whose record has no room is named, and the others go on" {
	(
		ulimit -f 1
		trap '' XFSZ
		"$C2C" measure -q "${quick[@]}" 2>&1
	) | cat >err
	[ "${PIPESTATUS[0]}" -eq 1 ]
	grep -q 'c2c latency: the result was not kept' err
	grep -qx 'c2c measure: no command measured anything; nothing was written' err
}

@test "without a process for its parts c2c measure says why" {
	status=0
	(ulimit -n 9 && exec "$C2C" measure -o a.json "${quick[@]}") 2>err ||
		status=$?
	cat err
	[ "$status" -eq 1 ]
	grep -q "^c2c measure: c2c cannot start itself: Too many open files" err
	no_files_but err
}

@test "a full disk costs no record" {
	mount_full 16
	echo old >full/a.json
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	run --separate-stderr "$C2C" measure -q -o full/a.json "${quick[@]}" + \
		"${quick[@]}"
	[ "$status" -eq 1 ]
	[ "$(cat full/a.json)" = old ]
	[[ $stderr == *"saved as $TMPDIR/c2c-measure-"*.json* ]]
	jq -e '(.sections | length) == 2' "$TMPDIR"/c2c-measure-*.json
}

@test "64 KiB of stack are enough for a part and its runs" {
	need_no_sanitizer "nothing: its own frames are large"
	(
		ulimit -s 64
		"$C2C" measure -q -o a.json "${quick[@]}" --runs 2 + contend \
			--passes 6:6 --operation add >out 2>err
	)
	has '.complete and (.sections | length) == 2'
}

@test "a FIFO gets one record, of all parts" {
	mkfifo a.json
	cat a.json >got 3>&- &
	"$C2C" measure -q -o a.json "${quick[@]}" + "${quick[@]}" >out
	wait
	[ "$(jq -s '[length, (.[0].sections | length)] | tostring' got)" = '"[1,2]"' ]
}

@test "a page has every part" {
	"$C2C" measure -q -o a.html "${quick[@]}" + queue --passes 6:6 \
		--cpus 0,1 >out
	grep -q '"command": *"latency"' a.html
	grep -q '"command": *"queue"' a.html
}

@test "where OpenCL finds no device its part is skipped" {
	# What the user typed need be no UTF-8.
	OCL_ICD_VENDORS=$PWD/none "$C2C" measure -q -o a.json cl stream \
		--device $'\xff' + "${quick[@]}" >out 2>err
	has '.complete and [.sections[].command] == ["latency"] and
		.skipped[0].command == "cl" and
		.skipped[0].arguments == ["stream", "--device", "?"] and
		(.skipped[0].reason | length) > 10'
	[ "$(wc -l <err)" -eq 1 ]
}

# on_terminal COMMAND: its screen is ./out.
on_terminal()
{
	TERM=xterm C2C_MADE_UP=real_time=1 script -qec "$1" /dev/null \
		>out 2>&1 </dev/null 3>&-
}

@test "one bar is for all parts, whatever they start" {
	on_terminal "'$C2C' measure latency --budget 1 --passes 100000:100000 + \
		latency --runs 2 --passes 100000:100000 --budget 0.7"
	grep -q '\[#*\.*\] 1 of 2: latency, ' out
	grep -q '\[#############*\.*\] 2 of 2: latency, run [12] of 2, ' out
	run ! grep -E '\[[#.]*\] (pass|run)' out
}

@test "a part prints where the terminal stops what runs in the background" {
	on_terminal "stty tostop; exec timeout --foreground -s KILL 60 '$C2C' \
		measure ${quick[*]}"
	grep -q '^== latency' out
	grep -q 'median of 6 passes' out
}
