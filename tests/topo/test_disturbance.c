/*
 * What the kernel counts of CPUs, from the files of a pretended machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/disturbance.h"
#include "pretend.h"

static void all_interrupts_of_a_cpu_are_summed(void **state)
{
	char *root = pretend_tree("memory");
	struct machine *machine = pretend_machine(root);
	unsigned numbers[] = {3, 1, 0};
	const struct cpu_list cpus = {numbers, 3};
	struct cpu_disturbance counts[3];

	(void)state;
	/* CPU 2 is offline; errors are of no CPU. */
	pretend_put(root, "proc/interrupts",
		"       CPU0  CPU1  CPU3\n"
		"  0:     10    20    30  IO-APIC 2-edge timer\n"
		"LOC:    100   200   300  Local timer interrupts\n"
		"ERR:      7\n"
		"MIS:      8\n");
	pretend_put(root, "proc/stat",
		"cpu 1 1 1 1 1 1 1 1 0 0\n"
		"cpu1 1 2 3 4 5 6 7 8 0 0\n"
		"cpu3 10 0 0 0 0 0 0 30 99 0\n");
	assert_int_equal(
		machine_count_disturbance(machine, &cpus, counts, NULL), 0);
	assert_float_equal(counts[0].interrupts, 330, 0);
	assert_float_equal(counts[1].interrupts, 220, 0);
	assert_float_equal(counts[2].interrupts, 110, 0);
	assert_float_equal(counts[0].stolen, 30, 0);
	assert_float_equal(counts[0].ticks, 40, 0);
	assert_float_equal(counts[1].stolen, 8, 0);
	assert_float_equal(counts[1].ticks, 36, 0);
	machine_free(machine);
	pretend_remove(root);
}

static void what_no_file_counts_is_unknown(void **state)
{
	char *root = pretend_tree("memory");
	struct machine *machine = pretend_machine(root);
	unsigned numbers[] = {0, 2};
	const struct cpu_list cpus = {numbers, 2};
	struct cpu_disturbance counts[2];

	(void)state;
	pretend_put(root, "proc/interrupts", "  CPU0\n0: 5\n");
	pretend_put(root, "proc/stat", "");
	assert_int_equal(
		machine_count_disturbance(machine, &cpus, counts, NULL), 0);
	assert_float_equal(counts[0].interrupts, 5, 0);
	assert_true(counts[1].interrupts < 0);
	assert_true(counts[0].ticks < 0);
	machine_free(machine);
	pretend_remove(root);
}

static void the_cpu_that_lost_most_time_is_found(void **state)
{
	unsigned numbers[] = {3, 2, 0};
	const struct cpu_list cpus = {numbers, 3};
	struct cpu_disturbance then[] = {{0, 5, 100}, {0, 7, 100}, {0, -1, -1}};
	struct cpu_disturbance now[] = {
		{0, 25, 200}, {0, 67, 300}, {0, 900, 900}};
	struct stolen_time stolen;

	(void)state;
	/* CPU 0 had no count at first. */
	assert_true(disturbance_find_stolen(then, now, &cpus, &stolen));
	assert_float_equal(stolen.share, 80.0 / 300, 1e-9);
	assert_float_equal(stolen.most, 0.3, 1e-9);
	assert_int_equal(stolen.cpu, 2);
	/* A count that goes back takes nothing from those of other CPUs. */
	then[0].stolen = 45;
	assert_true(disturbance_find_stolen(then, now, &cpus, &stolen));
	assert_float_equal(stolen.share, 60.0 / 300, 1e-9);
	/* A few ticks are no share. */
	now[1].stolen = 11;
	assert_false(disturbance_find_stolen(then, now, &cpus, &stolen));
	now[1].stolen = 12;
	assert_true(disturbance_find_stolen(then, now, &cpus, &stolen));
	/* No time passed. */
	assert_false(disturbance_find_stolen(then, then, &cpus, &stolen));
}

static void only_periods_since_the_first_count_are_shared(void **state)
{
	char *root = pretend_tree("restricted");
	struct machine *machine = pretend_machine(root);
	struct throttled_periods then, now;

	(void)state;
	throttled_count(machine, &then);
	assert_float_equal(throttled_find_share(&then, &then), 0, 0);
	pretend_put(root, "sys/fs/cgroup/work.slice/job/cpu.stat",
		"usage_usec 5\nnr_periods 100\nnr_throttled 50\n");
	throttled_count(machine, &then);
	pretend_put(root, "sys/fs/cgroup/work.slice/job/cpu.stat",
		"usage_usec 5\nnr_periods 300\nnr_throttled 51\n");
	throttled_count(machine, &now);
	assert_float_equal(throttled_find_share(&then, &now), 0, 0);
	/* The limit of a cgroup above stops more. */
	pretend_put(root, "sys/fs/cgroup/work.slice/cpu.stat",
		"nr_periods 40\nnr_throttled 30\nthrottled_usec 9\n");
	throttled_count(machine, &now);
	assert_float_equal(throttled_find_share(&then, &now), 0.75, 1e-9);
	/* The process moved. */
	pretend_put(root, "proc/self/cgroup", "0::/\n");
	throttled_count(machine, &now);
	assert_float_equal(throttled_find_share(&then, &now), 0, 0);
	machine_free(machine);
	pretend_remove(root);
}

static void the_device_that_interrupts_most_is_found(void **state)
{
	char *root = pretend_tree("memory");
	struct machine *machine = pretend_machine(root);
	unsigned numbers[] = {3, 0};
	const struct cpu_list cpus = {numbers, 2};
	struct interrupts_counted then, now;
	struct device_interrupts most;

	(void)state;
	pretend_put(root, "proc/interrupts",
		"       CPU0  CPU1  CPU3\n"
		"  0:     10    20    30  IO-APIC 2-edge timer\n"
		" 24:   9000     0  5000  PCI-MSI 1-edge disk\n"
		"LOC:    100   200   300  Local timer interrupts\n");
	interrupts_count(machine, &then);
	/* Another device came, and CPU 1 is none of those asked for. */
	pretend_put(root, "proc/interrupts",
		"       CPU0  CPU1  CPU3\n"
		"  0:     10    20    30  IO-APIC 2-edge timer\n"
		" 23:      0     0   500  PCI-MSI 2-edge eth0-rx-1\n"
		" 24:   9100  9000  5300  PCI-MSI 1-edge disk\n"
		"LOC:   9100  9200  9300  Local timer interrupts\n");
	interrupts_count(machine, &now);
	then.at_s = 1;
	now.at_s = 3;
	assert_true(interrupts_find_most(&then, &now, &cpus, &most));
	assert_string_equal(most.device, "eth0-rx-1");
	assert_int_equal(most.cpu, 3);
	assert_float_equal(most.per_s, 250, 1e-9);
	interrupts_release(&now);
	/* A CPU went offline. */
	pretend_put(root, "proc/interrupts",
		"       CPU0  CPU3\n"
		" 24:   9100  5300  PCI-MSI 1-edge disk\n");
	interrupts_count(machine, &now);
	assert_false(interrupts_find_most(&then, &now, &cpus, &most));
	interrupts_release(&now);
	interrupts_release(&then);
	assert_false(interrupts_find_most(&then, &now, &cpus, &most));
	machine_free(machine);
	pretend_remove(root);
}

static void tickless_cpus_are_those_of_the_kernel(void **state)
{
	char *root = pretend_tree("memory");
	struct machine *machine = pretend_machine(root);
	unsigned numbers[] = {0, 1, 2};
	const struct cpu_list cpus = {numbers, 3};
	struct cpu_list tickless = {NULL, 0};

	(void)state;
	assert_int_equal(
		machine_list_tickless(machine, &cpus, &tickless, NULL), 0);
	assert_int_equal(tickless.n, 0);
	pretend_put(root, "sys/devices/system/cpu/nohz_full", "1-3\n");
	assert_int_equal(
		machine_list_tickless(machine, &cpus, &tickless, NULL), 0);
	assert_cpus(&tickless, "1,2");
	cpu_list_release(&tickless);
	machine_free(machine);
	pretend_remove(root);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(all_interrupts_of_a_cpu_are_summed),
	cmocka_unit_test(what_no_file_counts_is_unknown),
	cmocka_unit_test(the_cpu_that_lost_most_time_is_found),
	cmocka_unit_test(only_periods_since_the_first_count_are_shared),
	cmocka_unit_test(the_device_that_interrupts_most_is_found),
	cmocka_unit_test(tickless_cpus_are_those_of_the_kernel),
};

CASE_GROUP(cases);
