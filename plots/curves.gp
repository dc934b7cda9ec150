# Draws the curves of a .dat of c2c in one panel. Copy this script and change it.
#
#     gnuplot -c curves.gp sweep.dat sweep.png
#
# The picture's name ends in .png, .svg or .pdf. It has the curves with the units
# of the first; c2c plot has a panel for each. Needs gnuplot 5.4 or later.

first = 1         # which curves of the file
last = 12
width = 18        # of the picture, in cm
height = 11
letters = 10      # in points
title = ""        # "": the file
xrange = "[*:*]"  # *: of the values
yrange = "[0:*]"
log = "x2"        # x2: doublings along x; xy: powers along both; "": none
colours = "#0072B2 #D55E00 #009E73 #CC79A7 #444444 #E69F00 #56B4E9"

kind = ARGC == 2 ? ARG2[strlen(ARG2) - 2:] : ""
if (kind eq "png") { set terminal pngcairo noenhanced size 80 * width, 80 * height font "sans-serif,".letters fontscale 2.1 linewidth 2 } else {
if (kind eq "svg") { set terminal svg noenhanced size 28.3 * width, 28.3 * height font "sans-serif,".letters background rgb "white" } else {
if (kind eq "pdf") { set terminal pdfcairo noenhanced size width * 1cm, height * 1cm font "sans-serif,".letters fontscale 0.75 } else {
	print "usage: gnuplot -c curves.gp IN.dat OUT.{png,svg,pdf}"
	exit status 2
}}}

# A line "# curve: PANEL NAME X-NAME X-UNIT Y-UNIT STATISTIC" is before x, median,
# low, high, ceiling and fit. Here is where these lines are, and what they say.
array block[1000]
array line[1000]
n = 0
set datafile commentschars ""
set table $ignored
plot ARG1 using (strcol(2) eq "curve:" && n < 1000 ? (n = n + 1, block[n] = int(column(-2)), line[n] = int(column(0))) : 0, 0) with table
if (n < first) {
	print ARG1.": the file has no such curve"
	exit status 1
}
last = n < last ? n : last
array names[last]
set datafile separator "\n"
do for [i = first:last] {
	plot ARG1 index block[i] every ::line[i]::line[i] using (names[i] = strcol(1), 0) with table
}
unset table
set datafile separator whitespace
set datafile commentschars "#"
from(s, k) = k == 0 ? s : from(s[strstrt(s, " ") + 1:], k - 1)
upto(s, k) = k < 2 ? word(s, 1) : word(s, 1)." ".upto(from(s, 1), k - 1)
name(i) = upto(from(names[i], 2), words(names[i]) - 5)
unit(i, back) = word(names[i], words(names[i]) - back)
alike(i) = unit(i, 1) eq unit(first, 1) && unit(i, 2) eq unit(first, 2)
colour(i) = word(colours, (i - first) % words(colours) + 1)

set encoding utf8
set title title eq "" ? ARG1 : title
set ylabel "[".unit(first, 1)."]"
if (unit(first, 2) eq "B") { set format x "%.0b %BB" } else { set xlabel unit(first, 2) eq "-" ? "" : "[".unit(first, 2)."]" }
set border 3 linecolor rgb "#888888"
set tics nomirror textcolor rgb "#444444"
set grid ytics linecolor rgb "#DDDDDD"
set key outside below left Left reverse samplen 2 font "sans-serif,".int(0.8 * letters)
if (log eq "x2") { set logscale x 2 } else { if (log ne "") { set logscale @log } }
set xrange @xrange
set yrange @yrange
set output ARG2
plot for [i = first:last] ARG1 index block[i] using 1:(alike(i) ? $3 : NaN):4 with filledcurves fillcolor rgb colour(i) fillstyle transparent solid 0.16 noborder notitle, \
	for [i = first:last] '' index block[i] using 1:(alike(i) ? $6 : NaN) with lines dashtype 2 linecolor rgb colour(i) notitle, \
	for [i = first:last] '' index block[i] using 1:(alike(i) ? $2 : NaN) with linespoints pointtype 7 pointsize 0.5 linewidth 1.5 linecolor rgb colour(i) title alike(i) ? name(i) : ""
set output
