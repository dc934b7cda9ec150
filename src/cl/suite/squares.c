#include "cl/suite/rowcol.h"

#include "cl/cl_caches.h"

/* Largest square. Twice the LLCs' size is enough, and more takes minutes. */
#define MOST_BYTES ((uint64_t)1 << 30)

static uint64_t square_bytes(size_t side)
{
	return 4 * (uint64_t)side * side;
}

size_t rowcol_log(size_t n)
{
	size_t log = 0;

	while (n >> log > 1)
		log++;
	return log;
}

size_t square_within(uint64_t bytes)
{
	size_t side = SQUARE_LEAST;

	while (side < SQUARE_MOST && square_bytes(2 * side) <= bytes)
		side *= 2;
	return side;
}

size_t squares_by_caches(const struct machine *machine,
	const struct cpu_list *cpus, size_t most, size_t sides[3])
{
	uint64_t l2 = caches_bytes(machine, cpus, 2);
	uint64_t llc = caches_llc_bytes(machine, cpus);
	size_t n = 0;

	if (l2)
		sides[n++] = square_within(l2 / 2);
	if (llc) {
		sides[n++] = square_within(llc / 2);
		sides[n] = square_within(4 * llc);
		/* Use the next size if it is allowed and needed. */
		if (square_bytes(sides[n]) < 4 * llc &&
			square_bytes(2 * sides[n]) <= MOST_BYTES &&
			2 * sides[n] <= most)
			sides[n] *= 2;
		n++;
	}
	return n;
}
