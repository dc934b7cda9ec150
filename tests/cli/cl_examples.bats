#!/usr/bin/env bats
# The examples of c2c-cl(1), as printed and in their order, in one folder. In
# place of a measurement, a stand-in lets c2c take its options, which ends where
# no device is found, and leaves the record that a test left before; of all
# tests a stored one.
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
	mkdir bin records vendors
	for test in branch bus cache latency rowcol scale stride; do
		fixture $test
		mv a.json records/$test.json
		mv out records/$test
	done
	cp "$srcdir/data/epyc-2vcpu-cl-all.json" records/all.json
	"$C2C" plot --term records/all.json >records/all
	cat >bin/c2c <<-'END'
		#!/bin/bash
		[ "$1" = cl ] && [ "$2" != list ] || exec "$C2C" "$@"
		# The stored record is from another machine: none continues it.
		[ "$3" != --resume ] || set -- cl all "${@:5}"
		OCL_ICD_VENDORS=$folder/vendors/ "$C2C" "$@" >bare 2>&1
		status=$?
		# Without a device nothing is written.
		[ $status = 77 ] && grep -q 'no OpenCL device' bare || {
			cat bare
			exit $((status ? status : 1))
		}
		rm bare
		record=$folder/records/$2
		cat "$record"
		while [ $# -gt 1 ]; do
			shift
			case $1 in
			*.json) cp "$record.json" "$1" ;;
			*.png | *.pdf) "$C2C" plot -q "$record.json" -o "$1" ;;
			esac
		done
	END
	chmod +x bin/c2c
	folder=$PWD
	export C2C srcdir folder
	PATH=$PWD/bin:$PATH
}

# slow: each example compiles its kernels.
@test "every example of c2c-cl(1) runs as printed" {
	need_device
	need_jq
	make_stand_in
	{
		printf 'check()\n{\n'
		# shellcheck disable=SC2016
		printf '[ $1 = 0 ] || { echo "status $1: $2"; exit 1; }\n}\n'
		# Lines of a command of several lines end behind its last quote.
		examples | awk '
		{ command = command (command ? "\n" : "") $0 }
		gsub(/'"'"'/, "&", command) % 2 == 0 {
			print command; print "check $? \"$LINENO\""
			command = ""
		}'
	} >script
	[ "$(grep -c '^check \$?' script)" -eq 22 ]
	run bash script
	[ "$status" -eq 0 ] || {
		cat script
		echo "$output"
		false
	}
	for file in cl.json cl.pdf devices.json rows.png l2.png bus.png cl.png \
		rowcol.png; do
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
