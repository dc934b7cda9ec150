#!/usr/bin/env bats
# What bash, zsh and fish offer to complete what a user has typed.
#
# Each case runs in its own shell (SC2030, SC2031).
# shellcheck disable=SC2030,SC2031

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	: "${srcdir:?}" "${C2C:?}"
	cd "$BATS_TEST_TMPDIR" || return
	# shellcheck source=completion/c2c.bash
	. "$srcdir/completion/c2c.bash"
}

# offers WORDS...: what completes the last word, sorted, on one line.
offers()
{
	COMP_WORDS=("$C2C" "$@")
	COMP_CWORD=$#
	_c2c
	printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | paste -sd ' '
}

commands()
{
	"$C2C" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p'
}

# The long options in a command's help, whose lines must not be wrapped.
options_in_help()
{
	"$C2C" "$1" --help=rows | grep -oE '^ +(-., )?--[a-z-]+' |
		grep -oE -- '--[a-z-]+$' | LC_ALL=C sort | paste -sd ' '
}

@test "the commands and the program's own options are offered" {
	[ -n "$(commands)" ]
	# shellcheck disable=SC2046 # a list
	expected=$(printf '%s\n' --help --version --schema $(commands) | LC_ALL=C sort |
		paste -sd ' ')
	[ "$(offers "")" = "$expected" ]
	[ "$(offers lat)" = latency ]
}

@test "the options of each command are those of its help" {
	for command in $(commands); do
		[ "$(offers "$command" --)" = "$(options_in_help "$command")" ]
	done
}

@test "an option that begins like what was typed is offered" {
	[ "$(offers latency --me)" = --method ]
	[ "$(offers latency --q)" = --quiet ]
}

@test "values that help lists are offered, without its placeholders" {
	[ "$(offers latency --method "")" = "cas line one-way two-line" ]
	[ "$(offers latency --method t)" = two-line ]
	[ "$(offers latency --idle "")" = "auto park spin" ]
	[ "$(offers latency --jobs "")" = "auto max" ]
	[ "$(offers latency --home "")" = "first interleave node: second" ]
	[ "$(offers plot --order "")" = "groups os topology" ]
	[ "$(offers export --epoch "")" = last ]
	[ "$(offers analyze --epoch "")" = last ]
	[ "$(offers export --placement n)" = "nfd numactl" ]
	[ "$(offers export --level "")" = "domain group llc node package smt" ]
	[ "$(offers memcpy --dest "")" = "fresh prefaulted" ]
	[ "$(offers memcpy --copy "")" = "libc stream" ]
	[ "$(offers cache --shared "")" = "L1 L2 L3" ]
	[ "$(offers cache --order s)" = stride: ]
	[ "$(offers cache --threads "")" = "1 all llc" ]
	[ "$(offers cache --width a)" = "all avx2 avx512" ]
	[ "$(offers cache --memory "")" = "own shared" ]
	for kind in $(offers cache --pages ""); do
		"$C2C" cache --help=rows | grep -qw "$kind"
	done
	for access in $(offers cache --access ""); do
		"$C2C" cache --help=rows | grep -qw -- "$access"
	done
	[ "$(offers queue --pages "")" = "4k auto hugetlb thp" ]
	[ "$(offers queue --readers "")" = "all llc node" ]
	[ "$(offers queue --per "")" = "core llc node package" ]
	for command in analyze compare export plot; do
		[ "$(offers $command --unit G)" = GiB/s ]
		[ "$(offers $command --better "")" = "higher lower" ]
	done
}

@test "values are offered after an equals sign, which bash takes for a word" {
	[ "$(offers latency --method = o)" = one-way ]
	[ "$(offers latency --method =)" = "cas line one-way two-line" ]
}

@test "values that help has in a sentence are offered" {
	[ "$(offers plot --statistic ci)" = "ci_high ci_low" ]
	help=$("$C2C" plot --help=rows | tr -s ' \n' ' ')
	for statistic in $(offers plot --statistic ""); do
		[[ $help == *"$statistic"* ]]
	done
}

@test "a free value gets no offer, and a flag the next option" {
	: >lat.json
	[ -z "$(offers latency --cpus "")" ]
	[ -z "$(offers queue --sweep "")" ]
	[ -z "$(offers memcpy --size "")" ]
	[ "$(offers queue --warm --or)" = --order-check ]
	[ "$(offers latency --cores --sa)" = --samples ]
}

@test "files to write are offered: old ones by extension, folders, new ones" {
	mkdir old
	: >lat.json
	: >lat.txt
	[ "$(offers latency -o "")" = "lat.json old" ]
	[ "$(offers latency -o lat.p)" = "lat.pdf lat.png" ]
	[ "$(offers latency --output = old/a.)" = \
		"old/a.csv old/a.dat old/a.gp old/a.html old/a.json old/a.md old/a.pdf old/a.png old/a.svg old/a.tsv" ]
	: >lat.png
	[ "$(offers plot lat.json -o lat.)" = "lat.gp lat.html lat.md lat.pdf lat.png lat.svg" ]
	[ "$(offers export lat.json --hwloc lat.)" = lat.xml ]
	[ "$(offers analyze -o lat.)" = "lat.html lat.json lat.pdf lat.png lat.svg" ]
	for command in $(commands); do
		"$C2C" "$command" --help=rows | grep -q -- --output= || continue
		extension=json
		[ "$command" != plot ] || extension=svg
		: >"lat.$extension"
		[ "$(offers "$command" -o "lat.${extension%??}")" = "lat.$extension" ]
		[ "$(offers "$command" --output "lat.${extension%??}")" = "lat.$extension" ]
	done
	[ "$(offers info -o lat.)" = lat.json ]
	[ "$(offers export -o lat.)" = "lat.csv lat.dat lat.json lat.tsv" ]
	[ -z "$(offers watch --log lat)" ]
}

@test "files to read are offered" {
	: >lat.json
	: >lat.png
	[ "$(offers plot "")" = lat.json ]
	[ "$(offers analyze "")" = lat.json ]
	[ "$(offers plot la)" = lat.json ]
	[ "$(offers export la)" = lat.json ]
	[ "$(offers compare la)" = lat.json ]
	[ -z "$(offers info "")" ]
	: >topo.xml
	[ "$(offers analyze lat.json --topology "")" = topo.xml ]
	[ "$(offers export lat.json --topology "")" = topo.xml ]
	: >lat.csv
	for command in cache contend latency memcpy numa queue states; do
		[ -z "$(offers $command "")" ]
		[ "$(offers $command --resume "")" = lat.json ]
	done
}

@test "compressed files are offered, and nothing is offered to be one" {
	: >lat.json.gz
	: >lat.json.zst
	: >lat.gz
	[ "$(offers analyze "")" = "lat.json.gz lat.json.zst" ]
	[ "$(offers latency --resume lat)" = "lat.json.gz lat.json.zst" ]
	[ "$(offers latency -o lat.j)" = "lat.json lat.json.gz lat.json.zst" ]
	[ "$(offers export -o lat.g)" = "" ]
}

@test "the tests of cl, and the files it writes, are offered" {
	[ "$(offers cl --device "")" = "all cpu gpu" ]
	[ "$(offers cl rowcol -o cl.)" = "cl.csv cl.dat cl.gp cl.html cl.json cl.md cl.pdf cl.png cl.svg cl.tsv" ]
	# The program names all tests of its table, or has none.
	run "$C2C" cl nonsense
	[[ $output == *"one of: "* ]] || return 0
	known=${output##*one of: }
	known=$(tr -s ', ' '\n' <<<"${known%%$'\n'*}" | sort | paste -sd ' ')
	[[ $known == *rowcol*scale* ]]
	[ "$(offers cl ro)" = "roofline rowcol" ]
	# c2c-plot(1) names those of other commands; cache has a latency too.
	[ "$(offers plot --test "" | tr ' ' '\n' |
		grep -vxE 'bandwidth|line|ways' |
		grep -vxE 'sum|sharing|p99|jain|fairness|cpus' |
		grep -vxE 'add|store|flush|apart|blocks' |
		grep -vxE 'loaded|delay|load|scaling' |
		grep -vxE 'rank|offset' | sort |
		paste -sd ' ')" = "$known" ]
	[ "$(offers cl "" | tr ' ' '\n' | grep -vxE 'all|list' | sort |
		paste -sd ' ')" = "$known" ]
	[ "$(offers cl al)" = all ]
	[ "$(offers cl li)" = list ]
}

@test "the matrices that the commands write are offered" {
	make_up
	"$C2C" latency -q --passes 1:1 -o a.dat >/dev/null
	"$C2C" queue -q --chunks 64 --passes 1:1 -o b.dat >/dev/null
	"$C2C" memcpy -q --size 64K --passes 1:1 -o c.dat >/dev/null
	"$C2C" cache -q --shared 16K --passes 6:100000 --precision 50 -o d.dat >/dev/null
	"$C2C" numa -q --size 1M --passes 1:1 --latency --bandwidth \
		--mix 1:0,3:1,2:1,1:1,triad,nt -o e.dat >/dev/null
	written=$(sed -n 's/^# matrix: \([^ ]*\) median .*/\1/p' ./*.dat |
		LC_ALL=C sort -u | paste -sd ' ')
	[ "$(offers plot --matrix "")" = "$written" ]
}

@test "a part of measure is offered what its command is offered" {
	[ "$(offers measure lat)" = latency ]
	[ "$(offers measure latency --me)" = --method ]
	[ "$(offers measure latency --me + cache --chai)" = --chains ]
	[ "$(offers measure latency + cache --quick + n)" = numa ]
	[ "$(offers measure --qui)" = "--quick --quiet" ]
}

@test "an unknown command or a missing program gets no offer" {
	[ -z "$(offers nonsense --)" ]
	C2C=$BATS_TEST_TMPDIR/absent
	[ -z "$(offers latency --me)" ]
}

@test "bash knows the completion by the program's name" {
	complete -p c2c
}

# what_bash_offers WORDS...: on one line, sorted.
what_bash_offers()
{
	COMPREPLY=()
	offers "$@"
}

# The same of zsh: what its completion hands to the functions of zsh.
what_zsh_offers()
{
	# shellcheck disable=SC2016 # zsh's own syntax
	zsh -f -c '
	compdef() { }
	compset() { word=${word#*=} }
	compadd() { shift; print -rl -- $@ }
	_describe() { print -rl -- ${${(P)@[-1]}%%:*} }
	_files() { print -rl -- ${~2//\(-.\)/}(N) *(/N) }
	source "$builddir/completion/_c2c"
	words=("$@") CURRENT=$#
	word=$words[-1]
	_c2c_find | grep -e "^$words[-1]"
	' zsh "$C2C" "$@" | LC_ALL=C sort | paste -sd ' '
}

# The same of fish, without what the candidates mean.
what_fish_offers()
{
	mkdir -p bin home
	ln -sf "$C2C" bin/c2c
	# shellcheck disable=SC2016 # fish's own syntax
	HOME=$PWD/home PATH=$PWD/bin:$PATH fish --no-config -c '
	source "$builddir/completion/c2c.fish"
	complete -C "$argv"' c2c "$@" | cut -f 1 | sed 's|/$||' |
		LC_ALL=C sort | paste -sd ' '
}

@test "zsh and fish offer what bash offers" {
	: "${builddir:?}"
	export builddir C2C
	command -v zsh >/dev/null || skip "zsh is not installed"
	command -v fish >/dev/null || skip "fish is not installed"
	mkdir work
	cd work
	touch lat.json lat.dat topology.xml
	while read -r -a words; do
		[ "${words[-1]}" != . ] || words[-1]=
		bash=$(what_bash_offers "${words[@]}")
		for shell in zsh fish; do
			offered=$(what_${shell}_offers "${words[@]}")
			[ "$offered" = "$bash" ] || {
				echo "$shell after c2c ${words[*]}: $offered"
				echo "bash: $bash"
				false
			}
		done
		# A c2c without OpenCL has no tests.
		[ -n "$bash" ] ||
			[[ "${words[*]}" =~ --budget|--log|^cl\ [^-]*$ ]]
	done <<-'END'
		.
		lat
		latency --
		info --
		latency --me
		latency --method .
		latency --method t
		latency --home .
		latency --budget .
		cl .
		cl st
		cl -o lat.d
		info -o lat.j
		watch --log la
		plot lat.j
		plot --matrix b
		plot --test .
		analyze --topology topo
		cache --pages .
		export --placement n
		contend --share .
		measure .
		measure -o a.json lat
		measure latency --me
		measure --quick latency --method .
		measure latency --cores + contend --share .
		measure latency + .
	END
}
