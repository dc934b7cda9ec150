#include "made_up.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cli.h"

#define MACHINE                                                                \
	"package:2 [numa] l3:1(size=4194304) l2:2(size=1048576) "              \
	"l1d:1(size=32768) core:1 pu:2"

/* What --seed has; a child of --runs has one of its own. */
static uint64_t seed;

void made_up_pretend(void)
{
	setenv("HWLOC_SYNTHETIC", MACHINE, 1);
}

__attribute__((constructor)) static void begin(int argc, char **argv)
{
	if (!getenv("HWLOC_SYNTHETIC"))
		made_up_pretend();
	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--seed=", 7) == 0)
			seed = strtoull(argv[i] + 7, NULL, 10);
	}
}

/* What stands behind NAME=, or NULL. */
static const char *find(const char *name)
{
	size_t length = strlen(name);
	const char *at = getenv("C2C_MADE_UP");

	while (at) {
		at += strspn(at, " ");
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return at + length + 1;
		at = strchr(at, ' ');
	}
	return NULL;
}

double made_up(const char *name, double otherwise)
{
	const char *value = find(name);

	return value ? strtod(value, NULL) : otherwise;
}

char *made_up_text(const char *name)
{
	const char *value = find(name);

	return value ? strndup(value, strcspn(value, " ")) : NULL;
}

/* Whether the count has come to the number of that name. */
static bool is_at(int count, const char *name)
{
	return count == (int)made_up(name, 0);
}

/* As a half that waits for its partner for ever. */
static bool hang(const struct probe_visit *visit)
{
	static const struct timespec pause = {.tv_nsec = 1000000};
	const _Atomic uint32_t *mark = visit->slots;

	made_up_hang(true);
	while (made_up("deaf", 0) > 0 || atomic_load(mark) != PROBE_ABANDONED)
		clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	made_up_hang(false);
	return false;
}

/* A signal, and with again_ms=N SIGTERM so much later. */
static void interrupt(int signal)
{
	double again_ms = made_up("again_ms", -1);

	made_up_interrupt(signal);
	if (again_ms < 0)
		return;
	made_up_pass_time(again_ms * 1e-3);
	made_up_interrupt(SIGTERM);
}

/* Campaigns before this one. */
static atomic_int campaigns;

void made_up_interrupt(int signal)
{
	struct sigaction action;
	sigset_t pending;
	bool stops = sigaction(signal, NULL, &action) == 0 &&
		     action.sa_handler != SIG_DFL &&
		     action.sa_handler != SIG_IGN;

	kill(getpid(), signal);
	while (sigpending(&pending) == 0 && sigismember(&pending, signal))
		sched_yield();
	/* That thread has it, and may not have run its handler yet. */
	while (stops && !cli_stop_was_requested())
		sched_yield();
}

bool made_up_visit(const struct probe_visit *visit)
{
	static atomic_int visits;
	static atomic_uint last_pass;
	int count = atomic_fetch_add(&visits, 1) + 1;
	int every = (int)made_up("drop", 0);

	if (atomic_exchange(&last_pass, visit->pass) > visit->pass)
		atomic_fetch_add(&campaigns, 1);
	made_up_pass_time(made_up("visit_ms", 1) * 1e-3);
	usleep((useconds_t)made_up("slow_us", 0));
	if (is_at(count, "end")) {
		int signal = (int)made_up("signal", SIGINT);

		if (made_up("parent", 0) > 0)
			kill(getppid(), signal);
		else
			interrupt(signal);
	}
	if (count >= made_up("hang", INFINITY) &&
		count < made_up("hang", 0) + made_up("hangs", 1))
		return hang(visit);
	if (is_at(count, "fail")) {
		error_set(visit->error, ERROR_FAILURE, EIO,
			"CPU %u fails, as it was told", visit->first_cpu);
		return false;
	}
	return every == 0 || count % every != 0;
}

void made_up_second_visit(void)
{
	static atomic_int visits;

	if (is_at(atomic_fetch_add(&visits, 1) + 1, "move"))
		made_up_move();
}

double made_up_noise(const struct probe_visit *visit)
{
	uint64_t x = ((uint64_t)visit->pass << 20) +
		     ((uint64_t)visit->first_cpu << 10) + visit->second_cpu +
		     ((uint64_t)visit->variant << 50) + (seed << 54);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return (double)(int64_t)(x ^ (x >> 31)) / 0x1p63;
}

bool made_up_put(const struct probe_visit *visit, double value, int64_t *ticks)
{
	value *= 1 + made_up("more", 0) / 100 * campaigns;
	value *= 1 + made_up("noise", 0) / 100 * made_up_noise(visit);
	for (uint32_t s = 0; s < visit->params->samples; s++)
		ticks[s] = llround(value * 1e6);
	return true;
}

double made_up_scale(
	const struct probe_params *params, uint32_t variant, double ticks)
{
	(void)params;
	(void)variant;
	return ticks / 1e6;
}

void made_up_abandon(void *slot)
{
	_Atomic uint32_t *mark = slot;

	atomic_store(mark, PROBE_ABANDONED);
}
