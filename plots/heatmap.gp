# The heatmap of one matrix of a .dat file that c2c wrote.
#
#     gnuplot -c heatmap.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...
#
# KEY is one of
#     matrix     which matrix, by name; the first in the file
#     statistic  which statistic of it; the first in the file
#     range      MIN:MAX of the colours; from the values
#     title      the first line above the picture; the machine
#     terminal   png, svg or pdf; by the end of OUT
#     minor      places before which a thin line goes: "4 12"
#     major      places before which a thick line goes: "8"
#
# All lengths are in units of 1/72 inch; a PNG has two pixels to a unit. The
# canvas is laid out by hand, because only then are the cells square, whole
# pixels wide, and the texts clear of each other, from 2 CPUs to 1,024.
# Needs gnuplot 5.4 or later with the cairo terminals.

set encoding utf8

fail(what) = sprintf("heatmap.gp: %s", what)
if (ARGC < 2) {
	print fail("usage: gnuplot -c heatmap.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...")
	exit status 2
}

# A leading "<", "|" or "~" of a file name would mean something to gnuplot.
plain(path) = (path[1:1] eq "/") ? path : "./".path
in_path = plain(ARG1)
out_path = plain(ARG2)

want_matrix = ""
want_statistic = ""
want_range = ""
want_title = ""
terminal = ""
minor = ""
major = ""
do for [a = 3:ARGC] {
	arg = value(sprintf("ARG%d", a))
	at = strstrt(arg, "=")
	key = at ? arg[1:at - 1] : arg
	text = at ? arg[at + 1:strlen(arg)] : ""
	if (key eq "matrix") { want_matrix = text } else {
	if (key eq "statistic") { want_statistic = text } else {
	if (key eq "range") { want_range = text } else {
	if (key eq "title") { want_title = text } else {
	if (key eq "terminal") { terminal = text } else {
	if (key eq "minor") { minor = text } else {
	if (key eq "major") { major = text } else {
		print fail("unknown argument \"".arg."\"; known: matrix=, statistic=, range=, title=, terminal=, minor=, major=")
		exit status 2
	}}}}}}}
}

# ---------------------------------------------------------------- palette
# viridis, ten anchors: Nathaniel J. Smith and Stefan van der Walt, 2015, CC0,
# https://bids.github.io/colormap/. Its luminance rises steadily, so that it
# survives grey print and every kind of colour blindness. The same anchors
# are in src/plot/palette.c. Dark is near (low latency, high rate).
viridis = "#440154 #482878 #3E4A89 #31688E #26828E #1F9E89 #35B779 #6DCD59 #B4DE2C #FDE725"
missing_colour = "#E8E8E8"

# Below this place on the scale white text has more contrast than black
# (relative luminance 0.179, WCAG 2.1).
white_below = 0.439

# ----------------------------------------------------------------- header
# Lines "# key: value", read as text: no shell, no evaluation. The last comment
# line of a block, "# matrix: ...", says what the table below it holds.
cpu_model = ""
hostname = ""
hypervisor = ""
command = ""
method = ""
passes = ""
started = ""
complete = ""
tool = ""
block = -1
what = ""
known = ""
key = ""
unquoted(s) = s[1:1] eq "\"" ? s[2:strlen(s) - 1] : s
wanted = "machine.cpu_model: machine.hostname: machine.hypervisor: command: options.method: run.passes: started: tool.version: complete: matrix:"

set terminal unknown
set datafile commentschars ""
stats in_path using (0) nooutput
do for [b = 0:STATS_blocks - 1] {
	l = 0
	comment = block < 0
	while (comment) {
		sign = ""
		key = ""
		set table $ignored
		plot in_path index b every ::l::l using (sign = strcol(1), key = strcol(2), 0) with table
		comment = sign eq "#" && key ne "matrix:"
		line = ""
		# As one text, which gnuplot has no room for in every line.
		if (sign eq "#" && strstrt(" ".wanted." ", " ".key." ")) {
			set datafile separator "\n"
			plot in_path index b every ::l::l using (line = strcol(1), 0) with table
			set datafile separator whitespace
		}
		unset table
		text = unquoted(line[strlen(key) + 4:strlen(line)])
		if (key eq "machine.cpu_model:") { cpu_model = text }
		if (key eq "machine.hostname:") { hostname = text }
		if (key eq "machine.hypervisor:") { hypervisor = text }
		if (key eq "command:") { command = text }
		if (key eq "options.method:") { method = text }
		if (key eq "run.passes:") { passes = text }
		if (key eq "started:") { started = text[1:10] }
		if (key eq "tool.version:") { tool = text }
		if (key eq "complete:") { complete = text }
		l = l + 1
	}
	if (block < 0 && key eq "matrix:") {
		what = text
		known = known.(known eq "" ? "" : ", ").word(what, 1)." ".word(what, 2)
		if ((want_matrix eq "" || want_matrix eq word(what, 1)) && (want_statistic eq "" || want_statistic eq word(what, 2))) { block = b }
	}
}
if (block < 0) {
	print fail(sprintf("%s has no such matrix; it has: %s", ARG1, known eq "" ? "none" : known))
	exit status 1
}
set datafile commentschars "#"

name = word(what, 1)
statistic = word(what, 2)
unit = word(what, 3)
quantity = word(what, 4) eq "-" ? "" : word(what, 4)
higher = word(what, 5) eq "higher"
symmetric = word(what, 6) eq "symmetric"

# ----------------------------------------------------------------- matrix
# The first line of the block names the columns, the first column the rows.
stats in_path index block every ::0::0 using (0) nooutput
n = int(STATS_columns) - 1
array V[n * n]
array label[n]
row = 0
longest_label = 1
set table $ignored
plot in_path index block every ::1 using (row < n ? (row = row + 1, label[row] = strcol(1), longest_label = strlen(label[row]) > longest_label ? strlen(label[row]) : longest_label, sum [j = 1:n] (V[(row - 1) * n + j] = column(j + 1), 0)) : 0) with table
unset table

# ------------------------------------------------------- range of colours
# All values that are there, sorted. NaN is the one value unequal to itself.
number(x) = (x == x)
bigger(a, b) = a > b ? a : b
smaller(a, b) = a < b ? a : b
cells = sum [i = 1:n * n] number(V[i])
low = 0.0
high = 1.0
least = 0
most = 0
middle = 0
if (cells > 0) {
	array there[cells]
	k = 0
	k = sum [i = 1:n * n] (number(V[i]) ? (k = k + 1, there[k] = V[i], 0) : 0)
	stats there using 2 nooutput
	least = STATS_min
	most = STATS_max
	middle = STATS_median
	set format x "%.15g"
	set xrange [least - 1:most + 1]
	set yrange [0:cells + 1]
	set table $sorted
	plot there using 2:(1) smooth frequency
	unset table
	set format x
	array sorted[cells]
	k = 0
	stats $sorted using (sum [i = 1:int($2)] (k = k + 1, sorted[k] = $1, 0)) nooutput

	# A few cells far from all others must not flatten the scale. At the
	# bad end up to 1 % of them, or one pair, and at the good end 0.1 %,
	# lie beyond it if they are more than three times as far away as the
	# rest; so does what is above ten times the median. Fewer values than
	# those of four CPUs have no exceptions. src/plot/scale.c does the same.
	bad = cells < 12 ? 0 : bigger(cells / 100, 2)
	good = cells / 1000
	last = cells - (higher ? good : bad)
	if (cells >= 12 && middle > 0) {
		while (sorted[last] > 10 * middle) { last = last - 1 }
	}
	first = 1 + (higher ? bad : good)
	limit = least + 3 * (sorted[last] - least)
	last = cells
	while (sorted[last] > limit) { last = last - 1 }
	high = sorted[last]
	limit = high - 3 * (high - sorted[first])
	first = 1
	while (sorted[first] < limit) { first = first + 1 }
	low = sorted[first]
}
if (want_range ne "") {
	at = strstrt(want_range, ":")
	low = real(want_range[1:at - 1])
	high = real(want_range[at + 1:strlen(want_range)])
}
below = sum [i = 1:n * n] (V[i] < low)
above = sum [i = 1:n * n] (V[i] > high)
constant = high <= low
if (constant) {
	high = low + (low == 0 ? 1 : 0.05 * abs(low))
	low = 2 * low - high
}

# --------------------------------------------------------------- numbers
# Digits after the point that keep about three figures of a span.
decimals(span) = span >= 100 ? 0 : span > 1e-9 ? 2 - floor(log10(span)) : 0
fixed(x, d) = sprintf("%.".sprintf("%d", d)."f", abs(x) < 0.5 * 10.0 ** -d ? 0 : x)
short(x, d) = abs(x) >= 1e9 ? sprintf("%.0fG", x / 1e9) : abs(x) >= 1e6 ? sprintf("%.0fM", x / 1e6) : abs(x) >= 1e4 ? sprintf("%.0fk", x / 1e3) : fixed(x, d)

# ----------------------------------------------------------------- layout
# Whole pixels of a PNG, at most 1,792 of them for all cells together while
# cells stay 4 pixels or more wide.
cell = bigger(n <= 512 ? 4 : 2, floor(smaller(1800, 300 * sqrt(n)) / n)) / 2.0
side = n * cell
margin = 12
digit = 0.64                     # width of a digit of DejaVu Sans, in em

tick_size = 10
label_width = longest_label * digit
if (label_width * 10 + 4 > cell && label_width * 8 + 3 <= cell) { tick_size = 8 }
step = 1
while (step * cell < label_width * tick_size + (step > 1 ? 8 : 3)) { step = 2 * step }

# Numbers in the cells, at the largest size that fits.
broken = sum [i = 1:n * n] (number(V[i]) && V[i] != floor(V[i]))
d = broken ? decimals(bigger(abs(middle), high - low)) : 0
number_size = 0
while (d >= 0 && number_size < (d > 0 ? 8 : 5.8)) {
	longest = 1
	k = sum [i = 1:n * n] (number(V[i]) ? (longest = bigger(longest, strlen(short(V[i], d))), 0) : 0)
	number_size = smaller(smaller(12, 0.45 * cell), 0.82 * cell / (longest * digit))
	d = d - 1
}
d = d + 1
with_numbers = cells > 0 && number_size >= 5.8

# The colour bar: ends, and round numbers between them.
d_bar = decimals(constant ? abs(middle) : high - low)
raw = (high - low) / (side < 250 ? 3 : 6)
power = 10 ** floor(log10(raw))
tick = raw / power < 1.5 ? power : raw / power < 3.5 ? 2 * power : raw / power < 7.5 ? 5 * power : 10 * power
d_tick = tick < 1 ? ceil(-log10(tick)) : 0
low_text = (below ? "≤ " : "").fixed(low, d_bar)
high_text = (above ? "≥ " : "").fixed(high, d_bar)
bar_chars = bigger(strlen(low_text), bigger(strlen(high_text), strlen(fixed(high, d_tick))))

measured = (quantity eq "" ? name : quantity eq "rate" ? name." rate" : quantity." ".name).", ".statistic." [".unit."]"
bar_label = measured." (".(higher ? "higher" : "lower")." is better)"
bar_lines = 1
if (strlen(bar_label) * 0.57 * 10.5 > side + 20) {
	bar_label = measured."\n(".(higher ? "higher" : "lower")." is better)"
	bar_lines = 2
}

left = margin + 20 + label_width * tick_size + 6
right = 18 + 16 + 6 + bar_chars * digit * 10 + 6 + 14 * bar_lines + margin
width = bigger(560, left + side + right)
left = left + (width - left - side - right) / 2

# ------------------------------------------------------------------ texts
array says[3]
array size_of[3] = [13, 10.5, 9]
array wide_of[3] = [0.66, 0.57, 0.57]   # mean width of a letter, in em
array lines[3]
cut(s, most) = strlen(s) > most ? s[1:most - 1]."…" : s
add(s) = s eq "" ? "" : " · ".s
drop(s) = s[1:3] eq " · " ? s[4:strlen(s)] : s
says[1] = want_title ne "" ? want_title : drop(add(cut(cpu_model, 72)).add(cut(hostname, 40)).add(cut(hypervisor, 24)))
says[2] = drop(add(command eq "" || tool eq "" ? "" : "c2c ".command.(method eq "" ? "" : " (".method.")")).add(measured).add(passes eq "" ? "" : passes.(passes eq "1" ? " pass" : " passes")).add(complete eq "false" ? "incomplete" : "").add(started))
says[3] = ""
if (below + above > 0) {
	says[3] = sprintf("Values from %s to %s %s; %d of %d lie beyond the colours.", fixed(least, decimals(most - least)), fixed(most, decimals(most - least)), unit, below + above, cells)
}
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
top = margin + 18 * lines[1] + 15 * lines[2] + 8
bottom = 5 + tick_size + 4 + 16 + 13 * lines[3] + margin
height = top + side + bottom

# ---------------------------------------------------------------- drawing
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

X(u) = u / width
Y(u) = 1 - u / height
sized(size) = sprintf("sans-serif,%g", size)
bold(size) = sprintf("sans-serif Bold,%g", size)

set lmargin at screen X(left)
set rmargin at screen X(left + side)
set tmargin at screen Y(top)
set bmargin at screen Y(top + side)
set xrange [-0.5:n - 0.5]
set yrange [n - 0.5:-0.5]
unset key
set border 15 linewidth 0.5 linecolor rgb "#888888"

set label says[1] at screen 0.5, Y(margin + 6) center font bold(size_of[1])
set label says[2] at screen 0.5, Y(margin + 18 * lines[1] + 5) center font sized(size_of[2]) textcolor rgb "#444444"
set label says[3] at screen 0.5, Y(height - margin - 13 * lines[3] + 7) center font sized(size_of[3]) textcolor rgb "#444444"

first_role = symmetric ? "CPU" : command eq "queue" ? "CPU (writer)" : command eq "memcpy" ? "CPU (source)" : command eq "latency" ? "CPU (ping)" : "first CPU"
second_role = symmetric ? "CPU" : command eq "queue" ? "CPU (reader)" : command eq "memcpy" ? "CPU (copier)" : command eq "latency" ? "CPU (pong)" : "second CPU"
set label first_role at screen X(left - label_width * tick_size - 18), Y(top + side / 2) center rotate by 90 font sized(10.5)
set label second_role at screen X(left + side / 2), Y(top + side + 5 + tick_size + 11) center font sized(10.5)

# Marks only where not every CPU has its label.
unset xtics
unset ytics
do for [i = 0:n - 1:step] {
	set label label[i + 1] at first i, screen Y(top + side + 5 + tick_size / 2) center font sized(tick_size)
	set label label[i + 1] at screen X(left - 6), first i right font sized(tick_size)
	if (step > 1) {
		set arrow from first i, screen Y(top + side) to first i, screen Y(top + side + 3) nohead linewidth 0.5 linecolor rgb "#888888"
		set arrow from screen X(left), first i to screen X(left - 3), first i nohead linewidth 0.5 linecolor rgb "#888888"
	}
}

do for [i = 1:words(minor)] {
	at = real(word(minor, i)) - 0.5
	set arrow from at, graph 0 to at, graph 1 nohead front linewidth 0.6 linecolor rgb "white"
	set arrow from graph 0, first at to graph 1, first at nohead front linewidth 0.6 linecolor rgb "white"
}
do for [i = 1:words(major)] {
	at = real(word(major, i)) - 0.5
	set arrow from at, graph 0 to at, graph 1 nohead front linewidth 2 linecolor rgb "white"
	set arrow from graph 0, first at to graph 1, first at nohead front linewidth 2 linecolor rgb "white"
}

# Rates turn the palette round, so that dark is near in every picture.
anchors = words(viridis)
steps = ""
do for [i = 1:anchors] {
	steps = steps.(i > 1 ? ", " : "").sprintf("%d \"%s\"", i, word(viridis, higher ? anchors + 1 - i : i))
}
eval "set palette defined (".steps.")"
set palette maxcolors 0
set cbrange [low:high]

set colorbox vertical user origin X(left + side + 18), Y(top + side) size 16.0 / width, 1.0 * side / height
set style line 1 linewidth 0.5 linecolor rgb "#888888"
set colorbox border 1
unset cbtics
bar_x = left + side + 18 + 16
bar_y(v) = Y(top + side * (high - v) / (high - low))
if (cells == 0) {
	unset colorbox
	set label "no values" at graph 0.5, 0.5 center front font sized(12)
} else {
	near = (high - low) * 14 / side
	do for [i = ceil(low / tick):floor(high / tick)] {
		v = i * tick
		if (!constant && v - low > near && high - v > near) {
			set label fixed(v, d_tick) at screen X(bar_x + 6), bar_y(v) left font sized(10)
			set arrow from screen X(bar_x), bar_y(v) to screen X(bar_x + 3), bar_y(v) nohead linewidth 0.5 linecolor rgb "#888888"
		}
	}
	if (constant) {
		set label fixed(middle, d_bar) at screen X(bar_x + 6), bar_y(middle) left font sized(10)
	} else {
		set label low_text at screen X(bar_x + 6), bar_y(low) left font sized(10)
		set label high_text at screen X(bar_x + 6), bar_y(high) left font sized(10)
	}
	set label bar_label at screen X(left + side + right - margin - 14 * bar_lines + 7), Y(top + side / 2) center rotate by 90 font sized(10.5)
}

# Rows and columns of the k-th value.
column_of(k) = int(k - 1) % n
row_of(k) = int(k - 1) / n
share(v) = (v - low) / (high - low)
ink(v) = (higher ? 1 - share(v) : share(v)) < white_below ? 0xffffff : 0x000000

# Each cell reaches under the next ones, or in vector files seams would show
# where the edges of two are smoothed. Very many cells are an image instead,
# whose missing values let the background through; late in SVG, because its
# viewers blur an image that they enlarge.
reach(i) = smaller(i + 0.7, n - 0.5)
missing(k) = number(V[k]) ? NaN : column_of(k)
stroke(k) = number(V[k]) || column_of(k) == row_of(k) ? NaN : column_of(k)
numbered(k) = with_numbers && number(V[k]) ? column_of(k) : NaN
most_boxes = terminal eq "svg" ? 256 : 128
if (n == 1 || n > most_boxes) {
	set object 1 rectangle from graph 0, 0 to graph 1, 1 behind fillcolor rgb missing_colour fillstyle solid noborder
	if (n == 1) { plot NaN notitle } else { plot V using (column_of($1)):(row_of($1)):2 with image notitle }
} else {
	plot V using (column_of($1)):(row_of($1)):(column_of($1) - 0.5):(reach(column_of($1))):(row_of($1) - 0.5):(reach(row_of($1))):2 with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
		V using (missing($1)):(row_of($1)):(0.5):(0.5) with boxxyerror fillstyle solid 1 noborder linecolor rgb missing_colour notitle, \
		V using (stroke($1) - 0.25):(row_of($1) + 0.25):(0.5):(-0.5) with vectors nohead linewidth 0.5 linecolor rgb "#999999" notitle, \
		V using (numbered($1)):(row_of($1)):(short($2, d)):(ink($2)) with labels font sized(number_size) textcolor rgb variable notitle
}
set output
