/*
 * numa: the memory of a NUMA node, idle and under load.
 *
 * For latency, one CPU chases pointers through a ring far larger than the
 * caches (probe/chase.c has the loop). For bandwidth, CPUs access their parts
 * of an array. Under load, one CPU chases while others access the array. The
 * loading CPUs wait between pieces of the array for some turns of a loop, as in
 * Intel's Memory Latency Checker: the number of turns determines the load. The
 * rate of the loading CPUs is measured while the chase is timed. Not timed:
 * mapping and drawing, the first accesses of each visit to the ring and to the
 * array, and waiting until all CPUs are ready.
 *
 * Each visit continues where the previous one ended, in the ring and in each
 * part.
 *
 * Known biases: a ring in huge pages needs more TLB entries than some CPUs
 * have. After each piece a CPU checks the clock or a flag, and a fence waits
 * for non-temporal stores. A loading CPU that shares its core with the chasing
 * CPU also takes a part of the core (--per core leaves this CPU out).
 */
#include "probe/probe_numa.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "machine/timebase.h"
#include "probe/rendezvous.h"
#include "probe/undisturbed.h"

/* Steps of a chase in a sample, and before the first sample. */
#define SAMPLE_STEPS 2048
#define WARM_STEPS   256

/* Warm-up steps under load, which fill the memory's queues. */
#define RAMP_UP_STEPS 512

/*
 * Time of a bandwidth visit in ns. Visits of a team are longer, because its
 * points have fewer visits.
 */
#define BANDWIDTH_NS 300000.0
#define TEAM_NS	     1000000.0

/* Bytes accessed before the timed ones, to start the prefetchers. */
#define WARM_BYTES ((size_t)128 << 10)

/*
 * Bytes of each array between two checks of clock or flag. Pieces between two
 * delays are small, so that the load is even.
 */
#define PIECE_BYTES	  ((size_t)64 << 10)
#define MIXED_PIECE_BYTES ((size_t)16 << 10)
#define DELAY_PIECE_BYTES ((size_t)1 << 10)

/* Each array begins on its own page. */
#define PAGE_BYTES ((size_t)4096)

/* Values are ticks / SCALE, so that both ns and GiB/s are precise. */
#define SCALE 65536.0

/* Phases of a visit of NUMA_LOADED. */
enum numa_load_phase {
	PHASE_RAMP_UP,
	PHASE_TIMED,
	PHASE_OVER,
};

/* A mix: one of `every` pieces is written in place, the others use access. */
static const struct {
	unsigned every;
	enum arch_access access;
} mixes[NUMA_MIX_COUNT] = {
	[NUMA_READ] = {0, ARCH_READ},
	[NUMA_3_TO_1] = {3, ARCH_READ},
	[NUMA_2_TO_1] = {2, ARCH_READ},
	[NUMA_1_TO_1] = {1, ARCH_READ},
	[NUMA_TRIAD] = {0, ARCH_TRIAD},
	[NUMA_NT] = {0, ARCH_NT_COPY},
};

double numa_mix_bytes(enum numa_mix mix, double bytes)
{
	if (mixes[mix].every)
		return bytes * (1 + 1.0 / mixes[mix].every);
	return bytes * arch_access_factors[mixes[mix].access];
}

/* Map memory of at most `most` bytes for ring and array, and draw the ring. */
static int map_home(struct numa_home *home, const struct machine *machine,
	const struct numa_request *request, size_t most, struct error *err)
{
	const struct chase_spec spec = {.bytes = most < request->ring_bytes
							 ? most
							 : request->ring_bytes};
	const struct memory_request where = {
		.bytes = most < request->array_bytes ? most
						     : request->array_bytes,
		.node = home->node,
		.pages = request->pages,
		.stopped = request->stopped};
	const struct chase_plan plan = {.specs = &spec,
		.n = 1,
		.page_bytes = PAGE_BYTES,
		.seed = request->seed,
		.request = where};
	int rc = chase_map(&home->ring, &plan, machine, err);

	home->bound = rc == 0 && home->ring.memory.bound;
	if (home->bound) {
		rc = memory_map(&home->array, machine, &where, err);
		home->bound = rc == 0 && home->array.bound;
	}
	if (home->bound)
		rc = chase_draw(&home->ring, &plan, err);
	if (rc < 0 || !home->bound) {
		chase_release(&home->ring);
		memory_release(&home->array);
		home->bound = false;
	}
	return rc;
}

/*
 * Map the memory of a node. Begin with the smallest size, to touch little
 * memory if memory cannot be bound at all. Then map the largest size that fits.
 */
static int fill_home(struct numa_home *home, const struct machine *machine,
	const struct numa_request *request, struct error *err)
{
	size_t most = request->ring_bytes > request->array_bytes
			      ? request->ring_bytes
			      : request->array_bytes;
	bool reserved = request->pages == MEMORY_PAGES_HUGETLB;
	int rc = 0;

	/* Map all hugetlb pages, so that an error reports their number. */
	if (!reserved)
		rc = map_home(
			home, machine, request, request->least_bytes, err);
	if (rc < 0 ||
		(!reserved && (!home->bound || most <= request->least_bytes)))
		return rc;
	do {
		chase_release(&home->ring);
		memory_release(&home->array);
		if (most < request->least_bytes)
			most = request->least_bytes;
		rc = map_home(home, machine, request, most, err);
		most /= 2;
	} while (rc == 0 && !home->bound && 2 * most > request->least_bytes);
	return rc;
}

int numa_init(struct numa_context *context, const struct machine *machine,
	const struct numa_request *request, struct error *err)
{
	size_t most = 1;
	int rc = 0;

	for (size_t i = 0; i < context->n_rows; i++)
		most = context->rows[i].cpus.n > most ? context->rows[i].cpus.n
						      : most;
	for (size_t i = 0; i < context->n_teams; i++)
		most = context->teams[i].cpus.n > most
			       ? context->teams[i].cpus.n
			       : most;
	for (size_t j = 0; rc == 0 && j < context->n_homes; j++) {
		struct numa_home *home = &context->homes[j];

		if (request->on_home_start)
			request->on_home_start(request->home_start_context, j);
		home->at = calloc(most, sizeof(*home->at));
		rc = home->at ? fill_home(home, machine, request, err)
			      : error_no_memory(err, "the arrays");
		if (rc == 0 && home->bound)
			chase_point_init(
				&home->point, home->ring.rings, 1, false);
	}
	context->vector = arch_vector_widest();
	if (rc < 0)
		numa_release(context);
	return rc;
}

void numa_release(struct numa_context *context)
{
	for (size_t j = 0; j < context->n_homes; j++) {
		struct numa_home *home = &context->homes[j];

		chase_release(&home->ring);
		memory_release(&home->array);
		free(home->at);
		home->at = NULL;
		home->bound = false;
	}
}

static const struct numa_point *numa_point_of(const struct probe_visit *visit)
{
	const struct numa_context *context = visit->params->context;

	return &context->points[visit->variant];
}

/* Return the CPUs of the visit's row or team. */
static const struct cpu_list *numa_cpus_of(const struct probe_visit *visit)
{
	const struct numa_context *context = visit->params->context;
	const struct numa_point *point = numa_point_of(visit);

	return point->kind == NUMA_TEAM ? &context->teams[point->row].cpus
					: &context->rows[point->row].cpus;
}

/* Return the home of the calling thread. */
static struct numa_home *numa_home_of(const struct probe_visit *visit)
{
	const struct numa_context *context = visit->params->context;
	const struct numa_point *point = numa_point_of(visit);
	const struct numa_team *team;

	if (point->kind != NUMA_TEAM)
		return &context->homes[point->home];
	team = &context->teams[point->row];
	return &context->homes[team->homes[cpu_list_find(
		&team->cpus, visit->second_cpu)]];
}

bool numa_point_is_bound(const struct numa_context *context, size_t point)
{
	const struct numa_point *of = &context->points[point];
	const struct numa_team *team;
	bool bound = true;

	if (of->kind != NUMA_TEAM)
		return context->homes[of->home].bound;
	team = &context->teams[of->row];
	for (size_t i = 0; i < team->cpus.n; i++)
		bound &= context->homes[team->homes[i]].bound;
	return bound;
}

/* State of a CPU that accesses its part of an array. */
struct numa_load {
	const struct arch_vector *vector;
	enum numa_mix mix;
	char *base;
	size_t bytes; /* size of each of its arrays */
	size_t apart; /* distance of its arrays */
	size_t piece;
	size_t at;    /* offset of the next piece in each array */
	size_t moved; /* accessed bytes of each array */
};

static size_t numa_piece_bytes(const struct numa_point *point)
{
	if (point->kind == NUMA_LOADED && point->delay > 0)
		return DELAY_PIECE_BYTES;
	return mixes[point->mix].every ? MIXED_PIECE_BYTES : PIECE_BYTES;
}

/*
 * Return the number of CPUs that share the array of CPU `self`; *before is the
 * number of parts before its own. Under load the first CPU has no part.
 */
static size_t count_parts(
	const struct probe_visit *visit, size_t self, size_t *before)
{
	const struct numa_context *context = visit->params->context;
	const struct numa_point *point = numa_point_of(visit);
	const struct numa_team *team;
	size_t chasing = point->kind == NUMA_LOADED, n;

	*before = self - chasing;
	if (point->kind != NUMA_TEAM)
		return context->rows[point->row].cpus.n - chasing;
	team = &context->teams[point->row];
	*before = 0;
	for (size_t i = 0; i < self; i++)
		*before += team->homes[i] == team->homes[self];
	n = *before + 1;
	for (size_t i = self + 1; i < team->cpus.n; i++)
		n += team->homes[i] == team->homes[self];
	return n;
}

/*
 * Return the part of CPU `self` in its row or team. The CPUs use the whole
 * array, so that caches have little of it.
 */
static struct numa_load numa_load_of(
	const struct probe_visit *visit, size_t self)
{
	const struct numa_context *context = visit->params->context;
	const struct numa_point *point = numa_point_of(visit);
	const struct numa_home *home = numa_home_of(visit);
	size_t before, n = count_parts(visit, self, &before);
	unsigned arrays =
		mixes[point->mix].every
			? 1
			: arch_access_factors[mixes[point->mix].access];
	size_t part = home->array.bytes / n / PAGE_BYTES * PAGE_BYTES;
	size_t piece = numa_piece_bytes(point);
	size_t each = part / arrays / PAGE_BYTES * PAGE_BYTES;

	if (piece > each)
		piece = PAGE_BYTES;
	each = each / piece * piece;
	return (struct numa_load){
		.vector = context->vector,
		.mix = point->mix,
		.base = (char *)home->array.base + before * part,
		.bytes = each,
		.apart = each,
		.piece = piece,
		.at = home->at[self] % each / piece * piece,
	};
}

/* Access the next piece; after the last piece, begin again. */
static void numa_load_move(struct numa_load *load)
{
	unsigned every = mixes[load->mix].every;
	bool in_place = every && load->at / load->piece % every == every - 1;
	char *first = load->base + load->at;
	const struct arch_arrays arrays = {
		.a = first,
		.b = in_place ? first : first + load->apart,
		.c = first + 2 * load->apart,
		.bytes = load->piece,
		.rounds = 1,
		.value = 1,
	};

	load->vector->rate[in_place ? ARCH_COPY : mixes[load->mix].access](
		&arrays);
	load->moved += load->piece;
	load->at += load->piece;
	if (load->at == load->bytes)
		load->at = 0;
}

/* Store the rate in all samples; numa_scale() turns it into GiB/s. */
static void put_rate(const struct probe_params *params,
	const struct numa_load *load, uint64_t spent, int64_t *ticks)
{
	double rate = probe_gib_per_s(params,
		numa_mix_bytes(load->mix, (double)load->moved), (double)spent);

	for (uint32_t k = 0; k < params->samples; k++)
		ticks[k] = (int64_t)(rate * SCALE / params->ns_per_tick);
}

static bool measure_bandwidth(
	const struct probe_visit *visit, size_t self, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	struct numa_load load = numa_load_of(visit, self);
	bool team = numa_point_of(visit)->kind == NUMA_TEAM;
	uint64_t limit = (uint64_t)((team ? TEAM_NS : BANDWIDTH_NS) /
				    params->ns_per_tick);
	uint64_t begin, spent;
	long switches;

	while (load.moved < WARM_BYTES)
		numa_load_move(&load);
	if (!probe_wait_for_cpus(visit, visit->n_seconds))
		return false;
	load.moved = 0;
	switches = probe_switches();
	begin = timebase_begin(params->counter);
	do {
		numa_load_move(&load);
		spent = timebase_end(params->counter) - begin;
	} while (spent < limit);
	switches -= probe_switches();
	numa_home_of(visit)->at[self] = load.at;
	put_rate(params, &load, spent, ticks);
	probe_leave(visit, visit->n_seconds);
	return switches == 0;
}

/* Wait. A turn takes one or two clock cycles. */
static __attribute__((noinline)) void wait_turns(uint32_t turns)
{
	for (; turns > 0; turns--)
		__asm__ volatile("" : "+r"(turns));
}

/* Load the memory until a phase begins; return false if abandoned. */
static bool load_until(const struct probe_visit *visit, struct numa_load *load,
	uint32_t delay, enum numa_load_phase phase)
{
	struct probe_rendezvous *rendezvous = visit->slots;

	while (atomic_load_explicit(&rendezvous->phase, memory_order_acquire) <
		(uint32_t)phase) {
		if (probe_is_abandoned(visit))
			return false;
		numa_load_move(load);
		wait_turns(delay);
	}
	return true;
}

static bool load_memory(
	const struct probe_visit *visit, size_t self, int64_t *ticks)
{
	const struct probe_params *params = visit->params;
	const uint32_t delay = numa_point_of(visit)->delay;
	struct numa_load load = numa_load_of(visit, self);
	uint32_t n = 1 + visit->n_seconds;
	uint64_t begin, spent;
	long switches;

	if (!probe_wait_for_cpus(visit, n))
		return false;
	/* From here on, a preempted CPU would cause no load. */
	switches = probe_switches();
	if (!load_until(visit, &load, delay, PHASE_TIMED))
		return false;
	load.moved = 0;
	begin = timebase_begin(params->counter);
	if (!load_until(visit, &load, delay, PHASE_OVER))
		return false;
	spent = timebase_end(params->counter) - begin;
	switches -= probe_switches();
	numa_home_of(visit)->at[self] = load.at;
	probe_leave(visit, n);
	if (switches != 0 || load.moved == 0)
		return false;
	put_rate(params, &load, spent, ticks);
	return true;
}

/* Take the samples; return false if the thread was interrupted. */
static bool take_numa_samples(const struct probe_params *params,
	struct chase_point *point, int64_t *ticks)
{
	const long switches = probe_switches();

	for (uint32_t s = 0; s < params->samples; s++) {
		uint64_t begin = timebase_begin(params->counter), end;

		chase_follow(point, SAMPLE_STEPS);
		end = timebase_end(params->counter);
		ticks[s] =
			(int64_t)((double)(end - begin) * SCALE / SAMPLE_STEPS);
	}
	return probe_switches() == switches;
}

static bool chase_idle(const struct probe_visit *visit, int64_t *ticks)
{
	struct chase_point *point = &numa_home_of(visit)->point;

	for (int tries = 0; tries < PROBE_TRIES; tries++) {
		chase_follow(point, WARM_STEPS);
		if (take_numa_samples(visit->params, point, ticks))
			return !probe_is_abandoned(visit);
	}
	return false;
}

static bool chase_loaded(const struct probe_visit *visit, int64_t *ticks)
{
	struct probe_rendezvous *rendezvous = visit->slots;
	struct chase_point *point = &numa_home_of(visit)->point;
	uint32_t n = 1 + visit->n_seconds;
	bool well;

	chase_follow(point, WARM_STEPS);
	if (!probe_wait_for_cpus(visit, n))
		return false;
	chase_follow(point, RAMP_UP_STEPS);
	atomic_store_explicit(
		&rendezvous->phase, PHASE_TIMED, memory_order_release);
	well = take_numa_samples(visit->params, point, ticks);
	atomic_store_explicit(
		&rendezvous->phase, PHASE_OVER, memory_order_release);
	if (probe_is_abandoned(visit))
		return false;
	probe_leave(visit, n);
	return well;
}

static bool numa_first(const struct probe_visit *visit, int64_t *ticks)
{
	enum numa_kind kind = numa_point_of(visit)->kind;

	if (kind == NUMA_BANDWIDTH || kind == NUMA_TEAM ||
		!numa_point_is_bound(visit->params->context, visit->variant))
		return false;
	return kind == NUMA_LOADED ? chase_loaded(visit, ticks)
				   : chase_idle(visit, ticks);
}

static bool numa_second(const struct probe_visit *visit, int64_t *ticks)
{
	const struct numa_point *point = numa_point_of(visit);
	size_t self;

	if (point->kind == NUMA_LATENCY ||
		!numa_point_is_bound(visit->params->context, visit->variant))
		return false;
	self = (size_t)cpu_list_find(numa_cpus_of(visit), visit->second_cpu);
	return point->kind == NUMA_LOADED
		       ? load_memory(visit, self, ticks)
		       : measure_bandwidth(visit, self, ticks);
}

static double numa_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)variant;
	return ticks * params->ns_per_tick / SCALE;
}

const struct probe probe_numa = {
	.name = "numa",
	.summary = "chases and loads on the memory of a NUMA node",
	.first_cell = PROBE_FORWARD,
	.second_cell = PROBE_BACKWARD,
	.first = numa_first,
	.second = numa_second,
	.abandon = probe_abandon_word,
	.scale = numa_scale,
	.counts = {false, true}, /* the second half returns a rate */
};
