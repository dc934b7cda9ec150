#!/usr/bin/env bats
# The machine code of the timed loops, and what depends on the instruction set.
#
# bats and helpers.bash set what seems unset (SC2154).
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

# The code of each timed function, in a file of its name.
setup_file()
{
	[ "$(uname -m) ${MODE:-plain}" = "x86_64 plain" ] || return 0
	objdump -d --no-show-raw-insn "$C2C" |
		awk -v folder="$BATS_FILE_TMPDIR/" '
		/^[0-9a-f]+ <(chase|rate|wait)_[a-z0-9_]+>:$/ {
			into = folder substr($2, 2, length($2) - 3)
		}
		NF == 0 && into { close(into); into = "" }
		into { print >into }'
}

setup()
{
	enter_folder
}

# Reads the code of a plain build for x86-64.
need_plain_x86()
{
	[ "$(uname -m)" = x86_64 ] || skip "code of $(uname -m) is not read here"
	[ "${MODE:-plain}" = plain ] || skip "a $MODE build adds its own"
}

# loop FUNCTION: the instructions of its innermost loop, one a line, without the
# registers' names.
loop()
{
	awk '
	NR > 1 {
		at = $1
		sub(/:$/, "", at)
		n++
		address[at] = n
		line[n] = $2 " " $3
		if ($2 ~ /^j/ && ($3 in address)) {
			for (i = address[$3]; i <= n; i++)
				print line[i]
			exit
		}
	}' "$BATS_FILE_TMPDIR/$1" | sed -E 's/%r[a-z0-9]+|%e[a-z]+/R/g'
}

# only LOADS STORES FUNCTION: its loop has this many loads and stores, and
# otherwise only counts its turns.
only()
{
	loop "$3" >code
	grep -c '^mov (R),R$' code | grep -qx "$1"
	[ "$(grep -c '^mov R,(R)$' code)" -eq "$2" ]
	# Moves between registers aside, what is left counts, tests and jumps.
	grep -vE '^mov (\(R\),R|R,\(R\)|R,R)$' code >rest
	[ "$(wc -l <rest)" -le 3 ]
	! grep -vE '^(sub|add|dec|test|cmp|jne|ja|jb|jae) ' rest
}

@test "the timed loops of a chase load, and do nothing else" {
	need_plain_x86
	only 32 0 chase_one
	[ "$(grep -c '^mov R,R$' code)" -eq 0 ]
	only 32 32 chase_dirty
	for n in 2 4 8; do
		only $((4 * n)) 0 "chase_$n"
		[ "$(grep -c '^mov R,R$' code)" -eq 0 ]
	done
}

# moves LOADS STORES FUNCTION: its loop has this many loads and stores of its
# widest registers, and otherwise only counts and jumps.
moves()
{
	loop "$3" >code
	[ "$(grep -cE '^v?(mov|add|mul)[a-z]+ [^,]*\(R\),' code)" -eq "$1" ]
	[ "$(grep -cE '^v?mov[a-z]+ [^,]*,[^,]*\(R\)$' code)" -eq "$2" ]
	grep -vE '^v?(mov|add|mul)(nt)?[as]?p?[ds] ' code >rest
	[ "$(wc -l <rest)" -le 5 ]
	! grep -vE '^(sub|add|cmp|jne|ja|jb|jae) ' rest
}

@test "the loops of rates move what they say, by registers of their width" {
	need_plain_x86
	for width in avx512:zmm:4 avx2:ymm:8 sse2:xmm:8 scalar:sd:8; do
		IFS=: read -r name register loads <<<"$width"
		moves "$loads" 0 "rate_read_$name"
		[ "$(grep -c "$register" code)" -eq "$loads" ]
		moves 0 8 "rate_write_$name"
		[ "$(grep -c "$register" code)" -eq 8 ]
		moves 8 8 "rate_copy_$name"
		moves 16 8 "rate_triad_$name"
		moves 0 8 "rate_nt_write_$name"
		moves 8 8 "rate_nt_copy_$name"
		[ "$name" = scalar ] || [ "$(grep -c movntpd code)" -eq 8 ]
	done
}

@test "a turn of a delay counts, and does nothing else" {
	need_plain_x86
	awk '{ print $2 }' "$BATS_FILE_TMPDIR/wait_turns" >code
	[ "$(grep -cE '^(sub|dec)$' code)" -eq 1 ]
	[ "$(grep -c '^jne$' code)" -eq 1 ]
	! grep -qE '^(mov|call|rdtsc|div|push)' code || false
}

@test "a width that the CPU does not have is refused with those that it has" {
	other=neon
	[ "$(uname -m)" != aarch64 ] || other=avx512
	run --separate-stderr "$C2C" cache --width "$other" --sizes 4K:8K
	refused 77 "no $other registers; choose among" "scalar"
}
