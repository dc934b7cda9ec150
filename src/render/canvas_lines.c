/*
 * Writes a canvas as the lines of a .dat that plots/common.gp draws.
 */
#include <ctype.h>
#include <string.h>

#include "render/canvas.h"

/* To gnuplot a quote is the end, and a backslash an escape. */
static void write_quoted_words(const char *text, FILE *out)
{
	for (const char *c = text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(out, "\\%03o", (unsigned)*c);
		else
			putc(iscntrl((unsigned char)*c) ? ' ' : *c, out);
		/* In an SVG ]]> would end gnuplot's text. */
		if (c > text && strncmp(c - 1, "]]>", 3) == 0)
			putc(' ', out);
	}
}

static void write_text_line(const struct canvas_call *call, FILE *out)
{
	static const char *const aligns[] = {"center", "left", "right"};

	fprintf(out, "text: %.2f %.2f %s %.3g %s %d %s ", call->points->x,
		call->points->y, aligns[call->align], call->size,
		call->bold ? "bold" : "plain", call->upwards ? 90 : 0,
		call->colour);
	write_quoted_words(call->text, out);
}

static void write_call_line(const struct canvas_call *call, FILE *out)
{
	const struct canvas_point *at = call->points;

	fputs("# plot.", out);
	switch (call->kind) {
	case CANVAS_RECT:
		fprintf(out, "area: %.2f %.2f %.2f %.2f %s", call->box.x,
			call->box.y, call->box.width, call->box.height,
			call->colour);
		break;
	case CANVAS_LINE:
		fprintf(out, "%s: %.2f %.2f %.2f %.2f %g %s",
			call->layer == CANVAS_FRONT  ? "front"
			: call->dash == CANVAS_SOLID ? "back"
						     : "dash",
			at[0].x, at[0].y, at[1].x, at[1].y, call->size,
			call->colour);
		break;
	case CANVAS_MARKERS:
		fprintf(out, "point: %.2f %.2f %d %.3g %s", at->x, at->y,
			call->shape, call->size, call->colour);
		break;
	case CANVAS_TEXT:
		write_text_line(call, out);
		break;
	default:
		fputs(call->text, out);
	}
	putc('\n', out);
}

static bool has_call_line(const struct canvas_call *call)
{
	return call->layer != CANVAS_DATA || call->kind == CANVAS_SCRIPT;
}

void canvas_write_lines(
	const struct canvas *canvas, const char *script, FILE *out)
{
	size_t lines = 1;

	for (const struct canvas_call *c = canvas->first; c; c = c->next)
		lines += has_call_line(c);
	fprintf(out, "# plot.lines: %zu\n# plot.page: %.0f %.0f %s\n", lines,
		canvas->width, canvas->height, script);
	for (const struct canvas_call *c = canvas->first; c; c = c->next) {
		if (has_call_line(c))
			write_call_line(c, out);
	}
}
