/*
 * An analysis as text: levels from the innermost outwards, CPUs that do not
 * fit, and where the topology differs.
 */
#include "cmd/analyze/analyze_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/text.h"

/* Above so many CPUs, thin lines around pairs would cover the heatmap. */
#define PAIRS_DRAWN_CPUS 64

/* So many groups are listed without --verbose. */
#define GROUPS_SHOWN 64

struct report {
	struct prose *prose;
	const struct analysis *analysis;
	bool all;	    /* groups, however many */
	bool epoch;	    /* of the run, not all of it */
	const char *shared; /* who shares a cache; NULL: not measured */
	struct arena *arena;
};

/* How many CPUs each group of a level has. */
struct sizes {
	size_t *of_group;
	size_t groups; /* of two CPUs and more */
	size_t least, most;
	size_t alone;
};

static struct sizes find_sizes(
	const struct report *report, const struct analysis_level *level)
{
	struct sizes sizes = {.least = SIZE_MAX,
		.of_group = arena_take(
			report->arena, level->n_groups, sizeof(size_t))};

	for (size_t i = 0; i < report->analysis->cpus.n; i++)
		sizes.of_group[level->group[i]]++;
	for (size_t g = 0; g < level->n_groups; g++) {
		size_t size = sizes.of_group[g];

		if (size == 1) {
			sizes.alone++;
			continue;
		}
		sizes.groups++;
		if (size < sizes.least)
			sizes.least = size;
		if (size > sizes.most)
			sizes.most = size;
	}
	return sizes;
}

/* The names of kinds of levels; plain groups have none. */
static const char *const kinds[] = {
	[ANALYSIS_SMT] = "SMT siblings",
	[ANALYSIS_LLC] = "sharing a cache",
	[ANALYSIS_NODE] = "NUMA nodes",
	[ANALYSIS_PACKAGE] = "packages",
	[ANALYSIS_CLASS] =
		"classes of cores (they differ in kind, not distance)",
	[ANALYSIS_GROUP] = NULL,
};

/* What the CPUs of a group share if the level is of this kind. */
static const char *const things[] = {
	[ANALYSIS_SMT] = "a core",
	[ANALYSIS_LLC] = "a last-level cache",
	[ANALYSIS_NODE] = "a die or a NUMA node",
	[ANALYSIS_PACKAGE] = "a package",
	[ANALYSIS_CLASS] = "their kind",
	[ANALYSIS_GROUP] = "something",
};

/* printf() into the arena of a report. */
#define SAY(report, ...) arena_format((report)->arena, __VA_ARGS__)

/* Of the compute units of a device (c2c cl latency --units). */
static bool is_of_units(const struct analysis *analysis)
{
	return strcmp(analysis->member, "unit") == 0;
}

/* Print the groups of two CPUs and more, then the single CPUs. */
static void print_groups(const struct report *report,
	const struct analysis_level *level, const struct sizes *sizes)
{
	const struct analysis *analysis = report->analysis;
	struct arena *arena = report->arena;
	const char **lists = arena_take(arena, sizes->groups, sizeof(*lists));
	uint32_t *alone = arena_take(arena, analysis->cpus.n, sizeof(*alone));
	size_t n = 0, shown = sizes->groups;

	if (!report->all && shown > GROUPS_SHOWN)
		shown = GROUPS_SHOWN;
	for (uint32_t g = 0; n < shown; g++) {
		if (sizes->of_group[g] > 1)
			lists[n++] =
				analysis_list(analysis, level->group, g, arena);
	}
	prose_list(report->prose, is_of_units(analysis) ? "Units" : "CPUs",
		lists, shown);
	if (shown < sizes->groups)
		prose_row(report->prose, "",
			SAY(report, "and %zu more (--verbose lists all)",
				sizes->groups - shown));
	if (sizes->alone == 0)
		return;
	for (size_t i = 0; i < analysis->cpus.n; i++)
		alone[i] = sizes->of_group[level->group[i]] == 1;
	prose_list(report->prose, "Alone",
		(const char *[]){analysis_list(analysis, alone, 1, arena)}, 1);
}

/* "2 groups of 3 to 4 CPUs and 1 alone" */
static char *list_sizes(const struct report *report, const struct sizes *sizes)
{
	struct text_list list = {0};

	text_list_add(&list, "", "%zu group%s of %zu", sizes->groups,
		sizes->groups == 1 ? "" : "s", sizes->least);
	if (sizes->most > sizes->least)
		text_list_add(&list, " ", "to %zu", sizes->most);
	text_list_add(&list, " ", "%ss", report->analysis->member);
	if (sizes->alone)
		text_list_add(&list, " ", "and %zu alone", sizes->alone);
	return arena_adopt(report->arena, text_list_end(&list));
}

/* "a cache or a package": what else the groups may share; "" if nothing. */
static char *list_things(
	const struct analysis_level *level, struct arena *arena)
{
	struct text_list list = {0};

	for (size_t i = 0; i < level->n_may_be; i++) {
		if (level->may_be[i] != level->kind)
			text_list_add(
				&list, " or ", "%s", things[level->may_be[i]]);
	}
	return arena_adopt(arena, text_list_end(&list));
}

/* How certain the kind is, from what, and what else the groups may share. */
static void print_kind(
	const struct report *report, const struct analysis_level *level)
{
	static const char *const witnesses[] = {
		[ANALYSIS_NUMBERS] = "latencies",
		[ANALYSIS_TOPOLOGY] = "topology",
		[ANALYSIS_SHARING] = "slowdowns in a first-level cache",
	};
	const char *others = list_things(level, report->arena);
	const char *text;

	/* What kinds there are, only topologies of CPUs know. */
	if (is_of_units(report->analysis) ||
		(level->kind == ANALYSIS_GROUP && !*others))
		return;
	if (level->kind == ANALYSIS_GROUP)
		text = arena_format(report->arena,
			"they share something that the others do not: %s",
			others);
	else
		text = arena_format(report->arena,
			"confidence %.2f, from the %s%s%s",
			analysis_confidence(level->kind_confidence),
			level->shares_cache &&
					level->witness == ANALYSIS_NUMBERS
				? "slowdowns in a cache"
				: witnesses[level->witness],
			*others ? "; or they share " : "", others);
	prose_row(report->prose, "Kind", text);
}

static void print_agreement(const struct report *report,
	const struct analysis_level *level, bool compared)
{
	const char *text = "differs, but this level is too uncertain to count";

	if (!compared)
		text = "none to compare with";
	else if (level->agrees == ANALYSIS_AGREES)
		text = SAY(report, "the same: %s", level->advertised);
	else if (level->agrees == ANALYSIS_DISAGREES)
		text = "differs, see below";
	prose_row(report->prose, "Topology", text);
}

/* "SMT siblings (inferred)"; NULL if the kind has no name. */
static const char *name_kind(
	const struct report *report, const struct analysis_level *level)
{
	const char *kind = kinds[level->kind];

	if (!kind || is_of_units(report->analysis))
		return NULL;
	return SAY(report, "%s%s", kind,
		level->nested && level->witness == ANALYSIS_NUMBERS
			? " (inferred)"
			: "");
}

static void print_level(const struct report *report, size_t k)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_level *level = &analysis->levels[k];
	const char *kind = name_kind(report, level);
	const struct sizes sizes = find_sizes(report, level);
	const char *inside = "", *range = "";

	prose_head(
		report->prose, SAY(report, "Level %zu: %s%s%s; confidence %.2f",
				       k + 1, list_sizes(report, &sizes),
				       kind ? ", " : "", kind ? kind : "",
				       analysis_confidence(level->confidence)));
	print_groups(report, level, &sizes);
	print_kind(report, level);
	if (!isnan(level->inside))
		inside = SAY(
			report, "%.4g %s inside, ", level->inside, level->unit);
	if (level->between_high > level->between_low)
		range = SAY(report, " (nine in ten %.4g to %.4g)",
			level->between_low, level->between_high);
	prose_row(report->prose, "Medians",
		SAY(report, "%s%.4g %s between%s", inside, level->between,
			level->unit, range));
	if (analysis->placement == ANALYSIS_STABLE &&
		(analysis->compared || !report->epoch))
		print_agreement(report, level, analysis->compared);
	prose_gap(report->prose);
}

/* Levels that may be there, and what makes them doubtful. */
static void print_perhaps(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		const struct analysis_level *level = &analysis->perhaps[k];
		const struct sizes sizes = find_sizes(report, level);
		char doubt[ANALYSIS_DOUBT];

		analysis_doubt(level, doubt);
		prose_head(report->prose,
			SAY(report, "Perhaps: %s", list_sizes(report, &sizes)));
		print_groups(report, level, &sizes);
		prose_row(report->prose, "Doubt", doubt);
		prose_row(report->prose, "Medians",
			SAY(report, "%.4g %s inside, %.4g %s between",
				level->inside, level->unit, level->between,
				level->unit));
		if (level->agrees == ANALYSIS_AGREES)
			prose_row(report->prose, "Topology",
				SAY(report, "the same: %s", level->advertised));
		prose_gap(report->prose);
	}
}

static void print_pairs(const struct report *report, const char *label,
	const struct analysis_pair *pairs, size_t n)
{
	const char **items = arena_take(report->arena, n, sizeof(*items));

	for (size_t k = 0; k < n; k++)
		items[k] = analyze_name_pair(&pairs[k],
			report->analysis->nearest_unit, report->arena);
	if (n > 0)
		prose_list(report->prose, label, items, n);
}

/* A single pair is in the report anyway. */
static void print_nearest(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_nearest == 0 || analysis->cpus.n == 2)
		return;
	prose_head(report->prose, "Nearest pairs:");
	print_pairs(report, is_of_units(analysis) ? "Units" : "CPUs",
		analysis->nearest, analysis->n_nearest);
	print_pairs(report, "Cores", analysis->nearest_cores,
		analysis->n_nearest_cores);
	prose_gap(report->prose);
}

/*
 * Of one-way latencies, in ns: SMT siblings mostly have 5 to 35, and cores that
 * share a cache 16 to 60.
 */
static const char *explain_pair(const struct report *report)
{
	double ns = report->analysis->least_ns;
	const char *way = report->analysis->is_round_trip ? " one way" : "";

	/* No two CPUs are nearer than 1 ns. */
	if (!(ns >= 1))
		return "";
	if (ns < 16)
		return SAY(report, " %.3g ns%s is typical of SMT siblings.", ns,
			way);
	if (ns <= 35)
		return SAY(report,
			" %.3g ns%s is typical of SMT siblings (5 to 35 ns) "
			"and of cores that share a cache (16 to 60 ns): c2c "
			"cannot tell which of them these are.",
			ns, way);
	if (ns <= ANALYSIS_CACHE_NS)
		return SAY(report,
			" %.3g ns%s is typical of cores that share a cache.",
			ns, way);
	return SAY(report,
		" %.3g ns%s is more than cores that share a cache mostly take "
		"(16 to 60 ns): these share none, or threads or vCPUs moved "
		"during the run.",
		ns, way);
}

static void print_no_levels(const struct report *report)
{
	const struct analysis *analysis = report->analysis;
	const char *text = "No groups.";

	if (analysis->n_levels + analysis->n_perhaps > 0 ||
		analysis->placement != ANALYSIS_STABLE)
		return;
	if (report->shared)
		text = SAY(report, "%s.", report->shared);
	else if (analysis->cpus.n == 2)
		text = SAY(report,
			"No groups: two %ss are a single pair, and there is "
			"nothing to compare it with.%s",
			analysis->member, explain_pair(report));
	else if (!isnan(analysis->ratio))
		text = SAY(report,
			"No groups. The largest value of all pairs is %.2f "
			"times the smallest; %s.",
			analysis->ratio,
			analysis->repeats
				? "the differences repeat from pass to pass, "
				  "but are too small for a level or form no "
				  "groups"
				: "no groups stand out clearly enough from "
				  "the noise");
	prose_text(report->prose, text);
	prose_gap(report->prose);
}

static void print_placement(const struct report *report)
{
	const struct analysis *analysis = report->analysis;
	const char *text = NULL;

	switch (analysis->placement) {
	case ANALYSIS_STABLE:
		return;
	case ANALYSIS_DRIFTING:
		text = SAY(report,
			"Placement: drifting. CPUs moved during the run, as "
			"vCPUs do when the host moves them. %s",
			analysis->n_epochs > 0
				? "Only the groups that lasted are listed for "
				  "the whole run."
			: analysis->of_longest
				? "The groups are those of its longest epoch "
				  "without a move. A run with --keep-passes "
				  "shows all epochs."
				: "No groups can be listed. A run with "
				  "--keep-passes shows when CPUs moved.");
		break;
	case ANALYSIS_MOVING_ASLEEP:
		text = "Placement: drifting. Most near pairs were no longer "
		       "near after the CPUs had slept: the host moves these "
		       "vCPUs. The groups are those of the run, and a "
		       "placement by them cannot help.";
		break;
	case ANALYSIS_CANNOT_TELL:
		text = "Placement: cannot tell. Some pairs are far nearer than "
		       "noise explains but form no groups, as if threads or "
		       "vCPUs had moved during the run.";
		break;
	case ANALYSIS_TOO_FEW:
		text = SAY(report,
			"Placement: cannot tell. %zu CPUs are too few to tell "
			"groups or moved CPUs from noise.",
			analysis->cpus.n);
		break;
	}
	prose_text(report->prose, text);
	prose_gap(report->prose);
}

static void print_moves(
	const struct report *report, const struct analysis_epoch *epoch)
{
	const struct analysis *analysis = report->analysis;

	for (size_t k = 0; k < epoch->n_moves; k++) {
		const struct epoch_move *move = &epoch->moves[k];
		unsigned cpu = analysis->cpus.cpus[move->cpu];

		prose_item(report->prose,
			move->other != move->cpu
				? SAY(report,
					  "  CPU %u or %u changed: their pair, "
					  "by %.0f %%",
					  cpu, analysis->cpus.cpus[move->other],
					  move->change * 100)
				: SAY(report,
					  "  CPU %u changed: %zu of its %zu "
					  "pairs, by %.0f %%",
					  cpu, move->n_changed, move->n_pairs,
					  move->change * 100));
	}
}

char *analyze_left_out(const struct analysis *analysis, struct arena *arena)
{
	size_t n = analysis->cpus.n, named = analysis->n_missing;
	struct text_list list = {0};

	if (analysis->n_missing == 0)
		return NULL;
	if (named > ANALYSIS_NAMED)
		named = ANALYSIS_NAMED;
	for (size_t k = 0; k < named; k++) {
		const struct analysis_pair *pair = &analysis->missing[k];

		if (isnan(pair->value))
			text_list_add(&list, "; ", "%u,%u has no value",
				pair->a, pair->b);
		else
			text_list_add(&list, "; ",
				"%u,%u has %.4g, in an interval wider than a "
				"factor of two (%.4g to %.4g)",
				pair->a, pair->b, pair->value, pair->low,
				pair->high);
	}
	if (analysis->n_missing > named)
		text_list_add(&list, "; ", "and %zu more",
			analysis->n_missing - named);
	return arena_format(arena, "Left out: %zu of %zu pairs. %s.",
		analysis->n_missing, n * (n - 1) / 2,
		arena_adopt(arena, text_list_end(&list)));
}

static void print_missing(const struct report *report)
{
	const char *text = analyze_left_out(report->analysis, report->arena);

	if (!text)
		return;
	prose_text(report->prose, text);
	prose_gap(report->prose);
}

/* The clock was too coarse for what may lie between two of its ticks. */
static void print_resolution(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (!(analysis->resolution > 0))
		return;
	prose_text(report->prose,
		SAY(report,
			"Coarse clock: the values are multiples of %.3g %s. "
			"Smaller differences do not show.",
			analysis->resolution, analysis->resolution_unit));
	prose_gap(report->prose);
}

char *analyze_name_pair(
	const struct analysis_pair *pair, const char *unit, struct arena *arena)
{
	char *text = arena_format(
		arena, "%u,%u: %.4g %s", pair->a, pair->b, pair->value, unit);

	if (isnan(pair->low) || isnan(pair->high))
		return text;
	return arena_format(
		arena, "%s (%.4g to %.4g)", text, pair->low, pair->high);
}

char *analyze_name_epoch(
	const struct analysis *analysis, size_t k, struct arena *arena)
{
	const struct analysis_epoch *epoch = &analysis->epochs[k];

	return arena_format(arena, "Epoch %zu: %.2f to %.2f s, %zu passes",
		k + 1, epoch->start_s, epoch->end_s,
		epoch->last - epoch->first + 1);
}

char *analyze_name_level(
	const struct analysis *analysis, size_t k, struct arena *arena)
{
	const struct report report = {.analysis = analysis, .arena = arena};
	const char *kind = name_kind(&report, &analysis->levels[k]);

	return kind ? arena_format(arena, "level %zu, %s", k + 1, kind)
		    : arena_format(arena, "level %zu", k + 1);
}

/* If there are several epochs: when each was, who moved, and its levels. */
static void print_epochs(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_epochs < 2)
		return;
	prose_text(report->prose,
		SAY(report,
			"Epochs: %zu. Between them CPUs moved, or others "
			"slowed them down.",
			analysis->n_epochs));
	prose_gap(report->prose);
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		const struct analysis_epoch *epoch = &analysis->epochs[k];
		const struct report alone = {.prose = report->prose,
			.analysis = epoch->found,
			.all = report->all,
			.epoch = true,
			.arena = report->arena};

		prose_part(report->prose,
			analyze_name_epoch(analysis, k, report->arena));
		print_moves(report, epoch);
		prose_gap(report->prose);
		for (size_t l = 0; l < epoch->found->n_levels; l++)
			print_level(&alone, l);
		print_perhaps(&alone);
		if (epoch->found->n_levels > 0)
			continue;
		prose_text(report->prose,
			epoch->found->placement == ANALYSIS_STABLE
				? "No groups."
				: "Cannot tell.");
		prose_gap(report->prose);
	}
	prose_part(report->prose, NULL);
}

/* Whether one sentence says why both do not fit. */
static bool is_alike(const struct analysis_outlier *one,
	const struct analysis_outlier *other)
{
	return one->misfit == other->misfit &&
	       one->n_groups == other->n_groups &&
	       (one->change < 0) == (other->change < 0);
}

/* What explain() says of one CPU, of several. */
static const char *explain_all(const struct report *report,
	const struct analysis_outlier *least,
	const struct analysis_outlier *most)
{
	double low = round(fabs(least->change) * 100);
	double high = round(fabs(most->change) * 100);
	const char *way = most->change > 0 ? "farther from" : "nearer to";

	if (most->n_groups > 0)
		return SAY(report,
			"they do not fit the level of %zu groups: each is as "
			"near to others as to its own group, or as far from "
			"its own as from others",
			most->n_groups);
	if (most->misfit)
		return "they have almost no usable numbers, so they are in no "
		       "group";
	if (low == high)
		return SAY(report,
			"they are %.0f %% %s all %ss than their peers are", low,
			way, report->analysis->member);
	return SAY(report,
		"they are %.0f to %.0f %% %s all %ss than their peers are, %s "
		"%u "
		"the most",
		low, high, way, report->analysis->member,
		report->analysis->member, most->cpu);
}

/* One line of all outliers like the k-th, which is the first of them. */
static void print_alike(const struct report *report, size_t k)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_outlier *first = &analysis->outliers[k];
	const struct analysis_outlier *least = first, *most = first;
	uint32_t *alike =
		arena_take(report->arena, analysis->cpus.n, sizeof(*alike));
	size_t n = 0;

	for (; k < analysis->n_outliers; k++) {
		const struct analysis_outlier *one = &analysis->outliers[k];

		if (!is_alike(one, first))
			continue;
		alike[cpu_list_find(&analysis->cpus, one->cpu)] = 1;
		n++;
		if (fabs(one->change) < fabs(least->change))
			least = one;
		if (fabs(one->change) > fabs(most->change))
			most = one;
	}
	prose_item(report->prose,
		n == 1 ? SAY(report, "%s %u: %s", analysis->member, first->cpu,
				 first->why)
		       : SAY(report, "%ss %s: %s", analysis->member,
				 analysis_list(
					 analysis, alike, 1, report->arena),
				 explain_all(report, least, most)));
}

static void print_outliers(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_outliers == 0)
		return;
	prose_head(report->prose,
		SAY(report, "%s that do not fit:",
			is_of_units(analysis) ? "Units" : "CPUs"));
	for (size_t k = 0; k < analysis->n_outliers; k++) {
		size_t first = 0;

		while (!is_alike(
			&analysis->outliers[first], &analysis->outliers[k]))
			first++;
		if (first == k)
			print_alike(report, k);
	}
	prose_gap(report->prose);
}

/* The result of the comparison with the topology. */
static void print_verdict(
	const struct report *report, const char *compared_with)
{
	const struct analysis *analysis = report->analysis;
	size_t n = analysis->n_disagreements;

	if (analysis->verdict == ANALYSIS_VERDICT_CANNOT_TELL) {
		prose_text(report->prose,
			SAY(report, "Cannot tell whether %s is right: %s.",
				compared_with, analysis->untold));
		if (analysis->n_unseen > 0)
			prose_gap(report->prose);
	}
	if (!analysis->compared)
		return;
	if (n > 0)
		prose_head(report->prose,
			SAY(report, "%zu disagreement%s with %s:", n,
				n == 1 ? "" : "s", compared_with));
	else if (analysis->verdict == ANALYSIS_VERDICT_DISAGREES)
		prose_head(report->prose,
			"The numbers disagree with each other, see Sharing.");
	else if (analysis->verdict == ANALYSIS_VERDICT_AGREES)
		prose_head(
			report->prose, SAY(report, "The numbers agree with %s.",
					       compared_with));
	for (size_t k = 0; k < n; k++) {
		const struct analysis_disagreement *item =
			&analysis->disagreements[k];

		prose_item(
			report->prose, SAY(report, "%s: %s",
					       item->what == ANALYSIS_HIDDEN
						       ? "Not in the topology"
						       : "Contradicted",
					       item->text));
	}
	if (analysis->n_unseen > 0)
		prose_head(report->prose,
			"In the topology, and the numbers neither show nor "
			"contradict it:");
	for (size_t k = 0; k < analysis->n_unseen; k++)
		prose_item(report->prose, analysis->unseen[k]);
}

/* What the second witness says. */
static void print_sharing(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_sharing == 0)
		return;
	prose_head(report->prose, "Sharing, as slowdowns in a cache show it:");
	for (size_t k = 0; k < analysis->n_sharing; k++) {
		const struct analysis_sharing *sharing = &analysis->sharing[k];

		prose_item(report->prose,
			sharing->source ? SAY(report, "%s: %s", sharing->source,
						  sharing->text)
					: sharing->text);
	}
	prose_gap(report->prose);
}

void analyze_tell(struct prose *prose, const struct analysis *analysis,
	const char *compared_with, const char *shared, bool all,
	struct arena *arena)
{
	const struct report report = {.prose = prose,
		.analysis = analysis,
		.all = all,
		.shared = shared,
		.arena = arena};

	for (size_t k = 0; k < analysis->n_levels; k++)
		print_level(&report, k);
	print_perhaps(&report);
	print_no_levels(&report);
	print_nearest(&report);
	print_missing(&report);
	print_resolution(&report);
	if (analysis->n_left_out > 0) {
		prose_text(prose,
			SAY(&report,
				"Left out: %zu level%s of other matrices or "
				"files, which contradict%s these.",
				analysis->n_left_out,
				analysis->n_left_out == 1 ? "" : "s",
				analysis->n_left_out == 1 ? "s" : ""));
		prose_gap(prose);
	}
	print_placement(&report);
	print_outliers(&report);
	print_epochs(&report);
	print_sharing(&report);
	print_verdict(&report, compared_with);
}

void analyze_report(const struct analysis *analysis, const char *compared_with,
	const char *shared, bool all, struct arena *arena)
{
	struct prose prose = {.out = stdout};

	text_show(stdout, analysis->source);
	printf(": %zu %ss\n\n", analysis->cpus.n, analysis->member);
	analyze_tell(&prose, analysis, compared_with, shared, all, arena);
}

void analyze_borders(const struct analysis *analysis, const size_t *order,
	enum plot_border *borders)
{
	enum plot_border border = PLOT_BORDER_MAJOR;
	size_t n = analysis->cpus.n;

	for (size_t k = analysis->n_levels; k-- > 0;) {
		const struct analysis_level *level = &analysis->levels[k];

		if (!level->nested)
			continue;
		if (level->n_groups * 4 > n && n > PAIRS_DRAWN_CPUS)
			break;
		/* Pairs get thin lines even if they are the only level. */
		if (level->kind == ANALYSIS_SMT)
			border = PLOT_BORDER_MINOR;
		for (size_t i = 1; i < n; i++) {
			if (level->group[order[i]] !=
					level->group[order[i - 1]] &&
				borders[i] < border)
				borders[i] = border;
		}
		border = PLOT_BORDER_MINOR;
	}
}

void analyze_order_drawing(const struct analysis *analysis,
	struct plot_options *options, struct arena *arena)
{
	const struct cpu_list *cpus = &analysis->cpus;
	const size_t *order = analysis_order(analysis, arena);
	enum plot_border *borders =
		arena_take(arena, cpus->n, sizeof(*borders));
	struct cpu_list *ordered = arena_take(arena, 1, sizeof(*ordered));

	analyze_borders(analysis, order, borders);
	ordered->cpus = arena_take(arena, cpus->n, sizeof(*ordered->cpus));
	for (ordered->n = 0; ordered->n < cpus->n; ordered->n++)
		ordered->cpus[ordered->n] = cpus->cpus[order[ordered->n]];
	options->order = PLOT_ORDER_GROUPS;
	options->cpus = ordered;
	options->borders = borders;
}
