/*
 * Questions to pretended topologies: facts, order, nodes, what is shared.
 */
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
#include "pretend.h"

/* Siblings at n/2, as on most x86 servers. */
#define HALVES "package:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)"

static void counts_what_the_topology_has(void **state)
{
	struct machine *machine =
		pretend_synthetic("package:2 l3:2(size=16777216) core:4 pu:2");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_int_equal(facts->packages, 2);
	assert_int_equal(facts->llcs, 4);
	assert_int_equal(facts->cores, 16);
	assert_int_equal(facts->smt, 1);
	assert_int_equal(facts->cpus_online, 32);
	assert_int_equal(facts->cpus_configured, 32);
	assert_int_equal(facts->line_bytes, 64);
	assert_cpus(&facts->online, "0-31");
	assert_cpus(&facts->allowed, "0-31");
	assert_cpus(&facts->offline, "");
	assert_int_equal(facts->n_caches, 4);
	assert_int_equal(facts->caches[3].level, 3);
	assert_int_equal(facts->caches[3].bytes, 16777216);
	assert_cpus(&facts->caches[3].cpus, "24-31");
	assert_int_equal(facts->n_kinds, 0);
	machine_free(machine);
}

static void knows_only_what_the_topology_tells(void **state)
{
	struct machine *machine = pretend_synthetic("pu:3");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_null(facts->hostname);
	assert_null(facts->cpu_model);
	assert_null(facts->arch);
	assert_null(facts->kernel);
	assert_null(facts->hypervisor);
	assert_null(facts->microcode);
	assert_null(facts->governor);
	assert_null(facts->thp);
	assert_int_equal(facts->packages, -1);
	assert_int_equal(facts->llcs, -1);
	assert_int_equal(facts->cores, -1);
	assert_int_equal(facts->smt, -1);
	assert_int_equal(facts->boost, -1);
	assert_true(facts->load_1min < 0);
	assert_int_equal(facts->hugetlb_bytes, -1);
	assert_int_equal(facts->hugetlb_total, -1);
	assert_int_equal(facts->hugetlb_free, -1);
	assert_int_equal(facts->n_warnings, 0);
	machine_free(machine);
}

static void names_come_from_xml(void **state)
{
	struct machine *machine = pretend_xml("hybrid.xml");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_string_equal(facts->hostname, "pretended");
	assert_string_equal(facts->cpu_model, "Pretended Hybrid 155H");
	assert_string_equal(facts->arch, "x86_64");
	assert_string_equal(facts->kernel, "Linux 6.1.0");
	assert_int_equal(facts->memory_bytes, 32ull << 30);
	assert_int_equal(facts->n_warnings, 0);
	machine_free(machine);
}

static void hybrid_has_kinds_and_llcs_of_two_levels(void **state)
{
	struct machine *machine = pretend_xml("hybrid.xml");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_int_equal(facts->n_kinds, 3);
	assert_cpus(&facts->kinds[0].cpus, "8,9");
	assert_int_equal(facts->kinds[0].efficiency, 0);
	assert_string_equal(facts->kinds[0].description,
		"FrequencyMaxMHz=2500 CoreType=IntelAtom");
	assert_cpus(&facts->kinds[1].cpus, "4-7");
	assert_cpus(&facts->kinds[2].cpus, "0-3");
	assert_int_equal(facts->kinds[2].efficiency, 2);
	assert_string_equal(facts->kinds[2].description,
		"FrequencyMaxMHz=5000 CoreType=IntelCore");
	assert_int_equal(facts->llcs, 2);
	assert_int_equal(facts->caches[0].level, 3);
	assert_cpus(&facts->caches[0].cpus, "0-7");
	assert_int_equal(facts->caches[1].level, 2);
	assert_int_equal(facts->caches[1].bytes, 2 << 20);
	assert_cpus(&facts->caches[1].cpus, "8,9");
	machine_free(machine);
}

static void offline_and_disallowed_are_told_apart(void **state)
{
	struct machine *machine = pretend_xml("restricted.xml");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_cpus(&facts->online, "0-5");
	assert_cpus(&facts->offline, "6,7");
	assert_cpus(&facts->cpuset, "0-4");
	assert_cpus(&facts->allowed, "0-4");
	assert_int_equal(facts->cpus_online, 6);
	assert_int_equal(facts->cpus_configured, 8);
	machine_free(machine);
}

static void sort(struct machine *machine, const char *from, const char *to)
{
	struct cpu_list cpus = {0};

	assert_int_equal(cpu_list_parse(&cpus, from, NULL), 0);
	machine_sort_by_topology(machine, &cpus);
	assert_cpus(&cpus, to);
	cpu_list_release(&cpus);
}

static void siblings_stand_side_by_side(void **state)
{
	struct machine *machine = pretend_synthetic(HALVES);

	(void)state;
	sort(machine, "0-7", "0,4,1,5,2,6,3,7");
	sort(machine, "7,6,1,0", "0,1,6,7");
	/* 20 and 9 are not in this machine. */
	sort(machine, "20,9,7,3,4", "4,3,7,9,20");
	machine_free(machine);
}

static void shared(
	struct machine *machine, unsigned a, unsigned b, const char *what)
{
	assert_string_equal(machine_shared_by(machine, a, b), what);
	assert_string_equal(machine_shared_by(machine, b, a), what);
}

static void names_the_closest_thing_shared(void **state)
{
	struct machine *machine = pretend_synthetic(HALVES);

	(void)state;
	shared(machine, 0, 4, "Core");
	shared(machine, 0, 1, "L3");
	shared(machine, 0, 2, "Machine");
	shared(machine, 5, 5, "PU");
	assert_null(machine_shared_by(machine, 0, 8));
	assert_null(machine_shared_by(machine, 8, 0));
	machine_free(machine);
}

static void names_shared_nodes_and_packages(void **state)
{
	struct machine *machine =
		pretend_synthetic("package:2 numa:2 l3:2 l2:2 core:2 pu:1");

	(void)state;
	shared(machine, 0, 1, "L2");
	shared(machine, 0, 2, "L3");
	shared(machine, 0, 4, "NUMANode");
	shared(machine, 0, 8, "Package");
	shared(machine, 0, 16, "Machine");
	machine_free(machine);

	/* A node that is the whole package tells nothing more. */
	machine = pretend_synthetic("package:2 [numa] core:2 pu:1");
	shared(machine, 0, 1, "Package");
	shared(machine, 0, 2, "Machine");
	machine_free(machine);
}

static void hybrid_shares_by_kind(void **state)
{
	struct machine *machine = pretend_xml("hybrid.xml");

	(void)state;
	shared(machine, 0, 1, "Core");
	shared(machine, 0, 2, "L3");
	shared(machine, 4, 7, "L2");
	shared(machine, 0, 4, "L3");
	shared(machine, 8, 9, "L2");
	shared(machine, 0, 8, "Package");
	machine_free(machine);
}

static void nodes_of(struct machine *machine, const char *text)
{
	assert_cpus(&machine_facts(machine)->memory_nodes, text);
}

static void finds_the_node_of_a_cpu(void **state)
{
	struct machine *machine =
		pretend_synthetic("numa:2(indexes=3,1) core:2 pu:1");

	(void)state;
	nodes_of(machine, "1,3");
	assert_int_equal(machine_node_of(machine, 0), 3);
	assert_int_equal(machine_node_of(machine, 1), 3);
	assert_int_equal(machine_node_of(machine, 2), 1);
	assert_int_equal(machine_node_of(machine, 4), -1);
	machine_free(machine);
}

/* CPUs 0,1 have no memory of their own; node 2 is nearer to them than 1. */
static void a_cpu_without_memory_has_a_nearest_node(void **state)
{
	struct machine *machine = pretend_xml("memory.xml");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	nodes_of(machine, "1-3");
	assert_int_equal(machine_node_of(machine, 0), 2);
	assert_int_equal(machine_node_of(machine, 1), 2);
	assert_int_equal(machine_node_of(machine, 2), 1);
	assert_int_equal(facts->n_nodes, 4);
	assert_int_equal(facts->nodes[0].memory_bytes, 0);
	assert_int_equal(facts->nodes[3].node, 3);
	assert_int_equal(facts->nodes[3].memory_bytes, 16ull << 30);
	machine_free(machine);
}

struct node_file {
	const char *path, *text;
};

/* The tree of memory, without its nodes 2 and 3, with other files. */
static char *pretend_nodes(const struct node_file *files, size_t n)
{
	char *root = pretend_tree("memory");

	pretend_drop(root, "sys/devices/system/node/node2");
	pretend_drop(root, "sys/devices/system/node/node3");
	for (size_t i = 0; i < n; i++) {
		char path[128];

		snprintf(path, sizeof(path), "sys/devices/system/%s",
			files[i].path);
		pretend_put(root, path, files[i].text);
	}
	return root;
}

/*
 * CPU 3 in a package of its own with node 4, which is nearer to node 0 than
 * node 1 is: only distances can tell.
 */
static void distances_tell_the_nearest_node(void **state)
{
	static const struct node_file files[] = {
		{"cpu/cpu2/topology/package_cpus", "4"},
		{"cpu/cpu2/topology/core_siblings", "4"},
		{"cpu/cpu3/topology/package_cpus", "8"},
		{"cpu/cpu3/topology/core_siblings", "8"},
		{"cpu/cpu3/topology/physical_package_id", "2"},
		{"node/node0/distance", "10 30 20"},
		{"node/node1/cpumap", "4"},
		{"node/node1/distance", "30 10 40"},
		{"node/node4/cpumap", "8"},
		{"node/node4/distance", "20 40 10"},
		{"node/node4/meminfo", "Node 4 MemTotal: 1024 kB"},
	};
	char *root = pretend_nodes(files, sizeof(files) / sizeof(files[0]));
	struct machine *machine = pretend_machine(root);

	(void)state;
	assert_int_equal(machine_node_of(machine, 0), 4);
	assert_int_equal(machine_node_of(machine, 2), 1);
	assert_int_equal(machine_node_of(machine, 3), 4);
	machine_free(machine);
	pretend_remove(root);
}

/*
 * Node 5 has no CPUs, so it stands under the machine, and is farther from CPUs
 * 0 and 1 than node 4.
 */
static void a_node_without_cpus_is_near_none(void **state)
{
	static const struct node_file files[] = {
		{"node/node0/distance", "10 30 20 40"},
		{"node/node1/cpumap", "4"},
		{"node/node1/distance", "30 10 40 50"},
		{"node/node4/cpumap", "8"},
		{"node/node4/distance", "20 40 10 50"},
		{"node/node4/meminfo", "Node 4 MemTotal: 1024 kB"},
		{"node/node5/cpumap", "0"},
		{"node/node5/distance", "40 50 50 10"},
		{"node/node5/meminfo", "Node 5 MemTotal: 1024 kB"},
	};
	char *root = pretend_nodes(files, sizeof(files) / sizeof(files[0]));
	struct machine *machine = pretend_machine(root);

	(void)state;
	nodes_of(machine, "1,4,5");
	assert_int_equal(machine_node_of(machine, 0), 4);
	assert_int_equal(machine_node_of(machine, 2), 1);
	assert_int_equal(machine_node_of(machine, 3), 4);
	machine_free(machine);
	pretend_remove(root);
}

/* Where no node tells its memory, every one may have some. */
static void nodes_of_unknown_memory_count(void **state)
{
	char *root = pretend_tree("bare");
	struct machine *machine = pretend_machine(root);

	(void)state;
	nodes_of(machine, "0");
	assert_int_equal(machine_node_of(machine, 0), 0);
	machine_free(machine);
	pretend_remove(root);
}

static void knows_more_than_1024_cpus(void **state)
{
	struct machine *machine =
		pretend_synthetic("package:4 numa:2 l3:10 core:8 pu:2");
	const struct machine_facts *facts = machine_facts(machine);

	(void)state;
	assert_cpus(&facts->allowed, "0-1279");
	assert_int_equal(facts->llcs, 80);
	assert_cpus(&facts->caches[79].cpus, "1264-1279");
	shared(machine, 1278, 1279, "Core");
	shared(machine, 1120, 1279, "NUMANode");
	shared(machine, 0, 1279, "Machine");
	assert_int_equal(machine_node_of(machine, 1279), 7);
	machine_free(machine);
}

static void exported_xml_comes_back_the_same(void **state)
{
	struct machine *machine = pretend_xml("restricted.xml");
	char *xml = machine_export_xml(machine);
	struct machine *again = NULL;
	struct error err;
	char *xml_again;

	(void)state;
	assert_non_null(xml);
	assert_int_equal(machine_new_xml(&again, xml, strlen(xml), &err), 0);
	xml_again = machine_export_xml(again);
	assert_string_equal(xml, xml_again);
	assert_cpus(&machine_facts(again)->allowed, "0-4");
	assert_cpus(&machine_facts(again)->offline, "6,7");
	free(xml_again);
	free(xml);
	machine_free(again);
	machine_free(machine);
}

static void refuses_what_is_no_topology(void **state)
{
	static const char *const texts[] = {"", "<", "<topology/>", "hello"};
	struct machine *machine = NULL;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		err.text[0] = '\0';
		assert_true(machine_new_xml(&machine, texts[i],
				    strlen(texts[i]), &err) < 0);
		assert_null(machine);
		assert_int_equal(err.class, ERROR_FAILURE);
		assert_non_null(strstr(err.text, "XML"));
	}
	assert_int_equal(
		machine_new_synthetic(&machine, "core:x", &err), -EINVAL);
	assert_null(machine);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_non_null(strstr(err.text, "'core:x'"));
}

/* hwloc dies of the one and would give a machine of equal PUs for the other. */
static void refuses_what_hwloc_does_not_survive(void **state)
{
	static const char *const pus[] = {
		"<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/>"
		"<object type=\"PU\" os_index=\"1\" cpuset=\"0x2\"/>",
		"<object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" "
		"complete_cpuset=\"0x1\"/>"
		"<object type=\"PU\" os_index=\"0\" cpuset=\"0x2\" "
		"complete_cpuset=\"0x2\"/>",
	};
	struct machine *machine = NULL;
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof(pus) / sizeof(pus[0]); i++) {
		char xml[1024];

		snprintf(xml, sizeof(xml),
			"<topology version=\"2.0\"><object type=\"Machine\" "
			"cpuset=\"0x3\" complete_cpuset=\"0x3\" "
			"allowed_cpuset=\"0x3\" nodeset=\"0x1\" "
			"complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\">"
			"<object type=\"NUMANode\" os_index=\"0\" "
			"cpuset=\"0x3\" complete_cpuset=\"0x3\" "
			"nodeset=\"0x1\" complete_nodeset=\"0x1\"/>%s"
			"</object></topology>",
			pus[i]);
		assert_int_equal(
			machine_new_xml(&machine, xml, strlen(xml), &err),
			-EINVAL);
		assert_null(machine);
		assert_int_equal(err.class, ERROR_FAILURE);
		assert_non_null(strstr(err.text, "damaged"));
	}
}

/* hwloc 2.9 asserts that a folder of nodes has one. Others may read it. */
static void survives_what_ends_hwloc(void **state)
{
	char *root = pretend_tree("bare");
	struct machine *machine = NULL;
	struct error err;

	(void)state;
	pretend_put(root, "sys/devices/system/node/has_cpu", "");
	pretend_drop(root, "sys/devices/system/node/has_cpu");
	assert_int_equal(setenv("HWLOC_FSROOT", root, 1), 0);
	if (machine_new(&machine, &err) < 0) {
		assert_null(machine);
		assert_int_equal(err.class, ERROR_FAILURE);
		assert_non_null(strstr(err.text, "does not survive"));
		assert_non_null(strstr(err.text, "HWLOC_FSROOT"));
	}
	assert_int_equal(unsetenv("HWLOC_FSROOT"), 0);
	machine_free(machine);
	pretend_remove(root);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(counts_what_the_topology_has),
	cmocka_unit_test(knows_only_what_the_topology_tells),
	cmocka_unit_test(names_come_from_xml),
	cmocka_unit_test(hybrid_has_kinds_and_llcs_of_two_levels),
	cmocka_unit_test(offline_and_disallowed_are_told_apart),
	cmocka_unit_test(siblings_stand_side_by_side),
	cmocka_unit_test(names_the_closest_thing_shared),
	cmocka_unit_test(names_shared_nodes_and_packages),
	cmocka_unit_test(hybrid_shares_by_kind),
	cmocka_unit_test(finds_the_node_of_a_cpu),
	cmocka_unit_test(a_cpu_without_memory_has_a_nearest_node),
	cmocka_unit_test(distances_tell_the_nearest_node),
	cmocka_unit_test(a_node_without_cpus_is_near_none),
	cmocka_unit_test(nodes_of_unknown_memory_count),
	cmocka_unit_test(knows_more_than_1024_cpus),
	cmocka_unit_test(exported_xml_comes_back_the_same),
	cmocka_unit_test(refuses_what_is_no_topology),
	cmocka_unit_test(refuses_what_hwloc_does_not_survive),
	cmocka_unit_test(survives_what_ends_hwloc),
};

CASE_GROUP(cases);
