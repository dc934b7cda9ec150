#!/bin/sh
# What manual pages have of the tables of the program: the commands, the tests
# of c2c cl, and the keys of records. "tables.sh PAGE" prints a page with what the
# program has now, "tables.sh --accept" writes those that changed, and the schema.
# In a page it stands between a line ".\" By "make manuals": WHAT" and a line
# ".\" End.".
set -u
: "${srcdir:?}" "${C2C:?}"

# "NAME SUMMARY" of each row of a table in a help, below the line HEAD.
rows() # HEAD [COMMAND]
{
	head=$1
	shift
	"$C2C" "$@" --help=rows |
		sed -n "/$head/,/^\$/s/^  \([^ ]*\)  */\1 /p"
}

page() # PAGE
{
	{
		rows '^Commands:' | sed 's/^/command /'
		rows ' TEST is one of:' cl | sed 's/^/test /'
		"$C2C" --schema | jq -r -f "$srcdir/man/keys.jq" |
			fold -s -w 80 | sed 's/ $//; s/^/key /'
	} | awk '
	FNR == 1 { file++ }
	file == 1 {
		name[$1, ++n[$1]] = $2
		line_of[$1, n[$1]] = substr($0, length($1) + 2)
		summary[$1, n[$1]] = substr($0, length($1 $2) + 3)
		next
	}
	/^\.\\" End\.$/ { inside = 0 }
	!inside { print }
	!/^\.\\" By "make manuals": / { next }
	# A c2c without OpenCL has no tests.
	{ inside = !/ tests$/ || n["test"] }
	!inside { next }
	/: commands$/ {
		for (i = 1; i <= n["command"]; i++) {
			print ".It Cm " name["command", i]
			print summary["command", i]
			print ".Pq see Xr c2c-" name["command", i] " 1"
		}
	}
	/: pages of the commands$/ {
		for (i = 1; i <= n["command"]; i++)
			print ".Xr c2c-" name["command", i] " 1 ," | "LC_ALL=C sort"
		close("LC_ALL=C sort")
	}
	/: names of the tests$/ {
		for (i = 2; i <= n["test"]; i++)
			line = line (i > 2 ? " | " : "") name["test", i]
		print ".Cm " line
	}
	/: tests$/ {
		for (i = 2; i < n["test"]; i++)
			print ".It Cm " name["test", i] " Ta " summary["test", i]
	}
	/: keys$/ {
		for (i = 1; i <= n["key"]; i++)
			print line_of["key", i]
	}
	END { exit !n["command"] || inside }' - "$1"
}

if [ "$1" != --accept ]; then
	page "$1"
	exit
fi
scratch=$(mktemp) || exit 99
trap 'rm "$scratch"' EXIT
for path in "$srcdir"/man/*.[15]; do
	page "$path" >"$scratch" || exit
	cmp -s "$scratch" "$path" && continue
	echo "$path"
	cp "$scratch" "$path" || exit
done
path=$srcdir/schema/c2c.schema.json
"$C2C" --schema >"$scratch" || exit
cmp -s "$scratch" "$path" || {
	echo "$path"
	cp "$scratch" "$path"
}
