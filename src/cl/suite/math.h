/*
 * The parts of the test math: arithmetic, and the built-in functions of table 1
 * with their right results. Private to src/cl/suite/math*.c.
 */
#ifndef C2C_MATH_H
#define C2C_MATH_H

#include "cl/sweep.h"

/* Starts in memory: work-item g begins with number g % MATH_STARTS. */
#define MATH_STARTS 1024

/* Vectors: 1, 2, 4, 8, 16. */
#define MATH_WIDTHS 5

/* The fewest work-items, unless the user chose, and the most. */
#define MATH_LEAST_ITEMS 1024
#define MATH_MOST_ITEMS	 524288

/* Kinds of arithmetic. */
#define MATH_KINDS 6

/*
 * One type, with the native rate of each operation, and the best work-items of
 * mad for each vector.
 */
struct math_type {
	bool is_double;
	const char *name;
	size_t bytes;
	unsigned kinds[MATH_KINDS]; /* [n_kinds], those that are measured */
	size_t n_kinds;
	struct ceiling ceilings[ARCH_OPERATIONS];
	size_t items[MATH_WIDTHS];
	size_t rates; /* the first curve of them */
};

/* Whether built-in functions try several work-groups. */
enum math_search {
	SEARCH_UNDECIDED, /* until the first function ran */
	SEARCH_GROUPS,
	SEARCH_NOTHING, /* they take the largest */
};

struct math_state {
	struct session *session;
	struct math_type types[2];
	size_t n_types;
	unsigned widths[MATH_WIDTHS]; /* [n_widths] of rates */
	size_t n_widths;
	size_t call_widths[MATH_WIDTHS]; /* places of those of functions */
	size_t n_call_widths;
	cl_mem in, out;
	size_t out_bytes;
	enum math_search calls;
	double searched_s; /* by them */
};

struct math_function {
	const char *name;
	unsigned row;	  /* of table 1 */
	bool typical;	  /* --quick has it */
	const char *body; /* in OpenCL C, of x, b, k */
	double low, span; /* arguments: low to low + 0.75 span */
	double b;	  /* second argument */
	double ulp;	  /* the specification's bound; 0: exact */

	/* The right value. */
	long double (*expected)(long double x, long double b, bool is_double);
};

extern const struct math_function math_functions[];
extern const size_t math_n_functions;

/* The third argument of functions that take an integer. */
#define MATH_K 3

/* A curve over the vectors of a type, not begun: "mul of float". */
struct sweep math_sweep(const struct math_state *math,
	const struct math_type *type, const char *name, bool calls);

/*
 * A program for the vectors of a function; body NULL: of arithmetic. options
 * are those of the compiler, or NULL. It fills the buffer of starts: element e
 * has low + span * (e % 1021) / 2048.
 */
cl_program math_build(struct math_state *math, const struct math_type *type,
	const char *body, double low, double span, const char *options);
double math_start(double low, double span, size_t e);

/* Its kernel for vectors of that width; the buffers are set as arguments. */
cl_kernel math_kernel(const struct math_state *math, cl_program program,
	const char *name, size_t width);

/* The vectors of functions (calls), or of arithmetic. */
static inline size_t math_n_widths(const struct math_state *math, bool calls)
{
	return calls ? math->n_call_widths : math->n_widths;
}

static inline unsigned math_width(
	const struct math_state *math, bool calls, size_t w)
{
	return math->widths[calls ? math->call_widths[w] : w];
}

/* The calls of a built-in function in a turn of a work-item. */
size_t math_chains(size_t width);

/* Numbers of work-items to try: first, then doubles up to most. */
struct items_range {
	size_t first, most;
};

/*
 * Only the user's number; or powers of two from wanted to best, which is one of
 * them, as far as memory holds them.
 */
struct items_range math_items_to_try(const struct test_options *options,
	size_t wanted, size_t best, size_t held);

/* Work-groups to try: least, then doubles up to most. */
struct group_range {
	size_t least, most;
};

/*
 * Only the user's; or those of the article that divide the items and that the
 * device allows, with --quick the largest. items 0: a large power of two.
 */
struct group_range math_groups_to_try(
	const struct test_options *options, size_t max_group, size_t items);

/* The least time of so many runs. The first run may compile. */
double math_shortest_run_s(
	struct session *session, const struct launch *launch, unsigned runs);

/*
 * Whether so many more work-groups may be tried, if the first run in one takes
 * that much longer than others: whether it takes seconds and not minutes.
 */
bool math_search_pays(double longer_s, size_t tries);

/* Whether a run measures this function. */
static inline bool math_measures(
	const struct math_state *math, const struct math_function *function)
{
	return !math->session->options->quick || function->typical;
}

/* All built-in functions of one type. */
void math_calls(struct math_state *math, struct math_type *type);

/* Compile their kernels, in the largest group: this part of all programs. */
void math_compile_calls(struct math_state *math, const struct math_type *type,
	unsigned part, unsigned parts);

#endif
