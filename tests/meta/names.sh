#!/bin/sh
# Names that lead somewhere: one file to a stem, one definition to a name.
set -u
: "${srcdir:?}"
cd "$srcdir" || exit 99
# shellcheck source=tests/meta/tap.sh
. tests/meta/tap.sh

# Files that stand in for each other define the same functions, and a build has
# one of them: an instruction set, and c2c without OpenCL.
sources=$(find src -name '*.[ch]' ! -path 'src/arch/*' \
	! -path src/cl/absent.c | LC_ALL=C sort)

# Rows "FILE KIND NAME", KIND being function or tag. The formatter puts what
# begins a definition into the first column, and the brace of a function.
# shellcheck disable=SC2086
definitions=$(awk '
function function_in(text)
{
	gsub(/__attribute__ *\(\([^)]*\)*\)\)/, "", text)
	if (text ~ /=/ || !match(text, /[a-z_0-9]+\(/))
		return ""
	return substr(text, RSTART, RLENGTH - 1)
}
FNR == 1 { text = "" }
/^[A-Za-z_]/ { text = "" }
/^((static|const) )*(struct|union|enum) [a-z_0-9]+ \{$/ {
	print FILENAME, "tag", $(NF - 1)
}
/^\{$/ {
	name = function_in(text)
	if (name != "")
		print FILENAME, "function", name
}
{ text = text " " $0 }
' $sources)

# Names of that kind which several files define, and where.
shared() # KIND
{
	printf '%s\n' "$definitions" | awk -v kind="$1" '
	$2 == kind && !(($1, $3) in seen) {
		seen[$1, $3] = 1
		count[$3]++
		files[$3] = files[$3] " " $1
	}
	END {
		for (name in count)
			if (count[name] > 1)
				print name ":" files[name]
	}' | LC_ALL=C sort
}

found=$(printf '%s\n' "$definitions" | grep -c ' function ')
report "functions are found" \
	"$([ "$found" -gt 2000 ] || echo "only $found functions found")"
report "a function name is defined in one file" "$(shared function)"
report "a struct, union or enum is defined in one file" "$(shared tag)"

# A header, a kernel and a script stand beside their source.
report "no two files of src/ have one stem" "$(
	find src -type f ! -name '.*' | LC_ALL=C sort | awk '
	{
		stem = $0
		sub(/\.[a-z0-9]+$/, "", stem)
		name = stem
		sub(/.*\//, "", name)
		if (name in first && first[name] != stem)
			print name ": " first[name] " and " stem
		else
			first[name] = stem
	}'
)"

report "less than 4 % of the functions have a name of one word" "$(
	printf '%s\n' "$definitions" | awk -v limit=4 '
	$2 == "function" {
		n++
		if ($3 !~ /_/) {
			short++
			list = list "\n" $1 ": " $3
		}
	}
	END {
		if (short * 100 >= n * limit)
			print short " of " n ":" list
	}'
)"

finish
