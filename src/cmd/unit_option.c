/* See unit_option.h. */
#include "cmd/unit_option.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/cli.h"
#include "cmd/wait_notice.h"
#include "machine/machine.h"
#include "result/file.h"
#include "util/array.h"
#include "util/text.h"

/* Longest unit, in bytes. */
#define MOST_BYTES 32

/* Return whether text is one printable word. */
static bool is_unit(const char *text)
{
	char copy[MOST_BYTES + 1];

	if (!*text || strlen(text) > MOST_BYTES || strpbrk(text, " \t\n,;\""))
		return false;
	memcpy(copy, text, strlen(text) + 1);
	text_make_safe(copy);
	text_make_utf8(copy);
	return strcmp(copy, text) == 0 && strcmp(text, "-") != 0;
}

#define AT(member) offsetof(struct unit_choice, member)

static const struct option_row rows[] = {
	{.kind = OPTION_HEADING, .group = 40, .help = "Unit of values:"},
	{"unit", OPTION_TEXT, "UNIT", AT(unit),
		.help = "Unit of the values of a .csv that names none, for "
			"example GiB/s (default: ns)",
		.more = "A unit other than that in the file is a usage error."},
	{"better", OPTION_WORD, "higher|lower", AT(better),
		.choice = UNIT_HIGHER,
		.help = "Which values are better (default: higher if the unit "
			"is a rate, else lower)",
		.more = "A unit is a rate if it ends in `/s`, `/ms`, `/us`, "
			"`/ns`, `/sec`, `/cycle`, `/clk`, `/unit`, `bps` or "
			"`Bps`."},
};

static const struct option_rule rules[] = {
	{"better", .without = "unit", .flaw = " needs --unit"},
	{.given = NULL},
};

static int check_choice(void *into, struct error *err)
{
	const struct unit_choice *choice = into;

	if (choice->unit && !is_unit(choice->unit))
		return error_set(err, ERROR_USAGE, EINVAL,
			"--unit: found '%s', expected one word, for example "
			"GiB/s",
			choice->unit);
	return 0;
}

struct option_table unit_option_table(struct unit_choice *choice)
{
	return (struct option_table){
		rows, N_OF(rows), choice, check_choice, rules};
}

/* Rename the matrix that the reader assumed to be a latency. */
static int rename_matrix(
	struct result *result, const char *unit, bool higher, struct error *err)
{
	struct matrix *matrix = &result->matrices[0];
	char **const texts[] = {&matrix->unit, &matrix->name, &result->command};
	const char *const words[] = {unit, "rate", "rate"};

	/* A latency in another unit keeps its name and command. */
	for (size_t i = 0; i < (higher ? 3 : 1); i++) {
		char *text = strdup(words[i]);

		if (!text)
			return error_no_memory(err, "the unit");
		free(*texts[i]);
		*texts[i] = text;
	}
	matrix->higher_is_better = higher;
	return 0;
}

static int apply_unit_choice(const struct unit_choice *choice,
	struct result *result, struct error *err)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	bool higher = choice->better ? choice->better == UNIT_HIGHER
				     : text_is_rate(choice->unit);

	if (result->bare && !result->has_unit)
		return rename_matrix(result, choice->unit, higher, err);
	if (!matrix)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--unit: the file has curves, whose units are known");
	if (strcasecmp(matrix->unit, choice->unit) != 0)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--unit: found '%s', but the file says that its unit "
			"is '%s'",
			choice->unit, matrix->unit);
	if (choice->better && higher != matrix->higher_is_better)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--better: found '%s', but the file says that %s is "
			"better",
			higher ? "higher" : "lower",
			matrix->higher_is_better ? "higher" : "lower");
	return 0;
}

/* Warn of a topology that c2c cannot use, and continue without it. */
static void drop_topology(
	const char *warner, const char *path, struct result *result)
{
	struct error err;

	if (!result->hwloc_xml || machine_check_recorded(result->hwloc_xml,
					  &result->cpus, &err) == 0)
		return;
	if (warner)
		cli_warn(warner,
			"'%s': c2c leaves out its topology, which is unusable: "
			"%s",
			path, err.text);
	free(result->hwloc_xml);
	result->hwloc_xml = NULL;
}

int unit_option_apply(const struct unit_choice *choice, const char *path,
	struct result *result, struct error *err)
{
	int rc = 0;

	drop_topology(choice->warn_command, path, result);
	if (choice->unit)
		rc = apply_unit_choice(choice, result, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", path);
		result_release(result);
	}
	return rc;
}

int unit_option_load_result(const struct unit_choice *choice, const char *path,
	struct result *result, struct error *err)
{
	struct wait_notice waiting;
	int rc;

	wait_notice_begin(&waiting, path, false);
	rc = result_load(result, path, err);
	wait_notice_end(&waiting);
	return rc < 0 ? rc : unit_option_apply(choice, path, result, err);
}
