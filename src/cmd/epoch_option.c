/* See epoch_option.h. */
#include "cmd/epoch_option.h"

#include <string.h>

#include "analyze/analyze.h"
#include "util/parse.h"

static int parse_epoch(void *at, const char *text, struct error *err)
{
	struct epoch_choice *choice = at;

	*choice = (struct epoch_choice){.is_given = true};
	return strcmp(text, "last") == 0
		       ? 0
		       : parse_u64(text, 1, UINT32_MAX, &choice->number, err);
}

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 50, .help = "Which part of a run:"},
	{"epoch", OPTION_OWN, "N|last", 0,
		.help = "Only epoch N of a run with --keep-passes, as if "
			"nothing else had been measured",
		.parse = parse_epoch},
};

struct option_table epoch_option_table(struct epoch_choice *choice)
{
	return (struct option_table){
		rows, sizeof(rows) / sizeof(*rows), choice, NULL};
}

int epoch_option_load_result(const struct epoch_choice *choice,
	const struct unit_choice *unit, const char *path, struct result *result,
	struct error *err)
{
	struct result whole;
	int rc = unit_option_load_result(unit, path, &whole, err);

	if (rc < 0)
		return rc;
	if (!choice->is_given) {
		*result = whole;
		return 0;
	}
	rc = analysis_extract_epoch(&whole, choice->number, result, err);
	if (rc < 0)
		error_prefix(err, "'%s'", path);
	result_release(&whole);
	return rc;
}
