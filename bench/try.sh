#!/bin/bash
# How often c2c try names a wrong winner, and how often it finds a right one.
# In the build folder, after make bench:
#
#     ../bench/try.sh TRIALS [CPUS]
#
# The script runs TRIALS trials of a program that takes about 20 ms (bench/placed
# loop). Four placements of this program are unbound, and the fifth is one CPU.
# Then the script runs half as many trials of a program that prints a number with
# a noise of 2 %; on one CPU the number is 5 % higher. Each trial has CPUS
# separate CPUs (default 4). Trials run in parallel if there are enough CPUs. The
# script counts the trials for each status with its labels.
set -eu

trials=$1 cpus=${2:-4}
groups=$(($(nproc) / cpus))
[ "$groups" -gt 0 ] || {
	echo "there are fewer than $cpus CPUs" >&2
	exit 1
}
[ -x bench/placed ] || {
	echo "there is no bench/placed: run make bench" >&2
	exit 1
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cat >"$folder/five" <<'END'
#!/bin/sh
seed=$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')
awk -v seed="$seed" -v cpus="$(nproc)" 'BEGIN {
	srand(seed)
	noise = sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand())
	print 100 * (cpus == 1 ? 1.05 : 1) * (1 + 0.02 * noise) " MB/s"
}'
END
chmod +x "$folder/five"

# Print the status of c2c try, and the labels in a record except "same".
judge() # RECORD STATUS
{
	printf 'status %s:%s\n' "$2" "$(awk '
		/"name":/ { name = $0; gsub(/.*: "|",?$/, "", name) }
		/"answer": "(pays|costs)"/ {
			gsub(/.*: "|",?$/, "")
			printf " %s %s", name, $0
		}' "$1")"
}

unbound() # FIRST_CPU RECORD
{
	list=$1-$(($1 + cpus - 1))
	taskset -c "$list" ./c2c try -q --rounds 8 --threads "$cpus" \
		--cpus "a=$list" --cpus "b=$list" --cpus "c=$list" \
		--cpus "d=$list" -o "$2" -- bench/placed loop 10
}

five() # FIRST_CPU RECORD
{
	list=$1-$(($1 + cpus - 1))
	taskset -c "$list" ./c2c try -q --rounds 20 --threads "$cpus" \
		--metric '([0-9.]+) MB' --better higher -o "$2" -- \
		"$folder/five"
}

run() # KIND TRIALS
{
	echo "$1: $2 trials"
	for ((group = 0; group < groups; group++)); do
		for ((i = group; i < $2; i += groups)); do
			status=0
			"$1" $((group * cpus)) "$folder/$1.$i.json" \
				>/dev/null 2>&1 || status=$?
			judge "$folder/$1.$i.json" "$status"
		done >"$folder/$1.$group" &
	done
	wait
	for ((group = 0; group < groups; group++)); do
		cat "$folder/$1.$group"
	done | sort | uniq -c
}

run unbound "$trials"
run five $((trials / 2))
