#!/bin/sh
# Writes a page with each figure of the seed documents beside c2c's picture of
# the same quantity. The project does not contain the figures: FOLDER has them as
# NAME.png, .jpg, .gif, .webp or .svg, with the names below. The page names the
# absent figures.
#
#     plots/contact.sh FOLDER OUT.html [OPTION of c2c plot]...
#     plots/contact.sh figures dark.html --theme dark
#
# The variable FIGURES (words, default: all) chooses figures by name. The
# variable C2C names the program.
set -eu

[ $# -ge 2 ] || {
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'
	exit 2
}
folder=$1 out=$2
shift 2
data=$(dirname "$0")/../data
c2c=${C2C:-$(dirname "$0")/../build/c2c}
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# The fields of a row are NAME|what it shows|records|options of c2c plot.
# "devices" stands for the records of OpenCL.
table()
{
	cat <<-END
	000-read|read bandwidth over the size of a buffer|devices|--test cache
	000-write|write bandwidth over the size of a buffer|h200-cl-all|--test cache
	000-formats|mix of buffers and textures, formats|h200-cl-all|--test formats
	001-levels|L1 and local memory of several devices|devices|--test peak
	001-cpus|L1 of CPUs beside GPUs|xeon-16vcpu-cache xeon-2vcpu-cache|
	002-fig09|basic arithmetic on GPUs|h200-cl-all|--test math
	002-fig10|basic arithmetic on CPUs|xeon-16vcpu-cl-all epyc-2vcpu-cl-all|--test math
	002-fig11|built-in functions on GPUs|h200-cl-all|--test math
	002-fig12|built-in functions on CPUs|xeon-16vcpu-cl-all|--test math
	002-fig13|the bus|devices|--test bus
	002-fig14|reads of global memory over the stride|devices|--test stride
	002-fig15|writes of global memory over the stride|h200-cl-all|--test stride
	002-fig16|reads by row and column on CPUs|xeon-16vcpu-cl-all|--test rowcol
	002-fig17|writes by row and column on CPUs|epyc-2vcpu-cl-all|--test rowcol
	002-fig18|reads by row and column on GPUs|h200-cl-all|--test rowcol
	002-fig19|writes by row and column on GPUs|h200-cl-all|--test rowcol
	002-fig20|reads of local memory over the stride|devices|--test local
	002-fig21|writes of local memory over the stride|h200-cl-all|--test local
	002-fig22|constant memory|devices|--test constant
	002-fig23|images of one size in several shapes|devices|--test image
	002-fig24|square images of several sizes|h200-cl-all|--test image
	002-fig25|time over the number of work-items|devices|--test scale
	003-pingpong|latency between all pairs of cores|xeon-64vcpu|
	003-bw_baseline|queue between all pairs, one pass|xeon-64vcpu-queue-warm|--statistic min
	003-writerplot|what the writer of a queue reports|xeon-64vcpu-queue-warm|--matrix writer
	003-readerplot|what the reader of a queue reports|xeon-64vcpu-queue-warm|--matrix reader
	004-stream|streaming kernels over occupancy|devices|--test stream
	004-latency|latency over the size|devices|--test latency
	004-cache|bandwidth over the size, one buffer|devices|--test cache
	004-l2-cache|bandwidth over the size, by group|h200-cl-all|--test cache
	004-strides|strides of one group|devices|--test banks
	004-strides2|shapes of a group|h200-cl-all|--test banks
	004-small-kernels|short kernels over the size|devices|--test launch
	004-roofline|operations over bytes|devices|--test roofline
	004-memcpy|copies to the device|h200-cl-all|--test bus
	004-incore|chains of operations in a core|h200-cl-all|--test incore
	END
}

# picture FILE TYPE ALT: print an img element that contains the file.
picture()
{
	printf '<img alt="%s" src="data:image/%s;base64,' "$3" "$2"
	base64 -w 0 "$1"
	echo '" />'
}

# seed NAME: print the figure of a seed document, or a note that it is absent.
seed()
{
	for type in png jpeg gif webp svg+xml; do
		extension=$(echo "$type" | sed 's/jpeg/jpg/; s/+xml//')
		if [ -e "$folder/$1.$extension" ]; then
			picture "$folder/$1.$extension" "$type" "$1"
			return
		fi
	done
	echo "<p>$1 is not in the folder.</p>"
}

# ours RECORDS OPTION...: print c2c's picture, or the reason why there is none.
ours()
{
	records=$(echo " $1" | sed "s/ devices/ h200-cl-all xeon-16vcpu-cl-all epyc-2vcpu-cl-all/; s| \([^ ]*\)| $data/\1.json|g")
	shift
	# shellcheck disable=SC2086 # $records are separate words
	if "$c2c" plot -q $records "$@" -o "$made/ours.svg" 2>"$made/why"; then
		picture "$made/ours.svg" svg+xml "c2c plot $*"
	else
		printf '<pre>%s</pre>\n' "$(sed 's/&/\&amp;/g; s/</\&lt;/g' "$made/why")"
	fi
}

table >"$made/table"
{
	echo '<!DOCTYPE html><html lang="en"><meta charset="utf-8" /><title>Contact sheet</title>'
	echo '<style>body{font:15px sans-serif}div{display:grid;grid-template-columns:1fr 1fr;gap:1em;align-items:start}img{width:100%}</style>'
	while IFS='|' read -r name what records options; do
		case " ${FIGURES:-$name} " in *" $name "*) ;; *) continue ;; esac
		echo "<h2>$name: $what</h2><p>c2c plot $records $options</p><div>"
		seed "$name"
		# shellcheck disable=SC2086 # $options are separate words
		ours "$records" $options "$@" </dev/null
		echo '</div>'
	done <"$made/table"
	echo '</html>'
} >"$made/sheet.html"
mv "$made/sheet.html" "$out"
