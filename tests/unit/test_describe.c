/*
 * Machine and tool as JSON, compared whole.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "../case_group.h"
#include "../topo/pretend.h"
#include "result/describe.h"
#include "result/result.h"

static const struct timebase timebase = {
	.source = "tsc",
	.hz = 2.5e9,
	.invariant = true,
	.counter = true,
	.step_ns = 10.44,
};

/* As c2c info prints it. */
static json_t *describe(const struct machine *machine)
{
	char *text = describe_text(machine, &timebase);
	json_t *report, *described;

	assert_non_null(text);
	report = json_loads(text, 0, NULL);
	assert_non_null(report);
	described = json_incref(json_object_get(report, "machine"));
	json_decref(report);
	free(text);
	return described;
}

static void assert_describes(const struct machine *machine, const char *text)
{
	json_error_t error;
	json_t *expected = json_loads(text, 0, &error);
	json_t *got = describe(machine);

	if (!expected)
		fail_msg("line %d: %s", error.line, error.text);
	assert_non_null(got);
	if (!json_equal(got, expected)) {
		char *dump = json_dumps(got, JSON_INDENT(1) | JSON_SORT_KEYS);

		fail_msg("got %s", dump);
	}
	json_decref(got);
	json_decref(expected);
}

static void unknown_facts_are_null(void **state)
{
	struct machine *machine = pretend_synthetic("pu:3");

	(void)state;
	assert_describes(machine,
		"{\"hostname\": null, \"cpu_model\": null, \"arch\": null,"
		"\"kernel\": null, \"hypervisor\": null, \"microcode\": null,"
		"\"governor\": null, \"smt\": null, \"boost\": null,"
		"\"clock\": {\"source\": \"tsc\", \"hz\": 2.5e9,"
		"            \"invariant\": true, \"step_ns\": 10.4},"
		"\"packages\": null, \"numa_nodes\": 1, \"llcs\": null,"
		"\"cores\": null, \"cpus_online\": 3,"
		"\"huge_pages\": {\"thp\": null, \"hugetlb_size_bytes\": null,"
		"                 \"hugetlb_total\": null,"
		"                 \"hugetlb_free\": null},"
		"\"warnings\": []}");
	machine_free(machine);
}

static void known_facts_are_told(void **state)
{
	char *root = pretend_tree("hybrid");
	struct machine *machine;

	(void)state;
	/* As hwloc-gather-topology writes it. */
	pretend_put(root, "proc/hwloc-nofile-info",
		"OSName: Linux\nOSRelease: 1\nHostName: host\n"
		"Architecture: arch\n");
	machine = pretend_machine(root);
	assert_describes(machine,
		"{\"hostname\": \"host\","
		"\"cpu_model\": \"Pretended Hybrid 155H\","
		"\"arch\": \"arch\", \"kernel\": \"Linux 1\","
		"\"hypervisor\": null, \"microcode\": \"0x2b\","
		"\"governor\": \"powersave\", \"smt\": true, \"boost\": true,"
		"\"clock\": {\"source\": \"tsc\", \"hz\": 2.5e9,"
		"            \"invariant\": true, \"step_ns\": 10.4},"
		"\"packages\": 1, \"numa_nodes\": 1, \"llcs\": 2,"
		"\"cores\": 8, \"cpus_online\": 10,"
		"\"huge_pages\": {\"thp\": \"never\","
		"                 \"hugetlb_size_bytes\": 2097152,"
		"                 \"hugetlb_total\": 4,"
		"                 \"hugetlb_free\": 3},"
		"\"warnings\": ["
		"{\"what\": \"this is not the real machine: a variable "
		"makes hwloc pretend another one\","
		"\"remedy\": \"unset HWLOC_FSROOT\"},"
		"{\"what\": \"the frequency governor of CPUs 0-9 is powersave, "
		"not performance: a CPU speeds up only while it is being "
		"measured\","
		"\"remedy\": \"cpupower frequency-set -g performance\"},"
		"{\"what\": \"boost (turbo) is on: the frequency depends on "
		"heat "
		"and on the number of busy CPUs, and it changes latencies "
		"within a core or cache\","
		"\"remedy\": \"echo 1 > /sys/devices/system/cpu/intel_pstate/"
		"no_turbo\"},"
		"{\"what\": \"idle CPUs sleep as deep as C6, which takes 220 "
		"us to leave: a parked thread starts late and with cold "
		"caches\","
		"\"remedy\": \"cpupower idle-set -D 10, or measure with "
		"--idle spin\"}]}");
	machine_free(machine);
	pretend_remove(root);
}

/* Firmware may hold any bytes, files only UTF-8 that a terminal may show. */
/* What is no UTF-8; what a terminal would obey is replaced before. */
static const char *kept_of(const struct machine *machine, unsigned cpu)
{
	struct result result;
	const char *kept;

	result_init(&result);
	assert_int_equal(describe_result(&result, "latency",
				 &(struct cpu_list){(unsigned[]){0, cpu}, 2},
				 machine, &timebase, NULL),
		0);
	kept = result.hwloc_xml ? "kept" : "not kept";
	result_release(&result);
	return kept;
}

static void a_topology_without_measured_cpus_is_not_kept(void **state)
{
	struct machine *machine = pretend_synthetic("pu:3");

	(void)state;
	assert_string_equal(kept_of(machine, 2), "kept");
	assert_string_equal(kept_of(machine, 3), "not kept");
	machine_free(machine);
}

static void text_that_no_file_takes_is_null(void **state)
{
	static const char *const models[] = {"caf\xe9", "caf\x1b[1m"};
	static const char *const expected[] = {NULL, "caf?[1m"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *root = pretend_tree("bare");
		struct machine *machine;
		char text[64];
		json_t *got;

		snprintf(text, sizeof(text), "cpu\t: %s\nmicrocode\t: 7\n",
			models[i]);
		pretend_put(root, "proc/cpuinfo", text);
		machine = pretend_machine(root);
		got = describe(machine);
		if (expected[i])
			assert_string_equal(json_string_value(json_object_get(
						    got, "cpu_model")),
				expected[i]);
		else
			assert_true(json_is_null(
				json_object_get(got, "cpu_model")));
		assert_string_equal(
			json_string_value(json_object_get(got, "microcode")),
			"7");
		json_decref(got);
		machine_free(machine);
		pretend_remove(root);
	}
}

static void the_tool_says_what_it_is(void **state)
{
	struct facts tool = describe_tool();
	const char *compiler = facts_text(&tool, "compiler");

	(void)state;
	assert_int_equal(tool.n, 3);
	assert_string_equal(facts_text(&tool, "version"), PACKAGE_VERSION);
	assert_non_null(compiler);
	assert_true(
		strncmp(compiler, "gcc ", 4) == 0 || strstr(compiler, "lang"));
	assert_non_null(facts_text(&tool, "cflags"));
	facts_release(&tool);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(unknown_facts_are_null),
	cmocka_unit_test(known_facts_are_told),
	cmocka_unit_test(a_topology_without_measured_cpus_is_not_kept),
	cmocka_unit_test(text_that_no_file_takes_is_null),
	cmocka_unit_test(the_tool_says_what_it_is),
};

CASE_GROUP(cases);
