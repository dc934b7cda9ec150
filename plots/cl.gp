# Curves of a .dat file that c2c cl wrote, a panel for those of the same axes.
#
#     gnuplot -c cl.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...
#
# KEY is one of
#     statistic  what the points are; median, or the first in the file
#     range      MIN:MAX of the y axes; from the values
#     title      the first line above the picture; the machine
#     terminal   png, svg or pdf; by the end of OUT
#
# Dotted lines beside a curve are its ci_low and ci_high where the file has these. Times,
# ratios and sizes of work-groups are drawn in powers, rates from 0.
#
# All lengths are in units of 1/72 inch; a PNG has two pixels to a unit. Needs
# gnuplot 5.4 or later with the cairo terminals.

set encoding utf8

fail(what) = sprintf("cl.gp: %s", what)
if (ARGC < 2) {
	print fail("usage: gnuplot -c cl.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...")
	exit status 2
}

# A leading "<", "|" or "~" of a file name would mean something to gnuplot.
plain(path) = (path[1:1] eq "/") ? path : "./".path
in_path = plain(ARG1)
out_path = plain(ARG2)

want_statistic = ""
want_range = ""
want_title = ""
terminal = ""
do for [a = 3:ARGC] {
	arg = value(sprintf("ARG%d", a))
	at = strstrt(arg, "=")
	key = at ? arg[1:at - 1] : arg
	text = at ? arg[at + 1:strlen(arg)] : ""
	if (key eq "statistic") { want_statistic = text } else {
	if (key eq "range") { want_range = text } else {
	if (key eq "title") { want_title = text } else {
	if (key eq "terminal") { terminal = text } else {
		print fail("unknown argument \"".arg."\"; known: statistic=, range=, title=, terminal=")
		exit status 2
	}}}}
}

# ----------------------------------------------------------------- header
# Lines "# key: value", read as text: no shell, no evaluation. A block begins
# with "# matrix:" or "# series:", which is kind[], and six words, which are
# said[]: the i-th of block b, counted from 0, is said[6 * b + i]. It has
# rows[] lines of numbers. This section is the same in every script.
wanted = " machine.cpu_model: machine.hostname: machine.hypervisor: command: options.method: options.chunk_bytes: options.size_bytes: run.passes: run.device: run.platform: started: tool.version: complete: "
cpu_model = ""
hostname = ""
hypervisor = ""
command = ""
method = ""
chunk = ""
size = ""
passes = ""
device = ""
platform = ""
started = ""
tool = ""
complete = ""
unquoted(s) = s[1:1] eq "\"" ? s[2:strlen(s) - 1] : s

set terminal unknown
set datafile commentschars ""
stats in_path using (0) nooutput
if (!exists("STATS_blocks")) {
	print fail(sprintf("%s cannot be read: name the .dat that c2c wrote, with its folder", ARG1))
	exit status 1
}
blocks = int(STATS_blocks)
array kind[blocks]
array said[6 * blocks]
array rows[blocks]
do for [b = 1:blocks] {
	kind[b] = ""
	rows[b] = 0
}
places = ""
set table $ignored
plot in_path using (b = int(column(-2)), strcol(1) ne "#" ? (rows[b + 1] = rows[b + 1] + 1, 0) : ( \
	key = strcol(2), \
	key eq "matrix:" || key eq "series:" ? (kind[b + 1] = key, sum [i = 1:6] (said[6 * b + i] = strcol(i + 2), 0)) : \
	strstrt(wanted, " ".key." ") ? (places = places." ".key.sprintf("%d", column(0)), 0) : 0)) with table
unset table

# A whole line as one text, which gnuplot has no room for in every line.
set datafile separator "\n"
do for [i = 1:words(places)] {
	at = strstrt(word(places, i), ":")
	key = word(places, i)[1:at]
	l = int(word(places, i)[at + 1:strlen(word(places, i))])
	set table $ignored
	plot in_path index 0 every ::l::l using (line = strcol(1), 0) with table
	unset table
	text = unquoted(line[strlen(key) + 4:strlen(line)])
	if (key eq "machine.cpu_model:") { cpu_model = text }
	if (key eq "machine.hostname:") { hostname = text }
	if (key eq "machine.hypervisor:") { hypervisor = text }
	if (key eq "command:") { command = text }
	if (key eq "options.method:") { method = text }
	if (key eq "options.chunk_bytes:") { chunk = text }
	if (key eq "options.size_bytes:") { size = text }
	if (key eq "run.passes:") { passes = text }
	if (key eq "run.device:") { device = text }
	if (key eq "run.platform:") { platform = text }
	if (key eq "started:") { started = text[1:10] }
	if (key eq "tool.version:") { tool = text }
	if (key eq "complete:") { complete = text }
}
set datafile separator whitespace
set datafile commentschars "#"

# --------------------------------------------------------------- numbers
# The same in every script. NaN is the one value unequal to itself.
number(x) = (x == x)
bigger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b

# Digits after the point that keep about three figures of a span.
decimals(span) = span >= 100 ? 0 : span > 1e-9 ? 2 - floor(log10(span)) : 0
fixed(x, d) = sprintf("%.".sprintf("%d", d)."f", abs(x) < 0.5 * 10.0 ** -d ? 0 : x)
short(x, d) = abs(x) >= 1e9 ? sprintf("%.0fG", x / 1e9) : abs(x) >= 1e6 ? sprintf("%.0fM", x / 1e6) : abs(x) >= 1e4 ? sprintf("%.0fk", x / 1e3) : fixed(x, d)

# Sizes of memory as one says them: "64 B", "1 KiB".
bytes(x) = x >= 1024 && x / 1024 == floor(x / 1024.0) ? bytes_of(x / 1024.0, 1) : sprintf("%g B", x)
bytes_of(x, i) = i < 4 && x >= 1024 && x / 1024 == floor(x / 1024.0) ? bytes_of(x / 1024.0, i + 1) : sprintf("%g %s", x, word("KiB MiB GiB TiB", i))

# The round step that parts a span into about so many.
power_of(span, parts) = 10 ** floor(log10(span / real(parts)))
step_of(span, parts) = (r = span / real(parts) / power_of(span, parts), (r < 1.5 ? 1 : r < 3.5 ? 2 : r < 7.5 ? 5 : 10) * power_of(span, parts))

# ----------------------------------------------------------------- panels
# The curves of the statistic: chosen[c] is the block, panel[c] where it goes.
statistic = want_statistic
known = ""
do for [b = 0:blocks - 1] {
	if (kind[b + 1] eq "series:") {
		if (!strstrt(" ".known.",", " ".said[6 * b + 6].",")) { known = known.(known eq "" ? "" : ", ").said[6 * b + 6] }
		if (want_statistic eq "" && (statistic eq "" || said[6 * b + 6] eq "median")) { statistic = said[6 * b + 6] }
	}
}
array chosen[blocks]
array panel[blocks]
array low_of[blocks]
array high_of[blocks]
array first_of[blocks]
curves = 0
panels = 0
do for [b = 0:blocks - 1] {
	if (kind[b + 1] eq "series:" && said[6 * b + 6] eq statistic) {
		curves = curves + 1
		chosen[curves] = b
		panel[curves] = 0
		low_of[curves] = -1
		high_of[curves] = -1
		do for [p = 1:panels] {
			alike = 1
			do for [i = 2:5] { alike = alike && said[6 * b + i] eq said[6 * first_of[p] + i] }
			if (alike) { panel[curves] = p }
		}
		if (panel[curves] == 0) {
			panels = panels + 1
			first_of[panels] = b
			panel[curves] = panels
		}
	}
}
if (curves == 0) {
	print fail(sprintf("%s has no such curve; it has the statistics: %s", ARG1, known eq "" ? "none" : known))
	exit status 1
}

# Bands belong to the curve of the same name and axes.
with_band = 0
do for [b = 0:blocks - 1] {
	what = said[6 * b + 6]
	if (kind[b + 1] eq "series:" && statistic eq "median" && (what eq "ci_low" || what eq "ci_high")) {
		do for [c = 1:curves] {
			alike = 1
			do for [i = 1:5] { alike = alike && said[6 * b + i] eq said[6 * chosen[c] + i] }
			if (alike && what eq "ci_low") { low_of[c] = b }
			if (alike && what eq "ci_high") {
				high_of[c] = b
				with_band = 1
			}
		}
	}
}

# The least and the most of each panel, and how many of its curves have values.
array least_x[panels]
array most_x[panels]
array least_y[panels]
array most_y[panels]
array entries[panels]
do for [p = 1:panels] {
	least_x[p] = NaN
	most_x[p] = NaN
	least_y[p] = NaN
	most_y[p] = NaN
	entries[p] = 0
}
most_entries = 1
do for [c = 1:curves] {
	p = panel[c]
	entries[p] = entries[p] + 1
	most_entries = bigger(most_entries, entries[p])
	if (rows[chosen[c] + 1] > 0) {
		set table $ignored
		plot in_path index chosen[c] using (x = $1, y = $2, number(y) ? ( \
			least_x[p] = number(least_x[p]) ? smaller(least_x[p], x) : x, \
			most_x[p] = number(most_x[p]) ? bigger(most_x[p], x) : x, \
			least_y[p] = number(least_y[p]) ? smaller(least_y[p], y) : y, \
			most_y[p] = number(most_y[p]) ? bigger(most_y[p], y) : y, 0) : 0, 0) with table
		unset table
	}
}

# ----------------------------------------------------------------- layout
across = panels < 4 ? panels : panels < 10 ? 3 : 4
down = ceil(panels / real(across))
margin = 12
wide = 320
tall = 200
key_high = 14 * ceil(most_entries / 2.0) + 6
left = 68
head = 26
below = 40
right = 22
cell_wide = left + wide + right
cell_high = head + tall + below + key_high
width = bigger(2 * margin + across * cell_wide, 560)
note = with_band ? "Dotted: 95 % intervals of the medians." : ""

# ------------------------------------------------------------------ texts
array says[3]
cut(s, most) = strlen(s) > most ? s[1:most - 1]."…" : s
add(s) = s eq "" ? "" : " · ".s
drop(s) = s[1:3] eq " · " ? s[4:strlen(s)] : s
# An implementation for CPUs has their model in the name that it gives them.
measured = device eq "" || (cpu_model ne "" && strstrt(device, cpu_model)) ? cpu_model : device
says[1] = want_title ne "" ? want_title : drop(add(cut(measured, 72)).add(cut(hostname, 40)).add(cut(hypervisor, 24)))
with = method.(size eq "" ? "" : ", ".bytes(real(size)))
says[2] = drop(add(command eq "" || tool eq "" ? "" : "c2c ".command.(with eq "" ? "" : " (".with.")").(platform eq "" ? "" : " through ".platform)).add(statistic).add(complete eq "false" ? "incomplete" : "").add(started))
says[3] = note
do for [t = 1:3] { says[t] = cut(says[t], floor(width / 7.5)) }
top = margin + 44
height = top + down * cell_high + 16 + margin

# --------------------------------------------------------------- terminal
if (terminal eq "") {
	terminal = out_path[bigger(1, strlen(out_path) - 2):strlen(out_path)]
}
if (terminal eq "png") {
	set terminal pngcairo noenhanced size 2 * width, 2 * height font "sans-serif,10" fontscale 1.5 linewidth 2 background rgb "white"
} else {
if (terminal eq "svg") {
	set terminal svg noenhanced size width, height font "sans-serif,10" background rgb "white"
} else {
if (terminal eq "pdf") {
	set terminal pdfcairo noenhanced size width / 72.0, height / 72.0 font "sans-serif,10" fontscale 0.75 linewidth 1 background rgb "white"
} else {
	print fail(sprintf("%s: expected a name that ends in png, svg or pdf", ARG2))
	exit status 2
}}}
set output out_path

X(u) = real(u) / width
Y(u) = 1 - real(u) / height
sized(size) = sprintf("sans-serif,%g", size)
bold(size) = sprintf("sans-serif Bold,%g", size)

set multiplot
set label 1 says[1] at screen 0.5, Y(margin + 8) center font bold(13)
set label 2 says[2] at screen 0.5, Y(margin + 27) center font sized(10.5) textcolor rgb "#444444"
set label 3 says[3] at screen 0.5, Y(height - margin - 4) center font sized(9) textcolor rgb "#444444"

# ---------------------------------------------------------------- drawing
# Okabe and Ito's colours (Color Universal Design, 2008), which all eyes tell
# apart, the darker ones first; shapes differ too, for grey print.
colour_list = "#0072B2 #D55E00 #009E73 #CC79A7 #444444 #E69F00 #56B4E9"
shape_list = "7 5 9 13 11 15"
nth(list, i) = word(list, (i - 1) % words(list) + 1)
point_unit = terminal eq "png" ? 0.9 : terminal eq "pdf" ? 0.6 : 0.5
line_unit = terminal eq "pdf" ? 1.8 : 1.0

set border 3 linewidth 0.5 linecolor rgb "#888888"
set tics nomirror scale 0.5 font 'sans-serif,9'
set grid ytics linewidth 0.5 linecolor rgb "#DDDDDD" dashtype 1
do for [p = 1:panels] {
	b = first_of[p]
	x0 = margin + ((p - 1) % across) * cell_wide + left
	y0 = top + ((p - 1) / across) * cell_high + head
	set lmargin at screen X(x0)
	set rmargin at screen X(x0 + wide)
	set tmargin at screen Y(y0)
	set bmargin at screen Y(y0 + tall)
	set title said[6 * b + 4] font 'sans-serif Bold,10.5' offset 0, -0.4
	set label 8 said[6 * b + 5] at screen X(x0 - 50), Y(y0 + tall / 2) center rotate by 90 font 'sans-serif,9.5'
	set xlabel said[6 * b + 2].(said[6 * b + 3] eq "number" || said[6 * b + 3] eq "B" ? "" : " ".said[6 * b + 3]) font 'sans-serif,9.5' offset 0, 0.6
	set key at screen X(x0 + wide), Y(y0 + tall + below - 2) top right horizontal maxcols 2 font 'sans-serif,9' samplen 2 spacing 1.0 width 0

	unset logscale
	unset label 9
	set xtics autofreq
	set ytics autofreq
	set format "%g"
	any = number(least_x[p])
	if (!any) { set label 9 "no values" at screen X(x0 + wide / 2), Y(y0 + tall / 2) center font 'sans-serif,11' }
	powers = any && most_y[p] >= 4 * least_y[p] && (said[6 * b + 5] eq "ms" || said[6 * b + 5] eq "times" || said[6 * b + 5] eq "work-items") && least_y[p] > 0 && want_range eq ""
	sizes = said[6 * b + 3] eq "B"
	doubling = any && least_x[p] > 0 && most_x[p] >= 8 * least_x[p]
	if (doubling) {
		set logscale x 2
		set xrange [least_x[p] / 1.15:most_x[p] * 1.15]
		# As many marks as do not touch.
		set xtics 1, (most_x[p] / least_x[p] > 2048 ? 4 : 2)
		if (sizes) {
			set xtics ()
			do for [d = 0:int(log(most_x[p] / least_x[p]) / log(2) + 0.5)] {
				if (most_x[p] / least_x[p] < 64 || d % 2 == 0) { set xtics add (bytes(least_x[p] * 2 ** d) least_x[p] * 2 ** d) }
			}
		}
	} else {
		set xrange [any ? least_x[p] - 0.5 : 0:any ? most_x[p] + 0.5 : 1]
		if (any && most_x[p] - least_x[p] <= 12) { set xtics 1 }
	}
	if (powers) {
		set logscale y (said[6 * b + 5] ne "work-items" && most_y[p] > 100 * least_y[p] ? 10 : 2)
		set yrange [least_y[p] / 1.3:most_y[p] * 1.3]
	} else {
		set yrange [0:any && most_y[p] > 0 ? 1.08 * most_y[p] : 1]
	}
	if (want_range ne "") {
		at = strstrt(want_range, ":")
		set yrange [real(want_range[1:at - 1]):real(want_range[at + 1:strlen(want_range)])]
	}

	# Only numbers go into the command.
	layers = ""
	n = 0
	do for [c = 1:curves] {
		if (panel[c] == p) {
			n = n + 1
			colour = sprintf("linecolor rgb '%s'", nth(colour_list, n))
			if (rows[chosen[c] + 1] > 0) {
				if (low_of[c] >= 0 && high_of[c] >= 0) {
					layers = layers.sprintf(", in_path index %d using 1:2 with lines notitle linewidth %g dashtype 3 %s", low_of[c], 0.5 * line_unit, colour)
					layers = layers.sprintf(", in_path index %d using 1:2 with lines notitle linewidth %g dashtype 3 %s", high_of[c], 0.5 * line_unit, colour)
				}
				layers = layers.sprintf(", in_path index %d using 1:2 with linespoints linewidth %g pointtype %s dashtype %d pointsize %g %s title said[%d]", chosen[c], 1.3 * line_unit, nth(shape_list, n), n <= words(colour_list) ? 1 : 2, point_unit, colour, 6 * chosen[c] + 1)
			}
		}
	}
	eval "plot NaN notitle".layers
	unset label 1
	unset label 2
	unset label 3
}
unset multiplot
set output
