# The keys of all JSON of c2c as mdoc, from its schema: jq -r -f keys.jq
#
# A section for each type, an item for each key. "TEXT [UNIT]" is a description.
# The keys of an object that has no type of its own have its key and a dot.

def name: .["$ref"] | ltrimstr("#/$defs/");

def kind:
	if .["$ref"] then "object " + name
	elif .anyOf then .anyOf[0] | kind
	elif .enum then "word"
	elif .type == null then "any value"
	else (.type | if type == "array" then .[0] else . end) as $type |
		if ($type == "array") then "list of " + (.items |
			if .["$ref"] then name + " objects"
			else kind | sub("^list"; "lists") |
				if startswith("lists") then . else . + "s" end
			end)
		elif (.type | type) == "array" and (.type | length) > 2
		then "number, text or flag"
		else {string: "text", boolean: "flag", number: "number",
			integer: "whole number", object: "object"}[$type]
		end
	end;

def or_null:
	.anyOf != null or (.enum // [] | index(null)) != null or
	(.type | type == "array" and index("null") != null);

def unit: .description // "" | capture("\\[(?<unit>.*)\\]$").unit // null;

def about:
	(.description // empty | sub(" \\[.*\\]$"; "") |
		gsub("\\. "; ".\n") + "."),
	((.enum // []) - [null] | if length == 0 then empty
	elif length == 1 then "Possible word: \(.[0])."
	else "Possible words: " + (.[:-1] | join(", ")) + " or " + .[-1] + "." end);

def items($prefix):
	(.required // []) as $always |
	(.properties, (.additionalProperties | objects | {"*": .}),
		(.patternProperties // {} |
		with_entries(.key |= (ltrimstr("^") | sub("\\[.*"; "*"))))) |
	to_entries[] | .key as $key | .value |
	if .properties then items($prefix + $key + ".")
	elif .const then ".It Cm \($prefix)\($key)", "Always \(.const)."
	else
		".It Cm \($prefix)\($key) Pq \(kind)" +
			(if unit then " in \(unit)" else "" end) +
			(if or_null then " or null" else "" end) +
			(if $always | index($key) then ""
			else ", may be absent" end),
		about
	end;

.["$defs"] | to_entries[] |
	".Ss Object \(.key)",
	(.value | about),
	".Bl -tag -width Ds -compact",
	(.value | items("")),
	".El"
