#include "cmd/near_pairs_lasted.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/nearest.h"
#include "engine/near_pairs.h"
#include "util/text.h"

/* Add the medians after the sleep as matrices. */
static int add_after_rest_matrices(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err)
{
	struct matrix *matrix = NULL;

	for (size_t k = 0; k < campaign->n_values; k++) {
		enum probe_cell cell = summary_cell_of(campaign, k);

		if (k < 2 && labels->name[k])
			matrix = result_add_matrix(result, labels->name[k],
				"after_rest", labels->unit, labels->quantity,
				labels->higher_is_better, cell == PROBE_BOTH);
		if (!matrix)
			return error_no_memory(err, "the result");
		for (size_t p = 0; p < campaign->schedule.n_pairs; p++)
			summary_put(matrix, result->cpus.n,
				campaign->schedule.pairs[p], cell,
				labels->factor *
					campaign->after_sleep_medians
						[p * campaign->n_values + k]);
	}
	return 0;
}

int near_pairs_record_lasted(const struct campaign *campaign,
	const struct summary_labels *labels, struct result *result,
	struct error *err)
{
	struct facts *run = &result->run.other;
	struct near_pair_counts lasting;
	int rc;

	if (!campaign->after_sleep_medians)
		return 0;
	rc = near_pairs_count(campaign, &lasting, err);
	if (rc < 0)
		return rc;
	facts_set_number(run, "rest.s", campaign->options.sleep_s);
	facts_set_count(
		run, "rest.passes", (int64_t)campaign->n_after_sleep_passes);
	if (isnan(lasting.limit))
		facts_set_unknown(run, "rest.limit");
	else
		facts_set_number(
			run, "rest.limit", labels->factor * lasting.limit);
	facts_set_count(run, "rest.near", (int64_t)lasting.near);
	facts_set_count(run, "rest.lasted", (int64_t)lasting.near_after_sleep);
	facts_set_count(run, "rest.always", (int64_t)lasting.always);
	facts_set_count(run, "rest.sometimes", (int64_t)lasting.sometimes);
	return add_after_rest_matrices(campaign, labels, result, err);
}

/* Return "5 pairs", "1 pair", "none", for printf's %s. */
static const char *format_pair_count(int64_t n, char text[32])
{
	if (n <= 0)
		return "none";
	snprintf(text, 32, "%" PRId64 " pair%s", n, n == 1 ? "" : "s");
	return text;
}

/* Explain why some near pairs did not last. */
static const char *explain_lost_pairs(
	const struct result *result, int64_t near, int64_t lasted)
{
	if (lasted >= near)
		return "";
	if (!facts_text(&result->machine, "hypervisor"))
		return ": other pairs were slower after the sleep, although "
		       "c2c found no hypervisor";
	if (run_lost_near_pairs(&result->run))
		return ": the host moves these vCPUs, so a placement by "
		       "nearness cannot help";
	return ": the host moved other vCPUs";
}

bool near_pairs_looked_again(const struct result *result)
{
	return facts_count(&result->run.other, "rest.passes") > 0;
}

size_t near_pairs_count_new(
	const struct result *result, struct analysis_pair *nearest)
{
	const struct matrix *after =
		result_find_matrix(result, "latency", "after_rest");
	const struct matrix *low = result_find_matrix(result, "latency", "p10");
	double limit = facts_number(&result->run.other, "rest.limit");
	size_t n = 0;

	*nearest = (struct analysis_pair){.value = NAN};
	if (!after || isnan(limit))
		return 0;
	for (size_t a = 0; a < after->n; a++) {
		for (size_t b = a + 1; b < after->n; b++) {
			double then =
				nearest_matrix_value(after, after->n, a, b);

			if (!(then < limit) ||
				!(nearest_matrix_value(low, after->n, a, b) >=
					limit))
				continue;
			if (n++ > 0 && then >= nearest->value)
				continue;
			nearest->a = result->cpus.cpus[a];
			nearest->b = result->cpus.cpus[b];
			nearest->value = then;
		}
	}
	return n;
}

static char *describe_near_pairs(const struct result *result, bool why)
{
	const struct facts *run = &result->run.other;
	int64_t near = facts_count(run, "rest.near");
	int64_t lasted = facts_count(run, "rest.lasted");
	double limit = facts_number(run, "rest.limit");
	struct analysis_pair nearest;
	/* If near pairs were lost, do not mention new near pairs. */
	size_t n_new =
		lasted < near ? 0 : near_pairs_count_new(result, &nearest);
	char time[TEXT_SIZE_BYTES];
	struct text_list list = {.text = NULL};

	text_time(facts_number(run, "rest.s"), time);
	if (near > 0)
		text_list_add(&list, "",
			"%" PRId64 " of %" PRId64 " near pairs (below %.3g ns) "
			"lasted %s of sleep%s",
			lasted, near, limit, time,
			why ? explain_lost_pairs(result, near, lasted) : "");
	else if (n_new > 0)
		text_list_add(&list, "",
			"no pair was near (below %.3g ns) before %s of sleep",
			limit, time);
	else
		return NULL;
	if (n_new > 0)
		text_list_add(&list, "; ",
			"%zu %s near only after sleep: CPUs %u,%u took %.3g "
			"ns%s",
			n_new, n_new == 1 ? "pair was" : "pairs were",
			nearest.a, nearest.b, nearest.value,
			n_new == 1 ? "" : ", the nearest pair");
	if (n_new > 0 && why && facts_text(&result->machine, "hypervisor"))
		text_list_add(&list, ": ", "the host moves these vCPUs");
	return text_list_end(&list);
}

char *near_pairs_describe_rest(const struct result *result, bool why)
{
	const struct facts *run = &result->run.other;
	const struct matrix *matrix =
		result_find_matrix(result, "latency", "after_rest");
	char time[TEXT_SIZE_BYTES];

	if (!isnan(facts_number(run, "rest.limit")))
		return describe_near_pairs(result, why);
	text_time(facts_number(run, "rest.s"), time);
	/* With a single pair, print its value after the sleep. */
	if (result->run.pairs < LASTED_PAIRS && matrix && result->cpus.n == 2)
		return text_format(
			"%.4g ns after %s of sleep", matrix->values[1], time);
	if (result->run.pairs >= LASTED_PAIRS &&
		near_pairs_looked_again(result))
		return text_format("no pair is much nearer than other pairs, "
				   "so c2c cannot detect moves in %s of sleep",
			time);
	return NULL;
}

void near_pairs_print_lasted(FILE *out, const struct result *result)
{
	const struct facts *run = &result->run.other;
	int64_t sometimes = facts_count(run, "rest.sometimes");
	char *rest = near_pairs_describe_rest(result, true);
	char always[32], more[32];

	if (rest)
		fprintf(out, "%s\n", rest);
	free(rest);
	if (isnan(facts_number(run, "rest.limit")))
		return;
	/* With fewer passes, first, middle and last passes are the same. */
	if (result->run.passes < NEAR_PAIRS_PARTS)
		return;
	if (facts_count(run, "rest.always") + sometimes <= 0)
		return;
	fprintf(out, "near in the first, middle and last passes: %s; ",
		format_pair_count(facts_count(run, "rest.always"), always));
	fprintf(out, "only in some of these passes: %s\n",
		format_pair_count(sometimes, more));
}
