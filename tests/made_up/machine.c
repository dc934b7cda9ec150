/*
 * CPUs and a clock that are not there, in place of src/machine/bind.c,
 * frequency.c and timebase.c, and of some functions by the linker's --wrap.
 *
 * places=LETTERS has one for each CPU, the thread of a core where it is: a
 * and b are the SMT siblings of one core, and so are c and d. a to d share a
 * last-level cache, and e to h. Whoever writes another letter moves a CPU. From
 * then_s=N on, they are those of then=LETTERS.
 *
 * Nobody waits for time: who sleeps makes it pass, and who waits for a crew
 * does so until it is done, or until a half hangs. With real_time=1 time is
 * real, for tests that have a user. counter=0: there is no counter; step_ns=N:
 * the clock's step. hypervisor=NAME makes a virtual machine of it,
 * whose host runs at_once=N CPUs at the same time, or all of them.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/together.h"
#include "machine/disturbance.h"
#include "machine/frequency.h"
#include "machine/internal.h"
#include "machine/system.h"
#include "made_up.h"

#define CPUS 8

/* What the counter of a made-up CPU counts. */
#define COUNTER_HZ 2.5e9
#define CORE_GHZ   3.5

/* How long the crew's owner sleeps before it looks for a half that hangs. */
#define LOOK_NS 10000000

static _Thread_local unsigned here;

static _Atomic uint64_t now_ns, busy_ns;
static atomic_uint readings;
static atomic_int hanging;

static char letter_of(unsigned cpu)
{
	bool then = (double)now_ns * 1e-9 >= made_up("then_s", INFINITY);
	char *places = made_up_text(then ? "then" : "places");
	char letter = (char)('a' + cpu);

	if (places && cpu < strlen(places))
		letter = places[cpu];
	free(places);
	return letter;
}

enum made_up_distance made_up_distance_of(const struct probe_visit *visit)
{
	int a = letter_of(visit->first_cpu) - 'a';
	int b = letter_of(visit->second_cpu) - 'a';

	if (a == b)
		return MADE_UP_SAME;
	if (a / 2 == b / 2)
		return MADE_UP_SIBLINGS;
	return a / 4 == b / 4 ? MADE_UP_CACHE : MADE_UP_ACROSS;
}

int machine_set_affinity(
	pid_t thread, const unsigned *cpus, size_t n, struct error *err)
{
	(void)thread;
	(void)cpus;
	(void)n;
	(void)err;
	return 0;
}

bool machine_is_fifo(void)
{
	return false;
}

int machine_check_affinity(struct error *err)
{
	(void)err;
	return 0;
}

bool machine_affinity(pid_t thread, struct cpu_list *cpus)
{
	(void)thread;
	for (unsigned cpu = 0; cpu < CPUS; cpu++)
		cpu_list_add(cpus, cpu, NULL);
	return true;
}

int machine_current_cpu(void)
{
	return (int)here;
}

int machine_bind_thread(
	const struct machine *machine, unsigned cpu, struct error *err)
{
	(void)machine;
	(void)err;
	here = cpu;
	return 0;
}

void made_up_move(void)
{
	here = (here + 1) % CPUS;
}

double frequency_ghz(void)
{
	return CORE_GHZ;
}

int timebase_init(struct timebase *timebase, struct error *err)
{
	const char *forced = getenv("C2C_CLOCK");
	bool counter = made_up("counter", 1) > 0 &&
		       !(forced && strcmp(forced, "clock") == 0);

	(void)err;
	*timebase = (struct timebase){
		.source = counter ? "tsc" : "clock_monotonic_raw",
		.hz = counter ? COUNTER_HZ : 1e9,
		.step_ns = made_up("step_ns", 20),
		.invariant = true,
		.counter = counter,
	};
	return 0;
}

double timebase_drift(const struct timebase *timebase)
{
	(void)timebase;
	return 0;
}

/* The linker's names. NOLINTBEGIN(bugprone-*,cert-dcl*) */
char *__real_identity_hypervisor(
	struct files *files, const char *cpuinfo, bool is_here);
char *__wrap_identity_hypervisor(
	struct files *files, const char *cpuinfo, bool is_here);
int __wrap_together_measure(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err);
double __wrap_machine_stolen_s(void);
void __wrap_machine_count_ticks(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts);
void __wrap_throttled_count(
	const struct machine *machine, struct throttled_periods *counted);
void __wrap_interrupts_count(
	const struct machine *machine, struct interrupts_counted *counted);
int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __real_nanosleep(const struct timespec *time, struct timespec *left);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);
long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static bool is_real(void)
{
	return made_up("real_time", 0) > 0;
}

char *__wrap_identity_hypervisor(
	struct files *files, const char *cpuinfo, bool is_here)
{
	char *text = made_up_text("hypervisor");
	char *name = text ? arena_strdup(&files->arena, text) : NULL;

	free(text);
	return name ? name
		    : __real_identity_hypervisor(files, cpuinfo, is_here);
}

int __wrap_together_measure(struct crew *crew, const struct line_pools *lines,
	const struct cpu_list *cpus, double *at_once, struct error *err)
{
	(void)crew;
	(void)lines;
	(void)err;
	*at_once = made_up("at_once", (double)cpus->n);
	return 0;
}

double __wrap_machine_stolen_s(void)
{
	return -1;
}

/*
 * Each count is 1,000 ticks later than the one before. With stolen=N the last
 * CPU lost N per cent of them.
 */
void __wrap_machine_count_ticks(const struct machine *machine,
	const struct cpu_list *cpus, struct cpu_disturbance *counts)
{
	static double ticks;

	(void)machine;
	ticks += 1000;
	for (size_t i = 0; i < cpus->n; i++)
		counts[i] = (struct cpu_disturbance){
			.interrupts = -1, .ticks = ticks};
	counts[cpus->n - 1].stolen = ticks / 100 * made_up("stolen", 0);
}

/* The devices of the real machine interrupt none of these CPUs. */
void __wrap_interrupts_count(
	const struct machine *machine, struct interrupts_counted *counted)
{
	(void)machine;
	*counted = (struct interrupts_counted){.text = NULL};
}

/* Each count is 1,000 periods later; throttled=N stopped N per cent of them. */
void __wrap_throttled_count(
	const struct machine *machine, struct throttled_periods *counted)
{
	static double periods;

	(void)machine;
	periods += 1000;
	*counted = (struct throttled_periods){.n = 1};
	counted->cgroups[0].all = periods;
	counted->cgroups[0].stopped = periods / 100 * made_up("throttled", 0);
}

static void pass_ns(uint64_t ns)
{
	atomic_fetch_add(&now_ns, ns);
	atomic_store(&readings, 0);
}

void made_up_pass_time(double s)
{
	uint64_t ns = (uint64_t)(s * 1e9);

	pass_ns(ns);
	/* Of both halves. */
	atomic_fetch_add(&busy_ns, 2 * ns);
}

void made_up_hang(bool hangs)
{
	atomic_fetch_add(&hanging, hangs ? 1 : -1);
}

/*
 * A reading takes a nanosecond of no visit, so that what is timed takes some
 * time, and all readings together take none.
 */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	uint64_t ns;

	/* That of requests to end, and of children, which take real time. */
	if (clock == CLOCK_MONOTONIC && made_up("again_ms", -1) >= 0)
		clock = CLOCK_MONOTONIC_RAW;
	if (is_real() || (clock != CLOCK_MONOTONIC_RAW &&
				 clock != CLOCK_PROCESS_CPUTIME_ID))
		return __real_clock_gettime(clock, now);
	ns = clock == CLOCK_MONOTONIC_RAW
		     ? now_ns + atomic_fetch_add(&readings, 1) % 1000
		     : busy_ns;
	now->tv_sec = (time_t)(ns / 1000000000);
	now->tv_nsec = (long)(ns % 1000000000);
	return 0;
}

static uint64_t ns_of(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	if (is_real())
		return __real_nanosleep(time, left);
	/* However little is left until somebody wants to wake. */
	pass_ns(ns_of(time) + 1000);
	return 0;
}

/* Wait for a word, without a limit unless a half hangs: then it is over. */
static long wait_for_word(
	long word, long operation, long value, const struct timespec *limit)
{
	struct timespec look = {.tv_nsec = LOOK_NS};

	if (ns_of(limit) < LOOK_NS)
		look = *limit;
	for (;;) {
		long rc = __real_syscall(
			SYS_futex, word, operation, value, &look, NULL, 0);

		if (rc == 0 || errno != ETIMEDOUT)
			return rc;
		if (hanging > 0) {
			pass_ns(ns_of(limit));
			errno = ETIMEDOUT;
			return -1;
		}
	}
}

long __wrap_syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_futex && a[3] && !is_real() &&
		(a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT)
		return wait_for_word(
			a[0], a[1], a[2], (const struct timespec *)a[3]);
	return __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
/* NOLINTEND(bugprone-*,cert-dcl*) */
