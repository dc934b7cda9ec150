#!/bin/sh
# In "make lint", not in "make check".
# Formatters and linters over what changed, one case each; with C2C_LINT=all over
# the tree.
# slow: with C2C_LINT=all clang-tidy reads 500 files.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

# shellcheck source=tests/meta/clang.sh
. tests/meta/clang.sh

c_files=$(find src tests bench examples -name '*.[ch]' 2>/dev/null | LC_ALL=C sort |
	to_lint)
scripts="bootstrap sources .ci/run tests/coverage tests/driver tests/one
tests/progress tests/run tests/tools
tests/tally tests/guest/init tests/guest/commands
$(find tests/faults tests/meta tests/guest tests/package man data -name '*.sh') $(find tests completion -name '*.bats' -o \
	-name '*.bash' 2>/dev/null)"
# shellcheck disable=SC2086 # a list
scripts=$(printf '%s\n' $scripts | to_lint)
jobs=$(nproc 2>/dev/null || echo 1)

tool=$(clang_tool clang-format)
if [ -z "$tool" ]; then
	skip "clang-format finds nothing" "clang-format is not installed"
else
	judge "clang-format finds nothing" "$tool" 14 "$(printf '%s\n' "$c_files" |
		xargs -r "$tool" --dry-run -Werror 2>&1 || echo "exit status $?")"
fi

# Everything but the static analyser, which is tests/meta/analyzer.sh. A dozen
# files a process: starting takes as long as one file.
tidy 'clang-tidy finds nothing' 12 '-clang-analyzer-*'

if ! command -v cppcheck >/dev/null; then
	skip "cppcheck finds nothing" "cppcheck is not installed"
else
	# cppcheck does not see the headers of libraries, so what it misses there
	# is no finding. Nor is a string in a condition that is NULL on other
	# instruction sets.
	judge "cppcheck finds nothing" cppcheck 2.10 "$(printf '%s\n' "$c_files" |
		grep -E '^(src|bench)/.*\.c$' | xargs -r cppcheck -q -j "$jobs" \
		--std=c11 --inline-suppr --enable=warning,performance,portability \
		--suppress=missingInclude --suppress=unknownMacro \
		--suppress=incorrectStringBooleanError \
		-D_GNU_SOURCE -D__x86_64__ -Isrc 2>&1 ||
		echo "exit status $?")"
fi

if ! command -v shellcheck >/dev/null; then
	skip "shellcheck finds nothing" "shellcheck is not installed"
else
	judge "shellcheck finds nothing" shellcheck 0.9 "$(
		printf '%s\n' "$scripts" | xargs -r shellcheck -x 2>&1 ||
			echo "exit status $?")"
fi

if ! command -v mandoc >/dev/null; then
	skip "mandoc -T lint finds nothing" "mandoc is not installed"
elif ! ls man/*.1 >/dev/null 2>&1; then
	skip "mandoc -T lint finds nothing" "there is no manual page yet"
else
	# Whether other manuals are installed does not matter. mandoc writes about
	# its database to standard error, in the middle of lines.
	said=$(mandoc -T lint -W style man/*.[157] 2>/dev/null)
	status=$?
	report "mandoc -T lint finds nothing" "$(printf '%s\n' "$said" |
		grep -v -e 'referenced manual not found' -e '^$'
		[ "$status" -le 4 ] || echo "exit status $status")"
fi

finish
