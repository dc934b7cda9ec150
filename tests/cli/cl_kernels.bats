#!/usr/bin/env bats
# The kernels of c2c cl alone: the machine code of some of them, and whether
# every kernel stays within its memory.
#
# slow: where it runs beside no other file, it compiles what they compile.
#
# Each case runs in its own shell (SC2030, SC2031); bats and the helpers
# set what seems unset (SC2154).
# shellcheck disable=SC2030,SC2031,SC2154

bats_require_minimum_version 1.5.0
load helpers
load cl

# Kernels take minutes: their cases run where a kernel, or what gives it its
# arguments, differs from the commit before or from origin/main, and in the full
# check. Where git cannot tell, they run.
need_changed_kernels()
{
	[ -n "${C2C_TEST_LONG:-}" ] || kernels_changed ||
		skip "no kernel changed: the full check runs this"
}

kernels_changed()
{
	(
		cd "$srcdir" || exit
		# shellcheck source=tests/meta/changed.sh
		. tests/meta/changed.sh
		git ls-files --error-unmatch src/cl/clock.cl >/dev/null 2>&1 &&
			latest=$(git diff --name-only HEAD~1 2>/dev/null) ||
			exit 0
		{
			echo "$latest"
			differing
		} | grep -qE '^(src/cl/|tests/cli/(cl_kernels.bats|images.c|texels.c)$)'
	)
}

# compile_bytes KERNEL: a quick run of rowcol has no bytes.
compile_bytes()
{
	local arguments=('out:0,0,0,0' 'out:0,0,0,0')
	[ "$1" = read_array ] || arguments=('out:0,0,0,0' 7)
	make_texels
	mkdir -p "$code/bytes"
	POCL_CACHE_DIR=$code/bytes ./texels \
		"$srcdir/src/cl/suite/rowcol.cl" -DELEMENT=uchar "$1" 4 4 \
		"${arguments[@]}" 0 3 0 1 1 4 >printed
}

# objects TEST KERNEL: ./objects lists what PoCL compiled of a kernel for the
# quick run of a test, or of that of rowcol for bytes.
objects()
{
	local folder=$compiled not=()
	command -v objdump >/dev/null || skip "objdump is not installed"
	[ "$(uname -m)" = x86_64 ] || skip "code of $(uname -m) is not read here"
	if [ "$1" = bytes ]; then
		folder=$code/bytes
		compile_bytes "$2"
	elif [[ " ${ran:=} " != *" $1 "* ]]; then
		need_device
		fixture "$1"
		ran+=" $1"
	fi
	# Kernels of image have groups of two dimensions, and no others do: that
	# tells two kernels of one name apart. Those that for_any_group() left
	# are not compiled as a user's.
	[ "$1" != image ] || not=(!)
	find "$folder" -name "$2.so" -path "*/$2/*" ! -path '*/0-0-0/*' \
		"${not[@]}" -path "*/$2/*-1-1*" >objects
	[ -s objects ] || skip "this implementation leaves no machine code"
}

# timed OBJECT: the loop of a kernel that is timed: the innermost one that moves
# most bytes, but for those of the stack and constants, and has no atomics. A
# line an instruction: what it does (load, store, or neither), with how many
# bytes, and itself.
timed()
{
	objdump -d --no-show-raw-insn "$1" | awk '
	function bits(operands) {
		if (operands ~ /%zmm/)
			return 64
		if (operands ~ /%ymm/)
			return 32
		if (operands ~ /%xmm/)
			return 16
		if (operands ~ /%(e[a-z]+|r[0-9]+d)/)
			return 4
		if (operands ~ /%(r[a-z]+|r[0-9]+)/)
			return 8
		return 1
	}
	# Single words that go to wide registers are no vectors.
	function size(name, operands) {
		if (name ~ /^movz?b/)
			return 1
		if (name ~ /s[ds]$/ && name !~ /cmp/ ||
		    name ~ /^v?(mov|pinsr)d$/ || name ~ /^v?insertps$/)
			return name ~ /sd$/ ? 8 : 4
		if (name ~ /^v?(mov|pinsr)q$/ && operands ~ /xmm/)
			return 8
		if (name ~ /l$/ && operands ~ /\$/)
			return 4
		if (name ~ /q$/ && operands ~ /\$/)
			return 8
		return bits(operands)
	}
	function judge(k,   rest) {
		what[k] = "neither"
		if (name[k] ~ /^(lea|nop|j|prefetch)/ || arg[k] !~ /\(/ ||
		    arg[k] ~ /\(%r[si]p/)
			return 0
		what[k] = "load"
		if (arg[k] ~ /\)$/ && name[k] !~ /^(cmp|test)/)
			what[k] = "store"
		rest = arg[k]
		sub(/[-x0-9a-f]*\([^)]*\)/, "", rest)
		return size(name[k], rest)
	}
	function end(   i, j, k, inner, sum, most, best) {
		for (i = 1; i <= jumps; i++) {
			inner = 1
			for (j = 1; j <= jumps; j++)
				if (j != i && first[j] >= first[i] &&
				    last[j] <= last[i])
					inner = 0
			sum = 0
			for (k = first[i]; k <= last[i]; k++) {
				sum += bytes[k] = judge(k)
				if (name[k] == "lock")
					inner = 0
			}
			if (inner && sum > most) {
				most = sum
				best = i
			}
		}
		for (k = first[best]; most && k <= last[best]; k++)
			loop[group] = loop[group] what[k] " " bytes[k] \
				" " name[k] " " arg[k] "\n"
		count = jumps = 0
		delete place
	}
	/^[0-9a-f]+ <.*>:$/ { end(); group = /_workgroup(_fast)?>:$/ }
	/^ *[0-9a-f]+:\t/ {
		sub(/^ */, "")
		address = substr($0, 1, index($0, ":") - 1)
		name[++count] = $2
		arg[count] = $3
		place[address] = count
		if ($2 ~ /^j/ && $3 in place) {
			first[++jumps] = place[$3]
			last[jumps] = count
		}
	}
	# What is not called is in the work-group.
	END { end(); printf "%s", loop[1] == "" ? loop[0] : loop[1] }'
}

# never LEAST WHAT... <LOOP: the loop moves so many bytes, and does nothing of
# these: division, call, load, store, word, vector. Words have 8 bytes at most.
never()
{
	awk -v least="$1" -v never=" ${*:2} " '
	function seen(what) {
		if (index(never, " " what " ")) {
			print "a " what ": " $0
			wrong = 1
		}
	}
	{ bytes += $2 }
	$3 ~ /^v?i?div/ { seen("division") }
	$3 ~ /^call/ { seen("call") }
	$1 != "neither" { seen($1); seen($2 > 8 ? "vector" : "word") }
	END {
		if (bytes < least)
			print bytes + 0 " bytes in a turn, not " least
		exit wrong || bytes < least
	}'
}

# Lines of standard input: a test, a kernel, and what never() asks of its loop,
# whatever its work-group and types are.
loops_never()
{
	local test kernel what
	while read -r test kernel what; do
		objects "$test" "$kernel"
		while read -r object; do
			timed "$object" >loop
			# shellcheck disable=SC2086
			never $what <loop || {
				echo "$test $kernel: $object"
				cat loop
				return 1
			}
		done <objects
	done
}

# sizes TEST KERNEL: the bytes of an access, of each loop in a line.
sizes()
{
	objects "$1" "$2"
	while read -r object; do
		timed "$object" | awk '$2 { print $2 }' | sort -nu |
			paste -sd ' '
	done <objects | sort -nu
}

# A newer LLVM joins chains of work-items by gathers, unrolls otherwise and nests
# the loop of a small group: the one that Debian 12 has decides, as with linters.
need_pinned_llvm()
{
	local llvm
	need_changed_kernels
	need_device
	llvm=$(grep -oE 'LLVM [0-9]+' "$runs/devices.json" | head -n 1)
	[ "$llvm" = "LLVM 15" ] || skip "$llvm is here, and version 15 decides"
}

# Elements of columns and of strides, and chains, one of which waits for the one
# before: a compiler that joins words to vectors would measure something else.
# slow: it may be the first that runs these tests of c2c cl.
@test "machine code takes words one by one where the kernel does" {
	need_pinned_llvm
	loops_never <<-END
		rowcol read_array 4 division call store vector
		rowcol write_array 4 division call load vector
		bytes read_array 1 division call store vector
		bytes write_array 1 division call load vector
		constant follow 64 division call store vector
		constant follow_eight 512 division call vector
		banks banks_global 32 division call store vector
		banks banks_local 32 division call store vector
	END
	# Words and double words.
	[ "$(sizes banks banks_global | paste -sd ,)" = 4,8 ]
	[ "$(sizes banks banks_local | paste -sd ,)" = 4,8 ]
}

# A line of each array, or 16 of a turn. launch claims no vectors: an element is 8
# bytes, and its figure is the launch. Nor do images claim any: PoCL calls a
# function for each texel.
# slow: it may be the first that runs these tests of c2c cl.
@test "machine code takes vectors where rates are those of memory" {
	need_pinned_llvm
	loops_never <<-END
		rowcol read_rows 64 division call store word
		constant read_same 1024 division call store word
		local local_read_vectors 1024 division call store word
		local local_write_vectors 1024 division call load word
		stride stride_read_lines 1024 division call store word
		stride stride_write_lines 1024 division call load word
		image buffer_read 16 division call word
		image buffer_write 16 division call load word
		scale add 96 division call word
		cache cache_read 1024 division call store word
		cache cache_write 1024 division call load word
		stream stream_init 64 division call load word
		stream stream_read 64 division call store word
		stream stream_scale 128 division call word
		stream stream_triad 192 division call word
		stream stream_three 192 division call word
		stream stream_five 320 division call word
		svm svm_triad 192 division call word
	END
}

# An access for each of eight elements, or a line for each work-item: of words
# none are joined, and of vectors none are parted.
# slow: it may be the first that runs these tests of c2c cl.
@test "machine code takes the elements of formats and peak as they are" {
	need_pinned_llvm
	loops_never <<-END
		formats buffer_read 32 division call store
		formats buffer_write 32 division call load
		peak peak_local 64 division call store
		peak peak_buffer 512 division call store word
	END
	[ "$(sizes formats buffer_read | paste -sd ,)" = 4,16 ]
	[ "$(sizes formats buffer_write | paste -sd ,)" = 4,16 ]
	sizes peak peak_local >loops
	grep -qx 4 loops
	run ! grep ' ' loops
}

# Each load is at an address that comes from the one before it.
@test "machine code of latency follows a chain, one load after the other" {
	need_changed_kernels
	for kernel in follow_global follow_local follow_constant; do
		objects latency "$kernel"
		while read -r object; do
			timed "$object" >loop
			never 64 division call store vector <loop
			awk '
			# The 64 bits that a register is in.
			function whole(register) {
				sub(/^%e/, "%r", register)
				sub(/d$/, "", register)
				return register
			}
			{
				n = split($4, all, /[(),]+/)
				from = load = 0
				for (i = 1; i <= n; i++)
					if (whole(all[i]) in comes && i < n)
						from = 1
				to = whole(all[n])
				if ($1 == "load") {
					loads++
					wrong += !from && NR > FNR
					delete comes
					comes[to] = 1
				} else if (from) {
					comes[to] = 1
				}
			}
			END { exit wrong || loads < 64 }' loop loop || {
				cat loop
				return 1
			}
		done <objects
	done
}

# slow: it may be the first that runs this test, whose arrays are large.
@test "machine code of roofline computes with vectors" {
	need_changed_kernels
	grep -qw avx2 /proc/cpuinfo || skip "this CPU has no AVX2"
	objects roofline roofline
	while read -r object; do
		objdump -d --no-show-raw-insn "$object" >code
		grep -qE 'vfmadd[0-9]+p[sd] ' code
		run ! grep -E '\sv?(fmadd[0-9]+|mul|add|div)s[sd] |\scall.*(fma|mad)' code
	done <objects
}

make_texels()
{
	command -v "${CC%% *}" >/dev/null || skip "no C compiler"
	[ -e texels ] || ${CC:-cc} -std=c11 -o texels \
		"$srcdir/tests/cli/texels.c" -lOpenCL
}

# has_case KERNEL...: oclgrind runs these in this case.
has_case()
{
	printf '%s\n' "$@" >>"$BATS_FILE_TMPDIR/cases"
}

need_oclgrind()
{
	command -v oclgrind-kernel >/dev/null ||
		skip "oclgrind is not installed"
	need_changed_kernels
}

# clean KERNELS KERNEL ITEMS GROUP: standard input describes its arguments as
# oclgrind-kernel wants them; it does nothing that it must not do. KERNELS are a
# file of the source, or one here. $options go to its compiler, $checks are what
# is looked for.
clean()
{
	local kernels=$1
	[ -e "$1" ] || kernels=$(find "$srcdir/src/cl" -name "$1")
	need_oclgrind
	has_case "$2"
	cat "$srcdir/src/cl/shares.cl" "$kernels" >shared.cl
	{
		printf '%s\n%s\n%s 1 1\n%s 1 1\n' shared.cl \
			"$2" "$3" "$4"
		cat
	} >kernel.sim
	# shellcheck disable=SC2086
	run oclgrind-kernel ${checks:---data-races --uninitialized} \
		--build-options "${options:-} -cl-opt-disable" kernel.sim
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output != *[Ee]rror* && $output != *nvalid* &&
		$output != *ninitialized* && $output != *race* ]]
}

# A square of 8 words a row, of which work-items take 4 each: in rows, then in
# columns. The sums tell that the kernel ran, and where.
@test "kernels keep to their memory: rowcol" {
	options=-DELEMENT=uint clean rowcol.cl read_array 16 4 <<-END
		<size=256 range=0:1:63 uint>
		<size=64 fill=0 uint dump>
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		8
		<size=4 uint>
		4
		<size=4 uint>
		1
		<size=4 uint>
		4
	END
	[[ $output == *"out[0] = 6"*"out[15] = 246"* ]]
	options=-DELEMENT=uint clean rowcol.cl write_array 16 4 <<-END
		<size=256 fill=0 uint dump>
		<size=4 uint>
		100
		<size=4 uint>
		3
		<size=4 uint>
		7
		<size=4 uint>
		32
		<size=4 uint>
		1
		<size=4 uint>
		8
		<size=4 uint>
		4
	END
	[[ $output == *"a[0] = 100"*"a[8] = 101"*"a[63] = 208"* ]]
}

# Eight pieces of 16 words, each read twice, two of them at a time: work-item 1
# has words 16 to 31, work-items 2 and 3 have the first two pieces again, and
# the last one has words 112 to 127. Halves of a vector oclgrind takes for not
# initialised.
@test "kernels keep to their memory: rows in vectors" {
	checks=--data-races clean rows.cl read_rows 16 4 <<-END
		<size=512 range=0:1:127 uint>
		<size=64 fill=0 uint dump>
		<size=4 uint>
		1
		<size=4 uint>
		2
		<size=4 uint>
		16
	END
	[[ $output == *"out[0] = 120"*"out[1] = 376"*"out[2] = 120"* ]]
	[[ $output == *"out[3] = 376"*"out[4] = 632"*"out[15] = 1912"* ]]
	# By eights, and the rest after them.
	checks=--data-races clean rows.cl read_rows 2 1 <<-END
		<size=1152 range=0:1:287 uint>
		<size=8 fill=0 uint dump>
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		144
	END
	[[ $output == *"out[0] = 10296"*"out[1] = 31032"* ]]
}

@test "kernels keep to their memory: scale" {
	clean scale.cl add 4 2 <<-END
		<size=64 fill=1 float>
		<size=64 fill=2 float>
		<size=64 fill=0 float dump>
		<size=4 uint>
		4
	END
	[[ $output == *"c[0] = 3"*"c[15] = 3"* ]]
}

# 4 work-items, a stride of 3 words, of 8: the last comes round to word 1. The 16
# accesses of a turn are all at the same word, since 8 divides what n grows by.
@test "kernels keep to their memory: stride" {
	options=-DSTEP=32768 clean stride.cl stride_read 4 2 <<-END
		<size=32 range=0:1:7 uint>
		<size=16 fill=0 uint dump>
		<size=4 uint>
		3
		<size=4 uint>
		7
		<size=4 uint>
		1
	END
	[[ $output == *"out[0] = 0"*"out[2] = 96"*"out[3] = 16"* ]]
	options=-DSTEP=32768 clean stride.cl stride_write 4 2 <<-END
		<size=32 fill=9 uint dump>
		<size=4 uint>
		100
		<size=4 uint>
		3
		<size=4 uint>
		7
		<size=4 uint>
		1
	END
	[[ $output == *"a[1] = 101"*"a[2] = 9"*"a[6] = 106"*"a[7] = 9"* ]]
}

# A tile of 256 words, its first word that of the group; 4 turns of 16 accesses.
@test "kernels keep to their memory: local" {
	options="-DPITCH=8 -DWORDS=4 -DV_PITCH=2" clean local.cl local_read 4 2 <<-END
		<size=1024>
		<size=16 fill=0 uint dump>
		<size=4 uint>
		1000
		<size=4 uint>
		256
		<size=4 uint>
		0
		<size=4 uint>
		4
	END
	[[ $output == *"out[0] = "[1-9]*"out[3] = "[1-9]* ]]
	options="-DPITCH=8 -DWORDS=4 -DV_PITCH=2" clean local.cl local_write 4 2 <<-END
		<size=1024>
		<size=2048 fill=0 uint dump>
		<size=4 uint>
		1000
		<size=4 uint>
		256
		<size=4 uint>
		0
		<size=4 uint>
		4
	END
	[[ $output == *"out[0] = 1000"*"out[8] = 1008"*"out[256] = 1001"* ]]
}

# A tile of 64 vectors of 4 words. Two rounds of 32 turns read each of 62 vectors
# twice, and join it away. 4 turns write places 0 to 3, and 15 others each.
@test "kernels keep to their memory: local in vectors" {
	options="-DPITCH=8 -DWORDS=4 -DV_PITCH=2" clean local.cl \
		local_read_vectors 4 2 <<-END
		<size=1024>
		<size=64 fill=0 uint dump>
		<size=4 uint>
		1000
		<size=4 uint>
		64
		<size=4 uint>
		0
		<size=4 uint>
		64
	END
	[[ $output == *"out[0] = 1000"*"out[15] = 1000"* ]]
	options="-DPITCH=8 -DWORDS=4 -DV_PITCH=2" checks=--uninitialized \
		clean local.cl local_write_vectors 4 2 <<-END
		<size=1024>
		<size=2048 fill=0 uint dump>
		<size=4 uint>
		1000
		<size=4 uint>
		64
		<size=4 uint>
		1
		<size=4 uint>
		4
	END
	[[ $output == *"out[0] = 1000"*"out[8] = 1002"*"out[256] = 1001"* ]]
}

# Two work-items with 32 lines each, 16 in a turn.
@test "kernels keep to their memory: stride of lines" {
	options=-DSTEP=32768 clean stride.cl stride_read_lines 2 1 <<-END
		<size=4096 fill=1 uint>
		<size=128 fill=0 uint dump>
		<size=4 uint>
		32
		<size=4 uint>
		2
		<size=4 uint>
		3
	END
	# Three rounds of 16 lines; the words are one each.
	[[ $output == *"[0] = 48"*"[31] = 48"* ]]
	options=-DSTEP=32768 clean stride.cl stride_write_lines 2 1 <<-END
		<size=4096 fill=7 uint dump>
		<size=4 uint>
		1000
		<size=4 uint>
		32
		<size=4 uint>
		2
		<size=4 uint>
		3
	END
	[[ $output == *"a[0] = 1000"*"a[16] = 7"*"a[32] = 1002"*"a[512] = 1032"*"a[992] = 1062"* ]]
}

@test "kernels keep to their memory: constant" {
	clean constant.cl follow 4 2 <<-END
		<size=32 uint>
		3 4 5 6 7 0 1 2
		<size=16 fill=9 uint dump>
		<size=4 uint>
		7
		<size=4 uint>
		1
	END
	[[ $output == *"out[0] = 3"*"out[1] = 4"*"out[3] = 6"* ]]
	# Work-item 2 has chains from 2, 3, ... 0, 1, each 17 steps of 3.
	clean constant.cl follow_eight 4 2 <<-END
		<size=32 uint>
		3 4 5 6 7 0 1 2
		<size=128 fill=9 uint dump>
		<size=4 uint>
		7
		<size=4 uint>
		1
	END
	[[ $output == *"out[0] = 3"*"out[7] = 2"*"out[16] = 5"*"out[31] = 5"* ]]
}

# A table of 32 vectors of 4 words, which count up: XOR leaves nothing of the
# first 16, but the last has one word more.
@test "kernels keep to their memory: constant memory for all" {
	{
		echo "#define TABLE $(seq -s, 0 126), 128"
		cat "$srcdir/src/cl/suite/constant.cl"
	} >same.cl
	options=-DWORDS=4 clean same.cl read_same 4 2 <<-END
		<size=64 fill=9 uint dump>
		<size=4 uint>
		16
		<size=4 uint>
		0
		<size=4 uint>
		3
	END
	[[ $output == *"out[0] = 0"*"out[3] = 0"*"out[15] = 0"* ]]
	options=-DWORDS=4 clean same.cl read_same 4 2 <<-END
		<size=64 fill=9 uint dump>
		<size=4 uint>
		32
		<size=4 uint>
		0
		<size=4 uint>
		1
	END
	[[ $output == *"out[0] = 0"*"out[3] = 255"*"out[15] = 255"* ]]
}

# Two work-items take half of eight doubles each. Two doubles in front of these
# and two behind them are not theirs.
@test "kernels keep to their memory: stream" {
	while read -r kernel first last; do
		options="-DSCALAR=double -DWIDTH=1 -DPAD=2 -DWORDS=2" \
			clean stream.cl "stream_$kernel" 2 1 <<-END
			<size=96 fill=9 double dump>
			<size=96 range=1:1:12 double>
			<size=96 range=1:1:12 double>
			<size=8 double>
			3
			<size=4 uint>
			4
		END
		[[ $output == *"[1] = 9"*"[2] = $first"*"[9] = $last"*"[10] = 9"* ]]
	done <<-END
		init 3 3
		scale 9 30
		triad 12 40
		three 27 90
		five 45 150
	END
	# Words of floats, which tell their places; 1 + 2 + 3 + 4 and so on.
	options="-DSCALAR=float -DWIDTH=1 -DPAD=1 -DWORDS=1" \
		clean stream.cl stream_read 2 1 <<-END
		<size=8 fill=9 uint dump>
		<size=40 range=0:1:9 uint>
		<size=40 fill=1 float>
		<size=4 float>
		3
		<size=4 uint>
		4
	END
	[[ $output == *"[0] = 10"*"[1] = 26"* ]]
	# Lines of 16 floats.
	options="-DSCALAR=float -DWIDTH=16 -DPAD=1 -DWORDS=16" checks=--data-races \
		clean stream.cl stream_five 2 1 <<-END
		<size=256 fill=9 float dump>
		<size=256 range=0:1:63 float>
		<size=256 fill=1 float>
		<size=4 float>
		1
		<size=4 uint>
		1
	END
	[[ $output == *"[15] = 9"*"[16] = 80"*"[47] = 235"*"[48] = 9"* ]]
}

# shares ALL REPEATS: the last argument of a kernel on two units of a CPU.
shares()
{
	echo "<size=2112 uint dump>"
	echo "$1 $2"
	yes 0 | head -n 526
}

# Two groups of two work-items, three shares a unit, and two floats for each of
# the twelve: oclgrind runs one group after the other, so the first does all but
# the first share of the second. Each counter ends at 2 more shares and 2 groups.
@test "a group takes the shares of other units after its own" {
	options="-DSCALAR=float -DWIDTH=1 -DPAD=1 -DWORDS=1 -DSHARES" \
		checks=--data-races clean stream.cl stream_read 4 2 <<-END
		<size=52 fill=9 uint dump>
		<size=104 range=0:1:25 uint>
		<size=4 fill=1 float>
		<size=4 float>
		3
		<size=4 uint>
		2
		$(shares 3 0)
	END
	[[ $output == *"[0] = 3"*"[1] = 7"*"[11] = 47"*"[12] = 9"* ]]
	[[ $output == *"[15] = 0"*"[16] = 4"*"[17] = 4"*"[18] = 0"* ]]
	[[ $output == *"[271] = 0"*"[272] = 4"*"[273] = 4"*"[274] = 0"* ]]
	# All repeat the 16 lines of their group: 32 vectors of one make 32.
	options="-DSTEP=32768 -DSHARES" checks=--data-races \
		clean stride.cl stride_read_lines 2 1 <<-END
		<size=2048 fill=1 uint>
		<size=192 fill=4294967295 uint dump>
		<size=4 uint>
		16
		<size=4 uint>
		1
		<size=4 uint>
		2
		$(shares 3 1)
	END
	[[ $output == *"[0] = 32"*"[31] = 32"*"[32] = 4294967295"* ]]
}

# Eight doubles, each of a work-item; local memory is only asked for.
@test "kernels keep to their memory: stream of GPUs" {
	options="-DSCALAR=double -DWIDTH=1 -DPAD=2 -DWORDS=2 -DHELD"
	while read -r kernel v first last; do
		clean stream.cl "stream_$kernel" 8 4 <<-END
			<size=96 fill=9 double dump>
			<size=96 range=1:1:12 double>
			<size=96 range=1:1:12 double>
			<size=8 double>
			$v
			<size=64>
		END
		[[ $output == *"[1] = 9"*"[2] = $first"*"[9] = $last"*"[10] = 9"* ]]
	done <<-END
		init 3 3 3
		read 10 9 10
		scale 3 9 30
		triad 3 12 40
		three 3 27 90
		five 3 45 150
	END
	# All groups have ended, and one at least ran.
	clean stream.cl stream_count 8 4 <<-END
		<size=4 fill=0 uint dump>
		<size=4 fill=0 uint dump>
		<size=4 uint>
		3
		<size=64>
	END
	[[ $output =~ now\[0\]\ =\ 0.*most\[0\]\ =\ [12] ]]
}

# Two groups of 32 work-items, and 256 vectors for each or both: two turns of
# four reads. In the first case both begin with the first, in the second not.
@test "kernels keep to their memory: cache" {
	while read -r blocks slice apart right; do
		options="-DWORDS=4" clean cache.cl cache_read 64 32 <<-END
			<size=8192 range=0:3:6141 uint>
			<size=1024 fill=0 uint dump>
			<size=4 uint>
			2
			<size=4 uint>
			$blocks
			<size=4 uint>
			$slice
			<size=4 uint>
			$apart
			<size=4 uint>
			256
			<size=4 uint>
			0
		END
		[[ $output == *"[0] = 1024"*"[124] = 3072"*"[128] = $right"* ]]
	done <<-END
		1 0 0 1024
		1 0 128 1024
		2 256 0 7168
	END
	options="-DWORDS=4" clean cache.cl cache_write 64 32 <<-END
		<size=8256 fill=9 uint dump>
		<size=4 uint>
		100
		<size=4 uint>
		2
		<size=4 uint>
		256
		<size=4 uint>
		128
		<size=4 uint>
		256
		<size=4 uint>
		2
	END
	[[ $output == *"[0] = 100"*"[4] = 101"*"[2047] = 611"*"[2048] = 9"* ]]
	# Three words an element, 128 elements, for one group.
	options="-DWORDS=3" clean cache.cl cache_read 32 32 <<-END
		<size=1536 range=0:7:2681 uint>
		<size=388 fill=9 uint dump>
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		0
		<size=4 uint>
		0
		<size=4 uint>
		128
		<size=4 uint>
		0
	END
	[[ $output == *"[0] = 0"*"[91] = 2688"*"[92] = 2560"*"[95] = 2560"*"[96] = 9"* ]]
	options="-DWORDS=3" clean cache.cl cache_write 32 32 <<-END
		<size=1540 fill=9 uint dump>
		<size=4 uint>
		100
		<size=4 uint>
		1
		<size=4 uint>
		0
		<size=4 uint>
		0
		<size=4 uint>
		128
		<size=4 uint>
		0
	END
	[[ $output == *"[2] = 100"*"[3] = 101"*"[383] = 227"*"[384] = 9"* ]]
	# A work-item a group, and 32 lines, from two places: 33 rounds are taken,
	# and one is not.
	options="-DWORDS=16" clean cache.cl cache_read 2 1 <<-END
		<size=2048 range=0:3:1533 uint>
		<size=128 fill=9 uint dump>
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		0
		<size=4 uint>
		16
		<size=4 uint>
		32
		<size=4 uint>
		33
		<size=128 fill=0 uint dump>
	END
	[[ $output == *"[0] = 512"*"[16] = 512"* ]]
	# The counters of rounds and groups are set back.
	[[ $output == *"next[0] = 0"*"next[16] = 0"* ]]
	options="-DWORDS=16" clean cache.cl cache_write 2 1 <<-END
		<size=4160 fill=9 uint dump>
		<size=4 uint>
		100
		<size=4 uint>
		2
		<size=4 uint>
		32
		<size=4 uint>
		16
		<size=4 uint>
		32
		<size=4 uint>
		0
		<size=128 fill=0 uint dump>
	END
	[[ $output == *"[0] = 100"*"[16] = 101"*"[1023] = 163"*"[1024] = 9"* ]]
}

# Two chains from each start, 0 and 1 above it, and two turns of eight steps.
@test "kernels keep to their memory: incore" {
	while read -r kernel a b c d first second; do
		options="-DS=float -DT=float -DSTARTS=4" \
			clean incore.cl "${kernel}s_2" 4 4 <<-END
			<size=16 range=1:1:4 float>
			<size=32 fill=0 float dump>
			<size=4 float>
			$a
			<size=4 float>
			$b
			<size=4 float>
			$c
			<size=4 float>
			$d
			<size=4 uint>
			2
		END
		[[ $output == *"out[0] = $first"$'\n'*"out[7] = $second" ]]
	done <<-END
		fma 1 1 1 2 25 29
		div 2 0.5 0 0 1.52588e-05 7.62939e-05
		div 0.5 1 0 0 256 1280
		sqrt 0 0 1 0 1 1.00002
		sqrt 0 0 18446744073709551616 0 1.19001 1.19004
	END
	# Vectors, which have as many results.
	options="-DS=float -DT=float4 -DSTARTS=4" checks=--data-races \
		clean incore.cl fmas_8 1 1 <<-END
		<size=64 range=0:1:15 float>
		<size=128 fill=0 float dump>
		<size=4 float>
		1
		<size=4 float>
		1
		<size=4 float>
		1
		<size=4 float>
		2
		<size=4 uint>
		1
	END
	[[ $output == *"out[0] = 12"*"out[3] = 15"*"out[31] = 22"* ]]
}

# Lines of two words. The host writes how far to go in bytes: 0, 32, 16, 48 and
# back. 33 reads from line 0 end one further, 33 from line 1 too.
@test "kernels keep to their memory: latency" {
	# A buffer that has not been linked has no pointers: nothing is read.
	options=-DWORDS=2 clean latency.cl follow_global 1 1 <<-END
		<size=64 fill=0 ulong>
		<size=8 fill=0 ulong>
		<size=16 fill=0 uint dump>
		<size=4 uint>
		1
		<size=4 uint>
		1
	END
	[[ $output == *"[2] = 0"*"[3] = 0"* ]]
	options=-DWORDS=2 clean latency.cl link 4 1 <<-END
		<size=64 fill=0 ulong dump>
		<size=8 fill=0 ulong dump>
	END
	[[ $output == *"[7] = "[1-9]*"[0] = "[1-9]* ]]
	# From line 2 on.
	{
		cat "$srcdir/src/cl/memory/latency.cl"
		echo '__kernel void both(__global ulong *cells,'
		echo '	__global ulong *begin, __global uint *state)'
		echo '{ link(cells, begin);'
		echo '	follow_global(cells, begin, state, 1, 1); }'
	} >both.cl
	has_case link follow_global
	options=-DWORDS=8 clean both.cl both 1 1 <<-END
		<size=64 ulong>
		32 7 48 7 16 7 0 7
		<size=8 fill=0 ulong>
		<size=16 uint dump>
		9 9 32 5
	END
	[[ $output == *"[0] = 9"*"[2] = 16"*"[3] = 38"* ]]
	# Line 2, whose next is 1; local memory is filled first.
	options=-DWORDS=2 clean latency.cl follow_local 1 1 <<-END
		<size=64>
		<size=24 uint>
		9 9 2 3 1 0
		<size=4 uint>
		2
		<size=4 uint>
		4
		<size=16 uint dump>
		9 9 2 5
		<size=4 uint>
		1
		<size=4 uint>
		1
	END
	[[ $output == *"[0] = 9"*"[2] = 1"*"[3] = 38"* ]]
	{
		echo "#define TABLE 0, 8, 0, 12, 4"
		cat "$srcdir/src/cl/memory/latency.cl"
	} >chain.cl
	clean chain.cl follow_constant 1 1 <<-END
		<size=16 uint dump>
		9 9 4 0
		<size=4 uint>
		1
		<size=4 uint>
		1
	END
	[[ $output == *"[0] = 9"*"[2] = 0"*"[3] = 33"* ]]
}

# bounce GROUPS: units 0 and 1, words two apart, three tries. One thread runs one
# group after the other.
bounce()
{
	options=-DPITCH=2 checks="--data-races --uninitialized --num-threads 1" \
		clean units.cl bounce "$1" 1 <<-END
		<size=32 fill=0 uint dump>
		<size=48 fill=0 ulong dump>
		<size=4>
		<size=16 uint>
		0 1 0 1
		<size=4 uint>
		2
		<size=4 uint>
		3
	END
}

# Each wait ends after its tries, and who gives up leaves no time.
@test "kernels keep to their memory: units, which end without a partner" {
	# Two that do not run at the same time.
	bounce 2
	[[ $output == *"words[0] = 2147483650"*"words[2] = 0"*"words[6] = 0"* ]]
	[[ $output == *"out[0] = 0"*"out[1] = 0"*"out[2] = 0"*"out[3] = 0"* ]]
	# One is there, has its role and makes the word 1; no other answers.
	bounce 1
	[[ $output == *"words[0] = 1"*"words[2] = 1"*"words[4] = 0"* ]]
	[[ $output == *"words[6] = 1"*"out[0] = 1"*"out[1] = 0"*"out[2] = 0"* ]]
}

# Four work-items in two groups. In each turn one adds words x, x + 4, ...
# x + 28: eight times x, and 112. Of two neighbours the second is a stride of 3
# further; of a block the second is in the next row, 5 further.
@test "kernels keep to their memory: banks" {
	while read -r width stride pitch right; do
		options=-Dword=uint \
			clean banks.cl banks_global 4 2 <<-END
			<size=144 range=0:1:35 uint>
			<size=16 fill=9 uint dump>
			<size=4 uint>
			$width
			<size=4 uint>
			$stride
			<size=4 uint>
			$pitch
			<size=4 uint>
			0
			<size=4 uint>
			3
		END
		[[ $output == *"[0] = 336"*"[1] = $right"*"[3] = $right"* ]]
	done <<-END
		2 3 0 408
		1 1 5 456
	END
	# Nothing is read of a tile before it is filled, nor behind its end.
	options=-Dword=ulong clean banks.cl banks_local 4 2 <<-END
		<size=256>
		<size=32 fill=9 ulong dump>
		<size=4 uint>
		2
		<size=4 uint>
		3
		<size=4 uint>
		0
		<size=4 uint>
		0
		<size=4 uint>
		3
		<size=4 uint>
		64
	END
	[[ $output == *"[0] = "[1-9]*"[3] = "[1-9]* ]]
}

# Four work-items in two groups: 16 additions in each of three turns, of 1 to the
# first word of a group and of 2 to the second.
@test "kernels keep to their memory: atomic" {
	clean atomic.cl atomic_local 4 2 <<-END
		<size=8>
		<size=16 fill=9 uint dump>
		<size=4 uint>
		2
		<size=4 uint>
		3
	END
	[[ $output == *"[0] = 48"*"[1] = 96"*"[2] = 49"*"[3] = 97"* ]]
}

# Six elements of four work-items; then three rounds, which end in the other
# array, by two groups that meet.
@test "kernels keep to their memory: launch" {
	clean launch.cl launch_begin 4 2 <<-END
		<size=48 fill=9 ulong dump>
		<size=4 uint>
		6
	END
	leaves 0 1 2 3 4 5
	clean launch.cl launch_add 4 2 <<-END
		<size=32 range=5:1:8 ulong>
		<size=32 fill=9 ulong dump>
	END
	leaves 6 7 8 9
	# Groups run one after the other here: one has nobody to wait for.
	clean launch.cl launch_rounds 2 2 <<-END
		<size=48 range=5:1:10 ulong>
		<size=48 fill=0 ulong dump>
		<size=4 uint>
		6
		<size=4 fill=0 uint dump>
		<size=4 uint>
		3
		<size=4 uint>
		1
	END
	leaves 8 9 10 11 12 13
	grep -F "[0] = 3" <<<"$output"
	# Two that may not look for each other give up, in either order.
	clean launch.cl launch_rounds 4 2 <<-END
		<size=48 range=5:1:10 ulong>
		<size=48 fill=0 ulong>
		<size=4 uint>
		6
		<size=4 fill=0 uint dump>
		<size=4 uint>
		3
		<size=4 uint>
		0
	END
	[[ $output == *"[0] = 2147483650"* ]]
}

# Nine trips make 512 x + 511 of x, and a product with 2 is added to nothing. Of
# two work-items each has every other element, or eight in a row.
@test "kernels keep to their memory: roofline" {
	while read -r options second; do
		options="-DS=float -DT=float $options" \
			clean roofline.cl roofline 2 2 <<-END
			<size=64 range=1:1:16 float>
			<size=64 fill=2 float>
			<size=64 fill=0 float dump>
			<size=4 float>
			2
			<size=4 float>
			1
			<size=4 uint>
			9
			<size=4 uint>
			1
		END
		[[ $output == *"[0] = 2046"* && $output == *"[15] = 17406"* ]]
		[[ $output == *"[1] = $second"* ]]
	done <<-END
		-DSCATTERED 4094
		-DIN_A_ROW 3070
	END
}

# leaves WORD...: what the kernel left, from its first word on.
leaves()
{
	for at in $(seq 0 $(($# - 1))); do
		grep -F "[$at] = $1" <<<"$output"
		shift
	done
}

# A turn begins at one of the first 16 of 32 pieces. After three turns each
# work-item leaves another word, and both kernels leave the same words.
@test "kernels keep to their memory: peak" {
	while read -r bytes zero one two three; do
		# It takes the halves of vectors of 16 for something unwritten.
		[ "$bytes" -lt 64 ] || local checks=--data-races
		options="-DBYTES=$bytes -DPITCH=1 -DWORD=" \
			clean peak.cl peak_local 4 2 <<-END
			<size=$((32 * bytes))>
			<size=16 fill=9 uint dump>
			<size=4 uint>
			15
			<size=4 uint>
			3
		END
		leaves "$zero" "$one" "$two" "$three"
		options="-DBYTES=$bytes -DPITCH=1 -DWORD=" \
			clean peak.cl peak_buffer 4 2 <<-END
			<size=$((32 * bytes)) uint>
			$(awk -v n=$((8 * bytes)) 'BEGIN {
				for (i = 0; i < n; i++)
					print int(i * 2654435761 % 2^32 / 256)
			}')
			<size=16 fill=9 uint dump>
			<size=4 uint>
			15
			<size=4 uint>
			3
		END
		leaves "$zero" "$one" "$two" "$three"
	done <<-END
		4 15886314 2949217 7710740 1445995
		8 8025607 9276159 13045751 5867551
		16 16251006 1901041 8727469 13616358
		64 16735844 8585504 13018102 15730114
	END
}

# Parts of their own, the last one short, or every fourth vector; what is behind
# the last vector stays.
@test "kernels keep to their memory: svm" {
	while read -r width n part reach step; do
		options="-DSCALAR=float -DWIDTH=$width" \
			clean svm.cl svm_fill 4 2 <<-END
			<size=44 fill=9 float dump>
			<size=44 fill=9 float dump>
			<size=44 fill=9 float dump>
			<size=4 uint>
			5
			<size=8 ulong>
			$part
			<size=8 ulong>
			$reach
			<size=8 ulong>
			$step
			<size=8 ulong>
			$n
		END
		[[ $output == *"a[0] = -1"*"a[9] = -1"*"a[10] = 9"* ]]
		[[ $output == *"b[0] = 5"*"b[9] = 14"*"b[10] = 9"* ]]
		[[ $output == *"c[0] = 0"*"c[1] = 648055"*"c[10] = 9"* ]]
		[ "$width" -eq 1 ] || continue
		options="-DSCALAR=float -DWIDTH=$width" \
			clean svm.cl svm_triad 4 2 <<-END
			<size=44 fill=9 float dump>
			<size=44 range=0:1:10 float>
			<size=44 range=0:10:100 float>
			<size=4 float>
			3
			<size=8 ulong>
			$part
			<size=8 ulong>
			$reach
			<size=8 ulong>
			$step
			<size=8 ulong>
			$n
		END
		[[ $output == *"a[0] = 0"*"a[1] = 31"*"a[9] = 279"*"a[10] = 9"* ]]
	done <<-END
		1 10 3 3 1
		1 10 1 10 4
		2 5 2 2 1
	END
}

# Blocks of 16 words, of which two work-items take every other one each: a block
# for each of two groups, or both blocks for all.
@test "kernels keep to their memory: formats" {
	while read -r kernel turns mask apart v right; do
		options="-DTYPE=uint -DWIDTH=1 -DPITCH=2 -DREAD_QUALIFIER=" \
			clean formats.cl "$kernel" 4 2 <<-END
			<size=128 range=0:1:31 uint>
			<size=16 fill=9 uint dump>
			<size=4 uint>
			$turns
			<size=4 uint>
			1
			<size=4 uint>
			$mask
			<size=4 uint>
			$apart
			<size=4 uint>
			$v
		END
		[[ $output =~ $right ]]
	done <<-END
		buffer_read 1 0 1 0 0\] = 56.*1\] = 64.*2\] = 184.*3\] = 192
		buffer_read 3 0 1 0 0\] = 168.*1\] = 192.*2\] = 552.*3\] = 576
		buffer_read 2 1 0 0 0\] = 240.*1\] = 256.*2\] = 240.*3\] = 256
		buffer_multiply 1 0 1 3 0\] = 168.*1\] = 192.*2\] = 552.*3\] = 576
	END
	# Three words an element, the last block is not written.
	options="-DTYPE=uint -DWIDTH=3 -DPITCH=2 -DREAD_QUALIFIER=" \
		checks=--data-races clean formats.cl buffer_write 2 2 <<-END
		<size=384 fill=9 uint dump>
		<size=4 fill=9 uint>
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		0
		<size=4 uint>
		100
	END
	[[ $output == *"[0] = 100"*"[2] = 100"*"[3] = 101"*"[47] = 101"*"[48] = 9"* ]]
	options="-DTYPE=float -DWIDTH=3 -DPITCH=1 -DREAD_QUALIFIER=" \
		checks=--data-races clean formats.cl buffer_read 1 1 <<-END
		<size=96 range=0:1:23 float>
		<size=4 fill=9 float dump>
		<size=4 uint>
		1
		<size=4 uint>
		1
		<size=4 uint>
		0
		<size=4 uint>
		0
		<size=4 uint>
		0
	END
	[[ $output == *"[0] = 276"* ]]
}

@test "kernels keep to their memory: those of every session" {
	clean session.cl nothing 1 1 <<-END
		<size=4 fill=0 uint>
	END
	clean session.cl work 4 1 <<-END
		<size=16 fill=0 uint dump>
		<size=4 uint>
		2
	END
	[[ $output == *"out[3] = "[1-9]* ]]
}

@test "kernels keep to their memory: branch" {
	# Without -cl-opt-disable oclgrind 21.10 computes this kernel wrongly,
	# and it alone: LLVM makes of g % 4 a number of two bits, of which
	# oclgrind keeps eight. Of
	#	switch (get_global_id(0) % 4) { case 0: ... case 3: ... }
	# it says at work-item 4 that it meets an unreachable instruction.
	options=-DPATHS=4 clean branch.cl branch 8 4 <<-END
		<size=32 fill=0 uint dump>
		<size=4 uint>
		3
		<size=4 uint>
		5
		<size=4 uint>
		1
		<size=4 uint>
		0
	END
	[[ $output == *"out[1] = 1973673192"*"out[4] = 1973670992"*"out[7] = 1436798409"* ]]
}

# Vectors of two: work-item 1 begins with 2 and 3.
@test "kernels keep to their memory: math" {
	printf '#define %s\n' 'S float' 'T float2' 'I int2' 'STARTS 2' \
		'TO_T convert_float2' 'CHAINS 4' 'NAMED(name) name##_2' \
		>defined
	# Each kind alone, as on a GPU.
	# Sixteen steps from 2, odd ones with a and c, even ones with b and d;
	# and eight chains of these, that begin one above the other, added up.
	while read -r only kind a b c d one eight; do
		{
			cat defined
			echo "#define ONLY $only"
			cat "$srcdir/src/cl/suite/math.cl"
		} >arithmetic.cl
		for kernel in "${kind}_1_2 $one" "${kind}_8_2 $eight"; do
			clean arithmetic.cl "${kernel% *}" 4 2 <<-END
				<size=16 range=0:1:3 float>
				<size=32 fill=0 float dump>
				<size=4 float>
				$a
				<size=4 float>
				$b
				<size=4 float>
				$c
				<size=4 float>
				$d
				<size=4 uint>
				2
			END
			[[ $output == *"out[2] = ${kernel#* }"$'\n'* ]]
		done
	done <<-END
		0 add 3 -2 0 0 10 108
		1 sub 3 -2 0 0 -6 -20
		2 mul 2 1 0 0 512 11264
		3 div 0.5 1 0 0 512 11264
		4 mad 1 1 1 2 26 236
		5 fma 1 1 1 2 26 236
	END
	# Bodies of the table: sums over the first chain, whose arguments are 2
	# and 4, of which b is 2 and k 3.
	while IFS=: read -r body right; do
		checks=
		# oclgrind 21.10 ends with an error of its own where a function
		# writes by a pointer and it looks for what is uninitialised.
		[[ $body != *"&"* ]] || checks=--data-races
		grep -qaF "$body" "$C2C"
		{
			cat defined
			echo "#define BODY $body"
			cat "$srcdir/src/cl/suite/math.cl"
		} >calls.cl
		clean calls.cl calls_2 2 1 <<-END
			<size=16 range=0:1:3 float>
			<size=64 fill=0 float dump>
			<size=4 float>
			0.5
			<size=4 float>
			2
			<size=4 int>
			3
			<size=4 uint>
			2
		END
		[[ $output == *"out[8] = $right"* ]]
	done <<-END
		return fmax(x, b);:6
		return fma(x, x, b);:24
		return ldexp(x, k);:48
		return pown(x, k);:72
		return rootn(x, k);:2.84
		return powr(x, b);:20
		return floor(x);:6
		return sin(x);:0.15
		return rsqrt(x);:1.2
		T t, y = fract(x, &t); return y - t;:-6
		T t, y = sincos(x, &t); return y + t;:-0.91
		T t, y = modf(x, &t); return y - t;:-6
		T y = frexp(x, &k); return y + TO_T(k);:6
		return TO_T(ilogb(x));:3
		T y = remquo(x, b, &k); return y + TO_T(k);:3
		return nextafter(x, b) - x;:-2.38
	END
}

# texels KERNELS OPTIONS KERNEL ITEMS GROUP ARGUMENT...: what clean() does, for
# kernels with images. $output is what texels.c prints.
texels()
{
	cat "$srcdir/src/cl/shares.cl" "$srcdir/src/cl/memory/$1" >shared.cl
	shift
	need_oclgrind
	need_opencl
	has_case "$2"
	make_texels
	run oclgrind --data-races ./texels shared.cl "$@"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output != *[Ee]rror* && $output != *nvalid* && $output != *race* ]]
}

# last WORD...: the last lines that texels() printed.
last()
{
	local i=0
	for word in "$@"; do
		echo "[$i] = $word"
		i=$((i + 1))
	done >right
	tail -n $# <<<"$output" | diff right -
}

# Two groups of two work-items have a block of 16 texels each, and take every
# other one of it. Texel e has 4 e to 4 e + 3.
@test "kernels keep to their memory: formats of images" {
	local of_uint="-DTYPE=uint -DREAD_IMAGE=read_imageui"
	local of_float="-DTYPE=float -DREAD_IMAGE=read_imagef"
	local all="-DWIDTH=4 -DPITCH=2 -DREAD_QUALIFIER= -DIMAGES"
	of_uint+=" -DWRITE_IMAGE=write_imageui $all"
	of_float+=" -DWRITE_IMAGE=write_imagef $all"
	texels formats.cl "$of_uint" typed_read 4 2 \
		uint:32:1d out:9,9,9,9 1 0 0 1 0 4
	last 944 1072 2992 3120
	# All have the first block, and read it three times; then the second of
	# two, behind the first.
	texels formats.cl "$of_uint" typed_read 4 2 \
		uint:32:1d out:9,9,9,9 3 0 0 0 0 1
	last 672 768 672 768
	texels formats.cl "$of_uint" typed_read 2 2 \
		uint:32:1d out:9,9 2 1 1 0 0 1
	last 960 1024
	texels formats.cl "$of_uint" plane_read 4 2 \
		uint:8x4 out:9,9,9,9 1 0 0 1 0 1 3
	last 224 256 736 768
	# The bits of 944, 1072, 2992 and 3120.
	texels formats.cl "$of_float" plane_read 4 2 \
		float:8x4 out:9,9,9,9 1 0 0 1 0 4 3
	last 1147928576 1149632512 1161494528 1162018816
	for mix in 0 25 50 75 100; do
		texels formats.cl "$of_uint" "mix_$mix" 4 2 \
			uint:8x4 out:9,9,9,9 1 0 0 1 0 4 3 uint:32
		grep -A 3 -F '[127] = 127' <<<"$output" | head -n 4 >sums
		[ "$(tail -n 3 sums)" = "[0] = 944
[1] = 1072
[2] = 2992" ]
	done
}

# The block behind theirs stays as it was.
@test "kernels keep to their memory: formats of images, written" {
	local of_uint="-DTYPE=uint -DWIDTH=4 -DPITCH=2 -DREAD_QUALIFIER= -DIMAGES"
	of_uint+=" -DREAD_IMAGE=read_imageui -DWRITE_IMAGE=write_imageui"
	texels formats.cl "$of_uint" typed_write 4 2 \
		uint:40:1d out:9 1 0 0 1 100 4
	[[ $output == *"[0] = 100"*"[3] = 100"*"[4] = 101"*"[127] = 101"* ]]
	[[ $output == *"[128] = 128"*"[159] = 159"* ]]
	texels formats.cl "$of_uint" plane_write 4 2 \
		uint:8x5 out:9 1 0 0 1 100 4 3
	[[ $output == *"[0] = 100"*"[3] = 100"*"[4] = 101"*"[127] = 101"* ]]
	[[ $output == *"[128] = 128"*"[159] = 159"* ]]
}

# One group reads or writes the first half of the rows.
@test "kernels keep to their memory: cache of images" {
	local nines
	nines=$(yes 9 | head -n 128 | paste -sd ,)
	texels cache.cl "-DWORDS=4 -DCHANNELS=xyzw" cache_read 32 32 \
		square:16x16 "out:$nines" 1 1 0 0 128 0 4
	tail -n 128 <<<"$output" >sums
	grep -qxF '[5] = 196608' sums
	grep -qxF '[127] = 65536' sums
	texels cache.cl "-DWORDS=1 -DCHANNELS=x" cache_read 32 32 \
		square:16x16 "out:$nines" 1 1 0 0 128 0 4
	tail -n 128 <<<"$output" >sums
	grep -qxF '[31] = 65536' sums
	grep -qxF '[32] = 9' sums
	texels cache.cl "-DWORDS=4 -DCHANNELS=xyzw" cache_write 32 32 \
		uint:16x16 100 1 0 0 128 0 4
	[[ $output == *"[3] = 100"*"[4] = 101"*"[511] = 227"*"[512] = 512"* ]]
}

# Both kinds of image hold the same ring: three turns and a read from line 2 on.
@test "kernels keep to their memory: latency of images" {
	texels latency.cl -DIMAGES follow_image1d 1 1 \
		word:2,3,1,0:1d out:9,9,2,7 1 3
	last 9 9 1 104
	texels latency.cl -DIMAGES follow_image2d 1 1 \
		word:65537,0,1,65536:2x2 out:9,9,65536,7 1 3
	last 9 9 1 104
}

# What it reads of an image is what peak_buffer reads of a buffer.
@test "kernels keep to their memory: peak of images" {
	local options="-DBYTES=16 -DPITCH=1 -DWORD= -DIMAGES"
	texels peak.cl "$options" peak_buffer 4 2 square:32 out:9,9,9,9 15 3
	tail -n 4 <<<"$output" >of_buffer
	run ! grep -E ' = [09]$' of_buffer
	texels peak.cl "$options" peak_image 4 2 square:32:1d out:9,9,9,9 15 3
	tail -n 4 <<<"$output" | diff of_buffer -
}

# oclgrind's launcher knows no images; that all is initialised it cannot tell of
# what lies in one.
@test "kernels keep to their memory: image" {
	need_oclgrind
	command -v "${CC%% *}" >/dev/null || skip "no C compiler"
	need_opencl
	has_case image_read image_write buffer_read buffer_write
	${CC:-cc} -std=c11 -o images "$srcdir/tests/cli/images.c" -lOpenCL
	run oclgrind --data-races ./images "$srcdir/src/cl/suite/image.cl"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "as expected" ]
	# A write into the neighbour's element is seen.
	sed 's/write_imagef(image,/& i ? (int2)(0, 0) :/' \
		"$srcdir/src/cl/suite/image.cl" >racing.cl
	run oclgrind --data-races ./images racing.cl
	[[ $output == *"data race"* ]]
}

# What a macro makes of a kernel's name, as a pattern of the names in the cases.
names_of()
{
	case $1 in
	"NAMED(NAME##_8)") echo '[a-z]+_8_2' ;;
	"NAMED(NAME##_1)") echo '[a-z]+_1_2' ;;
	"NAMED(calls)") echo 'calls_2' ;;
	"name##_##n") echo '(fma|div|sqrt)s_[1-8]' ;;
	name) echo 'mix_[0-9]+' ;;
	*) echo "$1" ;;
	esac
}

# The last case: the others have said what they run. oclgrind cannot run
# count_clocks: it is inline PTX, which only NVIDIA's compiler takes.
@test "every kernel has a case with oclgrind" {
	need_oclgrind
	find "$srcdir/src/cl" -name '*.cl' -exec sed -nE \
		's/.*__kernel void (NAMED\([^)]*\)|[A-Za-z0-9_#]+).*/\1/p' {} + |
		sort -u >kernels
	[ "$(wc -l <kernels)" -ge 55 ]
	while read -r kernel; do
		grep -qxE "$(names_of "$kernel")" "$BATS_FILE_TMPDIR/cases" ||
			echo "$kernel"
	done <kernels >without
	[ "$(cat without)" = count_clocks ] || {
		echo "no case runs these, or now one runs count_clocks:"
		cat without
		return 1
	}
}
