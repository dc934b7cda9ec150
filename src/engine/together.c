#include "engine/together.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "engine/rehearsal.h"
#include "machine/timebase.h"

/* Length of a window: longer than a vCPU's time slice on most hosts. */
#define WINDOW_NS 10000000

/* Number of windows, of which the best counts. */
#define TRIES 5

/* Measure no further window if one took this long, in ns. */
#define LONG_NS 200000000

/*
 * With a smaller share of simultaneously running CPUs, waiting CPUs should
 * sleep. With a larger share they should spin, because the host moves vCPUs
 * that sleep.
 */
#define LEAST_SHARE 0.8

/*
 * Patience in seconds: LEAST_S plus ROUND_TRIP_S for each round trip. The
 * slowest known round trips take a fifth of ROUND_TRIP_S. Within MOST_S a host
 * can move two vCPUs of one core to separate cores.
 */
#define LEAST_S	     0.002
#define MOST_S	     0.1
#define ROUND_TRIP_S 1e-5

/* Factors of the patience, tuned with 8 vCPUs on two cores. */
#define SHRINK 0.5
#define GROW   1.5

/* The visits of a window, in order. */
enum {
	GATHER,	 /* read the thread's context switches */
	MEASURE, /* measure in the window */
	N_VISITS
};

/* State in the first slot of the visit. */
struct together_window {
	_Atomic uint32_t mark; /* PROBE_ABANDONED, or 0 */
	_Atomic uint32_t gone;
	_Atomic uint64_t end_ns;
};

void together_note(
	struct together_tally *tally, const struct together_reading *now)
{
	const struct together_reading *before = &tally->before;
	uint64_t gap_ns = now->ns - tally->last.ns, lost_ns = 0;
	uint64_t within_ns = gap_ns;

	/* Another thread opened the window after this one read the clock. */
	if (now->ns < tally->last.ns)
		return;
	if (gap_ns >= TOGETHER_GAP_NS)
		lost_ns = gap_ns;
	if (now->switches != before->switches &&
		now->cpu_ns - before->cpu_ns < lost_ns)
		lost_ns = now->cpu_ns - before->cpu_ns;
	if (now->ns > tally->end_ns)
		within_ns -= now->ns - tally->end_ns;
	/* If a gap ends after the window, count a proportional part. */
	tally->ran_ns += (uint64_t)((double)(gap_ns - lost_ns) *
				    (double)within_ns / (double)(gap_ns + 1));
	tally->before = tally->last;
	tally->last = *now;
}

static struct together_reading read_now(void)
{
	struct together_reading now = {.ns = timebase_raw_ns()};
	struct timespec cpu = {.tv_sec = 0};
	struct rusage usage;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
		now.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u +
			     (uint64_t)cpu.tv_nsec;
	if (getrusage(RUSAGE_THREAD, &usage) == 0)
		now.switches = usage.ru_nvcsw + usage.ru_nivcsw;
	return now;
}

/* Open the window if this thread is the first. Return its end. */
static uint64_t enter_window(struct together_window *window, uint64_t now)
{
	uint64_t end = 0;

	if (atomic_compare_exchange_strong(
		    &window->end_ns, &end, now + WINDOW_NS))
		return now + WINDOW_NS;
	return end;
}

static bool measure_in_window(
	const struct probe_visit *visit, int64_t *ticks, bool is_first)
{
	struct together_window *window = visit->slots;
	struct together_reading *before = visit->params->context;
	struct together_reading now = read_now();
	struct together_tally tally = {.ran_ns = 0};

	ticks[0] = 0;
	before += is_first ? visit->first_cpu : visit->second_cpu;
	if (visit->variant == GATHER) {
		*before = now;
		return true;
	}
	tally.end_ns = enter_window(window, now.ns);
	/* A late thread has not run since another thread opened the window. */
	tally.last = *before;
	tally.last.ns = tally.end_ns - WINDOW_NS;
	tally.before = tally.last;
	for (;; now = read_now()) {
		together_note(&tally, &now);
		if (now.ns >= tally.end_ns)
			break;
		if (atomic_load_explicit(&window->mark, memory_order_relaxed) ==
			PROBE_ABANDONED)
			return false;
	}
	ticks[0] = (int64_t)tally.ran_ns;
	if (atomic_fetch_add(&window->gone, 1) == visit->n_seconds) {
		atomic_store(&window->gone, 0);
		atomic_store(&window->end_ns, 0);
	}
	return true;
}

static bool window_probe_first(const struct probe_visit *visit, int64_t *ticks)
{
	return measure_in_window(visit, ticks, true);
}

static bool window_probe_second(const struct probe_visit *visit, int64_t *ticks)
{
	return measure_in_window(visit, ticks, false);
}

static const struct probe window_probe = {
	.name = "together",
	.summary = "how long the CPUs run while all are busy",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_FORWARD,
	.first = window_probe_first,
	.second = window_probe_second,
	.abandon = probe_abandon_word,
};

/* Data that the members of a crew share; a lost member keeps it. */
struct together_trial {
	struct probe_params params;
	struct crew_visit visits[N_VISITS];
	size_t step_ends[N_VISITS];
	uint32_t *others;		 /* [n] */
	double *other_ticks;		 /* [n] */
	struct together_reading *before; /* by CPU number */
};

static void together_trial_free(struct together_trial *trial)
{
	if (trial) {
		free(trial->others);
		free(trial->other_ticks);
		free(trial->before);
	}
	free(trial);
}

/* Prepare two visits of all members. */
static struct together_trial *together_trial_new(
	const struct line_pools *lines, const struct cpu_list *cpus)
{
	struct together_trial *trial = calloc(1, sizeof(*trial));
	size_t n = cpus->n;
	unsigned most = 0;

	for (size_t i = 0; i < n; i++)
		most = cpus->cpus[i] > most ? cpus->cpus[i] : most;
	if (!trial)
		return NULL;
	trial->others = calloc(n, sizeof(*trial->others));
	trial->other_ticks = calloc(n, sizeof(*trial->other_ticks));
	trial->before = calloc((size_t)most + 1, sizeof(*trial->before));
	if (!trial->others || !trial->other_ticks || !trial->before) {
		together_trial_free(trial);
		return NULL;
	}
	trial->params = (struct probe_params){
		.samples = 1, .slots = 1, .context = trial->before};
	for (uint32_t i = 2; i < n; i++)
		trial->others[i - 2] = i;
	for (uint32_t v = 0; v < N_VISITS; v++) {
		trial->step_ends[v] = v + 1;
		trial->visits[v] = (struct crew_visit){
			.first = 0,
			.second = 1,
			.variant = v,
			.n_others = (uint32_t)n - 2,
			.others = trial->others,
			.other_ticks = trial->other_ticks,
			.slots = lines_slots(lines, 0, 1, 0, 0, 0),
			.params = &trial->params,
			.probe = &window_probe,
		};
	}
	return trial;
}

static int run_window(struct crew *crew, struct together_trial *trial,
	double *at_once, struct error *err)
{
	const struct crew_visit *visit = &trial->visits[MEASURE];
	const struct crew_program program = {.visits = trial->visits,
		.step_ends = trial->step_ends,
		.n_steps = N_VISITS,
		.n_visits = N_VISITS};
	int rc = rehearsal_run(crew, &program, "--idle", err);
	double ran = visit->ticks[0] + visit->ticks[1];

	for (uint32_t i = 0; i < visit->n_others; i++)
		ran += visit->other_ticks[i];
	*at_once = ran / WINDOW_NS;
	return rc;
}

/* Measure windows until one shows enough CPUs. */
static int run_windows(struct crew *crew, struct together_trial *trial,
	size_t n, double *at_once, struct error *err)
{
	*at_once = 0;
	for (int i = 0; i < TRIES && together_is_overcommitted(*at_once, n);
		i++) {
		uint64_t start_ns = timebase_raw_ns();
		double now;
		int rc = run_window(crew, trial, &now, err);

		if (rc == -EINTR || rc == -EBUSY) {
			/* Keep the result of an earlier window. */
			if (i == 0)
				*at_once = NAN;
			return 0;
		}
		if (rc < 0)
			return rc;
		*at_once = fmax(*at_once, now);
		if (timebase_raw_ns() - start_ns > LONG_NS)
			break;
	}
	return 0;
}

int together_measure(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err)
{
	struct together_trial *trial;
	int rc;

	*at_once = NAN;
	if (cpus->n < 2)
		return 0;
	trial = together_trial_new(lines, cpus);
	if (!trial)
		return error_no_memory(err, "the choice of --idle");
	rc = run_windows(crew, trial, cpus->n, at_once, err);
	if (!crew_is_lost(crew))
		together_trial_free(trial);
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): kept for a lost member */
	return rc;
}

bool together_is_overcommitted(double at_once, size_t n)
{
	return at_once < LEAST_SHARE * (double)n;
}

struct together_patience together_patience_of(const struct probe *probe,
	const struct probe_params *params, double most_s)
{
	double work_s = ROUND_TRIP_S * params->samples *
			(params->round_trips + params->warm_up);
	bool meets = probe->round_trips;
	struct together_patience patience = {
		.least_s = meets ? fmin(LEAST_S + work_s, most_s) : most_s,
		.most_s = meets ? fmin(MOST_S + work_s, most_s) : most_s,
	};

	patience.s = patience.least_s;
	return patience;
}

void together_shorten_patience(
	struct together_patience *patience, size_t visits)
{
	patience->s = fmax(
		patience->least_s, patience->s * pow(SHRINK, (double)visits));
}

void together_extend_patience(struct together_patience *patience)
{
	patience->s = fmin(patience->most_s, patience->s * GROW);
}
