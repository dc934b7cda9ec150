/*
 * Reads an array. numa-total.sh runs one copy of this program on each CPU. The
 * program shares no code with c2c.
 *
 * Usage: reads MIB BEGIN SLICES
 *
 * From the time BEGIN (seconds since 1970), the program counts the bytes that
 * it reads in each of SLICES intervals of 2 ms. For each interval it prints a
 * line: the rate in GiB/s, or "-" if the program lost its CPU. The program also
 * reads before the first interval and for 0.2 s after the last, so that no CPU
 * sleeps while another CPU counts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "read_bare.h"

#define SLICE_S 0.002
#define AFTER_S 0.2
#define PIECE	((size_t)64 << 10)

static double now_s(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Return how often this program lost its CPU. */
static long count_switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/* The first write of a page also places the page near this CPU. */
static char *map_array(size_t bytes)
{
	char *array = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (array == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(array, bytes, MADV_HUGEPAGE);
	memset(array, 1, bytes);
	return array;
}

/* Read until `end_s`. Begin where the last call stopped. */
static size_t read_until(const char *array, size_t bytes, double end_s)
{
	static size_t at;
	size_t moved = 0;

	while (now_s() < end_s) {
		read_piece(array + at, PIECE);
		at = (at + PIECE) % bytes;
		moved += PIECE;
	}
	return moved;
}

/* A slice begins late if the slice before it lost the CPU. */
static void print_slice(const char *array, size_t bytes, double begin_s)
{
	long switches = count_switches();
	double from_s = now_s();
	size_t moved = read_until(array, bytes, begin_s + SLICE_S);
	double spent_s = now_s() - from_s;

	if (count_switches() != switches || from_s > begin_s + SLICE_S / 10)
		puts("-");
	else
		printf("%.4f\n", (double)moved / (1 << 30) / spent_s);
}

int main(int argc, char **argv)
{
	size_t bytes = argc > 3 ? strtoul(argv[1], NULL, 10) << 20 : 0;
	double begin_s = argc > 3 ? strtod(argv[2], NULL) : 0;
	long slices = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	char *array;

	if (bytes == 0 || slices <= 0)
		return 2;
	array = map_array(bytes);
	if (now_s() > begin_s) {
		fputs("reads: the array was ready after BEGIN\n", stderr);
		return 1;
	}
	read_until(array, bytes, begin_s);
	for (long i = 0; i < slices; i++)
		print_slice(array, bytes, begin_s + SLICE_S * (double)i);
	read_until(array, bytes, begin_s + SLICE_S * (double)slices + AFTER_S);
	return 0;
}
