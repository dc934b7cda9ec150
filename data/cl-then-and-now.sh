#!/bin/sh
# Draws the devices of the article (cl-article.csv) beside the devices of records
# of c2c cl all, with a panel for each quantity that both have.
#
#     data/cl-then-and-now.sh OUT.png RECORD.json...
#
# From a record, the script takes the best point of a curve, but for memory the
# point of stride 1. A GB is 10^9 bytes, as in the article. The script needs jq
# and gnuplot.
set -eu

[ $# -ge 2 ] || {
	sed -n '/^#     /s/^#     /usage: /p' "$0" >&2
	exit 2
}
out=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Write lines "PANEL<tab>DEVICE<tab>VALUE". If the article has two runs of one
# quantity, take the run of its suite.
{
	awk -F, -v OFS='\t' '
	function put(panel) { print panel, $1, $(NF - 2) }
	/SHOC|,device,|by its maker/ { next }
	$2 == "branch" && $3 == "1 path" { one[$1] = $4 }
	$2 == "branch" && $3 == "32 paths" {
		print "32 paths over one [times]", $1, $4 / one[$1]
	}
	/^[^,]*,math,most operations,/ { put("floats [GFLOP/s]") }
	/^[^,]*,math,mad of double,/ { put("doubles [GFLOP/s]") }
	/,bus,host to device,/ { put("host to device [GB/s]") }
	/,bus,device to host,/ { put("device to host [GB/s]") }
	/,stride,"global memory, read",/ { put("global memory, read [GB/s]") }
	/,stride,"global memory, write",/ { put("global memory, write [GB/s]") }
	/,local,"local memory, read",/ { put("local memory, read [GB/s]") }
	/,local,"local memory, write",/ { put("local memory, write [GB/s]") }
	' "$(dirname "$0")/cl-article.csv"
	jq -r '
	def curve($shows; $name): .curves[] | select(.statistic == "median"
		and "\(.test): \(.family)" == $shows
		and (.member | startswith($name)));
	def best: [.median[] | select(.)] | max // empty;
	def at($x): . as $c | .x.values | index($x) | select(.) |
		$c.median[.] // empty;
	.machine.cpu_model as $cpu |
	(if .run.device | contains($cpu)
		then "\($cpu | gsub("\\((R|TM)\\)"; "")), \(.cpus | length) CPUs"
		else .run.device end) as $device | 1.073741824 as $gb |
	[["32 paths over one [times]",
		(curve("branch: time over one path\u0027s"; "neighbours") |
			at(32))],
	(("float", "double") as $type | ["\($type)s [GFLOP/s]",
		([curve("math: \($type)"; "mad", "fma") | best] | max)]),
	["host to device [GB/s]", ([curve("bus: host to device"; "copy") |
		best] | max * $gb)],
	["device to host [GB/s]", ([curve("bus: device to host"; "copy") |
		best] | max * $gb)],
	(("read", "write") as $access |
		["global memory, \($access) [GB/s]",
			([curve("stride: global memory, 64 MiB",
				"stride: global memory, 1 GiB"; $access) |
				at(1) * $gb] | max)],
		["local memory, \($access) [GB/s]",
			(curve("local: local memory"; $access) |
				at(1) * $gb)])][] |
	[.[0], $device, .[1]] | @tsv' "$@"
} >"$folder/rows"

cat >"$folder/script" <<'END'
set encoding utf8
set datafile separator "\t"
panels = "32 paths over one [times]|floats [GFLOP/s]|doubles [GFLOP/s]|host to device [GB/s]|device to host [GB/s]|global memory, read [GB/s]|global memory, write [GB/s]|local memory, read [GB/s]|local memory, write [GB/s]|"

# List the devices in the order of the rows.
devices = "|"
n = 0
stats ARG1 using (strstrt(devices, "|".strcol(2)."|") ? 0 : \
	(devices = devices.strcol(2)."|", n = n + 1, 0)) nooutput
array device[n]
rest = devices[2:*]
do for [i = 1:n] {
	device[i] = rest[1:strstrt(rest, "|") - 1]
	rest = rest[strstrt(rest, "|") + 1:*]
}
place(name) = sum [i = 1:n] (name eq device[i] ? n - i + 1 : 0)

set terminal pngcairo noenhanced size 2200, 1500 font "sans-serif,18" background rgb "white"
set output ARG2
set multiplot layout 3, 3 title "Then (circles, by the article of Yan, Shi, Wang and Yang) and now (squares)" font "sans-serif Bold,22" margins 0.2, 0.97, 0.06, 0.9 spacing 0.04, 0.1
set border 3 linecolor rgb "#888888"
set tics nomirror scale 0.5 textcolor rgb "black"
set grid ytics linetype 1 linecolor rgb "#DDDDDD"
unset key
do for [p = 0:8] {
	panel = panels[1:strstrt(panels, "|") - 1]
	panels = panels[strstrt(panels, "|") + 1:*]
	least = NaN
	most = NaN
	set autoscale
	unset logscale
	stats ARG1 using (strcol(1) eq panel ? (x = column(3), \
		least = least < x ? least : x, most = most > x ? most : x, 0) : 0) nooutput
	from = least / 2
	set logscale x 10
	set yrange [0.3:n + 0.7]
	set xrange [from:most * (most / from) ** 0.4]
	set title panel font "sans-serif Bold,18" offset 0, -0.5
	set ytics ()
	do for [i = 1:n] { set ytics add ((p % 3 == 0 ? device[i] : "") n - i + 1) }
	# The devices of the article are the first ones. The picture has points and
	# no bars, because the length of a bar means nothing on a logarithmic axis.
	now(name) = place(name) <= n - int(ARG3)
	plot ARG1 using (strcol(1) eq panel && !now(strcol(2)) ? column(3) : NaN):(place(strcol(2))) with points pointtype 7 pointsize 2.2 linecolor rgb "#E69F00", \
		ARG1 using (strcol(1) eq panel && now(strcol(2)) ? column(3) : NaN):(place(strcol(2))) with points pointtype 5 pointsize 2.2 linecolor rgb "#0072B2", \
		ARG1 using (strcol(1) eq panel ? column(3) : NaN):(place(strcol(2))):(sprintf(column(3) < 1000 ? "  %.3g" : "  %.0f", column(3))) with labels left font "sans-serif,15"
}
unset multiplot
END
gnuplot -c "$folder/script" "$folder/rows" "$out" \
	"$(awk -F, '/,branch,1 path,/' "$(dirname "$0")/cl-article.csv" | wc -l)"
