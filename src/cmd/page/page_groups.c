/*
 * The groups of CPUs on a page, in the words of c2c analyze.
 */
#include "analyze/analyze.h"
#include "analyze/caches/sharing.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/page/page_parts.h"
#include "cmd/topology_option.h"

bool page_has_groups(const struct result *result)
{
	return result_find_matrix(result, NULL, NULL) && result->cpus.n > 1 &&
	       !result_is_of_nodes(result);
}

/* Compare with the topology of the first result that holds one. */
static int page_compare_topology(const struct page_input *inputs, size_t n,
	struct page_groups *groups, struct error *err)
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

void page_groups_init(struct html_page *page, const struct page_input *inputs,
	size_t n, struct page_groups *groups)
{
	struct result *results = arena_alloc(page->arena, n, sizeof(*results));
	const char **names = arena_alloc(page->arena, n, sizeof(*names));
	struct error err;

	*groups = (struct page_groups){.found = false};
	/* Shallow copies, which nobody releases. */
	for (size_t i = 0; i < n; i++) {
		results[i] = *inputs[i].result;
		names[i] = inputs[i].name;
	}
	groups->first = &results[analysis_main_index(results, n)];
	if (analysis_make(results, names, n, &groups->analysis, &err) < 0) {
		groups->why = arena_strdup(page->arena, err.text);
		return;
	}
	groups->found = true;
	if (page_compare_topology(inputs, n, groups, &err) < 0)
		groups->why = arena_strdup(page->arena, err.text);
}

void page_groups_release(struct page_groups *groups)
{
	if (groups->found)
		analysis_release(&groups->analysis);
	groups->found = false;
}

void page_write_groups(struct html_page *page, const struct page_groups *groups,
	struct json_t *pieces)
{
	struct prose prose = {.arena = page->arena, .pieces = pieces};
	const char *shared = NULL;

	if (groups->found) {
		if (sharing_has_slowdowns(groups->first))
			shared = sharing_verdict(groups->first, page->arena);
		analyze_print_prose(&prose, &groups->analysis,
			"the topology in the record", shared, true,
			page->arena);
	}
	if (groups->why)
		prose_add(&prose, PROSE_TEXT, "%s", groups->why);
	if (prose.failed)
		arena_fail(page->arena);
}
