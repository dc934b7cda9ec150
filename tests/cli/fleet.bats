# c2c compare of many hosts, as a user types it. C2C and srcdir come from
# tests/run. tests/fleet makes hosts among which nothing is wrong.
# shellcheck shell=bash disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	need_jq
}

# fleet HOSTS CPUS: n0001.json and so on.
fleet()
{
	"$srcdir/tests/fleet" . "$1" "$2" 2>/dev/null
}

# alter FILE FILTER: by jq.
alter()
{
	jq "$2" "$1" >altered
	mv altered "$1"
}

# Values above 90 ns are those between last-level caches.
slower='.matrices |= map(.values |= map(map(
	if . and . > 90 then . * 1.3 else . end)))'

# outliers: the hosts that the report names, in order.
outliers()
{
	sed -n '/^Outliers:/,/^Values of/s/^  \([^ ].*\)/\1/p' <<<"$output" |
		paste -sd ' '
}

@test "of 40 sound hosts none is an outlier, and the ranking has all others" {
	fleet 40 32
	run --separate-stderr "$C2C" compare n*.json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"Distance from n0001 (n0001.json)"*$'\n'"No outliers."* ]]
	[[ $output != *"Otherwise than"* && $output != *Kind* ]]
	[ "$(grep -c '^ *[0-9.]* % .*json$' <<<"$output")" -eq 39 ]
	# From the nearest.
	grep -o '^ *[0-9.]* %' <<<"$output" | sort -nc
}

@test "outliers are named with each reason, in text and in JSON" {
	fleet 40 32
	alter n0003.json "$slower"
	alter n0004.json '.matrices |= map(if .statistic == "ci_high" then
		.values |= map(map(if . then . * 1.1 else . end)) else . end)'
	alter n0005.json '.run.agreement = {statistic: "spearman",
		even_odd: 0.95, halves: 0.2}'
	for file in n000[12]* n00[12]*; do
		alter "$file" '.run.agreement = {statistic: "spearman",
			even_odd: 0.95, halves: 0.95}'
	done
	alter n0007.json '.machine.microcode = "0x2" | .complete = false'
	alter n0008.json '.machine.kernel = "Linux 7.0"'
	run --separate-stderr "$C2C" compare -q n*.json -o fleet.json
	[ "$status" -eq 0 ]
	[[ $(outliers) == *"n0003 (n0003.json)"* ]]
	[[ $output == *"latency: llc, between: "[23][0-9.]*" % slower than the median host"* ]]
	[[ $output == *"its 95 % intervals are 6."*" times as wide"* ]]
	[[ $output == *"  n0005 (n0005.json)"$'\n'"    the run drifted"* ]]
	[[ $output == *"  n0007 (n0007.json)"$'\n'*"was ended before it was complete"* ]]
	[[ $output == *"machine.microcode: 0x2; most have 0x1"* ]]
	# Another kernel alone makes no outlier.
	[[ $(outliers) != *n0008* ]]
	[[ $output == *"machine.kernel: Linux 7.0 on n0008; most have Linux 6.1.0"* ]]
	valid fleet.json
	jq -e '(.fleet.kinds | length) == 1 and .fleet.not_read == [] and
		(.fleet.kinds[0] | .outliers >= 4 and (.hosts | length) == 40 and
		.hosts[0].first and (.levels | map(.hosts) == [40, 40, 40, 40]) and
		([.hosts[] | select(.hostname == "n0003")][0] |
			.outlier and .reasons[0].what == "level" and
			(.reasons[0].off_pct | . > 25 and . < 35)) and
		([.hosts[] | select(.hostname == "n0008")][0].reasons
			| map(.what) | unique) == ["setting"]) and
		([.files[] | select(.outlier) | .hostname] | index("n0003")) and
		(.files[0].matrices[0] | has("levels") and (has("change") | not))' \
		fleet.json
	"$C2C" compare -q n*.json -o - | seen | diff - fleet.json
}

@test "another topology and a missing CPU are reasons" {
	fleet 8 32
	# Two CPUs a core there; here each is alone.
	lstopo-no-graphics --input "pack:1 l3:2 core:16 pu:1" --of xml - \
		>other.xml 2>/dev/null
	jq --rawfile xml other.xml '.topology.hwloc_xml = $xml' n0002.json >x
	mv x n0002.json
	alter n0003.json '.cpus |= .[:31] | .matrices |= map(.values |=
		(.[:31] | map(.[:31])))'
	run --separate-stderr "$C2C" compare n*.json
	[ "$status" -eq 0 ]
	[ "$(outliers)" = "n0002 (n0002.json)" ]
	[[ $output == *"topology.Core: no groups; most have 16 groups"* ]]
	[[ $output == *"Cannot be compared:"*n0003*"has CPU 31"* ]]
	[[ $output == *"31 CPUs (0-30); most have 32 (0-31)"* ]]
	"$C2C" compare -q n*.json -o - | seen | jq -e '.fleet.kinds[1].hosts[0] |
		.hostname == "n0003" and .outlier and .reasons[0].what == "cpus"'
}

@test "the reference may be the outlier, and counts as any other host" {
	fleet 8 32
	alter n0001.json "$slower"
	run --separate-stderr "$C2C" compare n*.json
	[ "$status" -eq 0 ]
	[ "$(outliers)" = "n0001 (n0001.json)" ]
}

@test "two kinds of machines are ranked each within its own" {
	fleet 6 32
	mkdir small
	"$srcdir/tests/fleet" small 6 16 2>/dev/null
	for file in small/*.json; do
		alter "$file" '.machine.cpu_model = "Other"'
	done
	alter small/n0004.json '.matrices |= map(.values |= map(map(
		if . then . * 2 else . end)))'
	run --separate-stderr "$C2C" compare n*.json small/*.json -o fleet.json
	[ "$status" -eq 0 ]
	[[ $output == *"Kind 1: Made CPU, CPUs 0-31"*"No outliers."*"Kind 2: Other, CPUs 0-15"*"Distance from n0001 (small/n0001.json)"* ]]
	[ "$(outliers)" = "n0004 (small/n0004.json)" ]
	[[ $output != *"Cannot be compared"* ]]
	valid fleet.json
	jq -e '(.not_compared | length) == 6 and (.files | length) == 5 and
		(.fleet.kinds | map(.hosts | length)) == [6, 6]' fleet.json
	# They are not the reference's, so a threshold cannot hold for them.
	run --separate-stderr "$C2C" compare --threshold 50 n*.json small/*.json
	[ "$status" -eq 3 ]
	[[ $stderr == *"'small/n0001.json' cannot be compared"* ]]
}

@test "sides of runs that share no pair are two kinds" {
	local from
	fleet 6 8
	# The first three have pairs among CPUs 0-3, the others among 4-7.
	for file in n*.json; do
		from=0
		[[ $file < n0004 ]] || from=4
		alter "$file" ".matrices |= map(.values |= (to_entries |
			map(if .key >= $from and .key < $from + 4 then
				(.value | to_entries | map(if .key >= $from and
				.key < $from + 4 then .value else null end))
			else [range(8) | null] end)))"
	done
	cp n0002.json n0007.json
	cp n0006.json n0008.json
	run --separate-stderr "$C2C" compare -q n0001.json,n0002.json \
		n0003.json,n0007.json n0004.json,n0005.json n0006.json,n0008.json
	[ "$status" -eq 0 ]
	[[ $output == *"Kind 1: "*"Kind 2: "* ]]
	[[ $output != *"Cannot be compared"* ]]
}

@test "one and two hosts are no fleet, and a file named twice counts once" {
	fleet 3 8
	run --separate-stderr "$C2C" compare n0001.json n0001.json
	refused 2 "given twice"
	run --separate-stderr "$C2C" compare n0001.json ./n0001.json n0001.json
	refused 2 "given twice"
	# As of two files.
	run --separate-stderr "$C2C" compare n0001.json n0001.json n0002.json
	[ "$status" -eq 0 ]
	[[ $output == "n0002.json against n0001.json"* ]]
	run --separate-stderr "$C2C" compare n0001.json n0002.json -o page.html
	refused 2 page.html "a page of a fleet"
	run --separate-stderr "$C2C" compare n0002.json ./*.json
	[ "$status" -eq 0 ]
	[[ $output == "Distance from n0002"* && $output == *"none can be called an outlier"* ]]
}

@test "two files of one host count once, and a warning names it" {
	fleet 6 8
	cp n0002.json again.json
	run --separate-stderr "$C2C" compare n*.json again.json
	[ "$status" -eq 0 ]
	[[ $stderr == *"'again.json' is of host 'n0002' too, which counts once"* ]]
	"$C2C" compare -q n*.json again.json -o - | seen | jq -e '.fleet.kinds[0] |
		(.levels | map(.hosts) | unique) == [6] and
		([.hosts[] | select(.same_host)] | map(.source)) == ["again.json"]'
}

@test "a file that is no record is named, and the others go on" {
	fleet 6 8
	echo garbage >n0003.json
	head -c 500 n0004.json >n0005.json
	: >empty.json
	run --separate-stderr "$C2C" compare n*.json empty.json -o fleet.json \
		-o fleet.html
	[ "$status" -eq 1 ]
	[[ $output == *"Distance from n0001"*n0006.json*"Cannot be read:"*n0003.json*n0005.json*empty.json* ]]
	[[ $stderr == *n0003.json*n0005.json*empty.json* ]]
	valid fleet.json
	[ -s fleet.html ]
	jq -e '(.fleet.not_read | map(.source)) == ["n0003.json", "n0005.json",
		"empty.json"] and (.fleet.kinds[0].hosts | length) == 4' fleet.json
	# Not the reference, and not a name with a typing error.
	run --separate-stderr "$C2C" compare n0003.json n0001.json n0002.json
	[ "$status" -ne 0 ]
	[ -z "$output" ]
	run --separate-stderr "$C2C" compare n0001.json n0002.json nosuch.json
	refused 1 nosuch.json
	# Nothing is left.
	run --separate-stderr "$C2C" compare n0001.json n0003.json n0005.json
	[ "$status" -eq 1 ]
	[[ $stderr == *"no file is left to compare with 'n0001.json'"* ]]
}

@test "names of hosts and files are text in the report and in JSON" {
	fleet 6 8
	alter n0002.json '.machine.hostname = "<script>alert(1)</script>"'
	alter n0003.json '.machine.hostname = "two\nlines\u001b[31m"'
	mv n0004.json '<b>&amp;.json'
	mv n0005.json $'bad\xff.json'
	printf '{"format": "c2c\x1b"}' >garbage.json
	run -1 --separate-stderr "$C2C" compare n0001.json ./*.json \
		-o fleet.json -o fleet.html
	[[ $output == *"<script>alert(1)</script>"* ]]
	[[ $output == *'./<b>&amp;.json'* && $output == *'./bad?.json'* ]]
	printf '%s\n' "$output" "$stderr" >seen
	! LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]' seen || false
	valid fleet.json
	xmllint --noout fleet.html
	! grep -nE '<script>alert|<b>' fleet.html || false
}

@test "-v has the report of each file, and --by-level one kind" {
	fleet 3 8
	mkdir small
	"$srcdir/tests/fleet" small 3 16 2>/dev/null
	run --separate-stderr "$C2C" compare -v n*.json
	[ "$status" -eq 0 ]
	[[ $output == *"n0002.json against n0001.json"*"n0003.json against n0001.json"* ]]
	run --separate-stderr "$C2C" compare --by-level n*.json small/*.json
	[ "$status" -eq 0 ]
	[[ $output != *Kind* && $output == *small/n0003.json* ]]
}

@test "an output that fails costs no other one" {
	fleet 4 8
	[ -w /dev/full ] || skip "there is no /dev/full"
	ln -s /dev/full full.json
	run --separate-stderr "$C2C" compare n*.json -o full.json -o fleet.html
	[ "$status" -eq 1 ]
	[[ $stderr == *full.json* ]]
	[ -s fleet.html ]
	[[ $output == *"Distance from n0001"* ]]
}

@test "memory does not grow with the number of hosts" {
	# 400 in the long test, whose results would need 600 MB.
	local copies=2 limit=1048576
	[ -z "${C2C_TEST_LONG:-}" ] || copies=40 limit=400000
	fleet 10 128
	for ((i = 2; i <= copies; i++)); do
		for file in n00??.json; do
			ln "$file" "$i-$file"
		done
	done
	# Sanitizers want address space without bound.
	[ "${MODE:-plain}" != plain ] || ulimit -v $limit
	run --separate-stderr "$C2C" compare -q ./*n00??.json -o fleet.json \
		-o fleet.html
	[ "$status" -eq 0 ]
	[ "$(jq '.fleet.kinds[0].hosts | length' fleet.json)" -eq \
		$((10 * copies)) ]
	[ "$(jq '.fleet.kinds[0].levels[0].hosts' fleet.json)" -eq 10 ]
	[ -s fleet.html ]
}

@test "a fleet of few runs has no verdict, and the report says why" {
	fleet 6 8
	run --separate-stderr "$C2C" compare -q n0001.json,n0002.json \
		n0003.json,n0004.json n0005.json,n0006.json
	[ "$status" -eq 0 ]
	[[ $output == *"Without a verdict, 2 of 2: a change cannot be told from "* ]]
}

@test "reports of a file show a name that is not UTF-8 as one that is" {
	local bad=$'bad\xff.json' none=$'none\xff.json'
	fleet 3 8
	cp n0002.json "$bad"
	run ! "$C2C" analyze "$none"
	{
		"$C2C" compare -q n0001.json "$bad"
		"$C2C" compare -q "$bad" n0003.json -o pair.json
		"$C2C" compare -qv n0001.json "$bad" n0003.json -o f.json -o f.html
		"$C2C" analyze -q "$bad"
		"$C2C" plot "$bad" -o page.html
		printf '%s\n' "$output"
	} >seen
	grep -q 'bad?.json against n0001.json' seen
	grep -q '^bad?.json: 8 CPUs' seen
	grep -q 'none?.json' seen
	iconv -f UTF-8 -t UTF-8 seen pair.json f.json f.html page.html >/dev/null
	valid f.json
	valid pair.json
	# A record of one is not JSON, which a message says.
	sed 's/"n0001"/"n\xff"/; s/Made CPU/M\xff/' n0001.json >broken.json
	run -1 "$C2C" compare broken.json n0002.json
	[[ $output == *"broken.json"*"not JSON"* ]]
	iconv -f UTF-8 -t UTF-8 <<<"$output" >/dev/null
}
