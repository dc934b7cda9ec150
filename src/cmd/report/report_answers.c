/*
 * Answer questions about a machine from the analysis of latencies and the facts
 * of records. Other commands print the details.
 */
#include "cmd/report/report_answers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/cpus_share.h"
#include "analyze/nearest.h"
#include "analyze/placement.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/latency/by_line.h"
#include "cmd/near_pairs_lasted.h"
#include "cmd/numa/cmd_numa.h"
#include "cmd/placement_gain.h"
#include "cmd/record_groups.h"
#include "cmd/states/cmd_states.h"
#include "result/record.h"
#include "util/array.h"
#include "util/text.h"

/* Largest number of items of each kind that the report shows. */
#define LEVELS_SHOWN  3
#define ODD_OF_A_KIND 3
#define CACHES_SHOWN  6

/* Words of warnings that the report treats specially. */
#define WARNING_OF_WIDTH      "95 % interval wider than"
#define WARNING_OF_END	      "interrupted after "
#define WARNING_OF_INTERRUPTS " interrupts a second ("
#define WARNING_OF_CACHES     "the figures are not those of memory"

/* The report notes a larger ratio of measured and reported cache size. */
#define FAR_FROM_REPORTED 1.5

/* Columns of text in a line, of which wrapping may leave 9 empty. */
#define ROW_INDENT  11
#define ROW_COLUMNS (80 - ROW_INDENT - 9)

struct answers_writer {
	struct prose *prose;
	struct arena *arena;
	const struct page_input *records; /* [n] */
	size_t n;
	/* or NULL */
	const struct page_input *latency, *lines_apart, *states, *caches,
		*nodes;
	struct record_groups groups; /* of the latencies */
	char **odd;		     /* [n_odd] sentences */
	size_t n_odd;
	size_t lines; /* most lines that the rows may have */
};

/* Print a row; label is "" for a row without one. */
__attribute__((format(printf, 3, 4))) static void answer(
	struct answers_writer *writer, const char *label, const char *format,
	...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = arena_vformat(writer->arena, format, args);
	va_end(args);
	prose_row(writer->prose, label, "%s", text);
	writer->lines += 1 + strlen(text) / ROW_COLUMNS;
}

static const struct page_input *find_answering(
	const struct answers_writer *writer,
	bool (*fits)(const struct result *result))
{
	for (size_t i = 0; i < writer->n; i++) {
		if (fits(writer->records[i].result))
			return &writer->records[i];
	}
	return NULL;
}

static bool has_latencies_of_pairs(const struct result *result)
{
	return share_has_latencies(result) && result->n_line_profiles == 0;
}

static bool has_lines(const struct result *result)
{
	return result->n_line_profiles > 0;
}

static bool has_states(const struct result *result)
{
	return text_same(result->command, "states");
}

static bool has_cache_levels(const struct result *result)
{
	return result->n_caches > 0;
}

/* Add "1 package", or nothing if the count is unknown. */
static void list_count(struct text_list *list, const struct facts *facts,
	const char *key, const char *singular, const char *plural)
{
	const struct fact *fact = facts_find(facts, key);
	int64_t n = facts_count(facts, key);

	if (fact && fact_is_known(fact))
		text_list_add(list, ", ", "%" PRId64 " %s", n,
			n == 1 ? singular : plural);
}

/* List the counts that the firmware or the hypervisor reports. */
static char *list_claims(
	const struct answers_writer *writer, const struct facts *machine)
{
	struct text_list list = {.text = NULL};
	const struct fact *smt = facts_find(machine, "smt");

	list_count(&list, machine, "packages", "package", "packages");
	list_count(&list, machine, "numa_nodes", "NUMA node", "NUMA nodes");
	list_count(&list, machine, "llcs", "last-level cache",
		"last-level caches");
	list_count(&list, machine, "cores", "core", "cores");
	if (list.out && smt && fact_is_known(smt))
		text_list_add(&list, " ", "%s SMT",
			facts_flag(machine, "smt") ? "with" : "without");
	return arena_adopt(writer->arena, text_list_end(&list));
}

/* Describe whether the latencies agree with the reported topology. */
static const char *judge_claims(const struct answers_writer *writer)
{
	const struct analysis *analysis = &writer->groups.analysis;

	if (!writer->groups.found)
		return "";
	switch (analysis->verdict) {
	case ANALYSIS_VERDICT_AGREES:
		return " The latencies agree with this topology.";
	case ANALYSIS_VERDICT_DISAGREES:
		return " The latencies contradict this topology: see Odd.";
	case ANALYSIS_VERDICT_CANNOT_TELL:
		return " The latencies neither confirm nor contradict it.";
	case ANALYSIS_VERDICT_NONE:
		break;
	}
	return "";
}

/* Return the length without trailing blanks, which some CPU models have. */
static int trimmed_length(const char *text)
{
	size_t n = strlen(text);

	while (n > 0 && text[n - 1] == ' ')
		n--;
	return (int)n;
}

static void answer_machine(struct answers_writer *writer)
{
	const struct result *result = writer->records->result;
	const struct facts *machine = &result->machine;
	const char *host = facts_text(machine, "hostname");
	const char *model = facts_text(machine, "cpu_model");
	const char *hypervisor = facts_text(machine, "hypervisor");
	const struct fact *online_fact = facts_find(machine, "cpus_online");
	int64_t online = online_fact && fact_is_known(online_fact)
				 ? facts_count(machine, "cpus_online")
				 : (int64_t)result->cpus.n;
	const char *claims = list_claims(writer, machine);

	if (!model)
		model = "unknown model";
	if (machine->n == 0) {
		answer(writer, "Machine", "%s: the record describes no machine",
			writer->records->name);
		return;
	}
	answer(writer, "Machine", "%s: %" PRId64 " CPU%s, %.*s%s%s%s",
		host ? host : "?", online, online == 1 ? "" : "s",
		trimmed_length(model), model,
		hypervisor ? "; a virtual machine (" : "",
		hypervisor ? hypervisor : "", hypervisor ? ")" : "");
	if (*claims)
		answer(writer, "", "%s says that it has %s.%s",
			hypervisor ? "Its hypervisor" : "Its firmware", claims,
			judge_claims(writer));
}

/* Return whether the host may move these vCPUs, as far as the run shows. */
static bool may_be_moved(const struct answers_writer *writer)
{
	const struct result *result = writer->latency->result;
	const struct facts *run = &result->run.other;
	struct analysis_pair nearest;

	return facts_text(&result->machine, "hypervisor") &&
	       (!near_pairs_looked_again(result) ||
		       facts_count(run, "rest.lasted") <
			       facts_count(run, "rest.near") ||
		       near_pairs_count_new(result, &nearest) > 0);
}

/* Return whether pairs are near after the sleep, but none was before it. */
static bool came_near_asleep(const struct answers_writer *writer)
{
	const struct result *result = writer->latency->result;
	struct analysis_pair nearest;

	return facts_text(&result->machine, "hypervisor") &&
	       facts_count(&result->run.other, "rest.near") <= 0 &&
	       near_pairs_count_new(result, &nearest) > 0;
}

/* Return the outermost level that is no class of CPUs, or NULL. */
static const struct analysis_level *find_outermost_level(
	const struct analysis *analysis)
{
	size_t k = analysis->n_levels;

	while (k > 0 && analysis->levels[k - 1].kind == ANALYSIS_CLASS)
		k--;
	return k > 0 ? &analysis->levels[k - 1] : NULL;
}

/* Return the reason why no choice of CPUs helps; NULL: a choice may help. */
static const char *explain_no_help(
	const struct answers_writer *writer, const struct placement_gain *best)
{
	const struct analysis *analysis = &writer->groups.analysis;

	if (analysis->cpus.n == 2)
		return "two CPUs are a single pair";
	if (analysis->placement == ANALYSIS_DRIFTING)
		return "CPUs moved during the run, so no pair stays near; ask "
		       "for vCPUs that are pinned to cores";
	if (analysis->placement == ANALYSIS_MOVING_ASLEEP)
		return "most near pairs were no longer near after a short "
		       "sleep, because the host moves these vCPUs; ask for "
		       "vCPUs that are pinned to cores";
	if (analysis->placement != ANALYSIS_STABLE)
		return NULL;
	if (came_near_asleep(writer))
		return "other pairs are near after a short sleep, because the "
		       "host moves these vCPUs; ask for vCPUs that are pinned "
		       "to cores";
	if (!(best->times >= PLACEMENT_NEARER) &&
		!find_outermost_level(analysis))
		return arena_format(writer->arena,
			"all pairs are equally near: the nearest two CPUs take "
			"%.3g %s, and the median pair %.3g %s",
			best->inside, best->matrix->unit, best->all,
			best->matrix->unit);
	return NULL;
}

/* The CPUs that c2c export chooses for a number of threads, and their gain. */
struct near_cpus {
	size_t threads;
	bool by_cores; /* at most one CPU of each core */
	bool siblings; /* two CPUs of one core */
	struct placement_gain gain;
};

/* Return false if there are fewer cores than threads. */
static bool find_near_cpus(const struct answers_writer *writer,
	const double *values, const uint32_t *core, size_t threads,
	struct near_cpus *found)
{
	const struct result *result = writer->latency->result;
	const struct analysis *analysis = &writer->groups.analysis;
	const struct matrix *matrix = nearest_matrix(result);
	const size_t *rows = placement_nearest(values, result->cpus.n,
		matrix_near_is_high(matrix), core, threads, writer->arena);

	*found = (struct near_cpus){
		.threads = threads, .gain = {.matrix = matrix, .times = NAN}};
	if (!rows)
		return false;
	*found = (struct near_cpus){.threads = threads,
		.by_cores = core,
		.siblings = threads == 2 && analysis->core &&
			    !analysis->core_perhaps &&
			    analysis->core[rows[0]] == analysis->core[rows[1]],
		.gain = placement_gain_of(
			result, rows, threads, writer->arena)};
	return true;
}

#define NEAR_CPUS_MOST 4

/*
 * List the nearest CPUs for several numbers of threads, if they have a gain
 * that lasted: CPUs of different cores, and then two SMT siblings.
 */
static size_t list_near_cpus(const struct answers_writer *writer,
	const double *values, struct near_cpus list[NEAR_CPUS_MOST])
{
	static const size_t counts[] = {2, 4, 8, 2};
	const struct analysis *analysis = &writer->groups.analysis;
	const uint32_t *core = analysis->core_perhaps ? NULL : analysis->core;
	size_t n = 0;

	for (size_t i = 0; i < N_OF(counts); i++) {
		bool last = i + 1 == N_OF(counts);

		if (counts[i] < analysis->cpus.n &&
			find_near_cpus(writer, values, last ? NULL : core,
				counts[i], &list[n]) &&
			list[n].siblings == last &&
			list[n].gain.times >= PLACEMENT_NEARER &&
			!placement_gain_was_lost(&list[n].gain))
			n++;
	}
	return n;
}

/* Print a command that prints the CPUs for four threads, or for list[0]. */
static void answer_export(
	struct answers_writer *writer, const struct near_cpus *list, size_t n)
{
	const char *file = writer->latency->argument;
	struct text_list quoted = {.text = NULL};
	size_t k = 0;

	if (!file || *file == '-' || n == 0)
		return;
	text_list_add_shell_word(&quoted, "", file);
	while (k < n && list[k].threads != 4)
		k++;
	k = k < n ? k : 0;
	answer(writer, "",
		"Print the %zu %s for taskset: c2c export %s --placement "
		"taskset --threads %zu%s",
		list[k].threads, list[k].by_cores ? "cores" : "threads",
		arena_adopt(writer->arena, text_list_end(&quoted)),
		list[k].threads, list[k].by_cores ? " --per core" : "");
}

static void answer_near_cpus(
	struct answers_writer *writer, const struct near_cpus *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct placement_gain *gain = &list[i].gain;
		const char *unit = gain->matrix->unit;

		answer(writer, "",
			"%zu %s: %.3g %s between CPUs %s: saves %.3g %s%s",
			list[i].threads, list[i].by_cores ? "cores" : "threads",
			gain->inside, unit, gain->cpus,
			gain->all - gain->inside, unit,
			list[i].siblings ? " (SMT siblings of one core: for "
					   "threads that mostly wait for each "
					   "other)"
					 : "");
	}
	answer_export(writer, list, n);
}

static void answer_where_to_bind(struct answers_writer *writer,
	const double *values, const struct placement_gain *best)
{
	const struct analysis *analysis = &writer->groups.analysis;
	const char *way =
		analysis->is_round_trip ? " a round trip" : " one way";
	bool moved = may_be_moved(writer);
	const struct analysis_level *level = find_outermost_level(analysis);
	struct near_cpus list[NEAR_CPUS_MOST];
	size_t n = list_near_cpus(writer, values, list);

	if (n > 0) {
		answer(writer, "To do", "%s. The median pair takes %.3g %s%s:",
			moved ? "If the vCPUs are pinned to cores, which this "
				"run does not show, bind threads that share "
				"data to near CPUs"
			      : "Bind threads that share data to near CPUs",
			best->all, best->matrix->unit, way);
		answer_near_cpus(writer, list, n);
	} else if (best->times >= PLACEMENT_NEARER) {
		answer(writer, "To do",
			"Placement by nearness cannot help here: the nearest "
			"CPUs were no longer near after a short sleep; ask for "
			"vCPUs that are pinned to cores.");
	} else {
		answer(writer, "To do",
			"%s threads that share data within one of %s: the "
			"median of all pairs is %.3g %s%s, and between these "
			"groups it is %.3g %s.",
			moved ? "If the vCPUs are pinned to cores, which this "
				"run does not show, keep"
			      : "Keep",
			analysis_list_groups(
				analysis, level->group, writer->arena),
			best->all, best->matrix->unit, way, level->between,
			level->unit);
	}
}

static void answer_what_to_do(struct answers_writer *writer)
{
	const struct analysis *analysis = &writer->groups.analysis;
	const double *values;
	struct near_cpus best;
	const char *why;

	if (!writer->groups.found) {
		answer(writer, "To do",
			"This run does not show whether placement by nearness "
			"helps: %s.",
			writer->groups.why ? writer->groups.why
					   : "there are no latencies of CPUs");
		return;
	}
	values = nearest_values(writer->latency->result, writer->arena);
	find_near_cpus(writer, values, NULL, 2, &best);
	why = explain_no_help(writer, &best.gain);
	if (why) {
		answer(writer, "To do",
			"Placement by nearness cannot help here: %s.", why);
	} else if (analysis->placement != ANALYSIS_STABLE) {
		answer(writer, "To do",
			"Leave your threads unbound: this run does not show "
			"whether placement by nearness helps.");
	} else {
		answer_where_to_bind(writer, values, &best.gain);
	}
}

static void answer_level(struct answers_writer *writer, size_t k)
{
	const struct analysis *analysis = &writer->groups.analysis;
	const struct analysis_level *level = &analysis->levels[k];
	const char *inside = "";

	if (!isnan(level->inside))
		inside = arena_format(writer->arena, "%.3g %s inside, ",
			level->inside, level->unit);
	answer(writer, k == 0 ? "Near" : "", "%s: %s%.3g %s between; %s",
		analyze_describe_level(analysis, k, writer->arena), inside,
		level->between, level->unit,
		analysis_list_groups(analysis, level->group, writer->arena));
}

static void answer_near(struct answers_writer *writer)
{
	const struct analysis *analysis = &writer->groups.analysis;
	const char **pairs =
		arena_alloc(writer->arena, ODD_OF_A_KIND, sizeof(*pairs));
	size_t n = 0;

	if (!writer->groups.found)
		return;
	for (size_t k = 0; k < analysis->n_levels && k < LEVELS_SHOWN; k++)
		answer_level(writer, k);
	if (analysis->n_levels > LEVELS_SHOWN)
		answer(writer, "", "and %zu more level%s (c2c analyze)",
			analysis->n_levels - LEVELS_SHOWN,
			analysis->n_levels == LEVELS_SHOWN + 1 ? "" : "s");
	if (analysis->n_levels == 0)
		answer(writer, "Near", "%s",
			analysis->n_perhaps
				? "There may be groups, but no group is "
				  "certain (c2c analyze)."
				: analyze_describe_no_levels(
					  analysis, NULL, writer->arena));
	/* A single pair is in the row above. */
	for (; analysis->cpus.n > 2 && n < analysis->n_nearest &&
		n < ODD_OF_A_KIND;
		n++)
		pairs[n] =
			analyze_name_pair(&analysis->nearest[n], writer->arena);
	if (n == 0)
		return;
	prose_list(writer->prose, "Nearest", pairs, n);
	writer->lines += 2;
}

/* Describe the placement. Return NULL if the row "To do" explains it. */
static const char *describe_groups_that_last(
	const struct answers_writer *writer, bool rest)
{
	const struct analysis *analysis = &writer->groups.analysis;
	int64_t epochs = run_epochs(&writer->latency->result->run);

	if (analysis->placement == ANALYSIS_MOVING_ASLEEP && rest)
		return NULL;
	if (analysis->placement != ANALYSIS_DRIFTING)
		return analyze_describe_placement(analysis, writer->arena);
	if (analysis->n_epochs > 0)
		return arena_format(writer->arena,
			"drifting. The run has %zu epochs; c2c lists only the "
			"groups that lasted",
			analysis->n_epochs);
	if (epochs > 0)
		return arena_format(writer->arena,
			"drifting. The groups are those of the longest of "
			"%" PRId64 " epochs",
			epochs);
	return "drifting. No groups lasted";
}

static void answer_lasts(struct answers_writer *writer)
{
	const struct result *result;
	const char *placement;
	char *rest;

	if (!writer->groups.found)
		return;
	result = writer->latency->result;
	rest = near_pairs_describe_rest(result, false);
	if (rest)
		answer(writer, "Lasts", "%s", rest);
	placement = describe_groups_that_last(writer, rest);
	if (placement)
		answer(writer, rest ? "" : "Lasts", "Placement: %s", placement);
	else if (!rest && writer->groups.analysis.n_levels > 0 &&
		 facts_text(&result->machine, "hypervisor"))
		answer(writer, "Lasts", "unknown: %s",
			near_pairs_looked_again(result)
				? "no pair was near before the CPUs slept"
				: "this run did not measure after a sleep of "
				  "its CPUs");
	free(rest);
}

/* Print the pair whose lines differ most, if lines differ. */
static void answer_lines_apart(struct answers_writer *writer)
{
	const struct result *result;
	const struct line_profile *most = NULL;
	size_t n, differ = 0;

	if (!writer->lines_apart)
		return;
	result = writer->lines_apart->result;
	n = result->n_line_profiles;
	for (size_t i = 0; i < n; i++) {
		const struct line_profile *lines = &result->line_profiles[i];

		if (!line_profile_differs(lines))
			continue;
		differ++;
		if (!most || lines->farthest_ns * most->nearest_ns >
				     most->farthest_ns * lines->nearest_ns)
			most = lines;
	}
	if (most)
		answer(writer, "Lines",
			"The latency depends on the cache line for %zu of %zu "
			"pair%s. CPUs %u and %u: %s",
			differ, n, n == 1 ? "" : "s", most->cpus.cpus[0],
			most->cpus.cpus[1],
			by_line_describe(writer->arena, most));
	else if (n == 1)
		answer(writer, "Lines", "CPUs %u and %u: %s",
			result->line_profiles->cpus.cpus[0],
			result->line_profiles->cpus.cpus[1],
			by_line_describe(writer->arena, result->line_profiles));
	else
		answer(writer, "Lines",
			"The latency does not clearly depend on the cache "
			"line (%zu pairs)",
			n);
}

/* Print the costs of loads of another CPU's lines, for the first levels. */
static void answer_states(struct answers_writer *writer)
{
	const struct result *result;
	const char *refused;
	size_t n = 0;

	if (!writer->states)
		return;
	result = writer->states->result;
	refused = facts_text(&result->run.other, STATES_REFUSED_KEY);
	if (refused)
		answer(writer, "States", "unknown: %s (c2c states)", refused);
	for (size_t level = 1; level <= LEVELS_SHOWN; level++) {
		const char *text =
			states_describe_loads(writer->arena, result, level);

		if (text)
			answer(writer, n++ == 0 ? "States" : "", "%s", text);
	}
}

/*
 * Return whether the reported size is far from the measured size, but possible.
 * The row "Odd" has the impossible sizes.
 */
static bool is_far_from_reported(const struct cache_level *level)
{
	return !level->memory && !cache_level_differs(level) &&
	       (level->reported_bytes > FAR_FROM_REPORTED * level->most_bytes ||
		       FAR_FROM_REPORTED * level->reported_bytes <
			       level->least_bytes);
}

static void answer_caches(struct answers_writer *writer)
{
	const struct result *result;
	struct text_list list = {.text = NULL};
	char size[TEXT_SIZES_BYTES], ns[TEXT_NUMBER_BYTES];
	char reported[TEXT_SIZES_BYTES];
	size_t found = 0;

	if (!writer->caches)
		return;
	result = writer->caches->result;
	for (size_t i = 0; i < result->n_caches; i++)
		found += !isnan(result->caches[i].most_bytes) ||
			 !isnan(result->caches[i].ns);
	if (found == 0) {
		answer(writer, "Caches",
			"no cache was measured well enough; c2c cache measures "
			"longer");
		return;
	}
	for (size_t i = 0; i < result->n_caches && i < CACHES_SHOWN; i++) {
		const struct cache_level *level = &result->caches[i];

		text_list_add(
			&list, "; ", "%s", level->name ? level->name : "?");
		if (isnan(level->most_bytes) && isnan(level->ns))
			text_list_add(&list, " ", "not found");
		else if (!level->memory)
			text_list_add(&list, " ", "%s",
				text_sizes(level->least_bytes,
					level->most_bytes, size));
		if (is_far_from_reported(level))
			text_list_add(&list, " ", "(the system says %s)",
				text_sizes(
					NAN, level->reported_bytes, reported));
		if (!isnan(level->ns))
			text_list_add(&list, " in ", "%s ns",
				text_number(level->ns, ns));
	}
	answer(writer, "Caches", "%s",
		arena_adopt(writer->arena, text_list_end(&list)));
}

/* Range of a matrix over nodes, for local or for remote memory. */
struct node_range {
	double least, most;
};

static struct node_range find_node_range(
	const struct result *result, const char *name, bool own)
{
	const struct matrix *matrix =
		result_find_matrix(result, name, "median");
	const struct cpu_list *rows = &result->nodes.rows;
	const struct cpu_list *columns = &result->nodes.columns;
	struct node_range range = {NAN, NAN};

	for (size_t i = 0; matrix && i < rows->n; i++) {
		for (size_t j = 0; j < columns->n; j++) {
			double value =
				matrix->values[numa_cell_index(result, i, j)];

			if ((rows->cpus[i] == columns->cpus[j]) != own)
				continue;
			range.least = fmin(range.least, value);
			range.most = fmax(range.most, value);
		}
	}
	return range;
}

/* Add "own memory 105 to 110 ns", or nothing without a value. */
static void list_node_range(struct text_list *list, struct node_range range,
	const char *what, const char *unit)
{
	char least[TEXT_NUMBER_BYTES], most[TEXT_NUMBER_BYTES];

	if (isnan(range.least))
		return;
	text_number(range.least, least);
	text_number(range.most, most);
	if (strcmp(least, most) == 0)
		text_list_add(list, "; ", "%s %s %s", what, most, unit);
	else
		text_list_add(
			list, "; ", "%s %s to %s %s", what, least, most, unit);
}

/* Return whether little memory was free, so that caches held all of it. */
static bool caches_held_memory(const struct run_facts *run)
{
	for (size_t k = 0; k < run->n_warnings; k++) {
		if (strstr(run->warnings[k], WARNING_OF_CACHES))
			return true;
	}
	return false;
}

static void answer_memory(struct answers_writer *writer)
{
	const struct result *result;
	struct text_list list = {.text = NULL};
	char reads[NUMA_NAME_BYTES];
	bool several;

	if (!writer->nodes)
		return;
	result = writer->nodes->result;
	several = result->nodes.all.n > 1;
	numa_matrix_name(NUMA_READ, reads);
	text_list_add(&list, "", "%zu NUMA node%s", result->nodes.all.n,
		several ? "s" : "");
	list_node_range(&list, find_node_range(result, "latency", true),
		several ? "a node's own memory" : "idle", "ns");
	list_node_range(&list, find_node_range(result, "latency", false),
		"another node's memory", "ns");
	list_node_range(&list, find_node_range(result, reads, true),
		several ? "all CPUs of a node read their own memory at"
			: "all CPUs read",
		"GiB/s");
	list_node_range(&list, find_node_range(result, reads, false),
		"another node's memory at", "GiB/s");
	if (caches_held_memory(&result->run))
		text_list_add(&list, "; ", "but " WARNING_OF_CACHES);
	answer(writer, "Memory", "%s",
		arena_adopt(writer->arena, text_list_end(&list)));
}

__attribute__((format(printf, 2, 3))) static void add_odd(
	struct answers_writer *writer, const char *format, ...)
{
	char *text;
	va_list args;

	va_start(args, format);
	text = arena_vformat(writer->arena, format, args);
	va_end(args);
	for (size_t i = 0; i < writer->n_odd; i++) {
		if (strcmp(writer->odd[i], text) == 0)
			return;
	}
	writer->odd = arena_grow(writer->arena, writer->odd, writer->n_odd,
		sizeof(*writer->odd));
	writer->odd[writer->n_odd++] = text;
}

static void add_odd_groups(struct answers_writer *writer)
{
	const struct analysis *analysis = &writer->groups.analysis;

	for (size_t k = 0; k < analysis->n_disagreements; k++) {
		const struct analysis_disagreement *item =
			&analysis->disagreements[k];

		add_odd(writer, "%s: %s",
			item->what == ANALYSIS_HIDDEN ? "Not in the topology"
						      : "Contradicted",
			item->text);
	}
	for (size_t k = 0; k < analysis->n_outliers; k++) {
		const char *text =
			analyze_describe_outliers(analysis, k, writer->arena);

		if (text)
			add_odd(writer, "%s", text);
	}
}

static void add_odd_caches(struct answers_writer *writer)
{
	const struct result *result = writer->caches->result;
	char size[TEXT_SIZES_BYTES], reported[TEXT_SIZES_BYTES];

	for (size_t i = 0; i < result->n_caches; i++) {
		const struct cache_level *level = &result->caches[i];

		if (cache_level_differs(level))
			add_odd(writer,
				"%s: measured %s, the system says %s (c2c "
				"cache)",
				level->name ? level->name : "?",
				text_sizes(level->least_bytes,
					level->most_bytes, size),
				text_sizes(
					NAN, level->reported_bytes, reported));
	}
}

static void add_odd_nodes(struct answers_writer *writer)
{
	for (int which = 0; which < NUMA_REPORTED_COUNT; which++) {
		char text[NUMA_VERDICT_BYTES];

		if (numa_judge_reported(writer->nodes->result,
			    (enum machine_reported)which, text) == NUMA_DIFFERS)
			add_odd(writer, "The firmware's %s differs: %s",
				numa_reported_name(
					(enum machine_reported)which),
				text);
	}
}

/*
 * Return a warning, in the arena, without advice on options that c2c report
 * lacks. Return NULL for warnings of wide intervals, and of an early end, which
 * the row "Odd" has anyway.
 */
static const char *shorten_warning(
	const struct answers_writer *writer, const char *warning)
{
	const char *option = strstr(warning, " --"), *end = option;

	if (strstr(warning, WARNING_OF_WIDTH) ||
		strncmp(warning, WARNING_OF_END, strlen(WARNING_OF_END)) == 0)
		return NULL;
	while (end && end > warning && *end != ';')
		end--;
	return !end || end == warning ? warning
				      : arena_format(writer->arena, "%.*s",
						(int)(end - warning), warning);
}

/* Add the warnings of the runs and the disturbances of this machine. */
static void add_odd_warnings(struct answers_writer *writer)
{
	const struct record machine = {
		.facts = writer->records->result->machine};
	const struct record_list list = record_find_list(&machine, "warnings");
	bool interrupted = false;

	for (size_t i = 0; i < writer->n; i++) {
		const struct run_facts *run = &writer->records[i].result->run;

		for (size_t k = 0; k < run->n_warnings; k++) {
			const char *text =
				shorten_warning(writer, run->warnings[k]);
			bool interrupts =
				text && strstr(text, WARNING_OF_INTERRUPTS);

			/* Show only the first warning of interrupts. */
			if (text && !(interrupts && interrupted))
				add_odd(writer, "%s: %s",
					writer->records[i].result->command,
					text);
			interrupted |= interrupts;
		}
	}
	for (size_t i = 0; i < list.n; i++) {
		const struct facts row = record_list_row(&list, i);
		const char *what = facts_text(&row, "what");

		/* The row "Machine" already contains this warning. */
		if (what && strncmp(what, MACHINE_IS_VIRTUAL,
				    strlen(MACHINE_IS_VIRTUAL)) != 0)
			add_odd(writer, "%s", what);
	}
}

static void answer_odd(struct answers_writer *writer)
{
	size_t shown = 0;

	if (writer->groups.found)
		add_odd_groups(writer);
	if (writer->caches)
		add_odd_caches(writer);
	if (writer->nodes)
		add_odd_nodes(writer);
	for (size_t i = 0; i < writer->n; i++) {
		if (!writer->records[i].result->complete)
			add_odd(writer,
				"%s: incomplete, because the time was over or "
				"a signal ended c2c",
				writer->records[i].result->command);
	}
	add_odd_warnings(writer);
	if (writer->n_odd == 0)
		answer(writer, "Odd", "c2c found nothing odd");
	for (; shown < writer->n_odd; shown++) {
		const char *text = writer->odd[shown];

		/* Keep a line for the number of hidden sentences. */
		if (writer->lines + 2 + strlen(text) / ROW_COLUMNS >=
			REPORT_LINES)
			break;
		answer(writer, shown == 0 ? "Odd" : "", "%s", text);
	}
	if (shown < writer->n_odd)
		answer(writer, "", "and %zu more (see c2c analyze, c2c info)",
			writer->n_odd - shown);
}

static void answer_missing(struct answers_writer *writer)
{
	size_t found = 0;
	const char *text;

	for (size_t i = 0; i < writer->n; i++) {
		const struct page_input *record = &writer->records[i];

		/* Print the same reason only once. */
		for (size_t k = 0; k < record->n_skipped; k++) {
			if (k > 0 && strcmp(record->skipped[k],
					     record->skipped[k - 1]) == 0)
				continue;
			text = shorten_warning(writer, record->skipped[k]);
			if (text)
				answer(writer, found++ == 0 ? "Missing" : "",
					"%s", text);
		}
	}
}

void report_print_answers(
	struct prose *prose, const struct page_input *records, size_t n)
{
	struct answers_writer writer = {.prose = prose,
		.arena = prose->arena,
		.records = records,
		.n = n};

	writer.latency = find_answering(&writer, has_latencies_of_pairs);
	writer.lines_apart = find_answering(&writer, has_lines);
	writer.states = find_answering(&writer, has_states);
	writer.caches = find_answering(&writer, has_cache_levels);
	writer.nodes = find_answering(&writer, result_is_of_nodes);
	if (writer.latency)
		record_groups_init(
			writer.latency, 1, writer.arena, &writer.groups);
	answer_machine(&writer);
	answer_what_to_do(&writer);
	answer_near(&writer);
	answer_lasts(&writer);
	answer_lines_apart(&writer);
	answer_states(&writer);
	answer_caches(&writer);
	answer_memory(&writer);
	answer_missing(&writer);
	answer_odd(&writer);
	record_groups_release(&writer.groups);
}
