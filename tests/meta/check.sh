#!/bin/sh
# The harness itself: what must not pass does not pass.
set -u
: "${srcdir:?}"
unset SKIPS
# shellcheck source=tests/meta/tap.sh
. "$srcdir/tests/meta/tap.sh"

scratch=$(mktemp -d) || exit 99
trap 'rm -r "$scratch"' EXIT
mkdir "$scratch/tests"
cd "$scratch" || exit 99

# try NAME LINE...: run such a shell script as a test for at most $seconds; its
# TAP is in ./tap.
seconds=60
try()
{
	name=$1
	shift
	printf '%s\n' "$@" >"tests/$name.sh"
	builddir=$scratch C2C_TEST_SECONDS=$seconds sh "$srcdir/tests/run" \
		"tests/$name.sh" >tap
	echo "exit status $?" >>tap
}

# tallied LINE...: what tests/tally says of a log of these lines.
tallied()
{
	printf '%s\n' "$@" >a.log
	{
		sed -n -E 's/^([A-Z]+): .*/:test-result: \1/p' a.log
		echo ":copy-in-global-log: no"
	} >a.trs
	sh "$srcdir/tests/tally" a.trs
	echo "exit status $?"
}

# lacks FILE LINE...: the lines that are not in the file.
lacks()
{
	file=$1
	shift
	for line; do
		grep -qxF -- "$line" "$file" || {
			echo "no line '$line' in:"
			cat "$file"
		}
	done
}

try passes 'echo "ok 1 - a"' 'echo 1..1'
report "a test that passes ends with 0" \
	"$(lacks tap "ok 1 - a" "exit status 0")"
try fails 'echo "not ok 1 - a"' 'echo 1..1' 'exit 1'
report "a failed case is one, and no error of the program" \
	"$(lacks tap "not ok 1 - a" "exit status 0")"
try ends 'echo "ok 1 - a"' 'kill -SEGV $$'
report "a test that crashes does not pass" \
	"$(grep -x 'exit status 0' tap)"
seconds=1
try hangs 'sleep 100'
seconds=60
report "a test that hangs is ended, and does not pass" \
	"$(lacks tap "Bail out! no end after 1 s" "exit status 124")"
try reads 'cat' 'tty >/dev/null && echo "not ok 1" || echo "ok 1"' 'echo 1..1'
report "a test has no input and no terminal" \
	"$(lacks tap "ok 1" "exit status 0")"
try mute 'echo "ok 1 # SKIP a"' 'echo 1..1'
report "a skip without a reason is a failure" \
	"$(lacks tap "not ok 1 - a: skipped without a reason")"

tallied "PASS: a 1" "SKIP: a 2 # SKIP this machine has one CPU" >said
report "a skip that tests/skips lists passes" \
	"$(lacks said "1 passed, 0 failed, 1 skipped" "exit status 0")"
tallied "PASS: a 1" "SKIP: a 2 # SKIP gnuplot is not installed" >said
report "any other skip is a failure, and is named" "$(lacks said \
	"1 passed, 1 failed, 0 skipped" "exit status 1" \
	"FAILED: a 2 # SKIP gnuplot is not installed, which tests/skips does not allow")"
tallied "PASS: a 1" "not ok 2 b" "FAIL: a 2 b" "# why" "# took 3 ms: a: b" \
	"ok 3 c" "PASS: a 3 c" "# of another" >said
report "a failed case is shown with what it said" \
	"$(lacks said "FAILED: a 2 b" "  # why" "     0.0  a: b" \
		"2 passed, 1 failed, 0 skipped" "exit status 1"
	grep 'of another' said)"
sh "$srcdir/tests/tally" absent.trs >said
report "a test that left no result is a failure" "$(lacks said \
	"FAILED: absent did not run to its end" "0 passed, 1 failed, 0 skipped")"
: >b.log
: >b.trs
sh "$srcdir/tests/tally" a.trs b.trs >said
report "a test whose result is cut off is a failure" "$(lacks said \
	"FAILED: b did not run to its end")"
sh "$srcdir/tests/tally" >said
report "no test at all is a failure" \
	"$(lacks said "0 passed, 1 failed, 0 skipped")"

finish
