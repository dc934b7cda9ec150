#!/usr/bin/env bats
# c2c watch as a user types it, on CPUs that are made up and move when told.
#
# bats and helpers.bash set what seems unset (SC2154), and use what seems unused
# (SC2034); a case is one subshell (SC2030, SC2031).
# shellcheck shell=bash disable=SC2030,SC2031,SC2034,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	command=watch
}

teardown()
{
	end_jobs
	[ ! -S tmux ] || tmux -S tmux kill-server 2>/dev/null || true
	! mountpoint -q full || umount full
}

# As make_up, but in real time; see tests/made_up.
pretend()
{
	make_up
	export C2C_MADE_UP=real_time=1
}

# until_true COMMAND...: within five minutes.
until_true()
{
	for ((i = 0; i < 3000; i++)); do
		! "$@" || return 0
		sleep 0.1
	done
	echo "never: $*"
	return 1
}

@test "a watch ends when its time is over, with a record, a log and metrics" {
	make_up
	"$C2C" watch --for 20s --seed=7 --log log --textfile m.prom \
		-o a.json >out 2>err
	must_be_valid a.json
	jq -e .complete a.json
	[[ $(cat out) == *"8 CPUs for 20.0 s: 72 bursts, 72 passes, 0 events; c2c used 3.09 % of the CPUs' time (limit 5 %)" ]]
	[ "$(jq -r .event log | tr '\n' ' ')" = "start end " ]
	jq -e '.run.watch.bursts > 0 and .options.duty_pct == 5' a.json
	# Lines are comments or NAME[{LABEL="VALUE"}] NUMBER.
	run ! grep -vE '^(# (HELP|TYPE) c2c_watch_[a-z_]+ .+|c2c_watch_[a-z_]+(\{cpu="[0-9]+"\})? ([-+0-9.e]+|NaN))$' m.prom
	[ "$(sed -n 's/^\(c2c_[a-z_]*\).*/\1/p' m.prom | sort -u)" = \
		"$(sed -n 's/^# TYPE \([^ ]*\).*/\1/p' m.prom | sort -u)" ]
	# The manual explains every key and every metric.
	for word in $(head -n 1 log | jq -r 'keys[]') \
		$(sed -n 's/^# TYPE c2c_watch_\([^ ]*\).*/\1/p' m.prom); do
		sed -n '/^\.Ss The log/,/^\.Sh EXIT/p' "$srcdir/man/c2c-watch.1" |
			grep -qE "^\.It .*\<$word\>" || {
			echo "no $word in c2c-watch(1)"
			return 1
		}
	done
}

@test "events go to standard output if the log is -" {
	make_up
	"$C2C" watch --for 1 --log - -q >out
	[ "$(jq -r .event out | tr '\n' ' ')" = "start end " ]
	head -n 1 out >line.json
	must_be_valid line.json
	# Nothing else, where there were passes enough for a report.
	"$C2C" watch --for 20s --log - -o a.json >out
	[ "$(jq '.run.passes' a.json)" -ge 6 ]
	jq -e .event out >/dev/null
	[ "$(jq -r .event out | wc -l)" -eq "$(wc -l <out)" ]
}

@test "an event is told when CPUs move, and none when nothing moves" {
	make_up
	local run=("$C2C" watch --no-screen --for 24s --seed=7 -o a.json)
	# Siblings change partners: 0 and 1, 2 and 3 become 0 and 3, 1 and 2.
	C2C_MADE_UP="then=adcbefgh then_s=12" "${run[@]}" --log log \
		--textfile m.prom >out 2>err
	jq -c '[.event, .cpus[0], .text]' log >events
	diff events - <<-'END'
	["start",null,"c2c watches 8 CPUs and may use 5 % of their time"]
	["moved",0,"CPUs 0 and 1 no longer share a core; CPUs 0 and 3 now share a core"]
	["moved",2,"CPUs 2 and 3 no longer share a core; CPUs 2 and 1 now share a core"]
	["end",null,"2 events in 24 s; c2c used 3.04 % of the CPUs' time"]
	END
	jq -e '.complete and .run.watch.events == 2' a.json
	grep -qx 'c2c_watch_events_total 2' m.prom
	"${run[@]}" --log still >out 2>err
	[ "$(jq -r .event still | tr '\n' ' ')" = "start end " ]
	# What it says that it used is all of its CPU time: a visit takes two
	# CPUs a millisecond; the trials of the start have 456 beside those of
	# the passes.
	grep -q ' used 3.04 % of the CPUs' out
	jq -e '.run.watch.duty_pct / 100 * 8 * 24 / 0.002 | round ==
		($all[0].run.passes * 28 + 456)' --slurpfile all a.json a.json
}

@test "a full disk is told once for each file, and the watch goes on to its record" {
	make_up
	[ -w /dev/full ] || skip "there is no /dev/full"
	for option in --log --textfile; do
		run --separate-stderr "$C2C" watch --for 2s \
			"$option" /dev/full -o a.json
		[ "$status" -eq 1 ]
		[ "$(grep -c 'No space left' <<<"$stderr")" -eq 1 ]
		[[ $stderr == *"$option: "*"'/dev/full'"* ]]
		must_be_valid a.json
		jq -e '.complete and .run.watch.bursts > 0' a.json
	done
}

# Begin a watch whose files are on a full disk, in the folder full.
watch_full()
{
	mount_full 4096
	echo old | tee full/m.prom >full/a.json
	head -c 8M /dev/zero >full/fill 2>/dev/null || true
	start_command watch --no-screen --log full/log \
		--textfile full/m.prom -o full/a.json
	until_true grep -q -- "--log: .*No space" err
	until_true grep -q -- "--textfile: .*No space" err
	[ "$(cat full/m.prom)" = old ]
}

@test "a full disk leaves the old metrics, and the record is rescued" {
	pretend
	watch_full
	kill -TERM "$pid"
	finish
	[ "$status" -eq 1 ]
	[ "$(cat full/m.prom full/a.json)" = $'old\nold' ]
	[ "$(ls -A full)" = $'a.json\nfill\nlog\nm.prom' ]
	grep -q "saved as $TMPDIR/c2c-watch-.*json" err
	jq -e '.complete == false' "$TMPDIR"/c2c-watch-*.json
}

@test "a watch writes again when the disk has room" {
	pretend
	watch_full
	rm full/fill
	until_true grep -q c2c_watch_bursts_total full/m.prom
	kill -TERM "$pid"
	finish
	# The start is lost.
	[ "$status" -eq 1 ]
	grep . full/log >lines
	[ "$(jq -r .event lines)" = end ]
	must_be_valid full/a.json
	jq -e '.complete == false' full/a.json
	[ "$(ls -A full)" = $'a.json\nlog\nm.prom' ]
	[ "$(grep -c 'No space' err)" -eq 2 ]
}

# screen: what the terminal of tmux shows.
screen()
{
	tmux -S tmux capture-pane -p -t c2c
}

shows()
{
	screen | grep -qF -- "$1"
}

# ended STATUS: c2c has left the screen.
ended()
{
	screen | grep -qx "status $1"
}

start_screen() # COLUMNS ROWS ARGUMENT...
{
	local columns=$1 rows=$2
	shift 2
	tmux -S tmux -f /dev/null new-session -d -s c2c -x "$columns" \
		-y "$rows" sh
	tmux -S tmux send-keys -t c2c "stty -a >before; $C2C watch $* 2>err; \
echo status \$?; stty -a >after" Enter
}

@test "the screen shows the matrix, obeys its keys, and leaves the terminal" {
	pretend
	start_screen 100 30
	until_true shows 'q quit'
	shows '8 CPUs by number'
	shows 'duty'
	tmux -S tmux send-keys -t c2c o
	until_true shows 'by topology'
	tmux -S tmux send-keys -t c2c o
	until_true shows 'by groups'
	shows '? help'
	for key in '?' h; do
		tmux -S tmux send-keys -t c2c "$key"
		until_true shows 'this help'
		tmux -S tmux send-keys -t c2c "$key"
		until_true shows 'lower is better'
	done
	tmux -S tmux send-keys -t c2c ' '
	until_true shows FROZEN
	tmux -S tmux send-keys -t c2c s
	until_true shows 'saved: c2c-watch-'
	[ -f "$(screen | sed -n 's/^saved: //p')" ]
	# The record of the end has another name.
	rm c2c-watch-*
	tmux -S tmux resize-window -t c2c -x 20 -y 5
	until_true shows 'enlarge'
	tmux -S tmux resize-window -t c2c -x 60 -y 12
	until_true shows 'Each cell shows the nearest of 4 by 4.'
	tmux -S tmux send-keys -t c2c q
	until_true shows 'status 0'
	[ "$(screen | sed -n 's/^saved: //p')" = "$(echo c2c-watch-*.json)" ]
	until_true test -s after
	diff <(sed 's/rows.*columns [0-9]*//' before) \
		<(sed 's/rows.*columns [0-9]*//' after)
}

# bats test_tags=threads
@test "an interrupt leaves the terminal as it was, and a record" {
	need_jq
	pretend
	start_screen 80 24
	until_true shows 'q quit'
	tmux -S tmux send-keys -t c2c C-c
	until_true shows 'status 130'
	until_true test -s after
	diff before after
	jq -e '.complete == false' c2c-watch-*.json
}

@test "a full disk leaves the terminal as it was, and is told behind the screen" {
	mount_full 64
	head -c 1M /dev/zero >full/fill 2>/dev/null || true
	pretend
	start_screen 80 24 --log full/log --textfile full/m.prom -o full/a.json
	until_true shows "cannot write 'full/log'"
	tmux -S tmux send-keys -t c2c C-c
	until_true ended 1
	until_true test -s after
	diff before after
	cat err
	grep -q "warning: --log: .*No space" err
	grep -q "warning: --textfile: .*No space" err
	grep -q "c2c watch: -o: .*No space" err
}

terminal()
{
	tmux -S tmux display-message -p -t c2c '#{alternate_on} #{cursor_flag}'
}

# Whether c2c ended in order or not: the shell may write ./after, too, and this
# alone writes ./behind.
terminal_is_as_before()
{
	tmux -S tmux send-keys -t c2c 'stty -a >now; mv now behind' Enter
	until_true test -s behind
	diff before behind
}

is_left()
{
	[ "$(terminal)" = '0 1' ]
}

# bats test_tags=threads
@test "a second interrupt while a burst is stuck ends at once, with the terminal as it was" {
	need_two_cpus
	local a b
	IFS=, read -r a b <<<"$(pair)"
	for _ in 1 2 3; do
		start_screen 80 24 --cpus "$a,$b"
		until_true shows 'q quit'
		[ "$(terminal)" = '1 0' ]
		pid=$(pgrep -P "$(tmux -S tmux display-message -p -t c2c \
			'#{pane_pid}')")
		freeze "$b"
		tmux -S tmux send-keys -t c2c C-c
		sleep 0.6
		tmux -S tmux send-keys -t c2c C-c
		gone "$pid"
		until_true is_left
		terminal_is_as_before
		# Where the second came late, it has ended in order and left a
		# record.
		[ -n "$(find . -name 'c2c-watch-*')" ] || break
		tmux -S tmux kill-server
		rm -f after before behind err c2c-watch-*
	done
	rm -f after
	no_files_but before behind err tmux
}

@test "SIGQUIT leaves the terminal as it was" {
	need_two_cpus
	start_screen 80 24 --cpus "$(pair)"
	until_true shows 'q quit'
	tmux -S tmux send-keys -t c2c "C-\\"
	until_true is_left
	terminal_is_as_before
}

@test "a terminal that becomes very wide is followed within bounds" {
	pretend
	cat >resize <<-'END'
	seen()
	{
		until grep -q "$1" typescript; do
			kill -0 $$ || exit
			sleep 0.05
		done
	}
	(
		seen 'q quit'
		stty rows 65535 columns 65535
		seen '\[512;1H'
		stty rows 5 columns 20
		seen enlarge
		kill -INT $$
	) </dev/tty >/dev/null 2>&1 &
	exec "$C2C" watch --for 100s 2>err
	END
	run env --default-signal=INT script -qefc 'sh resize' typescript </dev/null
	cat err
	[ "$status" -eq 130 ]
}

# bats test_tags=threads
@test "a watch may be interrupted at any visit" {
	pretend
	# The first pass comes after some 600 visits that try the loops.
	for visit in 1 $(seq 500 15 740); do
		C2C_MADE_UP=end=$visit run -130 "$C2C" watch --no-screen -o a.json
	done
}

@test "without a terminal that has a screen nothing is measured" {
	pretend
	for term in dumb ''; do
		run -77 script -qec "env TERM=$term '$C2C' watch --for 1s --log log" \
			/dev/null </dev/null
		[[ $output == *"no screen on this terminal (TERM is '$term'): use --no-screen"* ]]
		[ ! -s log ]
		[ -z "$(find . -name 'c2c-watch-*')" ]
	done
}

@test "the screen has the colours that the terminal announces, and no others" {
	pretend
	local setting
	for setting in TERM=xterm-256color TERM=xterm \
		'NO_COLOR=1 TERM=xterm-256color'; do
		script -qec "stty rows 40 columns 100; env $setting '$C2C' watch --for 1s" \
			typescript </dev/null >/dev/null
		grep -q 'passes' typescript
		grep -aoE $'\033\\[[0-9;]*[34][0-8][0-9;]*m' typescript >colours || true
		case $setting in
		TERM=xterm-256color) grep -q '48;5;' colours ;;
		TERM=xterm)
			[ -s colours ]
			run -1 grep -q '8;[25];' colours
			;;
		*) [ ! -s colours ] ;;
		esac
	done
}
