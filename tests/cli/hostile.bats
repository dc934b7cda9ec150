#!/usr/bin/env bats
# Measuring with everything against it: signals, closed streams, full disks,
# CPUs that vanish, threads that freeze, limits, strange environments. Whatever
# happens, c2c ends, and a file is the old one or a whole new one. What all
# measuring commands share is tested with c2c latency.
#
# slow: threads that do not answer are waited for, and twelve modes interrupted.
#
# Each case runs in its own shell (SC2030, SC2031); bats and helpers.bash
# set what seems unset (SC2154).
# shellcheck disable=SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	# A lost thread keeps its memory: what leaks there is meant to.
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
}

teardown()
{
	end_jobs
	! mountpoint -q full || umount full
	[ -z "${cgroup:-}" ] || rmdir "$cgroup" || true
}

# interrupted STATUS: how it ended, with both files written and marked.
interrupted()
{
	[ "$status" -eq "$1" ]
	sound a.json false
	grep -q '^# complete: false' a.dat
	grep -q 'interrupted after [0-9]* pass' err
	grep -q incomplete out
	no_files_but a.dat a.json err out
}

# Every mode that measures, and how to measure without end.
modes=(latency "latency --method one-way" queue "queue --warm --chunks 100"
	"queue --order-check" "queue --sweep 64:64K" "queue --readers all"
	"memcpy --size 256K" "memcpy --size 1M --dest fresh"
	"cache --sizes 1K:1M" "cache --shared 48K"
	"contend --operation add,lock")
endless=("${long[@]}" --budget 1e6)

# end_itself STATUS WORDS MODE ARGUMENT...: the made-up CPUs, of which WORDS tell,
# end a run without end.
end_itself()
{
	status=0
	rm -f a.dat
	# shellcheck disable=SC2086
	C2C_MADE_UP=$2 "$C2C" $3 "${endless[@]}" "${@:4}" >out 2>err ||
		status=$?
	[ "$status" -eq "$1" ]
}

# bats test_tags=threads
@test "an interrupt by SIGINT, SIGTERM or SIGHUP leaves 130 and whole files, marked" {
	make_up
	for signal in 1 2 15; do
		rm -f a.json
		end_itself 130 "end=1500 signal=$signal" latency \
			-o a.json -o a.dat
		interrupted 130
		grep -q minimum out
		[ "$(cell a.dat passes 1 2)" -gt 0 ]
	done
}

@test "an interrupt of every mode leaves 130 and whole files, marked" {
	make_up
	for mode in "${modes[@]}"; do
		rm -f a.json
		end_itself 130 end=1500 "$mode" -o a.json -o a.dat
		interrupted 130
	done
}

# interrupt_at SECONDS ARGUMENT...: it ends so, and what it leaves is whole.
interrupt_at()
{
	rm -f a.json
	status=0
	timeout -s INT --preserve-status "$1" "$C2C" "${@:2}" "${long[@]}" \
		-o a.json >out 2>err || status=$?
	[ "$status" -eq 130 ]
	if [ -e a.json ]; then
		sound a.json false
		no_files_but a.json err out
	else
		grep -q 'before anything was measured' err || [ ! -s err ]
		no_files_but err out
	fi
}

# slow: ten runs, which ThreadSanitizer makes slow.
# bats test_tags=threads
@test "an interrupt ends large copies, queues and chases in their midst" {
	need_two_cpus
	for mode in "memcpy --size 8M" "memcpy --size 8M --dest fresh" \
		"queue --chunk 64K --chunks 2000" \
		"queue --sweep 64:64K --chunk 64K --chunks 2000" \
		"cache --sizes 16M:16M"; do
		for moment in 0.1 0.4; do
			# On a busy machine a thread may get no CPU to answer.
			for _ in 1 2 3; do
				# shellcheck disable=SC2086
				interrupt_at "$moment" $mode
				grep -q 'does not answer' err || break
			done
			run ! grep -q 'does not answer' err
		done
	done
}

@test "a copy that was interrupted goes on where it was" {
	make_up
	local values visit
	# In the first pass of 64 pairs.
	for visit in 2 10 60; do
		rm -f a.json b.json
		C2C_MADE_UP=end=$visit run -130 "$C2C" memcpy --size 1M \
			-o a.json
		# A visit may begin before the interrupt is seen.
		values=$(jq '[.matrices[0].values[][] | values] | length' a.json)
		[ "$values" -ge "$visit" ] && [ "$values" -lt 64 ]
		jq -c '[.matrices[0].values[][] | values]' a.json >had
		"$C2C" memcpy --size 1M --passes 1:1 --resume a.json -o b.json \
			>out 2>err
		sound b.json true
		[ "$(jq .run.pairs b.json)" -eq $((64 - values)) ]
		jq -e --slurpfile had had '[.matrices[0].values[][]] as $all
			| all($had[0][]; . as $v | $all | index($v) != null)' \
			b.json >/dev/null
	done
}

@test "an interrupt writes the picture too" {
	make_up
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	end_itself 130 end=1500 latency -o a.png -o a.json
	[ "$(head -c 4 a.png | tail -c 3)" = PNG ]
	no_files_but a.png a.json err out
}

# bats test_tags=threads
@test "an interrupt breaks off a long visit" {
	need_two_cpus
	echo old >a.json
	# Its 10^8 round trips take seconds on any machine.
	start_command latency --pair "$(pair)" --round-trips 1000000 \
		--samples 100 -o a.json -o a.dat
	until_busy
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	# Nothing was measured yet, so there is nothing to write.
	grep -q "nothing was written" err
	[ "$(cat a.json)" = old ]
	no_files_but a.json err out
}

# bats test_tags=threads
@test "an interrupt at any moment leaves a whole file or none, never a part" {
	need_two_cpus
	for moment in 0.01 0.03 0.06 0.1 0.2; do
		rm -f a.json
		status=0
		timeout -s INT --preserve-status "$moment" "$C2C" latency \
			"${long[@]}" -o a.json >out 2>err || status=$?
		[ "$status" -eq 130 ]
		if [ -e a.json ]; then
			sound a.json false
			no_files_but a.json err out
		else
			no_files_but err out
		fi
	done
}

@test "a signal that comes twice at once, as from timeout, is one request" {
	make_up
	end_itself 130 "end=1500 signal=15 again_ms=250" latency -o a.json
	sound a.json false
	no_files_but a.json err out
}

@test "a second signal, be it another one, ends at once and writes nothing" {
	make_up
	echo old >a.json
	end_itself 143 "end=1500 again_ms=350" latency -o a.json
	[ "$(cat a.json)" = old ]
	no_files_but a.json err out
}

@test "signals that are ignored stay ignored, as under nohup" {
	make_up
	for signal in 1 2; do
		C2C_MADE_UP="end=10 signal=$signal" \
			env --ignore-signal=INT,HUP "$C2C" latency "${short[@]}" \
			-o a.json >out 2>err
		sound a.json true
	done
}

@test "kill -9 in any mode leaves the old file, no part of one and no temporary" {
	make_up
	# It lacks one pair, which is then measured for long.
	"$C2C" memcpy --size 1M --passes 1:1 -o b.json >out 2>err
	jq '.matrices |= map(.values[0][1] = null)' b.json >c.json
	rm b.json
	cp c.json before.json
	echo old >a.json
	for mode in "${modes[@]}" "memcpy --size 1M --resume c.json"; do
		end_itself 137 "end=1500 signal=9" "$mode" -o a.json -o a.dat
		[ "$(cat a.json)" = old ]
		cmp c.json before.json
		no_files_but a.json before.json c.json err out
	done
}

@test "kill -9 at any moment leaves the old file or a whole new one" {
	need_no_sanitizer "nothing of a process that is killed"
	need_two_cpus
	for moment in 0.05 0.06 0.07 0.08 0.09 0.1 0.12 0.14; do
		echo '"old"' >a.json
		timeout -s KILL "$moment" "$C2C" latency "${short[@]}" \
			-o a.json >/dev/null 2>&1 || true
		[ "$(cat a.json)" = '"old"' ] || sound a.json true
	done
}

# bats test_tags=threads
@test "a process that is stopped goes on again" {
	need_two_cpus
	local before
	begin --pair "$(pair)" "${long[@]}" -o a.json -o a.dat
	kill -STOP "$pid"
	before=$(sleeps "$pid")
	sleep 3
	kill -CONT "$pid"
	until_rose sleeps 6
	[ "$(sleeps "$pid")" -gt $((before + 5)) ]
	kill -INT "$pid"
	finish
	interrupted 130
}

# slow: c2c waits for the thread for some seconds before it gives it up.
# bats test_tags=threads
@test "a thread that freezes for good ends the run, and is named" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	begin --pair "$a,$b" "${long[@]}" --idle spin -o a.json
	freeze "$b"
	timeout 60 tail --pid="$pid" -f /dev/null
	finish
	[ "$status" -eq 1 ]
	grep -q "thread of CPU $b (with CPU $a) does not answer.*--cpus" err
	sound a.json false
	no_files_but a.json err out
}

# hang_itself FOLDER STATUS WORDS MODE: a made-up visit never ends.
hang_itself()
{
	mkdir "$1" && cd "$1" || return
	end_itself "$2" "hang=1500 deaf=1 $3" "$4" -o a.json
	grep -q 'thread of CPU [0-9].* does not answer.*--cpus' err
	grep -q incomplete out
	sound a.json false
	[ "$(ls)" = $'a.json\nerr\nout' ]
}

# bats test_tags=threads
@test "a thread that hangs ends a run of every mode, and it may be interrupted then" {
	make_up
	local pids=()
	# Each waits a second for its threads.
	for i in "${!modes[@]}"; do
		hang_itself "$i" 1 "" "${modes[i]}" 3>&- &
		pids+=($!)
		hang_itself "i$i" 130 end=1500 "${modes[i]}" 3>&- &
		pids+=($!)
	done
	for pid in "${pids[@]}"; do
		wait "$pid"
	done
}

# bats test_tags=threads
@test "a thread that is moved by taskset ends the run with what it has" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	begin --pair "$a,$b" "${long[@]}" --idle spin -o a.json
	taskset -pc "$a" "$(thread_of "$pid" "$b")" >/dev/null
	timeout 30 tail --pid="$pid" -f /dev/null
	finish
	[ "$status" -eq 1 ]
	grep -q "CPU $b was moved to CPU $a" err
	grep -q incomplete out
	sound a.json false
	no_files_but a.json err out
}

# A cpuset of our own, whose CPUs are CPUS; in $cgroup. $1: CPUS.
make_cpuset()
{
	local root
	root=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpuset(,|$)/ { print $2; exit }' \
		/proc/self/mounts)
	if [ -z "$root" ]; then
		root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/self/mounts)
		grep -qw cpuset "$root/cgroup.subtree_control" 2>/dev/null ||
			skip "there is no cpuset controller to use here"
	fi
	mkdir "$root/c2c-test-$$" 2>/dev/null ||
		skip "making a cgroup is not permitted here"
	cgroup=$root/c2c-test-$$
	cat "$root/cpuset.mems.effective" "$root/cpuset.effective_mems" \
		2>/dev/null >"$cgroup/cpuset.mems" || true
	echo "$1" 2>/dev/null >"$cgroup/cpuset.cpus" ||
		skip "setting a cpuset is not permitted here"
}

in_cpuset()
{
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cgroup" "$@"
}

@test "a CPU outside the cpuset is refused, and the allowed ones are told" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	make_cpuset "$a"
	run --separate-stderr in_cpuset "$C2C" latency -o a.json
	refused 77 "one CPU"
	[ "$(nproc)" -ge 3 ] || skip "the rest needs three CPUs"
	echo "$a,$b" >"$cgroup/cpuset.cpus"
	run --separate-stderr in_cpuset "$C2C" latency -o a.json --cpus 0-1023
	refused 2 --cpus
	no_files_but
}

@test "a CPU that leaves the cpuset ends the run with what it has" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	make_cpuset "$a,$b"
	begin --pair "$a,$b" "${long[@]}" --idle park -o a.json
	echo "$pid" >"$cgroup/cgroup.procs"
	echo "$a" >"$cgroup/cpuset.cpus"
	timeout 30 tail --pid="$pid" -f /dev/null
	finish
	[ "$status" -eq 1 ]
	grep -q "CPU $b was moved to CPU $a" err
	sound a.json false
}

# These disturb everybody on the machine for seconds.
need_leave()
{
	[ "${C2C_TEST_RUDE:-}" = 1 ] ||
		skip "$1 for the whole machine: C2C_TEST_RUDE=1 allows it"
	need_root "$1"
}

@test "a CPU that goes offline ends the run with what it has" {
	need_two_cpus
	need_leave "takes a CPU offline"
	IFS=, read -r a b <<<"$(pair)"
	switch=/sys/devices/system/cpu/cpu$b/online
	[ -w "$switch" ] || skip "CPU $b cannot be taken offline"
	begin --pair "$a,$b" "${long[@]}" -o a.json
	echo 0 >"$switch" || skip "CPU $b cannot be taken offline"
	run --separate-stderr "$C2C" latency --cpus "$a,$b"
	echo 1 >"$switch"
	[ "$status" -eq 2 ] || [ "$status" -eq 77 ]
	timeout 30 tail --pid="$pid" -f /dev/null
	finish
	[ "$status" -eq 1 ]
	grep -q "CPU $b was moved to" err
	sound a.json false
}

@test "a run with a real-time task on one of the CPUs ends" {
	need_two_cpus
	need_leave "runs a real-time task for three seconds"
	IFS=, read -r a b <<<"$(pair)"
	# timeout itself is no real-time task: nothing holds it up.
	timeout 3 chrt -f 50 taskset -c "$b" sh -c 'while :; do :; done' 3>&- &
	sleep 0.3
	status=0
	timeout 60 "$C2C" latency --pair "$a,$b" --budget 1 -o a.json \
		>out 2>err || status=$?
	[ "$status" -eq 0 ] || [ "$status" -eq 1 ]
	[ ! -e a.json ] || sound a.json "$(get a.json complete)"
}

# in_streams REDIRECTIONS: a short run with closed or full standard streams,
# which leaves a sound a.json.
in_streams()
{
	status=0
	rm -f a.json
	eval '"$C2C" latency "${short[@]}" -o a.json' "$1" || status=$?
	sound a.json true
}

@test "closed standard streams leave the files there, with no message in them" {
	make_up
	in_streams '<&- >out 2>err'
	[ "$status" -eq 0 ]
	in_streams '>&- 2>err'
	[ "$status" -eq 1 ]
	grep -q 'cannot write to standard output' err
	in_streams '>out 2>&-'
	[ "$status" -eq 0 ]
	grep -q minimum out
	in_streams '-o a.dat -o a.csv <&- >&- 2>&-'
	[ "$status" -eq 1 ]
	rm a.dat a.csv
	if command -v gnuplot >/dev/null; then
		in_streams '-o a.png <&- >out 2>&-'
		[ "$status" -eq 0 ]
		rm a.png
	fi
	no_files_but a.json err out
}

@test "a full standard output is a failure, and the files are there" {
	make_up
	[ -w /dev/full ] || skip "there is no /dev/full"
	in_streams '>/dev/full 2>err'
	[ "$status" -eq 1 ]
	grep -q 'cannot write to standard output' err
	in_streams '--json >/dev/full 2>err'
	[ "$status" -eq 1 ]
	no_files_but a.json err
}

@test "a reader of standard output that leaves does not cost the files" {
	make_up
	for option in --quiet --json; do
		rm -f a.json a.dat
		# The pipe's reader is gone before anything is written.
		{
			"$C2C" latency "${short[@]}" "$option" \
				-o a.json -o a.dat 2>err || echo $? >status
		} | true
		sound a.json true
		[ -s a.dat ]
		[ "$(cat status)" -eq 1 ]
		grep -q 'Broken pipe' err
	done
}

@test "a full disk leaves the old files in every format, and the record is rescued" {
	make_up
	mount_full 16
	for format in json dat csv png; do
		echo old >full/a.$format
	done
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	for format in json dat csv png; do
		[ $format != png ] || command -v gnuplot >/dev/null || continue
		run --separate-stderr "$C2C" latency "${short[@]}" -o full/a.$format
		[ "$status" -eq 1 ]
		[[ $output == *minimum* ]]
		[[ $stderr == *"full/a.$format"* ]]
		[ "$(cat full/a.$format)" = old ]
		[ "$(ls -A full)" = "$(printf '%s\n' a.csv a.dat a.json a.png fill)" ]
		[[ $stderr == *"saved as $TMPDIR/c2c-latency-"*.json* ]]
		sound "$TMPDIR"/c2c-latency-*.json true
		rm "$TMPDIR"/c2c-latency-*.json
	done
}

@test "a full disk costs no record of a queue, a curve or a copy" {
	make_up
	mount_full 16
	echo old >full/a.json
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	for mode in "queue --chunks 64" "queue --chunks 64 --sweep 64:256" \
		"memcpy --size 64K" "contend --operation add"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" $mode "${short[@]}" -o full/a.json
		[ "$status" -eq 1 ]
		[[ $output == *GiB/s* || $output == *Mops/s* ]]
		[ "$(cat full/a.json)" = old ]
		[ "$(ls -A full)" = $'a.json\nfill' ]
		[[ $stderr == *"saved as $TMPDIR/c2c-${mode%% *}-"*.json* ]]
		sound "$TMPDIR/c2c-${mode%% *}"-*.json true
		rm "$TMPDIR"/c2c-*.json
	done
}

@test "a full disk or a compressor that fails costs no compressed record" {
	make_up
	mount_full 16
	echo old >full/a.json.gz
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	run --separate-stderr "$C2C" latency "${short[@]}" -o full/a.json.gz
	[ "$status" -eq 1 ]
	[[ $stderr == *"'full/a.json.gz' cannot be written: No space left"* ]]
	[ "$(cat full/a.json.gz)" = old ]
	[ "$(ls -A full)" = $'a.json.gz\nfill' ]
	sound "$TMPDIR"/c2c-latency-*.json true
	rm "$TMPDIR"/c2c-latency-*.json
	mkdir bin
	for how in 'exit 3' 'kill -9 $$'; do
		echo old >a.json.gz
		# The first call, of no record, is well.
		printf '#!/bin/sh\n[ ! -e called ] || %s\n: >called\n' "$how" >bin/gzip
		chmod +x bin/gzip
		rm -f called
		PATH=$PWD/bin:$PATH run --separate-stderr "$C2C" latency \
			"${short[@]}" -o a.json.gz
		[ "$status" -eq 1 ]
		[[ $stderr == *"'a.json.gz' cannot be written: gzip "*[39]$'\n'* ]]
		[ "$(cat a.json.gz)" = old ]
		sound "$TMPDIR"/c2c-latency-*.json true
		rm "$TMPDIR"/c2c-latency-*.json
	done
}

@test "a compressor that hangs ends with c2c" {
	make_up
	mkdir bin
	mkfifo begun
	# The first call, of no record, is well.
	cat >bin/zstd <<-'END'
		#!/bin/sh
		[ -e called ] || { : >called; exit; }
		sleep 1000 &
		echo $$ $! >begun
		wait
	END
	chmod +x bin/zstd
	for signal in KILL INT; do
		rm -f called
		PATH=$PWD/bin:$PATH start_command latency "${short[@]}" -o a.json.zst
		read -r -t 60 zstd child <>begun
		kill -$signal "$pid"
		# The first interrupt only ends a measurement, and two at once
		# are one.
		[ $signal = KILL ] || {
			sleep 0.5
			kill -$signal "$pid"
		}
		finish
		gone "$zstd"
		gone "$child"
		[ ! -e a.json.zst ]
	done
}

@test "a good data file makes a rescue needless" {
	make_up
	mount_full 8
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	run --separate-stderr "$C2C" latency "${short[@]}" -o full/a.json -o b.dat
	[ "$status" -eq 1 ]
	[ -s b.dat ]
	[[ $stderr != *saved* ]]
	[ -z "$(ls "$TMPDIR")" ]
}

@test "when even the rescue fails, that is said" {
	make_up
	mount_full 8
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	TMPDIR=$PWD/full run --separate-stderr \
		"$C2C" latency "${short[@]}" -o full/a.json
	[ "$status" -eq 1 ]
	[[ $output == *minimum* ]]
	[[ $stderr == *full/c2c-latency-* ]]
	[ "$(ls -A full)" = fill ]
	TMPDIR=$PWD/nowhere run --separate-stderr \
		"$C2C" latency "${short[@]}" -o full/a.json
	[ "$status" -eq 1 ]
	[[ $stderr == *nowhere*TMPDIR* ]]
}

@test "a limit on file sizes is an error like a full disk" {
	make_up
	echo old >a.json
	status=0
	(ulimit -f 1 && exec "$C2C" latency "${short[@]}" -o a.json) \
		2>&1 >/dev/null | cat >err
	grep -q "a.json.*ulimit -f" err
	[ "$(cat a.json)" = old ]
	(ulimit -f 1 && exec "$C2C" plot -q "$srcdir/data/xeon-16vcpu.json" \
		-o a.html) 2>err || [ $? -eq 1 ]
	grep -q "a.html.*ulimit -f" err
	no_files_but a.json err
}

@test "files that may not be written are refused before anything is measured" {
	make_up
	let_nobody_in
	mkdir locked open
	chmod 777 open
	echo old >locked/a.json
	echo old >open/a.json
	chmod 444 open/a.json
	for file in locked/a.json locked/b.json open/a.json; do
		run --separate-stderr as_nobody ./c2c latency -o open/b.json -o $file
		refused 1 -o "'$file'" "ermi"
	done
	[ "$(cat locked/a.json open/a.json)" = $'old\nold' ]
	no_files_but c2c locked locked/a.json open open/a.json
}

@test "c2c runs without privileges, from a folder that is read-only" {
	make_up
	let_nobody_in
	export TMPDIR=/nowhere
	run --separate-stderr as_nobody env -u HOME ./c2c latency "${short[@]}"
	[ "$status" -eq 0 ]
	[[ $output == *minimum* ]]
	as_nobody ./c2c latency "${short[@]}" --json >a.json 2>err
	sound a.json true
}

@test "a limit on processes is named" {
	make_up
	let_nobody_in
	run --separate-stderr as_nobody bash -c 'ulimit -u 1 && exec ./c2c latency'
	refused 1 "cannot start the thread" "ulimit -u"
}

@test "too little memory gives a message, never a crash" {
	need_two_cpus
	# Without memory, gcov crashes when the program exits.
	[ "${MODE:-plain}" = plain ] ||
		skip "gcov and sanitizers need memory of their own"
	local told=0 least=3000
	# What the loader needs depends on the build.
	until (ulimit -v "$least" && exec "$C2C" --version) >/dev/null 2>&1; do
		least=$((least + 700))
		[ "$least" -lt 100000 ]
	done
	for kib in $(seq $((least - 2100)) 700 $((least + 4900))); do
		status=0
		(ulimit -v "$kib" && exec "$C2C" latency "${short[@]}" -o a.json) \
			>out 2>err || status=$?
		case $status in
		0)
			sound a.json true
			rm a.json
			;;
		1)
			[ ! -e a.json ]
			! grep -q '^c2c latency: .*\(memory\|cannot start\)' err ||
				told=$((told + 1))
			;;
		# The loader ran out of it before the program began. It may crash
		# then, in a window of some KiB: it tells when it hands over.
		127) ;;
		139)
			(ulimit -v "$kib" && LD_DEBUG=files exec "$C2C" latency) \
				>out 2>err || :
			run ! grep -F 'transferring control: ' err
			;;
		*)
			echo "$kib KiB: status $status: $(cat err)"
			return 1
			;;
		esac
	done
	[ "$told" -gt 0 ]
	status=0
	(ulimit -v 400000 && exec "$C2C" latency --lines 1048576 -o a.json) \
		>out 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q 'not enough memory' err
	no_files_but err out
}

@test "a FIFO is written, and stays one" {
	make_up
	mkfifo a.json
	cat a.json >got 3>&- &
	timeout 20 "$C2C" latency "${short[@]}" -o a.json >out 2>err
	wait $!
	[ -p a.json ]
	sound got true
}

# says WORDS: ./err has them soon.
says()
{
	for _ in {1..600}; do
		! grep -qF -- "$1" err || return 0
		sleep 0.05
	done
	cat err
	return 1
}

@test "what waits for a FIFO says so, and ends by one signal" {
	make_up
	export C2C_MADE_UP=real_time=1
	mkfifo m f.json
	cp "$srcdir/tests/cases/plot/in/lat.json" a.json
	while read -r words; do
		# shellcheck disable=SC2086 # words
		start_command $words
		says "c2c: waiting for a program that "
		kill -INT "$pid"
		gone "$pid"
		finish
		[ "$status" -ne 0 ]
	done <<-END
		compare a.json m
		analyze a.json --topology m
		export a.json -o f.json
		latency --resume m
		watch --no-screen --for 60s --log m
	END
	start_command watch --no-screen --for 60s --textfile m
	gone "$pid"
	grep -qF -- "--textfile: 'm' is a FIFO" err
	[ -p m ]
	[ -p f.json ]
}

@test "a run that is stopped is named, and ends with c2c" {
	make_up
	export C2C_MADE_UP=real_time=1
	start_command latency --runs 2 "${long[@]}" -o a.json
	# Not the child that tries the topology, which is gone soon.
	for _ in {1..600}; do
		child=$(pgrep -P "$pid" -f -- --child=) && break
		sleep 0.05
	done
	kill -STOP "$child"
	says "c2c: waiting for process $child, which is stopped: kill -CONT $child"
	kill -INT "$pid"
	gone "$pid"
	finish
	[ "$status" -ne 0 ]
	has_ended "$child"
}

@test "links are followed and kept, and refused when they lead nowhere" {
	make_up
	mkdir there
	echo old >there/a.json
	chmod 640 there/a.json
	ln -s there/a.json a.json
	ln -s nowhere.json b.json
	ln -s /dev/null c.json
	"$C2C" latency "${short[@]}" -o a.json -o c.json >out 2>err
	[ -L a.json ]
	[ -c /dev/null ]
	sound there/a.json true
	[ "$(stat -c %a there/a.json)" = 640 ]
	run --separate-stderr "$C2C" latency -o b.json
	refused 1 -o b.json link
	no_files_but a.json b.json c.json err out there there/a.json
}

@test "two runs to one file leave the file of one of them" {
	make_up
	"$C2C" latency "${short[@]}" --seed 1 -o a.json >/dev/null 2>&1 3>&- &
	"$C2C" latency "${short[@]}" --seed 2 -o a.json >/dev/null 2>&1
	wait $!
	sound a.json true
	no_files_but a.json
}

# on_terminal COMMAND: its output on its own terminal, in ./typescript.
on_terminal()
{
	command -v script >/dev/null || skip "script is not installed"
	script -qec "$1" typescript </dev/null >/dev/null 2>&1 3>&-
}

@test "colour and progress are for a terminal only, and not against its will" {
	make_up
	local run
	run="'$C2C' latency --pair 0,1 --budget 1"
	on_terminal "TERM=xterm $run"
	grep -q $'\033\[[0-9;]*m' typescript
	grep -q 'pass [0-9]*, pair' typescript
	for words in "NO_COLOR=1 TERM=xterm" "TERM=dumb" "env -u TERM"; do
		on_terminal "$words $run"
		grep -q 'median of' typescript
		run ! grep -q $'\033\[[0-9;]*m' typescript
	done
	# A terminal that knows no escapes gets none, so no progress either.
	for words in "TERM=dumb" "env -u TERM"; do
		on_terminal "$words $run"
		run ! grep -q -e $'\033' -e 'pass [0-9]*, pair' typescript
	done
	on_terminal "TERM=xterm $run --quiet"
	run ! grep -q 'pass [0-9]*, pair' typescript
	"$C2C" latency "${short[@]}" >out 2>&1
	run ! grep -q $'\033' out
}

@test "c2c runs in any environment: empty, another language, plain ASCII" {
	make_up
	run --separate-stderr env -i "$C2C" latency "${short[@]}"
	[ "$status" -eq 0 ]
	[[ $output == *minimum* ]]
	for language in C POSIX de_DE.UTF-8 no_SUCH.locale; do
		LC_ALL=$language "$C2C" latency "${short[@]}" -o a.json -o a.dat \
			>out 2>err
		sound a.json true
		# A comma for the point would break every reader.
		run ! grep -q '[0-9],[0-9]' a.dat
	done
	LC_ALL=C "$C2C" latency "${short[@]}" >out 2>&1
	run ! env LC_ALL=C grep -q '[^ -~]' out
	for clock in clock counter '' nonsense; do
		C2C_CLOCK=$clock "$C2C" latency "${short[@]}" >out 2>err
	done
}

@test "a pretended machine is not measured" {
	HWLOC_SYNTHETIC='package:1 core:2 pu:1' \
		run --separate-stderr "$C2C" latency "${short[@]}" -o a.json
	refused 1 HWLOC_SYNTHETIC
	no_files_but
}
