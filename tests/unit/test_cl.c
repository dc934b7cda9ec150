/*
 * The host's side of c2c cl: errors in words, the environment, the threads of
 * an implementation, the sums and rates without OpenCL, statistics. None of it
 * needs a device.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "arch/arch.h"
#include "cl/ceiling.h"
#include "cl/clock.h"
#include "cl/session.h"
#include "cl/suite/math.h"
#include "cl/timing.h"
#include "cl/workers.h"
#include "cmd/cl/cl_published.h"
#include "machine/memory.h"
#include "native/native.h"

static void each_test_is_in_the_table_once(void **state)
{
	(void)state;
	assert_string_equal(test_find("rowcol")->name, "rowcol");
	assert_string_equal(test_find("scale")->name, "scale");
	assert_null(test_find("list"));
	for (size_t i = 0; test_table[i]; i++) {
		assert_ptr_equal(test_find(test_table[i]->name), test_table[i]);
		assert_non_null(test_table[i]->run);
		assert_true(strlen(test_table[i]->section) > 0);
		assert_non_null(test_table[i]->source);
	}
}

static void an_option_is_for_the_tests_that_take_it(void **state)
{
	static const struct {
		enum test_takes takes;
		struct test_options options;
	} rows[] = {
		{TAKES_SIZE, {.size_bytes = 4 << 20}},
		{TAKES_WORK_ITEMS, {.work_items = 512}},
		{TAKES_WORK_GROUP, {.work_group = 64}},
		{TAKES_SWEEP, {.sweep_groups = 1}},
		{TAKES_SIZES, {.least_bytes = 1 << 10, .most_bytes = 1 << 20}},
		{TAKES_ACCESS, {.access = ACCESS_READ}},
		{TAKES_FINE, {.fine = 1}},
		{TAKES_ELEMENT, {.element_bytes = 8}},
		{TAKES_EACH, {.each_doubling = 18}},
	};

	(void)state;
	for (size_t i = 0; test_table[i]; i++) {
		for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
			struct error err = {.text = ""};
			int rc = test_check_options(
				test_table[i], &rows[k].options, &err);
			bool is_for = test_table[i]->takes & rows[k].takes;

			/* It takes less, or more. */
			assert_int_equal(
				strstr(err.text, "does not apply") == NULL,
				is_for);
			assert_true(is_for || rc < 0);
		}
	}
}

/* What --as-published sets for a test beside an option of the user. */
static void assert_published(
	const char *test, const char *given, const char *options)
{
	const struct option_row row = {.name = given};
	const struct options_given all = {.n = 1, .list[0].row = &row};
	char *text = cl_published_text(test_find(test), &all);

	assert_string_equal(text ? text : "", options);
	free(text);
}

static void a_source_yields_only_to_options_that_the_test_takes(void **state)
{
	(void)state;
	assert_published("math", "sizes", "--fine");
	assert_published("cache", "sizes", "");
	assert_published("latency", "size", "--sizes=1K:1G:18");
	assert_published("latency", "sizes", "");
	assert_published("latency", "units", "");
	assert_published("peak", "work-items", "--work-group=256");
	assert_published("local", "work-items", "");
	assert_published("math", "quick", "");
	assert_published("roofline", "work-group", "--fine");
}

static void codes_have_names_and_remedies(void **state)
{
	struct error err;
	struct session session = {.err = &err};

	(void)state;
	assert_int_equal(session_fail(&session, CL_OUT_OF_RESOURCES, "a thing"),
		-ENOMEM);
	assert_non_null(strstr(err.text, "a thing: CL_OUT_OF_RESOURCES; "));
	test_add_memory_remedy(test_find("bus"), &err);
	assert_non_null(strstr(err.text, " another limit: choose a smaller "));
	assert_non_null(
		strstr(err.text, "choose a smaller --size or smaller --sizes"));
	assert_null(strstr(err.text, "--work-items"));
	/* What a test refuses, or does not heed here, is none. */
	for (size_t i = 0; test_table[i]; i++) {
		unsigned by = test_table[i]->memory_by;

		session.rc = 0;
		session_fail(&session, CL_OUT_OF_HOST_MEMORY, "x");
		test_add_memory_remedy(test_table[i], &err);
		assert_int_equal(by & ~test_table[i]->takes, 0);
		assert_int_equal(strstr(err.text, "a smaller --size") != NULL,
			(by & TAKES_SIZE) != 0);
		assert_int_equal(strstr(err.text, "smaller --sizes") != NULL,
			(by & TAKES_SIZES) != 0);
		assert_int_equal(strstr(err.text, "--work-items") != NULL,
			(by & TAKES_WORK_ITEMS) != 0);
		assert_int_equal(strstr(err.text, "--device") != NULL, by == 0);
	}
	session.rc = 0;
	assert_int_equal(session_fail(&session, CL_INVALID_DEVICE, "x"), -EIO);
	assert_string_equal(err.text, "x: CL_INVALID_DEVICE");
	/* The first failure is the one that is told. */
	assert_int_equal(session_fail(&session, -9999, "y"), -EIO);
	assert_string_equal(err.text, "x: CL_INVALID_DEVICE");
	assert_null(session_memory(&session, 8, "z"));
	session.rc = 0;
	session_fail(&session, -9999, "x");
	assert_string_equal(err.text, "x: OpenCL error -9999");
	assert_null(session_code_name(-9999));
}

/*
 * The value of a name in the list that opencl_set_environment() made, and by.
 */
static const char *member(
	const struct record *set, const char *name, const char *key)
{
	const struct record_list list = record_find_list(set, "environment");

	for (size_t i = 0; i < list.n; i++) {
		struct facts row = record_list_row(&list, i);

		if (strcmp(facts_text(&row, "name"), name) == 0)
			return facts_text(&row, key);
	}
	return "";
}

static void the_users_environment_stays(void **state)
{
	struct cpu_list cpus = {0};
	struct record set = {0};

	(void)state;
	assert_int_equal(cpu_list_parse(&cpus, "3-7", NULL), 0);
	unsetenv("POCL_MAX_PTHREAD_COUNT");
	unsetenv("POCL_AFFINITY");
	setenv("POCL_CACHE_DIR", "mine", 1);
	assert_int_equal(
		opencl_set_environment(&cpus, "folder", &set, NULL), 0);
	assert_string_equal(getenv("POCL_MAX_PTHREAD_COUNT"), "5");
	assert_string_equal(
		member(&set, "POCL_MAX_PTHREAD_COUNT", "by"), "c2c");
	assert_string_equal(getenv("POCL_CACHE_DIR"), "mine");
	assert_string_equal(member(&set, "POCL_CACHE_DIR", "value"), "mine");
	assert_string_equal(member(&set, "POCL_CACHE_DIR", "by"), "user");
	assert_string_equal(member(&set, "POCL_AFFINITY", "by"), "");
	record_release(&set);

	setenv("POCL_AFFINITY", "1", 1);
	setenv("GPU_ENABLE_WGP_MODE", "0", 1);
	assert_int_equal(
		opencl_set_environment(&cpus, "folder", &set, NULL), 0);
	assert_string_equal(member(&set, "POCL_AFFINITY", "value"), "1");
	assert_string_equal(member(&set, "GPU_ENABLE_WGP_MODE", "value"), "0");
	record_release(&set);
	unsetenv("POCL_AFFINITY");
	unsetenv("GPU_ENABLE_WGP_MODE");
	cpu_list_release(&cpus);
}

static void the_host_adds_every_element_in_any_number_of_parts(void **state)
{
	enum {
		N = 10007
	};
	static const size_t threads[] = {1, 2, 3, 7, 64};
	double s = NAN;
	float *arrays = calloc((size_t)3 * N, sizeof(float));
	struct native_sum sum = {arrays, arrays + N, arrays + 2 * N, N};

	(void)state;
	assert_non_null(arrays);
	for (size_t i = 0; i < N; i++) {
		arrays[i] = (float)i;
		arrays[N + i] = 2;
	}
	for (size_t t = 0; t < sizeof(threads) / sizeof(threads[0]); t++) {
		for (int creation = 0; creation < 2; creation++) {
			s = NAN;
			memset(sum.c, 0xff, N * sizeof(float));
			assert_int_equal(
				native_add(&sum,
					&(struct native_crew){
						threads[t], NULL, creation},
					&s, NULL),
				0);
			assert_true(s > 0);
			for (size_t i = 0; i < N; i++)
				assert_true(sum.c[i] == (float)(i + 2));
		}
	}
	memset(sum.c, 0xff, N * sizeof(float));
	assert_int_equal(
		native_add(&sum, &(struct native_crew){0}, &s, NULL), 0);
	assert_true(s >= 0);
	for (size_t i = 0; i < N; i++)
		assert_true(sum.c[i] == (float)(i + 2));
	free(arrays);
}

static void threads_that_add_are_bound_where_asked(void **state)
{
	enum {
		N = 64
	};
	float arrays[3 * N] = {0};
	struct native_sum sum = {arrays, arrays + N, arrays + 2 * N, N};
	struct cpu_list cpus = {0};
	const struct native_crew crew = {3, &cpus, true};
	struct error err;
	double s;

	(void)state;
	assert_int_equal(
		cpu_list_add(&cpus, (unsigned)sched_getcpu(), NULL), 0);
	assert_int_equal(native_add(&sum, &crew, &s, &err), 0);
	/* No machine has this one. */
	cpus.cpus[0] = CPU_LIST_MAX_CPU;
	assert_true(native_add(&sum, &crew, &s, &err) < 0);
	cpu_list_release(&cpus);
}

static void a_ceiling_is_a_rate_of_what_the_cpus_do(void **state)
{
	struct machine *machine;
	struct cpu_list cpus = {0};
	const atomic_bool stop = true;
	struct native_work work;
	struct native_rate rate;

	(void)state;
	assert_int_equal(machine_new(&machine, NULL), 0);
	assert_int_equal(
		machine_select(machine, NULL, MACHINE_PER_PU, &cpus, NULL), 0);
	/* Reads also of memory that all share. */
	for (int n = NATIVE_READ; n <= NATIVE_TRIAD + 1; n++) {
		bool shared = n > NATIVE_TRIAD;
		int what = shared ? NATIVE_READ : n;

		rate = (struct native_rate){NAN, NAN, NAN};
		/* No multiple of anything. */
		work = (struct native_work){.what = (enum native_what)what,
			.bytes = 100001,
			.shared = shared};
		assert_int_equal(
			native_measure(machine, &cpus, &work, &rate, NULL), 0);
		assert_true(rate.low > 0 && rate.low <= rate.median);
		assert_true(rate.high >= rate.median && isfinite(rate.high));
	}
	for (int n = 0; n < 2 * ARCH_OPERATIONS; n++) {
		rate = (struct native_rate){NAN, NAN, NAN};
		work = (struct native_work){
			.what = n % 2 ? NATIVE_DOUBLE : NATIVE_FLOAT,
			.operation = (enum arch_operation)(n / 2)};
		assert_int_equal(
			native_measure(machine, &cpus, &work, &rate, NULL), 0);
		assert_true(rate.low > 0 && rate.low <= rate.median);
		assert_true(rate.high >= rate.median && isfinite(rate.high));
	}
	/* Memory of more than one chunk, and none of it touched. */
	rate = (struct native_rate){1, 1, 1};
	work = (struct native_work){
		.what = NATIVE_READ, .bytes = (size_t)1 << 30, .stop = &stop};
	assert_int_equal(native_measure(machine, &cpus, &work, &rate, NULL), 0);
	assert_true(isnan(rate.median));
	cpu_list_release(&cpus);
	machine_free(machine);
}

/* Each has a name by which the record tells what a curve is held to. */
static void ceilings_of_arithmetic_say_of_what(void **state)
{
	static const char *const whats[ARCH_OPERATIONS] = {"native additions",
		"native multiplications", "native divisions",
		"native multiplications with additions"};
	struct record record = {0};
	struct session session = {.record = &record};
	struct record_list rows;
	struct facts row;

	(void)state;
	for (size_t i = 0; i < ARCH_OPERATIONS; i++) {
		const struct ceiling ceiling = {
			.what = NATIVE_FLOAT,
			.operation = (enum arch_operation)i,
			.rate = 2,
		};

		ceiling_record(&session, &ceiling, "x");
		assert_int_equal(session.rc, 0);
		rows = record_find_list(&record, "ceilings");
		assert_int_equal(rows.n, i + 1);
		row = record_list_row(&rows, i);
		assert_string_equal(facts_text(&row, "what"), whats[i]);
		assert_true(facts_number(&row, "gflop_per_s") == 2);
	}
	record_release(&record);
}

/* A median of few runs, which has no interval. */
static struct median_interval alone(double rate)
{
	return (struct median_interval){rate, NAN, NAN};
}

/*
 * A session on no device, with a ceiling that the real loop is far below.
 * slow: native loops run two dozen times.
 */
static void rates_above_the_ceiling_do_not_hold(void **state)
{
	struct cpu_list cpus = {0};
	struct test_options options = {.cpus = &cpus};
	struct session session = {.options = &options, .is_cpu = true};
	struct ceiling ceiling = {
		.what = NATIVE_READ, .bytes = 4096, .rate = 1e9, .rounds = 1};
	struct ceiling low = {
		.what = NATIVE_READ, .bytes = 4096, .rate = 1e-6, .rounds = 1};
	struct machine *machine;
	unsigned tries = CEILING_TRIES;

	(void)state;
	assert_int_equal(machine_new(&machine, NULL), 0);
	assert_int_equal(
		machine_select(machine, NULL, MACHINE_PER_PU, &cpus, NULL), 0);
	session.machine = machine;
	assert_true(
		ceiling_allows_rate(&session, &ceiling, alone(0.9e9), tries));
	assert_true(
		ceiling_allows_rate(&session, &ceiling, alone(1.19e9), tries));
	assert_int_equal(ceiling.rounds, 1);
	/* It is measured again before a rate is rejected, and never sinks. */
	assert_false(
		ceiling_allows_rate(&session, &ceiling, alone(1.21e9), tries));
	assert_int_equal(ceiling.rounds, 1 + tries);
	assert_true(ceiling.rate == 1e9);
	assert_false(ceiling_allows_rate(&session, &ceiling, alone(1.21e9), 0));
	assert_int_equal(ceiling.rounds, 1 + tries);
	/* A quick run is not to take minutes where most are above. */
	options.quick = true;
	assert_false(
		ceiling_allows_rate(&session, &ceiling, alone(1.21e9), tries));
	assert_int_equal(ceiling.rounds, 3 + tries);
	options.quick = false;
	/* However often: once more at least, unless none was wanted. */
	ceiling.rounds = 1000;
	assert_false(ceiling_allows_rate(&session, &ceiling, alone(1.21e9), 0));
	assert_int_equal(ceiling.rounds, 1000);
	assert_false(
		ceiling_allows_rate(&session, &ceiling, alone(1.21e9), tries));
	assert_int_equal(ceiling.rounds, 1001);
	/* Nothing is measured where the other of two bears a rate. */
	assert_true(ceiling_either_allows(
		&session, &low, &ceiling, alone(0.9e9), tries));
	assert_int_equal(low.rounds, 1);
	assert_int_equal(ceiling.rounds, 1001);
	/* One that was disturbed until now is mended. */
	ceiling.rate = 1e-6;
	assert_true(
		ceiling_allows_rate(&session, &ceiling, alone(1e-5), tries));
	assert_int_equal(ceiling.rounds, 1002);
	assert_true(ceiling.rate > 1e-5);
	/* Where none is known, all holds. */
	ceiling.rate = NAN;
	assert_true(ceiling_allows_rate(&session, &ceiling, alone(1e9), tries));
	cpu_list_release(&cpus);
	machine_free(machine);
}

/* Writes all of what a session maps, and forgets it. */
static struct record write_pages(size_t bytes)
{
	struct record record = {0};
	struct session session = {.record = &record};
	void *memory = session_pages(&session, bytes, "x");

	assert_non_null(memory);
	memset(memory, 1, bytes);
	session_release(&session, 0);
	return record;
}

static void memory_of_tests_has_the_pages_of_ceilings(void **state)
{
	const size_t bytes = (size_t)4 << 20;
	struct memory_mapping memory;
	struct record record = write_pages(bytes);

	(void)state;
	assert_int_equal(memory_map_huge(&memory, bytes, NULL), 0);
	memset(memory.base, 1, bytes);
	assert_int_equal(memory_inspect(&memory, MEMORY_PAGES_AUTO, NULL), 0);
	assert_int_equal(
		facts_count(&record.facts, "memory.bytes"), memory.bytes);
	assert_int_equal(facts_count(&record.facts, "memory.huge_bytes"),
		memory.huge_bytes);
	memory_release(&memory);
	record_release(&record);
}

static void memory_that_is_not_there_is_an_error(void **state)
{
	struct error err;
	struct record record = {0};
	struct session session = {.record = &record, .err = &err};

	(void)state;
	assert_null(session_pages(&session, SIZE_MAX / 2, "a thing"));
	assert_true(session.rc < 0);
	assert_non_null(strstr(err.text, "a thing: "));
	session_release(&session, 0);
	assert_null(facts_find(&record.facts, "memory"));
	record_release(&record);
}

static void the_clock_of_cpus_is_measured_and_threads_stay_free(void **state)
{
	struct cpu_list cpus = {0}, after = {0};
	struct test_options options = {.cpus = &cpus};
	struct record record = {0};
	struct device_clock clock = {0};
	struct session session = {.options = &options,
		.record = &record,
		.clock = &clock,
		.is_cpu = true};
	const double *least, *median;

	(void)state;
	assert_true(machine_affinity(0, &cpus));
	facts_set_count(&record.facts, "device.clock_mhz", 1);
	for (int i = 0; i < 5; i++)
		clock_measure(&session);
	assert_true(session_ok(&session));
	assert_true(machine_affinity(0, &after));
	assert_int_equal(after.n, cpus.n);
	assert_int_equal(clock.n, ARCH_CLOCKS ? 5 : 0);
	clock_record(&session);
	assert_string_equal(facts_text(&record.facts, "core_clock.by"),
		ARCH_CLOCKS ? "c2c" : "device");
	least = clock.ghz;
	median = clock.ghz + 2;
	/* Sorted by now. */
	if (ARCH_CLOCKS) {
		assert_true(facts_number(&record.facts,
				    "core_clock.least_ghz") == *least);
		assert_true(facts_number(&record.facts,
				    "core_clock.median_ghz") == *median);
		assert_true(*least > 0.05 && *median < 20);
	}
	clock_release(&clock);
	record_release(&record);
	cpu_list_release(&cpus);
	cpu_list_release(&after);
}

static void clocks_in_a_time_are_a_clock(void **state)
{
	(void)state;
	assert_true(clock_ghz(396000, 200000) == 1.98);
	assert_true(clock_ghz(69000, 200000) == 0.345);
	assert_true(isnan(clock_ghz(0, 200000)));
	assert_true(isnan(clock_ghz(20000000, 0)));
	assert_true(isnan(clock_ghz(0, 0)));
	assert_true(isnan(clock_ghz(1, 200000)));
	assert_true(isnan(clock_ghz(UINT64_MAX, 200000)));
}

static void other_devices_say_their_clock(void **state)
{
	struct record record = {0};
	struct device_clock clock = {0};
	struct test_options options = {0};
	struct session session = {
		.options = &options, .record = &record, .clock = &clock};

	(void)state;
	clock_measure(&session);
	assert_int_equal(clock.n, 0);
	facts_set_count(&record.facts, "device.clock_mhz", 1980);
	clock_record(&session);
	assert_true(
		facts_number(&record.facts, "core_clock.least_ghz") == 1.98);
	assert_true(
		facts_number(&record.facts, "core_clock.median_ghz") == 1.98);
	assert_string_equal(
		facts_text(&record.facts, "core_clock.by"), "device");
	/* Some do not know. */
	facts_set_count(&record.facts, "device.clock_mhz", 0);
	clock_record(&session);
	assert_false(fact_is_known(
		facts_find(&record.facts, "core_clock.least_ghz")));
	assert_false(fact_is_known(
		facts_find(&record.facts, "core_clock.median_ghz")));
	record_release(&record);
}

static void figures_are_medians_with_intervals_from_six_on(void **state)
{
	double s[] = {5, 1, 3, 2, 4, 6};
	struct timing timing;

	(void)state;
	timing = timing_of(s, 6);
	assert_true(timing.median_s == 3.5);
	assert_true(timing.low_s == 1 && timing.high_s == 6);
	timing = timing_of(s, 5);
	assert_true(timing.median_s == 3);
	assert_true(isnan(timing.low_s) && isnan(timing.high_s));
}

static void groups_follow_the_paper(void **state)
{
	struct test_options options = {0};
	struct session session = {
		.options = &options, .is_cpu = true, .max_group = 4096};

	(void)state;
	/* Half of one is none, which no device may be asked for. */
	assert_int_equal(session_group(&session, 1), 1);
	assert_int_equal(session_group(&session, 2), 1);
	assert_int_equal(session_group(&session, 128), 64);
	assert_int_equal(session_group(&session, 256), 256);
	assert_int_equal(session_group(&session, 65536), 256);
	session.is_cpu = false;
	assert_int_equal(session_group(&session, 128), 128);
	assert_int_equal(session_group(&session, 512), 256);
	options.work_group = 64;
	assert_int_equal(session_group(&session, 512), 64);
	assert_int_equal(session_group(&session, 16), 16);
	session.max_group = 32;
	assert_int_equal(session_group(&session, 512), 32);
}

struct busy {
	atomic_bool stop;
	atomic_int tid;
};

static void *be_busy(void *arg)
{
	struct busy *busy = arg;

	atomic_store(&busy->tid, (int)syscall(SYS_gettid));
	while (!atomic_load(&busy->stop))
		;
	return NULL;
}

static void *be_idle(void *arg)
{
	struct busy *busy = arg;
	const struct timespec pause = {.tv_nsec = 50000000};

	while (!atomic_load(&busy->stop))
		nanosleep(&pause, NULL);
	return NULL;
}

/* Until the thread has had so much of a CPU, however busy that is. */
static void let_run(pthread_t thread)
{
	const struct timespec pause = {.tv_nsec = 50000000};
	struct timespec ran = {0};
	clockid_t clock;

	assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
	do {
		nanosleep(&pause, NULL);
		assert_int_equal(clock_gettime(clock, &ran), 0);
	} while (ran.tv_sec == 0 && ran.tv_nsec < 100000000);
}

/* Be busy for so much of a CPU. */
static void work_for(long ns)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	do {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec -
			 begin.tv_nsec <
		 ns);
}

/* Its launches and its waiting are no work, but kernels that it runs are. */
static void the_caller_is_a_worker_if_it_does_the_work(void **state)
{
	struct busy busy = {false, 0};
	struct workers before, workers;
	pthread_t thread;

	(void)state;
	assert_int_equal(workers_note(&before, NULL), 0);
	work_for(20000000);
	assert_int_equal(workers_find(&before, &workers, NULL), 0);
	assert_int_equal(workers.n, 1);
	assert_int_equal(workers.all[0].tid, (int)syscall(SYS_gettid));
	workers_release(&workers);
	workers_release(&before);

	assert_int_equal(workers_note(&before, NULL), 0);
	pthread_create(&thread, NULL, be_busy, &busy);
	work_for(20000000);
	let_run(thread);
	assert_int_equal(workers_find(&before, &workers, NULL), 0);
	assert_int_equal(workers.n, 1);
	assert_int_equal(workers.all[0].tid, atomic_load(&busy.tid));
	atomic_store(&busy.stop, true);
	pthread_join(thread, NULL);
	workers_release(&workers);
	workers_release(&before);
}

static void workers_are_the_threads_that_worked(void **state)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct busy busy = {false, 0};
	struct workers before, workers;
	struct worker twice[2];
	struct cpu_list cpus = {0};
	cpu_set_t whole;
	pthread_t threads[2];
	struct record described = {0};

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(whole), &whole), 0);
	pthread_create(&threads[0], NULL, be_busy, &busy);
	pthread_create(&threads[1], NULL, be_idle, &busy);
	while (atomic_load(&busy.tid) == 0)
		nanosleep(&pause, NULL);
	assert_int_equal(workers_note(&before, NULL), 0);
	assert_true(before.n >= 2);
	let_run(threads[0]);
	assert_int_equal(workers_find(&before, &workers, NULL), 0);
	assert_int_equal(workers.n, 1);
	assert_int_equal(workers.all[0].tid, atomic_load(&busy.tid));

	assert_int_equal(
		cpu_list_add(&cpus, (unsigned)sched_getcpu(), NULL), 0);
	assert_int_equal(workers_bind(&workers, &cpus, NULL), 0);
	assert_true(workers_are_bound(&workers));
	assert_true(workers_describe(&workers, &cpus, &described));
	assert_int_equal(record_find_list(&described, "threads").n, 1);
	record_release(&described);

	/* Asked for another CPU, it is not there. */
	cpus.cpus[0] = CPU_LIST_MAX_CPU;
	assert_false(workers_describe(&workers, &cpus, &described));
	record_release(&described);

	/* Another one on the same CPU is none that has it alone. */
	twice[0] = twice[1] = workers.all[0];
	assert_false(workers_are_bound(&(struct workers){twice, 2}));
	/* Whoever let it go: only what the kernel says counts. */
	assert_int_equal(
		sched_setaffinity(workers.all[0].tid, sizeof(whole), &whole),
		0);
	assert_true(workers_are_bound(&workers) == (CPU_COUNT(&whole) == 1));
	assert_false(workers_are_bound(&(struct workers){0}));

	atomic_store(&busy.stop, true);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	workers_release(&workers);
	workers_release(&before);
	cpu_list_release(&cpus);
}

static void functions_try_groups_of_the_paper_that_divide(void **state)
{
	struct test_options options = {.work_items = 0};
	struct group_range range = math_groups_to_try(&options, 4096, 0);

	(void)state;
	assert_int_equal(range.least, 32);
	assert_int_equal(range.most, 256);
	range = math_groups_to_try(&options, 64, 1024);
	assert_int_equal(range.least, 32);
	assert_int_equal(range.most, 64);
	range = math_groups_to_try(&options, 4096, 96);
	assert_int_equal(range.least, 32);
	assert_int_equal(range.most, 32);
	range = math_groups_to_try(&options, 16, 1024);
	assert_int_equal(range.least, 16);
	assert_int_equal(range.most, 16);
	/* A first look takes the largest. */
	options.quick = true;
	range = math_groups_to_try(&options, 4096, 0);
	assert_int_equal(range.least, 256);
	assert_int_equal(range.most, 256);
	options.work_group = 250;
	range = math_groups_to_try(&options, 4096, 4000);
	assert_int_equal(range.least, 250);
	assert_int_equal(range.most, 250);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(each_test_is_in_the_table_once),
	cmocka_unit_test(an_option_is_for_the_tests_that_take_it),
	cmocka_unit_test(a_source_yields_only_to_options_that_the_test_takes),
	cmocka_unit_test(codes_have_names_and_remedies),
	cmocka_unit_test(the_users_environment_stays),
	cmocka_unit_test(the_host_adds_every_element_in_any_number_of_parts),
	cmocka_unit_test(threads_that_add_are_bound_where_asked),
	cmocka_unit_test(a_ceiling_is_a_rate_of_what_the_cpus_do),
	cmocka_unit_test(ceilings_of_arithmetic_say_of_what),
	cmocka_unit_test(rates_above_the_ceiling_do_not_hold),
	cmocka_unit_test(memory_of_tests_has_the_pages_of_ceilings),
	cmocka_unit_test(memory_that_is_not_there_is_an_error),
	cmocka_unit_test(the_clock_of_cpus_is_measured_and_threads_stay_free),
	cmocka_unit_test(clocks_in_a_time_are_a_clock),
	cmocka_unit_test(other_devices_say_their_clock),
	cmocka_unit_test(figures_are_medians_with_intervals_from_six_on),
	cmocka_unit_test(groups_follow_the_paper),
	cmocka_unit_test(functions_try_groups_of_the_paper_that_divide),
	cmocka_unit_test(the_caller_is_a_worker_if_it_does_the_work),
	cmocka_unit_test(workers_are_the_threads_that_worked),
};

CASE_GROUP(cases);
