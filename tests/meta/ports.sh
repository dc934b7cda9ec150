#!/bin/sh
# In "make analyzer", not in "make check".
# Every source file compiles with musl, and for AArch64. Debian has musl and no
# library that is built with it: so the headers of the libraries are those for
# glibc, and nothing is linked. Headers of musl serve for AArch64 too, where
# clang also assembles.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

machine=$(gcc -dumpmachine)
headers=/usr/include/${machine%gnu}musl

# compile OPTION...: clang starts a process for each file that it is given, and
# one that takes as many as -Xclang hands on.
compile()
{
	# shellcheck disable=SC2046
	clang "$@" -o /dev/null -nostdlibinc -isystem "$headers" -std=c11 \
		-D_GNU_SOURCE -include "$builddir/config.h" -Isrc \
		"-I$builddir/src" -Wall -Wextra -Werror \
		-idirafter /usr/include -idirafter "/usr/include/$machine" \
		src/main.c $(find src -name '*.c' ! -path src/main.c |
			LC_ALL=C sort | sed 's/^/-Xclang /') 2>&1 ||
		echo "exit status $?"
}

if [ ! -d "$headers" ]; then
	skip "every source file compiles with musl" "musl-tools is not installed"
	skip "every source file compiles for AArch64" \
		"its headers are those of musl-tools"
	finish
	exit 0
fi
report "every source file compiles with musl" "$(compile -fsyntax-only)"
report "every source file compiles for AArch64" \
	"$(compile -c --target=aarch64-linux-musl)"

finish
