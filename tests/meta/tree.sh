#!/bin/sh
# Rules of the source tree: includes point down, a library has one user, every
# file is built, text is clean. For what is registered see places.sh.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

sources=$(find src -name '*.[ch]' | LC_ALL=C sort)

# Folders in ranks: a file may include its own folder and lower ranks.
# shellcheck disable=SC2086
report "includes point down" "$(awk '
BEGIN {
	rank["util"] = 1
	rank["stat"] = rank["arch"] = rank["record"] = 2
	rank["machine"] = 3
	rank["probe"] = rank["native"] = rank["result"] = 4
	rank["engine"] = rank["cl"] = rank["analyze"] = rank["figure"] = 5
	rank["job"] = 5
	rank["render"] = 6
	rank["cmd"] = 7
	rank["main"] = 8 # the files directly in src/
}
FNR == 1 {
	n = split(FILENAME, part, "/")
	from = n == 2 ? "main" : part[2]
	if (!(from in rank))
		print FILENAME ": a folder with no rank in this test"
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	path = quoted[2]
	where = FILENAME ":" FNR ": \"" path "\""
	if (path == "commands.h") {
		if (from != "cmd" && from != "main")
			print where " is for src/cmd and src/*.c"
		next
	}
	if (split(path, part, "/") < 2) {
		print where " is not written as folder/file.h"
		next
	}
	to = part[1]
	if (!(to in rank))
		print where " names a folder with no rank in this test"
	else if (to != from && rank[to] >= rank[from])
		print where " points up or sideways from " from
}
' $sources)"

# only HEADER_REGEX FOLDER_REGEX: who else includes such a header.
only()
{
	# shellcheck disable=SC2086
	grep -nE "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($1)[>\"]" \
		$sources | grep -vE "^src/($2)/"
}
report "hwloc is included by src/machine only" "$(only 'hwloc.*' machine)"
report "OpenCL is included by src/cl only" "$(only 'CL/.*' cl)"
report "jansson is included by src/record only" \
	"$(only 'jansson\.h' record)"
# shellcheck disable=SC2086
report "only src/record reads and prints JSON" "$(
	grep -nE 'json_(dump|load)|JSON_INDENT|[{,] *\\"[a-z_]+\\": *[%\\[{]' \
		$sources | grep -v '^src/record/'
)"

# shellcheck disable=SC2086
report "CPU affinity is read and set in src/machine only" "$(
	grep -nE '(sched_[gs]etaffinity|pthread_[gs]etaffinity_np|hwloc_[gs]et_cpubind) *\(' \
		$sources | grep -vE '^src/machine/'
)"

report "every fault can be planted" "$(tests/faults/run.sh --check)"

report "the name of a test case is a sentence without a prefix" "$(
	grep -nE '^static void (test_[a-z0-9_]*|[a-z0-9]*)\(void \*\*state' \
		tests/*/*.c | sed -E 's/\(void.*//'
)"
report "every script of tests/meta is a test" "$(
	for script in tests/meta/*.sh; do
		case ${script##*/} in
		changed.sh | clang.sh | tap.sh) continue ;;
		esac
		sed '/^extra_files =/,$d' sources.am | grep -qF "	$script" ||
			echo "$script: no list of tests has it; see ./sources"
	done
)"
report "no row of a table stands twice" "$(
	for table in src/commands.c src/probe/probe.h src/cl/tests.c; do
		sed -n -E 's/^[[:space:]]*ROW\(([a-z_]+)\).*/\1/p' \
			"$table" | LC_ALL=C sort | uniq -d
	done
)"

# What git knows as ours: in an archive what is built lies about.
files=$([ -e .git ] && git ls-files --cached --others --exclude-standard)
if [ -z "$files" ]; then
	skip "sources.am and text are clean" "this is not a git checkout"
	finish
	exit 0
fi
report "sources.am has every file" "$(
	found=$(./sources 2>&1 | diff sources.am - 2>&1) || {
		printf '%s\n' "$found"
		echo "run: ./sources >sources.am"
	}
)"

# What fuzzing begins with is broken on purpose.
# shellcheck disable=SC2086
texts=$(printf '%s\n' $files | grep -v '^tests/fuzz/corpus/' |
	xargs grep -I -l . --)

# shellcheck disable=SC2086
report "text files end with a newline" \
	"$(LC_ALL=C grep -L -z -P '\n\z' -- $texts)"
# shellcheck disable=SC2086
report "no line ends in a blank" "$(
	grep -nE '[[:blank:]]$' -- $texts /dev/null | grep -vE '^(data|tests/cases|tests/[a-z]+/(golden|data))/'
)"
# shellcheck disable=SC2086
report "no file names a place on one machine" "$(
	grep -nE '(^|[^[:alnum:]._-])[/](work|home|root)[/]' -- $texts /dev/null
)"
# shellcheck disable=SC2086
report "nothing is left to do in the text" "$(
	grep -nE '(^|[^[:alnum:]])(TO[D]O|FIX[M]E|XX[X])([^[:alnum:]]|$)' -- $texts /dev/null
)"

report "links in documents lead to files" "$(
	for document in *.md bench/*.md data/*.md; do
		[ -f "$document" ] || continue
		grep -oE '\]\([^)# ]+' "$document" | sed 's/^](//' |
			grep -vE '^https?://' |
			while read -r link; do
				[ -e "$(dirname "$document")/$link" ] ||
					echo "$document: $link"
			done
	done
)"

finish
