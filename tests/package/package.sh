#!/bin/sh
# The Debian packages, built from the archive: lintian has nothing to say, the
# installed files are enough to measure, and the spec file names what is there.
# "make check-package" runs this, with the archive made.
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
# The unit tests have run already, in this build and in others.
(cd "c2c-$version" && DEB_BUILD_OPTIONS="nocheck parallel=2" \
	dpkg-buildpackage -d -us -uc) >build.log 2>&1
report "dpkg-buildpackage builds the packages" \
	"$([ -f c2c-doc_"$version"_all.deb ] || tail -n 20 build.log)"

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

# What the spec file puts into packages, against what make installs.
report "c2c.spec names every installed file" "$(
	cd root/usr || exit
	# Debian's packages have a folder for zsh of their own.
	find . -type f | sed -e 's/^\.//' -e 's/\.gz$//' \
		-e 's/zsh\/vendor-completions/zsh\/site-functions/' |
		grep -v -e '^/share/doc/c2c/changelog' \
			-e '^/share/doc/c2c/copyright' -e '^/share/doc/c2c-doc/' \
			-e '^/lib/debug/' -e '^/share/doc/c2c-dbgsym' |
		while read -r file; do
			sed -n -e 's/%{_bindir}/\/bin/' \
				-e 's/%{_datadir}/\/share/' \
				-e 's/%{_mandir}/\/share\/man/' \
				-e 's/%{_docdir}/\/share\/doc/' \
				-e 's/^%doc \(\/\)/\1/' -e 's/^\//\//p' \
				"$srcdir/c2c.spec" |
				while read -r pattern; do
					# shellcheck disable=SC2254 # a pattern
					case $file in
					$pattern | ${pattern%/}/*) echo found ;;
					esac
				done | grep -q found || echo "not in c2c.spec: $file"
		done
)"

finish
