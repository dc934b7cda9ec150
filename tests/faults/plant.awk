# Plant a fault, or check that faults can be planted: see run.sh.
#
#	awk -v srcdir=FOLDER -f plant.awk NAME.fault...    what is wrong with them
#	awk -v srcdir=FOLDER -v plant=1 -f plant.awk NAME.fault    the planted file

BEGIN { ORS = "" }

function complain(what)
{
	print fault ": " what "\n"
}

# All of a file, with a newline before it, so that any line is between two.
function text_of(path,    line)
{
	if (!(path in texts)) {
		texts[path] = "\n"
		while ((getline line < (srcdir "/" path)) > 0)
			texts[path] = texts[path] line "\n"
		close(srcdir "/" path)
	}
	return texts[path]
}

function end_fault(    text, at)
{
	if (fault == "")
		return
	text = text_of(file)
	at = index(text, before)
	if (what == "" || tests == "" || before == after)
		complain("found no sentence, no tests or no change")
	else if (!at)
		complain(file " has no such lines")
	else if (index(substr(text, at + 1), before))
		complain(file " has these lines more than once")
	else if (plant)
		print substr(text, 2, at - 1) substr(after, 2) \
			substr(text, at + length(before))
}

FNR == 1 {
	end_fault()
	fault = FILENAME
	sub(/.*\//, "", fault)
	what = file = tests = ""
	before = after = "\n"
}

/^# ./ { what = $0 }
/^file / { file = $2 }
/^tests / { tests = substr($0, 7) }
/^($|[ -])/ { before = before substr($0, 2) "\n" }
/^($|[ +])/ { after = after substr($0, 2) "\n" }

END { end_fault() }
