/* Text on a terminal or in a pipe, in the locale's characters. */
#include "render/text_page.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "figure/colour_scale.h"
#include "util/text.h"

void page_number(const struct text_page *page, size_t columns, double value,
	int decimals)
{
	char text[PLOT_NUMBER_BYTES];

	plot_format_fixed(text, value, decimals);
	/* The dot may have two bytes, but is always one column wide. */
	if (isnan(value))
		fprintf(page->out, "%*s%s", (int)columns - 1, "",
			page->utf8 ? PAGE_DOT : ".");
	else
		fprintf(page->out, "%*s", (int)columns, text);
}

void page_print(const struct text_page *page, const char *text, size_t bytes)
{
	for (size_t i = 0, n; i < bytes; i += n) {
		/* Do not count continuation bytes of a UTF-8 character. */
		for (n = 1; i + n < bytes && (text[i + n] & 0xc0) == 0x80;)
			n++;
		if (page->utf8 || n == 1)
			fwrite(text + i, 1, n, page->out);
		else
			putc(strncmp(text + i, PAGE_DOT, n) == 0 ? '-' : '?',
				page->out);
	}
}

/* Print text, wrapped on a terminal. */
static void print_wrapped_caption(
	const struct text_page *page, const char *text)
{
	do {
		size_t bytes = text_line(
			text, page->colour ? page->columns : SIZE_MAX, ' ');

		page_print(page, text, bytes);
		putc('\n', page->out);
		text += bytes;
		text += *text == ' ';
	} while (*text);
}

void page_print_captions(const struct text_page *page, struct plot_view *view,
	const struct plot_options *options)
{
	const char *first =
		options->title ? options->title : plot_caption_machine(view);

	if (*first)
		print_wrapped_caption(page, first);
	print_wrapped_caption(page, plot_caption_method(view));
	if (view->cells && *view->cells)
		print_wrapped_caption(page, view->cells);
	putc('\n', page->out);
}
