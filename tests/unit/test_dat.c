/* .dat files: the golden file, what comes back, what is refused, gnuplot. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "../case_group.h"
#include "sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void golden_file_is_written(void **state)
{
	struct result result;
	char *text, *golden = sample_golden("result.dat");

	(void)state;
	sample_result(&result);
	text = sample_text(&result, result_write_dat);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
}

static void caches_have_a_line_each(void **state)
{
	struct result result;
	struct cache_level *level;
	struct cache_tlb *tlb;
	char *text;

	(void)state;
	result_init(&result);
	level = result_add_cache(&result, "L1d");
	assert_non_null(level);
	level->least_bytes = 46336;
	level->most_bytes = 55104;
	level->reported_bytes = 49152;
	level->ns = 1.25;
	level->clocks = 5;
	assert_non_null(result_add_cache(&result, "memory"));
	tlb = result_add_tlb(&result);
	assert_non_null(tlb);
	tlb->page_bytes = 4096;
	tlb->miss_ns = 1.5;
	result.extra.object = json_pack("{s:i, s:i}", "cache", 1, "tlb", 2);
	text = sample_text(&result, result_write_dat);
	assert_string_equal(strstr(text, "# cache"),
		"# cache: L1d 46336 55104 49152 1.25 5\n"
		"# cache: memory nan nan nan nan nan\n"
		"# tlb: 4096 nan nan 1.5 nan\n");
	free(text);
	result_release(&result);
}

/* Keys that would break lines or pass for others are left out. */
static void strange_keys_do_no_harm(void **state)
{
	struct result result;
	char *text;

	(void)state;
	result_init(&result);
	result.command = strdup("latency");
	facts_set_count(&result.options, "a\nb", 1);
	facts_set_count(&result.options, "a: b", 2);
	facts_set_count(&result.options, "good", 3);
	result.extra.object = json_pack("{s:i, s:i, s:i, s:i}", "matrix", 1,
		"machine.smt", 2, "", 3, "kept", 4);
	text = sample_text(&result, result_write_dat);
	assert_string_equal(text, "# format: c2c-result\n"
				  "# version: 1\n"
				  "# command: latency\n"
				  "# complete: false\n"
				  "# options.good: 3\n"
				  "# cpus: []\n"
				  "# kept: 4\n");
	free(text);
	result_release(&result);
}

static void it_is_not_read(void **state)
{
	char *golden = sample_golden("result.dat");

	(void)state;
	sample_refused(golden, "a .dat is for gnuplot and c2c does not read "
			       "it: name the .json or the .csv of that run");
	free(golden);
}

/*
 * What gnuplot reads of result.dat with these words after the file's name: its
 * own table, for free(); NULL when there is no gnuplot.
 */
static char *gnuplot(const char *words)
{
	char script[200], *text = NULL;
	char *const arguments[] = {"gnuplot", "-e", script, NULL};
	size_t room = 0, kept = 0;
	pid_t child;
	int status;
	FILE *in;

	snprintf(script, sizeof(script),
		"set table 'table'; plot 'result.dat' %s", words);
	status = posix_spawnp(
		&child, arguments[0], NULL, NULL, arguments, environ);
	if (status == ENOENT)
		return NULL;
	assert_int_equal(status, 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	in = fopen("table", "r");
	assert_non_null(in);
	if (getdelim(&text, &room, '\0', in) < 0)
		fail_msg("gnuplot wrote nothing");
	fclose(in);
	/* Versions differ in the blanks between columns. */
	for (const char *from = text; *from; from++) {
		if (*from != ' ' || from[1] != ' ')
			text[kept++] = *from;
	}
	text[kept] = '\0';
	return text;
}

static void gnuplot_reads_it(void **state)
{
	struct result result;
	char *text;

	(void)state;
	sample_result(&result);
	assert_int_equal(result_save(&result, "result.dat", NULL), 0);
	result_release(&result);
	text = gnuplot("index 0 matrix rowheaders columnheaders with image");
	if (!text) {
		print_message("skip: gnuplot is not installed\n");
		skip();
		return; /* never, which analysers do not know */
	}
	/* Columns x, y, value: place 2 across, place 0 down, CPUs 5 and 0. */
	assert_non_null(strstr(text, "\n 2 0 150.25"));
	assert_non_null(strstr(text, "\n 0 1 53.1"));
	free(text);
	text = gnuplot("index 1 matrix rowheaders every 1:1:0:1 "
		       "using 1:($2-1):3 with image");
	assert_non_null(text);
	assert_non_null(strstr(text, "\n 0 1 20"));
	free(text);
	text = gnuplot("index 2 using 1:2");
	assert_non_null(text);
	assert_non_null(strstr(text, "\n 64 1.5"));
	free(text);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(golden_file_is_written),
	cmocka_unit_test(caches_have_a_line_each),
	cmocka_unit_test(strange_keys_do_no_harm),
	cmocka_unit_test(it_is_not_read),
	cmocka_unit_test_setup_teardown(
		gnuplot_reads_it, sample_enter_folder, sample_leave_folder),
};

CASE_GROUP(cases);
