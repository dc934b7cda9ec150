# A record with every key of the schema, and names in every text.
."$defs" as $defs |
def text: "WORD planted-host ran-host PLANTED-host.example.org /opt/planted " +
	"./bench/planted.sh ../planted/y.json results/planted.json " +
	"planted.json ~planted/x C:\\planted \\\\planted\\x 'planted/a b' " +
	"bob@planted https://bob:x@planted/ (192.0.2.17:22) [fe80::1%eth0] " +
	"2001:db8:1:2:3:4:5:17, ::17 52:54:00:12:34:17 52-54-00-12-34-17 " +
	"5254.0012.3417 host=planted/x 6.1.0-17-planted 10.0.0.17/8";
def make($depth):
	if ."$ref" then (."$ref" | split("/") | last) as $name |
		if $depth > 9 or ($name == "result" and $depth > 0) then null
		else $defs[$name] | make($depth + 1) end
	elif .anyOf then .anyOf[0] | make($depth)
	elif .const then .const
	elif .enum then .enum[0]
	elif .pattern or .format then "2026-11-24T14:02:07Z"
	else ([.type] | flatten | map(select(. != "null"))[0]) as $type |
		if $type == "object" then
			(.properties // {}) | map_values(make($depth))
		elif $type == "array" then [.items | make($depth)]
		elif $type == "string" then text
		elif $type == "boolean" then true
		else 1 end
	end;
$defs.result | make(0) |
.cpus = [0, 1] | .lines[].cpus = [0, 1] | .passes[].pairs = [[0, 1]] |
.matrices |= map(.values = [[null, 50], [60, null]] | .symmetric = false |
	del(.rows, .columns)) |
.machine.hostname = "planted-host.example.org" |
.machine.kernel = "Linux 6.1.0-17-planted" |
.options = {text: text, number: 5, list: [text], object: {text: text}} |
.machine.cores = text | .machine.boost = [text] | .machine.arch = [text] |
.run.llc_links = [[1, text], [text, [text]]] |
.run.tests[0].threads += [text, [text]] | .run.tests[0].memory = text |
.curves[].fit |= map_values(if type == "array" then [1, 1, 1] else . end) |
del(.sections, .runs, .topology, .caches[].told) |
.skipped as $skipped | del(.skipped) |
(.. | objects) |= . + {planted: text} | del(.options.planted) |
{format, version: 2, command: "measure", started, elapsed_s, complete, tool,
	machine, options, run: null, cpus,
	sections: [., (del(.curves, .caches, .tlbs, .lines, .passes) |
		.runs = [.machine.hostname = "ran-host"])],
	$skipped, topology: null}
