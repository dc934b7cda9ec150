/*
 * One record on a page: captions, doubts, words, and how its matrices and
 * curves are drawn.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/epochs.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/cache/cache_report.h"
#include "cmd/cl/cl_summary.h"
#include "cmd/contend/cmd_contend.h"
#include "cmd/distance.h"
#include "cmd/numa/cmd_numa.h"
#include "cmd/page/page_parts.h"
#include "cmd/prose.h"
#include "cmd/run_doubts.h"
#include "cmd/topology_option.h"
#include "plot/plot_scale.h"
#include "plot/view.h"
#include "util/text.h"

/* A record, or one epoch of it, as it is being told. */
struct telling {
	struct page *page;
	const struct page_input *input;
	const struct result *result;
	const struct analysis *analysis;    /* NULL: no groups */
	const struct machine *machine;	    /* of its topology, or NULL */
	const struct analysis_epoch *epoch; /* NULL: the whole run */
};

static void put_number(FILE *out, const char *key, double value)
{
	if (isfinite(value))
		fprintf(out, ", \"%s\": %.9g", key, value);
	else
		fprintf(out, ", \"%s\": null", key);
}

/* Add a sentence to the list under way. */
struct sentences {
	FILE *out;
	bool any;
};

static void put_sentence(void *context, const char *text)
{
	struct sentences *list = context;

	fputs(list->any ? ", " : "", list->out);
	text_quote(list->out, text);
	list->any = true;
}

/* The view of a matrix: those it shares its scale with, or only this. */
static int view_of(const struct telling *telling, const struct matrix *matrix,
	bool alone, struct plot_view *view, struct error *err)
{
	struct plot_options options = *telling->page->options;

	options.name = alone ? matrix->name : telling->page->options->name;
	options.statistic = matrix->statistic;
	options.order = PLOT_ORDER_OS;
	return plot_view_init(view, telling->result, &options, err);
}

static bool has_matrix(
	const struct plot_view *view, const struct matrix *matrix)
{
	for (size_t i = 0; i < view->result.n_matrices; i++) {
		if (text_same(view->result.matrices[i].name, matrix->name))
			return true;
	}
	return false;
}

static void put_scale(FILE *out, const struct plot_scale *scale)
{
	put_number(out, "low", scale->n_values ? scale->low : NAN);
	put_number(out, "high", scale->n_values ? scale->high : NAN);
	fprintf(out,
		", \"reversed\": %s, \"below\": %s, \"above\": %s, "
		"\"flat\": %s, \"decimals\": %d",
		scale->reversed ? "true" : "false",
		scale->below ? "true" : "false",
		scale->above ? "true" : "false", scale->flat ? "true" : "false",
		scale->n_values ? plot_decimals(scale->high - scale->low) : 0);
}

/* How one matrix is drawn. */
static int tell_matrix(
	const struct telling *telling, size_t i, struct error *err)
{
	const struct matrix *matrix = &telling->result->matrices[i];
	struct page *page = telling->page;
	struct plot_view alone, shared;
	struct plot_scale scale;
	struct plot_view *scaled = &alone;
	bool shares;
	char name[PLOT_MATRIX_BYTES];
	int rc = page_go_on(page, err);

	if (rc < 0)
		return rc;
	rc = view_of(telling, matrix, true, &alone, err);
	if (rc < 0)
		return rc;
	/* The first name may lack the statistic. */
	shares = result_find_matrix(
		telling->result, page->options->name, matrix->statistic);
	if (shares)
		rc = view_of(telling, matrix, false, &shared, err);
	if (rc < 0) {
		plot_view_release(&alone);
		return rc;
	}
	if (shares && has_matrix(&shared, matrix))
		scaled = &shared;
	plot_scale_init(&scale, &scaled->result, scaled->noise, page->options,
		page->arena);
	fprintf(page->data, "{\"at\": %zu", i);
	page_text(page, ", \"name\"", plot_matrix_name(matrix, name));
	page_text(page, ", \"bar\"", plot_caption_bar(&alone));
	page_text(page, ", \"direction\"", plot_direction(matrix));
	page_text(page, ", \"note\"",
		plot_scale_note(&scale, matrix->unit, page->arena));
	page_text(page, ", \"doubt\"",
		plot_scale_doubt(&scale, matrix->unit, page->arena));
	put_scale(page->data, &scale);
	putc('}', page->data);
	if (shares)
		plot_view_release(&shared);
	plot_view_release(&alone);
	return 0;
}

static int tell_matrices(const struct telling *telling, struct error *err)
{
	const struct result *result = telling->result;
	const char *name = telling->page->options->name;
	FILE *out = telling->page->data;
	bool any = false;
	int rc = 0;

	fputs("\"matrices\": [", out);
	for (size_t i = 0; rc == 0 && i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		/* The first of its name that has the statistic. */
		if (matrix != result_find_matrix(result, matrix->name,
				      matrix->statistic) ||
			(name && strcmp(name, matrix->name) != 0))
			continue;
		fputs(any ? ",\n" : "\n", out);
		any = true;
		rc = tell_matrix(telling, i, err);
	}
	putc(']', out);
	return rc;
}

/* An order of the members: their places, and the line before each. */
static void put_order(FILE *out, const char *name, const size_t *order,
	const enum plot_border *borders, size_t n)
{
	fprintf(out, "{\"name\": \"%s\", \"places\": [", name);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%zu", i ? "," : "", order[i]);
	fputs("], \"borders\": \"", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%d", (int)borders[i]);
	fputs("\"}", out);
}

static int compare_members(const void *a, const void *b, void *members)
{
	const unsigned *numbers = members;
	unsigned left = numbers[*(const size_t *)a];
	unsigned right = numbers[*(const size_t *)b];

	return (left > right) - (left < right);
}

static void tell_numbers(const struct telling *telling)
{
	const struct cpu_list *members = result_members(telling->result);
	struct arena *arena = telling->page->arena;
	size_t *order = arena_take(arena, members->n, sizeof(*order));

	for (size_t i = 0; i < members->n; i++)
		order[i] = i;
	qsort_r(order, members->n, sizeof(*order), compare_members,
		members->cpus);
	put_order(telling->page->data, "number", order,
		arena_take(arena, members->n, sizeof(enum plot_border)),
		members->n);
}

/* By the topology inside the record, where there is one. */
static void tell_topology(const struct telling *telling)
{
	const struct cpu_list *members = result_members(telling->result);
	struct plot_options options = *telling->page->options;
	struct plot_view view;
	size_t *order;

	options.order = PLOT_ORDER_TOPOLOGY;
	options.statistic = NULL;
	if (!telling->machine ||
		plot_view_init(&view, telling->result, &options, NULL) < 0)
		return;
	order = arena_take(telling->page->arena, members->n, sizeof(*order));
	for (size_t i = 0; i < members->n; i++)
		order[i] = (size_t)cpu_list_find(
			members, view.result.cpus.cpus[i]);
	fputs(",\n", telling->page->data);
	put_order(telling->page->data, "topology", order, view.borders,
		members->n);
	plot_view_release(&view);
}

/* By the groups that were found. */
static void tell_grouping(const struct telling *telling)
{
	const struct analysis *analysis = telling->analysis;
	const struct cpu_list *members = result_members(telling->result);
	struct arena *arena = telling->page->arena;
	enum plot_border *borders;
	size_t *order;

	if (!analysis || analysis->n_levels == 0 ||
		analysis->cpus.n != members->n)
		return;
	borders = arena_take(arena, members->n, sizeof(*borders));
	order = analysis_order(analysis, arena);
	analyze_borders(analysis, order, borders);
	/* The analysis may have the CPUs in another order. */
	for (size_t i = 0; i < members->n; i++)
		order[i] = (size_t)cpu_list_find(
			members, analysis->cpus.cpus[order[i]]);
	fputs(",\n", telling->page->data);
	put_order(telling->page->data, "groups", order, borders, members->n);
}

/* The groups of each level, by the place of each member. */
static void tell_levels(const struct telling *telling)
{
	const struct analysis *analysis = telling->analysis;
	const struct cpu_list *members = result_members(telling->result);
	FILE *out = telling->page->data;

	fputs("],\n\"levels\": [", out);
	for (size_t k = 0; analysis && k < analysis->n_levels; k++) {
		page_text(telling->page, k ? ",\n{\"name\"" : "\n{\"name\"",
			analyze_name_level(analysis, k, telling->page->arena));
		fputs(", \"group\": [", out);
		for (size_t i = 0; i < members->n; i++) {
			long at = cpu_list_find(
				&analysis->cpus, members->cpus[i]);

			fprintf(out, "%s%ld", i ? "," : "",
				at < 0 ? -1L - (long)i
				       : (long)analysis->levels[k].group[at]);
		}
		fputs("]}", out);
	}
	putc(']', out);
}

/* The whole run, or one epoch of it. */
static int tell_phase(const struct telling *telling, const char *id,
	const char *name, struct error *err)
{
	struct page *page = telling->page;
	int rc;

	page_text(page, "{\"record\"", id);
	page_text(page, ", \"name\"", name);
	if (telling->epoch)
		fprintf(page->data, ", \"passes\": %zu",
			telling->epoch->last - telling->epoch->first + 1);
	fputs(",\n", page->data);
	rc = tell_matrices(telling, err);
	fputs(",\n\"orders\": [", page->data);
	tell_numbers(telling);
	tell_topology(telling);
	tell_grouping(telling);
	tell_levels(telling);
	putc('}', page->data);
	return rc < 0 ? rc
		      : page_embed(page, id, telling->result,
				telling->epoch ? NULL : telling->input->path,
				err);
}

/* Each epoch, if CPUs moved, as if it had been measured alone. */
static int tell_epochs(
	const struct telling *telling, const char *id, struct error *err)
{
	const struct analysis *analysis = telling->analysis;
	const struct matrix *first =
		result_find_matrix(telling->result, NULL, NULL);
	const struct passes *passes;
	int rc = 0;

	if (!analysis || analysis->n_epochs < 2 || !first)
		return 0;
	passes = result_find_passes(telling->result, first->name);
	for (size_t k = 0; rc == 0 && passes && k < analysis->n_epochs; k++) {
		struct telling epoch = *telling;
		struct result numbers;

		rc = epoch_result(telling->result, passes, &analysis->epochs[k],
			&numbers, err);
		if (rc < 0)
			break;
		epoch.result = &numbers;
		epoch.epoch = &analysis->epochs[k];
		epoch.analysis = analysis->epochs[k].found;
		fputs(",\n", telling->page->data);
		rc = tell_phase(&epoch,
			arena_format(telling->page->arena, "%s-epoch-%zu", id,
				k + 1),
			analyze_name_epoch(analysis, k, telling->page->arena),
			err);
		result_release(&numbers);
	}
	return rc;
}

/* How the topology sees every two CPUs: a digit for each pair. */
static void tell_distances(const struct telling *telling)
{
	const struct cpu_list *cpus = &telling->result->cpus;
	FILE *out = telling->page->data;

	fputs(",\n\"distances\": ", out);
	if (!telling->machine || result_is_of_nodes(telling->result)) {
		fputs("null", out);
		return;
	}
	fputs("{\"names\": [", out);
	for (int d = 0; d < DISTANCES; d++) {
		fputs(d ? ", " : "", out);
		text_quote(out, distance_names[d]);
	}
	fputs("], \"rows\": [", out);
	for (size_t i = 0; i < cpus->n; i++) {
		fputs(i ? ",\n\"" : "\n\"", out);
		for (size_t j = 0; j < cpus->n; j++)
			fprintf(out, "%d",
				i == j ? 0
				       : (int)distance_of_cpus(telling->machine,
						 cpus->cpus[i], cpus->cpus[j]));
		putc('"', out);
	}
	fputs("]}", out);
}

static void put_bool(FILE *out, const char *key, bool is)
{
	fprintf(out, ", \"%s\": %s", key, is ? "true" : "false");
}

/* A curve of a panel: its place in the record, and how it is drawn. */
static void put_curve(const struct telling *telling,
	const struct plot_view *view, const struct curve *curve)
{
	const struct result *result = telling->result;
	FILE *out = telling->page->data;
	char name[CURVE_NAME_BYTES];
	size_t at = 0;

	/* The curves of a view borrow the values of the record's. */
	while (at + 1 < result->n_curves && result->curves[at].x != curve->x)
		at++;
	fprintf(out, "{\"at\": %zu", at);
	page_text(telling->page, ", \"name\"", curve_name(curve, name));
	put_bool(out, "behind",
		curve_is_behind_mean(
			curve, view->result.curves, view->result.n_curves));
	putc('}', out);
}

/* Where each cache ends that these curves go through, as in a picture. */
static void put_ends(const struct telling *telling, const struct curve *first)
{
	const struct result *result = telling->result;
	FILE *out = telling->page->data;

	fputs(",\n\"ends\": [", out);
	for (size_t i = 0;
		first->is.x_axis == CURVE_SETS && i < result->n_caches; i++) {
		const struct cache_level *level = &result->caches[i];
		unsigned times = cache_level_times(level, &first->cpus);

		page_text(telling->page, i ? ",\n{\"name\"" : "{\"name\"",
			level->name);
		put_number(out, "least", level->least_bytes * times);
		put_number(out, "most", level->most_bytes * times);
		put_number(out, "told", level->told_bytes * times);
		put_bool(out, "memory", level->memory);
		putc('}', out);
	}
	putc(']', out);
}

static void tell_panel(const struct telling *telling, struct plot_view *view,
	const struct plot_panel *panel)
{
	const struct curve *first = panel->curves;
	FILE *out = telling->page->data;
	char title[CURVE_TITLE_BYTES];
	bool detail = true;

	for (size_t i = 0; i < panel->n; i++)
		detail &= panel->curves[i].is.place == CURVE_DETAIL;
	page_text(telling->page, "{\"title\"", curve_title(first, title));
	page_text(telling->page, ", \"x\"", plot_x_title(view, first));
	page_text(telling->page, ", \"y\"",
		first->is.y_name ? first->is.y_name : first->is.family);
	page_text(telling->page, ", \"unit\"", first->is.y_unit);
	put_bool(out, "bytes", curve_axis_is_bytes(first->is.x_axis));
	put_bool(out, "ratios",
		first->is.y_axis == CURVE_RATIOS ||
			first->is.y_axis == CURVE_COUNTS);
	put_bool(out, "table", panel->n > 0 && first->is.drawn != CURVE_LINE);
	fprintf(out, ", \"columns\": %d",
		first->is.drawn == CURVE_GRID ? CURVE_GRID_COLUMNS : 0);
	put_bool(out, "higher", curve_higher_is_better(&first->is));
	put_bool(out, "detail", detail);
	put_ends(telling, first);
	fputs(",\n\"curves\": [", out);
	for (size_t i = 0; i < panel->n; i++) {
		fputs(i ? ",\n" : "", out);
		put_curve(telling, view, &panel->curves[i]);
	}
	fputs("]}", out);
}

static void tell_curves(const struct telling *telling)
{
	struct plot_options options = *telling->page->options;
	FILE *out = telling->page->data;
	struct plot_view view;

	fputs(",\n\"panels\": [", out);
	options.series = true;
	options.name = NULL;
	options.statistic = NULL;
	options.order = PLOT_ORDER_OS;
	options.main = false;
	if (!telling->page->options->name && telling->result->n_curves > 0 &&
		plot_view_init(&view, telling->result, &options, NULL) == 0) {
		for (size_t i = 0; i < view.n_panels; i++) {
			fputs(i ? ",\n" : "\n", out);
			tell_panel(telling, &view, &view.panels[i]);
		}
		plot_view_release(&view);
	}
	putc(']', out);
}

/* What the commands that measured it print, where that is not a picture. */
static void tell_tables(
	struct prose *prose, const struct result *result, struct arena *arena)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		arena_fail(arena);
	if (result->n_caches > 0)
		cache_report(out, result);
	else if (result_is_of_nodes(result))
		numa_report(out, result);
	else
		summary_of_record(out, result);
	if (fclose(out) != 0) {
		free(text);
		arena_fail(arena);
	}
	prose_block(prose, arena_adopt(arena, text));
}

/* Who made the record, and what speaks against it. */
static int tell_captions(const struct telling *telling, struct error *err)
{
	struct page *page = telling->page;
	const struct result *result = telling->result;
	struct plot_options options = *page->options;
	struct plot_view view;
	struct sentences doubts = {page->data, false};
	const char *machine;
	int rc;

	/* The groups are an order of the main record alone. */
	options.order = PLOT_ORDER_OS;
	rc = plot_view_init(&view, result, &options, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", telling->input->name);
		return rc;
	}
	machine = options.title && page->n == 1 ? options.title
						: plot_caption_machine(&view);
	page_text(page, ", \"machine\"", *machine ? machine : NULL);
	page_text(page, ",\n\"method\"", plot_caption_method(&view));
	fputs(",\n\"doubts\": [", page->data);
	if (result->run.n_warnings == 0 && plot_caption_doubts(&view))
		put_sentence(&doubts, plot_caption_doubts(&view));
	run_doubts(result, &options, put_sentence, &doubts);
	if (!result->complete)
		put_sentence(
			&doubts, "this run was ended before it was complete");
	putc(']', page->data);
	page_text(page, ",\n\"interval\"",
		result->run.interval &&
				strcmp(result->run.interval, "range") == 0
			? "range of the runs"
			: "95 % interval");
	if (view.result.n_matrices > 0) {
		page_text(page, ",\n\"row\"", plot_role(&view, false));
		page_text(page, ", \"column\"", plot_role(&view, true));
		page_text(page, ", \"matrix\"", view.result.matrices->name);
		page_text(page, ", \"statistic\"",
			view.result.matrices->statistic);
	}
	plot_view_release(&view);
	return 0;
}

static void tell_members(const struct telling *telling)
{
	const struct cpu_list *members = result_members(telling->result);
	FILE *out = telling->page->data;

	page_text(telling->page, ",\n\"member\"",
		result_member_word(telling->result));
	fputs(", \"members\": [", out);
	for (size_t i = 0; i < members->n; i++)
		fprintf(out, "%s%u", i ? "," : "", members->cpus[i]);
	putc(']', out);
}

/*
 * Only curves, because the options or the record say so: a single cell, of a
 * machine with one node, says less than they do.
 */
static bool shows_curves(const struct telling *telling)
{
	const struct plot_options *options = telling->page->options;
	const struct result *result = telling->result;
	bool small = result_members(result)->n == 1 && result->n_curves > 0;

	return options->series || options->test || options->group ||
	       result->n_matrices == 0 || (small && !options->name);
}

static int tell(const struct telling *telling, const char *id,
	const struct page_groups *groups, struct error *err)
{
	struct page *page = telling->page;
	struct prose prose = {.out = page->data, .pieces = true};
	int rc;

	page_text(page, "{\"file\"", telling->input->name);
	page_text(page, ", \"record\"", id);
	rc = tell_captions(telling, err);
	if (rc < 0)
		return rc;
	tell_members(telling);
	fputs(",\n\"words\": [", page->data);
	tell_tables(&prose, telling->result, page->arena);
	if (text_same(telling->result->command, "contend"))
		contend_tell(&prose, telling->result, page->arena);
	if (groups) {
		fputs(prose.any ? ",\n" : "", page->data);
		page_tell_groups(page, groups);
	}
	fputs("],\n\"phases\": [", page->data);
	if (shows_curves(telling)) {
		rc = page_embed(
			page, id, telling->result, telling->input->path, err);
	} else {
		rc = tell_phase(telling, id,
			run_epochs(&telling->result->run) ? "the longest epoch"
							  : "the whole run",
			err);
		if (rc == 0)
			rc = tell_epochs(telling, id, err);
	}
	putc(']', page->data);
	tell_distances(telling);
	tell_curves(telling);
	putc('}', page->data);
	return rc;
}

int page_tell_record(
	struct page *page, size_t i, bool groups_told, struct error *err)
{
	const struct page_input *input = &page->inputs[i];
	const struct result *result = input->result;
	struct telling telling = {
		.page = page, .input = input, .result = result};
	struct page_groups groups = {.found = false};
	struct machine *machine = NULL;
	int rc = page_go_on(page, err);

	if (rc < 0)
		return rc;
	if (page_has_groups(result)) {
		page_groups_init(page, input, 1, &groups);
		if (groups.found)
			telling.analysis = &groups.analysis;
	}
	/* Of a bad topology the groups say what is wrong with it. */
	if (result->hwloc_xml && !result_is_of_units(result) &&
		topology_inside(result, input->name, &machine, NULL) == 0)
		telling.machine = machine;
	rc = tell(&telling, arena_format(page->arena, "record-%zu", i),
		page_has_groups(result) && !groups_told ? &groups : NULL, err);
	page_groups_release(&groups);
	machine_free(machine);
	return rc;
}
