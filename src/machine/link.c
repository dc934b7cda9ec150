#include "machine/link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/files.h"

/* Limits above any speed and any width in the standard. */
#define MOST_GIGA  1000
#define MOST_LANES 64

const char *link_name(
	const struct link_place *place, char name[LINK_NAME_BYTES])
{
	snprintf(name, LINK_NAME_BYTES, "%04x:%02x:%02x.%x", place->domain,
		place->bus, place->device, place->function);
	return name;
}

/*
 * Return the share of data in the transferred bits: 8 of 10 up to 5 GT/s, 128
 * of 130 up to 32 GT/s, and 242 of 256 from 64 GT/s on (PCI Express Base
 * Specification 6.0).
 */
static double share_of_data(double giga)
{
	return giga <= 5 ? 8.0 / 10 : giga <= 32 ? 128.0 / 130 : 242.0 / 256;
}

double link_bytes_per_s(const char *root, const struct link_place *place)
{
	struct files files = {.root = root};
	char name[LINK_NAME_BYTES], *speed;
	double giga, rate = NAN;
	long long lanes;

	if (!place->is_known)
		return NAN;
	link_name(place, name);
	speed = files_line(files_read(
		&files, "/sys/bus/pci/devices/%s/current_link_speed", name));
	lanes = files_number(files_read(
		&files, "/sys/bus/pci/devices/%s/current_link_width", name));
	/* For example "32.0 GT/s PCIe"; "Unknown" gives 0. */
	giga = speed ? strtod(speed, NULL) : 0;
	if (giga > 0 && giga <= MOST_GIGA && lanes > 0 && lanes <= MOST_LANES)
		rate = giga * 1e9 / 8 * share_of_data(giga) * (double)lanes;
	arena_release(&files.arena);
	return rate;
}
