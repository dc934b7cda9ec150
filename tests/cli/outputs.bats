#!/usr/bin/env bats
# The files that commands write when something else fails: a full standard
# output, pictures that cannot be drawn, signals.
#
# bats and helpers.bash set what seems unset (SC2154).
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	printf ',50,90,90\n50,,90,90\n90,90,,50\n90,90,50,\n' >a.csv
	printf ',51,92,91\n51,,90,92\n92,90,,50\n91,92,50,\n' >b.csv
}

teardown()
{
	end_jobs
}

# A gnuplot that tells that it has begun, by the numbers of its processes in a
# FIFO, and never ends.
endless_gnuplot()
{
	mkdir bin
	mkfifo begun
	printf '#!/bin/sh\nsleep 1000 &\necho $$ $! >begun\nwait\n' >bin/gnuplot
	chmod +x bin/gnuplot
	PATH=$PWD/bin:$PATH
}

# start ARGUMENT...: c2c in the background, output in ./out and ./err, signals
# as for a command in the foreground.
start()
{
	env --default-signal=INT,HUP "$C2C" "$@" >out 2>err 3>&- &
	pid=$!
}

# The same on a terminal, whose screen is ./out; its process is in ./number.
start_on_terminal()
{
	env --default-signal=INT script -qec \
		"echo \$\$ >number; exec '$C2C' $*" /dev/null \
		>out 2>&1 </dev/null 3>&- &
	pid=$!
}

# Signal c2c while it draws.
interrupt_drawing()
{
	read -r -t 60 _ <>begun
	kill "-$1" "$pid"
	finish
	[ "$status" -eq 130 ]
	grep -q "was not drawn: a signal to c2c ended gnuplot" err
	[ ! -e out.png ]
}

# The commands that read results, each with its data file and one picture, which
# is named first.
readers()
{
	cat <<-'END'
	analyze a.csv -o out.png -o out.json
	analyze a.csv --json -o out.png -o out.json
	compare a.csv b.csv -o out.png -o out.json
	compare --json a.csv b.csv -o out.png -o out.json
	END
}

@test "a signal ends the drawing of every command, and its data is there" {
	endless_gnuplot
	local words
	while read -r words; do
		# shellcheck disable=SC2086
		start $words
		interrupt_drawing TERM
		[ "$(tail -n 1 out.json)" = "}" ]
		rm out.json
	done < <(readers)
	start plot a.csv -o out.png -o out.pdf
	interrupt_drawing HUP
	grep -q "'out.pdf' was not drawn" err
	no_files_but a.csv b.csv begun bin bin/gnuplot err out
}

@test "data is written before pictures, and a signal to gnuplot's wait costs none" {
	make_up
	endless_gnuplot
	start latency "${short[@]}" -o out.png -o out.json
	interrupt_drawing TERM
	sound out.json true
	grep -q minimum out
	[ -z "$(ls "$TMPDIR")" ]
}

@test "the record is rescued when a signal ends the only output, a picture" {
	make_up
	endless_gnuplot
	start latency "${short[@]}" -o out.png
	interrupt_drawing INT
	sound "$TMPDIR"/c2c-latency-*.json true
}

@test "a gnuplot that is stopped is named, and one that takes long on a terminal" {
	endless_gnuplot
	start plot a.csv -o out.png
	read -r -t 60 gnuplot _ <>begun
	kill -STOP "$gnuplot"
	for _ in {1..600}; do
		! grep -qF "c2c: waiting for process $gnuplot, which is stopped" \
			err || break
		sleep 0.05
	done
	grep -F "c2c: waiting for process $gnuplot, which is stopped" err
	run ! grep -F "waiting for gnuplot" err
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	gone "$gnuplot"
	start_on_terminal plot a.csv -o out.png
	for _ in {1..600}; do
		! grep -qsF "c2c: waiting for gnuplot" out || break
		sleep 0.05
	done
	grep -F "c2c: waiting for gnuplot" out
	kill -INT "$(cat number)"
	finish
	[ "$status" -eq 130 ]
	[ ! -e out.png ]
}

@test "after an interrupt the picture is drawn, and another ends c2c and gnuplot" {
	make_up
	endless_gnuplot
	# It interrupts itself.
	C2C_MADE_UP=end=1000 start latency "${long[@]}" -o out.png -o out.json
	read -r -t 60 gnuplot sleeper <>begun
	sound out.json false
	# One that follows too soon is the same request.
	while kill -TERM "$pid" 2>/dev/null; do
		sleep 0.1
	done
	finish
	[ "$status" -eq 143 ]
	sound out.json false
	[ ! -e out.png ]
	[ -z "$(ls "$TMPDIR")" ]
	gone "$gnuplot"
	gone "$sleeper"
}

@test "files are there whatever becomes of standard output" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	local words file
	while read -r file words; do
		# shellcheck disable=SC2086
		for where in '>/dev/full' '>&-' '| true'; do
			rm -f "$file"
			sh -c "{ '$C2C' $words; echo \$? >status; } 2>err $where" \
				3>&- || true
			[ -s "$file" ] || {
				echo "no $file: c2c $words $where"
				return 1
			}
		done
	done <<-'END'
	out.json analyze a.csv -o out.json
	out.json analyze --json a.csv -o out.json
	out.json compare a.csv b.csv -o out.json
	out.json compare --json a.csv b.csv -o out.json
	out.csv export a.csv --json -o out.csv
	out.xml export -q a.csv --json --hwloc out.xml
	out.xml export -q a.csv --placement taskset --hwloc out.xml
	END
	"$C2C" plot a.csv --term -o out.svg >/dev/full 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q '</svg>' out.svg
}

@test "a signal to an export ends it in order: no temporary, no further file" {
	mkfifo one.json
	# More than a pipe holds.
	awk 'BEGIN {
		for (i = 0; i < 300; i++) {
			for (j = 0; j < 300; j++)
				printf "%d,", 50 + (i * j) % 7
			print ""
		}
	}' >many.csv
	start export many.csv -o one.json -o two.json
	exec 5<one.json
	read -r -t 60 -u 5 _
	# It writes, and cannot go on.
	kill -TERM "$pid"
	cat <&5 >/dev/null
	exec 5<&-
	finish
	[ "$status" -eq 130 ]
	grep -q "'two.json' was not written: a signal ended c2c" err
	no_files_but a.csv b.csv err many.csv one.json out
}

@test "a closed terminal is an interrupt: 130, and the record is there" {
	make_up
	export C2C_MADE_UP=visit_ms=0.001
	command -v script >/dev/null || skip "script is not installed"
	local terminal
	# As a shell does: it is told, and tells what it runs.
	cat >run.sh <<-'END'
	trap 'kill -HUP $!' HUP
	env --default-signal=HUP "$C2C" latency "$@" -o out.json &
	wait $!
	wait $!
	echo $? >status
	END
	TERM=xterm script -qfec "sh run.sh ${long[*]}" typescript \
		</dev/null >/dev/null 2>&1 3>&- &
	terminal=$!
	until grep -q 'pass [0-9]*, pair' typescript 2>/dev/null; do
		sleep 0.05
	done
	# Only its end closes the terminal.
	kill -KILL "$terminal"
	until [ -s status ]; do
		sleep 0.05
	done
	[ "$(cat status)" -eq 130 ]
	sound out.json false
}

@test "the longest name that a host may have is a name of a file" {
	local host
	host=$(printf 'h%.0s' {1..64})
	unshare --uts hostname "$host" 2>/dev/null ||
		skip "another host name is not permitted here"
	unshare --uts sh -c "hostname $host && '$C2C' export -q a.csv \
		-o %h.csv --hwloc %h-%%.xml"
	[ -s "$host.csv" ]
	[ -s "$host-%.xml" ]
}

@test "a link to standard output is that, and nothing is lost there" {
	ln -s /dev/stdout out.csv
	"$C2C" export a.csv -o out.csv | grep -q '^cpu,0,1,2,3$'
	echo before >log
	"$C2C" export a.csv -o out.csv >>log
	[ "$(head -n 2 log)" = $'before\ncpu,0,1,2,3' ]
	[ -L out.csv ]
	no_files_but a.csv b.csv log out.csv
}

@test "a link to a file that is open is replaced there, not written over" {
	printf 'old%.0s' {1..9999} >run.csv
	ln -s run.csv latest.csv
	"$C2C" export -q a.csv -o latest.csv 9<>run.csv
	[ -L latest.csv ]
	"$C2C" export -q a.csv -o other.csv
	cmp run.csv other.csv
	no_files_but a.csv b.csv run.csv latest.csv other.csv
}

@test "a link to a closed standard output is an error" {
	ln -s /dev/stdout out.csv
	status=0
	"$C2C" export -q a.csv -o out.csv >&- 2>err || status=$?
	[ "$status" -eq 1 ]
	grep -q "cannot be written" err
}

@test "-o - prints the record alone, and other files are written too" {
	make_up
	run --separate-stderr "$C2C" latency "${short[@]}" \
		-o - -o a.json -o a.dat
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat a.json)" ]
	[ -s a.dat ]
	[[ $stderr != *'"format"'* ]]
	sound a.json true
	# A full disk is a failure, as for --json.
	run --separate-stderr sh -c "'$C2C' export a.json -o - >/dev/full"
	[ "$status" -eq 1 ]
	[[ $stderr == *"standard output"* || $stderr == *"No space"* ]]
}
