#!/bin/bash
# Is the total rate of c2c numa --scaling the sum of loops on all CPUs?
# In the build folder, after make bench:
#
#     ../bench/numa-total.sh [TURNS [CPUS [SECONDS]]]
#
# Each of TURNS turns (default 20) runs c2c and the loops in random order, on
# CPUS (default: all). c2c runs numa --scaling. The loops are a copy of
# bench/reads on each CPU, under taskset. c2c reads 1 GiB in all, and so do the
# loops. For each of 500 intervals of 2 ms, the script adds the rates of the
# copies. It leaves out intervals in which a CPU also ran another program. It
# prints the median and the mean of these sums beside the rate of c2c. The loops
# begin after SECONDS (default 4), when all arrays are ready. At the end, the
# script prints the medians of the ratios, each with its 95 % interval.
set -eu -o pipefail
shopt -s inherit_errexit

turns=${1:-20} seconds=${3:-4} slices=500
list=${2:-$(taskset -c -p $$ | sed 's/.*: //')}
cpus=$(echo "$list" | tr , '\n' | while IFS=- read -r first last; do
	seq "$first" "${last:-$first}"
done)
n=$(echo "$cpus" | wc -l)
mib=$((1024 / n))
[ "$turns" -ge 6 ] || {
	echo "an interval needs 6 turns or more" >&2
	exit 1
}
[ -x bench/reads ] || {
	echo "there is no bench/reads: run make bench" >&2
	exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Print the rate of all CPUs, which is the last row of the table.
run_c2c()
{
	./c2c numa -q --scaling --size 1G --budget 2 --cpus "$list" |
		awk '/^ *[0-9]+ +[0-9.]+$/ { rate = $2 } END { print rate }'
}

# Print the median and the mean of the sums.
run_loops()
{
	begin=$(date -d "+$seconds seconds" +%s.%N)
	for cpu in $cpus; do
		taskset -c "$cpu" bench/reads "$mib" "$begin" "$slices" \
			>"$folder/$cpu" &
	done
	for job in $(jobs -p); do
		wait "$job"
	done
	for cpu in $cpus; do
		cat "$folder/$cpu"
	done | awk -v slices="$slices" '
		{ sum[(NR - 1) % slices] += $1 }
		$1 == "-" { disturbed[(NR - 1) % slices] = 1 }
		END { for (i in sum) if (!disturbed[i]) print sum[i] }' |
		sort -n | awk '
		{ rate[NR] = $1; all += $1 }
		END {
			if (!NR) exit 1
			median = rate[int((NR + 1) / 2)] + rate[int(NR / 2) + 1]
			printf "%.2f %.2f\n", median / 2, all / NR
		}'
}

# Print the median of column $1 and its interval, by the binomial distribution.
judge() # COLUMN WHAT
{
	cut -d ' ' -f "$1" "$folder/ratios" | sort -n | awk -v what="$2" '
	{ ratio[NR] = $1 }
	END {
		term = 0.5 ^ NR
		for (k = 0; (below += term) <= 0.025; k++)
			term *= (NR - k) / (k + 1)
		printf "c2c / %s: %.3f (%.3f, %.3f)\n", what,
			(ratio[int((NR + 1) / 2)] + ratio[int(NR / 2) + 1]) / 2,
			ratio[k], ratio[NR + 1 - k]
	}'
}

echo "$n CPUs, GiB/s: c2c, median and mean of the loops"
for ((turn = 0; turn < turns; turn++)); do
	if ((RANDOM % 2)); then
		c2c=$(run_c2c)
		loops=$(run_loops)
	else
		loops=$(run_loops)
		c2c=$(run_c2c)
	fi
	echo "$c2c $loops"
	echo "$c2c $loops" | awk '{ print $1 / $2, $1 / $3 }' >>"$folder/ratios"
done
judge 1 median
judge 2 mean
