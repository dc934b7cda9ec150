/* c2c export --hwloc: hand a result and its analysis to the topology. */
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cli.h"
#include "cmd/export/export.h"
#include "machine/export.h"

static void take_levels(const struct analysis *analysis,
	struct machine_measured *measured, struct arena *arena)
{
	measured->n_levels = analysis->n_levels;
	measured->levels = arena_take(
		arena, analysis->n_levels, sizeof(*measured->levels));
	for (size_t k = 0; k < analysis->n_levels; k++) {
		const struct analysis_level *level = &analysis->levels[k];

		measured->levels[k] = (struct machine_level){
			.kind = analysis_kind_name(level->kind),
			.classes = level->kind == ANALYSIS_CLASS,
			.group = level->group,
			.n_groups = level->n_groups,
			.unit = level->unit,
			.inside = level->inside,
			.between = level->between,
			.confidence = analysis_confidence(level),
		};
	}
}

/* The main statistic of each name. */
static void take_matrices(const struct result *result,
	struct machine_measured *measured, struct arena *arena)
{
	measured->matrices = arena_take(
		arena, result->n_matrices, sizeof(*measured->matrices));
	for (size_t m = 0; m < result->n_matrices; m++) {
		const struct matrix *matrix = &result->matrices[m];

		if (result_find_matrix(result, matrix->name, NULL) != matrix)
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

/* Warn about everything that the topology could not take. */
static void warn_left_out(const struct export_source *source,
	const struct machine_measured *measured)
{
	if (measured->left_out)
		cli_warn("export",
			"measured groups cross objects of the topology, so all "
			"objects of these types are left out: %s",
			measured->left_out);
	for (size_t k = 0; k < measured->n_levels; k++) {
		const struct machine_level *level = &measured->levels[k];

		if (level->n_crossing > 0)
			cli_warn("export",
				"%zu of %zu groups of the level %s are left "
				"out: they cross NUMA nodes or groups of the "
				"system",
				level->n_crossing, level->n_groups,
				level->kind);
		if (source->verbosity > 0)
			fprintf(stderr,
				"c2c export: level %s: %zu inserted, %zu "
				"there already\n",
				level->kind, level->n_inserted,
				level->n_advertised);
	}
	for (size_t m = 0; m < measured->n_matrices; m++) {
		const struct machine_matrix *matrix = &measured->matrices[m];

		if (matrix->bad_unit)
			cli_warn("export",
				"the matrix %s is left out: its unit is %s, "
				"neither ns nor GiB/s",
				matrix->name, matrix->unit);
		else if (matrix->n_missing > 0)
			cli_warn("export",
				"the matrix %s is left out: %zu of its cells "
				"are missing, and hwloc needs them all",
				matrix->name, matrix->n_missing);
		else if (matrix->n_too_large > 0)
			cli_warn("export",
				"the matrix %s is left out: %zu of its cells "
				"are over 10^18 in hwloc's units, ps or MiB/s",
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

	take_levels(&source->analysis, &measured, source->arena);
	take_matrices(result, &measured, source->arena);
	if (!machine && source->verbosity >= 0)
		cli_warn("export",
			"'%s' holds no topology: the exported one has %zu CPUs "
			"and only what was measured",
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
