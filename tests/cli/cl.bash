# Helpers for the tests of c2c cl. Their bats files load this after helpers.bash.
# shellcheck shell=bash disable=SC2034,SC2154

# Runs of c2c cl, and compiled kernels, are kept here for all cases; in a full
# check for those of other builds too.
kernels=${C2C_TEST_KERNELS:-${builddir:-.}/kernels}
large_heap=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=134217728
large_heap+=:glibc.malloc.trim_threshold=1073741824

# What one program left serves no other. Of compiled kernels, none is of older
# sources, since their machine code is looked at.
setup_file()
{
	runs=$kernels/runs/$(cat "$C2C" "$srcdir"/tests/cli/*.[ch] |
		sha256sum | cut -c -32)
	code=$kernels/code/$(find "$srcdir/src/cl" -type f | LC_ALL=C sort |
		xargs cat | sha256sum | cut -c -32)
	compiled=$code/any
	export runs code compiled
	mkdir -p "$runs" "$compiled"
}

setup()
{
	enter_folder
	unset "${!POCL_@}" "${!OCL_ICD_@}"
	# PoCL reads a library of 10 MB when a process compiles its first kernel:
	# for that, the heap grows at once, in huge pages.
	export GLIBC_TUNABLES=$large_heap
	# Nothing is late, so no point is left out; two runs are never wide.
	small=(--quick --repeat 2 --discard 0 --budget 3600)
}

teardown()
{
	end_jobs
	settle
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

# A device that is the CPU. All are in $runs/devices.json.
need_device()
{
	need_opencl
	# Threads that it did not see start, and code that it did not compile.
	[[ ${MODE:-plain} != *tsan* ]] ||
		skip "ThreadSanitizer knows nothing of compiled kernels"
	if [ ! -e "$runs/devices.json" ]; then
		once list --json
		mv out "$runs/devices.$$"
		mv "$runs/devices.$$" "$runs/devices.json"
		rm err
	fi
	grep -q '"type": "cpu"' "$runs/devices.json" ||
		skip "no OpenCL device is a CPU"
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

# measure_cl [NAME=VALUE]... ARGUMENT...: c2c cl with these. Where other programs
# run too, a ceiling may come out too low, so that a figure is rejected, a gap,
# and the status 1: that is no failure of the test.
measure_cl()
{
	local status=0 set=("POCL_CACHE_DIR=${POCL_CACHE_DIR-$compiled}")
	# Where clang looks for ld.
	set+=("COMPILER_PATH=$srcdir/tests/cli/linker")
	while [[ $1 == [A-Z]*=* ]]; do
		set+=("$1")
		shift
	done
	env "${set[@]}" "$C2C" cl "$@" 2>rejected || status=$?
	cat rejected >&2
	[ ! -s a.json ] || must_be_valid a.json
	if [ "$status" -eq 1 ] && only_above_ceilings "$@"; then
		status=0
	fi
	rm rejected
	return "$status"
}

# only_above_ceilings ARGUMENT...: what ./rejected says is that, and with -v or
# all where each test is: then the record tells that all were done.
only_above_ceilings()
{
	local above='no result: .* natively$'
	grep -qE "$above" rejected || return
	if [[ " $* " =~ " "(-v|all)" " ]]; then
		! grep 'no result: ' rejected | grep -qvE "$above" &&
			jq -e 'all(.run.tests[]; .status == "done")' a.json \
				>/dev/null
	else
		! grep -v 'warning: ' rejected | grep -qvE "$above"
	fi
}

# once [NAME=VALUE]... ARGUMENT...: what measure_cl leaves with these: ./out,
# ./err and, if it is one of them, ./a.json. It runs for the first case that
# asks, and is kept for all others. What failed is not kept.
once()
{
	local folder
	folder=$runs/$(printf '%s\n' "$@" | sha256sum | cut -c -32)
	mkdir -p "$folder"
	(
		flock 9
		cd "$folder" || exit
		[ -e arguments ] || {
			rm -f a.json
			measure_cl "$@" >out 2>err 9>&- && nothing_else &&
				printf '%s\n' "$@" >arguments
		}
	) 9>"$folder/lock" || {
		cat "$folder/err"
		return 1
	}
	rm -f a.json
	cp "$folder"/{out,err} .
	[ ! -e "$folder/a.json" ] || cp "$folder/a.json" .
}

# Whether a run of once() left no other file behind.
nothing_else()
{
	find . "$TMPDIR" -type f | grep -vxE './(a.json|err|lock|out)' |
		grep -vF /tsan.rodata. || return 0
	return 1
}

# fixture TEST: once, what a quick run of this test leaves, with the least
# options that make all of its curves and kernels.
fixture()
{
	local options=("${small[@]}") limit=()
	case $1 in
	rowcol | cache) options+=(--size 1M) ;;
	stream) options+=(--size 8M) ;;
	formats) options+=(--size 32M) ;;
	svm) options+=(--sizes 3K:1M) ;;
	image) options=(--repeat 2 --discard 0 --budget 0) ;;
	# Half of the usual memory, which takes half of the time.
	roofline) limit=(POCL_MEMORY_LIMIT=1) ;;
	esac
	once "${limit[@]}" "$1" "${options[@]}" -v -o a.json
}

# for_any_group: kernels are compiled once, and not for each size of a group as a
# user's are.
for_any_group()
{
	export POCL_WORK_GROUP_SPECIALIZATION=0
}

# library NAME: that source of tests/cli as a shared library, whose path is
# $library; made once.
library()
{
	command -v "${CC%% *}" >/dev/null || skip "no C compiler"
	library=$runs/lib$1.so
	(
		flock 9
		[ -e "$library" ] || {
			${CC:-cc} -std=gnu11 -D_GNU_SOURCE -shared -fPIC \
				-o "$library.new" "$srcdir/tests/cli/$1.c" \
				-lOpenCL 9>&- && mv "$library.new" "$library"
		}
	) 9>"$library.lock"
}

# no_implementation: none of OpenCL, so that a test ends where it would begin, with
# status 77.
no_implementation()
{
	mkdir vendors
	export OCL_ICD_VENDORS=$PWD/vendors/
}

# fake: an implementation with a platform and a device; see fake_icd.c.
fake()
{
	library fake_icd
	no_implementation
	echo "$library" >vendors/fake.icd
}

# child_of PID TEST: the process of that test, in $child, once it is there.
child_of()
{
	local i
	for ((i = 0; i < 1200; i++)); do
		child=$(pgrep -P "$1" -f -- "--child=$2 ") && return
		sleep 0.05
	done
	return 1
}

# all_of PID: that process and all below it.
all_of()
{
	local below
	echo "$1"
	for below in $(pgrep -P "$1"); do
		all_of "$below"
	done
}

# Whether no figure in ./a.json was rejected. Of a gap there is nothing to say.
is_whole()
{
	need_jq
	jq -e '[.run.tests[] | .rejected // empty] == []' a.json >/dev/null
}

# documented FILE...: c2c-record.5 has each key of what c2c cl adds to a record.
documented()
{
	need_jq
	# Options have the names of options, and caches name keys of their own.
	jq -r 'del(.machine, .tool, .topology, .options) | .. | objects |
			keys[] | select(test("^L[12]$") | not)' "$@" |
		LC_ALL=C sort -u >keys
	sed -n 's/^.*Cm //p' "$srcdir/man/c2c-record.5" | tr -s ' .,' '\n' |
		LC_ALL=C sort -u | LC_ALL=C comm -23 keys - >missing
	[ -s keys ]
	[ ! -s missing ] || {
		echo "c2c-record.5 lacks these keys of $*:"
		cat missing
		return 1
	}
	rm keys missing
}
