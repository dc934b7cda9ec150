# Other words, which are as long, for all that a record calls by its name. Only
# the colours of a table need its unit, which says whether high is better.
def other: if . == null then . else explode | map(
		if . >= 97 and . <= 122 then (. - 97 + 13) % 26 + 97
		elif . >= 65 and . <= 90 then (. - 65 + 13) % 26 + 65
		elif . == 44 then 59 else . end) | implode end;
(.run.tests[]? | .test) |= other |
.curves[] |= (.test |= other | .family |= other | .member |= other |
	.variant |= other | .x.name |= other | .y.name |= other |
	.x.unit |= other |
	(if .drawn == "row" or .drawn == "grid" then . else
		.y.unit |= other end) |
	if .mark then .mark.text |= other else . end)
