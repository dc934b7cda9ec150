# Curves of a .dat file that c2c cl wrote, a panel for those of the same axes.
#
#     gnuplot -c cl.gp IN.dat OUT.{png,svg,pdf} [KEY=VALUE]...
#
# KEY is one of
#     statistic  what the points are; median, or the first in the file
#     range      MIN:MAX of the y axes; from the values
#     title      the first line above the picture; the machine
#     terminal   png, svg or pdf; by the end of OUT
#     test       of all tests in the file this one alone, with all its panels
#
# Of all tests a page has the main panels of each; the record of one test, or
# test=, has all of that. Where there are several devices each has its part.
#
# Bands are from ci_low to ci_high, dashed lines the series "ceiling", drawn
# where they are no more than three times as high as the curves, and in numbers
# below the title. Times, ratios, calls and sizes of work-groups are drawn in
# powers if they differ much, other rates from 0.
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
want_test = ""
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
	if (key eq "test") { want_test = text } else {
		print fail("unknown argument \"".arg."\"; known: statistic=, range=, title=, terminal=, test=")
		exit status 2
	}}}}}
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

# ----------------------------------------------------------------- points
# Those of block b, counted from 0, are from[b + 1] + 1 to from[b + 1] +
# rows[b + 1] of px[] and py[].
array from[blocks]
n = 0
do for [b = 1:blocks] {
	from[b] = n
	n = n + rows[b]
}
array px[bigger(1, n)]
array py[bigger(1, n)]
n = 0
set datafile commentschars ""
set table $ignored
plot in_path using (strcol(1) eq "#" ? 0 : (n = n + 1, px[n] = column(1), py[n] = column(2), 0)) with table
unset table
set datafile commentschars "#"

# ----------------------------------------------------------------- panels
# The curves of the statistic: chosen[c] is the block, panel[c] where it goes.
# What a panel shows is "TEST: TITLE, device N (NAME)" in a record of all tests
# and devices, less in others.
is_all = method eq "all" && want_test eq ""
test_of(what) = method eq "all" ? what[1:strstrt(what, ": ") - 1] : method
device_of(what) = strstrt(what, ", device ") ? what[strstrt(what, ", device ") + 2:strlen(what)] : ""
untested(what) = method eq "all" ? what[strstrt(what, ": ") + 2:strlen(what)] : what
undeviced(what) = strstrt(what, ", device ") ? what[1:strstrt(what, ", device ") - 1] : what
title_of(what) = undeviced(untested(what))
starts(text, with) = text[1:strlen(with)] eq with

statistic = want_statistic
known = ""
do for [b = 0:blocks - 1] {
	if (kind[b + 1] eq "series:" && said[6 * b + 6] ne "ceiling") {
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
	if (kind[b + 1] eq "series:" && said[6 * b + 6] eq statistic && (want_test eq "" || test_of(said[6 * b + 4]) eq want_test)) {
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
	print fail(sprintf("%s has no such curve%s; it has the statistics: %s", ARG1, want_test eq "" ? "" : " of the test ".want_test, known eq "" ? "none" : known))
	exit status 1
}

# Intervals belong to the curve of the same name and axes, ceilings to panels.
with_band = 0
array ceiling[blocks]
array ceiling_panel[blocks]
ceilings = 0
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
	if (kind[b + 1] eq "series:" && what eq "ceiling") {
		do for [p = 1:panels] {
			alike = 1
			do for [i = 2:5] { alike = alike && said[6 * b + i] eq said[6 * first_of[p] + i] }
			if (alike) {
				ceilings = ceilings + 1
				ceiling[ceilings] = b
				ceiling_panel[ceilings] = p
			}
		}
	}
}

# Which of them a page of all tests has: of the arrays of rowcol the article's
# words, of functions the best of each in a panel for all, called row -1.
array devices[panels]
array tests[panels]
array titles[panels]
array units[panels]
array names[panels]
array on_page[panels]
with_words = 0
do for [p = 1:panels] {
	what = said[6 * first_of[p] + 4]
	devices[p] = device_of(what)
	tests[p] = test_of(what)
	titles[p] = title_of(what)
	units[p] = said[6 * first_of[p] + 5]
	names[p] = "|"
	with_words = with_words || (tests[p] eq "rowcol" && titles[p] eq "read, 4 MiB of words")
}
do for [p = 1:panels] {
	array_of = tests[p] eq "rowcol" && (starts(titles[p], "read, ") || starts(titles[p], "write, "))
	on_page[p] = !is_all || !( \
		(array_of && with_words && titles[p] ne "read, 4 MiB of words" && titles[p] ne "write, 4 MiB of words") || \
		titles[p] eq "row over column, write" || starts(titles[p], "best work-group") || \
		units[p] eq "Gcalls/s" || (tests[p] eq "branch" && titles[p] eq "time"))
}

shown = 0
do for [p = 1:panels] { shown = shown + on_page[p] }
across = shown < 4 && !is_all ? bigger(1, shown) : 4
cell_wide = is_all ? 216 : across == 4 ? 230 : across == 3 ? 270 : 320
native_wide = floor(cell_wide / 3.8)    # characters

# The least and the most of each panel, and of each curve.
array least_x[panels]
array most_x[panels]
array least_y[panels]
array most_y[panels]
array best[curves]
do for [p = 1:panels] {
	least_x[p] = NaN
	most_x[p] = NaN
	least_y[p] = NaN
	most_y[p] = NaN
}
do for [c = 1:curves] {
	b = chosen[c]
	p = panel[c]
	names[p] = names[p].said[6 * b + 1]."|"
	best[c] = NaN
	do for [i = from[b + 1] + 1:from[b + 1] + rows[b + 1]] {
		if (number(py[i])) {
			least_x[p] = number(least_x[p]) ? smaller(least_x[p], px[i]) : px[i]
			most_x[p] = number(most_x[p]) ? bigger(most_x[p], px[i]) : px[i]
			least_y[p] = number(least_y[p]) ? smaller(least_y[p], py[i]) : py[i]
			most_y[p] = number(most_y[p]) ? bigger(most_y[p], py[i]) : py[i]
			best[c] = number(best[c]) ? bigger(best[c], py[i]) : py[i]
		}
	}
}

# Bands have some room above the curves.
array room[panels]
do for [p = 1:panels] { room[p] = 1.4 * most_y[p] }
do for [c = 1:curves] {
	if (high_of[c] >= 0) {
		p = panel[c]
		do for [i = from[high_of[c] + 1] + 1:from[high_of[c] + 1] + rows[high_of[c] + 1]] {
			if (number(py[i])) { most_y[p] = bigger(most_y[p], smaller(py[i], room[p])) }
		}
	}
}

# What the CPUs do natively, in lines below the title; drawn[] if within reach.
array ceiling_least[bigger(1, ceilings)]
array ceiling_most[bigger(1, ceilings)]
array drawn[bigger(1, ceilings)]
array natively[panels]
array native_lines[panels]
array native_room[panels]        # characters of the last line
array native_differs[panels]
array bounds[panels]
do for [p = 1:panels] {
	natively[p] = ""
	native_lines[p] = 0
	native_room[p] = 0
	native_differs[p] = 0
	bounds[p] = 0
}
do for [c = 1:ceilings] { bounds[ceiling_panel[c]] = bounds[ceiling_panel[c]] + 1 }
grouped(n) = n < 1000 ? sprintf("%.3g", n) : sprintf("%.0f", n)
do for [c = 1:ceilings] {
	b = ceiling[c]
	p = ceiling_panel[c]
	ceiling_least[c] = NaN
	ceiling_most[c] = NaN
	do for [i = from[b + 1] + 1:from[b + 1] + rows[b + 1]] {
		if (number(py[i])) {
			ceiling_least[c] = number(ceiling_least[c]) ? smaller(ceiling_least[c], py[i]) : py[i]
			ceiling_most[c] = number(ceiling_most[c]) ? bigger(ceiling_most[c], py[i]) : py[i]
		}
	}
	drawn[c] = 0
	if (number(ceiling_most[c])) {
		differs = ceiling_most[c] > 1.05 * ceiling_least[c]
		native_differs[p] = native_differs[p] || differs
		text = (bounds[p] > 1 ? said[6 * b + 1]." " : "").grouped(ceiling_least[c]).(differs ? "–".grouped(ceiling_most[c]) : "")
		if (natively[p] eq "") { text = "natively ".text } else { natively[p] = natively[p]."," }
		native_room[p] = native_room[p] - strlen(text) - 2
		if (native_room[p] < 0) {
			native_room[p] = native_wide - strlen(text)
			native_lines[p] = native_lines[p] + 1
		}
		natively[p] = natively[p].(natively[p] eq "" ? "" : native_room[p] == native_wide - strlen(text) ? "\n" : " ").text
		drawn[c] = ceiling_most[c] <= 3 * most_y[p]
	}
}
# From the least to the most along the axis, which is no interval.
do for [p = 1:panels] {
	if (native_differs[p]) {
		text = "by ".said[6 * first_of[p] + 2]
		native_lines[p] = native_lines[p] + (native_room[p] < strlen(text) + 1)
		natively[p] = natively[p].(native_room[p] < strlen(text) + 1 ? "\n" : " ").text
	}
}
any_drawn = 0
do for [c = 1:ceilings] {
	p = ceiling_panel[c]
	any_drawn = any_drawn || drawn[c]
	if (drawn[c]) { most_y[p] = bigger(most_y[p], ceiling_most[c]) }
}

# One colour and shape for each name within a test, hollow for what is padded,
# of which the legend has no entry of its own.
base(name) = strlen(name) > 8 && name[strlen(name) - 7:strlen(name)] eq ", padded" ? name[1:strlen(name) - 8] : name
is_padded(name) = base(name) ne name
array look[curves]
array listed[curves]
with_padded = 0
do for [c = 1:curves] {
	name = said[6 * chosen[c] + 1]
	look[c] = 0
	listed[c] = !(is_padded(name) && strstrt(names[panel[c]], "|".base(name)."|"))
	with_padded = with_padded || !listed[c]
}
do for [p = 1:panels] {
	if (!on_page[p]) { continue }
	taken = " "
	do for [c = 1:curves] {
		if (panel[c] == p) {
			do for [d = 1:c - 1] {
				if (tests[panel[d]] eq tests[p] && base(said[6 * chosen[d] + 1]) eq base(said[6 * chosen[c] + 1])) { look[c] = look[d] }
			}
			if (look[c]) { taken = taken.sprintf("%d ", look[c]) }
		}
	}
	do for [c = 1:curves] {
		if (panel[c] == p && look[c] == 0) {
			do for [d = 1:c - 1] {
				if (panel[d] == p && base(said[6 * chosen[d] + 1]) eq base(said[6 * chosen[c] + 1])) { look[c] = look[d] }
			}
			if (look[c] == 0) {
				look[c] = 1
				while (strstrt(taken, sprintf(" %d ", look[c]))) { look[c] = look[c] + 1 }
				taken = taken.sprintf("%d ", look[c])
			}
		}
	}
}

# ----------------------------------------------------------------- layout
# Panels of a kind are a group: of one test on a page of all, otherwise of what
# a title says before its comma; ratios of rowcol are last. The k-th panel is
# order[k], in row_of[k] and column_of[k]. A group goes to the first row that has
# room.
kind_before(title) = strstrt(title, ",") ? title[1:strstrt(title, ",") - 1] : title
kind_of(p) = is_all ? tests[p] : kind_before(titles[p])
late(p) = starts(titles[p], "row over column")
array order[panels]
array group[panels]
array row_of[panels]
array column_of[panels]
array used[2 * panels + 1]       # columns of each row
array row_device[2 * panels + 1]
array placed[panels]
do for [p = 1:panels] { placed[p] = !on_page[p] }
rows_down = 0
k = 0
do for [turn = is_all:1] {
	do for [p = 1:panels] {
		if (!placed[p] && (is_all || late(p) == turn)) {
			start = k
			do for [last = !is_all:1] {
				do for [q = p:panels] {
					if (!placed[q] && late(q) == (is_all ? last : turn) && devices[q] eq devices[p] && kind_of(q) eq kind_of(p)) {
						k = k + 1
						order[k] = q
						group[k] = p
						placed[q] = 1
					}
				}
			}
			n = k - start
			r = rows_down + 1
			if (n <= across) {
				do for [i = rows_down:1:-1] {
					if (used[i] + n <= across && row_device[i] eq devices[p]) { r = i }
				}
			}
			do for [i = 1:n] {
				if (r > rows_down) {
					rows_down = r
					used[r] = 0
					row_device[r] = devices[p]
				}
				used[r] = used[r] + 1
				row_of[start + i] = r
				column_of[start + i] = used[r]
				r = r + (used[r] == across && i < n)
			}
		}
	}
}

# Neighbours of a test that have no curves but those of the first share its
# legend: run[k] is the first, and its entries take run_lines[k] lines.
margin = 14
left = 36
right = 12
wide = cell_wide - left - right
tall = is_all ? 88 : across == 4 ? 130 : 160
head = 15
below = 29
entry_wide(name) = 25 + 4.4 * strlen(name)
array run[bigger(1, shown)]
array run_cells[bigger(1, shown)]
array run_lines[bigger(1, shown)]
array row_legend[rows_down + 1]
array row_native[rows_down + 1]
do for [r = 1:rows_down] {
	row_legend[r] = 0
	row_native[r] = 0
}
do for [k = 1:shown] {
	run[k] = k
	run_cells[k] = 1
	if (k > 1) {
		first = run[k - 1]
		alike = row_of[k] == row_of[first] && (!is_all || group[k] == group[first])
		do for [c = 1:curves] {
			if (panel[c] == order[k]) { alike = alike && strstrt(names[order[first]], "|".said[6 * chosen[c] + 1]."|") }
		}
		if (alike) {
			run[k] = first
			run_cells[run[k]] = run_cells[run[k]] + 1
		}
	}
	row_native[row_of[k]] = bigger(row_native[row_of[k]], 9 * native_lines[order[k]])
}
do for [k = 1:shown] {
	run_lines[k] = 0
	if (run[k] == k) {
		at = 0
		run_lines[k] = 1
		do for [c = 1:curves] {
			if (panel[c] == order[k] && listed[c]) {
				w = entry_wide(said[6 * chosen[c] + 1])
				if (at > 0 && at + w > run_cells[k] * cell_wide - right) {
					at = 0
					run_lines[k] = run_lines[k] + 1
				}
				at = at + w
			}
		}
		row_legend[row_of[k]] = bigger(row_legend[row_of[k]], 11 * run_lines[k] + 3)
	}
}

# Rows from the top; functions of a device follow its last row.
several = 0
do for [k = 1:shown] { several = several || devices[order[k]] ne "" }
group_high = is_all ? 20 : 6
device_high = several ? 30 : 0
functions_high = head + tall + 68
calls = 0
do for [p = 1:panels] { calls = calls || (is_all && units[p] eq "Gcalls/s") }
array row_y[rows_down + 1]
array functions_y[rows_down + 1]
down = 0
do for [r = 1:rows_down] {
	if (r == 1 || row_device[r] ne row_device[bigger(1, r - 1)]) { down = down + device_high }
	row_y[r] = down
	down = down + group_high + head + row_native[r] + tall + below + row_legend[r] + 8
	functions_y[r] = -1
	if (r == rows_down || row_device[r] ne row_device[r < rows_down ? r + 1 : r]) {
		any = 0
		do for [p = 1:panels] { any = any || (calls && units[p] eq "Gcalls/s" && devices[p] eq row_device[r]) }
		if (any) {
			functions_y[r] = down
			down = down + functions_high
		}
	}
}
grid_wide = across * cell_wide
width = bigger(2 * margin + grid_wide, 560)
indent = (width - grid_wide) / 2

# ------------------------------------------------------------------ texts
array says[3]
cut(s, most) = strlen(s) > most ? s[1:most - 1]."…" : s
add(s) = s eq "" ? "" : " · ".s
drop(s) = s[1:3] eq " · " ? s[4:strlen(s)] : s
# An implementation for CPUs has their model in the name that it gives them.
measured = device eq "" || (cpu_model ne "" && strstrt(device, cpu_model)) ? cpu_model : device
says[1] = want_title ne "" ? want_title : drop(add(cut(measured, 72)).add(cut(hostname, 40)).add(cut(hypervisor, 24)))
with = (want_test eq "" ? method : want_test).(size eq "" ? "" : ", ".bytes(real(size)))
says[2] = drop(add(command eq "" || tool eq "" ? "" : "c2c ".command.(with eq "" ? "" : " (".with.")").(platform eq "" ? "" : " through ".platform)).add(statistic).add(complete eq "false" ? "incomplete" : "").add(started))
says[3] = (with_band ? "Bands: 95 % intervals of the medians. " : "").(with_padded ? "Hollow: rows longer by a line (padded). " : "").(any_drawn ? "Dashed: what the same CPUs do natively. " : "")
do for [t = 1:3] { says[t] = cut(says[t], floor(width / (t == 3 ? 4.7 : 7.5))) }
top = margin + 40
height = top + down + (is_all ? 28 : 16) + margin

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
set label 3 says[3] at screen 0.5, Y(height - margin - (is_all ? 16 : 4)) center font sized(9) textcolor rgb "#444444"
if (is_all) { set label 11 "Main curves of each test; c2c plot --test NAME draws all of one." at screen 0.5, Y(height - margin - 4) center font sized(9) textcolor rgb "#444444" }

# ---------------------------------------------------------------- drawing
# Okabe and Ito's colours (Color Universal Design, 2008), which all eyes tell
# apart, the darker ones first; shapes differ too, for grey print.
colour_list = "#0072B2 #D55E00 #009E73 #CC79A7 #444444 #E69F00 #56B4E9"
shape_list = "7 5 9 13 11 15"
nth(list, i) = word(list, (i - 1) % words(list) + 1)
colour(c) = sprintf("linecolor rgb '%s'", nth(colour_list, look[c]))
shape(c) = int(nth(shape_list, look[c])) - is_padded(said[6 * chosen[c] + 1])
point_unit = terminal eq "png" ? 0.75 : terminal eq "pdf" ? 0.45 : 0.4
line_unit = terminal eq "pdf" ? 1.4 : 0.9

# Counts as one says them: "512", "4 Ki", "16 Mi".
parts(n, unit) = n >= unit && n / unit == floor(n / unit)
count(n) = parts(n, 1048576.0) ? sprintf("%g Mi", n / 1048576.0) : parts(n, 1024.0) ? sprintf("%g Ki", n / 1024.0) : sprintf("%.7g", n)

set border 3 linewidth 0.5 linecolor rgb "#888888"
set tics nomirror scale 0.4 font 'sans-serif,7.5' textcolor rgb "#444444"
set grid ytics linetype 1 linewidth 0.5 linecolor rgb "#E0E0E0"
unset key
# No line within hollow points.
set pointintervalbox 0.8
tag = 10
arrow = 1

# By the paper's rule 256 work-items are one group, which is one CPU's work. Of
# more CPUs than one, efficiency and speed-up differ; other devices have none.
is_scale(c) = said[6 * chosen[c] + 1] eq "OpenCL" && said[6 * chosen[c] + 2] eq "work-items or threads"
at_256(b) = sum [i = from[b + 1] + 1:from[b + 1] + rows[b + 1]] (px[i] == 256 ? py[i] : 0)
derived(c, what) = sum [d = 1:curves] (is_scale(d) && titles[panel[d]] eq what && devices[panel[d]] eq devices[panel[c]] ? at_256(chosen[d]) : 0)
is_one_group(c) = work_group eq "auto" && is_scale(c) && titles[panel[c]] eq "time" && derived(c, "efficiency") > 0 && derived(c, "efficiency") < 0.99 * derived(c, "speed-up")

# "elements per item", "stride [words]", "size".
over(unit) = unit eq "number" || unit eq "B" ? "" : starts(unit, "per ") ? " ".unit : " [".unit."]"

do for [k = 1:shown] {
	p = order[k]
	b = first_of[p]
	r = row_of[k]
	cell_x = indent + (column_of[k] - 1) * cell_wide
	row_top = top + row_y[r]
	x0 = cell_x + left
	y0 = row_top + group_high + head + row_native[r]
	set lmargin at screen X(x0)
	set rmargin at screen X(x0 + wide)
	set tmargin at screen Y(y0)
	set bmargin at screen Y(y0 + tall)
	set label 4 titles[p].(units[p] eq "" ? "" : " [".units[p]."]") at screen X(x0 + wide / 2 - 6), Y(y0 - row_native[r] - 8) center font bold(strlen(titles[p]) > 26 ? 7.5 : 8.5)
	set label 5 natively[p] at screen X(x0 + wide / 2), Y(y0 - row_native[r] + 2) center font sized(7) textcolor rgb "#444444"
	set label 6 said[6 * b + 2].over(said[6 * b + 3]) at screen X(x0 + wide / 2), Y(y0 + tall + 22) center font sized(8)

	# Of the first panel of a device and of a group.
	if (several && column_of[k] == 1 && (r == 1 || row_device[r] ne row_device[bigger(1, r - 1)])) {
		set label 7 devices[p] at screen X(indent + 4), Y(row_top - device_high / 2) left font bold(12)
	}
	if (is_all && (k == 1 || group[k] != group[bigger(1, k - 1)])) {
		n = 1
		do for [j = k + 1:shown] { n = n + (group[j] == group[k] && row_of[j] == r) }
		set arrow 1 from screen X(cell_x + 4), Y(row_top + 2) to screen X(cell_x + n * cell_wide - 4), Y(row_top + 2) nohead linewidth 0.6 * line_unit linecolor rgb "#BBBBBB"
		set label 8 tests[p] at screen X(cell_x + 4), Y(row_top + 11) left font bold(9.5)
	}

	# The legend of the run, in the middle below it.
	if (run[k] == k) {
		legend_y = y0 + tall + below + 8
		c = 0
		do for [line = 1:run_lines[k]] {
			# What goes into this line, then where it begins.
			first = c + 1
			at = 0
			full = 0
			last = c
			do for [d = first:curves] {
				if (panel[d] == p && listed[d] && !full) {
					w = entry_wide(said[6 * chosen[d] + 1])
					if (at > 0 && at + w > run_cells[k] * cell_wide - right) { full = 1 } else {
						at = at + w
						last = d
					}
				}
			}
			at = cell_x + left / 2.0 + (run_cells[k] * cell_wide - at) / 2.0
			do for [d = first:last] {
				if (panel[d] == p && listed[d]) {
					arrow = arrow + 1
					tag = tag + 2
					tint = nth(colour_list, look[d])
					set arrow arrow from screen X(at), Y(legend_y) to screen X(at + 14), Y(legend_y) nohead linewidth 1.3 * line_unit linecolor rgb tint
					set label tag "" at screen X(at + 7), Y(legend_y) point pointtype shape(d) pointsize point_unit linecolor rgb tint
					set label tag + 1 said[6 * chosen[d] + 1] at screen X(at + 17), Y(legend_y) left font sized(7.5)
					at = at + entry_wide(said[6 * chosen[d] + 1])
				}
			}
			c = last
			legend_y = legend_y + 11
		}
	}

	unset logscale
	set xtics autofreq
	set ytics autofreq
	set format "%g"
	any = number(least_x[p])
	if (!any) { set label 9 "no values" at screen X(x0 + wide / 2), Y(y0 + tall / 2) center font sized(9) }
	powers = any && most_y[p] >= 4 * least_y[p] && (units[p] eq "ms" || units[p] eq "times" || units[p] eq "work-items" || units[p] eq "Gcalls/s") && least_y[p] > 0 && want_range eq ""
	sizes = said[6 * b + 3] eq "B"
	doubling = any && least_x[p] > 0 && (sizes || most_x[p] >= 8 * least_x[p] || most_x[p] >= 10000)
	if (doubling) {
		set logscale x 2
		set xrange [least_x[p] / 1.15:most_x[p] * 1.15]
		# As many marks as do not touch, the first and the last among them.
		doublings = int(log(most_x[p] / least_x[p]) / log(2) + 0.2)
		longest = sizes ? 7 : bigger(strlen(count(most_x[p])), 3)
		step = bigger(1, ceil(doublings * (4.6 * longest + 5) / wide))
		set xtics ()
		do for [d = 0:doublings] {
			if (d == 0 || (d >= step && (doublings - d) % step == 0)) {
				at = least_x[p] * 2.0 ** d
				set xtics add ((sizes ? bytes(at) : count(at)) at)
			}
		}
	} else {
		span = any && most_x[p] > least_x[p] ? most_x[p] - least_x[p] : 1
		set xrange [any ? least_x[p] - 0.03 * span - 0.1 : 0:any ? most_x[p] + 0.03 * span + 0.1 : 1]
		set xtics bigger(1, step_of(span, 8))
	}
	low = powers ? least_y[p] / 1.3 : 0
	high = powers ? most_y[p] * 1.3 : any && most_y[p] > 0 ? 1.08 * most_y[p] : 1
	if (want_range ne "") {
		at = strstrt(want_range, ":")
		low = real(want_range[1:at - 1])
		high = real(want_range[at + 1:strlen(want_range)])
	}
	set yrange [low:high]
	set ytics step_of(high - low, 5)
	if (powers) {
		# Work-groups are powers of two, and ratios are said as such.
		by_two = units[p] eq "work-items" || (most_y[p] <= 100 * least_y[p] && least_y[p] >= 0.1)
		set logscale y (by_two ? 2 : 10)
		set ytics autofreq
		if (!by_two && high < 100 * low) {
			set ytics ()
			do for [d = floor(log10(low)):floor(log10(high))] {
				do for [i = 1:3] { set ytics add (int(word("1 2 5", i)) * 10.0 ** d) }
			}
		}
	}

	# Only numbers go into the command. Areas are cut off here, since gnuplot
	# lets them leave the panel, and end where either side is missing.
	inside(v, other) = number(v) && number(other) ? bigger(low, smaller(high, v)) : NaN
	bands = ""
	lines = ""
	do for [c = 1:ceilings] {
		if (ceiling_panel[c] == p && drawn[c]) {
			f = from[ceiling[c] + 1]
			tint = "linecolor rgb '#444444'"
			do for [d = 1:curves] {
				if (panel[d] == p && said[6 * chosen[d] + 1] eq said[6 * ceiling[c] + 1]) { tint = colour(d) }
			}
			# Which of several it is stands beside it where no colour says it.
			if (bounds[p] > 1 && strstrt(names[p], "|".said[6 * ceiling[c] + 1]."|") == 0) {
				# At the higher end, from where the line leads down.
				begin = f + 1
				end = f + rows[ceiling[c] + 1]
				while (begin < end && !number(py[begin])) { begin = begin + 1 }
				while (end > begin && !number(py[end])) { end = end - 1 }
				tag = tag + 2
				if (py[begin] >= py[end]) {
					set label tag said[6 * ceiling[c] + 1] at first px[begin], first py[begin] left offset 0, 0.4 font sized(6.5) textcolor rgb "#444444"
				} else {
					set label tag said[6 * ceiling[c] + 1] at first px[end], first py[end] right offset 0, 0.4 font sized(6.5) textcolor rgb "#444444"
				}
			}
			lines = lines.sprintf(", [i = %d:%d:1] '+' using (px[i]):(py[i]) with lines linewidth %g dashtype 2 %s notitle", f + 1, f + rows[ceiling[c] + 1], line_unit, tint)
		}
	}
	do for [c = 1:curves] {
		n = rows[chosen[c] + 1]
		if (panel[c] == p && n > 0) {
			f = from[chosen[c] + 1]
			if (low_of[c] >= 0 && high_of[c] >= 0) {
				if (rows[low_of[c] + 1] == n && rows[high_of[c] + 1] == n) {
					bands = bands.sprintf(", [i = 1:%d:1] '+' using (px[%d + i]):(inside(py[%d + i], py[%d + i])):(inside(py[%d + i], py[%d + i])) with filledcurves fillcolor rgb '%s' fillstyle transparent solid 0.15 noborder notitle", n, f, from[low_of[c] + 1], from[high_of[c] + 1], from[high_of[c] + 1], from[low_of[c] + 1], nth(colour_list, look[c]))
				}
			}
			lines = lines.sprintf(", [i = %d:%d:1] '+' using (px[i]):(py[i]) with linespoints linewidth %g pointtype %d pointsize %g pointinterval %d %s notitle", f + 1, f + n, (is_padded(said[6 * chosen[c] + 1]) ? 0.8 : 1.3) * line_unit, shape(c), point_unit, is_padded(said[6 * chosen[c] + 1]) ? -1 : 1, colour(c))
		}
	}
	do for [c = 1:curves] {
		if (panel[c] == p && is_one_group(c)) {
			set label 10 "one group" at 256, at_256(chosen[c]) left offset 1, 0.5 font sized(7) point pointtype 6 pointsize 2.5 * point_unit linecolor rgb nth(colour_list, look[c])
		}
	}
	eval "plot sample [i = 1:1:1] '+' using (NaN):(NaN) notitle".bands.lines
	unset label
	unset arrow
}

# The functions of each device side by side, each with its best vector.
array functions[curves]
array calls_of[2 * curves]
do for [r = 1:rows_down] {
	if (functions_y[r] < 0) { continue }
	n = 0
	low = NaN
	high = NaN
	types = ""
	do for [c = 1:curves] {
		p = panel[c]
		if (units[p] eq "Gcalls/s" && devices[p] eq row_device[r]) {
			type = kind_before(titles[p])
			if (!strstrt(" ".types." ", " ".type." ")) { types = types.(types eq "" ? "" : " ").type }
			t = type eq word(types, 1) ? 0 : 1
			at = 0
			do for [i = 1:n] { at = functions[i] eq said[6 * chosen[c] + 1] ? i : at }
			if (at == 0) {
				n = n + 1
				at = n
				functions[n] = said[6 * chosen[c] + 1]
				calls_of[2 * n - 1] = NaN
				calls_of[2 * n] = NaN
			}
			calls_of[2 * at - 1 + t] = best[c]
			if (number(best[c])) {
				low = number(low) ? smaller(low, best[c]) : best[c]
				high = number(high) ? bigger(high, best[c]) : best[c]
			}
		}
	}
	x0 = indent + left
	y0 = top + functions_y[r] + head
	w = smaller(grid_wide - left - right, bigger(wide, 40 * n))
	set lmargin at screen X(x0)
	set rmargin at screen X(x0 + w)
	set tmargin at screen Y(y0)
	set bmargin at screen Y(y0 + tall)
	set label 4 "built-in functions, the best of all vectors [Gcalls/s]" at screen X(x0 + w / 2), Y(y0 - 8) center font bold(8.5)
	set logscale y 10
	unset logscale x
	set yrange [number(low) ? low / 1.5 : 0.1:number(high) ? high * 1.5 : 1]
	set ytics autofreq
	set xrange [0.3:n + 0.7]
	set xtics () rotate by 90 right
	do for [i = 1:n] { set xtics add (functions[i] i) }
	set grid xtics
	do for [t = 1:words(types)] {
		at = x0 + w / 2 - 60 + 60 * (t - 1)
		set label 10 + 2 * t "" at screen X(at), Y(y0 + tall + 58) point pointtype int(nth(shape_list, t)) pointsize point_unit linecolor rgb nth(colour_list, t)
		set label 11 + 2 * t word(types, t) at screen X(at + 8), Y(y0 + tall + 58) left font sized(7.5)
	}
	plot sample [i = 1:n:1] '+' using (i):(calls_of[2 * i - 1]) with points pointtype 7 pointsize point_unit linecolor rgb nth(colour_list, 1) notitle, \
		[i = 1:n:1] '+' using (i):(calls_of[2 * i]) with points pointtype 5 pointsize point_unit linecolor rgb nth(colour_list, 2) notitle
	set xtics norotate
	unset grid
	set grid ytics linetype 1 linewidth 0.5 linecolor rgb "#E0E0E0"
	unset label
	unset arrow
}
unset multiplot
set output
