# Draws what the lines "# plot.KEY: ..." of a .dat say. c2c decided all of it;
# this script decides nothing.
#
#     gnuplot -c heatmap.gp IN.dat OUT.{png,svg,pdf} [png|svg|pdf]
#     gnuplot -c curves.gp IN.dat OUT.{png,svg,pdf} [png|svg|pdf]
#
# The third argument is the format if OUT does not end in it. Lengths are in
# units of 1/72 inch, from the left and from the top; a PNG has two pixels to a
# unit. The contents of a file are text and numbers, never commands. Needs
# gnuplot 5.4 or later with the cairo terminals.

set encoding utf8

fail(what) = sprintf("%s: %s", script, what)
if (ARGC < 2 || ARGC > 3) {
	print fail(sprintf("usage: gnuplot -c %s IN.dat OUT.{png,svg,pdf} [png|svg|pdf]", script))
	exit status 2
}

# gnuplot would interpret a leading "<", "|" or "~" of a file name.
plain(path) = (path[1:1] eq "/") ? path : "./".path
in_path = plain(ARG1)
out_path = plain(ARG2)

# ------------------------------------------------------------------ lines
# The first says how many follow: their keys are op[], their texts said[].
set terminal unknown
set datafile commentschars ""
set datafile separator "\n"
line = ""
stats in_path index 0 every ::0::0 using (line = strcol(1), 0) nooutput
if (!exists("STATS_blocks")) {
	print fail(sprintf("%s cannot be read: name the .dat that c2c wrote, with its folder", ARG1))
	exit status 1
}
if (line[1:14] ne "# plot.lines: ") {
	print fail(sprintf("%s does not say what to draw: c2c writes that into a .dat", ARG1))
	exit status 1
}
lines = int(line[15:strlen(line)])
array op[lines + 1]
array said[lines + 1]
n = 0
set table $ignored
plot in_path index 0 every ::1::lines using (line = strcol(1), at = strstrt(line, ": "), n = n + 1, op[n] = line[8:at - 1], said[n] = line[at + 2:strlen(line)], 0) with table
unset table
set datafile separator whitespace
set datafile commentschars "#"

# The k-th word of a text as a number, and the text after that word.
num(s, k) = real(word(s, k))
behind(s, k) = k == 0 ? s : behind(s[strstrt(s, " ") + 1:strlen(s)], k - 1)

# --------------------------------------------------------------- terminal
kind = ARGC == 3 ? ARG3 : out_path[strlen(out_path) - 2:strlen(out_path)]
width = num(said[1], 1)
height = num(said[1], 2)
# Terminals have their own units for lines and points.
thick = kind eq "pdf" ? 1.7 : 1.0
dot = kind eq "png" ? 1.0 : kind eq "pdf" ? 0.62 : 0.52
if (op[1] ne "page" || behind(said[1], 2) ne script) {
	print fail(sprintf("%s is for %s", ARG1, behind(said[1], 2)))
	exit status 1
}
if (kind eq "png") {
	set terminal pngcairo noenhanced size 2 * width, 2 * height font "sans-serif,10" fontscale 1.5 linewidth 2 background rgb "white"
} else {
if (kind eq "svg") {
	set terminal svg noenhanced size width, height font "sans-serif,10" background rgb "white"
} else {
if (kind eq "pdf") {
	set terminal pdfcairo noenhanced size width / 72.0, height / 72.0 font "sans-serif,10" fontscale 0.75 linewidth 1 background rgb "white"
} else {
	print fail(sprintf("%s: expected a name that ends in png, svg or pdf", ARG2))
	exit status 2
}}}
set output out_path
X(u) = real(u) / width
Y(u) = 1 - real(u) / height

# A panel at x y w h, which are the first numbers of a line.
left_of(s) = X(num(s, 1))
right_of(s) = X(num(s, 1) + num(s, 3))
top_of(s) = Y(num(s, 2))
bottom_of(s) = Y(num(s, 2) + num(s, 4))

# --------------------------------------------------------- texts and lines
# First what lies behind everything.
set multiplot
unset key
unset border
unset tics
set xrange [0:1]
set yrange [0:1]
do for [i = 1:lines] {
	s = said[i]
	if (op[i] eq "area") {
		set object i rectangle from screen left_of(s), bottom_of(s) to screen right_of(s), top_of(s) behind fillcolor rgb word(s, 5) fillstyle solid noborder
	}
	if (op[i] eq "back") {
		set arrow i from screen X(num(s, 1)), Y(num(s, 2)) to screen X(num(s, 3)), Y(num(s, 4)) nohead linewidth num(s, 5) * thick linecolor rgb word(s, 6)
	}
	if (op[i] eq "dash") {
		set arrow i from screen X(num(s, 1)), Y(num(s, 2)) to screen X(num(s, 3)), Y(num(s, 4)) nohead linewidth num(s, 5) * thick dashtype 2 linecolor rgb word(s, 6)
	}
}
plot NaN notitle
unset arrow
unset object
