#!/bin/sh
# Compares the rates of kernels with the native rates of the same CPUs, over
# several runs.
#
#     bench/cl-share.sh [RUNS [OPTION...]]
#
# Measures rowcol (4 MiB), local and stride alternately, RUNS times (default 5),
# with the given options of c2c cl. The variable C2C names the program. For each
# run, the script prints a line with the shares of the native rate. At the end,
# it prints the median and the range of each column. It needs jq.
set -eu

# The columns "rows" and "turns" are the best share of rows read in vectors:
# "rows" is the median of the kernel's runs, and "turns" the median of rounds
# that alternate with the native loop. "lines" is stride 1 of 4 MiB in lines.
# "local" is stride 1 of local memory in vectors, "local-best" its best stride.
columns='rows turns lines lines-write local local-best local-write'

# shellcheck disable=SC2016 # jq expands $
shares='
def curve($family; $member): [.curves[] | select(.statistic == "median" and
	.variant == null and .member == $member and
	(.family | startswith($family)) and .ceiling)] | first;
def shares: . as $c | [range(.x.values | length) | select($c.median[.]) |
	{x: $c.x.values[.], share: (100 * $c.median[.] / $c.ceiling[.])}];
def at($x): if . then shares | map(select(.x == $x)) | first.share // null
	else null end;
def best: if . then shares | map(.share) | max else null end;
([.curves[] | select(.family == "rows in vectors, read" and
	.statistic == "median" and .variant == null and .ceiling)] |
	first | best),
([.run.tests[].findings[]? | capture("within a round (?<share>[0-9.]+) %") |
	.share | tonumber] | first),
(curve("global memory, 4 MiB, in lines"; "read") | at(1)),
(curve("global memory, 4 MiB, in lines"; "write") | at(1)),
(curve("local memory, in vectors"; "read") | at(1), best),
(curve("local memory, in vectors"; "write") | at(1))
| if . then round else "-" end'

# Read lines of numbers or "-". Print the median and the range of each column.
summarize()
{
	awk -v names="$columns" '
	{ for (i = 1; i <= NF; i++)
		if ($i != "-") all[i, ++n[i]] = $i + 0 }
	END {
		columns = split(names, name)
		for (i = 1; i <= columns; i++) {
			for (j = 2; j <= n[i]; j++)
				for (k = j; k > 1 && all[i, k] < all[i, k - 1]; k--) {
					swap = all[i, k]
					all[i, k] = all[i, k - 1]
					all[i, k - 1] = swap
				}
			half = int((n[i] + 1) / 2)
			if (n[i] == 0)
				printf "%-12s no result\n", name[i]
			else
				printf "%-12s %.0f %% (%.0f to %.0f, %d runs)\n", \
					name[i], (all[i, half] + \
					all[i, int(n[i] / 2) + 1]) / 2, \
					all[i, 1], all[i, n[i]], n[i]
		}
	}'
}

runs=${1:-5}
[ $# -eq 0 ] || shift
case $runs in
'' | *[!0-9]* | 0)
	sed -n '/^#     /s/^#     /usage: /p' "$0" >&2
	exit 2
	;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
# Other programs disturb kernels and native loops, so each line has the load
# before its run.
printf 'run load %s\n' "$columns"
run=1
while [ "$run" -le "$runs" ]; do
	load=$(cut -d ' ' -f 1 /proc/loadavg)
	for test in 'rowcol --size 4M' local stride; do
		status=0
		# The words in $test are separate arguments.
		# shellcheck disable=SC2086
		"${C2C:-c2c}" cl $test --quiet -o "$folder/${test%% *}.json" \
			"$@" >"$folder/text" || status=$?
		# With status 1, c2c rejected a figure, and its column has "-".
		[ "$status" -le 1 ] || {
			cat "$folder/text" >&2
			exit "$status"
		}
	done
	line=$(jq -s '{curves: map(.curves[]),
		run: {tests: map(.run.tests[])}}' "$folder"/*.json |
		jq -r "$shares" | tr '\n' ' ')
	printf '%s\n' "$line" >>"$folder/all"
	printf '%d %s %s\n' "$run" "$load" "$line"
	run=$((run + 1))
done
summarize <"$folder/all"
