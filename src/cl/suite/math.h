/*
 * The test math: arithmetic, and the built-in functions in table 1 with their
 * expected results. Private to src/cl/suite/math*.c.
 */
#ifndef C2C_MATH_H
#define C2C_MATH_H

#include "cl/sweep.h"

/* Starts in memory: work-item g begins with number g % MATH_STARTS. */
#define MATH_STARTS 1024

/* Vector widths: 1, 2, 4, 8, 16. */
#define MATH_WIDTHS 5

/* Fewest work-items, unless the user chose them, and most work-items. */
#define MATH_LEAST_ITEMS 1024
#define MATH_MOST_ITEMS	 524288

#define MATH_KINDS 6

/*
 * A type, with native rates of operations, and the best work-items of mad for
 * each vector.
 */
struct math_type {
	bool is_double;
	const char *name;
	size_t bytes;
	unsigned kinds[MATH_KINDS]; /* [n_kinds], the measured kinds */
	size_t n_kinds;
	struct ceiling ceilings[ARCH_OPERATIONS];
	size_t items[MATH_WIDTHS];
	size_t rates; /* index of the first curve of rates */
};

/* Whether built-in functions try several work-groups. */
enum math_search {
	SEARCH_UNDECIDED, /* until the first function has run */
	SEARCH_GROUPS,
	SEARCH_NOTHING, /* functions use the largest group */
};

struct math_state {
	struct session *session;
	struct math_type types[2];
	size_t n_types;
	unsigned widths[MATH_WIDTHS]; /* [n_widths], of rates */
	size_t n_widths;
	size_t call_widths[MATH_WIDTHS]; /* [n_call_widths], places in widths */
	size_t n_call_widths;
	cl_mem in, out;
	size_t out_bytes;
	enum math_search calls;
	double searched_s; /* time that built-in functions searched */
};

struct math_function {
	const char *name;
	unsigned row;	  /* row in table 1 */
	bool typical;	  /* --quick has it */
	const char *body; /* OpenCL C, with x, b and k */
	double low, span; /* arguments: low to low + 0.75 span */
	double b;	  /* second argument */
	double ulp;	  /* bound in the specification; 0: exact */

	/* Return the correct value. */
	long double (*expected)(long double x, long double b, bool is_double);
};

extern const struct math_function math_functions[];
extern const size_t math_n_functions;

/* Third argument of functions that take an integer. */
#define MATH_K 3

/* Make a curve over the vectors of a type, "mul of float". It is not begun. */
struct sweep math_sweep(const struct math_state *math,
	const struct math_type *type, const char *name, bool calls);

/*
 * Build a program for the vectors of a function, or of arithmetic if body is
 * NULL. options are for the compiler, or NULL. Fill the buffer of starts:
 * element e is low + span * (e % 1021) / 2048.
 */
cl_program math_build(struct math_state *math, const struct math_type *type,
	const char *body, double low, double span, const char *options);
double math_start(double low, double span, size_t e);

/* Make a program's kernel for vectors of that width, and set its buffers. */
cl_kernel math_kernel(const struct math_state *math, cl_program program,
	const char *name, size_t width);

/* Return the number of vectors: of functions if calls, else of arithmetic. */
static inline size_t math_n_widths(const struct math_state *math, bool calls)
{
	return calls ? math->n_call_widths : math->n_widths;
}

static inline unsigned math_width(
	const struct math_state *math, bool calls, size_t w)
{
	return math->widths[calls ? math->call_widths[w] : w];
}

/* Return how often a work-item calls a function in a turn. */
size_t math_chains(size_t width);

/* Numbers of work-items to try: from first, doubled up to most. */
struct items_range {
	size_t first, most;
};

/*
 * Return the user's number only; or powers of two from wanted to best, itself a
 * power of two, up to what memory holds.
 */
struct items_range math_items_to_try(const struct test_options *options,
	size_t wanted, size_t best, size_t held);

/* Work-groups to try: from least, doubled up to most. */
struct group_range {
	size_t least, most;
};

/*
 * Return the user's group only; or the article's groups that divide the items
 * and that the device allows, only the largest with --quick. items is 0 for any
 * power of two.
 */
struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items);

/* Return the shortest time of n runs. OpenCL may compile in the first one. */
double math_shortest_run_s(
	struct session *session, const struct launch *launch, unsigned runs);

/*
 * Return whether that many tries take seconds instead of minutes. The first run
 * of each takes longer_s longer than other runs.
 */
bool math_search_pays(double longer_s, size_t tries);

/* Return whether a run measures this function. */
static inline bool math_measures(
	const struct math_state *math, const struct math_function *function)
{
	return !math->session->options->quick || function->typical;
}

/* Measure all built-in functions of one type. */
void math_calls(struct math_state *math, struct math_type *type);

/* Compile part of all kernels of functions, in the largest group. */
void math_compile_calls(struct math_state *math, const struct math_type *type,
	unsigned part, unsigned parts);

#endif
