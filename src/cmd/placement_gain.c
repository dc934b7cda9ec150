#include "cmd/placement_gain.h"

#include <math.h>
#include <string.h>

#include "analyze/nearest.h"
#include "util/text.h"

static double count_times_nearer(
	const struct matrix *matrix, double inside, double all)
{
	return matrix_near_is_high(matrix) ? inside / all : all / inside;
}

struct placement_gain placement_gain_of(const struct result *result,
	const size_t *rows, size_t n, struct arena *arena)
{
	const struct matrix *matrix = nearest_matrix(result);
	const struct matrix *after =
		result_find_matrix(result, matrix->name, "after_rest");
	struct placement_gain gain = {.result = result,
		.matrix = matrix,
		.is_all = n == matrix->n,
		.inside = nearest_median(matrix, rows, n, arena),
		.all = nearest_median(matrix, NULL, matrix->n, arena),
		.then = after ? nearest_median(after, rows, n, arena) : NAN};
	struct cpu_list cpus = {arena_alloc(arena, n, sizeof(*cpus.cpus)), n};

	for (size_t i = 0; i < n; i++)
		cpus.cpus[i] = result->cpus.cpus[rows[i]];
	cpu_list_sort(&cpus);
	gain.cpus = arena_adopt(arena, cpu_list_format(&cpus));
	gain.times = count_times_nearer(matrix, gain.inside, gain.all);
	/* Slowdowns are not distances. */
	if (matrix_is_slowdown(matrix) || !isfinite(gain.times))
		gain.times = NAN;
	return gain;
}

bool placement_gain_was_lost(const struct placement_gain *gain)
{
	double limit = facts_number(&gain->result->run.other, "rest.limit");

	/* NaN (unknown) is no loss. */
	if (gain->inside < limit)
		return gain->then >= limit;
	return gain->times >= PLACEMENT_NEARER &&
	       count_times_nearer(gain->matrix, gain->then, gain->all) <
		       PLACEMENT_NEARER;
}

char *placement_gain_describe(
	const struct placement_gain *gain, struct arena *arena)
{
	const char *unit = gain->matrix->unit;
	const char *quantity = gain->matrix->quantity;
	const char *text;

	if (isnan(gain->times))
		return NULL;
	text = arena_format(arena, "CPUs %s: %.4g %s%s between them",
		gain->cpus, gain->inside, unit,
		!quantity			      ? ""
		: strcmp(quantity, "one-way") == 0    ? " one way"
		: strcmp(quantity, "round-trip") == 0 ? " a round trip"
						      : "");
	if (gain->is_all)
		return arena_format(arena, "%s; these are all", text);
	if (gain->times >= PLACEMENT_NEARER)
		return arena_format(arena,
			"%s, %.2g times nearer than the median pair with %.4g "
			"%s",
			text, gain->times, gain->all, unit);
	return arena_format(arena,
		"%s, no nearer than the median pair with %.4g %s", text,
		gain->all, unit);
}

char *placement_gain_describe_lasting(const struct placement_gain *gain,
	enum analysis_placement placement, struct arena *arena)
{
	const struct result *result = gain->result;
	const struct facts *run = &result->run.other;
	double limit = facts_number(run, "rest.limit");
	char time[TEXT_SIZE_BYTES];

	if (gain->is_all || !(gain->times >= PLACEMENT_NEARER))
		return NULL;
	if (!result_find_matrix(result, gain->matrix->name, "after_rest")) {
		if (placement != ANALYSIS_STABLE ||
			(!facts_text(&result->machine, "hypervisor") &&
				facts_text(&result->tool, "version")))
			return NULL;
		return arena_strdup(arena,
			"the record does not show whether near CPUs stay near: "
			"on a virtual machine, 'c2c latency' measures again "
			"after its CPUs slept");
	}
	if (isnan(gain->then) || !(gain->inside < limit))
		return NULL;
	text_time(facts_number(run, "rest.s"), time);
	return arena_format(arena, "%s: %.4g %s after %s of sleep",
		gain->then < limit ? "that lasted" : "that did not last",
		gain->then, gain->matrix->unit, time);
}
