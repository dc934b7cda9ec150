/*
 * The link of a PCI Express device, from sysfs
 * (Documentation/ABI/testing/sysfs-bus-pci).
 */
#ifndef C2C_LINK_H
#define C2C_LINK_H

#include <stdbool.h>

struct link_place {
	bool is_known;
	unsigned domain, bus, device, function;
};

/* Format the name of a device: "0000:3b:00.0". */
#define LINK_NAME_BYTES 32
const char *link_name(
	const struct link_place *place, char name[LINK_NAME_BYTES]);

/*
 * Return bytes a second in one direction, by the link's current speed and
 * width, without its encoding; NaN: unknown. root is that of struct files. The
 * link of an idle device may be slower than when it works.
 */
double link_bytes_per_s(const char *root, const struct link_place *place);

#endif
