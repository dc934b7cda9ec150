/*
 * The cgroups that this process is in, v1 or v2 (cgroups(7)).
 */
#ifndef C2C_MACHINE_CGROUP_H
#define C2C_MACHINE_CGROUP_H

/*
 * Visit, for a controller ("cpu", "memory"), the cgroup folder of this
 * process and every one above, whose limits hold for it too. Inside a
 * container the lowest may be folders that only the host sees, and whose
 * files cannot be read. root as in machine/files.h.
 */
void cgroup_visit(const char *root, const char *controller,
	void (*visit)(const char *root, const char *folder, void *arg),
	void *arg);

#endif
