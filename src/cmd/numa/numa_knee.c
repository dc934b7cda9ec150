/*
 * The knee of a curve of latency over bandwidth.
 */
#include "cmd/numa/numa_knee.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Least ratio of the highest to the idle latency; a smaller rise is noise. */
#define KNEE_RISE 1.5

/* Points with at least this share of the largest distance may be the knee. */
#define NEARLY 0.85

/* Largest share of the peak rate that a knee may span. */
#define KNEE_MOST 0.5

static bool is_point(double gib_per_s, double ns)
{
	return !isnan(gib_per_s) && !isnan(ns);
}

/*
 * Return the lowest load with twice the idle latency, interpolated between two
 * points.
 */
static double find_doubled_latency(
	const double *gib_per_s, const double *ns, size_t n, double limit)
{
	size_t before = 0;

	for (size_t i = 1; i < n; i++) {
		double share;

		if (!is_point(gib_per_s[i], ns[i]))
			continue;
		if (ns[i] < limit) {
			before = i;
			continue;
		}
		share = (limit - ns[before]) / (ns[i] - ns[before]);
		return gib_per_s[before] +
		       share * (gib_per_s[i] - gib_per_s[before]);
	}
	return NAN;
}

/* Return how far a point is below the line from idle to highest latency. */
static double distance_below_line(const struct numa_knee *knee,
	double gib_per_s, double ns, double most_ns)
{
	return gib_per_s / knee->peak_gib_per_s -
	       (ns - knee->idle_ns) / (most_ns - knee->idle_ns);
}

/*
 * Find the knee: the point farthest below the line from the idle point to the
 * point of highest latency, with both axes scaled to 1 (Satopaa et al.,
 * "Finding a 'Kneedle' in a Haystack", ICDCS Workshops 2011).
 */
static void find_knee(struct numa_knee *knee, const double *gib_per_s,
	const double *ns, size_t n, double most_ns)
{
	double farthest = 0, least = INFINITY, most = 0;
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		double below =
			distance_below_line(knee, gib_per_s[i], ns[i], most_ns);

		if (!(below > farthest))
			continue;
		farthest = below;
		at = i;
	}
	for (size_t i = 0; i < n && farthest > 0; i++) {
		double below =
			distance_below_line(knee, gib_per_s[i], ns[i], most_ns);

		if (!(below >= NEARLY * farthest))
			continue;
		least = fmin(least, gib_per_s[i]);
		most = fmax(most, gib_per_s[i]);
	}
	if (!(farthest > 0) || most - least > KNEE_MOST * knee->peak_gib_per_s)
		return;
	knee->knee_gib_per_s = gib_per_s[at];
	knee->knee_ns = ns[at];
	knee->knee_least_gib_per_s = least;
	knee->knee_most_gib_per_s = most;
}

const char *numa_knee_text(
	const struct numa_knee *knee, int digits, char text[NUMA_KNEE_BYTES])
{
	if (knee->knee_most_gib_per_s > knee->knee_least_gib_per_s)
		snprintf(text, NUMA_KNEE_BYTES, "%.*g to %.*g GiB/s", digits,
			knee->knee_least_gib_per_s, digits,
			knee->knee_most_gib_per_s);
	else
		snprintf(text, NUMA_KNEE_BYTES, "%.*g GiB/s, %.*g ns", digits,
			knee->knee_gib_per_s, digits, knee->knee_ns);
	return text;
}

struct numa_knee numa_find_knee(
	const double *gib_per_s, const double *ns, size_t n)
{
	struct numa_knee knee = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	double most_ns = NAN;

	if (n == 0 || !is_point(gib_per_s[0], ns[0]))
		return knee;
	knee.idle_ns = ns[0];
	for (size_t i = 1; i < n; i++) {
		if (!is_point(gib_per_s[i], ns[i]))
			continue;
		knee.peak_gib_per_s = fmax(knee.peak_gib_per_s, gib_per_s[i]);
		most_ns = fmax(most_ns, ns[i]);
	}
	knee.doubles_gib_per_s =
		find_doubled_latency(gib_per_s, ns, n, 2 * knee.idle_ns);
	if (most_ns >= KNEE_RISE * knee.idle_ns && knee.peak_gib_per_s > 0)
		find_knee(&knee, gib_per_s, ns, n, most_ns);
	return knee;
}
