/*
 * c2c export --placement: print CPUs for threads in the syntax of the programs
 * that bind them (export_formats.h), and what the placement gains.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/nearest.h"
#include "analyze/placement.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/cli.h"
#include "cmd/export/thread_placement.h"
#include "cmd/placement_gain.h"
#include "util/parse.h"
#include "util/text.h"

/* With more threads, not every thread has a line. */
#define MOST_PINNED 64

unsigned placement_cpu(const struct thread_placement *placement, size_t thread)
{
	return placement->source->analysis.cpus.cpus[placement->rows[thread]];
}

char *placement_cpus(const struct thread_placement *placement)
{
	size_t n = placement->request.threads;
	struct cpu_list cpus = {
		arena_alloc(placement->arena, n, sizeof(*cpus.cpus)), n};

	for (size_t i = 0; i < n; i++)
		cpus.cpus[i] = placement_cpu(placement, i);
	cpu_list_sort(&cpus);
	return arena_adopt(placement->arena, cpu_list_format(&cpus));
}

struct cpu_list placement_nodes(
	const struct thread_placement *placement, size_t first, size_t end)
{
	const struct machine *machine = placement->source->machine;
	struct cpu_list nodes = {0};

	if (!machine || machine_facts(machine)->numa_nodes < 2)
		return nodes;
	nodes.cpus =
		arena_alloc(placement->arena, end - first, sizeof(*nodes.cpus));
	for (size_t i = first; i < end; i++) {
		int node =
			machine_node_of(machine, placement_cpu(placement, i));

		if (node >= 0 && cpu_list_find(&nodes, (unsigned)node) < 0)
			nodes.cpus[nodes.n++] = (unsigned)node;
	}
	cpu_list_sort(&nodes);
	return nodes;
}

#define FORMAT(word, check, text) {#word, check, print_##word},
const struct export_format export_formats[] = {EXPORT_FORMATS(FORMAT)};

/* Return the number of a level as c2c analyze prints it. */
static size_t placement_level_number(
	const struct thread_placement *placement, size_t k)
{
	return (size_t)(placement->from[k] -
			placement->source->analysis.levels) +
	       1;
}

/* Make an error that lists the levels: "1 smt, 3 package". */
static int no_such_level(const struct thread_placement *placement,
	const char *text, struct error *err)
{
	struct text_list list = {0};

	if (strcmp(text, analysis_kinds[ANALYSIS_DOMAIN]) == 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--level: found '%s', but '%s' has no links to memory: "
			"measure them with 'c2c numa --scaling'",
			text, placement->source->path);
	for (size_t k = 0; k < placement->request.n_levels; k++)
		text_list_add(&list, ", ", "%zu %s",
			placement_level_number(placement, k),
			analysis_kinds[placement->from[k]->kind]);
	if (placement->request.n_levels == 0) {
		free(text_list_end(&list));
		return error_set(err, ERROR_USAGE, EINVAL,
			"--level: found '%s', but '%s' has no level: leave the "
			"option out",
			text, placement->source->path);
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"--level: found '%s', expected a level of '%s': %s", text,
		placement->source->path,
		arena_adopt(placement->arena, text_list_end(&list)));
}

/* Choose the innermost level that text names; NULL: the outermost level. */
static int choose_placement_level(
	struct thread_placement *placement, const char *text, struct error *err)
{
	size_t n = placement->request.n_levels;
	uint64_t number = 0;

	if (!text) {
		placement->request.level = n ? n - 1 : 0;
		return 0;
	}
	parse_u64(text, 1, UINT32_MAX, &number, NULL);
	for (size_t k = 0; k < n; k++) {
		const char *kind = analysis_kinds[placement->from[k]->kind];

		if (placement_level_number(placement, k) == number ||
			strcmp(kind, text) == 0) {
			placement->request.level = k;
			return 0;
		}
	}
	return no_such_level(placement, text, err);
}

static void list_nested_levels(struct thread_placement *placement)
{
	const struct analysis *analysis = &placement->source->analysis;
	struct placement_level *levels = arena_alloc(
		placement->arena, analysis->n_levels, sizeof(*levels));

	placement->from = arena_alloc(
		placement->arena, analysis->n_levels, sizeof(void *));
	placement->request.levels = levels;
	placement->request.n_levels =
		placement_list_levels(analysis, levels, placement->from);
}

/* Return whether to place threads by pairs instead of groups. */
static bool is_by_pairs(const struct thread_placement *placement)
{
	const struct export_placement *wanted = placement->wanted;
	const struct placement_request *request = &placement->request;

	if (request->threads == 1 || request->threads == request->n)
		return wanted->per_core;
	return !wanted->spread &&
	       (request->n_levels == 0 || (!wanted->level && !wanted->pack));
}

/* Choose the nearest CPUs, on different cores if requested. */
static int place_nearest_threads(
	struct thread_placement *placement, struct error *err)
{
	const struct placement_request *request = &placement->request;
	const struct matrix *matrix = nearest_matrix(placement->source->result);
	const uint32_t *core = placement->wanted->per_core
				       ? placement->source->analysis.core
				       : NULL;

	placement->rows = placement_nearest(
		nearest_values(placement->source->result, placement->arena),
		request->n, matrix_near_is_high(matrix), core, request->threads,
		placement->arena);
	if (placement->rows)
		return 0;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--per=core: found %zu threads and fewer cores in '%s': leave "
		"--per out, or name fewer --threads",
		request->threads, placement->source->path);
}

/* A record of links to memory has no pairs. */
static bool has_pairs(const struct export_source *source)
{
	return source->result->n_matrices > 0 &&
	       !result_is_of_nodes(source->result);
}

/* Choose the CPUs of threads. */
static int place_threads(struct thread_placement *placement, struct error *err)
{
	const struct export_source *source = placement->source;
	const struct placement_request *request = &placement->request;
	bool by_pairs = is_by_pairs(placement);

	if (request->n_levels == 0 && source->verbosity >= 0 &&
		(!by_pairs || placement->wanted->pack))
		cli_warn("export", "'%s' has no level: c2c uses %s",
			source->path,
			by_pairs ? "near pairs of CPUs" : "the first CPUs");
	if (by_pairs && !has_pairs(source))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has links to memory but no pairs of CPUs: add "
			"--spread, --pack or --level",
			source->path);
	if (by_pairs)
		return place_nearest_threads(placement, err);
	if (!has_pairs(source) && source->verbosity >= 0 &&
		request->levels[request->level].n_groups == 1)
		cli_notify("export",
			"all CPUs of '%s' share one link to memory, so c2c "
			"uses the first CPUs",
			source->path);
	placement->rows = placement_find(request, placement->arena);
	return 0;
}

/* Print the gain of a placement, and whether the gain lasts. */
static void print_placement_gain(const struct thread_placement *placement)
{
	const struct export_source *source = placement->source;
	struct placement_gain gain = placement_gain_of(source->result,
		placement->rows, placement->request.threads, placement->arena);
	const char *text = placement_gain_describe(&gain, placement->arena);
	const char *lasts;

	if (!text)
		return;
	cli_notify("export", "%s", text);
	lasts = placement_gain_describe_lasting(
		&gain, source->analysis.placement, placement->arena);
	if (lasts)
		cli_notify("export", "%s", lasts);
}

/* For programs that bind the process, print how to pin each thread. */
static void print_thread_pins(const struct thread_placement *placement)
{
	size_t n = placement->request.threads;

	if (n < 2 || n > MOST_PINNED || n == placement->request.n)
		return;
	cli_notify("export",
		"this binds the process: its threads run on any of these CPUs. "
		"To pin each thread by its TID:");
	for (size_t i = 0; i < n; i++)
		cli_notify("export", "thread %zu: taskset -p -c %u TID", i,
			placement_cpu(placement, i));
}

static void warn_of_cores(const struct export_source *source,
	const struct export_placement *wanted)
{
	if (wanted->per_core && source->analysis.core_perhaps &&
		source->verbosity >= 0)
		cli_warn("export",
			"neither the measured values nor a topology identify "
			"SMT siblings with certainty: %s; give --topology=XML",
			source->analysis.core
				? "pairs that are much nearer count as cores"
				: "each CPU counts as a core");
}

int export_nearest_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err)
{
	const uint32_t *core = wanted->per_core ? source->analysis.core : NULL;
	struct analysis_pair *pairs;
	size_t n;

	if (matrix_is_slowdown(nearest_matrix(source->result)))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--nearest: '%s' has slowdowns, which are no "
			"distances; measure distances with 'c2c latency'",
			source->path);
	n = nearest_find(
		source->result, core, wanted->nearest, &pairs, source->arena);
	warn_of_cores(source, wanted);
	for (size_t k = 0; k < n; k++)
		puts(analyze_name_pair(&pairs[k], source->arena));
	return 0;
}

static size_t count_all_cores(const struct export_source *source)
{
	const uint32_t *core = source->analysis.core;
	size_t n = source->analysis.cpus.n, last = 0;

	/* Cores are numbered by their first CPUs. */
	for (size_t i = 0; core && i < n; i++)
		last = core[i] > last ? core[i] : last;
	return core ? last + 1 : n;
}

int export_placement_print(const struct export_source *source,
	const struct export_placement *wanted, struct error *err)
{
	struct thread_placement placement = {
		.source = source, .wanted = wanted, .arena = source->arena};
	struct placement_request *request = &placement.request;
	const struct export_format *format = &export_formats[wanted->format];

	request->n = source->analysis.cpus.n;
	request->spread = wanted->spread;
	request->threads = wanted->threads    ? wanted->threads
			   : wanted->per_core ? count_all_cores(source)
					      : request->n;
	list_nested_levels(&placement);
	if (choose_placement_level(&placement, wanted->level, err) < 0)
		return -EINVAL;
	if (wanted->threads > request->n)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--threads: found %" PRIu64 ", expected at most %zu, "
			"the CPUs of '%s'",
			wanted->threads, request->n, source->path);
	if (!has_pairs(source) && (format->check == find_guest_layout ||
					  format->print == print_json))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--placement=%s: '%s' has links to memory but no pairs "
			"of CPUs",
			format->word, source->path);
	if (place_threads(&placement, err) < 0)
		return -EINVAL;
	if (format->check && format->check(&placement, err) < 0)
		return -EINVAL;
	warn_of_cores(source, wanted);
	format->print(&placement);
	if (source->verbosity < 0)
		return 0;
	if (has_pairs(source))
		print_placement_gain(&placement);
	if (format->print == print_taskset || format->print == print_numactl)
		print_thread_pins(&placement);
	return 0;
}
