/*
 * c2c try: what its files share.
 */
#ifndef C2C_CMD_TRY_H
#define C2C_CMD_TRY_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyze/analyze.h"
#include "cmd/option.h"
#include "cmd/outputs.h"
#include "machine/machine.h"
#include "result/program_trial.h"
#include "result/result.h"
#include "stat/stat.h"
#include "util/arena.h"
#include "util/child.h"
#include "util/text.h"

/* At least so many rounds a block, and as many as fit, up to a limit. */
#define TRY_ROUNDS_LEAST 8
#define TRY_ROUNDS_FIT	 40
#define TRY_ROUNDS_MOST	 500

/* A run that takes so many times as long as unbound is ended. */
#define TRY_SLOWER_MAX 20.0

/* A program or server that is asked to end gets so long. */
#define TRY_GRACE_S 2.0

/* Of an output so many bytes at its end are searched. */
#define TRY_OUTPUT_BYTES (16 << 20)

/* --cpus NAME=LIST. */
#define TRY_NAMED_MOST 16

struct try_arguments {
	struct options_given given;
	struct outputs outputs;
	const char *named[TRY_NAMED_MOST]; /* [n_named] borrowed */
	size_t n_named;
	const char *from, *metric;
	const char *setup, *ready, *client_cpus;
	uint64_t threads, rounds, seed;
	bool list;
	int better; /* which of lower|higher */
	double budget_s, limit_s;
	int verbosity;
};

enum try_metric {
	TRY_WALL,
	TRY_CPU,
	TRY_MAX_RSS,
	TRY_OUTPUT, /* of the regular expression */
};

/* How --ready shows that a server is ready. */
enum try_ready {
	TRY_READY_OUTPUT, /* it prints what a regular expression matches */
	TRY_READY_PORT,	  /* a TCP port of this machine answers */
	TRY_READY_FILE,	  /* a file is written, or a socket answers */
};

/* A run of the program, and what was seen of it. */
struct try_run {
	double wall_s, cpu_s, value;
	size_t busy; /* threads that used a CPU for a tenth of the time */
	bool stacked;
	bool binds_itself;   /* a thread may not use all CPUs of the mask */
	bool left_processes; /* which c2c ended */
	bool timed_out;
};

struct try_task {
	const struct try_arguments *arguments;
	struct arena *arena;
	char **program; /* NULL ends it */
	struct machine *machine;
	const struct cpu_list *allowed;
	enum try_metric metric;
	regex_t regex; /* of TRY_OUTPUT */
	bool has_regex;
	enum try_ready ready; /* with --setup */
	regex_t ready_regex;  /* of TRY_READY_OUTPUT */
	bool has_ready_regex;
	uint16_t ready_port;
	struct cpu_list client_cpus; /* of the program; empty: unbound */
	struct result latencies;
	bool has_latencies;
	struct analysis analysis;
	bool has_analysis;
	double measured_s; /* when the latencies were measured; 0: from a file
			    */
	size_t *near_rows; /* [trial.threads] in the record; NULL: none is near
			    */
	struct stat_random random;
	struct program_trial trial;
	double unbound_s; /* a run in the warm-up */
	double begun_s;
	size_t busy;  /* threads of the program, in the first run */
	size_t ended; /* runs that took too long */
	bool binds_itself, left_processes, constant;
	struct text_list said; /* sentences, a line each */
	const char *lost;      /* why placements by latency are left out */
};

/*
 * try_program.c: run the program to its end on these CPUs (empty: unbound), and
 * with the memory of this placement.
 */
int try_program_run(struct try_task *task,
	const struct tried_placement *placement, const struct cpu_list *cpus,
	double limit_s, struct try_run *run, struct error *err);

/* The end of the output, for free(); NULL without memory. */
char *try_read_output(int fd, size_t most);

/* A sentence on a program or a command that did not end well: -ECHILD. */
int try_report_end(const char *name, const struct child_end *end, int output,
	struct error *err);

/*
 * try_server.c: start the server of --setup, call run() once it is ready, and
 * end it. before() is called in the server's process: 0 or an errno.
 */
struct try_client {
	int (*before)(void *context);
	int (*run)(void *context, pid_t server, struct error *err);
	void *context;
};

int try_server_run(const struct try_task *task, const struct try_client *client,
	struct error *err);

/*
 * try_placements.c: add the placements that no threads or latencies decide, and
 * read --from. Then, for trial.threads, measure latencies if none were read,
 * and add the others.
 */
int try_placements_begin(struct try_task *task, struct error *err);
int try_placements_make(struct try_task *task, struct error *err);

/* The CPUs of a placement in this round; random ones are drawn. */
struct cpu_list try_placement_cpus(
	struct try_task *task, const struct tried_placement *placement);

/* Measure again: drop placements by latency if the near CPUs moved. */
int try_placements_look_again(struct try_task *task, struct error *err);

/* try_rounds.c: the first run, and then the warm-up and both blocks. */
int try_first_run(struct try_task *task, struct error *err);
int try_blocks(struct try_task *task, struct error *err);

/* try_report.c: fill the sentences of a judged trial. Print it. */
void try_say(struct try_task *task);
void try_print(const struct program_trial *trial, struct arena *arena);
void try_print_list(const struct program_trial *trial);

#endif
