# c2c plot as a user types it. C2C and srcdir come from tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

setup() {
	: "${C2C:?}" "${srcdir:?}" "${builddir:?}"
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES
	cat >lat.dat <<-'END'
	# format: c2c-result
	# version: 1
	# command: latency
	# started: 2026-11-21T03:01:25Z
	# complete: true
	# tool.version: 0.1.0
	# machine.hostname: lab_1
	# machine.cpu_model: Test CPU {x}^2 <&>
	# options.method: line
	# run.passes: 25
	# cpus: [0, 1, 2, 5]
	# matrix: latency median ns one-way lower symmetric
	cpu         0       1       2       5
	0         nan    10.5      95     120
	1        10.5     nan    96.5   121.5
	2          95    96.5     nan      30
	5         120   121.5      30     nan


	# matrix: latency min ns one-way lower symmetric
	cpu         0       1       2       5
	0         nan      10      90     110
	1          10     nan      91     111
	2          90      91     nan      29
	5         110     111      29     nan
	END
	as_json lat
}

# as_json NAME: NAME.dat, a result in short, becomes NAME.json.
as_json() {
	jq -R -n -f "$srcdir/tests/cli/short.jq" "$1.dat" >"$1.json"
	rm "$1.dat"
}

# Curves for the cases below: sweep.dat.
curves() {
	cat >sweep.dat <<-'END'
	# format: c2c-result
	# version: 1
	# command: queue
	# started: 2026-11-21T03:01:25Z
	# complete: true
	# tool.version: 0.1.0
	# machine.cpu_model: Test CPU
	# options.method: cold
	# run.passes: 25
	# cpus: [0, 2]
	# series: "writer, same LLC (CPUs 0 and 2)" chunk B rate GiB/s median
	64 2.5
	128 4
	1024 9.25


	# series: "writer, same LLC (CPUs 0 and 2)" chunk B rate GiB/s ci_low
	64 2
	128 3.75
	1024 9


	# series: "writer, same LLC (CPUs 0 and 2)" chunk B rate GiB/s ci_high
	64 2.75
	128 4.5
	1024 9.5


	# series: "reader, same LLC (CPUs 0 and 2)" chunk B rate GiB/s median
	64 2.25
	128 nan
	1024 7


	# series: "reader, same LLC (CPUs 0 and 2)" chunk B rate GiB/s fit
	64 2.3
	128 3.1
	1024 7.1
	END
	as_json sweep
}

need_gnuplot() {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
}

# The article's tests on 16 CPUs as suite.json: the record has others too, and
# was ended early.
suite() {
	jq '.complete = true | .curves |= map(select(.test | IN("cache", "stream",
		"banks", "latency", "formats", "incore", "peak", "launch",
		"roofline", "svm") | not))' \
		"$srcdir/data/xeon-16vcpu-cl-all.json" >suite.json
}

# same_but_title A.svg B.svg: the script alone knows no title of the picture.
same_but_title() {
	diff <(sed '/^<title>/d' "$1") <(sed '/^<title>/d' "$2")
}

# no_files_but NAME...: nothing else was left in the working folder.
no_files_but() {
	diff <(printf '%s\n' "$@" | LC_ALL=C sort) \
		<(find . -mindepth 1 -printf '%P\n' | LC_ALL=C sort)
}

# png_size FILE: "WIDTH HEIGHT".
png_size() {
	od -A n -t u1 -j 16 -N 8 "$1" | awk '{
		print $3 * 256 + $4, $7 * 256 + $8 }'
}

# square N: a .csv of N CPUs in groups of four, distinct values.
square() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				a = i < j ? i : j
				b = i < j ? j : i
				same = int(a / 4) == int(b / 4)
				value = (same ? 20 : 100) + (a * 7 + b * 3) % 10
				printf "%s%s", i == j ? "" : value,
					j + 1 < n ? "," : "\n"
			}
	}'
}

@test "three pictures at once have the bytes of their formats" {
	need_gnuplot
	run "$C2C" plot lat.json -o a.png -o a.svg --output=a.pdf
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(head -c 8 a.png | od -A n -t x1)" = " 89 50 4e 47 0d 0a 1a 0a" ]
	[ "$(head -c 5 a.pdf)" = "%PDF-" ]
	head -n 3 a.svg | grep -q '<svg'
	tail -n 2 a.svg | grep -q '</svg>'
	no_files_but lat.json a.png a.svg a.pdf
}

@test "an SVG has a title, which is text" {
	need_gnuplot
	"$C2C" plot lat.json -o a.svg
	grep -qx '<title>Test CPU {x}^2 &lt;&amp;&gt; · lab_1</title>' a.svg
	"$C2C" plot lat.json -o a.svg --title '</title><b>&'
	grep -qx '<title>&lt;/title&gt;&lt;b&gt;&amp;</title>' a.svg
}

@test "a PDF has the date of SOURCE_DATE_EPOCH, in any time zone" {
	need_gnuplot
	SOURCE_DATE_EPOCH=1700000000 "$C2C" plot lat.json -o a.pdf
	! grep -aq '/Type /ObjStm' a.pdf || skip "a PDF has its date packed by this cairo"
	grep -aq '/CreationDate (D:20231114221320' a.pdf
	SOURCE_DATE_EPOCH=1700000000 TZ=Asia/Tokyo "$C2C" plot lat.json -o b.pdf
	cmp a.pdf b.pdf
	SOURCE_DATE_EPOCH=soon "$C2C" plot lat.json -o b.pdf
	run ! grep -aq '/CreationDate (D:20231114221320' b.pdf
}

@test "a picture grows with the CPUs, within bounds" {
	need_gnuplot
	for n in 2 16 64 200; do
		square "$n" >"$n.csv"
		"$C2C" plot "$n.csv" -o "$n.png"
	done
	read -r w2 h2 <<<"$(png_size 2.png)"
	read -r w16 h16 <<<"$(png_size 16.png)"
	read -r w64 h64 <<<"$(png_size 64.png)"
	read -r w200 h200 <<<"$(png_size 200.png)"
	[ "$w2" -ge 1000 ] && [ "$w2" -le 1200 ]
	[ "$h2" -ge 400 ] && [ "$h2" -le 700 ]
	[ "$h16" -gt "$h2" ] && [ "$h64" -gt "$h16" ]
	[ "$w16" -gt "$w2" ] && [ "$w64" -gt "$w16" ]
	[ "$w200" -ge 1800 ] && [ "$w200" -le 2400 ]
	[ "$h200" -ge 1800 ] && [ "$h200" -le 2400 ]
}

@test "the picture says machine, method, unit, statistic, passes and date" {
	need_gnuplot
	"$C2C" plot lat.json -o a.svg
	grep -q '>Test CPU {x}^2 &lt;&amp;> · lab_1<' a.svg
	grep -q '>c2c latency (line) · one-way latency, median \[ns\] · 25 passes · 2026-11-21<' a.svg
	grep -q '>one-way latency, median \[ns\] (lower is better)<' a.svg
	[ "$(grep -c '>CPU<' a.svg)" -eq 2 ]
	grep -q '>121.5<\|>122<' a.svg
	"$C2C" plot lat.json -o b.svg --statistic min --title 'A {title}_x'
	grep -q '>A {title}_x<' b.svg
	grep -q 'one-way latency, min \[ns\]' b.svg
	[ "$(grep -c 'Test CPU' b.svg)" -eq 0 ]
}

# like NAME UNIT BETTER <CSV: a .dat of such a matrix.
like() {
	awk -F , -v what="$*" '
	{ row[NR] = $0 }
	END {
		for (i = 0; i < NR; i++)
			cpus = cpus (i ? ", " : "") i
		print "# format: c2c-result\n# version: 1\n# command: queue"
		print "# complete: true\n# cpus: [" cpus "]"
		split(what, word, " ")
		print "# matrix:", word[1], "median", word[2], "-", word[3], \
			"asymmetric"
		gsub(",", "", cpus)
		print "cpu", cpus
		for (i = 1; i <= NR; i++) {
			n = split(row[i], cell, ",")
			line = i - 1
			for (j = 1; j <= n; j++)
				line = line " " (cell[j] == "" ? "nan" : cell[j])
			print line
		}
	}'
}

# plus N <CSV: so much more in every cell.
plus() {
	awk -F , -v OFS=, -v n="$1" '{
		for (j = 1; j <= NF; j++)
			if ($j != "")
				$j += n
		print
	}'
}

# change I J VALUE <CSV: that pair has this value.
change() {
	awk -F , -v OFS=, -v i="$1" -v j="$2" -v value="$3" '
	NR == i { $j = value }
	NR == j { $i = value }
	{ print }'
}

@test "the terminal and the picture say the same" {
	need_gnuplot
	command -v script >/dev/null || skip "script(1) is not installed"
	# A pair far away, a busy CPU, a pair too near, rates far too low.
	square 12 | change 1 12 9000 >far.csv
	square 12 | awk -F , -v OFS=, '{
		for (j = 1; j <= NF; j++)
			if ((NR == 3 || j == 3) && j != NR)
				$j = 5000 + NR + j
		print
	}' >busy.csv
	square 64 | plus 1000 | change 5 30 1 >near.csv
	square 12 | plus 500 | like writer GiB/s higher >rate.dat
	square 12 | plus 500 | change 2 9 0.5 |
		like writer GiB/s higher >low.dat
	# Two that share a scale, which the second one makes long.
	{
		cat rate.dat
		printf '\n\n'
		square 12 | plus 900 | like reader GiB/s higher |
			sed -n '/^# matrix/,$p'
	} >both.dat
	for name in rate low both; do as_json "$name"; done
	for file in lat.json far.csv busy.csv near.csv rate.json low.json both.json; do
		"$C2C" plot "$file" -o a.svg
		run script -qec "env TERM=xterm COLUMNS=200 '$C2C' plot $file" \
			/dev/null </dev/null
		[ "$status" -eq 0 ]
		plain=$(tr -d '\r' <<<"$output" | sed 's/\x1b\[[0-9;]*m//g')
		text=$(sed -n 's/.*<text>\(.*\)<\/text>.*/\1/p' a.svg |
			sed 's/<[^>]*>//g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g')
		# Both captions.
		grep -qxF -- "$(sed -n 1p <<<"$plain")" <<<"$text"
		grep -qxF -- "$(sed -n 2p <<<"$plain")" <<<"$text"
		# Both ends of the scale, with their signs.
		bar=$(grep ' is better)' <<<"$plain")
		low=$(sed -E 's/ {5,}.*//' <<<"$bar")
		high=$(sed -E 's/.* {5,}//; s/ (ns|GiB.s) .*//' <<<"$bar")
		grep -qxF -- "$low" <<<"$text"
		grep -qxF -- "$high" <<<"$text"
		case $file in
		far.csv | busy.csv) [[ $high == '≥ '* ]] ;;
		near.csv | low.json) [[ $low == '≤ '* ]] ;;
		*) [[ $low$high != *[≤≥]* ]] ;;
		esac
		# How many are beyond, or no such line in either.
		[ "$(grep 'beyond the colours' <<<"$plain")" = \
			"$(grep 'beyond the colours' <<<"$text")" ]
	done
}

@test "a run in doubt says so in its picture, and noise is not magnified" {
	local noise='Values differ by 111 ns, and the 95 % interval of one is 20.0 ns wide: the colours span more than the values.'
	need_gnuplot
	# beside WIDTH: an interval beside each median.
	beside() {
		jq --argjson w "$1" '.matrices as [$median] |
			.matrices += [["ci_low", -$w / 2], ["ci_high", $w / 2] |
				. as [$name, $by] | $median |
				.statistic = $name |
				.values |= map(map(if . then . + $by else . end))]' \
			lat.json
	}
	beside 20 | jq '.run.agreement = {statistic: "spearman",
		even_odd: 0.404, halves: 0.3}' >doubt.json
	"$C2C" plot doubt.json -q -o doubt.svg
	grep -q 'Even and odd passes agree at only 0.40: ' doubt.svg
	sed 's/<[^>]*>/ /g' doubt.svg | tr -s ' \t\n' ' ' >words
	grep -qF "$noise" words
	run script -qec "env TERM=xterm COLUMNS=200 '$C2C' plot doubt.json -q" \
		/dev/null </dev/null
	[[ $output == *"$noise"* ]]
	# 111 ns are more than six times 18 ns, and these passes agree.
	beside 18 | jq '.run.agreement = {statistic: "spearman",
		even_odd: 0.95, halves: 0.9}' >sure.json
	"$C2C" plot sure.json -q -o sure.svg
	[ "$(grep -c 'agree\|interval\|colours span' sure.svg)" -eq 0 ]
}

@test "pictures of curves in doubt say so" {
	need_gnuplot
	"$C2C" plot "$srcdir/data/xeon-16vcpu-contend.json" -q -o a.svg
	grep -qF '>Doubts: 62 of 10173 visits were disturbed and dropped; in 289 of 10173 visits a CPU stood still for a third of the time.<' a.svg
	jq '(.run.tests[] | select(.test == "banks")).left_out = 5' \
		"$srcdir/data/xeon-16vcpu-cl-all.json" >cl.json
	"$C2C" plot cl.json --test banks -q -o a.svg
	grep -qF '>Points with wide intervals: banks 67. Points left out: banks 5.<' a.svg
	"$C2C" plot "$srcdir/data/xeon-16vcpu-numa.json" -q -o a.svg
	[ "$(grep -c 'Doubts\|Points' a.svg)" -eq 0 ]
}

@test "matrices of a kind stand side by side and share a scale" {
	need_gnuplot
	square 3 | like writer GiB/s higher >queue.dat
	{
		printf '\n\n'
		square 3 | plus 50 | like reader GiB/s higher |
			sed -n '/^# matrix/,$p'
		printf '\n\n'
		square 3 | plus 90 | like cost ns lower |
			sed -n '/^# matrix/,$p'
	} >>queue.dat
	as_json queue
	"$C2C" plot queue.json -o a.svg
	"$C2C" export queue.json -o queue.dat
	for text in writer reader; do
		[ "$(grep -c ">$text<" a.svg)" -eq 1 ]
	done
	[ "$(grep -c '>CPU (reader)<' a.svg)" -eq 2 ]
	[ "$(grep -c '>CPU (writer)<' a.svg)" -eq 1 ]
	[ "$(grep -c 'is better' a.svg)" -eq 1 ]
	# No tool is named, so that the file does not say what the values are.
	grep -q '>writer and reader \[GiB/s\]' a.svg
	[ "$(grep -c 'cost' a.svg)" -eq 0 ]
	# 23, 23, 26 in one, 73, 73, 76 in the other: four cells of the least,
	# and the end of the bar, are bright; the two of the most are dark.
	[ "$(grep -c '>2[36]<' a.svg)" -ge 6 ]
	[ "$(grep -c '>7[36]<' a.svg)" -ge 6 ]
	[ "$(grep -c "polygon fill = 'rgb(253, 231,  37)'" a.svg)" -eq 5 ]
	[ "$(grep -c "polygon fill = 'rgb( 68,   1,  84)'" a.svg)" -eq 2 ]
	gnuplot -d -c "$builddir/scripts/heatmap.gp" queue.dat b.svg
	# What named no machine is called by its file by c2c plot alone.
	diff a.svg b.svg | grep -q '^< .*queue.json'
	"$C2C" plot queue.json -o a.svg --matrix reader
	[ "$(grep -c '>CPU (reader)<' a.svg)" -eq 1 ]
	[ "$(grep -c '>2[0-9]<' a.svg)" -eq 0 ]
	# Wider than one, but not twice as wide as a page holds.
	"$C2C" plot queue.json -o a.png
	"$C2C" plot queue.json -o b.png --matrix reader
	read -r wide _ <<<"$(png_size a.png)"
	read -r narrow _ <<<"$(png_size b.png)"
	[ "$wide" -gt "$narrow" ] && [ "$wide" -lt $((2 * narrow)) ]
}

@test "curves are drawn in every format, without a word" {
	need_gnuplot
	curves
	run "$C2C" plot sweep.json -o a.png -o a.svg -o a.pdf
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	no_files_but lat.json sweep.json a.png a.svg a.pdf
	grep -q '>c2c queue (cold) · rate, median \[GiB/s\] · 25 passes · 2026-11-21<' a.svg
	for text in 'writer, same LLC (CPUs 0 and 2)' \
		'reader, same LLC (CPUs 0 and 2)' 'rate \[GiB/s\]' chunk \
		'64 B' '128 B' '512 B' '1 KiB' \
		'Bands: 95 % intervals of the medians. Dashed: fit.'; do
		grep -q ">$text<" a.svg
	done
	[ "$(grep -c 'fill-opacity' a.svg)" -eq 1 ]
	[ "$(grep -c 'stroke-dasharray' a.svg)" -eq 1 ]
	# Neither band nor dashes: neither is told.
	jq '.curves[] |= del(.fit) | .curves[].low[] |= null
		| .curves[].high[] |= null' sweep.json >bare.json
	"$C2C" plot bare.json -o b.svg
	[ "$(grep -c 'intervals\|Dashed\|fill-opacity\|dasharray' b.svg)" -eq 0 ]
}

@test "the script for curves draws the same picture alone" {
	need_gnuplot
	curves
	"$C2C" plot sweep.json -o a.svg
	"$C2C" export sweep.json -o sweep.dat
	run gnuplot -d -c "$builddir/scripts/curves.gp" sweep.dat b.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	same_but_title a.svg b.svg
	"$C2C" plot sweep.json -o a.svg --range 1:50 --title 'T {x}'
	grep -q '>T {x}<' a.svg
	grep -q '>50<' a.svg
}

@test "a statistic of curves is drawn as their middle" {
	need_gnuplot
	curves
	for statistic in ci_low fit; do
		"$C2C" plot sweep.json -o a.svg --statistic $statistic
		grep -q ">.* rate, $statistic " a.svg
		[ "$(grep -c 'fill-opacity\|dasharray\|Dashed' a.svg)" -eq 0 ]
	done
	# Those of a writer alone: the reader has none.
	"$C2C" plot sweep.json -o a.svg --statistic ci_low
	[ "$(grep -c '>writer, ' a.svg)" -eq 1 ]
	[ "$(grep -c '>reader, ' a.svg)" -eq 0 ]
}

# series NAME X-NAME X-UNIT Y-NAME Y-UNIT STATISTIC [X Y]...: a block.
series() {
	printf '\n\n# series: "%s" %s %s %s %s %s\n' "${@:1:6}"
	shift 6
	[ $# -eq 0 ] || printf '%s %s\n' "$@"
}

only_curves() {
	{
		printf '# format: c2c-result\n# version: 1\n# command: queue\n'
		printf '# complete: true\n# cpus: [0, 1]\n'
		cat
	} | jq -R -n -f "$srcdir/tests/cli/short.jq"
}

@test "every curve is drawn without a word: none, one, wild ones" {
	need_gnuplot
	series a chunk B rate GiB/s median | only_curves >none.json
	series a x s y ns median 1 nan 2 nan | only_curves >nan.json
	{
		series a x s y ns median 7 3
		series a x s y ns ci_low 7 2
		series a x s y ns ci_high 7 1e9
	} | only_curves >one.json
	{
		series a x s y ns median 0 0 1 -5 2 1e12
		series b x s y ns median -3 1e-9
	} | only_curves >wild.json
	for i in $(seq 30); do
		series "curve {$i}" chunk B rate GiB/s median 64 "$i" 65536 5
	done | only_curves >many.json
	for file in none nan one wild many; do
		for kind in png svg pdf; do
			run "$C2C" plot "$file.json" -o "$file.$kind"
			[ "$status" -eq 0 ]
			[ -z "$output" ]
		done
	done
	grep -q '>no values<' none.svg
	grep -q '>no values<' nan.svg
	grep -q 'medians, some of them cut off\.' one.svg
	for i in $(seq 30); do
		grep -q ">curve {$i}<" many.svg
	done
	# Texts keep apart: no two within ten units.
	sed -n '/>curve {/{x;p;x};h' many.svg | grep -o 'translate([^)]*)' |
		sed 's/.*,//; s/)//' | sort -n | awk '
			NR > 1 && $1 - last < 10 { exit 1 }
			{ last = $1 }
			END { exit NR != 30 }'
}

@test "the x axis counts doublings from a factor of 8 on" {
	need_gnuplot
	series a n s y ns median 1 1 2 1 7 1 | only_curves >linear.json
	series a n s y ns median 1 1 2 1 8 1 | only_curves >doubling.json
	"$C2C" plot linear.json -o linear.svg
	"$C2C" plot doubling.json -o doubling.svg
	for i in 1 2 3 4 5 6 7; do
		grep -q ">$i<" linear.svg
	done
	grep -q '>4<' doubling.svg
	grep -q '>8<' doubling.svg
	[ "$(grep -c '>[3567]<' doubling.svg)" -eq 0 ]
}

@test "the kind of an axis makes it logarithmic, in old records its unit" {
	# bases FILE: of the y axis of each panel; 0 is linear.
	bases() { "$C2C" export -q "$1" --dat | sed -n 's/^# plot.panel: .* //p'; }
	{
		series a x s time ms median 1 1 2 50
		series a x s rate GiB/s median 1 1 2 50
		series a x s near ms median 1 1 2 3
	} | only_curves >old.json
	[ "$(bases old.json)" = $'2\n0\n0' ]
	jq '.curves |= map(.y.kind = if .y.unit == "ms" then "amounts"
		else "ratios" end)' old.json >new.json
	[ "$(bases new.json)" = $'0\n2\n0' ]
}

@test "single CPUs have one text beside their mean's" {
	need_gnuplot
	{
		series writer readers CPUs rate GiB/s median 1 5 2 4
		series 'reader, mean' readers CPUs rate GiB/s median 1 5 2 3
		series 'reader CPU 5' readers CPUs rate GiB/s median 1 5 2 3
		series 'reader CPU 7' readers CPUs rate GiB/s median 2 3
	} | only_curves >readers.json
	"$C2C" plot readers.json -o a.svg
	[ "$(grep -c '>writer<\|>reader, mean<\|>each reader CPU<' a.svg)" -eq 3 ]
	[ "$(grep -c 'CPU [57]' a.svg)" -eq 0 ]
	jq '.curves[1].statistic = "median"' readers.json >no-mean.json
	"$C2C" plot no-mean.json -o a.svg
	[ "$(grep -c '>reader CPU [57]<' a.svg)" -eq 2 ]
}

@test "curves with other axes have panels of their own" {
	need_gnuplot
	{
		series a x s y ns median 1 1
		series b x s y GiB/s median 1 1
		series c x B y ns median 1 1
		series d x s y ns median 2 1
	} | only_curves >axes.json
	"$C2C" plot axes.json -o a.svg
	for text in a b c d 'y \[GiB/s\]' 'x \[s\]'; do
		[ "$(grep -c ">$text<" a.svg)" -ge 1 ]
	done
	[ "$(grep -c '>y \[ns\]<' a.svg)" -eq 2 ]
	# The range of one unit is none of another.
	run "$C2C" plot axes.json -o a.svg --range 0:10
	[ "$status" -eq 2 ]
	[[ $output == *"--range is for curves of one unit, not of ns and GiB/s" ]]
}

# cl_series TEST TITLE UNIT CURVE [DEVICE]: a curve of three points, to the
# left of a gap, with its interval.
cl_series() {
	for statistic in median ci_low ci_high; do
		printf '\n\n# series: "%s" width elements "%s: %s%s" %s %s\n' \
			"$4" "$1" "$2" "${5:+, $5}" "$3" "$statistic"
		printf '1 2.5\n4 nan\n16 10\n'
	done
}

# cl_head METHOD
cl_head() {
	printf '# %s\n' 'format: c2c-result' 'version: 1' 'command: cl' \
		'complete: true' 'tool.version: 0.1.0' 'cpus: [0, 1]' \
		'machine.cpu_model: Test CPU' "options.method: $1"
}

# A record of caches: two levels measured, one not found, all of them told.
# The second curve is of two CPUs, which share L2.
caches() {
	jq '(.curves[0] | .median = [1, 2, 3] | .low = .median |
			.high = .median | .fit = null) as $curve |
		def level: {name, level, memory: (.name == "memory"),
			least_bytes: .least, most_bytes: .most, gib_per_s: {},
			told: {bytes: .told, cpus: (.cpus // [])},
			verdicts: {size: (.verdict // "unknown"),
				line: "unknown", ways: "unknown"}};
		.command = "cache" |
		.curves = [[0], [0, 2] | . as $cpus | $curve |
			.family = "rate of \($cpus | length)" |
			.member = "read" | .cpus = $cpus |
			.x = {name: "working set", unit: "B",
				kind: "working_sets",
				values: [1024, 65536, 16777216]}] |
		.caches = [({name: "L1d", level: 1, least: 46336, most: 55104,
				told: 49152, cpus: [0], verdict: "same"},
			{name: "L2", level: 2, least: 1048576, most: 2097152,
				told: 4194304, cpus: [0, 2], verdict: "less"},
			{name: "L3", level: 3, least: null, most: null,
				told: 8388608, cpus: [0, 2]},
			{name: "memory", level: 4} | level)]' \
		sweep.json >caches.json
}

@test "levels of caches are marked beside curves over the working set" {
	curves
	caches
	lines() { "$C2C" export -q "$1" --dat | sed -n "s/^# plot.$2: //p"; }
	# Each measured level is shaded in either panel, each told one dashed.
	[ "$(lines caches.json area | wc -l)" -eq 4 ]
	[ "$(lines caches.json dash | wc -l)" -eq 6 ]
	# They stand where their sizes are: [panel x, width, low, high], then
	# the shade's left and right ends. Two CPUs have two L1d, and one L2.
	paste <(lines caches.json panel | sed p | cut -d ' ' -f 1,3,5,6) \
		<(lines caches.json area | cut -d ' ' -f 1,3) |
		awk '{ b = log($4 / $3) / $2
			printf "%.0f %.0f\n", $3 * exp(($5 - $1) * b) / 1024,
				$3 * exp(($5 + $6 - $1) * b) / 1024 }' >sizes
	for row in 1 3; do
		sed -n "${row}p" sizes | awk -v n=$((row / 2 + 1)) '
		$1 < 44 * n || $1 > 47 * n || $2 < 52 * n || $2 > 56 * n {
			bad = 1 } END { exit bad }'
	done
	sed -n '2p;4p' sizes | awk '
	$1 < 1000 || $1 > 1050 || $2 < 2000 || $2 > 2100 {
		bad = 1 } END { exit bad }'
	# A size that holds is told as the system does, another as measured; a
	# level that was not found has no name.
	[ "$(lines caches.json text | awk '$4 == 8 && $5 == "bold" { print $NF }' |
		paste -sd ' ')" = "L1d L2 memory L1d L2 memory" ]
	[ "$(lines caches.json text | grep -E '(48 KiB|1-2 MiB)$' |
		cut -d ' ' -f 8- | paste -sd ,)" = \
		"48 KiB,1-2 MiB,2 × 48 KiB,1-2 MiB" ]
	lines caches.json text | grep -q 'Shaded: where a cache ends'
	# A level that ends before the others is not marked.
	jq '.caches[2] |= (.least_bytes = 32768 | .most_bytes = 32768)' \
		caches.json >less.json
	[ "$(lines less.json area | wc -l)" -eq 4 ]
	[ "$(lines less.json text | grep -c ' L3$')" -eq 0 ]
	# What y is, once.
	jq '.curves[].test = "bandwidth" | .curves[].y.name = "rate, so"' \
		caches.json >named.json
	[ "$(lines named.json text | grep -c ' Bandwidth: rate, so\. Shaded')" \
		-eq 1 ]
	[ "$(lines named.json text |
		grep -c ' bandwidth, rate of [12] \[GiB/s\]$')" -eq 2 ]
	# Not where x is no working set, nor without levels.
	jq '.curves[].x.kind = "bytes"' caches.json >bytes.json
	jq '.caches = []' caches.json >none.json
	for file in bytes none; do
		[ -z "$(lines $file.json area)$(lines $file.json dash)" ]
		[ "$(lines $file.json text | grep -c Shaded)" -eq 0 ]
	done
	need_gnuplot
	run "$C2C" plot caches.json -o a.svg -o a.png -o a.pdf
	[ -z "$output" ]
	[ "$(grep -c '>L1d<' a.svg)" -eq 2 ]
}

@test "each curve over working sets has a look of its own" {
	curves
	caches
	# looks CURVES: how many colours, and how many colours with shapes.
	looks() {
		jq '.curves[0].test = "t" | .curves = [.curves[0] |
			.member = '"$1"' | .variant = '"$2"']' caches.json >a.json
		"$C2C" export -q a.json --dat |
			sed -n 's/^# plot.dots: [0-9]* \(.*\) .*/\1/p' >looks
		echo "$(cut -d ' ' -f 1 looks | sort -u | wc -l)" \
			"$(sort -u looks | wc -l)"
	}
	[ "$(looks '"read"' '("a", "b", "c")')" = "3 3" ]
	[ "$(looks '("read", "write")' '("a", "b")')" = "4 4" ]
	# A single variant is hollow, its points white below: two more looks.
	[ "$(looks '("read", "write")' '(null, "b")')" = "3 6" ]
	"$C2C" export -q a.json --dat | grep -q 'Hollow points: b\.'
	# Of many, members have colours.
	[ "$(looks '("read", "write")' '("a", "b", "c", "d")')" = "2 8" ]
	"$C2C" export -q a.json --dat | grep -q '^# plot.text: .* write, d$'
}

@test "on a page of several tests a name has one colour, and all variants are told" {
	for curve in load store add "add, relax"; do
		cl_series sum "all CPUs" GiB/s "$curve"
	done >series
	for curve in store add "add, own lines"; do
		cl_series sharing "all CPUs" GiB/s "$curve"
	done >>series
	{
		cl_head all
		sed 1,2d series
	} >cl.dat
	as_json cl
	jq '(.curves[] | select(.member | startswith("add, "))) |=
		(.variant = (.member | ltrimstr("add, ")) | .member = "add")' \
		cl.json >page.json
	"$C2C" export -q page.json --dat >drawn.dat
	grep -q 'Hollow points: relax (sum), own lines (sharing)\.' drawn.dat
	# load, store, add, and hollow; then store, add, and hollow.
	mapfile -t colours < <(
		sed -n 's/^# plot.line: [0-9]* [0-9]* \([^ ]*\) .*/\1/p' drawn.dat)
	[ "${#colours[@]}" -eq 7 ]
	[ "${colours[*]:4}" = "${colours[*]:1:3}" ]
	[ "${colours[2]}" = "${colours[3]}" ]
	[ "${colours[1]}" != "${colours[2]}" ]
	# Two panels need no room for four, and are larger than many.
	grep -q '^# plot.page: 668 ' drawn.dat
}

@test "all tests of OpenCL are a page: a part for each test and device" {
	need_gnuplot
	for device in "device 0 (A CPU)" "device 1 (B, GPU)"; do
		for array in "1 MiB of bytes" "4 MiB of words" "64 MiB of words"; do
			for curve in row column "row, padded"; do
				cl_series rowcol "read, $array" GiB/s "$curve" "$device"
			done
			cl_series rowcol "row over column, read" times "$array" "$device"
		done
		cl_series local "local memory" GiB/s read "$device"
		cl_series math "float" GFLOP/s mad "$device"
		cl_series math "float, row 3 of table 1" Gcalls/s sin "$device"
		cl_series math "double, row 3 of table 1" Gcalls/s sin "$device"
		cl_series math "float, row 4 of table 1" Gcalls/s exp "$device"
	done >series
	{
		cl_head all
		sed 1,2d series
	} >cl.dat
	as_json cl
	jq '(.curves[] | select(.family | test("^read, (1|64) MiB")) |
		.place) = "detail"' cl.json >page.json
	mv page.json cl.json
	run "$C2C" plot cl.json -o a.svg
	[ -z "$output" ]
	count() { grep -c ">$1<" "${2:-a.svg}"; }
	# Of the arrays one; of the functions one panel, with all names.
	for text in 'device 0 (A CPU)' 'device 1 (B, GPU)'; do
		[ "$(count "$text")" -eq 1 ]
	done
	for text in rowcol local math 'read, 4 MiB of words \[GiB/s\]' \
		'row over column, read \[times\]' 'float \[GFLOP/s\]' \
		'local memory \[GiB/s\]' sin exp 'double' row \
		'built-in functions, the best of all vectors \[Gcalls/s\]'; do
		[ "$(count "$text")" -eq 2 ]
	done
	[ "$(grep -c '1 MiB of bytes \[\|64 MiB of words \[\|row 3 of' a.svg)" -eq 0 ]
	# What is padded is hollow, and not in the legend.
	[ "$(grep -c 'row, padded' a.svg)" -eq 0 ]
	grep -q 'Hollow points: padded (rowcol)\.' a.svg
	# No footer is cut off.
	grep -q '>Main curves of each test; c2c plot --test NAME draws all of one.<' a.svg
	[ "$(grep -c '…' a.svg)" -eq 0 ]
	# One test alone has all its panels.
	"$C2C" plot cl.json --test rowcol -o b.svg
	for text in '1 MiB of bytes' '4 MiB of words' '64 MiB of words'; do
		[ "$(count "read, $text \[GiB/s\]" b.svg)" -eq 2 ]
	done
	[ "$(grep -c 'local memory\|>math<\|GFLOP' b.svg)" -eq 0 ]
	run "$C2C" plot cl.json --test nonsense
	[ "$status" -eq 2 ]
	[[ $output == *"no test 'nonsense'; it has: rowcol, local, math" ]]
	run "$C2C" plot cl.json --test local --order topology
	[ "$status" -eq 2 ]
	[[ $output == *"--order topology is for matrices"* ]]
	# What has several units has no range.
	for arguments in '' '--test rowcol'; do
		# shellcheck disable=SC2086
		run "$C2C" plot cl.json $arguments --range 0:10
		[ "$status" -eq 2 ]
		[[ $output == *"--range is for curves of one unit, not of GiB/s and times" ]]
	done
	"$C2C" plot cl.json --test local --range 0:10 -o c.svg
	run "$C2C" plot cl.json --test local --matrix latency
	[ "$status" -eq 2 ]
	[[ $output == *"--test and --matrix: expected one"* ]]
}

@test "devices stand side by side as bars, the longest first" {
	for device in "device 0 (A CPU)" "device 1 (B, GPU)"; do
		cl_series peak "local memory" GiB/s "16 B" "$device"
		cl_series peak "first-level cache" GiB/s "16 B" "$device"
		cl_series peak "local memory" GiB/s "4 B" "$device"
	done >series
	{
		cl_head peak
		sed 1,2d series
	} >cl.dat
	as_json cl
	# 20 and 30 of the GPU, 10 of the CPU, which can do 40 natively.
	jq '.curves[].place = "bar" |
		(.curves[] | select(.device[7:8] == "1" and .member == "16 B") |
			.median[]) |= (if . then . * 2 else . end) |
		(.curves[] | select(.device[7:8] == "1" and
			.family == "first-level cache") | .median[]) |=
			(if . then . * 1.5 else . end) |
		(.curves[] | select(.device[7:8] == "0" and
			.family == "local memory" and .member == "16 B")) +=
			{ceiling: [40, 40, 40]}' cl.json >page.json
	"$C2C" export -q page.json --dat >drawn.dat
	sed -n 's/^# plot.text: .*\(device [01] .*\)/\1/p' drawn.dat |
		grep '), ' >labels
	printf '%s\n' "device 1 (B, GPU), first-level cache, 16 B" \
		"device 1 (B, GPU), local memory, 16 B" \
		"device 0 (A CPU), local memory, 16 B" \
		"device 0 (A CPU), first-level cache, 16 B" >right
	sort labels | diff - <(sort right)
	head -n 2 labels | diff - <(head -n 2 right)
	# As long as 30, 20, 10 and 10, each family in its colour.
	awk '/^# plot.area:/ { print $5, $7 }' drawn.dat >areas
	awk 'NR == 1 { one = $1 / 30 } { printf "%.0f\n", $1 / one }' areas |
		diff - <(printf '%s\n' 30 20 10 10)
	[ "$(cut -d" " -f2 areas | sort -u | wc -l)" -eq 2 ]
	[ "$(sed -n 1p areas | cut -d" " -f2)" != \
		"$(sed -n 2p areas | cut -d" " -f2)" ]
	grep -q 'Outlined: theory, or what the same CPUs do natively\.' drawn.dat
	# One device has none, nor have curves that do not ask for them.
	jq '.curves |= map(select(.device == "device 0 (A CPU)"))' page.json \
		>one.json
	jq 'del(.curves[].place)' page.json >plain.json
	for file in one plain; do
		"$C2C" export -q $file.json --dat >drawn.dat
		run ! grep -q '^# plot.area:\|Outlined' drawn.dat
	done
}

@test "what CPUs do natively is a dashed line where it is near, and said" {
	need_gnuplot
	{
		cl_head bus
		cl_series bus far GiB/s copy | sed 1,2d
		printf '\n\n# series: "one CPU" width elements "bus: far" GiB/s ceiling\n'
		printf '1 900\n16 800\n'
		printf '\n\n# series: all width elements "bus: far" GiB/s ceiling\n'
		printf '1 1000\n16 1000\n'
		cl_series bus near GiB/s copy
		printf '\n\n# series: "one CPU" width elements "bus: near" GiB/s ceiling\n'
		printf '1 12\n4 12\n16 12\n'
	} >cl.dat
	as_json cl
	run "$C2C" plot cl.json -o a.svg
	[ -z "$output" ]
	grep -q '>natively one CPU 800–900, all 1000 by width<' a.svg
	grep -q '>natively 12<' a.svg
	grep -q '>width \[elements\]<' a.svg
	[ "$(grep -c 'stroke-dasharray' a.svg)" -eq 1 ]
	# It is neither a curve nor a statistic of one.
	[ "$(grep -c '>one CPU<' a.svg)" -eq 0 ]
	run "$C2C" plot cl.json --statistic none
	[[ $output == *"it has: median, ci_low, ci_high, ceiling" ]]
}

@test "theory is a dotted line where it is near, and said" {
	need_gnuplot
	{
		cl_head bus
		cl_series bus far GiB/s copy | sed 1,2d
		printf '\n\n# series: theory width elements "bus: far" GiB/s ceiling\n'
		printf '1 900\n16 900\n'
		cl_series bus near GiB/s copy
		printf '\n\n# series: theory width elements "bus: near" GiB/s ceiling\n'
		printf '1 12\n4 12\n16 12\n'
	} >native.dat
	as_json native
	jq '(.curves[] | select(.member == "theory") | .statistic) = "theory"' \
		native.json >cl.json
	run "$C2C" plot cl.json -o a.svg
	[ -z "$output" ]
	grep -q '>in theory 900<' a.svg
	grep -q '>in theory 12<' a.svg
	grep -q '>[^<]*Dotted: theory\.' a.svg
	[ "$(grep -c 'natively' a.svg)" -eq 0 ]
	# The same line as a native one would be, with other dashes.
	"$C2C" plot native.json -o b.svg
	[ "$(grep -o 'stroke-dasharray=.[0-9., ]*' a.svg | sort -u | wc -l)" -eq 1 ]
	[ "$(grep -o 'stroke-dasharray=.[0-9., ]*' a.svg)" != \
		"$(grep -o 'stroke-dasharray=.[0-9., ]*' b.svg)" ]
	# It has no column.
	"$C2C" plot cl.json --term >table
	[ "$(grep -c 'theory' table)" -eq 0 ]
}

@test "what is said below titles and at axes has its room" {
	need_gnuplot
	{
		cl_head bus
		cl_series bus near GiB/s copy | sed 1,2d
		for name in "one CPU" "all CPUs" "16 MiB of words" \
			"64 MiB of words"; do
			printf '\n\n# series: "%s" width elements "bus: near" GiB/s ceiling\n' \
				"$name"
			printf '1 12\n16 12\n'
		done
		for sizes in '4194304 6 8388608' '4096 6 67108864'; do
			read -r from y to <<<"$sizes"
			printf '\n\n# series: copy size B "bus: from %s" GiB/s median\n' "$from"
			printf '%s\n' "$from $y" "$to $y"
		done
	} >cl.dat
	as_json cl
	run "$C2C" plot cl.json -o a.svg
	[ -z "$output" ]
	# Two lines, of which none leaves its panel.
	[ "$(grep -c '>natively one CPU 12, all CPUs 12, .*MiB of words 12,<' a.svg)" -eq 1 ]
	[ "$(grep -c '>64 MiB of words 12<' a.svg)" -eq 1 ]
	# Lines in the same grey have their names beside them.
	[ "$(grep -c '>one CPU<' a.svg)" -eq 1 ]
	[ "$(grep -c '>all CPUs<' a.svg)" -eq 1 ]
	# Sizes are said as such, the first and the last of all.
	for size in 4 8 64; do grep -q ">$size MiB<" a.svg; done
	grep -q '>4 KiB<' a.svg
	[ "$(grep -c '[0-9]e+' a.svg)" -eq 0 ]
}

@test "the names of native rates that are near each other do not touch" {
	{
		cl_head bus
		cl_series bus near GiB/s copy | sed 1,2d
		for rate in '"one CPU" 12' '"all CPUs" 12.3'; do
			printf '\n\n# series: %s width elements "bus: near" GiB/s ceiling\n' \
				"${rate% *}"
			printf '%s\n' "1 ${rate##* }" "16 ${rate##* }"
		done
		# A page of one test, not of one panel.
		cl_series bus other GiB/s copy
	} >cl.dat
	as_json cl
	"$C2C" export -q cl.json --dat >a.dat
	y_of() { sed -n "s/^# plot.text: [^ ]* \([^ ]*\) left .* $1\$/\1/p" a.dat; }
	# The higher rate has its name above, the other below.
	awk -v all="$(y_of 'all CPUs')" -v one="$(y_of 'one CPU')" \
		'BEGIN { exit !(one - all > 8) }'
	# No mark of the axis runs through either.
	[ "$(grep -c '^# plot.back: .* #FFFFFF$' a.dat)" -eq 2 ]
}

@test "a curve that lies under another is wider and so seen" {
	{
		cl_head local
		cl_series local memory GiB/s read | sed 1,2d
		cl_series local memory GiB/s write
	} >cl.dat
	as_json cl
	# widths FILTER: of both curves, after a change of the second.
	widths() {
		jq "$1" cl.json >a.json
		"$C2C" export -q a.json --dat |
			sed -n 's/^# plot.line: [0-9]* 2 [^ ]* \([^ ]*\) 1$/\1/p'
	}
	read -r -d '' under over < <(widths .) || true
	awk -v a="$under" -v b="$over" 'BEGIN { exit !(a > 1.5 * b) }'
	read -r -d '' under over < <(widths '(.curves[] |
		select(.member == "write") | .median) |= map(if . then . / 2 else . end)') || true
	[ -n "$over" ]
	[ "$under" = "$over" ]
}

@test "of three curves on each other the lowest is widest, whatever variants they have" {
	# Latency, the last panel: add, exchange, cas, cas with relax.
	"$C2C" export -q "$srcdir/data/xeon-16vcpu-contend.json" --dat |
		sed -n '/^# plot.panel/h; /^# plot.line/H; /^[^#]/{g;p;q}' |
		awk '/plot.line/ && n++ < 3 { print $6 }' >widths
	[ "$(wc -l <widths)" -eq 3 ]
	sort -rnu widths | cmp - widths
}

@test "of several native rates each is a pale line in the colour of its curve" {
	need_gnuplot
	"$C2C" plot "$srcdir/data/xeon-16vcpu-cl-all.json" --test cache -q -o a.svg
	local colour
	for colour in '128, 184, 216' '234, 174, 128' '128, 206, 185'; do
		grep -q "rgb($colour)' stroke-dasharray" a.svg
	done
}

@test "an axis over little more than two powers of ten has marks between them" {
	"$C2C" export -q "$srcdir/data/xeon-16vcpu-contend.json" --dat |
		sed -n 's/^# plot.text: .* #444444 \([125]00*\)$/\1/p' >marks
	# Latency, the last panel.
	tail -n 6 marks | cmp - <(printf '%s\n' 100 200 500 1000 2000 5000)
}

@test "a long warning is wrapped on a terminal, between words, and only there" {
	command -v script >/dev/null || skip "script(1) is not installed"
	suite
	record=suite.json
	"$C2C" plot "$record" --test rowcol --term 2>err >out
	[ "$(wc -l <err)" -eq 1 ]
	script -qec "env TERM=xterm COLUMNS=50 '$C2C' plot '$record' \
		--test rowcol --term >out" typescript </dev/null >/dev/null 2>&1
	sed '/^Script/d' typescript | tr -d '\r' >wrapped
	[ "$(wc -l <wrapped)" -ge 3 ]
	[ "$(awk 'length > 50' wrapped | wc -l)" -eq 0 ]
	# Nothing is lost.
	tr -s '\n ' '  ' <wrapped >words
	tr -s '\n ' '  ' <err | cmp - words
}

@test "what a file says of tests, curves and devices is not run" {
	need_gnuplot
	# shellcheck disable=SC2016
	bad='`date>owned`'
	{
		cl_head all
		cl_series "$bad" "$bad" "$bad" "$bad" "device 0 ($bad)" | sed 1,2d
		cl_series "$bad" "$bad, x" Gcalls/s "$bad" "device 0 ($bad)"
		printf '\n\n# series: "%s" width elements "%s: %s, device 0 (%s)" "%s" ceiling\n' \
			"$bad" "$bad" "$bad" "$bad" "$bad"
		printf '1 12\n4 12\n16 12\n'
	} >cl.dat
	as_json cl
	"$C2C" export -q cl.json -o cl.dat
	gnuplot -d -c "$builddir/scripts/curves.gp" cl.dat a.svg
	[ ! -e owned ]
	grep -qF ">$bad<" a.svg
	for test in '' "$bad"; do
		"$C2C" plot -q cl.json -o a.svg ${test:+--test "$test"}
		[ ! -e owned ]
	done
}

# The records of real runs, on a sheet of about the form of a page.
@test "the records in data are drawn as pages" {
	need_gnuplot
	for record in xeon-16vcpu-cl-all h200-cl-all; do
		run "$C2C" plot -q "$srcdir/data/$record.json" --group suite \
			-o a.png -o a.svg
		[ "$status" -eq 0 ]
		[ -z "$output" ]
		read -r w h <<<"$(png_size a.png)"
		[ "$w" -le 2700 ]
		[ "$h" -le $((w * 8 / 5)) ]
		# All tests are six panels wide, and no longer than a sheet of paper.
		read -r w h <<<"$("$C2C" export -q "$srcdir/data/$record.json" --dat |
			sed -n 's/^# plot.page: \([0-9]* [0-9]*\) .*/\1/p')"
		[ "$w" -eq 1324 ]
		[ "$h" -le $((w * 8 / 5)) ]
		for test in rowcol scale stride 'local' constant image bus math \
			branch; do
			times=1
			# A kernel of stream has that name, too.
			[ "$test" != scale ] || times=$((1 + $(grep -c '>stream<' a.svg || true)))
			[ "$(grep -c ">$test<" a.svg)" -eq "$times" ]
		done
		# One by itself, and in the terminal.
		"$C2C" plot -q "$srcdir/data/$record.json" --test branch -o b.svg
		grep -q '>c2c cl (branch) through ' b.svg
		"$C2C" plot -q "$srcdir/data/$record.json" --test branch >text
		grep -q '^branch: time over one path' text
		[ "$(grep -c '^[a-z]*: ' text)" -eq "$(grep -c '^branch: ' text)" ]
	done
}

@test "one panel of several tests is large, and says which nodes it is of" {
	"$C2C" export -q "$srcdir/data/xeon-16vcpu-numa.json" --dat >drawn.dat
	grep -q '^# plot.panel: [0-9.]* [0-9.]* 500.00 ' drawn.dat
	grep -q '^# plot.text: .* CPUs of node 0, memory of node 0$' drawn.dat
	# A few have what y is beside the name of their test.
	"$C2C" export -q "$srcdir/data/xeon-16vcpu-contend.json" --dat >drawn.dat
	grep -q '^# plot.text: .* all CPUs together, each on its own word$' drawn.dat
}

@test "a matrix of one cell shows its value" {
	need_gnuplot
	printf 'cpu,0\n0,12.5\n' >one.csv
	"$C2C" plot one.csv -o a.svg
	# In its cell, and beside the colours.
	[ "$(grep -c '12\.5' a.svg)" -eq 2 ]
}

@test "matrices of one cell are a caption above the curves, unless a test is asked for" {
	need_gnuplot
	local record=$srcdir/data/xeon-16vcpu-numa.json
	local said='idle latency 132 ns · bandwidth (reads only) 119 GiB/s' option
	"$C2C" plot "$record" -o a.svg
	grep -qF ">$said<" a.svg
	[ "$("$C2C" plot "$record" --term | sed -n 3p)" = "$said" ]
	"$C2C" plot "$record" --term --statistic ci_high |
		grep -xF 'idle latency 133 ns · bandwidth (reads only) 120 GiB/s'
	"$C2C" plot "$record" --term --matrix bandwidth-1:0 |
		grep -F ' · bandwidth (reads only), median [GiB/s] · '
	for option in --test=loaded --matrix=latency; do
		"$C2C" plot "$record" --term "$option" >text
		[ "$(grep -c 'idle latency 13' text)" -eq 0 ]
	done
	# A hole says nothing, and a line of nothing is not written.
	jq 'del(.matrices[] | select(.name != "latency")) |
		.matrices[].values = [[null]]' "$record" >hole.json
	"$C2C" plot hole.json --term >text
	[ "$(sed -n 3p text)" = '' ]
	[ "$(sed -n 4p text | grep -c '^loaded: ')" -eq 1 ]
}

@test "a group of tests is a page, and says what only its tests say" {
	need_gnuplot
	local record=$srcdir/data/h200-cl-all.json text
	"$C2C" plot -q "$record" --group memory -o a.png -o a.svg
	read -r w h <<<"$(png_size a.png)"
	[ "$h" -le $((w * 8 / 5)) ]
	for text in cache banks latency formats incore peak launch roofline svm; do
		grep -q ">$text<" a.svg
	done
	! grep -q '>rowcol<' a.svg || false
	"$C2C" plot -q "$record" --group both >grouped
	"$C2C" plot -q "$record" >text
	cmp grouped text
	jq '(.run.tests[] | select(.test == "bus" or .test == "svm")).notes =
		["odd"]' "$record" >said.json
	"$C2C" plot said.json --group memory 2>err >out
	grep -q 'of this run: svm: odd' err
	! grep -q 'of this run: bus: odd' err || false
	! grep -q '^bus: ' out || false
}

@test "banks and incore are tables, in records that say so" {
	need_gnuplot
	local record=$srcdir/data/h200-cl-all.json cell range
	"$C2C" plot -q "$record" --test banks -o a.svg
	# A table for each of four curves, and one of blocks.
	[ "$(grep -c '>stride \[elements\], row + column<' a.svg)" -eq 4 ]
	grep -q '>local memory, 8 B \[GiB/s\]<' a.svg
	# Colours are by factors: the ends come from logarithms.
	read -r range cell < <(jq -r '.curves[] | select(.test == "banks" and
		.family == "local memory" and .member == "4 B" and
		.statistic == "median") | "\(.median | max) \(.median | min) \(
		.median[8])"' "$record" |
		awk '{ printf "%.0f,%.0f %.0f\n", exp(log($1)), exp(log($2)), $3 }')
	grep -q ">dark is ${range%,*}, bright is ${range#*,}, colours by factors, in theory 31156<" a.svg
	grep -q ">$cell<" a.svg
	grep -q 'Tables: dark is better, light grey is missing' a.svg
	"$C2C" plot -q "$record" --test incore -o a.png -o a.svg
	[ "$(grep -c '>8 chains<' a.svg)" -eq 6 ]
	cell=$(jq '[.curves[] | select(.test == "incore" and
		.statistic == "median") | .median[]] | min' "$record")
	grep -q ">$(printf %.3f "$cell")<" a.svg
	read -r w h <<<"$(png_size a.png)"
	[ "$w" -le 2300 ] && [ "$h" -lt "$w" ]
	# The same by hand. Other tests, and the terminal, have no tables.
	jq '.curves |= map(select(.test == "incore"))' "$record" >one.json
	"$C2C" plot -q one.json -o a.svg
	"$C2C" export -q one.json -o a.dat
	gnuplot -d -c "$builddir/scripts/curves.gp" a.dat b.svg
	same_but_title a.svg b.svg
	"$C2C" plot -q "$record" --test stream -o b.svg
	! grep -q 'Tables: ' b.svg || false
	"$C2C" plot -q "$record" --test incore >table
	# Without the word they are the curves that they were, in one panel each.
	jq 'del(.curves[].drawn)' "$record" >old.json
	"$C2C" plot -q old.json --test incore >text
	cmp table text
	"$C2C" plot -q old.json --test banks -o b.svg
	[ "$(grep -c '>stride \[elements\]<' b.svg)" -eq 2 ]
	! grep -q 'Tables: ' b.svg || false
	# A record may hold anything: an x of no cell leaves the panel as it was.
	jq '(.curves[] | select(.test == "banks" and .member == "8 B" and
		.family == "local memory") | .x.values[3]) = 1e9' "$record" >odd.json
	"$C2C" plot -q odd.json --test banks -o b.svg
	[ "$(grep -c '>stride \[elements\], row + column<' b.svg)" -eq 2 ]
	[ "$(grep -c '>stride \[elements\]<' b.svg)" -eq 1 ]
	# The ends of the colours are chosen, or nobody knows them.
	"$C2C" plot -q "$record" --test incore --range 0:10 -o b.svg
	[ "$(grep -c '>dark is 0, bright is 10.0<' b.svg)" -eq 6 ]
	jq '.curves |= map(select(.test == "incore") | .median |= map(null))' \
		"$record" >none.json
	"$C2C" plot -q none.json -o b.svg
	[ "$(grep -c '>no values<' b.svg)" -eq 6 ]
}

@test "a group is of records that have its tests" {
	suite
	run "$C2C" plot suite.json --group memory
	[ "$status" -eq 2 ]
	[[ $output == *"has no test of the group memory; it has: rowcol,"* ]]
	# Its latency is no test of c2c cl.
	run "$C2C" plot "$srcdir/data/xeon-16vcpu-contend.json" --group memory
	[ "$status" -eq 2 ]
	[[ $output == *"--group is for records of 'c2c cl all'"* ]]
	for option in '--test bus' '--matrix latency'; do
		# shellcheck disable=SC2086 # an option and its value
		run "$C2C" plot "$srcdir/data/h200-cl-all.json" --group suite $option
		[ "$status" -eq 2 ]
		[[ $output == *"expected one"* ]]
	done
}

@test "a page of one panel says its title once, in one line" {
	need_gnuplot
	suite
	jq '.curves |= map(select(.family == "local memory"))' suite.json >one.json
	"$C2C" plot -q one.json --test 'local' -o a.svg
	local day
	day=$(jq -r '.started | sub("T.*"; "")' one.json)
	grep -q ">c2c cl (local) through Portable Computing Language · local memory, median \[GiB/s\] · $day<" a.svg
	[ "$(grep -c '>local memory' a.svg)" -eq 1 ]
	# Its curves are named at their ends.
	[ "$(grep -c '>read<\|>write<' a.svg)" -eq 2 ]
}

@test "names of native rates stand below the upper end of their panels" {
	"$C2C" export -q "$srcdir/data/xeon-16vcpu-cl-all.json" --dat >page
	awk '/^# plot.panel:/ { top = $4 }
		/^# plot.text: .* (one CPU|write|add and sub)$/ && top {
			n += / (one CPU)$/
			if ($9 == "#444444" && $4 < top + 4)
				bad = 1
		}
		END { exit bad || n != 3 }' page
}

@test "the point of scale that is one CPU's work is ringed" {
	need_gnuplot
	# rings FILE: how many in its picture.
	rings()
	{
		"$C2C" plot -q "$1" --test scale -o a.svg
		grep -c '>one group<' a.svg || true
	}
	[ "$(rings "$srcdir/data/xeon-16vcpu-cl-all.json")" -eq 1 ]
	# A GPU has no CPUs.
	[ "$(rings "$srcdir/data/h200-cl-all.json")" -eq 0 ]
}

@test "a page that begins with the ring has its last line" {
	need_gnuplot
	jq '.curves |= map(select(.test != "rowcol"))' \
		"$srcdir/data/xeon-16vcpu-cl-all.json" >cl.json
	"$C2C" plot -q cl.json -o a.svg
	grep -q '>one group<' a.svg
	grep -q '>Main curves of each test; ' a.svg
}

@test "the record of one test is drawn as --test of that test" {
	need_gnuplot
	jq '.options.method = "bus"
		| .curves |= map(select(.test == "bus"))' \
		"$srcdir/data/xeon-16vcpu-cl-all.json" >bus.json
	"$C2C" plot -q bus.json -o a.svg
	"$C2C" plot -q bus.json --test bus -o b.svg
	cmp a.svg b.svg
	run "$C2C" plot -q bus.json --test rowcol
	[ "$status" -eq 2 ]
	[[ $output == *"no test 'rowcol'; it has: bus" ]]
}

@test "warnings of a run name their test, of which one has its own" {
	suite
	jq '.run.warnings = ["of all", "same", "same"]
		| .run.tests[].notes = []
		| .run.tests[0].notes = ["same"] | .run.tests[1].notes = ["same"]' \
		suite.json >cl.json
	warned() { "$C2C" plot cl.json "$@" 2>&1 >table | sed 's/.*of this run: //'; }
	[ "$(warned)" = $'rowcol: same\nscale: same\nof all' ]
	[ "$(warned --test scale)" = $'scale: same\nof all' ]
	[ "$(warned --test bus)" = 'of all' ]
}

# What is written of a thing decides nothing: with other words for all of them a
# page is the same but for these words, which are as long. Only the colours of a
# table need its unit, which says whether high is better.
@test "other words change no page but the words on it" {
	need_gnuplot
	for record in xeon-16vcpu-cl-all xeon-64vcpu-sweep-warm; do
		# The record beside this says the kinds of axes by their units.
		"$C2C" export -q "$srcdir/data/$record.json" -o kinds.json
		jq 'def other: if . == null then . else explode | map(
				if . >= 97 and . <= 122 then (. - 97 + 13) % 26 + 97
				elif . >= 65 and . <= 90 then (. - 65 + 13) % 26 + 65
				elif . == 44 then 59 else . end) | implode end;
			(.run.tests[]? | .test) |= other |
			.curves[] |= (.test |= other | .family |= other |
				.member |= other | .variant |= other |
				.x.name |= other | .y.name |= other |
				.x.unit |= other |
				(if .drawn == "row" or .drawn == "grid" then . else
					.y.unit |= other end) |
				if .mark then .mark.text |= other else . end)' \
			kinds.json >other.json
		"$C2C" export -q "$srcdir/data/$record.json" --dat |
			sed -n '/^# plot/p' >a
		"$C2C" export -q other.json --dat | sed -n '/^# plot/p' >b
		[ "$(wc -l <a)" -gt 40 ]
		[ "$(wc -l <a)" -eq "$(wc -l <b)" ]
		# Where words are, only their places and lengths count.
		for page in a b; do
			sed -E '/^# plot.text:/s/^(# plot.text: ([^ ]+ ){7})(.*)/\1\n\3/' \
				$page | sed '/^#/!s/./x/g' >$page.places
		done
		diff a.places b.places
		run cmp a b
		[ "$status" -eq 1 ]
	done
}

@test "quotes and backslashes are drawn as they are" {
	need_gnuplot
	"$C2C" plot lat.json --title 'run "B" in C:\new \042' -o a.svg
	grep -F '<text>run "B" in C:\new \042</text>' a.svg
}

@test "curves that lack a test, points, the x of a mark or intervals are drawn and kept" {
	local record=record.json
	need_gnuplot
	"$C2C" export -q "$srcdir/data/xeon-64vcpu-sweep-warm.json" -o $record
	jq '.curves[0].test = "a"' "$record" >test.json
	jq '.curves[0] |= (.x.values = [] | .median = [] | .low = [] |
		.high = [] | .ceiling = null | .fit = null)' "$record" >empty.json
	jq '.curves[0] |= (.mark = {text: "t", x: null} |
		.fit.overhead_ns = [9.5, null, null])' "$record" >mark.json
	for name in test empty mark; do
		"$C2C" plot "$name.json" -o a.svg
		"$C2C" export "$name.json" -o again.json
		diff <(jq -S '.curves' "$name.json") <(jq -S '.curves' again.json)
	done
	# The curves behind an empty one have their own points.
	jq '.curves += [.curves[1] | .member = "third" |
		.median |= map(. / 2)]' empty.json >three.json
	jq '.curves |= .[1:]' three.json >two.json
	"$C2C" plot three.json -o three.svg
	"$C2C" plot two.json -o two.svg
	[ "$(grep -c '<use' two.svg)" -ge 22 ]
	[ "$(grep -c '<use' three.svg)" -eq "$(grep -c '<use' two.svg)" ]
}

@test "the knee of a stored curve is marked, and its mix is said in words" {
	need_gnuplot
	"$C2C" plot "$srcdir/data/xeon-16vcpu-numa.json" -o a.svg
	grep -F 'knee: 46.4 to 74.7 GiB/s' a.svg
	# The mix "1:0" of the record.
	grep -F '>reads only<' a.svg
}

@test "tables have no columns of dots, and a title each" {
	{
		series many x s y ns median 1 2.5 2 3.5
		series one x s y ns median 1 1.5
		series none x s y ns median 1 nan 2 nan
		series a x s z GiB/s median 1 4.5
		series b x s z GiB/s median 1 5.5
		series gone x s w GiB/s median 1 nan 2 nan
	} | only_curves >tables.json
	# The caption has no title, which only the first would be of.
	run "$C2C" plot tables.json
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154
	diff - <(printf '%s\n' "${lines[@]:1}") <<-'END'
		median
		y [ns]
		  x
		[s]        many
		  1        2.50
		  2        3.50
		one: 1.50 at 1 (x)
		none: no values
		z [GiB/s]
		  x
		[s]           a           b
		  1        4.50        5.50
		w [GiB/s]
		No values.
	END
}

@test "curves are a table in the terminal" {
	curves
	run "$C2C" plot sweep.json
	[ "$status" -eq 0 ]
	[ "${lines[1]}" = "c2c queue (cold) · rate, median [GiB/s] · 25 passes · 2026-11-21" ]
	[ "${lines[6]}" = " 64 B        2.50        2.25" ]
	[ "${lines[7]}" = "128 B        4.00           ·" ]
	[ "${lines[8]}" = "1 KiB        9.25        7.00" ]
	run "$C2C" plot sweep.json --statistic p99
	[ "$status" -eq 2 ]
	[[ $output == *"'p99'; it has: median, ci_low, ci_high, fit"* ]]
	run "$C2C" plot sweep.json --matrix writer
	[ "$status" -eq 2 ]
	[[ $output == *"no matrix to plot, only curves"* ]]
}

@test "--series draws the curves of a file that has matrices" {
	curves
	jq -s '.[0] + {curves: .[1].curves}' lat.json sweep.json >all.json
	run "$C2C" plot all.json
	[[ $output == *121.5* && $output != *9.25* ]]
	run "$C2C" plot all.json --series
	[ "$status" -eq 0 ]
	[[ $output != *121.5* && $output == *9.25* ]]
	run "$C2C" plot lat.json --series
	[ "$status" -eq 2 ]
	[[ $output == *"the result holds no curves to plot"* ]]
	run "$C2C" plot all.json --series --matrix latency
	[ "$status" -eq 2 ]
	[[ $output == *"--series and --matrix: expected one"* ]]
}

@test "the script draws the same picture alone" {
	need_gnuplot
	"$C2C" plot lat.json -o a.svg
	"$C2C" export lat.json -o lat.dat
	run gnuplot -d -c "$builddir/scripts/heatmap.gp" lat.dat b.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	same_but_title a.svg b.svg
	# Under any name, when told what it is.
	gnuplot -d -c "$builddir/scripts/heatmap.gp" lat.dat b svg
	same_but_title a.svg b
}

# gnuplot cuts long lines with a warning, and large machines have long lines.
@test "long lines of a header are no concern of the script" {
	need_gnuplot
	long=$(seq -s ', ' 0 3000)
	jq ".machine.warnings = [$long]" lat.json >long.json
	"$C2C" export long.json -o long.dat
	run gnuplot -d -c "$builddir/scripts/heatmap.gp" long.dat a.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q ' 25 passes · 2026-11-21<' a.svg
}

@test "the scripts refuse what they do not know" {
	need_gnuplot
	"$C2C" export lat.json -o lat.dat
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
	no_files_but lat.dat lat.json old.dat
}

@test "every matrix is drawn without a word: missing, constant, one CPU" {
	need_gnuplot
	jq '.matrices[].values[][] = null' lat.json >missing.json
	printf ',5\n5,\n' >constant.csv
	square 200 >many.csv
	printf 'cpu,0\n0,\n' >one.csv
	printf ',1e-5,3\n2e9,,0\n0,1,\n' >wild.csv
	for file in missing.json constant.csv many.csv one.csv wild.csv; do
		for kind in png svg pdf; do
			run "$C2C" plot "$file" -o "${file%.*}.$kind"
			[ "$status" -eq 0 ]
			[ -z "$output" ]
		done
	done
	grep -q '>no values<' missing.svg
	# What is missing is grey, and the page around it is white.
	[ "$(grep -c "'rgb(232, 232, 232)'" one.svg)" -eq 1 ]
	square 300 >large.csv
	"$C2C" plot large.csv -o large.svg
	[ "$(grep -c "'rgb(232, 232, 232)'" large.svg)" -eq 1 ]
}

@test "all numbers beside the colours have as many digits after the point" {
	local least
	for least in 20.6 35.12 3 140 0.0411; do
		awk -v least="$least" 'BEGIN {
			for (i = 0; i < 16; i++) {
				for (j = 0; j < 16; j++)
					printf "%s%s", j ? "," : "", i == j ? "" : \
						sprintf("%.6g", least * (1 + (i + j) / 60))
				print ""
			}
		}' >a.csv
		"$C2C" export -q a.csv --dat >a.dat
		# Texts to the right of the colours, without the sign of an end.
		awk '/^# plot.bar:/ { right = $3 }
			/^# plot.text:/ && right && $3 > right && $NF ~ /^[0-9.]+$/ {
				sub(/^[0-9]*\.?/, "", $NF)
				print length($NF)
			}' a.dat | sort | uniq -c >digits
		cat digits
		[ "$(grep -c . digits)" -eq 1 ]
		[ "$(awk '{ print $1 }' digits)" -ge 4 ]
	done
}

@test "values beyond the colours are marked and counted" {
	need_gnuplot
	"$C2C" plot lat.json -o a.svg --range 20:100
	grep -q '>≤ 20.0<' a.svg
	grep -q '>≥ 100.0<' a.svg
	grep -q '>Values from 10 to 122 ns; 6 of 12 lie beyond the colours.<' a.svg
	"$C2C" plot lat.json -o b.svg --range 0:1000
	[ "$(grep -c '≤\|≥\|beyond' b.svg)" -eq 0 ]
}

@test "without gnuplot c2c exits with 77 and the reason, and writes nothing" {
	PATH=/nonexistent run "$C2C" plot lat.json -o a.png
	[ "$status" -eq 77 ]
	[[ $output == "c2c plot: -o: 'a.png' was not drawn: gnuplot is not in PATH: install it"*"the data is unharmed"* ]]
	no_files_but lat.json
}

@test "without gnuplot the terminal serves" {
	PATH=/nonexistent run "$C2C" plot lat.json --term
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Test CPU {x}^2 <&> · lab_1" ]
	[ "${lines[3]}" = "  0      ·  10.5  95.0 120.0" ]
	[ "${lines[7]}" = "10.5 to 121.5 ns (lower is better)" ]
}

@test "text in a pipe has every number and no escape" {
	square 150 >many.csv
	COLUMNS=40 run "$C2C" plot many.csv --term
	[ "$status" -eq 0 ]
	[[ $output != *$'\x1b'* ]]
	[ "$(grep -c '^ *[0-9]* .*·' <<<"$output")" -eq 150 ]
	[ "$(awk '/^ *149 / { print NF }' <<<"$output")" -eq 151 ]
}

@test "on a terminal --term is the default, in colour, unless NO_COLOR" {
	command -v script >/dev/null || skip "script(1) is not installed"
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
}

@test "a narrow terminal shows half blocks" {
	command -v script >/dev/null || skip "script(1) is not installed"
	square 64 >many.csv
	run script -qec "env TERM=xterm COLUMNS=80 LINES=40 '$C2C' plot many.csv" \
		/dev/null </dev/null
	[ "$status" -eq 0 ]
	[[ $output == *▀* ]]
	[ "$(grep -c '▀' <<<"$output")" -eq 32 ]
}

@test "without a picture it is drawn as text, also into a pipe" {
	run "$C2C" plot lat.json
	[ "$status" -eq 0 ]
	[ "$output" = "$("$C2C" plot --term lat.json)" ]
	[[ $output == *121.5* ]]
}

@test "what a run said of itself is said again" {
	jq '.run.warnings = ["the host took time"] | .complete = false' lat.json \
		>doubt.json
	run --separate-stderr "$C2C" plot doubt.json
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154
	[[ $stderr == *"of this run: the host took time"* ]]
	[[ $stderr == *"ended before it was complete"* ]]
	run --separate-stderr "$C2C" plot --quiet doubt.json
	[ -z "$stderr" ]
	run --separate-stderr "$C2C" plot lat.json
	[ -z "$stderr" ]
}

@test "FILE must be one, exist and be a result" {
	run "$C2C" plot --term
	[ "$status" -eq 2 ]
	[[ $output == *"no FILE"* ]]
	run "$C2C" plot --term lat.json other.dat
	[ "$status" -eq 2 ]
	[[ $output == *"'lat.json' and 'other.dat'"* ]]
	run "$C2C" plot --term none.json
	[ "$status" -eq 1 ]
	[[ $output == *none.json* ]]
	echo 'hello, world' >hello.csv
	run "$C2C" plot --term hello.csv
	[ "$status" -eq 1 ]
	[[ $output == *hello.csv*world* ]]
}

@test "standard input is a FILE" {
	run "$C2C" plot --term - <lat.json
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Test CPU {x}^2 <&> · lab_1" ]
	run "$C2C" plot --term - < <(printf ',5\n5,\n')
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "latency [ns]" ]
}

@test "what names no machine is called by its file" {
	printf ',5\n5,\n' >other.csv
	run "$C2C" plot --term "$PWD/other.csv"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "other.csv" ]
}

@test "--range wants two numbers, the first one less" {
	for range in 5 5: :5 a:5 5:b 5:5 7:5 1:2:3 nan:5 0:inf ''; do
		run "$C2C" plot lat.json --term "--range=$range"
		[ "$status" -eq 2 ]
		[[ $output == *--range:* ]]
	done
	run "$C2C" plot lat.json --term --range=-5:5.5e1
	[ "$status" -eq 0 ]
}

@test "--range may have exponents, within what gnuplot can draw" {
	for range in 0:2e16 0:1e-320 -1.7e308:1 1e-320:1e-319; do
		run "$C2C" plot lat.json --term "--range=$range"
		[ "$status" -eq 2 ]
		[[ $output == *"--range: "*1e*15* ]]
	done
	need_gnuplot
	for range in 0:1e-5 1e-5:2.5e-5 -1e15:1e15 1e-320:1; do
		run "$C2C" plot lat.json -o a.svg "--range=$range"
		[ "$status" -eq 0 ]
		[ -z "$output" ]
	done
}

@test "numbers that gnuplot cannot draw are named" {
	printf ',1.7e308,60\n1.7e308,,70\n60,70,\n' >large.csv
	run "$C2C" plot large.csv -o a.svg
	[ "$status" -eq 1 ]
	[[ $output == *"'a.svg' was not drawn: found 1.7e+308 in 'latency'"*"c2c plot --term"* ]]
	[ ! -e a.svg ]
	run "$C2C" plot large.csv --term
	[ "$status" -eq 0 ]
}

@test "--statistic and --matrix name what there is" {
	run "$C2C" plot lat.json --term --statistic max
	[ "$status" -eq 2 ]
	[[ $output == *"'max'"*"it has: latency median, latency min"* ]]
	run "$C2C" plot lat.json --term --matrix copy
	[ "$status" -eq 2 ]
	[[ $output == *"'copy'"*"it has: latency median, latency min"* ]]
	run "$C2C" plot lat.json --term --matrix latency --statistic min
	[ "$status" -eq 0 ]
	[[ $output == *"  0    ·  10  90 110"* ]]
}

@test "a bad statistic writes no picture" {
	run "$C2C" plot lat.json -o a.png --statistic max
	[ "$status" -eq 2 ]
	no_files_but lat.json
}

@test "--order is os, groups, or topology, which needs a topology" {
	run "$C2C" plot lat.json --term --order numa
	[ "$status" -eq 2 ]
	[[ $output == *"--order: 'numa' is none of os, topology, groups"* ]]
	run "$C2C" plot lat.json --term --order os
	[ "$status" -eq 0 ]
	run "$C2C" plot lat.json --term --order topology
	[ "$status" -eq 2 ]
	[[ $output == *"holds no topology"*"--order os"* ]]
}

@test "without groups --order groups keeps the order, and says so" {
	awk 'BEGIN {
		for (i = 0; i < 8; i++)
			for (j = 0; j < 8; j++)
				printf "%s%s", i == j ? "" : 50, j < 7 ? "," : "\n"
	}' >alike.csv
	"$C2C" plot alike.csv --term >os
	run --separate-stderr "$C2C" plot alike.csv --term --order groups
	[ "$status" -eq 0 ]
	[[ $stderr == *"note: no groups were found"* ]]
	[ "$output" = "$(cat os)" ]
	curves
	run "$C2C" plot sweep.json --term --order groups
	[ "$status" -eq 2 ]
	[[ $output == *"holds no matrix to analyse, only curves"* ]]
}

@test "a table has a measured x with the digits of the report" {
	"$C2C" plot "$srcdir/data/xeon-16vcpu-numa.json" --test loaded --term >out
	grep -q '^ *1\.44  ' out
	grep -q '^ *118\.12  ' out
}

@test "-o refuses unknown and missing extensions, and one name twice" {
	for name in a.gif a a.png.txt .; do
		run "$C2C" plot lat.json -o "$name"
		[ "$status" -eq 2 ]
		[[ $output == *"-o: '$name' does not end in .png, .svg, .pdf or .html"* ]]
	done
	run "$C2C" plot lat.json -o a.png -o b.png -o a.png
	[ "$status" -eq 2 ]
	[[ $output == *"-o: 'a.png' is given twice"* ]]
	run "$C2C" plot lat.json -o a.png -o ./a.png
	[ "$status" -eq 2 ]
	no_files_but lat.json
}

@test "one picture that cannot be written keeps all from being written" {
	run "$C2C" plot lat.json -o a.png -o none/b.png
	[ "$status" -eq 1 ]
	[[ $output == *"-o: 'none/b.png' cannot be written: there is no folder 'none'"* ]]
	mkdir folder.png
	run "$C2C" plot lat.json -o a.png -o folder.png
	[ "$status" -eq 1 ]
	[[ $output == *"-o: 'folder.png'"* ]]
	no_files_but lat.json folder.png
}

@test "a full disk leaves the old picture" {
	need_gnuplot
	[ "$(id -u)" -eq 0 ] || skip "only root can mount a small tmpfs"
	mkdir small
	mount -t tmpfs -o size=16k tmpfs small 2>/dev/null ||
		skip "no tmpfs can be mounted here"
	echo old >small/a.png
	square 64 >many.csv
	run "$C2C" plot many.csv -o small/a.png
	content=$(cat small/a.png)
	left=$(find small -mindepth 1 | wc -l)
	umount small
	[ "$status" -eq 1 ]
	[[ $output == *"'small/a.png' cannot be written: No space left"* ]]
	[ "$content" = old ]
	[ "$left" -eq 1 ]
}

@test "a picture that a device does not take is a failure" {
	need_gnuplot
	[ -w /dev/full ] || skip "there is no /dev/full"
	for extension in png svg pdf; do
		ln -s /dev/full "a.$extension"
		run "$C2C" plot lat.json -o "a.$extension"
		[ "$status" -eq 1 ]
		[[ $output == *"'a.$extension' cannot be written: No space"* ]]
	done
	# What one takes is the whole picture.
	"$C2C" plot lat.json -o b.png
	ln -sf /dev/stdout a.png
	"$C2C" plot lat.json -o a.png | cmp - b.png
}

@test "a picture replaces an older one and keeps a link" {
	need_gnuplot
	mkdir there
	echo old >there/a.svg
	ln -s there/a.svg link.svg
	"$C2C" plot lat.json -o link.svg
	[ -L link.svg ]
	grep -q '<svg' there/a.svg
	no_files_but lat.json there there/a.svg link.svg
}

@test "names with odd characters are names" {
	need_gnuplot
	cp -- lat.json "-a b'\"\$(id).json"
	# shellcheck disable=SC2088
	for name in '|touch x.png' '<b.png' '~/c.png' $'d\ne.png' '-e.png'; do
		[[ $name != */* ]] || mkdir -p '~'
		run "$C2C" plot -o "$name" -- "-a b'\"\$(id).json"
		[ "$status" -eq 0 ]
		[ "$(head -c 4 "./$name" | tail -c 3)" = PNG ]
	done
	[ ! -e x.png ]
}

@test "--verbose tells what was written, --quiet nothing" {
	need_gnuplot
	run "$C2C" plot -v lat.json -o a.svg
	[ "$status" -eq 0 ]
	[ "$output" = "c2c plot: wrote a.svg" ]
	run "$C2C" plot -q lat.json -o a.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a full standard output is a failure" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run sh -c "'$C2C' plot lat.json --term >/dev/full"
	[ "$status" -eq 1 ]
	[[ $output == *"standard output"* ]]
}

@test "a page of several tests without a main curve shows all of them" {
	jq '.curves |= map(.place = "detail")' \
		"$srcdir/data/h200-cl-all.json" >details.json
	"$C2C" plot -q details.json -o details.svg
	grep -q '>local memory ' details.svg
}

@test "values that are too near to 0 for gnuplot are refused" {
	printf ',1e-310\n1e-310,\n' >near.csv
	run "$C2C" plot near.csv -o near.png
	[ "$status" -eq 1 ]
	[[ $output == *"gnuplot draws no values so near to 0"* ]]
	[ ! -e near.png ]
}
