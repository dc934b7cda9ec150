#!/bin/sh
# In "make analyzer", not in "make check".
# clang's static analyser over the tree.
# slow: it follows the paths through each function.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh
# shellcheck source=tests/meta/clang.sh
. tests/meta/clang.sh

# A third of the usual states of a function, as in clang's shallow mode: all take
# three times as long.
more_flags='-Xclang -analyzer-config -Xclang max-nodes=75000'
# One file a process: version 14 knows va_start() in the first file only.
tidy "clang's static analyser finds nothing" 1 \
	'-bugprone-*,-cert-*,-misc-*,-performance-*,-portability-*,-readability-*'

finish
