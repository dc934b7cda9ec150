/*
 * Infers the caches from the curves of c2c cache, and compares them with what
 * the system says.
 */
#include <string.h>

#include "analyze/hierarchy.h"
#include "cmd/cache/cmd_cache.h"

/* The curve with this number, counted from 1; NULL if it is 0. */
static const struct curve *curve_at(const struct result *result, size_t at)
{
	return at ? &result->curves[at - 1] : NULL;
}

int cache_infer(
	const struct cache_plan *own, struct result *result, struct error *err)
{
	const struct cache_curve_numbers *at = &own->curve_numbers;
	struct hierarchy_curves curves = {
		.ns = curve_at(result, at->ns),
		.clocks = curve_at(result, at->clocks),
		.fastest = curve_at(result, at->fastest),
		.small_random = curve_at(result, at->tlb_random),
		.small_by_page = curve_at(result, at->tlb_pages),
		.line = curve_at(result, at->line),
		.ways = {curve_at(result, at->ways[0]),
			curve_at(result, at->ways[1])},
		.small_bytes = LATENCY_TLB_PAGE_BYTES,
	};
	struct machine *machine = NULL;
	const char *xml = result->hwloc_xml;
	int rc;

	if (own->latency.memory)
		curves.page_bytes =
			(double)own->latency.memory->chase.memory.page_bytes;
	for (int access = 0; access < ARCH_ACCESSES; access++)
		curves.rates[access] = curve_at(result, at->rates[access]);
	if (xml && machine_new_xml(&machine, xml, strlen(xml), NULL) < 0)
		machine = NULL;
	rc = hierarchy_infer(&curves, machine, result, err);
	machine_free(machine);
	return rc;
}
