# Where the secret still is: what c2c-export(1) says is kept.
[paths(strings | select(test("SECRET"))) |
	map(if type == "number" then "N" else . end) | join(".")] | unique | .[]
