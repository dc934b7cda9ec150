#include "cl/sizes.h"

#include <errno.h>

#include "util/text.h"

int check_groups(const struct cl_options *options, size_t items, size_t group,
	struct error *err)
{
	size_t below = group, groups;

	if (items % group == 0)
		return 0;
	if (options->work_items && !options->work_group) {
		below = items / group * group;
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-items: %zu are no multiple of the %zu in a "
			"group; the nearest are %zu and %zu",
			items, group, below ? below : group,
			below ? below + group : 2 * group);
	}
	if (group > items)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: %zu are more than the work-items; take "
			"%zu at most",
			group, items);
	while (items % below)
		below--;
	/* Larger groups are fewer. */
	groups = items / group;
	while (items % groups)
		groups--;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--work-group: %zu work-items are no multiple of %zu; the "
		"nearest that divide them are %zu and %zu",
		items, group, below, items / groups);
}

int check_size(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err)
{
	char least[TEXT_SIZE_BYTES], most[TEXT_SIZE_BYTES];
	char below[TEXT_SIZE_BYTES], above[TEXT_SIZE_BYTES];
	uint64_t bytes = options->size_bytes, power = least_bytes;

	if (!bytes || (bytes >= least_bytes && bytes <= most_bytes &&
			      !(bytes & (bytes - 1))))
		return 0;
	while (2 * power <= bytes && 2 * power < most_bytes)
		power *= 2;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--size: %s takes a power of two from %s to %s; the nearest "
		"are %s and %s",
		test, text_size(least_bytes, least),
		text_size(most_bytes, most), text_size(power, below),
		text_size(2 * power, above));
}

struct items_range items_to_try(const struct cl_options *options, size_t wanted,
	size_t best, size_t held)
{
	struct items_range range = {.first = LEAST_ITEMS, .most = best};

	/* Groups that the user chose may divide no other. */
	if (options->work_items)
		return (struct items_range){
			options->work_items, options->work_items};
	while (range.most > held)
		range.most /= 2;
	while (range.first < wanted)
		range.first *= 2;
	if (range.first > range.most)
		range.first = range.most;
	return range;
}
