# Helpers for linters of C; sourced after tap.sh. Other versions of a linter format
# and warn differently: the pinned one, Debian 12's, decides, others warn.
# shellcheck shell=sh
# shellcheck source=tests/meta/changed.sh
. tests/meta/changed.sh

# clang_tool NAME: the command for version 14 of it, or for another, or nothing.
clang_tool()
{
	command -v "$1-14" || command -v "$1"
}

# judge NAME TOOL VERSION FINDINGS: report for the pinned version of the tool.
judge()
{
	found=$("$2" --version | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
	case $found in
	"$3" | "$3".*)
		report "$1" "$4"
		return
		;;
	esac
	[ -z "$4" ] || printf '%s\n' "$4" | sed 's/^/# warning: /'
	skip "$1" "${2##*/} $found is here, and version $3 decides"
}

# tidy NAME FILES CHECKS: the case NAME runs clang-tidy over C files, FILES a
# process, with CHECKS beside those of .clang-tidy. What clang itself warns about
# is a finding, too.
tidy()
{
	tool=$(clang_tool clang-tidy)
	if [ -z "$tool" ]; then
		skip "$1" "clang-tidy is not installed"
		return
	fi
	flags="-Wno-unknown-warning-option -std=c11 -D_GNU_SOURCE -include ${builddir:?}/config.h"
	flags="$flags -I${srcdir:?}/src -I$builddir/src ${LINT_CFLAGS:-} ${more_flags:-}"
	flags="$flags -DC2C_CASES_DIR=\"tests/cases\""
	# analyzer.h redefines what util/error.c defines; that file goes alone.
	# Standard error only counts what was not shown.
	# shellcheck disable=SC2016,SC2086
	judge "$1" "$tool" 14 "$(
		find src tests bench -name '*.c' | LC_ALL=C sort | to_lint |
			grep -vx src/util/error.c |
			xargs -r -P "$(nproc)" -n "$2" sh -c 'tool=$1 checks=$2
				flags=$3
				shift 3
				"$tool" --quiet --checks="$checks" "$@" -- \
					$flags -include tests/meta/analyzer.h' \
				sh "$tool" "$3" "$flags" 2>/dev/null ||
			echo "exit status $?"
		echo src/util/error.c | to_lint |
			xargs -r sh -c 'tool=$1 checks=$2 flags=$3
				"$tool" --quiet --checks="$checks" "$4" -- \
					$flags' sh "$tool" "$3" "$flags" \
				2>/dev/null || echo "exit status $?"
	)"
}
