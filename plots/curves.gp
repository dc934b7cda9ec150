
# ----------------------------------------------------------------- panels
# A line "panel" is x y w h, then the least, the most and the base of powers (0:
# none) of either axis. Those behind it are of this panel: "curve", "bound",
# "single" and "fit", of a block, in a colour, with a width; and for curves a
# shape with its size and how often it is drawn, and 1 for a white inside.
number(x) = (x == x)
inside(v, other) = number(v) && number(other) ? (v < low ? low : v > high ? high : v) : NaN
block(i) = int(num(said[i], 1))
tint(i) = int("0x".word(said[i], 2)[2:7])
weight(i) = num(said[i], 3) * thick
shape(i) = int(num(said[i], 4))
white(i) = num(said[i], 6)
set pointintervalbox 0.8
do for [i = 1:lines] {
	if (op[i] ne "panel") { continue }
	s = said[i]
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
	# Thin things below, thick ones above.
	do for [layer = 1:3] {
		do for [c = i + 1:lines] {
			if (op[c] eq "panel") { break }
			if (layer == 1 && op[c] eq "curve") {
				plot in_path index block(c) using 1:(inside($3, $4)):(inside($4, $3)) with filledcurves fillcolor rgb tint(c) fillstyle transparent solid 0.16 noborder notitle
			}
			if (layer == 2 && op[c] eq "single") {
				plot in_path index block(c) using 1:2 with linespoints pointtype 7 pointsize 0.3 * dot linewidth weight(c) linecolor rgb tint(c) notitle
			}
			if (layer == 2 && op[c] eq "bound") {
				plot in_path index block(c) using 1:5 with lines dashtype 2 linewidth weight(c) linecolor rgb tint(c) notitle
			}
			if (layer == 2 && op[c] eq "fit") {
				plot in_path index block(c) using 1:6 with lines dashtype 2 linewidth weight(c) linecolor rgb tint(c) notitle
			}
			if (layer == 3 && op[c] eq "curve") {
				plot in_path index block(c) using 1:2 with lines linewidth weight(c) linecolor rgb tint(c) notitle
				if (white(c) == 1) {
					plot in_path index block(c) using 1:2 with points pointtype shape(c) + 1 pointsize num(said[c], 5) * dot linecolor rgb "white" notitle
				}
				plot in_path index block(c) using 1:2 with points pointtype shape(c) pointsize num(said[c], 5) * dot linecolor rgb tint(c) notitle
			}
		}
	}
}
