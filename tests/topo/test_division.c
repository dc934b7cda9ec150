/* How pretended topologies divide CPUs. */
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
#include "machine/division.h"
#include "pretend.h"

/* Assert that a division of that name has these groups: "0 0 1 1". */
static void assert_division(const struct machine_divisions *divisions,
	const char *name, size_t n, const char *expected)
{
	for (size_t k = 0; k < divisions->n; k++) {
		const struct machine_division *division = &divisions->items[k];
		char text[256] = "";

		if (strcmp(division->name, name) != 0)
			continue;
		for (size_t i = 0; i < n; i++)
			snprintf(text + strlen(text),
				sizeof(text) - strlen(text), "%s%u",
				i ? " " : "", division->group[i]);
		assert_string_equal(text, expected);
		return;
	}
	fail_msg("no division by %s", name);
}

static void divide(struct machine *machine, const char *text,
	struct machine_divisions *divisions)
{
	struct cpu_list cpus = {0};

	assert_int_equal(cpu_list_parse(&cpus, text, NULL), 0);
	assert_int_equal(machine_divide(machine, &cpus, divisions, NULL), 0);
	cpu_list_release(&cpus);
	machine_free(machine);
}

static void objects_divide_from_the_finest(void **state)
{
	struct machine_divisions divisions;

	(void)state;
	divide(pretend_synthetic("package:2 l3:2 core:2 pu:2"), "0-15",
		&divisions);
	assert_int_equal(divisions.n, 3);
	assert_string_equal(divisions.items[0].name, "Core");
	assert_division(
		&divisions, "Core", 16, "0 0 1 1 2 2 3 3 4 4 5 5 6 6 7 7");
	assert_division(
		&divisions, "L3", 16, "0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3");
	assert_string_equal(divisions.items[2].name, "Package");
	assert_division(
		&divisions, "Package", 16, "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1");
	assert_int_equal(divisions.items[2].n_groups, 2);
	machine_divisions_release(&divisions);
}

/* In the order of the list, and only what its CPUs tell apart. */
static void only_the_measured_cpus_count(void **state)
{
	struct machine_divisions divisions;

	(void)state;
	divide(pretend_synthetic("package:2 l3:2 core:2 pu:2"), "14,0,2,4,6",
		&divisions);
	assert_int_equal(divisions.n, 2);
	assert_division(&divisions, "L3", 5, "0 1 1 2 2");
	assert_division(&divisions, "Package", 5, "0 1 1 1 1");
	machine_divisions_release(&divisions);
}

static void nodes_divide_beside_the_tree(void **state)
{
	struct machine_divisions divisions;

	(void)state;
	divide(pretend_synthetic("numa:2 pu:4"), "0-7", &divisions);
	assert_division(&divisions, "NUMANode", 8, "0 0 0 0 1 1 1 1");
	machine_divisions_release(&divisions);
}

/* CPUs without the cache are alone, kinds are a division too. */
static void hybrid_machines_divide_by_kind(void **state)
{
	struct machine_divisions divisions;

	(void)state;
	divide(pretend_xml("hybrid.xml"), "0-9", &divisions);
	assert_division(&divisions, "Core", 10, "0 0 1 1 2 3 4 5 6 7");
	assert_division(&divisions, "L3", 10, "0 0 0 0 0 0 0 0 1 2");
	assert_division(&divisions, "CPUKind", 10, "0 0 0 0 1 1 1 1 2 2");
	machine_divisions_release(&divisions);
}

static void a_cpu_of_another_machine_is_named(void **state)
{
	struct machine *machine = pretend_synthetic("core:2 pu:2");
	struct machine_divisions divisions;
	struct cpu_list cpus = {0};
	struct error err;

	(void)state;
	assert_int_equal(cpu_list_parse(&cpus, "0-4", NULL), 0);
	assert_int_equal(
		machine_divide(machine, &cpus, &divisions, &err), -EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text,
		"the topology has no CPU 4, which was measured: it is from "
		"another machine");
	machine_divisions_release(&divisions);
	cpu_list_release(&cpus);
	machine_free(machine);
}

static void objects_at_several_depths_divide_once(void **state)
{
	char *root = pretend_tree("uneven");
	struct machine_divisions divisions;

	(void)state;
	divide(pretend_machine(root), "0-4", &divisions);
	assert_int_equal(divisions.n, 1);
	assert_division(&divisions, "Core", 5, "0 0 1 1 2");
	machine_divisions_release(&divisions);
	pretend_remove(root);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(objects_divide_from_the_finest),
	cmocka_unit_test(objects_at_several_depths_divide_once),
	cmocka_unit_test(only_the_measured_cpus_count),
	cmocka_unit_test(nodes_divide_beside_the_tree),
	cmocka_unit_test(hybrid_machines_divide_by_kind),
	cmocka_unit_test(a_cpu_of_another_machine_is_named),
};

CASE_GROUP(cases);
