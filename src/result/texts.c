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
	for (size_t i = 0; i < result->n_series; i++) {
		const struct series *series = &result->series[i];

		look(search, series->name, "series", i, "name");
		look(search, series->x_name, "series", i, "x.name");
		look(search, series->x_unit, "series", i, "x.unit");
		look(search, series->y_name, "series", i, "y.name");
		look(search, series->y_unit, "series", i, "y.unit");
		look(search, series->y_statistic, "series", i, "y.statistic");
		note(search, format_flaw(series->extra, true), "series[%zu]",
			i);
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
