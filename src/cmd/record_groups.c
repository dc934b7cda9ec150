#include "cmd/record_groups.h"

#include "cmd/topology_option.h"

/* Compare each topology with the first topology of a result. */
static int compare_record_topology(const struct page_input *inputs, size_t n,
	struct record_groups *groups, struct error *err)
{
	struct machine *machine;
	size_t at = 0;
	int rc;

	while (at < n && !inputs[at].result->hwloc_xml)
		at++;
	if (at == n || result_is_of_units(groups->first))
		return 0;
	rc = topology_load_embedded(
		inputs[at].result, inputs[at].name, &machine, err);
	if (rc < 0)
		return rc;
	rc = analysis_compare_topology(
		&groups->analysis, groups->first, machine, err);
	machine_free(machine);
	groups->compared = rc == 0;
	return rc;
}

void record_groups_init(const struct page_input *inputs, size_t n,
	struct arena *arena, struct record_groups *groups)
{
	struct result *results;
	const char **names;
	struct error err;

	if (n == 1 && inputs->groups) {
		*groups = *inputs->groups;
		groups->borrowed = true;
		return;
	}
	results = arena_alloc(arena, n, sizeof(*results));
	names = arena_alloc(arena, n, sizeof(*names));
	*groups = (struct record_groups){.found = false};
	/* The copies are shallow: do not release them. */
	for (size_t i = 0; i < n; i++) {
		results[i] = *inputs[i].result;
		names[i] = inputs[i].name;
	}
	groups->first = &results[analysis_main_index(results, n)];
	if (analysis_make(results, names, n, &groups->analysis, &err) < 0) {
		groups->why = arena_strdup(arena, err.text);
		return;
	}
	groups->found = true;
	if (compare_record_topology(inputs, n, groups, &err) < 0)
		groups->why = arena_strdup(arena, err.text);
}

void record_groups_release(struct record_groups *groups)
{
	if (groups->found && !groups->borrowed)
		analysis_release(&groups->analysis);
	groups->found = false;
}
