/*
 * The bend of a curve of latency over bandwidth.
 */
#include "cmd/numa/bend.h"

#include <math.h>
#include <stdbool.h>

/* A latency that never rises so far has no knee: it would be one of noise. */
#define KNEE_RISE 1.5

static bool is_point(double gib_per_s, double ns)
{
	return !isnan(gib_per_s) && !isnan(ns);
}

/*
 * The first load from which on the latency is twice the idle one, between that
 * point and the one before it.
 */
static double find_double(
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

/*
 * The knee is the point farthest below the line from the idle point to the one
 * of the greatest latency, both axes scaled to 1 (Satopaa et al., "Finding a
 * 'Kneedle' in a Haystack", ICDCS Workshops 2011).
 */
static void find_knee(struct numa_bend *bend, const double *gib_per_s,
	const double *ns, size_t n, double most_ns)
{
	double farthest = 0;

	for (size_t i = 0; i < n; i++) {
		double x = gib_per_s[i] / bend->peak_gib_per_s;
		double y = (ns[i] - bend->idle_ns) / (most_ns - bend->idle_ns);

		if (!(x - y > farthest))
			continue;
		farthest = x - y;
		bend->knee_gib_per_s = gib_per_s[i];
		bend->knee_ns = ns[i];
	}
}

struct numa_bend numa_bend_of(
	const double *gib_per_s, const double *ns, size_t n)
{
	struct numa_bend bend = {NAN, NAN, NAN, NAN, NAN};
	double most_ns = NAN;

	if (n == 0 || !is_point(gib_per_s[0], ns[0]))
		return bend;
	bend.idle_ns = ns[0];
	for (size_t i = 1; i < n; i++) {
		if (!is_point(gib_per_s[i], ns[i]))
			continue;
		bend.peak_gib_per_s = fmax(bend.peak_gib_per_s, gib_per_s[i]);
		most_ns = fmax(most_ns, ns[i]);
	}
	bend.doubles_gib_per_s =
		find_double(gib_per_s, ns, n, 2 * bend.idle_ns);
	if (most_ns >= KNEE_RISE * bend.idle_ns && bend.peak_gib_per_s > 0)
		find_knee(&bend, gib_per_s, ns, n, most_ns);
	return bend;
}
