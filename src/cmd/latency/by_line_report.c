/*
 * The report of c2c latency --by-line.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cli.h"
#include "cmd/latency/by_line.h"

/* If there are more pairs, the report lists those with the largest ratio. */
#define PAIRS_LISTED 8

const char *by_line_describe(
	struct arena *arena, const struct line_profile *profile)
{
	switch (profile->verdict) {
	case LINE_PROFILE_GROUPS:
		return arena_format(arena,
			"lines differ: %.3g to %.3g ns, in two groups (%u "
			"line%s near %.3g ns, %u near %.3g ns)",
			profile->nearest_ns, profile->farthest_ns,
			profile->near_lines,
			profile->near_lines == 1 ? "" : "s", profile->near_ns,
			profile->far_lines, profile->far_ns);
	case LINE_PROFILE_DIFFERS:
		return arena_format(arena,
			"lines differ: %.3g to %.3g ns, but not in two groups",
			profile->nearest_ns, profile->farthest_ns);
	case LINE_PROFILE_ALIKE:
		return "lines do not clearly differ";
	default:
		return "too few visits to say whether lines differ";
	}
}

/* "; even and odd visits agree at 0.98, both blocks at 0.73" */
static const char *agreement_text(
	struct arena *arena, const struct line_profile *profile)
{
	if (isnan(profile->even_odd))
		return "";
	if (isnan(profile->blocks))
		return arena_format(arena,
			"; even and odd visits agree at %.2f",
			profile->even_odd);
	return arena_format(arena,
		"; even and odd visits agree at %.2f, both blocks at %.2f",
		profile->even_odd, profile->blocks);
}

static void print_profile(
	struct prose *prose, const struct line_profile *profile)
{
	prose_add(prose, PROSE_TEXT,
		"CPUs %u and %u, %.4g ns over %u lines: %s%s.",
		profile->cpus.cpus[0], profile->cpus.cpus[1], profile->mean_ns,
		profile->lines, by_line_describe(prose->arena, profile),
		agreement_text(prose->arena, profile));
	if (!isnan(profile->nearest_offset_bytes))
		prose_add(prose, PROSE_ITEM,
			"nearest line at offset %.0f, farthest line at %.0f",
			profile->nearest_offset_bytes,
			profile->farthest_offset_bytes);
}

/* If both blocks have the same near lines, name the cause, but not on a VM. */
static void print_cause(struct prose *prose, const struct result *result)
{
	size_t differ = 0, again = 0;

	for (size_t i = 0; i < result->n_line_profiles; i++) {
		const struct line_profile *profile = &result->line_profiles[i];

		differ += line_profile_differs(profile);
		again += line_profile_differs(profile) && profile->repeats == 1;
	}
	if (differ == 0)
		return;
	if (again < differ)
		prose_add(prose, PROSE_TEXT,
			"For %s, a second block of visits did not find the "
			"same near lines, so the cause is unknown.",
			again ? "some of these pairs" : "these pairs");
	else if (facts_text(&result->machine, "hypervisor"))
		prose_add(prose, PROSE_TEXT,
			"The same lines were near in the second block of "
			"visits. On a virtual machine, the cause is unknown.");
	else
		prose_add(prose, PROSE_TEXT,
			"The same lines were near in the second block of "
			"visits, so the cause is the address of a line: it "
			"selects the slice or the die that holds the line.");
}

static double line_ratio(const struct line_profile *profile)
{
	return profile->farthest_ns / profile->nearest_ns;
}

/* Sort pairs whose lines differ first, then by falling ratio. */
static int compare_profiles(const void *a, const void *b)
{
	const struct line_profile *x = a, *y = b;

	if (line_profile_differs(x) != line_profile_differs(y))
		return line_profile_differs(x) ? -1 : 1;
	return (line_ratio(x) < line_ratio(y)) -
	       (line_ratio(x) > line_ratio(y));
}

static void print_profiles(struct prose *prose, const struct result *result)
{
	size_t n = result->n_line_profiles, differ = 0;
	struct line_profile *sorted =
		arena_alloc(prose->arena, n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++) {
		sorted[i] = result->line_profiles[i];
		differ += line_profile_differs(&sorted[i]);
	}
	if (n > PAIRS_LISTED) {
		qsort(sorted, n, sizeof(*sorted), compare_profiles);
		prose_add(prose, PROSE_TEXT,
			"Lines differ for %zu of %zu pairs.", differ, n);
		n = differ < PAIRS_LISTED ? differ : PAIRS_LISTED;
	}
	for (size_t i = 0; i < n; i++)
		print_profile(prose, &sorted[i]);
}

void by_line_print_prose(struct prose *prose, const struct result *result)
{
	const char *pages = result->run.pages;

	print_profiles(prose, result);
	print_cause(prose, result);
	if (pages && pages[0] != 'h' && pages[0] != 't')
		prose_add(prose, PROSE_TEXT,
			"The lines were not in a huge page: their offsets do "
			"not apply to another run.");
}

static int print_by_line(struct arena *arena, void *context, struct error *err)
{
	struct prose prose = {.out = stdout, .arena = arena};

	(void)err;
	by_line_print_prose(&prose, context);
	return 0;
}

void by_line_print(const struct result *result)
{
	struct arena arena = {.last = NULL};
	struct error err;

	if (arena_run(&arena, print_by_line, (void *)result, "the report",
		    &err) < 0)
		cli_fail("latency", &err);
	arena_release(&arena);
}
