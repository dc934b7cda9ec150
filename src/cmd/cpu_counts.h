/* Chooses the numbers of CPUs at which a curve has points. */
#ifndef C2C_CPU_COUNTS_H
#define C2C_CPU_COUNTS_H

#include <stdint.h>

/* Return the number of CPUs at the point after n, at most `most`. */
uint32_t next_cpu_count(uint32_t n, uint32_t most);

#endif
