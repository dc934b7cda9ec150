/*
 * What the firmware says of nodes, beside what was measured.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/numa/cmd_numa.h"

/* Memories whose figures differ by less are alike. */
#define ALIKE 0.1

/* hwloc has MiB/s. */
#define MIB_PER_GIB 1024.0

/* In the order of enum machine_told. */
static const struct {
	const char *name, *unit;
	double factor;
	bool higher_is_better;
} known[] = {
	{"reported-distance", "SLIT", 1, false},
	{"reported-latency", "ns", 1, false},
	{"reported-bandwidth", "GiB/s", 1 / MIB_PER_GIB, true},
};

const char *numa_told_name(enum machine_told told)
{
	return known[told].name;
}

/* The place of row and column among all values of a matrix. */
static size_t place_of(const struct result *result, size_t row, size_t column)
{
	const struct result_nodes *nodes = &result->nodes;

	return (size_t)cpu_list_find(&nodes->all, nodes->rows.cpus[row]) *
		       nodes->all.n +
	       (size_t)cpu_list_find(&nodes->all, nodes->columns.cpus[column]);
}

static int add_matrix(const struct machine *machine, enum machine_told told,
	struct result *result, struct error *err)
{
	const struct result_nodes *nodes = &result->nodes;
	struct matrix *matrix = NULL;

	for (size_t k = 0; k < nodes->rows.n * nodes->columns.n; k++) {
		size_t i = k / nodes->columns.n, j = k % nodes->columns.n;
		double value = machine_told_of_node(machine, told,
			nodes->rows.cpus[i], nodes->columns.cpus[j]);

		if (isnan(value))
			continue;
		if (!matrix)
			matrix = result_add_matrix(result, known[told].name,
				"reported", known[told].unit, "firmware",
				known[told].higher_is_better, false);
		if (!matrix)
			return error_no_memory(err, "a matrix");
		matrix->values[place_of(result, i, j)] =
			value * known[told].factor;
	}
	return 0;
}

/* The matrix that a told one is judged by: median, low and high. */
struct measured {
	const struct matrix *median, *low, *high;
};

static struct measured measured_of(
	const struct result *result, enum machine_told told)
{
	char text[NUMA_NAME_BYTES];
	const char *name = told == MACHINE_TOLD_BANDWIDTH
				   ? numa_matrix_name(NUMA_READ, text)
				   : "latency";

	return (struct measured){result_find_matrix(result, name, "median"),
		result_find_matrix(result, name, "ci_low"),
		result_find_matrix(result, name, "ci_high")};
}

/*
 * Which of two memories was measured to be nearer: -1 the one at a, 1 the one
 * at b, 0 neither. False if the intervals do not tell.
 */
static bool compare_measured(
	const struct measured *of, size_t a, size_t b, int *nearer)
{
	const double *median = of->median->values;
	const double *low = of->low->values, *high = of->high->values;
	double apart = fabs(median[a] - median[b]) / fmin(median[a], median[b]);
	bool lower = median[a] < median[b];

	if (isnan(low[a]) || isnan(high[a]) || isnan(low[b]) || isnan(high[b]))
		return false;
	*nearer = 0;
	if (!(apart >= ALIKE))
		return true;
	*nearer = lower == of->median->higher_is_better ? 1 : -1;
	return lower ? high[a] < low[b] : high[b] < low[a];
}

static int compare_told(const struct matrix *told, size_t a, size_t b)
{
	if (told->values[a] == told->values[b])
		return 0;
	return (told->values[a] < told->values[b]) == told->higher_is_better
		       ? 1
		       : -1;
}

/* Judge the memory of columns j and k, from the CPUs of row i. */
static enum numa_verdict judge_two(const struct result *result,
	const struct matrix *told, const struct measured *of, size_t i,
	size_t j, size_t k, char text[NUMA_VERDICT_BYTES])
{
	size_t a = place_of(result, i, j), b = place_of(result, i, k);
	int said, nearer;

	if (isnan(told->values[a]) || isnan(told->values[b]))
		return NUMA_UNTOLD;
	if (!compare_measured(of, a, b, &nearer))
		return NUMA_UNCLEAR;
	said = compare_told(told, a, b);
	if (said == nearer)
		return NUMA_AGREES;
	snprintf(text, NUMA_VERDICT_BYTES,
		"from node %u it says %.4g %s for node %u and %.4g for node "
		"%u; measured %.4g and %.4g %s",
		result->nodes.rows.cpus[i], told->values[a], told->unit,
		result->nodes.columns.cpus[j], told->values[b],
		result->nodes.columns.cpus[k], of->median->values[a],
		of->median->values[b], of->median->unit);
	return NUMA_DIFFERS;
}

enum numa_verdict numa_judge(const struct result *result,
	enum machine_told which, char text[NUMA_VERDICT_BYTES])
{
	const struct matrix *told =
		result_find_matrix(result, known[which].name, "reported");
	struct measured of = measured_of(result, which);
	const struct result_nodes *nodes = &result->nodes;
	enum numa_verdict verdict = NUMA_UNTOLD;

	text[0] = '\0';
	if (!told || !of.median || !of.low || !of.high)
		return NUMA_UNTOLD;
	for (size_t i = 0; i < nodes->rows.n; i++) {
		for (size_t j = 0; j < nodes->columns.n; j++) {
			for (size_t k = j + 1; k < nodes->columns.n; k++) {
				enum numa_verdict two = judge_two(
					result, told, &of, i, j, k, text);

				if (two > verdict)
					verdict = two;
				if (two == NUMA_DIFFERS)
					return two;
			}
		}
	}
	return verdict;
}

int numa_add_told(
	const struct machine *machine, struct result *result, struct error *err)
{
	static const char *const words[] = {
		[NUMA_AGREES] = "agrees", [NUMA_DIFFERS] = "differs"};
	static const char *const keys[] = {
		"firmware_distance", "firmware_latency", "firmware_bandwidth"};
	int rc = 0;

	for (int told = 0; rc == 0 && told < NUMA_TOLD_COUNT; told++) {
		char text[NUMA_VERDICT_BYTES];

		rc = add_matrix(machine, (enum machine_told)told, result, err);
		facts_set_text(&result->run.other, keys[told],
			words[numa_judge(
				result, (enum machine_told)told, text)]);
	}
	if (rc == 0 && result->run.other.failed)
		rc = error_no_memory(err, "the result");
	return rc;
}
