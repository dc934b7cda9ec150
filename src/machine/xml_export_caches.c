/*
 * xml_export_caches.c: add measured caches to a topology of hwloc. Existing
 * caches get the measured values. hwloc cannot insert caches, so c2c inserts
 * missing caches into the XML, around the objects of their CPUs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/xml_export_parts.h"
#include "util/text.h"

/* Cache levels that hwloc knows. */
#define LEVELS 5

/* Largest credible values of a cache. */
#define BYTES_MOST 1e15
#define LINE_MOST  65536
#define WAYS_MOST  65536

/* Round a value from 1 to `most` down; return 0 for others. */
static double whole_number_or_zero(double value, double most)
{
	return value >= 1 && value <= most ? floor(value) : 0;
}

/* Return the lower end of the interval of the size. */
static double measured_cache_bytes(const struct machine_measured_cache *cache)
{
	return whole_number_or_zero(cache->least_bytes, BYTES_MOST);
}

static hwloc_obj_type_t type_of(const struct machine_measured_cache *cache)
{
	return (hwloc_obj_type_t)(HWLOC_OBJ_L1CACHE + (int)cache->level - 1);
}

/* Format a range of bytes; NULL: unknown. */
static char *format_cache_byte_range(
	const struct machine_measured_cache *cache, struct arena *arena)
{
	double least = measured_cache_bytes(cache);
	double most = whole_number_or_zero(cache->most_bytes, BYTES_MOST);

	return least > 0 && most >= least
		       ? arena_format(arena, "%.0f-%.0f", least, most)
		       : NULL;
}

/* Format a measured number; NULL: unknown. */
static char *format_measured_count(
	double value, double most, struct arena *arena)
{
	double number = whole_number_or_zero(value, most);

	return number > 0 ? arena_format(arena, "%.0f", number) : NULL;
}

/* The infos of a cache. An info with the value NULL is left out. */
#define INFOS 6
struct cache_infos {
	const char *names[INFOS];
	char *values[INFOS];
};

static struct cache_infos make_cache_infos(
	const struct machine_measured *measured,
	const struct machine_measured_cache *cache,
	const struct hwloc_cache_attr_s *reported, struct arena *arena)
{
	return (struct cache_infos){
		{"C2CMeasuredBytes", "C2CReportedBytes", "C2CMeasuredLine",
			"C2CMeasuredWays", "C2CMeasuredOn", "C2CSharedBy"},
		{format_cache_byte_range(cache, arena),
			reported && cache->size_differs
				? arena_format(arena, "%llu",
					  (unsigned long long)reported->size)
				: NULL,
			format_measured_count(
				cache->line_bytes, LINE_MOST, arena),
			format_measured_count(cache->ways, WAYS_MOST, arena),
			arena_format(arena, "CPU %u", measured->cache_cpu),
			cache->cpus->n ? arena_adopt(arena,
						 cpu_list_format(cache->cpus))
				       : NULL},
	};
}

/* Return whether two caches and their kinds of CPUs are the same. */
static bool caches_are_similar(
	hwloc_topology_t topology, hwloc_obj_t a, hwloc_obj_t b)
{
	const struct hwloc_cache_attr_s *x = &a->attr->cache;
	const struct hwloc_cache_attr_s *y = &b->attr->cache;

	return x->size == y->size && x->linesize == y->linesize &&
	       x->associativity == y->associativity &&
	       hwloc_cpukinds_get_by_cpuset(topology, a->cpuset, 0) ==
		       hwloc_cpukinds_get_by_cpuset(topology, b->cpuset, 0);
}

static void describe_cache_object(const struct machine_measured *measured,
	const struct machine_measured_cache *cache, hwloc_obj_t obj, bool own,
	struct arena *arena)
{
	struct hwloc_cache_attr_s *facts = &obj->attr->cache;
	struct cache_infos infos =
		make_cache_infos(measured, cache, facts, arena);
	double bytes = measured_cache_bytes(cache);
	double line = whole_number_or_zero(cache->line_bytes, LINE_MOST);
	double ways = whole_number_or_zero(cache->ways, WAYS_MOST);

	for (int i = 0; i < INFOS; i++) {
		/* The sharing CPUs, the last info, are of one cache. */
		if (own || i + 1 < INFOS)
			xml_export_add_info(
				arena, obj, infos.names[i], infos.values[i]);
	}
	if (cache->size_differs && bytes > 0)
		facts->size = (hwloc_uint64_t)bytes;
	if (cache->line_differs && line > 0)
		facts->linesize = (unsigned)line;
	if (cache->ways_differs && ways > 0)
		facts->associativity = (int)ways;
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

void xml_export_describe_caches(hwloc_topology_t topology,
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
		same = arena_alloc(arena,
			(size_t)count_of_type(topology, type_of(cache)),
			sizeof(*same));
		/* describe_cache_object() changes `own` later. */
		while ((obj = next_of_type(topology, type_of(cache), obj)))
			same[n++] = caches_are_similar(topology, own, obj);
		cache->n_objects = n;
		n = 0;
		while ((obj = next_of_type(topology, type_of(cache), obj))) {
			if (!same[n++])
				continue;
			describe_cache_object(
				measured, cache, obj, obj == own, arena);
			cache->n_described++;
		}
	}
}

/* Format the CPUs in the group of the CPU with index `of`. */
static char *format_group_cpus(
	const struct machine_measured *measured, size_t of, struct arena *arena)
{
	const struct machine_level *level = &measured->levels[0];
	const struct cpu_list *cpus = measured->cpus;
	struct cpu_list group = {
		arena_alloc(arena, cpus->n, sizeof(unsigned)), 0};

	for (size_t i = 0; i < cpus->n; i++) {
		if (level->group[i] == level->group[of])
			group.cpus[group.n++] = cpus->cpus[i];
	}
	return arena_adopt(arena, cpu_list_format(&group));
}

void xml_export_describe_sharing(hwloc_topology_t topology,
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

		/* Add the info to each cache once, for its first CPU. */
		if (obj && !hwloc_obj_get_info_by_name(obj, "C2CSharedBy"))
			xml_export_add_info(arena, obj, "C2CSharedBy",
				format_group_cpus(measured, i, arena));
	}
}

/* An object in the XML. */
struct xml_object {
	const char *begin, *end;
	size_t parent; /* index; the root is its own parent */
	hwloc_bitmap_t set;
	bool normal; /* it has CPUs (no memory or device) */
	bool core;   /* a core or a CPU */
	int cache;   /* cache level, or 0 */
};

struct xml_object_tree {
	struct xml_object *nodes;
	size_t n;
	unsigned long long last_index;
	struct arena *arena;
};

/* Return the value of an attribute in a line, or NULL. */
static char *copy_xml_attribute(
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

static void read_node(
	struct xml_object_tree *tree, const char *line, const char *end)
{
	struct xml_object *object = &tree->nodes[tree->n - 1];
	char *type = copy_xml_attribute(tree->arena, line, end, "type");
	char *set = copy_xml_attribute(tree->arena, line, end, "cpuset");
	char *index = copy_xml_attribute(tree->arena, line, end, "gp_index");
	unsigned long long number = index ? strtoull(index, NULL, 10) : 0;

	object->set = hwloc_bitmap_alloc();
	if (!object->set)
		arena_fail(tree->arena);
	if (set)
		hwloc_bitmap_sscanf(object->set, set);
	if (number > tree->last_index)
		tree->last_index = number;
	object->normal = type && set && strcmp(type, "NUMANode") != 0 &&
			 strcmp(type, "MemCache") != 0 &&
			 strcmp(type, "Misc") != 0;
	object->core =
		type && (strcmp(type, "Core") == 0 || strcmp(type, "PU") == 0);
	if (type && type[0] == 'L' && strstr(type, "Cache"))
		object->cache = type[1] - '0';
}

static bool line_starts_with(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* Parse the objects. hwloc writes each tag on its own line. */
static void read_tree(struct xml_object_tree *tree, const char *xml)
{
	size_t open = 0; /* the innermost object that has not ended */

	for (const char *line = xml, *next; *line; line = next) {
		size_t bytes = strcspn(line, "\n");
		const char *tag = line + strspn(line, " ");

		next = line + bytes + (line[bytes] == '\n');
		if (line_starts_with(tag, "<object ")) {
			tree->nodes = arena_grow(tree->arena, tree->nodes,
				tree->n, sizeof(*tree->nodes));
			tree->nodes[tree->n] = (struct xml_object){
				.begin = line, .end = next, .parent = open};
			tree->n++;
			read_node(tree, line, next);
			if (bytes >= 2 &&
				!line_starts_with(line + bytes - 2, "/>"))
				open = tree->n - 1;
		} else if (tree->n > 0 && line_starts_with(tag, "</object>")) {
			tree->nodes[open].end = next;
			open = tree->nodes[open].parent;
		}
	}
}

/* The place for a cache: below parent, around some of its children. */
struct cache_insertion {
	size_t parent;
	bool *inside; /* [tree->n] */
	size_t n_inside, first;
	bool crosses; /* no place: the cache and an object would overlap */
};

/* Return whether a cache of this level with these CPUs is below an object. */
static bool object_holds_cache(
	const struct xml_object *object, hwloc_const_bitmap_t set, int level)
{
	return object->normal && hwloc_bitmap_isincluded(set, object->set) &&
	       !(hwloc_bitmap_isequal(set, object->set) &&
		       (object->core ||
			       (object->cache && object->cache <= level)));
}

static struct cache_insertion find_cache_insertion(
	const struct xml_object_tree *tree, hwloc_const_bitmap_t set, int level)
{
	struct cache_insertion insertion = {
		.inside = arena_alloc(tree->arena, tree->n, sizeof(bool))};

	insertion.crosses = tree->n == 0 ||
			    !hwloc_bitmap_isincluded(set, tree->nodes[0].set);
	/* Parents come before their children. */
	for (size_t i = 1; i < tree->n; i++) {
		const struct xml_object *object = &tree->nodes[i];

		if (object->parent != insertion.parent ||
			!object_holds_cache(object, set, level))
			continue;
		insertion.parent = i;
		insertion.crosses |= object->cache && object->cache <= level;
	}
	for (size_t i = 1; i < tree->n; i++) {
		const struct xml_object *object = &tree->nodes[i];

		if (object->parent != insertion.parent || !object->normal ||
			!hwloc_bitmap_intersects(object->set, set))
			continue;
		insertion.crosses |=
			!hwloc_bitmap_isincluded(object->set, set) ||
			object->cache >= level;
		if (insertion.n_inside++ == 0)
			insertion.first = i;
		insertion.inside[i] = true;
	}
	insertion.crosses |= insertion.n_inside == 0;
	return insertion;
}

/* Write the tag of a cache, with its infos. */
static void write_tag(struct text_list *out, const struct xml_object_tree *tree,
	const struct xml_object *first, char *set,
	const struct machine_measured *measured,
	const struct machine_measured_cache *cache)
{
	struct arena *arena = tree->arena;
	const char *end = strchr(first->begin, '\n');
	struct cache_infos infos =
		make_cache_infos(measured, cache, NULL, arena);
	static const char *const sets[] = {"nodeset", "complete_nodeset"};

	text_list_add(out, "",
		"<object type=\"L%uCache\" cpuset=\"%s\" "
		"complete_cpuset=\"%s\"",
		cache->level, set, set);
	for (int i = 0; i < 2; i++) {
		char *value = copy_xml_attribute(
			arena, first->begin, end ? end : first->end, sets[i]);

		if (value)
			text_list_add(out, "", " %s=\"%s\"", sets[i], value);
	}
	text_list_add(out, "",
		" gp_index=\"%llu\" cache_size=\"%.0f\" depth=\"%u\" "
		"cache_linesize=\"%.0f\" cache_associativity=\"%.0f\" "
		"cache_type=\"%d\">\n",
		tree->last_index + 1, measured_cache_bytes(cache), cache->level,
		whole_number_or_zero(cache->line_bytes, LINE_MOST),
		whole_number_or_zero(cache->ways, WAYS_MOST),
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

/* Return the XML with a new cache around the objects that are inside. */
static char *write_tree(const struct xml_object_tree *tree,
	const struct cache_insertion *insertion, const char *xml, char *set,
	const struct machine_measured *measured,
	const struct machine_measured_cache *cache)
{
	const struct xml_object *first = &tree->nodes[insertion->first];
	struct text_list out = {0};
	const char *at = first->end;

	write_part(&out, xml, first->begin);
	write_tag(&out, tree, first, set, measured, cache);
	for (size_t i = 0; i < tree->n; i++) {
		if (insertion->inside[i])
			write_part(
				&out, tree->nodes[i].begin, tree->nodes[i].end);
	}
	text_list_add(&out, "", "</object>\n");
	for (size_t i = insertion->first + 1; i < tree->n; i++) {
		if (!insertion->inside[i])
			continue;
		write_part(&out, at, tree->nodes[i].begin);
		at = tree->nodes[i].end;
	}
	write_part(&out, at, at + strlen(at));
	return text_list_end(&out);
}

static char *insert_missing_cache(const char *xml,
	struct machine_measured_cache *cache,
	const struct machine_measured *measured, struct arena *arena)
{
	struct xml_object_tree tree = {.arena = arena};
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	char *text = NULL, *changed = NULL;
	struct cache_insertion insertion;

	if (!set)
		arena_fail(arena);
	/* If sharing CPUs are unknown, use the CPU that measured it. */
	if (cache->cpus->n == 0)
		hwloc_bitmap_set(set, measured->cache_cpu);
	for (size_t i = 0; i < cache->cpus->n; i++)
		hwloc_bitmap_set(set, cache->cpus->cpus[i]);
	read_tree(&tree, xml);
	insertion = find_cache_insertion(&tree, set, (int)cache->level);
	cache->crosses = insertion.crosses;
	if (tree.n > 0 && !insertion.crosses &&
		hwloc_bitmap_asprintf(&text, set) < 0)
		text = NULL;
	if (text)
		changed = write_tree(
			&tree, &insertion, xml, text, measured, cache);
	free(text);
	hwloc_bitmap_free(set);
	for (size_t i = 0; i < tree.n; i++)
		hwloc_bitmap_free(tree.nodes[i].set);
	if (!insertion.crosses && !changed)
		arena_fail(arena);
	cache->inserted = changed;
	return changed;
}

char *xml_export_insert_caches(
	char *xml, struct machine_measured *measured, struct arena *arena)
{
	for (size_t i = 0; i < measured->n_caches; i++) {
		struct machine_measured_cache *cache = &measured->caches[i];
		char *changed;

		if (cache->unknown || cache->n_objects > 0 ||
			!(measured_cache_bytes(cache) > 0))
			continue;
		changed = insert_missing_cache(xml, cache, measured, arena);
		if (changed) {
			free(xml);
			xml = changed;
		}
	}
	return xml;
}
