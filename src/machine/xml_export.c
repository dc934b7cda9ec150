/*
 * xml_export.c: add measured values to a topology of hwloc: levels as Group
 * objects, classes of cores as CPU kinds, matrices as distances, caches as
 * caches. Groups come from the analysis, because hwloc can group only equal
 * distances, and measured values differ.
 */
#include "machine/xml_export.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/xml_export_parts.h"
#include "util/text.h"

/* hwloc's kinds of distances from the user: latency or bandwidth. */
#define LATENCY_KIND                                                           \
	(HWLOC_DISTANCES_KIND_MEANS_LATENCY | HWLOC_DISTANCES_KIND_FROM_USER)
#define BANDWIDTH_KIND                                                         \
	(HWLOC_DISTANCES_KIND_MEANS_BANDWIDTH | HWLOC_DISTANCES_KIND_FROM_USER)

/* The largest distance. */
#define MOST 1e18

/* hwloc has no name for an unknown efficiency. */
#define EFFICIENCY_UNKNOWN (-1)

/* Set each value of an attribute in an XML text to 0. */
static void zero_values(char *xml, const char *attribute)
{
	for (char *at = xml; (at = strstr(at, attribute));) {
		at += strlen(attribute);
		while (*at >= '0' && *at <= '9')
			*at++ = '0';
	}
}

/* Replace the machine by a copy whose node has no memory. */
static int clear_node_memory(struct machine **machine, struct error *err)
{
	struct machine *old = *machine;
	char *xml = machine_topology_xml(old->topology);
	int rc;

	*machine = NULL;
	if (xml) {
		zero_values(xml, " local_memory=\"");
		zero_values(xml, " count=\"");
	}
	rc = xml ? machine_new_xml(machine, xml, strlen(xml), err)
		 : error_no_memory(err, "a plain topology");
	free(xml);
	machine_free(old);
	return rc;
}

int machine_new_plain(struct machine **machine, const struct cpu_list *cpus,
	struct error *err)
{
	struct text_list list = {0};
	struct cpu_list sorted = {0};
	char *text;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < cpus->n; i++)
		rc = cpu_list_add(&sorted, cpus->cpus[i], err);
	cpu_list_sort(&sorted);
	/* Without "memory=0", hwloc simulates a node with 1 GiB. */
	text_list_add(&list, "", "[numa(memory=0)] pu:%zu(indexes=", cpus->n);
	for (size_t i = 0; i < sorted.n; i++)
		text_list_add(&list, i ? "," : "", "%u", sorted.cpus[i]);
	text_list_add(&list, "", ")");
	text = text_list_end(&list);
	cpu_list_release(&sorted);
	if (rc == 0)
		rc = text ? machine_new_synthetic(machine, text, err)
			  : error_no_memory(err, "a plain topology");
	free(text);
	/* hwloc 2.12 simulates the memory anyway. */
	if (rc == 0 && (*machine)->facts.memory_bytes > 0)
		rc = clear_node_memory(machine, err);
	return rc;
}

/* A group of a level, and its CPUs. */
struct measured_group {
	struct machine_level *level;
	size_t number;
	hwloc_bitmap_t set;
};

/* The topology to change, and the groups of all levels. */
struct topology_edit {
	hwloc_topology_t topology;
	const struct machine_facts *facts; /* facts of the topology */
	struct machine_measured *measured;
	hwloc_bitmap_t cpus; /* measured CPUs */
	/* [n_groups], level by level */
	struct measured_group *groups;
	size_t n_groups;
	char *xml; /* result, for free() */
	struct arena *arena;
	struct error *err;
};

/*
 * Return the group of a level that has all measured CPUs of a set, or SIZE_MAX
 * if no group has all.
 */
static size_t common_group(const struct topology_edit *edit,
	const struct machine_level *level, hwloc_const_bitmap_t set)
{
	size_t common = SIZE_MAX;

	for (int cpu = hwloc_bitmap_first(set); cpu >= 0;
		cpu = hwloc_bitmap_next(set, cpu)) {
		size_t group;

		if (!hwloc_bitmap_isset(edit->cpus, (unsigned)cpu))
			continue;
		group = level->group[cpu_list_find(
			edit->measured->cpus, (unsigned)cpu)];
		if (common != SIZE_MAX && group != common)
			return SIZE_MAX;
		common = group;
	}
	return common;
}

/* Add unmeasured CPUs to groups. */
static void add_unmeasured(const struct topology_edit *edit,
	const struct machine_level *level, const struct measured_group *groups)
{
	hwloc_obj_t pu = NULL;

	while ((pu = hwloc_get_next_obj_by_type(
			edit->topology, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t around = pu;
		size_t group;

		if (hwloc_bitmap_isset(edit->cpus, pu->os_index))
			continue;
		while (!hwloc_bitmap_intersects(around->cpuset, edit->cpus))
			around = around->parent;
		group = common_group(edit, level, around->cpuset);
		if (group != SIZE_MAX)
			hwloc_bitmap_set(groups[group].set, pu->os_index);
	}
}

/* Append the groups of a level. */
static void add_level_groups(
	struct topology_edit *edit, struct machine_level *level)
{
	const struct cpu_list *cpus = edit->measured->cpus;
	struct measured_group *groups = &edit->groups[edit->n_groups];

	for (size_t g = 0; g < level->n_groups; g++) {
		groups[g] =
			(struct measured_group){level, g, hwloc_bitmap_alloc()};
		edit->n_groups++;
		if (!groups[g].set)
			arena_fail(edit->arena);
	}
	for (size_t i = 0; i < cpus->n; i++)
		hwloc_bitmap_set(groups[level->group[i]].set, cpus->cpus[i]);
	add_unmeasured(edit, level, groups);
}

static void collect_measured_groups(struct topology_edit *edit)
{
	struct machine_measured *measured = edit->measured;
	const struct cpu_list *cpus = measured->cpus;
	size_t n = 0;

	for (size_t k = 0; k < measured->n_levels; k++)
		n += measured->levels[k].n_groups;
	edit->cpus = hwloc_bitmap_alloc();
	edit->groups = arena_alloc(edit->arena, n, sizeof(*edit->groups));
	if (!edit->cpus)
		arena_fail(edit->arena);
	for (size_t i = 0; i < cpus->n; i++)
		hwloc_bitmap_set(edit->cpus, cpus->cpus[i]);
	for (size_t k = 0; k < measured->n_levels; k++)
		add_level_groups(edit, &measured->levels[k]);
}

/* Mark the types of those objects at and below obj that a set crosses. */
static void mark_crossed_types(
	hwloc_obj_t obj, hwloc_const_bitmap_t set, bool crossed[])
{
	if (hwloc_bitmap_intersects(obj->cpuset, set) &&
		!hwloc_bitmap_isincluded(obj->cpuset, set) &&
		!hwloc_bitmap_isincluded(set, obj->cpuset))
		crossed[obj->type] = true;
	for (hwloc_obj_t child = obj->first_child; child;
		child = child->next_sibling) {
		/* An object within the set does not cross it. */
		if (hwloc_bitmap_intersects(child->cpuset, set) &&
			!hwloc_bitmap_isincluded(child->cpuset, set))
			mark_crossed_types(child, set, crossed);
	}
}

/*
 * Unmark types that must stay: Group, which measured groups need, and parents
 * of NUMA nodes. Without its parent, a node would become local to all CPUs of
 * the grandparent.
 */
static void keep_needed(hwloc_topology_t topology, bool crossed[])
{
	hwloc_obj_t node = NULL;

	crossed[HWLOC_OBJ_GROUP] = false;
	for (int type = 0; type < HWLOC_OBJ_TYPE_MAX; type++)
		crossed[type] &=
			hwloc_obj_type_is_normal((hwloc_obj_type_t)type) != 0;
	while ((node = hwloc_get_next_obj_by_type(
			topology, HWLOC_OBJ_NUMANODE, node))) {
		hwloc_obj_t local = node->parent;

		/* Skip memory-side caches. */
		while (!hwloc_obj_type_is_normal(local->type))
			local = local->parent;
		/* If several objects have the same CPUs, keep the outermost. */
		while (local->parent && hwloc_bitmap_isequal(local->cpuset,
						local->parent->cpuset))
			local = local->parent;
		crossed[local->type] = false;
	}
}

/*
 * Replace the topology by a copy without the crossed types. Copy it as XML,
 * because hwloc removes types only on loading, and because duplicates with CPU
 * kinds crash hwloc (up to 2.9 at least) when a kind is added.
 */
static int copy_without(
	struct topology_edit *edit, hwloc_topology_t from, const bool crossed[])
{
	hwloc_topology_t fresh = NULL;
	char *xml = NULL;
	int bytes, rc;

	rc = machine_topology_init(&fresh, edit->err);
	if (rc < 0)
		return rc;
	for (int type = 0; type < HWLOC_OBJ_TYPE_MAX; type++) {
		if (crossed[type])
			hwloc_topology_set_type_filter(fresh,
				(hwloc_obj_type_t)type,
				HWLOC_TYPE_FILTER_KEEP_NONE);
	}
	if (hwloc_topology_export_xmlbuffer(from, &xml, &bytes, 0) == 0)
		xml_export_blank_nodes(xml, edit->measured);
	if (!xml || hwloc_topology_set_xmlbuffer(fresh, xml, bytes) < 0 ||
		hwloc_topology_load(fresh) < 0)
		rc = error_set(edit->err, ERROR_FAILURE, errno ? errno : EIO,
			"hwloc cannot load the topology that it wrote");
	if (xml)
		hwloc_free_xmlbuffer(from, xml);
	if (rc < 0) {
		hwloc_topology_destroy(fresh);
		return rc;
	}
	if (edit->topology)
		hwloc_topology_destroy(edit->topology);
	edit->topology = fresh;
	return 0;
}

static int drop_crossed(struct topology_edit *edit)
{
	struct text_list names = {0}; /* "Core, L3" */
	bool crossed[HWLOC_OBJ_TYPE_MAX] = {false};
	bool any = false;

	for (size_t i = 0; i < edit->n_groups; i++) {
		if (!edit->groups[i].level->classes)
			mark_crossed_types(hwloc_get_root_obj(edit->topology),
				edit->groups[i].set, crossed);
	}
	keep_needed(edit->topology, crossed);
	for (int type = 0; type < HWLOC_OBJ_TYPE_MAX; type++) {
		if (crossed[type])
			text_list_add(&names, ", ", "%s",
				hwloc_obj_type_string((hwloc_obj_type_t)type));
		any |= crossed[type];
	}
	if (!any)
		return 0;
	edit->measured->left_out = text_list_end(&names);
	if (!edit->measured->left_out)
		arena_fail(edit->arena);
	return copy_without(edit, edit->topology, crossed);
}

void xml_export_add_info(struct arena *arena, hwloc_obj_t obj, const char *name,
	const char *value)
{
	if (value && hwloc_obj_add_info(obj, name, value) < 0)
		arena_fail(arena);
}

/* Add the measured values of a group to the object with the same CPUs. */
static void describe_group_object(struct topology_edit *edit, hwloc_obj_t obj,
	const struct measured_group *group)
{
	const struct machine_level *level = group->level;
	double rate = level->rates ? level->rates[group->number] : NAN;

	xml_export_add_info(edit->arena, obj, "C2CLevel", level->kind);
	if (!isnan(level->inside))
		xml_export_add_info(edit->arena, obj, "C2CInside",
			arena_format(edit->arena, "%.4g %s", level->inside,
				level->unit));
	if (!isnan(level->between))
		xml_export_add_info(edit->arena, obj, "C2CBetween",
			arena_format(edit->arena, "%.4g %s", level->between,
				level->unit));
	if (!isnan(level->confidence))
		xml_export_add_info(edit->arena, obj, "C2CConfidence",
			arena_format(edit->arena, "%.2f", level->confidence));
	if (!isnan(rate))
		xml_export_add_info(edit->arena, obj, "C2CBandwidth",
			arena_format(edit->arena, "%.4g GiB/s", rate));
}

/* Insert a Group over set. Return NULL if hwloc refuses. */
static hwloc_obj_t insert_group_object(
	struct topology_edit *edit, hwloc_const_bitmap_t set, const char *kind)
{
	hwloc_obj_t group = hwloc_topology_alloc_group_object(edit->topology);

	if (!group)
		return NULL;
	group->cpuset = hwloc_bitmap_dup(set);
	/* lstopo shows the subtype instead of "Group". */
	group->subtype = strdup(kind);
	/* If memory ran out, the set or the subtype is missing. */
	return hwloc_topology_insert_group_object(edit->topology, group);
}

static void add_group(
	struct topology_edit *edit, const struct measured_group *group)
{
	struct machine_level *level = group->level;
	hwloc_obj_t obj =
		hwloc_get_obj_covering_cpuset(edit->topology, group->set);

	if (hwloc_bitmap_weight(group->set) < 2)
		return;
	if (obj && hwloc_bitmap_isequal(obj->cpuset, group->set)) {
		level->n_reported++;
	} else {
		obj = insert_group_object(edit, group->set, level->kind);
		if (!obj) {
			level->n_crossing++;
			return;
		}
		level->n_inserted++;
	}
	describe_group_object(edit, obj, group);
}

/*
 * Add a class as a CPU kind. The efficiency is unknown. hwloc intersects the
 * class with the kinds that the topology already has.
 */
static void add_class(
	struct topology_edit *edit, const struct measured_group *group)
{
	char name[] = "C2CClass", value[24];
	struct hwloc_info_s info = {name, value};

	snprintf(value, sizeof(value), "%zu", group->number);
	if (hwloc_cpukinds_register(edit->topology, group->set,
		    EFFICIENCY_UNKNOWN, 1, &info, 0) < 0)
		arena_fail(edit->arena);
	group->level->n_inserted++;
}

/* hwloc's integer unit for each unit of c2c, and the factor between both. */
static const struct distance_scale {
	const char *unit, *fine;
	double factor;
} scales[] = {
	{"ns", "ps", 1000},
	{"GiB/s", "MiB/s", 1024},
};

static const struct distance_scale *find_distance_scale(const char *unit)
{
	for (size_t i = 0; i < sizeof(scales) / sizeof(*scales); i++) {
		if (strcmp(scales[i].unit, unit) == 0)
			return &scales[i];
	}
	return NULL;
}

/*
 * Scale the cells to hwloc's integers, [n * n]. Count the cells off the
 * diagonal that are missing or too large.
 */
static hwloc_uint64_t *scale_values(struct arena *arena,
	struct machine_matrix *matrix, double factor, size_t n)
{
	hwloc_uint64_t *values = arena_alloc(arena, n * n, sizeof(*values));
	hwloc_uint64_t most = 0;

	for (size_t i = 0; i < n * n; i++) {
		double value = matrix->values[i] * factor;

		if (value <= MOST)
			values[i] = (hwloc_uint64_t)llround(value);
		else if (i % (n + 1) && isnan(value))
			matrix->n_missing++;
		else if (i % (n + 1))
			matrix->n_too_large++;
		if (values[i] > most)
			most = values[i];
	}
	for (size_t i = 0; i < n * n; i += n + 1) {
		if (!(matrix->values[i] * factor <= MOST) &&
			matrix->higher_is_better)
			values[i] = most;
	}
	return values;
}

static int commit_distances(hwloc_topology_t topology, const char *name,
	unsigned long kind, unsigned n, hwloc_obj_t *pus,
	hwloc_uint64_t *values)
{
#if HWLOC_API_VERSION >= 0x00020500
	hwloc_distances_add_handle_t handle =
		hwloc_distances_add_create(topology, name, kind, 0);

	if (!handle || hwloc_distances_add_values(
			       topology, handle, n, pus, values, 0) < 0)
		return -1;
	return hwloc_distances_add_commit(topology, handle, 0);
#else
	(void)name;
	return hwloc_distances_add(topology, n, pus, values, kind, 0);
#endif
}

static int add_distance_matrix(
	struct topology_edit *edit, struct machine_matrix *matrix)
{
	const struct cpu_list *cpus = edit->measured->cpus;
	const struct distance_scale *scale = find_distance_scale(matrix->unit);
	size_t n = cpus->n;
	hwloc_uint64_t *values;
	hwloc_obj_t *pus;

	matrix->bad_unit = !scale;
	if (!scale)
		return 0;
	values = scale_values(edit->arena, matrix, scale->factor, n);
	/* hwloc needs at least two objects, and a value in every cell. */
	if (matrix->n_missing + matrix->n_too_large > 0 || n < 2)
		return 0;
	pus = arena_alloc(edit->arena, n, sizeof(hwloc_obj_t));
	for (size_t i = 0; i < n; i++)
		pus[i] = hwloc_get_pu_obj_by_os_index(
			edit->topology, cpus->cpus[i]);
	if (commit_distances(edit->topology,
		    arena_format(edit->arena, "c2c %s %s", matrix->name,
			    scale->fine),
		    matrix->higher_is_better ? BANDWIDTH_KIND : LATENCY_KIND,
		    (unsigned)n, pus, values) == 0)
		return 0;
	return error_set(edit->err, ERROR_FAILURE, errno ? errno : EIO,
		"hwloc refuses the matrix %s as distances", matrix->name);
}

static int export_measured(
	struct arena *arena, void *context, struct error *err)
{
	struct topology_edit *edit = context;
	struct machine_measured *measured = edit->measured;
	int rc = machine_check_cpus(edit->topology, measured->cpus, err);

	edit->arena = arena;
	edit->err = err;
	if (rc < 0)
		return rc;
	collect_measured_groups(edit);
	rc = drop_crossed(edit);
	for (size_t i = 0; rc == 0 && i < edit->n_groups; i++) {
		if (edit->groups[i].level->classes)
			add_class(edit, &edit->groups[i]);
		else
			add_group(edit, &edit->groups[i]);
	}
	for (size_t m = 0; rc == 0 && m < measured->n_matrices; m++)
		rc = add_distance_matrix(edit, &measured->matrices[m]);
	for (size_t m = 0; rc == 0 && m < measured->n_node_matrices; m++)
		rc = xml_export_describe_nodes(edit->topology, edit->facts,
			&measured->node_matrices[m], err);
	if (rc < 0)
		return rc;
	xml_export_describe_caches(edit->topology, measured, arena);
	xml_export_describe_sharing(edit->topology, measured, arena);
	xml_export_add_info(edit->arena, hwloc_get_root_obj(edit->topology),
		"C2COrigin", measured->origin);
	edit->xml = machine_topology_xml(edit->topology);
	if (!edit->xml)
		arena_fail(arena);
	edit->xml = xml_export_insert_caches(edit->xml, measured, arena);
	return 0;
}

int machine_export_measured(const struct machine *machine,
	struct machine_measured *measured, char **xml, struct error *err)
{
	struct topology_edit edit = {
		.facts = &machine->facts, .measured = measured, .err = err};
	const bool none[HWLOC_OBJ_TYPE_MAX] = {false};
	struct arena arena = {0};
	int rc;

	measured->left_out = NULL;
	rc = copy_without(&edit, machine->topology, none);
	if (rc == 0)
		rc = arena_run(&arena, export_measured, &edit,
			"the topology with measured values", err);
	if (rc < 0) {
		free(measured->left_out);
		measured->left_out = NULL;
	}
	*xml = edit.xml;
	for (size_t i = 0; i < edit.n_groups; i++)
		hwloc_bitmap_free(edit.groups[i].set);
	hwloc_bitmap_free(edit.cpus);
	if (edit.topology)
		hwloc_topology_destroy(edit.topology);
	arena_release(&arena);
	return rc;
}
