/*
 * The parts of c2c numa, shared by the files of this folder only.
 */
#ifndef C2C_CMD_NUMA_H
#define C2C_CMD_NUMA_H

#include "cmd/measure/measure.h"
#include "cmd/numa/numa_knee.h"
#include "probe/probe_numa.h"

struct numa_options {
	struct measure_options measure;
	/* what to measure; final after the check of options */
	bool latency, bandwidth, loaded, scaling;
	bool quick;
	const char *llcs;	  /* record of --llcs; NULL: the topology */
	uint64_t size_bytes;	  /* of ring and array; 0: chosen */
	struct option_list mixes; /* enum numa_mix */
	int pages;		  /* an enum memory_pages */
	/* Bytes as recorded. */
	uint64_t ring_bytes, array_bytes;
};

extern const char *const numa_mix_names[NUMA_MIX_COUNT];

/* A curve of one mix, from idle to the shortest delay. */
struct numa_curve {
	size_t row, home;
	enum numa_mix mix;
	size_t first, n; /* in the plan's points */
};

/* A curve over teams, each with more CPUs than the team before. */
struct numa_scaling {
	long llc;	 /* LLC of these CPUs; -1: all CPUs */
	size_t first, n; /* in the plan's points */
};

/* The command's own part of a plan. */
struct numa_plan {
	struct numa_options *options;
	struct numa_context context;
	struct numa_curve *curves; /* [n_curves] */
	size_t n_curves;
	struct numa_scaling *scalings; /* [n_scalings], [0]: of all CPUs */
	size_t n_scalings;
	size_t n_llcs;	   /* number of LLCs, with --scaling */
	size_t first_pair; /* point of LLCs 0, 1, then of 0, 2, ... */
	size_t n_others;   /* in the selection */
	const struct machine *machine;
	size_t least_bytes; /* least size of ring and array */
	/* Wanted bytes of an array, and bytes of the LLCs of a row. */
	uint64_t wanted_bytes, cache_bytes;
};

/* Delays of a loaded curve, in iterations of a loop, longest first. */
#define NUMA_DELAYS 19
extern const uint32_t numa_delays[NUMA_DELAYS];

/* Bytes for the name of a mix's matrix: "bandwidth-1:0". */
#define NUMA_NAME_BYTES 32
const char *numa_matrix_name(enum numa_mix mix, char name[NUMA_NAME_BYTES]);

/* Find the point of that kind, row, home and mix; n_points: none. */
size_t numa_find_point(const struct numa_plan *own, enum numa_kind kind,
	size_t row, size_t home, enum numa_mix mix);

/* Return the home nearest to the CPUs of a row. */
size_t numa_nearest_home(const struct numa_plan *own, size_t row);

/* Plan curves over the number of CPUs, and the pairs of LLCs. */
int numa_plan_teams(struct numa_plan *own, struct measure_selection *selection,
	struct error *err);

/*
 * List the CPUs of each LLC, by the groups of the record at path. llcs[] has
 * room for one LLC more than there are CPUs.
 */
int numa_list_measured_llcs(const char *path, const struct cpu_list *cpus,
	struct cpu_list *llcs, size_t *n, struct error *err);

/* Copy the values of a point in all passes that have it; return how many. */
size_t numa_gather_rates(const struct numa_plan *own,
	const struct campaign *campaign, size_t point, double *values);

/* Add the curves over teams, and the links to memory that LLCs share. */
int numa_add_scalings(const struct numa_plan *own,
	const struct campaign *campaign, struct result *result,
	struct error *err);

int numa_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);
int numa_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err);
int numa_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);
void numa_plan_release(void *plan);

/* Find the knees and the links of several runs together. */
int numa_finish_merged(struct result *result, struct error *err);

#define NUMA_REPORTED_COUNT 3

/* Return the name of a matrix: "reported-distance". */
const char *numa_reported_name(enum machine_reported reported);

/* Return the index of row and column among all values of a matrix. */
size_t numa_cell_index(const struct result *result, size_t row, size_t column);

/* Add the values that the firmware reports, and the verdicts on them. */
int numa_add_reported(const struct machine *machine, struct result *result,
	struct error *err);

/*
 * Compare two orders of the nodes' memories from each node: reported by the
 * firmware, and measured. If the orders differ, text has the difference.
 */
enum numa_verdict {
	NUMA_UNKNOWN, /* the firmware reports nothing to compare */
	NUMA_UNCLEAR, /* intervals do not decide any order */
	NUMA_AGREES,
	NUMA_DIFFERS,
};

#define NUMA_VERDICT_BYTES 256
enum numa_verdict numa_judge_reported(const struct result *result,
	enum machine_reported which, char text[NUMA_VERDICT_BYTES]);

/* Find the links of several runs together. */
int numa_merge_links(struct result *result, struct error *err);

/* Print the rates over the number of CPUs, and the links to memory. */
void numa_report_scalings(FILE *out, const struct result *result);

/* Print the matrices, what the firmware reports, and all curves. */
void numa_print(const struct result *result);

/* Print like numa_print(), on any stream. */
void numa_report(FILE *out, const struct result *result);

#endif
