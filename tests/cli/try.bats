#!/usr/bin/env bats
# c2c try on the CPUs that are there. What the programs print decides, as their
# times would on a quiet machine only.
#
# bats and helpers.bash set what seems unset (SC2154); a program has its
# variables in quotes (SC2016).
# shellcheck disable=SC2016,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	need_two_cpus
	need_jq
	IFS=, read -r a b <<<"$(pair)"
	# As many threads as CPUs: nothing is chosen by latency.
	all=(--threads "$(nproc)" --rounds 8)
	by=(--metric '([0-9.]+) MB/s' --better higher)
}

teardown()
{
	end_jobs
}

# program TEXT: a shell script.
program()
{
	printf '#!/bin/sh\n%s\n' "$1" >program
	chmod +x program
}

@test "a program that is three times as fast on one CPU is found, with the line to use" {
	program 'echo "1 MB/s"; echo "$(($(nproc) == 1 ? 300 : 100)) MB/s"'
	"$C2C" try "${all[@]}" "${by[@]}" --cpus "both=$a,$b" -o a.json \
		-o a.md -o a.html -- ./program x "a b" "it's" >out 2>err
	[ ! -s err ]
	must_be_valid a.json
	jq -e '.verdict == "found" and .complete and .rounds == [8, 8] and
		.better == "higher" and .control.gain_pct == 0 and
		([.placements[] | select(.choice == "one-cpu")] | .[0] |
			.answer == "pays" and .gain_pct == 200 and
			(.values | length) == 16 and .values[0] == 300 and
			.p == [0.0078125, 0.0078125])' a.json
	jq -r '.sentences[]' a.json >said
	grep -qE '^One CPU \(CPU [0-9]+\) is 3\.0 times as good as unbound \[3\.0, 3\.0\]\.$' said
	grep -qE "^To use it: taskset -c [0-9]+ \./program x 'a b' 'it'\\\\''s';" said
	grep -qE "^both +${a}[-,]$b " out
	# A row for each round, and the sentences on the page.
	grep -q '^| 8 | 1.00 | 1.00 | 1.00 | 3.00 |$' a.md
	[ "$(grep -c '^| 1 ' a.md)" -eq 2 ]
	grep -qE '"One CPU \(CPU [0-9]+\) is 3\.0 times as good' a.html
}

@test "the number is that of the last line that matches, and ends with the match" {
	program 'printf "1 MB/s\n77\r123 45\nMB/s\n\n"'
	"$C2C" try "${all[@]}" --metric '^([0-9]{2})[0-9]? ?' --better higher \
		-o a.json -- ./program >out
	jq -e '[.placements[].values[]] | unique == [12]' a.json
}

@test "equal placements are left unbound, and the seed gives the same order" {
	program 'echo "$(nproc)" >>order; echo 100 MB/s'
	"$C2C" try "${all[@]}" "${by[@]}" --seed 5 -- ./program >out
	mv order first
	grep -q '^No placement differs from unbound' out
	grep -q 'Leave it unbound' out
	grep -q '^Control: the two unbound runs differ by 0\.0 % \[0\.0, 0\.0\]; their median is 100\.$' out
	"$C2C" try "${all[@]}" "${by[@]}" --seed 5 -- ./program >out
	cmp order first
	"$C2C" try "${all[@]}" "${by[@]}" --seed 6 -- ./program >out
	! cmp -s order first || false
}

@test "on a terminal the progress names the placement that is ahead" {
	command -v script >/dev/null || skip "script is not installed"
	program 'echo "$(($(nproc) == 1 ? 300 : 100)) MB/s"'
	script -qec "TERM=xterm COLUMNS=100 '$C2C' try ${all[*]} \
		--metric [0-9]+ --better higher -- ./program" \
		typescript </dev/null >out 3>&-
	grep -q 'block 1, round 1 of 8' typescript
	! grep -q 'block 1, round 1 of 8; so far' typescript || false
	grep -q 'block 1, round 2 of 8; so far one CPU +200\.0 %' typescript
}

@test "placements that cost are named" {
	program 'echo "$(($(nproc) == 1 ? 50 : 100)) MB/s"'
	"$C2C" try "${all[@]}" "${by[@]}" -- ./program >out
	tr '\n' ' ' <out | grep -qE 'One CPU \(CPU [0-9]+\) costs 50 % \[50, 50\]\.'
	! grep -q '^To use' out || false
}

@test "large numbers have no exponents" {
	program 'echo "$(($(nproc) == 1 ? 200000 : 100)) MB/s"'
	"$C2C" try "${all[@]}" "${by[@]}" -- ./program >out
	tr '\n' ' ' <out | grep -q ' is 2000 times as good as unbound \[2000, 2000\]\.'
	grep -qE '^one CPU +[0-9]+ +199900 +\[199900, 199900\] ' out
	program 'echo "$(($(nproc) == 1 ? 1 : 200)) MB/s"'
	"$C2C" try "${all[@]}" "${by[@]}" -- ./program >out
	tr '\n' ' ' <out | grep -q ' costs 100 % \[100, 100\]\.'
}

# one_of_two A B: a program of one thread prints A on the first of two CPUs, B
# on the other one, and 100 unbound.
one_of_two()
{
	program "case \$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' \\
			/proc/self/status) in
		$a) echo $1 MB/s ;;
		$b) echo $2 MB/s ;;
		*) echo 100 MB/s ;;
		esac"
	taskset -c "$a,$b" "$C2C" try --threads 1 --rounds 8 --seed 1 \
		"${by[@]}" -o a.json -- ./program >out
	jq -r '.sentences[]' a.json >said
}

@test "a placement that beats unbound, but not random CPUs, is named" {
	one_of_two 130 100
	jq -e '.verdict == "nothing"' a.json
	grep -q "^One CPU (CPU $a) is 30 % better than unbound \[30, 30\], but not better than 1 random CPU by more than chance\.$" said
	grep -q '^No other placement differs from unbound by more' said
}

@test "random CPUs that pay are said to be any" {
	one_of_two 200 300
	grep -q '^To use random: taskset -c LIST .*, where LIST is any 1 CPU\.$' said
}

@test "unbound runs without values give no verdict, and say why" {
	program '[ "$(nproc)" -gt 1 ] || exit 0
		echo x >>runs; n=$(wc -l <runs)
		[ "$n" -lt 4 ] || [ "$((n % 2))" -eq 0 ] || exec sleep 1000'
	run -4 --separate-stderr "$C2C" try "${all[@]}" --metric cpu \
		--limit 0.5 -- ./program
	grep -q '^There is no verdict: too few runs of unbound have a value\.$' <<<"$output"
	! grep -q 'nan' <<<"$output" || false
}

@test "a placement whose first run takes too long is left out" {
	program '[ "$(nproc)" -gt 1 ] || exec sleep 1000; echo 100 MB/s'
	"$C2C" try "${all[@]}" "${by[@]}" --limit 600 -- ./program >out
	cat out
	grep -q '^Placement one CPU (1 CPU) is left out: it takes more than 20 times' out
	grep -q '^No placement was left to compare with unbound\. Leave the program unbound\.$' out
}

@test "a program that fails unbound ends the trial with its words" {
	program 'echo "no licence" >&2; exit 3'
	run -1 --separate-stderr "$C2C" try "${all[@]}" -- ./program
	[ "$stderr" = "c2c try: unbound: './program' exited with status 3; it said: no licence" ]
	run -1 --separate-stderr "$C2C" try -- ./none
	[[ $stderr == "c2c try: unbound: './none' cannot be run: "* ]]
	program 'kill -9 $$'
	run -1 --separate-stderr "$C2C" try -- ./program
	[[ $stderr == *"was ended by signal 9 (Killed)" ]]
	program 'echo nothing'
	run -1 --separate-stderr "$C2C" try "${by[@]}" -- ./program
	[[ $stderr == *"--metric: found no finite number above 0"* ]]
}

@test "a placement under which the program fails is left out, and the others are judged" {
	program 'echo x >>"runs$(nproc)"
		[ "$(nproc)" -gt 1 ] || { echo "no licence" >&2; exit 3; }
		echo 100 MB/s'
	"$C2C" try "${all[@]}" "${by[@]}" --cpus "both=$a,$b" -o a.json \
		-- ./program >out
	tr '\n' ' ' <out >line
	grep -qF "Placement one CPU (1 CPU) is left out: './program' exited with status 3; it said: no licence." line
	[ "$(wc -l <runs1)" -eq 1 ]
	must_be_valid a.json
	jq -e '[.placements[] | select(.dropped)] | .[0] | .choice == "one-cpu" and
		.answer == null and (.values | length) == 16 and
		(.values | unique) == [null]' a.json
	jq -e '.placements[2] | .name == "both" and .answer == "same"' a.json
}

@test "a placement under which the program fails later is left out from then on" {
	program 'echo 100 MB/s; [ "$(nproc)" -gt 1 ] && exit
		echo 300 MB/s; echo x >>runs; [ "$(wc -l <runs)" -lt 15 ] || kill -9 $$'
	"$C2C" try "${all[@]}" "${by[@]}" -o a.json -- ./program >out
	tr '\n' ' ' <out |
		grep -qF "left out: './program' was ended by signal 9 (Killed)."
	jq -e '.verdict == "nothing" and ([.placements[] | select(.dropped)] |
		.[0] | .answer == null and .values[13] == null and
		.values[:13] == [range(13) | 300])' a.json
}

@test "a run that reaches the limit is ended, with what it started" {
	program 'sleep 1000 & echo $! >started; wait'
	run -1 --separate-stderr "$C2C" try --limit 1 -- ./program
	[[ $stderr == *"did not end within 1 s"* ]]
	gone "$(cat started)"
}

@test "what a program leaves behind is ended, and told, also outside its group" {
	[ -r /proc/thread-self/children ] || skip "the kernel does not list children"
	for start in '' setsid; do
		program "$start sleep 1000 & echo \$! >>started; echo 100 MB/s"
		"$C2C" try "${all[@]}" "${by[@]}" -- ./program >out
		tr '\n' ' ' <out | grep -q 'When the program ended, other processes of it still ran'
		gone "$(tail -n 1 started)"
	done
}

@test "a trial that no file can hold is printed, and saved elsewhere" {
	program 'echo 100 MB/s'
	ln -s /dev/full a.json
	mkdir saved
	TMPDIR=$PWD/saved run -1 --separate-stderr "$C2C" try "${all[@]}" \
		"${by[@]}" -o a.json -- ./program
	[[ $output == *"Leave it unbound."* ]]
	[[ $stderr == *"the complete record was saved as $PWD/saved/c2c-try-"* ]]
	jq -e '.verdict == "nothing"' saved/*.json
}

@test "a program has no input, and its output is not that of c2c" {
	program 'read -r line && exit 1; echo 100 MB/s'
	"$C2C" try "${all[@]}" "${by[@]}" -- ./program >out <<<"text"
	! grep -q '^100' out || false
	# By time, chance may tell unbound from itself.
	"$C2C" try "${all[@]}" -- ./program >out || [ "$?" -eq 4 ]
	! grep -q '^100' out || false
}

@test "an interrupt keeps the rounds before it, without a verdict" {
	program 'echo x >>runs; [ "$(wc -l <runs)" -lt 30 ] || sleep 1000
		echo 100 MB/s'
	start_command try "${all[@]}" "${by[@]}" -o a.json -- ./program
	for _ in {1..200}; do
		[ ! -s runs ] || [ "$(wc -l <runs)" -lt 30 ] || break
		sleep 0.05
	done
	kill -INT "$pid"
	finish
	[ "$status" -eq 130 ]
	must_be_valid a.json
	jq -e '(.complete | not) and .verdict == "none" and .rounds[0] == 8 and
		([.placements[].values | length] | unique | length) == 1' a.json
	grep -q '^There is no verdict, because the trial ended after 8 rounds\.$' out
}

@test "a budget that is too short is refused after the warm-up" {
	run -2 --separate-stderr "$C2C" try "${all[@]}" --budget 1ms -- true
	[[ $stderr == *"longer than --budget, 1 ms"* ]]
	# The budget is for both blocks: 48 runs.
	run -2 --separate-stderr "$C2C" try "${all[@]}" --budget 4 -- sleep 0.1
}

# server TEXT: a shell script that has begun once it wrote its rate.
server()
{
	printf '#!/bin/sh\necho $$ >>servers\n%s\n' "$1" >server
	chmod +x server
	program 'nproc >>clients; cat rate'
	with=(--setup ./server --client-cpus "$a" --rounds 8
		--threads "$(nproc)" "${by[@]}")
}

# No server is left of those that began.
served()
{
	[ -s servers ]
	while read -r one; do
		gone "$one"
	done <servers
}

# slow: it starts fifty servers.
@test "a server is placed, its client is not, and it ends with each run" {
	server 'sleep 0.1; echo "$(($(nproc) == 1 ? 300 : 100)) MB/s" >rate
		echo "is listening now"; exec sleep 1000'
	"$C2C" try "${with[@]}" --ready 'is (list|wait)ening' -o a.json \
		-- ./program >out
	served
	[ "$(sort -u clients)" = 1 ]
	must_be_valid a.json
	jq -e '.setup == "./server" and ([.placements[] |
		select(.choice == "one-cpu")] | .[0] | .gain_pct == 200)' a.json
	jq -r '.sentences[]' a.json >said
	grep -qE "^To use it: taskset -c [0-9]+ sh -c ./server;" said
}

# ready_by READY: the client sees what the server wrote before it was ready.
ready_by()
{
	echo 1 >rate
	program 'cat rate >&2; exit 3'
	run -1 --separate-stderr "$C2C" try "${with[@]}" --ready "$1" -- \
		./program
	[[ $stderr == *"exited with status 3; it said: 2" ]]
	served
}

@test "a server is ready when it writes its file" {
	echo old >ready
	server 'sleep 0.1; echo 2 >rate; echo $$ >ready; exec sleep 1000'
	ready_by ./ready
}

@test "a server is ready when its port or socket answers" {
	server 'rm -f socket; sleep 0.1; echo 2 >rate
		exec perl -MIO::Socket -e "
			my \$listener = \$ARGV[0] =~ /^[0-9]/ ?
				IO::Socket::INET->new(Listen => 9,
					LocalAddr => q(127.0.0.1),
					LocalPort => \$ARGV[0], ReuseAddr => 1)
				: IO::Socket::UNIX->new(Listen => 9,
					Local => \$ARGV[0]);
			close(\$listener->accept) while 1" "$(cat where)"'
	port=$(perl -MIO::Socket -e 'print IO::Socket::INET->new(Listen => 1,
		LocalAddr => "127.0.0.1")->sockport')
	for ready in "$port" ./socket; do
		echo "$ready" >where
		ready_by "$ready"
	done
	perl -MIO::Socket -e 'my $listener = IO::Socket::INET->new(Listen => 9,
		LocalAddr => "127.0.0.1", LocalPort => $ARGV[0],
		ReuseAddr => 1); $| = 1; print "ready\n"; sleep 1000' "$port" >listens &
	pid=$!
	for _ in {1..200}; do
		[ ! -s listens ] || break
		sleep 0.05
	done
	run -1 --separate-stderr "$C2C" try "${with[@]}" --ready "$port" -- true
	kill "$pid"
	[[ $stderr == *": port $port answers before "* ]]
}

@test "a server that is never ready, or ends too early, is named" {
	server 'trap "" TERM; sleep 1000'
	run -1 --separate-stderr "$C2C" try "${with[@]}" --limit 0.2 \
		--ready never -- ./program
	[ "$stderr" = "c2c try: unbound: the server './server' was not ready (never) within --limit, 0.2 s" ]
	served
	server 'echo "no such port" >&2; exit 7'
	run -1 --separate-stderr "$C2C" try "${with[@]}" --ready never -- true
	[ "$stderr" = "c2c try: unbound: the server ended before it was ready: './server' exited with status 7; it said: no such port" ]
	server 'echo "$PPID" >parent; echo ready
		until [ -e begun ]; do sleep 0.02; done'
	program 'echo 1 MB/s; echo >begun
		until grep -q "^State:[[:space:]]*Z" \
			/proc/"$(cat parent)"/status; do
			sleep 0.1
		done'
	run -1 --separate-stderr "$C2C" try "${with[@]}" --ready ready -- \
		./program
	[[ $stderr == *"'./server' ended while './program' ran" ]]
}

@test "a server is asked to end, and has time to" {
	server 'trap "echo end >>ends; exit" TERM; echo ready
		while :; do sleep 0.02; done'
	run -1 --separate-stderr "$C2C" try "${with[@]}" --ready ready -- false
	[ "$(cat ends)" = end ]
}

@test "with one CPU there is nothing to try" {
	run -77 --separate-stderr taskset -c "$a" "$C2C" try -- true
	[[ $stderr == *"there is no placement to try" ]]
}

# slow: a run is ended after three seconds.
@test "a placement that reaches the limit is left out for that" {
	program 'echo x >>runs
		[ "$(nproc)" -gt 1 ] || exec sleep 1000
		[ "$(wc -l <runs)" -gt 3 ] || sleep 0.3
		echo 100 MB/s'
	"$C2C" try "${all[@]}" "${by[@]}" --limit 3 -- ./program >out
	tr '\n' ' ' <out >line
	grep -qF "Placement one CPU (1 CPU) is left out: it does not end within --limit, 3 s, and unbound takes" line
	! grep -q "20 times" line || false
}
