# Draws one matrix of a .dat of c2c as a heatmap. Copy this script and change it.
#
#     gnuplot -c heatmap.gp lat.dat lat.png
#
# The picture's name ends in .png, .svg or .pdf. c2c plot can also draw numbers,
# groups of CPUs and several matrices. The script needs gnuplot 5.4 or later.

number = 0        # number of the matrix in the file, from 0 on
size = 15         # size of the picture, in cm
letters = 10      # size of letters, in points
title = ""        # "": the names of the file and of the matrix
range = "[*:*]"   # limits of the colours; *: limit of the values
missing = "#E8E8E8"
set palette defined (0 "#440154", 1 "#482878", 2 "#3E4A89", 3 "#31688E", \
	4 "#26828E", 5 "#1F9E89", 6 "#35B779", 7 "#6DCD59", 8 "#B4DE2C", 9 "#FDE725")

kind = ARGC == 2 ? ARG2[strlen(ARG2) - 2:] : ""
if (kind eq "png") { set terminal pngcairo noenhanced size 80 * size, 76 * size font "sans-serif,".letters fontscale 2.1 linewidth 2 } else {
if (kind eq "svg") { set terminal svg noenhanced size 28.3 * size, 26.9 * size font "sans-serif,".letters background rgb "white" } else {
if (kind eq "pdf") { set terminal pdfcairo noenhanced size size * 1cm, size * 0.95cm font "sans-serif,".letters fontscale 0.75 } else {
	print "usage: gnuplot -c heatmap.gp IN.dat OUT.{png,svg,pdf}"
	exit status 2
}}}

# The first line is "# matrix: NAME STATISTIC UNIT QUANTITY lower|higher ...".
# The second line has the CPUs of the columns. Each later line is a row, which
# begins with its CPU.
set datafile commentschars ""
n = -1
what = ""
set table $ignored
plot ARG1 index number using (strcol(2) eq "matrix:" ? (what = strcol(3).", ".strcol(4), unit = strcol(5), better = strcol(7)) : 0, strcol(1) eq "#" ? 0 : (n = n + 1), 0) with table
if (what eq "" || n < 1) {
	print ARG1.": the file has no such matrix"
	exit status 1
}
set datafile commentschars "#"
array V[n * n]
array names[n]
row = 0
plot ARG1 index number every ::1 using (row = row + 1, names[row] = strcol(1), sum [j = 1:n] (V[(row - 1) * n + j] = column(j + 1), 0)) with table
unset table

set encoding utf8
set title title eq "" ? ARG1.": ".what : title
set xlabel "CPU"
set ylabel "CPU"
set cblabel unit
if (better eq "higher") { set palette negative }
set size ratio -1
set tics scale 0
step = n * letters * 0.6 * (strlen(names[n]) + 1) / (21.0 * size)
step = step > 1 ? 2 ** int(ceil(log(step) / log(2))) : 1
set xtics ()
set ytics ()
do for [i = 1:n:step] {
	set xtics add (names[i] i - 1)
	set ytics add (names[i] i - 1)
}
set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillcolor rgb missing fillstyle solid noborder
set xrange [-0.5:n - 0.5]
set yrange [n - 0.5:-0.5]
set autoscale cbfix
set cbrange @range
unset key
set output ARG2
plot V using (int($1 - 1) % n):(int($1 - 1) / n):2 with image
set output
