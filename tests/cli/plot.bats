#!/usr/bin/env bats
# c2c plot with the real gnuplot, terminal and file systems. What is drawn where
# is asked in tests/cases/plot; here, whether gnuplot does draw it.

# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

records=$srcdir/tests/cases/plot/in

setup()
{
	enter_folder
}

need_gnuplot()
{
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
}

# pixels PICTURE: its size, and the colours at the places of standard input.
pixels()
{
	"$srcdir/tests/cli/pixels" "$1"
}

# calls SVG [KEY|KEY...]: what c2c wants to be drawn.
calls()
{
	"$srcdir/tests/cases/plot/bin/drawn" "$@"
}

# cells SVG: a place in each cell of the heatmaps, beside its number.
cells()
{
	calls "$1" 'cells|row|image' | awk '
	$1 == "cells" { x = $2; y = $3; width = $4; height = $5; i = 0 }
	$1 == "image" { n = 130; x = $2; y = $3; width = $4 / n
		for (i = 0; i < n * n; i++)
			print x + (i % n + 0.12) * width, \
				y + (int(i / n) + 0.15) * width }
	$1 == "row" { for (j = 0; j < NF - 1; j++)
			print x + (j + 0.12) * width, y + (i + 0.15) * height
		i++ }'
}

# texts: those of the SVG on standard input, of c2c or of gnuplot, sorted.
texts()
{
	sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' |
		sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; /^$/d' | sort
}

# drawn_alike NAME: gnuplot draws the script for NAME.json, and says nothing. It
# has all texts of NAME.svg.
drawn_alike()
{
	grep -q '"machine"' "$1.json" ||
		sed -i 's/^"cpus"/"machine": {"cpu_model": "Test CPU"}, &/' "$1.json"
	run "$C2C" plot -q "$1.json" -o "$1.svg" -o "$1.png"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	PATH=$srcdir/tests/cases/plot/bin:$PATH "$C2C" plot -q "$1.json" -o "$1.gp.png"
	LC_ALL=C sed '1d; $d' "$1.gp.png" >script
	run gnuplot -d -c script alone.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	diff <(texts <"$1.svg") <(texts <alone.svg)
}

@test "gnuplot draws each cell of heatmaps in its colour, rows downwards" {
	need_gnuplot
	cp "$records/queue.json" .
	run "$C2C" plot queue.json -o a.png -o a.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(head -c 8 a.png | od -A n -t x1)" = " 89 50 4e 47 0d 0a 1a 0a" ]
	read -r _ width height < <(calls a.svg page)
	cells a.svg | pixels a.png >drawn
	[ "$(sed -n 1p drawn)" = "$((2 * width)) $((2 * height))" ]
	# A rate of 76 GiB/s is dark, one of 23 bright, and none is grey.
	diff - <(sed 1d drawn | paste -d ' ' - - -) <<-'END'
		#E8E8E8 #FDE725 #D9E328
		#3CBA75 #E8E8E8 #FDE725
		#D9E328 #FDE725 #E8E8E8
		#E8E8E8 #2B778E #440154
		#2B778E #E8E8E8 #461466
		#440154 #461466 #E8E8E8
	END
	no_files_but queue.json a.png a.svg drawn
}

@test "gnuplot draws many cells in the same colours, and an SVG has an image" {
	need_gnuplot
	"$srcdir/tests/cases/plot/bin/square" 130 >many.csv
	"$C2C" plot -q many.csv -o a.png -o a.svg
	# The first cells of the first rows: a group of four, and others.
	cells a.svg | awk 'NR <= 2 * 130 && NR % 130 ~ /^[1-5]$/' |
		pixels a.png | sed 1d | paste -sd ' ' >drawn
	diff - drawn <<-'END'
		#E8E8E8 #440154 #450D5F #471A6B #C7E02A #440154 #E8E8E8 #440154 #450D5F #FDE725
	END
	sed -n 's/.*base64,\([^"]*\)".*/\1/p' a.svg | base64 -d >image.png
	printf '%s\n' {0,.5}" "{0,.5,1,1.5,2} | awk '{ print $2, $1 }' |
		pixels image.png >image
	[ "$(sed -n 1p image)" = "130 130" ]
	sed 1d image | paste -sd ' ' | diff - drawn
	"$srcdir/tests/cases/plot/bin/square" 128 >fewer.csv
	"$C2C" plot -q fewer.csv -o a.svg
	run ! grep -q '<image' a.svg
}

@test "an SVG of very many cells has images that stand on each other" {
	"$srcdir/tests/cases/plot/bin/square" 1030 >many.csv
	"$C2C" plot -q many.csv -o a.svg
	xmllint --noout a.svg
	[ "$(grep -c '<image' a.svg)" -eq 2 ]
	calls a.svg image | awk 'NR == 1 { below = $3 + $5; cell = $4 / 1030 }
		NR == 2 { exit !(below - $3 < 0.2 && $3 - below < 0.2 &&
			$5 > 11 * cell && $5 < 13 * cell) }'
}

@test "gnuplot draws curves, points and bands where their values are" {
	need_gnuplot
	"$C2C" plot "$records/sweep.json" -o a.png -o a.svg
	# In the middle of each point.
	calls a.svg dots | awk '{ for (i = 5; i < NF; i += 2) print $i, $(i + 1) }' |
		pixels a.png | sed 1d | paste -sd ' ' >drawn
	diff - drawn <<-'END'
		#0072B2 #0072B2 #0072B2 #D55E00 #D55E00 #D55E00 #0072B2
	END
	# Half-way to the last point: of the band below and above the line, and
	# outside of it.
	calls a.svg band | awk '{ x = ($6 + $8) / 2; high = ($7 + $9) / 2
		low = ($11 + $13) / 2
		print x, (high + 3), x, (low - 3), x, (high - 3), x, (low + 3) }' |
		xargs -n 2 | pixels a.png | sed 1d | paste -sd ' ' >drawn
	diff - drawn <<-'END'
		#D7E9F3 #D7E9F3 #FFFFFF #FFFFFF
	END
}

@test "gnuplot draws bars in their colours" {
	need_gnuplot
	"$C2C" plot "$records/bars.json" -o a.png -o a.svg
	calls a.svg rect >areas
	[ "$(wc -l <areas)" -eq 4 ]
	# Near the ends, so that none is shorter, and inside an outline.
	awk '{ print $2 + 2, $3 + 2; print $2 + $4 - 2, $3 + $5 - 2
		print $2 + $4 + 3, $3 + 1 }' areas | pixels a.png | sed 1d |
		paste -d ' ' - - - >drawn
	awk '{ print $6, $6, "#FFFFFF" }' areas | diff - drawn
}

@test "gnuplot draws each text of an SVG, whatever it says" {
	need_gnuplot
	local name title='run "B" in C:\new \042 </title><b>&'
	cp "$records"/*.json .
	jq '.matrices[].values[][] = null' lat.json >missing.json
	jq '.curves[0] |= (.x.values = [] | .median = [] | .low = [] |
		.high = [])' sweep.json >empty-curve.json
	for name in queue hostile sweep missing empty-curve caches native theory \
		bars none one-point wild tables; do
		drawn_alike $name
	done
	# The curve behind an empty one has its own points.
	[ "$(grep -o '[0-9]z' empty-curve.svg | wc -l)" -ge 3 ]
	# What a file says is not run.
	[ ! -e owned ]
	"$C2C" plot lat.json --title "$title" -o a.svg
	texts <a.svg | grep -xF "$title"
	xmllint --noout a.svg
}

@test "gnuplot says nothing of odd matrices and ranges" {
	need_gnuplot
	local range
	printf ',1e-5,0\n2e9,,1\n0,1,\n' >wild.csv
	cp "$records"/{constant,alone}.csv "$records/lat.json" .
	for name in wild.csv constant.csv alone.csv; do
		for kind in png svg; do
			run "$C2C" plot "$name" -o a.$kind
			[ "$status" -eq 0 ]
			[ -z "$output" ]
		done
	done
	# What is missing is grey.
	[ "$(grep -c 'fill="#E8E8E8"' a.svg)" -eq 1 ]
	for range in 0:1e-5 1e-5:2.5e-5 -1e15:1e15 1e-320:1; do
		run "$C2C" plot lat.json -o a.png -o a.svg "--range=$range"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
}

@test "a PDF is whole, and has a heatmap as one image" {
	need_gnuplot
	"$C2C" plot "$records/sweep.json" -o a.pdf
	[ "$(head -c 5 a.pdf)" = "%PDF-" ]
	[ "$(tail -n 1 a.pdf)" = "%%EOF" ]
	[ "$(grep -ac '/Subtype /Image' a.pdf)" -eq 0 ]
	"$C2C" plot "$records/queue.json" -o a.pdf
	# The scale, and two matrices.
	[ "$(grep -ac '/Subtype /Image' a.pdf)" -eq 3 ]
}

@test "the scripts refuse what they do not know" {
	need_gnuplot
	"$C2C" export "$records/lat.json" -o lat.dat
	"$C2C" export "$records/sweep.json" -o sweep.dat
	for script in curves heatmap; do
		run gnuplot -d -c "$srcdir/plots/$script.gp"
		[ "$status" -eq 2 ]
		[[ $output == *"usage: gnuplot -c $script.gp IN.dat OUT"* ]]
		run gnuplot -d -c "$srcdir/plots/$script.gp" lat.dat b.gif
		[ "$status" -eq 2 ]
		[[ $output == *usage:* ]]
		run gnuplot -d -c "$srcdir/plots/$script.gp" gone.dat b.svg
		[ "$status" -eq 1 ]
		[[ $output == *'open file "gone.dat"'* ]]
	done
	run gnuplot -d -c "$srcdir/plots/curves.gp" lat.dat b.svg
	[ "$status" -eq 1 ]
	[[ $output == *"lat.dat: the file has no such curve"* ]]
	run gnuplot -d -c "$srcdir/plots/heatmap.gp" sweep.dat b.svg
	[ "$status" -eq 1 ]
	[[ $output == *"sweep.dat: the file has no such matrix"* ]]
	no_files_but lat.dat sweep.dat
}

# drawn_by SCRIPT NAME: what the script makes of NAME.json, silently, as PNG.
drawn_by()
{
	"$C2C" export -q "$2" -o a.dat
	gnuplot -d -c "$srcdir/plots/$1.gp" a.dat a.png >said 2>&1
	[ ! -s said ]
}

# extent COLOUR: the least x and y, and the greatest, where a.png has it, left of
# the scale of a heatmap.
extent()
{
	awk 'BEGIN { for (y = 2; y < 420; y += 4) for (x = 2; x < 470; x += 4)
		print x, y }' >places
	pixels a.png <places | sed 1d >colours
	paste -d ' ' places colours | awk -v colour="$1" '
		$3 == colour { n++
			left = n == 1 || $1 < left ? $1 : left
			right = n == 1 || $1 > right ? $1 : right
			top = n == 1 || $2 < top ? $2 : top
			bottom = n == 1 || $2 > bottom ? $2 : bottom }
		END { print left, top, right, bottom }'
}

@test "heatmap.gp draws a matrix of a .dat, rows downwards, dark is better" {
	need_gnuplot
	printf '%s\n' ',10,20' '20,,20' '30,20,' >a.csv
	drawn_by heatmap a.csv
	read -r left _ _ bottom < <(extent '#440154')
	read -r _ top right _ < <(extent '#FDE725')
	[ "$right" -lt "$left" ]
	[ "$bottom" -lt "$top" ]
	drawn_by heatmap "$records/queue.json"
	# Other files than the first matrix of one: larger machines, nodes, rates.
	"$srcdir/tests/cases/plot/bin/square" 130 >many.csv
	drawn_by heatmap many.csv
	sed 's/^number = 0 /number = 1 /' "$srcdir/plots/heatmap.gp" >second.gp
	"$C2C" export -q "$records/queue.json" -o a.dat
	for kind in png svg pdf; do
		run gnuplot -d -c second.gp a.dat a.$kind
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
	texts <a.svg | grep -xF 'a.dat: reader, median'
	texts <a.svg | grep -xF 'GiB/s'
}

@test "curves.gp draws the curves of a .dat that have the first one's units" {
	need_gnuplot
	drawn_by curves "$records/sweep.json"
	read -r left _ right _ < <(extent '#0072B2')
	[ "$((right - left))" -gt 300 ]
	for kind in svg pdf; do
		run gnuplot -d -c "$srcdir/plots/curves.gp" a.dat a.$kind
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
	texts <a.svg | grep -xF 'reader, same LLC (CPUs 0 and 2)'
	texts <a.svg | grep -xF 'bandwidth [GiB/s]'
	texts <a.svg | grep -xF '128 B'
	# Behind matrices, and of several units.
	drawn_by curves "$srcdir/data/xeon-16vcpu-numa.json"
	drawn_by curves "$srcdir/data/xeon-16vcpu-cache.json"
	run ! grep -q 'bandwidth: 1 CPU' <(
		gnuplot -d -c "$srcdir/plots/curves.gp" a.dat a.svg && texts <a.svg)
	[ -s a.svg ]
}

@test "the script of a picture draws that picture, in other kinds too" {
	need_gnuplot
	for name in lat queue sweep tables; do
		"$C2C" plot -q "$records/$name.json" -o a.png -o own.gp
		for kind in png svg pdf; do
			run gnuplot -d -c own.gp b.$kind
			[ "$status" -eq 0 ]
			[ -z "$output" ]
			[ -s b.$kind ]
		done
		gnuplot -d own.gp
		# Cells are text there and bytes here: their edges may differ.
		awk 'BEGIN { for (y = 9; y < 200; y += 7) for (x = 9; x < 380; x += 7)
			print x, y }' >places
		pixels a.png <places >a
		pixels own.png <places >b
		[ "$(diff a b | grep -c '^<')" -le 9 ]
	done
}

@test "a full disk leaves the old picture" {
	[ "$(id -u)" -eq 0 ] || skip "only root can mount a small tmpfs"
	mkdir small
	mount -t tmpfs -o size=16k tmpfs small 2>/dev/null ||
		skip "no tmpfs can be mounted here"
	echo old >small/a.png
	"$srcdir/tests/cases/plot/bin/square" 64 >many.csv
	PATH=$srcdir/tests/cases/plot/bin:$PATH run "$C2C" plot many.csv \
		-o small/a.png
	content=$(cat small/a.png)
	left=$(find small -mindepth 1 | wc -l)
	umount small
	[ "$status" -eq 1 ]
	[[ $output == *"'small/a.png' cannot be written: No space left"* ]]
	[ "$content" = old ]
	[ "$left" -eq 1 ]
}

@test "on a terminal --term is the default, in colour, unless NO_COLOR" {
	command -v script >/dev/null || skip "script(1) is not installed"
	cp "$records"/{lat.json,eight.csv} .
	run script -qec "env TERM=xterm COLORTERM=truecolor \
		'$C2C' plot lat.json" /dev/null </dev/null
	[ "$status" -eq 0 ]
	[[ $output == *$'\x1b[48;2;68;1;84m'* ]]
	[[ $output == *$'\x1b[48;2;253;231;37m'* ]]
	run script -qec "env TERM=xterm NO_COLOR=1 '$C2C' plot lat.json" \
		/dev/null </dev/null
	[ "$status" -eq 0 ]
	[[ $output != *$'\x1b'* ]]
	[[ $output == *"0      ·  10.5"* ]]
	run script -qec "env TERM=xterm COLUMNS=30 LINES=12 \
		'$C2C' plot eight.csv" /dev/null </dev/null
	[[ $output == *▀* ]]
}

@test "a long warning is wrapped on a terminal, between words, and only there" {
	command -v script >/dev/null || skip "script(1) is not installed"
	jq '.run.warnings = ["one of the two witnesses took so long that " +
		"neither its mean nor its median says what the other saw"]' \
		"$records/lat.json" >long.json
	"$C2C" plot long.json 2>err >out
	[ "$(wc -l <err)" -eq 1 ]
	script -qec "env TERM=xterm COLUMNS=50 '$C2C' plot long.json >out" \
		typescript </dev/null >/dev/null 2>&1
	sed '/^Script/d' typescript | tr -d '\r' >wrapped
	[ "$(wc -l <wrapped)" -ge 3 ]
	[ "$(awk 'length > 50' wrapped | wc -l)" -eq 0 ]
	# Nothing is lost.
	tr -s '\n ' '  ' <wrapped >words
	tr -s '\n ' '  ' <err | cmp - words
}

@test "rows of a heatmap go down, columns go right" {
	printf '%s\n' ',10,20' '30,,40' '50,60,' >a.csv
	"$C2C" plot -q a.csv -o a.svg
	grep -qxF '<path d="M1 0h1v1h-1z" fill="#440154"/>' a.svg
	grep -qxF '<path d="M1 2h1v1h-1z" fill="#FDE725"/>' a.svg
}
