/*
 * The common steps of every measuring command: options, campaign, result,
 * files, text. A command adds its options, probe and labels.
 */
#ifndef C2C_MEASURE_H
#define C2C_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/option.h"
#include "cmd/outputs.h"
#include "engine/campaign.h"
#include "engine/summary.h"
#include "machine/timebase.h"
#include "util/words.h"

/* Budget with --quick, for commands that have this option. */
#define MEASURE_QUICK_BUDGET_S 1.5

enum measure_pairs {
	MEASURE_ALL,
	MEASURE_PAIR,
	MEASURE_FROM
};

enum measure_idle {
	MEASURE_PARK,
	MEASURE_SPIN,
	MEASURE_AUTO /* c2c chooses it later */
};

/* How the CPUs of a pair wait for each other, in the order of --spin-hint. */
enum measure_spin_hint {
	MEASURE_HINT_NONE,  /* a bare loop */
	MEASURE_HINT_PAUSE, /* with the spin-wait hint */
	MEASURE_HINT_AUTO   /* c2c chooses it by a trial */
};

/* The common options. After prepare(), these have effective values. */
struct measure_options {
	struct options_given given;
	enum measure_pairs pairs;
	const char *pair, *from; /* "A,B" or "A"; NULL */
	const char *pair_text;	 /* text of --pair or --from */
	const char *cpus_text;
	bool all_pairs;
	enum machine_per per;
	const char *resume; /* record to complete, or NULL */
	struct option_range passes;
	uint64_t runs;	/* number of runs; 1: in this process */
	uint64_t child; /* 1: one of --runs; 2: it sends progress */
	int argc;
	char **argv; /* arguments of main(), to start c2c again */
	double precision_pct, budget_s;
	uint64_t jobs; /* 0 auto, SIZE_MAX max */
	enum measure_idle idle;
	uint64_t seed;
	struct outputs outputs;
	bool json;
	bool no_report;	  /* print no report on standard output */
	bool keep_passes; /* keep all passes in the record */
	int verbosity;
};

struct measure_plan;
struct measure_state;

/* Value of measure_plan.refused for a command without pairs. */
#define MEASURE_OF_PAIRS "all-pairs pair from resume jobs keep-passes"

struct option_table measure_options_table(struct measure_options *options);

/* The NUMA node of lines or queues. */
struct measure_home {
	const char *text;
	enum lines_home home;
	uint64_t node;
};

int measure_parse_home(void *at, const char *text, struct error *err);

/* Rows for some commands: --home, a struct measure_home, and --pages. */
#define MEASURE_HOME_ROW(place, text)                                          \
	{                                                                      \
		"home", OPTION_OWN, WORDS_BARS(LINES_HOMES), place,            \
			.help = (text), .parse = measure_parse_home,           \
			.is = OPTION_TEXT, .standard = "first",                \
			.record = "home", .same = true                         \
	}
#define MEASURE_BASE_PAGES                                                     \
	"Base pages (4k) have 4 KiB on x86-64; other machines may have "       \
	"larger base pages."
#define MEASURE_PAGES_ROW(place, of)                                           \
	{                                                                      \
		"pages", OPTION_WORD, WORDS_BARS(MEMORY_PAGES), place,         \
			.help = "Pages of " of ": hugetlb if reserved, else "  \
				"transparent, else base pages (auto, the "     \
				"default), or the named kind",                 \
			.more = MEASURE_BASE_PAGES, .record = "pages",         \
			.same = true                                           \
	}

/* The CPUs and pairs of a run. */
struct measure_selection {
	const struct machine *machine;
	struct cpu_list cpus; /* in the order of rows and columns */
	/* [n_pairs], indexes into cpus; NULL: all pairs */
	struct schedule_pair *pairs;
	size_t n_pairs;	  /* set even if pairs is NULL */
	uint32_t *others; /* see struct campaign_options; NULL: none */
};

/* The plan of a measuring command. */
struct measure_plan {
	const char *command;
	const char *doc, *often, *examples; /* see struct option_command */
	/*
	 * The command sets probe, params (except for the clock), both_ways,
	 * order, memory, and patience_s (extra time for long visits).
	 */
	struct campaign_options campaign;
	struct summary_labels labels; /* name[0] NULL: no matrices */
	/* NULL: the NUMA node of the first CPU of a pair. */
	const struct measure_home *home;
	uint64_t *lines; /* number of lines; NULL: one block */
	/*
	 * The requested enum measure_spin_hint, or NULL. The run replaces
	 * MEASURE_HINT_AUTO by its choice.
	 */
	int *spin_hint;
	bool diagonal;	       /* (a, a) is a pair; implies both_ways */
	double budget_s;       /* default of --budget; 0: the common one */
	double quick_budget_s; /* default with --quick; 0: no other */
	bool auto_jobs;	       /* auto is the default of --jobs */
	bool maps_memory;      /* prepare() maps memory for seconds */
	bool epochs;	       /* values are of the longest epoch */
	/* Measure pairs again that contradict their neighbours. */
	bool measure_contradicted;
	/* Common options that the command refuses, with blanks between them. */
	const char *refused;
	/* Option rows and settings; effective values after prepare(). */
	struct option_table options;
	void *context;

	/*
	 * Hooks; each may be NULL and returns 0 or a negative errno. select:
	 * choose CPUs and pairs instead of the default (see
	 * measure_select_cpus()). prepare: check the request against the
	 * machine before measuring. finish: add to the complete result, and to
	 * its block "run".
	 */
	int (*select)(struct measure_plan *plan,
		const struct measure_options *options,
		struct measure_selection *selection, struct error *err);
	int (*prepare)(struct measure_plan *plan,
		const struct measure_selection *selection, struct error *err);
	int (*finish)(struct measure_plan *plan, struct campaign *campaign,
		struct result *result, struct error *err);

	/* choose: set members that depend on options. release: free *own. */
	void (*choose)(struct measure_plan *plan);
	void (*release)(void *own);

	/*
	 * rest: see on_burst_end of struct campaign_options. run is for
	 * measure_save_now().
	 */
	bool (*rest)(struct measure_plan *plan, struct campaign *campaign);
	void (*after_campaign)(struct measure_plan *plan);
	struct measure_state *run;
	const struct timebase *clock; /* set before prepare */

	/* Add results to the record of several runs; or NULL. */
	int (*merged)(struct result *result, struct error *err);

	/*
	 * Print results besides the matrices on standard output. print_first:
	 * before the chart of the curves. print_all: as the whole report.
	 */
	void (*print)(const struct result *result);
	bool print_first, print_all;

	/* For hooks before measuring, to report progress; or NULL. */
	void (*report_progress)(
		void *context, double fraction, const char *text);
	void *report_context;

	/* Why visits may have no value, with advice, or NULL. */
	const char *why_empty;

	/* Time limit for six passes, if longer than the default. */
	double six_passes_s;

	/* Expected times of a pair, of a row, and once in a run; 0: unknown. */
	double pair_s, row_s, first_s;
	const char *shorter_by; /* advice: "... takes less time" */
	int status;		/* status of a successful run, set by finish */
	bool lost;		/* a lost thread may still use the context */
};

/* Check that n blocks fit into memory. The error of -ENOMEM has advice. */
int measure_check_memory(enum memory_pages pages, size_t bytes, size_t n,
	const char *what, const char *choose, struct error *err);

/*
 * Warn of base pages where huge pages were requested, and of memory that was
 * not on the requested node.
 */
void measure_warn_memory(struct campaign *campaign, enum memory_pages asked,
	enum memory_pages had, double huge_share, bool bound);

/*
 * Put the CPUs that --cpus, --cores and --per select into selection->cpus, in
 * the order of --cpus.
 */
int measure_select_cpus(const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/* Put the two CPUs of --pair into selection->cpus. */
int measure_select_pair(const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/*
 * Select CPUs and pairs by the common options, for a select() of a plan. List
 * the pairs, even if they are all pairs.
 */
int measure_select_pairs(const struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/* Find the CPU that text, the value of --from, names. */
int measure_select_one(const struct machine *machine, const char *text,
	unsigned *cpu, struct error *err);

/* Return the number of rows in the list of pairs. */
size_t measure_count_rows(const struct measure_selection *selection);

/* Append a pair of indexes into cpus to the list. */
int measure_add_pair(struct measure_selection *selection,
	struct schedule_pair pair, struct error *err);

/* In the hook rest: save the record so far, as JSON. */
int measure_save_now(
	struct measure_plan *plan, const char *path, struct error *err);

/*
 * Set *options to the defaults, parse the command line into *options and
 * plan->options, measure, and print. Return an enum exit_status.
 */
int measure_command(struct measure_plan *plan, struct measure_options *options,
	int argc, char **argv);

#endif
