/*
 * System calls for the NUMA nodes of memory, for which libc has no functions
 * (see mbind(2), set_mempolicy(2), move_pages(2), get_mempolicy(2)). libnuma
 * wraps them, but may print messages before main() begins.
 */
#ifndef C2C_POLICY_H
#define C2C_POLICY_H

#include <linux/mempolicy.h>

long mbind(void *start, unsigned long bytes, int mode,
	const unsigned long *nodes, unsigned long max_node, unsigned flags);

long set_mempolicy(
	int mode, const unsigned long *nodes, unsigned long max_node);

long move_pages(int process, unsigned long n, void **pages, const int *nodes,
	int *status, int flags);

long get_mempolicy(int *mode, unsigned long *nodes, unsigned long max_node,
	void *address, unsigned long flags);

#endif
