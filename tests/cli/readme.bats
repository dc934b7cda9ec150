#!/usr/bin/env bats
# README.md as a newcomer reads it: every command runs as printed, from top to
# bottom, in one folder. Stand-ins shorten what would take minutes, and take the
# place of what is not here: c2c latency makes few passes, other commands measure
# made-up CPUs, c2c cl on CPUs copies a stored record, srun runs on this host only,
# and ./bootstrap, make, ./tuning and ./program check how they were called.
#
# bats and helpers.bash set what seems unset (SC2154).
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	readme=$srcdir/README.md
}

teardown()
{
	end_jobs
}

# stand_in FILE: a program with the text of standard input.
stand_in()
{
	mkdir -p "$(dirname "$1")"
	cat - >"$1"
	chmod +x "$1"
}

# The blocks of a language, with "line N" before each command.
blocks() # LANGUAGE
{
	awk -v fence="\`\`\`$1" '
	$0 == fence { open = 1; next }
	/^```/ { open = 0 }
	open { print NR ":" $0 }' "$readme"
}

make_stand_ins()
{
	stand_in build/c2c <<-'END'
		#!/bin/bash
		echo "$*" >>"$CALLS"
		case $1 in
		# --placement is of these CPUs.
		latency) exec "$C2C" "$@" --passes 14:14 --spin-hint pause ;;
		cache | contend | memcpy | numa | queue | states)
			exec "$builddir/tests/made_up/c2c" "$@" --precision 50 ;;
		measure | report | watch) exec "$builddir/tests/made_up/c2c" "$@" ;;
		cl) ;;
		*) exec "$C2C" "$@" ;;
		esac
		case $* in
		*list*) exec "$C2C" "$@" ;;
		*gpu*) exec "$C2C" "$@" --quick ;;
		esac
		"$C2C" "$@" --help=all | grep -qw "$2" || exit
		record=$srcdir/data/epyc-2vcpu-cl-all.json
		while [ $# -gt 1 ]; do
			shift
			case $1 in
			*.json) cp "$record" "$1" ;;
			*.png) "$C2C" plot "$record" -o "$1" ;;
			esac
		done
	END
	# The first block shows what c2c does before the second installs it.
	mkdir bin plots
	ln -s ../build/c2c bin/c2c
	cp "$srcdir/plots/heatmap.gp" plots
	stand_in bootstrap <<-'END'
		#!/bin/sh
		grep -q "^#   ./bootstrap $1 " "$srcdir/bootstrap"
	END
	stand_in bin/make <<-'END'
		#!/bin/sh
		[ "$*" = "-C build install" ] && grep -q '^install:' "$builddir/Makefile"
	END
	# Three hosts, but for their names.
	stand_in bin/srun <<-'END'
		#!/bin/bash
		[ "$1" = -N ] || exit
		hosts=$2
		shift 2
		for ((i = 1; i <= hosts; i++)); do
			"${@//%h/n$i}" || exit
		done
	END
	printf '#!/bin/sh\necho runs\n' | stand_in program
	stand_in tuning <<-'END'
		#!/bin/sh
		[ "$1" = on ] || [ "$1" = off ]
	END
	export CALLS=$PWD/calls C2C srcdir builddir
	PATH=$PWD/bin:$PATH
}

@test "every block of README.md says what it is" {
	[ "$(grep -c '^```$' "$readme")" -eq \
		"$(grep -cE '^```(sh|text|python)$' "$readme")" ]
}

# slow: some seventy commands run one after another, as a reader types them.
@test "every command of README.md runs as printed, from top to bottom" {
	need_two_cpus
	need_jq
	make_stand_ins
	# 77: this machine lacks something, a GPU for instance.
	while IFS=: read -r line command; do
		printf '%s\n' "$command"
		# shellcheck disable=SC2016
		printf 'status=$?; [ $status = 0 ] || [ $status = 77 ] || {\n'
		# shellcheck disable=SC2016
		printf 'echo "README.md:%s: status $status"; exit 1; }\n' "$line"
	done < <(blocks sh) >script
	[ "$(grep -c README.md: script)" -gt 40 ]
	run bash script
	[ "$status" -eq 0 ] || {
		echo "$output"
		false
	}
	# What the text promises.
	for file in lat.json lat.png vm.json before.json after.json cache.json \
		shared.json cpu.json cl.json queue.json contend.json numa.json \
		lat.xml lat.csv lat.dat rowcol.png groups.svg fleet/n3.json; do
		[ -s "$file" ] || {
			echo "no $file"
			false
		}
	done
	[[ $output == *runs* ]]
	# Every command has its place.
	for name in $("$C2C" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\).*/\1/p'); do
		grep -q "^$name" calls
	done
	cat >pandas.py <<-'END'
		class DataFrame:
		    def __init__(self, rows, columns):
		        assert columns == ["from", "to", "name", "statistic", "value"]
		        assert all(len(row) == 5 and row[4] > 0 for row in rows)
		        print("rows of medians:",
		              [row[:2] for row in rows if row[3] == "median"])
		    def __getitem__(self, key):
		        return self
		    def __eq__(self, other):
		        return other == "median"
		    def pivot(self, index, columns, values):
		        return self
	END
	blocks python | sed 's/^[0-9]*://' >script.py
	run --separate-stderr python3 script.py
	[ "$status" -eq 0 ]
	[[ $output == "ns ["*"["*None*"rows of medians: [("*")]" ]]
}
