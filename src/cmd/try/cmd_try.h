/* c2c try: types and functions that its files share. */
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

/* Rounds of a block: least, most with --budget, most with --rounds. */
#define TRY_ROUNDS_LEAST 8
#define TRY_ROUNDS_FIT	 40
#define TRY_ROUNDS_MOST	 500

/* c2c stops a run that takes this multiple of the time of an unbound run. */
#define TRY_SLOWER_MAX 20.0

/* Time between SIGTERM and SIGKILL for a program or a server. */
#define TRY_GRACE_S 2.0

/* c2c searches only the last bytes of an output. */
#define TRY_OUTPUT_BYTES (16 << 20)

/* Largest number of options --cpus NAME=LIST. */
#define TRY_NAMED_MOST 16

struct try_arguments {
	struct options_given given;
	struct outputs outputs;
	const char *named[TRY_NAMED_MOST]; /* [n_named] borrowed */
	size_t n_named;
	const char *from, *metric;
	const char *setup, *ready, *client_cpus;
	uint64_t threads, rounds, seed;
	bool list, each;
	int better; /* 0: lower, 1: higher */
	double budget_s, limit_s;
	int verbosity;
};

enum try_metric {
	TRY_WALL,
	TRY_CPU,
	TRY_MAX_RSS,
	TRY_OUTPUT, /* a number in the output, found by regex */
};

/* The sign that a server is ready. */
enum try_ready {
	TRY_READY_OUTPUT, /* its output matches a regular expression */
	TRY_READY_PORT,	  /* a TCP port of this machine answers */
	TRY_READY_FILE,	  /* it writes a file, or a UNIX socket answers */
};

/* Observations of one run of the program. */
struct try_run {
	double wall_s, cpu_s, value;
	size_t busy; /* most threads that were busy in one sample */
	bool stacked;
	bool binds_itself;   /* a thread changed its affinity */
	bool left_processes; /* c2c ended processes of the program */
	bool timed_out;
};

struct try_task {
	const struct try_arguments *arguments;
	struct arena *arena;
	char **program; /* terminated by NULL */
	struct machine *machine;
	const struct cpu_list *allowed;
	enum try_metric metric;
	regex_t regex; /* of TRY_OUTPUT */
	bool has_regex;
	enum try_ready ready; /* with --setup */
	regex_t ready_regex;  /* of TRY_READY_OUTPUT */
	bool has_ready_regex;
	uint16_t ready_port;
	struct cpu_list client_cpus; /* empty: the client is unbound */
	struct result latencies;
	bool has_latencies;
	struct analysis analysis;
	bool has_analysis;
	double measured_s; /* when the latencies were measured; 0: from a file
			    */
	size_t *near_rows; /* [trial.threads] rows of near CPUs, or NULL */
	struct stat_random random;
	struct program_trial trial;
	double unbound_s; /* longest unbound run before the blocks */
	double begun_s;
	size_t busy;	  /* most busy threads before the blocks */
	double throttled; /* share of throttled periods; 0: unknown */
	size_t ended;	  /* runs that took too long */
	bool binds_itself, left_processes, constant;
	const char *lost; /* why no placement is by latency */
};

/*
 * try_program.c: run the program to its end on these CPUs (empty: unbound),
 * with memory bound to the nodes of the placement.
 */
int try_program_run(struct try_task *task,
	const struct tried_placement *placement, const struct cpu_list *cpus,
	double limit_s, struct try_run *run, struct error *err);

/*
 * Return the last bytes of the output, at most `most`, for free(). NULL: no
 * memory.
 */
char *try_read_output(int fd, size_t most);

/* Set an error for a program that failed or was ended by a signal: -ECHILD. */
int try_report_end(const char *name, const struct child_end *end, int output,
	struct error *err);

/*
 * try_server.c: start the server of --setup, call run() once it is ready, and
 * stop it. before() runs in the process of the server and returns 0 or an
 * errno.
 */
struct try_client {
	int (*before)(void *context);
	const char *calls; /* system calls for error messages */
	int (*run)(void *context, pid_t server, struct error *err);
	void *context;
};

int try_server_run(const struct try_task *task, const struct try_client *client,
	struct error *err);

/*
 * try_placements.c: try_placements_begin() reads --from and adds the placements
 * that depend neither on trial.threads nor on latencies. try_placements_make()
 * measures latencies, unless --from has them, and adds all other placements.
 */
int try_placements_begin(struct try_task *task, struct error *err);
int try_placements_make(struct try_task *task, struct error *err);

/* Return the CPUs of a placement; random CPUs differ in each call. */
struct cpu_list try_placement_cpus(
	struct try_task *task, const struct tried_placement *placement);

/* Measure latencies again; drop placements by latency if near CPUs moved. */
int try_placements_look_again(struct try_task *task, struct error *err);

/* try_rounds.c: make the first run; then the warm-up and both blocks. */
int try_first_run(struct try_task *task, struct error *err);
int try_blocks(struct try_task *task, struct error *err);

/*
 * try_outputs.c: write the outputs of a trial, and print it. Return an enum
 * exit_status.
 */
int try_save(const struct try_task *task);

/*
 * try_report.c: add the sentences of a judged trial, or one sentence; print the
 * trial, or only its table.
 */
void try_say(struct try_task *task);
void try_say_sentence(struct try_task *task, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void try_print(const struct program_trial *trial, struct arena *arena);
void try_print_table(
	FILE *out, const struct program_trial *trial, struct arena *arena);
/* Return the command line of the placed program or server. */
const char *try_show_program(const struct try_task *task);
void try_print_list(const struct program_trial *trial);

#endif
