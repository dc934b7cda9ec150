#!/bin/sh
# In "make fuzz", not in "make check".
# libFuzzer on every target, two at a time, each for FUZZ_SECONDS. The targets
# are built before. A finding is a failed case that names the input. All machines begin with FUZZ_SEED, so that they find the same.
set -u
: "${srcdir:?}" "${builddir:?}" "${FUZZERS:?}" "${FUZZ_SECONDS:?}"
cd "$builddir/fuzz" || exit 99
# shellcheck source=tests/meta/tap.sh
. "$srcdir/tests/meta/tap.sh"

if [ ! -x probe ]; then
	skip "libFuzzer finds nothing" "it cannot be linked here: $(head -n 1 probe.log)"
	finish
	exit 0
fi

# Fuzz one target, with its output in logs/NAME. A leak, too much memory, or an
# input that takes longer than 20 seconds is a finding, like a crash.
fuzz() # tests/fuzz/fuzz_NAME
{
	name=${1##*/fuzz_}
	mkdir -p "corpus/$name" "logs/$name.inputs"
	"./$1" -seed="${FUZZ_SEED:-1}" -max_total_time="$FUZZ_SECONDS" \
		-timeout=20 -rss_limit_mb=2048 \
		-max_len=16384 -dict="$srcdir/tests/fuzz/results.dict" \
		-artifact_prefix="logs/$name.inputs/" -print_final_stats=1 \
		"corpus/$name" "$srcdir/tests/fuzz/corpus" \
		"$srcdir/tests/unit/golden" >"logs/$name" 2>&1
	echo $? >"logs/$name.status"
}

# What a log tells of a failure, and where its input is kept; nothing when all
# went well. Inputs that hwloc alone did not survive, in a process of its own
# (machine/trial.c), are no finding.
failure_of() # NAME
{
	[ "$(cat "logs/$1.status" 2>/dev/null)" != 0 ] || return 0
	echo "see $PWD/logs/$1; the input, for tests/fuzz/fuzz $1 FILE:"
	mkdir -p "found/$1"
	for input in "logs/$1.inputs"/*; do
		[ ! -f "$input" ] || cp "$input" "found/$1/"
		echo "$PWD/found/$1/${input##*/}"
	done
	grep -aE 'does not hold|ERROR|SUMMARY|runtime error|^ +#[0-9] .* in ' \
		"logs/$1" | head -n 20
}

rm -rf logs
# shellcheck disable=SC2086
set -- $FUZZERS
while [ $# -gt 0 ]; do
	fuzz "$1" &
	[ $# -lt 2 ] || fuzz "$2" &
	wait
	for fuzzer in "$1" ${2+"$2"}; do
		name=${fuzzer##*/fuzz_}
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
			"logs/$name")
		echo "# $name: ${runs:-no} inputs"
		report "$name does no harm in $FUZZ_SECONDS s" \
			"$(failure_of "$name")"
	done
	shift
	[ $# -eq 0 ] || shift
done

finish
