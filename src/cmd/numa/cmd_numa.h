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
	/* what to measure; final after the options are checked */
	bool latency, bandwidth, loaded, scaling;
	bool quick;
	const char *llcs;    /* record with the LLCs; NULL: the topology */
	uint64_t size_bytes; /* bytes of a ring, and of an array; 0: chosen */
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

/* A curve over teams; each one adds CPUs to the team before it. */
struct numa_scaling {
	long llc;	 /* number of the LLC with these CPUs; -1: all CPUs */
	size_t first, n; /* in the plan's points */
};

/* The command's own part of a plan. */
struct numa_plan {
	struct numa_options *options;
	struct numa_context context;
	struct numa_curve *curves; /* [n_curves] */
	size_t n_curves;
	struct numa_scaling *scalings; /* [n_scalings]; all CPUs first */
	size_t n_scalings;
	size_t n_llcs;	   /* with --scaling: LLCs of the CPUs */
	size_t first_pair; /* point of LLCs 0 and 1; then 0 and 2, and so on */
	size_t n_others;   /* in the selection */
	const struct machine *machine;
	size_t least_bytes; /* bytes of a ring, and of an array */
	/* What an array would have with more memory, and the LLCs of a row. */
	uint64_t wanted_bytes, cache_bytes;
};

/* Delays of a curve in turns, longest first. */
#define NUMA_DELAYS 19
extern const uint32_t numa_delays[NUMA_DELAYS];

/* Bytes of a mix's matrix name: "bandwidth-1:0". */
#define NUMA_NAME_BYTES 32
const char *numa_matrix_name(enum numa_mix mix, char name[NUMA_NAME_BYTES]);

/* Return the point of that kind, row, home and mix, or n_points. */
size_t numa_find_point(const struct numa_plan *own, enum numa_kind kind,
	size_t row, size_t home, enum numa_mix mix);

/* Return the home nearest to the CPUs of a row. */
size_t numa_nearest_home(const struct numa_plan *own, size_t row);

/* Plan curves over the number of CPUs, and the pairs of LLCs. */
int numa_plan_teams(struct numa_plan *own, struct measure_selection *selection,
	struct error *err);

/*
 * List the CPUs of each LLC, by the groups of the record at path: llcs[] has
 * room for as many as there are CPUs, and for one more.
 */
int numa_list_measured_llcs(const char *path, const struct cpu_list *cpus,
	struct cpu_list *llcs, size_t *n, struct error *err);

/* Copy the values of a point in all passes that have it; return how many. */
size_t numa_gather_rates(const struct numa_plan *own,
	const struct campaign *campaign, size_t point, double *values);

/* Add these curves, and which LLCs share a link to memory. */
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

/* Add what the firmware reports, and the verdicts on it. */
int numa_add_reported(const struct machine *machine, struct result *result,
	struct error *err);

/*
 * Whether the firmware ranks the memories of all nodes, from the CPUs of each,
 * as the measurement does. If not, the text names the difference.
 */
enum numa_verdict {
	NUMA_UNKNOWN, /* no report, or nothing to compare */
	NUMA_UNCLEAR, /* no two memories have intervals that differ */
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

/* numa_print() on any stream. */
void numa_report(FILE *out, const struct result *result);

#endif
