/*
 * The way of every measuring command: options, campaign, result, files, text.
 * A command adds its own options, names its probe and its labels.
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

/* With --quick, of a command that has it. */
#define MEASURE_QUICK_BUDGET_S 1.5

enum measure_pairs {
	MEASURE_ALL,
	MEASURE_PAIR,
	MEASURE_FROM
};

enum measure_idle {
	MEASURE_PARK,
	MEASURE_SPIN,
	MEASURE_AUTO /* until it is known what suits the machine */
};

/* How the CPUs of a pair wait for each other, in the order of --spin-hint. */
enum measure_spin_hint {
	MEASURE_HINT_NONE,  /* a bare loop */
	MEASURE_HINT_PAUSE, /* with the spin-wait hint */
	MEASURE_HINT_AUTO   /* until both were tried */
};

/* The common options; after prepare(), with their effective values. */
struct measure_options {
	struct options_given given;
	enum measure_pairs pairs;
	const char *pair, *from; /* "A,B" or "A"; NULL */
	const char *pair_text;	 /* the one of both that is given */
	const char *cpus_text;
	bool all_pairs;
	enum machine_per per;
	const char *resume; /* a record whose gaps are to be filled; NULL */
	struct option_range passes;
	uint64_t runs;	/* in processes of their own; 1: in this one */
	uint64_t child; /* it is one of these: 1, or 2 to tell progress */
	int argc;
	char **argv; /* as main() had them, to start c2c again */
	double precision_pct, budget_s;
	uint64_t jobs; /* 0 auto, SIZE_MAX max */
	enum measure_idle idle;
	uint64_t seed;
	struct outputs outputs;
	bool json;
	bool no_report;	  /* standard output is for something else */
	bool keep_passes; /* all of them go into the record */
	int verbosity;
};

struct measure_plan;
struct measure_state;

/* What a command refuses that measures no pairs, for its plan. */
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

/* Rows that some commands have: of a struct measure_home, of memory_pages. */
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
	/* [n_pairs] by index into cpus; NULL: all */
	struct schedule_pair *pairs;
	size_t n_pairs;	  /* also of all */
	uint32_t *others; /* as in struct campaign_options; NULL: none */
};

/* What a command measures. */
struct measure_plan {
	const char *command;
	const char *doc, *often, *examples; /* as in struct option_command */
	/*
	 * What the command says of it: probe, params but for the clock's part,
	 * both_ways, order, memory; patience_s beyond the usual, for a visit
	 * that takes long.
	 */
	struct campaign_options campaign;
	struct summary_labels labels; /* name[0] NULL: no matrices */
	/* NULL: that of the first CPU. */
	const struct measure_home *home;
	uint64_t *lines; /* as asked for, later as had; NULL: a block */
	/* an enum measure_spin_hint, later the chosen; or NULL */
	int *spin_hint;
	bool diagonal;	       /* (a, a) is a pair too; implies both_ways */
	double budget_s;       /* the default of --budget; 0: the usual */
	double quick_budget_s; /* that with --quick, if there is one */
	bool auto_jobs;	       /* auto is the default of --jobs */
	bool maps_memory;      /* prepare does, which may take seconds */
	bool epochs; /* values are of the longest epoch without a move */
	/* Pairs that contradict their neighbours are measured again. */
	bool measure_contradicted;
	/* Common options that the command refuses, with blanks between. */
	const char *refused;
	/* The command's own rows, effective after prepare(), and what else. */
	struct option_table options;
	void *context;

	/*
	 * Hooks, each of which may be NULL; 0 or negative. select: choose CPUs
	 * and pairs in place of the usual way (measure_select_cpus() helps).
	 * prepare: check what was asked for against the machine and fill what
	 * depends on it, before anything is measured. finish: add to a result
	 * that is otherwise whole, and to its block "run".
	 */
	int (*select)(struct measure_plan *plan,
		const struct measure_options *options,
		struct measure_selection *selection, struct error *err);
	int (*prepare)(struct measure_plan *plan,
		const struct measure_selection *selection, struct error *err);
	int (*finish)(struct measure_plan *plan, struct campaign *campaign,
		struct result *result, struct error *err);

	/* Fill what depends on the options; in the end free what own has. */
	void (*choose)(struct measure_plan *plan);
	void (*release)(void *own);

	/*
	 * As in campaign_options, with passes in bursts; run is for
	 * measure_save_now(). over: nothing more is measured, whatever comes
	 * next.
	 */
	bool (*rest)(struct measure_plan *plan, struct campaign *campaign);
	void (*after_campaign)(struct measure_plan *plan);
	struct measure_state *run;
	const struct timebase *clock; /* from prepare on */

	/*
	 * Set what depends on the values of a record of several runs; or NULL.
	 */
	int (*merged)(struct result *result, struct error *err);

	/*
	 * Say on standard output what the result's matrices do not: in the end,
	 * or first, and the curves follow as a chart. Or say all there is.
	 */
	void (*print)(const struct result *result);
	bool print_first, print_all;

	/*
	 * Set for the hooks before the measuring: tells how far they are. NULL:
	 * nobody looks.
	 */
	void (*report_progress)(
		void *context, double fraction, const char *text);
	void *report_context;

	/* Why no visit may have a value, and what to do; NULL: unknown. */
	const char *why_empty;

	/* What six passes may take if that is more than usual. */
	double six_passes_s;

	/* To tell before the start: a pair, a row, and once; 0: unknown. */
	double pair_s, row_s, first_s;
	const char
		*shorter_by; /* what "takes less time", to tell if it is long */
	int status;	     /* of a run that ends well; set by finish */
	bool lost; /* set by the run: a thread may still use the context */
};

/* Whether n blocks fit into memory: -ENOMEM names what, and what to choose. */
int measure_check_memory(enum memory_pages pages, size_t bytes, size_t n,
	const char *what, const char *choose, struct error *err);

/*
 * Warn of base pages where huge ones were looked for, and of memory that did
 * not lie on the node asked for.
 */
void measure_warn_memory(struct campaign *campaign, enum memory_pages asked,
	enum memory_pages had, double huge_share, bool bound);

/*
 * The CPUs that --cpus, --cores and --per leave, increasing in the order
 * named, into selection->cpus.
 */
int measure_select_cpus(const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/* The two CPUs that --pair names, into selection->cpus. */
int measure_select_pair(const struct measure_options *options,
	struct measure_selection *selection, struct error *err);

/* The one CPU that text, the value of --from, names. */
int measure_select_one(const struct machine *machine, const char *text,
	unsigned *cpu, struct error *err);

/* How many rows the pairs have, in the order listed. */
size_t measure_count_rows(const struct measure_selection *selection);

/* Append a pair of indexes into cpus to the list. */
int measure_add_pair(struct measure_selection *selection,
	struct schedule_pair pair, struct error *err);

/* Within rest: save the record of what was measured so far, as JSON. */
int measure_save_now(
	struct measure_plan *plan, const char *path, struct error *err);

/*
 * Set *options to the defaults, parse the command line into them and into
 * plan->options, measure, and print. Returns an enum exit_status.
 */
int measure_command(struct measure_plan *plan, struct measure_options *options,
	int argc, char **argv);

#endif
