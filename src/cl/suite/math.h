/*
 * The parts of the test math: arithmetic, and the built-in functions of table 1
 * with what the host takes for right. Private to src/cl/math*.c.
 */
#ifndef C2C_CL_MATH_H
#define C2C_CL_MATH_H

#include "cl/sweep.h"

/* Different starts in memory: work-item g has that of g % MATH_STARTS. */
#define MATH_STARTS 1024

/* Vectors: 1, 2, 4, 8, 16. */
#define MATH_WIDTHS 5

/* What there is at least, unless the user chose, and at most. */
#define MATH_LEAST_ITEMS 1024
#define MATH_MOST_ITEMS	 524288

/*
 * One type with what the CPUs do of each operation, and what was found to be
 * best for mad with each vector.
 */
struct math_type {
	bool is_double;
	const char *name;
	size_t bytes;
	struct ceiling ceilings[ARCH_OPERATIONS];
	size_t items[MATH_WIDTHS], group[MATH_WIDTHS];
	size_t rates; /* the first curve of them */
};

struct math {
	struct session *session;
	struct math_type types[2];
	size_t n_types;
	unsigned widths[MATH_WIDTHS]; /* ascending */
	size_t n_widths;
	cl_mem in, out;
	size_t out_bytes;
};

struct math_function {
	const char *name;
	unsigned row;	  /* of table 1 */
	bool typical;	  /* one that --quick has */
	const char *body; /* in OpenCL C, of x, b, k */
	double low, span; /* arguments: low to low + 0.75 span */
	double b;	  /* second argument */
	double ulp;	  /* the specification's bound; 0: exact */

	/* The right value. */
	long double (*right)(long double x, long double b, bool is_double);
};

extern const struct math_function math_functions[];
extern const size_t math_n_functions;

/* The third argument of those that have an integer. */
#define MATH_K 3

/* A curve over the vectors of a type, not begun: "mul of float". */
struct sweep math_sweep(const struct math *math, const struct math_type *type,
	const char *name);

/*
 * A program for all vectors; body NULL: arithmetic. It fills the buffer of
 * starts: element e has low + span * (e % 1021) / 2048.
 */
cl_program math_build(struct math *math, const struct math_type *type,
	const char *body, double low, double span);
double math_start(double low, double span, size_t e);

/* Its kernel for vectors of that width, with the buffers as arguments. */
cl_kernel math_kernel(const struct math *math, cl_program program,
	const char *name, size_t width);

/* A number of that type as an argument. */
struct argument math_number(const struct math_type *type, double value);

/* Element e of a buffer that is mapped. */
double math_element(const struct math_type *type, const void *buffer, size_t e);

/* Arguments that built-in functions have per work-item and turn. */
size_t math_chains(size_t width);

/* Numbers of work-items that are tried: first, then doubles up to most. */
struct items_range {
	size_t first, most;
};

/*
 * What the user chose and nothing else; or powers of two, from those wanted on
 * up to the best, which is one, as far as there is memory for them.
 */
struct items_range items_to_try(const struct test_options *options,
	size_t wanted, size_t best, size_t held);

/* All built-in functions of one type. */
void math_calls(struct math *math, struct math_type *type);

/* What the rates and then the latencies of n kinds say, as findings. */
void math_conclude(const struct math *math, const struct math_type *type,
	const struct sweep *sweeps, size_t n);

#endif
