# What a record says, less when and how long it took; figures to 3 decimals.
walk(if type == "number" then . * 1000 | round / 1000 else . end)
| .complete, .cpus, (.options | del(.seed)), .run,
	(.matrices[] | [.name, .statistic, .unit, .quantity, .better,
		.rows.ids, .columns.ids, .values]),
	(.curves[] | [.test, .family, .member, .cpus, .x.unit, .y.unit,
		.mark.text, .x.values, .median, .low == .median,
		.high == .median])
