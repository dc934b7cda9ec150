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

# cells DAT: a place in each cell of the heatmaps, beside its number.
cells()
{
	awk '/^# plot.matrix: / {
		for (i = 0; i < $8; i++)
			for (j = 0; j < $8; j++)
				print $3 + (j + 0.12) * $5 / $8, \
					$4 + (i + 0.15) * $6 / $8
	}' "$1"
}

# texts: those of the SVG on standard input, of c2c or of gnuplot, sorted.
texts()
{
	sed -n 's/.*<text[^>]*>\(.*\)<\/text>.*/\1/p' |
		sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g; /^$/d' | sort
}

# texts_to_draw: those of the .dat on standard input, sorted.
texts_to_draw()
{
	sed -nE 's/^# plot\.text: ([^ ]+ ){7}//p
		/^# cells: /,$s/^([0-9]+ ){4}//p' | sort
}

# drawn NAME: NAME.svg of NAME.json has all texts of its NAME.dat.
drawn()
{
	grep -q '"machine"' "$1.json" ||
		sed -i 's/^"cpus"/"machine": {"cpu_model": "Test CPU"}, &/' "$1.json"
	run "$C2C" plot -q "$1.json" -o "$1.svg"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	"$C2C" export -q "$1.json" -o "$1.dat"
	diff <(texts_to_draw <"$1.dat") <(texts <"$1.svg")
}

# drawn_alone NAME SCRIPT: the same, and so has what the script draws of the
# .dat, of which gnuplot says nothing.
drawn_alone()
{
	drawn "$1"
	run gnuplot -d -c "$builddir/scripts/$2.gp" "$1.dat" alone.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	diff <(texts <"$1.svg") <(texts <alone.svg)
}

@test "gnuplot draws each cell of heatmaps in its colour, rows downwards" {
	need_gnuplot
	cp "$records/queue.json" .
	run "$C2C" plot queue.json -o a.png
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(head -c 8 a.png | od -A n -t x1)" = " 89 50 4e 47 0d 0a 1a 0a" ]
	"$C2C" export queue.json -o a.dat
	read -r width height _ < <(sed -n 's/^# plot.page: //p' a.dat)
	cells a.dat | pixels a.png >drawn
	[ "$(sed -n 1p drawn)" = "$((2 * width)) $((2 * height))" ]
	# A rate of 76 GiB/s is dark, one of 23 bright, and none is grey.
	diff - <(sed 1d drawn | paste -d ' ' - - -) <<-'END'
		#E8E8E8 #FDE725 #D8E328
		#3BBA75 #E8E8E8 #FDE725
		#D8E328 #FDE725 #E8E8E8
		#E8E8E8 #2A778E #440154
		#2A778E #E8E8E8 #461466
		#440154 #461466 #E8E8E8
	END
	no_files_but queue.json a.png a.dat drawn
}

@test "gnuplot draws many cells as an image, in the same colours" {
	need_gnuplot
	"$srcdir/tests/cases/plot/bin/square" 130 >many.csv
	"$C2C" export -q many.csv -o a.dat
	gnuplot -d -c "$builddir/scripts/heatmap.gp" a.dat a.png
	# The first cells of the first rows: a group of four, and others.
	cells a.dat | awk 'NR <= 2 * 130 && NR % 130 ~ /^[1-5]$/' |
		pixels a.png | sed 1d | paste -d ' ' - - - - - >drawn
	diff - drawn <<-'END'
		#E8E8E8 #440154 #450D5F #47196B #C8E02A
		#440154 #E8E8E8 #440154 #450D5F #FDE725
	END
	# An SVG has the same cells as an image, smaller ones have paths.
	"$C2C" plot -q many.csv -o a.svg
	sed -n 's/.*base64,\([^"]*\)".*/\1/p' a.svg | base64 -d >image.png
	printf '%s\n' {0,.5}" "{0,.5,1,1.5,2} | awk '{ print $2, $1 }' |
		pixels image.png >image
	diff - <(paste -sd ' ' image) <<-'END'
		130 130 #E8E8E8 #440154 #450D5F #471A6B #C7E02A #440154 #E8E8E8 #440154 #450D5F #FDE725
	END
	"$srcdir/tests/cases/plot/bin/square" 128 >fewer.csv
	"$C2C" plot -q fewer.csv -o a.svg
	! grep -q '<image' a.svg
}

@test "gnuplot draws curves, points and bands where their values are" {
	need_gnuplot
	cp "$records"/{sweep,units}.json .
	# colour_at NAME X Y...: in the first panel of NAME.png, as NAME.dat says.
	colour_at() {
		"$C2C" plot "$1.json" -o "$1.png"
		"$C2C" export -q "$1.json" -o "$1.dat"
		printf '%s %s\n' "${@:2}" | awk '
		function share(value, low, high, base)
		{
			return base ? log(value / low) / log(high / low) : \
				(value - low) / (high - low)
		}
		!at { if (/^# plot.panel: /) at = split($0, is); next }
		NF == 2 { print is[3] + is[5] * share($1, is[7], is[8], is[9]), \
			is[4] + is[6] * (1 - share($2, is[10], is[11], is[12])) }
		' "$1.dat" - | pixels "$1.png" | sed 1d | paste -sd ' '
	}
	# Three points of one, two of the other; in a band, and above it.
	[ "$(colour_at sweep 64 2.5 128 4 1024 9.25 64 2.25 1024 7 362 6.9 362 7.2)" = \
		"#0072B2 #0072B2 #0072B2 #D55E00 #D55E00 #D7E9F3 #FFFFFF" ]
	# Over powers, a line from 1 to 50 is half-way at 7. Its edges are pale.
	[ "$(colour_at units 1 1 2 50 1.5 7.07 1.5 25 |
		sed 's/#0.7.B./#0072B2/g')" = \
		"#0072B2 #0072B2 #0072B2 #FFFFFF" ]
}

@test "gnuplot draws bars in their colours" {
	need_gnuplot
	cp "$records/bars.json" .
	"$C2C" plot bars.json -o a.png
	"$C2C" export bars.json -o a.dat
	sed -n 's/^# plot.area: //p' a.dat >areas
	[ "$(wc -l <areas)" -eq 4 ]
	# Near the ends, so that none is shorter.
	awk '{ print $1 + 1, $2 + 1; print $1 + $3 - 1, $2 + $4 - 1
		print $1 + $3 + 3, $2 + 1 }' areas | pixels a.png | sed 1d |
		paste -d ' ' - - - >drawn
	awk '{ print $5, $5, "#FFFFFF" }' areas | diff - drawn
}

@test "an SVG has each text, and so has the script's" {
	need_gnuplot
	local name title='run "B" in C:\new \042 </title><b>&'
	cp "$records"/*.json .
	# gnuplot cuts long lines with a warning, and large machines have them.
	jq '.machine.warnings = [range(3000)]' lat.json >long-lines.json
	jq '.matrices[].values[][] = null' lat.json >missing.json
	jq '.curves[0] |= (.x.values = [] | .median = [] | .low = [] |
		.high = [])' sweep.json >empty-curve.json
	drawn_alone long-lines heatmap
	drawn_alone queue heatmap
	drawn_alone hostile curves
	drawn_alone sweep curves
	for name in missing empty-curve caches native theory bars none \
		one-point wild; do
		drawn $name
	done
	# The curve behind an empty one has its own points.
	[ "$(grep -o '[0-9]z' empty-curve.svg | wc -l)" -ge 3 ]
	# A band, and a line of dashes, that a dotted one is not.
	[ "$(grep -c 'fill-opacity' sweep.svg)" -eq 1 ]
	[ "$(grep -c 'stroke-dasharray' sweep.svg)" -eq 1 ]
	[ "$(grep -o 'stroke-dasharray=.[0-9., ]*' native.svg)" != \
		"$(grep -o 'stroke-dasharray=.[0-9., ]*' theory.svg)" ]
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

# What gnuplot compresses, as that of Debian 13 does, no test can read.
@test "a PDF is whole, and shows no date but that of SOURCE_DATE_EPOCH" {
	need_gnuplot
	cp "$records"/{lat,sweep}.json .
	for name in lat sweep; do
		SOURCE_DATE_EPOCH=1700000000 "$C2C" plot $name.json -o a.pdf
		[ "$(head -c 5 a.pdf)" = "%PDF-" ]
		[ "$(tail -n 1 a.pdf)" = "%%EOF" ]
		! grep -a '/CreationDate' a.pdf |
			grep -av '/CreationDate (D:20231114221320' || false
	done
}

@test "the scripts refuse what they do not know" {
	need_gnuplot
	"$C2C" export "$records/lat.json" -o lat.dat
	grep -v '^# plot' lat.dat >old.dat
	for script in curves heatmap; do
		run gnuplot -d -c "$builddir/scripts/$script.gp"
		[ "$status" -eq 2 ]
		[[ $output == *"$script.gp: usage:"* ]]
		run gnuplot -d -c "$builddir/scripts/$script.gp" lat.dat b.svg png x
		[ "$status" -eq 2 ]
		[[ $output == *usage:* ]]
		run gnuplot -d -c "$builddir/scripts/$script.gp" gone/lat.dat b.svg
		[ "$status" -eq 1 ]
		[[ $output == *"$script.gp: gone/lat.dat cannot be read: name the .dat"* ]]
		run gnuplot -d -c "$builddir/scripts/$script.gp" old.dat b.svg
		[ "$status" -eq 1 ]
		[[ $output == *"old.dat does not say what to draw"* ]]
	done
	run gnuplot -d -c "$builddir/scripts/curves.gp" lat.dat b.svg
	[ "$status" -eq 1 ]
	[[ $output == *"lat.dat is for heatmap.gp"* ]]
	run gnuplot -d -c "$builddir/scripts/heatmap.gp" lat.dat b.gif
	[ "$status" -eq 2 ]
	no_files_but lat.dat old.dat
	# Under any name, when told what it is.
	gnuplot -d -c "$builddir/scripts/heatmap.gp" lat.dat b svg
	grep -q '</svg>' b
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
	need_gnuplot
	printf '%s\n' ',10,20' '30,,40' '50,60,' >a.csv
	"$C2C" plot -q a.csv -o a.svg
	grep -qxF '<path d="M1 0h1v1h-1z" fill="#440154"/>' a.svg
	grep -qxF '<path d="M1 2h1v1h-1z" fill="#FDE725"/>' a.svg
	"$C2C" export -q a.csv -o a.dat
	gnuplot -d -c "$builddir/scripts/heatmap.gp" a.dat a.svg
	# corner COLOUR: the least x and y of the first cell that has it.
	corner() {
		sed -n "s/.*polygon fill = 'rgb($1)' points = '\(.*\)'.*/\1/p" a.svg |
			head -n 1 | tr ' ' '\n' | awk -F , 'NF == 2 {
				x = x == "" || $1 < x ? $1 : x
				y = y == "" || $2 < y ? $2 : y }
				END { print x, y }'
	}
	read -r least_x least_y < <(corner ' 68,   1,  84')
	read -r most_x most_y < <(corner '253, 231,  37')
	[ "$least_x" = "$most_x" ]
	awk "BEGIN { exit !($least_y + 100 < $most_y) }"
}
