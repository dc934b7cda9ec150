# The memory of c2c compare for many hosts; its reports are cases of
# tests/cases/fleet. C2C and srcdir come from tests/run. tests/fleet makes hosts
# among which nothing is wrong.
# shellcheck shell=bash disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	need_jq
}

# slow: the long test reads 400 records of 128 CPUs.
@test "memory does not grow with the number of hosts" {
	# 400 in the long test, whose results would need 600 MB.
	local copies=2 limit=1048576
	[ -z "${C2C_TEST_LONG:-}" ] || copies=40 limit=400000
	"$srcdir/tests/fleet" . 10 128 2>/dev/null
	for ((i = 2; i <= copies; i++)); do
		for file in n00??.json; do
			ln "$file" "$i-$file"
		done
	done
	# Sanitizers want address space without bound.
	[ "${MODE:-plain}" != plain ] || ulimit -v $limit
	run --separate-stderr "$C2C" compare -q ./*n00??.json -o fleet.json \
		-o fleet.html
	[ "$status" -eq 0 ]
	[ "$(jq '.fleet.kinds[0].hosts | length' fleet.json)" -eq \
		$((10 * copies)) ]
	[ "$(jq '.fleet.kinds[0].levels[0].hosts' fleet.json)" -eq 10 ]
	[ -s fleet.html ]
}
