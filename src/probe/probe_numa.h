/*
 * The memory and points of a run of probe_numa. A row has the CPUs of a NUMA
 * node. The CPUs of a row use the memory of a home, the same node or another.
 *
 * A new mix needs a name and a value here, an access in probe_numa.c, words in
 * curve_mix_words() (result/curve.c), and a name in the help of c2c numa, the
 * completion and the manual page.
 */
#ifndef C2C_PROBE_NUMA_H
#define C2C_PROBE_NUMA_H

#include "arch/vector.h"
#include "machine/memory.h"
#include "probe/chase.h"
#include "probe/probe.h"
#include "util/cpu_list.h"

/*
 * Accesses to memory. R:W reads R lines and writes W of them in place; triad
 * and nt (a copy by stores that bypass the caches) use several arrays. Rates
 * count the bytes that the program accesses.
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
	NUMA_TEAM,	/* the CPUs of a team use the arrays nearest to them */
};

/* A visit of one variant. */
struct numa_point {
	enum numa_kind kind;
	size_t row, home; /* indexes */
	enum numa_mix mix;
	uint32_t delay; /* turns between pieces under load */
};

/* The CPUs of a node, the chasing one first. */
struct numa_row {
	int node;
	struct cpu_list cpus;
};

/* CPUs of any nodes that access memory at the same time. */
struct numa_team {
	struct cpu_list cpus;
	size_t *homes; /* [cpus.n] */
};

/* The memory of a node. */
struct numa_home {
	int node;
	bool bound; /* all memory is on the node */
	struct chase_context ring;
	struct chase_point point;    /* where the next visit begins */
	struct memory_mapping array; /* in equal parts */
	size_t *at;		     /* [CPUs] */
};

/* params->context of probe_numa. */
struct numa_context {
	struct numa_row *rows; /* [n_rows] */
	size_t n_rows;
	struct numa_team *teams; /* [n_teams] */
	size_t n_teams;
	struct numa_home *homes; /* [n_homes] */
	size_t n_homes;
	struct numa_point *points; /* [n_points] by variant */
	size_t n_points;
	const struct arch_vector *vector;
};

/* The memory that each home should get. */
struct numa_request {
	size_t ring_bytes, array_bytes;
	/*
	 * A node that is too small gets half of these bytes, or a quarter and
	 * so on, but at least least_bytes.
	 */
	size_t least_bytes;
	enum memory_pages pages;
	uint64_t seed;
	/* stopped() is as in memory_request. Both functions may be NULL. */
	bool (*stopped)(const void *arg);
	void (*on_home_start)(void *context, size_t home);
	void *home_start_context;
};

/*
 * Map the memory of all homes and draw their rings. If the kernel does not
 * place even least_bytes on the home's node, the home is not bound and has no
 * memory. For numa_release().
 */
int numa_init(struct numa_context *context, const struct machine *machine,
	const struct numa_request *request, struct error *err);
void numa_release(struct numa_context *context);

/*
 * Return whether all memory of a point is on its nodes. If not, the point has
 * no value.
 */
bool numa_point_is_bound(const struct numa_context *context, size_t point);

/* Return the bytes that a mix accesses for `bytes` of each array. */
double numa_mix_bytes(enum numa_mix mix, double bytes);

/*
 * The first half measures a latency in ns; each CPU of the second half measures
 * a rate in GiB/s.
 */
extern const struct probe probe_numa;

#endif
