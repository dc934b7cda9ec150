#include "analyze/compare/fleet_outliers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "stat/stat.h"
#include "util/text.h"

/* Least spread of runs of one host, as a log ratio. */
#define LEAST_SPREAD 0.005

/* Least spread of interval widths, which vary more than medians. */
#define LEAST_SPREAD_OF_WIDTH 0.1

#define MAJORITY_MIN 3

#define WIDTHS "95 % intervals"

static char *copy_safe_line(const char *text, struct arena *arena)
{
	char *copy = arena_strdup(arena, text);

	text_make_utf8(copy);
	text_make_safe(copy);
	text_one_line(copy);
	return copy;
}

static double log_to_percent(double log)
{
	return 100 * expm1(log);
}

/* ---- the values of a host ---- */

/* Return the index of a level by its name; add the level if it is new. */
static size_t fleet_level_index(
	struct fleet_kind *kind, struct fleet_level level, struct arena *arena)
{
	for (size_t i = 0; i < kind->n_levels; i++) {
		if (strcmp(kind->levels[i].name, level.name) == 0)
			return i;
	}
	kind->levels = arena_grow(
		arena, kind->levels, kind->n_levels, sizeof(*kind->levels));
	kind->levels[kind->n_levels] = level;
	return kind->n_levels++;
}

/* Add a value, unless its ratio to the first host's value is undefined. */
static void add_host_value(struct fleet_host *host, size_t level, double first,
	double value, struct arena *arena)
{
	double log_ratio = log(value / first);

	if (!isfinite(log_ratio))
		return;
	host->values = arena_grow(
		arena, host->values, host->n_values, sizeof(*host->values));
	host->values[host->n_values++] =
		(struct fleet_value){level, value, log_ratio};
}

/* Return the median of a matrix, before or after; NaN without pairs. */
static double fleet_matrix_median(const struct compare_matrix *matrix, size_t n,
	bool after, struct arena *arena)
{
	double *kept = arena_alloc(arena, n * n, sizeof(*kept));
	size_t m = 0;

	for (size_t k = 0; k < n * n; k++) {
		if (!isnan(matrix->change[k]))
			kept[m++] = matrix->before[k] +
				    (after ? matrix->change[k] : 0);
	}
	return stat_median(kept, m);
}

/*
 * Return how many levels up to the k-th have its name: a machine may have two
 * levels whose kind is unknown.
 */
static size_t count_namesakes(const struct compare_matrix *matrix, size_t k)
{
	const struct compare_level *levels = matrix->levels;
	char name[32], other[32];
	size_t n = 1;

	compare_level_name(&levels[k], name);
	for (size_t i = 0; i < k; i++) {
		compare_level_name(&levels[i], other);
		n += strcmp(name, other) == 0;
	}
	return n;
}

static void take_matrix(struct fleet_kind *kind, struct fleet_host *host,
	const struct compare_matrix *matrix, size_t n, struct arena *arena)
{
	struct fleet_level level = {
		.unit = arena_strdup(arena, matrix->unit),
		.higher_is_better = matrix->higher_is_better,
	};

	for (size_t k = 0; k < matrix->n_levels; k++) {
		const struct compare_level *from = &matrix->levels[k];
		size_t namesakes = count_namesakes(matrix, k);
		char name[32];

		/* The set of all pairs is redundant if levels exist. */
		if (from->pairs == COMPARE_ALL && matrix->n_levels > 1)
			continue;
		compare_level_name(from, name);
		level.name = arena_format(arena, "%s: %s", matrix->name, name);
		if (namesakes > 1)
			level.name = arena_format(
				arena, "%s, %zu", level.name, namesakes);
		add_host_value(host, fleet_level_index(kind, level, arena),
			from->before, from->after, arena);
	}
	if (matrix->n_levels == 0 && matrix->change) {
		const struct arena_block *mark;
		double medians[2];
		size_t at;

		level.name = arena_format(
			arena, "%s: all pairs of nodes", matrix->name);
		at = fleet_level_index(kind, level, arena);
		mark = arena->last;
		for (int after = 0; after < 2; after++)
			medians[after] =
				fleet_matrix_median(matrix, n, after, arena);
		arena_rewind(arena, mark);
		add_host_value(host, at, medians[0], medians[1], arena);
	}
}

/* Add one value per curve: the median over points that both hosts have. */
static void take_curve(struct fleet_kind *kind, struct fleet_host *host,
	const struct compare_curve *curve, struct arena *arena)
{
	struct curve as_curve = {.facts = curve->facts, .cpus = curve->cpus};
	char title[CURVE_TITLE_BYTES], name[CURVE_NAME_BYTES];
	const struct compare_stretch *all;

	if (curve->n_stretches == 0)
		return;
	all = &curve->stretches[curve->n_stretches - 1];
	curve_name(&as_curve, name);
	add_host_value(host,
		fleet_level_index(kind,
			(struct fleet_level){
				.name = arena_format(arena, "%s: %s",
					curve_title(&as_curve, title), name),
				.unit = arena_strdup(
					arena, curve->facts.y_unit),
				.higher_is_better = curve->higher_is_better,
			},
			arena),
		all->before, all->after, arena);
}

double fleet_interval_width(const struct result *result, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	const struct matrix *main = result_find_matrix(result, NULL, NULL);
	const struct matrix *low = NULL, *high = NULL;
	size_t n = result_members(result)->n, m = 0;
	double *widths, median;

	if (main) {
		low = result_find_matrix(result, main->name, "ci_low");
		high = result_find_matrix(result, main->name, "ci_high");
	}
	if (!low || !high)
		return NAN;
	widths = arena_alloc(arena, n * n, sizeof(*widths));
	for (size_t k = 0; k < n * n; k++) {
		double width =
			(high->values[k] - low->values[k]) / main->values[k];

		if (isfinite(width))
			widths[m++] = width;
	}
	median = stat_median(widths, m);
	arena_rewind(arena, mark);
	return median;
}

static void take_width(struct fleet_kind *kind, struct fleet_host *host,
	const struct compare_side *first, const struct compare_side *side,
	struct arena *arena)
{
	double before = fleet_interval_width(first->result, arena);
	double after = fleet_interval_width(side->result, arena);

	if (isnan(before) || isnan(after))
		return;
	add_host_value(host,
		fleet_level_index(kind,
			(struct fleet_level){
				.name = arena_strdup(arena, WIDTHS),
				.wide_only = true,
			},
			arena),
		before, after, arena);
}

/* ---- the facts of a host ---- */

static void add_host_fact(struct fleet_host *host, const char *what,
	const char *before, const char *after, struct arena *arena)
{
	host->facts = arena_grow(
		arena, host->facts, host->n_facts, sizeof(*host->facts));
	host->facts[host->n_facts++] = (struct compare_fact){
		arena_strdup(arena, what),
		copy_safe_line(before, arena),
		copy_safe_line(after, arena),
	};
}

static const char *const run_verdict_words[] = {
	[RUN_UNJUDGED] = "not judged",
	[RUN_AGREES] = "the run is consistent: its halves agree",
	[RUN_DRIFTED] = "the run drifted: its two halves disagree",
	[RUN_SCATTERED] = "the run is noisy: even and odd passes disagree",
};

static const char *const run_end_words[] = {
	"was stopped before it was complete", "is complete"};

static void take_facts(struct fleet_host *host,
	const struct compare_side *first, const struct compare_side *side,
	const struct comparison *comparison, struct arena *arena)
{
	const struct result *a = first->result, *b = side->result;

	for (size_t i = 0; i < comparison->n_facts; i++) {
		const struct compare_fact *fact = &comparison->facts[i];

		/* The hostname only identifies the host. */
		if (strcmp(fact->what, "machine.hostname") != 0)
			add_host_fact(host, fact->what, fact->before,
				fact->after, arena);
	}
	if (a->run.verdict != b->run.verdict)
		add_host_fact(host, "run.agreement",
			run_verdict_words[a->run.verdict],
			run_verdict_words[b->run.verdict], arena);
	if (a->complete != b->complete)
		add_host_fact(host, "complete", run_end_words[a->complete],
			run_end_words[b->complete], arena);
}

/* ---- hosts and kinds ---- */

static struct fleet_host *append_fleet_host(struct fleet_kind *kind,
	const struct compare_side *side, struct arena *arena)
{
	const char *hostname = facts_text(&side->result->machine, "hostname");
	struct fleet_host *host;

	kind->hosts =
		arena_grow(arena, kind->hosts, kind->n, sizeof(*kind->hosts));
	host = &kind->hosts[kind->n];
	*host = (struct fleet_host){
		.source = arena_strdup(arena, side->source),
		.hostname = arena_strdup(arena, hostname),
		.shown_source = copy_safe_line(side->source, arena),
		.shown = copy_safe_line(
			hostname ? hostname : side->source, arena),
		.distance_pct = 0,
		.change_pct = 0,
		.cpus = arena_adopt(
			arena, cpu_list_format(result_members(side->result))),
	};
	for (size_t i = 0; hostname && i < kind->n; i++)
		host->again |= text_same(hostname, kind->hosts[i].hostname);
	kind->n++;
	return host;
}

/* Add each level to the first host, with a ratio of 1 to itself. */
static void add_first_host_value(struct fleet_kind *kind,
	const struct fleet_value *value, double before, struct arena *arena)
{
	struct fleet_host *first = &kind->hosts[0];

	for (size_t i = 0; i < first->n_values; i++) {
		if (first->values[i].level == value->level)
			return;
	}
	add_host_value(first, value->level, before, before, arena);
}

void fleet_add_kind(struct fleet *fleet, const struct compare_side *first,
	const char *alone, struct arena *arena)
{
	const struct cpu_list *members = result_members(first->result);
	const char *model = facts_text(&first->result->machine, "cpu_model");
	struct fleet_kind *kind;

	fleet->kinds = arena_grow(
		arena, fleet->kinds, fleet->n, sizeof(*fleet->kinds));
	kind = &fleet->kinds[fleet->n++];
	*kind = (struct fleet_kind){
		.model = model ? copy_safe_line(model, arena) : NULL,
		.command = arena_strdup(arena, first->result->command),
		.cpus = arena_adopt(arena, cpu_list_format(members)),
		.n_cpus = members->n,
	};
	append_fleet_host(kind, first, arena)->alone =
		alone ? copy_safe_line(alone, arena) : NULL;
}

void fleet_add_host(struct fleet_kind *kind, const struct compare_side *first,
	const struct compare_side *side, const struct comparison *comparison,
	struct arena *arena)
{
	struct fleet_host *host = append_fleet_host(kind, side, arena);

	host->distance_pct = comparison->distance_pct;
	host->change_pct = comparison->change_pct;
	for (size_t i = 0; i < comparison->n_matrices; i++)
		take_matrix(kind, host, &comparison->matrices[i],
			comparison->cpus.n, arena);
	for (size_t i = 0;
		comparison->n_matrices == 0 && i < comparison->n_curves; i++)
		take_curve(kind, host, &comparison->curves[i], arena);
	take_width(kind, host, first, side, arena);
	for (size_t i = 0; i < host->n_values; i++)
		add_first_host_value(kind, &host->values[i],
			host->values[i].value / exp(host->values[i].log),
			arena);
	take_facts(host, first, side, comparison, arena);
}

void fleet_add_unread(struct fleet *fleet, const char *source,
	const char *reason, struct arena *arena)
{
	fleet->unread = arena_grow(
		arena, fleet->unread, fleet->n_unread, sizeof(*fleet->unread));
	fleet->unread[fleet->n_unread++] = (struct fleet_unread){
		arena_strdup(arena, source), arena_strdup(arena, reason),
		copy_safe_line(reason, arena)};
}

/* ---- the judgement ---- */

static void add_outlier_reason(struct fleet_host *host, enum fleet_what what,
	const char *name, double off_pct, char *text, struct arena *arena)
{
	host->reasons = arena_grow(
		arena, host->reasons, host->n_reasons, sizeof(*host->reasons));
	host->reasons[host->n_reasons++] =
		(struct fleet_reason){what, name, off_pct, text};
	host->outlier |= what != FLEET_SETTING;
}

/* Collect a level's logs over hosts that count, and return their number. */
static size_t collect_level_logs(
	const struct fleet_kind *kind, size_t level, double *logs)
{
	size_t n = 0;

	for (size_t i = 0; i < kind->n; i++) {
		const struct fleet_host *host = &kind->hosts[i];

		for (size_t k = 0; !host->again && k < host->n_values; k++) {
			if (host->values[k].level == level)
				logs[n++] = host->values[k].log;
		}
	}
	return n;
}

/* Return 0, the log of the first host's ratio; NaN if it has no value. */
static double first_value(const struct fleet_kind *kind, size_t level)
{
	const struct fleet_host *first = &kind->hosts[0];

	for (size_t k = 0; k < first->n_values; k++) {
		if (first->values[k].level == level)
			return first->values[k].value;
	}
	return NAN;
}

struct outlier_context {
	size_t hosts;	/* hosts that count */
	double *logs;	/* [hosts] scratch */
	double *limits; /* [hosts + 1] limit by number of hosts; 0: unknown */
};

static double cached_outlier_limit(const struct outlier_context *context,
	size_t n, size_t levels, struct arena *arena)
{
	double *limit = &context->limits[n];

	if (*limit == 0)
		*limit = stat_outlier_limit(n, levels, arena);
	return *limit;
}

static void judge_fleet_level(struct fleet_kind *kind, size_t at,
	const struct outlier_context *context, struct arena *arena)
{
	struct fleet_level *level = &kind->levels[at];
	size_t n_levels = kind->n_levels;
	double *logs = context->logs, spread, least;

	level->n = collect_level_logs(kind, at, logs);
	level->log_median = stat_median(logs, level->n);
	level->median = first_value(kind, at) * exp(level->log_median);
	for (size_t i = 0; i < level->n; i++)
		logs[i] = fabs(logs[i] - level->log_median);
	spread = STAT_MAD_TO_SIGMA * stat_median(logs, level->n);
	least = level->wide_only ? LEAST_SPREAD_OF_WIDTH
				 : STAT_MAD_TO_SIGMA * LEAST_SPREAD;
	level->spread_pct = log_to_percent(spread);
	level->log_limit = NAN;
	/* A level that fewer hosts have may have a higher limit. */
	if (level->n > FLEET_OTHERS_MIN)
		level->log_limit =
			fmax(spread, least) *
			fmax(cached_outlier_limit(
				     context, level->n, n_levels, arena),
				cached_outlier_limit(context, context->hosts,
					n_levels, arena));
	level->limit_pct = log_to_percent(level->log_limit);
}

static void judge_value(const struct fleet_kind *kind, struct fleet_host *host,
	const struct fleet_value *value, struct arena *arena)
{
	const struct fleet_level *level = &kind->levels[value->level];
	double off = value->log - level->log_median;
	double off_pct = log_to_percent(off);
	bool worse = compare_is_worse(level->higher_is_better, off);

	if (!(fabs(off) > level->log_limit) || (level->wide_only && off < 0))
		return;
	if (level->wide_only)
		add_outlier_reason(host, FLEET_NOISE, level->name, off_pct,
			arena_format(arena,
				"95 %% intervals are %.1f times as wide as the "
				"median host's",
				exp(off)),
			arena);
	else
		add_outlier_reason(host, FLEET_LEVEL, level->name, off_pct,
			arena_format(arena,
				"%s: %.1f %% %s than the median host (%.4g "
				"against %.4g %s)",
				level->name, fabs(off_pct),
				worse ? "slower" : "faster", value->value,
				level->median, level->unit),
			arena);
}

/* Return the number of hosts; several files of one host count once. */
static size_t count_hosts(const struct fleet_kind *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < kind->n; i++)
		n += !kind->hosts[i].again;
	return n;
}

static void judge_levels(struct fleet_kind *kind, struct arena *arena)
{
	size_t hosts = count_hosts(kind);
	const struct outlier_context context = {
		.hosts = hosts,
		.logs = arena_alloc(arena, hosts, sizeof(double)),
		.limits = arena_alloc(arena, hosts + 1, sizeof(double)),
	};

	for (size_t i = 0; i < kind->n_levels; i++)
		judge_fleet_level(kind, i, &context, arena);
	for (size_t i = 0; i < kind->n; i++) {
		struct fleet_host *host = &kind->hosts[i];

		for (size_t k = 0; k < host->n_values; k++)
			judge_value(kind, host, &host->values[k], arena);
	}
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sort texts[n]; return the text that more than half of them have, or NULL. */
static char *majority_text(char **texts, size_t n)
{
	char *middle;
	size_t same = 0;

	qsort(texts, n, sizeof(*texts), compare_texts);
	if (n < MAJORITY_MIN)
		return NULL;
	/* A majority's text is in the middle of the sorted array. */
	middle = texts[n / 2];
	for (size_t i = 0; i < n; i++)
		same += strcmp(texts[i], middle) == 0;
	return 2 * same > n ? middle : NULL;
}

static char *host_fact_value(
	const struct fleet_host *host, const char *what, char *otherwise)
{
	for (size_t i = 0; i < host->n_facts; i++) {
		if (strcmp(host->facts[i].what, what) == 0)
			return host->facts[i].after;
	}
	return otherwise;
}

static enum fleet_what kind_of_fact(const char *what, const char *value)
{
	if (strncmp(what, "topology.", strlen("topology.")) == 0)
		return FLEET_TOPOLOGY;
	if (strcmp(value, run_verdict_words[RUN_DRIFTED]) == 0 ||
		strcmp(value, run_verdict_words[RUN_SCATTERED]) == 0 ||
		strcmp(value, run_end_words[false]) == 0)
		return FLEET_RUN;
	return FLEET_SETTING;
}

static void add_difference(struct fleet_kind *kind, char *what, char *most,
	size_t at, char *value, struct arena *arena)
{
	enum fleet_what of = kind_of_fact(what, value);
	struct fleet_difference *difference = NULL;

	add_outlier_reason(&kind->hosts[at], of, what, NAN,
		of == FLEET_RUN ? value
				: arena_format(arena, "%s: %s; most have %s",
					  what, value, most),
		arena);
	for (size_t i = 0; i < kind->n_differences; i++) {
		if (strcmp(kind->differences[i].what, what) == 0 &&
			strcmp(kind->differences[i].value, value) == 0)
			difference = &kind->differences[i];
	}
	if (!difference) {
		kind->differences = arena_grow(arena, kind->differences,
			kind->n_differences, sizeof(*kind->differences));
		difference = &kind->differences[kind->n_differences++];
		*difference =
			(struct fleet_difference){what, most, value, NULL, 0};
	}
	difference->hosts = arena_grow(arena, difference->hosts, difference->n,
		sizeof(*difference->hosts));
	difference->hosts[difference->n++] = at;
}

/* Report the hosts whose value of a fact differs from that of most hosts. */
static void judge_fact(struct fleet_kind *kind, const struct compare_fact *fact,
	struct arena *arena)
{
	char **texts = arena_alloc(arena, kind->n, sizeof(*texts));
	size_t n = 0;
	char *most;

	/* Several files of a host count once. */
	for (size_t i = 0; i < kind->n; i++) {
		if (!kind->hosts[i].again)
			texts[n++] = host_fact_value(
				&kind->hosts[i], fact->what, fact->before);
	}
	most = majority_text(texts, n);
	for (size_t i = 0; most && i < kind->n; i++) {
		char *value = host_fact_value(
			&kind->hosts[i], fact->what, fact->before);

		if (strcmp(value, most) != 0)
			add_difference(kind, fact->what, most, i, value, arena);
	}
}

static void judge_facts(struct fleet_kind *kind, struct arena *arena)
{
	const char **seen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < kind->n; i++) {
		const struct fleet_host *host = &kind->hosts[i];

		for (size_t k = 0; k < host->n_facts; k++) {
			const struct compare_fact *fact = &host->facts[k];
			size_t s = 0;

			while (s < n && strcmp(seen[s], fact->what) != 0)
				s++;
			if (s < n)
				continue;
			seen = arena_grow(arena, seen, n, sizeof(*seen));
			seen[n++] = fact->what;
			judge_fact(kind, fact, arena);
		}
	}
}

/* Return the largest other kind of this CPU model and command, if larger. */
static const struct fleet_kind *usual_kind(
	const struct fleet *fleet, const struct fleet_kind *of)
{
	const struct fleet_kind *usual = NULL;
	size_t most = count_hosts(of);

	for (size_t i = 0; i < fleet->n; i++) {
		const struct fleet_kind *kind = &fleet->kinds[i];
		size_t n = count_hosts(kind);

		if (n <= most || !of->model ||
			!text_same(kind->model, of->model) ||
			!text_same(kind->command, of->command))
			continue;
		usual = kind;
		most = n;
	}
	return most >= MAJORITY_MIN ? usual : NULL;
}

/* Mark the hosts with other CPUs than most hosts of their model. */
static void judge_cpus(struct fleet *fleet, struct arena *arena)
{
	for (size_t i = 0; i < fleet->n; i++) {
		struct fleet_kind *kind = &fleet->kinds[i];
		const struct fleet_kind *usual = usual_kind(fleet, kind);

		if (!usual || count_hosts(kind) > FLEET_OTHERS_MIN ||
			text_same(kind->cpus, usual->cpus))
			continue;
		for (size_t k = 0; k < kind->n; k++)
			add_outlier_reason(&kind->hosts[k], FLEET_CPUS, "cpus",
				NAN,
				arena_format(arena,
					"%zu CPUs (%s); most have %zu (%s)",
					kind->n_cpus, kind->cpus, usual->n_cpus,
					usual->cpus),
				arena);
	}
}

/* A host and its distance, for qsort(), which takes no context. */
struct host_distance {
	double distance_pct;
	size_t at;
};

static int compare_host_distances(const void *a, const void *b)
{
	const struct host_distance *x = a, *y = b;
	double p = x->distance_pct, q = y->distance_pct;

	/* The first host comes first, hosts without a distance come last. */
	if (x->at == 0 || y->at == 0)
		return (x->at != 0) - (y->at != 0);
	if (isnan(p) || isnan(q))
		return isnan(p) - isnan(q);
	return p != q ? (p > q) - (p < q) : (x->at > y->at) - (x->at < y->at);
}

static void sort_fleet_hosts(struct fleet_kind *kind, struct arena *arena)
{
	struct host_distance *distances =
		arena_alloc(arena, kind->n, sizeof(*distances));

	kind->order = arena_alloc(arena, kind->n, sizeof(*kind->order));
	for (size_t i = 0; i < kind->n; i++)
		distances[i] =
			(struct host_distance){kind->hosts[i].distance_pct, i};
	qsort(distances, kind->n, sizeof(*distances), compare_host_distances);
	for (size_t i = 0; i < kind->n; i++)
		kind->order[i] = distances[i].at;
}

void fleet_judge(struct fleet *fleet, struct arena *arena)
{
	for (size_t i = 0; i < fleet->n; i++) {
		struct fleet_kind *kind = &fleet->kinds[i];

		judge_levels(kind, arena);
		judge_facts(kind, arena);
		sort_fleet_hosts(kind, arena);
	}
	judge_cpus(fleet, arena);
	for (size_t i = 0; i < fleet->n; i++) {
		struct fleet_kind *kind = &fleet->kinds[i];

		for (size_t k = 0; k < kind->n; k++)
			kind->n_outliers += kind->hosts[k].outlier;
	}
}
