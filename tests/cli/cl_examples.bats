#!/usr/bin/env bats
# The examples of c2c-cl(1), as printed and in their order, in one folder. A
# stand-in makes measurements short, and chooses the first device where the page
# has one that is not here. In place of all tests it runs one, with the options
# of the example, and leaves a stored record of all.
#
# bats and helpers.bash set what seems unset (SC2154).
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers
load cl

# The lines after "$ ", and those that go on in a literal block.
examples()
{
	sed -n '/^\.Sh EXAMPLES/,/^\.Sh DIAG/{
		s/^\.Dl \$ //p
		/^\.Bd/,/^\.Ed/{ /^\./!{ s/^\$ //; p; }; }
	}' "$srcdir/man/c2c-cl.1" | sed 's/\\-/-/g; s/\\e/\\/g'
}

make_stand_in()
{
	mkdir bin
	cat >bin/c2c <<-'END'
		#!/bin/bash
		[ "$1" = cl ] && [ "$2" != list ] || exec "$C2C" "$@"
		test=$2
		[ "$test" != all ] || set -- cl branch "${@:3}"
		# The first device by its number, and by part of its name.
		case $* in
		*" --device "[1H]*)
			name=$("$C2C" cl list | sed -n 's/^0\. \(.*\)..$/\1/p')
			set -- "${@/#1/0}"
			set -- "${@/#H200/$name}"
			;;
		esac
		"$C2C" "$@" --quick --repeat 2 --discard 0 --budget 3600 -q 2>err
		status=$?
		cat err >&2
		# A ceiling may be too low where other programs run.
		[ $status != 1 ] || ! grep -q 'no result: .* natively$' err ||
			status=0
		[ $status = 0 ] && [ "$test" = all ] || exit $status
		while [ $# -gt 1 ]; do
			shift
			case $1 in
			*.json) cp "$srcdir/data/epyc-2vcpu-cl-all.json" "$1" ;;
			esac
		done
	END
	chmod +x bin/c2c
	export C2C srcdir
	PATH=$PWD/bin:$PATH
}

@test "every example of c2c-cl(1) runs as printed" {
	need_device
	need_jq
	make_stand_in
	# 77: there is no GPU, or no second device.
	{
		printf 'check()\n{\n'
		# shellcheck disable=SC2016
		printf '[ $1 = 0 ] || [ $1 = 77 ] || { echo "status $1: $2"; exit 1; }\n}\n'
		# Lines of a command of several lines end behind its last quote.
		examples | awk '
		{ command = command (command ? "\n" : "") $0 }
		gsub(/'"'"'/, "&", command) % 2 == 0 {
			print command; print "check $? \"$LINENO\""
			command = ""
		}'
	} >script
	[ "$(grep -c '^check \$?' script)" -eq 21 ]
	POCL_CACHE_DIR=$kernels run bash script
	[ "$status" -eq 0 ] || {
		cat script
		echo "$output"
		false
	}
	for file in cl.json cl.pdf devices.json rows.png cl.png rowcol.png; do
		[ -s "$file" ] || {
			echo "no $file"
			false
		}
	done
	# Each question to the record has an answer.
	for answer in $'latency\tlatency\tglobal' $'^64\t[0-9.]+$' \
		'^stride, .*: [0-9]'; do
		grep -qE "$answer" <<<"$output" || {
			echo "no $answer"
			echo "$output"
			false
		}
	done
}
