/* See prose.h. */
#include "cmd/prose.h"

#include <string.h>

#include "cmd/cli.h"
#include "util/text.h"

/* The column where the text of a row begins. */
#define INDENT 12

/* Begin a piece: true if there are pieces. */
static bool begin_prose_piece(struct prose *prose, const char *kind)
{
	if (!prose->pieces)
		return false;
	fprintf(prose->out, "%s{\"%s\": ", prose->any ? ",\n" : "", kind);
	prose->any = true;
	return true;
}

static bool put_prose_piece(
	struct prose *prose, const char *kind, const char *text)
{
	if (!begin_prose_piece(prose, kind))
		return false;
	text_quote(prose->out, text);
	putc('}', prose->out);
	return true;
}

static void put_prose_heading(
	struct prose *prose, const char *kind, const char *text)
{
	if (!put_prose_piece(prose, kind, text))
		fprintf(prose->out, "%s\n", text);
}

void prose_section(struct prose *prose, const char *text)
{
	if (text)
		put_prose_heading(prose, "part", text);
	else if (begin_prose_piece(prose, "part"))
		fputs("null}", prose->out);
}

void prose_heading(struct prose *prose, const char *text)
{
	put_prose_heading(prose, "head", text);
}

void prose_text(struct prose *prose, const char *text)
{
	if (!put_prose_piece(prose, "text", text))
		cli_wrap(prose->out, text, 0, 0);
}

void prose_item(struct prose *prose, const char *text)
{
	if (put_prose_piece(prose, "item", text))
		return;
	fputs("  ", prose->out);
	cli_wrap(prose->out, text, 2, 4);
}

static void print_row_label(struct prose *prose, const char *label)
{
	fprintf(prose->out, "  %-*s", INDENT - 2, label);
}

void prose_row(struct prose *prose, const char *label, const char *text)
{
	if (begin_prose_piece(prose, "row")) {
		text_quote(prose->out, label);
		fputs(", \"text\": ", prose->out);
		text_quote(prose->out, text);
		putc('}', prose->out);
		return;
	}
	print_row_label(prose, label);
	cli_wrap(prose->out, text, INDENT, INDENT);
}

static void print_row_items(
	struct prose *prose, const char *const *items, size_t n)
{
	size_t used = INDENT, columns = (size_t)cli_columns(prose->out);

	/* Only an item that is longer than a line exceeds it. */
	for (size_t i = 0; i < n; i++) {
		size_t wide = strlen(items[i]);

		if (i > 0 && used + 2 + wide >= columns) {
			fprintf(prose->out, "\n%*s", INDENT, "");
			used = INDENT;
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
	if (!begin_prose_piece(prose, "row")) {
		print_row_label(prose, label);
		print_row_items(prose, items, n);
		return;
	}
	text_quote(prose->out, label);
	fputs(", \"items\": [", prose->out);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? ", " : "", prose->out);
		text_quote(prose->out, items[i]);
	}
	fputs("]}", prose->out);
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
