/*
 * Measured groups and matrices put into pretended topologies, read back by
 * hwloc as any other program would.
 */
#include <errno.h>
#include <hwloc.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/xml_export.h"
#include "pretend.h"

#define MAX_CPUS 16

/* What a case exports: CPUs, a group of each, at one level or two. */
struct sample {
	struct cpu_list cpus;
	struct machine_level levels[2];
	struct machine_matrix matrices[2];
	struct machine_measured measured;
	double values[MAX_CPUS * MAX_CPUS];
	char *xml;
	hwloc_topology_t topology;
};

static void sample_init(struct sample *sample, const char *cpus)
{
	memset(sample, 0, sizeof(*sample));
	assert_int_equal(cpu_list_parse(&sample->cpus, cpus, NULL), 0);
	sample->measured = (struct machine_measured){
		.origin = "c2c latency",
		.cpus = &sample->cpus,
		.levels = sample->levels,
		.matrices = sample->matrices,
	};
}

static struct machine_level *add_level(struct sample *sample, const char *kind,
	const uint32_t *group, size_t n_groups)
{
	struct machine_level *level =
		&sample->levels[sample->measured.n_levels++];

	*level = (struct machine_level){
		.kind = kind,
		.group = group,
		.n_groups = n_groups,
		.unit = "ns",
		.inside = 21.25,
		.between = NAN,
		.confidence = 0.987,
	};
	return level;
}

static struct machine_matrix *add_matrix(
	struct sample *sample, const char *name, const char *unit, bool higher)
{
	struct machine_matrix *matrix =
		&sample->matrices[sample->measured.n_matrices++];
	size_t n = sample->cpus.n;

	for (size_t i = 0; i < n * n; i++)
		sample->values[i] =
			i % (n + 1) ? 10.0012 + (double)i : (double)NAN;
	*matrix = (struct machine_matrix){
		.name = name,
		.unit = unit,
		.higher_is_better = higher,
		.values = sample->values,
	};
	return matrix;
}

/* That each node is local to the CPUs that it was local to in machine. */
static void assert_nodes(
	const struct sample *sample, const struct machine *machine)
{
	const struct cpu_list *cpus = &machine_facts(machine)->online;
	hwloc_obj_t node = NULL;

	assert_int_equal(
		hwloc_get_nbobjs_by_type(sample->topology, HWLOC_OBJ_NUMANODE),
		machine_facts(machine)->numa_nodes);
	while ((node = hwloc_get_next_obj_by_type(
			sample->topology, HWLOC_OBJ_NUMANODE, node))) {
		for (size_t i = 0; i < cpus->n; i++)
			assert_int_equal(
				hwloc_bitmap_isset(node->cpuset, cpus->cpus[i]),
				machine_node_of(machine, cpus->cpus[i]) ==
					(int)node->os_index);
	}
}

/* Export from machine, which is freed, and load with hwloc's defaults. */
static void go(struct sample *sample, struct machine *machine)
{
	struct error err = {0};

	if (machine_export_measured(
		    machine, &sample->measured, &sample->xml, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(hwloc_topology_init(&sample->topology), 0);
	assert_int_equal(hwloc_topology_set_xmlbuffer(sample->topology,
				 sample->xml, (int)strlen(sample->xml) + 1),
		0);
	assert_int_equal(hwloc_topology_load(sample->topology), 0);
	hwloc_topology_check(sample->topology);
	assert_nodes(sample, machine);
	machine_free(machine);
}

static void sample_release(struct sample *sample)
{
	cpu_list_release(&sample->cpus);
	free(sample->measured.left_out);
	free(sample->xml);
	if (sample->topology)
		hwloc_topology_destroy(sample->topology);
}

static int count(const struct sample *sample, hwloc_obj_type_t type)
{
	return hwloc_get_nbobjs_by_type(sample->topology, type);
}

/* The k-th Group of this kind; Groups may be of several depths. */
static hwloc_obj_t find_group(
	const struct sample *sample, unsigned k, const char *kind)
{
	int depth = hwloc_topology_get_depth(sample->topology);

	while (--depth > 0) {
		hwloc_obj_t group =
			hwloc_get_obj_by_depth(sample->topology, depth, k);

		if (group && group->type == HWLOC_OBJ_GROUP && group->subtype &&
			strcmp(group->subtype, kind) == 0)
			return group;
	}
	fail_msg("no group %u of kind %s", k, kind);
	return NULL;
}

static void assert_info(hwloc_obj_t obj, const char *name, const char *expected)
{
	assert_string_equal(hwloc_obj_get_info_by_name(obj, name), expected);
}

/* That the k-th Group of this kind holds these CPUs. */
static void assert_group(const struct sample *sample, unsigned k,
	const char *kind, const char *cpus)
{
	hwloc_obj_t group = find_group(sample, k, kind);
	char *text;

	hwloc_bitmap_list_asprintf(&text, group ? group->cpuset : NULL);
	assert_string_equal(text, cpus);
	free(text);
	assert_info(group, "C2CLevel", kind);
	assert_info(group, "C2CInside", "21.25 ns");
	assert_info(group, "C2CConfidence", "0.99");
	assert_null(hwloc_obj_get_info_by_name(group, "C2CBetween"));
}

static void hidden_levels_become_groups(void **state)
{
	static const uint32_t smt[] = {0, 0, 1, 1, 2, 2, 3, 3};
	static const uint32_t package[] = {0, 0, 0, 0, 1, 1, 1, 1};
	struct sample sample;
	struct machine_level *inner, *outer;

	(void)state;
	sample_init(&sample, "0-7");
	inner = add_level(&sample, "smt", smt, 4);
	outer = add_level(&sample, "package", package, 2);
	go(&sample, pretend_synthetic("package:1 l3:1 core:8 pu:1"));
	assert_int_equal(inner->n_inserted, 4);
	assert_int_equal(outer->n_inserted, 2);
	assert_int_equal(inner->n_reported + inner->n_crossing, 0);
	assert_null(sample.measured.left_out);
	assert_group(&sample, 1, "smt", "2-3");
	assert_group(&sample, 3, "smt", "6-7");
	assert_group(&sample, 1, "package", "4-7");
	assert_int_equal(count(&sample, HWLOC_OBJ_CORE), 8);
	assert_int_equal(count(&sample, HWLOC_OBJ_L3CACHE), 1);
	assert_string_equal(
		hwloc_obj_get_info_by_name(
			hwloc_get_root_obj(sample.topology), "C2COrigin"),
		"c2c latency");
	sample_release(&sample);
}

static void what_is_reported_is_marked_not_doubled(void **state)
{
	static const uint32_t smt[] = {0, 1, 2, 3, 0, 1, 2, 3};
	struct sample sample;
	struct machine_level *level;
	hwloc_obj_t core;

	(void)state;
	sample_init(&sample, "0-7");
	level = add_level(&sample, "smt", smt, 4);
	go(&sample, pretend_synthetic("core:4 pu:2(indexes=0,4,1,5,2,6,3,7)"));
	assert_int_equal(level->n_reported, 4);
	assert_int_equal(level->n_inserted, 0);
	assert_int_equal(count(&sample, HWLOC_OBJ_GROUP), 0);
	core = hwloc_get_obj_by_type(sample.topology, HWLOC_OBJ_CORE, 3);
	assert_string_equal(
		hwloc_obj_get_info_by_name(core, "C2CLevel"), "smt");
	sample_release(&sample);
}

/* The topology says 0 and 1 are siblings, the measurement 0 and 4. */
static void what_is_denied_goes(void **state)
{
	static const uint32_t smt[] = {0, 1, 2, 3, 0, 1, 2, 3};
	struct sample sample;
	struct machine_level *level;

	(void)state;
	sample_init(&sample, "0-7");
	level = add_level(&sample, "smt", smt, 4);
	go(&sample, pretend_synthetic("package:2 l2:2 core:1 pu:2"));
	assert_string_equal(sample.measured.left_out, "Package, Core, L2Cache");
	assert_int_equal(level->n_inserted, 4);
	assert_int_equal(level->n_crossing, 0);
	assert_group(&sample, 3, "smt", "3,7");
	assert_int_equal(count(&sample, HWLOC_OBJ_CORE), 0);
	assert_int_equal(count(&sample, HWLOC_OBJ_PACKAGE), 0);
	assert_int_equal(count(&sample, HWLOC_OBJ_PU), 8);
	sample_release(&sample);
}

/* Each node is attached to something that measured groups cross. */
static void what_nodes_are_attached_to_stays(void **state)
{
	static const uint32_t group[] = {0, 1, 0, 1, 0, 1, 0, 1};
	static const struct {
		const char *topology, *left_out;
		hwloc_obj_type_t kept;
	} cases[] = {
		{"package:2 [numa] core:4 pu:1", NULL, HWLOC_OBJ_PACKAGE},
		{"package:2 [numa] l3:1 l2:2 core:2 pu:1", "L2Cache, L3Cache",
			HWLOC_OBJ_PACKAGE},
		{"package:2 l3:2 [numa] core:2 pu:1", "Package",
			HWLOC_OBJ_L3CACHE},
		{"package:1 [numa] l3:2 core:4 pu:1", "L3Cache",
			HWLOC_OBJ_PACKAGE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct machine_level *level;
		struct sample sample;
		bool several = i < 3;

		sample_init(&sample, "0-7");
		level = add_level(&sample, "group", group, 2);
		go(&sample, pretend_synthetic(cases[i].topology));
		if (cases[i].left_out)
			assert_string_equal(
				sample.measured.left_out, cases[i].left_out);
		else
			assert_null(sample.measured.left_out);
		assert_int_equal(level->n_crossing, several ? 2 : 0);
		assert_true(count(&sample, cases[i].kept) > 0);
		assert_int_equal(count(&sample, HWLOC_OBJ_CORE), 8);
		sample_release(&sample);
	}
}

/* NUMA nodes stay: a group across two of them has no place. */
static void groups_across_nodes_are_left_out(void **state)
{
	static const uint32_t group[] = {0, 1, 0, 1, 2, 2, 2, 2};
	struct sample sample;
	struct machine_level *level;

	(void)state;
	sample_init(&sample, "0-7");
	level = add_level(&sample, "group", group, 3);
	go(&sample, pretend_synthetic("numa:4 core:2 pu:1"));
	assert_int_equal(level->n_crossing, 2);
	assert_int_equal(level->n_inserted, 1);
	assert_group(&sample, 0, "group", "4-7");
	assert_int_equal(count(&sample, HWLOC_OBJ_NUMANODE), 4);
	sample_release(&sample);
}

/* Measured with one CPU of each core, or not at all. */
static void cpus_not_measured_go_with_their_objects(void **state)
{
	static const uint32_t halves[] = {0, 0, 1, 1};
	struct sample sample;
	struct machine_level *level;

	(void)state;
	sample_init(&sample, "0,2,4,6");
	level = add_level(&sample, "package", halves, 2);
	/* CPUs 8 and 9 are in no object with a measured one but the machine. */
	go(&sample, pretend_synthetic("core:5 pu:2"));
	assert_null(sample.measured.left_out);
	assert_int_equal(level->n_inserted, 2);
	assert_group(&sample, 0, "package", "0-3");
	assert_group(&sample, 1, "package", "4-7");
	sample_release(&sample);
}

static void classes_become_kinds(void **state)
{
	static const uint32_t class[] = {0, 0, 1, 1};
	struct sample sample;
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	struct hwloc_info_s *infos;
	unsigned n_infos;

	(void)state;
	sample_init(&sample, "0,2,1,3");
	add_level(&sample, "class", class, 2)->classes = true;
	go(&sample, pretend_synthetic("core:2 pu:2"));
	assert_null(sample.measured.left_out);
	assert_int_equal(count(&sample, HWLOC_OBJ_CORE), 2);
	assert_int_equal(count(&sample, HWLOC_OBJ_GROUP), 0);
	assert_int_equal(hwloc_cpukinds_get_nr(sample.topology, 0), 2);
	hwloc_bitmap_set(cpus, 1);
	hwloc_bitmap_set(cpus, 3);
	assert_int_equal(hwloc_cpukinds_get_info(sample.topology,
				 (unsigned)hwloc_cpukinds_get_by_cpuset(
					 sample.topology, cpus, 0),
				 NULL, NULL, &n_infos, &infos, 0),
		0);
	assert_int_equal(n_infos, 1);
	assert_string_equal(infos[0].name, "C2CClass");
	assert_string_equal(infos[0].value, "1");
	hwloc_bitmap_free(cpus);
	sample_release(&sample);
}

/* hwloc crashes when a duplicated topology with kinds is given more. */
static void classes_stand_beside_kinds_that_are_there(void **state)
{
	static const uint32_t class[] = {0, 0, 1, 1};
	struct machine *machine = NULL;
	struct sample first, again;

	(void)state;
	sample_init(&first, "0-3");
	add_level(&first, "class", class, 2)->classes = true;
	go(&first, pretend_synthetic("core:4 pu:1"));
	sample_init(&again, "0-3");
	add_level(&again, "class", class, 2)->classes = true;
	assert_int_equal(
		machine_new_xml(&machine, first.xml, strlen(first.xml), NULL),
		0);
	go(&again, machine);
	assert_int_equal(hwloc_cpukinds_get_nr(again.topology, 0), 2);
	sample_release(&first);
	sample_release(&again);
}

static struct hwloc_distances_s *distances_of(
	const struct sample *sample, const char *name)
{
	struct hwloc_distances_s *distances = NULL;
	unsigned n = 1;

#if HWLOC_API_VERSION >= 0x00020500
	assert_int_equal(hwloc_distances_get_by_name(
				 sample->topology, name, &n, &distances, 0),
		0);
#else
	(void)name;
	assert_int_equal(
		hwloc_distances_get(sample->topology, &n, &distances, 0, 0), 0);
#endif
	assert_int_equal(n, 1);
	return distances;
}

/* The value from CPU a to CPU b. */
static hwloc_uint64_t value_of(const struct sample *sample,
	struct hwloc_distances_s *distances, unsigned a, unsigned b)
{
	hwloc_uint64_t there = 0, back = 0;

	assert_int_equal(
		hwloc_distances_obj_pair_values(distances,
			hwloc_get_pu_obj_by_os_index(sample->topology, a),
			hwloc_get_pu_obj_by_os_index(sample->topology, b),
			&there, &back),
		0);
	return there;
}

static void latencies_become_distances(void **state)
{
	struct hwloc_distances_s *distances;
	struct sample sample;

	(void)state;
	sample_init(&sample, "2,0,1");
	add_matrix(&sample, "latency", "ns", false);
	go(&sample, pretend_synthetic("core:2 pu:2"));
	distances = distances_of(&sample, "c2c latency ps");
	assert_int_equal(distances->nbobjs, 3);
	assert_int_equal(
		distances->kind, HWLOC_DISTANCES_KIND_MEANS_LATENCY |
					 HWLOC_DISTANCES_KIND_FROM_USER);
	/* Row 0 is CPU 2, column 1 is CPU 0: cell 1; the way back: cell 3. */
	assert_int_equal(value_of(&sample, distances, 2, 0), 11001);
	assert_int_equal(value_of(&sample, distances, 0, 2), 13001);
	assert_int_equal(value_of(&sample, distances, 1, 0), 17001);
	assert_int_equal(value_of(&sample, distances, 1, 1), 0);
	hwloc_distances_release(sample.topology, distances);
	sample_release(&sample);
}

static void rates_become_distances(void **state)
{
	struct hwloc_distances_s *distances;
	struct sample sample;

	(void)state;
	sample_init(&sample, "0-2");
	add_matrix(&sample, "copy", "GiB/s", true);
	sample.values[0] = 2.5;
	go(&sample, pretend_synthetic("core:2 pu:2"));
	distances = distances_of(&sample, "c2c copy MiB/s");
	assert_int_equal(
		distances->kind, HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH |
					 HWLOC_DISTANCES_KIND_FROM_USER);
	assert_int_equal(value_of(&sample, distances, 0, 1), 11265);
	/* Measured, and not measured: the greatest. */
	assert_int_equal(value_of(&sample, distances, 0, 0), 2560);
	assert_int_equal(value_of(&sample, distances, 1, 1),
		value_of(&sample, distances, 2, 1));
	hwloc_distances_release(sample.topology, distances);
	sample_release(&sample);
}

static void what_hwloc_cannot_hold_is_left_out(void **state)
{
	struct sample sample;
	struct machine_matrix *holes, *cycles, *huge;
	struct hwloc_distances_s *distances;
	unsigned n = 1;

	(void)state;
	sample_init(&sample, "0-2");
	holes = add_matrix(&sample, "latency", "ns", false);
	cycles = add_matrix(&sample, "other", "cycles", false);
	sample.values[1] = (double)NAN;
	sample.values[2] = 1e300;
	go(&sample, pretend_synthetic("core:2 pu:2"));
	assert_int_equal(holes->n_missing, 1);
	assert_int_equal(holes->n_too_large, 1);
	assert_false(holes->bad_unit);
	assert_true(cycles->bad_unit);
	assert_int_equal(
		hwloc_distances_get(sample.topology, &n, &distances, 0, 0), 0);
	assert_int_equal(n, 0);
	sample_release(&sample);
	sample_init(&sample, "0-2");
	huge = add_matrix(&sample, "latency", "ns", false);
	sample.values[2] = 2e15;
	n = 1;
	go(&sample, pretend_synthetic("core:2 pu:2"));
	assert_int_equal(huge->n_missing, 0);
	assert_int_equal(huge->n_too_large, 1);
	assert_int_equal(
		hwloc_distances_get(sample.topology, &n, &distances, 0, 0), 0);
	assert_int_equal(n, 0);
	sample_release(&sample);
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
	struct machine *machine = pretend_synthetic("core:2 pu:2");
	struct error err = {0};
	struct sample sample;

	(void)state;
	sample_init(&sample, "0,9");
	assert_int_equal(machine_export_measured(
				 machine, &sample.measured, &sample.xml, &err),
		-EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	assert_non_null(strstr(err.text, "no CPU 9"));
	machine_free(machine);
	sample_release(&sample);
}

static void a_plain_machine_has_only_its_cpus(void **state)
{
	struct cpu_list cpus = {0};
	struct machine *machine;
	struct error err = {0};

	(void)state;
	assert_int_equal(cpu_list_parse(&cpus, "7,2,1048575", NULL), 0);
	if (machine_new_plain(&machine, &cpus, &err) < 0)
		fail_msg("%s", err.text);
	assert_cpus(&machine_facts(machine)->online, "2,7,1048575");
	assert_int_equal(machine_facts(machine)->cores, -1);
	assert_int_equal(machine_facts(machine)->memory_bytes, 0);
	machine_free(machine);
	cpu_list_release(&cpus);
	assert_int_equal(cpu_list_parse(&cpus, "5", NULL), 0);
	assert_int_equal(machine_new_plain(&machine, &cpus, &err), 0);
	machine_free(machine);
	cpu_list_release(&cpus);
}

/* As any program with HWLOC_XMLFILE does, c2c itself among them. */
static void programs_see_the_groups(void **state)
{
	static const uint32_t smt[] = {0, 1, 0, 1};
	char path[] = "/tmp/c2c-export-XXXXXX";
	int fd = mkstemp(path);
	struct machine *machine;
	struct sample sample;
	struct error err = {0};
	FILE *out = fdopen(fd, "w");

	(void)state;
	assert_non_null(out);
	sample_init(&sample, "0-3");
	add_level(&sample, "smt", smt, 2);
	go(&sample, pretend_synthetic("package:1 core:4 pu:1"));
	fputs(sample.xml, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(setenv("HWLOC_XMLFILE", path, 1), 0);
	if (machine_new(&machine, &err) < 0)
		fail_msg("%s", err.text);
	assert_int_equal(unsetenv("HWLOC_XMLFILE"), 0);
	assert_string_equal(machine_shared_by(machine, 0, 2), "Group");
	assert_string_equal(machine_shared_by(machine, 0, 1), "Package");
	machine_free(machine);
	remove(path);
	sample_release(&sample);
}

/* Caches of levels 1 and on as CPU 0 measured them: 40-50, 80-100 KiB ... */
static void add_caches(struct sample *sample,
	struct machine_measured_cache *caches, size_t n,
	const struct cpu_list *cpus)
{
	sample->measured.caches = caches;
	sample->measured.n_caches = n;
	for (size_t i = 0; i < n; i++)
		caches[i] = (struct machine_measured_cache){
			.level = (unsigned)i + 1,
			.cpus = &cpus[i],
			.least_bytes = (double)(40960U << i),
			.most_bytes = (double)(51200U << i),
			.line_bytes = NAN,
			.ways = i ? NAN : 12,
			.size_differs = true,
			.ways_differs = true,
		};
}

static hwloc_obj_t cache_over(
	const struct sample *sample, int level, unsigned cpu)
{
	return hwloc_get_ancestor_obj_by_type(sample->topology,
		(hwloc_obj_type_t)(HWLOC_OBJ_L1CACHE + level - 1),
		hwloc_get_pu_obj_by_os_index(sample->topology, cpu));
}

/* L1 over CPU 0 alone, since no one measured who shares it. */
static void missing_caches_are_put_around_their_cpus(void **state)
{
	struct cpu_list cpus[3] = {{0}};
	struct machine_measured_cache caches[3];
	struct sample sample;
	hwloc_obj_t obj;

	(void)state;
	assert_int_equal(cpu_list_parse(&cpus[1], "0-1", NULL), 0);
	assert_int_equal(cpu_list_parse(&cpus[2], "0-3", NULL), 0);
	sample_init(&sample, "0-7");
	add_caches(&sample, caches, 3, cpus);
	go(&sample, pretend_synthetic("numa:2 package:1 core:2 pu:2"));
	assert_int_equal(count(&sample, HWLOC_OBJ_L1CACHE), 1);
	assert_int_equal(count(&sample, HWLOC_OBJ_L2CACHE), 1);
	assert_int_equal(count(&sample, HWLOC_OBJ_L3CACHE), 1);
	obj = cache_over(&sample, 1, 0);
	assert_int_equal(hwloc_bitmap_weight(obj->cpuset), 1);
	assert_int_equal(obj->attr->cache.size, 40960);
	assert_int_equal(obj->attr->cache.associativity, 12);
	assert_int_equal(obj->attr->cache.linesize, 0);
	assert_int_equal(obj->attr->cache.type, HWLOC_OBJ_CACHE_DATA);
	assert_info(obj, "C2CMeasuredBytes", "40960-51200");
	assert_info(obj, "C2CMeasuredOn", "CPU 0");
	obj = cache_over(&sample, 2, 1);
	assert_int_equal(hwloc_bitmap_weight(obj->cpuset), 2);
	assert_int_equal(obj->attr->cache.type, HWLOC_OBJ_CACHE_UNIFIED);
	assert_info(obj, "C2CSharedBy", "0,1");
	/* Around the cores, inside the package of the same CPUs. */
	assert_int_equal(obj->parent->type, HWLOC_OBJ_L3CACHE);
	assert_int_equal(obj->first_child->type, HWLOC_OBJ_CORE);
	assert_int_equal(obj->parent->parent->type, HWLOC_OBJ_PACKAGE);
	assert_null(cache_over(&sample, 1, 1));
	assert_null(cache_over(&sample, 3, 4));
	for (size_t i = 0; i < 3; i++) {
		assert_true(caches[i].inserted);
		cpu_list_release(&cpus[i]);
	}
	sample_release(&sample);
}

/* CPUs 0, 4 and 1, 5 lie apart in the XML: their cores move together. */
static void a_missing_cache_may_have_cpus_that_lie_apart(void **state)
{
	struct cpu_list cpus[2] = {{0}};
	struct machine_measured_cache caches[2];
	struct sample sample;

	(void)state;
	assert_int_equal(cpu_list_parse(&cpus[1], "1,0,5", NULL), 0);
	sample_init(&sample, "0-7");
	add_caches(&sample, caches, 2, cpus);
	go(&sample, pretend_synthetic("package:1 core:8 pu:1"));
	assert_int_equal(count(&sample, HWLOC_OBJ_L2CACHE), 1);
	assert_int_equal(count(&sample, HWLOC_OBJ_CORE), 8);
	assert_ptr_equal(cache_over(&sample, 2, 5), cache_over(&sample, 2, 0));
	assert_null(cache_over(&sample, 2, 2));
	cpu_list_release(&cpus[1]);
	sample_release(&sample);
}

/* Those of the same size, not the other one of the second package. */
static void caches_that_are_alike_get_the_numbers(void **state)
{
	struct cpu_list none[3] = {{0}};
	struct machine_measured_cache caches[3];
	struct machine *machine = pretend_synthetic(
		"package:2 l3:1(size=1048576) l2:2(size=65536) core:1 pu:1");
	struct sample sample;
	hwloc_obj_t obj;

	(void)state;
	sample_init(&sample, "0-3");
	add_caches(&sample, caches, 3, none);
	caches[1].size_differs = false;
	caches[2].ways = 16;
	caches[2].line_bytes = 128;
	caches[2].line_differs = true;
	go(&sample, machine);
	/* There is no L1 to describe. */
	assert_int_equal(caches[0].n_objects, 0);
	assert_int_equal(caches[1].n_objects, 4);
	assert_int_equal(caches[1].n_described, 4);
	assert_int_equal(caches[2].n_described, 2);
	obj = cache_over(&sample, 2, 3);
	assert_int_equal(obj->attr->cache.size, 65536);
	assert_info(obj, "C2CMeasuredBytes", "81920-102400");
	assert_null(hwloc_obj_get_info_by_name(obj, "C2CReportedBytes"));
	obj = cache_over(&sample, 3, 3);
	assert_int_equal(obj->attr->cache.size, 163840);
	assert_int_equal(obj->attr->cache.linesize, 128);
	assert_int_equal(obj->attr->cache.associativity, 16);
	assert_info(obj, "C2CReportedBytes", "1048576");
	sample_release(&sample);
}

static void unlike_caches_keep_what_the_system_says(void **state)
{
	static const char big[] = "cache_size=\"65536\"";
	struct machine *same =
		pretend_synthetic("package:1 l2:2(size=65536) core:1 pu:1");
	char *xml = machine_export_xml(same), *at = NULL;
	struct cpu_list none[2] = {{0}};
	struct machine_measured_cache caches[2];
	struct machine *machine;
	struct sample sample;

	(void)state;
	assert_non_null(xml);
	for (char *next = xml; (next = strstr(next + 1, big));)
		at = next;
	assert_non_null(at);
	memcpy(at, "cache_size=\"32768\"", sizeof(big) - 1);
	assert_int_equal(machine_new_xml(&machine, xml, strlen(xml), NULL), 0);
	free(xml);
	machine_free(same);
	sample_init(&sample, "0-1");
	add_caches(&sample, caches, 2, none);
	go(&sample, machine);
	assert_int_equal(caches[1].n_objects, 2);
	assert_int_equal(caches[1].n_described, 1);
	assert_int_equal(cache_over(&sample, 2, 0)->attr->cache.size, 81920);
	assert_int_equal(cache_over(&sample, 2, 1)->attr->cache.size, 32768);
	sample_release(&sample);
}

/* CPUs 0, 2 and 1, 3 share what the system says is their own. */
static void caches_say_who_shares_them(void **state)
{
	static const uint32_t pairs[] = {0, 1, 0, 1};
	struct sample sample;

	(void)state;
	sample_init(&sample, "0-3");
	sample.measured.shared_level = 2;
	add_level(&sample, "llc", pairs, 2);
	go(&sample, pretend_synthetic("l3:1 l2:4 core:1 pu:1"));
	assert_info(cache_over(&sample, 2, 0), "C2CSharedBy", "0,2");
	assert_info(cache_over(&sample, 2, 3), "C2CSharedBy", "1,3");
	assert_null(hwloc_obj_get_info_by_name(
		cache_over(&sample, 3, 0), "C2CSharedBy"));
	sample_release(&sample);
}

/* A level that hwloc lacks, CPUs that are not there, sets that cross. */
static void caches_without_a_place_are_left_out(void **state)
{
	static const char *const sets[] = {"0,2", "0,9", "0-3"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct cpu_list cpus[2] = {{0}};
		struct machine_measured_cache caches[2];
		struct sample sample;

		assert_int_equal(cpu_list_parse(&cpus[1], sets[i], NULL), 0);
		sample_init(&sample, "0-3");
		add_caches(&sample, caches, 2, cpus);
		if (i == 2)
			caches[1].level = 6;
		caches[0].least_bytes = i ? 1e300 : NAN;
		go(&sample, pretend_synthetic("package:2 core:2 pu:1"));
		assert_int_equal(caches[1].crosses, i < 2);
		assert_int_equal(caches[1].unknown, i == 2);
		assert_int_equal(count(&sample, HWLOC_OBJ_L1CACHE), 0);
		assert_int_equal(count(&sample, HWLOC_OBJ_L2CACHE), 0);
		cpu_list_release(&cpus[1]);
		sample_release(&sample);
	}
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(hidden_levels_become_groups),
	cmocka_unit_test(what_is_reported_is_marked_not_doubled),
	cmocka_unit_test(what_is_denied_goes),
	cmocka_unit_test(what_nodes_are_attached_to_stays),
	cmocka_unit_test(groups_across_nodes_are_left_out),
	cmocka_unit_test(cpus_not_measured_go_with_their_objects),
	cmocka_unit_test(classes_become_kinds),
	cmocka_unit_test(classes_stand_beside_kinds_that_are_there),
	cmocka_unit_test(latencies_become_distances),
	cmocka_unit_test(rates_become_distances),
	cmocka_unit_test(what_hwloc_cannot_hold_is_left_out),
	cmocka_unit_test(a_cpu_that_is_not_there_is_refused),
	cmocka_unit_test(a_plain_machine_has_only_its_cpus),
	cmocka_unit_test(programs_see_the_groups),
	cmocka_unit_test(missing_caches_are_put_around_their_cpus),
	cmocka_unit_test(a_missing_cache_may_have_cpus_that_lie_apart),
	cmocka_unit_test(caches_that_are_alike_get_the_numbers),
	cmocka_unit_test(unlike_caches_keep_what_the_system_says),
	cmocka_unit_test(caches_say_who_shares_them),
	cmocka_unit_test(caches_without_a_place_are_left_out),
};

CASE_GROUP(cases);
