#!/bin/sh
# Formatters and analysers over the tree, one case each. Version 14 of the
# clang tools decides: other versions format and warn differently.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

# clang_tool NAME: the command for version 14 of it, or nothing.
clang_tool()
{
	for candidate in "$1-14" "$1"; do
		if "$candidate" --version 2>/dev/null |
			grep -qE 'version 14\.'; then
			echo "$candidate"
			return
		fi
	done
}

c_files=$(find src tests bench -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
units=$(find src tests bench -name '*.c' 2>/dev/null | LC_ALL=C sort)
scripts="bootstrap .ci/run tests/run tests/tally tests/coverage
$(find tests/meta data -name '*.sh') $(find tests completion -name '*.bats' -o \
	-name '*.bash' 2>/dev/null)"
flags="-std=c11 -D_GNU_SOURCE -include $builddir/config.h -I$srcdir/src
-I$builddir/src $TEST_CPPFLAGS"
jobs=$(nproc 2>/dev/null || echo 1)

tool=$(clang_tool clang-format)
if [ -z "$tool" ]; then
	skip clang-format "clang-format 14 is not installed"
else
	# shellcheck disable=SC2086
	report clang-format "$("$tool" --dry-run -Werror $c_files 2>&1)"
fi

tool=$(clang_tool clang-tidy)
if [ -z "$tool" ]; then
	skip clang-tidy "clang-tidy 14 is not installed"
else
	# analyzer.h redefines what util/error.c defines; that file goes alone.
	# Standard error only counts what was not shown.
	# shellcheck disable=SC2086
	report clang-tidy "$(
		printf '%s\n' $units | grep -vx src/util/error.c |
			xargs -P "$jobs" -I{} "$tool" --quiet {} -- $flags \
				-include tests/meta/analyzer.h 2>/dev/null ||
			echo "exit status $?"
		"$tool" --quiet src/util/error.c -- $flags 2>/dev/null ||
			echo "exit status $?"
	)"
fi

if ! command -v cppcheck >/dev/null; then
	skip cppcheck "cppcheck is not installed"
else
	# Libraries' headers are not at hand for it, so what it does not know
	# about them is no finding; nor is a string in a condition that is NULL
	# on other instruction sets.
	report cppcheck "$(cppcheck -q -j "$jobs" --std=c11 --inline-suppr \
		--enable=warning,performance,portability \
		--suppress=missingInclude --suppress=unknownMacro \
		--suppress=incorrectStringBooleanError \
		-D_GNU_SOURCE -D__x86_64__ -Isrc src bench 2>&1)"
fi

if ! command -v shellcheck >/dev/null; then
	skip shellcheck "shellcheck is not installed"
else
	# shellcheck disable=SC2086
	report shellcheck "$(shellcheck -x $scripts 2>&1)"
fi

if ! command -v mandoc >/dev/null; then
	skip "mandoc -T lint" "mandoc is not installed"
elif ! ls man/*.1 >/dev/null 2>&1; then
	skip "mandoc -T lint" "there is no manual page yet"
else
	# Which other manuals are installed is no property of the pages. What
	# mandoc says of its database, on standard error, would cut lines of
	# standard output in two.
	report "mandoc -T lint" "$(mandoc -T lint -W style man/*.1 2>/dev/null |
		grep -v 'referenced manual not found')"
fi

finish
