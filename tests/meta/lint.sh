#!/bin/sh
# Formatters and analysers over the tree, one case each. Version 14 of the
# clang tools decides: other versions format and warn differently.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

# shellcheck source=tests/meta/clang.sh
. tests/meta/clang.sh

c_files=$(find src tests bench -name '*.[ch]' 2>/dev/null | LC_ALL=C sort)
scripts="bootstrap .ci/run tests/coverage tests/driver tests/progress tests/run
tests/tally
$(find tests/meta data -name '*.sh') $(find tests completion -name '*.bats' -o \
	-name '*.bash' 2>/dev/null)"
jobs=$(nproc 2>/dev/null || echo 1)

tool=$(clang_tool clang-format)
if [ -z "$tool" ]; then
	skip clang-format "clang-format 14 is not installed"
else
	# shellcheck disable=SC2086
	report clang-format "$("$tool" --dry-run -Werror $c_files 2>&1 ||
		echo "exit status $?")"
fi

# All but the static analyser, which is tests/meta/analyzer.sh.
# A dozen files a process: it takes as long to start as to look at one.
tidy clang-tidy 12 '-clang-analyzer-*'

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
		-D_GNU_SOURCE -D__x86_64__ -Isrc src bench 2>&1 ||
		echo "exit status $?")"
fi

if ! command -v shellcheck >/dev/null; then
	skip shellcheck "shellcheck is not installed"
else
	# shellcheck disable=SC2086
	report shellcheck "$(shellcheck -x $scripts 2>&1 ||
		echo "exit status $?")"
fi

if ! command -v mandoc >/dev/null; then
	skip "mandoc -T lint" "mandoc is not installed"
elif ! ls man/*.1 >/dev/null 2>&1; then
	skip "mandoc -T lint" "there is no manual page yet"
else
	# Which other manuals are installed is no property of the pages. What
	# mandoc says of its database, on standard error, would cut lines of
	# standard output in two.
	said=$(mandoc -T lint -W style man/*.1 2>/dev/null)
	status=$?
	report "mandoc -T lint" "$(printf '%s\n' "$said" |
		grep -v -e 'referenced manual not found' -e '^$'
		[ "$status" -le 4 ] || echo "exit status $status")"
fi

finish
