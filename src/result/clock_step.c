#include "result/clock_step.h"

#include <math.h>
#include <string.h>

double clock_step_of(const struct result *result, const struct matrix *matrix)
{
	double step_ns = facts_number(&result->machine, "clock.step_ns");
	int64_t trips = facts_count(&result->options, "round_trips");
	bool both = matrix && matrix->quantity &&
		    strcmp(matrix->quantity, "round-trip") == 0;

	if (!matrix || strcmp(matrix->unit, "ns") != 0 || trips < 1 ||
		!(step_ns > CLOCK_STEP_READING_NS))
		return 0;
	return step_ns / (both ? 1 : 2) / (double)trips;
}

static struct matrix *find_matrix_to_widen(
	struct result *result, const char *name, const char *statistic)
{
	for (size_t m = 0; m < result->n_matrices; m++) {
		struct matrix *matrix = &result->matrices[m];

		if (strcmp(matrix->name, name) == 0 &&
			strcmp(matrix->statistic, statistic) == 0)
			return matrix;
	}
	return NULL;
}

double clock_step_widen(struct result *result, const char *name)
{
	const struct matrix *median =
		find_matrix_to_widen(result, name, "median");
	struct matrix *low = find_matrix_to_widen(result, name, "ci_low");
	struct matrix *high = find_matrix_to_widen(result, name, "ci_high");
	size_t n = result_members(result)->n;
	double step = clock_step_of(result, median), most = 0;

	if (!low || !high || !(step > 0))
		return 0;
	for (size_t i = 0; i < n * n; i++) {
		double value = median->values[i];

		/* Leave a missing interval as NaN. */
		if (isnan(low->values[i]) || isnan(high->values[i]))
			continue;
		low->values[i] = fmin(low->values[i], value - step);
		high->values[i] = fmax(high->values[i], value + step);
		most = fmax(most, step / value);
	}
	return most;
}
