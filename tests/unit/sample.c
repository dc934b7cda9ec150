/* See sample.h. */
#include "sample.h"

#include <errno.h>
#include <ftw.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "result/format.h"

void sample_result(struct result *result)
{
	static const double median[] = {
		NAN, 53.1, 150.25, 53.1, NAN, 1234567, 150.25, 1234567, NAN};
	static const double copy[] = {
		NAN, 0.123456789, 1e-05, 20, NAN, 0.1, 3.5, NAN, NAN};
	static const double times[] = {0.000012, NAN};
	static const double kept[] = {53.1, NAN, 150.25, 53.25, 1234567, 149};
	struct matrix *matrix;
	struct curve *curve;
	struct passes *passes;

	result_init(result);
	result->command = strdup("latency");
	result->started = strdup("2026-11-21T03:01:25Z");
	result->elapsed_s = 9.8765432198;
	result->complete = true;
	assert_int_equal(cpu_list_parse(&result->cpus, "0,2,5", NULL), 0);
	result->hwloc_xml = strdup("<?xml version=\"1.0\"?>\n<topology/>\n");
	facts_set_text(&result->tool, "version", "0.1.0");
	facts_set_text(&result->tool, "compiler", "gcc 12.2.0");
	facts_set_text(&result->tool, "cflags", "");
	facts_set_text(&result->machine, "hostname", "true");
	facts_set_text(
		&result->machine, "cpu_model", "Pretended \"CPU\" @ 2.10GHz");
	facts_set_unknown(&result->machine, "hypervisor");
	facts_set_text(&result->machine, "microcode", "0x2b000603");
	facts_set_flag(&result->machine, "smt", true);
	facts_set_text(&result->machine, "clock.source", "tsc");
	facts_set_number(&result->machine, "clock.hz", 2100000123.5);
	facts_set_flag(&result->machine, "clock.invariant", true);
	facts_set_count(&result->machine, "cores", 3);
	facts_set_json(&result->machine, "warnings",
		json_pack("[s]", "Größe:\tunknown"));
	facts_set_text(&result->options, "method", "line");
	facts_set_number(&result->options, "precision", 2.1);
	facts_set_count(&result->options, "seed", 18446744);
	result->run.known = true;
	result->run.passes = 40;
	result->run.even_odd = 0.95;
	result->run.halves = 0.87;
	result->run.verdict = RUN_AGREES;
	result->extra.object = json_pack("{s:{s:i}, s:s, s:[i,i]}", "topology",
		"objects", 9, "comment", "hello: world", "future", 1, 2);

	matrix = result_add_matrix(
		result, "latency", "median", "ns", "one-way", false, true);
	assert_non_null(matrix);
	memcpy(matrix->values, median, sizeof(median));
	matrix = result_add_matrix(
		result, "copy", "p10 of all", "GiB/s", NULL, true, false);
	assert_non_null(matrix);
	memcpy(matrix->values, copy, sizeof(copy));
	matrix->extra.object = json_pack("{s:i}", "slots", 7);

	curve = result_add_curve(result,
		&(struct curve_facts){
			.family = "sweep",
			.member = "reader",
			.x_name = "chunk",
			.x_unit = "bytes",
			.x_axis = CURVE_BYTES,
			.y_name = "rate",
			.y_unit = "GiB/s",
		},
		3);
	assert_non_null(curve);
	curve->x[0] = 64;
	curve->x[1] = 1099511627776;
	curve->x[2] = 1e15;
	curve->median[0] = 1.5;
	curve->median[2] = 2.25;
	curve->extra.object = json_pack("{s:s, s:{s:b}, s:{s:i}}", "note",
		"first", "x", "log", 1, "y", "digits", 3);

	passes = result_add_passes(result, "latency", "ns", 3, 2);
	assert_non_null(passes);
	passes->pairs[0] = (struct cpu_pair){0, 1};
	passes->pairs[1] = (struct cpu_pair){1, 2};
	passes->pairs[2] = (struct cpu_pair){2, 0};
	memcpy(passes->start_s, times, sizeof(times));
	memcpy(passes->values, kept, sizeof(kept));
	passes->extra.object = json_pack("{s:s}", "clock", "tsc");
	/* Begun, but ended before a pass of it. */
	assert_non_null(result_add_passes(result, "copy", "GiB/s", 0, 0));
}

char *sample_text(const struct result *result, sample_writer *writer)
{
	struct error err = {.text = ""};
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	if (writer(result, out, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), bytes);
	return text;
}

int sample_read(struct result *result, const char *text, struct error *err)
{
	/* fmemopen() takes no empty buffer; its "r" sees no NUL beyond. */
	FILE *in = *text ? fmemopen((void *)text, strlen(text), "r")
			 : fopen("/dev/null", "r");
	int rc;

	assert_non_null(in);
	rc = result_read(result, in, err);
	fclose(in);
	return rc;
}

char *sample_golden(const char *name)
{
	const char *srcdir = getenv("srcdir");
	char *path, *text = NULL;
	size_t room = 0;
	FILE *in;

	if (asprintf(&path, "%s/tests/unit/golden/%s", srcdir ? srcdir : ".",
		    name) < 0)
		fail_msg("no memory");
	in = fopen(path, "r");
	if (!in)
		fail_msg("%s: %s", path, strerror(errno));
	if (getdelim(&text, &room, '\0', in) < 0)
		fail_msg("%s is empty", path);
	fclose(in);
	free(path);
	return text;
}

void sample_refused(const char *text, const char *message)
{
	struct error err = {.text = ""};
	struct result result;
	int rc = sample_read(&result, text, &err);

	if (rc == 0)
		fail_msg("expected '%s', but it was read", message);
	assert_string_equal(err.text, message);
	assert_int_equal(rc, -EINVAL);
	assert_int_equal(err.code, EINVAL);
	assert_int_equal(err.class, ERROR_FAILURE);
}

void sample_assert_values(const double *a, const double *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))))
			fail_msg("value %zu: %.17g, not %.17g", i, a[i], b[i]);
	}
}

void sample_assert_facts(const struct facts *a, const struct facts *b)
{
	assert_int_equal(a->n, b->n);
	assert_true(json_equal(a->object, b->object));
}

int sample_enter_folder(void **state)
{
	static char folder[32];

	snprintf(folder, sizeof(folder), "/tmp/c2c-test-XXXXXX");
	if (!mkdtemp(folder) || chdir(folder) != 0)
		return -1;
	umask(022);
	*state = folder;
	return 0;
}

static int remove_one(
	const char *path, const struct stat *st, int type, struct FTW *place)
{
	(void)st;
	(void)type;
	(void)place;
	return remove(path);
}

int sample_leave_folder(void **state)
{
	if (chdir("/") != 0)
		return -1;
	return nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

char *sample_replace(const char *text, const char *old, const char *new)
{
	const char *at = strstr(text, old);
	char *changed;

	if (!at)
		fail_msg("'%s' is not in the text", old);
	if (asprintf(&changed, "%.*s%s%s", (int)(at - text), text, new,
		    at + strlen(old)) < 0)
		fail_msg("no memory");
	return changed;
}
