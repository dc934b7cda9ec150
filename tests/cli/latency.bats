# c2c latency as a user types it. C2C comes from tests/run.
# shellcheck shell=bash
#
# Of numbers only what physics and order guarantee is asserted.

setup() {
	: "${C2C:?}"
	unset NO_COLOR COLUMNS LINES C2C_CLOCK
	export TMPDIR=$BATS_TEST_TMPDIR/tmp
	mkdir "$TMPDIR" "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || return
	short=(--passes 6:6)
}

need_two_cpus() {
	[ "$(nproc)" -ge 2 ] || skip "this machine has one CPU"
}

# The first two CPUs that this process may use.
pair() {
	"$C2C" info --json | tr -d ' \n' |
		sed 's/.*"allowed":\[\([0-9]*\),\([0-9]*\).*/\1,\2/'
}

no_files_but() {
	diff <(printf '%s' "${*/%/$'\n'}" | tr -d ' ' | LC_ALL=C sort) \
		<(find . -mindepth 1 -printf '%P\n' | LC_ALL=C sort)
}

# refused STATUS WORD... : that exit status, each word in the message, nothing
# on standard output, no file.
refused() {
	local want=$1
	shift
	# shellcheck disable=SC2154
	[ "$status" -eq "$want" ] || {
		echo "status $status, not $want: $output $stderr"
		return 1
	}
	[ -z "$output" ]
	for word; do
		# shellcheck disable=SC2154
		[[ $stderr == *"$word"* ]] || {
			echo "no '$word' in: $stderr"
			return 1
		}
	done
}

# get FILE KEY: the first scalar of that name.
get() {
	sed -n "s/^ *\"$2\": *\(.*[^,]\),*\$/\1/p" "$1" | head -n 1
}

# keys INDENT: the keys at that depth below the top, in one line.
keys() {
	sed -n "s/^  $1\"\([a-z_0-9]*\)\":.*/\1/p" | tr '\n' ' '
}

# cell DAT STATISTIC ROW COLUMN, counted from 1.
cell() {
	awk -v want="$2" -v row="$3" -v column="$4" '
	/^# matrix: / { inside = $4 == want; at = 0; next }
	inside && /^[0-9]/ { if (++at == row) print $(column + 1) }' "$1"
}

bats_require_minimum_version 1.5.0

@test "a default run fills every matrix of every format" {
	need_two_cpus
	run --separate-stderr "$C2C" latency "${short[@]}" -o a.json -o a.dat -o a.csv
	[ "$status" -eq 0 ]
	[[ $output == *minimum*maximum* ]]
	[[ $output == *"95 % intervals within"* ]]
	no_files_but a.csv a.dat a.json
	[ "$(get a.json format)" = '"c2c-result"' ]
	[ "$(get a.json complete)" = true ]
	for statistic in median min p10 p90 ci_low ci_high passes; do
		grep -q "^# matrix: latency $statistic " a.dat
	done
	[ "$(cell a.dat passes 1 2)" = 6 ]
	awk -v a="$(cell a.dat min 1 2)" -v b="$(cell a.dat p10 1 2)" \
		-v c="$(cell a.dat median 1 2)" -v d="$(cell a.dat p90 1 2)" \
		-v e="$(cell a.dat ci_low 1 2)" -v f="$(cell a.dat ci_high 1 2)" \
		'BEGIN { exit !(0 < a && a <= b && b <= c && c <= d &&
			e <= c && c <= f) }'
	[ "$(cell a.dat median 1 2)" = "$(cell a.dat median 2 1)" ]
	[ "$(cell a.dat median 1 1)" = nan ]
}

@test "the JSON has the keys of the format, in its order" {
	need_two_cpus
	"$C2C" latency "${short[@]}" --json >a.json
	[ "$(keys '' <a.json)" = "format version command started elapsed_s complete tool machine options run cpus matrices topology " ]
	[ "$(sed -n '/^  "machine"/,/^  }/p' a.json | keys '  ')" = "hostname cpu_model arch kernel hypervisor microcode governor smt boost clock packages numa_nodes llcs cores cpus_online huge_pages warnings " ]
	[ "$(sed -n '/^  "options"/,/^  }/p' a.json | keys '  ')" = "pairs pair cpus cores passes_min passes_max precision_pct budget_s jobs idle seed method round_trips samples warm_up home lines relax round_trip " ]
	"$C2C" plot --term a.json >/dev/null
}

@test "options are recorded with their effective values" {
	need_two_cpus
	"$C2C" latency --passes 7:7 --precision 5 --budget 3 --jobs max \
		--idle park --seed 42 --round-trips 20 --samples 3 --lines 8 \
		--home interleave --relax pause -o a.json -o a.dat
	[ "$(get a.json seed)" = 42 ]
	[ "$(get a.json idle)" = '"park"' ]
	[ "$(get a.json round_trips)" = 20 ]
	[ "$(get a.json samples)" = 3 ]
	[ "$(get a.json home)" = '"interleave"' ]
	[ "$(get a.json relax)" = '"pause"' ]
	[ "$(get a.json passes_max)" = 7 ]
	[ "$(cell a.dat passes 1 2)" = 7 ]
}

@test "every method, way to wait and number of jobs measures" {
	need_two_cpus
	for method in line cas two-line; do
		"$C2C" latency "${short[@]}" --method "$method" -o "$method.dat"
		awk -v a="$(cell "$method.dat" median 1 2)" 'BEGIN { exit !(a > 0) }'
	done
	for jobs in 1 max auto 2; do
		"$C2C" latency "${short[@]}" --jobs "$jobs" >/dev/null
	done
	for idle in park spin auto; do
		"$C2C" latency "${short[@]}" --idle "$idle" >/dev/null
	done
	for home in first second node:0 interleave; do
		"$C2C" latency "${short[@]}" --home "$home" >/dev/null
	done
	C2C_CLOCK=clock "$C2C" latency "${short[@]}" -o clock.json
	[ "$(get clock.json source)" = '"clock_monotonic_raw"' ]
}

@test "one-way reports both directions, or why it cannot" {
	need_two_cpus
	run --separate-stderr "$C2C" latency "${short[@]}" --method one-way -o a.dat
	if [ "$status" -eq 0 ]; then
		grep '^# matrix: latency median ns one-way lower' a.dat >matrix
		run ! grep -w symmetric matrix
	else
		refused 77 "counter"
	fi
	C2C_CLOCK=clock run --separate-stderr "$C2C" latency --method one-way
	refused 77 "counter" "clock_monotonic_raw"
}

@test "round trips are said to be round trips" {
	need_two_cpus
	"$C2C" latency "${short[@]}" --round-trip -o a.dat
	grep -q '^# matrix: latency median ns round-trip ' a.dat
}

@test "CPUs and pairs: order is kept, only what was asked for is measured" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	"$C2C" latency "${short[@]}" --cpus "$b,$a" -o a.dat
	grep -q "^# cpus: \[$b, $a\]" a.dat
	"$C2C" latency "${short[@]}" --pair "$b,$a" -o b.dat
	grep -q "^# cpus: \[$b, $a\]" b.dat
	"$C2C" latency "${short[@]}" --from "$b" -o c.dat
	[ "$(cell c.dat passes 1 2)" = 6 ]
	"$C2C" latency "${short[@]}" --cpus core:0-1 -o d.dat
}

@test "wrong CPUs are named, with those there are" {
	need_two_cpus
	for list in 1048575 0-1048575 '' ',' 0,,1 x 1-0 core:99999 nonsense:0 99999999999; do
		run --separate-stderr "$C2C" latency --cpus "$list" -o a.json
		refused 2 --cpus
	done
	run --separate-stderr "$C2C" latency --cpus 1048575
	refused 2 "CPU 1048575" "online"
	for pair in 0,0 0 0,1048575 '' a,b '0,'; do
		run --separate-stderr "$C2C" latency --pair "$pair"
		refused 2 --pair
	done
	run --separate-stderr "$C2C" latency --from 1048575
	refused 2 --from
	run --separate-stderr "$C2C" latency --pair 0,1 --from 0
	refused 2 --pair --from
	run --separate-stderr "$C2C" latency --pair 0,1 --cpus 0,1
	refused 2 --pair --cpus
	no_files_but
}

@test "a CPU outside the affinity is refused and the allowed ones are told" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	run --separate-stderr taskset -c "$a" "$C2C" latency --cpus "$a,$b"
	[ "$status" -eq 77 ] || refused 2 "CPU $b"
}

@test "one usable CPU is status 77 with the reason" {
	IFS=, read -r a _ <<<"$(pair)"
	run --separate-stderr taskset -c "${a:-0}" "$C2C" latency -o a.json
	refused 77 "one CPU"
	no_files_but
}

@test "zero and absurd numbers are refused by option" {
	local bad=(0 -1 x '' 1e99 99999999999999999999 ' 1')
	for option in --round-trips --samples --lines --jobs --passes; do
		for value in "${bad[@]}"; do
			run --separate-stderr "$C2C" latency "$option=$value" -o a.json
			refused 2 "$option"
		done
	done
	for value in 0 -1 x '' nan inf 101; do
		run --separate-stderr "$C2C" latency "--precision=$value"
		refused 2 --precision
	done
	for value in -1 x '' nan inf 1e30; do
		run --separate-stderr "$C2C" latency "--budget=$value"
		refused 2 --budget
	done
	for value in -1 x '' 9007199254740992; do
		run --separate-stderr "$C2C" latency "--seed=$value"
		refused 2 --seed
	done
	for value in 5:2 5: :5 5:6:7; do
		run --separate-stderr "$C2C" latency "--passes=$value"
		refused 2 --passes
	done
	run --separate-stderr "$C2C" latency --round-trips 1000000 --samples 10000
	refused 2 --round-trips --samples
	no_files_but
}

@test "unknown words are refused with those there are" {
	run --separate-stderr "$C2C" latency --method telepathy
	refused 2 --method line cas two-line one-way
	run --separate-stderr "$C2C" latency --idle sleep
	refused 2 --idle park spin auto
	run --separate-stderr "$C2C" latency --relax nap
	refused 2 --relax none pause
	for home in away node: node:x; do
		run --separate-stderr "$C2C" latency --home "$home"
		refused 2 --home
	done
	need_two_cpus
	run --separate-stderr "$C2C" latency --home node:9999
	refused 2 --home 9999
	run --separate-stderr "$C2C" latency --method one-way --round-trip
	refused 2 --round-trip
	run --separate-stderr "$C2C" latency --no-such-option
	refused 2 no-such-option
	run --separate-stderr "$C2C" latency stray
	refused 2 stray
}

@test "outputs: unknown kinds, one name twice, missing folders" {
	for file in a.txt a '' .json/; do
		run --separate-stderr "$C2C" latency -o "$file"
		refused 2 -o || refused 1 -o
	done
	run --separate-stderr "$C2C" latency -o a.json -o a.json
	refused 2 -o twice
	run --separate-stderr "$C2C" latency -o a.json -o ./a.json
	refused 2 -o twice
	ln -s a.json b.json
	echo old >a.json
	run --separate-stderr "$C2C" latency -o a.json -o b.json
	refused 2 -o twice
	[ "$(cat a.json)" = old ]
	run --separate-stderr "$C2C" latency -o missing/a.json
	refused 1 -o missing
	run --separate-stderr "$C2C" latency -o /dev/null/a.json
	refused 1 -o
	no_files_but a.json b.json
}

@test "a full disk: the old file stays, the record is rescued" {
	need_two_cpus
	mkdir full
	mount -t tmpfs -o size=4k none full 2>/dev/null ||
		skip "mounting a tmpfs is not permitted here"
	echo old >full/a.json
	run --separate-stderr "$C2C" latency "${short[@]}" -o full/a.json
	kept=$(cat full/a.json)
	left=$(ls -A full)
	umount full
	[ "$status" -eq 1 ]
	[[ $output == *minimum* ]]
	[[ $stderr == *full/a.json* ]]
	[ "$kept" = old ]
	[ "$left" = a.json ]
	[[ $stderr == *"$TMPDIR"/c2c-latency-* ]]
	[ "$(get "$TMPDIR"/c2c-latency-*.json complete)" = true ]
}

@test "a full standard output fails, and the file is there all the same" {
	need_two_cpus
	[ -w /dev/full ] || skip "there is no /dev/full"
	run --separate-stderr sh -c "'$C2C' latency --passes 6:6 -o a.json >/dev/full"
	[ "$status" -eq 1 ]
	[[ $stderr == *"standard output"* ]]
	[ "$(get a.json complete)" = true ]
}

# measure_on ARG...: a run in the background that only ends when told to, and
# has its first passes behind it. Sets pid. bash makes background jobs ignore
# SIGINT: put that back.
measure_on() {
	env --default-signal=INT "$C2C" latency --passes 100000:100000 \
		--budget 60 "$@" >out 2>err 3>&- &
	pid=$!
	until [ "$(find "/proc/$pid/task" -mindepth 1 -maxdepth 1 | wc -l)" -ge 3 ]; do
		sleep 0.1
	done
	sleep 1
}

# end_of_run: sets status to that of the run.
end_of_run() {
	status=0
	wait "$pid" || status=$?
}

@test "an interrupt keeps the whole matrix and says that it is not complete" {
	need_two_cpus
	for signal in INT TERM HUP; do
		measure_on -o a.json -o a.dat
		kill "-$signal" "$pid"
		end_of_run
		[ "$status" -eq 130 ]
		[ "$(get a.json complete)" = false ]
		awk -v a="$(cell a.dat median 1 2)" 'BEGIN { exit !(a > 0) }'
		grep -q minimum out
		no_files_but a.dat a.json err out
		rm -f a.dat a.json err out
	done
}

@test "an interrupt before the first value leaves the old file" {
	need_two_cpus
	echo old >a.json
	measure_on --samples 100 --round-trips 1000000 -o a.json
	kill -TERM "$pid"
	end_of_run
	[ "$status" -eq 130 ]
	[ "$(cat a.json)" = old ]
	grep -q "nothing was written" err
	no_files_but a.json err out
}

@test "kill -9 in mid-run leaves nothing, and the old file whole" {
	need_two_cpus
	echo old >a.json
	measure_on -o a.json
	kill -KILL "$pid"
	end_of_run
	[ "$status" -eq 137 ]
	[ "$(cat a.json)" = old ]
	no_files_but a.json err out
}

@test "a stopped process goes on after SIGCONT" {
	need_two_cpus
	measure_on -o a.json
	kill -STOP "$pid"
	sleep 3
	kill -CONT "$pid"
	sleep 0.5
	kill -TERM "$pid"
	end_of_run
	[ "$status" -eq 130 ]
	run ! grep -q "does not answer" err
	grep -q minimum out
}

@test "a CPU that is taken away ends the run with what it has" {
	need_two_cpus
	IFS=, read -r a b <<<"$(pair)"
	measure_on --cpus "$a,$b" -o a.json
	taskset -a -p -c "$a" "$pid" >/dev/null
	end_of_run
	cat err
	[ "$status" -eq 1 ]
	[ "$(get a.json complete)" = false ]
	grep -q "CPU $b was moved to CPU $a" err
	grep -q minimum out
}

@test "an unprivileged user can measure" {
	need_two_cpus
	[ "$(id -u)" -eq 0 ] || skip "needs root, to become somebody else"
	chmod 755 "$BATS_TEST_TMPDIR" .
	cp "$C2C" ./c2c
	setpriv --reuid 65534 --regid 65534 --clear-groups true 2>/dev/null ||
		skip "setpriv is not permitted here"
	run --separate-stderr setpriv --reuid 65534 --regid 65534 \
		--clear-groups ./c2c latency "${short[@]}"
	[ "$status" -eq 0 ] || [[ $stderr == *ermission* ]]
	[[ $output == *minimum* ]]
}

@test "no colour reaches a pipe, none of a bare environment breaks it" {
	need_two_cpus
	run --separate-stderr env -i "$C2C" latency "${short[@]}"
	[ "$status" -eq 0 ]
	[[ $output != *$'\033'* ]]
	run --separate-stderr "$C2C" latency "${short[@]}" --quiet
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	run --separate-stderr "$C2C" latency "${short[@]}" --verbose
	[[ $stderr == *seed* ]]
}

@test "what c2c info warns of is warned of beside the figures" {
	need_two_cpus
	"$C2C" info | grep -q "What would disturb" ||
		skip "nothing would disturb a measurement here"
	run --separate-stderr "$C2C" latency "${short[@]}"
	[[ $stderr == *"'c2c info' says what that does"* ]]
}
