/*
 * Compare the values of the firmware for nodes with measured values.
 */
#include <math.h>
#include <stdio.h>

#include "cmd/numa/cmd_numa.h"

/* Relative difference below which two memories count as equal. */
#define SIMILAR 0.1

/* hwloc's unit is MiB/s. */
#define MIB_PER_GIB 1024.0

/* Matrices, in the order of enum machine_reported. */
static const struct {
	const char *name, *unit;
	double factor;
	bool higher_is_better;
} known[] = {
	{"reported-distance", "SLIT", 1, false},
	{"reported-latency", "ns", 1, false},
	{"reported-bandwidth", "GiB/s", 1 / MIB_PER_GIB, true},
};

const char *numa_reported_name(enum machine_reported reported)
{
	return known[reported].name;
}

size_t numa_cell_index(const struct result *result, size_t row, size_t column)
{
	const struct result_nodes *nodes = &result->nodes;

	return (size_t)cpu_list_find(&nodes->all, nodes->rows.cpus[row]) *
		       nodes->all.n +
	       (size_t)cpu_list_find(&nodes->all, nodes->columns.cpus[column]);
}

static int add_reported_matrix(const struct machine *machine,
	enum machine_reported reported, struct result *result,
	struct error *err)
{
	const struct result_nodes *nodes = &result->nodes;
	struct matrix *matrix = NULL;

	for (size_t k = 0; k < nodes->rows.n * nodes->columns.n; k++) {
		size_t i = k / nodes->columns.n, j = k % nodes->columns.n;
		double value = machine_reported_value(machine, reported,
			nodes->rows.cpus[i], nodes->columns.cpus[j]);

		if (isnan(value))
			continue;
		if (!matrix)
			matrix = result_add_matrix(result, known[reported].name,
				"reported", known[reported].unit, "firmware",
				known[reported].higher_is_better, false);
		if (!matrix)
			return error_no_memory(err, "a matrix");
		matrix->values[numa_cell_index(result, i, j)] =
			value * known[reported].factor;
	}
	return 0;
}

/* The measured matrix to compare with, and its intervals. */
struct measured_bounds {
	const struct matrix *median, *low, *high;
};

static struct measured_bounds find_measured_bounds(
	const struct result *result, enum machine_reported reported)
{
	char text[NUMA_NAME_BYTES];
	const char *name = reported == MACHINE_REPORTED_BANDWIDTH
				   ? numa_matrix_name(NUMA_READ, text)
				   : "latency";

	return (struct measured_bounds){
		result_find_matrix(result, name, "median"),
		result_find_matrix(result, name, "ci_low"),
		result_find_matrix(result, name, "ci_high")};
}

/*
 * Set *nearer to the memory that was measured to be nearer: -1: a, 1: b, 0:
 * equal. Return false if the intervals do not decide.
 */
static bool compare_measured(
	const struct measured_bounds *of, size_t a, size_t b, int *nearer)
{
	const double *median = of->median->values;
	const double *low = of->low->values, *high = of->high->values;
	double apart = fabs(median[a] - median[b]) / fmin(median[a], median[b]);
	bool lower = median[a] < median[b];

	if (isnan(low[a]) || isnan(high[a]) || isnan(low[b]) || isnan(high[b]))
		return false;
	*nearer = 0;
	if (!(apart >= SIMILAR))
		return true;
	*nearer = lower == of->median->higher_is_better ? 1 : -1;
	return lower ? high[a] < low[b] : high[b] < low[a];
}

/* Compare the memory of columns j and k, from the CPUs of row i. */
static enum numa_verdict judge_node_pair(const struct result *result,
	const struct matrix *reported, const struct measured_bounds *of,
	size_t i, size_t j, size_t k, char text[NUMA_VERDICT_BYTES])
{
	size_t a = numa_cell_index(result, i, j),
	       b = numa_cell_index(result, i, k);
	double at_a = reported->values[a], at_b = reported->values[b];
	int reported_order, nearer;

	if (isnan(at_a) || isnan(at_b))
		return NUMA_UNKNOWN;
	if (!compare_measured(of, a, b, &nearer))
		return NUMA_UNCLEAR;
	reported_order = (at_a > at_b) - (at_a < at_b);
	if (reported->higher_is_better)
		reported_order = -reported_order;
	if (reported_order == nearer)
		return NUMA_AGREES;
	snprintf(text, NUMA_VERDICT_BYTES,
		"from node %u, the firmware has %.4g %s for node %u and %.4g "
		"for node %u; measured %.4g and %.4g %s",
		result->nodes.rows.cpus[i], at_a, reported->unit,
		result->nodes.columns.cpus[j], at_b,
		result->nodes.columns.cpus[k], of->median->values[a],
		of->median->values[b], of->median->unit);
	return NUMA_DIFFERS;
}

enum numa_verdict numa_judge_reported(const struct result *result,
	enum machine_reported which, char text[NUMA_VERDICT_BYTES])
{
	const struct matrix *reported =
		result_find_matrix(result, known[which].name, "reported");
	struct measured_bounds of = find_measured_bounds(result, which);
	const struct result_nodes *nodes = &result->nodes;
	enum numa_verdict verdict = NUMA_UNKNOWN;

	text[0] = '\0';
	if (!reported || !of.median || !of.low || !of.high)
		return NUMA_UNKNOWN;
	for (size_t i = 0; i < nodes->rows.n; i++) {
		for (size_t j = 0; j < nodes->columns.n; j++) {
			for (size_t k = j + 1; k < nodes->columns.n; k++) {
				enum numa_verdict two = judge_node_pair(
					result, reported, &of, i, j, k, text);

				if (two > verdict)
					verdict = two;
				if (two == NUMA_DIFFERS)
					return two;
			}
		}
	}
	return verdict;
}

int numa_add_reported(
	const struct machine *machine, struct result *result, struct error *err)
{
	static const char *const words[] = {
		[NUMA_AGREES] = "agrees", [NUMA_DIFFERS] = "differs"};
	static const char *const keys[] = {
		"firmware_distance", "firmware_latency", "firmware_bandwidth"};
	int rc = 0;

	for (int reported = 0; rc == 0 && reported < NUMA_REPORTED_COUNT;
		reported++) {
		char text[NUMA_VERDICT_BYTES];

		rc = add_reported_matrix(
			machine, (enum machine_reported)reported, result, err);
		facts_set_text(&result->run.other, keys[reported],
			words[numa_judge_reported(result,
				(enum machine_reported)reported, text)]);
	}
	if (rc == 0 && result->run.other.failed)
		rc = error_no_memory(err, "the result");
	return rc;
}
