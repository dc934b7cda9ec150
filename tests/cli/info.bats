#!/usr/bin/env bats
# c2c info as a user types it: on the real machine, and on pretended ones whose
# reports must equal the golden files in info/.

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	: "${srcdir:?}" "${C2C:?}"
	machine="$srcdir/tests/topo/machine.sh"
	golden="$srcdir/tests/cli/info"
}

# pretend NAME: c2c info will report on that machine of machine.sh.
pretend()
{
	sh "$machine" "$1" "$BATS_TEST_TMPDIR/$1"
	export HWLOC_FSROOT="$BATS_TEST_TMPDIR/$1"
}

# What differs from host to host gives way to a fixed word.
masked()
{
	sed -E -e 's/^(Machine +).*/\1HOST/' \
		-e 's/^(Clock +).*/\1CLOCK/' \
		-e 's/("(hostname|arch|kernel|source)": ")[^"]*/\1HOST/' \
		-e 's/("hz": )[0-9.e+]+/\1HZ/' \
		-e 's/("invariant": )[a-z]+/\1BOOL/' \
		-e 's/("step_ns": )[0-9.e+]+/\1NS/'
}

# compare FILE ARGUMENT...: the report is the golden file. To make the file
# anew after a change that was meant: C2C_GOLDEN=new.
compare()
{
	file=$1
	shift
	"$C2C" info "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
	if [ "${C2C_GOLDEN:-}" = new ]; then
		masked <"$BATS_TEST_TMPDIR/out" >"$golden/$file"
	fi
	diff -u "$golden/$file" <(masked <"$BATS_TEST_TMPDIR/out")
}

@test "info: every row is there, in 80 columns" {
	run --separate-stderr "$C2C" info
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for label in Machine 'CPU model' Microcode Hypervisor Memory Packages \
		'NUMA nodes' LLCs Caches 'Cache line' Cores Online Offline Isolated \
		Allowed Clock Governor Boost 'Huge pages' Load; do
		grep -q "^$label  *[^ ]" <<<"$output"
	done
	report=$output
	run ! grep '.\{81\}' <<<"$report"
}

@test "info: a hybrid machine is reported" {
	pretend hybrid
	compare hybrid.txt
}

@test "info: a restricted virtual machine is reported" {
	pretend restricted
	compare restricted.txt
}

@test "info: nodes without CPUs and CPUs without memory are reported" {
	pretend memory
	compare memory.txt
}

@test "info: what cannot be known is reported as unknown" {
	pretend bare
	compare bare.txt
}

@test "info: a topology alone can be reported, of 1280 CPUs too" {
	export HWLOC_SYNTHETIC='package:4 numa:2 l3:10 core:8 pu:2'
	compare synthetic.txt
}

# Code points that XML may hold and a terminal obeys, alone or as UTF-8.
@test "info: nothing that a topology says reaches the terminal unseen" {
	local del=$'\x7f' csi=$'\xc2\x9b'
	sed "s/<info name=\"[A-Za-z]*\" value=\"/&$del${csi}1m/" \
		"$srcdir/tests/topo/hybrid.xml" >"$BATS_TEST_TMPDIR/rude.xml"
	HWLOC_XMLFILE=$BATS_TEST_TMPDIR/rude.xml run "$C2C" info
	[ "$status" -eq 0 ]
	[[ $output == *"???1mpretended, ???1mx86_64, ???1mLinux ???1m6.1.0"* ]]
	[[ $output == *"???1mPretended Hybrid 155H"* ]]
	[[ $output == *"CoreType=???1mIntelAtom"* ]]
	[[ $output != *"$del"* && $output != *"$csi"* ]]
}

@test "info --json describes a hybrid machine" {
	pretend hybrid
	compare hybrid.json --json
}

@test "info --json describes a restricted virtual machine" {
	pretend restricted
	compare restricted.json --json
}

@test "info: taskset narrows what is allowed, and the report says why" {
	cpus=$(taskset -cp $$ | sed 's/.*: //')
	case $cpus in
	*[,-]*) ;;
	*) skip "one CPU may be used here: nothing to narrow" ;;
	esac
	first=${cpus%%[,-]*}
	run taskset -c "$first" "$C2C" info
	[ "$status" -eq 0 ]
	grep -q "^Allowed  *1: $first (.*affinity" <<<"$output"
	grep -q 'outside this process.s affinity' <<<"$output"
	grep -q 'Remedy: taskset -c' <<<"$output"
}

@test "info: the clock can be forced" {
	C2C_CLOCK=clock run "$C2C" info
	[ "$status" -eq 0 ]
	grep -q '^Clock  *clock_monotonic_raw at 1000.000 MHz' <<<"$output"
}

@test "info --quiet leaves the warnings out, --verbose names the tool" {
	pretend hybrid
	run "$C2C" info --quiet
	[ "$status" -eq 0 ]
	[[ "$output" != *Remedy* ]]
	run "$C2C" info --verbose
	[ "$status" -eq 0 ]
	grep -q '^Tool  *c2c [0-9]' <<<"$output"
	grep -q 'Remedy' <<<"$output"
}

@test "info: an argument is a usage error" {
	run --separate-stderr "$C2C" info somewhere
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" == *"unexpected argument 'somewhere'"* ]]
}

@test "info: an unknown option is a usage error" {
	run --separate-stderr "$C2C" info --jason
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ "$stderr" == *"--jason"* ]]
}

@test "info: -o - prints what -o FILE.json writes" {
	enter_folder
	"$C2C" info -o - -o a.json >printed
	cmp printed a.json
	diff <("$C2C" info --json | jq 'keys_unsorted') \
		<(jq keys_unsorted a.json)
	"$C2C" info -o b.json | grep '^CPU model'
	[ "$(jq -r .format b.json)" = c2c-info ]
	no_files_but printed a.json b.json
	run --separate-stderr "$C2C" info -o a.csv
	refused 2 "'a.csv' does not end in .json"
	run --separate-stderr "$C2C" info -o none/a.json
	refused 1 "there is no folder 'none'"
}

@test "info: a full standard output is a failure" {
	[ -c /dev/full ] || skip "there is no /dev/full"
	for option in '' --json; do
		# shellcheck disable=SC2086
		run bash -c '"$1" info $2 >/dev/full' bash "$C2C" "$option"
		[ "$status" -eq 1 ]
		[[ "$output" == *"cannot write"* ]]
	done
}

@test "info --help names its options" {
	run --separate-stderr "$C2C" info --help
	[ "$status" -eq 0 ]
	[[ "$output" == *"--json"* ]]
}
