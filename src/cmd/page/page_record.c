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
struct record_writer {
	struct html_page *page;
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
struct sentence_list {
	FILE *out;
	bool any;
};

static void put_sentence(void *context, const char *text)
{
	struct sentence_list *list = context;

	fputs(list->any ? ", " : "", list->out);
	text_quote(list->out, text);
	list->any = true;
}

/* The view of a matrix: those it shares its scale with, or only this. */
static int make_matrix_view(const struct record_writer *writer,
	const struct matrix *matrix, bool alone, struct plot_view *view,
	struct error *err)
{
	struct plot_options options = *writer->page->options;

	options.name = alone ? matrix->name : writer->page->options->name;
	options.statistic = matrix->statistic;
	options.order = PLOT_ORDER_OS;
	return plot_view_init(view, writer->result, &options, err);
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
static int write_matrix_object(
	const struct record_writer *writer, size_t i, struct error *err)
{
	const struct matrix *matrix = &writer->result->matrices[i];
	struct html_page *page = writer->page;
	struct plot_view alone, shared;
	struct plot_scale scale;
	struct plot_view *scaled = &alone;
	bool shares;
	char name[PLOT_MATRIX_BYTES];
	int rc = page_check_stop(page, err);

	if (rc < 0)
		return rc;
	rc = make_matrix_view(writer, matrix, true, &alone, err);
	if (rc < 0)
		return rc;
	/* The first name may lack the statistic. */
	shares = result_find_matrix(
		writer->result, page->options->name, matrix->statistic);
	if (shares)
		rc = make_matrix_view(writer, matrix, false, &shared, err);
	if (rc < 0) {
		plot_view_release(&alone);
		return rc;
	}
	if (shares && has_matrix(&shared, matrix))
		scaled = &shared;
	plot_scale_init(&scale, &scaled->result, scaled->noise, page->options,
		page->arena);
	fprintf(page->data, "{\"at\": %zu", i);
	page_put_text(page, ", \"name\"", plot_matrix_name(matrix, name));
	page_put_text(page, ", \"bar\"", plot_caption_bar(&alone));
	page_put_text(page, ", \"direction\"", plot_direction(matrix));
	page_put_text(page, ", \"note\"",
		plot_scale_note(&scale, matrix->unit, page->arena));
	page_put_text(page, ", \"doubt\"",
		plot_scale_doubt(&scale, matrix->unit, page->arena));
	put_scale(page->data, &scale);
	putc('}', page->data);
	if (shares)
		plot_view_release(&shared);
	plot_view_release(&alone);
	return 0;
}

static int write_matrix_list(
	const struct record_writer *writer, struct error *err)
{
	const struct result *result = writer->result;
	const char *name = writer->page->options->name;
	FILE *out = writer->page->data;
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
		rc = write_matrix_object(writer, i, err);
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

static void write_number_order(const struct record_writer *writer)
{
	const struct cpu_list *members = result_members(writer->result);
	struct arena *arena = writer->page->arena;
	size_t *order = arena_alloc(arena, members->n, sizeof(*order));

	for (size_t i = 0; i < members->n; i++)
		order[i] = i;
	qsort_r(order, members->n, sizeof(*order), compare_members,
		members->cpus);
	put_order(writer->page->data, "number", order,
		arena_alloc(arena, members->n, sizeof(enum plot_border)),
		members->n);
}

/* By the topology inside the record, where there is one. */
static void write_topology_order(const struct record_writer *writer)
{
	const struct cpu_list *members = result_members(writer->result);
	struct plot_options options = *writer->page->options;
	struct plot_view view;
	size_t *order;

	options.order = PLOT_ORDER_TOPOLOGY;
	options.statistic = NULL;
	if (!writer->machine ||
		plot_view_init(&view, writer->result, &options, NULL) < 0)
		return;
	order = arena_alloc(writer->page->arena, members->n, sizeof(*order));
	for (size_t i = 0; i < members->n; i++)
		order[i] = (size_t)cpu_list_find(
			members, view.result.cpus.cpus[i]);
	fputs(",\n", writer->page->data);
	put_order(writer->page->data, "topology", order, view.borders,
		members->n);
	plot_view_release(&view);
}

/* By the groups that were found. */
static void write_group_order(const struct record_writer *writer)
{
	const struct analysis *analysis = writer->analysis;
	const struct cpu_list *members = result_members(writer->result);
	struct arena *arena = writer->page->arena;
	enum plot_border *borders;
	size_t *order;

	if (!analysis || analysis->n_levels == 0 ||
		analysis->cpus.n != members->n)
		return;
	borders = arena_alloc(arena, members->n, sizeof(*borders));
	order = analysis_cpu_order(analysis, arena);
	analyze_set_borders(analysis, order, borders);
	/* The analysis may have the CPUs in another order. */
	for (size_t i = 0; i < members->n; i++)
		order[i] = (size_t)cpu_list_find(
			members, analysis->cpus.cpus[order[i]]);
	fputs(",\n", writer->page->data);
	put_order(writer->page->data, "groups", order, borders, members->n);
}

/* The groups of each level, by the place of each member. */
static void write_level_groups(const struct record_writer *writer)
{
	const struct analysis *analysis = writer->analysis;
	const struct cpu_list *members = result_members(writer->result);
	FILE *out = writer->page->data;

	fputs("],\n\"levels\": [", out);
	for (size_t k = 0; analysis && k < analysis->n_levels; k++) {
		page_put_text(writer->page, k ? ",\n{\"name\"" : "\n{\"name\"",
			analyze_name_level(analysis, k, writer->page->arena));
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
static int write_phase_object(const struct record_writer *writer,
	const char *id, const char *name, struct error *err)
{
	struct html_page *page = writer->page;
	int rc;

	page_put_text(page, "{\"record\"", id);
	page_put_text(page, ", \"name\"", name);
	if (writer->epoch)
		fprintf(page->data, ", \"passes\": %zu",
			writer->epoch->n_passes);
	fputs(",\n", page->data);
	rc = write_matrix_list(writer, err);
	fputs(",\n\"orders\": [", page->data);
	write_number_order(writer);
	write_topology_order(writer);
	write_group_order(writer);
	write_level_groups(writer);
	putc('}', page->data);
	return rc < 0 ? rc
		      : page_embed(page, id, writer->result,
				writer->epoch ? NULL : writer->input->path,
				err);
}

/* Each epoch, if CPUs moved, as if it had been measured alone. */
static int write_epoch_phases(
	const struct record_writer *writer, const char *id, struct error *err)
{
	const struct analysis *analysis = writer->analysis;
	const struct matrix *first =
		result_find_matrix(writer->result, NULL, NULL);
	const struct passes *passes;
	int rc = 0;

	if (!analysis || analysis->n_epochs < 2 || !first)
		return 0;
	passes = result_find_passes(writer->result, first->name);
	for (size_t k = 0; rc == 0 && passes && k < analysis->n_epochs; k++) {
		struct record_writer epoch = *writer;
		struct result numbers;

		rc = epoch_result(writer->result, passes, &analysis->epochs[k],
			&numbers, err);
		if (rc < 0)
			break;
		epoch.result = &numbers;
		epoch.epoch = &analysis->epochs[k];
		epoch.analysis = analysis->epochs[k].found;
		fputs(",\n", writer->page->data);
		rc = write_phase_object(&epoch,
			arena_format(
				writer->page->arena, "%s-epoch-%zu", id, k + 1),
			analyze_name_epoch(analysis, k, writer->page->arena),
			err);
		result_release(&numbers);
	}
	return rc;
}

/* How the topology sees every two CPUs: a digit for each pair. */
static void write_cpu_distances(const struct record_writer *writer)
{
	const struct cpu_list *cpus = &writer->result->cpus;
	FILE *out = writer->page->data;

	fputs(",\n\"distances\": ", out);
	if (!writer->machine || result_is_of_nodes(writer->result)) {
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
				       : (int)distance_of_cpus(writer->machine,
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
static void put_curve(const struct record_writer *writer,
	const struct plot_view *view, const struct curve *curve)
{
	const struct result *result = writer->result;
	FILE *out = writer->page->data;
	char name[CURVE_NAME_BYTES];
	size_t at = 0;

	/* The curves of a view borrow the values of the record's. */
	while (at + 1 < result->n_curves && result->curves[at].x != curve->x)
		at++;
	fprintf(out, "{\"at\": %zu", at);
	page_put_text(writer->page, ", \"name\"", curve_name(curve, name));
	put_bool(out, "behind",
		curve_is_behind_mean(
			curve, view->result.curves, view->result.n_curves));
	putc('}', out);
}

/* Where each cache ends that these curves go through, as in a picture. */
static void put_cache_ends(
	const struct record_writer *writer, const struct curve *first)
{
	const struct result *result = writer->result;
	FILE *out = writer->page->data;

	fputs(",\n\"ends\": [", out);
	for (size_t i = 0;
		first->facts.x_axis == CURVE_SETS && i < result->n_caches;
		i++) {
		const struct cache_level *level = &result->caches[i];
		unsigned times = cache_level_times(level, &first->cpus);

		page_put_text(writer->page, i ? ",\n{\"name\"" : "{\"name\"",
			level->name);
		put_number(out, "least", level->least_bytes * times);
		put_number(out, "most", level->most_bytes * times);
		put_number(out, "reported", level->reported_bytes * times);
		put_bool(out, "memory", level->memory);
		putc('}', out);
	}
	putc(']', out);
}

static void write_panel_object(const struct record_writer *writer,
	struct plot_view *view, const struct plot_panel *panel)
{
	const struct curve *first = panel->curves;
	FILE *out = writer->page->data;
	char title[CURVE_TITLE_BYTES];
	bool detail = true;

	for (size_t i = 0; i < panel->n; i++)
		detail &= panel->curves[i].facts.place == CURVE_DETAIL;
	page_put_text(writer->page, "{\"title\"", curve_title(first, title));
	page_put_text(writer->page, ", \"x\"", plot_x_title(view, first));
	page_put_text(writer->page, ", \"y\"",
		first->facts.y_name ? first->facts.y_name
				    : first->facts.family);
	page_put_text(writer->page, ", \"unit\"", first->facts.y_unit);
	put_bool(out, "bytes", curve_axis_is_bytes(first->facts.x_axis));
	put_bool(out, "ratios",
		first->facts.y_axis == CURVE_RATIOS ||
			first->facts.y_axis == CURVE_COUNTS);
	put_bool(
		out, "table", panel->n > 0 && first->facts.drawn != CURVE_LINE);
	fprintf(out, ", \"columns\": %d",
		first->facts.drawn == CURVE_GRID ? CURVE_GRID_COLUMNS : 0);
	put_bool(out, "higher", curve_higher_is_better(&first->facts));
	put_bool(out, "detail", detail);
	put_cache_ends(writer, first);
	fputs(",\n\"curves\": [", out);
	for (size_t i = 0; i < panel->n; i++) {
		fputs(i ? ",\n" : "", out);
		put_curve(writer, view, &panel->curves[i]);
	}
	fputs("]}", out);
}

static void write_curve_panels(const struct record_writer *writer)
{
	struct plot_options options = *writer->page->options;
	FILE *out = writer->page->data;
	struct plot_view view;

	fputs(",\n\"panels\": [", out);
	options.series = true;
	options.name = NULL;
	options.statistic = NULL;
	options.order = PLOT_ORDER_OS;
	options.main = false;
	if (!writer->page->options->name && writer->result->n_curves > 0 &&
		plot_view_init(&view, writer->result, &options, NULL) == 0) {
		for (size_t i = 0; i < view.n_panels; i++) {
			fputs(i ? ",\n" : "\n", out);
			write_panel_object(writer, &view, &view.panels[i]);
		}
		plot_view_release(&view);
	}
	putc(']', out);
}

/* What the commands that measured it print, where that is not a picture. */
static void write_result_tables(
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
		cl_summary_print_record(out, result);
	if (fclose(out) != 0) {
		free(text);
		arena_fail(arena);
	}
	prose_block(prose, arena_adopt(arena, text));
}

/* Who made the record, and what speaks against it. */
static int write_record_captions(
	const struct record_writer *writer, struct error *err)
{
	struct html_page *page = writer->page;
	const struct result *result = writer->result;
	struct plot_options options = *page->options;
	struct plot_view view;
	struct sentence_list doubts = {page->data, false};
	const char *machine;
	int rc;

	/* The groups are an order of the main record alone. */
	options.order = PLOT_ORDER_OS;
	rc = plot_view_init(&view, result, &options, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", writer->input->name);
		return rc;
	}
	machine = options.title && page->n == 1 ? options.title
						: plot_caption_machine(&view);
	page_put_text(page, ", \"machine\"", *machine ? machine : NULL);
	page_put_text(page, ",\n\"method\"", plot_caption_method(&view));
	fputs(",\n\"doubts\": [", page->data);
	if (result->run.n_warnings == 0 && plot_caption_doubts(&view))
		put_sentence(&doubts, plot_caption_doubts(&view));
	run_doubts_report(result, &options, put_sentence, &doubts);
	if (!result->complete)
		put_sentence(
			&doubts, "this run was ended before it was complete");
	putc(']', page->data);
	page_put_text(page, ",\n\"interval\"",
		result->run.interval &&
				strcmp(result->run.interval, "range") == 0
			? "range of the runs"
			: "95 % interval");
	if (view.result.n_matrices > 0) {
		page_put_text(page, ",\n\"row\"", plot_role(&view, false));
		page_put_text(page, ", \"column\"", plot_role(&view, true));
		page_put_text(page, ", \"matrix\"", view.result.matrices->name);
		page_put_text(page, ", \"statistic\"",
			view.result.matrices->statistic);
	}
	plot_view_release(&view);
	return 0;
}

static void write_record_members(const struct record_writer *writer)
{
	const struct cpu_list *members = result_members(writer->result);
	FILE *out = writer->page->data;

	page_put_text(writer->page, ",\n\"member\"",
		result_member_word(writer->result));
	fputs(", \"members\": [", out);
	for (size_t i = 0; i < members->n; i++)
		fprintf(out, "%s%u", i ? "," : "", members->cpus[i]);
	putc(']', out);
}

/*
 * Only curves, because the options or the record say so: a single cell, of a
 * machine with one node, says less than they do.
 */
static bool shows_curves(const struct record_writer *writer)
{
	const struct plot_options *options = writer->page->options;
	const struct result *result = writer->result;
	bool small = result_members(result)->n == 1 && result->n_curves > 0;

	return options->series || options->test || options->group ||
	       result->n_matrices == 0 || (small && !options->name);
}

static int write_record_object(const struct record_writer *writer,
	const char *id, const struct page_groups *groups, struct error *err)
{
	struct html_page *page = writer->page;
	struct prose prose = {
		.out = page->data, .arena = page->arena, .pieces = true};
	int rc;

	page_put_text(page, "{\"file\"", writer->input->name);
	page_put_text(page, ", \"record\"", id);
	rc = write_record_captions(writer, err);
	if (rc < 0)
		return rc;
	write_record_members(writer);
	fputs(",\n\"words\": [", page->data);
	write_result_tables(&prose, writer->result, page->arena);
	if (text_same(writer->result->command, "contend"))
		contend_print_prose(&prose, writer->result);
	if (groups) {
		fputs(prose.any ? ",\n" : "", page->data);
		page_write_groups(page, groups);
	}
	fputs("],\n\"phases\": [", page->data);
	if (shows_curves(writer)) {
		rc = page_embed(
			page, id, writer->result, writer->input->path, err);
	} else {
		rc = write_phase_object(writer, id,
			run_epochs(&writer->result->run) ? "the longest epoch"
							 : "the whole run",
			err);
		if (rc == 0)
			rc = write_epoch_phases(writer, id, err);
	}
	putc(']', page->data);
	write_cpu_distances(writer);
	write_curve_panels(writer);
	putc('}', page->data);
	return rc;
}

int page_write_record(struct html_page *page, size_t i, bool groups_written,
	struct error *err)
{
	const struct page_input *input = &page->inputs[i];
	const struct result *result = input->result;
	struct record_writer writer = {
		.page = page, .input = input, .result = result};
	struct page_groups groups = {.found = false};
	struct machine *machine = NULL;
	int rc = page_check_stop(page, err);

	if (rc < 0)
		return rc;
	if (page_has_groups(result)) {
		page_groups_init(page, input, 1, &groups);
		if (groups.found)
			writer.analysis = &groups.analysis;
	}
	/* Of a bad topology the groups say what is wrong with it. */
	if (result->hwloc_xml && !result_is_of_units(result) &&
		topology_load_embedded(result, input->name, &machine, NULL) ==
			0)
		writer.machine = machine;
	rc = write_record_object(&writer,
		arena_format(page->arena, "record-%zu", i),
		page_has_groups(result) && !groups_written ? &groups : NULL,
		err);
	page_groups_release(&groups);
	machine_free(machine);
	return rc;
}
