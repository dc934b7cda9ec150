/*
 * c2c check --like: compare a machine with the reference in kind, speed by
 * level, noise, and placement of CPUs.
 *
 * The values of a virtual machine change from run to run. If each side has only
 * one run, only a change beyond the usual drift of virtual machines counts.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/compare/fleet_outliers.h"
#include "analyze/nearest.h"
#include "cmd/check/cmd_check.h"
#include "cmd/compare/compare_side.h"
#include "cmd/compare/compare_threshold.h"
#include "util/array.h"
#include "util/text.h"

/*
 * A level may be worse by this many per cent. The latency of 16 vCPUs went from
 * 74 to 92 ns and back within minutes without any change.
 */
#define WORSE_PCT	  10
#define WORSE_VIRTUAL_PCT 30

/* Limits for noise: a multiple of the reference's intervals, and a share. */
#define NOISE_FACTOR 3
#define NOISE_LEAST  0.03

/* Facts of the hardware (kind), and facts that users set (setting). */
static const struct {
	const char *key, *code, *noun;
} same_facts[] = {
	{"arch", "kind", "the architecture"},
	{"cpu_model", "kind", "the CPU model"},
	{"hypervisor", "kind", "the hypervisor"},
	{"packages", "kind", "the number of packages"},
	{"numa_nodes", "kind", "the number of NUMA nodes"},
	{"llcs", "kind", "the number of last-level caches"},
	{"cores", "kind", "the number of cores"},
	{"cpus_online", "kind", "the number of CPUs"},
	{"smt", "setting", "SMT"},
	{"governor", "setting", "the frequency governor"},
	{"boost", "setting", "boost"},
};

struct like_task {
	const struct check_task *check_task;
	struct machine_check *check;
	struct arena *arena;
	struct compared_file files[2]; /* the reference, the checked record */
	bool same_kind;
};

static void compare_kind(struct like_task *like)
{
	const struct facts *before = &like->files[0].side.result->machine;
	const struct facts *after = &like->files[1].side.result->machine;
	size_t n = 0;

	like->same_kind = true;
	for (size_t i = 0; i < N_OF(same_facts); i++) {
		const struct fact *old = facts_find(before, same_facts[i].key);
		const struct fact *new = facts_find(after, same_facts[i].key);
		/* A hypervisor of null means that there is none. */
		bool known = text_same(same_facts[i].key, "hypervisor")
				     ? old && new
				     : fact_is_known(old) && fact_is_known(new);
		struct check_finding *finding;
		char *words[2];

		if (!known)
			continue;
		n += fact_is_known(new);
		if (fact_same(old, new))
			continue;
		words[0] =
			fact_is_known(old) ? fact_words(old) : strdup("none");
		words[1] =
			fact_is_known(new) ? fact_words(new) : strdup("none");
		finding = check_add(like->check, like->arena, CHECK_FAILS,
			same_facts[i].code, "%s is %s, in the reference %s",
			same_facts[i].noun, words[1] ? words[1] : "?",
			words[0] ? words[0] : "?");
		free(words[0]);
		free(words[1]);
		finding->name = arena_format(like->arena, "%s: %s",
			same_facts[i].code, same_facts[i].noun);
		like->same_kind &= !text_same(same_facts[i].code, "kind");
	}
	if (like->same_kind)
		check_add(like->check, like->arena,
			n ? CHECK_HOLDS : CHECK_UNKNOWN, "kind",
			n ? "the machine has the same hardware and settings"
			  : "the records do not describe their machines");
}

static void judge_speed(struct like_task *like)
{
	const struct compared_file *file = &like->files[1];
	double pct = like->check_task->arguments->threshold_pct;
	bool undecided = file->comparison.undecided != NULL;
	bool is_virtual = facts_text(&like->files[0].side.result->machine,
				  "hypervisor") ||
			  facts_text(&file->side.result->machine, "hypervisor");
	size_t before = like->check->n;
	struct check_finding *finding;

	if (isnan(pct))
		pct = is_virtual ? WORSE_VIRTUAL_PCT : WORSE_PCT;
	threshold_judge(pct, undecided, file, like->check, like->arena);
	for (size_t i = before; i < like->check->n; i++) {
		finding = &like->check->findings[i];
		if (finding->name == finding->code)
			finding->name = "speed";
	}
	if (like->check->n > before)
		return;
	finding = check_add(like->check, like->arena, CHECK_HOLDS, "speed",
		"no level is worse by more than %.3g %%", pct);
	finding->limit = pct;
	finding->unit = "%";
}

static void judge_quiet(struct like_task *like)
{
	double before =
		fleet_interval_width(like->files[0].side.result, like->arena);
	double after =
		fleet_interval_width(like->files[1].side.result, like->arena);
	struct check_finding *finding;

	if (isnan(before) || isnan(after))
		return;
	finding = check_add(like->check, like->arena,
		after > NOISE_LEAST && after > NOISE_FACTOR * before
			? CHECK_FAILS
			: CHECK_HOLDS,
		"noise",
		"95 %% intervals: %.2g %% wide, in the reference %.2g %%",
		100 * after, 100 * before);
	finding->value = 100 * after;
	finding->limit = 100 * fmax(NOISE_LEAST, NOISE_FACTOR * before);
	finding->unit = "%";
}

/* Return whether near pairs stay near, as measured or without a hypervisor. */
static bool has_lasted(const struct compare_side *side)
{
	const struct facts *run = &side->result->run.other;

	if (!side->analysis || side->analysis->placement != ANALYSIS_STABLE)
		return false;
	return !facts_text(&side->result->machine, "hypervisor") ||
	       (facts_count(run, "rest.near") > 0 &&
		       facts_count(run, "rest.lasted") ==
			       facts_count(run, "rest.near"));
}

static bool has_any_latency(const struct result *result, size_t row)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	size_t n = result->cpus.n, j = 0;

	while (j < n && isnan(nearest_matrix_value(matrix, n, row, j)))
		j++;
	return j < n;
}

/*
 * Match old groups with new groups, the largest overlap first. common[n_old *
 * n_new] has the numbers of common CPUs. match[n_old] gets the index of the new
 * group, or n_new.
 */
static void match_groups(const size_t *common, size_t n_old, size_t n_new,
	size_t *match, struct arena *arena)
{
	bool *taken = arena_alloc(arena, n_new, sizeof(*taken));
	size_t most = 0;

	for (size_t g = 0; g < n_old; g++)
		match[g] = n_new;
	for (size_t k = 0; k < n_old * n_new; k++)
		most = common[k] > most ? common[k] : most;
	for (; most > 0; most--) {
		for (size_t k = 0; k < n_old * n_new; k++) {
			size_t g = k / n_new, h = k % n_new;

			if (common[k] != most || match[g] < n_new || taken[h])
				continue;
			match[g] = h;
			taken[h] = true;
		}
	}
}

/*
 * List in cpus the CPUs that changed their group; return their number. CPUs
 * without a value are in no group.
 */
static size_t list_other_places(const struct like_task *like,
	const struct analysis_level *old, const struct analysis_level *new,
	unsigned *cpus)
{
	const struct result *from = like->files[0].side.result;
	const struct result *to = like->files[1].side.result;
	size_t n_new = new->n_groups, n = 0;
	size_t *common = arena_alloc(
		like->arena, old->n_groups * n_new, sizeof(*common));
	size_t *match = arena_alloc(like->arena, old->n_groups, sizeof(*match));
	long *at = arena_alloc(like->arena, from->cpus.n, sizeof(*at));

	for (size_t i = 0; i < from->cpus.n; i++) {
		at[i] = cpu_list_find(&to->cpus, from->cpus.cpus[i]);
		if (!has_any_latency(from, i) ||
			!has_any_latency(to, (size_t)at[i]))
			at[i] = -1;
		else
			common[old->group[i] * n_new + new->group[at[i]]]++;
	}
	match_groups(common, old->n_groups, n_new, match, like->arena);
	for (size_t i = 0; i < from->cpus.n; i++) {
		if (at[i] >= 0 && match[old->group[i]] != new->group[at[i]])
			cpus[n++] = from->cpus.cpus[i];
	}
	return n;
}

/* Check whether a level of the reference is also in the other analysis. */
static void judge_level_places(
	struct like_task *like, const struct analysis_level *old)
{
	const struct analysis *analysis = &like->files[1].analysis;
	size_t n = analysis->cpus.n, fewest = SIZE_MAX;
	unsigned *cpus = arena_alloc(like->arena, n, sizeof(*cpus));
	unsigned *best = arena_alloc(like->arena, n, sizeof(*best));
	bool lasts = analysis->placement == ANALYSIS_STABLE;
	struct cpu_list list = {best, 0};
	struct check_finding *finding;

	for (size_t k = 0; k < analysis->n_levels; k++) {
		size_t others;

		if (!analysis->levels[k].nested)
			continue;
		others = list_other_places(
			like, old, &analysis->levels[k], cpus);
		if (others >= fewest)
			continue;
		fewest = others;
		list.n = others;
		for (size_t i = 0; i < others; i++)
			best[i] = cpus[i];
	}
	if (fewest == 0)
		finding = check_add(like->check, like->arena, CHECK_HOLDS,
			"placement",
			"%zu groups (%s) have the CPUs of the reference",
			old->n_groups, analysis_kinds[old->kind]);
	else if (fewest == SIZE_MAX)
		finding = check_add(like->check, like->arena,
			lasts ? CHECK_FAILS : CHECK_UNKNOWN, "placement",
			"c2c does not find %zu groups (%s) of the reference",
			old->n_groups, analysis_kinds[old->kind]);
	else
		finding = check_add(like->check, like->arena,
			lasts ? CHECK_FAILS : CHECK_UNKNOWN, "placement",
			list.n > 1 ? "CPUs %s are in other groups (%s) than in "
				     "the reference"
				   : "CPU %s is in another group (%s) than in "
				     "the reference",
			arena_adopt(like->arena, cpu_list_format(&list)),
			analysis_kinds[old->kind]);
	finding->name = arena_format(
		like->arena, "placement: %s", analysis_kinds[old->kind]);
	check_name_cpus(finding, list.cpus, list.n, like->arena);
}

static void judge_places(struct like_task *like)
{
	const struct compare_side *reference = &like->files[0].side;

	if (!has_lasted(reference) || !like->files[1].side.analysis)
		return;
	for (size_t k = 0; k < reference->analysis->n_levels; k++) {
		const struct analysis_level *level =
			&reference->analysis->levels[k];

		if (level->nested && level->confidence >= ANALYSIS_CERTAIN)
			judge_level_places(like, level);
	}
}

static bool has_same_cpus(const struct like_task *like)
{
	const struct cpu_list *from = &like->files[0].side.result->cpus;
	const struct cpu_list *to = &like->files[1].side.result->cpus;
	bool same = from->n == to->n;
	char *lists[2];

	for (size_t i = 0; same && i < from->n; i++)
		same = cpu_list_find(to, from->cpus[i]) >= 0;
	if (same)
		return true;
	lists[0] = cpu_list_format(from);
	lists[1] = cpu_list_format(to);
	check_add(like->check, like->arena, CHECK_FAILS, "cpus",
		"the checked record has the CPUs %s, and the reference %s",
		lists[1] ? lists[1] : "?", lists[0] ? lists[0] : "?");
	free(lists[0]);
	free(lists[1]);
	return false;
}

static int judge_like(struct like_task *like, struct error *err)
{
	struct compared_file *files = like->files;
	int rc;

	compare_kind(like);
	if (!like->same_kind || !has_same_cpus(like))
		return 0;
	rc = compare_check_one_side(&files[0].side, &files[1].side, err);
	if (rc == 0)
		rc = compare_side_with_reference(
			&files[0], &files[1], true, false, err);
	/* The machines are of one kind, but the methods differ. */
	if (rc == -EINVAL) {
		const char *advice = strstr(err->text, "; --by-level");

		check_add(like->check, like->arena, CHECK_UNKNOWN, "method",
			"%.*s",
			(int)(advice ? advice - err->text
				     : (long)strlen(err->text)),
			err->text);
		return 0;
	}
	if (rc < 0)
		return rc;
	judge_speed(like);
	judge_quiet(like);
	judge_places(like);
	return 0;
}

int check_like(struct check_task *task, const struct result *reference,
	struct arena *arena, struct error *err)
{
	struct like_task like = {
		.check_task = task, .check = &task->check, .arena = arena};
	int rc = compare_side_borrow(
		&like.files[0], reference, task->arguments->like, true, err);

	if (rc == 0)
		rc = compare_side_borrow(
			&like.files[1], &task->result, task->name, true, err);
	if (rc == 0)
		rc = judge_like(&like, err);
	for (size_t k = 0; k < N_OF(like.files); k++)
		compare_side_return(&like.files[k]);
	return rc;
}
