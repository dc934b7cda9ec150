/*
 * by line: a method of c2c latency on each of 64 lines, in random order. Each
 * sample of a visit times one line, by the method.
 *
 * Not timed: the method's warm-up, which brings each line to the pair.
 *
 * The lines are in slots of a whole huge page, because the physical address of
 * a line decides its home, and is known only within a page. All visits use the
 * same lines; the order changes with the pass.
 *
 * Known biases: this probe has the biases of the method. The addresses differ
 * only in bits 9 to 20, because slots are 512 bytes apart.
 */
#include "probe/probe_by_line.h"

#include <math.h>
#include <stdlib.h>

#include "stat/stat.h"

static void draw_line_slots(struct by_line_context *context)
{
	struct stat_random random;
	size_t n = 0;

	stat_random_init(&random, context->seed);
	for (uint32_t slot = 0; n < BY_LINE_LINES; slot++) {
		if (stat_random_below(&random, BY_LINE_SLOTS - slot) <
			BY_LINE_LINES - n)
			context->slots[n++] = slot;
	}
}

int by_line_init(struct by_line_context *context, const struct probe *method,
	uint64_t seed, size_t pairs, size_t passes, struct error *err)
{
	*context = (struct by_line_context){.method = method,
		.seed = seed,
		.pairs = pairs,
		.passes = passes};
	draw_line_slots(context);
	context->values = calloc(pairs * passes, BY_LINE_PASS_BYTES);
	return context->values ? 0
			       : error_no_memory(err, "the times of the lines");
}

void by_line_release(struct by_line_context *context)
{
	free(context->values);
	context->values = NULL;
}

static float *line_values(
	const struct by_line_context *context, size_t pair, size_t pass)
{
	return context->values +
	       (pair * context->passes + pass) * BY_LINE_LINES;
}

double by_line_value(const struct by_line_context *context, size_t pair,
	size_t pass, size_t line)
{
	return (double)line_values(context, pair, pass)[line];
}

/* Draw the order of the lines in a pass, the same for both halves. */
static void draw_line_order(
	const struct probe_visit *visit, uint32_t order[BY_LINE_LINES])
{
	const struct by_line_context *context = visit->params->context;
	struct stat_random random;

	stat_random_init(&random, context->seed + visit->pass + 1);
	stat_shuffle(&random, order, BY_LINE_LINES);
}

/* Return a visit of the method for one line of this visit. */
static struct probe_visit visit_of_line(const struct probe_visit *visit,
	struct probe_params *params, uint32_t line)
{
	const struct by_line_context *context = visit->params->context;
	struct probe_visit out = *visit;

	*params = *visit->params;
	params->samples = 1;
	params->slots = 1;
	out.params = params;
	out.variant = context->slots[line];
	out.slots = (char *)visit->slots +
		    (size_t)context->slots[line] * PROBE_SLOT_BYTES;
	return out;
}

static void keep_line(
	const struct probe_visit *visit, uint32_t line, int64_t ticks)
{
	const struct by_line_context *context = visit->params->context;

	if (visit->variant < context->pairs && visit->pass < context->passes)
		line_values(context, visit->variant, visit->pass)[line] =
			(float)context->method->scale(
				visit->params, 0, (double)ticks);
}

static bool by_line_first(const struct probe_visit *visit, int64_t *ticks)
{
	const struct by_line_context *context = visit->params->context;
	uint32_t order[BY_LINE_LINES];

	draw_line_order(visit, order);
	/* A trial of the waiting loops has fewer samples. */
	for (uint32_t i = 0; i < visit->params->samples; i++) {
		struct probe_params params;
		const struct probe_visit one =
			visit_of_line(visit, &params, order[i]);

		if (!context->method->first(&one, &ticks[i]))
			return false;
		keep_line(visit, order[i], ticks[i]);
	}
	return true;
}

static bool by_line_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct by_line_context *context = visit->params->context;
	uint32_t order[BY_LINE_LINES];

	draw_line_order(visit, order);
	for (uint32_t i = 0; i < visit->params->samples; i++) {
		struct probe_params params;
		const struct probe_visit one =
			visit_of_line(visit, &params, order[i]);

		if (!context->method->second(&one, ticks))
			return false;
	}
	return true;
}

struct probe by_line_probe(const struct probe *method)
{
	struct probe probe = *method;

	probe.first = by_line_first;
	probe.second = by_line_second;
	return probe;
}
