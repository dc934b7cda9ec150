# The parts of c2c.bash that another shell takes: -v shell=zsh or fish.

# For zsh all functions that do not complete are as they are.
shell == "zsh" && /^_c2c_[a-z_]*\(\)/ {
	open = /^_c2c_(arguments|values|help|tests|formats|values_of|words_of|command_of)\(\)/
}
shell == "zsh" && open
shell == "zsh" && /^}$/ {
	if (open)
		print ""
	open = 0
}

# For fish the table becomes a switch.
shell == "fish" && /^_c2c_values\(\)$/ {
	sub(/\(\)/, "")
	print "function " $0
	open = 1
	next
}
shell != "fish" || !open || /^{$/ || /^\t\t;;$/ { next }
/^}$/ {
	print "end\n"
	open = 0
	next
}
/\\$/ { # a row that goes on
	sub(/\\$/, "")
	row = row $0
	next
}
{
	$0 = row $0
	row = ""
}
/^\tcase \$1 in$/ {
	print "\tswitch $argv[1]"
	next
}
/^\tesac$/ {
	print "\tend"
	next
}
/^\t[^\t]/ { # PATTERN | PATTERN) COMMAND ;;
	at = index($0, ")")
	n = split(substr($0, 2, at - 2), patterns, /[ \t]*\|[ \t]*/)
	printf "\tcase"
	for (i = 1; i <= n; i++) {
		gsub(/[ \t]/, "", patterns[i])
		printf " '%s'", patterns[i]
	}
	print ""
	$0 = "\t\t" substr($0, at + 1)
	sub(/[ \t]*;;$/, "")
	if ($0 !~ /[^ \t]/)
		next
	sub(/^[ \t]+/, "\t\t")
}
{ print }
