/* Warnings and verdict of a run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/record.h"
#include "result/run.h"
#include "util/array.h"

bool run_facts_warn(struct run_facts *run, const char *text)
{
	char *copy = strdup(text);

	if (!copy ||
		!array_grow(&run->warnings, run->n_warnings, sizeof(copy))) {
		free(copy);
		return false;
	}
	run->warnings[run->n_warnings++] = copy;
	return true;
}

double run_test_clock_ghz(const struct record *test)
{
	/* A test without kernels has no launch time. */
	return isnan(facts_number(&test->facts, "timing.launch_us"))
		       ? NAN
		       : facts_number(&test->facts, "core_clock.median_ghz");
}

enum run_verdict run_judge(double even_odd, double halves)
{
	if (even_odd < RUN_LOW_EVEN_ODD)
		return RUN_SCATTERED;
	if (even_odd >= RUN_LOW_EVEN_ODD && halves < RUN_LOW_HALVES)
		return RUN_DRIFTED;
	return isnan(even_odd) ? RUN_UNJUDGED : RUN_AGREES;
}

int64_t run_epochs(const struct run_facts *run)
{
	int64_t count = facts_count(&run->other, "epoch.count");

	return count > 1 ? count : 0;
}

void run_drop_epoch(struct run_facts *run)
{
	static const char *const keys[] = {"epoch.number", "epoch.count",
		"epoch.start_s", "epoch.end_s", "epoch.of_passes"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		facts_drop(&run->other, keys[i]);
}

bool run_lost_near_pairs(const struct run_facts *run)
{
	int64_t near = facts_count(&run->other, "rest.near");

	return near > 0 && 2 * facts_count(&run->other, "rest.lasted") < near;
}
