/*
 * Facts and warnings from the files of pretended machines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "pretend.h"

/* A tree to change, and the machine made from it once it is changed. */
struct rig {
	char *root;
	struct machine *machine;
	const struct machine_facts *facts;
};

static void rig_init(struct rig *rig, const char *name)
{
	*rig = (struct rig){.root = pretend_tree(name)};
}

static void rig_load(struct rig *rig)
{
	machine_free(rig->machine);
	rig->machine = pretend_machine(rig->root);
	rig->facts = machine_facts(rig->machine);
}

static void rig_release(struct rig *rig)
{
	machine_free(rig->machine);
	pretend_remove(rig->root);
}

/* Write a file and read the machine anew. */
static void rig_put(struct rig *rig, const char *path, const char *text)
{
	pretend_put(rig->root, path, text);
	rig_load(rig);
}

static const struct machine_warning *find_warning(
	const struct rig *rig, const char *words)
{
	for (size_t i = 0; i < rig->facts->n_warnings; i++) {
		if (strstr(rig->facts->warnings[i].what, words))
			return &rig->facts->warnings[i];
	}
	return NULL;
}

static void assert_warned(
	const struct rig *rig, const char *words, const char *remedy)
{
	const struct machine_warning *warning = find_warning(rig, words);

	if (warning)
		assert_string_equal(warning->remedy, remedy);
	else
		fail_msg("no warning says: %s", words);
}

static void assert_silent(const struct rig *rig, const char *words)
{
	const struct machine_warning *warning = find_warning(rig, words);

	if (warning)
		fail_msg("a warning says: %s", warning->what);
}

static void reads_a_bare_metal_machine(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_load(&rig);
	assert_string_equal(rig.facts->cpu_model, "Pretended Hybrid 155H");
	assert_string_equal(rig.facts->microcode, "0x2b");
	assert_null(rig.facts->hypervisor);
	assert_string_equal(rig.facts->governor, "powersave");
	assert_int_equal(rig.facts->boost, 1);
	assert_int_equal(rig.facts->smt, 1);
	assert_string_equal(rig.facts->thp, "never");
	assert_int_equal(rig.facts->hugetlb_bytes, 2 << 20);
	assert_int_equal(rig.facts->hugetlb_total, 4);
	assert_int_equal(rig.facts->hugetlb_free, 3);
	assert_true(rig.facts->load_1min == 0.25);
	assert_int_equal(rig.facts->memory_bytes, 32ull << 30);
	assert_cpus(&rig.facts->isolated, "");
	assert_cpus(&rig.facts->allowed, "0-9");
	assert_silent(&rig, "virtual machine");
	assert_silent(&rig, "offline");
	assert_silent(&rig, "cpuset");
	assert_silent(&rig, "affinity");
	assert_silent(&rig, "load");
	assert_silent(&rig, "steal");
	assert_silent(&rig, "clock source");
	assert_silent(&rig, "grants");
	/* Four hugetlb pages are reserved. */
	assert_silent(&rig, "huge pages");
	rig_release(&rig);
}

static void says_that_it_is_pretended(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "bare");
	rig_load(&rig);
	assert_warned(&rig, "not the real machine", "unset HWLOC_FSROOT");
	assert_int_equal(rig.facts->n_warnings, 1);
	rig_release(&rig);
}

/* As in a container of lxcfs, which makes up the list of CPUs. */
static void tells_of_cpus_that_hwloc_is_not_shown(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	pretend_put(rig.root, "sys/devices/system/cpu/online", "0-3\n");
	pretend_put(rig.root, "proc/self/status", "Cpus_allowed_list:\t2-5\n");
	rig_load(&rig);
	assert_cpus(&rig.facts->online, "0-5");
	assert_cpus(&rig.facts->allowed, "2-5");
	assert_int_equal(rig.facts->cores, -1);
	assert_int_equal(rig.facts->packages, -1);
	assert_warned(&rig,
		"CPUs 4,5 are in no topology: hwloc sees CPUs 0-3 only",
		"measure on the host, or unmount the files that "
		"'findmnt | grep system/cpu' lists in the container");
	assert_true(machine_has_cpus(
		rig.machine, &(struct cpu_list){(unsigned[]){3, 2}, 2}));
	assert_false(machine_has_cpus(
		rig.machine, &(struct cpu_list){(unsigned[]){3, 4}, 2}));
	rig_release(&rig);
}

static void nothing_is_known_without_files(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "bare");
	rig_load(&rig);
	assert_null(rig.facts->cpu_model);
	assert_null(rig.facts->microcode);
	assert_null(rig.facts->hypervisor);
	assert_null(rig.facts->governor);
	assert_null(rig.facts->thp);
	assert_int_equal(rig.facts->boost, -1);
	assert_int_equal(rig.facts->llcs, -1);
	assert_int_equal(rig.facts->hugetlb_bytes, -1);
	assert_int_equal(rig.facts->hugetlb_total, -1);
	assert_int_equal(rig.facts->memory_bytes, 0);
	assert_true(rig.facts->load_1min < 0);
	assert_cpus(&rig.facts->allowed, "0");
	rig_release(&rig);
}

static void governors_may_differ(void **state)
{
	static const char path[] =
		"sys/devices/system/cpu/cpu3/cpufreq/scaling_governor";
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_load(&rig);
	assert_warned(&rig,
		"the frequency governor of CPUs 0-9 is powersave, not "
		"performance",
		"cpupower frequency-set -g performance");

	rig_put(&rig, path, "performance\n");
	assert_string_equal(rig.facts->governor, "mixed");
	assert_warned(&rig,
		"the frequency governor of CPUs 0-2,4-9 is powersave",
		"cpupower frequency-set -g performance");

	for (int cpu = 0; cpu <= 9; cpu++) {
		char other[sizeof(path)];

		memcpy(other, path, sizeof(path));
		*(strstr(other, "cpu3") + 3) = (char)('0' + cpu);
		pretend_put(rig.root, other, "performance\n");
	}
	rig_load(&rig);
	assert_string_equal(rig.facts->governor, "performance");
	assert_silent(&rig, "governor");
	rig_release(&rig);
}

static void boost_has_two_homes(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_load(&rig);
	assert_warned(&rig, "boost (turbo) is on",
		"echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo");
	rig_put(&rig, "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	assert_int_equal(rig.facts->boost, 0);
	assert_silent(&rig, "boost");

	pretend_drop(rig.root, "sys/devices/system/cpu/intel_pstate");
	rig_put(&rig, "sys/devices/system/cpu/cpufreq/boost", "1\n");
	assert_int_equal(rig.facts->boost, 1);
	assert_warned(&rig, "boost (turbo) is on",
		"echo 0 > /sys/devices/system/cpu/cpufreq/boost");
	rig_put(&rig, "sys/devices/system/cpu/cpufreq/boost", "0\n");
	assert_int_equal(rig.facts->boost, 0);
	rig_put(&rig, "sys/devices/system/cpu/cpufreq/boost", "what\n");
	assert_int_equal(rig.facts->boost, -1);
	rig_release(&rig);
}

static void idle_states_in_force_count(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_load(&rig);
	/* C10 is deeper, but switched off. */
	assert_warned(&rig, "sleep as deep as C6, which takes 220 us",
		"cpupower idle-set -D 10, or measure with --idle spin");
	rig_put(&rig, "sys/devices/system/cpu/cpu0/cpuidle/state3/disable",
		"0\n");
	assert_warned(&rig, "as deep as C10, which takes 1048 us",
		"cpupower idle-set -D 10, or measure with --idle spin");
	pretend_drop(rig.root, "sys/devices/system/cpu/cpu0/cpuidle/state2");
	rig_load(&rig);
	assert_silent(&rig, "idle CPUs");
	rig_release(&rig);
}

static void reads_a_restricted_virtual_machine(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "restricted");
	rig_load(&rig);
	assert_string_equal(rig.facts->hypervisor, "QEMU");
	assert_int_equal(rig.facts->boost, 0);
	assert_null(rig.facts->governor);
	assert_cpus(&rig.facts->online, "0-5");
	assert_cpus(&rig.facts->offline, "6,7");
	assert_cpus(&rig.facts->isolated, "2,4");
	assert_cpus(&rig.facts->cpuset, "0-4");
	assert_cpus(&rig.facts->allowed, "0-2");
	assert_int_equal(rig.facts->cpus_online, 6);
	assert_int_equal(rig.facts->cpus_configured, 8);
	assert_warned(&rig, "this is a virtual machine (QEMU)",
		"on the host, pin each virtual CPU to one core (virsh "
		"vcpupin), or measure on bare metal");
	assert_warned(&rig, "for 3.0 % of the CPUs' time (steal)",
		"ask for dedicated CPUs, or measure when the host is quiet");
	assert_warned(&rig, "the load is 3.50 on 6 CPUs",
		"stop what 'top' shows, or leave its CPUs out (--cpus)");
	assert_warned(&rig, "grants the time of 1.5 CPUs for 3 CPUs",
		"raise cpu.max of the cgroup (docker run --cpus, limits.cpu "
		"of Kubernetes)");
	assert_warned(&rig, "CPU 5 is outside the cpuset",
		"widen cpuset.cpus of the cgroup (docker run --cpuset-cpus), "
		"or run elsewhere");
	assert_warned(&rig,
		"CPUs 3,4 are outside this process's affinity and will",
		"taskset -c 0-4 c2c ...");
	assert_warned(&rig, "CPUs 6,7 are offline and cannot be measured",
		"chcpu --enable 6,7");
	assert_warned(&rig, "automatic NUMA balancing is on",
		"sysctl kernel.numa_balancing=0");
	assert_warned(&rig, "hpet, not tsc: the kernel found that the counters",
		"check 'dmesg | grep -i tsc'; boot with tsc=reliable only if "
		"the TSC is reliable");
	assert_silent(&rig, "huge pages");
	assert_silent(&rig, "boost");
	rig_release(&rig);
}

static void quiet_machines_get_no_warning(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "restricted");
	pretend_put(rig.root, "proc/loadavg", "0.49 0 0 1/200 4242\n");
	pretend_put(
		rig.root, "proc/stat", "cpu  4000 0 1000 4901 0 0 0 99 0 0\n");
	pretend_put(rig.root, "proc/sys/kernel/numa_balancing", "0\n");
	pretend_put(rig.root, "sys/fs/cgroup/work.slice/cpu.max",
		"300000 100000\n");
	rig_load(&rig);
	assert_silent(&rig, "load");
	assert_silent(&rig, "steal");
	assert_silent(&rig, "balancing");
	assert_silent(&rig, "grants");
	rig_release(&rig);
}

/* Half a CPU, and a tenth of them where that is more. */
static void load_is_judged_by_the_cpus(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_put(&rig, "proc/loadavg", "0.99 0 0 1/1 1\n");
	assert_silent(&rig, "the load is");
	rig_put(&rig, "proc/loadavg", "1.00 0 0 1/1 1\n");
	assert_non_null(find_warning(&rig, "the load is 1.00 on 10 CPUs"));
	rig_release(&rig);

	rig_init(&rig, "bare");
	rig_put(&rig, "proc/loadavg", "0.49 0 0 1/1 1\n");
	assert_silent(&rig, "the load is");
	rig_put(&rig, "proc/loadavg", "0.50 0 0 1/1 1\n");
	assert_non_null(find_warning(&rig, "the load is 0.50 on 1 CPU"));
	rig_release(&rig);
}

static void clock_sources_that_are_there_are_advised(void **state)
{
	static const char remedy[] =
		"echo tsc > /sys/devices/system/clocksource/clocksource0/"
		"current_clocksource";
	struct rig rig;

	(void)state;
	rig_init(&rig, "restricted");
	pretend_put(rig.root,
		"sys/devices/system/clocksource/clocksource0/"
		"current_clocksource",
		"kvm-clock\n");
	rig_put(&rig,
		"sys/devices/system/clocksource/clocksource0/"
		"available_clocksource",
		"kvm-clock tsc acpi_pm \n");
	assert_warned(&rig, "kvm-clock, not tsc: reading the clock", remedy);
	/* A name that only contains it is another one. */
	rig_put(&rig,
		"sys/devices/system/clocksource/clocksource0/"
		"available_clocksource",
		"kvm-clock tsc-early\n");
	assert_non_null(find_warning(&rig, "the kernel found"));
	rig_put(&rig,
		"sys/devices/system/clocksource/clocksource0/"
		"current_clocksource",
		"tsc\n");
	assert_silent(&rig, "clock source");
	rig_release(&rig);
}

static void siblings_switched_off_are_switched_on(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "restricted");
	rig_put(&rig, "sys/devices/system/cpu/smt/control", "off\n");
	assert_warned(&rig,
		"CPUs 6,7 are offline (SMT is switched off) and cannot",
		"echo on > /sys/devices/system/cpu/smt/control");
	rig_release(&rig);
}

static void isolated_cpus_are_named_as_such(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "restricted");
	rig_put(&rig, "sys/devices/system/cpu/isolated", "3-5\n");
	assert_warned(&rig,
		"CPUs 3,4 are outside this process's affinity (isolated at "
		"boot)",
		"taskset -c 0-4 c2c ...");
	rig_release(&rig);
}

static void reads_cgroup_v1(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "cgroup-v1");
	rig_load(&rig);
	assert_cpus(&rig.facts->cpuset, "1-4");
	assert_cpus(&rig.facts->allowed, "1,2");
	assert_warned(&rig, "CPUs 0,5 are outside the cpuset",
		"widen cpuset.cpus of the cgroup (docker run --cpuset-cpus), "
		"or run elsewhere");
	assert_silent(&rig, "grants");
	rig_put(&rig, "sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
	assert_non_null(
		find_warning(&rig, "grants the time of 0.5 CPUs for 2 CPUs"));
	/* As a container sees it: its own limit at the root. */
	pretend_drop(rig.root, "sys/fs/cgroup/cpu/job");
	pretend_put(rig.root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "125000\n");
	rig_put(&rig, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	assert_non_null(find_warning(&rig, "grants the time of 1.25 CPUs"));
	rig_release(&rig);
}

/* /proc/self/cgroup has the path of the host; the folder is the container's. */
static void the_cpuset_of_a_container_is_found(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "cgroup-v1");
	pretend_drop(rig.root, "sys/fs/cgroup/cpuset/job");
	pretend_put(rig.root, "sys/fs/cgroup/cpuset/cpuset.effective_cpus",
		"1-2\n");
	rig_load(&rig);
	assert_cpus(&rig.facts->cpuset, "1,2");
	assert_warned(&rig, "CPUs 0,3-5 are outside the cpuset",
		"widen cpuset.cpus of the cgroup (docker run --cpuset-cpus), "
		"or run elsewhere");
	assert_silent(&rig, "affinity");
	/* The CPUs of a partition leave the set of the cgroup above. */
	pretend_put(rig.root, "proc/self/cgroup", "0::/job/task\n");
	pretend_put(rig.root, "sys/fs/cgroup/cpuset.cpus.effective", "0\n");
	rig_put(&rig, "sys/fs/cgroup/job/cpuset.cpus.effective", "1-3\n");
	assert_cpus(&rig.facts->cpuset, "1-3");
	rig_release(&rig);
}

static void huge_pages_are_missed(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_put(&rig, "proc/meminfo",
		"MemTotal: 1024 kB\nHugePages_Total: 0\nHugePages_Free: 0\n"
		"Hugepagesize: 1048576 kB\n");
	assert_int_equal(rig.facts->hugetlb_bytes, 1 << 30);
	assert_warned(&rig, "there are no huge pages",
		"echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
	rig_put(&rig, "sys/kernel/mm/transparent_hugepage/enabled",
		"always [madvise] never\n");
	assert_string_equal(rig.facts->thp, "madvise");
	assert_silent(&rig, "huge pages");
	rig_put(&rig, "sys/kernel/mm/transparent_hugepage/enabled", "odd\n");
	assert_null(rig.facts->thp);
	rig_release(&rig);
}

static void hypervisors_are_named(void **state)
{
	static const struct {
		const char *vendor, *product, *name;
	} firmwares[] = {
		{"QEMU", "KVM Virtual Machine", "KVM"},
		{"Google", "Google Compute Engine", "KVM"},
		{"Amazon EC2", "m7g.large", "KVM"},
		{"VMware, Inc.", "VMware20,1", "VMware"},
		{"Microsoft Corporation", "Virtual Machine", "Hyper-V"},
		{"innotek GmbH", "VirtualBox", "VirtualBox"},
		{"Xen", "HVM domU", "Xen"},
		{"Dell Inc.", "PowerEdge R7625", "unknown"},
	};
	struct rig rig;

	(void)state;
	rig_init(&rig, "restricted");
	for (size_t i = 0; i < sizeof(firmwares) / sizeof(firmwares[0]); i++) {
		pretend_put(rig.root, "sys/class/dmi/id/sys_vendor",
			firmwares[i].vendor);
		rig_put(&rig, "sys/class/dmi/id/product_name",
			firmwares[i].product);
		assert_string_equal(rig.facts->hypervisor, firmwares[i].name);
	}
	rig_put(&rig, "sys/hypervisor/type", "xen\n");
	assert_string_equal(rig.facts->hypervisor, "Xen");
	rig_release(&rig);
}

/* On x86 the CPU itself denies it, whatever the firmware's name. */
static void firmware_alone_makes_no_hypervisor(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	rig_put(&rig, "sys/class/dmi/id/product_name", "KVM");
	assert_null(rig.facts->hypervisor);
	rig_release(&rig);
}

static void arm_cpus_are_named(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "bare");
	rig_put(&rig, "proc/cpuinfo",
		"processor\t: 0\n"
		"CPU implementer\t: 0x41\nCPU architecture: 8\n"
		"CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n");
	assert_string_equal(rig.facts->cpu_model, "Arm Neoverse-N1");

	rig_put(&rig, "proc/cpuinfo",
		"processor\t: 0\n"
		"CPU implementer\t: 0x61\nCPU part\t: 0x022\n\n"
		"processor\t: 1\n"
		"CPU implementer\t: 0x61\nCPU part\t: 0x023\n\n"
		"processor\t: 2\n"
		"CPU implementer\t: 0x61\nCPU part\t: 0x023\n");
	assert_string_equal(
		rig.facts->cpu_model, "Apple M1 Icestorm + Apple M1 Firestorm");

	rig_put(&rig, "proc/cpuinfo",
		"CPU implementer\t: 0x99\nCPU part\t: 0x7\n");
	assert_string_equal(
		rig.facts->cpu_model, "implementer 0x99 part 0x007");
	rig_release(&rig);
}

static void other_cpus_are_named(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "bare");
	rig_put(&rig, "proc/cpuinfo",
		"processor\t: 0\ncpu\t\t: POWER9, altivec supported\n");
	assert_string_equal(rig.facts->cpu_model, "POWER9, altivec supported");
	/* What gVisor says, and hypervisors that hide the microcode. */
	rig_put(&rig, "proc/cpuinfo",
		"cpu family\t: 6\nmodel name\t: unknown\n"
		"microcode\t: 0xffffffff\n");
	assert_null(rig.facts->cpu_model);
	assert_null(rig.facts->microcode);
	rig_put(&rig, "sys/devices/system/cpu/cpu0/microcode/version",
		"0xffffffff\n");
	assert_null(rig.facts->microcode);
	rig_release(&rig);
}

static void odd_files_are_unknown_facts(void **state)
{
	static const char *const lists[] = {"5-", "0-3,x", "9-3", "abc",
		"0-3 5", "0-3x", "-1", "1,-3", "0x3"};
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	pretend_put(rig.root, "proc/loadavg", "busy\n");
	pretend_put(rig.root, "proc/meminfo", "HugePages_Total: many\n");
	pretend_put(rig.root, "sys/devices/system/cpu/smt/active", "\n");
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		rig_put(&rig, "sys/devices/system/cpu/isolated", lists[i]);
		assert_cpus(&rig.facts->isolated, "");
	}
	assert_true(rig.facts->load_1min < 0);
	assert_int_equal(rig.facts->hugetlb_total, -1);
	/* The topology shows two threads a core all the same. */
	assert_int_equal(rig.facts->smt, 1);
	rig_release(&rig);
}

static void files_that_may_not_be_read_are_unknown_facts(void **state)
{
	struct rig rig;

	(void)state;
	rig_init(&rig, "hybrid");
	/* A folder in a file's place cannot be read, not even by root. */
	pretend_drop(rig.root, "proc/loadavg");
	pretend_put(rig.root, "proc/loadavg/folder", "");
	pretend_drop(rig.root, "sys/devices/system/cpu/intel_pstate/no_turbo");
	pretend_put(rig.root,
		"sys/devices/system/cpu/intel_pstate/no_turbo/folder", "");
	rig_load(&rig);
	assert_true(rig.facts->load_1min < 0);
	assert_int_equal(rig.facts->boost, -1);
	rig_release(&rig);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(reads_a_bare_metal_machine),
	cmocka_unit_test(says_that_it_is_pretended),
	cmocka_unit_test(tells_of_cpus_that_hwloc_is_not_shown),
	cmocka_unit_test(nothing_is_known_without_files),
	cmocka_unit_test(governors_may_differ),
	cmocka_unit_test(boost_has_two_homes),
	cmocka_unit_test(idle_states_in_force_count),
	cmocka_unit_test(reads_a_restricted_virtual_machine),
	cmocka_unit_test(quiet_machines_get_no_warning),
	cmocka_unit_test(load_is_judged_by_the_cpus),
	cmocka_unit_test(clock_sources_that_are_there_are_advised),
	cmocka_unit_test(siblings_switched_off_are_switched_on),
	cmocka_unit_test(isolated_cpus_are_named_as_such),
	cmocka_unit_test(reads_cgroup_v1),
	cmocka_unit_test(the_cpuset_of_a_container_is_found),
	cmocka_unit_test(huge_pages_are_missed),
	cmocka_unit_test(hypervisors_are_named),
	cmocka_unit_test(firmware_alone_makes_no_hypervisor),
	cmocka_unit_test(arm_cpus_are_named),
	cmocka_unit_test(other_cpus_are_named),
	cmocka_unit_test(odd_files_are_unknown_facts),
	cmocka_unit_test(files_that_may_not_be_read_are_unknown_facts),
};

CASE_GROUP(cases);
