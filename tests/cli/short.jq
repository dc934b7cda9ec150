# A result in short, as cases write it, as JSON: lines "# key: value", then
# blocks of numbers, each after a line of words. jq -R -n -f short.jq FILE
#
#	# matrix: NAME STATISTIC UNIT QUANTITY|- lower|higher symmetric|asymmetric
#	# series: MEMBER X-NAME X-UNIT FAMILY Y-UNIT STATISTIC
#
# Series of one member and family are one curve. A member is "reader, mean",
# "reader CPU 5", "MEMBER, VARIANT (CPUs 0 and 2)" or of tests, whose family is
# "TEST: FAMILY, device N (NAME)", "MEMBER, padded".

def words: [match("\"(?:[^\"\\\\]|\\\\.)*\"|[^ ]+"; "g").string
	| if startswith("\"") then fromjson else . end];

def value: . as $text | try fromjson catch $text;

def number: if . == "nan" then null else tonumber end;

def blocks: reduce inputs as $line ({root: {}, blocks: []};
	if $line | test("^# (matrix|series): ") then
		.blocks += [($line | words | {kind: .[1], words: .[2:], rows: []})]
	elif $line | startswith("# ") then
		($line | capture("^# (?<key>[^:]*): (?<text>.*)$")) as $said
		| ($said.key | if test("^(tool|machine|options|run)\\.")
			then split(".") | [.[0], (.[1:] | join("."))]
			else [.] end) as $path
		| .root = (.root | setpath($path; $said.text | value))
	elif $line | test("^ *$|^cpu") then .
	else .blocks[-1].rows += [[$line | splits(" +") | select(. != "")
		| number]]
	end);

def matrix: .words as $w | {name: $w[0], statistic: $w[1], unit: $w[2],
	quantity: (if $w[3] == "-" then null else $w[3] end), better: $w[4],
	symmetric: ($w[5] == "symmetric"), values: [.rows[] | .[1:]]};

def member: if test("\\(CPUs \\d+ and \\d+\\)$") then
		capture("^(?<member>.*), (?<variant>.*) \\(CPUs (?<a>\\d+) and (?<b>\\d+)\\)$")
		| {member, variant, cpus: [.a, .b | tonumber]}
	elif test(" CPU \\d+$") then capture("^(?<member>.*) CPU (?<a>\\d+)$")
		| {member, cpus: [.a | tonumber]}
	elif endswith(", mean") then {member: .[:-6], statistic: "mean"}
	elif endswith(", padded") then {member: .[:-8], variant: "padded"}
	else {member: .} end;

def family: capture("^((?<test>[^:]*): )?(?<family>.*?)(, (?<device>device \\d+ \\(.*\\)))?$");

def curve: (.[0].words) as $w | length as $n
	| [.[0].rows[][0]] as $x
	| (map({key: .words[5], value: [.rows[][1]]}) | from_entries) as $y
	| [$x[] | null] as $none
	| ($w[3] | family) + {statistic: "median"} + ($w[0] | member)
	+ {x: {name: $w[1], unit: $w[2], values: $x},
		y: {name: ($w[3] | family.family), unit: $w[4]},
		median: ($y.median // $none), low: ($y.ci_low // $none),
		high: ($y.ci_high // $none), ceiling: $y.ceiling}
	| if $y.fit then .fit = {overhead_ns: [10, null, null],
		rate_gib_per_s: [8, null, null]} else . end
	| if ($y.ceiling and ($y.median | not)) then .statistic = "ceiling"
		else . end
	| if $w[4] == "Gcalls/s" then .y.name |= split(",")[0] else . end;

blocks as $all
| $all.root
+ {matrices: [$all.blocks[] | select(.kind == "matrix:") | matrix]}
+ {curves: [[$all.blocks[] | select(.kind == "series:")]
	| to_entries | group_by([.value.words[:5]])
	| sort_by(.[0].key)[] | map(.value) | curve]}
