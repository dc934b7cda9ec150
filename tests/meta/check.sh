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
for release in 12 13; do
	printf 'ID=debian\nVERSION_ID="%s"\n' $release >os
	OS_RELEASE=$PWD/os tallied "SKIP: a 1 # SKIP oclgrind is not installed" \
		>said.$release
done
report "a skip for a release passes there only" "$(
	lacks said.12 "0 passed, 1 failed, 0 skipped"
	lacks said.13 "0 passed, 0 failed, 1 skipped")"
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

# ThreadSanitizer and bats: a bats that says what it was told.
cat >bats <<'END'
#!/bin/sh
[ "$1" != --version ] || exec cat version
echo "ok 1 $*"
echo 1..1
END
chmod +x bats
printf '%s\n' '# bats test_tags=threads' '@test "a" {' >tests/tagged.bats
echo '@test "a" {' >tests/plain.bats
told() # MODE FILE
{
	BATS=./bats MODE=$1 builddir=$scratch sh "$srcdir/tests/run" "tests/$2.bats"
}
echo 'Bats 1.8.2' >version
report "ThreadSanitizer sees the cases that are tagged, or all of a file" "$(
	told tsan tagged >said
	lacks said "ok 1 --tap --timing --filter-tags threads tests/tagged.bats"
	told tsan plain >said
	lacks said "ok 1 --tap --timing tests/plain.bats"
	told plain tagged >said
	lacks said "ok 1 --tap --timing tests/tagged.bats")"
echo 'Bats 1.7.0' >version
told tsan tagged >said
report "a bats without tags runs all cases" \
	"$(lacks said "ok 1 --tap --timing tests/tagged.bats")"

# Slow cases: one says why, and so does one of the files.
mkdir -p "$scratch/source/tests"
ln -s "$srcdir/tests/tally" "$srcdir/tests/skips" "$scratch/source/tests/"
printf '%s\n' '# slow: all of it is needed.' 'setup()' '# slow: it waits for' \
	'# a timer.' '@test "says" {' '# a comment' '@test "does not" {' >d.bats
printf '%s\n' '/* c */' '#include <a.h>' '/* slow: no */' \
	'static void says(void **state)' '' 'static void does_not(void **state)' >d.c
mv d.bats d.c "$scratch/source/"
{
	printf '# took %d ms: %s\n' 999000000 d.bats 999000000 'd.bats: says' \
		999000000 'd.bats: does not' 999000000 'd.bats: elsewhere' \
		999000000 d.c \
		999000000 'd.c: says' 999000000 'd.c: does_not' \
		40000 e.c 5000 'd.c: fast'
} >d.log
printf ':test-result: PASS\n:copy-in-global-log: no\n' >d.trs
sh "$scratch/source/tests/tally" d.trs >said
report "what is slow and does not say why is told, and is no failure" "$(
	for name in 'd.bats: does not' d.c 'd.c: does_not'; do
		lacks said "SLOW: $name took 999000.0 s, and no comment beside it says why"
	done
	[ "$(grep -c ^SLOW said)" -eq 3 ] || cat said
	lacks said "1 passed, 0 failed, 0 skipped")"
report "of a file that has times of its cases, these are told" "$(
	grep -xE ' *[0-9.]+  d\.(c|bats)' said
	lacks said "999000.0  d.c: says" "    40.0  e.c")"

finish
