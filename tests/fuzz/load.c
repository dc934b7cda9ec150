/*
 * Any bytes as a result: refused with a printable message, or a result that
 * can be written and loaded again without change.
 *
 * slow: thousands of damaged files are read and written.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "result/file.h"
#include "result/format.h"
#include "target.h"

typedef int writer(const struct result *result, FILE *out, struct error *err);

/* A text for free(), or NULL. */
static char *write_text(const struct result *result, writer *write)
{
	size_t bytes;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);
	int rc;

	if (!out)
		abort();
	rc = write(result, out, NULL);
	fclose(out);
	if (rc == 0)
		return text;
	free(text);
	return NULL;
}

/* A message is one line that a terminal may show. */
static bool is_message(const struct error *err)
{
	if (!*err->text || err->code <= 0)
		return false;
	return command_is_text(err->text) && !strchr(err->text, '\n');
}

static const char *check_passes(
	const struct passes *passes, const struct cpu_list *cpus)
{
	if (!passes->name || !passes->unit || !passes->pairs ||
		!passes->start_s || !passes->values)
		return "passes lack something";
	for (size_t p = 0; p < passes->n_pairs; p++) {
		if (passes->pairs[p].first >= cpus->n ||
			passes->pairs[p].second >= cpus->n)
			return "a pair is of no CPUs";
	}
	for (size_t i = 0; i < passes->n_passes * passes->n_pairs; i++) {
		if (isinf(passes->values[i]))
			return "a pass's value is infinite";
	}
	return NULL;
}

static const char *check_curve(const struct curve *curve)
{
	const double *const values[] = {curve->x, curve->median, curve->low,
		curve->high, curve->ceiling};

	for (size_t k = 0; k < 5; k++) {
		for (size_t i = 0; values[k] && i < curve->n; i++) {
			if (isinf(values[k][i]))
				return "a point is infinite";
		}
	}
	return curve->facts.family && curve->facts.member &&
			       curve->facts.x_name && curve->facts.y_name &&
			       curve->facts.y_unit
		       ? NULL
		       : "a curve lacks something";
}

static const char *check_result(const struct result *result)
{
	const char *problem = NULL;
	size_t n = result_members(result)->n;

	if (!result->command || result->cpus.n > RESULT_MAX_CPUS)
		return "the result has no command or too many CPUs";
	for (size_t i = 0; i < result->n_matrices; i++) {
		const struct matrix *matrix = &result->matrices[i];

		if (!matrix->name || !matrix->statistic || !matrix->unit ||
			!matrix->values)
			return "a matrix lacks something";
		for (size_t j = 0; j < n * n; j++) {
			if (isinf(matrix->values[j]))
				return "a value is infinite";
		}
	}
	for (size_t i = 0; !problem && i < result->n_curves; i++)
		problem = check_curve(&result->curves[i]);
	for (size_t i = 0; !problem && i < result->n_kept; i++)
		problem = check_passes(&result->kept[i], &result->cpus);
	for (size_t i = 0; !problem && i < result->n_sections; i++)
		problem = result->sections[i].n_sections > 0
				  ? "a section has sections"
				  : check_result(&result->sections[i]);
	return problem;
}

/* Written as JSON, loaded and written again it is the same text. */
static const char *check_json(const struct result *result)
{
	char *first = write_text(result, result_write_json), *second;
	const char *problem = NULL;
	struct result again;

	if (!first)
		return "the result cannot be written as JSON";
	if (command_load(&again, first, strlen(first), NULL) < 0) {
		free(first);
		return "the JSON written cannot be loaded";
	}
	second = write_text(&again, result_write_json);
	if (!second || strcmp(first, second) != 0)
		problem = "the JSON changed when written again";
	free(first);
	free(second);
	result_release(&again);
	return problem;
}

/* Written as .dat it is not loaded again, but it is written. */
static const char *check_dat(const struct result *result)
{
	char *dat = write_text(result, result_write_dat);
	struct result again;
	bool read;

	if (!dat)
		return "the result cannot be written as .dat";
	read = command_load(&again, dat, strlen(dat), NULL) == 0;
	free(dat);
	if (!read)
		return NULL;
	result_release(&again);
	return "a .dat was loaded";
}

/* The reader that jansson gets no numbers from reads what the other does. */
static const char *check_grids(
	const void *data, size_t n, const struct result *plain)
{
	struct result result;
	const char *problem = NULL;
	char *first, *second;

	result_init(&result);
	if (format_read_grids(&result, data, n)) {
		first = write_text(&result, result_write_json);
		second = plain ? write_text(plain, result_write_json) : NULL;
		if (!first || !second || strcmp(first, second) != 0)
			problem = "taken out of the text, the numbers differ";
		free(first);
		free(second);
	}
	result_release(&result);
	return problem;
}

static const char *check_load(const void *data, size_t n, bool *used)
{
	struct error err = {.text = ""};
	const char *problem;
	struct result result;

	*used = command_load(&result, data, n, &err) == 0;
	if (!*used)
		return is_message(&err) ? check_grids(data, n, NULL)
					: "the message is not printable";
	problem = check_result(&result);
	if (!problem)
		problem = check_grids(data, n, &result);
	if (!problem)
		problem = check_json(&result);
	if (!problem)
		problem = check_dat(&result);
	result_release(&result);
	return problem;
}

static const struct fuzz_target target = {
	.inputs = 60000,
	.check = check_load,
};

FUZZ_TARGET(target);
