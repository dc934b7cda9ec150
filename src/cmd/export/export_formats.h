/*
 * The words of --placement. A row has the word, a function that prepares
 * printing (or NULL), and text for the manual with the markup of
 * man/options.awk. print_WORD() in export_programs.c or export_guests.c prints
 * the format. The help, the parser, the manual and the completion come from the
 * rows.
 */
#ifndef C2C_EXPORT_FORMATS_H
#define C2C_EXPORT_FORMATS_H

#define EXPORT_FORMATS(ROW)                                                    \
	ROW(taskset, NULL,                                                     \
		"The beginning of a command that binds the whole program to "  \
		"all these CPUs. Threads may still run on any of these "       \
		"CPUs. For up to 64 threads, c2c also prints on standard "     \
		"error a command that pins each thread.")                      \
	ROW(numactl, NULL,                                                     \
		"The beginning of a command of numactl(8), which also "        \
		"allocates memory on the node where each thread runs.")        \
	ROW(slurm, NULL,                                                       \
		"The beginning of a command of srun(1): task I of "            \
		"`--cpu-bind=map_cpu:LIST` is bound to CPU I of the list. "    \
		"The command works only if the job has the whole node "        \
		"(--exclusive).")                                              \
	ROW(libvirt, find_guest_layout,                                        \
		"A minimal domain, with parts to copy into others: a "         \
		"`vcpupin` for each vCPU, the `topology` and the `cell` "      \
		"elements of the guest's NUMA nodes. See [Guests].")           \
	ROW(qemu, find_guest_layout,                                           \
		"The guest of libvirt, as QEMU options. QEMU has no option "   \
		"to pin vCPUs, so c2c prints the CPU of each vCPU on "         \
		"standard error.")                                             \
	ROW(omp, NULL,                                                         \
		"The beginning of a command that gives OpenMP a place of one " \
		"CPU for each thread, in order: `OMP_PLACES={0},{8}`. For a "  \
		"runtime without places, c2c prints `GOMP_CPU_AFFINITY` of "   \
		"GCC and `KMP_AFFINITY` of Intel and LLVM on standard error. " \
		"`OMP_DISPLAY_ENV=true` shows what the runtime uses.")         \
	ROW(rankfile, find_logical_slots,                                      \
		"A file for Open MPI 5 with a line for each rank, `rank "      \
		"0=+n0 slot=3`, where `+n0` is the first host: `mpirun "       \
		"--map-by rankfile:file=FILE:hwtcpus`. Slots are hwloc's "     \
		"logical numbers of hardware threads, not CPU numbers, so "    \
		"c2c needs a topology. Create the file with the CPU limits "   \
		"of mpirun.")                                                  \
	ROW(likwid, NULL,                                                      \
		"The beginning of a command of likwid-pin(1): "                \
		"`-c 0,8,1` pins the first thread that the program creates "   \
		"to the first CPU, and so on.")                                \
	ROW(systemd, NULL,                                                     \
		"The section of a drop-in (`systemctl edit UNIT`) that binds " \
		"a service: `CPUAffinity=` is the first mask, `AllowedCPUs=` " \
		"the cpuset that it cannot leave. If the topology has "        \
		"several NUMA nodes, `NUMAPolicy=bind` and `NUMAMask=` keep "  \
		"memory on the nodes of these CPUs, otherwise "                \
		"`NUMAPolicy=local`.")                                         \
	ROW(podman, NULL,                                                      \
		"The beginning of `podman run`, also for docker: "             \
		"`--cpuset-cpus=LIST` and, if the topology has several NUMA "  \
		"nodes, `--cpuset-mems=LIST`.")                                \
	ROW(dpdk, NULL,                                                        \
		"An option of EAL that runs lcore I on CPU I of the "          \
		"placement: `--lcores=0@3,1@17`. On standard error c2c "       \
		"prints `-l`, with which each lcore has the number of its "    \
		"CPU; these numbers must be below `RTE_MAX_LCORE`, often "     \
		"128.")                                                        \
	ROW(haproxy, check_thread_group,                                       \
		"Lines for the section `global`: `nbthread N` and `cpu-map "   \
		"1/THREAD CPU` for each thread, counted from 1. A thread "     \
		"group has at most 64 threads.")                               \
	ROW(seastar, NULL,                                                     \
		"Options of a program that uses Seastar, such as ScyllaDB: "   \
		"`--cpuset=LIST --smp=N`. Seastar pins one thread to each "    \
		"CPU.")                                                        \
	ROW(proxmox, NULL,                                                     \
		"Options for `qm set VMID`: `--affinity LIST` binds the "      \
		"virtual machine, which has the same number of vCPUs, to "     \
		"these CPUs. A vCPU may run on any of these CPUs.")            \
	ROW(nfd, NULL,                                                         \
		"Labels of a Kubernetes node for Node Feature Discovery, "     \
		"which describe the machine and not threads: a file for "      \
		"`/etc/kubernetes/node-feature-discovery/features.d/`. Each "  \
		"level has its kind, the number of groups and, for "           \
		"latencies, the medians inside and between groups; "           \
		"`c2c-near-pairs` is lasted, moved or unknown.")               \
	ROW(scx, NULL,                                                         \
		"A command for each group of --level that gives a slice of "   \
		"systemd the CPUs of that group. scx_mitosis, a scheduler of " \
		"sched_ext, makes a cell of each cgroup that has its own "     \
		"cpuset; `systemd-run --slice=c2c-0.slice PROGRAM` runs a "    \
		"program in the first cell. Without a level, all CPUs are "    \
		"one group.")                                                  \
	ROW(json, NULL,                                                        \
		"For programs: each CPU of the placement, in the order of "    \
		"threads, with all measured CPUs from the nearest to the "     \
		"farthest and their values; see c2c-record(5).")
struct error;
struct thread_placement;

struct export_format {
	const char *word;
	int (*check)(struct thread_placement *placement, struct error *err);
	void (*print)(const struct thread_placement *placement);
};

/* The formats in the order of the rows. */
extern const struct export_format export_formats[];

#define EXPORT_FORMAT_BAR(word, ...)	      "|" #word
#define EXPORT_FORMAT_WORD(word, ...)	      " " #word
#define EXPORT_FORMAT_NOTE(word, check, text) ".It Cm " #word "\n" text "\n"

#endif
