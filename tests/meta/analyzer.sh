#!/bin/sh
# clang's static analyser over the tree. It takes minutes: make analyzer.
set -u
: "${srcdir:?}" "${builddir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh
# shellcheck source=tests/meta/clang.sh
. tests/meta/clang.sh

tidy "clang's static analyser" \
	'-bugprone-*,-cert-*,-misc-*,-performance-*,-portability-*,-readability-*'

finish
