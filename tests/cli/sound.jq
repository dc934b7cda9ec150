# Whether a result of a measuring command holds what its format and physics
# guarantee; --argjson complete true|false says whether the run was. Run with
# jq -e.

def statistics: ["median", "min", "p10", "p90", "ci_low", "ci_high", "passes"];

# Names of matrices, their unit and which is better; whether a CPU may be its
# own partner, and whether the directions must be alike.
def kinds: {
	latency: {names: ["latency"], unit: "ns", better: "lower"},
	queue: {names: ["writer", "reader"], unit: "GiB/s", better: "higher"},
	check: {names: ["mismatch"], unit: "bytes", better: "lower", zero: true},
	memcpy: {names: ["copy"], unit: "GiB/s", better: "higher", self: true},
	cache: {names: ["shared"], unit: "times", better: "lower"},
	contend: {self: true},
	states: {self: true},
	numa: {self: true},
};

def kind: kinds[if .options.order_check then "check" else .command end];

# Whether it has curves in place of matrices.
def has_curves:
	if .command == "cache" then .options.shared == null
	elif .command | IN("contend", "states", "numa") then true
	else (.options | .readers or .sweep_max or .sweep_chunks_max) end;

# The values of a statistic, all in a row, the diagonal too.
def row($s): [.matrices[] | select(.statistic == $s) | .values[][]];

# Whether nothing in $a is above what stands at its place in $b. Rounding to
# six digits keeps the order.
def at_most($a; $b):
	[$a, $b] | transpose
	| all(.[0] == null or .[1] == null or .[0] <= .[1]);

def square($n): length == $n and all(.[]; length == $n);

def sound_matrices($n):
	kind as $kind
	# A virtual machine has one more, of passes behind the run.
	| .matrices |= map(select(.statistic != "after_rest"))
	| [.matrices[].statistic] == [$kind.names[] | statistics[]]
	and [.matrices[].name] == [$kind.names[] as $name | statistics[] | $name]
	and all(.matrices[]; .values | square($n))
	and all(.matrices[]; .better ==
		(if .unit == "passes" then "higher" else $kind.better end))
	and all(.matrices[] | select(.unit != "passes"); .unit == $kind.unit)
	and all(.matrices[] | select(.symmetric);
		.values == (.values | transpose))
	and ((.command | IN("latency", "cache"))
		or all(.matrices[]; .symmetric | not))
	# Unless it copies alone, no CPU is its own partner.
	and ($kind.self or
		all(.matrices[]; .values as $v | all(range($n); $v[.][.] == null)))
	and ($kind.zero or all(.matrices[].values[][];
		. == null or . > 0 or ($complete | not)))
	and at_most(row("min"); row("p10"))
	and at_most(row("p10"); row("median"))
	and at_most(row("median"); row("p90"))
	and at_most(row("ci_low"); row("median"))
	and at_most(row("median"); row("ci_high"))
	# An interval has the step of a coarse clock to either side.
	and (.machine.clock.step_ns > 60 or at_most(row("min"); row("ci_low")))
	# Passes and values are there for the same pairs.
	and ([row("median"), row("passes")] | transpose
		| all((.[0] != null) == ((.[1] // 0) > 0)))
	and ([row("passes")[] | select(. != null)] | all(. == floor))
	# A run over all pairs that was not cut short has no hole.
	and (if $complete and .options.pairs == "all"
		then ([row("median")[] | select(. != null)] | length) ==
			($kind.names | length) * $n *
			($n - if $kind.self then 0 else 1 end)
		else true end);

def sound_cache:
	(.curves | length > 0)
	and all(.curves[]; .x.values as $x | (.test == "rounds") as $rounds
		| ($x | length) == (.median | length)
		and $x == ($x | sort | unique)
		and (.x.unit == "B" or .test == "ways")
		and (.y.unit | IN(if $rounds then "rounds", "share"
			else "ns", "clk", "GiB/s" end)))
	# Others may have disturbed each visit of a point, and each round.
	and all(.curves[] | select(.test != "rounds") | .median[];
		. == null or . > 0)
	and any(.curves[].median[]; . != null)
	and all(.curves[]; at_most(.low; .median) and at_most(.median; .high))
	and all(.curves[]; .cpus | length > 0);

def sound_contend:
	(.cpus | length) as $n
	| (.curves | length > 0)
	and all(.curves[]; .x.values as $x
		| ($x | length) == (.median | length)
		and $x == ($x | sort | unique)
		and (.test == "cpus" or ($x[0] == 1 and $x[-1] <= $n))
		and .y.unit == {sum: "Mops/s", sharing: "Mops/s",
			cpus: "Mops/s", latency: "ns", p99: "ns", jain: "share",
			fairness: "share"}[.test])
	# Others may have disturbed each visit of a point; a CPU may starve.
	and all(.curves[].median[]; . == null or . >= 0)
	and any(.curves[].median[]; . != null)
	and all(.curves[]; at_most(.low; .median) and at_most(.median; .high))
	and all(.curves[] | select(.test | IN("jain", "fairness"));
		all(.median[]; . == null or . <= 1))
	and all(.curves[] | select(.test == "jain"); .x.values as $x
		| [.median, $x] | transpose
		| all(.[0] == null or .[0] >= 0.9999 / .[1]))
	# One CPU alone shares with nobody.
	and all(.curves[] | select(.test | IN("jain", "fairness"));
		.median[0] | . == null or . == 1);

def sound_states:
	(.curves | length > 0)
	and all(.curves[]; .x.values as $x
		| ($x | length) == (.median | length)
		and $x == ($x | sort | unique)
		and .y.unit == "ns")
	# Others may have disturbed each visit of a point; a CPU is not apart.
	and all(.curves[].median[]; . == null or . > 0)
	and all(.curves[]; at_most(.low; .median) and at_most(.median; .high));

# Every statistic of every node pair, and loads that others may have disturbed.
def sound_numa:
	(reduce (.options.mix | split(",")[]) as $mix ([];
		. + ([$mix] - .))) as $mixes
	| ([if .options.latency then "latency" else empty end] +
		[if .options.bandwidth then "bandwidth-" + $mixes[] else empty end])
		as $names
	| [.matrices[] | select(.statistic != "reported") | [.name, .statistic]] ==
		[$names[] as $name | statistics[] | [$name, .]]
	and all(.matrices[]; (.rows.ids | length) as $rows
		| (.columns.ids | length) as $columns
		| .rows.kind == "node" and .columns.kind == "node"
		and $rows > 0 and $columns > 0
		and (.values | length) == $rows
		and all(.values[]; length == $columns))
	and all(.matrices[]; .unit == (if .statistic == "passes" then "passes"
		elif .name | startswith("bandwidth") then "GiB/s"
		elif .name == "latency" then "ns" else .unit end))
	and all(.matrices[].values[][]; . == null or . >= 0)
	and at_most(row("min"); row("p10"))
	and at_most(row("p10"); row("median"))
	and at_most(row("median"); row("p90"))
	and at_most(row("ci_low"); row("median"))
	and at_most(row("median"); row("ci_high"))
	and all((.curves // [])[]; .x.values as $x
		| ($x | length) == (.median | length)
		and (.test == "loaded" or $x == ($x | sort | unique))
		and (.member | IN($mixes[]))
		and .x.unit == {loaded: "GiB/s", delay: "turns",
			load: "turns"}[.test]
		and .y.unit == {loaded: "ns", delay: "ns",
			load: "GiB/s"}[.test])
	and all((.curves // [])[].median[]; . == null or . > 0)
	and all((.curves // [])[]; at_most(.low; .median) and at_most(.median; .high));

def sound_curves:
	.command == "queue"
	and (.curves | length > 0)
	and all(.curves[]; .x.values as $x
		| ($x | length) == (.median | length)
		and $x == ($x | sort | unique)
		and .family == "rate" and .y.unit == "GiB/s")
	# Others may have disturbed each visit of a point.
	and all(.curves[].median[]; . == null or . > 0)
	and any(.curves[].median[]; . != null)
	and all(.curves[]; at_most(.low; .median) and at_most(.median; .high));

(.cpus | length) as $n
| .format == "c2c-result"
and .version == 1
and (.command | IN("latency", "queue", "memcpy", "cache", "contend",
	"states", "numa"))
and .complete == $complete
and (.started | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$"))
and .elapsed_s > 0
and ($n >= 2 or kind.self or has_curves)
and (.cpus | unique | length) == $n
and (if has_curves | not then sound_matrices($n)
	elif .command == "numa" then sound_numa
	else .matrices == [] and
		if .command == "cache" then sound_cache
		elif .command == "contend" then sound_contend
		elif .command == "states" then sound_states
		else sound_curves end
	end)
and (.options.seed | . >= 0 and . == floor and . < 9007199254740992)
and (.run.warnings | all(type == "string"))
and (.topology.hwloc_xml | test("<topology"))
