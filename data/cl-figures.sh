#!/bin/sh
# Prints the figures of c2c cl in data/README.md, from the records in this
# folder. After a new recording, run this script and correct the text.
#
#     data/cl-figures.sh
#
# The script needs jq.
set -eu
cd "$(dirname "$0")"

# figures RECORD FILTER: print the lines of the filter, which may use the
# functions below.
figures()
{
	jq -r --arg record "$1" '
	def curve($shows; $name): .curves[] | select(.statistic == "median"
		and "\(.test): \(.family)" == $shows and .member == $name);
	def at($x): . as $c | .x.values | index($x) | $c.median[.];
	def least: .median | map(select(.)) | min;
	def most: .median | map(select(.)) | max;
	def figure: if . then . * 1000 | . as $n |
		(if . >= 100000 then round / 1000 | round
		elif . >= 10000 then . / 100 | round / 10
		else . / 10 | round / 100 end) else "none" end;
	def test($name): .run.tests[] | select(.test == $name);
	'"$2"' | "\($record)\t\(.)"' "$1.json"
}

figures xeon-16vcpu-cl-all '
	(test("rowcol") | .columns_fall[] | select(.padded | not) |
		"columns fall: \(.access), \(.array), rows of \(.pitch_bytes) bytes, L1 holds \(.lines_held.L1): at \(.falls_at)"),
	(test("rowcol").findings[] | select(startswith("rows in vectors"))),
	(curve("scale: time"; "OpenCL") |
		"256 work-items, ms: \(at(256) | figure)",
		"65,536 work-items, ms: \(at(65536) | figure)",
		"at its best, ms: \(least | figure)"),
	"threads that are ready, ms: \(
		curve("scale: time"; "threads, bound, ready") | least | figure)",
	"threads to be started, ms: \([curve("scale: time"; "threads, bound"),
		curve("scale: time"; "threads, not bound") | least] |
		min | figure)"'
for record in xeon-16vcpu-cl-all h200-cl-all; do
	# shellcheck disable=SC2016 # jq expands the variables
	figures "$record" '
	(("stride: global memory, 4 MiB", "stride: global memory, 64 MiB",
	"stride: global memory, 1 GiB", "local: local memory") as $shows | ("read", "write") as $access |
		curve($shows; $access) | . as $c | (0, 2, 3, 16) as $stride |
		"\($shows), \($access): stride \($stride) over 1, times as long: \($c |
			try (at(1) / at($stride)) catch null | figure)"),
	(curve("constant: latency"; "one work-item") |
		"a read of constant memory, ns: \(least | figure) to \(most | figure)"),
	"image over buffer, read, of the largest square: \((
		(curve("image: squares"; "image, read") | .median[-1]) /
		(curve("image: squares"; "buffer, read") | .median[-1])) | figure)",
	(("copy, pageable memory", "copy, pinned memory") as $name |
		curve("bus: host to device"; $name) |
		"host to device, 64 MiB, \($name), GiB/s: \(.median[-1] | figure)"),
	"maps move bytes: \([test("bus").maps[].moves_bytes])",
	(("float", "double") as $type | curve("math: \($type)"; "mad") |
		"mad of \($type), GFLOP/s: \(most | figure)"),
	(test("math").ceilings[] |
		"natively, \(.name), GFLOP/s: \(.gflop_per_s | figure)"),
	(curve("branch: time over one path\u0027s"; "neighbours differ") |
		"32 paths over one: \(at(32) | figure)")'
done
