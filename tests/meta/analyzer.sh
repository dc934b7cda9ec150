#!/bin/sh
# clang's static analyser over the tree. It takes minutes: make analyzer.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh
# shellcheck source=tests/meta/clang.sh
. tests/meta/clang.sh

# A file a process: that of version 14 knows va_start() in the first one only.
tidy "clang's static analyser" 1 \
	'-bugprone-*,-cert-*,-misc-*,-performance-*,-portability-*,-readability-*'

finish
