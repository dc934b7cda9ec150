# Completion of c2c for bash. Commands, options and the values that options
# list come from --help, so this file only knows what --help does not tell.
# The build gives zsh and fish what they can take of it (tables.awk).
# Works with and without the package bash-completion.
# shellcheck shell=bash

# A row per option whose values --help does not list between bars: words, or
# the extensions of files after "files".
_c2c_values()
{
	case $1 in
	*:--resume) echo files json ;;
	*:--unit) echo ns GiB/s ;;
	cache:--shared) echo L1 L2 L3 ;;
	cache:--pages) echo auto 4k thp hugetlb all ;;
	cache:--order) echo random page stride: ;;
	cache:--access) echo read write copy triad nt-write nt-copy ;;
	cache:--threads) echo 1 llc all ;;
	contend:--operation) echo load store add exchange cas lock ;;
	states:--operation) echo load add store flush ;;
	numa:--mix) echo 1:0 3:1 2:1 1:1 triad nt ;;
	contend:--share) echo word line none ;;
	export:--hwloc) echo files xml ;;
	export:--placement) _c2c_formats ;;
	plot:--statistic) echo median min p10 p90 ci_low ci_high passes fit ceiling ;;
	plot:--matrix)
		echo latency writer reader copy shared
		echo bandwidth-1:0 bandwidth-3:1 bandwidth-2:1 bandwidth-1:1
		echo bandwidth-triad bandwidth-nt
		;;
	plot:--test)
		_c2c_tests
		echo bandwidth line ways
		echo sum sharing p99 jain fairness cpus
		echo add store flush apart blocks
		echo loaded delay load scaling
		echo rank offset
		;;
	esac
}

_c2c_help()
{
	"$_c2c_program" "$@" --help=rows 2>/dev/null
}

# The words that a command takes, if its help lists them.
_c2c_words_of() # COMMAND
{
	_c2c_help "$1" | sed -n '/ is one of:$/,/^$/s/^  \([^ ]*\) .*/\1/p'
}

_c2c_tests()
{
	_c2c_words_of cl | grep -vxE 'list|all'
}

# The programs that placements are for.
_c2c_formats()
{
	_c2c_help export | sed -n 's/^ *--placement=.* one of: //p'
}

# The command that options are of: of c2c measure that of the last part.
_c2c_command_of() # COMMAND WORD...
{
	local command=$1 parts each
	shift
	[ "$command" != measure ] || parts=$(_c2c_words_of measure)
	for each; do
		if [ -n "$parts" ] && [ "$each" = + ]; then
			command=measure
		elif [ "$command" = measure ] &&
			printf '%s\n' "$parts" | grep -qxF -- "$each"; then
			command=$each
		fi
	done
	echo "$command"
}

# What a command takes as arguments: "words" and these, or the extensions of the
# files that it reads.
_c2c_arguments() # COMMAND
{
	local words
	words=$(_c2c_words_of "$1")
	if [ -n "$words" ]; then
		printf '%s\n' words "$words"
		return
	fi
	_c2c_help "$1" | sed -n '1{/FILE/!q;}; 2,/^$/p' | grep -oE ' \.[a-z]+' |
		sed 's/^ \.//' | LC_ALL=C sort -u
}

# The values of an option that takes some, "?" when they are free; nothing for
# a flag. Capitals stand for what is free: "N|max|auto", "node:N". Of a file the
# help says the extensions.
_c2c_values_of() # COMMAND OPTION
{
	local row line extensions
	row=$(_c2c_values "$1:$2")
	if [ -n "$row" ]; then
		echo "$row"
		return
	fi
	line=$(_c2c_help "$1" |
		sed -n -E "s/^ +(-., )?$2=//p; s/^ +$2, --[a-z-]+=//p" |
		head -n 1)
	case ${line%% *} in
	'') ;;
	XML) echo files xml ;;
	FILE | OUT)
		extensions=$(printf '%s\n' "$line" | grep -oE '(\.[a-z]+)+' |
			grep -v '\..*\.')
		[ -n "$extensions" ] && echo "files ${extensions//./}" ||
			echo '?'
		;;
	*'|'*) printf '%s\n' "${line%% *}" | tr '|' '\n' |
		sed -E 's/[A-Z]+$//; /^$/d' ;;
	*) echo '?' ;;
	esac
}

# Files with these extensions, compressed or not, and folders to go on in. A name with a dot is
# completed to new ones too: "lat." and "lat.p".
_c2c_files() # WORD NEW EXTENSION...
{
	local word=$1 new=$2 extension file
	shift 2
	compopt -o filenames 2>/dev/null
	mapfile -t COMPREPLY < <(compgen -d -- "$word")
	for extension; do
		while read -r file; do
			[[ $file != *".$extension"?(.gz|.zst) || -d $file ]] ||
				COMPREPLY+=("$file")
		done < <(compgen -f -- "$word")
		file=${word%.*}.$extension
		if [[ $new && ${word##*/} == *.* && $file == "$word"* ]] &&
			[ ! -e "$file" ]; then
			COMPREPLY+=("$file")
		fi
	done
}

_c2c_words() # WORD CANDIDATE...
{
	local word=$1
	shift
	mapfile -t COMPREPLY < <(compgen -W "$*" -- "$word")
	case ${COMPREPLY[*]} in
	*:) compopt -o nospace 2>/dev/null ;;
	esac
}

_c2c()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local command=${COMP_WORDS[1]} option='' values
	local _c2c_program=${COMP_WORDS[0]/#\~/$HOME}
	COMPREPLY=()

	if [ "$COMP_CWORD" -eq 1 ]; then
		_c2c_words "$word" --help --version --schema "$(_c2c_help |
			sed -n '/^Commands:/,/^$/s/^  \([^ ]*\).*/\1/p')"
		return
	fi

	command=$(_c2c_command_of "${COMP_WORDS[@]:1:COMP_CWORD-1}")
	# "--home=first" is three words here: "=" is one of COMP_WORDBREAKS.
	if [ "$word" = = ]; then
		word=
		option=$before
	elif [ "$before" = = ]; then
		option=${COMP_WORDS[COMP_CWORD-2]}
	elif [[ $before == -* ]]; then
		option=$before
	fi
	if [ -n "$option" ]; then
		read -r -d '' -a values < <(_c2c_values_of "$command" "$option")
		case ${values[0]} in
		'') ;; # a flag: go on as after any other word
		'?') return ;;
		files)
			_c2c_files "$word" new "${values[@]:1}"
			return
			;;
		*)
			_c2c_words "$word" "${values[*]}"
			return
			;;
		esac
	fi

	if [[ $word == -* ]]; then
		_c2c_words "$word" "$(_c2c_help "$command" |
			sed -n -E 's/^ +(-., )?(--[a-z-]+).*/\2/p')"
		return
	fi
	read -r -d '' -a values < <(_c2c_arguments "$command")
	case ${values[0]} in
	'') ;;
	words) _c2c_words "$word" "${values[@]:1}" ;;
	*) _c2c_files "$word" '' "${values[@]}" ;;
	esac
}

complete -F _c2c c2c
