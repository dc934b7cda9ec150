# Curves of a .dat file that c2c wrote: rates over chunk size or readers.
#
#     gnuplot -c sweep.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...
#
# KEY is one of
#     statistic  what the points are; median, or the first in the file
#     range      MIN:MAX of the y axis; from 0 to the largest value
#     title      the first line above the picture; the machine
#     terminal   png, svg or pdf; by the end of OUT
#
# Series of one name are one curve: points of the statistic, a band from ci_low
# to ci_high, a thin dashed line for fit. Curves with other axes than the first
# are left out, and a line below the picture says so.
#
# All lengths are in units of 1/72 inch; a PNG has two pixels to a unit. Needs
# gnuplot 5.4 or later with the cairo terminals.

set encoding utf8

fail(what) = sprintf("sweep.gp: %s", what)
if (ARGC < 2) {
	print fail("usage: gnuplot -c sweep.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...")
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
wanted = " machine.cpu_model: machine.hostname: machine.hypervisor: command: options.method: options.chunk_bytes: options.size_bytes: options.work_group: run.passes: run.device: run.platform: started: tool.version: complete: "
cpu_model = ""
hostname = ""
hypervisor = ""
command = ""
method = ""
chunk = ""
size = ""
work_group = ""
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
	if (key eq "options.work_group:") { work_group = text }
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

# ----------------------------------------------------------------- curves
# A curve is a series of the statistic: chosen[c] is its block, count[c] its
# points from begin[c] + 1 on in PX, PY.
statistic = want_statistic
known = ""
do for [b = 0:blocks - 1] {
	if (kind[b + 1] eq "series:") {
		if (!strstrt(" ".known.",", " ".said[6 * b + 6].",")) { known = known.(known eq "" ? "" : ", ").said[6 * b + 6] }
		if (want_statistic eq "" && (statistic eq "" || said[6 * b + 6] eq "median")) { statistic = said[6 * b + 6] }
	}
}
curves = 0
others = 0
points = 0
array chosen[blocks]
array begin[blocks]
array count[blocks]
do for [b = 0:blocks - 1] {
	if (kind[b + 1] eq "series:" && said[6 * b + 6] eq statistic) {
		alike = 1
		if (curves > 0) { do for [i = 2:5] { alike = alike && said[6 * b + i] eq said[6 * chosen[1] + i] } }
		if (alike) {
			curves = curves + 1
			chosen[curves] = b
			begin[curves] = points
			count[curves] = rows[b + 1]
			points = points + count[curves]
		} else { others = others + 1 }
	}
}
if (curves == 0) {
	print fail(sprintf("%s has no such curve; it has the statistics: %s", ARG1, known eq "" ? "none" : known))
	exit status 1
}
first = 6 * chosen[1]
x_name = said[first + 2]
x_unit = said[first + 3]
y_name = said[first + 4]
y_unit = said[first + 5]
name(c) = said[6 * chosen[c] + 1]

array PX[points + 1]
array PY[points + 1]
array LOW[points + 1]
array HIGH[points + 1]
array fit[curves]
least_x = NaN
most_x = NaN
most_y = 0
least_y = 0
do for [c = 1:curves] {
	fit[c] = -1
	at = begin[c]
	set table $ignored
	if (count[c] > 0) {
		plot in_path index chosen[c] using (at = at + 1, PX[at] = $1, PY[at] = $2, LOW[at] = NaN, HIGH[at] = NaN, 0) with table
	}
	unset table
	do for [i = begin[c] + 1:begin[c] + count[c]] {
		if (number(PY[i])) {
			least_x = number(least_x) ? smaller(least_x, PX[i]) : PX[i]
			most_x = number(most_x) ? bigger(most_x, PX[i]) : PX[i]
			most_y = bigger(most_y, PY[i])
			least_y = smaller(least_y, PY[i])
		}
	}
}
# What belongs to the curves. An interval that is far wider than all values are
# high must not flatten the picture; it is cut off.
limit = 1.5 * most_y
with_band = 0
cut_off = 0
with_fit = 0
do for [b = 0:blocks - 1] {
	do for [c = 1:curves] {
		what = said[6 * b + 6]
		if (kind[b + 1] eq "series:" && said[6 * b + 1] eq name(c) && statistic eq "median" && (what eq "ci_low" || what eq "ci_high" || what eq "fit")) {
			if (what eq "fit") {
				fit[c] = b
				with_fit = 1
			} else { with_band = 1 }
			set table $ignored
			if (count[c] > 0) {
				plot in_path index b using (x = $1, y = $2, sum [i = begin[c] + 1:begin[c] + count[c]] (PX[i] != x ? 0 : (what eq "ci_low" ? LOW[i] = y : what eq "ci_high" ? HIGH[i] = y : 0, most_y = bigger(most_y, smaller(y, limit)), 0))) with table
			}
			unset table
		}
	}
}

# Curves of single CPUs, "reader CPU 5", where there is one of their mean,
# "reader, mean": thin and grey, with one text for all.
array single[curves]
array place[curves]
array colour[curves]
array rank[curves]
singles = ""
n_singles = 0
do for [c = 1:curves] {
	at = strstrt(name(c), " CPU ")
	stem = at ? name(c)[1:at - 1] : ""
	single[c] = 0
	do for [other = 1:curves] { single[c] = single[c] || (at && name(other) eq stem.", mean") }
	if (single[c]) {
		n_singles = n_singles + 1
		singles = stem
	}
}

# "writer, same LLC" and "reader, same LLC" have one colour and one shape, the
# first filled and the second hollow. If all are of one place, each has its own.
places = 0
do for [c = 1:curves] {
	comma = strstrt(name(c), ", ")
	place[c] = comma ? name(c)[comma + 2:strlen(name(c))] : name(c)
	places = places + (place[c] ne place[1])
}
colours = 0
do for [c = 1:curves] {
	if (places == 0) { place[c] = name(c) }
	colour[c] = 0
	rank[c] = 1
	if (!single[c]) {
		do for [other = 1:c - 1] {
			if (!single[other] && place[other] eq place[c]) {
				colour[c] = colour[other]
				rank[c] = rank[c] + 1
			}
		}
		if (colour[c] == 0) {
			colours = colours + 1
			colour[c] = colours
		}
	}
}

# ----------------------------------------------------------------- layout
margin = 12
tall = bigger(320, 14 * (curves - n_singles + 1))
long = 500
head = 0
foot = 44

# A text for each curve at its end, and one for all single ones at the lowest.
texts = curves - n_singles + (n_singles > 0)
array text_of[texts]
array end_x[texts]
array end_y[texts]
array wants[texts]
array ink[texts]
array of_curve[texts]
t = 0
singles_x = NaN
singles_y = NaN
longest = 1
do for [c = 1:curves] {
	x = NaN
	y = NaN
	do for [i = begin[c] + 1:begin[c] + count[c]] {
		if (number(PY[i])) {
			x = PX[i]
			y = PY[i]
		}
	}
	if (single[c]) {
		if (number(y) && !(singles_y <= y)) {
			singles_x = x
			singles_y = y
		}
	} else {
		t = t + 1
		text_of[t] = name(c)
		of_curve[t] = c
		end_x[t] = x
		end_y[t] = y
		longest = bigger(longest, strlen(text_of[t]))
	}
}
if (n_singles > 0) {
	text_of[texts] = "each ".singles." CPU"
	of_curve[texts] = 0
	end_x[texts] = singles_x
	end_y[texts] = singles_y
	longest = bigger(longest, strlen(text_of[texts]))
}

# Ends of the axes. A ratio of 8 is drawn in doublings.
doubling = least_x > 0 && most_x >= 8 * least_x
scaled(x) = doubling ? log(x) / log(2) : x
low_x = number(least_x) ? scaled(least_x) : 0
high_x = number(most_x) ? scaled(most_x) : 0
if (high_x <= low_x) {
	low_x = low_x - 1
	high_x = high_x + 1
}
around = 0.02 * (high_x - low_x)
low_x = low_x - around
high_x = high_x + around
low = least_y < 0 ? 1.05 * least_y : 0
high = most_y > low ? most_y + 0.05 * (most_y - low) : low + 1
if (want_range ne "") {
	at = strstrt(want_range, ":")
	low = real(want_range[1:at - 1])
	high = real(want_range[at + 1:strlen(want_range)])
}
do for [i = 1:points] { cut_off = cut_off || HIGH[i] > high || LOW[i] < low }
tick = step_of(high - low, 6)
d_tick = tick < 1 ? ceil(-log10(tick)) : 0
y_chars = bigger(strlen(fixed(high, d_tick)), strlen(fixed(low, d_tick)))

digit = 0.64                     # width of a digit of DejaVu Sans, in em
left = margin + 20 + y_chars * digit * 10 + 8
right = 26 + longest * 0.58 * 10 + margin
width = left + long + right
measured = y_name.", ".statistic." [".y_unit."]"
note = with_band ? " With 95 % intervals of the medians".(cut_off ? ", some of them cut off." : ".") : ""
note = note.(with_fit ? " Dashed: fit." : "")
note = note.(others == 0 ? "" : others == 1 ? " One curve with other axes is left out." : sprintf(" %d curves with other axes are left out.", others))
note = note[2:strlen(note)]

# ------------------------------------------------------------------ texts
# The same in every script: two lines above the picture and the note below it,
# each in as many lines as the width asks for.
array says[3]
array size_of[3] = [13, 10.5, 9]
array wide_of[3] = [0.66, 0.57, 0.57]   # mean width of a letter, in em
array lines[3]
cut(s, most) = strlen(s) > most ? s[1:most - 1]."…" : s
add(s) = s eq "" ? "" : " · ".s
drop(s) = s[1:3] eq " · " ? s[4:strlen(s)] : s
says[1] = want_title ne "" ? want_title : drop(add(cut(cpu_model, 72)).add(cut(hostname, 40)).add(cut(hypervisor, 24)))
with = method.(chunk eq "" ? "" : ", ".bytes(real(chunk))." chunks").(size eq "" ? "" : ", ".bytes(real(size)))
with = with[1:2] eq ", " ? with[3:strlen(with)] : with
says[2] = drop(add(command eq "" || tool eq "" ? "" : "c2c ".command.(with eq "" ? "" : " (".with.")")).add(measured).add(passes eq "" ? "" : passes.(passes eq "1" ? " pass" : " passes")).add(complete eq "false" ? "incomplete" : "").add(started))
says[3] = note
do for [t = 1:3] {
	rest = says[t]
	wrapped = ""
	lines[t] = rest eq "" ? 0 : 1
	room = floor((width - 2 * margin) / (size_of[t] * wide_of[t]))
	while (strlen(rest) > room && lines[t] < 3) {
		at = room + 1
		while (at > room / 2 && rest[at:at] ne " ") { at = at - 1 }
		if (rest[at:at] ne " ") { at = room }
		wrapped = wrapped.rest[1:at]."\n"
		rest = rest[at + 1:strlen(rest)]
		lines[t] = lines[t] + 1
	}
	says[t] = wrapped.(strlen(rest) > room ? rest[1:room - 1]."…" : rest)
}
top = margin + 18 * lines[1] + 15 * lines[2] + 8 + head
bottom = foot + 13 * lines[3] + margin
height = top + tall + bottom

# --------------------------------------------------------------- terminal
# The same in every script.
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

set label says[1] at screen 0.5, Y(margin + 6) center font bold(size_of[1])
set label says[2] at screen 0.5, Y(margin + 18 * lines[1] + 5) center font sized(size_of[2]) textcolor rgb "#444444"
set label says[3] at screen 0.5, Y(height - margin - 13 * lines[3] + 7) center font sized(size_of[3]) textcolor rgb "#444444"

# ---------------------------------------------------------------- drawing
set lmargin at screen X(left)
set rmargin at screen X(left + long)
set tmargin at screen Y(top)
set bmargin at screen Y(top + tall)
set xrange [low_x:high_x]
set yrange [low:high]
unset key
if (!(least_x <= most_x)) { set label "no values" at graph 0.5, 0.5 center font sized(12) }
set border 3 linewidth 0.5 linecolor rgb "#888888"
unset xtics
unset ytics
set label y_name." [".y_unit."]" at screen X(left - y_chars * digit * 10 - 20), Y(top + tall / 2) center rotate by 90 font sized(10.5)
set label x_name.(x_unit eq "B" ? "" : " [".x_unit."]") at screen X(left + long / 2), Y(top + tall + 32) center font sized(10.5)

# A line across at each round y.
do for [i = ceil(low / tick - 1e-9):floor(high / tick + 1e-9)] {
	v = i * tick
	set label fixed(v, d_tick) at screen X(left - 7), first v right font sized(10)
	set arrow from graph 0, first v to graph 1, first v nohead back linewidth 0.5 linecolor rgb "#DDDDDD"
}

# Marks below: doublings, or round numbers, as many as do not touch.
x_text(x) = x_unit eq "B" ? bytes(x) : sprintf("%g", x)
x_chars = number(least_x) ? bigger(strlen(x_text(least_x)), strlen(x_text(most_x))) : 1
if (doubling) { do for [i = ceil(low_x):floor(high_x)] { x_chars = bigger(x_chars, strlen(x_text(2.0 ** i))) } }
fits = long / (x_chars * digit * 10 + 8)
mark = doubling || !(most_x > least_x) ? 1 : step_of(most_x - least_x, fits)
if (!doubling && x_unit ne "B" && least_x == floor(least_x) && most_x == floor(most_x)) { mark = bigger(mark, 1) }
if (!doubling && x_unit eq "B") { mark = 2.0 ** ceil(log(mark) / log(2)) }
while ((high_x - low_x) / mark > fits) { mark = 2 * mark }
if (most_x > least_x) {
	do for [i = ceil(low_x / mark):floor(high_x / mark)] {
		v = i * mark
		set label x_text(doubling ? 2.0 ** v : v) at first v, screen Y(top + tall + 13) center font sized(10)
		set arrow from first v, screen Y(top + tall) to first v, screen Y(top + tall + 4) nohead linewidth 0.5 linecolor rgb "#888888"
	}
} else { if (most_x == least_x) {
	set label x_text(least_x) at first scaled(least_x), screen Y(top + tall + 13) center font sized(10)
}}

# Texts want the height of their ends and push each other apart.
apart = 13.0
array order[texts]
do for [t = 1:texts] {
	wants[t] = number(end_y[t]) ? tall * (high - bigger(low, smaller(high, end_y[t]))) / (high - low) : tall
	order[t] = t
}
do for [a = 1:texts - 1] {
	do for [b = a + 1:texts] {
		if (wants[order[b]] < wants[order[a]]) {
			swap = order[a]
			order[a] = order[b]
			order[b] = swap
		}
	}
}
array at_y[texts]
do for [a = 1:texts] { at_y[a] = wants[order[a]] }
do for [turn = 1:200] {
	do for [a = 1:texts - 1] {
		near = apart - (at_y[a + 1] - at_y[a])
		if (near > 0) {
			at_y[a] = at_y[a] - near / 2
			at_y[a + 1] = at_y[a + 1] + near / 2
		}
	}
}
do for [a = 1:texts] { at_y[a] = bigger(at_y[a], apart * (a - 1)) }
do for [a = texts:1:-1] { at_y[a] = smaller(at_y[a], tall - apart * (texts - a)) }

# Okabe and Ito's colours (Color Universal Design, 2008), which all eyes tell
# apart, the darker ones first; shapes differ too, for grey print.
colour_list = "#0072B2 #D55E00 #009E73 #CC79A7 #444444 #E69F00 #56B4E9"
text_list = "#0067A1 #B54F00 #007755 #9A4F7A #444444 #8F6200 #22749F"   # darker
filled_list = "7 5 9 13 11 15"
hollow_list = "6 4 8 12 10 14"
size_list = "1 0.9 1.15 1.25 1.15 1.1"
nth(list, i) = word(list, (i - 1) % words(list) + 1)
rgb(c) = nth(colour_list, colour[c])
grey = "#AAAAAA"

do for [a = 1:texts] {
	t = order[a]
	if (number(end_y[t])) {
		c = of_curve[t]
		ink_of = c ? rgb(c) : grey
		text_ink = c ? nth(text_list, colour[c]) : "#6A6A6A"
		set label text_of[t] at screen X(left + long + 24), Y(top + at_y[a]) left font sized(10) textcolor rgb text_ink
		set arrow from first scaled(end_x[t]), screen Y(top + wants[t]) to screen X(left + long + 8), screen Y(top + wants[t]) nohead linewidth 0.5 linecolor rgb ink_of
		set arrow from screen X(left + long + 8), screen Y(top + wants[t]) to screen X(left + long + 21), screen Y(top + at_y[a]) nohead linewidth 0.5 linecolor rgb ink_of
	}
}

# The curves as gnuplot reads them, one after the other.
set print $curves
do for [c = 1:curves] {
	print sprintf("# %d", c)
	if (count[c] == 0) { print "NaN NaN NaN NaN" }
	do for [i = begin[c] + 1:begin[c] + count[c]] {
		print sprintf("%.17g %.17g %.17g %.17g", number(PX[i]) && (!doubling || PX[i] > 0) ? scaled(PX[i]) : NaN, PY[i], LOW[i], HIGH[i])
	}
	print ""
	print ""
}
unset print

# Terminals have units of their own for points and lines.
point_unit = terminal eq "png" ? 1.2 : terminal eq "pdf" ? 0.75 : 0.6
line_unit = terminal eq "pdf" ? 1.8 : 1.0

# Thin things below, thick ones above. Only numbers go into the command.
layers = ""
layer(c, what) = sprintf(", $curves index %d using ", c - 1).what." notitle"
in_colour(c) = sprintf("linecolor rgb rgb(%d)", c)
line(width) = sprintf("linewidth %g ", width * line_unit)
point(shapes, c) = sprintf("with points pointtype %s pointsize %g ", nth(shapes, colour[c]), point_unit * real(nth(size_list, colour[c])))
do for [c = 1:curves] {
	if (single[c]) {
		layers = layers.layer(c, "1:2 with ".(count[c] == 1 ? sprintf("points pointtype 7 pointsize %g ", 0.4 * point_unit) : "lines ".line(0.6))."linecolor rgb grey")
	} else {
		layers = layers.layer(c, sprintf("1:3:4 with filledcurves fillcolor rgb rgb(%d) fillstyle transparent solid 0.18 noborder", c))
	}
	if (!single[c] && count[c] == 1) { layers = layers.layer(c, "1:2:3:4 with yerrorbars pointtype -1 ".line(1).in_colour(c)) }
}
do for [c = 1:curves] {
	if (!single[c] && fit[c] >= 0) { layers = layers.sprintf(", in_path index %d using (scaled($1)):2 with lines dashtype 2 ", fit[c]).line(0.9).in_colour(c)." notitle" }
}
do for [c = 1:curves] {
	if (!single[c]) {
		layers = layers.layer(c, "1:2 with lines ".line(1.5).in_colour(c))
		layers = layers.layer(c, "1:2 ".point(filled_list, c).(rank[c] % 2 ? in_colour(c) : "linecolor rgb 'white'"))
		if (rank[c] % 2 == 0) { layers = layers.layer(c, "1:2 ".point(hollow_list, c).line(1.2).in_colour(c)) }
	}
}
eval "plot NaN notitle".layers
set output
