/* The interface between the files of c2c contend. Private to this folder. */
#ifndef C2C_CMD_CONTEND_H
#define C2C_CMD_CONTEND_H

#include "cmd/distance.h"
#include "cmd/measure/measure.h"
#include "cmd/prose.h"
#include "probe/probe_contend.h"
#include "util/arena.h"

#define CONTEND_SPIN_HINTS(word) word("both") word("none") word("pause")

struct contend_options {
	struct measure_options measure;
	struct option_list operations; /* indices in contend_operations */
	struct option_list sharings;   /* enum contend_sharing */
	int spin_hint;		       /* index in CONTEND_SPIN_HINTS */
	bool quick;
	uint64_t line_bytes; /* as recorded */
};

/* The CPUs within a distance of each other, in the order of joining. */
struct contend_domain {
	enum cpu_distance distance;
	uint32_t *order; /* [n], indices in the CPUs of the run */
	uint32_t n;
	uint32_t at; /* index of order[0] in selection->others */
};

/* A curve over the number of CPUs, and its points. */
struct contend_curve {
	const struct contend_domain *domain;
	const struct contend_operation *operation;
	enum contend_sharing sharing;
	bool spin_hint;
	size_t first, n; /* index and number of its points in the plan */
};

/* The part of a measure_plan that only c2c contend uses. */
struct contend_plan {
	struct contend_options *options;
	struct contend_context context;
	struct cpu_list cpus; /* in the order of the topology */
	struct contend_domain domains[DISTANCES];
	size_t n_domains;
	struct contend_point *points; /* [n_points] */
	size_t n_points;
	struct contend_curve *curves; /* [n_curves] */
	size_t n_curves;
};

/*
 * Write to places[n] the order of n CPUs, which join one by one within domains
 * of `level`: far CPUs before near CPUs. distance is [n * n].
 */
void contend_order_joining(const unsigned char *distance, uint32_t n,
	enum cpu_distance level, uint32_t *places);

int contend_select(struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);
int contend_prepare(struct measure_plan *plan,
	const struct measure_selection *selection, struct error *err);
int contend_finish(struct measure_plan *plan, struct campaign *campaign,
	struct result *result, struct error *err);
void contend_plan_release(void *context);

/* Print the results of a record of c2c contend. */
void contend_print_prose(struct prose *prose, const struct result *result);

#endif
