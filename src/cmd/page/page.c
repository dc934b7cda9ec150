/* See page.h. */
#include "cmd/page/page.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analyze/compare/compare.h"
#include "cmd/page/page_parts.h"
#include "cmd/page/report_css.h"
#include "cmd/page/report_css_sha256.h"
#include "cmd/page/report_js.h"
#include "cmd/page/report_js_sha256.h"
#include "cmd/report/report_answers.h"
#include "figure/palette.h"
#include "figure/view.h"
#include "record/pack.h"
#include "result/file.h"
#include "util/text.h"

/* Colours of the scale on a page; pictures have the same number. */
#define COLOURS 256

/*
 * The file is HTML and well-formed XML. The browser loads nothing, and runs
 * only the script with this hash. So no script runs even if a bug in c2c makes
 * one from text.
 */
static const char head[] =
	"<!DOCTYPE html>\n"
	"<html lang=\"en\">\n"
	"<head>\n"
	"<meta charset=\"utf-8\" />\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
	"'none'; style-src 'sha256-" REPORT_CSS_SHA256
	"'; script-src 'sha256-" REPORT_JS_SHA256
	"'; base-uri 'none'; form-action 'none'\" />\n"
	"<meta name=\"viewport\" content=\"width=device-width, "
	"initial-scale=1\" />\n"
	"<meta name=\"referrer\" content=\"no-referrer\" />\n"
	"<title>c2c report</title>\n<style>";

static const char body[] =
	"</style>\n</head>\n<body>\n<main id=\"page\"></main>\n"
	"<noscript><p>This page draws the records that it holds with a script "
	"of its own, and loads nothing. Allow JavaScript to see it.</p>"
	"</noscript>\n";

static const char script_begin[] = "<script>";
static const char script_end[] = "</script>\n</body>\n</html>\n";

bool page_has_extension(const char *path)
{
	const char *dot = strrchr(file_base(path), '.');

	return dot && strcasecmp(dot, ".html") == 0;
}

/*
 * Return the escape of a character that could end a script element or begin
 * another, in HTML or XML; JSON has these characters only in strings. Four
 * characters have three bytes: two end a line in older JavaScript, and XML
 * forbids two.
 */
static const char *escape_of(const char *at, size_t left, size_t *used)
{
	static const char *const escapes[][2] = {
		{"<", "\\u003c"},
		{">", "\\u003e"},
		{"&", "\\u0026"},
		{"\x7f", "\\u007f"},
		{"\xe2\x80\xa8", "\\u2028"},
		{"\xe2\x80\xa9", "\\u2029"},
		{"\xef\xbf\xbe", "\\ufffe"},
		{"\xef\xbf\xbf", "\\uffff"},
	};

	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		*used = strlen(escapes[i][0]);
		if (*used <= left && memcmp(at, escapes[i][0], *used) == 0)
			return escapes[i][1];
	}
	*used = 1;
	return NULL;
}

/* Print JSON in a script element. */
static void put_safely(FILE *out, const char *text, size_t bytes)
{
	size_t from = 0, used;

	for (size_t i = 0; i < bytes; i += used) {
		const char *escape = escape_of(text + i, bytes - i, &used);

		if (!escape)
			continue;
		fwrite(text + from, 1, i - from, out);
		fputs(escape, out);
		from = i + used;
	}
	fwrite(text + from, 1, bytes - from, out);
}

static void put_script(
	FILE *out, const char *id, const char *text, size_t bytes)
{
	fprintf(out, "<script type=\"application/json\" id=\"%s\">\n", id);
	put_safely(out, text, bytes);
	fputs("</script>\n", out);
}

int page_check_stop(const struct html_page *page, struct error *err)
{
	const atomic_bool *stop = page->options->stop;

	if (!stop || !atomic_load_explicit(stop, memory_order_relaxed))
		return 0;
	return error_set(err, ERROR_FAILURE, EINTR,
		"'%s' was not written: a signal ended c2c", page->path);
}

/*
 * Print bytes in a script element. A byte that is not plain text, or would be
 * markup, becomes %XX.
 */
static void put_bytes(FILE *out, const char *id, const char *bytes, size_t n)
{
	fprintf(out, "<script type=\"text/plain\" id=\"%s-file\">", id);
	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte == '\n' ||
			(byte >= ' ' && byte < 0x7f && !strchr("%<>&", byte)))
			putc(byte, out);
		else
			fprintf(out, "%%%02x", byte);
	}
	fputs("</script>\n", out);
}

/* Embed the file at path unchanged, unless c2c would write the same text. */
static void embed_file(struct html_page *page, const char *id, const char *path,
	const char *text, size_t bytes)
{
	size_t n;
	char *file = path ? file_bytes(path, &n) : NULL;

	if (file && (n != bytes || memcmp(file, text, n) != 0))
		put_bytes(page->records, id, file, n);
	free(file);
}

int page_embed(struct html_page *page, const char *id,
	const struct result *result, const char *path, struct error *err)
{
	char *text = NULL;
	size_t bytes;
	FILE *out;
	int rc = page_check_stop(page, err);

	if (rc < 0)
		return rc;
	out = open_memstream(&text, &bytes);
	if (!out)
		return error_no_memory(err, "the page");
	rc = result_write_json(result, out, err);
	if (fclose(out) != 0 && rc == 0)
		rc = error_no_memory(err, "the page");
	if (rc == 0) {
		put_script(page->records, id, text, bytes);
		embed_file(page, id, path, text, bytes);
	}
	free(text);
	return rc;
}

struct json_t *page_append(
	struct html_page *page, struct json_t *array, const char *format, ...)
{
	json_t *item;
	va_list args;

	va_start(args, format);
	item = json_vpack_ex(NULL, 0, format, args);
	va_end(args);
	if (json_array_append_new(array, item) < 0)
		arena_fail(page->arena);
	return item;
}

struct json_t *page_set(struct html_page *page, struct json_t *object,
	const char *key, const char *format, ...)
{
	json_t *value;
	va_list args;

	va_start(args, format);
	value = json_vpack_ex(NULL, 0, format, args);
	va_end(args);
	if (json_object_set_new(object, key, value) < 0)
		arena_fail(page->arena);
	return value;
}

static bool same_machine(const struct result *a, const struct result *b)
{
	static const char *const keys[] = {
		"hostname", "cpu_model", "cpus_online"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct fact *fact = facts_find(&a->machine, keys[i]);

		if (!fact || !fact_is_known(fact) ||
			!fact_same(fact, facts_find(&b->machine, keys[i])))
			return false;
	}
	return true;
}

/* Return whether a record is from a side's machine, and has new values. */
static bool belongs_to_side(
	const struct page_side *side, const struct page_input *input)
{
	const struct compare_side added = {
		.result = input->result, .source = input->name};

	for (size_t i = 0; i < side->n; i++) {
		const struct page_input *other = side->inputs[i];
		const struct compare_side known = {
			.result = other->result, .source = other->name};

		if (!same_machine(input->result, other->result) ||
			compare_check_one_side(&known, &added, NULL) == 0)
			return false;
	}
	return true;
}

/* Return the number of sections of the record at input i, or 1. */
static size_t count_sections(const struct html_page *page, size_t i)
{
	const void *whole = page->inputs[i].whole;
	size_t n = 1;

	while (whole && i + n < page->n && page->inputs[i + n].whole == whole)
		n++;
	return n;
}

static bool all_belong_to_side(const struct html_page *page,
	const struct page_side *side, size_t first, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n; i++)
		all &= belongs_to_side(side, &page->inputs[first + i]);
	return all;
}

static size_t divide_into_sides(
	const struct html_page *page, struct page_side *sides)
{
	size_t n = 0, parts;

	for (size_t i = 0; i < page->n; i += parts) {
		size_t k = 0;

		parts = count_sections(page, i);
		while (k < n && !all_belong_to_side(page, &sides[k], i, parts))
			k++;
		if (k == n)
			sides[n++].inputs = arena_alloc(page->arena, page->n,
				sizeof(struct page_input *));
		for (size_t part = 0; part < parts; part++)
			sides[k].inputs[sides[k].n++] = &page->inputs[i + part];
	}
	return n;
}

/* Write the groups in all records of a side; return false without groups. */
static bool write_common_groups(
	struct html_page *page, const struct page_side *side, json_t *words)
{
	struct page_input *inputs =
		arena_alloc(page->arena, side->n, sizeof(*inputs));
	struct record_groups groups;
	size_t n = 0;
	bool written = false;

	for (size_t i = 0; i < side->n; i++) {
		if (page_has_groups(side->inputs[i]->result))
			inputs[n++] = *side->inputs[i];
	}
	if (n < 2)
		return false;
	record_groups_init(inputs, n, page->arena, &groups);
	if (groups.found) {
		page_write_groups(page, &groups, words);
		written = true;
	}
	record_groups_release(&groups);
	return written;
}

static void write_skipped(
	struct html_page *page, const struct page_side *side, json_t *object)
{
	json_t *list = page_set(page, object, "skipped", "[]");

	for (size_t i = 0; i < side->n; i++) {
		const struct page_input *input = side->inputs[i];

		for (size_t k = 0; k < input->n_skipped; k++)
			page_append(page, list, "o",
				pack_shown_text(input->skipped[k]));
	}
}

/* Write the answers of c2c report about the records that have them. */
static void write_answers(
	struct html_page *page, const struct page_side *side, json_t *object)
{
	struct prose prose = {.arena = page->arena,
		.pieces = page_set(page, object, "answers", "[]")};
	struct page_input *inputs =
		arena_alloc(page->arena, side->n, sizeof(*inputs));
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++) {
		if (side->inputs[i]->has_answers)
			inputs[n++] = *side->inputs[i];
	}
	if (n > 0)
		report_print_answers(&prose, inputs, n);
	if (prose.failed)
		arena_fail(page->arena);
}

static int write_page_side(struct html_page *page, const struct page_side *side,
	json_t *object, struct error *err)
{
	json_t *words = page_set(page, object, "words", "[]");
	json_t *records = page_set(page, object, "records", "[]");
	bool written = write_common_groups(page, side, words);
	int rc = 0;

	write_answers(page, side, object);
	write_skipped(page, side, object);
	for (size_t i = 0; rc == 0 && i < side->n; i++)
		rc = page_write_record(page, records, side->inputs[i],
			written && page_has_groups(side->inputs[i]->result),
			err);
	return rc;
}

/* List the results of all inputs, with their names on the command line. */
static void list_records(struct html_page *page)
{
	struct result *results =
		arena_alloc(page->arena, page->n, sizeof(*results));
	const char **names = arena_alloc(page->arena, page->n, sizeof(*names));

	for (size_t i = 0; i < page->n; i++) {
		results[i] = *page->inputs[i].result;
		names[i] = page->inputs[i].argument ? page->inputs[i].argument
						    : page->inputs[i].name;
	}
	page->all = (struct plot_records){results, names, page->n};
}

/*
 * Draw the curves of all records as the picture of these records, if they have
 * a common panel.
 */
static int write_figure(struct html_page *page, struct error *err)
{
	struct plot_options options = *page->options;
	struct plot_view view;
	int rc = page_check_stop(page, err);

	options.order = PLOT_ORDER_OS;
	if (rc < 0 || page->n < 2 ||
		plot_draws_matrices(page->all.results, &options) ||
		plot_view_init(&view, &page->all, &options, NULL) < 0)
		return rc;
	fputs("<template id=\"figure\">\n", page->records);
	rc = plot_write_curves(&view, false, &options, page->records, err);
	fputs("</template>\n", page->records);
	plot_view_release(&view);
	return rc;
}

static void put_palette(struct html_page *page)
{
	char text[6 * COLOURS + 1];
	int white = 0;

	for (int i = 0; i < COLOURS; i++) {
		struct palette_colour colour =
			palette_at(PALETTE_VIRIDIS, i / (double)(COLOURS - 1));

		snprintf(text + 6 * i, 7, "%02x%02x%02x", colour.red,
			colour.green, colour.blue);
		white += palette_ink(colour).red > 0;
	}
	page_set(page, page->data, "palette", "s", text);
	/* Colours get brighter: letters are white on the first ones. */
	page_set(page, page->data, "black", "i", white);
}

static int write_page_sides(struct html_page *page, struct error *err)
{
	struct page_side *sides =
		arena_alloc(page->arena, page->n, sizeof(*sides));
	size_t n = divide_into_sides(page, sides);
	static const char *const orders[] = {
		[PLOT_ORDER_OS] = "number",
		[PLOT_ORDER_TOPOLOGY] = "topology",
		[PLOT_ORDER_GROUPS] = "groups",
	};
	struct prose changes = {.arena = page->arena};
	json_t *list;
	int rc;

	list_records(page);
	rc = write_figure(page, err);
	page_set(page, page->data, "order", "s", orders[page->options->order]);
	put_palette(page);
	list = page_set(page, page->data, "sides", "[]");
	for (size_t k = 0; rc == 0 && k < n; k++)
		rc = write_page_side(
			page, &sides[k], page_append(page, list, "{}"), err);
	changes.pieces = page_set(page, page->data, "changes", "[]");
	for (size_t k = 1; rc == 0 && k < n; k++) {
		page_write_changes(page, &sides[0], &sides[k], &changes);
		rc = page_check_stop(page, err);
	}
	if (changes.failed)
		arena_fail(page->arena);
	return rc;
}

static int write_page_fleet(struct html_page *page, struct error *err)
{
	put_script(page->records, "comparison", page->comparison,
		strlen(page->comparison));
	page_set(page, page->data, "fleet", "s", "comparison");
	page_write_fleet(page);
	return page_check_stop(page, err);
}

/* Write all records, and then the words. */
static int write_page(struct html_page *page, FILE *out, struct error *err)
{
	char *text;
	int rc;

	page->records = out;
	fputs(head, out);
	fputs(report_css, out);
	fputs(body, out);
	rc = page->fleet ? write_page_fleet(page, err)
			 : write_page_sides(page, err);
	if (rc < 0)
		return rc;
	text = pack_dump(json_incref(page->data));
	if (!text)
		return error_no_memory(err, "the page");
	put_script(out, "words", text, strlen(text));
	fputs(script_begin, out);
	fputs(report_js, out);
	fputs(script_end, out);
	free(text);
	return 0;
}

/* The arguments of page_save(). */
struct page_save_state {
	struct html_page page;
	FILE *out;
};

static int write_page_in_arena(
	struct arena *arena, void *context, struct error *err)
{
	struct page_save_state *saving = context;

	saving->page.arena = arena;
	return write_page(&saving->page, saving->out, err);
}

static int save_page_file(
	const struct html_page *page, const char *path, struct error *err)
{
	struct page_save_state saving = {.page = *page};
	struct arena arena = {0};
	struct file_writer writer;
	int code, rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	saving.out = writer.stream;
	saving.page.data = json_object();
	errno = 0;
	rc = arena_run(&arena, write_page_in_arena, &saving, "the page", err);
	code = errno ? errno : EIO;
	json_decref(saving.page.data);
	arena_release(&arena);
	if (rc == 0 && ferror(writer.stream))
		rc = file_refuse(path, code, err);
	if (rc == 0)
		return file_commit(&writer, err);
	file_abort(&writer);
	return rc;
}

int page_save(const struct page_input *inputs, size_t n,
	const struct plot_options *options, const char *path, struct error *err)
{
	const struct html_page page = {
		.inputs = inputs, .n = n, .options = options, .path = path};

	return save_page_file(&page, path, err);
}

int page_save_fleet(const struct fleet *fleet, const char *json,
	const struct plot_options *options, const char *path, struct error *err)
{
	const struct html_page page = {.fleet = fleet,
		.comparison = json,
		.options = options,
		.path = path};

	return save_page_file(&page, path, err);
}
