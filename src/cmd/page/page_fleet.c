/* Write the pictures of a fleet: a strip for each level of its kinds. */
#include <math.h>

#include "cmd/page/page_parts.h"
#include "figure/strip.h"
#include "render/plot.h"
#include "result/fleet.h"
#include "util/text.h"

/* Whether a value of a level is a reason why a host is an outlier. */
static bool is_level_odd(
	const struct fleet_host *host, const struct fleet_level *level)
{
	size_t i = 0;

	while (i < host->n_reasons &&
		!text_same(host->reasons[i].name, level->name))
		i++;
	return i < host->n_reasons;
}

/* A level without a unit is a share: the width of intervals. */
static char *level_median(struct arena *arena, const struct fleet_level *level)
{
	double median = level->median * (level->unit ? 1 : 100);

	return arena_format(arena, fabs(median) < 1000 ? "%.4g %s" : "%.0f %s",
		median, level->unit ? level->unit : "%");
}

static void write_level_strip(
	struct html_page *page, const struct fleet_kind *kind, size_t at)
{
	const struct fleet_level *level = &kind->levels[at];
	double *off = arena_alloc(page->arena, kind->n, sizeof(*off));
	bool *odd = arena_alloc(page->arena, kind->n, sizeof(*odd));
	struct figure_strip strip = {.off = off,
		.odd = odd,
		.n = kind->n,
		/* The limits are symmetric in logarithms. */
		.low = level->unit ? -level->limit_pct /
					     (1 + level->limit_pct / 100)
				   : -INFINITY,
		.high = level->limit_pct,
		.median = level_median(page->arena, level)};

	for (size_t i = 0; i < kind->n; i++) {
		const struct fleet_host *host = &kind->hosts[kind->order[i]];

		off[i] = NAN;
		for (size_t k = 0; k < host->n_values; k++) {
			if (host->values[k].level == at)
				off[i] = fleet_off_pct(level, &host->values[k]);
		}
		odd[i] = is_level_odd(host, level);
	}
	plot_write_strip(page->arena, &strip, page->records);
}

void page_write_fleet(struct html_page *page)
{
	for (size_t k = 0; k < page->fleet->n; k++) {
		const struct fleet_kind *kind = &page->fleet->kinds[k];

		fprintf(page->records, "<template id=\"kind-%zu\">\n", k);
		for (size_t i = 0; i < kind->n_levels; i++)
			write_level_strip(page, kind, i);
		fputs("</template>\n", page->records);
	}
}
