/*
 * An analysis as text: levels from the innermost outwards, CPUs that do not
 * fit, and where the topology differs.
 */
#include "cmd/analyze/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cli.h"
#include "util/text.h"

/* The width of a line; only a longer word exceeds it. */
#define WIDTH 79

/* The column where the text of a row begins. */
#define INDENT 12

/* So many groups are listed without --verbose. */
#define GROUPS_SHOWN 64

struct report {
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

/* Print items behind a label, wrapped. */
static void print_words(const char *label, const char *const *items, size_t n)
{
	size_t used = INDENT;

	printf("  %-*s", INDENT - 2, label);
	for (size_t i = 0; i < n; i++) {
		size_t wide = strlen(items[i]);

		if (i > 0 && used + 2 + wide > WIDTH) {
			printf("\n%*s", INDENT, "");
			used = INDENT;
		} else if (i > 0) {
			fputs("  ", stdout);
			used += 2;
		}
		fputs(items[i], stdout);
		used += wide;
	}
	putchar('\n');
}

/* Print a sentence, indented. */
static void print_sentence(const char *text)
{
	fputs("  ", stdout);
	cli_print_wrapped(text, 2, 4);
}

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
	print_words(is_of_units(analysis) ? "Units" : "CPUs", lists, shown);
	if (shown < sizes->groups)
		printf("%*sand %zu more (--verbose lists all)\n", INDENT, "",
			sizes->groups - shown);
	if (sizes->alone == 0)
		return;
	for (size_t i = 0; i < analysis->cpus.n; i++)
		alone[i] = sizes->of_group[level->group[i]] == 1;
	print_words("Alone",
		(const char *[]){analysis_list(analysis, alone, 1, arena)}, 1);
}

static void print_sizes(const struct sizes *sizes, const char *member)
{
	printf("%zu group%s of %zu", sizes->groups,
		sizes->groups == 1 ? "" : "s", sizes->least);
	if (sizes->most > sizes->least)
		printf(" to %zu", sizes->most);
	printf(" %ss", member);
	if (sizes->alone)
		printf(" and %zu alone", sizes->alone);
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
	printf("  %-*s", INDENT - 2, "Kind");
	cli_print_wrapped(text, INDENT, INDENT);
}

static void print_agreement(const struct analysis_level *level, bool compared)
{
	printf("  %-*s", INDENT - 2, "Topology");
	if (!compared)
		puts("none to compare with");
	else if (level->agrees == ANALYSIS_AGREES)
		printf("the same: %s\n", level->advertised);
	else if (level->agrees == ANALYSIS_DISAGREES)
		puts("differs, see below");
	else
		puts("differs, but this level is too uncertain to count");
}

static void print_level(const struct report *report, size_t k)
{
	const struct analysis *analysis = report->analysis;
	const struct analysis_level *level = &analysis->levels[k];
	const char *kind = kinds[level->kind];
	const struct sizes sizes = find_sizes(report, level);

	printf("Level %zu: ", k + 1);
	print_sizes(&sizes, analysis->member);
	if (kind && !is_of_units(analysis))
		printf(", %s%s", kind,
			level->nested && level->witness == ANALYSIS_NUMBERS
				? " (inferred)"
				: "");
	printf("; confidence %.2f\n", analysis_confidence(level->confidence));
	print_groups(report, level, &sizes);
	print_kind(report, level);
	printf("  %-*s", INDENT - 2, "Medians");
	if (!isnan(level->inside))
		printf("%.4g %s inside, ", level->inside, level->unit);
	printf("%.4g %s between\n", level->between, level->unit);
	if (analysis->placement == ANALYSIS_STABLE &&
		(analysis->compared || !report->epoch))
		print_agreement(level, analysis->compared);
	putchar('\n');
}

static void print_no_levels(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_levels > 0 || analysis->placement != ANALYSIS_STABLE)
		return;
	if (report->shared) {
		cli_print_wrapped(
			arena_format(report->arena, "%s.", report->shared), 0,
			2);
		putchar('\n');
	} else if (analysis->cpus.n == 2)
		printf("No groups: two %ss are a single pair, and there is "
		       "nothing to compare it with.\n\n",
			analysis->member);
	else if (isnan(analysis->ratio))
		puts("No groups.\n");
	else
		printf("No groups. The largest value of all pairs is %.2f "
		       "times the smallest; the\ndifferences are noise or form "
		       "no groups.\n\n",
			analysis->ratio);
}

static void print_placement(const struct analysis *analysis)
{
	switch (analysis->placement) {
	case ANALYSIS_STABLE:
		break;
	case ANALYSIS_DRIFTING:
		printf("Placement: drifting. CPUs moved during the run, as "
		       "vCPUs do when the host moves\nthem. %s\n\n",
			analysis->n_epochs > 0
				? "Only the groups that lasted are listed for "
				  "the whole run."
				: "No groups can be listed. A run with "
				  "--keep-passes shows when CPUs moved.");
		break;
	case ANALYSIS_CANNOT_TELL:
		puts("Placement: cannot tell. Some pairs are far nearer than "
		     "noise explains but form\nno groups, as if threads or "
		     "vCPUs had moved during the run.\n");
		break;
	case ANALYSIS_TOO_FEW:
		printf("Placement: cannot tell. %zu CPUs are too few to tell "
		       "groups or moved CPUs from\nnoise.\n\n",
			analysis->cpus.n);
		break;
	}
}

static void print_moves(
	const struct analysis *analysis, const struct analysis_epoch *epoch)
{
	for (size_t k = 0; k < epoch->n_moves; k++) {
		const struct epoch_move *move = &epoch->moves[k];
		unsigned cpu = analysis->cpus.cpus[move->cpu];

		if (move->other != move->cpu)
			printf("    CPU %u or %u changed: their pair, by %.0f "
			       "%%\n",
				cpu, analysis->cpus.cpus[move->other],
				move->change * 100);
		else
			printf("    CPU %u changed: %zu of its %zu pairs, by "
			       "%.0f %%\n",
				cpu, move->n_changed, move->n_pairs,
				move->change * 100);
	}
}

static void print_missing(const struct analysis *analysis)
{
	size_t n = analysis->cpus.n;

	if (analysis->n_missing > 0)
		printf("No usable number: %zu of %zu pairs (none, or one whose "
		       "interval is wider\nthan a factor of two).\n\n",
			analysis->n_missing, n * (n - 1) / 2);
}

/* The clock was too coarse for what may lie between two of its ticks. */
static void print_resolution(const struct analysis *analysis)
{
	if (analysis->resolution > 0)
		printf("Coarse clock: the values are multiples of %.3g %s. "
		       "Smaller differences\ndo not show.\n\n",
			analysis->resolution, analysis->resolution_unit);
}

/* If there are several epochs: when each was, who moved, and its levels. */
static void print_epochs(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_epochs < 2)
		return;
	printf("Epochs: %zu. Between them CPUs moved, or others slowed them "
	       "down.\n\n",
		analysis->n_epochs);
	for (size_t k = 0; k < analysis->n_epochs; k++) {
		const struct analysis_epoch *epoch = &analysis->epochs[k];
		const struct report alone = {.analysis = epoch->found,
			.all = report->all,
			.epoch = true,
			.arena = report->arena};

		printf("Epoch %zu: %.2f to %.2f s, %zu passes\n", k + 1,
			epoch->start_s, epoch->end_s,
			epoch->last - epoch->first + 1);
		print_moves(analysis, epoch);
		putchar('\n');
		for (size_t l = 0; l < epoch->found->n_levels; l++)
			print_level(&alone, l);
		if (epoch->found->n_levels == 0)
			puts(epoch->found->placement == ANALYSIS_STABLE
					? "No groups.\n"
					: "Cannot tell.\n");
	}
}

static void print_outliers(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_outliers == 0)
		return;
	printf("%s that do not fit:\n",
		is_of_units(analysis) ? "Units" : "CPUs");
	for (size_t k = 0; k < analysis->n_outliers; k++)
		print_sentence(arena_format(report->arena, "%s %u: %s",
			analysis->member, analysis->outliers[k].cpu,
			analysis->outliers[k].why));
	putchar('\n');
}

/* The result of the comparison with the topology. */
static void print_verdict(
	const struct report *report, const char *compared_with)
{
	const struct analysis *analysis = report->analysis;
	size_t n = analysis->n_disagreements;

	if (!analysis->compared)
		return;
	if (n > 0)
		printf("%zu disagreement%s with %s:\n", n, n == 1 ? "" : "s",
			compared_with);
	else
		printf("No disagreement with %s.\n", compared_with);
	for (size_t k = 0; k < n; k++) {
		const struct analysis_disagreement *item =
			&analysis->disagreements[k];

		print_sentence(arena_format(report->arena, "%s: %s",
			item->what == ANALYSIS_HIDDEN ? "Hidden"
						      : "Contradicted",
			item->text));
	}
	if (analysis->n_unseen > 0)
		puts("In the topology, and the numbers neither show nor "
		     "contradict it:");
	for (size_t k = 0; k < analysis->n_unseen; k++)
		print_sentence(analysis->unseen[k]);
}

/* What the second witness says. */
static void print_sharing(const struct report *report)
{
	const struct analysis *analysis = report->analysis;

	if (analysis->n_sharing == 0)
		return;
	puts("Sharing, as slowdowns in a cache show it:");
	for (size_t k = 0; k < analysis->n_sharing; k++) {
		const struct analysis_sharing *sharing = &analysis->sharing[k];

		print_sentence(sharing->source
				       ? arena_format(report->arena, "%s: %s",
						 sharing->source, sharing->text)
				       : sharing->text);
	}
	putchar('\n');
}

void analyze_report(const struct analysis *analysis, const char *compared_with,
	const char *shared, bool all, struct arena *arena)
{
	const struct report report = {.analysis = analysis,
		.all = all,
		.shared = shared,
		.arena = arena};

	printf("%s: %zu %ss\n\n", analysis->source, analysis->cpus.n,
		analysis->member);
	for (size_t k = 0; k < analysis->n_levels; k++)
		print_level(&report, k);
	print_no_levels(&report);
	print_missing(analysis);
	print_resolution(analysis);
	if (analysis->n_left_out > 0)
		printf("Left out: %zu level%s of other matrices or files, "
		       "which contradict%s these.\n\n",
			analysis->n_left_out,
			analysis->n_left_out == 1 ? "" : "s",
			analysis->n_left_out == 1 ? "s" : "");
	print_placement(analysis);
	print_outliers(&report);
	print_epochs(&report);
	print_sharing(&report);
	print_verdict(&report, compared_with);
}
