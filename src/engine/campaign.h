/*
 * A campaign: passes over the pairs until every interval is narrow enough, the
 * budget is spent, or the user stops it.
 *
 * A pass visits every pair once for a short time, in a new order, on new lines.
 * So the whole matrix exists after the first pass, all pairs share noise and
 * drift, and an end at any moment leaves a complete matrix. Source: Hoefler and
 * Belli, "Scientific Benchmarking of Parallel Computing Systems", SC'15
 * (intervals, stopping by precision).
 */
#ifndef C2C_CAMPAIGN_H
#define C2C_CAMPAIGN_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/crew.h"
#include "engine/lines.h"
#include "engine/schedule.h"
#include "engine/spin_hint.h"
#include "engine/together.h"
#include "machine/machine.h"
#include "probe/probe.h"
#include "util/error.h"

/* --jobs auto allows at most this bias, relative to one pair at a time. */
#define CAMPAIGN_JOBS_BIAS 0.02

struct campaign;

struct campaign_progress {
	const char *noun;   /* NULL: "pair" */
	size_t passes;	    /* complete ones */
	size_t pairs;	    /* pairs visited in the current pass */
	size_t pairs_total; /* pairs in a pass */
	double left_s;	    /* upper estimate; NaN: unknown */
	double fraction;    /* share of the run that is done, 0 to 1 */
};

/* Longest credible round trip of a line: five times the slowest one known. */
#define CAMPAIGN_SLOWEST_NS 20000

struct campaign_options {
	const struct machine *machine; /* NULL: simulated CPUs (tests) */
	const struct cpu_list *cpus;
	const struct probe *probe;
	struct probe_params params;
	/* [n_pairs], indexes into cpus; NULL: all pairs */
	const struct schedule_pair *pairs;
	size_t n_pairs;
	const char *noun; /* what a pair is called; NULL: "pair" */
	bool both_ways;	  /* if pairs is NULL: (a, b) and (b, a) differ */
	enum schedule_order order; /* order of `pairs` */
	/* CPUs that measure together with second; see others_at of a pair. */
	const uint32_t *others;
	size_t jobs; /* pairs together; 0: auto; SIZE_MAX: max */
	/* Try both waiting loops first, and set params.use_spin_hint. */
	bool try_spin_hint;
	/* Longest trial; 0: default. No trial if overcommitted. */
	double spin_hint_budget_s;
	enum crew_idle idle; /* in campaign->options: as used */
	/*
	 * together_measure() if there may be more vCPUs than cores, else NULL.
	 * If too few CPUs run simultaneously, park_if_few lets idle CPUs sleep.
	 */
	int (*at_once)(struct crew *crew, const struct line_pools *lines,
		const struct cpu_list *cpus, double *at_once,
		struct error *err);
	bool park_if_few;
	enum lines_home home;
	int home_node;
	size_t lines; /* on each node, all different; later as used */
	/* `lines` also limits the number of pairs that c2c chooses. */
	bool lines_given;
	size_t block_bytes;  /* memory of a visit; 0: a slot for each sample */
	bool block_of_slots; /* a visit uses slots all over its block */
	enum memory_pages pages;
	/* Store the lines of all visits, and measure the clock. */
	bool measure_pass_effects;
	uint64_t seed;
	size_t passes_min, passes_max;
	double precision; /* half the interval's width, in medians */
	/* INFINITY: none. The first pass always ends. */
	double budget_s;
	double most_s;	/* budget while there are fewer than passes_min */
	double least_s; /* shortest run, unless passes_max ends it */
	double patience_s;
	/* Comparisons of passes replace smaller values by this value. */
	double equal_below;
	/*
	 * Halves may drop a visit or have no value, and the command reports
	 * it. If not set, a pair without a value makes the run incomplete.
	 */
	bool may_drop;
	const atomic_bool *stop;

	/*
	 * Called after the passes of a complete run: mark in chosen[n_pairs]
	 * the pairs to visit again, and return how many. The pairs get up to
	 * twelve times the passes of the run, in at most a tenth of its time.
	 * NULL: no pair. Not called if the machine is overcommitted.
	 */
	size_t (*choose_again)(
		void *context, const struct campaign *campaign, bool *chosen);
	void *choose_again_context;

	/*
	 * Called once before the first pass. It may run visits to choose the
	 * CPUs of the schedule's pairs, and drop the last pairs. NULL: the
	 * pairs stay as they are.
	 */
	int (*choose_pairs)(void *context, struct crew *crew,
		const struct line_pools *lines, struct schedule *schedule,
		struct error *err);
	void *choose_pairs_context;

	/* After the passes, all members sleep for this time; 0: no sleep. */
	double sleep_s;
	/* passes after the sleep, at least */
	size_t after_sleep_min_passes;

	/*
	 * For a run during other work: passes come in bursts of
	 * campaign->burst. The owner's thread calls this after each burst. It
	 * may sleep and set the next burst; false ends the run. NULL: no
	 * bursts.
	 *
	 * If there are most_kept_passes (0: no limit), the older half is
	 * forgotten. A burst must be shorter than a quarter of this limit.
	 */
	bool (*on_burst_end)(void *context, struct campaign *campaign);
	void *burst_end_context;
	size_t most_kept_passes;

	/* The owner's thread calls this while nothing is timed; may be NULL. */
	void (*progress)(
		void *context, const struct campaign_progress *progress);
	void *progress_context;
};

struct campaign {
	struct campaign_options options; /* as used */
	struct schedule schedule;
	size_t n_others; /* the most of any pair */
	size_t n_values; /* values per visit: one for each half that measures */

	/*
	 * values[(pass * n_pairs + pair) * n_values + k], in the probe's unit.
	 * NaN: c2c did not visit the pair, or the clock advanced by at most
	 * one step during the visit. k = 0 is the first half that measures;
	 * then the others.
	 */
	float *values;
	double *pass_start_s; /* per pass, since the start of the run */
	/*
	 * [n_passes * n_pairs]: lines_place() of each visit; NULL: not stored.
	 * Places are below n_blocks * n_homes.
	 */
	uint32_t *places;
	size_t n_blocks, n_homes;
	double clock_ghz; /* cores' clock; NaN: not measured or unknown */
	double *scratch;  /* [13 * n_passes], for campaign_gather() */
	/*
	 * Campaign of the pairs that were visited again; NULL: none.
	 * again_index[n_pairs] is a pair's number in this campaign, from 1; 0:
	 * the pair was not visited again.
	 */
	struct campaign *again;
	uint32_t *again_index;
	/* [n_pairs * n_values]: medians after the sleep; NULL: none. */
	float *after_sleep_medians;
	size_t n_after_sleep_passes;
	size_t n_passes;   /* passes with one visit or more */
	size_t n_complete; /* passes with all visits */
	size_t burst;	   /* passes until the next call of on_burst_end() */
	size_t forgotten;  /* passes dropped before the kept ones */
	/*
	 * Only passes counted_first to counted_end - 1 count; counted_end 0: to
	 * the last pass. The caller sets both after the run.
	 */
	size_t counted_first, counted_end;

	size_t jobs;	  /* pairs measured together */
	double jobs_bias; /* bias of jobs parallel pairs; NaN: jobs is 1 */
	/* Both waiting loops by distance; 0 turns if not tried. */
	struct spin_hint_figure spin_hint_figures[SPIN_HINT_DISTANCES];
	double at_once;	    /* CPUs that ran simultaneously; NaN: unknown */
	bool overcommitted; /* at_once is too few */
	uint32_t *broken_off_visits; /* [n_pairs] if overcommitted, else NULL */
	struct together_patience patience; /* for visits, if overcommitted */
	bool complete;	  /* false: ended by a signal or a lost CPU */
	bool interrupted; /* ended by *stop */
	bool lost;	  /* a member does not answer */
	/* A lost member may still read this; never freed. */
	struct crew_program lost_member_program;
	struct error failure; /* why it ended or lacks values, or 0 */
	size_t n_timed;	      /* values that were timed */
	size_t n_too_short;   /* values shorter than a step of the clock */
	bool memory_bound;
	enum memory_pages pages; /* smallest kind of page in the memory */
	double huge_share;	 /* share of memory in huge pages */
	double elapsed_s;
	char **warnings; /* sentences for the user */
	size_t n_warnings;
};

/*
 * Run a campaign. Return 0 with *campaign, which the caller releases, even if
 * it ended early (complete is then false). Return a negative errno if nothing
 * could be measured; ERROR_UNAVAILABLE: because of this clock.
 */
int campaign_run(struct campaign *campaign,
	const struct campaign_options *options, struct error *err);
void campaign_release(struct campaign *campaign);

/*
 * Return the number of lines, a whole number of visits, of a run that requests
 * `lines` and measures this many pairs together.
 */
size_t campaign_lines(size_t lines, uint32_t samples, size_t together);

/* Bytes of a text like "pass 3, pair 5 of 10, at most 3 s left". */
#define CAMPAIGN_PROGRESS_BYTES 128
void campaign_progress_text(const struct campaign_progress *progress,
	char text[CAMPAIGN_PROGRESS_BYTES]);

/* Append a sentence to the warnings; drop it without memory. */
void campaign_warn(struct campaign *campaign, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return how many values a visit of the pair has. */
size_t campaign_pair_values(const struct campaign *campaign, size_t pair);

/* Return value k of a pair in a pass; NaN: none. */
double campaign_value(
	const struct campaign *campaign, size_t pass, size_t pair, size_t k);

/*
 * Write the values of a pair to out[n_passes], without NaNs, from every
 * stride-th pass of first to end - 1. Return how many.
 */
size_t campaign_gather(const struct campaign *campaign, size_t pair, size_t k,
	size_t first, size_t end, size_t stride, double *out);

/* Return the pass after the last one that counts. */
size_t campaign_counted_end(const struct campaign *campaign);

/*
 * Write the values of a pair to campaign->scratch: in the passes that count,
 * and when it was visited again. Return how many.
 */
size_t campaign_gather_counted(
	const struct campaign *campaign, size_t pair, size_t k);

/*
 * Check that the counters of every pair are synchronous enough for one-way
 * latencies: the fastest pass of each direction is positive, and both differ by
 * at most half of their mean. A smaller offset looks like a true difference of
 * the directions, so it may be up to a quarter of a pair's latency. The
 * campaign's probe has needs_synchronous_counters. Return -ENOTSUP
 * (ERROR_UNAVAILABLE), naming the worst pair, or 0.
 */
int campaign_check_counters(const struct campaign *campaign, struct error *err);

#endif
