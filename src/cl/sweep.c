#include "cl/sweep.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#define MOST_STRIDE 16

/* A run lasts so long, where turns allow. */
#define LEAST_S 1e-3

#define LEAST_BYTES_A_CPU 4096

void sweep_to_16(struct sweep *sweep, bool some)
{
	static const unsigned chosen[] = {0, 1, 2, 3, 4, 8, 16};

	sweep->n = some ? sizeof(chosen) / sizeof(chosen[0]) : MOST_STRIDE + 1;
	for (size_t i = 0; i < sweep->n; i++)
		sweep->strides[i] = some ? chosen[i] : (unsigned)i;
}

int sweep_begin(struct sweep *sweep, const char *curve,
	const struct curve_axes *axes, struct error *err)
{
	int rc = curve_add(
		sweep->session, curve, axes, sweep->n, &sweep->at, err);

	for (size_t i = 0; i < sweep->n && rc == 0; i++) {
		const struct series *series =
			sweep->session->result->series + sweep->at;

		sweep->s_per_byte[i] = NAN;
		for (size_t k = 0; k < 3; k++)
			series[k].x[i] = sweep->strides[i];
	}
	return rc;
}

int sweep_end(struct sweep *sweep, struct error *err)
{
	unsigned from = sweep->strides[sweep->first];
	unsigned to = sweep->strides[sweep->last];
	char name[128];

	if (sweep->last - sweep->first + 1 == sweep->n)
		snprintf(name, sizeof(name), "%s", sweep->name);
	else if (from == to)
		snprintf(name, sizeof(name), "%s, stride %u", sweep->name, to);
	else
		snprintf(name, sizeof(name), "%s, strides %u to %u",
			sweep->name, from, to);
	return ceiling_record(sweep->session, name, &sweep->ceiling, err);
}

int sweep_set_ceiling(struct sweep *sweep, size_t i, enum native_what what,
	size_t bytes, struct error *err)
{
	size_t least = LEAST_BYTES_A_CPU * sweep->session->options->cpus->n;
	int rc = 0;

	if (bytes < least)
		bytes = least;
	if (sweep->ceiling.rounds == 0 || sweep->ceiling.bytes != bytes) {
		if (sweep->ceiling.rounds > 0)
			rc = sweep_end(sweep, err);
		sweep->ceiling = (struct ceiling){.what = what, .bytes = bytes};
		sweep->first = i;
		if (rc == 0)
			rc = ceiling_measure(
				sweep->session, &sweep->ceiling, err);
	}
	return rc;
}

int sweep_put(struct sweep *sweep, size_t i, double bytes,
	const struct cl_timing *timing, struct error *err)
{
	double rate = bytes / timing->median_s / CL_GIB;
	bool holds;
	int rc = ceiling_check(
		sweep->session, &sweep->ceiling, rate, &holds, err);

	sweep->last = i;
	if (rc < 0)
		return rc;
	if (!holds)
		return curve_reject(sweep->session, err,
			"%s, stride %u: %.3g GiB/s is above the %.3g GiB/s "
			"that the CPUs do natively",
			sweep->name, sweep->strides[i], rate,
			sweep->ceiling.gib_per_s);
	sweep->s_per_byte[i] = timing->median_s / bytes;
	curve_put_rate(
		sweep->session, sweep->at, i, sweep->strides[i], bytes, timing);
	return 0;
}

double sweep_over_1(const struct sweep *sweep, unsigned stride)
{
	double s = NAN, s_1 = NAN;

	for (size_t i = 0; i < sweep->n; i++) {
		if (sweep->strides[i] == stride)
			s = sweep->s_per_byte[i];
		if (sweep->strides[i] == 1)
			s_1 = sweep->s_per_byte[i];
	}
	return s / s_1;
}

int sweep_turns(const struct cl_session *session, cl_kernel kernel,
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

int sweep_check_groups(size_t items, size_t group, struct error *err)
{
	if (items % group)
		return error_set(err, ERROR_USAGE, EINVAL,
			"--work-group: %zu work-items are no multiple of %zu; "
			"take a power of two",
			items, group);
	return 0;
}

const char *sweep_size_text(size_t bytes, char text[32])
{
	snprintf(text, 32, "%zu %s",
		bytes < (1u << 20) ? bytes >> 10 : bytes >> 20,
		bytes < (1u << 20) ? "KiB" : "MiB");
	return text;
}

int sweep_check_options(const char *test, const struct cl_options *options,
	uint64_t least_bytes, uint64_t most_bytes, struct error *err)
{
	uint64_t bytes = options->size_bytes;
	char least[32], most[32];
	int rc = 0;

	/* Where one is not the user's, the other is not known yet. */
	if (options->work_items && options->work_group)
		rc = sweep_check_groups(
			options->work_items, options->work_group, err);
	if (rc == 0 && bytes &&
		(bytes < least_bytes || bytes > most_bytes ||
			(bytes & (bytes - 1))))
		rc = error_set(err, ERROR_USAGE, EINVAL,
			"--size: %s takes a power of two from %s to %s", test,
			sweep_size_text(least_bytes, least),
			sweep_size_text(most_bytes, most));
	return rc;
}

cl_uint sweep_value(size_t i)
{
	return (cl_uint)i * 2654435761u >> 8;
}

int sweep_wrong(const struct sweep *sweep, size_t i, struct error *err)
{
	return error_set(err, ERROR_FAILURE, EIO,
		"%s, stride %u: what the kernel computes is not what the host "
		"computes: this implementation of OpenCL computes wrongly, and "
		"its times mean nothing",
		sweep->name, sweep->strides[i]);
}
