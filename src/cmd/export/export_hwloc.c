/* c2c export --hwloc: put a result and its analysis into the topology. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/caches/sharing.h"
#include "cmd/cli.h"
#include "cmd/export/cmd_export.h"
#include "machine/xml_export.h"

static void copy_measured_levels(const struct analysis *analysis,
	struct machine_measured *measured, struct arena *arena)
{
	measured->n_levels = analysis->n_levels;
	measured->levels = arena_alloc(
		arena, analysis->n_levels, sizeof(*measured->levels));
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];

		measured->levels[k] = (struct machine_level){
			.kind = analysis_kinds[level->kind],
			.classes = level->kind == ANALYSIS_CLASS,
			.group = level->group,
			.n_groups = level->n_groups,
			.unit = level->unit,
			.inside = level->inside,
			.between = level->between,
			.confidence = analysis_confidence(level->confidence),
			.rates = level->rates,
		};
	}
}

/*
 * Copy the medians of nodes: the latency, and the bandwidth of reads or of the
 * first mix. hwloc stores only one matrix of either.
 */
static void copy_node_matrices(const struct result *result,
	struct machine_measured *measured, struct arena *arena)
{
	const struct result_nodes *nodes = &result->nodes;
	const struct matrix *reads =
		result_find_matrix(result, "bandwidth-1:0", "median");
	size_t columns = nodes->columns.n;
	bool had[2] = {false, false};

	measured->node_matrices =
		arena_alloc(arena, 2, sizeof(*measured->node_matrices));
	for (size_t m = 0; m < result->n_matrices; m++) {
		const struct matrix *matrix = &result->matrices[m];
		bool rate = strcmp(matrix->unit, "GiB/s") == 0;
		double *values;

		if (strcmp(matrix->statistic, "median") != 0 || had[rate] ||
			!(rate || strcmp(matrix->unit, "ns") == 0) ||
			(rate && reads && matrix != reads))
			continue;
		had[rate] = true;
		values = arena_alloc(
			arena, nodes->rows.n * columns, sizeof(*values));
		for (size_t k = 0; k < nodes->rows.n * columns; k++) {
			long i = cpu_list_find(
				&nodes->all, nodes->rows.cpus[k / columns]);
			long j = cpu_list_find(
				&nodes->all, nodes->columns.cpus[k % columns]);

			values[k] = matrix->values[(size_t)i * nodes->all.n +
						   (size_t)j];
		}
		measured->node_matrices[measured->n_node_matrices++] =
			(struct machine_node_matrix){.is_bandwidth = rate,
				.rows = &nodes->rows,
				.columns = &nodes->columns,
				.values = values};
	}
}

/* Copy the main statistic of each matrix name. */
static void copy_measured_matrices(const struct result *result,
	struct machine_measured *measured, struct arena *arena)
{
	measured->matrices = arena_alloc(
		arena, result->n_matrices, sizeof(*measured->matrices));
	for (size_t m = 0; m < result->n_matrices; m++) {
		const struct matrix *matrix = &result->matrices[m];

		/* hwloc stores only latencies and rates. */
		if (result_find_matrix(result, matrix->name, NULL) != matrix ||
			matrix_is_slowdown(matrix))
			continue;
		measured->matrices[measured->n_matrices++] =
			(struct machine_matrix){
				.name = matrix->name,
				.unit = matrix->unit,
				.higher_is_better = matrix->higher_is_better,
				.values = matrix->values,
			};
	}
}

/* Return the CPU whose caches were measured: the CPU of the first curve. */
static unsigned find_measuring_cpu(const struct result *result)
{
	for (size_t i = 0; i < result->n_curves; i++) {
		if (result->curves[i].cpus.n == 1)
			return result->curves[i].cpus.cpus[0];
	}
	return result->cpus.cpus[0];
}

/*
 * Return whether a measured value contradicts the system. A smaller size is no
 * contradiction: other CPUs may have used the rest.
 */
static bool cache_verdict_differs(enum cache_verdict verdict)
{
	return verdict == CACHE_DIFFERS || verdict == CACHE_HIDDEN;
}

static void copy_measured_caches(const struct result *result,
	struct machine_measured *measured, struct arena *arena)
{
	measured->cache_cpu = find_measuring_cpu(result);
	measured->caches =
		arena_alloc(arena, result->n_caches, sizeof(*measured->caches));
	for (size_t i = 0; i < result->n_caches; i++) {
		const struct cache_level *level = &result->caches[i];

		if (level->memory ||
			(isnan(level->least_bytes) &&
				isnan(level->line_bytes) && isnan(level->ways)))
			continue;
		measured->caches[measured->n_caches++] =
			(struct machine_measured_cache){
				.level = level->level,
				.cpus = &level->cpus,
				.least_bytes = level->least_bytes,
				.most_bytes = level->most_bytes,
				.line_bytes = level->line_bytes,
				.ways = level->ways,
				.size_differs = cache_verdict_differs(
					level->size_verdict),
				.line_differs = cache_verdict_differs(
					level->line_verdict),
				.ways_differs = cache_verdict_differs(
					level->ways_verdict),
			};
	}
}

/* Warn of caches that are left out, or that may have more CPUs. */
static void warn_of_cache(const struct machine_measured *measured,
	const struct machine_measured_cache *cache)
{
	if (cache->unknown || cache->crosses)
		cli_warn("export", "c2c leaves out the measured L%u: %s",
			cache->level,
			cache->unknown
				? "hwloc has no cache level with this number"
				: "its CPUs cross objects of the topology");
	else if (cache->inserted && cache->cpus->n == 0)
		cli_warn("export",
			"the topology lacks the L%u; c2c puts it over CPU %u "
			"alone, because the CPUs that share it were not "
			"measured ('c2c cache --shared %.0fK' measures them)",
			cache->level, measured->cache_cpu,
			ceil(cache->least_bytes / 1024));
	else if (cache->n_described < cache->n_objects)
		cli_warn("export",
			"only %zu of %zu L%u caches get the measured values, "
			"because the system reports that other caches differ "
			"from that of CPU %u",
			cache->n_described, cache->n_objects, cache->level,
			measured->cache_cpu);
}

/* Return the level of --shared, or 0 if the user gave a size. */
static unsigned shared_cache_level(const struct result *result)
{
	const char *text = facts_text(&result->options, "shared");

	if (!text || (text[0] != 'L' && text[0] != 'l') || text[1] < '1' ||
		text[1] > '5' || text[2])
		return 0;
	return (unsigned)(text[1] - '0');
}

/* Warn of everything that the topology cannot hold. */
static void warn_left_out(const struct export_source *source,
	const struct machine_measured *measured)
{
	if (measured->left_out)
		cli_warn("export",
			"measured groups cross objects of the topology, so c2c "
			"leaves out all objects of these types: %s",
			measured->left_out);
	for (size_t k = 0; k < measured->n_levels; k++) {
		const struct machine_level *level = &measured->levels[k];

		if (level->n_crossing > 0)
			cli_warn("export",
				"c2c leaves out %zu of %zu groups of the level "
				"%s, which cross NUMA nodes or groups of the "
				"system",
				level->n_crossing, level->n_groups,
				level->kind);
		if (source->verbosity > 0)
			cli_notify("export",
				"level %s: %zu groups are new, %zu there "
				"already",
				level->kind, level->n_inserted,
				level->n_reported);
	}
	for (size_t i = 0; i < measured->n_caches; i++)
		warn_of_cache(measured, &measured->caches[i]);
	for (size_t m = 0; m < measured->n_node_matrices; m++) {
		const struct machine_node_matrix *matrix =
			&measured->node_matrices[m];

		if (matrix->n_unknown > 0)
			cli_warn("export",
				"c2c leaves out %zu values of %s: the topology "
				"lacks their nodes or some of their CPUs",
				matrix->n_unknown,
				matrix->is_bandwidth ? "bandwidth" : "latency");
	}
	for (size_t m = 0; m < measured->n_matrices; m++) {
		const struct machine_matrix *matrix = &measured->matrices[m];

		if (matrix->bad_unit)
			cli_warn("export",
				"c2c leaves out the matrix %s: its unit is %s, "
				"neither ns nor GiB/s",
				matrix->name, matrix->unit);
		else if (matrix->n_missing > 0)
			cli_warn("export",
				"c2c leaves out the matrix %s: %zu of its "
				"cells are missing, and hwloc needs all cells",
				matrix->name, matrix->n_missing);
		else if (matrix->n_too_large > 0)
			cli_warn("export",
				"c2c leaves out the matrix %s: %zu cells "
				"exceed 10^18 in hwloc's units, ps or MiB/s",
				matrix->name, matrix->n_too_large);
	}
}

int export_hwloc(
	const struct export_source *source, char **xml, struct error *err)
{
	const struct result *result = source->result;
	const struct machine *machine = source->machine;
	struct machine_measured measured = {
		.cpus = &source->analysis.cpus,
		.origin = arena_format(source->arena, "c2c %s%s%s",
			result->command, result->started ? " " : "",
			result->started ? result->started : ""),
	};
	struct machine *plain = NULL;
	int rc = 0;

	copy_measured_levels(&source->analysis, &measured, source->arena);
	if (result_is_of_nodes(result))
		copy_node_matrices(result, &measured, source->arena);
	else
		copy_measured_matrices(result, &measured, source->arena);
	copy_measured_caches(result, &measured, source->arena);
	if (sharing_has_slowdowns(result))
		measured.shared_level = shared_cache_level(result);
	if (!machine && result_is_of_nodes(result))
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' has no topology, and memory attributes need its "
			"NUMA nodes: give one with --topology",
			source->path);
	if (!machine && source->verbosity >= 0)
		cli_warn("export",
			"'%s' has no topology: the exported topology has only "
			"the measured groups of %zu CPUs",
			source->path, measured.cpus->n);
	if (!machine)
		rc = machine_new_plain(&plain, measured.cpus, err);
	if (rc == 0)
		rc = machine_export_measured(
			machine ? machine : plain, &measured, xml, err);
	if (rc == 0 && source->verbosity >= 0)
		warn_left_out(source, &measured);
	free(measured.left_out);
	machine_free(plain);
	return rc;
}
