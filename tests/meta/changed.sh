# Which files the linters look at; sourced in srcdir.
# shellcheck shell=sh

# Those that differ from where this branch left origin/main, as they lie in the
# folder.
differing()
{
	base=$(git merge-base HEAD origin/main 2>/dev/null) || base=HEAD
	git diff --name-only --diff-filter=d "$base"
	git ls-files --others --exclude-standard
}

# The ten that changed last.
latest()
{
	git log --name-only --format= | awk '!seen[$0]++' |
		while read -r file; do
			[ ! -f "$file" ] || echo "$file"
		done | head -n 10
}

# Those of the standard input that are to be linted: what differs, or what changed
# last where nothing does, as in a fresh clone; each with C2C_LINT=all, outside of
# a checkout, and where a rule of the linters differs. With a header goes the
# first source file that includes it.
to_lint()
{
	if [ "${C2C_LINT:-}" = all ] || ! git rev-parse HEAD >/dev/null 2>&1; then
		cat
		return
	fi
	changed=$(differing)
	rules='\.clang-(format|tidy)|tests/meta/(analyzer|changed|clang|lint)\.(h|sh)'
	if printf '%s\n' "$changed" | grep -qxE "$rules"; then
		cat
		return
	fi
	[ -n "$changed" ] || changed=$(latest)
	users=$(printf '%s\n' "$changed" | sed -n 's|^src/\(.*\.h\)$|\1|p' |
		while read -r header; do
			grep -rlF --include='*.c' "\"$header\"" src | head -n 1
		done)
	grep -xF "$changed
$users" || true
}
