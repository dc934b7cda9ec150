
# ------------------------------------------------------- above the panels
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen 1
set bmargin at screen 0
unset logscale
set xrange [0:1]
set yrange [0:1]
do for [i = 1:lines] {
	s = said[i]
	if (op[i] eq "front") {
		set arrow i from screen X(num(s, 1)), Y(num(s, 2)) to screen X(num(s, 3)), Y(num(s, 4)) nohead front linewidth num(s, 5) * thick linecolor rgb word(s, 6)
	}
	if (op[i] eq "point") {
		set label i "" at screen X(num(s, 1)), Y(num(s, 2)) front point pointtype int(num(s, 3)) pointsize num(s, 4) * dot linecolor rgb word(s, 5)
	}
	if (op[i] eq "text") {
		letters = sprintf("sans-serif%s,%g", word(s, 5) eq "bold" ? " Bold" : "", num(s, 4))
		said_here = behind(s, 7)
		if (word(s, 3) eq "left") { set label i said_here at screen X(num(s, 1)), Y(num(s, 2)) left rotate by num(s, 6) font letters textcolor rgb word(s, 7) }
		if (word(s, 3) eq "center") { set label i said_here at screen X(num(s, 1)), Y(num(s, 2)) center rotate by num(s, 6) font letters textcolor rgb word(s, 7) }
		if (word(s, 3) eq "right") { set label i said_here at screen X(num(s, 1)), Y(num(s, 2)) right rotate by num(s, 6) font letters textcolor rgb word(s, 7) }
	}
}
plot NaN notitle
unset multiplot
set output
