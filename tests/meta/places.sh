#!/bin/sh
# Whatever is registered has what somebody has to write for it. A command has
# three places: its row, its source file and its page. A latency method, a probe,
# a test of c2c cl, a kind of picture and a stored record have a row, a file and
# their part of a page. Each has a test. All else is made from these: lists of
# files (./sources), tables of pages (make manuals), and what shells complete
# (completion.bats). "Where to add things" in ARCHITECTURE.md says the same.
set -u
: "${srcdir:?}" "${C2C:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

# The names in rows "ROW(PREFIX_NAME)" of tables.
rows_of() # PREFIX TABLE...
{
	prefix=$1
	shift
	sed -n -E "s/^[[:space:]]*ROW\(${prefix}_([a-z0-9_]+)\).*/\1/p" "$@"
}

# The names of such structs in files, whether a table has them or not.
defined() # TYPE PREFIX FILE...
{
	type=$1
	prefix=$2
	shift 2
	sed -n -E "s/^const struct $type ${prefix}_([a-z0-9_]+) = .*/\1/p" "$@"
}
unregistered() # TYPE PREFIX TABLE FILE...
{
	type=$1
	prefix=$2
	table=$3
	shift 3
	rows=$(rows_of "$prefix" "$table")
	for name in $(defined "$type" "$prefix" "$@"); do
		printf '%s\n' "$rows" | grep -qxF -- "$name" ||
			echo "$name: no row in $table"
	done
}

# Each place says what is missing there, or nothing.
file() # NAME FILE
{
	[ -f "$2" ] || echo "$1: no file $2"
}
text() # NAME FILE REGEX
{
	grep -qE -- "$3" "$2" 2>/dev/null || echo "$1: not in $2"
}
some_test() # NAME REGEX FILE...
{
	name=$1
	regex=$2
	shift 2
	grep -qE -- "$regex" "$@" 2>/dev/null || echo "$name: no test in $*"
}
help_of()
{
	"$C2C" "$@" --help=rows
}
in_help() # NAME REGEX WORD...
{
	name=$1
	regex=$2
	shift 2
	help_of "$@" | grep -qE -- "$regex" || echo "$name: not in c2c $* --help"
}

# places NAMES FUNCTION: the findings of FUNCTION for each name.
places()
{
	[ -n "$1" ] || echo "nothing is registered"
	for each in $1; do
		"$2" "$each"
	done
}

commands=$(rows_of cmd src/commands.c)
source_of_command()
{
	if [ -d "src/cmd/$1" ]; then
		echo "src/cmd/$1/cmd_$1.c"
	else
		echo "src/cmd/cmd_$1.c"
	fi
}
command_places()
{
	file "$1" "$(source_of_command "$1")"
	file "$1" "man/c2c-$1.1"
}
report "every command is in its three places" "$(
	# shellcheck disable=SC2046
	unregistered command cmd src/commands.c $(find src/cmd -name '*.c')
	places "$commands" command_places
)"
command_tests()
{
	[ -d "tests/cases/$1" ] || file "$1" "tests/cli/$1.bats"
}
report "every command has a test" "$(places "$commands" command_tests)"

# Those that measure between CPUs use cmd/measure.
measuring=$(for name in $commands; do
	grep -rqF '"cmd/measure/measure.h"' "src/cmd/$name" "src/cmd/cmd_$name.c" \
		2>/dev/null && echo "$name"
done)
measuring_tests()
{
	some_test "$1" "^@test \"c2c $1 " tests/cli/smoke.bats
	text "$1" "man/c2c-$1.1" '^\.Bl -diag'
}
report "every measuring command runs on the real CPUs, and its page has messages" \
	"$(places "$measuring" measuring_tests)"

# A latency method has the name of its probe, with hyphens.
methods=$(rows_of probe src/probe/probe.h | tr _ -)
method_places()
{
	file "$1" "src/probe/probe_$(echo "$1" | tr - _).c"
	text "$1" man/c2c-latency.1 "^\.It Cm $1\$"
	some_test "$1" "(--method|method in .*) *$1( |;|\$)| $1[ ;]" \
		tests/cli/latency.bats tests/cli/smoke.bats
}
# The option's words are places in the table.
report "every latency method is in its places" "$(
	places "$methods" method_places
	words=$(printf '%s' "$methods" | tr '\n' '|')
	in_help "$words, in the order of src/probe/probe.h" \
		"--method=$(printf '%s' "$words" | sed 's/|/[|]/g')([^|a-z-]|\$)" \
		latency
)"

# A probe is a method, or its command or a probe of this names it, and a test of
# its own does.
probes=$(defined probe probe src/probe/*.c)
probe_places()
{
	rows_of probe src/probe/probe.h | grep -qxF -- "$1" && return
	grep -rE "&probe_$1([^a-z0-9_]|\$)" src/cmd src/probe |
		grep -qv "^src/probe/probe_$1\.c:" ||
		echo "$1: no method of latency, and no command uses it"
	some_test "$1" "&probe_$1([^a-z0-9_]|\$)" tests/hw/*.c
}
report "every probe is in its places" "$(places "$probes" probe_places)"

tests=$(rows_of test src/cl/tests.c)
cl_test_places()
{
	[ -n "$(find src/cl -name "$1.c")" ] || echo "$1: no $1.c in src/cl"
	text "$1" man/c2c-cl.1 \
		"^\.Sh $(echo "$1" | tr '[:lower:]' '[:upper:]')( [A-Z]+)?\$"
	# Most cases ask one record of all tests.
	some_test "$1" "(^|[^a-z_])$1([^a-z]|\$)" tests/cli/cl*.bats
}
report "every test of c2c cl is in its places" "$(
	# shellcheck disable=SC2046
	unregistered test test src/cl/tests.c $(find src/cl -name '*.c')
	places "$tests" cl_test_places
)"

# A script of gnuplot is told, and run by a test.
scripts=$(find plots -name '*.gp' -exec basename {} .gp ';' | LC_ALL=C sort)
script_places()
{
	text "$1" man/c2c-plot.1 "gnuplot .-c $1\.gp"
	text "$1" man/c2c-plot.1 "^\.It Pa .*/plots/$1\.gp"
	some_test "$1" "plots/$1\.gp" tests/cli/plot.bats
}
report "every script of gnuplot is in its places" \
	"$(places "$scripts" script_places)"

# The row of a record in the gallery has a picture of that record.
record_places()
{
	case $1 in
	*-cl-all) picture="${1%all}[a-z]+" ;;
	*) picture=$1 ;;
	esac
	text "$1" data/README.md "^\\| <a href=\"($picture\\.png)\"><img src=\"\\1\" .*\\| \\*\\*\\[$1\\.json\\]\\($1\\.json\\)\\*\\*"
}
report "every stored record has its own picture in the gallery" "$(
	places "$(find data -name '*.json' | sed 's|.*/||; s|\.json$||')" \
		record_places
)"

finish
