/*
 * The link of a device on a PCI Express bus, by sysfs
 * (Documentation/ABI/testing/sysfs-bus-pci).
 */
#ifndef C2C_LINK_H
#define C2C_LINK_H

#include <stdbool.h>

struct link_place {
	bool is_known;
	unsigned domain, bus, device, function;
};

/* "0000:3b:00.0" */
#define LINK_NAME_BYTES 32
const char *link_name(
	const struct link_place *place, char name[LINK_NAME_BYTES]);

/*
 * Bytes a second in one direction, by the speed and the width that the link has
 * now, without what its encoding takes; NaN: not known. root: as of struct
 * files. A device that does nothing may have made its link slower.
 */
double link_bytes_per_s(const char *root, const struct link_place *place);

#endif
