#include "engine/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "util/parse.h"
#include "util/words.h"

int lines_home_parse(const char *text, enum lines_home *home, uint64_t *node,
	struct error *err)
{
	static const char *const words[] = {LINES_HOMES(WORDS_LIST)};

	for (int i = LINES_HOME_FIRST; i <= LINES_HOME_INTERLEAVE; i++) {
		*home = (enum lines_home)i;
		if (i == LINES_HOME_NODE && strncmp(text, "node:", 5) == 0)
			return parse_u64(text + 5, 0, 65535, node, err);
		if (i != LINES_HOME_NODE && strcmp(text, words[i]) == 0)
			return 0;
	}
	return error_set(err, ERROR_USAGE, EINVAL, "'%s' is none of %s", text,
		WORDS_COMMAS(LINES_HOMES));
}

static int choose_pool_nodes(struct line_pools *lines, struct error *err)
{
	const struct lines_options *options = &lines->options;
	/* A simulated machine has one pool without a node. */
	const struct cpu_list *all =
		options->machine
			? &machine_facts(options->machine)->memory_nodes
			: NULL;
	int rc = 0;

	if (all && options->home == LINES_HOME_NODE)
		return cpu_list_add(
			&lines->nodes, (unsigned)options->node, err);
	if (!all || all->n == 0)
		return cpu_list_add(&lines->nodes, 0, err);
	for (size_t i = 0; i < all->n && rc == 0; i++)
		rc = cpu_list_add(&lines->nodes, all->cpus[i], err);
	return rc;
}

static bool is_stop_flag_set(const void *flag)
{
	const atomic_bool *stop = flag;

	return atomic_load_explicit(stop, memory_order_relaxed);
}

/* Map a pool on each node. Kinds of pages are sorted: the last is best. */
static int map_pools(struct line_pools *lines, struct error *err)
{
	const struct lines_options *options = &lines->options;
	struct memory_request request = {
		.bytes = options->n_blocks * options->block_bytes,
		.pages = options->pages,
		.stopped = options->stop ? is_stop_flag_set : NULL,
		.stopped_arg = (const void *)options->stop,
	};
	size_t huge = 0, bytes = 0;

	lines->pools = calloc(lines->nodes.n, sizeof(*lines->pools));
	if (!lines->pools)
		return error_no_memory(err, "pools of cache lines");
	lines->bound = true;
	lines->pages = MEMORY_PAGES_HUGETLB;
	for (size_t i = 0; i < lines->nodes.n; i++) {
		struct memory_mapping *pool = &lines->pools[i];
		int rc;

		request.node = options->machine ? (int)lines->nodes.cpus[i]
						: MEMORY_ANY_NODE;
		rc = memory_map(pool, options->machine, &request, err);
		if (rc < 0)
			return rc;
		lines->bound = lines->bound && pool->bound;
		if (pool->pages < lines->pages)
			lines->pages = pool->pages;
		huge += pool->huge_bytes;
		bytes += pool->bytes;
	}
	lines->huge_share = (double)huge / (double)bytes;
	return 0;
}

int lines_init(struct line_pools *lines, const struct lines_options *options,
	struct error *err)
{
	const struct machine *machine = options->machine;
	const struct cpu_list *cpus = options->cpus;
	int rc;

	*lines = (struct line_pools){.options = *options};
	rc = choose_pool_nodes(lines, err);
	if (rc == 0)
		rc = map_pools(lines, err);
	if (rc == 0) {
		lines->pool_of = calloc(cpus->n, sizeof(*lines->pool_of));
		if (!lines->pool_of)
			rc = error_no_memory(err, "pools of cache lines");
	}
	if (rc < 0) {
		lines_release(lines);
		return rc;
	}
	for (size_t i = 0; machine && i < cpus->n; i++) {
		int near = machine_node_of(machine, cpus->cpus[i]);
		long pool =
			near < 0 ? 0
				 : cpu_list_find(&lines->nodes, (unsigned)near);

		lines->pool_of[i] = pool < 0 ? 0 : (size_t)pool;
	}
	return 0;
}

void lines_release(struct line_pools *lines)
{
	for (size_t i = 0; lines->pools && i < lines->nodes.n; i++)
		memory_release(&lines->pools[i]);
	free(lines->pools);
	free(lines->pool_of);
	cpu_list_release(&lines->nodes);
	memset(lines, 0, sizeof(*lines));
}

void lines_forget(struct line_pools *lines)
{
	for (size_t i = 0; i < lines->nodes.n; i++)
		lines->pools[i].base = NULL;
}

static size_t visit_block_index(
	const struct line_pools *lines, size_t position, uint64_t shift)
{
	return (size_t)((position + shift) % lines->options.n_blocks);
}

static size_t turn_of(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass)
{
	return ((size_t)first + second + pass) % lines->nodes.n;
}

uint32_t lines_place(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass, size_t position, uint64_t shift)
{
	size_t turn = lines->options.home == LINES_HOME_INTERLEAVE
			      ? turn_of(lines, first, second, pass)
			      : 0;

	return (uint32_t)(turn * lines->options.n_blocks +
			  visit_block_index(lines, position, shift));
}

void *lines_slots(const struct line_pools *lines, uint32_t first,
	uint32_t second, uint32_t pass, size_t position, uint64_t shift)
{
	size_t pool = 0;

	switch (lines->options.home) {
	case LINES_HOME_FIRST:
		pool = lines->pool_of[first];
		break;
	case LINES_HOME_SECOND:
		pool = lines->pool_of[second];
		break;
	case LINES_HOME_INTERLEAVE:
		pool = turn_of(lines, first, second, pass);
		break;
	case LINES_HOME_NODE:
		break;
	}
	return (char *)lines->pools[pool].base +
	       visit_block_index(lines, position, shift) *
		       lines->options.block_bytes;
}
