#!/bin/sh
# Every source file compiles with musl, and for AArch64. Debian has musl and no
# library that is built with it, nor argp-standalone: so the headers of the
# libraries are those for glibc, with what argp.h wants of glibc, and nothing is
# linked. Headers of musl serve for AArch64 too, where clang also assembles.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

machine=$(gcc -dumpmachine)

compile() # COMPILER...
{
	find src -name '*.c' | LC_ALL=C sort |
		xargs -P "$(nproc)" -n 1 "$@" -std=c11 \
			-D_GNU_SOURCE -include "$builddir/config.h" -Isrc \
			"-I$builddir/src" '-DC2C_PLOTS_DIR=""' -Wall -Wextra \
			-Werror -D__BEGIN_DECLS= -D__END_DECLS= -D__THROW= \
			'-D__NTH(call)=call' '-D__GNUC_PREREQ(a,b)=1' \
			-idirafter /usr/include \
			-idirafter "/usr/include/$machine" 2>&1 ||
		echo "exit status $?"
}

if ! command -v musl-gcc >/dev/null; then
	skip "musl compiles every source file" "musl-tools is not installed"
	skip "clang compiles every source file for AArch64" \
		"its headers are those of musl-tools"
	finish
	exit 0
fi
report "musl compiles every source file" "$(compile musl-gcc -fsyntax-only)"
report "clang compiles every source file for AArch64" "$(
	compile clang --target=aarch64-linux-musl -c -o /dev/null -nostdlibinc \
		-isystem "/usr/include/${machine%gnu}musl"
)"

finish
