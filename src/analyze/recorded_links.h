/*
 * Reads the links to memory from a record of c2c numa --scaling. A memory
 * domain is the CPUs of all last-level caches (LLCs) on one link.
 */
#ifndef C2C_RECORDED_LINKS_H
#define C2C_RECORDED_LINKS_H

#include "result/analysis.h"
#include "result/result.h"
#include "util/error.h"

/*
 * The test of the curves: first a curve of all CPUs, then a curve of each LLC
 * if there are several.
 */
#define SCALING_TEST "scaling"

/* Keys of the block "run". */
#define LINKS_KEY_RATES "llc_rates_gib_per_s"
#define LINKS_KEY	"llc_links"
#define LINKS_KEY_JOIN	"llc_links_join"
#define LINKS_KEY_DOUBT "llc_links_doubt"

struct recorded_links {
	const struct result *result;
	size_t n;	   /* LLCs; 0: the record has no links */
	const char *doubt; /* why link_of is unknown; NULL: known */
	size_t n_links;
	size_t *link_of; /* [n] */
	double *rates;	 /* [n * n], as for memory_links_find(); NaN: unknown */
};

/*
 * Read the links, for recorded_links_release(). A record that contradicts
 * itself has no links.
 */
int recorded_links_read(const struct result *result,
	struct recorded_links *links, struct error *err);
void recorded_links_release(struct recorded_links *links);

const struct curve *recorded_links_curve(
	const struct result *result, size_t of);

/* Return the CPUs of an LLC; NULL if the record lacks them. */
const struct cpu_list *recorded_links_cpus(
	const struct recorded_links *links, size_t llc);

/* Return the greatest rate over a link in GiB/s; NaN: unknown. */
double recorded_links_rate(const struct recorded_links *links, size_t link);

/*
 * Add levels to an analysis that has CPUs and no levels: a level of LLCs, if
 * several share a link, and a level of domains. These levels have no medians of
 * pairs. Add nothing without links.
 */
int recorded_links_add_levels(const struct recorded_links *links,
	struct analysis *analysis, struct error *err);

#endif
