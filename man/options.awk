# The options of a manual page as mdoc: awk -f options.awk
# part=help HELP part=more MORE part=page PAGE
#
# HELP is what --help=rows prints, MORE what --help=more prints, and
# PAGE the page, whose lines between the two markers are replaced.
#
# MORE is plain text, with an empty line between paragraphs:
#
#   --jobs=N -o           options
#   `auto`                what a user types; `MIN`: what he replaces;
#                         `.csv`: a file; `ls -l`, with a blank: in quotes
#   c2c `c2c plot`        this program
#   lstopo(1)             another page
#   "best size"           in quotes
#   [Waiting loops]       a section of the page
#   .Dl ls -l             a line that begins so is mdoc
#
# What ends a macro's line may follow directly, and "(" may precede it.

function flush()
{
	if (line ~ /^[.']/)
		line = "\\&" line
	if (line != "")
		print line
	line = ""
}

# One word of plain text.
function add(word)
{
	if (line != "" && length(line) + 1 + length(word) > 80)
		flush()
	line = line == "" ? word : line " " word
	if (word ~ /[^.][.?!]\)?$/)
		flush()
}

function dashes(text)
{
	gsub(/-/, "\\-", text)
	return text
}

function macro(name, open, text, rest)
{
	flush()
	if (rest ~ /^[].,;:?!)]*$/)
		gsub(/./, " &", rest)
	else
		rest = " Ns " rest
	print "." name (open ? " (" : "") " " text rest
}

# A literal between backquotes: the macro and its argument.
function literal(text, open, rest)
{
	if (text ~ /^c2c [a-z]+$/)
		macro("Nm", open, text, rest)
	else if (text ~ / /)
		macro("Ql", open, "\"" dashes(text) "\"", rest)
	else if (text ~ /^[A-Z]+$/)
		macro("Ar", open, text, rest)
	else if (text ~ /^\.|\.json$/)
		macro("Pa", open, text, rest)
	else
		macro("Cm", open, text ~ /^-/ ? dashes(text) : text, rest)
}

# An option, without its first dash.
function option(text, open, rest,    at)
{
	at = index(text, "=")
	if (!at)
		macro("Fl", open, dashes(text), rest)
	else
		macro("Fl", open, dashes(substr(text, 1, at - 1)) " Ns = Ns " \
			(substr(text, at + 1) ~ /^[A-Z]/ ? "Ar " : "Cm ") \
			substr(text, at + 1), rest)
}

# A word, or what stands between quotes, with the punctuation around it.
function markup(word,    open, core)
{
	open = word ~ /^\([^)]/
	core = substr(word, open + 1)
	if (match(core, /^(`[^`]+`|"[^"]+"|\[[A-Z][^]]*\])/)) {
		word = substr(core, 2, RLENGTH - 2)
		if (core ~ /^`/)
			literal(word, open, substr(core, RLENGTH + 1))
		else
			macro(core ~ /^"/ ? "Dq" : "Sx", open, word,
				substr(core, RLENGTH + 1))
	} else if (index(core, self "(") == 1)
		macro("Nm", open, self, substr(core, length(self) + 4))
	else if (match(core, /^-(-[a-z][a-z-]*(=[A-Za-z0-9:|-]+)?|[a-z])/))
		option(substr(core, 2, RLENGTH - 1), open,
			substr(core, RLENGTH + 1))
	else if (match(core, /^[a-z0-9_-]+\([1-8]\)/))
		macro("Xr", open, substr(core, 1, RLENGTH - 3) " " \
			substr(core, RLENGTH - 1, 1), substr(core, RLENGTH + 1))
	else if (core ~ /^c2c[].,;:?!)]*$/)
		macro("Nm", open, "c2c", substr(core, 4))
	else
		add(word)
}

# Whether a quote that begins here ends in a later word.
function is_open(word)
{
	return word ~ /^\(?`[^`]*$/ || word ~ /^\(?"[^"]*$/ ||
	       word ~ /^\(?\[[A-Z][^]]*$/
}

function paragraph(text,    words, n, i, word)
{
	# A section of this page.
	while (match(text, "\"[A-Z][^\"]*\" in " self "\\(1\\)"))
		text = substr(text, 1, RSTART - 1) "[" \
			substr(text, RSTART + 1, \
				RLENGTH - length(self) - 9) "]" \
			substr(text, RSTART + RLENGTH)
	n = split(text, words, " ")
	for (i = 1; i <= n; i++) {
		word = words[i]
		while (is_open(word) && i < n)
			word = word " " words[++i]
		markup(word)
	}
	flush()
}

function print_more(text,    lines, n, i, open)
{
	n = split(text, lines, "\n")
	text = ""
	open = 1
	for (i = 1; i <= n; i++) {
		if (open && lines[i] != "")
			print ".Pp"
		open = lines[i] == ""
		if (!open && lines[i] !~ /^\.[A-Z]/) {
			text = text " " lines[i]
			continue
		}
		paragraph(text)
		text = ""
		if (!open)
			print lines[i]
	}
	paragraph(text)
}

# "-o, --output=FILE" as mdoc.
function header(text,    at)
{
	at = index(text "=", "=")
	return ".It Fl " option_names(substr(text, 2, at - 2)) \
		(text ~ /=/ ? " Ns = Ns Ar " substr(text, at + 1) : "")
}

function option_names(text)
{
	sub(/, -/, " , Fl ", text)
	return dashes(text)
}

function print_options(    i, k, n, words, name)
{
	self = FILENAME
	gsub(/.*\/|\.1$/, "", self)
	for (i = 1; i <= n_help; i++) {
		if (help[i] !~ /^  /) {
			if (i > 1)
				print ".El\n.Pp"
			print substr(help[i], 2) "\n.Bl -tag -width Ds"
			continue
		}
		if (i == 1)
			print ".Bl -tag -width Ds"
		sub(/^ +/, "", help[i])
		match(help[i], /   */)
		print header(substr(help[i], 1, RSTART - 1))
		n = split(substr(help[i], RSTART), words, " ")
		for (k = 1; k <= n; k++)
			add(words[k])
		flush()
		name = substr(help[i], 1, RSTART - 1)
		sub(/^.*--/, "", name)
		sub(/=.*/, "", name)
		if (name in more)
			print_more(more[name])
		delete more[name]
	}
	print ".El"
	for (name in more) {
		print "no option --" name " for its note" >"/dev/stderr"
		exit 1
	}
}

part == "help" && (/^  +-/ || /^ [^ -].*:$/) { help[++n_help] = $0 }

# A name, and the text below it up to the next name.
part == "more" && sub(/^\f/, "") { at = $0; next }
part == "more" { more[at] = at in more ? more[at] "\n" $0 : $0 }

part == "page" && /^\.\\" End of the options/ { inside = 0 }
part == "page" && !inside
part == "page" && /^\.\\" The options are made/ {
	inside = 1
	print_options()
}

END {
	if (!self || inside) {
		print FILENAME ": no line \"" (self ? "End of the options" : \
			"The options are made") "\"" >"/dev/stderr"
		exit 1
	}
}
