/*
 * Describe the changes from the first side of a page to each other side, in the
 * words of c2c compare.
 */
#include <errno.h>
#include <stdlib.h>

#include "cmd/compare/compare_report.h"
#include "cmd/page/page_parts.h"
#include "cmd/prose.h"
#include "util/text.h"

static void write_record_changes(struct html_page *page,
	const struct page_input *before, const struct page_input *after,
	struct prose *prose)
{
	const struct result *const results[2] = {before->result, after->result};
	const char *const names[2] = {before->name, after->name};
	struct error err;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);
	int rc = out ? compare_two(out, results, names, &err) : -ENOMEM;

	if (!out || fclose(out) != 0) {
		free(text);
		arena_fail(page->arena);
	}
	text = arena_adopt(page->arena, text);
	prose_block(prose,
		rc == 0 ? text
			: arena_format(page->arena, "%s against %s: %s\n",
				  after->name, before->name, err.text));
}

/*
 * Return the first side's record to compare with the k-th record of another
 * side. It has the same command. If several have it, prefer the k-th one, else
 * the first. NULL: none.
 */
static const struct page_input *find_before(
	const struct page_side *first, const struct page_side *other, size_t k)
{
	const char *command = other->inputs[k]->result->command;
	const struct page_input *found = NULL;
	size_t place = 0;

	for (size_t i = 0; i < k; i++)
		place += text_same(command, other->inputs[i]->result->command);
	for (size_t i = 0; i < first->n; i++) {
		const struct page_input *input = first->inputs[i];

		if (!text_same(command, input->result->command))
			continue;
		if (place-- == 0)
			return input;
		found = found ? found : input;
	}
	return found;
}

void page_write_changes(struct html_page *page, const struct page_side *first,
	const struct page_side *other, struct prose *prose)
{
	for (size_t k = 0; k < other->n; k++) {
		const struct page_input *before = find_before(first, other, k);

		if (before)
			write_record_changes(
				page, before, other->inputs[k], prose);
	}
}
