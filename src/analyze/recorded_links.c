#include "analyze/recorded_links.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/cost_matrix.h"
#include "util/text.h"

/* Copy the links. Return false if a link number is invalid. */
static bool copy_links(struct recorded_links *links, const double *numbers)
{
	for (size_t i = 0; i < links->n; i++) {
		if (!(numbers[i] >= 0 && numbers[i] < (double)links->n))
			return false;
		links->link_of[i] = (size_t)numbers[i];
		if (links->n_links <= links->link_of[i])
			links->n_links = links->link_of[i] + 1;
	}
	return true;
}

static int copy_known_links(struct recorded_links *links,
	const struct facts *run, struct error *err)
{
	size_t n = links->n;
	double *numbers = calloc(n, sizeof(*numbers));

	links->link_of = calloc(n, sizeof(*links->link_of));
	links->rates = calloc(n * n, sizeof(*links->rates));
	if (!numbers || !links->link_of || !links->rates) {
		free(numbers);
		recorded_links_release(links);
		return error_no_memory(err, "the links to memory");
	}
	facts_numbers(run, LINKS_KEY, numbers, n);
	facts_numbers(run, LINKS_KEY_RATES, links->rates, n * n);
	if (!copy_links(links, numbers))
		links->n = 0;
	free(numbers);
	return 0;
}

int recorded_links_read(const struct result *result,
	struct recorded_links *links, struct error *err)
{
	const struct facts *run = &result->run.other;
	size_t n = facts_numbers(run, LINKS_KEY, NULL, 0);

	*links = (struct recorded_links){.result = result,
		.n = n,
		.doubt = facts_text(run, LINKS_KEY_DOUBT)};
	if (links->doubt)
		return 0;
	/* The lengths of lists in a file may differ. */
	if (n > result->cpus.n ||
		facts_numbers(run, LINKS_KEY_RATES, NULL, 0) != n * n)
		links->n = 0;
	return links->n == 0 ? 0 : copy_known_links(links, run, err);
}

void recorded_links_release(struct recorded_links *links)
{
	free(links->link_of);
	free(links->rates);
	*links = (struct recorded_links){.n = 0};
}

const struct curve *recorded_links_curve(const struct result *result, size_t of)
{
	for (size_t c = 0; c < result->n_curves; c++) {
		if (text_same(result->curves[c].facts.test, SCALING_TEST) &&
			of-- == 0)
			return &result->curves[c];
	}
	return NULL;
}

const struct cpu_list *recorded_links_cpus(
	const struct recorded_links *links, size_t llc)
{
	const struct curve *curve = recorded_links_curve(
		links->result, links->n == 1 ? 0 : 1 + llc);

	return curve ? &curve->cpus : NULL;
}

double recorded_links_rate(const struct recorded_links *links, size_t link)
{
	double most = NAN;

	for (size_t a = 0; a < links->n; a++) {
		for (size_t b = a; b < links->n; b++) {
			if (links->link_of[a] == link &&
				links->link_of[b] == link)
				most = fmax(
					most, links->rates[a * links->n + b]);
		}
	}
	return most;
}

/* The analysis that gets the levels. */
struct level_maker {
	const struct recorded_links *links;
	struct analysis *analysis;
};

/* Return the LLC of a CPU; links->n: unknown. */
static size_t llc_of_cpu(const struct recorded_links *links, unsigned cpu)
{
	size_t a = 0;

	while (a < links->n) {
		const struct cpu_list *cpus = recorded_links_cpus(links, a);

		if (cpus && cpu_list_find(cpus, cpu) >= 0)
			break;
		a++;
	}
	return a;
}

static size_t group_of_llc(
	const struct recorded_links *links, size_t llc, bool domains)
{
	return domains ? links->link_of[llc] : llc;
}

static double rate_of_llc(
	const struct recorded_links *links, size_t llc, bool domains)
{
	return domains ? recorded_links_rate(links, links->link_of[llc])
		       : links->rates[llc * (links->n + 1)];
}

static void add_level_of_links(
	const struct level_maker *maker, bool domains, struct arena *arena)
{
	const struct recorded_links *links = maker->links;
	const struct cpu_list *cpus = &maker->analysis->cpus;
	size_t *llc = arena_alloc(arena, cpus->n, sizeof(*llc));
	double *rates = arena_alloc(arena, cpus->n, sizeof(*rates));
	struct partition partition = {.n_units = cpus->n,
		.group = arena_alloc(arena, cpus->n, sizeof(*partition.group))};

	for (size_t i = 0; i < cpus->n; i++) {
		llc[i] = llc_of_cpu(links, cpus->cpus[i]);
		partition.group[i] = (uint32_t)(links->n + i);
		if (llc[i] < links->n)
			partition.group[i] =
				(uint32_t)group_of_llc(links, llc[i], domains);
	}
	partition_number(&partition, arena);
	for (size_t i = 0; i < cpus->n; i++)
		rates[partition.group[i]] =
			llc[i] < links->n ? rate_of_llc(links, llc[i], domains)
					  : NAN;
	maker->analysis->levels[maker->analysis->n_levels++] =
		(struct analysis_level){
			.kind = domains ? ANALYSIS_DOMAIN : ANALYSIS_LLC,
			.nested = true,
			.n_groups = partition.n_groups,
			.group = partition.group,
			.rates = rates,
			.unit = arena_strdup(arena, "GiB/s"),
			.inside = NAN,
			.between = NAN,
			.confidence = NAN};
}

static int make_link_levels(
	struct arena *arena, void *context, struct error *err)
{
	const struct level_maker *maker = context;

	(void)err;
	maker->analysis->levels =
		arena_alloc(arena, 2, sizeof(*maker->analysis->levels));
	if (maker->links->n_links < maker->links->n)
		add_level_of_links(maker, false, arena);
	add_level_of_links(maker, true, arena);
	return 0;
}

int recorded_links_add_levels(const struct recorded_links *links,
	struct analysis *analysis, struct error *err)
{
	struct level_maker maker = {links, analysis};

	if (links->n == 0 || links->doubt)
		return 0;
	return arena_run(&analysis->memory, make_link_levels, &maker,
		"the links to memory", err);
}
