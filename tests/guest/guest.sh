#!/bin/sh
# c2c on a machine with several NUMA nodes: a guest that QEMU emulates. "make
# check-guest" runs this.
#
# Eight CPUs: two packages, two cores each, two threads each. Four nodes: 0 and
# 1 with CPUs and memory, 2 with CPUs and no memory, 3 with memory and no CPUs.
# It has more CPUs than the machine that runs it may have, so they do not all
# run at once. Times mean nothing here. Shapes, bindings, refusals and records
# do.
set -u
: "${srcdir:?}" "${builddir:?}" "${C2C:?}"
# shellcheck source=tests/meta/tap.sh
. "$srcdir/tests/meta/tap.sh"

place=$builddir/guest
kernel=$place/vmlinuz
seconds=300
mkdir -p "$place" || exit 99
cd "$place" || exit 99

# Why the guest cannot run on a machine of this kind; else nothing.
if [ "$(uname -m)" != x86_64 ] || ! command -v dpkg >/dev/null; then
	skip "the guest boots and ends" "the guest is x86-64 and Debian's, and this machine is $(uname -m)$(
		. /etc/os-release 2>/dev/null && echo ", ${NAME:-}")"
	finish
	exit 0
fi

# What is missing: bootstrap brings it.
missing()
{
	for tool in qemu-system-x86_64 cpio jq /bin/busybox; do
		command -v "$tool" >/dev/null || echo "$tool is missing"
	done
	[ -f "$kernel" ] || echo "$kernel is missing"
}

# The root file system: a busybox, c2c with its libraries, and what runs there.
pack()
{
	rm -rf root
	mkdir -p root/bin root/proc root/sys root/dev &&
		cp /bin/busybox root/bin/ &&
		cp "$C2C" root/bin/c2c &&
		cp "$srcdir/tests/guest/init" "$srcdir/tests/guest/commands" \
			root/ &&
		chmod +x root/init || return
	for library in $(ldd "$C2C" | grep -o '/[^ ]*'); do
		mkdir -p "root${library%/*}" &&
			cp -L "$library" "root$library" || return
	done
	(cd root && find . | cpio -o -H newc --quiet) | gzip -1 >root.gz
}

# Run it to its end; what came of it is in out/.
boot()
{
	rm -rf console results out
	mkdir out
	timeout "$seconds" qemu-system-x86_64 -nodefaults -no-user-config \
		-display none -no-reboot -M q35 -cpu max,vendor=GenuineIntel \
		-accel tcg,thread=multi -m 1024 \
		-smp 8,sockets=2,cores=2,threads=2 \
		-object memory-backend-ram,id=m0,size=384M \
		-object memory-backend-ram,id=m1,size=384M \
		-object memory-backend-ram,id=m3,size=256M \
		-numa node,nodeid=0,cpus=0-3,memdev=m0 \
		-numa node,nodeid=1,cpus=4-5,memdev=m1 \
		-numa node,nodeid=2,cpus=6-7 \
		-numa node,nodeid=3,memdev=m3 \
		-kernel "$kernel" -initrd root.gz \
		-append "console=ttyS0 quiet panic=-1" \
		-serial file:console -serial file:results \
		</dev/null >qemu.log 2>&1 ||
		echo "QEMU ended with status $?" >>qemu.log
	base64 -d results | tar -xz -C out
}

# ended STATUS NAME...: what did not end with it, and what it said.
ended()
{
	status=$1
	shift
	for name; do
		[ "$(cat "out/$name.status" 2>&1)" = "$status" ] || {
			echo "$name ended with $(cat "out/$name.status" 2>&1)," \
				"expected $status:"
			tail -n 5 "out/$name.err"
		}
	done
}

# holds FILE FILTER...: the jq filters that are not true of a JSON file.
holds()
{
	file=out/$1
	shift
	for filter; do
		jq -e "$filter" "$file" >/dev/null 2>jq.log ||
			echo "${file#out/} is not: $filter $(cat jq.log)"
	done
}

found=$(missing)
if [ -n "$found" ]; then
	report "the guest boots and ends" "$found
./bootstrap check --full brings what is missing"
	finish
	exit 0
fi
pack && boot
report "the guest boots and ends" "$(
	[ -f out/end ] || tail -n 20 console qemu.log)"
sed 's/^/# /' console

report "info tells the nodes, with and without CPUs" "$(
	ended 0 info
	holds info.out '.machine.numa_nodes == 4' '.machine.cpus_online == 8' \
		'.machine.packages == 2' '.machine.cores == 4'
)"
report "latency measures every pair" "$(
	ended 0 latency
	holds latency.json .complete '.cpus == [0, 1, 2, 3, 4, 5, 6, 7]' \
		'.matrices[0].values | flatten | map(select(. != null)) |
			length == 56'
)"
finish
