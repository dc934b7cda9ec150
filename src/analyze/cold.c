/*
 * Who measures a matrix once begins with the first CPU, on a machine that is
 * not yet warm. All cells of that CPU may then cost more by one factor, and by
 * the rows alone it looks like a core of a dearer class. Three signs tell.
 *
 * - Rows add up: a CPU of a dear class costs as much more with every other CPU.
 *   A cold one costs a share more, which is more with those that are dear. The
 *   cells of the first CPU are fitted in both ways. The noise is what the cells
 *   of all others differ from the sums of their rows.
 * - Cores of a kind are alike. The row of the first CPU is about that of its
 *   class if it belongs there, and any row if it is cold.
 * - Cores of a kind come in even numbers mostly. A CPU in the wrong class makes
 *   the number odd.
 *
 * The classes are in doubt if the odds of all signs together are for the cold.
 * Even then the other CPUs are in the right class, but nobody knows who else is
 * with the first.
 */
#include "analyze/groups.h"
#include "analyze/steps.h"

/*
 * The logarithm of the odds for the cold where the classes are in doubt: 1 to
 * 12, since who reads a class believes the CPU that it names first.
 */
#define MOST_ODDS (-2.5)

/* What an odd number of cores adds to it; an even number takes as much away. */
#define ODD_ODDS 1.25

/* A cold CPU costs up to this share more, any as likely as any other. */
#define MOST_COLD 0.5

/* The least noise, as a share of the median cost: numbers are rounded. */
#define LEAST_NOISE 0.001

/* From the median of absolute differences to the standard deviation. */
#define DEVIATION 1.4826

/* The fit needs so many CPUs. */
#define LEAST_CPUS 5

struct first {
	const struct square *square;
	const uint32_t *class;
	float *row;	/* [n] of all but the first, half of a typical cell */
	double noise;	/* of a cell */
	double typical; /* a cell */
	double own;	/* the row of the first CPU */
	double squares; /* what is left if the first CPU has a row as well */
};

/* The rows that add up to the cells between all CPUs but the first. */
static bool fit_others(struct first *first, float *scratch)
{
	const struct square *square = first->square;
	double total = 0, others = (double)square->n - 1;
	size_t n = square->n, count = 0;

	for (size_t i = 1; i < n; i++)
		for (size_t j = 1; j < n; j++) {
			double cost = (double)square_at(square, i, j);

			if (i == j)
				continue;
			if (isnan(cost))
				return false;
			first->row[i] += (float)cost;
			total += cost;
		}
	for (size_t i = 1; i < n; i++)
		first->row[i] = (float)(((double)first->row[i] -
						total / 2 / (others - 1)) /
					(others - 2));
	for (size_t i = 1; i < n; i++)
		for (size_t j = 1; j < i; j++)
			scratch[count++] = fabsf(square_at(square, i, j) -
						 first->row[i] - first->row[j]);
	first->typical = total / others / (others - 1);
	/* The rows take up what as many cells would. */
	first->noise = DEVIATION * (double)median_of(scratch, count) *
		       sqrt((double)count / ((double)count - others));
	first->noise = fmax(first->noise, LEAST_NOISE * first->typical);
	return true;
}

/* The squares that are left of the first CPU's cells with a row of its own. */
static bool fit_first(struct first *first)
{
	size_t n = first->square->n;
	double sum = 0, squares = 0;

	for (size_t j = 1; j < n; j++) {
		double more = (double)(square_at(first->square, 0, j) -
				       first->row[j]);

		sum += more;
		squares += more * more;
	}
	first->own = sum / (double)(n - 1);
	first->squares = squares - sum * sum / (double)(n - 1);
	return !isnan(squares);
}

/*
 * The same if it is a CPU of a class, whose mean row is given, and each cell
 * costs a share more.
 */
static double squares_if_cold(const struct first *first, double mean)
{
	size_t n = first->square->n;
	double both = 0, fitted = 0, cells = 0;

	for (size_t j = 1; j < n; j++) {
		double cost = (double)square_at(first->square, 0, j);
		double sum = mean + (double)first->row[j];

		both += cost * sum;
		fitted += sum * sum;
		cells += cost * cost;
	}
	return cells - both * both / fitted;
}

/* The mean row of a class without the first CPU, and how many CPUs it is of. */
static double mean_of(const struct first *first, uint32_t class, size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 1; i < first->square->n; i++)
		if (first->class[i] == class) {
			sum += (double)first->row[i];
			++*count;
		}
	return sum / (double)*count;
}

/* The variance of a row within its class, and of what is known of it. */
static double variance_of(const struct first *first, size_t n_classes)
{
	double n = (double)first->square->n, squares = 0;
	size_t count;

	for (uint32_t c = 0; c < n_classes; c++) {
		double mean = mean_of(first, c, &count);

		for (size_t i = 1; i < first->square->n; i++)
			if (first->class[i] == c)
				squares += ((double)first->row[i] - mean) *
					   ((double)first->row[i] - mean);
	}
	return squares / fmax(1, n - 1 - (double)n_classes) +
	       first->noise * first->noise / (n - 2);
}

/*
 * The logarithm of how much likelier any row is than one so far from the mean
 * row of a class of so many others.
 */
static double odds_of_row(
	const struct first *first, double mean, size_t own, double variance)
{
	double off = first->own - mean;

	variance *= 1 + 1 / (double)own;
	return off * off / (2 * variance) + log(2 * M_PI * variance) / 2 -
	       log(MOST_COLD * first->typical);
}

bool first_may_be_cold(const struct square *square,
	const struct partition *classes, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = square->n, own, count;
	struct first first = {.square = square,
		.class = classes->group,
		.row = arena_take(arena, n, sizeof(float))};
	double mean, odds = -INFINITY;

	if (n < LEAST_CPUS ||
		!fit_others(&first, arena_take(arena, n * n, sizeof(float))) ||
		!fit_first(&first)) {
		arena_back(arena, mark);
		return false;
	}
	mean = mean_of(&first, classes->group[0], &own);
	for (uint32_t c = 0; c < classes->n_groups; c++) {
		double other = mean_of(&first, c, &count);

		if (c != classes->group[0] && other < mean)
			odds = fmax(
				odds, (first.squares -
					      squares_if_cold(&first, other)) /
					      (2 * first.noise * first.noise));
	}
	odds += odds_of_row(
		&first, mean, own, variance_of(&first, classes->n_groups));
	/* The first CPU is one more. */
	odds += own % 2 == 0 ? ODD_ODDS : -ODD_ODDS;
	arena_back(arena, mark);
	return odds > MOST_ODDS;
}
