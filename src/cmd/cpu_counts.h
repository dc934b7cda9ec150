/* The numbers of CPUs at the points of a curve. */
#ifndef C2C_CPU_COUNTS_H
#define C2C_CPU_COUNTS_H

#include <stdint.h>

/* Return the next number of CPUs after n, up to `most`. */
uint32_t next_cpu_count(uint32_t n, uint32_t most);

#endif
