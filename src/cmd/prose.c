/* See prose.h. */
#include "cmd/prose.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cli.h"
#include "record/pack.h"
#include "util/text.h"

json_t *prose_pack(const char *text)
{
	char *signs = text ? strdup(text) : NULL;
	json_t *string;

	if (signs)
		text_put_signs(signs);
	string = pack_shown_text(signs ? signs : text);
	free(signs);
	return string;
}

static void put_prose_row(
	struct prose *prose, const char *label, const char *kind, json_t *value)
{
	prose->failed |=
		json_array_append_new(prose->pieces,
			json_pack("{s:o, s:o}", "row", pack_shown_text(label),
				kind, value)) < 0;
}

/* Add a piece. Return true if the output goes to pieces. */
static bool put_prose_piece(
	struct prose *prose, const char *kind, const char *text)
{
	if (prose->pieces)
		prose->failed |=
			json_array_append_new(prose->pieces,
				json_pack("{s:o}", kind, prose_pack(text))) < 0;
	return prose->pieces;
}

void prose_section(struct prose *prose, const char *text)
{
	if (!put_prose_piece(prose, "part", text) && text)
		fprintf(prose->out, "%s\n", text);
}

__attribute__((format(printf, 2, 0))) static const char *format_prose(
	struct prose *prose, const char *format, va_list args)
{
	const char *text = arena_vformat(prose->arena, format, args);

	return text ? text : "?";
}

void prose_add(
	struct prose *prose, enum prose_kind kind, const char *format, ...)
{
	static const char *const names[] = {"head", "text", "text", "item"};
	const char *text;
	va_list args;

	va_start(args, format);
	text = format_prose(prose, format, args);
	va_end(args);
	if (put_prose_piece(prose, names[kind], text))
		return;
	if (kind == PROSE_ITEM)
		fputs("  ", prose->out);
	if (kind == PROSE_HEADING)
		fprintf(prose->out, "%s\n", text);
	else
		cli_wrap(prose->out, text, kind == PROSE_ITEM ? 2 : 0,
			kind == PROSE_ITEM ? 4 : 0);
	if (kind == PROSE_PARAGRAPH)
		prose_blank_line(prose);
}

static void print_row_label(struct prose *prose, const char *label)
{
	fprintf(prose->out, "%*s%-*s", prose->indent, "",
		prose->columns - prose->indent, label);
}

void prose_row(struct prose *prose, const char *label, const char *format, ...)
{
	const char *text;
	va_list args;

	va_start(args, format);
	text = format_prose(prose, format, args);
	va_end(args);
	if (prose->pieces) {
		put_prose_row(prose, label, "text", prose_pack(text));
		return;
	}
	print_row_label(prose, label);
	cli_wrap(prose->out, text, prose->columns, prose->columns);
}

static void print_row_items(
	struct prose *prose, const char *const *items, size_t n)
{
	size_t used = (size_t)prose->columns,
	       columns = (size_t)cli_columns(prose->out);

	/* Only a single long item exceeds the width of a line. */
	for (size_t i = 0; i < n; i++) {
		size_t wide = strlen(items[i]);

		if (i > 0 && used + 2 + wide >= columns) {
			fprintf(prose->out, "\n%*s", prose->columns, "");
			used = (size_t)prose->columns;
		} else if (i > 0) {
			fputs("  ", prose->out);
			used += 2;
		}
		fputs(items[i], prose->out);
		used += wide;
	}
	putc('\n', prose->out);
}

void prose_list(struct prose *prose, const char *label,
	const char *const *items, size_t n)
{
	json_t *list = prose->pieces ? json_array() : NULL;

	if (!prose->pieces) {
		print_row_label(prose, label);
		print_row_items(prose, items, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		pack_add(&list, prose_pack(items[i]));
	put_prose_row(prose, label, "items", list);
}

void prose_block(struct prose *prose, const char *lines)
{
	if (*lines)
		put_prose_piece(prose, "block", lines);
}

void prose_blank_line(struct prose *prose)
{
	if (!prose->pieces)
		putc('\n', prose->out);
}
