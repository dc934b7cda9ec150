/*
 * How long does each round of a chase take, from the first round on?
 *
 * A ring of lines in random order (Sattolo) is evicted by stores to other
 * memory, as visits to other working sets evict it. Then the program chases
 * through the ring, round after round, and prints three lines for each trial.
 * "steps" is one chain from the beginning, with its rounds timed in windows.
 * "walkers" are rounds of WALKERS walkers, and after each round STRETCH timed
 * loads of one chain. "after" is one chain again, after the last round of
 * walkers. The number at the beginning of a line counts the interrupted
 * windows, which are left out. The program shares no code with the probe.
 *
 * Usage: rounds [CPU [ROUNDS [TRIALS]]]   (default 0, 12, 7)
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define LINE	64
#define WALKERS 16
#define STRETCH 6144
#define WINDOW	2048
#define EVICT	((size_t)192 << 20)
#define MOST	64

static void *volatile sink;

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static char *map(size_t bytes)
{
	char *at = aligned_alloc((size_t)2 << 20, bytes);

	if (!at)
		exit(1);
	madvise(at, bytes, MADV_HUGEPAGE);
	return at;
}

static void **draw(char *lines, size_t n)
{
	uint32_t *next = malloc(n * sizeof(*next));
	void **order = malloc(n * sizeof(*order)), *at = lines;

	if (!next || !order)
		exit(1);
	for (size_t i = 0; i < n; i++)
		next[i] = (uint32_t)i;
	for (size_t i = n - 1; i > 0; i--) {
		size_t j = (size_t)random() % i;
		uint32_t kept = next[i];

		next[i] = next[j];
		next[j] = kept;
	}
	for (size_t i = 0; i < n; i++)
		*(void **)(lines + i * LINE) = lines + (size_t)next[i] * LINE;
	for (size_t i = 0; i < n; i++) {
		order[i] = at;
		at = *(void **)at;
	}
	free(next);
	return order;
}

static void *follow(void *at, size_t loads)
{
	for (size_t i = 0; i < loads; i++)
		at = *(void **)at;
	return at;
}

static void walk(void **order, size_t n, size_t from)
{
	void *at[WALKERS];

	for (size_t w = 0; w < WALKERS; w++)
		at[w] = order[(from + w * n / WALKERS) % n];
	for (size_t i = 0; i < n / WALKERS; i++)
		for (size_t w = 0; w < WALKERS; w++)
			at[w] = *(void *volatile *)at[w];
	for (size_t w = 0; w < WALKERS; w++)
		sink = at[w];
}

static double stretch(void **order, size_t n, size_t *from)
{
	double begin = now_ns();

	sink = follow(order[*from], STRETCH);
	*from = (*from + STRETCH) % n;
	return (now_ns() - begin) / STRETCH;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

static int rising(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Time a whole round in windows. Return the mean of their middle half. */
static double round_ns(void **order, size_t n, double *windows, int *lost)
{
	size_t k = 0, first;
	double sum = 0;

	for (size_t i = 0; i + WINDOW <= n; i += WINDOW) {
		long before = switches();
		double begin = now_ns();

		sink = follow(order[i], WINDOW);
		windows[k] = (now_ns() - begin) / WINDOW;
		if (switches() == before)
			k++;
		else
			++*lost;
	}
	if (k < 4)
		return 0;
	qsort(windows, k, sizeof(*windows), rising);
	first = k / 4;
	for (size_t i = first; i < k - first; i++)
		sum += windows[i];
	return sum / (double)(k - 2 * first);
}

static void evict(char *other)
{
	static size_t turn;

	for (size_t i = 0; i < EVICT; i += LINE)
		other[i] = (char)(turn & 1);
	turn++;
}

static void print(const char *what, size_t bytes, const double *ns, int rounds)
{
	printf("%3zu MiB %-8s", bytes >> 20, what);
	for (int r = 0; r < rounds; r++)
		printf(" %5.1f", ns[r]);
	putchar('\n');
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const size_t sizes[] = {4, 8, 16, 32};
	int cpu = argc > 1 ? atoi(argv[1]) : 0;
	int rounds = argc > 2 ? atoi(argv[2]) : 12;
	int trials = argc > 3 ? atoi(argv[3]) : 7;
	char *other = map(EVICT);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (rounds > MOST)
		rounds = MOST;
	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		size_t bytes = sizes[s] << 20, n = bytes / LINE, from = 0;
		char *lines = map(bytes);
		void **order = draw(lines, n);
		double ns[MOST], *windows = malloc(n * sizeof(*windows));

		for (int t = 0; t < trials; t++) {
			int lost = 0;

			evict(other);
			for (int r = 0; r < rounds; r++)
				ns[r] = round_ns(order, n, windows, &lost);
			printf("%3d ", lost);
			print("steps", bytes, ns, rounds);
			evict(other);
			printf("    ");
			for (int r = 0; r < rounds; r++) {
				walk(order, n, from);
				ns[r] = stretch(order, n, &from);
			}
			print("walkers", bytes, ns, rounds);
			lost = 0;
			for (int r = 0; r < rounds; r++)
				ns[r] = round_ns(order, n, windows, &lost);
			printf("%3d ", lost);
			print("after", bytes, ns, rounds);
		}
		free(order);
		free(windows);
		free(lines);
	}
	return 0;
}
