#!/bin/sh
# Draws the pictures of this folder again from the records, except the pictures
# of OpenCL, which cl-records.sh draws.
#
#     data/draw.sh                # the pictures
#     data/draw.sh sheet OUT.png  # all pictures on one sheet (ImageMagick)
#
# The variable C2C names the program (default: build/c2c).
set -eu
cd "$(dirname "$0")"

c2c=${C2C:-../build/c2c}

draw()
{
	for record in *.json; do
		name=${record%.json}
		case $name in
		*-cl-all) continue ;;
		*-moving) "$c2c" analyze -q --epoch last "$record" -o "$name.png" >/dev/null ;;
		*) "$c2c" plot -q "$record" -o "$name.png" ;;
		esac
	done
}

case ${1-} in
sheet) montage ./*.png -resize 640x480 -geometry +8+8 -tile 4x "$2" ;;
"") draw ;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
	exit 2
	;;
esac
