#include "cl/cl_caches.h"

#include <stdbool.h>
#include <stdlib.h>

/* Return the cache of that level of each CPU: [n] for free(), or NULL. */
static struct machine_cpu_cache *find_cpu_caches(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level, size_t *n)
{
	struct machine_cpu_cache *caches = calloc(cpus->n + 1, sizeof(*caches));

	*n = 0;
	for (size_t i = 0; caches && i < cpus->n; i++)
		*n += machine_cpu_cache(
			machine, cpus->cpus[i], level, &caches[*n]);
	return caches;
}

/* Count the CPUs among the first n that share the cache of CPU i. */
static size_t count_cache_sharers(
	const struct machine_cpu_cache *caches, size_t i, size_t n)
{
	size_t same = 0;

	for (size_t k = 0; k < n; k++)
		same += caches[k].number == caches[i].number;
	return same;
}

uint64_t caches_bytes(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level)
{
	size_t n;
	struct machine_cpu_cache *caches =
		find_cpu_caches(machine, cpus, level, &n);
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += count_cache_sharers(caches, i, i) == 0
				 ? caches[i].bytes
				 : 0;
	free(caches);
	return bytes;
}

uint64_t caches_llc_bytes(
	const struct machine *machine, const struct cpu_list *cpus)
{
	const struct machine_facts *facts = machine_facts(machine);
	uint64_t bytes = 0;

	for (size_t i = 0; i < facts->n_caches; i++) {
		bool used = false;

		for (size_t k = 0; k < cpus->n; k++)
			used = used || cpu_list_find(&facts->caches[i].cpus,
					       cpus->cpus[k]) >= 0;
		if (used)
			bytes += facts->caches[i].bytes;
	}
	return bytes;
}

static size_t greatest_common_divisor(size_t a, size_t b)
{
	while (b) {
		size_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static size_t lines_in_cache(
	const struct machine_cpu_cache *cache, size_t pitch_bytes)
{
	size_t sets, step;

	if (!cache->bytes || !cache->line_bytes || !cache->ways)
		return 0;
	sets = cache->bytes / cache->line_bytes / cache->ways;
	step = pitch_bytes / cache->line_bytes;
	return cache->ways *
	       (sets / greatest_common_divisor(sets, step ? step : 1));
}

struct lines_held caches_lines_held(const struct machine *machine,
	const struct cpu_list *cpus, unsigned level, size_t pitch_bytes)
{
	struct lines_held least = {0, 0};
	size_t n;
	struct machine_cpu_cache *caches =
		find_cpu_caches(machine, cpus, level, &n);

	for (size_t i = 0; i < n; i++) {
		struct lines_held held = {
			lines_in_cache(&caches[i], pitch_bytes),
			count_cache_sharers(caches, i, n)};

		/* Compare the number of lines per CPU. */
		if (held.lines &&
			(!least.lines || held.lines * least.cpus <
						 least.lines * held.cpus))
			least = held;
	}
	free(caches);
	return least;
}
