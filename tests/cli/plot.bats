# c2c plot as a user types it. C2C and srcdir come from tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

setup() {
	: "${C2C:?}" "${srcdir:?}"
	cd "$BATS_TEST_TMPDIR" || return
	unset NO_COLOR COLUMNS LINES
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
}

need_gnuplot() {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
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
	run "$C2C" plot lat.dat -o a.png -o a.svg --output=a.pdf
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(head -c 8 a.png | od -A n -t x1)" = " 89 50 4e 47 0d 0a 1a 0a" ]
	[ "$(head -c 5 a.pdf)" = "%PDF-" ]
	head -n 3 a.svg | grep -q '<svg'
	tail -n 2 a.svg | grep -q '</svg>'
	no_files_but lat.dat a.png a.svg a.pdf
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
	"$C2C" plot lat.dat -o a.svg
	grep -q '>Test CPU {x}^2 &lt;&amp;> · lab_1<' a.svg
	grep -q '>c2c latency (line) · one-way latency, median \[ns\] · 25 passes · 2026-11-21<' a.svg
	grep -q '>one-way latency, median \[ns\] (lower is better)<' a.svg
	[ "$(grep -c '>CPU<' a.svg)" -eq 2 ]
	grep -q '>121.5<\|>122<' a.svg
	"$C2C" plot lat.dat -o b.svg --statistic min --title 'A {title}_x'
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
	for file in lat.dat far.csv busy.csv near.csv rate.dat low.dat; do
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
		near.csv | low.dat) [[ $low == '≤ '* ]] ;;
		*) [[ $low$high != *[≤≥]* ]] ;;
		esac
		# How many are beyond, or no such line in either.
		[ "$(grep 'beyond the colours' <<<"$plain")" = \
			"$(grep 'beyond the colours' <<<"$text")" ]
	done
}

@test "the script draws the same picture alone" {
	need_gnuplot
	"$C2C" plot lat.dat -o a.svg
	run gnuplot -d -c "$srcdir/plots/heatmap.gp" lat.dat b.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	cmp a.svg b.svg
	"$C2C" plot lat.dat -o a.svg --statistic min --range 5:200 --title 'T {x}'
	gnuplot -d -c "$srcdir/plots/heatmap.gp" lat.dat b.svg statistic=min \
		range=5:200 'title=T {x}'
	cmp a.svg b.svg
}

# gnuplot cuts long lines with a warning, and a large machine has such.
@test "long lines of a header are no concern of the script" {
	need_gnuplot
	long=$(seq -s ', ' 0 3000)
	sed "s/^# cpus/# machine.warnings: [$long]\n&/" lat.dat >long.dat
	run gnuplot -d -c "$srcdir/plots/heatmap.gp" long.dat a.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	grep -q ' 25 passes · 2026-11-21<' a.svg
}

@test "the script refuses what it does not know" {
	need_gnuplot
	run gnuplot -d -c "$srcdir/plots/heatmap.gp"
	[ "$status" -eq 2 ]
	[[ $output == *usage:* ]]
	run gnuplot -d -c "$srcdir/plots/heatmap.gp" lat.dat b.svg colour=red
	[ "$status" -eq 2 ]
	[[ $output == *'"colour=red"'*statistic=* ]]
	run gnuplot -d -c "$srcdir/plots/heatmap.gp" lat.dat b.svg statistic=max
	[ "$status" -eq 1 ]
	[[ $output == *"it has: latency median, latency min"* ]]
	run gnuplot -d -c "$srcdir/plots/heatmap.gp" lat.dat b.gif
	[ "$status" -eq 2 ]
	no_files_but lat.dat
}

@test "every matrix is drawn without a word: missing, constant, one CPU" {
	need_gnuplot
	sed -E '/^[0-9]/s/ [0-9.]+/ nan/g' lat.dat >missing.dat
	printf ',5\n5,\n' >constant.csv
	square 200 >many.csv
	printf 'cpu,0\n0,\n' >one.csv
	printf ',1e-5,3\n2e9,,0\n0,1,\n' >wild.csv
	for file in missing.dat constant.csv many.csv one.csv wild.csv; do
		for kind in png svg pdf; do
			run "$C2C" plot "$file" -o "${file%.*}.$kind"
			[ "$status" -eq 0 ]
			[ -z "$output" ]
		done
	done
	grep -q '>no values<' missing.svg
}

@test "values beyond the colours are marked and counted" {
	need_gnuplot
	"$C2C" plot lat.dat -o a.svg --range 20:100
	grep -q '>≤ 20.0<' a.svg
	grep -q '>≥ 100.0<' a.svg
	grep -q '>Values from 10 to 122 ns; 6 of 12 lie beyond the colours.<' a.svg
	"$C2C" plot lat.dat -o b.svg --range 0:1000
	[ "$(grep -c '≤\|≥\|beyond' b.svg)" -eq 0 ]
}

@test "without gnuplot: 77, the reason, and nothing written" {
	PATH=/nonexistent run "$C2C" plot lat.dat -o a.png
	[ "$status" -eq 77 ]
	[[ $output == "c2c plot: 'a.png' was not drawn: gnuplot is not in PATH: install it"*"the data is unharmed"* ]]
	no_files_but lat.dat
}

@test "without gnuplot the terminal serves" {
	PATH=/nonexistent run "$C2C" plot lat.dat --term
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
	run script -qec "env TERM=xterm '$C2C' plot lat.dat" /dev/null </dev/null
	[ "$status" -eq 0 ]
	[[ $output == *$'\x1b[48;2;68;1;84m'* ]]
	[[ $output == *$'\x1b[48;2;253;231;37m'* ]]
	run script -qec "env TERM=xterm NO_COLOR=1 '$C2C' plot lat.dat" \
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
	run "$C2C" plot lat.dat
	[ "$status" -eq 0 ]
	[ "$output" = "$("$C2C" plot --term lat.dat)" ]
	[[ $output == *121.5* ]]
}

@test "what a run said of itself is said again" {
	sed 's/^# run.passes: 25/&\n# run.warnings: ["the host took time"]/;
		s/^# complete: true/# complete: false/' lat.dat >doubt.dat
	run --separate-stderr "$C2C" plot doubt.dat
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154
	[[ $stderr == *"of this run: the host took time"* ]]
	[[ $stderr == *"ended before it was complete"* ]]
	run --separate-stderr "$C2C" plot --quiet doubt.dat
	[ -z "$stderr" ]
	run --separate-stderr "$C2C" plot lat.dat
	[ -z "$stderr" ]
}

@test "FILE: none, two, not there, not a result" {
	run "$C2C" plot --term
	[ "$status" -eq 2 ]
	[[ $output == *"no FILE"* ]]
	run "$C2C" plot --term lat.dat other.dat
	[ "$status" -eq 2 ]
	[[ $output == *"'lat.dat' and 'other.dat'"* ]]
	run "$C2C" plot --term none.dat
	[ "$status" -eq 1 ]
	[[ $output == *none.dat* ]]
	echo 'hello, world' >hello.csv
	run "$C2C" plot --term hello.csv
	[ "$status" -eq 1 ]
	[[ $output == *hello.csv*world* ]]
}

@test "standard input is a FILE" {
	run "$C2C" plot --term - <lat.dat
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "Test CPU {x}^2 <&> · lab_1" ]
	run "$C2C" plot --term - < <(printf ',5\n5,\n')
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "latency, median [ns]" ]
}

@test "what names no machine is called by its file" {
	printf ',5\n5,\n' >other.csv
	run "$C2C" plot --term "$PWD/other.csv"
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "other.csv" ]
}

@test "--range wants two numbers, the first one less" {
	for range in 5 5: :5 a:5 5:b 5:5 7:5 1:2:3 nan:5 0:inf ''; do
		run "$C2C" plot lat.dat --term "--range=$range"
		[ "$status" -eq 2 ]
		[[ $output == *--range:* ]]
	done
	run "$C2C" plot lat.dat --term --range=-5:5.5e1
	[ "$status" -eq 0 ]
}

@test "--statistic and --matrix name what there is" {
	run "$C2C" plot lat.dat --term --statistic max
	[ "$status" -eq 2 ]
	[[ $output == *"'max'"*"it has: latency median, latency min"* ]]
	run "$C2C" plot lat.dat --term --matrix copy
	[ "$status" -eq 2 ]
	[[ $output == *"'copy'"*"it has: latency median, latency min"* ]]
	run "$C2C" plot lat.dat --term --matrix latency --statistic min
	[ "$status" -eq 0 ]
	[[ $output == *"  0    ·  10  90 110"* ]]
}

@test "a bad statistic writes no picture" {
	run "$C2C" plot lat.dat -o a.png --statistic max
	[ "$status" -eq 2 ]
	no_files_but lat.dat
}

@test "--order is os or topology, which needs a topology" {
	run "$C2C" plot lat.dat --term --order numa
	[ "$status" -eq 2 ]
	[[ $output == *"--order: 'numa' is neither os nor topology"* ]]
	run "$C2C" plot lat.dat --term --order os
	[ "$status" -eq 0 ]
	run "$C2C" plot lat.dat --term --order topology
	[ "$status" -eq 2 ]
	[[ $output == *"holds no topology"*"--order os"* ]]
}

@test "-o: unknown and missing extensions, one name twice" {
	for name in a.gif a a.png.txt .; do
		run "$C2C" plot lat.dat -o "$name"
		[ "$status" -eq 2 ]
		[[ $output == *"-o: '$name' does not end in .png, .svg or .pdf"* ]]
	done
	run "$C2C" plot lat.dat -o a.png -o b.png -o a.png
	[ "$status" -eq 2 ]
	[[ $output == *"-o: 'a.png' is given twice"* ]]
	run "$C2C" plot lat.dat -o a.png -o ./a.png
	[ "$status" -eq 2 ]
	no_files_but lat.dat
}

@test "one picture that cannot be written: none is" {
	run "$C2C" plot lat.dat -o a.png -o none/b.png
	[ "$status" -eq 1 ]
	[[ $output == *"-o: 'none/b.png' cannot be written: there is no folder 'none'"* ]]
	mkdir folder.png
	run "$C2C" plot lat.dat -o a.png -o folder.png
	[ "$status" -eq 1 ]
	[[ $output == *"-o: 'folder.png'"* ]]
	no_files_but lat.dat folder.png
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
	[[ $output == *"'small/a.png' was not drawn"* ]]
	[ "$content" = old ]
	[ "$left" -eq 1 ]
}

@test "a picture replaces an older one and keeps a link" {
	need_gnuplot
	mkdir there
	echo old >there/a.svg
	ln -s there/a.svg link.svg
	"$C2C" plot lat.dat -o link.svg
	[ -L link.svg ]
	grep -q '<svg' there/a.svg
	no_files_but lat.dat there there/a.svg link.svg
}

@test "names with odd characters are names" {
	need_gnuplot
	cp -- lat.dat "-a b'\"\$(id).dat"
	# shellcheck disable=SC2088
	for name in '|touch x.png' '<b.png' '~/c.png' $'d\ne.png' '-e.png'; do
		[[ $name != */* ]] || mkdir -p '~'
		run "$C2C" plot -o "$name" -- "-a b'\"\$(id).dat"
		[ "$status" -eq 0 ]
		[ "$(head -c 4 "./$name" | tail -c 3)" = PNG ]
	done
	[ ! -e x.png ]
}

@test "--verbose tells what was written, --quiet nothing" {
	need_gnuplot
	run "$C2C" plot -v lat.dat -o a.svg
	[ "$status" -eq 0 ]
	[ "$output" = "c2c plot: wrote a.svg" ]
	run "$C2C" plot -q lat.dat -o a.svg
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "a full standard output is a failure" {
	[ -w /dev/full ] || skip "there is no /dev/full"
	run sh -c "'$C2C' plot lat.dat --term >/dev/full"
	[ "$status" -eq 1 ]
	[[ $output == *"standard output"* ]]
}
