#!/bin/sh
# In "make check-package", not in "make check".
# The packages, built from the archive: lintian and rpmlint have nothing to say,
# and the installed files are enough to measure.
# The archive is made before.
# slow: each package compiles c2c anew.
set -u
: "${srcdir:?}" "${builddir:?}" "${ARCHIVE:?}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/meta/tap.sh
. "$srcdir/tests/meta/tap.sh"

place=$builddir/package
rm -rf "$place"
mkdir -p "$place" || exit 99
archive=$(cd "$builddir" && pwd)/$ARCHIVE
cd "$place" || exit 99

if ! command -v dpkg-buildpackage >/dev/null; then
	skip "the packages" "dpkg-buildpackage is missing: install debhelper, dpkg-dev and lintian"
	finish
	exit 0
fi

# The names differ only in the number of a version: one of each is right.
version=${ARCHIVE#c2c-}
version=${version%.tar.gz}
report "all files name the version $version" "$(
	[ "$(dpkg-parsechangelog -l "$srcdir/debian/changelog" -S Version)" = \
		"$version" ] || echo "debian/changelog has another"
	grep -qx "Version: *$version" "$srcdir/c2c.spec" ||
		echo "c2c.spec has another"
	head -n 1 "$srcdir/NEWS" | grep -q "^c2c $version\\b" ||
		echo "NEWS has another"
)"

tar xf "$archive" || exit 99
# The unit tests have run already, in this build and in others. The make that
# runs this would lend no job, and make would warn of it. Nobody fetches these
# packages: how well they are compressed does not matter.
(cd "c2c-$version" && env -u MAKEFLAGS \
	DEB_BUILD_OPTIONS="nocheck parallel=2" DPKG_DEB_COMPRESSOR_LEVEL=1 \
	dpkg-buildpackage -d -us -uc --source-option=-z1) >build.log 2>&1
report "dpkg-buildpackage builds the packages" \
	"$([ -f c2c-doc_"$version"_all.deb ] || tail -n 20 build.log)"

# Debian's flags find what a build of ours does not.
report "compiler and linker warn about nothing" \
	"$(grep -E '(:[0-9]+|ld): warning:' build.log)"

report "lintian has nothing to say" "$(
	lintian --allow-root --fail-on error,warning ./*.changes ./*.dsc 2>&1 ||
		echo "exit status $?"
)"

mkdir root
for package in ./*.deb; do
	dpkg-deb -x "$package" root
done

# The files of the package, and no others: not this build folder's, not those of
# an installed c2c.
mkdir measured
(cd measured && PATH=$place/root/usr/bin:$PATH AUTOPKGTEST_TMP=. \
	sh "../c2c-$version/debian/tests/measure") >measure.log 2>&1
status=$?
report "the installed c2c measures, draws and reads" \
	"$([ "$status" -eq 0 ] || tail -n 20 measure.log)"

# The RPM packages, from the same build: only the folder of zsh is another. That
# fails if the spec file names a file that is not installed, or lacks one.
pack() # OPTION...
{
	MAKEFLAGS='zshcompletiondir=/usr/share/zsh/site-functions' rpmbuild \
		--short-circuit --nocheck --nodeps --define "_topdir $place/rpm" \
		--define "_builddir $place" --define 'debug_package %{nil}' \
		"$@" "$srcdir/c2c.spec"
}
{ pack -bi && pack -bb; } >rpm.log 2>&1
status=$?
report "rpmbuild packs every installed file" \
	"$([ "$status" -eq 0 ] || grep -A 20 '^error:\|^RPM build' rpm.log ||
		tail -n 20 rpm.log)"
report "rpmlint has nothing to say" "$(
	rpmlint -r "$srcdir/c2c.rpmlintrc" "$srcdir/c2c.spec" \
		rpm/RPMS/*/*.rpm >rpmlint.log 2>&1
	grep -q ' 0 errors, 0 warnings' rpmlint.log || cat rpmlint.log
)"

finish
