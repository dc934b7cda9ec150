
# ----------------------------------------------------------------- panels
# A line "panel" is x y w h, then the least, the most and the base of powers (0:
# linear) of either axis. The lines after it draw blocks of the file into this
# panel: "band BLOCK COLOUR", "line BLOCK COLUMN COLOUR WIDTH DASHES" and "dots
# BLOCK COLOUR SHAPE SIZE".
number(x) = (x == x)
inside(v, other) = number(v) && number(other) ? (v < low ? low : v > high ? high : v) : NaN
tint(text) = int("0x".text[2:7])
do for [i = 1:lines] {
	s = said[i]
	block = int(num(s, 1))
	if (op[i] eq "panel") {
		set lmargin at screen left_of(s)
		set rmargin at screen right_of(s)
		set tmargin at screen top_of(s)
		set bmargin at screen bottom_of(s)
		unset logscale
		set xrange [num(s, 5):num(s, 6)]
		set yrange [num(s, 8):num(s, 9)]
		if (num(s, 7) > 0) { set logscale x num(s, 7) }
		if (num(s, 10) > 0) { set logscale y num(s, 10) }
		low = num(s, 8)
		high = num(s, 9)
	}
	if (op[i] eq "band") {
		plot in_path index block using 1:(inside($3, $4)):(inside($4, $3)) with filledcurves fillcolor rgb tint(word(s, 2)) fillstyle transparent solid 0.16 noborder notitle
	}
	if (op[i] eq "line") {
		plot in_path index block using 1:int(num(s, 2)) with lines linewidth num(s, 4) * thick dashtype int(num(s, 5)) linecolor rgb tint(word(s, 3)) notitle
	}
	if (op[i] eq "dots") {
		plot in_path index block using 1:2 with points pointtype int(num(s, 3)) pointsize num(s, 4) * dot linecolor rgb tint(word(s, 2)) notitle
	}
}
