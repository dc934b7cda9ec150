# The curves of a record, less what they are called; figures to 3 decimals.
walk(if type == "number" then . * 1000 | round / 1000 else . end)
| .curves[] | [.test, .family, .member, .variant, .cpus, .x.unit, .y.unit,
	.x.values, .median, .low == .median, .high == .median]
