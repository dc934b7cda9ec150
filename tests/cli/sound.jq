# Whether a result of c2c latency holds what its format and physics guarantee;
# --argjson complete true|false says whether the run was. Run with jq -e.

def statistics: ["median", "min", "p10", "p90", "ci_low", "ci_high", "passes"];

# The values of a statistic, all in a row, the diagonal too.
def row($s): [.matrices[] | select(.statistic == $s) | .values[][]];

# Whether nothing in $a is above what stands at its place in $b. Rounding to
# six digits keeps the order.
def at_most($a; $b):
	[$a, $b] | transpose
	| all(.[0] == null or .[1] == null or .[0] <= .[1]);

def square($n): length == $n and all(.[]; length == $n);

(.cpus | length) as $n
| ([.matrices[].name] | unique) as $names
| .format == "c2c-result"
and .version == 1
and .command == "latency"
and .complete == $complete
and (.started | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z$"))
and .elapsed_s > 0
and $n >= 2
and (.cpus | unique | length) == $n
and $names == ["latency"]
and [.matrices[].statistic] == statistics
and all(.matrices[]; .values | square($n))
and all(.matrices[];
	.better == (if .unit == "passes" then "higher" else "lower" end))
and all(.matrices[] | select(.unit != "passes"); .unit == "ns")
and all(.matrices[] | select(.symmetric); .values == (.values | transpose))
# No CPU is its own partner; every other number is positive.
and all(.matrices[]; .values as $v | all(range($n); $v[.][.] == null))
and all(.matrices[].values[][]; . == null or . > 0 or ($complete | not))
and at_most(row("min"); row("p10"))
and at_most(row("p10"); row("median"))
and at_most(row("median"); row("p90"))
and at_most(row("ci_low"); row("median"))
and at_most(row("median"); row("ci_high"))
and at_most(row("min"); row("ci_low"))
# Passes and values are there for the same pairs.
and ([row("median"), row("passes")] | transpose
	| all((.[0] != null) == ((.[1] // 0) > 0)))
and ([row("passes")[] | select(. != null)] | all(. == floor))
# A run over all pairs that was not cut short has no hole.
and (if $complete and .options.pairs == "all"
	then ([row("median")[] | select(. != null)] | length) == $n * ($n - 1)
	else true end)
and (.options.seed | . >= 0 and . == floor and . < 9007199254740992)
and (.run.warnings | all(type == "string"))
and (.topology.hwloc_xml | test("<topology"))
