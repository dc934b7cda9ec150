/*
 * The parts of the test math: arithmetic, and the built-in functions of table 1
 * with what the host takes for right. Private to src/cl/math*.c.
 */
#ifndef C2C_CL_MATH_H
#define C2C_CL_MATH_H

#include "cl/curves.h"

/* Different starts in memory: work-item g has that of g % MATH_STARTS. */
#define MATH_STARTS 1024

/* Vectors: 1, 2, 4, 8, 16. */
#define MATH_WIDTHS 5

/* Rows of table 1; the first has the arithmetic. */
#define MATH_ROWS 9

/* A kernel is run often enough to take so long. */
#define MATH_LEAST_S 1e-3

/*
 * One type with what the CPUs do of each operation, and what was found to be
 * best for mad with each vector.
 */
struct math_type {
	bool is_double;
	const char *name;
	size_t bytes;
	struct ceiling ceilings[ARCH_OPERATIONS];
	size_t rates; /* a curve of the panel of rates */
	size_t items[MATH_WIDTHS], group[MATH_WIDTHS];
};

struct math {
	struct cl_session *session;
	struct math_type types[2];
	size_t n_types;
	size_t widths[MATH_WIDTHS]; /* ascending */
	size_t n_widths;
	cl_mem in, out;
	size_t out_bytes;
	double done, all; /* of progress */
};

/* How a kernel runs. */
struct math_run {
	size_t items, group;
	cl_uint turns;
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

/*
 * Fill the buffer of starts: element e has low + span * (e % 1021) / 2048.
 */
int math_fill(const struct math *math, const struct math_type *type, double low,
	double span, struct error *err);

/* A program for all vectors. body NULL: arithmetic. */
int math_build(const struct math *math, const struct math_type *type,
	const char *body, cl_program *program, struct error *err);

/* Its kernel for vectors of that width, with the buffers as arguments. */
int math_kernel(const struct math *math, cl_program program, const char *name,
	size_t width, cl_kernel *kernel, struct error *err);

/* A number of that type as the i-th argument. */
int math_number(const struct math_type *type, cl_kernel kernel, cl_uint i,
	double value, struct error *err);

/*
 * Run once, the number of turns being the i-th argument. Its first run may have
 * a compilation in it.
 */
int math_once(const struct math *math, cl_kernel kernel, cl_uint i,
	const struct math_run *run, double *s, struct error *err);

/* Element e of a buffer that is mapped. */
double math_element(const struct math_type *type, const void *buffer, size_t e);

/* Arguments that built-in functions have per work-item and turn. */
size_t math_chains(size_t width);

/* All built-in functions of one type. */
int math_calls(struct math *math, struct math_type *type, struct error *err);

/* Append an object, which is taken over, to a list of the record. */
int math_note(const struct math *math, const char *list, json_t *object,
	struct error *err);

/* What was measured of one kind of arithmetic: places in the result. */
struct math_curve {
	const char *name;
	const struct ceiling *ceiling;
	size_t rate, latency;
};

/* What n of them say of a type, into the record's findings. */
int math_conclude(const struct math *math, const struct math_type *type,
	const struct math_curve *curves, size_t n, struct error *err);

/* A curve over the vectors. */
int math_add_curve(const struct math *math, const char *name,
	const struct curve_facts *facts, size_t *at, struct error *err);

/* Which part of a page the panels of a type are. */
unsigned math_part(const struct math_type *type, bool latency);

void math_advance(struct math *math, double work);

#endif
