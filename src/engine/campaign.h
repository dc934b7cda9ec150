/*
 * A campaign makes passes over the pairs until every interval is narrow enough,
 * the budget is spent, or the user stops the campaign.
 *
 * A pass visits every pair once for a short time, in a new order, on new lines.
 * So the matrix is complete after the first pass, whenever the run ends, and
 * noise and drift affect all pairs alike. Source: Hoefler and Belli,
 * "Scientific Benchmarking of Parallel Computing Systems", SC'15 (intervals,
 * stopping by precision).
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

/* Largest bias of --jobs auto, relative to one pair at a time. */
#define CAMPAIGN_JOBS_BIAS 0.02

struct campaign;

struct campaign_progress {
	const char *noun;   /* NULL: "pair" */
	size_t passes;	    /* complete ones */
	size_t pairs;	    /* pairs visited in the current pass */
	size_t pairs_total; /* pairs in a pass */
	double left_s;	    /* upper estimate; NaN: unknown */
	double fraction;    /* completed share of the run, 0 to 1 */
};

/* Longest credible round trip of a line: five times the slowest known one. */
#define CAMPAIGN_SLOWEST_NS 20000

struct campaign_options {
	const struct machine *machine; /* NULL: simulated CPUs (tests) */
	const struct cpu_list *cpus;
	const struct probe *probe;
	struct probe_params params;
	/* [n_pairs], indexes into cpus; NULL: all pairs */
	const struct schedule_pair *pairs;
	size_t n_pairs;
	const char *noun;	   /* name of a pair; NULL: "pair" */
	bool both_ways;		   /* measure both directions */
	enum schedule_order order; /* order of `pairs` */
	/* CPUs that run the second half with `second`, at others_at. */
	const uint32_t *others;
	size_t jobs; /* parallel pairs; 0: auto; SIZE_MAX: max */
	/* Try both waiting loops to set params.use_spin_hint. */
	bool try_spin_hint;
	/* Longest trial of the loops; 0: default; none if overcommitted. */
	double spin_hint_budget_s;
	enum crew_idle idle;
	/*
	 * together_measure() if the host may have more vCPUs than cores, else
	 * NULL. If too few CPUs run simultaneously and park_if_few is set, idle
	 * CPUs sleep.
	 */
	int (*at_once)(struct crew *crew, const struct line_pools *lines,
		const struct cpu_list *cpus, double *at_once,
		struct error *err);
	bool park_if_few;
	enum lines_home home;
	int home_node;
	size_t lines; /* number of lines on each node */
	/* `lines` also limits the number of pairs that c2c chooses. */
	bool lines_given;
	size_t block_bytes; /* memory of a visit, or 0 for slots */
	bool block_of_slots;
	enum memory_pages pages;
	/* Store the places of all visits' lines, and measure the clock. */
	bool measure_pass_effects;
	uint64_t seed;
	size_t passes_min, passes_max;
	double precision;
	/* INFINITY: no budget. The first pass is always completed. */
	double budget_s;
	double most_s;	/* budget until passes_min */
	double least_s; /* least time of a run */
	double patience_s;
	/* Comparisons of passes replace smaller values by it. */
	double equal_below;
	/*
	 * Halves may drop a visit or have no value, which the command reports.
	 * If false, a pair without a value makes the run incomplete.
	 */
	bool may_drop;
	const atomic_bool *stop;

	/*
	 * Called after the passes of a complete run, unless NULL or on an
	 * overcommitted machine: mark in chosen[n_pairs] the pairs to visit
	 * again, and return how many. The pairs get up to twelve times the
	 * passes of the run, in at most a tenth of its time.
	 */
	size_t (*choose_again)(
		void *context, const struct campaign *campaign, bool *chosen);
	void *choose_again_context;

	/*
	 * Called once before the first pass. The function may run visits,
	 * change the CPUs of the schedule's pairs, and remove the last pairs.
	 * May be NULL.
	 */
	int (*choose_pairs)(void *context, struct crew *crew,
		const struct line_pools *lines, struct schedule *schedule,
		struct error *err);
	void *choose_pairs_context;

	/* How long all members sleep after the passes, in seconds; 0: not. */
	double sleep_s;
	/* least number of passes after the sleep */
	size_t after_sleep_min_passes;

	/*
	 * For runs in bursts of campaign->burst passes, or NULL: the owner's
	 * thread calls this after each burst. The function may sleep and set
	 * the next burst, and returns false to end the run.
	 *
	 * After most_kept_passes (0: no limit), the campaign forgets the older
	 * half of the passes. A burst must be shorter than a quarter of this
	 * limit.
	 */
	bool (*on_burst_end)(void *context, struct campaign *campaign);
	void *burst_end_context;
	size_t most_kept_passes;

	/* The owner's thread calls this between timed visits; may be NULL. */
	void (*progress)(
		void *context, const struct campaign_progress *progress);
	void *progress_context;
};

struct campaign {
	struct campaign_options options; /* as used */
	struct schedule schedule;
	size_t n_others; /* largest n_others of a pair */
	size_t n_values; /* one for each measuring half */

	/*
	 * values[(pass * n_pairs + pair) * n_values + k], in the probe's unit.
	 * NaN if c2c did not visit the pair, or if the clock advanced by at
	 * most one step. k counts the measuring halves.
	 */
	float *values;
	double *pass_start_s; /* [n_passes], since the start of the run */
	/*
	 * [n_passes * n_pairs]: lines_place() of each visit; NULL: not stored.
	 * Places are less than n_blocks * n_homes.
	 */
	uint32_t *places;
	size_t n_blocks, n_homes;
	double clock_ghz; /* clock of the cores; NaN: unknown */
	double *scratch;  /* [13 * n_passes], for campaign_gather() */
	/*
	 * Campaign of the pairs that were visited again, or NULL.
	 * again_index[n_pairs] is the number of a pair in this campaign, from
	 * 1, or 0 if the pair was not visited again.
	 */
	struct campaign *again;
	uint32_t *again_index;
	/* [n_pairs * n_values] medians after the sleep, or NULL. */
	float *after_sleep_medians;
	size_t n_after_sleep_passes;
	size_t n_passes;   /* number of begun passes */
	size_t n_complete; /* number of complete passes */
	size_t burst;	   /* passes until the next call of on_burst_end() */
	size_t forgotten;  /* number of forgotten passes */
	/*
	 * Only passes counted_first to counted_end - 1 count, or to the last
	 * pass if counted_end is 0. The caller sets both after the run.
	 */
	size_t counted_first, counted_end;

	size_t jobs;	  /* pairs measured together */
	double jobs_bias; /* bias of parallel pairs; NaN if jobs is 1 */
	/* Times of both waiting loops by distance; 0 turns if not tried. */
	struct spin_hint_figure spin_hint_figures[SPIN_HINT_DISTANCES];
	double at_once; /* CPUs that ran simultaneously; NaN: unknown */
	bool overcommitted;
	uint32_t *broken_off_visits; /* [n_pairs] if overcommitted, else NULL */
	/* if overcommitted */
	struct together_patience patience;
	bool complete;
	bool interrupted; /* ended by *stop */
	bool lost;
	/* Never freed, because a lost member may still read it. */
	struct crew_program lost_member_program;
	struct error failure;
	size_t n_timed;	    /* number of timed values */
	size_t n_too_short; /* values below a step of the clock */
	bool memory_bound;
	enum memory_pages pages; /* smallest kind of page in the memory */
	double huge_share;	 /* share of memory in huge pages */
	double elapsed_s;
	char **warnings; /* sentences for the user */
	size_t n_warnings;
};

/*
 * Run a campaign. Return 0 and *campaign, for campaign_release(), even if the
 * run ended early (then complete is false). Return a negative errno if nothing
 * could be measured, with ERROR_UNAVAILABLE if the clock is the cause.
 */
int campaign_run(struct campaign *campaign,
	const struct campaign_options *options, struct error *err);
void campaign_release(struct campaign *campaign);

/*
 * Return the number of lines of a run that requests `lines` and measures this
 * many pairs together: enough for whole visits.
 */
size_t campaign_lines(size_t lines, uint32_t samples, size_t together);

/* Size of a text like "pass 3, pair 5 of 10, at most 3 s left". */
#define CAMPAIGN_PROGRESS_BYTES 128
void campaign_progress_text(const struct campaign_progress *progress,
	char text[CAMPAIGN_PROGRESS_BYTES]);

/* Append a sentence to the warnings, unless memory ran out. */
void campaign_warn(struct campaign *campaign, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Return the number of values of a pair's visit. */
size_t campaign_pair_values(const struct campaign *campaign, size_t pair);

/* Return value k of a pair in a pass; NaN: none. */
double campaign_value(
	const struct campaign *campaign, size_t pass, size_t pair, size_t k);

/*
 * Write the values of a pair in every stride-th pass from first to end - 1 to
 * out[n_passes], without NaNs. Return their number.
 */
size_t campaign_gather(const struct campaign *campaign, size_t pair, size_t k,
	size_t first, size_t end, size_t stride, double *out);

/* Return the pass after the last one that counts. */
size_t campaign_counted_end(const struct campaign *campaign);

/*
 * Write the values of a pair to campaign->scratch, from the passes that count
 * and from repeated visits. Return their number.
 */
size_t campaign_gather_counted(
	const struct campaign *campaign, size_t pair, size_t k);

/*
 * Check that the counters of every pair are synchronous enough for one-way
 * latencies: the fastest passes of both directions are positive, and differ by
 * at most half of their mean. An undetected offset may be up to a quarter of a
 * pair's latency. Only for probes with needs_synchronous_counters. Return
 * -ENOTSUP (ERROR_UNAVAILABLE), naming the worst pair, or 0.
 */
int campaign_check_counters(const struct campaign *campaign, struct error *err);

#endif
