/* How often the analysis of made-up machines is right, and how sure it was. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/groups.h"
#include "machines.h"

int main(int argc, char **argv)
{
	unsigned seeds = argc > 1 ? (unsigned)atoi(argv[1]) : 300;
	double hardness = argc > 2 ? atof(argv[2]) : 1;
	int only = argc > 3 ? atoi(argv[3]) : -1;
	unsigned first = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
	unsigned given[11] = {0}, right[11] = {0};

	for (int kind = 0; kind < MACHINE_KINDS; kind++) {
		unsigned certain = 0, found = 0, invented = 0, with = 0,
			 extra = 0;

		if (only >= 0 && kind != only)
			continue;
		for (unsigned seed = first; seed < first + seeds; seed++) {
			struct machine m;
			struct groups g;
			struct error err;
			bool bad = false;

			machine_make(&m, (enum machine_kind)kind, seed,
				hardness, 256);
			struct groups_input in = {.n = m.n, .values = m.values};
			if (groups_find(&in, &g, &err)) {
				printf("%s\n", err.text);
				return 1;
			}
			for (size_t k = 0; k < g.n_levels; k++) {
				bool ok = false;
				int bin = (int)(g.levels[k].confidence * 10);

				for (size_t t = 0; t < m.n_levels; t++)
					ok |= machine_same_groups(
						g.levels[k].group,
						m.levels[t].group, m.n);
				if (g.levels[k].confidence >= 0.5) {
					invented += !ok;
					bad |= !ok;
				}
				given[bin]++;
				right[bin] += ok;
			}
			for (size_t t = 0; t < m.n_levels; t++) {
				bool ok = false;

				for (size_t k = 0; k < g.n_levels; k++)
					ok |= g.levels[k].confidence >= 0.5 &&
					      machine_same_groups(
						      g.levels[k].group,
						      m.levels[t].group, m.n);
				if (m.levels[t].certain) {
					certain++;
					found += ok;
					bad |= !ok;
				} else
					extra += ok;
			}
			with += bad;
			if (bad && (only >= 0)) {
				printf("seed %u n %zu noise %.3f dist %.3f "
				       "rows %.3f%s cold %.2f step %.1f "
				       "streaks %u fav %u off %u:",
					seed, m.n, m.flaws.noise,
					m.flaws.distance, m.flaws.rows,
					m.flaws.gradient ? " grad" : "",
					m.flaws.cold, m.flaws.step_ns,
					m.flaws.streaks, m.flaws.favoured,
					m.flaws.offline);
				for (size_t t = 0; t < m.n_levels; t++) {
					bool ok = false;
					uint32_t most = 0;

					for (size_t k = 0; k < g.n_levels; k++)
						ok |= machine_same_groups(
							g.levels[k].group,
							m.levels[t].group, m.n);
					for (size_t i = 0; i < m.n; i++)
						if (m.levels[t].group[i] > most)
							most = m.levels[t].group
								       [i];
					printf(" %s%s[%u] x%.2f",
						ok ? "ok" : "MISS",
						m.levels[t].certain ? "" : "?",
						most + 1, m.levels[t].ratio);
				}
				for (size_t k = 0; k < g.n_levels; k++) {
					bool ok = false;

					for (size_t t = 0; t < m.n_levels; t++)
						ok |= machine_same_groups(
							g.levels[k].group,
							m.levels[t].group, m.n);
					if (!ok)
						printf(" INV[%zu] %.2f "
						       "%.1f/%.1f%s",
							g.levels[k].n_groups,
							g.levels[k].confidence,
							g.levels[k].inside,
							g.levels[k].between,
							g.levels[k].kind ==
									GROUPS_CLASS
								? " class"
								: "");
				}
				printf("\n");
			}
			groups_release(&g);
			machine_release(&m);
		}
		printf("%-10s certain %u of %u (%.2f%%), uncertain found %u, "
		       "invented %u, machines with a fault %u of %u (%.2f%%)\n",
			machine_kind_name((enum machine_kind)kind), found,
			certain, certain ? 100.0 * found / certain : 0.0, extra,
			invented, with, seeds, 100.0 * with / seeds);
	}
	for (int b = 0; b <= 10; b++)
		if (given[b])
			printf("confidence %.1f: %u given, %.3f right\n",
				b / 10.0, given[b],
				(double)right[b] / given[b]);
	return 0;
}
