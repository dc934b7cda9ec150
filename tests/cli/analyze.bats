# c2c analyze as a user types it. C2C and srcdir come from tests/run.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0
load helpers

setup() {
	: "${C2C:?}" "${srcdir:?}"
	# bats keeps files of its own in the folder above.
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
	unset NO_COLOR CLICOLOR_FORCE COLORTERM COLUMNS LINES HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_FSROOT
	rows 32 >lat.csv
}

# rows N: a machine of N CPUs whose siblings are i and i + N / 2, in two halves,
# as the rows of a bare CSV; with a little noise, the same each time.
rows() {
	awk -v n="$1" 'BEGIN {
		for (i = 0; i < n; i++)
			for (j = 0; j < n; j++) {
				a = i % (n / 2); b = j % (n / 2)
				cost = a == b ? 10 : int(4 * a / n) == int(4 * b / n) ? 50 : 150
				noise = (i < j ? i * 7 + j * 13 : j * 7 + i * 13) % 19
				printf "%s%s", i == j ? "" : cost * (1 + noise / 1000), j < n - 1 ? "," : "\n"
			}
	}'
}

# topology CORE...: hwloc's XML of a package whose cores have these masks.
topology() {
	local all=0x00000000ffffffff mask cpu set id=3
	set="cpuset=\"$all\" complete_cpuset=\"$all\" nodeset=\"0x1\" complete_nodeset=\"0x1\""
	echo '<?xml version="1.0" encoding="UTF-8"?>'
	echo '<!DOCTYPE topology SYSTEM "hwloc2.dtd">'
	echo '<topology version="2.0">'
	echo "<object type=\"Machine\" os_index=\"0\" $set allowed_cpuset=\"$all\" allowed_nodeset=\"0x1\" gp_index=\"1\">"
	echo "<object type=\"NUMANode\" os_index=\"0\" $set gp_index=\"2\" local_memory=\"1\"/>"
	for mask; do
		set="cpuset=\"$mask\" complete_cpuset=\"$mask\" nodeset=\"0x1\" complete_nodeset=\"0x1\""
		echo "<object type=\"Core\" $set gp_index=\"$((id++))\">"
		for cpu in {0..31}; do
			(((mask >> cpu) & 1)) || continue
			set="cpuset=\"$(printf '0x%08x' $((1 << cpu)))\""
			set="$set complete_$set nodeset=\"0x1\" complete_nodeset=\"0x1\""
			echo "<object type=\"PU\" os_index=\"$cpu\" $set gp_index=\"$((id++))\"/>"
		done
		echo '</object>'
	done
	echo '</object></topology>'
}

# The cores as they were measured, and as CPUs side by side.
true_cores() {
	# shellcheck disable=SC2046 # words
	topology $(for i in {0..15}; do
		printf '0x%08x ' $((0x10001 << i))
	done)
}

false_cores() {
	# shellcheck disable=SC2046 # words
	topology $(for i in {0..15}; do
		printf '0x%08x ' $((3 << 2 * i))
	done)
}

# record XML [CSV]: the record of lat.csv, or CSV, with a topology inside.
record() {
	local values
	values=$(sed 's/,,/,null,/; s/^,/null,/; s/,$/,null/; s/.*/[&],/' "${2-lat.csv}")
	printf '{"format":"c2c-result","version":1,"command":"latency",'
	printf '"complete":true,"cpus":[%s],' "$(seq -s, 0 31)"
	printf '"machine":{"hostname":"lab","cpu_model":"Test CPU"},'
	printf '"matrices":[{"name":"latency","statistic":"median",'
	printf '"unit":"ns","quantity":"one-way","better":"lower",'
	printf '"symmetric":true,"values":[%s]}],' "${values%,}"
	printf '"topology":{"hwloc_xml":"%s"}}\n' \
		"$(sed 's/"/\\"/g; s/$/\\n/' "$1" | tr -d '\n')"
}

@test "the report has levels from siblings outwards, as lists of CPUs" {
	run --separate-stderr "$C2C" analyze lat.csv
	[ "$status" -eq 0 ]
	# shellcheck disable=SC2154
	[ -z "$stderr" ]
	[[ $output == *"lat.csv: 32 CPUs"* ]]
	[[ $output == *"Level 1: 16 groups of 2 CPUs, SMT siblings (inferred); confidence 0.9"* ]]
	[[ $output == *"CPUs      0,16  1,17  2,18"* ]]
	[[ $output == *"Level 2: 2 groups of 16 CPUs; confidence 0.9"* ]]
	[[ $output == *"CPUs      0-7,16-23  8-15,24-31"* ]]
	[[ $output == *"Medians   10.0"*" ns inside, 50."*" ns between"* ]]
	[[ $output == *"Kind      confidence 0.98, from the latencies"$'\n'* ]]
	# Halves of eight cores, 50 and 150 ns: nobody can tell.
	text=$(tr -s ' \n' ' ' <<<"$output")
	[[ $text == *"Kind they share something that the others do not: a package or a last-level cache Medians"* ]]
	[[ $output == *"Topology  none to compare with"* ]]
	[[ $output != *Level\ 3* ]]
	# A heatmap is for eyes: none in a pipe.
	[[ $output != *"lower is better"* ]]
}

@test "CPUs that are all alike have no groups" {
	awk 'BEGIN { srand(7); for (i = 0; i < 12; i++) for (j = 0; j < 12; j++)
		printf "%s%s", i == j ? "" : 50 + rand(), j < 11 ? "," : "\n" }' \
		>alike.csv
	run "$C2C" analyze alike.csv
	[ "$status" -eq 0 ]
	[[ $output == *"No groups. The largest value of all pairs is 1.02 times"* ]]
	[[ $output == *noise.* ]]
	run "$C2C" analyze --json alike.csv
	[ "$(tr -d ' \n' <<<"$output" | grep -c '"levels":\[\]')" -eq 1 ]
}

@test "differences that repeat but make no level are not called noise" {
	run "$C2C" analyze "$srcdir/data/xeon-16vcpu.json"
	[ "$status" -eq 0 ]
	[[ $output == *"No groups."*"repeat from pass to pass"* ]]
	[[ $output != *noise* ]]
}

@test "a coarse clock is told, and only that" {
	awk 'BEGIN {
		srand(1)
		for (i = 0; i < 16; i++) {
			for (j = 0; j <= i; j++)
				printf "%s%s", i == j ? "" : 5.2 * (i - j == 8 ? 1 : 3 + int(3 * rand())), j < i ? "," : "\n"
		}
	}' >coarse.csv
	run "$C2C" analyze coarse.csv
	[ "$status" -eq 0 ]
	[[ $output == *"Coarse clock: the values are multiples of 5.2"* ]]
	[[ $output == *"8 groups of 2 CPUs"* ]]
	# One step is no difference.
	[[ $output != *"than its peers"* ]]
	"$C2C" analyze --json coarse.csv | seen |
		jq -e '.resolution | .value > 5.1 and .value < 5.3 and .unit == "ns"'
	run "$C2C" analyze lat.csv
	[[ $output != *"Coarse clock"* ]]
	"$C2C" analyze --json lat.csv | seen | jq -e 'has("resolution") | not'
}

@test "JSON goes to standard output or into a file, the same" {
	run --separate-stderr "$C2C" analyze --json lat.csv -o groups.json
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat groups.json)" ]
	flat=$(tr -d ' \n' <groups.json)
	[[ $flat == '{"format":"c2c-analysis","version":1,"source":"lat.csv","cpus":[0,1,'* ]]
	[[ $flat == *'"kind":"smt","kind_confidence":0.98,"may_be":["smt"],"nested":true,"groups":[[0,16],[1,17],'* ]]
	[[ $flat == *'"advertised":null,"agrees":null}'* ]]
	[[ $flat == *'"placement":"stable"}' ]]
}

@test "standard input is a file too" {
	[ "$("$C2C" analyze - <lat.csv | tail -n +2)" = \
		"$("$C2C" analyze lat.csv | tail -n +2)" ]
}

@test "the topology in the record is what is compared with" {
	true_cores >true.xml
	record true.xml >lat.json
	run --separate-stderr "$C2C" analyze lat.json
	[ "$status" -eq 0 ]
	[[ $output == *"16 groups of 2 CPUs, SMT siblings; confidence"* ]]
	[[ $output == *"Topology  the same: Core"* ]]
	[[ $output == *"Kind      confidence 0.99, from the topology"* ]]
	[[ $output == *"1 disagreement with the topology in the file:"* ]]
	[[ $output == *"Not in the topology: 0-7,16-23 and 8-15,24-31 are groups"* ]]
	run "$C2C" analyze --json lat.json
	flat=$(tr -d ' \n' <<<"$output")
	[[ $flat == *'"advertised":"Core","agrees":true}'* ]]
	[[ $flat == *'"advertised":null,"agrees":false}'* ]]
	[[ $flat == *'"disagreements":[{"what":"hidden-level",'* ]]
}

@test "another topology takes its place" {
	true_cores >true.xml
	false_cores >false.xml
	record true.xml >lat.json
	run --separate-stderr "$C2C" analyze lat.json --topology false.xml
	[ "$status" -eq 0 ]
	[[ $output == *"disagreements with false.xml:"* ]]
	text=$(tr -s ' \n' ' ' <<<"$output")
	[[ $text == *"Contradicted: Core: the topology puts CPUs 0,1 together, the numbers 0,16"* ]]
}

@test "--audit exits with 3 for a disagreement, and only then" {
	true_cores >true.xml
	record true.xml >lat.json
	run "$C2C" analyze --audit lat.json
	[ "$status" -eq 3 ]
	run "$C2C" analyze --audit --json -q lat.json -o groups.json
	[ "$status" -eq 3 ]
	[ -s groups.json ]
	# Without its halves that machine is as it says.
	awk -F, '{ for (i = 1; i <= NF; i++) if ($i > 100) $i -= 100; print }' \
		OFS=, lat.csv >one.csv
	run "$C2C" analyze --audit one.csv --topology true.xml
	[ "$status" -eq 0 ]
	[[ $output == *"No disagreement with true.xml."* ]]
}

@test "the refusal in the manual refuses what was not compared as well" {
	command -v jq >/dev/null || skip "jq is not installed"
	awk -F, '{ for (i = 1; i <= NF; i++) if ($i > 100) $i -= 100; print }' \
		OFS=, lat.csv >one.csv
	true_cores >true.xml
	record true.xml one.csv >good.json
	record true.xml >hidden.json
	sed 's/"complete":true,/&"run":{"agreement":{"even_odd":0.95,"halves":0.6}},/' \
		good.json >moved.json
	# From the manual's own words, without the prompt.
	# shellcheck disable=SC2016
	sed -n '/^Refuse a machine/,/^\.Ed/s/^[$>] //p' \
		"$srcdir/man/c2c-analyze.1" | sed 's/\\-/-/g; s/^c2c/"$C2C"/' >refuse
	[ -s refuse ]
	for name in good hidden moved; do
		cp $name.json lat.json
		rm -f audit.json
		# shellcheck source=/dev/null
		said=$(. ./refuse 2>/dev/null)
		echo "$name ${said:-accepted}"
	done >verdicts
	diff verdicts - <<-'END'
	good accepted
	hidden refused
	moved refused
	END
}

# clusters SIZE INSIDE BETWEEN: siblings i, i + 1, and two clusters.
clusters() {
	awk -v size="$1" -v inside="$2" -v between="$3" 'BEGIN {
		for (i = 0; i < 2 * size; i++)
			for (j = 0; j < 2 * size; j++) {
				cost = int(i / 2) == int(j / 2) ? inside / 3 : \
					int(i / size) == int(j / size) ? inside : between
				noise = (i < j ? i * 7 + j * 13 : j * 7 + i * 13) % 19
				printf "%s%s", i == j ? "" : cost * (1 + noise / 1000),
					j < 2 * size - 1 ? "," : "\n"
			}
	}'
}

@test "two clusters of one processor are not called packages" {
	clusters 16 23 80 >near.csv
	"$C2C" analyze --json near.csv >near.json
	jq -e '.levels[1] | .kind == "llc" and .kind_confidence >= 0.9' near.json
	# As far as packages may be: the JSON lists both, and names neither.
	clusters 8 96 194 >far.csv
	"$C2C" analyze --json far.csv >far.json
	jq -e '.levels[1] | .kind == "group" and .kind_confidence == 0 and
		(.may_be | sort) == ["llc", "package"]' far.json
	run "$C2C" analyze far.csv
	text=$(tr -s ' \n' ' ' <<<"$output")
	[[ $text == *"something that the others do not: a last-level cache or a package"* ]]
	[[ $text != *packages* ]]
}

@test "what the record says of real hardware tells the kind" {
	clusters 16 96 194 >far.csv
	true_cores >true.xml
	record true.xml far.csv | jq 'del(.topology) |
		.machine += {packages: 1, hypervisor: null}' >one.json
	"$C2C" analyze --json one.json | seen |
		jq -e '.levels[1] | .kind == "llc" and
			(.may_be | index("package") | not)'
	# A hypervisor may say one package of two.
	jq '.machine.hypervisor = "KVM"' one.json >guest.json
	"$C2C" analyze --json guest.json | seen |
		jq -e '.levels[1].may_be | index("package")'
}

@test "what kind of level rates show is not inferred" {
	awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++)
		if ($i) $i = 1000 / $i; print }' lat.csv >rate.csv
	true_cores >true.xml
	record true.xml rate.csv | sed 's/,"topology".*/}/
		s/"better":"lower"/"better":"higher"/; s,"ns","GiB/s",' >rate.json
	run --separate-stderr "$C2C" analyze --json rate.json
	[ "$status" -eq 0 ]
	flat=$(tr -d ' \n' <<<"$output")
	[[ $flat == *'"kind":"group"'*'"kind":"group"'* ]]
	[[ $flat != *'"kind":"package"'* ]]
}

@test "--audit without a topology is a usage error" {
	run --separate-stderr "$C2C" analyze --audit lat.csv
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"--audit"*"no file holds a topology"*"--live"* ]]
}

@test "--live compares with the machine at hand" {
	export HWLOC_SYNTHETIC="core:32 pu:1"
	run --separate-stderr "$C2C" analyze lat.csv --live
	[ "$status" -eq 0 ]
	[[ $output == *"2 disagreements with the topology of this machine:"* ]]
	export HWLOC_SYNTHETIC="core:2 pu:1"
	run --separate-stderr "$C2C" analyze lat.csv --live
	[ "$status" -eq 2 ]
	[[ $stderr == *"has no CPU 2"* ]]
}

@test "a topology of another host is doubted" {
	true_cores | sed '/type="NUMANode"/i <info name="HostName" value="elsewhere"/>' >true.xml
	record true.xml >lat.json
	run --separate-stderr "$C2C" analyze lat.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"measurement is of lab, the topology of elsewhere"* ]]
	run --separate-stderr "$C2C" analyze -q lat.json
	[ -z "$stderr" ]
}

@test "several files are one analysis, if they are of one machine" {
	cp lat.csv again.csv
	run --separate-stderr "$C2C" analyze lat.csv again.csv
	[ "$status" -eq 0 ]
	[[ $output == "lat.csv, again.csv: 32 CPUs"* ]]
	[[ $output != *contradict* ]]
	rows 16 >small.csv
	run --separate-stderr "$C2C" analyze lat.csv small.csv
	[ "$status" -eq 2 ]
	[[ $stderr == *"'lat.csv' has CPU 16 and 'small.csv' does not"* ]]
	run --separate-stderr "$C2C" analyze lat.csv ./lat.csv
	[ "$status" -eq 2 ]
	[[ $stderr == *"given twice"* ]]
}

@test "the first topology among the files is compared with, and named" {
	true_cores >true.xml
	record true.xml >lat.json
	run --separate-stderr "$C2C" analyze --audit lat.csv lat.json
	[ "$status" -eq 3 ]
	[[ $output == *"1 disagreement with the topology in the file:"* ]]
	echo none >true.xml
	record true.xml >bad.json
	run --separate-stderr "$C2C" analyze lat.csv bad.json lat.json
	[ "$status" -ne 0 ]
	[[ $stderr == *"'bad.json': the topology in it"* ]]
}

@test "a file whose levels contradict the first is not dropped in silence" {
	# The same machine with its CPUs in another order.
	awk -F, -v OFS=, '{
		for (i = 1; i <= NF; i++)
			cell[NR, i] = $i
	} END {
		for (i = 1; i <= NR; i++)
			for (j = 1; j <= NR; j++)
				printf "%s%s", cell[i * 5 % 32 + 1, j * 5 % 32 + 1],
					j < NR ? "," : "\n"
	}' lat.csv >other.csv
	run --separate-stderr "$C2C" analyze lat.csv other.csv
	[ "$status" -eq 0 ]
	[[ $output == *"Left out: "[12]" level"*"contradict"* ]]
}

@test "the picture has the order of the groups and lines between them" {
	mkdir bin
	cat >bin/gnuplot <<-'END'
	#!/bin/sh
	# gnuplot -d -c SCRIPT DATA OUT KIND
	cp "$4" "$DRAWN.dat"
	printf '\211PNG\r\n\032\n....IEND\256B`\202' >"$5"
	END
	chmod +x bin/gnuplot
	DRAWN=$PWD/drawn PATH=$PWD/bin:$PATH run --separate-stderr \
		"$C2C" analyze lat.csv -o groups.png
	[ "$status" -eq 0 ] || { echo "$stderr"; return 1; }
	[ -s groups.png ]
	grep -q '^# cpus: \[0, 16, 1, 17, .*, 7, 23, 8, 24, ' drawn.dat
	# Across and down: one thick line in the middle, thin ones by pairs.
	awk '
	$2 == "plot.matrix:" { left = $3; side = $5 }
	$2 == "plot.front:" && $8 == "#FFFFFF" && $3 == $5 {
		lines[++n] = $7 " " $3
	}
	END {
		for (i = 1; i <= n; i++) {
			split(lines[i], line, " ")
			print line[1], (line[2] - left) / side * 32
		}
	}' drawn.dat >borders
	grep -qx '2 16' borders
	for place in 2 4 6 8 10 12 14 18 20 22 24 26 28 30; do
		grep -qx "0.6 $place" borders
	done
	[ "$(wc -l <borders)" -eq 15 ]
	grep -q '^# plot.text: .* lat.csv$' drawn.dat

	# c2c plot draws the same.
	DRAWN=$PWD/plotted PATH=$PWD/bin:$PATH \
		"$C2C" plot lat.csv --order groups -o plotted.png
	cmp drawn.dat plotted.dat
}

@test "a terminal shows the heatmap by group" {
	command -v script >/dev/null || skip "script(1) is not installed"
	run script -qec "env TERM=xterm COLORTERM=truecolor COLUMNS=80 LINES=60 LC_ALL=C.UTF-8 \
		'$C2C' analyze lat.csv" /dev/null </dev/null
	[[ $output == *"Level 1"*"lower is better"* ]]
	[[ $output == *$'\e[38;2;'* ]]
	run script -qec "env TERM=xterm '$C2C' analyze --json lat.csv" \
		/dev/null </dev/null
	[[ $output != *"lower is better"* ]]
}

@test "long levels are cut short unless --verbose" {
	rows 256 >many.csv
	run "$C2C" analyze many.csv
	[[ $output == *"and 64 more (--verbose lists all)"* ]]
	[[ $output != *"100,228"* ]]
	run "$C2C" analyze -v many.csv
	[[ $output != *"more (--verbose"* ]]
	[[ $output == *"100,228"* ]]
}

# scale CPU:FACTOR... <CSV: all pairs of such a CPU, so many times; 0: none.
scale() {
	awk -F , -v OFS=, -v all="$*" '
	BEGIN {
		for (n = split(all, word, " "); n; n--) {
			split(word[n], part, ":")
			by[part[1]] = part[2]
		}
	}
	{
		for (j = 1; j <= NF; j++) {
			one = NR - 1 in by ? by[NR - 1] : 1
			other = j - 1 in by ? by[j - 1] : 1
			if ($j != "")
				$j = one * other ? $j * one * other : ""
		}
		print
	}'
}

@test "CPUs that do not fit for the same reason are one line, in JSON each its own" {
	rows 64 | scale 3:1.3 7:1.2 8:1.3 9:1.4 20:0.7 21:0.7 60:0 61:0 >many.csv
	"$C2C" analyze many.csv >out
	sed -n '/^CPUs that do not fit:/,/^$/p' out | tr -s '\n ' ' ' >flat
	grep -F ': CPUs 3,7-9: they are 20 to 40 % farther from all CPUs than their peers are, CPU 9 the most CPUs' flat
	grep -F ' CPUs 20,21: they are 30 % nearer to all CPUs than their peers are ' flat
	grep -F ' CPUs 60,61: they have almost no usable numbers, so they are in no group' flat
	"$C2C" analyze --json many.csv | seen | jq -e '.outliers | length == 8 and
		.[3] == {cpu: 9, why:
			"it is 40 % farther from all CPUs than its peers are"}'
	# One alone has its own sentence.
	rows 64 | scale 3:1.3 20:0.7 >two.csv
	"$C2C" analyze two.csv >out
	grep -x '  CPU 3: it is 30 % farther from all CPUs than its peers are' out
	grep -x '  CPU 20: it is 30 % nearer to all CPUs than its peers are' out
	# Siblings that are far from their own half.
	rows 64 | awk -F , -v OFS=, '{
		for (j = 1; j <= NF; j++)
			if ($j != "" && (NR % 32 == 6) + (j % 32 == 6) == 1)
				$j = 151
		print
	}' >far.csv
	"$C2C" analyze far.csv | grep -F \
		'CPUs 5,37: they do not fit the level of 32 groups: each is as near'
}

@test "bad files and options are named, before anything is written" {
	printf '1,2\n3,x\n' >bad.csv
	for words in 'bad.csv' 'absent.csv' 'lat.csv --topology absent.xml' \
		'lat.csv --topology lat.csv'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" analyze $words -o new.json
		[ "$status" -eq 1 ]
		[ -z "$output" ]
		[[ $stderr == *"c2c analyze: "*"'${words##* }'"* ]] || {
			echo "$words: $stderr"
			return 1
		}
		[ ! -e new.json ]
	done
	for words in '' 'lat.csv -o new.txt' 'lat.csv -o new.csv' \
		'lat.csv --live --topology t.xml' \
		'lat.csv -o a.png -o ./a.png'; do
		# shellcheck disable=SC2086
		run --separate-stderr "$C2C" analyze $words
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ -n "$stderr" ]
	done
	run --separate-stderr "$C2C" analyze lat.csv -o absent/new.json
	[ "$status" -eq 1 ]
	[ -z "$output" ]
	[[ $stderr == *absent* ]]
}

@test "one CPU has no groups, nor have two" {
	printf ',5\n5,\n' >two.csv
	run --separate-stderr "$C2C" analyze two.csv
	[ "$status" -eq 0 ]
	[[ $output == *"two CPUs are a single pair"*"5 ns is typical of SMT siblings."* ]]
	for ns_word in 25:"cannot tell which" 50:"typical of cores that share" \
		215:"215 ns is more than cores"; do
		printf ',%s\n%s,\n' "${ns_word%:*}" "${ns_word%:*}" >near.csv
		run --separate-stderr "$C2C" analyze near.csv
		[[ ${output//$'\n'/ } == *"${ns_word#*:}"* ]]
	done
	run --separate-stderr "$C2C" analyze two.csv -o two.json
	run jq -r .placement two.json
	[ "$output" = unknown ]
	printf '# format: c2c-result\n# version: 1\n# command: latency\n# complete: true\n# cpus: [3]\n# matrix: latency median ns one-way lower symmetric\ncpu 3\n3 nan\n' |
		jq -R -n -f "$srcdir/tests/cli/short.jq" >one.json
	run --separate-stderr "$C2C" analyze one.json
	[ "$status" -eq 2 ]
	[[ $stderr == *"'one.json' has only one CPU"* ]]
}

# kept [CPU [PASSES]]: a record with 40 passes over 8 CPUs, siblings i and i + 4,
# in which CPU 7 moves to another core at pass 25.
kept() {
	awk -v cpu="${1-}" -v passes="${2-40}" 'BEGIN {
		print "{\"format\":\"c2c-result\",\"version\":1,\"command\":\"latency\","
		print "\"complete\":true,\"elapsed_s\":20.5,\"cpus\":[0,1,2,3,4,5,6,7],"
		print "\"matrices\":[{\"name\":\"latency\",\"statistic\":\"median\","
		print "\"unit\":\"ns\",\"better\":\"lower\",\"symmetric\":true,\"values\":["
		for (i = 0; i < 8; i++)
			for (j = 0; j < 8; j++)
				printf "%s%s%s", j ? "," : "[", i == j ? "null" : i % 4 == j % 4 ? 20 : 80, j < 7 ? "" : i < 7 ? "],\n" : "]]}],\n"
		printf "\"passes\":[{\"name\":\"latency\",\"unit\":\"ns\",\"pairs\":["
		for (i = 0; i < 8; i++)
			for (j = i + 1; j < 8; j++)
				printf "%s[%d,%d]", (i + j > 1 ? "," : ""), i, j
		printf "],\n\"start_s\":["
		for (t = 0; t < passes; t++)
			printf "%s%g", t ? "," : "", t / 2
		printf "],\n\"values\":["
		for (t = 0; t < passes; t++) {
			printf "%s[", t ? ",\n" : ""
			for (i = 0; i < 8; i++)
				for (j = i + 1; j < 8; j++) {
					cost = i % 4 == j % 4 ? 20 : 80
					if (j == cpu && t >= 25)
						cost = 120
					noise = (i * 7 + j * 13 + t * t * 5 + i * t) % 19
					printf "%s%s", (i + j > 1 ? "," : ""), cost * (1 + noise / 1000)
				}
			printf "]"
		}
		print "]}]}"
	}'
}

@test "kept passes tell when a CPU moved" {
	kept 7 >kept.json
	run "$C2C" analyze kept.json
	[ "$status" -eq 0 ]
	[[ $output == *"Placement: drifting."* ]]
	[[ $output == *"Epochs: 2. "* ]]
	[[ $output == *"Epoch 1: 0.00 to 12.50 s, 25 passes"* ]]
	[[ $output == *"Epoch 2: 12.50 to 20.50 s, 15 passes"* ]]
	[[ $output == *"    CPU 7 changed: 7 of its 7 pairs, by "[45][0-9]" %"* ]]
	run "$C2C" analyze kept.json --json
	[ "$status" -eq 0 ]
	flat=$(tr -d ' \n' <<<"$output")
	# The pairs of both epochs are not the same.
	[[ $flat == *'"levels":[],"outliers":'*'"placement":"drifting","epochs":[{"start_s":0.0,"end_s":12.5,"passes":25,"moved":[],"moves":[],"levels":[{"kind":"smt",'* ]]
	[[ $flat == *'{"start_s":12.5,"end_s":20.5,"passes":15,"moved":[7],"moves":[{"one_of":[7],"pairs":7,"changed":7,'* ]]
}

@test "one epoch is analysed as if nothing else had been measured" {
	kept 7 >kept.json
	true_cores >other.xml
	run "$C2C" analyze kept.json --epoch 1
	[ "$status" -eq 0 ]
	[[ $output == *"Level 1: 4 groups of 2 CPUs"*"0,4  1,5  2,6  3,7"* ]]
	[[ $output != *"Placement"* ]]
	[[ $output != *"Epoch"* ]]
	run "$C2C" analyze kept.json --epoch last
	[ "$status" -eq 0 ]
	[[ $output == *"Level 1: 3 groups of 2 CPUs and 2 alone"* ]]
	run "$C2C" analyze kept.json --epoch 2 --audit --topology other.xml
	[ "$status" -eq 3 ]
	run "$C2C" analyze kept.json --epoch 3
	[ "$status" -eq 2 ]
	[[ $output == *"'kept.json': no epoch 3: there are 2"* ]]
	run "$C2C" analyze kept.json lat.csv --epoch 1
	[ "$status" -eq 2 ]
	for bad in 0 x -1 ""; do
		run "$C2C" analyze kept.json --epoch "$bad"
		[ "$status" -eq 2 ]
	done
}

@test "without epochs --epoch says why there are none" {
	run "$C2C" analyze lat.csv --epoch last
	[ "$status" -eq 2 ]
	[[ $output == *"'lat.csv': no epochs: "*"--keep-passes"* ]]
	kept '' 12 >short.json
	run "$C2C" analyze short.json --epoch last
	[ "$status" -eq 2 ]
	[[ $output == *"no epochs: they need 13 complete passes over"*"the file has 12 (measure"* ]]
	kept '' 13 >long.json
	"$C2C" analyze long.json --epoch last >out
	command -v jq >/dev/null || skip "jq is not installed"
	jq '.passes += .passes' long.json >resumed.json
	run "$C2C" analyze resumed.json --epoch last
	[ "$status" -eq 2 ]
	[[ $output == *"no epochs: "*"resumed another"* ]]
}

@test "each epoch of CPUs that moved is compared with the topology" {
	kept 7 >kept.json
	true_cores >other.xml
	run --separate-stderr "$C2C" analyze --audit kept.json --topology other.xml
	[ "$status" -eq 3 ]
	[ -z "$stderr" ]
	text=$(tr -s ' \n' ' ' <<<"$output")
	[[ $text == *"disagreement with other.xml: Not in the topology: in 2 of 2 epochs; for example epoch 1: 0,4 and 1,5 and 2,6 and 3,7 are groups"* ]]
}

@test "CPUs that moved and left no epochs are compared with nothing" {
	kept 7 | sed 's/"passes":\[{/"was":[{/
		s/"complete":true,/&"run":{"agreement":{"even_odd":0.95,"halves":0.6}},/' \
		>moved.json
	true_cores >other.xml
	run --separate-stderr "$C2C" analyze --audit moved.json --topology other.xml
	[ "$status" -eq 0 ]
	[[ $output == *"No groups can be listed"*"--keep-passes"* ]]
	[[ $output != *"Level"* ]]
	[[ $output != *"other.xml"* ]]
	[[ $stderr == *"CPUs moved during the run, so nothing was compared"* ]]
	# Silence would be taken for agreement.
	run --separate-stderr "$C2C" analyze -q --audit moved.json --topology other.xml
	[ "$status" -eq 0 ]
	[[ $stderr == *"nothing was compared"* ]]
	cp moved.json again.json
	run --separate-stderr "$C2C" compare moved.json again.json
	[[ $stderr == *"'moved.json': CPUs moved during the run"* ]]
}

@test "where nobody can tell, nobody says that CPUs moved" {
	# A ring: each CPU is near to two that are not near to each other.
	awk 'BEGIN { for (i = 0; i < 12; i++) for (j = 0; j < 12; j++)
		printf "%s%s", i == j ? "" : (i - j + 12) % 12 % 10 == 1 ? 8 : 20,
			j < 11 ? "," : "\n" }' >unknown.csv
	true_cores >other.xml
	run --separate-stderr "$C2C" analyze --audit unknown.csv --topology other.xml
	[ "$status" -eq 0 ]
	[[ $output == *"Placement: cannot tell"* ]]
	[[ $stderr == *"CPUs may have moved"*"nothing was compared"* ]]
	cp unknown.csv again.csv
	run --separate-stderr "$C2C" compare unknown.csv again.csv
	[ "$status" -eq 0 ]
	[[ $stderr == *"'unknown.csv': CPUs may have moved"* ]]
	[[ $stderr != *"CPUs moved"* && $stderr != *"too few"* ]]
}

@test "of three to seven CPUs nobody says that they moved" {
	local n
	for n in 3 4 5 6 7 8; do
		# A line: each CPU is near to its neighbours alone.
		awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++) for (j = 0; j < n; j++)
			printf "%s%s", i == j ? "" : (i - j) ^ 2 == 1 ? 8 : 20,
				j < n - 1 ? "," : "\n" }' >few.csv
		run --separate-stderr "$C2C" analyze few.csv
		[ "$status" -eq 0 ]
		if [ "$n" -eq 8 ]; then
			[[ $output == *"as if threads or vCPUs had moved"* ]]
		else
			[[ $output == *"$n CPUs are too few to tell"* ]]
			[[ $output != *"moved during"* ]]
		fi
		run "$C2C" analyze --json few.csv
		[[ $output == *'"placement": "unknown"'* ]]
	done
}

@test "kept passes of CPUs that held still are one epoch" {
	kept >kept.json
	run "$C2C" analyze kept.json
	[ "$status" -eq 0 ]
	[[ $output != *"Placement"* ]]
	[[ $output != *"Epoch"* ]]
	run "$C2C" analyze kept.json --json
	flat=$(tr -d ' \n' <<<"$output")
	[[ $flat == *'"placement":"stable","epochs":[{"start_s":0.0,"end_s":20.5,"passes":40,"moved":[],'* ]]
	[[ $flat != *'"moved":[7]'* ]]
}

# slowdowns N: as rows, of a machine where siblings share an L1.
slowdowns() {
	awk -v n="$1" 'BEGIN {
		printf "cpu: shared median times slowdown lower"
		for (j = 0; j < n; j++) printf ",%d", j
		print ""
		for (i = 0; i < n; i++) {
			printf "%d", i
			for (j = 0; j < n; j++) {
				times = i % (n / 2) == j % (n / 2) ? 2.6 : 1
				printf ",%s", i == j ? "" : times * (1 + (i * 7 + j * 13) % 19 / 1000)
			}
			print ""
		}
	}'
}

@test "slowdowns in a cache show who shares it, the dearer the nearer" {
	slowdowns 32 >shared.csv
	run "$C2C" analyze shared.csv
	[ "$status" -eq 0 ]
	[[ $output == *"Level 1: 16 groups of 2 CPUs"* ]]
	[[ $output == *"0,16  1,17"* ]]
	[[ $output == *"times inside, 1"*" times between"* ]]
	[[ $output != *"sharing:"* ]]
	slowdowns 2 >two.csv
	run "$C2C" analyze two.csv
	[[ $output == *"cache sharing: the two CPUs share it."* ]]
	[[ $output != *"No groups"* ]]
	sed 's/2\.6[0-9]*/1/g' shared.csv >nobody.csv
	run "$C2C" analyze nobody.csv
	[[ $output == *"cache sharing: no pair of CPUs shares it, unless it is larger"* ]]
	[[ $output != *"No groups"* ]]
}

@test "a second witness confirms the siblings, or differs and is named" {
	slowdowns 32 >shared.csv
	true_cores >true.xml
	run "$C2C" analyze lat.csv shared.csv
	[ "$status" -eq 0 ]
	[[ $output == *"shared.csv: cache sharing confirms the SMT siblings: 16 of 16 pairs"* ]]
	# No level but the siblings, so that the topology agrees.
	awk -F, -v OFS=, 'NR > 1 {
		for (i = 2; i <= NF; i++)
			$i = $i == "" ? "" : ($i > 2 ? 4 : 50) * $i
		$1 = ""
		print substr($0, 2)
	}' shared.csv >flat.csv
	run "$C2C" analyze --audit --topology true.xml flat.csv shared.csv
	[ "$status" -eq 0 ]
	# Pair 3,19 shares no more.
	awk -F, -v OFS=, '$1 == 3 { $21 = 1 } $1 == 19 { $5 = 1 } 1' \
		shared.csv >other.csv
	run "$C2C" analyze --audit --topology true.xml flat.csv other.csv
	[ "$status" -eq 3 ]
	[[ ${output//$'\n'    / } == *"15 of 16 pairs share; 3,19 do not; only one can be right"* ]]
	"$C2C" analyze --json flat.csv other.csv >a.json
	jq -e '.sharing[0] | .agrees == false and .level == 0 and .shared == 15' a.json
	# To some terminals this byte of a name is a control character.
	name=$'sh\x9b.csv'
	cp other.csv "$name"
	run "$C2C" analyze flat.csv "$name"
	[[ $output == *'  sh?.csv: cache sharing differs'* ]]
}

# sharing SHARED BYTES CPU...: a record of c2c cache --shared over CPUs 0 to 3
# of the machine of caches/less.json, where these CPUs share the cache.
sharing() {
	jq -n --arg shared "$1" --argjson bytes "$2" --argjson group "[$3]" '{
		format: "c2c-result", version: 1, command: "cache",
		complete: true, cpus: [0, 1, 2, 3],
		machine: {hostname: "lab", cpu_model: "Test CPU"},
		options: {shared: $shared, shared_bytes: $bytes},
		matrices: [{name: "shared", statistic: "median",
			unit: "times", quantity: "slowdown", better: "lower",
			symmetric: true, values: [range(4) as $i | [range(4) |
				if . == $i then null
				elif [., $i] - $group == [] then 2.6
				else 1 end]]}]}'
}

# caches FILTER: the record of CPU 3, which has an L1 and an L2 of its own and
# an L3 with the others, as the system says.
caches() {
	jq "$1" "$srcdir/tests/cli/caches/less.json"
}

@test "the table of caches has who shares a level, from records of that" {
	caches . >cache.json
	sharing l1 49152 "" >l1.json
	sharing 2M 2097152 1,3 >l2.json
	run --separate-stderr "$C2C" analyze l2.json cache.json l1.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == "Caches as measured: CPU 3,"* ]]
	grep -q ' copy  shared by   system   measured$' <<<"$output"
	grep -q '^L1d .*  3           48 KiB   same$' <<<"$output"
	grep -q '^L2  .*  1,3         2 MiB    same$' <<<"$output"
	grep -q '^L3  .*  ?           480 MiB  less$' <<<"$output"
	grep -q '^ .*shared by: measured CPUs 1,3, the system says 3$' \
		<<<"$output"
	grep -q "^ .*shared by: not measured ('c2c cache --shared L3')$" \
		<<<"$output"
	# Without such a record there is no column.
	run "$C2C" analyze cache.json
	[[ $output != *shared* ]]
}

@test "an audit fails where others share a cache than the system says" {
	caches . >cache.json
	sharing L1 49152 "" >l1.json
	sharing 16M 16777216 0,1,2,3 >l3.json
	run "$C2C" analyze --audit cache.json l1.json l3.json
	[ "$status" -eq 0 ]
	[[ $output == *" 0-3  "* ]]
	sharing L1 49152 2,3 >l1.json
	run "$C2C" analyze --audit -q cache.json l1.json l3.json
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	# What cannot be told contradicts nobody.
	jq '.matrices[0].values[3][2] = null | .matrices[0].values[2][3] = null' \
		l1.json >open.json
	run "$C2C" analyze --audit cache.json open.json l3.json
	[ "$status" -eq 0 ]
	[[ $output == *"shared by: unknown for CPU 2: fewer than six passes"* ]]
}

@test "the record of caches is written with who shares a level" {
	caches . >cache.json
	sharing 16M 16777216 0,1,2,3 >l3.json
	run --separate-stderr "$C2C" analyze --json cache.json l3.json -o a.json
	[ "$status" -eq 0 ]
	[ "$output" = "$(cat a.json)" ]
	jq -e '[.caches[].cpus] == [[], [], [0, 1, 2, 3], []]' a.json
	jq -e '.caches[0].cpus_why | startswith("not measured")' a.json
	# All else is as it was.
	diff <(jq 'del(.caches[].cpus, .caches[].cpus_why)' a.json) \
		<("$C2C" export --json cache.json |
			jq 'del(.caches[].cpus, .caches[].cpus_why)')
	# Its table is the same, and another record adds to it.
	[ "$("$C2C" analyze a.json)" = "$("$C2C" analyze cache.json l3.json)" ]
	sharing L1 49152 "" >l1.json
	"$C2C" analyze -q a.json l1.json -o b.json
	jq -e '[.caches[].cpus] == [[3], [], [0, 1, 2, 3], []]' b.json
}

@test "a long list of who shares a level stands under the table" {
	caches '.caches[2] |= (.cpus = [range(0; 32; 2)] | .told.cpus = .cpus)' \
		>cache.json
	run "$C2C" analyze cache.json
	grep -q '^L3  .*  16 CPUs     480 MiB  less$' <<<"$output"
	grep -q '^ .*shared by: CPUs 0,2,4,.*,30$' <<<"$output"
}

@test "records of caches and of sharing that do not go together" {
	caches '.machine = {hostname: "lab", cpu_model: "Test CPU"}' >cache.json
	sharing L2 2097152 "" >l2.json
	refuse() {
		run --separate-stderr "$C2C" analyze "${@:2}"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == *"$1"* ]] || { echo "$stderr"; return 1; }
	}
	caches . >again.json
	refuse "'cache.json' and 'again.json' are both records of caches" \
		cache.json again.json l2.json
	refuse "'lat.csv' is none" cache.json l2.json lat.csv
	refuse "leave out --topology and --live" --live cache.json l2.json
	sharing 2M 2097152 "" >same.json
	refuse "'l2.json' and 'same.json' both tested L2" \
		cache.json l2.json same.json
	jq '.machine.hostname = "elsewhere"' l2.json >other.json
	refuse "measured on lab, 'other.json' on elsewhere" \
		cache.json other.json -o new.json
	jq '.machine.cpu_model = "Another CPU"' l2.json >other.json
	refuse "on Test CPU, 'other.json' on Another CPU" cache.json other.json
	sharing 128K 131072 "" >other.json
	refuse "'other.json' tested 128 KiB, and no level" cache.json other.json
	[ ! -e new.json ]
}

@test "both halves of a GPU are found if one costs more inside" {
	run --separate-stderr "$C2C" analyze --json "$srcdir/data/h200-units.json"
	echo "$output"
	# Units joined by latencies below 152.5 ns are these two halves.
	jq -e '.levels | length == 1 and .[0].confidence > 0.8 and
		([.[0].groups[] | length] == [64, 68])' <<<"$output"
}

@test "units that one near group leaves are no half if they are not near" {
	awk 'BEGIN { srand(1); n = 132
		for (i = 0; i < n; i++) for (j = 0; j < i; j++)
			v[i, j] = (i < 64 ? 115 : 157) + 4 * rand()
		for (i = 0; i < n; i++) for (j = 0; j < n; j++)
			printf "%s%s", i == j ? "" : sprintf("%.2f",
				i > j ? v[i, j] : v[j, i]), j < n - 1 ? "," : "\n"
	}' >near.csv
	run --separate-stderr "$C2C" analyze --json near.csv
	jq -e '[.levels[].groups | length] | index(2) == null' <<<"$output"
}
