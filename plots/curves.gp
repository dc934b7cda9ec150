# Draws the curves of a .dat of c2c in one panel. Copy this script and change it.
#
#     gnuplot -c curves.gp sweep.dat sweep.png
#
# The picture's name ends in .png, .svg or .pdf. The picture has all curves with
# the units of the first curve; c2c plot draws a panel for each unit. The script
# needs gnuplot 5.4 or later.

first = 1         # number of the first curve
last = 12         # number of the last curve
width = 18        # width of the picture, in cm
height = 11       # height of the picture, in cm
letters = 10      # size of letters, in points
title = ""        # "": the name of the file
xrange = "[*:*]"  # *: limit of the values
yrange = "[0:*]"
log = "x2"        # logarithmic axes: x2: x, with base 2; xy: both; "": none
colours = "#0072B2 #D55E00 #009E73 #CC79A7 #444444 #E69F00 #56B4E9"

kind = ARGC == 2 ? ARG2[strlen(ARG2) - 2:] : ""
if (kind eq "png") { set terminal pngcairo noenhanced size 80 * width, 80 * height font "sans-serif,".letters fontscale 2.1 linewidth 2 } else {
if (kind eq "svg") { set terminal svg noenhanced size 28.3 * width, 28.3 * height font "sans-serif,".letters background rgb "white" } else {
if (kind eq "pdf") { set terminal pdfcairo noenhanced size width * 1cm, height * 1cm font "sans-serif,".letters fontscale 0.75 } else {
	print "usage: gnuplot -c curves.gp IN.dat OUT.{png,svg,pdf}"
	exit status 2
}}}

# The first line of a curve is "# curve:", PANEL, NAME, X, X-UNIT, Y, Y-UNIT and
# STATISTIC, separated by tabs. The columns of the next lines are x, median, low,
# high, ceiling and fit.
array block[1000]; array panels[1000]; array names[1000]; array units[1000]
n = 0
xname = ""; xunit = ""; yname = ""
set datafile commentschars ""
set datafile separator "\t"
set table $ignored
plot ARG1 using (strcol(1) eq "# curve:" && n < 1000 ? (n = n + 1, block[n] = int(column(-2)), panels[n] = strcol(2), names[n] = strcol(3), units[n] = strcol(5)."\t".strcol(7), n == first ? (xname = strcol(4), xunit = strcol(5), yname = strcol(6)." [".strcol(7)."]") : 0, 0) : 0, 0) with table
unset table
if (n < first) {
	print ARG1.": the file has no such curve"
	exit status 1
}
last = n < last ? n : last
set datafile separator whitespace
set datafile commentschars "#"
alike(i) = units[i] eq units[first]
one = 1
do for [i = first:last] { if (alike(i) && panels[i] ne panels[first]) { one = 0 } }
name(i) = one ? names[i] : panels[i].": ".names[i]
colour(i) = word(colours, (i - first) % words(colours) + 1)
point(i) = word("7 5 9 11 13 15", (i - first) / words(colours) % 6 + 1)
bytes(x) = x < 1024 ? sprintf("%.0f B", x) : x < 1048576 ? sprintf("%.0f KiB", x / 1024) : x < 1073741824 ? sprintf("%.0f MiB", x / 1048576) : sprintf("%.0f GiB", x / 1073741824)

set encoding utf8
set title title eq "" ? ARG1 : title
set ylabel yname
set xlabel xunit eq "B" || xunit eq "-" ? xname : xname." [".xunit."]"
set border 3 linecolor rgb "#888888"
set tics nomirror textcolor rgb "#444444"
set grid ytics linecolor rgb "#DDDDDD"
set key outside below left Left reverse samplen 2 font "sans-serif,".int(0.8 * letters)
if (log eq "x2") { set logscale x 2 } else { if (log ne "") { set logscale @log } }
if (xunit eq "B") {
	set xtics ()
	do for [k = 1:40:3] { set xtics add (bytes(2.0 ** k) 2.0 ** k) }
}
set xrange @xrange
set yrange @yrange
set output ARG2
plot for [i = first:last] ARG1 index block[i] using (alike(i) ? $1 : NaN):(alike(i) ? $3 : NaN):4 with filledcurves fillcolor rgb colour(i) fillstyle transparent solid 0.16 noborder notitle, \
	for [i = first:last] '' index block[i] using (alike(i) ? $1 : NaN):(alike(i) ? $6 : NaN) with lines dashtype 2 linecolor rgb colour(i) notitle, \
	for [i = first:last] '' index block[i] using (alike(i) ? $1 : NaN):(alike(i) ? $2 : NaN) with linespoints pointtype int(point(i)) pointsize 0.5 linewidth 1.5 linecolor rgb colour(i) title alike(i) ? name(i) : ""
set output
