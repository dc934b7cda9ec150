/* See epoch.h. */
#include "cmd/epoch.h"

#include <string.h>

#include "analyze/analysis.h"
#include "util/parse.h"

#define KEY_EPOCH 0x600

static const struct argp_option option_table[] = {
	{NULL, 0, NULL, 0, "Which part of a run:", 50},
	{"epoch", KEY_EPOCH, "N|last", 0,
		"Only epoch N of a run with --keep-passes, as if nothing else "
		"had been measured",
		50},
	{0},
};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct epoch_choice *choice = state->input;
	struct error err;

	if (key != KEY_EPOCH)
		return ARGP_ERR_UNKNOWN;
	*choice = (struct epoch_choice){.made = true};
	if (strcmp(text, "last") != 0 &&
		parse_u64(text, 1, UINT32_MAX, &choice->number, &err) < 0)
		argp_error(state, "--epoch: %s", err.text);
	return 0;
}

const struct argp epoch_argp = {
	option_table, parse_option, NULL, NULL, NULL, NULL, NULL};

int epoch_load(const struct epoch_choice *choice,
	const struct unit_choice *unit, const char *path, struct result *result,
	struct error *err)
{
	struct result whole;
	int rc = unit_load(unit, path, &whole, err);

	if (rc < 0)
		return rc;
	if (!choice->made) {
		*result = whole;
		return 0;
	}
	rc = analysis_epoch(&whole, choice->number, result, err);
	if (rc < 0)
		error_prefix(err, "'%s'", path);
	result_release(&whole);
	return rc;
}
