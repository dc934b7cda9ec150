# Helpers for the tests of c2c cl. Their bats files load this after helpers.bash.
# shellcheck shell=bash disable=SC2034,SC2154

setup()
{
	enter_folder
	unset "${!POCL_@}" "${!OCL_ICD_@}"
	# Nothing is late, so no point is left out; two runs are never wide.
	small=(--quick --repeat 2 --discard 0 --budget 3600)
}

teardown()
{
	end_jobs
}

# says PATTERN: a finding in ./out, whose lines break between words, matches.
says()
{
	tr -s '\n ' ' ' <out >words
	grep -qE -- "$1" words || {
		echo "not said: $1"
		cat out
		return 1
	}
	rm words
}

# A device that is the CPU.
need_device()
{
	need_opencl
	# Threads that it did not see start, and code that it did not compile.
	[[ ${MODE:-plain} != *tsan* ]] ||
		skip "ThreadSanitizer knows nothing of compiled kernels"
	run "$C2C" cl list
	[ "$status" -eq 0 ] || skip "no OpenCL device: $output"
	[[ $output == *" cpu"* ]] || skip "no OpenCL device is a CPU"
}

# A test whose kernels come near to what the CPUs do natively.
need_ceiling()
{
	need_device
	is_ceiling ||
		skip "a $MODE build is no ceiling for kernels without"
}

# Whether this build's native loops are as fast as they can be. Where they are
# not, most figures are rejected.
is_ceiling()
{
	[[ ${MODE:-plain} != *san* ]]
}

# Kernels that were compiled for one case serve all others; in a full check those
# of other builds too.
kernels=${C2C_TEST_KERNELS:-${builddir:-.}/check.running/kernels}

# measure_cl ARGUMENT...: c2c cl with these. Where other programs run too, a
# ceiling may come out too low, so that a figure is rejected, a gap, and the
# status 1: that is no failure of the test.
measure_cl()
{
	local status=0
	POCL_CACHE_DIR=${POCL_CACHE_DIR-$kernels} "$C2C" cl "$@" \
		2>rejected || status=$?
	cat rejected >&2
	[ ! -s a.json ] || must_be_valid a.json
	if [ "$status" -eq 1 ] && only_above_ceilings "$@"; then
		status=0
	fi
	rm rejected
	return "$status"
}

# only_above_ceilings ARGUMENT...: what ./rejected says is that, and with -v
# where each test is: then the record tells that all were done.
only_above_ceilings()
{
	local above='no result: .* natively$'
	grep -qE "$above" rejected || return
	if [[ " $* " == *" -v "* ]]; then
		! grep 'no result: ' rejected | grep -qvE "$above" &&
			jq -e 'all(.run.tests[]; .status == "done")' a.json \
				>/dev/null
	else
		! grep -qvE "$above" rejected
	fi
}

# Whether no figure in ./a.json was rejected. Of a gap there is nothing to say.
is_whole()
{
	need_jq
	jq -e '[.run.tests[] | .rejected // empty] == []' a.json >/dev/null
}

# documented FILE: c2c-cl.1 has each key of the record, but for those of objects
# that c2c-latency.1 has.
documented()
{
	local key
	need_jq
	jq -r 'del(.machine, .tool, .topology) | .. | objects | keys[]' "$1" |
		LC_ALL=C sort -u | while read -r key; do
		grep -qE "Cm (.*[ .])?$key([ .]|$)" "$srcdir/man/c2c-cl.1" ||
			echo "$1: the page lacks the key $key"
	done >missing
	[ "$(wc -l <missing)" -eq 0 ] || {
		cat missing
		return 1
	}
	rm missing
}
