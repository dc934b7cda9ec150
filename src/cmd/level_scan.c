#include "cmd/level_scan.h"

#include <math.h>
#include <stdlib.h>

#include "engine/rehearsal.h"
#include "stat/stat.h"

static int compare_scanned_pairs(const void *a, const void *b)
{
	double x = ((const struct scanned_pair *)a)->one_way_ns;
	double y = ((const struct scanned_pair *)b)->one_way_ns;

	return (x > y) - (x < y);
}

size_t level_scan_choose(struct scanned_pair *pairs, size_t n, size_t n_cpus,
	struct scanned_pair *chosen, size_t most)
{
	size_t found = 0, begin = 0;

	qsort(pairs, n, sizeof(*pairs), compare_scanned_pairs);
	for (size_t i = 1; i <= n && found < most; i++) {
		/* One fast pair may form a level, but a few slow pairs may not.
		 */
		if (i < n && (pairs[i].one_way_ns <
					     LEVEL_SCAN_GAP *
						     pairs[i - 1].one_way_ns ||
				     2 * (n - i) < n_cpus || found + 1 == most))
			continue;
		chosen[found++] = pairs[begin + (i - begin) / 2];
		begin = i;
	}
	return found;
}

/* Choose the pairs to scan: all, or a random sample of many. */
static size_t list_scanned_pairs(
	size_t n_cpus, uint64_t seed, struct scanned_pair *pairs)
{
	size_t left = n_cpus * (n_cpus - 1) / 2, found = 0;
	struct stat_random random;

	stat_random_init(&random, seed);
	for (uint32_t i = 0; i < n_cpus; i++) {
		for (uint32_t j = i + 1; j < n_cpus; j++, left--) {
			if (stat_random_below(&random, left) >=
				LEVEL_SCAN_PAIRS - found)
				continue;
			pairs[found++] = (struct scanned_pair){
				i, j, .one_way_ns = INFINITY};
		}
	}
	return found;
}

/* Time all pairs once; keep the lowest time of each pair. */
static int scan_round(const struct level_scan *scan, struct crew *crew,
	const struct line_pools *lines, uint32_t round,
	struct scanned_pair *pairs, size_t n, struct error *err)
{
	struct crew_program program = {.visits = NULL};
	bool well = true;
	int rc;

	for (size_t i = 0; well && i < n; i++) {
		const struct crew_visit visit = {
			.first = pairs[i].first,
			.second = pairs[i].second,
			.pass = round,
			.variant = scan->variant,
			.slots = lines_slots(lines, pairs[i].first,
				pairs[i].second, round, i, round),
		};

		well = crew_program_add(&program, &visit) &&
		       crew_program_end_step(&program);
	}
	rc = well ? rehearsal_run(crew, &program, "the pairs", err)
		  : error_no_memory(err, "the first scan");
	for (size_t i = 0; rc == 0 && i < n; i++) {
		double ticks = rehearsal_ticks(&program.visits[i]);
		double ns =
			scan->probe->scale(scan->params, scan->variant, ticks);

		if (ns < pairs[i].one_way_ns)
			pairs[i].one_way_ns = ns;
	}
	crew_program_release(&program, crew_is_lost(crew));
	return rc;
}

int level_scan_run(const struct level_scan *scan, struct crew *crew,
	const struct line_pools *lines, size_t n_cpus,
	struct scanned_pair *pairs, size_t *n, struct error *err)
{
	int rc = 0;

	*n = list_scanned_pairs(n_cpus, scan->seed, pairs);
	for (uint32_t i = 0; rc == 0 && *n && i < scan->rounds; i++)
		rc = scan_round(scan, crew, lines, i, pairs, *n, err);
	return rc;
}
