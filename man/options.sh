#!/bin/sh
# The manual page of a command with the options that the command has now:
# options.sh NAME prints it, options.sh --accept writes those that changed.
set -u
: "${srcdir:?}" "${C2C:?}"
scratch=$(mktemp -d) || exit 99
trap 'rm -r "$scratch"' EXIT

page() # NAME
{
	"$C2C" "$1" --help=rows \
		>"$scratch/help" &&
		"$C2C" "$1" --help=more >"$scratch/more" &&
		LC_ALL=C awk -f "$srcdir/man/options.awk" \
			part=help "$scratch/help" part=more "$scratch/more" \
			part=page "$srcdir/man/c2c-$1.1"
}

if [ "$1" != --accept ]; then
	page "$1"
	exit
fi
for path in "$srcdir"/man/c2c-*.1; do
	name=${path##*/c2c-}
	page "${name%.1}" >"$scratch/page" || exit
	cmp -s "$scratch/page" "$path" && continue
	echo "$path"
	cp "$scratch/page" "$path" || exit
done
