#!/usr/bin/env bats
# Pages: c2c plot -o report.html. What a page holds is asked in tests/cases/page.
# What needs a browser runs in Debian's chromium, without a window.
# slow: chromium draws for most of these cases.

# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers
load browser

data=$srcdir/data

setup()
{
	enter_folder
}

teardown()
{
	browser_stop
	end_jobs
}

teardown_file()
{
	browser_quit
	look_together
}

need_chromium()
{
	[ "${MODE:-plain}" = plain ] || skip "a browser sees the same page from any build"
	command -v chromium >/dev/null || skip "chromium is not installed"
}

# made N FILE TOPOLOGY: a latency of N CPUs, whose second half are the SMT
# siblings of the first, with a topology of hwloc's words. All cases of a file
# have one for each N.
made()
{
	local kept=$BATS_FILE_TMPDIR/made-$1.json
	[ -e "$kept" ] || {
		make_record "$1" "$kept.new" "$3"
		mv "$kept.new" "$kept"
	}
	cp "$kept" "$2"
}

make_record() # N FILE TOPOLOGY
{
	local xml
	xml=$(lstopo-no-graphics --input "$3" --of xml --no-io - 2>/dev/null |
		sed 's/"/\\"/g; s/$/\\n/' | tr -d '\n')
	awk -v n="$1" '
	function value(i, j,   half) {
		half = n / 2
		if (i > j)
			return value(j, i)
		if (n > 500 && i == 3 && j == 200)
			return 2e8
		return (i % half == j % half ? 20 : \
			int(i % half / 8) == int(j % half / 8) ? 45 : 150) * \
			(1 + (i * 7 + j * 13) % 50 / 1000)
	}
	function matrix(statistic, factor, fixed,   i, j) {
		printf "%s{\"name\":\"latency\",\"statistic\":\"%s\",\"unit\":\"%s\",\"quantity\":\"one-way\",\"better\":\"lower\",\"symmetric\":true,\"values\":[", \
			between, statistic, fixed ? "passes" : "ns"
		between = ",\n"
		for (i = 0; i < n; i++) {
			printf "%s[", i ? ",\n" : ""
			for (j = 0; j < n; j++)
				printf "%s%s", j ? "," : "", i == j ? "null" : \
					sprintf("%.4g", fixed ? fixed : value(i, j) * factor)
			printf "]"
		}
		printf "]}"
	}
	BEGIN {
		printf "{\"format\":\"c2c-result\",\"version\":1,\"command\":\"latency\",\"complete\":true,\"tool\":{\"version\":\"1\"},\"machine\":{\"hostname\":\"made\",\"cpu_model\":\"Made CPU\",\"cpus_online\":%d},\"run\":{\"passes\":40},\"cpus\":[", n
		for (i = 0; i < n; i++)
			printf "%s%d", i ? "," : "", i
		printf "],\"matrices\":["
		matrix("median", 1)
		matrix("p90", 1.25)
		matrix("ci_low", 0.99)
		matrix("ci_high", 1.01)
		matrix("passes", 1, 39)
		print "],"
	}' >"$2"
	printf '"topology":{"hwloc_xml":"%s"}}\n' "$xml" >>"$2"
}

# held ID: the JSON in that script element of page.html.
held()
{
	"$srcdir/tests/cases/page/bin/held" "$1" page.html
}

page()
{
	"$C2C" plot -q "$@" -o page.html
	xmllint --noout page.html
}

@test "an interrupt ends c2c while it writes a page" {
	mkfifo page.html
	# Reads what there is after the signal, so that c2c can go on.
	{
		head -c 1 >first
		until [ -e sent ]; do sleep 0.05; done
		cat >rest
	} <page.html 3>&- &
	start_command plot -q "$data"/xeon-16vcpu{,-queue,-shared,-cache}.json \
		-o page.html
	until [ -s first ]; do sleep 0.05; done
	kill -INT "$pid"
	touch sent
	local status=0
	wait "$pid" || status=$?
	[ "$status" -eq 130 ]
	grep "'page.html' was not written: a signal ended c2c" err
	wait
}

@test "many records of one scale need memory for each, not for each pair" {
	local k
	for ((k = 0; k < 300; k++)); do
		cp "$srcdir/tests/cases/plot/in/lat.json" "$k.json"
	done
	# Pairs would need 140 MB. Sanitizers want address space without bound.
	[ "${MODE:-plain}" != plain ] || ulimit -v 100000
	"$C2C" plot -q ./*.json -o page.html
	[ "$(grep -c '<script type="application/json" id="record-' page.html)" -eq 300 ]
}

@test "a page of c2c cl all has its summary" {
	need_jq
	need_opencl
	local record
	for record in epyc-2vcpu xeon-16vcpu h200; do
		page "$data/$record-cl-all.json"
		diff <(grep -v '^tables: ' "$data/$record-cl-all.txt") \
			<(held words | jq -rj '.sides[0].records[0].words[0].block')
	done
	# Each device under its name, from its own curves.
	jq '.run.tests[0].device as $first |
		($first | .index += 1 | .name = "another") as $second |
		.run.tests = [.run.tests[0], (.run.tests[0] | .device = $second)] |
		[.curves[] | select(.test == "rowcol")] as $curves |
		.curves = [$curves[] | .device = "device \($first.index) (\($first.name))"] +
			[$curves[] | .device = "device \($second.index) (another)" |
			.median = [.median[] | . / 2] | .low = .median |
			.high = .median]' "$data/h200-cl-all.json" >two.json
	page two.json
	held words | jq -rj '.sides[0].records[0].words[0].block' >said
	[ "$(grep -o '^rowcol .*GiB/s' said | tr -s ' ')" = "rowcol rows read, 256 MiB of words 1859 GiB/s
rowcol rows read, 256 MiB of words 929 GiB/s" ]
	grep '^another, NVIDIA CUDA$' said
	# What this c2c does not know, and what is not there, has no line.
	jq '.run.tests[0].test = "new" | del(.run.tests[1].test, .run.tests[2].device,
		.run.tests[3].status) | .run.tests[4].device = [1]' \
		"$data/h200-cl-all.json" >odd.json
	page odd.json
	held words | jq -rj '.sides[0].records[0].words[0].block' >said
	! grep '^rowcol\|^scale\|^stride\|^constant\|^unknown' said || false
	grep '^local .* unknown$' said
	# A record of one test has none.
	jq '.options.method = "rowcol"' "$data/h200-cl-all.json" >one.json
	page one.json
	held words | jq -e '.sides[0].records[0].words == []'
}

@test "every command that measures writes a page" {
	make_up
	need_jq
	"$C2C" latency "${short[@]}" -q -o page.html >/dev/null
	xmllint --noout page.html
	held record-0 | jq -e '.command == "latency"'
	"$C2C" cache -q --latency --sizes 4K:64K "${short[@]}" -o page.html >/dev/null
	xmllint --noout page.html
	held words | jq -e '.sides[0].records[0].panels | length > 0'
}

@test "odd records make pages that are well-formed, or none" {
	local n=0 record
	for record in "$srcdir"/tests/fuzz/corpus/*.json; do
		"$C2C" plot -q "$record" -o $((++n)).html 2>err || continue
	done
	[ "$(find . -name '*.html' | wc -l)" -ge 4 ]
	xmllint --noout ./*.html
}

# The values of a cell of page.html, as it tells them.
told()
{
	value 'document.querySelectorAll(".view [aria-live]")[0].textContent'
}

# four: a number with four digits, as a page has it.
four()
{
	awk '{ print $1 + 0 }' OFMT=%.4g
}

# in_map ACROSS DOWN: point at a place of the first heatmap, in shares of its
# cells, which are a square in the upper right corner of the canvas.
in_map()
{
	value "(() => {
		const map = document.querySelector('.map');
		const canvas = map.querySelector('canvas');
		let box = map.getBoundingClientRect();
		scrollBy(0, box.top + $2 * box.height - innerHeight / 2);
		box = map.getBoundingClientRect();
		const size = box.height - 48, left = box.width - 2 - size;
		window.at = {canvas, x: left + $1 * size, y: 8 + $2 * size,
			box, ratio: canvas.width / box.width};
		return (box.left + at.x) + ' ' + (box.top + at.y);
	})()" >place
	local across down
	read -r across down <place
	point_at "$across" "$down"
}

# The colour of the pixel at that place.
drawn()
{
	value "(() => {
		const copy = new OffscreenCanvas(1, 1).getContext('2d');
		copy.drawImage(at.canvas, -Math.floor(at.x * at.ratio),
			-Math.floor(at.y * at.ratio));
		return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3).join(' ');
	})()"
}

# The first heatmap of the record $1, of $2 CPUs, tells what the record has, in $3
# places, and has there the colour of the palette for the value and the scale of
# the first matrix.
tells_the_record()
{
	local k said n=$2 parts=$3
	# Within a cell, because the browser rounds places; beside its number,
	# which large cells have in the middle.
	middle=$(awk -v n="$n" -v parts="$parts" 'BEGIN {
		for (at = 0; at < parts; at++) {
			cell = int((at + 0.5) * n / parts)
			cell += n > 64 ? 0.5 : 0.15
			print cell / n
		} }')
	mapfile -t middle <<<"$middle"
	for ((k = 0; k < parts; k++)); do
		in_map "${middle[k * 7 % parts]}" "${middle[(k * 5 + 1) % parts]}"
		said=$(told)
		printf '%s\t%s\n' "$(drawn)" "${said//$'\n'/ }"
	done >said
	held words >words.json
	jq -r --rawfile said said --slurpfile words words.json '
		def byte: explode | map(. - if . > 96 then 87 else 48 end) |
			.[0] * 16 + .[1];
		. as $record | [.matrices[].statistic] as $names |
		$words[0].palette as $palette |
		$words[0].sides[0].records[0].phases[0].matrices[0] as $scale |
		$said | rtrimstr("\n") | split("\n")[] |
		split("\t") as [$drawn, $line] |
		[$line | scan("^CPUs ([0-9]+) and ([0-9]+):")[] | tonumber] as [$a, $b] |
		select($a == null or $a != $b) |
		[$record.matrices[].values[$a // 0][$b // 0]] as $v |
		def of($s): $v[$names | index($s)];
		((($v[0] - $scale.low) / ($scale.high - $scale.low) |
			[[., 0] | max, 1] | min) * 255 | round) as $colour |
		[range(3) | 6 * $colour + 2 * . | $palette[.:. + 2] | byte] as $wanted |
		[$drawn | split(" ")[] | tonumber] as $found |
		select(($a != null and ($found | length) == 3 and
			all(range(3); $found[.] - $wanted[.] | fabs <= 3) and
			($line | contains(": \($v[0]) ns")) and
			($line | contains("95 % interval: \(of("ci_low")) to \(of("ci_high")) ns")) and
			($line | contains("passes: \(of("passes"))"))) | not) |
		"of \($v) in the colour \($wanted), drawn is \($drawn) and told \($line)"' \
		"$1" >untold
	[ ! -s untold ] || {
		cat untold
		return 1
	}
}

# look N TOPOLOGY FIRST: the page of N CPUs, whose first row has FIRST behind 0
# in the order of the topology.
look()
{
	local across down
	made "$1" made.json "$2"
	page made.json
	browser_start
	screen 1280 900
	browse page.html
	[ "$(value document.title)" = "c2c: Made CPU · made" ]
	# What is not there leaves no word behind.
	[ "$(value "document.body.innerText.split('\\n').includes('null')")" = false ]
	tells_the_record made.json "$1" $(($1 < 8 ? $1 : 8))
	read -r across down < <(awk "BEGIN { print 1.5 / $1, 0.5 / $1 }")
	in_map "$across" "$down"
	[[ $(told) == "CPUs 0 and 1: "* ]] || { told; false; }
	# No label is cut off at the upper edge.
	[ "$(value '(() => { const c = document.querySelector(".map canvas");
		return c.getContext("2d").getImageData(0, 0, c.width, 1)
			.data.every((part) => part === 0); })()')" = true ]
	browse page.html '0.order=topology'
	in_map "$across" "$down"
	[[ $(told) == "CPUs 0 and $3: "*"topology: SMT siblings"* ]]
	browser_content
}

@test "in a browser, 2 CPUs: it renders, tells the record, and changes its order" {
	need_chromium
	look 2 "core:1 pu:2(indexes=0,1)" 1
}

# slow: chromium takes its time.
@test "in a browser, 16 CPUs: it renders, tells the record, and changes its order" {
	need_chromium
	look 16 "l3:1 core:8 pu:2(indexes=2*8:8*1)" 8
}

# slow: chromium takes its time.
@test "in a browser, 64 CPUs: it renders, tells the record, and changes its order" {
	need_chromium
	look 64 "l3:4 core:8 pu:2(indexes=2*32:32*1)" 32
}

# slow: chromium takes its time.
@test "in a browser, 512 CPUs: it renders, tells the record, and changes its order" {
	need_chromium
	look 512 "package:2 l3:16 core:8 pu:2(indexes=2*256:256*1)" 256
	# So large a record is packed, also a number far from all others.
	[ "$(wc -c <page.html)" -lt 700000 ]
	held words | jq -e '.sides[0].records[0].partial'
	browse page.html '0.cell=3,200'
	[[ $(told) == "CPUs 3 and 200: 200000000 ns; 95 % interval: 198000000 to 202000000 ns"* ]]
	# One letter is many equal cells.
	browse page.html '0.cell=510,511'
	[[ $(told) == "CPUs 510 and 511: "*"passes: 39"* ]]
	browse page.html '0.cell=201,3'
	[[ $(told) == "CPUs 201 and 3: $(jq '.matrices[0].values[3][201]' made.json) ns"* ]]
	[ "$(value 'document.querySelectorAll(".download").length')" = 0 ]
}

# slow: chromium takes its time.
@test "in a browser the controls choose matrix, order, epoch and theme" {
	need_chromium
	cp "$data/xeon-64vcpu-moving.json" a.json
	page a.json
	browser_start
	browse page.html '0.cell=3,19'
	change() { value "(() => { const s = document.querySelector('#c0-$1');
		s.value = '$2'; s.dispatchEvent(new Event('$3')); })()" >/dev/null; settle; }
	[[ $(told) == "CPUs 3 and 19: $(jq '.matrices[0].values[3][19]' a.json | four) ns"* ]]
	change matrix "latency p90" change
	[[ $(told) == "CPUs 3 and 19: $(jq '.matrices[] |
		select(.statistic == "p90").values[3][19]' a.json | four) ns"* ]]
	change matrix "latency median" change
	change epoch 2 input
	[[ $(told) == "CPUs 3 and 19: $("$C2C" export -q --epoch 2 a.json --json |
		jq '.matrices[0].values[3][19]' | four) ns"*"one group of level 1, SMT siblings"* ]]
	[[ $(value "document.querySelector('output').textContent") == "Epoch 2: "* ]]
	change order groups change
	value "document.querySelector('.map').focus()" >/dev/null
	press ArrowLeft
	# In the groups 19 stands behind 3, its sibling.
	[[ $(told) == "CPUs 3 and 3: "* ]]
	becomes 'decodeURIComponent(location.hash)' \
		"#0.cell=3,3&0.matrix=latency+median&0.epoch=2&0.order=groups"
	press End ArrowUp Home
	[[ $(told) == "CPUs 18 and 0: "*"passes: 10 in the epoch;"* ]] || { told; false; }
	becomes document.documentElement.dataset.theme light
	value "document.querySelector('.tools button').click()" >/dev/null
	becomes document.documentElement.dataset.theme dark
	becomes 'getComputedStyle(document.body).backgroundColor' "rgb(20, 23, 27)"
	browser_call Emulation.setEmulatedMedia \
		'{"features": [{"name": "prefers-color-scheme", "value": "dark"}]}'
	browse page.html
	becomes document.documentElement.dataset.theme dark
	browser_call Emulation.setEmulatedMedia \
		'{"features": [{"name": "prefers-color-scheme", "value": "light"}]}'
	becomes document.documentElement.dataset.theme light
	# However fast the pointer moves.
	value "(() => { const map = document.querySelector('.map'), box = map.getBoundingClientRect();
		for (let i = 0; i < 400; i++)
			map.dispatchEvent(new PointerEvent('pointermove', {
				clientX: box.left + 60 + i * 37 % 500, clientY: box.top + 40 + i * 53 % 400}));
		})()" >/dev/null
	value 'new Promise((done) => setTimeout(done, 500))' >/dev/null
	browser_content
}

@test "in a browser a table sorts and is copied, and the record is downloaded" {
	need_chromium
	cp "$data/xeon-16vcpu.json" a.json
	page a.json
	browser_start
	browse page.html
	open() { value "(() => { window.t = [...document.querySelectorAll('details')].find(
		(d) => d.firstChild.textContent === 'Table of pairs'); t.open = true;
		return new Promise((done) => setTimeout(() => done(t.querySelectorAll('tbody tr').length), 50)); })()"; }
	[ "$(open)" = 120 ]
	first() { value "[...t.querySelectorAll('tbody tr:first-child td')].slice(0, 3).map((c) => c.textContent).join(' ')"; }
	sort_by() { value "t.querySelectorAll('th button')[$1].click()" >/dev/null; }
	[ "$(first)" = "0 1 $(jq '.matrices[0].values[0][1]' a.json | four)" ]
	sort_by 2
	[ "$(first | cut -d ' ' -f 3)" = "$(jq '[.matrices[0].values[][] | numbers] | min' a.json | four)" ]
	sort_by 2
	[ "$(first | cut -d ' ' -f 3)" = "$(jq '[.matrices[0].values[][] | numbers] | max' a.json | four)" ]
	browser_call Browser.grantPermissions \
		"{\"permissions\": [\"clipboardReadWrite\", \"clipboardSanitizedWrite\"],
		\"browserContextId\": \"$browser_context\"}"
	browser_call Page.bringToFront
	# It says so for a second and a half only.
	value "(() => { const button = t.querySelector('.copy');
		window.said = [];
		new MutationObserver(() => said.push(button.textContent))
			.observe(button, {childList: true});
		button.click(); })()" >/dev/null
	becomes 'said[0]' Copied
	value 'navigator.clipboard.readText()' >copied
	[ "$(grep -c . copied)" -eq 121 ]
	[ "$(sed -n 2p copied | cut -f 1-3 | tr '\t' ' ')" = "$(first)" ]
	browser_content
}

# download NAME: what the first link of the page gives, into the folder got.
download()
{
	browser_call Browser.setDownloadBehavior \
		"{\"behavior\": \"allow\", \"downloadPath\": \"$PWD/got\",
		\"browserContextId\": \"$browser_context\"}"
	value "document.querySelector('.download').click()" >/dev/null
	local tries=0
	until [ -s "got/$1" ]; do
		[ $((++tries)) -lt 300 ]
		sleep 0.1
	done
}

# slow: chromium takes its time.
@test "in a browser the download is the file, byte for byte" {
	need_chromium
	need_jq
	local name
	# As an older c2c wrote it, and with bytes that HTML would change.
	cp "$data/xeon-16vcpu.json" old.json
	printf '\xef\xbb\xbf# 100 %%41 <&>\r\n1,,3\r\n,2,\r\n4,5,6\r\n' >odd.csv
	printf '\r\n%s\t\r' "$(cat old.json)" >odd.json
	# As this c2c writes it: the page holds it once.
	jq '.machine.hostname = "\u2028<&>\\\\u003c\\" + "\\u003e\uffff"' \
		old.json >text.json
	"$C2C" export text.json -o same.json
	grep -q 'u003c' same.json
	mkdir got
	browser_start
	for name in old.json odd.csv odd.json text.json same.json; do
		page "$name"
		browse page.html
		download "$name"
		cmp "$name" "got/$name"
	done
	! grep -q '^<script type="text/plain"' page.html || false
	# Standard input is read once: as c2c writes it.
	"$C2C" plot -q - -o page.html <old.json
	browse page.html
	download latency.json
	"$C2C" export old.json -o saved.json
	cmp saved.json got/latency.json
	browser_content
}

@test "in a browser the largest numbers, close together, have an axis" {
	need_chromium
	need_jq
	jq '.curves = [.curves[0] | .x |= (.kind = "amounts" | .unit = "GiB/s") |
		.x.values = ([range(.x.values | length)] |
			map(999999999999990 + . / 8))]' \
		"$data/xeon-16vcpu-cache.json" >a.json
	page a.json
	browser_start
	screen 1280 900
	browse page.html
	[ "$(value "document.querySelectorAll('.panel svg path').length")" -gt 0 ]
	browser_content
}

@test "in a browser a chart of levels has their names" {
	need_chromium
	need_jq
	jq '.curves |= map(select(.test == "load"))' \
		"$data/xeon-32vcpu-states.json" >a.json
	page a.json
	browser_start
	screen 500 900
	browse page.html
	[[ $(value "[...document.querySelectorAll('.panel svg text')].map((t) => t.textContent).join('|')") == \
		*"|itself|same LLC|(34 ns)|same LLC|(94 ns)|"* ]]
	value 'document.querySelector(".chart").focus()' >/dev/null
	press ArrowRight
	[[ $(value 'document.querySelector(".point").textContent') == "modified at same LLC (34 ns): 5.977 ns"* ]]
	browser_content
}

@test "in a browser charts tell the record, by pointer and by keyboard" {
	need_chromium
	cp "$data/xeon-16vcpu-cache.json" a.json
	page a.json
	browser_start
	screen 1280 900
	browse page.html
	[ "$(value "document.querySelectorAll('.panel svg path').length")" -gt 3 ]
	[ "$(value "[...document.querySelector('.panel').querySelectorAll('[font-weight]')].map((t) => t.textContent).join(' ')")" = "L1d L2 L3 memory" ]
	value "(() => { window.p = document.querySelector('.panel');
		const c = p.querySelector('.chart'); c.scrollIntoView({block: 'center'});
		const [x, y] = p.querySelector('[data-curve]').dataset.spots.split(',')[20].split(' ');
		const svg = p.querySelector('svg'), box = svg.getBoundingClientRect();
		const scale = box.width / svg.viewBox.baseVal.width;
		return (box.left + x * scale) + ' ' + (box.top + y * scale); })()" >place
	# shellcheck disable=SC2046
	point_at $(cat place)
	said() { value 'p.querySelector(".point").textContent'; }
	[[ $(said) == "load at 31.1 KiB: 1.865 ns; 95 % interval "* ]] ||
		[[ $(said) == "load at 32 KiB: $(jq '.curves[0] | .median[.x.values | index(32768)]' a.json | four) ns"* ]]
	value 'p.querySelector(".chart").focus()' >/dev/null
	press ArrowRight
	[[ $(said) == *": $(jq '.curves[0] | .median[(.x.values | index(32768)) + 1]' a.json | four) ns"* ]]
	# Its point has a ring, and its letters are those of the theme.
	[ "$(value 'p.querySelectorAll("svg .chosen").length')" = 1 ]
	letters='getComputedStyle(p.querySelector("svg text")).fill'
	becomes "$letters" "rgb(68, 68, 68)"
	value "document.querySelector('.tools button').click()" >/dev/null
	becomes "$letters" "rgb(182, 182, 182)"
	browser_content
}

@test "in a browser a matrix without numbers has a caption and no colour bar" {
	need_chromium
	need_jq
	jq '(.matrices[] | select(.statistic == "p90").values) |=
		map(map(null))' "$data/xeon-16vcpu.json" >a.json
	page a.json
	browser_start
	browse page.html '0.matrix=latency+p90'
	[ "$(value "document.querySelector('.bar').hidden")" = true ]
	[[ $(value "document.querySelector('.view .caption').textContent") == *p90* ]]
	value "document.querySelector('.tools button').click()" >/dev/null
	becomes document.documentElement.dataset.theme dark
	browser_content
}

@test "in a browser two machines stand beside each other, on one scale" {
	need_chromium
	page "$data/xeon-16vcpu.json" "$data/xeon-64vcpu.json"
	browser_start
	screen 1400 900
	browse page.html '0.cell=3,11'
	value '[...document.querySelectorAll(".side")].map((s) => s.getBoundingClientRect()).map((b, i, all) =>
		b.top === all[0].top && b.left > 600 * i).join(" ")' >beside
	[ "$(cat beside)" = "true true" ]
	in_map 0.5 0.4
	# The other side shows the same pair.
	value '[...document.querySelectorAll(".view [aria-live]")].map((l) => l.textContent.split(":")[0]).join(" ")' >pairs
	[[ $(cat pairs) =~ ^(CPUs\ [0-9]+\ and\ [0-9]+)\ (CPUs\ [0-9]+\ and\ [0-9]+)$ ]]
	[ "${BASH_REMATCH[1]}" = "${BASH_REMATCH[2]}" ]
	browser_content
}

# slow: chromium takes its time.
@test "in a browser a telephone of 320 pixels never scrolls sideways" {
	need_chromium
	local name
	browser_start
	screen 320 640
	made 512 made.json "package:2 l3:16 core:8 pu:2(indexes=2*256:256*1)"
	for name in made.json "$data"/xeon-{16vcpu-cache,16vcpu-contend,64vcpu-moving,16vcpu-cl-all}.json; do
		page "$name"
		browse page.html 'theme=dark'
		value "document.querySelectorAll('details').forEach((d) => d.open = true)" >/dev/null
		settle
		[ "$(value 'document.documentElement.scrollWidth')" -le 320 ] || {
			echo "$name: $(value 'document.documentElement.scrollWidth')"
			false
		}
		# What stands along an axis is not longer than the axis.
		[ "$(value '[...document.querySelectorAll(".chart svg")].every((s) =>
			[...s.querySelectorAll("text")].every((t) => {
				const box = s.getBoundingClientRect(), b = t.getBoundingClientRect();
				return b.top >= box.top - 1 && b.bottom <= box.bottom + 1;
			}))')" = true ]
	done
	[ "$(value 'document.querySelectorAll(".chart svg").length > 0')" = true ]
	# Rows over the same points are a table of coloured cells.
	[ "$(value '[...document.querySelectorAll(".panel")].find((p) =>
		p.textContent.startsWith("incore: fma of float")).querySelectorAll("rect").length > 4')" = true ]
	# The last one has native rates beside its curves.
	[[ $(value '[...document.querySelectorAll(".panel svg text")].map((t) => t.textContent).join(" ")') == \
		*"Dashed: native rate of the same CPUs."* ]]
	browser_content
}

@test "in a browser two machines side by side fit the window" {
	need_chromium
	browser_start
	screen 1280 900
	page "$data"/xeon-{64vcpu,16vcpu-cache,16vcpu-contend}.json
	browse page.html 'theme=light'
	settle
	[ "$(value 'document.documentElement.scrollWidth')" -le 1280 ]
	browser_content
}

@test "in a browser several records of curves are one figure, above their folded charts" {
	need_chromium
	browser_start
	screen 320 640
	page "$data"/xeon-{2vcpu,16vcpu}-cache.json
	browse page.html 'theme=dark'
	[ "$(value 'document.querySelectorAll(".figure svg").length')" = 1 ]
	[ "$(value 'document.querySelectorAll(".panel").length')" = 0 ]
	[ "$(value 'getComputedStyle(document.querySelector(".figure [font-weight]")).fill')" = "rgb(240, 240, 240)" ]
	value "document.querySelectorAll('details').forEach((d) => d.open = true)" >/dev/null
	settle
	[ "$(value 'document.querySelectorAll(".side .panel svg").length > 2')" = true ]
	[ "$(value 'document.documentElement.scrollWidth')" -le 320 ]
	browser_content
}

@test "in a browser hostile text shows as text" {
	need_chromium
	need_jq
	local bad=$'</script><img src=x onerror="document.title=1">]]>\u2028&amp;<!--'
	jq --arg bad "$bad" '.machine.hostname = $bad | .run.warnings = [$bad]' \
		"$data/xeon-16vcpu.json" >lat.json
	jq --arg bad "$bad" '.curves[].member = $bad | .machine.hostname = $bad |
		.curves[].test = $bad | .curves[].family = $bad' \
		"$data/xeon-64vcpu-sweep-warm.json" >curves.json
	page lat.json curves.json
	browser_start
	browse page.html
	value "document.querySelectorAll('details').forEach((d) => d.open = true)" >/dev/null
	settle
	[ "$(value 'document.querySelectorAll("img, b").length')" = 0 ]
	[ "$(value 'document.querySelectorAll(".doubts li")[1].textContent')" = "$bad" ]
	[[ $(value 'document.title') == *"$bad"* ]]
	[[ $(value '[...document.querySelectorAll(".panel svg text")].map((t) => t.textContent).join()') == *"$bad"* ]]
	browser_content
}

@test "in a browser a script that is not c2c's does not run" {
	need_chromium
	page "$data/xeon-16vcpu.json"
	sed -i 's|<main id="page">|<script>window.mine = 1</script>&|' page.html
	browser_start
	browse page.html
	[ "$(value 'String(window.mine)')" = undefined ]
	run browser_content
	[ "$status" -ne 0 ]
	[[ $output == *"Content Security Policy"* ]]
}

@test "on paper a page is light, whole and without controls" {
	need_chromium
	page "$data/xeon-16vcpu.json"
	browser_start
	browse page.html 'theme=dark&0.cell=3,11'
	browser_call Page.printToPDF '{"printBackground": true}'
	jq -r .result.data <<<"$answer" | base64 -d >a.pdf
	head -c 5 a.pdf | grep -q '%PDF-'
	[ "$(wc -c <a.pdf)" -gt 20000 ]
	browser_call Emulation.setEmulatedMedia '{"media": "print"}'
	[ "$(value 'getComputedStyle(document.querySelector(".controls")).display')" = none ]
	[ "$(value 'getComputedStyle(document.querySelector(".tools")).display')" = none ]
	# The chosen cell stays marked; the bar keeps its colours.
	[ "$(value 'document.querySelectorAll(".map canvas").length')" = 1 ]
	[ "$(value '[...document.querySelectorAll(".mark")].filter((m) => m.checkVisibility()).length')" = 5 ]
	[ "$(value '[...document.querySelectorAll(".mark, .colours")].every((m) =>
		getComputedStyle(m).printColorAdjust === "exact")')" = true ]
	value 'dispatchEvent(new Event("beforeprint"))' >/dev/null
	[ "$(value 'document.documentElement.dataset.theme')" = light ]
	value 'dispatchEvent(new Event("afterprint"))' >/dev/null
	[ "$(value 'document.documentElement.dataset.theme')" = dark ]
	browser_content
}

# fleet_page: eight hosts, one slow between its caches, one with a hostile name
# and one with two files, as fleet.html.
fleet_page()
{
	"$srcdir/tests/fleet" . 8 32 2>/dev/null
	jq '.matrices |= map(.values |= map(map(
		if . and . > 90 then . * 1.5 else . end)))' n0003.json >slow.json
	jq --arg bad "$1" '.machine.hostname = $bad' n0004.json >bad.json
	jq '.machine.kernel = "Linux 7"' n0005.json >other.json
	rm n000[345].json
	cp n0002.json twice.json
	echo garbage >garbage.json
	"$C2C" compare -q ./*.json -o fleet.html >out 2>err || [ $? -eq 1 ]
	xmllint --noout fleet.html
}

# slow: chromium takes its time.
@test "in a browser a fleet shows its outliers, places and reasons" {
	need_chromium
	need_jq
	local bad='</script><img src=x onerror="document.title=1">&amp;' first said
	fleet_page "$bad"
	browser_start
	screen 1000 900
	browse fleet.html
	[ "$(value 'document.title')" = "c2c: a fleet of 8 hosts" ]
	[ "$(value 'document.querySelectorAll("img").length')" = 0 ]
	# The first cards are outliers.
	[ "$(value 'document.querySelectorAll(".found").length')" = 1 ]
	[ "$(value 'document.querySelector(".found h4").textContent')" = n0003 ]
	[[ $(value 'document.querySelector(".found li").textContent') == \
		"latency: llc, between: "*"slower than the median host"* ]]
	[[ $(value 'document.body.textContent') == *"$bad"* ]]
	[[ $(value 'document.body.textContent') == *garbage.json*"found no numbers"* ]]
	[[ $(value 'document.querySelector("h2").textContent') == *", 9 files of 8 hosts" ]]
	# The pointer at the right edge of a strip tells the slow host's value.
	value 'document.querySelectorAll(".chart svg")[2].scrollIntoView()' >/dev/null
	settle
	read -r x y < <(value '(() => { const b = document
		.querySelectorAll(".chart svg")[2].getBoundingClientRect();
		return (b.right - 8) + " " + (b.top + 20); })()')
	point_at "$x" "$y"
	first=$(jq -r '.matrices[0].values | flatten | map(select(. and . > 90))
		| sort | .[length / 2 | floor] | floor' slow.json)
	[[ $(value 'document.querySelectorAll(".panel .point")[2].textContent') == \
		"Host at n0003 (+"*" %): $first"*" ns" ]]
	# A head sorts its column.
	value '[...document.querySelectorAll("th button")].filter((b) =>
		b.textContent === "distance [%]")[0].click()' >/dev/null
	[ "$(value '[...document.querySelectorAll("table")].pop() &&
		[...document.querySelectorAll("th")].filter((h) =>
		h.getAttribute("aria-sort") === "ascending").length')" = 1 ]
	screen 320 640
	[ "$(value 'document.documentElement.scrollWidth')" -le 320 ]
	# Of few runs, in the words of the terminal.
	"$C2C" compare -q n0001.json,n0002.json n0006.json,n0007.json \
		n0008.json,other.json -o few.html >out
	said=$(grep '^c2c has no verdict for 2 of 2 files: ' out)
	browse few.html
	[[ $(value 'document.body.textContent') == *"$said"* ]]
	browser_content
}
