#include "cmd/cpu_counts.h"

uint32_t next_cpu_count(uint32_t n, uint32_t most)
{
	uint32_t power = 1, next;

	while (power * 2 <= n)
		power *= 2;
	/* 1, 2, 3, 4, 6, 8, 12, 16 ... */
	next = n < 4 ? n + 1 : n == power ? n + n / 2 : 2 * power;
	return n < most && next > most ? most : next;
}
