/*
 * Measure atomic additions to words of local memory. The test is not modelled
 * on another program.
 *
 * The test times a kernel that fills all units with work-items. x is the number
 * of words to which the work-items of a group add, from one shared counter to a
 * word for each work-item. Neighbours add to neighbouring words, which are in
 * different banks. For each x, c2c chooses the number of turns so that a run
 * takes a millisecond. The host checks the sum in each word of each group.
 *
 * Bias: a compiler or a device may first add up the values of a sub-group, and
 * add only their sum to a shared word.
 */
#include "cl/memory/atomic_cl.h"
#include "cl/sweep.h"

#define MOST_TURNS (1u << 20)

/* Return word i: in each turn, work-item l adds l + 1 to word l % words. */
static cl_uint atomic_expected_word(const void *context, size_t i)
{
	const struct sweep *sweep = context;
	size_t words = sweep->kind, w = i % words;
	size_t n = sweep->launch.group / words;
	size_t once = n * (w + 1) + words * (n * (n - 1) / 2);

	return (cl_uint)(i / words + sweep->turns * SWEEP_UNROLLED * once);
}

static void atomic_prepare(struct sweep *sweep, size_t i)
{
	sweep->kind = (unsigned)sweep->x[i];
	session_arguments(sweep->session, sweep->launch.kernel, 2,
		word_argument(sweep->kind));
	sweep->expected.n =
		sweep->launch.items / sweep->launch.group * sweep->kind;
}

static void run_atomic(struct session *session)
{
	size_t items = (size_t)session->units * 2048;
	struct sweep sweep = {.session = session,
		.facts = {.family = "local memory",
			.member = "atomic_add",
			.x_name = "words of a group",
			.x_axis = CURVE_COUNTS,
			.y_unit = "Gop/s"},
		.shows = SHOWS_GIGA,
		.prepare = atomic_prepare,
		.loop = {3, 1, MOST_TURNS, SWEEP_LEAST_S},
		.turns_vary = true,
		.a_turn = SWEEP_UNROLLED};
	size_t group = session_group(session, items);

	sweep_up_to(&sweep, 1, group, 2);
	sweep.launch = launch_of(session,
		session_build(session, "atomic.cl", atomic_cl, NULL),
		"atomic_local", items);
	sweep.expected = (struct expected_words){
		.buffer = session_buffer(session, items * sizeof(cl_uint)),
		.at = atomic_expected_word,
		.poisoned = true};
	session_arguments(session, sweep.launch.kernel, 0,
		local_argument(group * sizeof(cl_uint)),
		memory_argument(sweep.expected.buffer));
	if (sweep_run(&sweep, 1) < 0)
		return;
	sweep_report_best(&sweep, 0);
	sweep_compare(&sweep, sweep.n - 1, &sweep, 0);
}

const struct test test_atomic = {
	.name = "atomic",
	.section = "no other program",
	.source = "no other program",
	.set = GROUP_MEMORY,
	.summary = "atomic additions in local memory, by words of a group",
	.takes = TAKES_WORK_GROUP,
	.group_divides = 1024,
	.figures = {{.what = "local atomic_add, best",
		.family = "local memory",
		.members = {"atomic_add"}}},
	.run = run_atomic,
};
