/* See epoch_option.h. */
#include "cmd/epoch_option.h"

#include "analyze/analyze.h"
#include "util/array.h"

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 50, .help = "Epoch:"},
	{"epoch", OPTION_COUNT, "N|last", 0,
		.help = "Use only epoch N of a run with --keep-passes",
		.words = "last|N", .choice = -1, .within = {1, UINT32_MAX}},
};

struct option_table epoch_option_table(uint64_t *epoch)
{
	return (struct option_table){rows, N_OF(rows), epoch, NULL, NULL};
}

int epoch_option_extract(uint64_t epoch, const char *path,
	struct result *result, struct error *err)
{
	struct result whole = *result;
	int rc = analysis_extract_epoch(
		&whole, epoch == EPOCH_LAST ? 0 : epoch, result, err);

	if (rc < 0) {
		error_prefix(err, "'%s'", path);
		*result = whole;
	} else {
		result_release(&whole);
	}
	return rc;
}

int epoch_option_load_result(uint64_t epoch, const struct unit_choice *unit,
	const char *path, struct result *result, struct error *err)
{
	int rc = unit_option_load_result(unit, path, result, err);

	if (rc < 0 || !epoch)
		return rc;
	rc = epoch_option_extract(epoch, path, result, err);
	if (rc < 0)
		result_release(result);
	return rc;
}
