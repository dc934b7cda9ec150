#!/bin/sh
# Makes the records of c2c cl all in this folder, their pictures and their table.
#
#     data/cl-records.sh record NAME [OPTION...]
#     data/cl-records.sh draw
#     data/cl-records.sh table
#
# "record" measures this machine, and writes NAME-cl-all.json and the output of
# c2c in NAME-cl-all.txt. "draw" makes the pictures of all records, and needs
# gnuplot and jq. "table" prints the table of bench/README.md. The variable C2C
# names the program.
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
	# If a figure is rejected or a test fails, c2c still writes the record.
	# Return the status at the end.
	status=0
	"$c2c" cl all -o "$name-cl-all.json" "$@" >"$name-cl-all.txt" ||
		status=$?
	return "$status"
}

draw()
{
	for json in *-cl-all.json; do
		for group in suite memory; do
			# Some records have only one of these groups.
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

# Print three columns for each record: the main figure of each test, its bound,
# and its share of the bound. The head line of a summary shows where the columns
# of the summary begin.
table()
{
	awk '
	FNR == 1 {
		records++
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
		# Shares are rounded, so the bound has two digits.
		if (part + 0 >= 10 && match(main, / [0-9.]+ [^ ]+$/)) {
			split(substr(main, RSTART + 1), words, " ")
			bound = sprintf("%.2g", words[1] * 100 / part)
			bound = sprintf("%d %s", bound, words[2])
		}
		if (!($1 in known)) {
			known[$1] = 1
			tests[++n] = $1
		}
		cells[$1, records] = " | " main " | " bound " | " part
	}
	END {
		print "| test" head " |"
		print "|---|" line
		for (i = 1; i <= n; i++) {
			row = "| `" tests[i] "`"
			for (k = 1; k <= records; k++)
				row = row ((tests[i], k) in cells ? \
					cells[tests[i], k] : " | - | - | -")
			print row " |"
		}
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
