/*
 * Two small results through c2c compare: what it prints is its format, what is
 * compared with itself has not changed, and what is better one way is worse
 * the other way.
 *
 * The two are parted by a line of equal signs; an input without one is compared
 * with itself.
 *
 * slow: each input is compared six times.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "commands.h"
#include "target.h"

static const char parting[] = "\n=====\n";

/* A part of the input, as a file and as a result. */
struct part {
	const char *data;
	size_t n;
	char path[64];
	int fd;
	bool loaded, small;
	struct result result;
};

static void part_init(struct part *part, const char *data, size_t n)
{
	part->data = data;
	part->n = n;
	part->fd = command_file(data, n, part->path);
	part->loaded = command_load(&part->result, data, n, NULL) == 0;
	part->small = part->loaded && command_is_small(&part->result);
}

static void part_release(struct part *part)
{
	if (part->loaded)
		result_release(&part->result);
	close(part->fd);
}

/* What two comparisons of the same files, either way round, have to share. */
struct outcome {
	int status;
	bool same_order;
	json_int_t compared, better, worse;
};

static const char *check_square(const json_t *rows, const struct cpu_list *cpus,
	double least, double most)
{
	const json_t *row, *cell;
	size_t i, j;

	if (json_array_size(rows) != cpus->n)
		return "a matrix is of other CPUs";
	json_array_foreach(rows, i, row)
	{
		if (json_array_size(row) != cpus->n)
			return "a matrix is not square";
		json_array_foreach(row, j, cell)
		{
			double value = json_number_value(cell);

			if (json_is_number(cell) &&
				!(value >= least && value <= most))
				return "a cell is out of its range";
		}
	}
	return NULL;
}

/* The pairs of one matrix, when pairs were compared. */
static const char *check_pairs(const json_t *matrix,
	const struct cpu_list *cpus, struct outcome *outcome)
{
	const json_t *pairs = json_object_get(matrix, "pairs");
	json_int_t compared =
		json_integer_value(json_object_get(pairs, "compared"));
	json_int_t better =
		json_integer_value(json_object_get(pairs, "better"));
	json_int_t worse = json_integer_value(json_object_get(pairs, "worse"));
	const char *problem;

	if (!pairs)
		return NULL;
	problem = check_square(
		json_object_get(matrix, "change"), cpus, -HUGE_VAL, HUGE_VAL);
	if (!problem)
		problem =
			check_square(json_object_get(matrix, "p"), cpus, 0, 1);
	if (better + worse > compared)
		problem = "more pairs changed than were compared";
	outcome->compared += compared;
	outcome->better += better;
	outcome->worse += worse;
	return problem;
}

static const char *check_levels(const json_t *levels, bool itself)
{
	const json_t *level;
	size_t k;

	json_array_foreach(levels, k, level)
	{
		const json_t *p = json_object_get(level, "p");
		double change =
			json_number_value(json_object_get(level, "change"));

		if (json_is_number(p) && !(json_number_value(p) >= 0 &&
						 json_number_value(p) <= 1))
			return "a level's p is no probability";
		if (itself && (change != 0 || json_is_true(json_object_get(
						      level, "significant"))))
			return "a level differs from itself";
	}
	return NULL;
}

/* The points of one curve. */
static const char *check_curve(
	const json_t *curve, bool itself, struct outcome *outcome)
{
	const json_t *points = json_object_get(curve, "points");
	json_int_t compared =
		json_integer_value(json_object_get(points, "compared"));
	json_int_t alone = json_integer_value(json_object_get(points, "alone"));
	json_int_t better =
		json_integer_value(json_object_get(points, "better"));
	json_int_t worse = json_integer_value(json_object_get(points, "worse"));

	outcome->compared += compared;
	outcome->better += better;
	outcome->worse += worse;
	if (compared < 0 || alone < 0 || better + worse > compared)
		return "more points changed than were compared";
	if ((size_t)compared !=
		json_array_size(json_object_get(curve, "change_pct")))
		return "a curve has not all of its points";
	if (itself && alone > 0)
		return "a curve lacks points of itself";
	return check_levels(json_object_get(curve, "levels"), itself);
}

static const char *check_sizes(const json_t *sizes, bool itself)
{
	const json_t *size;
	size_t k;

	json_array_foreach(sizes, k, size)
	{
		bool apart = json_is_true(json_object_get(size, "apart"));

		if (json_is_true(json_object_get(size, "changed")) && !apart)
			return "a size changed within its interval";
		if (itself && apart)
			return "a size differs from itself";
	}
	return NULL;
}

static const char *check_json(const char *text, const struct cpu_list *cpus,
	bool itself, struct outcome *outcome)
{
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	const json_t *file = json_array_get(json_object_get(root, "files"), 0);
	const json_t *distance = json_object_get(file, "distance_pct");
	const json_t *matrix, *curve;
	const char *problem = file ? NULL : "the output is not the format";
	size_t i;

	json_array_foreach(json_object_get(file, "matrices"), i, matrix)
	{
		if (!problem)
			problem = check_pairs(matrix, cpus, outcome);
		if (!problem)
			problem = check_levels(
				json_object_get(matrix, "levels"), itself);
	}
	json_array_foreach(json_object_get(file, "curves"), i, curve)
	{
		if (!problem)
			problem = check_curve(curve, itself, outcome);
	}
	if (!problem)
		problem = check_sizes(json_object_get(file, "sizes"), itself);
	if (itself &&
		(json_number_value(distance) != 0 ||
			outcome->better + outcome->worse > 0 ||
			json_array_size(json_object_get(file, "changed")) > 0 ||
			json_array_size(json_object_get(file, "unmatched")) >
				0))
		problem = "a file differs from itself";
	json_decref(root);
	return problem;
}

/* b against a. */
static const char *compare(const struct part *a, const struct part *b,
	bool by_level, struct outcome *outcome)
{
	const char *json[] = {"compare", "-q", "--json", a->path, "-",
		by_level ? "--by-level" : NULL, NULL};
	const char *report[] = {"compare", "-v", "--threshold=1", a->path, "-",
		by_level ? "--by-level" : NULL, NULL};
	bool itself = a->n == b->n && memcmp(a->data, b->data, a->n) == 0;
	struct capture capture;
	const char *problem;
	int status;

	*outcome = (struct outcome){0};
	outcome->status = command_run(&capture, json, b->data, b->n);
	problem = command_check("compare", outcome->status, &capture, false);
	if (!problem && outcome->status == 0)
		problem = check_json(capture.out, result_members(&a->result),
			itself, outcome);
	capture_release(&capture);
	if (problem)
		return problem;
	status = command_run(&capture, report, b->data, b->n);
	problem = command_check("compare", status, &capture, true);
	if (!problem && (status == 3 ? 0 : status) != outcome->status)
		problem = "the report ends otherwise than the JSON";
	if (!problem && itself && status == 3)
		problem = "a file is worse than itself";
	capture_release(&capture);
	return problem;
}

static const char *check_both(
	const struct part *a, const struct part *b, bool *used)
{
	struct outcome there, back, levels;
	const char *problem = compare(a, b, false, &there);

	*used = there.status == 0;
	if (!problem)
		problem = compare(b, a, false, &back);
	if (!problem && there.status == 0 && back.status == 0 &&
		(there.compared != back.compared ||
			there.better != back.worse ||
			there.worse != back.better))
		problem = "better one way is not worse the other way";
	if (!problem)
		problem = compare(a, b, true, &levels);
	return problem;
}

/* Sections are compared one by one: after one, another may fail. */
static const char *check_sections(
	const struct part *a, const struct part *b, bool *used)
{
	const char *const report[] = {
		"compare", "-v", "--threshold=1", a->path, "-", NULL};
	struct capture capture;
	int status = command_run(&capture, report, b->data, b->n);
	const char *problem = NULL;

	*used = status == STATUS_DONE || status == STATUS_DOES_NOT_HOLD;
	if (!*used && !*capture.err)
		problem = "a failure has no message";
	if (!command_is_text(capture.out) || !command_is_text(capture.err))
		problem = "what it says is no text";
	capture_release(&capture);
	return problem;
}

static const char *check_compare(const void *data, size_t n, bool *used)
{
	const char *text = data;
	const char *at =
		n > 0 ? memmem(text, n, parting, strlen(parting)) : NULL;
	const char *rest = at ? at + strlen(parting) : text;
	const char *problem = NULL;
	struct part a, b;

	*used = false;
	part_init(&a, text, at ? (size_t)(at + 1 - text) : n);
	part_init(&b, rest, n - (size_t)(rest - text));
	if (a.small && b.small)
		problem = a.result.n_sections > 0 || b.result.n_sections > 0
				  ? check_sections(&a, &b, used)
				  : check_both(&a, &b, used);
	part_release(&a);
	part_release(&b);
	return problem;
}

static const struct fuzz_target target = {
	.inputs = 1500,
	.check = check_compare,
};

FUZZ_TARGET(target);
