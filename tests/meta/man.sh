#!/bin/sh
# Manual pages and --help agree: the same options with the same sentences, and
# the same tables. The options are those that man/options.sh makes, the tables
# those of man/tables.sh.
set -u
: "${srcdir:?}" "${C2C:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

if ! command -v mandoc >/dev/null; then
	echo "1..0 # SKIP mandoc is not installed"
	exit 0
fi

# A page as plain text in lines that hold whole paragraphs.
plain()
{
	mandoc -T ascii -O width=1000 "$1" | sed "s/.$(printf '\b')//g"
}

# "HEADER SENTENCE" of every option, a line each, sorted. An option's text in
# a page ends at the first empty line: what follows may explain further.
options_of_page()
{
	plain "$1" | awk '
	/^ +-/ { if (option != "") print option; option = ""; open = 1 }
	/^ *$/ { if (option != "") print option; option = ""; open = 0 }
	open { $1 = $1; option = option == "" ? $0 : option " " $0 }
	END { if (option != "") print option }' | LC_ALL=C sort
}

help_of() # [COMMAND]
{
	"$C2C" "$@" --help=rows
}

options_of_help()
{
	help_of "$@" | sed -n -E 's/^ +(-.*)$/\1/p' | tr -s ' ' |
		sed 's/ $//' | LC_ALL=C sort
}

# differences PAGE [COMMAND]
differences()
{
	page=$1
	shift
	scratch=$(mktemp -d) || exit 99
	options_of_page "$page" >"$scratch/page"
	options_of_help "$@" >"$scratch/help"
	[ -s "$scratch/help" ] || echo "no option in c2c $* --help"
	LC_ALL=C comm -23 "$scratch/help" "$scratch/page" |
		sed 's/^/only in --help: /'
	LC_ALL=C comm -13 "$scratch/help" "$scratch/page" |
		sed 's/^/only in the page: /'
	rm -r "$scratch"
}

# Lines of the help that are too long, or not where options or their text begin.
misplaced() # COMMAND
{
	"$C2C" "$1" --help=all | awk '
	BEGIN { margin = sprintf("%29s", "") }
	length > 80 { print "too long: " $0 }
	/^ [^ -].*:$/ { open = 1; next }
	blank && /^[^ ]/ { open = 0 }
	{ blank = /^$/ }
	!open || /^$/ || /^  (-.,|   ) --[a-z]/ { next }
	index($0, margin) != 1 || substr($0, 30, 1) == " " { print }'
}

# What make manuals would change in a page, or why it cannot.
stale() # COMMAND
{
	scratch=$(mktemp) || exit 99
	srcdir=. sh man/options.sh "$1" >"$scratch" &&
		diff "man/c2c-$1.1" "$scratch"
	rm "$scratch"
}

commands=$(help_of | sed -n '/^Commands:/,/^$/s/^  \([^ ]*\) .*/\1/p')

# Of each warning about a run the longest words of its first clause that are
# always the same.
warnings()
{
	awk '
	/(campaign_warn|[^_]warn)\((campaign|merged|&run->campaign),/ { open = 1; text = "" }
	open {
		while (match($0, /"([^"\\]|\\.)*"/)) {
			text = text substr($0, RSTART + 1, RLENGTH - 2)
			$0 = substr($0, RSTART + RLENGTH)
		}
	}
	open && /;$/ {
		open = 0
		sub(/[:;,(].*/, "", text)
		longest = ""
		n = split(text, parts, /%[-+#0-9.]*[lzh]*[a-zA-Z%]|[+]/)
		for (; n > 0; n--)
			if (length(parts[n]) > length(longest))
				longest = parts[n]
		if (longest != "") print longest
	}' src/engine/*.c src/cmd/measure/*.c
}

# Pages of copies have what concerns regions alone.
report "each warning about a run is in DIAGNOSTICS" "$(
	[ "$(warnings | wc -l)" -ge 20 ] || echo "hardly a warning in src"
	warnings | while read -r words; do
		sed -n '/^.Sh DIAGNOSTICS/,/^.Sh SEE/s/^.It //p' \
			man/c2c-latency.1 man/c2c-memcpy.1 |
			grep -qF -- "$words" || echo "in neither page: $words"
	done
)"
# A macro on a line of another quotes the rest: ".Dq one , Dq two".
report "no page quotes within quotes" "$(
	for page in man/*.[157]; do
		plain "$page" | grep -n '""' | sed "s|^|$page: |"
	done
)"
# Its own words stand in macros "It Sy", and each once.
glossary=$(sed -n 's/^\.It Sy //p' man/c2c-glossary.7)
report "c2c-glossary.7 has each word once, and the other texts use it" "$(
	[ "$(printf '%s\n' "$glossary" | wc -l)" -ge 40 ] ||
		echo "hardly a word in the glossary"
	printf '%s\n' "$glossary" | tr '[:upper:]' '[:lower:]' |
		LC_ALL=C sort | uniq -d | sed 's/^/twice: /'
	texts=$(cat man/*.1 README.md ARCHITECTURE.md | tr -s '\n' ' ')
	printf '%s\n' "$glossary" | while read -r word; do
		printf '%s\n' "$texts" | grep -qiE -- "(^|[^a-z])$word" ||
			echo "nowhere else: $word"
	done
)"
report "the documents lead to c2c-glossary.7" "$(
	for page in README.md ARCHITECTURE.md man/c2c.1; do
		grep -qE 'c2c-glossary(\.7| 7)' "$page" ||
			echo "not in $page"
	done
)"
report "c2c.1 has the options of c2c --help" "$(differences man/c2c.1)"
report "pages have the marks of make manuals" "$(
	for mark in 'c2c-record.5 keys' 'c2c.1 commands' 'c2c.1 pages of the commands' \
		'c2c-cl.1 names of the tests' 'c2c-cl.1 tests'; do
		grep -qxF ".\\\" By \"make manuals\": ${mark#* }" \
			"man/${mark%% *}" || echo "$mark"
	done
)"
report "pages have the tables of the program" "$(
	for page in man/*.[15]; do
		found=$(sh man/tables.sh "$page" | diff "$page" - 2>&1) || {
			printf '%s: %s\n' "$page" "$found"
			echo "run: make manuals"
		}
	done
)"
report "schema/c2c.schema.json is what c2c --schema prints" "$(
	"$C2C" --schema | diff schema/c2c.schema.json - ||
		echo "run: make manuals"
)"
[ -n "$commands" ] || report "there are commands" "none in c2c --help"
for name in $commands; do
	report "c2c-$name.1 has the options of c2c $name --help" \
		"$(differences "man/c2c-$name.1" "$name")"
	report "c2c $name --help keeps its columns" "$(misplaced "$name")"
	report "c2c-$name.1 is what make manuals writes" "$(stale "$name" 2>&1)"
done

finish
