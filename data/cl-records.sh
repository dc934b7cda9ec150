#!/bin/sh
# The records of c2c cl all in this folder, and all that comes from them.
#
#     data/cl-records.sh record NAME [OPTION...]
#     data/cl-records.sh draw
#     data/cl-records.sh table
#
# record measures this machine into NAME-cl-all.json, and keeps what c2c printed
# in NAME-cl-all.txt; C2C is the c2c to run. draw makes the pictures of all
# records. table prints the table of bench/README.md. Needs gnuplot and jq to
# draw.
set -eu
cd "$(dirname "$0")"
c2c=${C2C:-c2c}

usage()
{
	sed -n '/^#     /s/^#     /usage: /p' cl-records.sh >&2
	exit 2
}

record()
{
	name=$1
	shift
	# What is rejected or fails is in the record, and in the status.
	status=0
	"$c2c" cl all -o "$name-cl-all.json" "$@" >"$name-cl-all.txt" ||
		status=$?
	return "$status"
}

draw()
{
	for json in *-cl-all.json; do
		for group in suite memory; do
			# Not every record has both.
			"$c2c" plot -q --group $group "$json" \
				-o "${json%-all.json}-$group.pdf" ||
				printf '%s: no page of %s\n' "$json" $group
		done
	done
	for picture in epyc-2vcpu-cl-latency h200-cl-cache \
		xeon-16vcpu-cl-rowcol xeon-16vcpu-cl-scale; do
		"$c2c" plot -q --test "${picture##*-}" \
			"${picture%-*}-all.json" -o "$picture.png"
	done
	./cl-then-and-now.sh cl-then-and-now.png ./*-cl-all.json
	./cl-references.sh gpu-benches.png gpu-benches.csv what \
		h200-cl-all.json
	for name in chips-and-cheese traverse; do
		./cl-references.sh $name.png $name.csv device ./*-cl-all.json
	done
}

# The main figure of each test, what bounds it, and its share of that: three
# columns for each record. A summary's columns begin where those of its first
# line begin.
table()
{
	awk '
	FNR == 1 {
		name = FILENAME
		sub(/-cl-all.txt/, "", name)
		head = head " | " name " | bound | share"
		line = line "---|---|---|"
	}
	/main figure/ {
		figure = index($0, "main figure")
		share = index($0, "  share") + length("  share")
		next
	}
	/^$/ { figure = 0 }
	figure {
		main = substr($0, figure, share - figure - 6)
		part = substr($0, share - 6, 6)
		gsub(/  +/, " ", main)
		gsub(/^ +| +$/, "", main)
		gsub(/ /, "", part)
		bound = "-"
		# From shares that are rounded, two digits.
		if (part + 0 >= 10 && match(main, / [0-9.]+ [^ ]+$/)) {
			split(substr(main, RSTART + 1), words, " ")
			bound = sprintf("%.2g", words[1] * 100 / part)
			bound = sprintf("%d %s", bound, words[2])
		}
		if (!($1 in cells))
			tests[++n] = $1
		cells[$1] = cells[$1] " | " main " | " bound " | " part
	}
	END {
		print "| test" head " |"
		print "|---|" line
		for (i = 1; i <= n; i++)
			print "| `" tests[i] "`" cells[tests[i]] " |"
	}' h200-cl-all.txt xeon-16vcpu-cl-all.txt epyc-2vcpu-cl-all.txt
}

case ${1-} in
record)
	[ $# -ge 2 ] || usage
	shift
	record "$@"
	;;
draw | table)
	[ $# -eq 1 ] || usage
	"$1"
	;;
*)
	usage
	;;
esac
