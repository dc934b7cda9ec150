/*
 * Measure rows and columns of a square array (section 2.3.1, figures 16 to 19).
 *
 * The test times a kernel. Each work-item reads or writes n consecutive
 * elements of a row or of a column. A reading work-item also writes a sum,
 * which the rate does not count. At small n, writing this sum and starting
 * work-items take most of the time, so both orders take equally long.
 *
 * Neighbouring elements of a column are a row apart, so their lines map to only
 * a part of the cache sets. The n lines of a column's piece stay in a cache for
 * the next work-item if they fit these sets. The lines map to few sets if the
 * length of a row is a power of two, and to all sets if a row is one line
 * longer (padded). Padding removes the loss from set conflicts; the remaining
 * loss comes from the capacity.
 *
 * On devices other than CPUs a run goes through the array repeatedly, with
 * different work-items, until it takes far longer than a launch: an H200 reads
 * 4 MiB in less time than a launch takes.
 */
#include <math.h>
#include <string.h>

#include "cl/cl_caches.h"
#include "cl/suite/rowcol.h"
#include "cl/suite/rowcol_cl.h"
#include "machine/memory.h"

/* Elements per work-item, as in the paper; and factors between points. */
#define MOST_N	     512
#define FACTOR	     2
#define QUICK_FACTOR 8

/* From this size on a point takes seconds, so use only every second n. */
#define LONG_BYTES  ((size_t)64 << 20)
#define LONG_LEAST  2
#define LONG_FACTOR 4

#define PAD_BYTES  64
#define PAPER_SIDE 1024

/* Shortest time of a run on devices other than CPUs, in launches. */
#define LAUNCHES 100

/* Side of an array larger than most caches of GPUs: 256 MiB. */
#define LARGE_SIDE 8192

/* A column has fallen if it stays below this share of its earlier best. */
#define FALL 0.7

#define MOST_SHAPES 5

struct array_shape {
	const char *label; /* for example "1 MiB of bytes" */
	size_t element_bytes, side;
};

struct array_shapes {
	struct array_shape list[MOST_SHAPES];
	size_t n;
};

/* Return the bytes of an array without padding. */
static size_t shape_bytes(const struct array_shape *shape)
{
	return shape->side * shape->side * shape->element_bytes;
}

struct rowcol_array {
	struct session *session;
	const struct array_shape *shape;
	size_t pitch;	    /* elements from row to row */
	const char *padded; /* "padded", or NULL */
	cl_mem data, sums;
	cl_kernel kernels[2];	  /* read, write */
	cl_uint version;	  /* version of the words written last */
	struct ceiling *ceilings; /* [2] for read and write */
	size_t n;		  /* elements of a work-item */
	size_t log_n, log_side; /* logarithms; the host divides by them often */
	bool column;		/* whether work-items have columns */
	size_t rounds;		/* largest number of rounds of a run */
	size_t at[2];		/* index of a curve for each access */
};

static const char *const access_names[2] = {"read", "write"};

static cl_uint rowcol_fill_value(const struct rowcol_array *array, size_t place)
{
	cl_uint value = session_word(place);

	return array->shape->element_bytes == 1 ? value & 0xff : value;
}

static cl_uint rowcol_pack_word(const struct rowcol_array *array, size_t i,
	cl_uint (*value)(const struct rowcol_array *array, size_t place))
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

static cl_uint rowcol_fill_word(const void *context, size_t i)
{
	return rowcol_pack_word(context, i, rowcol_fill_value);
}

static cl_uint rowcol_expected_sum(const void *context, size_t g)
{
	const struct rowcol_array *array = context;
	size_t side = array->shape->side, n = array->n;
	size_t log_pieces = array->log_side - array->log_n;
	size_t r = array->column ? g >> array->log_side << array->log_n
				 : g >> log_pieces;
	size_t c = array->column ? g & (side - 1)
				 : (g << array->log_n) & (side - 1);
	size_t place = r * array->pitch + c;
	size_t step = array->column ? array->pitch : 1;
	cl_uint sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += rowcol_fill_value(array, place + i * step);
	return sum;
}

/* Return the word that a work-item writes; padding keeps its contents. */
static cl_uint rowcol_written_value(
	const struct rowcol_array *array, size_t place)
{
	size_t side = array->shape->side, n = array->n;
	/* 64-bit divisions would take much longer. */
	cl_uint r = (cl_uint)place / (cl_uint)array->pitch;
	cl_uint c = (cl_uint)place - r * (cl_uint)array->pitch;
	size_t g =
		array->column
			? ((size_t)r >> array->log_n << array->log_side) + c
			: (((size_t)r << array->log_side) + c) >> array->log_n;
	size_t i = (array->column ? r : c) & (n - 1);

	return c < side ? array->version + 7 * (cl_uint)g + (cl_uint)i
			: rowcol_fill_value(array, place);
}

static cl_uint rowcol_expected_word(const void *context, size_t i)
{
	return rowcol_pack_word(context, i, rowcol_written_value);
}

/* Set a point. rowcol.cl explains the arguments. */
static void rowcol_prepare(struct sweep *sweep, size_t i)
{
	struct rowcol_array *array = sweep->context;
	struct session *session = array->session;
	size_t n = (size_t)sweep->x[i], side = array->shape->side;
	size_t pitch = array->pitch, items = side * side / n;
	bool column = sweep->kind;
	size_t pieces = column ? side : side / n;

	array->n = n;
	array->log_n = rowcol_log(n);
	array->log_side = rowcol_log(side);
	array->column = column;
	array->version += 12345;
	launch_resize(session, &sweep->launch, items);
	/* With one element per work-item, both orders have the same sums. */
	sweep->expected.n = sweep->write ? pitch * side *
						   array->shape->element_bytes /
						   sizeof(cl_uint)
					 : items;
	session_arguments(session, sweep->launch.kernel, 0,
		memory_argument(array->data),
		sweep->write ? word_argument(array->version)
			     : memory_argument(array->sums),
		word_argument(rowcol_log(pieces)), word_argument(pieces - 1),
		word_argument(column ? n * pitch : pitch),
		word_argument(column ? 1 : n),
		word_argument(column ? pitch : 1), word_argument(n));
	if (session->is_cpu)
		return;
	/* Repeat the array until a run takes far longer than a launch. */
	if (!sweep->again)
		sweep->turns = launch_in_rounds(
			session, &sweep->launch, LAUNCHES * session->launch_s);
	sweep->launch.rounds = sweep->turns;
	sweep->amount = (double)(shape_bytes(array->shape) * sweep->turns);
	array->rounds = max_size(array->rounds, sweep->turns);
}

/*
 * Record how many lines of a column fit a CPU's share of a cache, and list the
 * smallest n that does not fit.
 */
static void rowcol_record_level(const struct sweep *column, unsigned level,
	struct facts *row, struct text_list *list)
{
	static const char *const keys[2][3] = {
		{"lines_held.L1", "held_for_cpus.L1", "exceeded_at.L1"},
		{"lines_held.L2", "held_for_cpus.L2", "exceeded_at.L2"}};
	struct session *session = column->session;
	struct lines_held held =
		caches_lines_held(session->machine, session->options->cpus,
			level, (size_t)facts_count(row, "pitch_bytes"));
	size_t counts[3] = {held.lines, held.cpus, 0};

	for (size_t i = column->n; held.lines && i-- > 0;) {
		if (column->x[i] * (double)held.cpus > (double)held.lines)
			counts[2] = (size_t)column->x[i];
	}
	for (size_t k = 0; k < 3; k++) {
		if (counts[k])
			facts_set_count(
				row, keys[level - 1][k], (int64_t)counts[k]);
		else
			facts_set_unknown(row, keys[level - 1][k]);
	}
	if (counts[2])
		text_list_add(
			list, ", ", "L%u at %zu elements", level, counts[2]);
}

/* Report at which n columns fall, and compare the longest column with a row. */
static void rowcol_conclude(const struct sweep sweeps[2])
{
	struct session *session = sweeps->session;
	const struct rowcol_array *array = sweeps->context;
	const struct sweep *column = &sweeps[1];
	struct text_list list = {.text = NULL};
	size_t last = column->n - 1;
	struct facts row = {0};
	double fall;

	sweep_compare(column, last, &sweeps[0], last);
	/* Other devices access columns with neighbours together. */
	if (!session->is_cpu || session->left_out > 0)
		return;
	fall = sweep_report_falls(column, FALL);
	facts_set_text(&row, "array", array->shape->label);
	facts_set_text(&row, "access", access_names[column->write]);
	facts_set_flag(&row, "padded", array->padded);
	facts_set_count(&row, "pitch_bytes",
		(int64_t)(array->pitch * array->shape->element_bytes));
	rowcol_record_level(column, 1, &row, &list);
	rowcol_record_level(column, 2, &row, &list);
	if (fall > 0)
		facts_set_count(&row, "falls_at", (int64_t)fall);
	else
		facts_set_unknown(&row, "falls_at");
	session_record(session, "columns_fall", &row);
	session_add_list(session, &list, "%s, where its lines exceed a cache",
		column->name);
}

/* Choose numbers of elements. All choices include both ends. */
static void rowcol_add_elements(struct sweep *sweep)
{
	const struct rowcol_array *array = sweep->context;
	const struct test_options *options = sweep->session->options;

	if (options->quick) {
		sweep_up_to(sweep, 1, MOST_N, QUICK_FACTOR);
	} else if (!options->size_bytes &&
		   shape_bytes(array->shape) >= LONG_BYTES) {
		sweep_up_to(sweep, 1, 1, FACTOR);
		sweep_up_to(sweep, LONG_LEAST, MOST_N, LONG_FACTOR);
	} else {
		sweep_up_to(sweep, 1, MOST_N, FACTOR);
	}
}

static struct sweep rowcol_sweep(
	struct rowcol_array *array, bool write, bool column)
{
	static const char *const names[2] = {"row", "column"};
	struct session *session = array->session;
	const char *label = array->shape->label;
	struct sweep sweep = {.session = session,
		.name = session_text(session, "%s in %ss of %s%s",
			access_names[write], names[column], label,
			array->padded ? ", padded" : ""),
		.facts = {.family = session_text(session, "%s, %s",
				  access_names[write], label),
			.member = names[column],
			.variant = array->padded,
			.x_name = "elements per item"},
		.prepare = rowcol_prepare,
		.launch.kernel = array->kernels[write],
		.amount = (double)shape_bytes(array->shape),
		.expected = {.buffer = write ? array->data : array->sums,
			.at = write ? rowcol_expected_word
				    : rowcol_expected_sum,
			.context = array,
			.poisoned = !write},
		.write = write,
		.kind = column,
		.bound.ceiling = &array->ceilings[write],
		.context = array};

	rowcol_add_elements(&sweep);
	return sweep;
}

/*
 * Report a rate above the memory's theoretical rate. Each pass counts all
 * bytes. If a pass does not fill a GPU, the next pass runs simultaneously and
 * hits in the caches what the first pass fetched.
 */
static void rowcol_report_above_memory(const struct sweep sweeps[2])
{
	const struct rowcol_array *array = sweeps->context;
	struct session *session = sweeps->session;
	struct theory memory = theory_of(&session->theory, THEORY_MEMORY);
	double most = memory.giga * 1e9 / GIB;

	for (size_t k = 0; k < 2; k++) {
		double best =
			sweep_figure(&sweeps[k], sweep_best(&sweeps[k])).median;

		if (shape_bytes(array->shape) >= LONG_BYTES && best > most)
			session_add_finding(session,
				"%s: %s GiB/s is above the memory's "
				"theoretical %s GiB/s: passes through the "
				"array overlap, and a pass hits in the caches "
				"what another pass fetched",
				sweeps[k].name, session_number(session, best),
				session_number(session, most));
	}
}

/* Measure one access to an array, for all n, both orders, and their ratio. */
static void rowcol_measure_access(struct rowcol_array *array, bool write)
{
	struct session *session = array->session;
	struct sweep sweeps[2] = {rowcol_sweep(array, write, false),
		rowcol_sweep(array, write, true)};
	struct curve *ratio;

	sweeps[0].work = sweeps[1].work = (double)shape_bytes(array->shape) / 2;
	sweep_run(sweeps, 2);
	array->at[write] = sweeps->at;
	/* At n = 1 both orders are the same kernel. */
	sweep_check_same(&sweeps[0], &sweeps[1], 1);
	ratio = sweep_derive(sweeps, array->shape->label,
		session_text(
			session, "row over column, %s", access_names[write]),
		"times", CURVE_RATIOS);
	if (!ratio)
		return;
	for (size_t i = 0; i < sweeps->n; i++)
		ratio->median[i] = sweep_figure(&sweeps[0], i).median /
				   sweep_figure(&sweeps[1], i).median;
	rowcol_conclude(sweeps);
	rowcol_report_above_memory(sweeps);
}

/* Measure an array; reads precede writes, because reads need the contents. */
static void rowcol_measure_array(struct rowcol_array *array, cl_program program)
{
	static const char *const kernels[2] = {"read_array", "write_array"};
	const struct array_shape *shape = array->shape;
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
	session_fill(session, array->data, bytes / sizeof(cl_uint),
		rowcol_fill_word, array);
	for (int write = 0; write < 2 && session_ok(session); write++)
		rowcol_measure_access(array, write);
	session_release(session, mark);
}

/* Return whether rows.c also reads this array: an array of words on a CPU. */
static bool rowcol_has_rows(
	const struct session *session, const struct array_shape *shape)
{
	return session->is_cpu && shape->element_bytes == 4;
}

static void rowcol_measure_shape(
	struct session *session, const struct array_shape *shape)
{
	size_t mark = session_mark(session), bytes = shape_bytes(shape);
	struct ceiling ceilings[2] = {
		{.what = NATIVE_READ, .bytes = bytes},
		{.what = NATIVE_WRITE, .bytes = bytes},
	};
	cl_program program = session_build(session, "rowcol.cl", rowcol_cl,
		shape->element_bytes == 1 ? "-DELEMENT=uchar"
					  : "-DELEMENT=uint");
	struct rowcol_array array = {
		.session = session, .shape = shape, .ceilings = ceilings};

	ceiling_measure(session, &ceilings[0]);
	ceiling_measure(session, &ceilings[1]);
	for (int padded = 0; padded < 2 && session_ok(session); padded++) {
		array.padded = padded ? "padded" : NULL;
		rowcol_measure_array(&array, program);
	}
	if (array.rounds > 0)
		session_add_finding(session,
			"%s: a run goes through the array up to %zu times, so "
			"that it lasts %d launches",
			shape->label, array.rounds, LAUNCHES);
	if (session_ok(session) && rowcol_has_rows(session, shape))
		rows_measure(session, shape->label, shape->side, &ceilings[0]);
	for (int write = 0; write < 2; write++)
		ceiling_show(session, &ceilings[write],
			&(struct ceiling_line){
				session_text(session, "%s, %s",
					access_names[write], shape->label),
				access_names[write], array.at[write], 0,
				INFINITY});
	session_release(session, mark);
}

/* Return whether the padded array, the sums and the host's copy fit memory. */
static bool rowcol_shape_fits(
	const struct session *session, size_t element_bytes, size_t side)
{
	double words = (double)side * (double)side;
	double array_bytes =
		words * (double)element_bytes + (double)(PAD_BYTES * side);
	double most = (double)session->max_alloc_bytes;

	return array_bytes <= most && 4 * words <= most &&
	       2.1 * 4 * words <= MEMORY_SHARE * (double)session->global_bytes;
}

/* Add a shape that fits, unless it is already in the list. */
static void rowcol_add_shape(struct session *session,
	struct array_shapes *shapes, size_t element_bytes, size_t side)
{
	struct array_shape shape = {NULL, element_bytes, side};

	for (size_t i = 0; i < shapes->n; i++) {
		if (shapes->list[i].side == side &&
			shapes->list[i].element_bytes == element_bytes)
			return;
	}
	shape.label = session_text(session, "%s of %s",
		session_bytes(session, shape_bytes(&shape)),
		element_bytes == 1 ? "bytes" : "words");
	if (rowcol_shape_fits(session, element_bytes, side))
		shapes->list[shapes->n++] = shape;
	else
		session_note(session,
			"%s are left out: the device has too little memory, or "
			"allows too small a buffer",
			shape.label);
}

static void rowcol_choose_shapes(
	struct session *session, struct array_shapes *shapes)
{
	uint64_t wanted = session->options->size_bytes;
	size_t most = SQUARE_LEAST, sides[3], n = 0;

	if (wanted) {
		rowcol_add_shape(session, shapes, 4, square_within(wanted));
	} else {
		/* The kernels for bytes would double the compile time. */
		if (!session->options->quick)
			rowcol_add_shape(session, shapes, 1, PAPER_SIDE);
		rowcol_add_shape(session, shapes, 4, PAPER_SIDE);
	}
	if (!wanted && !session->options->quick && !session->is_cpu) {
		sides[n++] = LARGE_SIDE;
	} else if (!wanted && !session->options->quick) {
		while (most < SQUARE_MOST &&
			rowcol_shape_fits(session, 4, 2 * most))
			most *= 2;
		n = squares_by_caches(
			session->machine, session->options->cpus, most, sides);
	}
	for (size_t i = 0; i < n; i++)
		rowcol_add_shape(session, shapes, 4, sides[i]);
	if (shapes->n == 0)
		session_refuse(session,
			"the device has too little memory for the array, its "
			"padding and the sums: it allows buffers of %s and "
			"has %s in all; choose a smaller --size",
			session_bytes(session, session->max_alloc_bytes),
			session_bytes(session, session->global_bytes));
}

static void run_rowcol(struct session *session)
{
	struct array_shapes shapes = {0};

	rowcol_choose_shapes(session, &shapes);
	for (size_t i = 0; i < shapes.n; i++)
		session->all +=
			(rowcol_has_rows(session, &shapes.list[i]) ? 5.0
								   : 4.0) *
			(double)shape_bytes(&shapes.list[i]);
	for (size_t i = 0; i < shapes.n && session_ok(session); i++)
		rowcol_measure_shape(session, &shapes.list[i]);
}

const struct test test_rowcol = {
	.name = "rowcol",
	.section = "2.3.1",
	.source = SOURCE_SUITE "2.3.1, figures 16 to 19",
	.published = {"--work-group=auto"},
	.summary = "an array by rows and by columns: sets, lines, caches",
	.takes = TAKES_SIZE | TAKES_WORK_GROUP | TAKES_SWEEP,
	.memory_by = TAKES_SIZE,
	.size = {SIZE_SQUARE, 4 * SQUARE_LEAST *SQUARE_LEAST,
		4 * SQUARE_MOST *SQUARE_MOST},
	.figures = {{.what = "rows read in vectors",
			    .family = "rows in vectors, read"},
		{.what = "rows read, ",
			.family = "read, ",
			.members = {"row"},
			.ceiling = "read",
			.last = true}},
	.run = run_rowcol,
};
