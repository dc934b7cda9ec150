#include "cmd/watch/watch_log.h"

#include <math.h>
#include <stdlib.h>

#include "stat/stat.h"
#include "util/text.h"

/* Smallest change to report, and share of pairs that counts as "all". */
#define LEAST_CHANGE 0.1
#define NEARLY_ALL   0.8

/* What the CPUs of a group share; CPUs of a class may be far apart. */
static const char *const sharing[] = {
	[ANALYSIS_SMT] = "a core",
	[ANALYSIS_LLC] = "a last-level cache",
	[ANALYSIS_NODE] = "a die or a NUMA node",
	[ANALYSIS_PACKAGE] = "a package",
	[ANALYSIS_CLASS] = NULL,
	[ANALYSIS_GROUP] = "a group",
};

static const struct analysis_level *find_level_of_kind(
	const struct analysis *analysis, enum analysis_kind kind)
{
	for (size_t k = 0; k < analysis->n_levels; k++) {
		if (analysis->levels[k].kind == kind)
			return &analysis->levels[k];
	}
	return NULL;
}

static bool are_together(const struct analysis_level *level, size_t a, size_t b)
{
	return level && level->group[a] == level->group[b];
}

/*
 * Find the CPUs that share a group with this CPU in `one`, but not at the same
 * kind of level in `other`, at the innermost level with any. Return the
 * resource that the group shares.
 */
static const char *find_separated_cpus(const struct watch_change *change,
	const struct analysis *one, const struct analysis *other, size_t cpu,
	struct cpu_list *separated)
{
	for (size_t k = 0; k < one->n_levels; k++) {
		const struct analysis_level *level = &one->levels[k];
		const struct analysis_level *same =
			find_level_of_kind(other, level->kind);

		for (size_t i = 0; i < change->cpus->n; i++) {
			if (i != cpu && are_together(level, i, cpu) &&
				!are_together(same, i, cpu))
				cpu_list_add(
					separated, change->cpus->cpus[i], NULL);
		}
		if (separated->n > 0)
			return sharing[level->kind];
	}
	return NULL;
}

/* Add "CPUs 41 and 44 no longer share a core", or "CPU 5 now shares ...". */
static void describe_group_change(const struct watch_change *change, size_t cpu,
	bool lost, struct text_list *text)
{
	const struct analysis *one = lost ? change->before : change->after;
	const struct analysis *other = lost ? change->after : change->before;
	struct cpu_list separated = {NULL, 0};
	const char *what = NULL, *when = lost ? "no longer" : "now";
	char *list;

	if (one && other)
		what = find_separated_cpus(change, one, other, cpu, &separated);
	if (what && separated.n == 1) {
		text_list_add(text, "; ", "CPUs %u and %u %s share %s",
			change->cpus->cpus[cpu], separated.cpus[0], when, what);
	} else if (what) {
		list = cpu_list_format(&separated);
		text_list_add(text, "; ", "CPU %u %s shares %s with CPUs %s",
			change->cpus->cpus[cpu], when, what, list ? list : "?");
		free(list);
	}
	cpu_list_release(&separated);
}

/* Return the change of a pair's latency: 0.15 is 15 % more. NaN: unknown. */
static double pair_change_ratio(const struct watch_change *change, size_t pair)
{
	const struct bursts *bursts = change->bursts;
	double scratch[BURSTS_KEPT];
	double before = bursts_median(bursts, pair, 0, change->first, scratch);
	double after = bursts_median(
		bursts, pair, change->first, bursts->passes.n_passes, scratch);

	return after / before - 1;
}

/*
 * Add "CPU 41 is 15 % farther from all", with the median change of its pairs,
 * if most of them changed in that direction.
 */
static double describe_distance_change(const struct watch_change *change,
	const struct epoch_move *move, struct text_list *text)
{
	const struct bursts *bursts = change->bursts;
	double *changes = calloc(bursts->n, sizeof(*changes)), median;
	size_t n = 0, farther = 0, nearer = 0;
	unsigned cpu = change->cpus->cpus[move->cpu];

	for (size_t i = 0; changes && i < bursts->n; i++) {
		double value = i == move->cpu
				       ? NAN
				       : pair_change_ratio(change,
						 bursts_pair_index(
							 bursts, move->cpu, i));

		if (isnan(value))
			continue;
		changes[n++] = value;
		farther += value >= LEAST_CHANGE;
		nearer += value <= -LEAST_CHANGE;
	}
	median = changes ? stat_median(changes, n) : NAN;
	free(changes);
	if ((double)(farther > nearer ? farther : nearer) >=
		NEARLY_ALL * (double)n)
		text_list_add(text, "; ", "%s%u is %.0f %% %s all",
			text->out ? "" : "CPU ", cpu, fabs(median) * 100,
			median > 0 ? "farther from" : "nearer to");
	else if (!text->out)
		text_list_add(text, "; ",
			"CPU %u moved: %zu of its %zu pairs changed, by %.0f "
			"%%",
			cpu, move->n_changed, move->n_pairs,
			move->change * 100);
	return median;
}

/* Describe the change of a single pair, where either CPU may have moved. */
static double describe_pair_change(const struct watch_change *change,
	const struct epoch_move *move, struct text_list *text)
{
	double by = pair_change_ratio(change,
		bursts_pair_index(change->bursts, move->cpu, move->other));

	text_list_add(text, "; ",
		"CPU %u or %u moved: the latency between them is %.0f %% %s",
		change->cpus->cpus[move->cpu], change->cpus->cpus[move->other],
		fabs(by) * 100, by > 0 ? "higher" : "lower");
	return by;
}

int watch_describe_move(const struct watch_change *change,
	const struct epoch_move *move, struct watch_event *event,
	struct error *err)
{
	struct text_list text = {.text = NULL};

	*event = (struct watch_event){.cpus = {change->cpus->cpus[move->cpu],
					      change->cpus->cpus[move->other]},
		.n_cpus = move->cpu == move->other ? 1 : 2};
	describe_group_change(change, move->cpu, true, &text);
	describe_group_change(change, move->cpu, false, &text);
	event->change = event->n_cpus == 1
				? describe_distance_change(change, move, &text)
				: describe_pair_change(change, move, &text);
	event->text = text_list_end(&text);
	return event->text ? 0 : error_no_memory(err, "an event");
}
