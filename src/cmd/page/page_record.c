/*
 * Write one record on a page: captions, doubts, words, and the layout of its
 * matrices and curves.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/epochs/epochs.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/cache/cache_report.h"
#include "cmd/cl/cl_summary.h"
#include "cmd/contend/cmd_contend.h"
#include "cmd/distance.h"
#include "cmd/latency/by_line.h"
#include "cmd/numa/cmd_numa.h"
#include "cmd/page/page_parts.h"
#include "cmd/prose.h"
#include "cmd/run_doubts.h"
#include "cmd/states/cmd_states.h"
#include "cmd/topology_option.h"
#include "figure/colour_scale.h"
#include "figure/view.h"
#include "record/pack.h"
#include "util/array.h"
#include "util/text.h"

/*
 * A record with more numbers is partial on the page: it has no download, and
 * only the packed statistics that the page shows first. A whole record of 1,024
 * CPUs would take more than 20 MB.
 */
#define MOST_NUMBERS (1 << 19)

/* Digits of the numbers of scales and caches. */
#define NUMBER_DIGITS 9

/* A writer of one record, or of one epoch of a record. */
struct record_writer {
	struct html_page *page;
	const struct page_input *input;
	const struct result *result;
	const struct analysis *analysis;    /* NULL: no groups */
	const struct machine *machine;	    /* from its topology, or NULL */
	const struct analysis_epoch *epoch; /* NULL: the whole run */
	bool partial;
};

/* A list of sentences that is being made. */
struct sentence_list {
	struct html_page *page;
	json_t *array;
};

static void put_sentence(void *context, const char *text)
{
	const struct sentence_list *list = context;

	page_append(list->page, list->array, "o", prose_pack(text));
}

static bool has_image(const struct plot_view *view, const struct matrix *matrix)
{
	for (size_t i = 0; i < view->n_images; i++) {
		if (text_same(view->images[i].matrix.name, matrix->name))
			return true;
	}
	return false;
}

/* Return a record's matrix that has the same scale as a matrix, or NULL. */
static const struct matrix *find_on_scale(const struct record_writer *writer,
	const struct matrix *matrix, const struct result *record)
{
	const struct matrix *same =
		result_find_matrix(record, matrix->name, matrix->statistic);

	return same && text_same(same->unit, matrix->unit) &&
			       text_same(same->quantity, matrix->quantity) &&
			       text_same(
				       record->command, writer->result->command)
		       ? same
		       : NULL;
}

/*
 * Return the record, and other records with the same matrix, so that a colour
 * means the same value on all sides. An epoch is alone.
 */
static struct plot_records records_on_scale(
	const struct record_writer *writer, const struct matrix *matrix)
{
	const struct html_page *page = writer->page;
	const struct plot_records *all = &page->all;
	struct result *results =
		arena_alloc(page->arena, all->n, sizeof(*results));
	size_t n = 1;

	results[0] = *writer->result;
	for (size_t i = 0; i < all->n && !writer->epoch; i++) {
		if (&page->inputs[i] != writer->input &&
			find_on_scale(writer, matrix, &all->results[i]))
			results[n++] = all->results[i];
	}
	/* The page shows no name of these records from this view. */
	return (struct plot_records){results, all->names, n};
}

/*
 * Make the view of a matrix with all that have its scale: those that the
 * picture of the record draws beside it, on all sides. If they have no common
 * scale, the matrix is alone.
 */
static int make_matrix_view(const struct record_writer *writer,
	const struct matrix *matrix, struct plot_view *view, struct error *err)
{
	struct plot_options options = *writer->page->options;
	struct plot_records records = records_on_scale(writer, matrix);
	int rc = 0;

	options.statistic = matrix->statistic;
	options.order = PLOT_ORDER_OS;
	for (int i = 0; i < 3; i++) {
		if (i == 1)
			options.name = matrix->name;
		if (i == 2)
			records.n = 1;
		rc = plot_view_init(view, &records, &options, err);
		if (rc == 0 && has_image(view, matrix))
			return 0;
		if (rc == 0)
			plot_view_release(view);
	}
	return rc;
}

/* Return the sentences about the colours. */
static char *scale_notes(struct arena *arena, const struct plot_scale *scale,
	bool is_common, const char *unit)
{
	const char *note = plot_scale_note(scale, unit, arena);
	const char *doubt = plot_scale_doubt(scale, unit, arena);
	struct text_list notes = {0};

	if (is_common)
		text_list_add(&notes, " ",
			"This matrix has one scale in all records.");
	if (note)
		text_list_add(&notes, " ", "%s", note);
	if (doubt)
		text_list_add(&notes, " ", "%s", doubt);
	return arena_adopt(arena, text_list_end(&notes));
}

/* Find the scale of a matrix, which another record may have made. */
static int find_scale(const struct record_writer *writer,
	const struct matrix *matrix, struct page_scale *scale,
	struct error *err)
{
	struct html_page *page = writer->page;
	struct plot_view view;
	int rc;

	for (size_t i = 0; i < page->n_scales && !writer->epoch; i++) {
		*scale = page->scales[i];
		if (find_on_scale(writer, matrix, scale->record) ==
			scale->matrix)
			return 0;
	}
	rc = make_matrix_view(writer, matrix, &view, err);
	if (rc < 0)
		return rc;
	*scale =
		(struct page_scale){.record = writer->result, .matrix = matrix};
	plot_scale_init(&scale->colours, &view, page->options, page->arena);
	scale->notes = scale_notes(
		page->arena, &scale->colours, view.records.n > 1, matrix->unit);
	if (view.records.n > 1) {
		page->scales = arena_grow(page->arena, page->scales,
			page->n_scales, sizeof(*scale));
		page->scales[page->n_scales++] = *scale;
	}
	plot_view_release(&view);
	return 0;
}

static char *matrix_caption(
	const struct record_writer *writer, const struct matrix *matrix)
{
	const struct plot_source source = {.record = writer->result};
	struct plot_image image = {.matrix = *matrix, .source = &source};
	const struct plot_view view = {.images = &image, .n_images = 1};
	struct arena *arena = writer->page->arena;

	return arena_format(arena, "%s %s", plot_caption_bar(&view, arena),
		plot_direction(matrix));
}

/* Most parts of the colour bar between its ticks. */
#define BAR_PARTS 4

#define FEW_COUNTS 20

static void put_ticks(struct html_page *page, json_t *object,
	const struct plot_scale *scale, const char *unit)
{
	json_t *ticks = page_set(page, object, "ticks", "[]");
	double span = scale->high - scale->low;
	int decimals = plot_scale_bar_decimals(scale), parts = BAR_PARTS;
	char text[PLOT_NUMBER_BYTES];

	/* Rounding would move the ticks of few counts too far. */
	while (decimals < plot_decimals(span) && span < FEW_COUNTS &&
		fmod(span, parts) != 0)
		parts--;
	for (int k = 0; k <= parts && scale->n_values > 0; k++) {
		bool last = k == parts;

		plot_format_fixed(
			text, scale->low + span * k / parts, decimals);
		page_append(page, ticks, "o",
			pack_shown_text(arena_format(page->arena, "%s%s%s%s",
				k == 0 && scale->below ? "≤ "
				: last && scale->above ? "≥ "
						       : "",
				text, last ? " " : "", last ? unit : "")));
	}
}

/* Write how one matrix is drawn, and its values. */
static int write_matrix_object(const struct record_writer *writer,
	const struct matrix *matrix, json_t *list, struct error *err)
{
	struct html_page *page = writer->page;
	struct page_scale scale = {.notes = NULL};
	const struct plot_scale *colours = &scale.colours;
	char name[PLOT_MATRIX_BYTES];
	json_t *object, *packed;
	int rc = page_check_stop(page, err);

	if (rc == 0)
		rc = find_scale(writer, matrix, &scale, err);
	if (rc < 0)
		return rc;
	object = page_append(page, list,
		"{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:i}", "name",
		pack_shown_text(plot_matrix_name(matrix, name)), "caption",
		pack_shown_text(matrix_caption(writer, matrix)), "low",
		pack_rounded(colours->low, NUMBER_DIGITS), "high",
		pack_rounded(colours->high, NUMBER_DIGITS), "notes",
		pack_shown_text(scale.notes), "reversed", colours->reversed,
		"flat", colours->flat, "decimals",
		plot_scale_decimals(colours));
	put_ticks(page, object, colours, matrix->unit);
	packed = page_set(page, object, "matrix", "{s:s, s:s, s:o, s:b}",
		"name", matrix->name, "statistic", matrix->statistic, "unit",
		pack_shown_text(matrix->unit), "symmetric", matrix->symmetric);
	page_put_cells(page, packed, matrix,
		result_find_matrix(writer->result, matrix->name, "median"));
	return 0;
}

/* Whether a matrix is on the page. */
static bool is_matrix_written(
	const struct record_writer *writer, const struct matrix *matrix)
{
	static const char *const statistics[] = {
		"median", "ci_low", "ci_high", "passes"};
	const struct result *result = writer->result;
	const char *name = writer->page->options->name;
	bool written = !writer->partial ||
		       text_same(matrix->statistic,
			       writer->page->options->statistic) ||
		       !result_find_matrix(result, matrix->name, "median");

	for (size_t i = 0; i < N_OF(statistics); i++)
		written |= strcmp(matrix->statistic, statistics[i]) == 0;
	/* Whether a matrix is the first of its name that has the statistic. */
	return written && (!name || strcmp(name, matrix->name) == 0) &&
	       matrix == result_find_matrix(
				 result, matrix->name, matrix->statistic);
}

static int write_matrix_list(
	const struct record_writer *writer, json_t *list, struct error *err)
{
	const struct result *result = writer->result;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		if (is_matrix_written(writer, matrix))
			rc = write_matrix_object(writer, matrix, list, err);
	}
	return rc;
}

/* Write an order of the members: their indices, and the line before each. */
static void put_order(const struct record_writer *writer, json_t *orders,
	const char *name, const char *title, const struct cpu_list *order,
	const enum plot_border *borders)
{
	struct html_page *page = writer->page;
	json_t *object = page_append(
		page, orders, "{s:s, s:s}", "name", name, "title", title);
	json_t *places = page_set(page, object, "places", "[]");
	char *digits = arena_alloc(page->arena, order->n + 1, 1);

	for (size_t i = 0; i < order->n; i++) {
		page_append(page, places, "I",
			(json_int_t)cpu_list_find(
				result_members(writer->result),
				order->cpus[i]));
		digits[i] = (char)('0' + borders[i]);
	}
	page_set(page, object, "borders", "s", digits);
}

static void write_number_order(
	const struct record_writer *writer, json_t *orders)
{
	const struct cpu_list *members = result_members(writer->result);
	struct arena *arena = writer->page->arena;
	struct cpu_list sorted = {arena_copy(arena, members->cpus, members->n,
					  sizeof(*members->cpus)),
		members->n};

	cpu_list_sort(&sorted);
	put_order(writer, orders, "number",
		arena_format(
			arena, "%s number", result_member_word(writer->result)),
		&sorted,
		arena_alloc(arena, sorted.n, sizeof(enum plot_border)));
}

/* Write the order of the topology inside the record, if there is one. */
static void write_topology_order(
	const struct record_writer *writer, json_t *orders)
{
	struct plot_options options = *writer->page->options;
	struct plot_view view;

	options.order = PLOT_ORDER_TOPOLOGY;
	options.statistic = NULL;
	if (!writer->machine ||
		plot_view_init(
			&view, PLOT_RECORD(writer->result), &options, NULL) < 0)
		return;
	put_order(writer, orders, "topology", "topology", &view.images->cpus,
		view.images->borders);
	plot_view_release(&view);
}

/* Write the order of the groups that were found. */
static void write_group_order(
	const struct record_writer *writer, json_t *orders)
{
	const struct analysis *analysis = writer->analysis;
	struct plot_options options = {0};

	if (!analysis || analysis->n_levels == 0 ||
		analysis->cpus.n != result_members(writer->result)->n)
		return;
	analyze_order_drawing(analysis, &options, writer->page->arena);
	put_order(writer, orders, "groups", "measured groups", options.cpus,
		options.borders);
}

/* Append a level, and return the list for the group of each member. */
static json_t *add_level(
	struct html_page *page, json_t *levels, const char *name)
{
	json_t *level = page_append(
		page, levels, "{s:o}", "name", pack_shown_text(name));

	return page_set(page, level, "group", "[]");
}

/* Write the measured levels. */
static void write_level_groups(
	const struct record_writer *writer, json_t *levels)
{
	const struct analysis *analysis = writer->analysis;
	const struct cpu_list *members = result_members(writer->result);
	struct html_page *page = writer->page;

	for (size_t k = 0; analysis && k < analysis->n_levels; k++) {
		json_t *group = add_level(page, levels,
			analyze_name_level(analysis, k, page->arena));

		for (size_t i = 0; i < members->n; i++) {
			long at = cpu_list_find(
				&analysis->cpus, members->cpus[i]);

			page_append(page, group, "I",
				at < 0 ? -1 - (json_int_t)i
				       : (json_int_t)analysis->levels[k]
						 .group[at]);
		}
	}
}

/*
 * Find the group of each CPU, within an outer group: the first of its CPUs that
 * has this distance or a smaller one.
 */
static void group_by_distance(const struct record_writer *writer, int distance,
	const size_t *outer, size_t *groups)
{
	const struct cpu_list *cpus = &writer->result->cpus;

	for (size_t i = 0; i < cpus->n; i++) {
		size_t first = outer[i];

		while (first < i &&
			(outer[first] != outer[i] || groups[first] != first ||
				(int)distance_of_cpus(writer->machine,
					cpus->cpus[first],
					cpus->cpus[i]) > distance))
			first++;
		groups[i] = first;
	}
}

/*
 * Write the levels of the topology, the innermost first. Each distance includes
 * the nearer ones, so the groups of a distance divide those of the next one.
 */
static void write_topology_levels(
	const struct record_writer *writer, json_t *levels)
{
	size_t n = writer->result->cpus.n, *groups[DISTANCES + 1];
	struct html_page *page = writer->page;

	if (!writer->machine || result_is_of_nodes(writer->result))
		return;
	for (int d = DISTANCES; d >= 0; d--) {
		groups[d] = arena_alloc(page->arena, n, sizeof(size_t));
		if (d < DISTANCES)
			group_by_distance(writer, d, groups[d + 1], groups[d]);
	}
	for (int d = 0; d < DISTANCES; d++) {
		json_t *group = add_level(page, levels, distance_names[d]);

		for (size_t i = 0; i < n; i++)
			page_append(page, group, "I", (json_int_t)groups[d][i]);
	}
}

/* Embed the record, or what the page needs of a large one. */
static int embed_record(
	const struct record_writer *writer, const char *id, struct error *err)
{
	struct result part = *writer->result;

	if (!writer->partial)
		return page_embed(writer->page, id, writer->result,
			writer->input->path, err);
	part.n_matrices = part.n_kept = part.n_runs = 0;
	part.hwloc_xml = NULL;
	return page_embed(writer->page, id, &part, NULL, err);
}

/* Return the number of passes, for matrices that do not have it. */
static const char *phase_passes(const struct record_writer *writer)
{
	struct arena *arena = writer->page->arena;
	int64_t passes = writer->result->run.passes;

	if (writer->epoch)
		return arena_format(
			arena, "%zu in the epoch", writer->epoch->n_passes);
	return passes < 0 ? "unknown"
			  : arena_format(arena, "%lld", (long long)passes);
}

/* Write the whole run, or one epoch of it. */
static int write_phase_object(const struct record_writer *writer,
	json_t *phases, const char *name, struct error *err)
{
	struct html_page *page = writer->page;
	json_t *phase = page_append(page, phases, "{s:s}", "name", name);
	json_t *orders;
	int rc;

	page_set(page, phase, "passes", "s", phase_passes(writer));
	rc = write_matrix_list(
		writer, page_set(page, phase, "matrices", "[]"), err);
	orders = page_set(page, phase, "orders", "[]");
	write_number_order(writer, orders);
	write_topology_order(writer, orders);
	write_group_order(writer, orders);
	write_level_groups(writer, page_set(page, phase, "levels", "[]"));
	return rc;
}

/* If CPUs moved, write each epoch as if it had been measured separately. */
static int write_epoch_phases(
	const struct record_writer *writer, json_t *phases, struct error *err)
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
		rc = write_phase_object(&epoch, phases,
			analyze_name_epoch(analysis, k, writer->page->arena),
			err);
		result_release(&numbers);
	}
	return rc;
}

/* Write the curves of a panel: their indices in the record, and their names. */
static void put_panel_curves(const struct record_writer *writer, json_t *curves,
	const struct plot_panel *panel)
{
	const struct result *result = writer->result;

	for (size_t i = 0; i < panel->n; i++) {
		const struct curve *curve = &panel->curves[i];
		char name[CURVE_NAME_BYTES], text[PLOT_NUMBER_BYTES];
		json_t *object, *x;
		size_t at = 0;

		while (at + 1 < result->n_curves &&
			result->curves[at].x != curve->x)
			at++;
		object = page_append(writer->page, curves, "{s:I, s:o}", "at",
			(json_int_t)at, "name",
			pack_shown_text(curve_name(curve, name)));
		x = page_set(writer->page, object, "x", "[]");
		for (size_t k = 0; k < curve->n; k++)
			page_append(writer->page, x, "o",
				pack_shown_text(
					plot_x_text(panel, curve->x[k], text)));
	}
}

static void write_panel_object(const struct record_writer *writer,
	json_t *panels, struct plot_view *view, const struct plot_panel *panel)
{
	const struct curve *first = panel->curves;
	const struct curve_facts *facts = &first->facts;
	char title[CURVE_TITLE_BYTES];
	const char *x = plot_x_title(view, first);
	bool detail = true;
	json_t *object;

	for (size_t i = 0; i < panel->n; i++)
		detail &= panel->curves[i].place->page == CURVE_DETAIL;
	object = page_append(writer->page, panels,
		"{s:o, s:o, s:o, s:o, s:b, s:b}", "title",
		pack_shown_text(curve_title(first, title)), "x",
		pack_shown_text(x), "y",
		pack_shown_text(facts->y_name ? facts->y_name : facts->family),
		"unit", pack_shown_text(facts->y_unit), "table",
		first->place->drawn != CURVE_LINE, "detail", detail);
	put_panel_curves(
		writer, page_set(writer->page, object, "curves", "[]"), panel);
}

/*
 * Write the panels: their words, and their pictures into a template, from which
 * the script copies them.
 */
static int write_curve_panels(const struct record_writer *writer,
	const char *id, json_t *panels, struct error *err)
{
	struct plot_options options = *writer->page->options;
	FILE *out = writer->page->records;
	struct plot_view view;
	int rc = 0;

	options.series = true;
	options.name = NULL;
	options.statistic = NULL;
	options.order = PLOT_ORDER_OS;
	options.main = false;
	if (writer->page->options->name || writer->result->n_curves == 0 ||
		plot_view_init(
			&view, PLOT_RECORD(writer->result), &options, NULL) < 0)
		return 0;
	fprintf(out, "<template id=\"%s-panels\">\n", id);
	for (size_t i = 0; rc == 0 && i < view.n_panels; i++) {
		write_panel_object(writer, panels, &view, &view.panels[i]);
		rc = plot_write_panel(
			&view, &view.panels[i], &options, out, err);
		if (rc == 0)
			rc = page_check_stop(writer->page, err);
	}
	fputs("</template>\n", out);
	plot_view_release(&view);
	return rc;
}

/* Write the tables of the measuring commands that have no picture. */
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
		/* With fewer CPUs than are online, the user chose them. */
		cl_summary_print(out, result,
			(double)result->cpus.n <
				facts_number(&result->machine, "cpus_online"));
	if (fclose(out) != 0) {
		free(text);
		arena_fail(arena);
	}
	prose_block(prose, arena_adopt(arena, text));
}

/* Write the origin of the record, and its doubts. */
static int write_record_captions(
	const struct record_writer *writer, json_t *record, struct error *err)
{
	struct html_page *page = writer->page;
	const struct result *result = writer->result;
	struct plot_options options = *page->options;
	struct plot_view view;
	struct sentence_list doubts = {page, NULL};
	const char *machine;
	int rc;

	/* Only the main record of a page has an order by groups. */
	options.order = PLOT_ORDER_OS;
	rc = plot_view_init(&view, PLOT_RECORD(result), &options, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", writer->input->name);
		return rc;
	}
	machine = options.title && page->n == 1 ? options.title
						: plot_caption_machine(&view);
	page_set(page, record, "machine", "o",
		pack_shown_text(*machine ? machine : NULL));
	page_set(page, record, "method", "o",
		pack_shown_text(plot_caption_method(&view)));
	doubts.array = page_set(page, record, "doubts", "[]");
	if (result->run.n_warnings == 0 && plot_caption_doubts(&view))
		put_sentence(&doubts, plot_caption_doubts(&view));
	run_doubts_report(result, &options, put_sentence, &doubts);
	if (!result->complete)
		put_sentence(
			&doubts, "this run was stopped before it was complete");
	page_set(page, record, "interval", "s",
		text_same(result->run.interval, "range") ? "range of the runs"
							 : "95 % interval");
	if (view.n_images > 0) {
		const struct matrix *first = &view.images->matrix;

		page_set(page, record, "row", "s",
			plot_role(view.images, false));
		page_set(page, record, "column", "s",
			plot_role(view.images, true));
		page_set(page, record, "matrix", "o",
			pack_shown_text(first->name));
		page_set(page, record, "statistic", "o",
			pack_shown_text(first->statistic));
	}
	plot_view_release(&view);
	return 0;
}

static int write_record_object(const struct record_writer *writer,
	json_t *record, const char *id, const struct record_groups *groups,
	struct error *err)
{
	struct html_page *page = writer->page;
	struct prose prose = {.arena = page->arena};
	json_t *phases;
	int rc;

	page_set(page, record, "file", "o",
		pack_shown_text(writer->input->name));
	page_set(page, record, "record", "s", id);
	page_set(page, record, "partial", "b", writer->partial);
	rc = write_record_captions(writer, record, err);
	if (rc < 0)
		return rc;
	page_set(page, record, "member", "s",
		result_member_word(writer->result));
	page_set(page, record, "members", "o",
		format_pack_cpus(result_members(writer->result)));
	prose.pieces = page_set(page, record, "words", "[]");
	for (size_t i = 0; i < writer->input->n_sentences; i++)
		prose_add(
			&prose, PROSE_TEXT, "%s", writer->input->sentences[i]);
	if (writer->input->table)
		prose_block(&prose, writer->input->table);
	write_result_tables(&prose, writer->result, page->arena);
	if (text_same(writer->result->command, "contend"))
		contend_print_prose(&prose, writer->result);
	if (text_same(writer->result->command, "states"))
		states_print_prose(&prose, writer->result);
	if (writer->result->n_line_profiles > 0)
		by_line_print_prose(&prose, writer->result);
	if (prose.failed)
		arena_fail(page->arena);
	if (groups)
		page_write_groups(page, groups, prose.pieces);
	phases = page_set(page, record, "phases", "[]");
	rc = embed_record(writer, id, err);
	if (rc == 0 && plot_draws_matrices(writer->result, page->options)) {
		rc = write_phase_object(writer, phases,
			run_epochs(&writer->result->run) ? "the longest epoch"
							 : "the whole run",
			err);
		if (rc == 0)
			rc = write_epoch_phases(writer, phases, err);
	}
	write_topology_levels(writer, page_set(page, record, "topology", "[]"));
	if (rc == 0)
		rc = write_curve_panels(writer, id,
			page_set(page, record, "panels", "[]"), err);
	return rc;
}

/* Return the numbers of matrices and passes. */
static size_t count_numbers(const struct result *result)
{
	size_t n = 0;

	for (size_t i = 0; i < result->n_matrices; i++)
		n += result->matrices[i].n * result->matrices[i].n;
	for (size_t i = 0; i < result->n_kept; i++)
		n += result->kept[i].n_pairs * result->kept[i].n_passes;
	return n;
}

int page_write_record(struct html_page *page, json_t *records,
	const struct page_input *input, bool groups_written, struct error *err)
{
	const struct result *result = input->result;
	struct record_writer writer = {.page = page,
		.input = input,
		.result = result,
		.partial = count_numbers(result) > MOST_NUMBERS};
	struct record_groups groups = {.found = false};
	struct machine *machine = NULL;
	int rc = page_check_stop(page, err);

	if (rc < 0)
		return rc;
	if (page_has_groups(result)) {
		record_groups_init(input, 1, page->arena, &groups);
		if (groups.found)
			writer.analysis = &groups.analysis;
	}
	/* If the topology is wrong, the groups already show it. */
	if (result->hwloc_xml && !result_is_of_units(result) &&
		topology_load_embedded(result, input->name, &machine, NULL) ==
			0)
		writer.machine = machine;
	rc = write_record_object(&writer, page_append(page, records, "{}"),
		arena_format(page->arena, "record-%zu",
			(size_t)(input - page->inputs)),
		page_has_groups(result) && !groups_written ? &groups : NULL,
		err);
	record_groups_release(&groups);
	machine_free(machine);
	return rc;
}
