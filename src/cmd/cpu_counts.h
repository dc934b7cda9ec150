/* The numbers of CPUs of a curve's points. */
#ifndef C2C_CPU_COUNTS_H
#define C2C_CPU_COUNTS_H

#include <stdint.h>

/* Return the number of CPUs at the point after n, at most `most`. */
uint32_t next_cpu_count(uint32_t n, uint32_t most);

#endif
