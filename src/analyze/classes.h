/*
 * Classes of cores: what differs in kind, not in distance.
 */
#ifndef C2C_ANALYZE_CLASSES_H
#define C2C_ANALYZE_CLASSES_H

#include <stdbool.h>

#include "analyze/square.h"

/*
 * Divide the units of square into classes, one where all are alike. sizes
 * [n_units] says how many CPUs each has, which is evidence (by_siblings) where
 * one kind of core has siblings and another has none. Returns the separation: 1
 * when no unit of one class lies among those of another.
 */
float classes_find(const struct square *square, const uint32_t *sizes,
	bool by_siblings, struct partition *found, struct arena *arena);

#endif
