#!/bin/sh
# Make the XML topologies beside this file again, with hwloc's tools (lstopo and
# hwloc-annotate, 2.9) from the machines of machine.sh. Tests do not run this:
# they read the committed files.
set -eu
cd "$(dirname "$0")"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# export_xml NAME: with fixed values for what differs from host to host
export_xml()
{
	sh machine.sh "$1" "$scratch/$1"
	HWLOC_FSROOT="$scratch/$1" HWLOC_COMPONENTS=-x86 \
		lstopo --disallowed --no-io --of xml -f "$1.xml"
}

fix_infos()
{
	sed -i -E '/name="(OSVersion|ProcessName|hwlocVersion)"/d
		/<support /d
		s/(name="HostName" value=)"[^"]*"/\1"pretended"/
		s/(name="OSRelease" value=)"[^"]*"/\1"6.1.0"/
		s/(name="Architecture" value=)"[^"]*"/\1"x86_64"/' "$@"
}

for name in hybrid memory restricted; do
	export_xml "$name"
done

# What CPUID tells on real hybrid machines, and hwloc adds.
hwloc-annotate hybrid.xml hybrid.xml -- all -- cpukind 0xf -1 0 \
	CoreType IntelCore
hwloc-annotate hybrid.xml hybrid.xml -- all -- cpukind 0x3f0 -1 0 \
	CoreType IntelAtom

fix_infos hybrid.xml memory.xml restricted.xml
