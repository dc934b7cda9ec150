/*
 * The one rule for texts that files hold, whatever their format: they go into
 * messages, tables and pictures, so none may be more than text.
 */
#include <errno.h>
#include <stdio.h>

#include "result/format.h"
#include "util/text.h"

/* The first text with a flaw, and where it is. */
struct search {
	const char *flaw; /* NULL: none so far */
	char where[64];
};

__attribute__((format(printf, 3, 4))) static void note(
	struct search *search, const char *flaw, const char *format, ...)
{
	va_list args;

	if (!flaw || search->flaw)
		return;
	search->flaw = flaw;
	va_start(args, format);
	vsnprintf(search->where, sizeof(search->where), format, args);
	va_end(args);
}

/* The text at list[i].key. */
static void look(struct search *search, const char *text, const char *list,
	size_t i, const char *key)
{
	if (text)
		note(search, text_flaw(text, false), "%s[%zu].%s", list, i,
			key);
}

static void look_at_measured(struct search *search, const struct result *result)
{
	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		look(search, matrix->name, "matrices", i, "name");
		look(search, matrix->statistic, "matrices", i, "statistic");
		look(search, matrix->unit, "matrices", i, "unit");
		look(search, matrix->quantity, "matrices", i, "quantity");
		note(search, format_flaw(matrix->extra, true), "matrices[%zu]",
			i);
	}
	for (size_t i = 0; i < result->n_curves; i++) {
		struct curve *curve = &result->curves[i];

		for (size_t k = 0; k < CURVE_WORDS; k++)
			look(search, *curve_word(&curve->is, k), "curves", i,
				curve_words[k].path);
		look(search, curve->mark, "curves", i, "mark.text");
		note(search, format_flaw(curve->extra, true), "curves[%zu]", i);
	}
	for (size_t i = 0; i < result->n_kept; i++) {
		const struct passes *passes = &result->kept[i];

		look(search, passes->name, "passes", i, "name");
		look(search, passes->unit, "passes", i, "unit");
		note(search, format_flaw(passes->extra, true), "passes[%zu]",
			i);
	}
}

int format_check_texts(const struct result *result, struct error *err)
{
	struct search search = {.flaw = NULL};

	if (result->command)
		note(&search, text_flaw(result->command, false), "command");
	if (result->started)
		note(&search, text_flaw(result->started, false), "started");
	look_at_measured(&search, result);
	if (result->hwloc_xml)
		note(&search, text_flaw(result->hwloc_xml, true),
			"topology.hwloc_xml");
	note(&search, format_flaw(result->extra, true),
		"a key that c2c does not know");
	if (!search.flaw)
		return 0;
	return error_set(err, ERROR_FAILURE, EINVAL,
		"%s: found %s, expected text that a terminal may show",
		search.where, search.flaw);
}
