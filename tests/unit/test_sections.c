/* Records of several commands: sections, what was skipped, FILE:NAME. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "record/copy.h"
#include "result/fields.h"
#include "result/sections.h"
#include "sample.h"

/* Sections latency, queue, latency-2, and numa skipped. */
static void make_sections(struct result *whole)
{
	static char *arguments[] = {"--quick", NULL};
	static const char *const commands[] = {"latency", "queue", "latency"};
	struct result section;

	result_init(whole);
	whole->command = strdup("measure");
	whole->hwloc_xml = strdup("<topology/>");
	for (size_t i = 0; i < 3; i++) {
		sample_result(&section);
		free(section.command);
		section.command = strdup(commands[i]);
		assert_true(sections_add(whole, &section));
		assert_int_equal(section.n_matrices, 0);
		assert_null(whole->sections[i].hwloc_xml);
	}
	assert_true(sections_skip(whole, "numa", arguments, 1, "one node"));
}

static void assert_name(const struct result *whole, size_t i, const char *name)
{
	char *found = section_name(whole, i);

	assert_string_equal(found, name);
	free(found);
}

static void sections_have_the_names_of_their_commands(void **state)
{
	struct result whole;

	(void)state;
	make_sections(&whole);
	assert_name(&whole, 0, "latency");
	assert_name(&whole, 1, "queue");
	assert_name(&whole, 2, "latency-2");
	result_release(&whole);
}

static void a_record_is_written_and_read_again_with_its_sections(void **state)
{
	struct result whole, back, copy;
	char *text, *again;
	struct error err;

	(void)state;
	make_sections(&whole);
	text = sample_text(&whole, result_write_json);
	assert_non_null(strstr(text, "\"version\": 2"));
	assert_int_equal(sample_read(&back, text, &err), 0);
	assert_int_equal(back.n_sections, 3);
	assert_string_equal(back.sections[2].command, "latency");
	assert_int_equal(
		back.sections[2].n_matrices, whole.sections[2].n_matrices);
	assert_int_equal(back.n_skipped, 1);
	assert_string_equal(back.skipped[0].command, "numa");
	assert_string_equal(back.skipped[0].arguments[0], "--quick");
	assert_string_equal(back.skipped[0].reason, "one node");
	again = sample_text(&back, result_write_json);
	assert_string_equal(again, text);
	free(again);
	assert_true(struct_copy(&result_type, &copy, &back));
	assert_true(struct_same(&result_type, &copy, &back));
	result_release(&back);
	again = sample_text(&copy, result_write_json);
	assert_string_equal(again, text);
	free(copy.skipped[0].reason);
	copy.skipped[0].reason = strdup("two nodes");
	assert_false(struct_same(&result_type, &copy, &whole));
	result_release(&copy);
	result_release(&whole);
	free(text);
	free(again);
}

static void a_section_is_taken_with_the_topology(void **state)
{
	struct result whole, section;
	struct error err;

	(void)state;
	make_sections(&whole);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(section_take(&whole, i, &section, &err), 0);
		assert_string_equal(section.hwloc_xml, "<topology/>");
		assert_true(section.n_matrices > 0);
		result_release(&section);
	}
	assert_string_equal(whole.hwloc_xml, "<topology/>");
	result_release(&whole);
}

/* What choosing that name says; NULL: it is the section of this command. */
static void assert_choice(const char *name, const char *message)
{
	struct result whole;
	struct error err;
	int rc;

	make_sections(&whole);
	rc = section_choose(&whole, name, &err);
	assert_int_equal(rc, message ? -EINVAL : 0);
	if (message)
		assert_string_equal(err.text, message);
	else
		assert_string_equal(whole.hwloc_xml, "<topology/>");
	assert_int_equal(whole.n_sections, message ? 3 : 0);
	result_release(&whole);
}

static void a_section_is_chosen_by_its_name(void **state)
{
	(void)state;
	assert_choice("latency-2", NULL);
	assert_choice("queue", NULL);
	assert_choice("queue-2",
		"found no section 'queue-2' among latency, queue, latency-2");
	assert_choice("numa", "'numa' left no section: one node");
	assert_choice(NULL,
		"found 3 sections (latency, queue, latency-2), expected one: "
		"name it, as in FILE:latency");
}

static void assert_path(const char *path, const char *file, const char *name)
{
	const char *found;
	char *base = section_file(path, &found);

	assert_string_equal(base, file);
	if (name)
		assert_string_equal(found, name);
	else
		assert_null(found);
	free(base);
}

static void a_name_behind_a_colon_is_a_section_of_a_file(void **state)
{
	FILE *out;

	(void)state;
	assert_path("m.json:queue", "m.json:queue", NULL);
	out = fopen("m.json", "w");
	assert_non_null(out);
	fclose(out);
	assert_path("m.json", "m.json", NULL);
	assert_path("m.json:queue", "m.json", "queue");
	assert_path("m.json:", "m.json", "");
	assert_path("-", "-", NULL);
	/* A file of that name comes first. */
	out = fopen("m.json:queue", "w");
	assert_non_null(out);
	fclose(out);
	assert_path("m.json:queue", "m.json:queue", NULL);
	assert_path("m.json:queue:cache", "m.json:queue", "cache");
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(sections_have_the_names_of_their_commands),
	cmocka_unit_test(a_record_is_written_and_read_again_with_its_sections),
	cmocka_unit_test(a_section_is_taken_with_the_topology),
	cmocka_unit_test(a_section_is_chosen_by_its_name),
	cmocka_unit_test_setup_teardown(
		a_name_behind_a_colon_is_a_section_of_a_file,
		sample_enter_folder, sample_leave_folder),
};

CASE_GROUP(cases);
