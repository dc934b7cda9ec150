# Shell helpers for the tests in this folder, which source it: each case is
# one report() or skip(), and finish() prints the plan.
# shellcheck shell=sh

tap_count=0

# report NAME FINDINGS: the case passes when there are no findings; they are
# shown otherwise, a line each.
report()
{
	tap_count=$((tap_count + 1))
	if [ -z "$2" ]; then
		echo "ok $tap_count - $1"
	else
		echo "not ok $tap_count - $1"
		printf '%s\n' "$2" | sed 's/^/# /'
	fi
}

# skip NAME REASON
skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

finish()
{
	echo "1..$tap_count"
}
