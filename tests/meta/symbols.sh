#!/bin/sh
# Rules of the compiled library: no file-scope data can change, and nothing below
# the commands prints or ends the program.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$builddir" || exit 99
# shellcheck source=tests/meta/tap.sh
. "$srcdir/tests/meta/tap.sh"

objects=$(find src -name '*.o' -not -name '*main.o' | LC_ALL=C sort)
[ -n "$objects" ] || {
	report "the library has objects" "none found in $builddir/src"
	finish
	exit 0
}

if [ "$MODE" != plain ]; then
	skip "no file-scope data can change" "a $MODE build adds its own"
	skip "nothing below the commands prints or exits" \
		"a $MODE build adds its own"
	finish
	exit 0
fi

# Data that may change, each with its reason:
# stop_requested, stop_requested_ns, saved_terminal: a signal handler has nothing
# else to reach. cli_section: every message and bar of a process is of that part.
allowed='^src/cmd/cli\.o: (stop_requested(_ns)?|saved_terminal|cli_section)$'

# Tables of pointers are const, but lie in .data.rel.ro until relocated.
# shellcheck disable=SC2086
report "no file-scope data can change" "$(
	objdump -t $objects 2>&1 | awk '
	/file format/ { object = $1; sub(/:$/, "", object); next }
	/^objdump: / { print; next }
	NF < 4 { next }
	$(NF - 2) ~ /^(\.t?(data|bss)(\..*)?|\*COM\*)$/ &&
		$(NF - 2) !~ /^\.data\.rel\.ro/ &&
		$NF !~ /^\.t?(data|bss)/ {
		sub(/\.[0-9]+$/, "", $NF)
		print object ": " $NF
	}' | grep -vE "$allowed"
)"

# The fortified and the C99 names of one function count as that function.
forbidden='printf|vprintf|puts|putchar|perror|stdout|stderr|exit|_exit|abort'
# util/child.c and cl/ahead.c end the children that they make.
# shellcheck disable=SC2086
report "nothing below the commands prints or exits" "$(
	nm -A -u $objects 2>&1 |
		sed -n -E -e '/^nm: /p' -e '/^src\/cmd\//d' \
			-e "s/^([^:]*): *U (__)?($forbidden)(_chk)?\$/\1: \3/p" |
		grep -vxE 'src/(util/child|cl/ahead)\.o: _exit'
)"

finish
