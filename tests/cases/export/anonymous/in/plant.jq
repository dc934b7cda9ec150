# A secret, the host and paths in every text that a record may have as it
# likes; the others are words that a reader checks.
def is_word: . as $key | ["format", "command", "started", "better", "kind",
	"statistic", "verdict", "by", "array", "access",
	"direction", "status", "interval", "hwloc_xml", "size", "line",
	"ways"] | index($key);
# Of many curves and points, the first ones.
.curves |= ((. // []) | .[:9] + (map(select(.mark))[:2]) +
	(map(select(.variant))[:2])) |
.run.tests[]?.points |= (. // [])[:9] |
.machine.hostname = "planted-host" |
reduce (paths(strings)) as $path (.;
	if $path | map(select(type == "string")) | last | is_word then .
	elif ($path | last) == "hostname" then .
	else setpath($path; getpath($path) +
		" SECRET on planted-host.example.org, /opt/planted/x " +
		"(~/planted) file:///opt/planted") end) |
.planted = "unknown SECRET" | .run.planted = "unknown SECRET" |
.machine.serial = "SECRET" | .options.output = "/opt/planted/out"
