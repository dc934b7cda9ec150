#include "cl/sizes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

const char *size_text(uint64_t bytes, char text[SIZE_TEXT_BYTES])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double size = (double)bytes;
	size_t unit = 0;

	while (size >= 1024 && unit < sizeof(units) / sizeof(units[0]) - 1) {
		size /= 1024;
		unit++;
	}
	snprintf(text, SIZE_TEXT_BYTES, "%.4g %s", size, units[unit]);
	return text;
}

int check_groups(const struct cl_options *options, size_t items, size_t group,
	struct error *err)
{
	size_t below = group, above = group;

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
	while (items % below)
		below--;
	while (items % above)
		above++;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--work-group: %zu work-items are no multiple of %zu; the "
		"nearest that divide them are %zu and %zu",
		items, group, below, above);
}

int check_size(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err)
{
	char least[SIZE_TEXT_BYTES], most[SIZE_TEXT_BYTES];
	char below[SIZE_TEXT_BYTES], above[SIZE_TEXT_BYTES];
	uint64_t bytes = options->size_bytes, power = least_bytes;

	if (!bytes || (bytes >= least_bytes && bytes <= most_bytes &&
			      !(bytes & (bytes - 1))))
		return 0;
	while (2 * power <= bytes && 2 * power < most_bytes)
		power *= 2;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--size: %s takes a power of two from %s to %s; the nearest "
		"are %s and %s",
		test, size_text(least_bytes, least),
		size_text(most_bytes, most), size_text(power, below),
		size_text(2 * power, above));
}
