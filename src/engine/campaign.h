/*
 * A campaign: passes over the pairs until every interval is narrow enough,
 * the budget is spent, or somebody says stop.
 *
 * A pass visits every pair once, in a fresh order, on fresh lines, for a
 * short time. So the whole matrix exists after the first pass, noise and
 * drift spread over all pairs, and an end at any moment leaves a complete
 * matrix. Sources: Hoefler and Belli, "Scientific Benchmarking of Parallel
 * Computing Systems", SC'15 (intervals, stopping by precision).
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

/* The bias against one pair at a time that --jobs auto stays under. */
#define CAMPAIGN_JOBS_BIAS 0.02

struct campaign;

struct campaign_progress {
	const char *noun;   /* NULL: "pair" */
	size_t passes;	    /* complete ones */
	size_t pairs;	    /* visited in the current pass */
	size_t pairs_total; /* in a pass */
	double left_s;	    /* an upper estimate; NaN when unknown */
	double fraction;    /* done of what may come, 0 to 1 */
};

/* A round trip that no line needs: the slowest known take a fifth of it. */
#define CAMPAIGN_SLOWEST_NS 20000

struct campaign_options {
	const struct machine *machine; /* NULL: pretended CPUs (tests) */
	const struct cpu_list *cpus;
	const struct probe *probe;
	struct probe_params params;
	/* [n_pairs] by index into cpus; NULL: all */
	const struct schedule_pair *pairs;
	size_t n_pairs;
	const char *noun; /* of a pair, in the progress; NULL: "pair" */
	bool both_ways;	  /* all: the directions are two pairs */
	enum schedule_order order; /* of listed pairs */
	/* Members beside second; a pair takes n_others, from others_at on. */
	const uint32_t *others;
	size_t jobs; /* pairs together; 0: auto; SIZE_MAX: max */
	/*
	 * Try both waiting loops first; params.use_spin_hint, later, is the
	 * chosen.
	 */
	bool try_spin_hint;
	/* The most that it may take, none if few CPUs run at once; 0: usual. */
	double spin_hint_budget_s;
	enum crew_idle idle; /* as effective, later */
	/*
	 * How many CPUs run at once: together_measure() where vCPUs may be more
	 * than cores, else NULL. If few, waiting CPUs sleep if park_if_few.
	 */
	int (*at_once)(struct crew *crew, const struct line_pools *lines,
		const struct cpu_list *cpus, double *at_once,
		struct error *err);
	bool park_if_few;
	enum lines_home home;
	int home_node;
	size_t lines; /* different ones on each node; as effective, later */
	/* ... and no number of pairs that c2c chooses needs more. */
	bool lines_given;
	size_t block_bytes; /* memory of a visit; 0: a slot for each sample */
	enum memory_pages pages;
	/* Keep the places of all visits, and measure the clock. */
	bool measure_pass_effects;
	uint64_t seed;
	size_t passes_min, passes_max;
	double precision; /* half width of the interval over the median */
	/* INFINITY: none. The first pass always ends. */
	double budget_s;
	double most_s;	/* instead, while there are fewer than passes_min */
	double least_s; /* go on at least so long, passes_max permitting */
	double patience_s;
	/* Smaller values are alike where passes are compared. */
	double equal_below;
	/*
	 * Halves may drop a visit, or a half have no value at all; the command
	 * tells what is missing. Else a pair without a value makes the run
	 * incomplete.
	 */
	bool may_drop;
	const atomic_bool *stop;

	/*
	 * Behind the passes of a run that is complete: mark the pairs that are
	 * to be visited again, chosen[n_pairs], and return how many. NULL:
	 * none. They get up to twelve times as many passes of their own as
	 * there were, while these take at most a tenth of the time. Not where
	 * few CPUs run at once.
	 */
	size_t (*choose_again)(
		void *context, const struct campaign *campaign, bool *chosen);
	void *choose_again_context;

	/* Behind the passes all members sleep so long, see later; 0: not. */
	double sleep_s;
	/* so many passes then, however long they take */
	size_t after_sleep_min_passes;

	/*
	 * For a run beside other work: passes come in bursts of
	 * campaign->burst, and this is called behind each, on the owner's
	 * thread. It may sleep, set the next burst, and end the run by
	 * returning false. Of more passes than most_kept_passes (0: any) the
	 * older half is forgotten; a burst is below a quarter of it. NULL:
	 * passes follow each other.
	 */
	bool (*on_burst_end)(void *context, struct campaign *campaign);
	void *burst_end_context;
	size_t most_kept_passes;

	/* Called on the owner's thread while nothing is timed; may be NULL. */
	void (*progress)(
		void *context, const struct campaign_progress *progress);
	void *progress_context;
};

struct campaign {
	struct campaign_options options; /* as effective */
	struct schedule schedule;
	size_t n_others; /* the most that any pair has */
	size_t n_values; /* per visit: one for each half that measures */

	/*
	 * Pass by pass: values[(pass * n_pairs + pair) * n_values + k], in
	 * the probe's unit, NaN where a visit was not made or did not count,
	 * as when the clock made no more than a step.
	 * k = 0 is the first half that measures; others follow.
	 */
	float *values;
	double *pass_start_s; /* since the start, per pass */
	/*
	 * [n_passes * n_pairs] by lines_place(), and of how many; NULL unless
	 * they were to be kept.
	 */
	uint32_t *places;
	size_t n_blocks, n_homes;
	double clock_ghz; /* of the cores; NaN: not asked, or unknown */
	double *scratch;  /* [13 * n_passes], for campaign_gather() */
	/*
	 * The passes of the pairs that were visited again, which are its
	 * schedule; NULL: none. again_index[n_pairs]: which of them, from 1; 0:
	 * none.
	 */
	struct campaign *again;
	uint32_t *again_index;
	/*
	 * [n_pairs * n_values]: medians of passes behind the sleep. NULL: none.
	 */
	float *after_sleep_medians;
	size_t n_after_sleep_passes;
	size_t n_passes;   /* with a visit at least */
	size_t n_complete; /* with all of them */
	size_t burst;	   /* passes until the next rest; 1 at first */
	size_t forgotten;  /* passes before those that are kept */
	/*
	 * The passes that values are of, counted_end excluded; 0: all of them.
	 * Set by the caller after the run.
	 */
	size_t counted_first, counted_end;

	size_t jobs;	  /* pairs measured together */
	double jobs_bias; /* measured at the start; NaN when jobs is 1 */
	/* Of the waiting loops, if they were tried; else without turns. */
	struct spin_hint_figure spin_hint_figures[SPIN_HINT_DISTANCES];
	double at_once;	    /* CPUs that run at the same time; NaN: unknown */
	bool overcommitted; /* ... too few */
	uint32_t *broken_off_visits; /* [n_pairs]: visits then broken off */
	struct together_patience patience; /* ... then, with a visit */
	bool complete;	  /* false: ended by a signal or a lost CPU */
	bool interrupted; /* ... by *stop */
	bool lost;	  /* ... by a member that does not answer */
	/* What that member may still read; never freed. */
	struct crew_program lost_member_program;
	struct error failure; /* why it ended or has holes; code 0: neither */
	size_t n_timed;	      /* values that came */
	size_t n_too_short;   /* ... of samples that the clock cannot tell */
	bool memory_bound;
	enum memory_pages pages; /* that all of the memory had at least */
	double huge_share;	 /* of it, in huge pages */
	double elapsed_s;
	char **warnings; /* sentences for the user */
	size_t n_warnings;
};

/*
 * Run a campaign. 0 with *campaign to be released, also when it ended early
 * (complete is then false); negative when nothing could be measured, by this
 * clock (ERROR_UNAVAILABLE) or at all.
 */
int campaign_run(struct campaign *campaign,
	const struct campaign_options *options, struct error *err);
void campaign_release(struct campaign *campaign);

/*
 * How many lines serve a run that is asked for `lines`, with so many pairs
 * together: whole visits only.
 */
size_t campaign_lines(size_t lines, uint32_t samples, size_t together);

/* "pass 3, pair 5 of 10, at most 3 s left" */
#define CAMPAIGN_PROGRESS_BYTES 128
void campaign_progress_text(const struct campaign_progress *progress,
	char text[CAMPAIGN_PROGRESS_BYTES]);

/* Append a sentence to the warnings. Without memory it is dropped. */
void campaign_warn(struct campaign *campaign, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* How many values a pair's visits leave: fewer others, fewer values. */
size_t campaign_pair_values(const struct campaign *campaign, size_t pair);

/* Value k of a pair in a pass; NaN: none. */
double campaign_value(
	const struct campaign *campaign, size_t pass, size_t pair, size_t k);

/*
 * The values of one pair, without NaNs, in the passes first, first + stride,
 * ... below end. Returns how many were written to out[n_passes].
 */
size_t campaign_gather(const struct campaign *campaign, size_t pair, size_t k,
	size_t first, size_t end, size_t stride, double *out);

/* The pass behind the last one that counts. */
size_t campaign_counted_end(const struct campaign *campaign);

/*
 * The same in the passes that count and in those of a pair that was visited
 * again, into campaign->scratch.
 */
size_t campaign_gather_counted(
	const struct campaign *campaign, size_t pair, size_t k);

/*
 * Whether the counters of every pair are synchronous enough for one-way
 * figures: the fastest pass of each direction positive, and the two apart by
 * no more than half of their mean. A smaller offset looks like a true
 * difference of the directions, so it may be up to a quarter of a pair's
 * latency. The campaign's probe has needs_synchronous_counters. -ENOTSUP
 * (ERROR_UNAVAILABLE) naming the worst pair.
 */
int campaign_check_counters(const struct campaign *campaign, struct error *err);

#endif
