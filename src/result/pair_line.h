/*
 * A line that names two CPUs and a number: "0,1,53", "CPU 0 -> CPU 1: 53 ns".
 */
#ifndef C2C_PAIR_LINE_H
#define C2C_PAIR_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct pair_line {
	unsigned a, b;
	bool own;	  /* a is b */
	double value;	  /* positive; NaN: 0 for a CPU with itself */
	size_t line;	  /* line in the file; the caller sets it */
	const char *unit; /* static, or NULL */
	bool is_explicit; /* words or arrows mark it as a pair */
	bool of_nodes;	  /* a and b are NUMA nodes */
};

/* Read a pair from a line; false for any other line. */
bool pair_line_read(const char *text, struct pair_line *pair);

#endif
