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
 * Return the data rate of the link in one direction, in bytes per second, at
 * its current speed and width; NaN if unknown. root is as in struct files. The
 * link may be slower while the device is idle.
 */
double link_bytes_per_s(const char *root, const struct link_place *place);

#endif
