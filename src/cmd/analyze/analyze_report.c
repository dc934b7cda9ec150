/*
 * Print an analysis as text: levels from the innermost outwards, CPUs that do
 * not fit, and where the topology differs.
 */
#include "cmd/analyze/analyze_report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/latency/by_line.h"
#include "util/text.h"

/* With more CPUs, thin lines around pairs would cover the heatmap. */
#define PAIRS_DRAWN_CPUS 64

/* Largest number of groups in a list without --verbose. */
#define GROUPS_SHOWN 64

struct analysis_printer {
	struct prose *prose;
	const struct analysis *analysis;
	bool all;	    /* list all groups, however many */
	bool epoch;	    /* analyse one epoch, not the whole run */
	const char *shared; /* CPUs that share a cache, as text, or NULL */
	struct arena *arena;
};

/* The sizes of the groups of a level. */
struct level_group_sizes {
	size_t *of_group;
	size_t groups; /* groups of two CPUs or more */
	size_t least, most;
	size_t alone;
};

static struct level_group_sizes count_group_sizes(
	const struct analysis_printer *report,
	const struct analysis_level *level)
{
	struct level_group_sizes sizes = {.least = SIZE_MAX,
		.of_group = arena_alloc(
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

/* The names of the kinds of levels; NULL: plain groups. */
static const char *const kinds[] = {
	[ANALYSIS_SMT] = "SMT siblings",
	[ANALYSIS_LLC] = "sharing a cache",
	[ANALYSIS_NODE] = "NUMA nodes",
	[ANALYSIS_PACKAGE] = "packages",
	[ANALYSIS_CLASS] = "classes of cores (core types, not distances)",
	[ANALYSIS_GROUP] = NULL,
};

/* What the CPUs of a group share, by the kind of level. */
static const char *const shared_things[] = {
	[ANALYSIS_SMT] = "a core",
	[ANALYSIS_LLC] = "a last-level cache",
	[ANALYSIS_NODE] = "a die or a NUMA node",
	[ANALYSIS_PACKAGE] = "a package",
	[ANALYSIS_CLASS] = "their kind",
	[ANALYSIS_GROUP] = "something",
};

/* printf() into the arena of a report. */
#define REPORT_TEXT(report, ...) arena_format((report)->arena, __VA_ARGS__)

/* Return whether the "CPUs" are compute units (c2c cl latency --units). */
static bool is_of_units(const struct analysis *analysis)
{
	return strcmp(analysis->member, "unit") == 0;
}

/* Print the groups of two CPUs and more, then the single CPUs. */
static void print_groups(const struct analysis_printer *report,
	const struct analysis_level *level,
	const struct level_group_sizes *sizes)
{
	const struct analysis *analysis = report->analysis;
	struct arena *arena = report->arena;
	const char **lists = arena_alloc(arena, sizes->groups, sizeof(*lists));
	uint32_t *alone = arena_alloc(arena, analysis->cpus.n, sizeof(*alone));
	size_t n = 0, shown = sizes->groups;

	if (!report->all && shown > GROUPS_SHOWN)
		shown = GROUPS_SHOWN;
	for (uint32_t g = 0; n < shown; g++) {
		if (sizes->of_group[g] > 1)
			lists[n++] = analysis_list_cpus(
				analysis, level->group, g, arena);
	}
	prose_list(report->prose, is_of_units(analysis) ? "Units" : "CPUs",
		lists, shown);
	if (shown < sizes->groups)
		prose_row(report->prose, "",
			"and %zu more (--verbose lists all)",
			sizes->groups - shown);
	if (sizes->alone == 0)
		return;
	for (size_t i = 0; i < analysis->cpus.n; i++)
		alone[i] = sizes->of_group[level->group[i]] == 1;
	prose_list(report->prose, "Alone",
		(const char *[]){analysis_list_cpus(analysis, alone, 1, arena)},
		1);
}

/* Return a text like "2 groups of 3 to 4 CPUs and 1 alone". */
static char *describe_group_sizes(const struct analysis_printer *report,
	const struct level_group_sizes *sizes)
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

/* Print the confidence of a level's kind, why, and other possible kinds. */
static void print_level_kind(const struct analysis_printer *report,
	const struct analysis_level *level)
{
	static const char *const evidence_names[] = {
		[ANALYSIS_NUMBERS] = "latencies",
		[ANALYSIS_TOPOLOGY] = "topology",
		[ANALYSIS_SHARING] = "slowdowns in a first-level cache",
	};
	struct text_list list = {0};
	size_t others_left =
		level->kind == ANALYSIS_GROUP ? ANALYSIS_MAY_BE : 2;
	const char *others;

	/* List what a group may share instead: "a cache or a package". */
	for (size_t i = 0; i < level->n_may_be && others_left > 0; i++) {
		if (level->may_be[i] == level->kind ||
			level->kind_confidence >= ANALYSIS_PROMISED)
			continue;
		text_list_add(
			&list, " or ", "%s", shared_things[level->may_be[i]]);
		others_left--;
	}
	others = arena_adopt(report->arena, text_list_end(&list));
	/* Levels of compute units have no kinds. */
	if (is_of_units(report->analysis) ||
		(level->kind == ANALYSIS_GROUP && !*others))
		return;
	if (level->kind == ANALYSIS_GROUP)
		prose_row(report->prose, "Kind",
			"each group shares a resource: %s", others);
	else
		prose_row(report->prose, "Kind",
			"confidence %.2f, from the %s%s%s",
			analysis_confidence(level->kind_confidence),
			level->shares_cache &&
					level->evidence == ANALYSIS_NUMBERS
				? "slowdowns in a cache"
				: evidence_names[level->evidence],
			*others ? "; or they share " : "", others);
}

static void print_agreement(const struct analysis_printer *report,
	const struct analysis_level *level, bool compared)
{
	bool same = compared && level->agrees == ANALYSIS_AGREES;

	prose_row(report->prose, "Topology", "%s%s",
		!compared ? "none to compare with"
		: same	  ? "the same: "
		: level->agrees == ANALYSIS_DISAGREES
			? "differs, see below"
			: "differs, but this level has too little confidence",
		same ? level->reported : "");
}

/* Return "SMT siblings (inferred)"; NULL if the kind has no name. */
static const char *level_kind_name(const struct analysis_printer *report,
	const struct analysis_level *level)
{
	const char *kind = kinds[level->kind];

	if (!kind || is_of_units(report->analysis))
		return NULL;
	return REPORT_TEXT(report, "%s%s", kind,
		level->nested && level->evidence == ANALYSIS_NUMBERS
			? " (inferred)"
			: "");
}

char *analyze_describe_level(
	const struct analysis *analysis, size_t k, struct arena *arena)
{
	const struct analysis_printer report = {
		.analysis = analysis, .arena = arena};
	const struct analysis_level *level = &analysis->levels[k];
	const struct level_group_sizes sizes =
		count_group_sizes(&report, level);
	const char *kind = level_kind_name(&report, level);

	return arena_format(arena, "%s%s%s",
		describe_group_sizes(&report, &sizes), kind ? ", " : "",
		kind ? kind : "");
}

static void print_analysis_level(
	const struct analysis_printer *report, size_t k)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_level *level = &analysis->levels[k];
	const struct level_group_sizes sizes = count_group_sizes(report, level);
	const char *inside = "", *range = "";

	prose_add(report->prose, PROSE_HEADING,
		"Level %zu: %s; confidence %.2f", k + 1,
		analyze_describe_level(analysis, k, report->arena),
		analysis_confidence(level->confidence));
	print_groups(report, level, &sizes);
	if (analysis_level_doubt(level))
		prose_row(report->prose, "Doubt", "%s",
			analysis_level_doubt(level));
	print_level_kind(report, level);
	if (!isnan(level->inside))
		inside = REPORT_TEXT(
			report, "%.4g %s inside, ", level->inside, level->unit);
	if (level->between_high > level->between_low)
		range = REPORT_TEXT(report, " (nine in ten %.4g to %.4g)",
			level->between_low, level->between_high);
	prose_row(report->prose, "Medians", "%s%.4g %s between%s", inside,
		level->between, level->unit, range);
	if (analysis->placement == ANALYSIS_STABLE &&
		(analysis->compared || !report->epoch))
		print_agreement(report, level, analysis->compared);
	prose_blank_line(report->prose);
}

/* Print the levels that perhaps exist, each with the reason for the doubt. */
static void print_uncertain_levels(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;

	for (size_t k = 0; k < analysis->n_perhaps; k++) {
		const struct analysis_level *level = &analysis->perhaps[k];
		const struct level_group_sizes sizes =
			count_group_sizes(report, level);

		prose_add(report->prose, PROSE_HEADING, "Perhaps: %s",
			describe_group_sizes(report, &sizes));
		print_groups(report, level, &sizes);
		prose_row(report->prose, "Doubt", "%s", level->doubt);
		prose_row(report->prose, "Medians",
			"%.4g %s inside, %.4g %s between", level->inside,
			level->unit, level->between, level->unit);
		if (level->agrees == ANALYSIS_AGREES)
			print_agreement(report, level, true);
		prose_blank_line(report->prose);
	}
}

static void print_pairs(const struct analysis_printer *report,
	const char *label, const struct analysis_pair *pairs, size_t n)
{
	const char **items = arena_alloc(report->arena, n, sizeof(*items));

	for (size_t k = 0; k < n; k++)
		items[k] = analyze_name_pair(&pairs[k], report->arena);
	if (n > 0)
		prose_list(report->prose, label, items, n);
}

/* Print the nearest pairs, unless there is only one pair. */
static void print_nearest(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_nearest == 0 || analysis->cpus.n == 2)
		return;
	prose_add(report->prose, PROSE_HEADING, "Nearest pairs:");
	print_pairs(report, is_of_units(analysis) ? "Units" : "CPUs",
		analysis->nearest, analysis->n_nearest);
	print_pairs(report, "Cores", analysis->nearest_cores,
		analysis->n_nearest_cores);
	prose_blank_line(report->prose);
}

/*
 * Explain one-way latencies in ns: SMT siblings mostly have 5 to 35, and cores
 * that share a cache 16 to 60.
 */
static const char *explain_pair(const struct analysis_printer *report)
{
	double ns = report->analysis->least_ns;
	const char *way = report->analysis->is_round_trip ? " one way" : "";

	/* Values below 1 ns cannot be latencies. */
	if (!(ns >= 1))
		return "";
	if (ns < 16)
		return REPORT_TEXT(report,
			" %.3g ns%s is typical of SMT siblings.", ns, way);
	if (ns <= 35)
		return REPORT_TEXT(report,
			" %.3g ns%s is typical of SMT siblings (5 to 35 ns) "
			"and of cores that share a cache (16 to 60 ns). c2c "
			"cache --shared L1 distinguishes them.",
			ns, way);
	if (ns <= ANALYSIS_CACHE_NS)
		return REPORT_TEXT(report,
			" %.3g ns%s is typical of cores that share a cache.",
			ns, way);
	return REPORT_TEXT(report,
		" %.3g ns%s is more than usual for cores that share a cache "
		"(16 to 60 ns). The cores share no cache, or threads or vCPUs "
		"moved during the run.",
		ns, way);
}

char *analyze_describe_no_levels(const struct analysis *analysis,
	const char *shared, struct arena *arena)
{
	const struct analysis_printer report = {
		.analysis = analysis, .arena = arena};

	if (shared)
		return arena_format(arena, "%s.", shared);
	if (analysis->cpus.n == 2)
		return arena_format(arena,
			"No groups: two %ss are a single pair, and there is "
			"nothing to compare it with.%s",
			analysis->member, explain_pair(&report));
	if (isnan(analysis->ratio))
		return arena_strdup(arena, "No groups.");
	return arena_format(arena,
		"No groups. The largest value of all pairs is %.2f times the "
		"smallest; %s.",
		analysis->ratio,
		analysis->repeats
			? "the differences repeat from pass to pass, but are "
			  "too small for a level or form no groups"
			: "no groups stand out clearly enough from the noise");
}

static void print_no_levels(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_levels + analysis->n_perhaps > 0 ||
		analysis->placement != ANALYSIS_STABLE)
		return;
	prose_add(report->prose, PROSE_PARAGRAPH, "%s",
		analyze_describe_no_levels(
			analysis, report->shared, report->arena));
}

char *analyze_describe_placement(
	const struct analysis *analysis, struct arena *arena)
{
	switch (analysis->placement) {
	case ANALYSIS_DRIFTING:
		return arena_format(arena,
			"drifting. CPUs moved during the run; on a virtual "
			"machine the host moves vCPUs. %s",
			analysis->n_epochs > 0
				? "For the whole run, c2c lists only the "
				  "groups that lasted."
			: analysis->of_longest
				? "The groups are those of the longest epoch "
				  "without a move. A record of --keep-passes "
				  "shows all epochs."
				: "c2c can list no groups. A record of "
				  "--keep-passes shows when CPUs moved.");
	case ANALYSIS_MOVING_ASLEEP:
		return arena_strdup(arena,
			"drifting. Most near pairs were no longer near after "
			"the CPUs had slept: the host moves these vCPUs. The "
			"groups lasted during the run, but a placement by "
			"these groups cannot help.");
	case ANALYSIS_CANNOT_TELL:
		return arena_strdup(arena,
			"cannot tell. Some pairs are much nearer than noise "
			"explains, but form no groups. Threads or vCPUs may "
			"have moved during the run.");
	case ANALYSIS_TOO_FEW:
		return arena_format(arena,
			"cannot tell. With only %zu CPUs, c2c cannot "
			"distinguish groups or moves from noise.",
			analysis->cpus.n);
	case ANALYSIS_STABLE:
		break;
	}
	return NULL;
}

static void print_placement(const struct analysis_printer *report)
{
	const char *text =
		analyze_describe_placement(report->analysis, report->arena);

	if (text)
		prose_add(
			report->prose, PROSE_PARAGRAPH, "Placement: %s", text);
}

static void print_moves(const struct analysis_printer *report,
	const struct analysis_epoch *epoch)
{
	const struct analysis *analysis = report->analysis;

	for (size_t k = 0; k < epoch->n_moves; k++) {
		const struct epoch_move *move = &epoch->moves[k];
		unsigned cpu = analysis->cpus.cpus[move->cpu];

		if (move->other != move->cpu)
			prose_add(report->prose, PROSE_ITEM,
				"  CPU %u or %u changed: their pair, by %.0f "
				"%%",
				cpu, analysis->cpus.cpus[move->other],
				move->change * 100);
		else
			prose_add(report->prose, PROSE_ITEM,
				"  CPU %u changed: %zu of its %zu pairs, by "
				"%.0f %%",
				cpu, move->n_changed, move->n_pairs,
				move->change * 100);
	}
}

char *analyze_describe_left_out(
	const struct analysis *analysis, struct arena *arena)
{
	size_t n = analysis->cpus.n, pairs = n * (n - 1) / 2;
	size_t named = analysis->n_missing;
	struct text_list list = {0};

	if (analysis->n_missing == 0)
		return NULL;
	/* A list of most pairs would not help. */
	if (named > pairs / 2)
		return arena_format(arena,
			"Left out: %zu of %zu pairs, because they have no "
			"usable value.",
			named, pairs);
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
		analysis->n_missing, pairs,
		arena_adopt(arena, text_list_end(&list)));
}

/* Print which pairs and levels the groups leave out, and the clock's step. */
static void print_left_out(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;
	const char *missing =
		analyze_describe_left_out(analysis, report->arena);

	if (missing)
		prose_add(report->prose, PROSE_PARAGRAPH, "%s", missing);
	if (analysis->resolution > 0)
		prose_add(report->prose, PROSE_PARAGRAPH,
			"Coarse clock: the values are multiples of %.3g %s. "
			"The clock does not show smaller differences.",
			analysis->resolution, analysis->resolution_unit);
	if (analysis->n_left_out > 0)
		prose_add(report->prose, PROSE_PARAGRAPH,
			"Left out: %zu level%s of other matrices or files that "
			"contradict%s the listed levels.",
			analysis->n_left_out,
			analysis->n_left_out == 1 ? "" : "s",
			analysis->n_left_out == 1 ? "s" : "");
}

char *analyze_name_pair(const struct analysis_pair *pair, struct arena *arena)
{
	char *text = arena_format(arena, "%u,%u: %.4g %s", pair->a, pair->b,
		pair->value, pair->unit);

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
		k + 1, epoch->start_s, epoch->end_s, epoch->n_passes);
}

char *analyze_name_level(
	const struct analysis *analysis, size_t k, struct arena *arena)
{
	const struct analysis_printer report = {
		.analysis = analysis, .arena = arena};
	const char *kind = level_kind_name(&report, &analysis->levels[k]);

	return kind ? arena_format(arena, "level %zu, %s", k + 1, kind)
		    : arena_format(arena, "level %zu", k + 1);
}

/* If there are several epochs, print their times, levels and moved CPUs. */
static void print_epochs(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_epochs < 2)
		return;
	prose_add(report->prose, PROSE_PARAGRAPH,
		"Epochs: %zu. Between two epochs, CPUs moved or other work "
		"slowed CPUs down.",
		analysis->n_epochs);
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		const struct analysis_epoch *epoch = &analysis->epochs[k];
		const struct analysis_printer alone = {.prose = report->prose,
			.analysis = epoch->found,
			.all = report->all,
			.epoch = true,
			.arena = report->arena};

		prose_section(report->prose,
			analyze_name_epoch(analysis, k, report->arena));
		print_moves(report, epoch);
		prose_blank_line(report->prose);
		for (size_t l = 0; l < epoch->found->n_levels; l++)
			print_analysis_level(&alone, l);
		print_uncertain_levels(&alone);
		if (epoch->found->n_levels > 0)
			continue;
		prose_add(report->prose, PROSE_PARAGRAPH, "%s",
			epoch->found->placement == ANALYSIS_STABLE
				? "No groups."
				: "Cannot tell.");
	}
	prose_section(report->prose, NULL);
}

/* Return whether one sentence explains both outliers. */
static bool outliers_are_similar(const struct analysis_outlier *one,
	const struct analysis_outlier *other)
{
	return one->misfit == other->misfit &&
	       one->n_groups == other->n_groups &&
	       (one->change < 0) == (other->change < 0);
}

/* Explain several CPUs with the same reason in one sentence. */
static const char *explain_similar_outliers(
	const struct analysis_printer *report,
	const struct analysis_outlier *least,
	const struct analysis_outlier *most)
{
	double low = round(fabs(least->change) * 100);
	double high = round(fabs(most->change) * 100);
	const char *way = most->change > 0 ? "farther from" : "nearer to";

	if (most->n_groups > 0)
		return REPORT_TEXT(report,
			"they do not fit the level of %zu groups: each is as "
			"near to other groups as to its own",
			most->n_groups);
	if (most->misfit)
		return "they have almost no usable values, so they are in no "
		       "group";
	if (low == high)
		return REPORT_TEXT(report,
			"they are %.0f %% %s all %ss than similar ones are",
			low, way, report->analysis->member);
	return REPORT_TEXT(report,
		"they are %.0f to %.0f %% %s all %ss than similar ones are, %s "
		"%u "
		"the most",
		low, high, way, report->analysis->member,
		report->analysis->member, most->cpu);
}

char *analyze_describe_outliers(
	const struct analysis *analysis, size_t k, struct arena *arena)
{
	const struct analysis_printer report = {
		.analysis = analysis, .arena = arena};
	const struct analysis_outlier *first = &analysis->outliers[k];
	const struct analysis_outlier *least = first, *most = first;
	uint32_t *similar =
		arena_alloc(arena, analysis->cpus.n, sizeof(*similar));
	size_t n = 0;

	for (size_t i = 0; i < k; i++) {
		if (outliers_are_similar(&analysis->outliers[i], first))
			return NULL;
	}
	for (; k < analysis->n_outliers; k++) {
		const struct analysis_outlier *one = &analysis->outliers[k];

		if (!outliers_are_similar(one, first))
			continue;
		similar[cpu_list_find(&analysis->cpus, one->cpu)] = 1;
		n++;
		if (fabs(one->change) < fabs(least->change))
			least = one;
		if (fabs(one->change) > fabs(most->change))
			most = one;
	}
	return arena_format(arena, "%s%s %s: %s", analysis->member,
		n == 1 ? "" : "s",
		analysis_list_cpus(analysis, similar, 1, arena),
		n == 1 ? first->why
		       : explain_similar_outliers(&report, least, most));
}

static void print_analysis_outliers(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_outliers == 0)
		return;
	prose_add(report->prose, PROSE_HEADING, "%s that do not fit:",
		is_of_units(analysis) ? "Units" : "CPUs");
	for (size_t k = 0; k < analysis->n_outliers; k++) {
		const char *text =
			analyze_describe_outliers(analysis, k, report->arena);

		if (text)
			prose_add(report->prose, PROSE_ITEM, "%s", text);
	}
	prose_blank_line(report->prose);
}

/* Print the result of the comparison with the topology. */
static void print_topology_verdict(
	const struct analysis_printer *report, const char *compared_with)
{
	const struct analysis *analysis = report->analysis;
	size_t n = analysis->n_disagreements;

	if (analysis->verdict == ANALYSIS_VERDICT_CANNOT_TELL) {
		prose_add(report->prose, PROSE_TEXT,
			"Cannot tell whether %s is right: %s.", compared_with,
			analysis->unknown_reason);
		if (analysis->n_unseen > 0)
			prose_blank_line(report->prose);
	}
	if (!analysis->compared)
		return;
	if (n > 0)
		prose_add(report->prose, PROSE_HEADING,
			"%zu disagreement%s with %s:", n, n == 1 ? "" : "s",
			compared_with);
	else if (analysis->verdict == ANALYSIS_VERDICT_DISAGREES)
		prose_add(report->prose, PROSE_HEADING,
			"The measured values disagree with each other, see "
			"Sharing.");
	else if (analysis->verdict == ANALYSIS_VERDICT_AGREES)
		prose_add(report->prose, PROSE_HEADING,
			"The numbers agree with %s.", compared_with);
	for (size_t k = 0; k < n; k++) {
		const struct analysis_disagreement *item =
			&analysis->disagreements[k];

		prose_add(report->prose, PROSE_ITEM, "%s: %s",
			item->what == ANALYSIS_HIDDEN ? "Not in the topology"
						      : "Contradicted",
			item->text);
	}
	if (analysis->n_unseen > 0)
		prose_add(report->prose, PROSE_HEADING,
			"In the topology, but neither confirmed nor "
			"contradicted by the measured values:");
	for (size_t k = 0; k < analysis->n_unseen; k++)
		prose_add(report->prose, PROSE_ITEM, "%s", analysis->unseen[k]);
}

/* Print which CPUs share a cache according to slowdowns. */
static void print_sharing(const struct analysis_printer *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_sharing == 0)
		return;
	prose_add(report->prose, PROSE_HEADING,
		"Sharing of a cache, by slowdowns:");
	for (size_t k = 0; k < analysis->n_sharing; k++) {
		const struct analysis_sharing *sharing = &analysis->sharing[k];

		prose_add(report->prose, PROSE_ITEM, "%s%s%s",
			sharing->source ? sharing->source : "",
			sharing->source ? ": " : "", sharing->text);
	}
	prose_blank_line(report->prose);
}

void analyze_print_prose(struct prose *prose, const struct analysis *analysis,
	const char *compared_with, const char *shared, bool all,
	struct arena *arena)
{
	const struct analysis_printer report = {.prose = prose,
		.analysis = analysis,
		.all = all,
		.shared = shared,
		.arena = arena};

	for (size_t k = 0; k < analysis->n_levels; k++)
		print_analysis_level(&report, k);
	print_uncertain_levels(&report);
	print_no_levels(&report);
	print_nearest(&report);
	print_placement(&report);
	print_analysis_outliers(&report);
	print_left_out(&report);
	print_epochs(&report);
	print_sharing(&report);
	print_topology_verdict(&report, compared_with);
}

void analyze_report(const struct analysis *analysis,
	const struct result *result, const char *compared_with,
	const char *shared, bool all, struct arena *arena)
{
	struct prose prose = {
		.out = stdout, .arena = arena, .indent = 2, .columns = 12};

	text_print_safe(stdout, analysis->source);
	printf(": %zu %ss\n\n", analysis->cpus.n, analysis->member);
	if (result->n_line_profiles > 0) {
		by_line_print_prose(&prose, result);
		prose_blank_line(&prose);
	}
	analyze_print_prose(
		&prose, analysis, compared_with, shared, all, arena);
}

/* Return whether CPU i is the only one of n CPUs in its group. */
static bool is_alone(const struct analysis_level *level, size_t n, size_t i)
{
	size_t others = 0;

	for (size_t k = 0; k < n; k++)
		others += k != i && level->group[k] == level->group[i];
	return others == 0;
}

/*
 * Set the lines between CPUs in the order `order`: thick lines between groups
 * of the outermost level, thin lines between inner groups. Single CPUs get no
 * lines, nor do pairs if their lines would cover the cells.
 */
static void set_borders(const struct analysis *analysis, const size_t *order,
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
		/* Pairs get thin lines even if there is no other level. */
		if (level->kind == ANALYSIS_SMT)
			border = PLOT_BORDER_MINOR;
		for (size_t i = 1; i < n; i++) {
			if (level->group[order[i]] !=
					level->group[order[i - 1]] &&
				borders[i] < border &&
				!(is_alone(level, n, order[i]) &&
					is_alone(level, n, order[i - 1])))
				borders[i] = border;
		}
		border = PLOT_BORDER_MINOR;
	}
}

void analyze_order_drawing(const struct analysis *analysis,
	struct plot_options *options, struct arena *arena)
{
	const struct cpu_list *cpus = &analysis->cpus;
	const size_t *order = analysis_cpu_order(analysis, arena);
	enum plot_border *borders =
		arena_alloc(arena, cpus->n, sizeof(*borders));
	struct cpu_list *ordered = arena_alloc(arena, 1, sizeof(*ordered));

	set_borders(analysis, order, borders);
	ordered->cpus = arena_alloc(arena, cpus->n, sizeof(*ordered->cpus));
	for (ordered->n = 0; ordered->n < cpus->n; ordered->n++)
		ordered->cpus[ordered->n] = cpus->cpus[order[ordered->n]];
	options->order = PLOT_ORDER_GROUPS;
	options->cpus = ordered;
	options->borders = borders;
}
