# Helpers for linters that use clang; sourced after tap.sh. They need version 14:
# other versions format and warn differently.
# shellcheck shell=sh

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

# tidy NAME FILES CHECKS: the case NAME runs clang-tidy over all C files, FILES a
# process, with CHECKS beside those of .clang-tidy.
tidy()
{
	tool=$(clang_tool clang-tidy)
	if [ -z "$tool" ]; then
		skip "$1" "clang-tidy 14 is not installed"
		return
	fi
	flags="-std=c11 -D_GNU_SOURCE -include ${builddir:?}/config.h"
	flags="$flags -I${srcdir:?}/src -I$builddir/src ${TEST_CPPFLAGS:-} ${more_flags:-}"
	# analyzer.h redefines what util/error.c defines; that file goes alone.
	# Standard error only counts what was not shown.
	# shellcheck disable=SC2016,SC2086
	report "$1" "$(
		find src tests bench -name '*.c' | LC_ALL=C sort |
			grep -vx src/util/error.c |
			xargs -P "$(nproc)" -n "$2" sh -c 'tool=$1 checks=$2
				flags=$3
				shift 3
				"$tool" --quiet --checks="$checks" "$@" -- \
					$flags -include tests/meta/analyzer.h' \
				sh "$tool" "$3" "$flags" 2>/dev/null ||
			echo "exit status $?"
		"$tool" --quiet --checks="$3" src/util/error.c -- $flags \
			2>/dev/null || echo "exit status $?"
	)"
}
