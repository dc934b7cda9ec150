# Other words, which are as long, for all that a record calls by its name. Units
# stay, because they say whether high is better, and what a rate is; tests and
# families do, because they say where a curve goes.
def other: if . == null then . else explode | map(
		if . >= 97 and . <= 122 then (. - 97 + 13) % 26 + 97
		elif . >= 65 and . <= 90 then (. - 65 + 13) % 26 + 65
		elif . == 44 then 59 else . end) | implode end;
.curves[] |= (.member |= other | .variant |= other | .x.name |= other |
	.x.unit |= other |
	if .mark then .mark.text |= other else . end)
