/* A line with a pair of CPUs and its value, as in "CPU 0 -> CPU 1: 53 ns". */
#ifndef C2C_PAIR_LINE_H
#define C2C_PAIR_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct pair_line {
	unsigned a, b;
	bool own;	  /* a is b */
	double value;	  /* positive; NaN if 0 and own */
	size_t line;	  /* line in the file, set by the caller */
	const char *unit; /* static, or NULL */
	bool is_explicit; /* words or arrows mark the pair */
	bool of_nodes;	  /* a and b are NUMA nodes */
};

/* Read a pair from a line. Return false for any other line. */
bool pair_line_read(const char *text, struct pair_line *pair);

#endif
