#include "cl/theory.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "util/array.h"

/* Work-items that the largest units hold, and largest number to use. */
#define UNIT_ITEMS 2048
#define MOST_ITEMS ((size_t)1 << 26)

/* c2c ignores a clock above this, which no real device has. */
#define MOST_GHZ 10

static const char guide[] = "CUDA C++ Programming Guide";

/*
 * Multiplications with additions per clock of a multiprocessor, by compute
 * capability ("Arithmetic Instructions", table of throughputs; from 7.x on also
 * the FP32 and FP64 cores in "Compute Capability 7.x", "8.x" and "9.0"). The 2
 * for 7.5 is reportedly in a footnote, which the author did not see; an older
 * guide has 32 for all of 7.x. 0: not checked. The last column is the maximum
 * number of resident work-items (threads) of a multiprocessor ("Technical
 * Specifications per Compute Capability"; from 10.0 on
 * max_threads_per_multiprocessor of NVIDIA's CCCL,
 * cuda/__device/arch_traits.h).
 * https://docs.nvidia.com/cuda/cuda-c-programming-guide/
 */
static const struct nvidia_multiprocessor {
	unsigned major, minor, floats, doubles, items;
} multiprocessors[] = {
	{5, 0, 128, 4, 2048},
	{5, 2, 128, 4, 2048},
	{5, 3, 128, 4, 2048},
	{6, 0, 64, 32, 2048},
	{6, 1, 128, 4, 2048},
	{6, 2, 128, 4, 2048},
	{7, 0, 64, 32, 2048},
	{7, 5, 64, 2, 1024},
	{8, 0, 64, 32, 2048},
	{8, 6, 128, 2, 1536},
	{8, 7, 0, 0, 1536},
	{8, 9, 128, 2, 1536},
	{9, 0, 128, 64, 2048},
	{10, 0, 0, 0, 2048},
	{10, 3, 0, 0, 2048},
	{11, 0, 0, 0, 1536},
	{12, 0, 0, 0, 1536},
	{12, 1, 0, 0, 1536},
};

/* Bytes per clock: 32 banks of 4 bytes ("Shared Memory", from 5.x on). */
#define SHARED_BYTES 128

/*
 * Operations per clock of a compute unit that OpenCL attributes do not report:
 * doubles for all rows, floats for the last two rows, which compute two at a
 * time. Sources: the white papers of CDNA, first table, "FLOPS/clock/CU" for
 * vectors; for gfx942 also "AMD Instinct MI300 microarchitecture" of ROCm's
 * documentation. The last row that matches a device or its board counts,
 * because a Radeon VII is also a gfx906.
 *
 * items: largest number of work-items of a SIMD. A SIMD has 10 waves, from
 * gfx90a on 8, gfx10 has 20 and gfx103 to gfx115 have 16 (LLVM,
 * AMDGPUBaseInfo.cpp, getMaxWavesPerEU()). A wave has 64 work-items, on
 * RDNA 32.
 */
static const struct amd_compute_unit {
	const char *name;
	unsigned floats, doubles, items;
	const char *source;
} compute_units[] = {
	{"gfx906", 128, 64, 640, "AMD Radeon Instinct MI50 data sheet"},
	{"Radeon VII", 128, 32, 640, "AMD Radeon VII product page"},
	{"gfx908", 128, 64, 640, "AMD CDNA white paper"},
	{"gfx90a", 256, 128, 512, "AMD CDNA 2 white paper"},
	{"gfx942", 256, 128, 512, "AMD CDNA 3 white paper"},
};

/*
 * Operations per clock of an RDNA compute unit, by the prefix of the device's
 * name. OpenCL's compute unit is a work-group processor with two RDNA units,
 * unless an option changes this (ROCclr halves their number and doubles the
 * SIMDs of one). RDNA 3 issues two float operations at a time ("VOPD"). Local
 * memory has 64 banks, each a word wide, for two compute units ("RDNA3
 * Instruction Set Architecture", 12.1).
 *
 * Checked: gfx115 in "Workgroup processor" of ROCm's documentation (ROCm
 * Compute Profiler 7.14): 128 floats, 256 by VOPD, and 4 doubles. Not checked:
 * the product pages of RX 5700 XT, 6900 XT and 7900 XTX, the source of the
 * other figures for doubles (1/16 of the floats, for gfx110 1/32), and the
 * banks of RDNA 1 and 2. No figure here was measured.
 */
#define RDNA_LANES 64
#define RDNA_LOCAL 128

static const struct amd_compute_unit rdna_units[] = {
	{"gfx101", 128, 8, 640, "AMD Radeon RX 5700 XT product page"},
	{"gfx103", 128, 8, 512, "AMD Radeon RX 6900 XT product page"},
	{"gfx110", 256, 8, 512, "AMD Radeon RX 7900 XTX product page"},
	{"gfx115", 256, 4, 512, "ROCm Compute Profiler, Workgroup processor"},
};

static const char rdna_guide[] = "RDNA3 Instruction Set Architecture";

/*
 * Memory bandwidth in GB/s by words of the device's name, longer names first.
 * An MI250 is two OpenCL devices.
 */
static const struct gpu_memory {
	const char *words;
	double giga;
	const char *source;
	unsigned units; /* compute units of the undivided device */
} memories[] = {
	{"H200", 4800, "NVIDIA H200 data sheet", 0},
	{"H100 NVL", 3900, "NVIDIA H100 data sheet", 0},
	{"H100 PCIe", 2000, "NVIDIA H100 data sheet", 0},
	{"H100 80GB HBM3", 3350, "NVIDIA H100 data sheet", 0},
	{"A100-SXM4-80GB", 2039, "NVIDIA A100 80GB data sheet", 0},
	{"A100 80GB PCIe", 1935, "NVIDIA A100 80GB data sheet", 0},
	{"A100-SXM4-40GB", 1555, "NVIDIA A100 data sheet", 0},
	{"A100-PCIE-40GB", 1555, "NVIDIA A100 data sheet", 0},
	{"V100S", 1134, "NVIDIA V100 data sheet", 0},
	{"V100-SXM2", 900, "NVIDIA V100 data sheet", 0},
	{"V100-PCIE", 900, "NVIDIA V100 data sheet", 0},
	{"A30", 933, "NVIDIA A30 data sheet", 0},
	{"L40S", 864, "NVIDIA L40S data sheet", 0},
	{"L4", 300, "NVIDIA L4 data sheet", 0},
	{"MI325X", 6000, "AMD Instinct MI325X data sheet", 304},
	{"MI300X", 5300, "AMD Instinct MI300X data sheet", 304},
	{"MI250X", 1638.4, "AMD Instinct MI250X data sheet, half of it", 0},
	{"MI250", 1638.4, "AMD Instinct MI250 data sheet, half of it", 0},
	{"MI210", 1638.4, "AMD Instinct MI210 data sheet", 0},
	{"MI100", 1228.8, "AMD Instinct MI100 data sheet", 0},
};

static bool is_in_word(char c)
{
	return isalnum((unsigned char)c);
}

/* Return whether a text contains these words as whole words. */
static bool has_words(const char *text, const char *words)
{
	size_t length = strlen(words);

	for (const char *at = text; at && (at = strstr(at, words)); at++) {
		if ((at == text || !is_in_word(at[-1])) &&
			!is_in_word(at[length]))
			return true;
	}
	return false;
}

/* Return the row of the multiprocessor; NULL: unknown. */
static const struct nvidia_multiprocessor *find_multiprocessor(
	const struct theory_device *device)
{
	for (size_t i = 0; i < N_OF(multiprocessors); i++) {
		const struct nvidia_multiprocessor *row = &multiprocessors[i];

		if (device->vendor == THEORY_NVIDIA &&
			row->major == device->major &&
			row->minor == device->minor)
			return row;
	}
	return NULL;
}

/* Return the row of an AMD compute unit; NULL: unknown. */
static const struct amd_compute_unit *find_compute_unit(
	const struct theory_device *device)
{
	const struct amd_compute_unit *found = NULL;

	for (size_t i = 0; i < N_OF(rdna_units); i++) {
		const struct amd_compute_unit *row = &rdna_units[i];

		if (device->vendor == THEORY_AMD && device->name &&
			strncmp(device->name, row->name, strlen(row->name)) ==
				0)
			found = row;
	}
	for (size_t i = 0; i < N_OF(compute_units); i++) {
		const struct amd_compute_unit *row = &compute_units[i];

		if (device->vendor == THEORY_AMD &&
			(has_words(device->name, row->name) ||
				has_words(device->board, row->name)))
			found = row;
	}
	return found;
}

static struct theory theory_of_multiprocessor(
	const struct theory_device *device, enum theory_what what)
{
	const struct nvidia_multiprocessor *row = find_multiprocessor(device);
	struct theory theory = {.source = guide};

	if (row && what == THEORY_FLOAT)
		theory.each = 2.0 * row->floats;
	if (row && what == THEORY_DOUBLE)
		theory.each = 2.0 * row->doubles;
	if (row && what == THEORY_LOCAL)
		theory.each = SHARED_BYTES;
	return theory;
}

static struct theory theory_of_compute_unit(
	const struct theory_device *device, enum theory_what what)
{
	const struct amd_compute_unit *row = find_compute_unit(device);
	struct theory theory = {.source = "cl_amd_device_attribute_query"};
	bool is_rdna = row && strncmp(row->name, "gfx1", 4) == 0;

	if (what == THEORY_FLOAT)
		theory.each = 2.0 * device->simds * device->lanes *
			      device->operations;
	if (what == THEORY_LOCAL)
		theory.each = 4.0 * device->banks;
	if (!row || (what == THEORY_LOCAL && !is_rdna))
		return theory;
	theory.each = what == THEORY_LOCAL   ? RDNA_LOCAL
		      : what == THEORY_FLOAT ? row->floats
					     : row->doubles;
	if (is_rdna)
		theory.each *=
			(double)device->simds * device->lanes / RDNA_LANES;
	theory.source = what == THEORY_LOCAL ? rdna_guide : row->source;
	return theory;
}

/* Return the memory bandwidth. A part of a divided GPU has a share of it. */
static struct theory theory_of_memory(const struct theory_device *device)
{
	const char *const names[] = {device->board, device->name};
	struct theory theory = {.giga = NAN};

	for (size_t i = 0; i < 2 * N_OF(memories) && isnan(theory.giga); i++) {
		const struct gpu_memory *row = &memories[i / 2];

		if (has_words(names[i % 2], row->words) &&
			!has_words(names[i % 2], "MIG") &&
			device->units >= row->units)
			theory = (struct theory){row->giga, 0, row->source};
	}
	return theory;
}

struct theory theory_of(
	const struct theory_device *device, enum theory_what what)
{
	struct theory theory = {.giga = NAN};

	if (what == THEORY_NOTHING || device->vendor == THEORY_UNKNOWN)
		return theory;
	if (what == THEORY_MEMORY)
		return theory_of_memory(device);
	theory = device->vendor == THEORY_NVIDIA
			 ? theory_of_multiprocessor(device, what)
			 : theory_of_compute_unit(device, what);
	theory.giga = theory.each * (double)device->units * device->clock_ghz;
	if (!(theory.giga > 0) || device->clock_ghz > MOST_GHZ)
		theory.giga = NAN;
	return theory;
}

bool theory_is_exceeded(const struct theory_device *device, double gib_per_s)
{
	/* The comparison is false for NaN. */
	return gib_per_s * 1.073741824 > theory_of(device, THEORY_MEMORY).giga;
}

size_t theory_listed_items(const struct theory_device *device)
{
	const struct nvidia_multiprocessor *row = find_multiprocessor(device);
	const struct amd_compute_unit *unit = find_compute_unit(device);

	return row ? row->items : unit ? device->simds * unit->items : 0;
}

size_t theory_unit_items(const struct theory_device *device)
{
	size_t items = theory_listed_items(device);

	return items ? items : UNIT_ITEMS;
}

size_t theory_items(const struct theory_device *device)
{
	double each = (double)theory_unit_items(device);
	size_t items = UNIT_ITEMS;

	while ((double)items < each * (double)device->units &&
		items < MOST_ITEMS)
		items *= 2;
	return items;
}
