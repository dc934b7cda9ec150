/*
 * The memory and points that a run of probe_numa needs. The CPUs of a row, of
 * one NUMA node, use the memory of a home, of any node.
 *
 * Another mix is a word and its place here, what it does in probe_numa.c, its
 * words in curve_mix_words() (result/curve.c), and its word in the help of c2c
 * numa, the completion, and its page.
 */
#ifndef C2C_PROBE_NUMA_H
#define C2C_PROBE_NUMA_H

#include "arch/vector.h"
#include "machine/memory.h"
#include "probe/chase.h"
#include "probe/probe.h"
#include "util/cpu_list.h"

/*
 * What CPUs do to memory. R:W reads R lines and writes W of them in place;
 * triad and nt (a copy by stores that bypass the caches) use several arrays.
 * Bytes count that the program asks for.
 */
#define NUMA_MIXES(w) w("1:0") w("3:1") w("2:1") w("1:1") w("triad") w("nt")
enum numa_mix {
	NUMA_READ,
	NUMA_3_TO_1,
	NUMA_2_TO_1,
	NUMA_1_TO_1,
	NUMA_TRIAD,
	NUMA_NT,
	NUMA_MIX_COUNT,
};

enum numa_kind {
	NUMA_LATENCY,	/* the first CPU chases */
	NUMA_BANDWIDTH, /* all CPUs use the array */
	NUMA_LOADED,	/* the first CPU chases, the others use the array */
};

/* What a visit of one variant does. */
struct numa_point {
	enum numa_kind kind;
	size_t row, home;
	enum numa_mix mix;
	uint32_t delay; /* turns between two pieces of NUMA_LOADED */
};

/* The CPUs of a node, the chasing one first. */
struct numa_row {
	int node;
	struct cpu_list cpus;
};

/* The memory of a node. */
struct numa_home {
	int node;
	bool bound; /* all of it lies there; else nothing is measured */
	struct chase_context ring;
	struct chase_point point; /* where the chase goes on, in all visits */
	struct memory_mapping array; /* CPUs of a row have equal parts */
	size_t *at; /* [most CPUs of a row] where each goes on */
};

/* For params->context. */
struct numa_context {
	struct numa_row *rows; /* [n_rows] */
	size_t n_rows;
	struct numa_home *homes; /* [n_homes] */
	size_t n_homes;
	struct numa_point *points; /* [n_points] by variant */
	size_t n_points;
	const struct arch_vector *vector;
};

/* The memory of each home. */
struct numa_request {
	size_t ring_bytes, array_bytes;
	/*
	 * A node may be too small for that. It then has half, or a quarter, but
	 * no less than this.
	 */
	size_t least_bytes;
	enum memory_pages pages;
	uint64_t seed;
	/* As for memory; and told at the start of each home. May be NULL. */
	bool (*stopped)(const void *arg);
	void (*on_home_start)(void *context, size_t home);
	void *home_start_context;
};

/*
 * Map the memory of all homes and draw their rings, so that both lie on the
 * home's node. Where the kernel does not place even the least there, the home
 * is not bound and has no memory. numa_release() releases it.
 */
int numa_init(struct numa_context *context, const struct machine *machine,
	const struct numa_request *request, struct error *err);
void numa_release(struct numa_context *context);

/* The bytes that count when a CPU has gone over `bytes` of its part. */
double numa_mix_bytes(enum numa_mix mix, double bytes);

/*
 * The value of the first half is a latency in ns, that of each CPU of the
 * second half a rate in GiB/s.
 */
extern const struct probe probe_numa;

#endif
