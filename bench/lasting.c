/*
 * Are pairs of CPUs that are near still near after all CPUs have slept? This
 * program shares no code with c2c latency --rest. Run both programs
 * alternately.
 *
 * Each CPU has a thread. In a round, disjoint pairs pass a word to and fro
 * simultaneously; n - 1 rounds visit each pair. A look repeats all rounds 9
 * times, which takes some milliseconds, and uses the medians. For each time on
 * its command line, the program looks twice, sleeps, and looks again. A pair is
 * near if its time is below 0.6 of the median of all pairs.
 *
 * Usage: lasting [SECONDS...]   (default 1 5 30)
 */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST	   256
#define TRIPS	   200
#define TIMES	   9
#define NEAR_SHARE 0.6

/* A word that has 256 bytes to itself. */
struct line {
	_Alignas(256) _Atomic uint32_t word;
};

static struct line lines[MOST], arrived, round_begun;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER;
static uint32_t look; /* number of the latest look */
static int cpus[MOST];
static uint32_t numbers[MOST]; /* argument of each thread */
static uint32_t n;
static float ns[TIMES][MOST][MOST];

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void sleep_s(double s)
{
	struct timespec t = {(time_t)s, (long)(1e9 * (s - floor(s)))};

	nanosleep(&t, NULL);
}

/* Wait until all threads are here. */
static void meet(void)
{
	uint32_t begun = atomic_load(&round_begun.word);

	if (atomic_fetch_add(&arrived.word, 1) + 1 == n) {
		atomic_store(&arrived.word, 0);
		atomic_fetch_add(&round_begun.word, 1);
		return;
	}
	while (atomic_load_explicit(&round_begun.word, memory_order_acquire) ==
		begun)
		;
}

/*
 * Return the partner of i in a round of a tournament of m members; m is even.
 */
static uint32_t partner(uint32_t i, uint32_t round, uint32_t m)
{
	uint32_t j;

	if (i == m - 1)
		return (round * (m / 2)) % (m - 1);
	j = (2 * (m - 1) + round - i) % (m - 1);
	return j == i ? m - 1 : j;
}

static void ping(_Atomic uint32_t *word)
{
	for (uint32_t k = 0; k < TRIPS; k++) {
		atomic_store_explicit(word, 2 * k + 1, memory_order_release);
		while (atomic_load_explicit(word, memory_order_acquire) !=
			2 * k + 2)
			;
	}
}

static void pong(_Atomic uint32_t *word)
{
	for (uint32_t k = 0; k < TRIPS; k++) {
		while (atomic_load_explicit(word, memory_order_acquire) !=
			2 * k + 1)
			;
		atomic_store_explicit(word, 2 * k + 2, memory_order_release);
	}
}

static void visit(uint32_t self, uint32_t other, int time)
{
	uint32_t low = self < other ? self : other;
	_Atomic uint32_t *word = &lines[low].word;
	double begin;

	if (self != low) {
		pong(word);
		return;
	}
	begin = now_ns();
	ping(word);
	ns[time][self][other] = (float)((now_ns() - begin) / (2.0 * TRIPS));
}

static void look_once(uint32_t self)
{
	uint32_t m = n + n % 2;

	for (int time = 0; time < TIMES; time++) {
		for (uint32_t round = 0; round + 1 < m; round++) {
			uint32_t other = partner(self, round, m);

			meet();
			if (other < n)
				visit(self, other, time);
			meet();
		}
	}
}

/* Sleep until the first thread begins the next look, and measure. */
static void *member(void *context)
{
	uint32_t self = *(const uint32_t *)context;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpus[self], &set);
	if (pthread_setaffinity_np(pthread_self(), sizeof(set), &set))
		exit(1);
	for (uint32_t seen = 0;; seen++) {
		pthread_mutex_lock(&lock);
		while (look == seen)
			pthread_cond_wait(&begins, &lock);
		pthread_mutex_unlock(&lock);
		look_once(self);
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Set `near` for each pair that is near now. Return the number of near pairs.
 */
static uint32_t take_look(bool *near)
{
	static float all[MOST * MOST], value[MOST][MOST];
	uint32_t found = 0, pairs = 0;

	pthread_mutex_lock(&lock);
	look++;
	pthread_cond_broadcast(&begins);
	pthread_mutex_unlock(&lock);
	look_once(0);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1; j < n; j++) {
			float times[TIMES];

			for (int t = 0; t < TIMES; t++)
				times[t] = ns[t][i][j];
			qsort(times, TIMES, sizeof(*times), compare);
			all[pairs++] = value[i][j] = times[TIMES / 2];
		}
	}
	qsort(all, pairs, sizeof(*all), compare);
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = i + 1; j < n; j++) {
			near[i * n + j] =
				value[i][j] < NEAR_SHARE * all[pairs / 2];
			found += near[i * n + j];
		}
	}
	return found;
}

static void tell(const char *when, const bool *before, const bool *after)
{
	uint32_t had = 0, kept = 0;

	for (uint32_t i = 0; i < n * n; i++) {
		had += before[i];
		kept += before[i] && after[i];
	}
	printf("%s: %u of %u near pairs are still near\n", when, kept, had);
	fflush(stdout);
}

static void find_cpus(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < MOST; cpu++) {
		if (CPU_ISSET((size_t)cpu, &set))
			cpus[n++] = cpu;
	}
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"1", "5", "30"};
	const char *const *times =
		argc > 1 ? (const char *const *)argv + 1 : usual;
	int n_times = argc > 1 ? argc - 1 : 3;
	static bool before[MOST * MOST], after[MOST * MOST];
	cpu_set_t first;
	pthread_t thread;

	find_cpus();
	if (n < 2) {
		fputs("lasting: it needs two CPUs\n", stderr);
		return 1;
	}
	for (uint32_t i = 1; i < n; i++) {
		numbers[i] = i;
		if (pthread_create(&thread, NULL, member, &numbers[i]))
			return 1;
	}
	CPU_ZERO(&first);
	CPU_SET((size_t)cpus[0], &first);
	sched_setaffinity(0, sizeof(first), &first);
	for (int k = 0; k < n_times; k++) {
		char when[64];

		take_look(before);
		take_look(after);
		tell("at once", before, after);
		sleep_s(strtod(times[k], NULL));
		take_look(before);
		snprintf(when, sizeof(when), "after %s s asleep", times[k]);
		tell(when, after, before);
	}
	return 0;
}
