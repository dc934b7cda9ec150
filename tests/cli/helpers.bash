# Helpers for tests of the command line. Bats files load this.
# shellcheck shell=bash disable=SC2034,SC2154

# A short run, and one that is longer than every test.
short=(--passes 6:6)
long=(--budget 100 --passes 100000:100000)

# As short, but on a busy machine it goes on until a visit was not disturbed.
patient=(--passes 6:100000 --precision 50)

# A case works in its own folder, with a TMPDIR in it.
enter_folder()
{
	: "${C2C:?}" "${srcdir:?}" "${builddir:?}"
	# bats keeps its own files in the folder above.
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	unset NO_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES C2C_CLOCK
	export TMPDIR=$PWD/tmp
	mkdir tmp
}

# No process of a case outlives it.
end_jobs()
{
	local pids
	pids=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
}

# Use the c2c whose CPUs, probes and clock are made up; see tests/made_up.
make_up()
{
	C2C=$builddir/tests/made_up/c2c
	[ -x "$C2C" ]
}

need_two_cpus()
{
	[ "$(nproc)" -ge 2 ] || skip "this machine has one CPU"
}

# The code of such a case runs in others, and sanitizers are slow.
need_no_sanitizer()
{
	[[ ${MODE:-plain} != *san* ]] ||
		skip "a sanitizer sees ${1:-the same code in other cases}"
}

need_root()
{
	[ "$(id -u)" -eq 0 ] || skip "needs root: $1"
}

need_jq()
{
	command -v jq >/dev/null || skip "jq is not installed"
}

# The first two CPUs that this process may use, as A,B.
pair()
{
	"$C2C" info --json | tr -d ' \n' |
		sed 's/.*"allowed":\[\([0-9]*\),\([0-9]*\).*/\1,\2/'
}

# as_nobody COMMAND...: in a folder where nobody can work; see let_nobody_in.
as_nobody()
{
	setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
}

# Make what a case needs reachable for others: $C2C as ./c2c.
let_nobody_in()
{
	need_root "to become somebody else"
	as_nobody true 2>/dev/null || skip "setpriv is not permitted here"
	chmod 755 "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/* "$BATS_TEST_TMPDIR" .
	as_nobody test -x . || skip "others cannot enter $PWD"
	cp "$C2C" ./c2c
}

# The folder holds these files, tmp (which is empty unless named) and no other,
# but for what ThreadSanitizer leaves when it is interrupted.
no_files_but()
{
	diff <(printf '%s\n' tmp "$@" | LC_ALL=C sort) \
		<(find . -mindepth 1 ! -name 'tsan.rodata.*' -printf '%P\n' |
			LC_ALL=C sort)
}

# refused STATUS WORD...: that exit status, each word in the message, nothing
# on standard output.
refused()
{
	local want=$1 word
	shift
	[ "$status" -eq "$want" ] || {
		echo "status $status, not $want: $output $stderr"
		return 1
	}
	[ -z "$output" ]
	for word; do
		[[ $stderr == *"$word"* ]] || {
			echo "no '$word' in: $stderr"
			return 1
		}
	done
}

# get FILE KEY: the first scalar of that name.
get()
{
	sed -n "s/^ *\"$2\": *\(.*[^,]\),*\$/\1/p" "$1" | head -n 1
}

# cell DAT STATISTIC ROW COLUMN, counted from 1.
cell()
{
	awk -v want="$2" -v row="$3" -v column="$4" '
	/^# matrix: / { inside = $4 == want; at = 0; next }
	inside && /^[0-9]/ { if (++at == row) print $(column + 1) }' "$1"
}

# valid FILE...: each is as schema/c2c.schema.json says.
valid()
{
	"$srcdir/tests/schema" "$srcdir/schema/c2c.schema.json" "$@"
}

# to_validate EXTENSION: a new file for what is validated when all cases have
# ended. A start of the validator takes a while.
to_validate()
{
	mkdir -p "$BATS_FILE_TMPDIR/sound"
	mktemp "$BATS_FILE_TMPDIR/sound/case-$BATS_TEST_NUMBER-XXXXXX.$1"
}

# must_be_valid FILE: as it is now.
must_be_valid()
{
	cp "$1" "$(to_validate json)"
}

# seen: an analysis, comparison or description that passes through is validated.
seen()
{
	tee "$(to_validate out)"
}

# As run of bats. Analyses, comparisons, events and descriptions of a machine
# that c2c printed are validated in the end, as those that are in files then. Of
# results, must_be_valid chooses: tests make some up.
declare -F bats_run >/dev/null ||
	eval "$(declare -f run | sed '1s/run/bats_run/')"
run()
{
	local result=0
	bats_run "$@" || result=$?
	# shellcheck disable=SC2154
	[[ $output != '{'*'"format": "c2c-'* ]] ||
		printf '%s\n' "$output" >"$(to_validate out)"
	return "$result"
}

teardown_file()
{
	local folder list=("$BATS_FILE_TMPDIR"/sound/*.json)
	[ -e "${list[0]}" ] || list=()
	for folder in "$BATS_FILE_TMPDIR/sound" "$BATS_RUN_TMPDIR/test"; do
		! grep -rqsE -m1 -D skip '^ *{? *"format": *"c2c-(info|analysis|comparison|event)"' \
			"$folder" || list+=("$folder")
	done
	[ ${#list[@]} -eq 0 ] || valid "${list[@]}"
}

# sound FILE true|false: a whole result, complete or not; see sound.jq.
sound()
{
	need_jq
	must_be_valid "$1"
	jq -e --argjson complete "$2" -f "$srcdir/tests/cli/sound.jq" "$1" \
		>/dev/null || {
		echo "$1 is not sound (complete: $2):"
		jq -c 'del(.topology)' "$1" | cut -c 1-4000
		return 1
	}
}

# holds FILTER: what jq makes of a.json is true.
holds()
{
	need_jq
	jq -e "$1" a.json >/dev/null || {
		echo "not so: $1"
		jq -c 'del(.topology, .machine)' a.json | cut -c 1-4000
		return 1
	}
}

# measure ARGUMENT...: a short run of $command that leaves a sound a.json.
measure()
{
	rm -f a.json
	"$C2C" "$command" "${small[@]}" "$@" -o a.json >out 2>err
	sound a.json true
}

# refuse STATUS WORD... -- ARGUMENT...: $command ends so, with those words, and
# leaves the file that was there.
refuse()
{
	local words=()
	while [ "$1" != -- ]; do
		words+=("$1")
		shift
	done
	shift
	echo old >old.json
	run --separate-stderr "$C2C" "$command" "$@" -o old.json
	refused "${words[@]}"
	[ "$(cat old.json)" = old ]
	rm old.json
}

# begin ARGUMENT...: start c2c latency in the background, output in ./out and
# ./err, its process in $pid, and wait until a few batches of visits are done. Its
# first thread sleeps once for each. (It does so often while it ends a visit that
# lasts too long: its threads must have worked, too.) Signals are as for a command
# in the foreground: a shell makes others ignore SIGINT.
begin()
{
	start_command latency --relax pause "$@"
	until_busy
	until_rose sleeps 6
}

# start_command COMMAND ARGUMENT...: as begin, but wait for nothing.
start_command()
{
	env --default-signal=INT,HUP "$C2C" "$@" >out 2>err 3>&- &
	pid=$!
}

# Wait until threads of $pid are at work, where a visit takes seconds.
until_busy()
{
	until_rose cpu_ticks 60
}

# until_rose FIGURE N: wait until $pid has threads, and until FIGURE rose by N
# from then. Where other programs run too, time says less than work that was
# done.
until_rose()
{
	local since
	for _ in {1..1200}; do
		[ "$(threads "$pid" | wc -l)" -lt 3 ] || break
		! has_ended "$pid" || return 0
		sleep 0.05
	done
	since=$("$1" "$pid")
	for _ in {1..1200}; do
		sleep 0.05
		[ "$("$1" "$pid")" -lt $((since + $2)) ] || break
		! has_ended "$pid" || return 0
	done
}

# cpu_ticks PID: its CPU time, in hundredths of a second.
cpu_ticks()
{
	awk '{ print $14 + $15 }' "/proc/$1/stat" 2>/dev/null || echo 0
}

# sleeps PID: how often its first thread has gone to sleep.
sleeps()
{
	awk '/^voluntary_ctxt_switches:/ { print $2 }' \
		"/proc/$1/task/$1/status" 2>/dev/null || echo 0
}

threads()
{
	ls "/proc/$1/task" 2>/dev/null
}

# thread_of PID CPU: the thread that is bound there.
thread_of()
{
	local task
	for task in /proc/"$1"/task/*; do
		if grep -qx "Cpus_allowed_list:[[:space:]]*$2" "$task/status"; then
			basename "$task"
			return
		fi
	done
	return 1
}

# finish: the exit status of what begin() started, in $status.
finish()
{
	status=0
	wait "$pid" || status=$?
}

# has_ended PID: at most it waits for a parent to ask how it ended.
has_ended()
{
	! grep -qs '^State:.[^ZX]' "/proc/$1/status"
}

# gone PID: it ends soon.
gone()
{
	for _ in {1..100}; do
		! has_ended "$1" || return 0
		sleep 0.05
	done
	return 1
}

# freeze CPU: stop its thread of $pid for a minute, from now on.
freeze()
{
	local freezer status=0
	"$builddir/tests/cli/freeze" "$(thread_of "$pid" "$1")" 60 \
		>frozen 3>&- &
	freezer=$!
	for _ in {1..400}; do
		[ ! -s frozen ] || break
		kill -0 "$freezer" 2>/dev/null || break
		sleep 0.05
	done
	if [ ! -s frozen ]; then
		wait "$freezer" || status=$?
		[ "$status" -ne 77 ] || skip "ptrace is not permitted here"
		return 1
	fi
	rm frozen
}

# mount_full KIBIBYTES: a small file system at full/.
mount_full()
{
	mkdir -p full
	mount -t tmpfs -o "size=${1}k" none full 2>/dev/null ||
		skip "mounting a tmpfs is not permitted here"
}

need_opencl()
{
	[[ $("$C2C" --version) == *"OpenCL loader"* ]] ||
		skip "c2c was built without OpenCL"
}
