#include "plot_sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void plot_sample(struct result *result, const char *cpus, const double *values)
{
	struct matrix *matrix;

	result_init(result);
	result->complete = true;
	assert_int_equal(cpu_list_parse(&result->cpus, cpus, NULL), 0);
	result->command = strdup("latency");
	assert_non_null(result->command);
	matrix = result_add_matrix(
		result, "latency", "median", "ns", "one-way", false, true);
	assert_non_null(matrix);
	memcpy(matrix->values, values,
		result->cpus.n * result->cpus.n * sizeof(*values));
}

void plot_sample_describe(struct result *result)
{
	facts_set_text(&result->tool, "version", "0.1.0");
	facts_set_text(&result->machine, "cpu_model", "Test CPU {_^@}");
	facts_set_text(&result->machine, "hostname", "lab");
	facts_set_unknown(&result->machine, "hypervisor");
	facts_set_text(&result->options, "method", "line");
	result->run.known = true;
	result->run.passes = 25;
	result->started = strdup("2026-11-21T03:01:25Z");
	assert_non_null(result->started);
}

char *plot_sample_text(const struct result *result,
	const struct plot_options *options, unsigned columns, unsigned rows,
	enum plot_colour colour)
{
	struct plot_terminal terminal = {columns, rows, colour, false};
	struct plot_options defaults;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	plot_options_init(&defaults);
	assert_int_equal(
		plot_text(PLOT_RECORD(result), options ? options : &defaults,
			&terminal, out, NULL),
		0);
	assert_int_equal(fclose(out), 0);
	return text;
}
