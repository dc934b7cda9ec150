/*
 * Mail: each member has a word on its own line, which is 0 for no mail, v + 1
 * for visit v of the program, or MAIL_QUIT. Only the holder of the baton posts
 * mail, and a member clears its mail only after the work. So no mail overwrites
 * another, and a member with mail has not finished.
 *
 * Memory order: posting mail is a release, and taking mail is an acquire, so
 * that the member sees the program and the visit. Finishing a half is an
 * acq_rel decrement of `unfinished`: the member that reaches zero has seen all
 * stores of the others, and publishes them by its posts or by `done`.
 */
#include "engine/crew.h"

#include <errno.h>
#include <linux/futex.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "machine/timebase.h"
#include "stat/stat.h"
#include "util/array.h"

#define MAIL_NOTHING UINT32_C(0)
#define MAIL_QUIT    UINT32_MAX

/* The halves need little stack; the default is 8 MiB for each thread. */
#define STACK_BYTES ((size_t)256 * 1024)

/*
 * Mark abandoned slots every ABANDON_EVERY_NS, for ANSWER_S or ANSWER_SHARE of
 * the patience, whichever is longer: a half does not check for marks during a
 * large copy.
 */
#define ABANDON_EVERY_NS 1000000
#define ANSWER_S	 1.0
#define ANSWER_SHARE	 0.1

/* Turns of a dozing member before it sleeps; they take longer than a step. */
#define DOZE_TURNS 4000

/* Patience in seconds after the user stops the run. */
#define STOP_PATIENCE_S 0.5

struct crew_member {
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t mail;
	_Atomic bool busy;

	/* The owner reads these when it has the baton. */
	_Alignas(PROBE_LINE_STRIDE) struct crew *crew;
	pthread_t thread;
	unsigned cpu;
	int64_t *ticks;	      /* [samples] */
	double *sorted;	      /* [samples] */
	_Atomic int moved_to; /* -1: not moved */
	_Atomic uint32_t started;
	int start_rc;
	struct error error;
};

struct crew {
	struct crew_options options;
	struct probe_params params; /* copied for lost members */
	size_t n_members, n_started;
	double step_s;	      /* patience for a step */
	uint64_t deadline_ns; /* 0: none */
	_Atomic bool park;    /* on a line that is rarely written */
	_Atomic bool wakes;   /* a member may sleep */
	bool lost;

	struct crew_program program; /* copied for lost members */
	_Alignas(PROBE_LINE_STRIDE) _Atomic uint32_t unfinished;
	_Atomic size_t step; /* the running step */
	_Atomic bool over;   /* end after this step */
	_Atomic bool give_up;
	_Atomic bool moved;
	_Atomic bool failed;
	_Atomic uint32_t done; /* the owner has the baton */
	struct crew_member members[];
};

static long futex_syscall(_Atomic uint32_t *word, int operation, uint32_t value,
	const struct timespec *timeout)
{
	return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value,
		timeout, NULL, 0);
}

/* Flags need only relaxed order, because mail and baton order memory. */
static bool is_crew_flag_set(const _Atomic bool *flag)
{
	return atomic_load_explicit(flag, memory_order_relaxed);
}

static void set_crew_flag(_Atomic bool *flag, bool value)
{
	atomic_store_explicit(flag, value, memory_order_relaxed);
}

static void post_mail(struct crew *crew, size_t member, uint32_t mail)
{
	_Atomic uint32_t *word = &crew->members[member].mail;

	atomic_store_explicit(word, mail, memory_order_release);
	if (is_crew_flag_set(&crew->wakes))
		futex_syscall(word, FUTEX_WAKE, 1, NULL);
}

/* Return whether the member has unfinished work. */
static bool is_late(const struct crew_member *member)
{
	return atomic_load_explicit(&member->mail, memory_order_relaxed) !=
		       MAIL_NOTHING ||
	       atomic_load_explicit(&member->busy, memory_order_relaxed);
}

/* Wait for mail. A spinning member checks `park` in every turn. */
static uint32_t await_mail(struct crew_member *member)
{
	unsigned turns = 0;
	uint32_t mail;

	if (member->crew->options.idle == CREW_DOZE)
		turns = DOZE_TURNS;
	while ((mail = atomic_load_explicit(
			&member->mail, memory_order_acquire)) == MAIL_NOTHING) {
		if (turns > 0) {
			turns--;
			arch_spin_hint();
		} else if (is_crew_flag_set(&member->crew->park))
			futex_syscall(
				&member->mail, FUTEX_WAIT, MAIL_NOTHING, NULL);
		else
			arch_spin_hint();
	}
	return mail;
}

bool crew_program_add(
	struct crew_program *program, const struct crew_visit *visit)
{
	if (!array_grow(&program->visits, program->n_visits, sizeof(*visit)))
		return false;
	program->visits[program->n_visits++] = *visit;
	return true;
}

bool crew_program_end_step(struct crew_program *program)
{
	if (!array_grow(&program->step_ends, program->n_steps,
		    sizeof(*program->step_ends)))
		return false;
	program->step_ends[program->n_steps++] = program->n_visits;
	return true;
}

size_t crew_program_begin(const struct crew_program *program, size_t step)
{
	return step ? program->step_ends[step - 1] : 0;
}

void crew_program_release(struct crew_program *program, bool lost)
{
	if (lost)
		return;
	free(program->visits);
	free(program->step_ends);
}

/* Return the number of members of a visit; return its i-th member. */
static uint32_t visit_members(const struct crew_visit *visit)
{
	return (visit->first == visit->second ? 1 : 2) + visit->n_others;
}

static uint32_t visit_member(const struct crew_visit *visit, uint32_t i)
{
	uint32_t pair = visit_members(visit) - visit->n_others;

	if (i >= pair)
		return visit->others[i - pair];
	return i == 0 ? visit->first : visit->second;
}

/* Post the visits of a step to their members. The caller holds the baton. */
static void post_step(struct crew *crew, size_t step)
{
	const struct crew_program *program = &crew->program;
	size_t begin = crew_program_begin(program, step);
	size_t end = program->step_ends[step];
	uint32_t unfinished = 0;

	for (size_t v = begin; v < end; v++)
		unfinished += visit_members(&program->visits[v]);
	/* Release: a thread that sees the step also sees earlier stores. */
	atomic_store_explicit(&crew->step, step, memory_order_release);
	atomic_store_explicit(
		&crew->unfinished, unfinished, memory_order_relaxed);
	for (size_t v = begin; v < end; v++) {
		const struct crew_visit *visit = &program->visits[v];
		const uint32_t n = visit_members(visit);

		/* After the last post, the visit may be gone. */
		for (uint32_t i = 0; i < n; i++)
			post_mail(crew, visit_member(visit, i),
				(uint32_t)(v + 1));
	}
}

/* End the step: post the next, or give the baton to the owner. */
static void pass_baton(struct crew *crew)
{
	size_t next =
		atomic_load_explicit(&crew->step, memory_order_relaxed) + 1;

	if (next < crew->program.n_steps && !is_crew_flag_set(&crew->over) &&
		!is_crew_flag_set(&crew->give_up) &&
		!is_crew_flag_set(&crew->moved) &&
		!is_crew_flag_set(&crew->failed) &&
		!is_crew_flag_set(crew->options.stop)) {
		post_step(crew, next);
		return;
	}
	atomic_store_explicit(&crew->step, next, memory_order_relaxed);
	atomic_store_explicit(&crew->done, 1, memory_order_release);
	futex_syscall(&crew->done, FUTEX_WAKE, 1, NULL);
}

/*
 * Return the trimmed mean. If the lines of one slice take 60 ns and others 88,
 * the median of a few lines is either 60 or 88, by chance.
 */
static double mean_ticks(struct crew_member *member, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		member->sorted[i] = (double)member->ticks[i];
	return stat_trimmed_mean(member->sorted, n);
}

/* End the run and return false if the member has left its CPU. */
static bool is_on_own_cpu(struct crew_member *member)
{
	struct crew *crew = member->crew;
	int cpu;

	if (!crew->options.machine)
		return true;
	cpu = machine_current_cpu();
	if (cpu < 0 || (unsigned)cpu == member->cpu)
		return true;
	atomic_store_explicit(&member->moved_to, cpu, memory_order_relaxed);
	set_crew_flag(&crew->moved, true);
	return false;
}

static const struct probe *probe_of(
	const struct crew *crew, const struct crew_visit *visit)
{
	return visit->probe ? visit->probe : crew->options.probe;
}

/* Run a half on this member; store the mean of its samples in *ticks. */
static void run_half(struct crew_member *member, const struct crew_visit *visit,
	bool is_first, double *ticks)
{
	struct crew *crew = member->crew;
	const struct crew_options *options = &crew->options;
	const struct probe *probe = probe_of(crew, visit);
	const struct probe_params *params =
		visit->params ? visit->params : options->params;
	enum probe_cell cell =
		is_first ? probe->first_cell : probe->second_cell;
	const struct probe_visit probe_visit = {
		.params = params,
		.slots = visit->slots,
		.first_cpu = crew->members[visit->first].cpu,
		.second_cpu = is_first ? crew->members[visit->second].cpu
				       : member->cpu,
		.pass = visit->pass,
		.variant = visit->variant,
		.n_seconds = 1 + visit->n_others,
		.error = &member->error,
	};
	bool well;

	well = (is_first ? probe->first : probe->second)(
		&probe_visit, member->ticks);
	if (!well && member->error.code)
		set_crew_flag(&crew->failed, true);
	if (is_on_own_cpu(member) && well && cell != PROBE_NOTHING)
		*ticks = mean_ticks(member, params->samples);
}

/* Run this member's halves of a visit. */
static void run_visit(struct crew_member *member, struct crew_visit *visit)
{
	uint32_t self = (uint32_t)(member - member->crew->members);

	if (self == visit->first)
		run_half(member, visit, true, &visit->ticks[0]);
	if (self == visit->second && !member->error.code)
		run_half(member, visit, false, &visit->ticks[1]);
	for (uint32_t i = 0; i < visit->n_others; i++) {
		if (self == visit->others[i])
			run_half(member, visit, false, &visit->other_ticks[i]);
	}
}

static int start_member(struct crew_member *member)
{
	const struct crew_options *options = &member->crew->options;
	uint32_t samples = options->params->samples;

	/* Allocate after binding, so that memory is near this CPU. */
	if (options->machine) {
		int rc = machine_bind_thread(
			options->machine, member->cpu, &member->error);

		if (rc < 0)
			return rc;
	}
	member->ticks = calloc(samples, sizeof(*member->ticks));
	member->sorted = calloc(samples, sizeof(*member->sorted));
	if (!member->ticks || !member->sorted)
		return error_no_memory(&member->error, "samples");
	return 0;
}

static void *member_main(void *argument)
{
	struct crew_member *member = argument;
	struct crew *crew = member->crew;

	member->start_rc = start_member(member);
	atomic_store_explicit(&member->started, 1, memory_order_release);
	futex_syscall(&member->started, FUTEX_WAKE, 1, NULL);
	for (;;) {
		uint32_t mail = await_mail(member);

		if (mail == MAIL_QUIT)
			return NULL;
		set_crew_flag(&member->busy, true);
		/*
		 * Skip a step that was given up: the partner has left, and
		 * after CREW_LOST the visit may be freed.
		 */
		if (!is_crew_flag_set(&crew->give_up))
			run_visit(member, &crew->program.visits[mail - 1]);
		/* Clear the mail before the step can end. */
		atomic_store_explicit(
			&member->mail, MAIL_NOTHING, memory_order_relaxed);
		if (atomic_fetch_sub_explicit(
			    &crew->unfinished, 1, memory_order_acq_rel) == 1)
			pass_baton(crew);
		set_crew_flag(&member->busy, false);
	}
}

static int start_thread(struct crew_member *member, struct error *err)
{
	sigset_t all, old;
	pthread_attr_t attr;
	int rc;

	/* Only the owner's thread can handle signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	rc = pthread_create(&member->thread, &attr, member_main, member);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return error_of_call(err, rc, "clone3 and clone",
			"cannot start the thread for CPU %u", member->cpu);
	return 0;
}

static struct timespec timespec_of_seconds(double s)
{
	struct timespec time = {.tv_sec = (time_t)s};

	time.tv_nsec = (long)((s - (double)time.tv_sec) * 1e9);
	return time;
}

/* Wait until a thread has started; return its start_rc. */
static int await_start(
	struct crew *crew, struct crew_member *member, struct error *err)
{
	struct timespec patience =
		timespec_of_seconds(crew->options.patience_s);

	while (!atomic_load_explicit(&member->started, memory_order_acquire)) {
		if (futex_syscall(&member->started, FUTEX_WAIT, 0, &patience) ==
				0 ||
			errno != ETIMEDOUT ||
			atomic_load_explicit(
				&member->started, memory_order_acquire))
			continue;
		crew->lost = true;
		return error_set(err, ERROR_FAILURE, ETIMEDOUT,
			"the thread for CPU %u did not start within %g s: "
			"something occupies that CPU, perhaps a real-time "
			"task; leave the CPU out with --cpus",
			member->cpu, crew->options.patience_s);
	}
	if (member->start_rc < 0 && err)
		*err = member->error;
	return member->start_rc;
}

/* End the threads and free the crew; if a thread is late, return false. */
static bool end_crew_threads(struct crew *crew)
{
	struct timespec until;

	for (size_t i = 0; i < crew->n_started; i++)
		post_mail(crew, i, MAIL_QUIT);
	for (size_t i = 0; i < crew->n_started; i++) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += (time_t)crew->options.patience_s + 1;
		/* Another task may occupy the thread's CPU. */
		if (pthread_timedjoin_np(
			    crew->members[i].thread, NULL, &until) != 0)
			return false;
	}
	for (size_t i = 0; i < crew->n_started; i++) {
		free(crew->members[i].ticks);
		free(crew->members[i].sorted);
	}
	free(crew);
	return true;
}

int crew_new(struct crew **made, const struct crew_options *options,
	struct error *err)
{
	size_t n = options->cpus->n;
	size_t bytes = sizeof(struct crew) + n * sizeof(struct crew_member);
	struct crew *crew = aligned_alloc(PROBE_LINE_STRIDE, bytes);
	int rc = 0;

	*made = NULL;
	if (!crew)
		return error_no_memory(err, "the crew");
	memset(crew, 0, bytes);
	crew->options = *options;
	crew->params = *options->params;
	crew->options.params = &crew->params;
	crew->n_members = n;
	crew->step_s = options->patience_s;
	atomic_init(&crew->park, options->idle != CREW_SPIN);
	atomic_init(&crew->wakes, options->idle != CREW_SPIN);
	for (size_t i = 0; i < n && rc == 0; i++) {
		struct crew_member *member = &crew->members[i];

		member->crew = crew;
		member->cpu = options->cpus->cpus[i];
		atomic_init(&member->moved_to, -1);
		rc = start_thread(member, err);
		if (rc == 0)
			crew->n_started++;
	}
	for (size_t i = 0; i < crew->n_started && rc == 0; i++)
		rc = await_start(crew, &crew->members[i], err);
	if (rc < 0 && !end_crew_threads(crew)) {
		/* The late thread still reads the machine: see crew.h. */
		if (err)
			err->code = ETIMEDOUT;
		return -ETIMEDOUT;
	}
	if (rc < 0)
		return rc;
	*made = crew;
	return 0;
}

/* Return the seconds until the deadline; infinite if there is none. */
static double left_s(const struct crew *crew)
{
	uint64_t now_ns = timebase_raw_ns();

	if (!crew->deadline_ns || is_crew_flag_set(&crew->over))
		return INFINITY;
	return now_ns < crew->deadline_ns
		       ? (double)(crew->deadline_ns - now_ns) * 1e-9
		       : 0;
}

/*
 * Sleep until the crew is done; return false if no step ends within the
 * patience. A signal that sets *stop shortens the patience. After the deadline,
 * no other step begins.
 */
static bool await_done(struct crew *crew)
{
	double patience_s = crew->step_s;
	size_t seen = atomic_load_explicit(&crew->step, memory_order_relaxed);

	while (!atomic_load_explicit(&crew->done, memory_order_acquire)) {
		double left = left_s(crew);
		struct timespec wait;
		size_t step;

		if (is_crew_flag_set(crew->options.stop) &&
			crew->step_s > STOP_PATIENCE_S)
			patience_s = STOP_PATIENCE_S;
		wait = timespec_of_seconds(fmin(left, patience_s));
		if (futex_syscall(&crew->done, FUTEX_WAIT, 0, &wait) == 0 ||
			errno != ETIMEDOUT)
			continue;
		if (left < patience_s) {
			set_crew_flag(&crew->over, true);
			continue;
		}
		step = atomic_load_explicit(&crew->step, memory_order_relaxed);
		if (step == seen && !atomic_load_explicit(
					    &crew->done, memory_order_acquire))
			return false;
		seen = step;
	}
	return true;
}

static void abandon_visit(struct crew *crew, const struct crew_visit *visit)
{
	for (uint32_t s = 0; s < crew->params.slots; s++)
		probe_of(crew, visit)
			->abandon((char *)visit->slots +
				  (size_t)s * PROBE_SLOT_BYTES);
}

/* Abandon a step. Return false if a thread does not react. */
static bool abandon_step(struct crew *crew)
{
	const struct crew_program *program = &crew->program;
	const struct timespec pause = {.tv_nsec = ABANDON_EVERY_NS};
	const double answer_s =
		fmax(ANSWER_S, ANSWER_SHARE * crew->options.patience_s);
	const uint64_t tries = (uint64_t)(answer_s * 1e9 / ABANDON_EVERY_NS);

	set_crew_flag(&crew->give_up, true);
	for (uint64_t tried = 0; tried < tries; tried++) {
		/* Meanwhile the step may end, and the next one may begin. */
		size_t step =
			atomic_load_explicit(&crew->step, memory_order_acquire);

		for (size_t v = crew_program_begin(program, step);
			step < program->n_steps && v < program->step_ends[step];
			v++)
			abandon_visit(crew, &program->visits[v]);
		futex_syscall(&crew->done, FUTEX_WAIT, 0, &pause);
		if (atomic_load_explicit(&crew->done, memory_order_acquire))
			return true;
	}
	return false;
}

/* Clear the marks in the slots of steps first to last. */
static void clean_slots(const struct crew *crew, size_t first, size_t last)
{
	const struct crew_program *program = &crew->program;

	for (size_t v = crew_program_begin(program, first);
		v < program->step_ends[last]; v++)
		memset(program->visits[v].slots, 0,
			crew->params.slots * PROBE_SLOT_BYTES);
}

static void invalidate_visit(struct crew_visit *visit)
{
	visit->ticks[0] = NAN;
	visit->ticks[1] = NAN;
	for (uint32_t i = 0; i < visit->n_others; i++)
		visit->other_ticks[i] = NAN;
}

static void report_visit_cpus(const struct crew *crew,
	const struct crew_visit *visit, struct crew_report *report)
{
	report->cpu = crew->members[visit->first].cpu;
	report->partner = crew->members[visit->second].cpu;
}

/*
 * Report the member that stopped with the baton before it posted the step. This
 * member may be outside the step.
 */
static void report_baton_holder(
	struct crew *crew, size_t step, struct crew_report *report)
{
	const struct crew_program *program = &crew->program;
	const struct crew_visit *visit =
		&program->visits[crew_program_begin(program, step)];

	report_visit_cpus(crew, visit, report);
	for (size_t i = 0; i < crew->n_members; i++) {
		if (!is_late(&crew->members[i]))
			continue;
		report->cpu = crew->members[i].cpu;
		if (visit->first == i)
			report->partner = crew->members[visit->second].cpu;
		else
			report->partner = crew->members[visit->first].cpu;
	}
}

/*
 * If a step is lost, report a late member and invalidate all visits of the
 * step. Otherwise report a member that moved, and invalidate only the visits of
 * moved members.
 */
static void examine_step(
	struct crew *crew, size_t step, bool lost, struct crew_report *report)
{
	const struct crew_program *program = &crew->program;
	size_t begin = crew_program_begin(program, step);

	if (lost)
		report_baton_holder(crew, step, report);
	else
		report_visit_cpus(crew, &program->visits[begin], report);
	for (size_t v = begin; v < program->step_ends[step]; v++) {
		struct crew_visit *visit = &program->visits[v];
		uint32_t n = visit_members(visit);

		if (lost)
			invalidate_visit(visit);
		for (uint32_t i = 0; i < n; i++) {
			uint32_t other = visit_member(visit, i ? 0 : n - 1);
			struct crew_member *member =
				&crew->members[visit_member(visit, i)];
			int moved_to = atomic_load_explicit(
				&member->moved_to, memory_order_relaxed);

			if (moved_to < 0 && !(lost && is_late(member)))
				continue;
			report->cpu = member->cpu;
			report->ran_on = moved_to;
			report->partner = crew->members[other].cpu;
			invalidate_visit(visit);
		}
	}
}

/* Report a pair of an abandoned step. */
static void report_abandoned_pair(
	struct crew *crew, size_t step, struct crew_report *report)
{
	const struct crew_program *program = &crew->program;
	size_t v = crew_program_begin(program, step);

	while (v + 1 < program->step_ends[step] &&
		!isnan(program->visits[v].ticks[0]))
		v++;
	report_visit_cpus(crew, &program->visits[v], report);
}

/* Run crew->program. Return false if a step was given up. */
static bool run_program(struct crew *crew, size_t *given_up)
{
	atomic_store_explicit(&crew->done, 0, memory_order_relaxed);
	set_crew_flag(&crew->over, false);
	set_crew_flag(&crew->give_up, false);
	post_step(crew, 0);
	if (await_done(crew))
		return true;
	*given_up = atomic_load_explicit(&crew->step, memory_order_acquire);
	crew->lost = !abandon_step(crew);
	return false;
}

enum crew_outcome crew_run(struct crew *crew,
	const struct crew_program *program, struct crew_report *report)
{
	size_t n_visits = crew_program_begin(program, program->n_steps);
	size_t given_up = 0, done;
	bool well;

	*report = (struct crew_report){.ran_on = -1};
	if (program->n_steps == 0)
		return CREW_DONE;
	for (size_t v = 0; v < n_visits; v++)
		invalidate_visit(&program->visits[v]);
	crew->program = *program;
	well = run_program(crew, &given_up);
	done = atomic_load_explicit(&crew->step, memory_order_acquire);
	if (crew->lost) {
		report->steps_done = done;
		/* A lost member may have had the last baton. */
		examine_step(crew, done < program->n_steps ? done : done - 1,
			true, report);
		return CREW_LOST;
	}
	if (!well && given_up < done)
		clean_slots(crew, given_up, done - 1);
	/* The last step counts only without errors. */
	report->steps_done = done - 1;
	if (is_crew_flag_set(&crew->moved)) {
		examine_step(crew, done - 1, false, report);
		return CREW_MOVED;
	}
	if (is_crew_flag_set(&crew->failed)) {
		for (size_t i = 0; i < crew->n_members; i++) {
			if (crew->members[i].error.code)
				report->error = crew->members[i].error;
		}
		return CREW_FAILED;
	}
	if (!well) {
		report_abandoned_pair(crew, done - 1, report);
		return is_crew_flag_set(crew->options.stop) ? CREW_STOPPED
							    : CREW_ABANDONED;
	}
	report->steps_done = done;
	if (done == program->n_steps)
		return CREW_DONE;
	return is_crew_flag_set(crew->options.stop) ? CREW_STOPPED : CREW_OVER;
}

void crew_set_params(struct crew *crew, const struct probe_params *params)
{
	crew->params = *params;
}

void crew_set_patience(struct crew *crew, double s)
{
	crew->step_s = s;
}

void crew_set_deadline(struct crew *crew, uint64_t ns)
{
	crew->deadline_ns = ns;
}

void crew_park(struct crew *crew, bool park)
{
	/* Remember members that may sleep, even after park is false again. */
	if (park)
		set_crew_flag(&crew->wakes, true);
	set_crew_flag(&crew->park, park);
}

bool crew_is_lost(const struct crew *crew)
{
	return crew->lost;
}

void crew_free(struct crew *crew)
{
	if (crew && !crew->lost)
		end_crew_threads(crew);
}
