#!/bin/sh
# Draws published figures (gpu-benches.csv, chips-and-cheese.csv, traverse.csv)
# beside the figures of records of c2c cl all.
#
#     data/cl-references.sh OUT.png FIGURES.csv device|what RECORD.json...
#
# With "device", the picture has a panel for each quantity, and a line for each
# device. With "what", it has a panel for each test and unit, and a line for each
# quantity. The last columns of the file name the panel, the curve and the x of
# c2c cl with the same meaning. Without a curve the best curve counts, and without
# an x the best point. With an x the nearest point counts, if it is at most a
# quarter away. A GB is 10^9 bytes. The script needs jq and gnuplot.
set -eu

[ $# -ge 4 ] || {
	sed -n '/^#     /s/^#     /usage: /p' "$0" >&2
	exit 2
}
out=$1 figures=$2 by=$3
shift 3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Read rows as arrays of texts. A comma within quotes belongs to the text.
jq -Rn '[inputs | [match("(\"[^\"]*\"|[^,]*)(,|$)"; "g").captures[0].string |
	ltrimstr("\"") | rtrimstr("\"")]] |
	.[0] as $names | .[1:] | map([$names, .] | transpose |
	map({(.[0]): (.[1] // "")}) | add)' "$figures" >"$folder/figures"

# Write lines "PANEL<tab>LINE<tab>VALUE<tab>0 or 1<tab>DEVICE": 0 for the file,
# then 1 for the records.
jq -r --arg by "$by" '
	.[] | select(.family != "") |
	(if $by == "device" then [.what, .device] else [.test, .what] end) as $at |
	["\($at[0]) [\(.unit)]", $at[1], .value, 0, .device] | @tsv
	' "$folder/figures" >"$folder/rows"
for record in "$@"; do
	jq -r --arg by "$by" --slurpfile figures "$folder/figures" '
	def near($x): . as $c | if $x == 0 then
		$c.x.values | index(0) | select(.) | $c.median[.] // empty else [range(.x.values | length) |
		select($c.median[.] and $c.x.values[.] >= $x * 0.8 and
			$c.x.values[.] <= $x * 1.25)] |
		sort_by($c.x.values[.] / $x | if . < 1 then 1 / . else . end)[0] //
		empty | $c.median[.] end;
	def best: [.median[] | select(.)] | max // empty;
	def in_unit($unit; $test): .y.unit as $from |
		($test.core_clock.median_ghz // 0) as $ghz |
		if $from == $unit then 1
		elif $from == "GiB/s" and $unit == "GB/s" then 1.073741824
		elif $from == "GiB/s" and $unit == "TiB/s" then 1 / 1024
		elif $from == "GiB/s" and $unit == "bytes a clock and unit" and
			$ghz > 0 then
			1.073741824 / $ghz / $test.device.compute_units
		elif $from == "ns" and $unit == "clocks" and $ghz > 0 then $ghz
		else empty end;
	. as $record | .machine.cpu_model as $cpu |
	(if .run.device // "" | contains($cpu)
		then "\($cpu | gsub("\\((R|TM)\\)"; "")), \(.cpus | length) CPUs"
		else .run.device // "several devices" end) as $device |
	[$figures[0][] | select(.family != "") | . as $row |
		($record.run.tests[] | select(.test == $row.test)) as $test |
		([$record.curves[] | select(.statistic == "median" and
			.test == $row.test and .family == $row.family and
			(.member == $row.member or $row.member == "")) |
			(if $row.x == "" then best
			else near($row.x | tonumber) end) *
			in_unit($row.unit; $test)] | max // empty) as $value |
		(if $by == "device" then [$row.what, $device]
			else [$row.test, $row.what] end) as $at |
		["\($at[0]) [\($row.unit)]", $at[1], $value, 1, $device] | @tsv] |
	unique[]' "$record" >>"$folder/rows"
done

awk -F '\t' -v by="$by" '
	{ at = by == "device" ? $1 : $1 "\t" $2 }
	NR == FNR { if ($4) has[at] = 1; next }
	at in has' "$folder/rows" "$folder/rows" >"$folder/both"

# Figures that only the file or only the records have are left out. Panels are
# one below the other, and their height depends on their number of lines. Circles
# are figures of the file, and squares are figures of records. If lines are
# quantities, each device has a colour.
awk -F '\t' -v out="$out" -v by="$by" -v name="$(basename "$figures" .csv)" '
function quoted(text) {
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}
# gnuplot centres a label on its point: blanks move the text beside the point.
function blanks(n) {
	return sprintf("%*s", 2 * n + 4, "")
}
{
	if (!($1 in lines))
		panel[++panels] = $1
	if (!(($1, $2) in place)) {
		place[$1, $2] = ++lines[$1]
		line[$1, lines[$1]] = $2
		all++
	}
	if (!(($5, $4) in looks)) {
		looks[$5, $4] = ++devices
		device[devices] = $5
		now[devices] = $4
	}
	if (!(($1, $2) in low) || $3 + 0 < low[$1, $2])
		low[$1, $2] = $3 + 0
	points[$1, $2]++
	row[NR] = $0
}
END {
	split("#E69F00 #0072B2 #D55E00 #009E73 #CC79A7 #56B4E9", colours, " ")
	pitch = 30
	gap = 110
	high = all * pitch + panels * gap + 130
	printf "set terminal pngcairo noenhanced size 1500, %d ", high
	printf "font \"sans-serif,15\" background rgb \"white\"\n"
	printf "set output %s\nset encoding utf8\nset multiplot\n", quoted(out)
	print "set border 3 linecolor rgb \"#888888\""
	print "set tics nomirror scale 0.5 textcolor rgb \"black\""
	print "set grid ytics linetype 1 linecolor rgb \"#DDDDDD\""
	print "set lmargin at screen 0.3\nset rmargin at screen 0.95"
	top = high - 110
	for (p = 1; p <= panels; p++) {
		n = lines[panel[p]]
		least = most = ""
		for (i = 1; i <= NR; i++) {
			split(row[i], at, "\t")
			if (at[1] != panel[p])
				continue
			if (least == "" || at[3] + 0 < least)
				least = at[3] + 0
			if (most == "" || at[3] + 0 > most)
				most = at[3] + 0
		}
		printf "set tmargin at screen %f\n", (top - gap / 2) / high
		printf "set bmargin at screen %f\n", \
			(top - gap / 2 - n * pitch) / high
		printf "set title %s font \"sans-serif Bold,16\"\n", \
			quoted(panel[p])
		printf "set yrange [0.4:%f]\nset ytics (", n + 0.6
		for (i = 1; i <= n; i++)
			printf "%s%s %d", (i > 1 ? ", " : ""), \
				quoted(line[panel[p], i]), n - i + 1
		print ")\nset logscale x 10"
		printf "set xrange [%g:%g]\nset xtics (", least / 1.9, most * 2.4
		marks = 0
		for (power = -3; power <= 6; power++) {
			for (i = 1; i <= 5; i += 1 + 2 * (i > 1)) {
				mark = i * 10 ^ power
				if (mark < least / 1.5 || mark > most * 2.4)
					continue
				printf "%s%g", (marks++ ? ", " : ""), mark
			}
		}
		print ")"
		printf "set key at screen 0.5, %f center top horizontal%s\n", \
			(high - 50) / high, p == 1 ? "" : "\nunset key"
		if (p == 1) {
			printf "set label 1 %s at screen 0.5, %f center ", \
				quoted("Figures of " name \
				" (circles) and of c2c cl (squares)"), \
				(high - 25) / high
			print "font \"sans-serif Bold,20\""
		}
		for (d = 1; d <= devices; d++) {
			printf "%s NaN with points pointtype %d pointsize 2 ", \
				(d > 1 ? "," : "plot"), now[d] ? 5 : 7
			look = by == "device" ? now[d] + 1 : d
			printf "linecolor rgb \"%s\" %s ", \
				colours[(look - 1) % 6 + 1], \
				by == "device" ? "notitle" : \
				"title " quoted(device[d])
			printf ", \"-\" with points pointtype %d pointsize 2 ", \
				now[d] ? 5 : 7
			printf "linecolor rgb \"%s\" notitle, \"-\" ", \
				colours[(look - 1) % 6 + 1]
			printf "with labels center notitle "
		}
		print ""
		for (d = 1; d <= devices; d++) {
			for (twice = 0; twice < 2; twice++) {
				for (i = 1; i <= NR; i++) {
					split(row[i], at, "\t")
					if (at[1] != panel[p] || \
						looks[at[5], at[4]] != d)
						continue
					text = sprintf((at[3] < 1000 ? "%.3g" : \
						"%.0f"), at[3])
					# The label of the lowest of several
					# points is at its left.
					if (points[at[1], at[2]] > 1 && \
						at[3] + 0 == low[at[1], at[2]])
						text = text blanks(length(text))
					else
						text = blanks(length(text)) text
					printf "%g %g %s\n", at[3], \
						n - place[at[1], at[2]] + 1, \
						(twice ? quoted(text) : "")
				}
				print "e"
			}
		}
		top -= n * pitch + gap
	}
	print "unset multiplot"
}' "$folder/both" >"$folder/script"
gnuplot "$folder/script" 2>"$folder/warnings" || {
	cat "$folder/warnings" >&2
	exit 1
}
