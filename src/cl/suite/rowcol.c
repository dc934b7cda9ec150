/*
 * Rows and columns of a square array (section 2.3.1, figures 16 to 19).
 *
 * Timed is a kernel in which each work-item reads or writes n elements that
 * lie side by side in a row, or below each other in a column; neighbouring
 * work-items have neighbouring pieces. Not timed: the launch, where events are
 * believed (timing.c). A read kernel also writes one sum of four bytes per
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
#include <stdlib.h>
#include <string.h>

#include "cl/curves.h"
#include "cl/sizes.h"
#include "cl/suite/rowcol_cl.h"
#include "cl/suite/rows.h"
#include "cl/suite/squares.h"
#include "cl/tests.h"
#include "cl/verdict.h"
#include "machine/memory.h"
#include "util/text.h"

/* Elements per work-item: doublings up to 512, as in the paper. */
#define MOST_N	 512
#define N_POINTS 10
#define QUICK_STEP                                                             \
	3 /* doublings between the points of --quick: 1, 8, 64, 512 */

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

/* What one kernel is told; names as in rowcol.cl. */
struct walk {
	cl_uint k, m, p, q, s, n;
};

/* One shape on the device. */
struct array {
	struct cl_session *session;
	const struct shape *shape;
	size_t pitch; /* in elements */
	bool padded;
	cl_mem data, sums;
	size_t data_bytes, sums_bytes;
	cl_kernel read, write;
	cl_uint version;	    /* of what was written last */
	struct ceiling ceilings[2]; /* read, write */
};

static const char *const access_names[2] = {"read", "write"};

static cl_uint log2_of(size_t power)
{
	cl_uint log = 0;

	while (power >>= 1)
		log++;
	return log;
}

static struct walk walk_of(const struct array *array, bool column, size_t n)
{
	size_t side = array->shape->side, pieces = column ? side : side / n;

	return (struct walk){
		.k = log2_of(pieces),
		.m = (cl_uint)(pieces - 1),
		.p = (cl_uint)(column ? n * array->pitch : array->pitch),
		.q = (cl_uint)(column ? 1 : n),
		.s = (cl_uint)(column ? array->pitch : 1),
		.n = (cl_uint)n,
	};
}

/* Row and column of the i-th element of work-item g, in the paper's terms. */
static size_t place_of(
	const struct array *array, bool column, size_t n, size_t g, size_t i)
{
	size_t side = array->shape->side;
	size_t r = column ? g / side * n + i : g / (side / n);
	size_t c = column ? g % side : g % (side / n) * n + i;

	return r * array->pitch + c;
}

/* What the array holds before it is read. */
static cl_uint value_at(const struct array *array, size_t place)
{
	cl_uint value = session_word(place);

	return array->shape->element_bytes == 1 ? value & 0xff : value;
}

static void put_element(
	const struct array *array, void *data, size_t place, cl_uint value)
{
	if (array->shape->element_bytes == 1)
		((cl_uchar *)data)[place] = (cl_uchar)value;
	else
		((cl_uint *)data)[place] = value;
}

static cl_uint get_element(
	const struct array *array, const void *data, size_t place)
{
	if (array->shape->element_bytes == 1)
		return ((const cl_uchar *)data)[place];
	return ((const cl_uint *)data)[place];
}

static int fill(const struct array *array, struct error *err)
{
	size_t n = array->pitch * array->shape->side;
	void *data;
	int rc = session_map(array->session, array->data, array->data_bytes,
		true, &data, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		put_element(array, data, i, value_at(array, i));
	return session_unmap(array->session, array->data, data, err);
}

static int wrong(const struct array *array, const char *access, bool column,
	size_t n, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EIO,
		"what the kernel %s in %s of %s, %zu elements per "
		"work-item, is not what the host computes: this implementation "
		"of OpenCL computes wrongly, and its times mean nothing",
		access, column ? "columns" : "rows", array->shape->label, n);
}

/* Whether each work-item's sum is that of its elements. */
static int check_read(const struct array *array, bool column, size_t n,
	struct cl_timing *timing, struct error *err)
{
	size_t items = array->shape->side * array->shape->side / n;
	bool same = true;
	void *sums;
	int rc = session_map(array->session, array->sums,
		items * sizeof(cl_uint), false, &sums, err);

	if (rc < 0)
		return rc;
	for (size_t g = 0; g < items && same; g++) {
		cl_uint sum = 0;

		for (size_t i = 0; i < n; i++)
			sum += value_at(
				array, place_of(array, column, n, g, i));
		same = ((const cl_uint *)sums)[g] == sum;
	}
	session_sum_words(timing, sums, items * sizeof(cl_uint));
	rc = session_unmap(array->session, array->sums, sums, err);
	return rc == 0 && !same ? wrong(array, "read", column, n, err) : rc;
}

/* Whether each element has what its work-item was to write there. */
static int check_write(const struct array *array, bool column, size_t n,
	struct cl_timing *timing, struct error *err)
{
	size_t items = array->shape->side * array->shape->side / n;
	cl_uint mask = array->shape->element_bytes == 1 ? 0xff : ~0u, sum = 0;
	bool same = true;
	void *data;
	int rc = session_map(array->session, array->data, array->data_bytes,
		false, &data, err);

	if (rc < 0)
		return rc;
	for (size_t g = 0; g < items && same; g++) {
		cl_uint first = array->version + 7 * (cl_uint)g;

		for (size_t i = 0; i < n && same; i++) {
			cl_uint element = get_element(
				array, data, place_of(array, column, n, g, i));

			same = element == ((first + (cl_uint)i) & mask);
			sum += element;
		}
	}
	timing->checksum = sum;
	rc = session_unmap(array->session, array->data, data, err);
	return rc == 0 && !same ? wrong(array, "wrote", column, n, err) : rc;
}

/* The last six arguments of either kernel. */
static int set_walk(
	cl_kernel kernel, const struct walk *walk, struct error *err)
{
	const cl_uint values[] = {
		walk->k, walk->m, walk->p, walk->q, walk->s, walk->n};
	int rc = 0;

	for (cl_uint i = 0; i < 6 && rc == 0; i++)
		rc = session_argument(
			kernel, 2 + i, sizeof(values[i]), &values[i], err);
	return rc;
}

static int time_walk(struct array *array, int access, bool column, size_t n,
	struct cl_timing *timing, struct error *err)
{
	size_t items = array->shape->side * array->shape->side / n;
	size_t group = session_group(array->session, items);
	cl_kernel kernel = access ? array->write : array->read;
	struct walk walk = walk_of(array, column, n);
	int rc;

	rc = check_groups(array->session->options, items, group, err);
	if (rc == 0)
		rc = set_walk(kernel, &walk, err);
	if (rc == 0 && access) {
		array->version += 12345;
		rc = session_argument(kernel, 1, sizeof(array->version),
			&array->version, err);
	}
	/* With one element per work-item both orders have the same sums. */
	if (rc == 0 && !access)
		rc = session_spoil(array->session, array->sums,
			items * sizeof(cl_uint), err);
	if (rc == 0)
		rc = session_time(
			array->session, kernel, items, group, timing, err);
	if (rc == 0)
		rc = access ? check_write(array, column, n, timing, err)
			    : check_read(array, column, n, timing, err);
	return rc;
}

/* Both orders at one n. Where they are one and the same, this must be seen. */
static int time_both(struct array *array, int access, size_t n,
	struct cl_timing timings[2], bool *same, struct error *err)
{
	int rc = 0;

	*same = false;
	for (int turn = 0; turn < SAME_TURNS && rc == 0 && !*same; turn++) {
		double ratio;

		for (int column = 0; column < 2 && rc == 0; column++)
			rc = time_walk(array, access, column, n,
				&timings[column], err);
		ratio = timings[0].median_s / timings[1].median_s;
		*same = n > 1 || (ratio < SAME && ratio > 1 / SAME);
	}
	return rc;
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

static json_t *json_elements(size_t elements)
{
	return elements ? json_integer((json_int_t)elements) : json_null();
}

static int record_fall(const struct array *array, int access, size_t fall,
	const struct lines_held held[2], const size_t exceeded[2],
	struct error *err)
{
	static const char *const levels[2] = {"L1", "L2"};
	struct cl_session *session = array->session;
	size_t pitch_bytes = array->pitch * array->shape->element_bytes;
	json_t *falls = json_object_get(session->record, "columns_fall");
	json_t *lines = json_object(), *cpus = json_object();
	json_t *elements = json_object(), *row;

	for (size_t i = 0; i < 2; i++) {
		if (!held[i].lines)
			continue;
		json_object_set_new(lines, levels[i],
			json_integer((json_int_t)held[i].lines));
		json_object_set_new(cpus, levels[i],
			json_integer((json_int_t)held[i].cpus));
		json_object_set_new(
			elements, levels[i], json_elements(exceeded[i]));
	}
	if (!falls) {
		falls = json_array();
		json_object_set_new(session->record, "columns_fall", falls);
	}
	row = json_pack("{s:s, s:s, s:b, s:I, s:o, s:o, s:o, s:o}", "array",
		array->shape->label, "access", access_names[access], "padded",
		array->padded, "pitch_bytes", (json_int_t)pitch_bytes,
		"lines_held", lines, "held_for_cpus", cpus, "exceeded_at",
		elements, "falls_at", json_elements(fall));
	if (!row || json_array_append_new(falls, row))
		return error_no_memory(err, "the record");
	return 0;
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
			     : "; of lines a row apart L%zu holds %zu",
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
static int conclude(const struct array *array, int access, const size_t at[3],
	size_t n, struct error *err)
{
	const struct cl_session *session = array->session;
	const double *elements = curve_at(session, at[1])->x;
	struct figure columns[N_POINTS], longer;
	char what[FIGURE_BYTES], falls[80] = "", holds[HELD_BYTES] = "";
	struct lines_held held[2];
	size_t exceeded[2], fall = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		columns[i] = curve_figure(session, at[1], i);
	longer = figure_over(curve_figure(session, at[0], n - 1),
		curve_figure(session, at[1], n - 1));
	/* Elsewhere columns are what neighbours access together. */
	if (session->is_cpu) {
		size_t i = figure_falls(columns, n, FALL);

		fall = i ? (size_t)elements[i] : 0;
		find_held(array, held);
		for (size_t level = 0; level < 2; level++)
			exceeded[level] =
				exceeded_at(&held[level], elements, n);
		write_held(held, exceeded, holds);
		rc = record_fall(array, access, fall, held, exceeded, err);
		snprintf(falls, sizeof(falls),
			"columns do not fall below %.0f %% of their own best; ",
			FALL * 100);
	}
	if (fall)
		snprintf(falls, sizeof(falls),
			"columns fall below %.0f %% of their own best at %zu "
			"elements; ",
			FALL * 100, fall);
	if (rc < 0)
		return rc;
	return curve_finding(session, err,
		"%s of %s%s: %sa column of %.0f beside a row: %s%s",
		access_names[access], array->shape->label,
		array->padded ? ", padded" : "", falls, elements[n - 1],
		figure_times(longer, "long", what), holds);
}

/* One n: into the curves of both orders, and that of their ratio, at[2]. */
static int put_point(struct array *array, int access, const size_t at[3],
	size_t i, size_t n, const struct cl_timing timings[2],
	struct error *err)
{
	struct cl_session *session = array->session;
	const struct shape *shape = array->shape;
	double bytes = (double)shape_bytes(shape);

	for (int column = 0; column < 2; column++) {
		double rate = bytes / timings[column].median_s / CL_GIB;
		bool holds;
		int rc = ceiling_check(
			session, &array->ceilings[access], rate, &holds, err);

		if (rc == 0 && !holds)
			rc = curve_reject(session, err,
				"%s of %s, %s, %zu elements per work-item: "
				"%.3g GiB/s is above the %.3g GiB/s that the "
				"CPUs do natively",
				access_names[access], shape->label,
				column ? "columns" : "rows", n, rate,
				array->ceilings[access].gib_per_s);
		if (rc < 0)
			return rc;
		if (holds)
			curve_put_rate(session, at[column], i, (double)n, bytes,
				&timings[column]);
	}
	curve_at(session, at[2])->median[i] =
		curve_figure(session, at[0], i).median /
		curve_figure(session, at[1], i).median;
	return 0;
}

static int add_curves(struct array *array, int access, size_t n, size_t at[3],
	struct error *err)
{
	static const char *const names[2] = {"row", "column"};
	struct curve_facts facts = {
		.variant = array->padded ? "padded" : NULL,
		.x_name = "elements",
		.x_unit = "per item",
		.y_unit = "GiB/s",
		.place = array->shape->detail ? CURVE_DETAIL : CURVE_MAIN,
		.part = access ? ROWCOL_WRITE : ROWCOL_READ,
	};
	char what[64];
	int rc = 0;

	snprintf(what, sizeof(what), "%s, %s", access_names[access],
		array->shape->label);
	facts.family = what;
	for (int column = 0; column < 2 && rc == 0; column++)
		rc = curve_add(array->session, names[column], &facts, n,
			&at[column], err);
	if (rc < 0)
		return rc;
	snprintf(what, sizeof(what), "row over column, %s",
		access_names[access]);
	facts.y_unit = "times";
	facts.part = ROWCOL_RATIO;
	facts.place = access ? CURVE_DETAIL : CURVE_MAIN;
	return curve_add(
		array->session, array->shape->label, &facts, n, &at[2], err);
}

static int note_difference(const struct array *array, int access,
	const struct cl_timing timings[2], struct error *err)
{
	char row[TEXT_SIZE_BYTES], column[TEXT_SIZE_BYTES];

	return session_note(array->session, err,
		"%s of %s%s: with one element per work-item both orders are "
		"the same kernel with the same arguments, yet took %s and %s: "
		"differences of that size mean nothing here",
		access_names[access], array->shape->label,
		array->padded ? ", padded" : "",
		text_time(timings[0].median_s, row),
		text_time(timings[1].median_s, column));
}

/* All n of one access to one array. */
static int measure_access(struct array *array, int access,
	struct rowcol_work *work, struct error *err)
{
	size_t step = array->session->options->quick ? QUICK_STEP : 1;
	size_t n_points = (N_POINTS + step - 1) / step;
	size_t at[3];
	int rc = add_curves(array, access, n_points, at, err);

	work->at[access] = at[0];
	for (size_t i = 0; i < n_points && rc == 0; i++) {
		double n = (double)((size_t)1 << (i * step));

		for (int column = 0; column < 2; column++)
			curve_place(array->session, at[column], i, n);
		curve_place(array->session, at[2], i, n);
	}
	for (size_t i = 0; i < n_points && rc == 0; i++) {
		struct cl_timing timings[2] = {timing_none(), timing_none()};
		size_t n = (size_t)1 << (i * step);
		bool same;

		rc = time_both(array, access, n, timings, &same, err);
		if (rc == 0 && !same)
			rc = note_difference(array, access, timings, err);
		if (rc == 0)
			rc = put_point(array, access, at, i, n, timings, err);
		work->done +=
			(double)shape_bytes(array->shape) / (double)n_points;
		session_progress(array->session, work->done / work->all);
	}
	return rc == 0 ? conclude(array, access, at, n_points, err) : rc;
}

static void release_array(struct array *array)
{
	if (array->read)
		clReleaseKernel(array->read);
	if (array->write)
		clReleaseKernel(array->write);
	if (array->data)
		clReleaseMemObject(array->data);
	if (array->sums)
		clReleaseMemObject(array->sums);
}

static int open_array(
	struct array *array, cl_program program, struct error *err)
{
	const struct shape *shape = array->shape;
	size_t pad = array->padded ? PAD_BYTES / shape->element_bytes : 0;
	int rc;

	array->pitch = shape->side + pad;
	array->data_bytes = array->pitch * shape->side * shape->element_bytes;
	array->sums_bytes = shape->side * shape->side * sizeof(cl_uint);
	rc = session_buffer(
		array->session, array->data_bytes, &array->data, err);
	if (rc == 0)
		rc = session_buffer(
			array->session, array->sums_bytes, &array->sums, err);
	if (rc == 0)
		rc = session_kernel(program, "read_array", &array->read, err);
	if (rc == 0)
		rc = session_kernel(program, "write_array", &array->write, err);
	if (rc == 0)
		rc = session_argument(
			array->read, 0, sizeof(cl_mem), &array->data, err);
	if (rc == 0)
		rc = session_argument(
			array->read, 1, sizeof(cl_mem), &array->sums, err);
	if (rc == 0)
		rc = session_argument(
			array->write, 0, sizeof(cl_mem), &array->data, err);
	return rc == 0 ? fill(array, err) : rc;
}

/* Reads first: they want what fill() wrote. */
static int measure_array(struct cl_session *session, const struct shape *shape,
	bool padded, struct ceiling ceilings[2], cl_program program,
	struct rowcol_work *work, struct error *err)
{
	struct array array = {
		.session = session,
		.shape = shape,
		.padded = padded,
		.ceilings = {ceilings[0], ceilings[1]},
	};
	int rc = open_array(&array, program, err);

	for (int access = 0; access < 2 && rc == 0; access++) {
		rc = measure_access(&array, access, work, err);
		ceilings[access] = array.ceilings[access];
	}
	release_array(&array);
	return rc;
}

/* Words that are read in vectors too. */
static bool has_rows(
	const struct cl_session *session, const struct shape *shape)
{
	return session->is_cpu && shape->element_bytes == 4;
}

static int measure_shape(struct cl_session *session, const struct shape *shape,
	struct rowcol_work *work, struct error *err)
{
	size_t bytes = shape_bytes(shape);
	struct ceiling ceilings[2] = {
		{.what = NATIVE_READ, .bytes = bytes},
		{.what = NATIVE_WRITE, .bytes = bytes},
	};
	cl_program program;
	int rc = session_build(session, "rowcol.cl", rowcol_cl,
		shape->element_bytes == 1 ? "-DELEMENT=uchar"
					  : "-DELEMENT=uint",
		&program, err);

	if (rc < 0)
		return rc;
	for (int access = 0; access < 2 && rc == 0; access++)
		rc = ceiling_measure(session, &ceilings[access], err);
	for (int padded = 0; padded < 2 && rc == 0; padded++)
		rc = measure_array(
			session, shape, padded, ceilings, program, work, err);
	if (rc == 0 && has_rows(session, shape))
		rc = rows_measure(session, shape->label, shape->side,
			&ceilings[0], work, err);
	for (int access = 0; access < 2 && rc == 0; access++) {
		char name[64];

		snprintf(name, sizeof(name), "%s, %s", access_names[access],
			shape->label);
		rc = ceiling_record(session, name, &ceilings[access], err);
		if (rc == 0)
			rc = ceiling_draw(session, work->at[access],
				access_names[access], 0, INFINITY,
				&ceilings[access], err);
	}
	clReleaseProgram(program);
	return rc;
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
	const struct cl_session *session, size_t element_bytes, size_t side)
{
	double words = (double)side * (double)side;
	double array_bytes =
		words * (double)element_bytes + (double)(PAD_BYTES * side);
	double most = (double)session->max_alloc_bytes;

	return array_bytes <= most && 4 * words <= most &&
	       2.1 * 4 * words <= MEMORY_SHARE * (double)session->global_bytes;
}

/* What the caches of the CPUs suggest. */
static void add_by_caches(
	struct shapes *shapes, const struct cl_session *session)
{
	size_t most = SQUARE_LEAST, sides[3], n;

	while (most < SQUARE_MOST && fits(session, 4, 2 * most))
		most *= 2;
	n = squares_by_caches(
		session->machine, session->options->cpus, most, sides);
	for (size_t i = 0; i < n; i++)
		add_shape(shapes, 4, sides[i]);
}

static int choose_shapes(struct shapes *shapes,
	const struct cl_session *session, struct error *err)
{
	uint64_t wanted = session->options->size_bytes;
	char once[TEXT_SIZE_BYTES], all[TEXT_SIZE_BYTES];
	size_t kept = 0;

	shapes->n = 0;
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

		if (!fits(session, shape->element_bytes, shape->side)) {
			int rc = session_note(session, err,
				"%s are left out: the device has too little "
				"memory, or gives too little at once",
				shape->label);

			if (rc < 0)
				return rc;
			continue;
		}
		shapes->list[kept++] = *shape;
	}
	shapes->n = kept;
	if (kept == 0)
		return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
			"the device has too little memory for the array, its "
			"padding and as many sums: it gives %s at once, and "
			"has %s; choose a smaller --size",
			text_size(session->max_alloc_bytes, once),
			text_size(session->global_bytes, all));
	return 0;
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

static int check_options(const struct cl_options *options, struct error *err)
{
	size_t side = square_within(options->size_bytes);
	char below[TEXT_SIZE_BYTES], above[TEXT_SIZE_BYTES];

	if (!options->size_bytes || 4 * side * side == options->size_bytes)
		return 0;
	if (side == SQUARE_MOST)
		side /= 2;
	return error_set(err, ERROR_USAGE, EINVAL,
		"--size: rowcol takes a square of a power of two of words, %zu "
		"to %zu in a row; the nearest are %s and %s",
		SQUARE_LEAST, SQUARE_MOST, text_size(4 * side * side, below),
		text_size(16 * side * side, above));
}

static int run_rowcol(struct cl_session *session, struct error *err)
{
	struct shapes shapes;
	struct rowcol_work work = {0};
	int rc;

	rc = choose_shapes(&shapes, session, err);
	if (rc == 0)
		choose_main(&shapes);
	for (size_t i = 0; rc == 0 && i < shapes.n; i++)
		work.all += (has_rows(session, &shapes.list[i]) ? 5.0 : 4.0) *
			    (double)shape_bytes(&shapes.list[i]);
	for (size_t i = 0; rc == 0 && i < shapes.n; i++)
		rc = measure_shape(session, &shapes.list[i], &work, err);
	return rc;
}

const struct cl_test cl_test_rowcol = {
	.name = "rowcol",
	.section = "2.3.1",
	.summary = "A square array read and written by rows and by columns",
	.takes = CL_TAKES_SIZE | CL_TAKES_WORK_GROUP | CL_TAKES_SWEEP,
	.memory_by = CL_TAKES_SIZE,
	.check = check_options,
	.run = run_rowcol,
};
