#!/usr/bin/env bats
# What c2c writes as JSON is as schema/c2c.schema.json says. The records of
# measuring commands are validated where they are tested (must_be_valid), and
# other JSON when the cases of a file have ended (teardown_file).
#
# bats and helpers.bash set what seems unset (SC2154).
# shellcheck disable=SC2154

bats_require_minimum_version 1.5.0
load helpers

setup()
{
	enter_folder
	data=$srcdir/data
}

teardown()
{
	end_jobs
}

@test "every stored record is valid" {
	valid "$data"/*.json
}

@test "what c2c says of a machine is valid" {
	"$C2C" info --json >info.json
	HWLOC_SYNTHETIC='package:2 numa:1 l3:1 core:4 pu:2' \
		"$C2C" info --json >synthetic.json
	for xml in hybrid memory restricted; do
		HWLOC_XMLFILE=$srcdir/tests/topo/$xml.xml \
			"$C2C" info --json >$xml.json
	done
	"$C2C" cl list --json >devices.json 2>err || rm devices.json
	valid ./*.json
}

@test "every analysis is valid" {
	for record in h200-units xeon-16vcpu xeon-16vcpu-queue \
		xeon-16vcpu-shared xeon-64vcpu xeon-64vcpu-moving \
		xeon-64vcpu-queue-warm; do
		"$C2C" analyze -q -o - "$data/$record.json" >$record.json
	done
	"$C2C" analyze -q -o - --epoch 1 "$data/xeon-64vcpu-moving.json" \
		>epoch.json
	"$C2C" analyze -q -o - "$data/xeon-16vcpu.json" \
		"$data/xeon-16vcpu-shared.json" >witness.json
	"$C2C" analyze -q -o - "$data/xeon-16vcpu-cache.json" \
		"$data/xeon-16vcpu-shared.json" >caches.json
	printf ',50,90,90\n50,,90,90\n90,90,,50\n90,90,50,\n' >a.csv
	"$C2C" analyze -q -o - a.csv >csv.json
	"$C2C" analyze -q -o - - <a.csv >dash.json
	valid ./*.json
}

@test "every comparison is valid" {
	local record=$data/xeon-64vcpu.json name
	cp "$data/xeon-16vcpu.json" a.json
	jq '(.matrices[] | select(.statistic != "passes").values) |=
		map(map(if . then . * 2 else . end))' a.json >b.json
	"$C2C" compare -q -o - a.json b.json >cells.json
	"$C2C" compare -q -o - --by-level a.json "$record" >levels.json
	"$C2C" compare -q -o - a.json b.json "$record" >fleet.json
	cp a.json c.json
	cp b.json d.json
	"$C2C" compare -q -o - a.json,b.json c.json,d.json >runs.json
	# Of a machine whose CPUs copy as they read what is queued.
	jq '.command = "memcpy" | .matrices |=
		map(select(.name == "reader") | .name = "copy")' \
		"$data/xeon-16vcpu-queue.json" >memcpy.json
	for record in memcpy.json "$data"/xeon-16vcpu-{cache,cl-all,contend,numa}.json \
		"$data"/xeon-{16vcpu-queue,16vcpu-shared,64vcpu-sweep-warm}.json; do
		name=$(basename "$record")
		jq '(.curves[]?.median, (.matrices[]? |
			select(.statistic != "passes").values[])) |=
			map(if . then . * 2 else . end)' \
			"$record" >changed.json
		"$C2C" compare -q -o - "$record" changed.json \
			>"compared-$name"
	done
	jq -e '.not_compared != []' fleet.json >/dev/null
	valid cells.json levels.json fleet.json runs.json compared-*.json
}

@test "records that c2c copies are valid" {
	printf ',50\n50,\n' >a.csv
	"$C2C" export -q a.csv -o csv.json
	"$C2C" export -q --unit GiB/s a.csv -o rates.json
	"$C2C" export -q "$data/xeon-64vcpu-moving.json" --epoch last -o epoch.json
	"$C2C" export -q "$data/xeon-16vcpu-contend.json" -o - >curves.json
	valid ./*.json
}

# flawed RECORD FILTER...: a file for each flaw.
flawed()
{
	local record=$1 flaw
	shift
	for flaw; do
		count=$((count + 1))
		jq "$flaw" "$record" >"$count.json"
	done
}

@test "the schema is strict: what c2c does not write is refused" {
	count=0
	flawed "$data/xeon-16vcpu.json" '.new = 1' '.tool.new = 1' \
		'.machine.new = 1' '.machine.clock.new = 1' \
		'.machine.huge_pages.new = 1' '.machine.warnings[0].new = 1' \
		'.options.new = {}' '.run.new = 1' '.run.agreement.new = 1' \
		'.topology.new = 1' '.matrices[0].new = 1' \
		'.matrices[0].values[0][0] = "1"' \
		'.matrices[0].better = "best"' '.version = 3' \
		'.format = "c2c-other"' 'del(.cpus)' 'del(.format)' \
		'.started = "today"' '.cpus[0] = -1' '.complete = "yes"'
	flawed "$data/xeon-16vcpu-cache.json" '.caches[0].new = 1' \
		'.caches[0].told.new = 1' '.caches[0].reported = {"new": 1}' \
		'.caches[0].verdicts.size = "good"' \
		'.curves[0].new = 1' '.curves[0].x.new = 1' \
		'.curves[0].statistic = "top"'
	flawed "$data/epyc-2vcpu-cl-all.json" '.run.tests[0].new = 1'
	[ "$count" -eq 28 ]
	run valid ./*.json
	[ "$status" -eq 1 ]
	for ((; count > 0; count--)); do
		[[ $output == *"/$count.json"* ]] || {
			echo "$count.json is valid"
			false
		}
	done
}
