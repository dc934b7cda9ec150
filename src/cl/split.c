#include "cl/split.h"

#include <pthread.h>
#include <stdbool.h>

struct split_part {
	void (*part_of)(void *context, size_t part, size_t first, size_t end);
	void *context;
	size_t number, first, end;
	pthread_t thread;
	bool has_thread;
};

static void *split_do_part(void *argument)
{
	const struct split_part *part = argument;

	part->part_of(part->context, part->number, part->first, part->end);
	return NULL;
}

size_t split_run(size_t n, size_t parts,
	void (*part_of)(void *context, size_t part, size_t first, size_t end),
	void *context)
{
	struct split_part all[SPLIT_MOST];

	if (parts > SPLIT_MOST)
		parts = SPLIT_MOST;
	if (parts > n / SPLIT_LEAST)
		parts = n / SPLIT_LEAST;
	if (parts == 0)
		parts = 1;
	for (size_t i = parts; i-- > 0;) {
		all[i] = (struct split_part){.part_of = part_of,
			.context = context,
			.number = i,
			.first = n / parts * i,
			.end = i + 1 < parts ? n / parts * (i + 1) : n};
		all[i].has_thread =
			i > 0 && pthread_create(&all[i].thread, NULL,
					 split_do_part, &all[i]) == 0;
		if (!all[i].has_thread)
			split_do_part(&all[i]);
	}
	for (size_t i = 1; i < parts; i++) {
		if (all[i].has_thread)
			pthread_join(all[i].thread, NULL);
	}
	return parts;
}
