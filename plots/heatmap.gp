# Matrices of a .dat file that c2c wrote, as heatmaps side by side.
#
#     gnuplot -c heatmap.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...
#
# KEY is one of
#     matrix     the matrix of that name alone; all of the kind of the first,
#                which share one scale
#     statistic  which statistic of it; the first in the file
#     range      MIN:MAX of the colours; from the values
#     title      the first line above the picture; the machine
#     palette    viridis, or difference, where zero is white
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
palette_name = "viridis"
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
	if (key eq "palette") { palette_name = text } else {
	if (key eq "terminal") { terminal = text } else {
	if (key eq "minor") { minor = text } else {
	if (key eq "major") { major = text } else {
		print fail("unknown argument \"".arg."\"; known: matrix=, statistic=, range=, title=, palette=, terminal=, minor=, major=")
		exit status 2
	}}}}}}}}
}

# ---------------------------------------------------------------- palette
# viridis, ten anchors: Nathaniel J. Smith and Stefan van der Walt, 2015, CC0,
# https://bids.github.io/colormap/. Its luminance rises steadily, so that it
# survives grey print and every kind of colour blindness. The same anchors
# are in src/plot/palette.c. Dark is near (low latency, high rate).
# Differences from better to worse: PuOr of ColorBrewer 2.0, Cynthia Brewer and
# Mark Harrower, Apache License 2.0, https://colorbrewer2.org/.
viridis = "#440154 #482878 #3E4A89 #31688E #26828E #1F9E89 #35B779 #6DCD59 #B4DE2C #FDE725"
difference = "#2D004B #542788 #8073AC #B2ABD2 #D8DAEB #F7F7F7 #FEE0B6 #FDB863 #E08214 #B35806 #7F3B08"
is_difference = palette_name eq "difference"
colours = is_difference ? difference : viridis
missing_colour = "#E8E8E8"

# Below this place on the scale white text has more contrast than black
# (relative luminance 0.179, WCAG 2.1).
white_below = 0.439
# Of differences at both ends.
white_to = 0.191
white_from = 0.889

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

# --------------------------------------------------------------- matrices
# A panel is a matrix: chosen[p] is its block. The first names the kind.
panels = 0
array chosen[blocks]
first = -1
known = ""
names = ""
do for [b = 0:blocks - 1] {
	if (kind[b + 1] eq "matrix:") {
		known = known.(known eq "" ? "" : ", ").said[6 * b + 1]." ".said[6 * b + 2]
		if ((want_matrix eq "" || want_matrix eq said[6 * b + 1]) && (want_statistic eq "" || want_statistic eq said[6 * b + 2])) {
			if (first < 0) { first = b }
			alike = 1
			do for [i = 2:5] { alike = alike && said[6 * b + i] eq said[6 * first + i] }
			do for [p = 1:panels] { alike = alike && said[6 * b + 1] ne said[6 * chosen[p] + 1] }
			if (alike) {
				panels = panels + 1
				chosen[panels] = b
			}
		}
	}
}
if (panels == 0) {
	print fail(sprintf("%s has no such matrix; it has: %s", ARG1, known eq "" ? "none" : known))
	exit status 1
}
do for [p = 1:panels] {
	names = names.(p == 1 ? "" : p == panels ? " and " : ", ").said[6 * chosen[p] + 1]
}
statistic = said[6 * first + 2]
unit = said[6 * first + 3]
quantity = said[6 * first + 4] eq "-" ? "" : said[6 * first + 4]
higher = said[6 * first + 5] eq "higher"
symmetric = said[6 * first + 6] eq "symmetric"

# The first line of a block names the columns, the first column the rows.
stats in_path index first every ::0::0 using (0) nooutput
n = int(STATS_columns) - 1
array V[panels * n * n]
array label[n]
longest_label = 1
do for [p = 1:panels] {
	block = chosen[p]
	row = 0
	set table $ignored
	plot in_path index block every ::1 using (row < n ? (row = row + 1, label[row] = strcol(1), longest_label = strlen(label[row]) > longest_label ? strlen(label[row]) : longest_label, sum [j = 1:n] (V[((p - 1) * n + row - 1) * n + j] = column(j + 1), 0)) : 0) with table
	unset table
}

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

# ------------------------------------------------------- range of colours
# All values that are there, sorted.
places = panels * n * n
cells = sum [i = 1:places] number(V[i])
low = 0.0
high = 1.0
least = 0
most = 0
middle = 0
if (cells > 0) {
	array there[cells]
	k = 0
	k = sum [i = 1:places] (number(V[i]) ? (k = k + 1, there[k] = V[i], 0) : 0)
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
below = sum [i = 1:places] (V[i] < low)
above = sum [i = 1:places] (V[i] > high)
constant = high <= low
if (constant) {
	high = low + (low == 0 ? 1 : 0.05 * abs(low))
	low = 2 * low - high
}

# ----------------------------------------------------------------- layout
# Whole pixels of a PNG, at most 1,792 of them for the cells of a row while
# they stay 4 pixels or more wide. Panels are smaller, or a page would shrink
# their texts too much.
cell = floor(smaller(1800, 300 * sqrt(n)) / sqrt(panels) / n)
cell = bigger(n > 512 ? 2 : panels > 1 ? 3 : 4, cell) / 2.0
side = n * cell
margin = 12
digit = 0.64                     # width of a digit of DejaVu Sans, in em

tick_size = 10
label_width = longest_label * digit
if (label_width * 10 + 4 > cell && label_width * 8 + 3 <= cell) { tick_size = 8 }
step = 1
while (step * cell < label_width * tick_size + (step > 1 ? 8 : 3)) { step = 2 * step }

# Numbers in the cells, at the largest size that fits.
broken = sum [i = 1:places] (number(V[i]) && V[i] != floor(V[i]))
d = broken ? decimals(bigger(abs(middle), high - low)) : 0
number_size = 0
while (d >= 0 && number_size < (d > 0 ? 8 : 5.8)) {
	longest = 1
	k = sum [i = 1:places] (number(V[i]) ? (longest = bigger(longest, strlen(short(V[i], d))), 0) : 0)
	number_size = smaller(smaller(12, 0.45 * cell), 0.82 * cell / (longest * digit))
	d = d - 1
}
d = d + 1
with_numbers = cells > 0 && number_size >= 5.8

# The colour bar: ends, and round numbers between them.
d_bar = decimals(constant ? abs(middle) : high - low)
tick = step_of(high - low, side < 250 ? 3 : 6)
d_tick = tick < 1 ? ceil(-log10(tick)) : 0
low_text = (below ? "≤ " : "").fixed(low, d_bar)
high_text = (above ? "≥ " : "").fixed(high, d_bar)
bar_chars = bigger(strlen(low_text), bigger(strlen(high_text), strlen(fixed(high, d_tick))))

ending = ", ".statistic." [".unit."]"
measured = (quantity eq "" ? names : quantity[1:4] eq "rate" ? names." ".quantity : quantity." ".names).ending
bar_label = panels == 1 ? measured : (quantity eq "" ? "value" : quantity).ending
better = "(".(higher ? "higher" : "lower")." is better)"
bar_lines = strlen(bar_label." ".better) * 0.57 * 10.5 > side + 20 ? 2 : 1
bar_label = bar_label.(bar_lines == 2 ? "\n" : " ").better

left = margin + 20 + label_width * tick_size + 6
right = 18 + 16 + 6 + bar_chars * digit * 10 + 6 + 14 * bar_lines + margin
pitch = side + ceil(label_width * tick_size + 24)  # from panel to panel
wide = (panels - 1) * pitch + side
width = bigger(panels > 1 ? 640 : 560, left + wide + right)
left = left + (width - left - wide - right) / 2
head = panels > 1 ? 16 : 0
tall = side
foot = 5 + tick_size + 4 + 16

note = ""
if (below + above > 0) {
	d_note = decimals(most > least ? most - least : abs(most))
	note = sprintf("Values from %s to %s %s; %d of %d lie beyond the colours.", fixed(least, d_note), fixed(most, d_note), unit, below + above, cells)
}

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
set rmargin at screen X(left + wide)
set tmargin at screen Y(top)
set bmargin at screen Y(top + side)
# All panels are one plot, whose unit is a cell.
off(p) = (p - 1) * pitch / cell
set xrange [-0.5:off(panels) + n - 0.5]
set yrange [n - 0.5:-0.5]
unset key
unset border

first_role = symmetric ? "CPU" : command eq "queue" ? "CPU (writer)" : command eq "memcpy" ? "CPU (source)" : command eq "latency" ? "CPU (ping)" : "first CPU"
second_role = symmetric ? "CPU" : command eq "queue" ? "CPU (reader)" : command eq "memcpy" ? "CPU (copier)" : command eq "latency" ? "CPU (pong)" : "second CPU"
set label first_role at screen X(left - label_width * tick_size - 18), Y(top + side / 2) center rotate by 90 font sized(10.5)

# Marks only where not every CPU has its label.
unset xtics
unset ytics
do for [p = 1:panels] {
	at = left + (p - 1) * pitch
	if (panels > 1) {
		set label said[6 * chosen[p] + 1] at screen X(at + side / 2), Y(top - 10) center font bold(11)
	}
	set label second_role at screen X(at + side / 2), Y(top + side + 5 + tick_size + 11) center font sized(10.5)
	set object 2 * p rectangle from off(p) - 0.5, graph 0 to off(p) + n - 0.5, graph 1 front fillstyle empty border rgb "#888888" linewidth 0.5
	do for [i = 0:n - 1:step] {
		set label label[i + 1] at first off(p) + i, screen Y(top + side + 5 + tick_size / 2) center font sized(tick_size)
		set label label[i + 1] at screen X(at - 6), first i right font sized(tick_size)
		if (step > 1) {
			set arrow from first off(p) + i, screen Y(top + side) to first off(p) + i, screen Y(top + side + 3) nohead linewidth 0.5 linecolor rgb "#888888"
			set arrow from screen X(at), first i to screen X(at - 3), first i nohead linewidth 0.5 linecolor rgb "#888888"
		}
	}
	do for [thick = 0:1] {
		at_places = thick ? major : minor
		do for [i = 1:words(at_places)] {
			v = real(word(at_places, i)) - 0.5
			set arrow from off(p) + v, graph 0 to off(p) + v, graph 1 nohead front linewidth (thick ? 2 : 0.6) linecolor rgb "white"
			set arrow from off(p) - 0.5, first v to off(p) + n - 0.5, first v nohead front linewidth (thick ? 2 : 0.6) linecolor rgb "white"
		}
	}
}

# Rates turn the palette round, so that dark is near in every picture.
anchors = words(colours)
steps = ""
do for [i = 1:anchors] {
	steps = steps.(i > 1 ? ", " : "").sprintf("%d \"%s\"", i, word(colours, higher ? anchors + 1 - i : i))
}
eval "set palette defined (".steps.")"
set palette maxcolors 0
set cbrange [low:high]

set colorbox vertical user origin X(left + wide + 18), Y(top + side) size 16.0 / width, 1.0 * side / height
set style line 1 linewidth 0.5 linecolor rgb "#888888"
set colorbox border 1
unset cbtics
bar_x = left + wide + 18 + 16
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
	set label bar_label at screen X(left + wide + right - margin - 14 * bar_lines + 7), Y(top + side / 2) center rotate by 90 font sized(10.5)
}

# Where the k-th value stands.
row_of(k) = int(k - 1) / n % n
column_of(k) = int(k - 1) % n
x_of(k) = off(int(k - 1) / (n * n) + 1) + column_of(k)
share(v) = (v - low) / (high - low)
toward(v) = higher ? 1 - share(v) : share(v)
is_dark(s) = is_difference ? s < white_to || s > white_from : s < white_below
ink(v) = is_dark(toward(v)) ? 0xffffff : 0x000000

# Each cell reaches under the next ones, or in vector files seams would show
# where the edges of two are smoothed. Very many cells are an image instead,
# whose missing values let the background through; late in SVG, because its
# viewers blur an image that they enlarge.
reach(i) = smaller(0.7, n - 0.5 - i)
missing(k) = number(V[k]) ? NaN : x_of(k)
stroke(k) = number(V[k]) || column_of(k) == row_of(k) ? NaN : x_of(k)
numbered(k) = with_numbers && number(V[k]) ? x_of(k) : NaN
most_boxes = terminal eq "svg" ? 256 : 128
if (n == 1 || n > most_boxes) {
	do for [p = 1:panels] {
		set object 2 * p - 1 rectangle from off(p) - 0.5, graph 0 to off(p) + n - 0.5, graph 1 behind fillcolor rgb missing_colour fillstyle solid noborder
	}
	if (n == 1) { plot NaN notitle } else { plot for [p = 1:panels] V every ::(p - 1) * n * n::p * n * n - 1 using (x_of($1)):(row_of($1)):2 with image notitle }
} else {
	plot V using (x_of($1)):(row_of($1)):(x_of($1) - 0.5):(x_of($1) + reach(column_of($1))):(row_of($1) - 0.5):(row_of($1) + reach(row_of($1))):2 with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
		V using (missing($1)):(row_of($1)):(0.5):(0.5) with boxxyerror fillstyle solid 1 noborder linecolor rgb missing_colour notitle, \
		V using (stroke($1) - 0.25):(row_of($1) + 0.25):(0.5):(-0.5) with vectors nohead linewidth 0.5 linecolor rgb "#999999" notitle, \
		V using (numbered($1)):(row_of($1)):(short($2, d)):(ink($2)) with labels font sized(number_size) textcolor rgb variable notitle
}
set output
