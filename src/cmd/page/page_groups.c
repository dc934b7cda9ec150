/* Describe the groups of CPUs on a page, in the words of c2c analyze. */
#include "analyze/caches/sharing.h"
#include "cmd/analyze/analyze_report.h"
#include "cmd/page/page_parts.h"

bool page_has_groups(const struct result *result)
{
	return result_find_matrix(result, NULL, NULL) && result->cpus.n > 1 &&
	       !result_is_of_nodes(result) && result->n_line_profiles == 0;
}

void page_write_groups(struct html_page *page,
	const struct record_groups *groups, struct json_t *pieces)
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
