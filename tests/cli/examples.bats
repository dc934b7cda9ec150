#!/usr/bin/env bats
# The examples of c2c-compare(1) and c2c-watch(1), as printed and in their order,
# in one folder. Stand-ins make measurements short, take the place of folders of
# the system, and run what srun would run on 100 hosts for three of them.
#
# bats and helpers.bash set what seems unset (SC2154); the script expands what
# is quoted here (SC2016).
# shellcheck disable=SC2016,SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	make_up
	make_stand_ins
}

make_stand_ins()
{
	mkdir -p bin root/shared root/var/log root/var/lib/node_exporter
	cat >bin/c2c <<-'END'
		#!/bin/bash
		for arg; do
			case $arg in
			# Unquoted: the shell could not find *.json there.
			/shared/* | /var/*) args+=("$PWD/root"$arg) ;;
			*) args+=("$arg") ;;
			esac
		done
		case $1 in
		# As long as it takes where other programs run.
		latency) args+=(--budget 60 --passes 14:100000 --precision 50) ;;
		watch) args+=(--for 1s) ;;
		esac
		exec "$C2C" "${args[@]}"
	END
	cat >bin/srun <<-'END'
		#!/bin/bash
		[ "$1 $2" = '-N 100' ] || exit
		shift 2
		for host in n1 n2 n3; do
			"${@//%h/$host}" || exit
		done
	END
	chmod +x bin/*
	export C2C
	PATH=$PWD/bin:$PATH
}

# run_examples PAGE COMMANDS [STATUS...]: so many; each ends with 0 or one of
# these. Lines of a command stand behind "$ " or go on behind "> ".
run_examples()
{
	local page=$1 commands=$2
	shift 2
	{
		printf 'check()\n{\n[[ " 0 %s " == *" $1 "* ]] || ' "$*"
		printf '{ echo "status $1: $2"; exit 1; }\n}\n'
		sed -n '/^\.Sh EXAMPLES/,/^\.Sh [^E]/{
			s/^\.Dl \$ //p
			/^\.Bd/,/^\.Ed/{ /^\./!{ s/^[$>] //; p; }; }
		}' "$srcdir/man/$page" | sed 's/\\-/-/g; s/\\e/\\/g' |
			sed '/\\$/!a check $? "$LINENO"'
	} >script
	[ "$(grep -c '^check \$?' script)" -eq "$commands" ]
	run bash script
	[ "$status" -eq 0 ] || {
		cat script
		echo "$output"
		false
	}
}

@test "every example of c2c-compare(1) runs as printed" {
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	c2c latency -q -o ref.json >out
	# 3: the second run may be slower.
	run_examples c2c-compare.1 6 3
	[ "$(head -c 4 change.png | tail -c 3)" = PNG ]
	for host in n1 n2 n3; do
		[[ $output == *"$host"* ]]
	done
	grep -q '</html>' fleet.html
}

@test "every example of c2c-watch(1) runs as printed" {
	need_jq
	ln -s root/var/log/c2c.jsonl c2c.jsonl
	echo '{"event":"moved","time":"T","text":"CPU 5 moved"}' >c2c.jsonl
	run_examples c2c-watch.1 3
	# A busy machine may have time for one only.
	[[ $output == *" burst"?(s)", "*$'\nT CPU 5 moved' ]]
	[ "$(jq -r .event c2c.jsonl | tr '\n' ' ')" = "moved start end " ]
	grep -q '^c2c_watch_bursts_total ' root/var/lib/node_exporter/c2c.prom
}
