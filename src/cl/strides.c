#include "cl/strides.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "cl/sizes.h"

#define MOST_STRIDE 16

/* A run lasts so long, where turns allow. */
#define LEAST_S 1e-3

#define LEAST_BYTES_A_CPU 4096

void strides_to_16(struct strides *strides, bool some)
{
	static const unsigned chosen[] = {0, 1, 2, 3, 4, 8, 16};

	strides->n =
		some ? sizeof(chosen) / sizeof(chosen[0]) : MOST_STRIDE + 1;
	for (size_t i = 0; i < strides->n; i++)
		strides->words[i] = some ? chosen[i] : (unsigned)i;
}

int strides_begin(struct strides *strides, const char *curve,
	const struct curve_facts *facts, struct error *err)
{
	int rc = curve_add(
		strides->session, curve, facts, strides->n, &strides->at, err);

	for (size_t i = 0; i < strides->n && rc == 0; i++)
		curve_place(
			strides->session, strides->at, i, strides->words[i]);
	return rc;
}

int strides_end(struct strides *strides, struct error *err)
{
	unsigned from = strides->words[strides->first];
	unsigned to = strides->words[strides->last];
	char name[128];
	int rc;

	if (strides->last - strides->first + 1 == strides->n)
		snprintf(name, sizeof(name), "%s", strides->name);
	else if (from == to)
		snprintf(
			name, sizeof(name), "%s, stride %u", strides->name, to);
	else
		snprintf(name, sizeof(name), "%s, strides %u to %u",
			strides->name, from, to);
	rc = ceiling_record(strides->session, name, &strides->ceiling, err);
	if (rc == 0)
		rc = ceiling_draw(strides->session, strides->at, NULL, from, to,
			&strides->ceiling, err);
	return rc;
}

int strides_set_ceiling(struct strides *strides, size_t i,
	enum native_what what, size_t bytes, struct error *err)
{
	size_t least = LEAST_BYTES_A_CPU * strides->session->options->cpus->n;
	int rc = 0;

	if (bytes < least)
		bytes = least;
	if (strides->ceiling.rounds == 0 || strides->ceiling.bytes != bytes) {
		if (strides->ceiling.rounds > 0)
			rc = strides_end(strides, err);
		strides->ceiling =
			(struct ceiling){.what = what, .bytes = bytes};
		strides->first = i;
		if (rc == 0)
			rc = ceiling_measure(
				strides->session, &strides->ceiling, err);
	}
	return rc;
}

int strides_put(struct strides *strides, size_t i, double bytes,
	const struct cl_timing *timing, struct error *err)
{
	double rate = bytes / timing->median_s / CL_GIB;
	bool holds;
	int rc = ceiling_check(
		strides->session, &strides->ceiling, rate, &holds, err);

	strides->last = i;
	if (rc < 0)
		return rc;
	if (!holds)
		return curve_reject(strides->session, err,
			"%s, stride %u: %.3g GiB/s is above the %.3g GiB/s "
			"that the CPUs do natively",
			strides->name, strides->words[i], rate,
			strides->ceiling.gib_per_s);
	curve_put_rate(strides->session, strides->at, i, strides->words[i],
		bytes, timing);
	return 0;
}

static struct figure rate_of(const struct strides *strides, unsigned stride)
{
	for (size_t i = 0; i < strides->n; i++) {
		if (strides->words[i] == stride)
			return curve_figure(strides->session, strides->at, i);
	}
	return (struct figure){NAN, NAN, NAN};
}

struct figure strides_over_1(const struct strides *strides, unsigned stride)
{
	return figure_over(rate_of(strides, 1), rate_of(strides, stride));
}

int strides_find(const struct strides *strides, const unsigned *words, size_t n,
	struct error *err)
{
	char text[STRIDES_MOST * (FIGURE_BYTES + 16)] = "";
	size_t used = 0;

	for (size_t i = 0; i < n && i < STRIDES_MOST; i++) {
		char what[FIGURE_BYTES];

		used += (size_t)snprintf(text + used, sizeof(text) - used,
			"%sstride %u, %s", i ? "; " : "", words[i],
			figure_times(strides_over_1(strides, words[i]), "long",
				what));
	}
	return curve_finding(strides->session, err, "%s beside stride 1: %s",
		strides->name, text);
}

int strides_turns(const struct cl_session *session, cl_kernel kernel,
	cl_uint argument, size_t items, size_t group, cl_uint least,
	cl_uint most, cl_uint *turns, struct error *err)
{
	int rc = 0;

	*turns = least;
	for (int run = 0; rc == 0; run++) {
		double s = 0;

		rc = session_stopped(session, err);
		if (rc == 0)
			rc = session_argument(
				kernel, argument, sizeof(*turns), turns, err);
		if (rc == 0)
			rc = session_time_once(session, session->queue, kernel,
				items, group, false, &s, err);
		/* The first run is the compiler's. */
		if (run == 0)
			continue;
		if (s >= LEAST_S || *turns > most / 2)
			break;
		*turns *= 2;
	}
	return rc;
}

int strides_check_options(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err)
{
	int rc = 0;

	/* Where one is not the user's, the other is not known yet. */
	if (options->work_items && options->work_group)
		rc = check_groups(
			options, options->work_items, options->work_group, err);
	return rc == 0 ? check_size(test, options, least_bytes, most_bytes, err)
		       : rc;
}

int strides_wrong(const struct strides *strides, size_t i, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EIO,
		"%s, stride %u: what the kernel computes is not what the host "
		"computes: this implementation of OpenCL computes wrongly, and "
		"its times mean nothing",
		strides->name, strides->words[i]);
}
