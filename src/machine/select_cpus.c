/*
 * select_cpus.c: find the CPUs that a user's text names: Linux CPU numbers and
 * hwloc objects by logical index, separated by commas.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "machine/internal.h"
#include "util/text.h"

struct cpu_selection {
	const struct machine *machine;
	const char *text; /* NULL: all allowed CPUs */
	enum machine_per per;
	struct cpu_list *cpus;
	struct arena *arena;
	struct error *err;
};

/*
 * The objects that a name selects: those of one depth of hwloc's tree, those of
 * a type at several depths (spread), or the LLCs of the facts, which may be
 * caches of several levels.
 */
struct object_level {
	bool llc, spread;
	int depth;
	hwloc_obj_type_t type;
	unsigned n;
};

/* Return the names of this machine's objects, "core, l2, l3, llc, numa, pu". */
static char *format_selector_names(const struct machine *machine)
{
	static const struct {
		const char *name;
		hwloc_obj_type_t type;
	} names[] = {
		{"package", HWLOC_OBJ_PACKAGE},
		{"numa", HWLOC_OBJ_NUMANODE},
		{"die", HWLOC_OBJ_DIE},
		{"l4", HWLOC_OBJ_L4CACHE},
		{"l3", HWLOC_OBJ_L3CACHE},
		{"l2", HWLOC_OBJ_L2CACHE},
		{"l1", HWLOC_OBJ_L1CACHE},
		{"core", HWLOC_OBJ_CORE},
		{"pu", HWLOC_OBJ_PU},
	};
	struct text_list list = {0};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (count_of_type(machine->topology, names[i].type) > 0)
			text_list_add(&list, ", ", "%s", names[i].name);
	}
	if (machine->facts.n_caches)
		text_list_add(&list, ", ", "llc (the last-level cache)");
	return text_list_end(&list);
}

static int no_such_name(const struct cpu_selection *to, const char *name)
{
	return error_set(to->err, ERROR_USAGE, EINVAL,
		"there is no '%s' on this machine: write CPU numbers (0-3,8), "
		"or one of these with an index (core:0): %s",
		name,
		arena_adopt(to->arena, format_selector_names(to->machine)));
}

static int find_object_level(const struct cpu_selection *to, const char *name,
	struct object_level *level)
{
	hwloc_topology_t topology = to->machine->topology;
	hwloc_obj_type_t type;
	int depth, n;
	bool spread;

	*level = (struct object_level){0};
	/* hwloc does not know these names. */
	if (strcasecmp(name, "llc") == 0 || strcasecmp(name, "ccx") == 0) {
		level->llc = true;
		level->n = (unsigned)to->machine->facts.n_caches;
		return level->n ? 0 : no_such_name(to, name);
	}
	if (hwloc_type_sscanf_as_depth(name, &type, topology, &depth) < 0 ||
		depth == HWLOC_TYPE_DEPTH_UNKNOWN)
		return no_such_name(to, name);
	spread = depth == HWLOC_TYPE_DEPTH_MULTIPLE;
	if (spread && type == HWLOC_OBJ_GROUP)
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"'%s' stands for several levels here: write group0, "
			"group1 and so on",
			name);
	/* Devices have no CPUs. */
	n = spread ? count_of_type(topology, type)
		   : (int)hwloc_get_nbobjs_by_depth(topology, depth);
	if (n < 1 || (!hwloc_obj_type_is_normal(type) &&
			     !hwloc_obj_type_is_memory(type)))
		return no_such_name(to, name);
	level->spread = spread;
	level->depth = depth;
	level->type = type;
	level->n = (unsigned)n;
	return 0;
}

/* Why c2c may not use a CPU, the strongest reason first. */
enum cpu_restriction {
	RESTRICTION_ABSENT,
	RESTRICTION_OFFLINE,
	RESTRICTION_CPUSET,
	RESTRICTION_AFFINITY,
	RESTRICTION_NONE,
};

static enum cpu_restriction cpu_restriction_of(
	const struct machine *machine, unsigned cpu)
{
	/* Sets of CPUs, each within the one before. */
	static const enum machine_set sets[] = {
		SET_PRESENT, SET_ONLINE, SET_CPUSET, SET_AFFINITY};
	int restriction = RESTRICTION_ABSENT;

	while (restriction < RESTRICTION_NONE &&
		hwloc_bitmap_isset(machine->sets[sets[restriction]], cpu))
		restriction++;
	return (enum cpu_restriction)restriction;
}

static const char *const restriction_texts[] = {
	[RESTRICTION_ABSENT] = "not on this machine",
	[RESTRICTION_OFFLINE] = "offline (chcpu --enable brings CPUs online)",
	[RESTRICTION_CPUSET] = "outside the cpuset of this process's cgroup",
	[RESTRICTION_AFFINITY] =
		"outside this process's affinity, which taskset -c sets",
};

/* Report the CPUs in text that have this restriction. */
static int refuse_restricted_cpus(const struct cpu_selection *to,
	const char *text, const struct cpu_list *named,
	enum cpu_restriction restriction)
{
	const struct machine_facts *facts = &to->machine->facts;
	bool allowed = restriction >= RESTRICTION_CPUSET, one, plain;
	const char *have = arena_adopt(to->arena,
		cpu_list_format(allowed ? &facts->allowed : &facts->online));
	/* Use a set, because text may name a million CPUs. */
	hwloc_bitmap_t bad = hwloc_bitmap_alloc();
	char *list = NULL;

	for (size_t i = 0; bad && i < named->n; i++) {
		if (cpu_restriction_of(to->machine, named->cpus[i]) ==
			restriction)
			hwloc_bitmap_set(bad, named->cpus[i]);
	}
	if (bad && hwloc_bitmap_list_asprintf(&list, bad) < 0)
		list = NULL;
	one = bad && hwloc_bitmap_weight(bad) == 1;
	hwloc_bitmap_free(bad);
	list = arena_adopt(to->arena, list);
	plain = strcmp(list, text) == 0;
	return error_set(to->err, ERROR_USAGE, EINVAL,
		"%s%sCPU%s %s %s %s (%s: %s)", plain ? "" : text,
		plain ? "" : ": ", one ? "" : "s", list, one ? "is" : "are",
		restriction_texts[restriction], allowed ? "allowed" : "online",
		have);
}

/* Append the CPUs that text names, if c2c may use all of them. */
static int append_named_cpus(const struct cpu_selection *to, const char *text,
	const struct cpu_list *named)
{
	enum cpu_restriction worst = RESTRICTION_NONE;
	int rc = 0;

	for (size_t i = 0; i < named->n; i++) {
		enum cpu_restriction restriction =
			cpu_restriction_of(to->machine, named->cpus[i]);

		worst = restriction < worst ? restriction : worst;
	}
	if (worst != RESTRICTION_NONE)
		return refuse_restricted_cpus(to, text, named, worst);
	for (size_t i = 0; i < named->n && rc == 0; i++)
		rc = cpu_list_add(to->cpus, named->cpus[i], to->err);
	return rc;
}

/*
 * Return the CPUs of the object with this logical index, borrowed. Use the
 * facts for the CPUs of NUMA nodes: they are more reliable than hwloc.
 */
static struct cpu_list object_cpus(struct cpu_selection *to,
	const struct object_level *level, unsigned index)
{
	const struct machine_facts *facts = &to->machine->facts;
	hwloc_obj_t obj;

	if (level->llc)
		return facts->caches[index].cpus;
	obj = level->spread ? object_of_type(
				      to->machine->topology, level->type, index)
			    : hwloc_get_obj_by_depth(to->machine->topology,
				      level->depth, index);
	for (size_t i = 0; i < facts->n_nodes; i++) {
		if (obj->type == HWLOC_OBJ_NUMANODE &&
			facts->nodes[i].node == (int)obj->os_index)
			return facts->nodes[i].cpus;
	}
	return list_of_set(to->arena, obj->cpuset);
}

static int select_object(struct cpu_selection *to, const char *text,
	const char *name, const struct object_level *level, unsigned index)
{
	struct cpu_list named;

	if (index >= level->n && level->n == 1)
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"%s: there is no %s:%u, only %s:0", text, name, index,
			name);
	if (index >= level->n)
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"%s: there is no %s:%u, only %s:0-%u", text, name,
			index, name, level->n - 1);
	named = object_cpus(to, level, index);
	if (named.n == 0)
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"%s: %s:%u has no CPUs", text, name, index);
	return append_named_cpus(to, text, &named);
}

/* Select objects by name and indexes: "core:0-3". */
static int select_objects(struct cpu_selection *to, const char *text,
	const char *name, const char *indexes)
{
	struct cpu_list wanted = {0};
	struct object_level level;
	int rc = find_object_level(to, name, &level);

	if (rc < 0)
		return rc;
	if (!isdigit((unsigned char)*indexes))
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"'%s': an index was expected after '%s:' (write for "
			"instance %s:0)",
			text, name, name);
	rc = cpu_list_parse(&wanted, indexes, to->err);
	for (size_t i = 0; i < wanted.n && rc == 0; i++)
		rc = select_object(to, text, name, &level, wanted.cpus[i]);
	cpu_list_release(&wanted);
	return rc;
}

static int select_numbers(const struct cpu_selection *to, const char *text)
{
	struct cpu_list named = {0};
	int rc = cpu_list_parse(&named, text, to->err);

	if (rc == 0)
		rc = append_named_cpus(to, text, &named);
	cpu_list_release(&named);
	return rc;
}

/* Select one element of the list. */
static int select_piece(struct cpu_selection *to, const char *piece)
{
	const char *colon = strchr(piece, ':');
	const char *name;

	if (isdigit((unsigned char)*piece))
		return select_numbers(to, piece);
	if (!colon)
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"'%s' is neither a CPU number (0-3,8) nor an object "
			"with an index (core:0, numa:0)",
			piece);
	name = arena_format(to->arena, "%.*s", (int)(colon - piece), piece);
	return select_objects(to, piece, name, colon + 1);
}

static int select_text(struct cpu_selection *to, const char *text)
{
	char *rest = arena_strdup(to->arena, text);
	const char *piece;
	int rc = 0;

	if (!*text)
		return error_set(to->err, ERROR_USAGE, EINVAL,
			"an empty list of CPUs (write for instance 0-3,8 or "
			"core:0-3)");
	while (rc == 0 && (piece = strsep(&rest, ","))) {
		if (*piece)
			rc = select_piece(to, piece);
		else
			rc = error_set(to->err, ERROR_USAGE, EINVAL,
				"'%s' has nothing on one side of a comma",
				text);
	}
	return rc;
}

/*
 * Return the node that has cpu, as an index into the facts, or -1. If the
 * kernel's lists are missing, several nodes have the same CPU in hwloc, for
 * example DRAM and HBM. The node with the fewest CPUs is the closest.
 */
int machine_own_node_index(const struct machine_facts *facts, unsigned cpu)
{
	int closest = -1;

	for (size_t i = 0; i < facts->n_nodes; i++) {
		const struct cpu_list *cpus = &facts->nodes[i].cpus;

		if (cpu_list_find(cpus, cpu) >= 0 &&
			(closest < 0 || cpus->n < facts->nodes[closest].cpus.n))
			closest = (int)i;
	}
	return closest;
}

static int ancestor_of(
	const struct machine *machine, hwloc_obj_type_t type, unsigned cpu)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(machine->topology, cpu);
	hwloc_obj_t obj =
		pu ? hwloc_get_ancestor_obj_by_type(machine->topology, type, pu)
		   : NULL;

	return obj ? (int)index_of_object(machine->topology, obj) : -1;
}

/* Return the index of the object of type `per` that has cpu, or -1. */
static int object_of(
	const struct machine *machine, enum machine_per per, unsigned cpu)
{
	switch (per) {
	case MACHINE_PER_CORE:
		return ancestor_of(machine, HWLOC_OBJ_CORE, cpu);
	case MACHINE_PER_LLC:
		return machine_llc_index(&machine->facts, cpu);
	case MACHINE_PER_NODE:
		return machine_own_node_index(&machine->facts, cpu);
	case MACHINE_PER_PACKAGE:
		return ancestor_of(machine, HWLOC_OBJ_PACKAGE, cpu);
	default:
		return -1;
	}
}

/* Keep the first CPU of each object, and CPUs without a known object. */
static void keep_first(struct cpu_selection *to)
{
	int pus = hwloc_get_nbobjs_by_type(to->machine->topology, HWLOC_OBJ_PU);
	/* There may be more nodes without CPUs than PUs. */
	bool *seen = arena_alloc(to->arena,
		(size_t)pus + to->machine->facts.n_nodes, sizeof(*seen));
	size_t kept = 0;

	for (size_t i = 0; i < to->cpus->n; i++) {
		unsigned cpu = to->cpus->cpus[i];
		int object = object_of(to->machine, to->per, cpu);

		if (object >= 0 && seen[object])
			continue;
		if (object >= 0)
			seen[object] = true;
		to->cpus->cpus[kept++] = cpu;
	}
	to->cpus->n = kept;
}

static int select_all(struct arena *arena, void *context, struct error *err)
{
	struct cpu_selection *to = context;
	int rc;

	to->arena = arena;
	to->err = err;
	rc = to->text ? select_text(to, to->text)
		      : append_named_cpus(to, "", &to->machine->facts.allowed);
	if (rc == 0)
		keep_first(to);
	return rc;
}

int machine_select(const struct machine *machine, const char *text,
	enum machine_per per, struct cpu_list *cpus, struct error *err)
{
	struct cpu_selection to = {machine, text, per, cpus, NULL, NULL};
	struct arena arena = {0};
	int rc;

	*cpus = (struct cpu_list){0};
	rc = arena_run(&arena, select_all, &to, "a list of CPUs", err);
	arena_release(&arena);
	return rc;
}
