/*
 * Puts measured caches into a topology of hwloc. A cache of the topology gets
 * the measured numbers. hwloc has no function that inserts a cache, so a cache
 * that is missing is written into the XML, around the objects of its CPUs.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/xml_export_parts.h"
#include "util/text.h"

/* The levels of caches that hwloc knows. */
#define LEVELS 5

/* No cache has larger numbers. */
#define BYTES_MOST 1e15
#define LINE_MOST  65536
#define WAYS_MOST  65536

/* A whole number within the limits, or 0. */
static double number_of(double value, double most)
{
	return value >= 1 && value <= most ? floor(value) : 0;
}

/* The lower end of the interval: a program may count on it. */
static double size_of(const struct machine_measured_cache *cache)
{
	return number_of(cache->least_bytes, BYTES_MOST);
}

static hwloc_obj_type_t type_of(const struct machine_measured_cache *cache)
{
	return (hwloc_obj_type_t)(HWLOC_OBJ_L1CACHE + (int)cache->level - 1);
}

static void add_info(
	struct arena *arena, hwloc_obj_t obj, const char *name, char *value)
{
	if (value && hwloc_obj_add_info(obj, name, value) < 0)
		arena_fail(arena);
}

/* A range of bytes, or NULL. */
static char *bytes_of(
	const struct machine_measured_cache *cache, struct arena *arena)
{
	double least = size_of(cache);
	double most = number_of(cache->most_bytes, BYTES_MOST);

	return least > 0 && most >= least
		       ? arena_format(arena, "%.0f-%.0f", least, most)
		       : NULL;
}

/* A number that was measured, or NULL. */
static char *count_of(double value, double most, struct arena *arena)
{
	double number = number_of(value, most);

	return number > 0 ? arena_format(arena, "%.0f", number) : NULL;
}

/* The infos of a cache, except those whose value is NULL. */
#define INFOS 6
struct infos {
	const char *names[INFOS];
	char *values[INFOS];
};

static struct infos infos_of(const struct machine_measured *measured,
	const struct machine_measured_cache *cache,
	const struct hwloc_cache_attr_s *told, struct arena *arena)
{
	return (struct infos){
		{"C2CMeasuredBytes", "C2CReportedBytes", "C2CMeasuredLine",
			"C2CMeasuredWays", "C2CMeasuredOn", "C2CSharedBy"},
		{bytes_of(cache, arena),
			told && cache->size_differs
				? arena_format(arena, "%llu",
					  (unsigned long long)told->size)
				: NULL,
			count_of(cache->line_bytes, LINE_MOST, arena),
			count_of(cache->ways, WAYS_MOST, arena),
			arena_format(arena, "CPU %u", measured->cache_cpu),
			cache->cpus->n ? arena_adopt(arena,
						 cpu_list_format(cache->cpus))
				       : NULL},
	};
}

/* Whether the system says the same about both caches and their CPUs. */
static bool alike(hwloc_topology_t topology, hwloc_obj_t a, hwloc_obj_t b)
{
	const struct hwloc_cache_attr_s *x = &a->attr->cache;
	const struct hwloc_cache_attr_s *y = &b->attr->cache;

	return x->size == y->size && x->linesize == y->linesize &&
	       x->associativity == y->associativity &&
	       hwloc_cpukinds_get_by_cpuset(topology, a->cpuset, 0) ==
		       hwloc_cpukinds_get_by_cpuset(topology, b->cpuset, 0);
}

static void describe(const struct machine_measured *measured,
	const struct machine_measured_cache *cache, hwloc_obj_t obj, bool own,
	struct arena *arena)
{
	struct hwloc_cache_attr_s *facts = &obj->attr->cache;
	struct infos infos = infos_of(measured, cache, facts, arena);

	for (int i = 0; i < INFOS; i++) {
		/* Only one cache was tested for who shares it. */
		if (own || i + 1 < INFOS)
			add_info(arena, obj, infos.names[i], infos.values[i]);
	}
	if (cache->size_differs && size_of(cache) > 0)
		facts->size = (hwloc_uint64_t)size_of(cache);
	if (cache->line_differs && number_of(cache->line_bytes, LINE_MOST) > 0)
		facts->linesize =
			(unsigned)number_of(cache->line_bytes, LINE_MOST);
	if (cache->ways_differs && number_of(cache->ways, WAYS_MOST) > 0)
		facts->associativity = (int)number_of(cache->ways, WAYS_MOST);
}

static hwloc_obj_t find_own(
	hwloc_topology_t topology, hwloc_obj_type_t type, unsigned cpu)
{
	hwloc_obj_t obj = NULL;

	while ((obj = next_of_type(topology, type, obj))) {
		if (hwloc_bitmap_isset(obj->cpuset, cpu))
			return obj;
	}
	return NULL;
}

void export_describe_caches(hwloc_topology_t topology,
	struct machine_measured *measured, struct arena *arena)
{
	for (size_t i = 0; i < measured->n_caches; i++) {
		struct machine_measured_cache *cache = &measured->caches[i];
		hwloc_obj_t own, obj = NULL;
		bool *same;
		size_t n = 0;

		cache->unknown = cache->level < 1 || cache->level > LEVELS;
		if (cache->unknown)
			continue;
		own = find_own(topology, type_of(cache), measured->cache_cpu);
		if (!own)
			continue;
		same = arena_take(arena,
			(size_t)count_of_type(topology, type_of(cache)),
			sizeof(*same));
		/* Compare all before describe() changes own. */
		while ((obj = next_of_type(topology, type_of(cache), obj)))
			same[n++] = alike(topology, own, obj);
		cache->n_objects = n;
		n = 0;
		while ((obj = next_of_type(topology, type_of(cache), obj))) {
			if (!same[n++])
				continue;
			describe(measured, cache, obj, obj == own, arena);
			cache->n_described++;
		}
	}
}

/* The measured CPUs in the group of the CPU with index of. */
static char *group_of(
	const struct machine_measured *measured, size_t of, struct arena *arena)
{
	const struct machine_level *level = &measured->levels[0];
	const struct cpu_list *cpus = measured->cpus;
	struct cpu_list group = {
		arena_take(arena, cpus->n, sizeof(unsigned)), 0};

	for (size_t i = 0; i < cpus->n; i++) {
		if (level->group[i] == level->group[of])
			group.cpus[group.n++] = cpus->cpus[i];
	}
	return arena_adopt(arena, cpu_list_format(&group));
}

void export_describe_sharing(hwloc_topology_t topology,
	const struct machine_measured *measured, struct arena *arena)
{
	const struct machine_measured_cache like = {
		.level = measured->shared_level};
	const struct cpu_list *cpus = measured->cpus;

	if (like.level < 1 || like.level > LEVELS || measured->n_levels == 0 ||
		measured->levels[0].classes)
		return;
	for (size_t i = 0; i < cpus->n; i++) {
		hwloc_obj_t obj =
			find_own(topology, type_of(&like), cpus->cpus[i]);

		/* Once for each cache: for the first of its CPUs. */
		if (obj && !hwloc_obj_get_info_by_name(obj, "C2CSharedBy"))
			add_info(arena, obj, "C2CSharedBy",
				group_of(measured, i, arena));
	}
}

/* An object in the XML: its lines, and what tells where a cache goes. */
struct node {
	const char *begin, *end;
	size_t parent; /* the first node is its own parent */
	hwloc_bitmap_t set;
	bool normal; /* it has CPUs; memory and devices have none */
	bool core;   /* a core or a CPU */
	int cache;   /* its level; 0: not a cache */
};

struct tree {
	struct node *nodes;
	size_t n;
	unsigned long long last_index;
	struct arena *arena;
};

/* The value of an attribute in a line, or NULL. */
static char *attribute(
	struct arena *arena, const char *line, const char *end, const char *key)
{
	char *pattern = arena_format(arena, " %s=\"", key);
	size_t bytes = strlen(pattern);
	const char *at = memmem(line, (size_t)(end - line), pattern, bytes);
	const char *quote =
		at ? memchr(at + bytes, '"', (size_t)(end - at) - bytes) : NULL;

	return quote ? arena_format(arena, "%.*s",
			       (int)(quote - at - (int)bytes), at + bytes)
		     : NULL;
}

static void read_node(struct tree *tree, const char *line, const char *end)
{
	struct node *node = &tree->nodes[tree->n - 1];
	char *type = attribute(tree->arena, line, end, "type");
	char *set = attribute(tree->arena, line, end, "cpuset");
	char *index = attribute(tree->arena, line, end, "gp_index");
	unsigned long long number = index ? strtoull(index, NULL, 10) : 0;

	node->set = hwloc_bitmap_alloc();
	if (!node->set)
		arena_fail(tree->arena);
	if (set)
		hwloc_bitmap_sscanf(node->set, set);
	if (number > tree->last_index)
		tree->last_index = number;
	node->normal = type && set && strcmp(type, "NUMANode") != 0 &&
		       strcmp(type, "MemCache") != 0 &&
		       strcmp(type, "Misc") != 0;
	node->core =
		type && (strcmp(type, "Core") == 0 || strcmp(type, "PU") == 0);
	if (type && type[0] == 'L' && strstr(type, "Cache"))
		node->cache = type[1] - '0';
}

static bool begins(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* hwloc writes each tag on a line of its own. */
static void read_tree(struct tree *tree, const char *xml)
{
	size_t open = 0; /* the innermost object that has not ended */

	for (const char *line = xml, *next; *line; line = next) {
		size_t bytes = strcspn(line, "\n");
		const char *tag = line + strspn(line, " ");

		next = line + bytes + (line[bytes] == '\n');
		if (begins(tag, "<object ")) {
			tree->nodes = arena_grow(tree->arena, tree->nodes,
				tree->n, sizeof(*tree->nodes));
			tree->nodes[tree->n] = (struct node){
				.begin = line, .end = next, .parent = open};
			tree->n++;
			read_node(tree, line, next);
			if (bytes >= 2 && !begins(line + bytes - 2, "/>"))
				open = tree->n - 1;
		} else if (tree->n > 0 && begins(tag, "</object>")) {
			tree->nodes[open].end = next;
			open = tree->nodes[open].parent;
		}
	}
}

/* Where a cache goes: below parent, around some of its children. */
struct place {
	size_t parent;
	bool *inside; /* [tree->n] */
	size_t n_inside, first;
	bool crosses; /* no place: it and another object would overlap */
};

/* Whether a cache of this level with the CPUs of set goes below a node. */
static bool holds(const struct node *node, hwloc_const_bitmap_t set, int level)
{
	return node->normal && hwloc_bitmap_isincluded(set, node->set) &&
	       !(hwloc_bitmap_isequal(set, node->set) &&
		       (node->core || (node->cache && node->cache <= level)));
}

static struct place find_place(
	const struct tree *tree, hwloc_const_bitmap_t set, int level)
{
	struct place place = {
		.inside = arena_take(tree->arena, tree->n, sizeof(bool))};

	place.crosses = tree->n == 0 ||
			!hwloc_bitmap_isincluded(set, tree->nodes[0].set);
	/* Parents come before their children. */
	for (size_t i = 1; i < tree->n; i++) {
		const struct node *node = &tree->nodes[i];

		if (node->parent != place.parent || !holds(node, set, level))
			continue;
		place.parent = i;
		place.crosses |= node->cache && node->cache <= level;
	}
	for (size_t i = 1; i < tree->n; i++) {
		const struct node *node = &tree->nodes[i];

		if (node->parent != place.parent || !node->normal ||
			!hwloc_bitmap_intersects(node->set, set))
			continue;
		place.crosses |= !hwloc_bitmap_isincluded(node->set, set) ||
				 node->cache >= level;
		if (place.n_inside++ == 0)
			place.first = i;
		place.inside[i] = true;
	}
	place.crosses |= place.n_inside == 0;
	return place;
}

/* The tag of a cache, with its infos. */
static void write_tag(struct text_list *out, const struct tree *tree,
	const struct node *first, char *set,
	const struct machine_measured *measured,
	const struct machine_measured_cache *cache)
{
	struct arena *arena = tree->arena;
	const char *end = strchr(first->begin, '\n');
	struct infos infos = infos_of(measured, cache, NULL, arena);
	static const char *const sets[] = {"nodeset", "complete_nodeset"};

	text_list_add(out, "",
		"<object type=\"L%uCache\" cpuset=\"%s\" "
		"complete_cpuset=\"%s\"",
		cache->level, set, set);
	for (int i = 0; i < 2; i++) {
		char *value = attribute(
			arena, first->begin, end ? end : first->end, sets[i]);

		if (value)
			text_list_add(out, "", " %s=\"%s\"", sets[i], value);
	}
	text_list_add(out, "",
		" gp_index=\"%llu\" cache_size=\"%.0f\" depth=\"%u\" "
		"cache_linesize=\"%.0f\" cache_associativity=\"%.0f\" "
		"cache_type=\"%d\">\n",
		tree->last_index + 1, size_of(cache), cache->level,
		number_of(cache->line_bytes, LINE_MOST),
		number_of(cache->ways, WAYS_MOST),
		cache->level == 1 ? HWLOC_OBJ_CACHE_DATA
				  : HWLOC_OBJ_CACHE_UNIFIED);
	for (int i = 0; i < INFOS; i++) {
		if (infos.values[i])
			text_list_add(out, "",
				"<info name=\"%s\" value=\"%s\"/>\n",
				infos.names[i], infos.values[i]);
	}
}

static void write_part(
	struct text_list *out, const char *begin, const char *end)
{
	text_list_add(out, "", "%.*s", (int)(end - begin), begin);
}

/* The XML with a new cache around the objects that are inside. */
static char *write_tree(const struct tree *tree, const struct place *place,
	const char *xml, char *set, const struct machine_measured *measured,
	const struct machine_measured_cache *cache)
{
	const struct node *first = &tree->nodes[place->first];
	struct text_list out = {0};
	const char *at = first->end;

	write_part(&out, xml, first->begin);
	write_tag(&out, tree, first, set, measured, cache);
	for (size_t i = 0; i < tree->n; i++) {
		if (place->inside[i])
			write_part(
				&out, tree->nodes[i].begin, tree->nodes[i].end);
	}
	text_list_add(&out, "", "</object>\n");
	for (size_t i = place->first + 1; i < tree->n; i++) {
		if (!place->inside[i])
			continue;
		write_part(&out, at, tree->nodes[i].begin);
		at = tree->nodes[i].end;
	}
	write_part(&out, at, at + strlen(at));
	return text_list_end(&out);
}

/* The CPUs that share a missing cache, or else the CPU that measured it. */
static void fill_set(hwloc_bitmap_t set,
	const struct machine_measured *measured,
	const struct machine_measured_cache *cache)
{
	if (cache->cpus->n == 0)
		hwloc_bitmap_set(set, measured->cache_cpu);
	for (size_t i = 0; i < cache->cpus->n; i++)
		hwloc_bitmap_set(set, cache->cpus->cpus[i]);
}

static char *insert(const char *xml, struct machine_measured_cache *cache,
	const struct machine_measured *measured, struct arena *arena)
{
	struct tree tree = {.arena = arena};
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char *text = NULL, *changed = NULL;
	struct place place;

	if (!set)
		arena_fail(arena);
	fill_set(set, measured, cache);
	read_tree(&tree, xml);
	place = find_place(&tree, set, (int)cache->level);
	cache->crosses = place.crosses;
	if (tree.n > 0 && !place.crosses &&
		hwloc_bitmap_asprintf(&text, set) < 0)
		text = NULL;
	if (text)
		changed = write_tree(&tree, &place, xml, text, measured, cache);
	free(text);
	hwloc_bitmap_free(set);
	for (size_t i = 0; i < tree.n; i++)
		hwloc_bitmap_free(tree.nodes[i].set);
	if (!place.crosses && !changed)
		arena_fail(arena);
	cache->inserted = changed;
	return changed;
}

char *export_insert_caches(
	char *xml, struct machine_measured *measured, struct arena *arena)
{
	for (size_t i = 0; i < measured->n_caches; i++) {
		struct machine_measured_cache *cache = &measured->caches[i];
		char *changed;

		if (cache->unknown || cache->n_objects > 0 ||
			!(size_of(cache) > 0))
			continue;
		changed = insert(xml, cache, measured, arena);
		if (changed) {
			free(xml);
			xml = changed;
		}
	}
	return xml;
}
