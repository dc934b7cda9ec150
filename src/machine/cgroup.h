/*
 * The cgroups that this process is in, v1 or v2 (cgroups(7)).
 */
#ifndef C2C_MACHINE_CGROUP_H
#define C2C_MACHINE_CGROUP_H

#include "machine/files.h"

/*
 * Visit, for a controller ("cpu", "memory"), the cgroup folder of this
 * process and every one above, whose limits hold for it too. Inside a
 * container the lowest may be folders that only the host sees, and whose
 * files cannot be read.
 */
void cgroup_visit(struct files *files, const char *controller,
	void (*visit)(struct files *files, const char *folder, void *arg),
	void *arg);

#endif
