/*
 * Text on a terminal or in a pipe, in the letters that the locale has.
 */
#include "plot/page.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define DOT "\u00b7"

const char *page_dot(const struct page *page)
{
	return page->utf8 ? DOT : ".";
}

/* Whether byte begins a character of UTF-8, not continues one. */
static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t page_columns(const char *text, size_t bytes)
{
	size_t columns = 0;

	for (size_t i = 0; i < bytes; i++)
		columns += begins_character(text[i]);
	return columns;
}

size_t page_line(const char *text, size_t columns, char end)
{
	size_t bytes = 0;

	for (size_t i = 0; bytes == 0 || page_columns(text, i) <= columns;) {
		bytes = i;
		if (!text[i])
			break;
		for (i++;
			text[i] &&
			(text[i] != ' ' || (end != ' ' && text[i - 1] != end));)
			i++;
	}
	return bytes;
}

/* One character, spelt out where the locale lacks it. Returns its bytes. */
static size_t print_character(const struct page *page, const char *text)
{
	size_t bytes = 1;

	while (text[bytes] && !begins_character(text[bytes]))
		bytes++;
	if (page->utf8 || bytes == 1)
		fwrite(text, 1, bytes, page->out);
	else
		putc(strncmp(text, DOT, bytes) == 0 ? '-' : '?', page->out);
	return bytes;
}

void page_print(const struct page *page, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes;)
		i += print_character(page, text + i);
}

/* Text, on a terminal in as many lines as its width asks for. */
static void print_caption(const struct page *page, const char *text)
{
	size_t room = page->colour ? page->columns : SIZE_MAX;
	size_t used = 0;

	while (*text) {
		size_t word = *text == ' ' ? strcspn(text + 1, " ") : 0;

		if (*text == ' ' &&
			used + 1 + page_columns(text + 1, word) > room) {
			putc('\n', page->out);
			used = 0;
			text++;
			continue;
		}
		text += print_character(page, text);
		used++;
	}
	putc('\n', page->out);
}

int page_print_captions(const struct page *page, const struct plot_view *view,
	const struct plot_options *options, struct error *err)
{
	char *machine = options->title ? strdup(options->title)
				       : plot_caption_machine(view);
	char *method = plot_caption_method(view);

	if (machine && *machine)
		print_caption(page, machine);
	if (method)
		print_caption(page, method);
	if (machine && method)
		putc('\n', page->out);
	free(method);
	free(machine);
	return machine && method ? 0 : error_no_memory(err, "the captions");
}
