#!/bin/sh
# Plant faults in a copy of c2c, one at a time, and see which test finds each.
# Usage, in a build folder: run.sh [--all] [FAULT...]
#        anywhere:          run.sh --check
#
# A fault is a file NAME.fault beside this one:
#
#   # what is wrong, in one sentence
#   file src/engine/schedule.c
#   tests tests/unit/test_schedule.c tests/cases/latency
#   build asan
#    a line that is there before and after
#   -a line that the fault takes away
#   +a line that it puts there
#
# The lines of the file must be in a row, as they are, and exactly once: who
# moves code moves its faults. `tests` names files and groups of cases, those
# first that should see the fault. `build` names the sanitizer that it takes to
# see it (asan, tsan); without that line the build has none.
#
# Each test must pass without a fault first. Then each fault is planted, and
# its tests run in turn until one fails. --all runs the whole check on faults
# that no test of theirs found. Copy and builds stay in faults/, so that another
# run compiles only what changed. --check only asks whether all can be planted.
#
# Prints a row for each fault; fails unless all were found.
set -u
here=$(dirname "$0")
source=$(cd "$here/../.." && pwd) || exit 99
plant=$source/tests/faults/plant.awk

check()
{
	for name in $(sed -n 's/^tests //p' "$source"/tests/faults/*.fault |
		tr ' ' '\n' | LC_ALL=C sort -u); do
		[ -e "$source/$name" ] || echo "there is no test $name"
	done
	awk -v srcdir="$source" -f "$plant" "$source"/tests/faults/*.fault
}

if [ "${1-}" = --check ]; then
	findings=$(check)
	[ -z "$findings" ] && exit 0
	printf '%s\n' "$findings"
	exit 1
fi

all=
if [ "${1-}" = --all ]; then
	all=yes
	shift
fi
work=$PWD/faults
copy=$work/c2c
log=$work/log

fail()
{
	echo "$*" >&2
	exit 99
}

# Make the copy as the sources are now. What was planted is newer than these.
refresh()
{
	mkdir -p "$copy" || exit 99
	if [ -f "$work/planted" ]; then
		cp "$source/$(cat "$work/planted")" \
			"$copy/$(cat "$work/planted")" || exit 99
		rm "$work/planted"
	fi
	(cd "$source" && git ls-files -z --cached --others --exclude-standard |
		xargs -0 cp -pu --parents -t "$copy") ||
		fail "the sources cannot be copied into $copy"
	[ -f "$copy/configure" ] || (cd "$copy" && autoreconf -i) >"$log" 2>&1 ||
		fail "autoreconf failed: see $log"
}

# build plain|asan|tsan
build()
{
	mkdir -p "$copy/$1" && cd "$copy/$1" || exit 99
	case $1 in
	plain) set -- ;;
	asan) set -- CFLAGS='-O1 -g' --enable-asan --enable-ubsan ;;
	tsan) set -- CFLAGS='-O1 -g' --enable-tsan ;;
	*) fail "there is no build '$1'" ;;
	esac
	[ -f Makefile ] || ../configure -q "$@" >"$log" 2>&1 ||
		fail "configure failed: see $log"
	make -s -j"$(nproc)" build-tests >"$log" 2>&1
}

# run_test plain|asan|tsan TEST: what failed, or nothing.
run_test()
{
	folder=$copy/$1
	MODE=$1
	[ "$MODE" != asan ] || MODE=asan-ubsan
	name=$2
	case $name in
	tests/cases/?*) set -- tests/cases/run "${name#tests/cases/}" ;;
	*) set -- "$copy/$name" ;;
	esac
	(
		cd "$folder" || exit 99
		C2C=$folder/c2c srcdir=$copy builddir=$folder BATS=bats
		: "${CC:=cc}" "${C2C_TEST_SECONDS:=600}"
		export C2C srcdir builddir BATS MODE CC C2C_TEST_SECONDS
		sh "$copy/tests/run" "$@"
	) >"$log" 2>&1
	status=$?
	sed -n -E -e '/# SKIP/d' \
		-e 's/^not ok [0-9]+ (- )?//p; s/^Bail out! //p' "$log" |
		sed "s|^|$name: |; q" | grep . && return
	[ "$status" -eq 0 ] || echo "$name: status $status"
}

of() # FAULT KEY
{
	sed -n "s/^$2 //p" "$source/tests/faults/$1.fault"
}

row()
{
	printf '%-32s %-28s %s\n' "$1" "$2" "$3"
}

# The first failure among the tests of a fault, or among all tests.
find_fault() # FAULT BUILD
{
	for test in $(of "$1" tests); do
		found=$(run_test "$2" "$test")
		[ -z "$found" ] || break
	done
	if [ -z "$found" ] && [ -n "$all" ]; then
		found=$(cd "$copy/$2" && make -s check 2>&1 |
			sed -n -E '/# SKIP/d; s/^ *not ok [0-9]* ?(- )?/all: /p' |
			head -n 1)
	fi
	printf '%s' "$found"
}

[ "$PWD" != "$source" ] || fail "run this in a build folder"
findings=$(check)
[ -z "$findings" ] || fail "$findings"
[ $# -gt 0 ] || set -- "$source"/tests/faults/*.fault
refresh

tests=$(for fault; do
	fault=$(basename "$fault" .fault)
	kind=$(of "$fault" build)
	of "$fault" tests | tr ' ' '\n' | sed "s/^/${kind:-plain} /"
done | LC_ALL=C sort -u)
for kind in $(echo "$tests" | cut -d ' ' -f 1 | uniq); do
	(build "$kind") || fail "the sources do not build: see $log"
done
red=$(echo "$tests" | while read -r kind test; do
	run_test "$kind" "$test"
done)
[ -z "$red" ] || fail "without a fault there fails: $red"

row FAULT FILE 'FOUND BY'
n=0 missed=0
for fault; do
	fault=$(basename "$fault" .fault)
	file=$(of "$fault" file)
	kind=$(of "$fault" build)
	kind=${kind:-plain}
	echo "$file" >"$work/planted"
	awk -v srcdir="$source" -v plant=1 -f "$plant" \
		"$source/tests/faults/$fault.fault" >"$copy/$file" || exit 99
	if (build "$kind"); then
		found=$(find_fault "$fault" "$kind")
	else
		fail "$fault does not build: see $log"
	fi
	refresh
	n=$((n + 1))
	[ -n "$found" ] || missed=$((missed + 1))
	row "$fault" "$file" "${found:-nothing}"
done
echo "$n faults: $((n - missed)) found, $missed not"
[ "$missed" -eq 0 ]
