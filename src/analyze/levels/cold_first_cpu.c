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
 * - Kinds of cores come in even numbers if there are two; of three kinds one is
 *   often odd (1, 3 and 4). A CPU in the wrong class changes two of these
 *   numbers from even to odd, or back.
 *
 * The three make the odds of each class (Bayes), where how cold the CPU may
 * have been is summed over. The classes are in doubt if the odds of all but its
 * own are not small. Even then the other CPUs are in the right class, but
 * nobody knows who else is with the first.
 */
#include "analyze/levels/groups.h"
#include "analyze/levels/steps.h"

/*
 * The classes are in doubt from this probability of another class on: who reads
 * a class believes the CPU that it names first.
 */
#define MOST_DOUBT 0.08

/*
 * The logarithm of the odds against an odd number of cores of one class, if
 * there are two classes and if there are more.
 */
#define ODD_OF_TWO  1.2
#define ODD_OF_MANY 0.5

/* How many machines begin with a cold CPU. */
#define COLD_SHARE 0.01

/* A cold CPU costs up to this share more, any as likely as any other. */
#define MOST_COLD  0.5
#define COLD_STEPS 60

/* The least noise, as a share of the median cost: numbers are rounded. */
#define LEAST_NOISE 0.001

/* The standard deviation of what a clock's step adds, in steps. */
#define STEP_NOISE 0.29

/* From the median of absolute differences to the standard deviation. */
#define MAD_TO_SIGMA 1.4826

/* The fit needs so many CPUs. */
#define LEAST_CPUS 5

struct first_cpu_fit {
	const struct cost_matrix *square;
	const uint32_t *class;
	float *row;	/* [n] of all but the first, half of a typical cell */
	double noise;	/* of a cell */
	double typical; /* a cell */
};

/* The rows that add up to the cells between all CPUs but the first. */
static bool fit_others(struct first_cpu_fit *first, float *scratch)
{
	const struct cost_matrix *matrix = first->square;
	double total = 0, others = (double)matrix->n - 1;
	size_t n = matrix->n, count = 0;

	for (size_t i = 1; i < n; i++)
		for (size_t j = 1; j < n; j++) {
			double cost = (double)cost_matrix_at(matrix, i, j);

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
			scratch[count++] = fabsf(cost_matrix_at(matrix, i, j) -
						 first->row[i] - first->row[j]);
	first->typical = total / others / (others - 1);
	/* The rows take up what as many cells would. */
	first->noise = MAD_TO_SIGMA * (double)median_of_floats(scratch, count) *
		       sqrt((double)count / ((double)count - others));
	first->noise = fmax(first->noise, LEAST_NOISE * first->typical);
	/* Cells of alike pairs may all be off by the same part of a step. */
	first->noise = fmax(first->noise, STEP_NOISE * (double)matrix->step);
	return true;
}

/* Whether no cell of the first CPU is missing. */
static bool has_all_first_cells(const struct first_cpu_fit *first)
{
	for (size_t j = 1; j < first->square->n; j++)
		if (isnan(cost_matrix_at(first->square, 0, j)))
			return false;
	return true;
}

/* The mean row of a class without the first CPU, and how many CPUs it is of. */
static double class_mean_row(
	const struct first_cpu_fit *first, uint32_t class, size_t *count)
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
static double class_row_variance(
	const struct first_cpu_fit *first, size_t n_classes)
{
	double n = (double)first->square->n, squares = 0;
	size_t count;

	for (uint32_t c = 0; c < n_classes; c++) {
		double mean = class_mean_row(first, c, &count);

		for (size_t i = 1; i < first->square->n; i++)
			if (first->class[i] == c)
				squares += ((double)first->row[i] - mean) *
					   ((double)first->row[i] - mean);
	}
	return squares / fmax(1, n - 1 - (double)n_classes) +
	       first->noise * first->noise / (n - 2);
}

/*
 * The likelihood of the first CPU's cells, but for a constant, if it is of a
 * class with that mean row and costs a share more.
 */
static double first_cpu_likelihood(const struct first_cpu_fit *first,
	double mean, double variance, double cold)
{
	double cells = (double)first->square->n - 1, sum = 0, squares = 0;
	double noise = first->noise * first->noise;
	double whole = noise + cells * variance * (1 + cold) * (1 + cold);

	for (size_t j = 1; j < first->square->n; j++) {
		double off = (double)cost_matrix_at(first->square, 0, j) -
			     (mean + (double)first->row[j]) * (1 + cold);

		sum += off;
		squares += off * off;
	}
	sum /= cells;
	squares -= cells * sum * sum;
	return -(log(whole) + squares / noise + cells * sum * sum / whole) / 2;
}

/*
 * log[k]: the likelihood of the first CPU's cells if it is of that class and k
 * steps cold. The mean row of a class is known the less, the fewer CPUs it has
 * without the first. A class without other CPUs has none, and no likelihood: if
 * it is that of the first CPU, the classes are in doubt.
 */
static void find_likelihoods(const struct first_cpu_fit *first, uint32_t class,
	double variance, double log[COLD_STEPS + 1])
{
	size_t count;
	double own = class_mean_row(first, first->class[0], &count);
	double mean = class_mean_row(first, class, &count);

	for (int k = 0; k <= COLD_STEPS; k++)
		log[k] = count == 0 || mean > own
				 ? -INFINITY
				 : first_cpu_likelihood(first, mean,
					   variance * (1 + 1 / (double)count),
					   MOST_COLD * k / COLD_STEPS);
}

/* How many classes have an odd number of CPUs if the first is in this one. */
static size_t count_odd_classes(
	const struct first_cpu_fit *first, size_t n_classes, uint32_t class)
{
	size_t odd = 0, count;

	for (uint32_t c = 0; c < n_classes; c++) {
		class_mean_row(first, c, &count);
		odd += (count + (c == class)) % 2;
	}
	return odd;
}

/* The probability that the first CPU is in another class than its own. */
static double other_class_probability(const struct first_cpu_fit *first,
	size_t n_classes, struct arena *arena)
{
	double(*log)[COLD_STEPS + 1] =
		arena_alloc(arena, n_classes, sizeof(*log));
	double variance = class_row_variance(first, n_classes),
	       most = -INFINITY;
	double odd = n_classes > 2 ? ODD_OF_MANY : ODD_OF_TWO;
	double all = 0, own = 0;

	for (uint32_t c = 0; c < n_classes; c++) {
		find_likelihoods(first, c, variance, log[c]);
		for (int k = 0; k <= COLD_STEPS; k++)
			most = fmax(most, log[c][k]);
	}
	for (uint32_t c = 0; c < n_classes; c++) {
		double sum = (1 - COLD_SHARE) * exp(log[c][0] - most);

		for (int k = 1; k <= COLD_STEPS; k++)
			sum += COLD_SHARE / COLD_STEPS * exp(log[c][k] - most);
		sum *= exp(
			-odd * (double)count_odd_classes(first, n_classes, c));
		all += sum;
		if (c == first->class[0])
			own = sum;
	}
	return own > 0 ? 1 - own / all : 1;
}

bool cold_first_cpu_suspected(const struct cost_matrix *matrix,
	const struct partition *classes, struct arena *arena)
{
	const struct arena_block *mark = arena->last;
	size_t n = matrix->n;
	struct first_cpu_fit first = {.square = matrix,
		.class = classes->group,
		.row = arena_alloc(arena, n, sizeof(float))};
	bool may_be = false;

	if (n >= LEAST_CPUS &&
		fit_others(&first, arena_alloc(arena, n * n, sizeof(float))) &&
		has_all_first_cells(&first))
		may_be = other_class_probability(
				 &first, classes->n_groups, arena) > MOST_DOUBT;
	arena_rewind(arena, mark);
	return may_be;
}
