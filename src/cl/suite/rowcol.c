/*
 * Rows and columns of a square array (section 2.3.1, figures 16 to 19).
 *
 * The test times a kernel. Each work-item reads or writes n elements that lie
 * side by side in a row, or below each other in a column; neighbours have
 * neighbouring pieces. The launch is not timed if the device has events that
 * c2c trusts (timing.c). A read kernel also writes one sum of four bytes per
 * work-item, which is not counted: at small n it and what a work-item costs
 * are most of the time, so look at small n for nothing but the equality of
 * both orders.
 *
 * Elements of a column are a whole row apart. A piece of it touches n lines,
 * which the next work-item wants again. They stay in a cache while they fit
 * the sets that lines so far apart fall into, and with a row of a power of two
 * these are few: with the row longer by one line (padded) they are all. What
 * padding mends was set conflicts, what remains is capacity.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cl/suite/rowcol_cl.h"
#include "cl/suite/rows.h"
#include "cl/suite/squares.h"
#include "cl/tests.h"
#include "machine/memory.h"
#include "util/text.h"

/* Elements per work-item, as in the paper; and factors between the points. */
#define MOST_N	     512
#define FACTOR	     2
#define QUICK_FACTOR 8

#define PAD_BYTES  64
#define PAPER_SIDE 1024

/* A column falls where its rate stays below this share of its best before. */
#define FALL 0.7

/* At n = 1 both orders are the same: medians of one thing scatter so far. */
#define SAME	   1.25
#define SAME_TURNS 4

#define MOST_SHAPES 5

struct shape {
	char label[TEXT_SIZE_BYTES + 16]; /* "1 MiB of bytes" */
	size_t element_bytes, side;
	bool detail; /* not on a page of several tests */
};

/* Without padding. */
static size_t shape_bytes(const struct shape *shape)
{
	return shape->side * shape->side * shape->element_bytes;
}

/* One shape on the device. */
struct array {
	struct session *session;
	const struct shape *shape;
	size_t pitch; /* in elements */
	bool padded;
	cl_mem data, sums;
	cl_kernel kernels[2];	  /* read, write */
	cl_uint version;	  /* of what was written last */
	struct ceiling *ceilings; /* [2]: read, write */
	size_t n;		  /* elements of a work-item */
	bool column;		  /* and in what order */
	size_t at[2];		  /* a curve of each access */
};

static const char *const access_names[2] = {"read", "write"};

static cl_uint log2_of(size_t power)
{
	cl_uint log = 0;

	while (power >>= 1)
		log++;
	return log;
}

/* What the array holds before it is read. */
static cl_uint value_at(const struct array *array, size_t place)
{
	cl_uint value = session_word(place);

	return array->shape->element_bytes == 1 ? value & 0xff : value;
}

/* A word of the array, of one element or four. */
static cl_uint word_of(const struct array *array, size_t i,
	cl_uint (*value)(const struct array *array, size_t place))
{
	cl_uchar bytes[sizeof(cl_uint)];
	cl_uint word;

	if (array->shape->element_bytes == sizeof(word))
		return value(array, i);
	for (size_t k = 0; k < sizeof(word); k++)
		bytes[k] = (cl_uchar)value(array, i * sizeof(word) + k);
	memcpy(&word, bytes, sizeof(word));
	return word;
}

static cl_uint first_word(const void *context, size_t i)
{
	return word_of(context, i, value_at);
}

/* The sum of the elements of work-item g, in the paper's terms. */
static cl_uint right_sum(const void *context, size_t g)
{
	const struct array *array = context;
	size_t side = array->shape->side, n = array->n;
	size_t r = array->column ? g / side * n : g / (side / n);
	size_t c = array->column ? g % side : g % (side / n) * n;
	size_t place = r * array->pitch + c;
	cl_uint sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += value_at(
			array, place + i * (array->column ? array->pitch : 1));
	return sum;
}

/* What its work-item writes there, which padding has none of. */
static cl_uint written_at(const struct array *array, size_t place)
{
	size_t side = array->shape->side, n = array->n;
	size_t r = place / array->pitch, c = place % array->pitch;
	size_t g = array->column ? r / n * side + c : (r * side + c) / n;
	size_t i = array->column ? r % n : c % n;

	return c < side ? array->version + 7 * (cl_uint)g + (cl_uint)i
			: value_at(array, place);
}

static cl_uint right_word(const void *context, size_t i)
{
	return word_of(context, i, written_at);
}

/* What one kernel is told: the names are those of rowcol.cl. */
static void prepare(struct sweep *sweep, size_t i)
{
	struct array *array = sweep->context;
	struct session *session = sweep->session;
	size_t n = (size_t)sweep->x[i], side = array->shape->side;
	size_t pitch = array->pitch, items = side * side / n;
	bool column = sweep->kind;
	size_t pieces = column ? side : side / n;

	array->n = n;
	array->column = column;
	array->version += 12345;
	sweep->launch.items = items;
	sweep->launch.group = session_group(session, items);
	if (session_ok(session))
		session->rc = check_groups(session->options, items,
			sweep->launch.group, session->err);
	/* With one element per work-item both orders have the same sums. */
	sweep->right.n = sweep->write
				 ? pitch * side * array->shape->element_bytes /
					   sizeof(cl_uint)
				 : items;
	session_arguments(session, sweep->launch.kernel, 0,
		(struct argument[]){of_memory(array->data),
			sweep->write ? of_word(array->version)
				     : of_memory(array->sums),
			of_word(log2_of(pieces)), of_word(pieces - 1),
			of_word(column ? n * pitch : pitch),
			of_word(column ? 1 : n), of_word(column ? pitch : 1),
			of_word(n), {0}});
}

/* Both orders at one n. Where they are one and the same, this must be seen. */
static void time_both(
	struct sweep sweeps[2], size_t i, struct timing timings[2])
{
	const struct array *array = sweeps->context;
	char row[TEXT_SIZE_BYTES], column[TEXT_SIZE_BYTES];

	for (int turn = 0; turn < SAME_TURNS; turn++) {
		double ratio;

		timings[0] = sweep_measure(&sweeps[0], i);
		timings[1] = sweep_measure(&sweeps[1], i);
		ratio = timings[0].median_s / timings[1].median_s;
		if (sweeps->session->rc || sweeps->x[i] > 1 ||
			(ratio < SAME && ratio > 1 / SAME))
			return;
	}
	session_note(sweeps->session,
		"%s of %s%s: with one element per work-item both orders are "
		"the same kernel with the same arguments, yet they took %s "
		"and %s: differences of that size mean nothing here",
		access_names[sweeps->write], array->shape->label,
		array->padded ? ", padded" : "",
		text_time(timings[0].median_s, row),
		text_time(timings[1].median_s, column));
}

/*
 * The first of n numbers of elements whose lines a CPU's part of a cache does
 * not hold: there a column may fall. 0: it holds those of all.
 */
static size_t exceeded_at(
	const struct lines_held *held, const double *elements, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (elements[i] * (double)held->cpus > (double)held->lines)
			return (size_t)elements[i];
	}
	return 0;
}

/* Lines of a column that L1 and L2 hold. */
static void find_held(const struct array *array, struct lines_held held[2])
{
	size_t pitch_bytes = array->pitch * array->shape->element_bytes;

	for (unsigned level = 1; level <= 2; level++)
		held[level - 1] = lines_held(array->session->machine,
			array->session->options->cpus, level, pitch_bytes);
}

/* 0: none. */
static void set_elements(struct facts *row, const char *key, size_t elements)
{
	if (elements)
		facts_set_count(row, key, (int64_t)elements);
	else
		facts_set_unknown(row, key);
}

static void record_fall(const struct sweep *column, size_t fall,
	const struct lines_held held[2], const size_t exceeded[2])
{
	static const char *const keys[2][3] = {
		{"lines_held.L1", "held_for_cpus.L1", "exceeded_at.L1"},
		{"lines_held.L2", "held_for_cpus.L2", "exceeded_at.L2"}};
	const struct array *array = column->context;
	struct facts row = {0};

	facts_set_text(&row, "array", array->shape->label);
	facts_set_text(&row, "access", access_names[column->write]);
	facts_set_flag(&row, "padded", array->padded);
	facts_set_count(&row, "pitch_bytes",
		(int64_t)(array->pitch * array->shape->element_bytes));
	for (size_t i = 0; i < 2; i++) {
		set_elements(&row, keys[i][0], held[i].lines);
		set_elements(&row, keys[i][1], held[i].cpus);
		set_elements(&row, keys[i][2], held[i].lines ? exceeded[i] : 0);
	}
	set_elements(&row, "falls_at", fall);
	session_record(column->session, "columns_fall", &row);
}

/*
 * "; of lines a row apart L1 holds 12 (16 elements exceed it), L2 1024 for 2
 * CPUs (none does)"
 */
#define HELD_BYTES 160
static void write_held(const struct lines_held held[2],
	const size_t exceeded[2], char text[HELD_BYTES])
{
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		if (!held[i].lines)
			continue;
		used += (size_t)snprintf(text + used, HELD_BYTES - used,
			used ? ", L%zu %zu"
			     : "; L%zu holds %zu lines that lie a row apart",
			i + 1, held[i].lines);
		if (held[i].cpus > 1)
			used += (size_t)snprintf(text + used, HELD_BYTES - used,
				" for %zu CPUs", held[i].cpus);
		used += (size_t)snprintf(text + used, HELD_BYTES - used,
			exceeded[i] ? " (%zu elements exceed it)"
				    : " (none of these does)",
			exceeded[i]);
	}
}

/* Where columns fall, and how long they take beside rows in the end. */
static void conclude(const struct sweep sweeps[2])
{
	const struct array *array = sweeps->context;
	struct session *session = sweeps->session;
	const struct sweep *column = &sweeps[1];
	size_t last = column->n - 1, exceeded[2], fall = 0;
	struct figure columns[SWEEP_MOST];
	char what[FIGURE_BYTES], falls[80] = "", holds[HELD_BYTES] = "";
	struct lines_held held[2];

	for (size_t i = 0; i < column->n; i++)
		columns[i] = sweep_figure(column, i);
	/* Elsewhere columns are what neighbours access together. */
	if (session->is_cpu) {
		size_t i = figure_falls(columns, column->n, FALL);

		fall = i ? (size_t)column->x[i] : 0;
		find_held(array, held);
		for (size_t level = 0; level < 2; level++)
			exceeded[level] =
				exceeded_at(&held[level], column->x, column->n);
		write_held(held, exceeded, holds);
		record_fall(column, fall, held, exceeded);
		snprintf(falls, sizeof(falls),
			"columns do not fall below %.0f %% of their own best; ",
			FALL * 100);
	}
	if (fall)
		snprintf(falls, sizeof(falls),
			"columns fall below %.0f %% of their own best at %zu "
			"elements; ",
			FALL * 100, fall);
	session_find(session,
		"%s of %s%s: %sa column of %.0f beside a row: %s%s",
		access_names[sweeps->write], array->shape->label,
		array->padded ? ", padded" : "", falls, column->x[last],
		figure_times(figure_over(sweep_figure(&sweeps[0], last),
				     columns[last]),
			"long", what),
		holds);
}

/* A row or a column of all n. */
static struct sweep make_sweep(struct array *array, bool write, bool column)
{
	static const char *const names[2] = {"row", "column"};
	struct session *session = array->session;
	struct sweep sweep = {.session = session,
		.member = names[column],
		.variant = array->padded ? "padded" : NULL,
		.place = array->shape->detail ? CURVE_DETAIL : CURVE_MAIN,
		.part = write ? ROWCOL_WRITE : ROWCOL_READ,
		.x_name = "elements per item",
		.prepare = prepare,
		.launch.kernel = array->kernels[write],
		.amount = (double)shape_bytes(array->shape),
		.right = words_of(write ? array->data : array->sums, 0,
			write ? right_word : right_sum, array),
		.spoiled = !write,
		.write = write,
		.kind = column,
		.ceiling = &array->ceilings[write],
		.context = array};

	snprintf(sweep.family, sizeof(sweep.family), "%s, %s",
		access_names[write], array->shape->label);
	snprintf(sweep.name, sizeof(sweep.name), "%s in %ss of %s%s",
		access_names[write], names[column], array->shape->label,
		array->padded ? ", padded" : "");
	sweep_up_to(&sweep, 1, MOST_N,
		session->options->quick ? QUICK_FACTOR : FACTOR);
	return sweep;
}

/* All n of one access to one array, in both orders, and their ratio. */
static void measure_access(struct array *array, bool write)
{
	struct session *session = array->session;
	struct sweep sweeps[2] = {make_sweep(array, write, false),
		make_sweep(array, write, true)};
	struct curve *ratio;
	char family[64];
	size_t at;

	snprintf(family, sizeof(family), "row over column, %s",
		access_names[write]);
	sweep_begin(&sweeps[0]);
	sweep_begin(&sweeps[1]);
	array->at[write] = sweeps->at;
	at = session->result->n_curves;
	ratio = sweep_derive(
		sweeps, array->shape->label, family, "times", CURVE_RATIOS);
	if (!ratio)
		return;
	ratio->is.part = ROWCOL_RATIO;
	ratio->is.place = write ? CURVE_DETAIL : CURVE_MAIN;
	for (size_t i = 0; i < sweeps->n && session_ok(session); i++) {
		struct timing timings[2];

		time_both(sweeps, i, timings);
		sweep_put(&sweeps[0], i, &timings[0]);
		sweep_put(&sweeps[1], i, &timings[1]);
		if (session->rc)
			return;
		session_curve(session, at)->median[i] =
			sweep_figure(&sweeps[0], i).median /
			sweep_figure(&sweeps[1], i).median;
		session_advance(session,
			(double)shape_bytes(array->shape) / (double)sweeps->n);
	}
	conclude(sweeps);
}

/* Reads first: they want what is filled in. */
static void measure_array(struct array *array, cl_program program)
{
	static const char *const kernels[2] = {"read_array", "write_array"};
	const struct shape *shape = array->shape;
	struct session *session = array->session;
	size_t mark = session_mark(session), bytes;

	array->pitch = shape->side +
		       (array->padded ? PAD_BYTES / shape->element_bytes : 0);
	bytes = array->pitch * shape->side * shape->element_bytes;
	array->data = session_buffer(session, bytes);
	array->sums = session_buffer(
		session, shape->side * shape->side * sizeof(cl_uint));
	for (int write = 0; write < 2; write++)
		array->kernels[write] =
			session_kernel(session, program, kernels[write]);
	session_fill(session, array->data, bytes / sizeof(cl_uint), first_word,
		array);
	for (int write = 0; write < 2 && session_ok(session); write++)
		measure_access(array, write);
	session_release(session, mark);
}

/* Words that are read in vectors too. */
static bool has_rows(const struct session *session, const struct shape *shape)
{
	return session->is_cpu && shape->element_bytes == 4;
}

static void measure_shape(struct session *session, const struct shape *shape)
{
	size_t mark = session_mark(session), bytes = shape_bytes(shape);
	struct ceiling ceilings[2] = {
		{.what = NATIVE_READ, .bytes = bytes},
		{.what = NATIVE_WRITE, .bytes = bytes},
	};
	cl_program program = session_build(session, "rowcol.cl", rowcol_cl,
		shape->element_bytes == 1 ? "-DELEMENT=uchar"
					  : "-DELEMENT=uint");

	struct array array = {
		.session = session, .shape = shape, .ceilings = ceilings};

	ceiling_measure(session, &ceilings[0]);
	ceiling_measure(session, &ceilings[1]);
	for (int padded = 0; padded < 2 && session_ok(session); padded++) {
		array.padded = padded;
		measure_array(&array, program);
	}
	if (session_ok(session) && has_rows(session, shape))
		rows_measure(session, shape->label, shape->side, &ceilings[0]);
	for (int write = 0; write < 2; write++) {
		char name[64];

		snprintf(name, sizeof(name), "%s, %s", access_names[write],
			shape->label);
		ceiling_show(session, &ceilings[write],
			&(struct ceiling_line){name, access_names[write],
				array.at[write], 0, INFINITY});
	}
	session_release(session, mark);
}

struct shapes {
	struct shape list[MOST_SHAPES];
	size_t n;
};

/* Unless the same is there. */
static void add_shape(struct shapes *shapes, size_t element_bytes, size_t side)
{
	struct shape *shape = &shapes->list[shapes->n];
	char size[TEXT_SIZE_BYTES];

	for (size_t i = 0; i < shapes->n; i++) {
		if (shapes->list[i].side == side &&
			shapes->list[i].element_bytes == element_bytes)
			return;
	}
	*shape = (struct shape){.element_bytes = element_bytes, .side = side};
	snprintf(shape->label, sizeof(shape->label), "%s of %s",
		text_size(shape_bytes(shape), size),
		element_bytes == 1 ? "bytes" : "words");
	shapes->n++;
}

/* The array with its padding, as much for its sums, and the host's own. */
static bool fits(
	const struct session *session, size_t element_bytes, size_t side)
{
	double words = (double)side * (double)side;
	double array_bytes =
		words * (double)element_bytes + (double)(PAD_BYTES * side);
	double most = (double)session->max_alloc_bytes;

	return array_bytes <= most && 4 * words <= most &&
	       2.1 * 4 * words <= MEMORY_SHARE * (double)session->global_bytes;
}

/* What the caches of the CPUs suggest. */
static void add_by_caches(struct shapes *shapes, const struct session *session)
{
	size_t most = SQUARE_LEAST, sides[3], n;

	while (most < SQUARE_MOST && fits(session, 4, 2 * most))
		most *= 2;
	n = squares_by_caches(
		session->machine, session->options->cpus, most, sides);
	for (size_t i = 0; i < n; i++)
		add_shape(shapes, 4, sides[i]);
}

static void choose_shapes(struct shapes *shapes, struct session *session)
{
	uint64_t wanted = session->options->size_bytes;
	char once[TEXT_SIZE_BYTES], all[TEXT_SIZE_BYTES];
	size_t kept = 0;

	if (wanted) {
		add_shape(shapes, 4, square_within(wanted));
	} else {
		add_shape(shapes, 1, PAPER_SIDE);
		add_shape(shapes, 4, PAPER_SIDE);
		if (!session->options->quick && session->is_cpu)
			add_by_caches(shapes, session);
	}
	for (size_t i = 0; i < shapes->n; i++) {
		struct shape *shape = &shapes->list[i];

		if (fits(session, shape->element_bytes, shape->side))
			shapes->list[kept++] = *shape;
		else
			session_note(session,
				"%s are left out: the device has too little "
				"memory, or allows too small a buffer",
				shape->label);
	}
	shapes->n = kept;
	if (kept == 0)
		session_error(session, ERROR_UNAVAILABLE, ENOTSUP,
			"the device has too little memory for the array, its "
			"padding and the sums: it allows buffers of %s and "
			"has %s in all; choose a smaller --size",
			text_size(session->max_alloc_bytes, once),
			text_size(session->global_bytes, all));
}

/* Where the article's array of words is measured, others are details. */
static void choose_main(struct shapes *shapes)
{
	for (size_t i = 0; i < shapes->n; i++) {
		const struct shape *shape = &shapes->list[i];

		if (shape->element_bytes != 4 || shape->side != PAPER_SIDE)
			continue;
		for (size_t k = 0; k < shapes->n; k++)
			shapes->list[k].detail = k != i;
	}
}

static void run_rowcol(struct session *session)
{
	struct shapes shapes = {0};

	choose_shapes(&shapes, session);
	choose_main(&shapes);
	for (size_t i = 0; i < shapes.n; i++)
		session->all +=
			(has_rows(session, &shapes.list[i]) ? 5.0 : 4.0) *
			(double)shape_bytes(&shapes.list[i]);
	for (size_t i = 0; i < shapes.n && session_ok(session); i++)
		measure_shape(session, &shapes.list[i]);
}

const struct test test_rowcol = {
	.name = "rowcol",
	.section = "2.3.1",
	.summary = "A square array read and written by rows and by columns",
	.takes = TAKES_SIZE | TAKES_WORK_GROUP | TAKES_SWEEP,
	.memory_by = TAKES_SIZE,
	.size = {SIZE_SQUARE, 4 * SQUARE_LEAST *SQUARE_LEAST,
		4 * SQUARE_MOST *SQUARE_MOST},
	.run = run_rowcol,
};
