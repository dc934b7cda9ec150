/*
 * Which CPUs a text names, on pretended machines, and what users are told
 * about those that they cannot have.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "pretend.h"

/* Two packages of an L3, an L2 a core, siblings at n/2. */
#define SERVER "package:2 l3:1 l2:2 core:1 pu:2(indexes=0,4,1,5,2,6,3,7)"

static void selects(struct machine *machine, const char *text,
	enum machine_per per, const char *expected)
{
	struct cpu_list cpus;
	struct error err = {0};

	if (machine_select(machine, text, per, &cpus, &err) != 0)
		fail_msg("%s: %s", text ? text : "all", err.text);
	assert_cpus(&cpus, expected);
	cpu_list_release(&cpus);
}

static void refuses(
	struct machine *machine, const char *text, const char *message)
{
	struct cpu_list cpus;
	struct error err = {0};

	assert_int_equal(
		machine_select(machine, text, MACHINE_PER_PU, &cpus, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_string_equal(err.text, message);
	cpu_list_release(&cpus);
}

static void numbers_keep_their_order(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	selects(machine, NULL, MACHINE_PER_PU, "0-7");
	selects(machine, "0", MACHINE_PER_PU, "0");
	selects(machine, "3,1,0-2", MACHINE_PER_PU, "3,1,0,2");
	selects(machine, "0-7/2", MACHINE_PER_PU, "0,2,4,6");
	selects(machine, "5,5,5", MACHINE_PER_PU, "5");
	machine_free(machine);
}

static void objects_stand_for_their_cpus(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	selects(machine, "core:0", MACHINE_PER_PU, "0,4");
	selects(machine, "core:3,core:0", MACHINE_PER_PU, "3,7,0,4");
	selects(machine, "core:1-2", MACHINE_PER_PU, "1,5,2,6");
	selects(machine, "package:1", MACHINE_PER_PU, "2,3,6,7");
	selects(machine, "l3:0", MACHINE_PER_PU, "0,1,4,5");
	selects(machine, "l2:1", MACHINE_PER_PU, "1,5");
	/* Logical indexes: the second PU is CPU 4. */
	selects(machine, "pu:1", MACHINE_PER_PU, "4");
	selects(machine, "numa:0", MACHINE_PER_PU, "0-7");
	selects(machine, "machine:0", MACHINE_PER_PU, "0-7");
	selects(machine, "7,core:0,1", MACHINE_PER_PU, "7,0,4,1");
	machine_free(machine);
}

static void names_have_aliases_in_any_case(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	selects(machine, "CORE:0", MACHINE_PER_PU, "0,4");
	selects(machine, "Package:1", MACHINE_PER_PU, "2,3,6,7");
	selects(machine, "socket:1", MACHINE_PER_PU, "2,3,6,7");
	selects(machine, "NUMA:0", MACHINE_PER_PU, "0-7");
	selects(machine, "node:0", MACHINE_PER_PU, "0-7");
	selects(machine, "NUMANode:0", MACHINE_PER_PU, "0-7");
	selects(machine, "LLC:1", MACHINE_PER_PU, "2,3,6,7");
	selects(machine, "ccx:1", MACHINE_PER_PU, "2,3,6,7");
	selects(machine, "L2:0", MACHINE_PER_PU, "0,4");
	selects(machine, "L2Cache:0", MACHINE_PER_PU, "0,4");
	machine_free(machine);
}

static void llcs_of_a_hybrid_machine_are_of_two_levels(void **state)
{
	struct machine *machine = pretend_xml("hybrid.xml");

	(void)state;
	selects(machine, "llc:0", MACHINE_PER_PU, "0-7");
	selects(machine, "llc:1", MACHINE_PER_PU, "8,9");
	selects(machine, "l2:0-2", MACHINE_PER_PU, "0-7");
	selects(machine, NULL, MACHINE_PER_CORE, "0,2,4-9");
	selects(machine, NULL, MACHINE_PER_LLC, "0,8");
	selects(machine, "9,3,l2:0-2", MACHINE_PER_LLC, "9,3");
	refuses(machine, "llc:2", "llc:2: there is no llc:2, only llc:0-1");
	machine_free(machine);
}

static void cores_keeps_the_first_named_of_each(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	selects(machine, NULL, MACHINE_PER_CORE, "0-3");
	selects(machine, "7,3,6,0", MACHINE_PER_CORE, "7,6,0");
	selects(machine, "package:1", MACHINE_PER_CORE, "2,3");
	machine_free(machine);
}

static void one_cpu_is_kept_of_any_object(void **state)
{
	struct machine *machine =
		pretend_synthetic("package:2 numa:2 l3:2 core:2 pu:2");

	(void)state;
	selects(machine, NULL, MACHINE_PER_PU, "0-31");
	selects(machine, "0-7", MACHINE_PER_CORE, "0,2,4,6");
	selects(machine, NULL, MACHINE_PER_LLC, "0,4,8,12,16,20,24,28");
	selects(machine, NULL, MACHINE_PER_NODE, "0,8,16,24");
	selects(machine, NULL, MACHINE_PER_PACKAGE, "0,16");
	/* The first that is named, in the order named. */
	selects(machine, "31,17,11,0-15", MACHINE_PER_PACKAGE, "31,11");
	selects(machine, "12,numa:1,3", MACHINE_PER_NODE, "12,3");
	machine_free(machine);
}

/* Memory over both packages, and some for each of them. */
static void the_node_with_the_fewest_cpus_is_the_closest(void **state)
{
	static const char *const machines[] = {
		"[numa] package:2 [numa] core:2 pu:1",
		"[numa(indexes=1,2,0)] package:2 [numa] core:2 pu:1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		struct machine *machine = pretend_synthetic(machines[i]);

		selects(machine, NULL, MACHINE_PER_NODE, "0,2");
		machine_free(machine);
	}
}

static void cpus_of_no_known_object_are_kept(void **state)
{
	struct machine *machine = pretend_synthetic("pu:3");

	(void)state;
	selects(machine, NULL, MACHINE_PER_CORE, "0-2");
	selects(machine, NULL, MACHINE_PER_LLC, "0-2");
	selects(machine, NULL, MACHINE_PER_PACKAGE, "0-2");
	/* hwloc gives every machine a node. */
	selects(machine, NULL, MACHINE_PER_NODE, "0");
	machine_free(machine);
}

static void refuses_cpus_that_do_not_exist(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	refuses(machine, "99", "CPU 99 is not on this machine (online: 0-7)");
	refuses(machine, "6-9",
		"6-9: CPUs 8-9 are not on this machine (online: 0-7)");
	refuses(machine, "0-1048575",
		"0-1048575: CPUs 8-1048575 are not on this machine (online: "
		"0-7)");
	refuses(machine, "0,8", "CPU 8 is not on this machine (online: 0-7)");
	machine_free(machine);
}

static void refuses_objects_that_do_not_exist(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	refuses(machine, "core:9", "core:9: there is no core:9, only core:0-3");
	refuses(machine, "numa:1", "numa:1: there is no numa:1, only numa:0");
	refuses(machine, "core:2-5",
		"core:2-5: there is no core:4, only core:0-3");
	refuses(machine, "l4:0",
		"there is no 'l4' on this machine: write CPU numbers (0-3,8), "
		"or one of these with an index (core:0): package, numa, l3, "
		"l2, core, pu, llc (the last-level cache)");
	refuses(machine, "bogus:1",
		"there is no 'bogus' on this machine: write CPU numbers "
		"(0-3,8), or one of these with an index (core:0): package, "
		"numa, l3, l2, core, pu, llc (the last-level cache)");
	machine_free(machine);

	machine = pretend_synthetic("core:2 pu:1");
	refuses(machine, "llc:0",
		"there is no 'llc' on this machine: write CPU numbers (0-3,8), "
		"or one of these with an index (core:0): numa, core, pu");
	/* Types that hwloc knows, but that hold no CPUs. */
	refuses(machine, "pci:0",
		"there is no 'pci' on this machine: write CPU numbers (0-3,8), "
		"or one of these with an index (core:0): numa, core, pu");
	machine_free(machine);
}

static void refuses_malformed_text(void **state)
{
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	refuses(machine, "",
		"an empty list of CPUs (write for instance 0-3,8 or core:0-3)");
	refuses(machine, ",", "',' has nothing on one side of a comma");
	refuses(machine, "0,", "'0,' has nothing on one side of a comma");
	refuses(machine, "0,,1", "'0,,1' has nothing on one side of a comma");
	refuses(machine, "core",
		"'core' is neither a CPU number (0-3,8) nor an object with an "
		"index (core:0, numa:0)");
	refuses(machine, "-1",
		"'-1' is neither a CPU number (0-3,8) nor an object with an "
		"index (core:0, numa:0)");
	refuses(machine, "core:",
		"'core:': an index was expected after 'core:' (write for "
		"instance core:0)");
	refuses(machine, "core:x",
		"'core:x': an index was expected after 'core:' (write for "
		"instance core:0)");
	machine_free(machine);
}

static void refuses_what_the_number_parser_refuses(void **state)
{
	static const char *const texts[] = {"1x", "3-1", "0-", "1 ,2",
		"core:1x", "core:3-1", "4294967296",
		"core:99999999999999999999"};
	struct machine *machine = pretend_synthetic(SERVER);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct cpu_list cpus;
		struct error err = {0};

		assert_int_equal(machine_select(machine, texts[i],
					 MACHINE_PER_PU, &cpus, &err),
			-EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_true(strlen(err.text) > 0);
		cpu_list_release(&cpus);
	}
	machine_free(machine);
}

/* Online 0-5, cpuset 0-4, affinity 0-2. */
static void tells_why_a_cpu_cannot_be_used(void **state)
{
	char *root = pretend_tree("restricted");
	struct machine *machine = pretend_machine(root);

	(void)state;
	selects(machine, NULL, MACHINE_PER_PU, "0-2");
	selects(machine, "core:2", MACHINE_PER_PU, "2");
	refuses(machine, "9", "CPU 9 is not on this machine (online: 0-5)");
	refuses(machine, "6",
		"CPU 6 is offline (chcpu --enable brings CPUs online) (online: "
		"0-5)");
	refuses(machine, "5",
		"CPU 5 is outside the cpuset of this process's cgroup "
		"(allowed: 0-2)");
	refuses(machine, "2-4",
		"2-4: CPUs 3-4 are outside this process's affinity, which "
		"taskset -c sets (allowed: 0-2)");
	/* The worst reason first: 5 for its cpuset, 4 could be had. */
	refuses(machine, "package:1",
		"package:1: CPU 5 is outside the cpuset of this process's "
		"cgroup (allowed: 0-2)");
	machine_free(machine);
	pretend_remove(root);
}

static void a_node_without_cpus_names_none(void **state)
{
	char *root = pretend_tree("memory");
	struct machine *machine = pretend_machine(root);

	(void)state;
	selects(machine, NULL, MACHINE_PER_NODE, "0,2");
	/* hwloc's order: node 2 hangs below node 0's package. */
	selects(machine, "numa:0", MACHINE_PER_PU, "0,1");
	refuses(machine, "numa:1", "numa:1: numa:1 has no CPUs");
	selects(machine, "numa:2", MACHINE_PER_PU, "2,3");
	machine_free(machine);
	pretend_remove(root);
}

static void selects_among_more_than_1024_cpus(void **state)
{
	struct machine *machine =
		pretend_synthetic("package:4 numa:2 l3:10 core:8 pu:2");

	(void)state;
	selects(machine, NULL, MACHINE_PER_PU, "0-1279");
	selects(machine, "1279,1024", MACHINE_PER_PU, "1279,1024");
	selects(machine, "package:3", MACHINE_PER_PU, "960-1279");
	selects(machine, "core:639", MACHINE_PER_CORE, "1278");
	selects(machine, NULL, MACHINE_PER_PACKAGE, "0,320,640,960");
	refuses(machine, "1280",
		"CPU 1280 is not on this machine (online: 0-1279)");
	machine_free(machine);
}

/* Groups of two levels: the name alone does not tell which. */
static void ambiguous_groups_are_refused(void **state)
{
	struct machine *machine =
		pretend_synthetic("group:2 group:2 core:2 pu:1");

	(void)state;
	refuses(machine, "group:0",
		"'group' stands for several levels here: write group0, group1 "
		"and so on");
	selects(machine, "group0:1", MACHINE_PER_PU, "4-7");
	selects(machine, "group1:1", MACHINE_PER_PU, "2,3");
	machine_free(machine);
}

/* Cores at two depths of the tree are cores all the same. */
static void objects_at_several_depths_are_counted_on(void **state)
{
	char *root = pretend_tree("uneven");
	struct machine *machine = pretend_machine(root);

	(void)state;
	assert_int_equal(machine_facts(machine)->cores, 3);
	assert_int_equal(machine_facts(machine)->smt, 1);
	selects(machine, "core:0-1", MACHINE_PER_PU, "0-3");
	selects(machine, "core:2", MACHINE_PER_PU, "4");
	selects(machine, NULL, MACHINE_PER_CORE, "0,2,4");
	refuses(machine, "core:3", "core:3: there is no core:3, only core:0-2");
	refuses(machine, "tile:0",
		"there is no 'tile' on this machine: write CPU numbers "
		"(0-3,8), or one of these with an index (core:0): package, "
		"numa, l1, core, pu, llc (the last-level cache)");
	machine_free(machine);
	pretend_remove(root);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(numbers_keep_their_order),
	cmocka_unit_test(objects_stand_for_their_cpus),
	cmocka_unit_test(names_have_aliases_in_any_case),
	cmocka_unit_test(llcs_of_a_hybrid_machine_are_of_two_levels),
	cmocka_unit_test(cores_keeps_the_first_named_of_each),
	cmocka_unit_test(one_cpu_is_kept_of_any_object),
	cmocka_unit_test(the_node_with_the_fewest_cpus_is_the_closest),
	cmocka_unit_test(cpus_of_no_known_object_are_kept),
	cmocka_unit_test(refuses_cpus_that_do_not_exist),
	cmocka_unit_test(refuses_objects_that_do_not_exist),
	cmocka_unit_test(objects_at_several_depths_are_counted_on),
	cmocka_unit_test(refuses_malformed_text),
	cmocka_unit_test(refuses_what_the_number_parser_refuses),
	cmocka_unit_test(tells_why_a_cpu_cannot_be_used),
	cmocka_unit_test(a_node_without_cpus_names_none),
	cmocka_unit_test(selects_among_more_than_1024_cpus),
	cmocka_unit_test(ambiguous_groups_are_refused),
};

CASE_GROUP(cases);
