/*
 * Machines made up from a seed: a matrix of latencies with what measurements
 * are known to do to it, and the partitions that are true of it.
 */
#ifndef TESTS_UNIT_MACHINES_H
#define TESTS_UNIT_MACHINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum machine_kind {
	MACHINE_NESTED,	  /* SMT, clusters, dies, packages: some of them */
	MACHINE_HYBRID,	  /* cores with siblings and cores without */
	MACHINE_HOME,	  /* two packages, all lines at home in one */
	MACHINE_NOISE,	  /* all alike */
	MACHINE_ROWS,	  /* nothing but row offsets */
	MACHINE_MESH,	  /* distance on a grid or a ring: soft blocks */
	MACHINE_UNPINNED, /* threads ran who knows where */
	MACHINE_SHARED,	  /* virtual CPUs, some with strangers on their core */
	MACHINE_COARSE,	  /* a clock of few steps per latency */
	MACHINE_FAINT,	  /* siblings about as far apart as cores */
	MACHINE_LONE,	  /* one or a few pairs of siblings among cores */
	MACHINE_HOPS,	  /* every line at home on one of several dies */
	MACHINE_SNUG,	  /* a few cores, some a little nearer, no groups */
	MACHINE_BUS,	  /* kinds of cores that differ in row level only */
	MACHINE_KINDS,
};

/* What measuring does to the numbers; shares of the latency unless named. */
struct machine_flaws {
	double noise;	   /* standard deviation of a cell */
	double distance;   /* same, of a pair of cores, at any level */
	double rows;	   /* standard deviation of a row offset */
	bool gradient;	   /* row offsets grow along the CPUs */
	double cold;	   /* what CPU 0 has more, 0 to 1 */
	double step_ns;	   /* of the clock */
	double dither;	   /* share of a step that its phase varies by */
	unsigned streaks;  /* runs of bad cells */
	unsigned favoured; /* cores fast to everyone */
	unsigned offline;  /* CPUs missing at random */
};

#define MACHINE_LEVELS 6

struct machine {
	enum machine_kind kind;
	struct machine_flaws flaws;
	bool is_virtual; /* which the user's record says */
	size_t n;
	double *values; /* [n * n], NaN diagonal */
	/* [n] its core, cluster, package; or die before package; or class. */
	uint32_t *place[MACHINE_LEVELS];
	size_t n_levels;
	struct {
		uint32_t *group; /* [n] */
		bool certain;	 /* must be found, as it can be seen */
		double ratio;	 /* cost outside to cost inside */
	} levels[MACHINE_LEVELS];
};

/*
 * The machine of a seed. hardness from 0 to 1 scales the flaws; at most n_max
 * CPUs. Aborts when memory is out.
 */
void machine_make(struct machine *machine, enum machine_kind kind,
	uint64_t seed, double hardness, size_t n_max);
void machine_release(struct machine *machine);

const char *machine_kind_name(enum machine_kind kind);

/*
 * A share, part of whole, and its 95 % interval by Wilson's
 * score (Journal of the American Statistical Association 22, 1927).
 */
struct machine_share {
	double share, low, high;
};
struct machine_share machine_share_of(unsigned part, unsigned whole);

/* Whether two labellings of n CPUs say the same partition. */
bool machine_same_groups(const uint32_t *a, const uint32_t *b, size_t n);

#endif
