/*
 * Programs whose speed depends on where they run, for c2c try:
 *
 *	placed loop N            one thread counts to a million, N times
 *	placed pipe N            two processes pass a byte to and fro, N times
 *	placed mutex THREADS N   threads add under one mutex, N times in all
 *	placed groups PAIRS N    PAIRS processes each send N messages to another
 *	placed queue N           a thread passes N words to another by spinning
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX   256
#define MESSAGE_BYTES 100

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void pass(int from, int to, size_t n, char *bytes, size_t size)
{
	for (size_t i = 0; i < n; i++) {
		if (from >= 0 && read(from, bytes, size) != (ssize_t)size)
			fail("read");
		if (to >= 0 && write(to, bytes, size) != (ssize_t)size)
			fail("write");
	}
}

static void run_loop(size_t n)
{
	for (size_t i = 0; i < n * 1000000; i++)
		__asm__ volatile("" ::"r"(i));
}

static void run_pipe(size_t n)
{
	int there[2], back[2];
	char byte = 0;

	if (pipe(there) || pipe(back))
		fail("pipe");
	if (fork() == 0) {
		pass(there[0], back[1], n, &byte, 1);
		_exit(0);
	}
	for (size_t i = 0; i < n; i++) {
		pass(-1, there[1], 1, &byte, 1);
		pass(back[0], -1, 1, &byte, 1);
	}
	wait(NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t counter;

static void *add_under_lock(void *n)
{
	for (size_t i = 0; i < *(const size_t *)n; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void run_mutex(size_t threads, size_t n)
{
	pthread_t handles[THREADS_MAX];

	if (threads == 0 || threads > THREADS_MAX)
		exit(2);
	n /= threads;
	for (size_t i = 0; i < threads; i++) {
		if (pthread_create(&handles[i], NULL, add_under_lock, &n))
			fail("pthread_create");
	}
	for (size_t i = 0; i < threads; i++)
		pthread_join(handles[i], NULL);
}

static void run_groups(size_t pairs, size_t n)
{
	char message[MESSAGE_BYTES] = "";

	for (size_t i = 0; i < pairs; i++) {
		int ends[2];

		if (pipe(ends))
			fail("pipe");
		if (fork() == 0) {
			pass(-1, ends[1], n, message, sizeof(message));
			_exit(0);
		}
		if (fork() == 0) {
			pass(ends[0], -1, n, message, sizeof(message));
			_exit(0);
		}
		close(ends[0]);
		close(ends[1]);
	}
	while (wait(NULL) > 0)
		continue;
}

/* A word on its own lines: the passed word, or 0. */
static struct {
	_Alignas(256) _Atomic size_t word;
} slots[16];

static void *put_words(void *n)
{
	for (size_t i = 1; i <= *(const size_t *)n; i++) {
		_Atomic size_t *slot = &slots[i % 16].word;

		while (atomic_load_explicit(slot, memory_order_acquire))
			continue;
		atomic_store_explicit(slot, i, memory_order_release);
	}
	return NULL;
}

static void run_queue(size_t n)
{
	pthread_t writer;

	if (pthread_create(&writer, NULL, put_words, &n))
		fail("pthread_create");
	for (size_t i = 1; i <= n; i++) {
		_Atomic size_t *slot = &slots[i % 16].word;

		while (!atomic_load_explicit(slot, memory_order_acquire))
			continue;
		atomic_store_explicit(slot, 0, memory_order_release);
	}
	pthread_join(writer, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	size_t first = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	size_t second = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;

	if (strcmp(what, "loop") == 0)
		run_loop(first);
	else if (strcmp(what, "pipe") == 0)
		run_pipe(first);
	else if (strcmp(what, "mutex") == 0)
		run_mutex(first, second);
	else if (strcmp(what, "groups") == 0)
		run_groups(first, second);
	else if (strcmp(what, "queue") == 0)
		run_queue(first);
	else
		return 2;
	return 0;
}
