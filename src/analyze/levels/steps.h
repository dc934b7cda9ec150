/*
 * The steps from a square of costs to levels: each is one file, whose top says
 * how it works. Private to src/analyze. Pure; what a step makes lies in the
 * arena.
 */
#ifndef C2C_STEPS_H
#define C2C_STEPS_H

#include <stdbool.h>

#include "analyze/cost_matrix.h"
#include "result/analysis.h"

/* A node of a tree: 0 to n - 1 are leaves, n + k is the k-th merge. */
struct cluster_merge {
	uint32_t left, right;
	float height; /* the mean distance between left and right */
	uint32_t size;
};

/*
 * linkage.c: the tree over n leaves by average linkage, children before
 * parents: merges[n - 1]. distance[n * n] is symmetric, INFINITY where unknown,
 * and is used up. Two clusters without a cell between them are farthest.
 */
void linkage_build_tree(float *distance, size_t n, struct cluster_merge *merges,
	struct arena *arena);

/*
 * A group must be nearer inside than outside by this share of the cost
 * outside. A placement cannot use a level that gains less.
 */
#define LEVEL_GAIN_MIN 0.10

/* Groups of one level differ by less than this factor inside. */
#define LEVEL_SPAN 1.2F

/*
 * cut.c: fill *found with the partition that divides the groups of parents
 * further and stands out most; false if none does.
 */
bool cut_best_partition(const struct cost_matrix *matrix,
	const struct partition *parents, struct partition *found,
	struct arena *arena);

/* How a partition shows, over the groups of two units and more. */
struct partition_contrast {
	float inside;  /* median of the cells inside groups */
	float between; /* and between groups of one parent */
	float gain;    /* share of the cost outside that a group saves */
	float grouped; /* share of units in a group with others */
	float fit;     /* share of grouped units that fit, 0 to 1 */
};

/*
 * contrast.c: how the costs show a partition of the units within the groups of
 * parents, each a union of groups. fits[n_units], if given, says whether each
 * unit fits; a unit alone in its group fits.
 */
struct partition_contrast contrast_measure(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *parents,
	unsigned char *fits, struct arena *arena);

/*
 * repair.c: put the units that partition leaves alone where they belong within
 * their group of parents: in the one group that they fit, or in a new one with
 * others that are alone. fits[n_units] is from contrast_measure(). The groups
 * are numbered anew; true if a unit moved.
 */
bool repair_partition(const struct cost_matrix *matrix,
	struct partition *partition, const struct partition *parents,
	const unsigned char *fits, struct arena *arena);

/*
 * permutation_test.c: how often the cells, dealt anew at random, show a
 * partition at least as good as the given one: (1 + times) / (1 + tries). units
 * says which CPUs are one unit, NULL when each is its own; parents and
 * partition are of the CPUs too. clear: only wrong CPUs could make the low
 * cells, not noise.
 */
double permutation_test_chance(const struct cost_matrix *matrix,
	const struct partition *units, const struct partition *partition,
	const struct partition *parents, bool clear, struct arena *arena);

/*
 * How often the cells between the units of each of parents, in an order of
 * chance, have those inside groups of such sizes as their lowest: of four units
 * one time in five.
 */
double permutation_test_size_chance(const struct partition *partition,
	const struct partition *parents, struct arena *arena);

struct cost_level {
	struct partition partition; /* of the CPUs */
	struct partition_contrast contrast;
	unsigned char *fits; /* [n CPUs] */
	bool lone_pairs;     /* a few pairs among single CPUs */
	bool pairs;	     /* the innermost level, of pairs only */
	bool mixed;	     /* the same, of pairs and few larger groups */
	bool by_line_home;   /* classes that the home of lines may make */
	bool doubtful;	     /* of these, some may be wrong or missing */
	double chance;	     /* share of deals of chance as good as this */
	double confidence;
	double repeated_share; /* share of its groups that repeats found */
};

/* More levels than any machine has; a bound on what noise can produce. */
#define LEVELS_MAX 16

/* From the innermost outwards; each one's groups are unions of the last's. */
struct cost_levels {
	struct cost_level levels[LEVELS_MAX];
	size_t n;
};

/*
 * levels.c: the nested partitions that the costs show. Without test_chance, for
 * repeats, confidence says only how well a level fits.
 */
void levels_find(const struct cost_matrix *matrix, bool test_chance,
	struct cost_levels *levels, struct arena *arena);

/* Measure the levels anew and drop those that do not hold. */
void levels_test(const struct cost_matrix *matrix, bool test_chance,
	struct cost_levels *levels, struct arena *arena);

void levels_drop(struct cost_levels *levels, size_t k);

/*
 * pairs.c: add pairs that the tree missed as an innermost level; false if there
 * are none.
 */
bool pairs_add(struct cost_levels *levels, const struct cost_matrix *matrix,
	struct arena *arena);

/* Whether no group has more than two units. */
bool pairs_only(const struct partition *partition, struct arena *arena);

/*
 * Whether nearly all groups are pairs, and a few are larger: under a coarse
 * clock these may be pairs that were not told apart.
 */
bool pairs_mixed(const struct partition *partition, struct arena *arena);

/*
 * Join the last two units of each family whose other units are all in pairs, if
 * only a coarse clock tore them. True if there were any.
 */
bool pairs_complete(const struct cost_matrix *matrix,
	struct partition *partition, const struct partition *families,
	struct arena *arena);

/*
 * Whether some of these pairs may be none, or other units one more within their
 * group of families. clear: the pairs lie too far below all others for a spoilt
 * cell to make one.
 */
bool pairs_doubtful(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *families,
	bool clear, struct arena *arena);

/*
 * The odds that so many of the lowest cells of each of the families join no CPU
 * twice by chance, as those of the pairs in partition do.
 */
double pairs_odds(const struct cost_matrix *matrix,
	const struct partition *partition, const struct partition *families,
	struct arena *arena);

/* The innermost level that joins two CPUs; levels->n if none does. */
size_t levels_joining(const struct cost_levels *levels, size_t i, size_t j);

/*
 * perhaps.c: the groups of units within parents (both of the CPUs) that two
 * heaps of cells show, whether or not these are enough for a level; partial if
 * others stay alone, which show none. Fills group, n_groups, inside, between,
 * and as the confidence how seldom an order of chance does the same.
 */
bool perhaps_find(const struct cost_matrix *matrix,
	const struct partition *units, const struct partition *parents,
	struct analysis_level *found, struct arena *arena);

/*
 * classes.c: divide the cores, which are the groups of the innermost level,
 * into classes; false if all are alike, or if a level says the same. On a
 * virtual machine a missing SMT sibling is no evidence.
 */
bool classes_find(const struct cost_matrix *matrix,
	const struct cost_levels *levels, bool is_virtual,
	struct cost_level *classes, struct arena *arena);

/*
 * cold_first_cpu.c: whether the first CPU may be in a dearer class than is
 * true, since it was measured while the machine was cold. The odds are for it.
 */
bool cold_first_cpu_suspected(const struct cost_matrix *matrix,
	const struct partition *classes, struct arena *arena);

/* What is repeated with other noise and fewer CPUs. */
struct resample_input {
	const struct cost_matrix *matrix;
	/*
	 * [n * n] below the diagonal the lower end of each cell's interval,
	 * above it the upper end; NULL if unknown.
	 */
	const float *bounds;
	bool is_virtual;
	struct cost_levels *levels;
	struct cost_level *classes; /* or NULL */
};

/* resample.c: fill the field again of each level and of the classes. */
void resample_levels(const struct resample_input *input, struct arena *arena);

/*
 * granularity.c: the step of the clock that values[n * n] are multiples of; 0
 * if they are not.
 */
double granularity_find_step(
	const double *values, size_t n, struct arena *arena);

/*
 * measured.c: measured[n] says which units have costs to at least a tenth of
 * the measured units. Returns how many.
 */
size_t measured_find(
	const struct cost_matrix *matrix, bool *measured, struct arena *arena);

/* The pairs without a cost. */
size_t measured_missing(const struct cost_matrix *matrix);

/*
 * What the confidence in a partition is to be divided by, 1 or more: two units
 * that it leaves alone may belong together where their cost is missing.
 */
double measured_confidence_divisor(const struct cost_matrix *matrix,
	const struct partition *partition, struct arena *arena);

#endif
