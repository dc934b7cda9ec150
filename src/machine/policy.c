#include "machine/policy.h"

#include <sys/syscall.h>
#include <unistd.h>

long mbind(void *start, unsigned long bytes, int mode,
	const unsigned long *nodes, unsigned long max_node, unsigned flags)
{
	return syscall(SYS_mbind, start, bytes, (long)mode, nodes, max_node,
		(unsigned long)flags);
}

long set_mempolicy(int mode, const unsigned long *nodes, unsigned long max_node)
{
	return syscall(SYS_set_mempolicy, (long)mode, nodes, max_node);
}

long move_pages(int process, unsigned long n, void **pages, const int *nodes,
	int *status, int flags)
{
	return syscall(SYS_move_pages, (long)process, n, pages, nodes, status,
		(long)flags);
}

long get_mempolicy(int *mode, unsigned long *nodes, unsigned long max_node,
	void *address, unsigned long flags)
{
	return syscall(
		SYS_get_mempolicy, mode, nodes, max_node, address, flags);
}
