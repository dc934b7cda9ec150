/* Copies between this device and others. Private to the test bus. */
#ifndef C2C_BUS_H
#define C2C_BUS_H

#include "cl/sweep.h"

/* Return word i of a version. Words of different indices or versions differ. */
static inline uint64_t bus_word(uint64_t version, size_t i)
{
	/* All factors are odd. */
	return (i + version * 0xd6e8feb86659fd93u) * 0x9e3779b97f4a7c15u;
}

/*
 * Measure copies to each other device of the same platform, and from it. All
 * curves have the x of sweep; words and back are host memory for the largest x.
 * Without another device, add no curves.
 */
void bus_measure_devices(
	const struct sweep *sweep, uint64_t *words, uint64_t *back);

#endif
