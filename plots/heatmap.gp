
# ---------------------------------------------------------------- colours
# The anchors of the palette, equally spaced.
do for [i = 1:lines] {
	if (op[i] eq "colours") { colours = said[i] }
	if (op[i] eq "bar") { bar = said[i] }
	if (op[i] eq "cells") { cells = said[i] }
}
anchors = words(colours)
array level[3 * anchors]
do for [i = 1:anchors] {
	do for [c = 1:3] { level[3 * i - 3 + c] = int("0x".word(colours, i)[2 * c:2 * c + 1]) / 255.0 }
}
place(g) = g >= 1 ? anchors - 1 : int(g * (anchors - 1)) + 1
mix(g, c) = (k = place(g), share = g * (anchors - 1) - (k - 1), (1 - share) * level[3 * k - 3 + c] + share * level[3 * k + c])
set palette functions mix(gray, 1), mix(gray, 2), mix(gray, 3)
set palette maxcolors 0
set cbrange [num(bar, 5):num(bar, 6)]
set style line 1 linewidth 0.5 linecolor rgb "#888888"
set colorbox border 1
unset cbtics

# ---------------------------------------------------------------- panels
# Where the k-th value stands.
row_of(k) = int(k - 1) / n
column_of(k) = int(k - 1) % n

# Each cell extends under its neighbours; otherwise vector files show seams where
# two smoothed edges meet. Very many cells are an image instead, in which missing
# values are transparent; in SVG only beyond 256, because its viewers blur an
# enlarged image.
number(x) = (x == x)
reach(i) = i + (0.7 < n - 0.5 - i ? 0.7 : n - 0.5 - i)
# A cell without a value would leave its colour at the edges of others.
present(k) = number(V[k]) ? column_of(k) : NaN
missing(k) = number(V[k]) ? NaN : column_of(k)
stroke(k) = number(V[k]) || column_of(k) == row_of(k) ? NaN : column_of(k)
most_boxes = kind eq "svg" ? 256 : 128
p = 0
do for [i = 1:lines] {
	if (op[i] ne "matrix") { continue }
	p = p + 1
	s = said[i]
	block = int(num(s, 5))
	n = int(num(s, 6))
	# The first line of a block names the columns, the first column the rows.
	array V[n * n]
	row = 0
	set table $ignored
	plot in_path index block every ::1 using (row < n ? (row = row + 1, sum [j = 1:n] (V[(row - 1) * n + j] = column(j + 1), 0)) : 0) with table
	unset table
	set lmargin at screen left_of(s)
	set rmargin at screen right_of(s)
	set tmargin at screen top_of(s)
	set bmargin at screen bottom_of(s)
	set xrange [-0.5:n - 0.5]
	set yrange [n - 0.5:-0.5]
	if (p == 1 && num(bar, 3) > 0) {
		set colorbox vertical user origin left_of(bar), bottom_of(bar) size num(bar, 3) / width, num(bar, 4) / height
	} else { unset colorbox }
	if ((n == 1 && !number(V[1])) || n > most_boxes) {
		set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillcolor rgb "#E8E8E8" fillstyle solid noborder
		if (n == 1) { plot NaN notitle } else { plot V using (column_of($1)):(row_of($1)):2 with image notitle }
		# Or it would lie behind the whole page in the end.
		unset object
	} else {
		plot V using (present($1)):(row_of($1)):(column_of($1) - 0.5):(reach(column_of($1))):(row_of($1) - 0.5):(reach(row_of($1))):2 with boxxyerror fillstyle solid 1 noborder linecolor palette notitle, \
			V using (missing($1)):(row_of($1)):(0.5):(0.5) with boxxyerror fillstyle solid 1 noborder linecolor rgb "#E8E8E8" notitle, \
			V using (stroke($1) - 0.25):(row_of($1) + 0.25):(0.5):(-0.5) with vectors nohead linewidth 0.5 linecolor rgb "#999999" notitle
		unset colorbox
		if (num(cells, 2) > 0) {
			plot in_path index int(num(cells, 1)) using ($1 == p ? $2 : NaN):3:(strcol(5)):4 with labels font sprintf("sans-serif,%g", num(cells, 2)) textcolor rgb variable notitle
		}
	}
}
