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
	mkdir -p "$BATS_TEST_TMPDIR/work/tmp"
	cd "$BATS_TEST_TMPDIR/work" || return
	unset NO_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES C2C_CLOCK
	export TMPDIR=$PWD/tmp
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

# Such a case is slow, and hardly a line is run by it alone. Other builds run it.
need_no_coverage()
{
	[[ ${MODE:-plain} != *coverage* ]] ||
		skip "other cases run the same lines for coverage"
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
	[[ $("$C2C" info --json) =~ \"allowed\":[^0-9]*([0-9]+)[^0-9]+([0-9]+) ]]
	echo "${BASH_REMATCH[1]},${BASH_REMATCH[2]}"
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
	local path want=" tmp $* " n=0
	shopt -s dotglob globstar
	for path in **; do
		[[ ${path##*/} != tsan.rodata.* ]] || continue
		[[ $want == *" $path "* ]] || {
			echo "there is also $path"
			return 1
		}
		n=$((n + 1))
	done
	shopt -u dotglob globstar
	[ "$n" -eq $(($# + 1)) ] || {
		echo "$n files are there, not:$want"
		return 1
	}
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

# to_validate EXTENSION: $to is a new file for what is validated when all cases
# have ended. A start of the validator takes a while.
kept=0
to_validate()
{
	[ -d "$BATS_FILE_TMPDIR/sound" ] || mkdir -p "$BATS_FILE_TMPDIR/sound"
	kept=$((kept + 1))
	to=$BATS_FILE_TMPDIR/sound/case-$BATS_TEST_NUMBER-$BASHPID-$kept.$1
}

# keep FILE EXTENSION: what the file has now is validated, too. Starting cp would
# take longer than all else here.
keep()
{
	local text to
	text=$(<"$1")
	to_validate "$2"
	printf '%s\n' "$text" >"$to"
}

# must_be_valid FILE: as it is now.
must_be_valid()
{
	keep "$1" json
}

# seen: an analysis, comparison or description that passes through is validated.
seen()
{
	local to
	to_validate out
	tee "$to"
}

# As run of bats. Analyses, comparisons, events and descriptions of a machine
# that c2c printed are validated in the end, as those that are in files then. Of
# results, must_be_valid chooses: tests make some up.
declare -F bats_run >/dev/null ||
	eval "$(declare -f run | sed '1s/run/bats_run/')"
run()
{
	local result=0 to
	bats_run "$@" || result=$?
	# shellcheck disable=SC2154
	if [[ $output == '{'*'"format": "c2c-'* ]]; then
		to_validate out
		printf '%s\n' "$output" >"$to"
	fi
	return "$result"
}

# What cases left to be looked at together: jq and the validator start slowly.
teardown_file()
{
	look_together
}

look_together()
{
	local folder list=("$BATS_FILE_TMPDIR"/sound/*.json) failed=0
	[ -e "${list[0]}" ] || list=()
	for folder in "$BATS_FILE_TMPDIR/sound" "$BATS_RUN_TMPDIR/test"; do
		! grep -rqsE -m1 -D skip '^ *{? *"format": *"c2c-(info|analysis|comparison|event)"' \
			"$folder" || list+=("$folder")
	done
	[ ${#list[@]} -eq 0 ] || valid "${list[@]}" || failed=1
	all_sound true || failed=1
	all_sound false || failed=1
	settle_all || failed=1
	[ "$failed" -eq 0 ]
}

# sound FILE true|false: a whole result, complete or not; see sound.jq. That is
# looked at when all cases have ended.
sound()
{
	need_jq
	keep "$1" "$2.json"
}

# all_sound true|false: each file that sound() was given with that word is.
all_sound()
{
	local list=("$BATS_FILE_TMPDIR"/sound/*."$1.json")
	[ -e "${list[0]}" ] || return 0
	if ! jq -r --argjson complete "$1" "($(<"$srcdir/tests/cli/sound.jq")"')
		as $sound | if $sound then empty
		else "not sound, complete \($complete): \(input_filename)\n" +
			(del(.topology) | tojson[:4000]) end' \
		"${list[@]}" >"$BATS_FILE_TMPDIR/unsound" ||
		[ -s "$BATS_FILE_TMPDIR/unsound" ]; then
		cat "$BATS_FILE_TMPDIR/unsound"
		return 1
	fi
}

# holds FILTER: what jq makes of a.json is true. It is asked for a whole case at
# its end, by settle.
holds()
{
	local record text=${1//\\/\\\\}
	local asked=$BATS_FILE_TMPDIR/asked-$BATS_TEST_NUMBER
	need_jq
	record=$(<a.json)
	printf '%s\n' "$record" >>"$asked.json"
	printf 'ask((%s\n); "%s"),\n' "$1" "${text//\"/\\\"}" >>"$asked.jq"
}

# settle: all that this case said of a.json holds.
settle()
{
	settle_one "$BATS_FILE_TMPDIR/asked-$BATS_TEST_NUMBER"
}

settle_one() # WHAT WAS ASKED
{
	local program
	[ -s "$1.jq" ] || return 0
	program=$(<"$1.jq")
	: >"$1.jq"
	if ! jq -nr 'def ask(f; $text): input | if [f][-1] then empty else
		"not so: \($text)\n" +
			(del(.topology, .machine) | tojson[:4000]) end;
		'"$program empty" "$1.json" >"$1.not" || [ -s "$1.not" ]; then
		cat "$1.not"
		return 1
	fi
}

# Where a file's teardown does not settle its cases, that is done in the end.
settle_all()
{
	local asked failed=0
	for asked in "$BATS_FILE_TMPDIR"/asked-*.jq; do
		[ ! -e "$asked" ] || settle_one "${asked%.jq}" || failed=1
	done
	[ "$failed" -eq 0 ]
}

# measure ARGUMENT...: a short run of $command that leaves a sound a.json.
measure()
{
	[ ! -e a.json ] || rm a.json
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
	local old=$BATS_TEST_TMPDIR/old
	echo old >"$old.json"
	status=0
	"$C2C" "$command" "$@" -o "$old.json" >"$old.out" 2>"$old.err" ||
		status=$?
	output=$(<"$old.out")
	stderr=$(<"$old.err")
	refused "${words[@]}"
	[ "$(<"$old.json")" = old ]
}

# begin ARGUMENT...: start c2c latency in the background, output in ./out and
# ./err, its process in $pid, and wait until a few batches of visits are done. Its
# first thread sleeps once for each. (It does so often while it ends a visit that
# lasts too long: its threads must have worked, too.) Signals are as for a command
# in the foreground: a shell makes others ignore SIGINT.
begin()
{
	start_command latency --spin-hint pause "$@"
	until_busy
	until_rose sleeps 6
}

# start_command COMMAND ARGUMENT...: as begin, but wait for nothing.
start_command()
{
	# The new process may empty them late: nobody must read the old words.
	: >out
	: >err
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
		[ "$(threads "$pid")" -lt 3 ] || break
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
	local -a words=()
	read -r -a words 2>/dev/null <"/proc/$1/stat" || :
	echo $((${words[13]:-0} + ${words[14]:-0}))
}

# sleeps PID: how often its first thread has gone to sleep.
sleeps()
{
	local text=
	text=$(<"/proc/$1/task/$1/status") 2>/dev/null || :
	text=${text#*$'\n'voluntary_ctxt_switches:}
	echo $((${text%%$'\n'*}))
}

# threads PID: how many it has.
threads()
{
	local tasks=(/proc/"$1"/task/*)
	echo ${#tasks[@]}
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
