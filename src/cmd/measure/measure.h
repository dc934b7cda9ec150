/*
 * The common course of every measuring command: options, campaign, result,
 * files, text. A command adds its options, its probe and its labels.
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

/* Budget under --quick, for commands that have it. */
#define MEASURE_QUICK_BUDGET_S 1.5

enum measure_pairs {
	MEASURE_ALL,
	MEASURE_PAIR,
	MEASURE_FROM
};

enum measure_idle {
	MEASURE_PARK,
	MEASURE_SPIN,
	MEASURE_AUTO /* until c2c knows what suits the machine */
};

/* How the CPUs of a pair wait for each other, in the order of --spin-hint. */
enum measure_spin_hint {
	MEASURE_HINT_NONE,  /* a bare loop */
	MEASURE_HINT_PAUSE, /* with the spin-wait hint */
	MEASURE_HINT_AUTO   /* until a trial has compared both */
};

/* The common options. After prepare() they have their effective values. */
struct measure_options {
	struct options_given given;
	enum measure_pairs pairs;
	const char *pair, *from; /* "A,B" or "A"; NULL */
	const char *pair_text;	 /* pair or from, whichever was given */
	const char *cpus_text;
	bool all_pairs;
	enum machine_per per;
	const char *resume; /* a record whose gaps the run fills; NULL */
	struct option_range passes;
	uint64_t runs;	/* each in a new process; 1: in this process */
	uint64_t child; /* 1: this is one run; 2: it also sends progress */
	int argc;
	char **argv; /* those of main(), to start c2c again */
	double precision_pct, budget_s;
	uint64_t jobs; /* 0 auto, SIZE_MAX max */
	enum measure_idle idle;
	uint64_t seed;
	struct outputs outputs;
	bool json;
	bool no_report;	  /* standard output has another use */
	bool keep_passes; /* the record has all passes */
	int verbosity;
};

struct measure_plan;
struct measure_state;

/* Options that a command without pairs refuses, for its plan. */
#define MEASURE_OF_PAIRS "all-pairs pair from resume jobs keep-passes"

/* The rows of these options. */
struct option_table measure_options_table(struct measure_options *options);

/* The NUMA node of lines or queues. */
struct measure_home {
	const char *text;
	enum lines_home home;
	uint64_t node;
};

int measure_parse_home(void *at, const char *text, struct error *err);

/* Rows that some commands have: for a struct measure_home, for memory_pages. */
#define MEASURE_HOME_ROW(place, text)                                          \
	{                                                                      \
		"home", OPTION_OWN, WORDS_BARS(LINES_HOMES), place,            \
			.help = (text), .parse = measure_parse_home,           \
			.is = OPTION_TEXT, .standard = "first",                \
			.record = "home", .same = true                         \
	}
#define MEASURE_BASE_PAGES                                                     \
	"Base pages (4k) have 4 KiB on x86-64; other machines may have "       \
	"larger ones."
#define MEASURE_PAGES_ROW(place, of)                                           \
	{                                                                      \
		"pages", OPTION_WORD, WORDS_BARS(MEMORY_PAGES), place,         \
			.help = "Pages of " of ": hugetlb if reserved, else "  \
				"transparent, else base pages (auto, the "     \
				"default), or those named",                    \
			.more = MEASURE_BASE_PAGES, .record = "pages",         \
			.same = true                                           \
	}

/* The CPUs and pairs of a run. */
struct measure_selection {
	const struct machine *machine;
	struct cpu_list cpus; /* the order of rows and columns */
	/* [n_pairs], indexes into cpus; NULL: all pairs */
	struct schedule_pair *pairs;
	size_t n_pairs;	  /* also if pairs is NULL */
	uint32_t *others; /* see struct campaign_options; NULL: none */
};

/* What a command measures. */
struct measure_plan {
	const char *command;
	const char *doc, *often, *examples; /* see struct option_command */
	/*
	 * What the command sets: probe, params except for the clock's part,
	 * both_ways, order, memory, and patience_s, extra time for long visits.
	 */
	struct campaign_options campaign;
	struct summary_labels labels; /* name[0] NULL: no matrices */
	/* NULL: use the node of the first CPU. */
	const struct measure_home *home;
	uint64_t *lines; /* number requested, then used; NULL: one block */
	/*
	 * The requested enum measure_spin_hint, which the run replaces with
	 * the one that it chose; or NULL.
	 */
	int *spin_hint;
	bool diagonal;	       /* (a, a) counts as a pair; implies both_ways */
	double budget_s;       /* the default of --budget; 0: the usual */
	double quick_budget_s; /* the default with --quick, if it differs */
	bool auto_jobs;	       /* auto is the default of --jobs */
	bool maps_memory;      /* prepare maps memory, which may take seconds */
	bool epochs; /* values are from the longest epoch without a move */
	/* Measure pairs again that contradict their neighbours. */
	bool measure_contradicted;
	/* Common options that the command refuses, with blanks between them. */
	const char *refused;
	/* The command's rows, effective after prepare(), and other settings. */
	struct option_table options;
	void *context;

	/*
	 * Hooks; each may be NULL and returns 0 or a negative errno. select:
	 * choose CPUs and pairs instead of the default (measure_select_cpus()
	 * helps). prepare: check the request against the machine before
	 * measuring. finish: add to the complete result, and to its block
	 * "run".
	 */
	int (*select)(struct measure_plan *plan,
		const struct measure_options *options,
		struct measure_selection *selection, struct error *err);
	int (*prepare)(struct measure_plan *plan,
		const struct measure_selection *selection, struct error *err);
	int (*finish)(struct measure_plan *plan, struct campaign *campaign,
		struct result *result, struct error *err);

	/* choose: set what depends on options. release: free what own has. */
	void (*choose)(struct measure_plan *plan);
	void (*release)(void *own);

	/*
	 * See campaign_options, with passes in bursts; run is for
	 * measure_save_now(). over: measuring has ended.
	 */
	bool (*rest)(struct measure_plan *plan, struct campaign *campaign);
	void (*after_campaign)(struct measure_plan *plan);
	struct measure_state *run;
	const struct timebase *clock; /* set before prepare */

	/*
	 * In a record of several runs, set what depends on its values; or NULL.
	 */
	int (*merged)(struct result *result, struct error *err);

	/*
	 * Print on standard output what the matrices do not show. print_first:
	 * before the chart of the curves. print_all: this is the whole report.
	 */
	void (*print)(const struct result *result);
	bool print_first, print_all;

	/*
	 * Set for the hooks before measuring, which report their progress by
	 * it. NULL: no progress is shown.
	 */
	void (*report_progress)(
		void *context, double fraction, const char *text);
	void *report_context;

	/* Why visits may have no value, and what to do; NULL: unknown. */
	const char *why_empty;

	/* Time that six passes may take, if longer than usual. */
	double six_passes_s;

	/* To announce the time: for each pair, each row, once; 0: unknown. */
	double pair_s, row_s, first_s;
	const char *shorter_by; /* what "takes less time" */
	int status;		/* of a successful run; set by finish */
	bool lost; /* set by the run: a thread may still use the context */
};

/* Check that n blocks fit into memory. -ENOMEM says what to choose. */
int measure_check_memory(enum memory_pages pages, size_t bytes, size_t n,
	const char *what, const char *choose, struct error *err);

/*
 * Warn of base pages where huge pages were requested, and of memory that was
 * not on the requested node.
 */
void measure_warn_memory(struct campaign *campaign, enum memory_pages asked,
	enum memory_pages had, double huge_share, bool bound);

/*
 * Put the CPUs that --cpus, --cores and --per leave into selection->cpus, in
 * the named order.
 */
int measure_select_cpus(const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/* Put the two CPUs of --pair into selection->cpus. */
int measure_select_pair(const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/*
 * Select the CPUs and the pairs that the options name, as without a select of
 * the plan. List the pairs, even if they are all.
 */
int measure_select_pairs(const struct measure_plan *plan,
	const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/* Find the CPU that text, the value of --from, names. */
int measure_select_one(const struct machine *machine, const char *text,
	unsigned *cpu, struct error *err);

/* Return how many rows the listed pairs have, in their order. */
size_t measure_count_rows(const struct measure_selection *selection);

/* Append a pair of indexes into cpus to the list. */
int measure_add_pair(struct measure_selection *selection,
	struct schedule_pair pair, struct error *err);

/* During rest: save the record measured so far, as JSON. */
int measure_save_now(
	struct measure_plan *plan, const char *path, struct error *err);

/*
 * Set *options to the defaults, parse the command line into *options and
 * plan->options, measure, and print. Return an enum exit_status.
 */
int measure_command(struct measure_plan *plan, struct measure_options *options,
	int argc, char **argv);

#endif
