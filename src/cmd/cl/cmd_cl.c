/*
 * The command c2c cl, which measures the machine through OpenCL. This file has
 * the options, and checks them against the tests before any test runs.
 */
#include "cmd/cl/cmd_cl.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl_published.h"
#include "cmd/cli.h"
#include "cmd/option.h"
#include "commands.h"
#include "result/runs.h"
#include "util/array.h"
#include "util/parse.h"
#include "util/text.h"

/* Time limits: the default exceeds any test; the largest is a week. */
#define LIMIT_S	      600.0
#define LIST_LIMIT_S  20.0
#define LEAST_LIMIT_S 0.001
#define MOST_LIMIT_S  604800.0

/* Numbers of runs with --quick, unless --repeat and --discard are set. */
#define QUICK_REPEAT  6
#define QUICK_DISCARD 1

/* Defaults of --precision in per cent, and of --budget in s. */
#define PRECISION_PCT 5
#define BUDGET_S      8.0

#define AT(member) offsetof(struct cl_arguments, member)

/* Parse MIN:MAX[:N]. */
static int parse_sizes(void *at, const char *text, struct error *err)
{
	static const struct option_row range = {.kind = OPTION_SIZES,
		.value = "MIN:MAX",
		.within = {1024, 1099511627776.0},
		.multiple = 1024};
	struct cl_sizes *sizes = at;
	const char *colon = strchr(text, ':');
	const char *last = colon ? strchr(colon + 1, ':') : NULL;
	char *ends = strndup(text, last ? (size_t)(last - text) : strlen(text));
	int rc = ends ? 0 : error_no_memory(err, "an option");

	sizes->each_doubling = 0;
	if (rc == 0)
		rc = option_parse_range(&range, ends, &sizes->range, err);
	free(ends);
	if (rc < 0 || !last)
		return rc;
	rc = parse_u64(last + 1, 1, TEST_MOST_EACH, &sizes->each_doubling, err);
	if (rc < 0)
		return rc;
	if ((double)sizes->each_doubling * log2((double)sizes->range.max /
						   (double)sizes->range.min) >=
		TEST_MOST_SIZES)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' are more than %d sizes", text, TEST_MOST_SIZES);
	return 0;
}

static const struct option_row rows[] = {
	{NULL, OPTION_TEXT, NULL, AT(test), .record = "method"},
	{.kind = OPTION_HEADING, .group = 1, .help = "What to measure:"},
	{"device", OPTION_TEXT, "cpu|gpu|all|INDEX|NAME", AT(device),
		.help = "The first CPU device (the default) or GPU, all "
			"devices in sequence, device INDEX of 'c2c cl list', "
			"or the first device whose name contains NAME",
		.more = "With `all` each test of each device has its own "
			"process, and one record has all results. If there are "
			"several devices, the title of a curve ends with its "
			"device (`time, device 1 (NAME)`), and the text report "
			"has a part for each device. A test that a device "
			"cannot do is no failure. --cpus applies to the CPU "
			"devices.",
		.record = "device"},
	{"group", OPTION_WORD, "suite|memory|both", AT(group),
		.help = "For TEST all: the tests of the article (suite), those "
			"of memory and cores (memory), or both (the default)",
		.record = "group"},
	{"cpus", OPTION_TEXT, "LIST", AT(cpus_text), .letter = 'c',
		.help = "Run a CPU device on these CPUs only: numbers and "
			"ranges (0-3,8) or hwloc objects (core:0-3, numa:0)"},
	{"work-group", OPTION_COUNT, "N|auto|sweep", AT(work_group),
		.help = "Work-items in a work-group (rowcol, scale, stride, "
			"local, constant, image, math, branch, banks, atomic, "
			"peak, launch, roofline); auto (the default) is 256, "
			"or half "
			"of the work-items if there are fewer than 256; sweep "
			"tries all sizes at each point and keeps the best "
			"(rowcol, scale, stride, constant, image, branch)",
		.more = "On devices other than CPUs, `auto` is 256, or all "
			"work-items if there are fewer than 256. If the device "
			"does not allow N, c2c warns and uses the device's "
			"limit.\n\nFor `rowcol` and `scale` the article has "
			"the same rule as `auto`. `branch` has work-groups of "
			"32, as in the article. `math` takes the best of 32 "
			"and 256. For `stride`, `local`, `constant` and "
			"`image` the article uses 32. c2c uses 256, because "
			"small work-groups leave half of an H200 "
			"unused.\n\nWith `sweep` c2c measures each point in "
			"work-groups of 16, "
			"32, 64 and so on, up to the largest that the device "
			"allows for that kernel and that divides the "
			"work-items. With up to 1,024 work-items it begins at "
			"1. The figure is the best median of all sizes. The "
			"curves \"best work-group\" show which size had it. "
			"The best of many medians is partly luck: "
			"measure with that size again.\n\nA sweep takes many "
			"times as long. If `rowcol` does not finish within "
			"--limit, choose one array with --size, or use "
			"--quick. With a sweep `scale` has no curve \"two "
			"groups a unit\".",
		.words = "sweep|auto|N", .choice = -1,
		.within = {1, UINT32_MAX}},
	{"work-items", OPTION_COUNT, "N", AT(options.work_items),
		.help = "Only this number of work-items (scale, stride, local, "
			"constant, math, branch)",
		.more = "Tests that are not in brackets refuse this option, "
			"--size and --work-group. `all` passes an option to "
			"the tests that accept its value. The other tests run "
			"without the option; a warning says so. An option that "
			"no test accepts is a usage error.",
		.within = {1, UINT32_MAX}, .record = "work_items"},
	{"size", OPTION_BYTES, "BYTES", AT(options.size_bytes),
		.help = "One array of BYTES in place of the usual arrays "
			"(rowcol, stride, local, constant, bus, cache, "
			"stream, formats)",
		.more = "For `rowcol` BYTES is 1M, 4M, 16M and so on to 4G, "
			"because the array is a square whose side is a power "
			"of two of words. For `bus` it is a multiple of 4K. "
			"For the tests below it is a power of two, and the "
			"device must have that much of this memory:\n"
			".Bl -tag -width constant -compact\n"
			".It Cm stride\n"
			"from 2M on\n"
			".It Cm local\n"
			"from 4K on\n"
			".It Cm constant\n"
			"from 1K on\n"
			".It Cm cache\n"
			"from 1M on: the largest array\n"
			".It Cm stream\n"
			"from 8M on: each of three arrays\n"
			".It Cm formats\n"
			"from 1M on: the largest amount beyond the caches\n"
			".El",
		.within = {1, 1099511627776.0}, .record = "size_bytes"},
	{"sizes", OPTION_OWN, "MIN:MAX[:N]", AT(sizes),
		.help = "Only sizes from MIN to MAX bytes (bus, cache, "
			"latency, svm), N in each doubling (bus, latency)",
		.more = "MIN and MAX are multiples of 1K, as in `--sizes "
			"1K:1G`. This option excludes --size.\n\nWith N the "
			"sizes begin with MIN, and each is about 2^(1/N) times "
			"the previous size: `--sizes 16M:96M:18` has 18 sizes "
			"from 32 to 64 MiB (bus, latency). A sweep has at most "
			"384 sizes. `latency` has N in each doubling of global "
			"and local memory up to 128 MiB, and its usual sizes "
			"above, because each size needs memory of its own. "
			"Without N:\n\n`bus` and `svm` double MIN up to MAX; "
			"with --quick each size is four times the previous "
			"size, except for `svm` on CPUs. See "
			"[BUS TRANSFERS] and [SVM].\n\n`cache` and `latency` "
			"measure their usual sizes within the range, so "
			"c2c-compare(1) finds the same sizes in a record "
			"without --sizes. `cache` continues beyond its usual "
			"sizes, up to the largest buffer of the device. If no "
			"size is in the range, c2c refuses the test and the "
			"message names its sizes.",
		.parse = parse_sizes, .is = OPTION_SIZES, .record = "sizes"},
	{"access", OPTION_COUNT, "read|write", AT(options.access),
		.words = "read|write", .choice = ACCESS_READ,
		.help = "Only reads, or only writes (cache)"},
	{"as-published", OPTION_FLAG, NULL, AT(as_published),
		.help = "Set the options of a test as its source did",
		.more = "`c2c cl TEST --help` names the source and these "
			"options. An option on the command line replaces that "
			"of the "
			"source. With `all` each test gets the options of its "
			"own source. `atomic` has no source, and the sources "
			"of `formats` and `svm` state no values for these "
			"options. These three tests refuse this option, and "
			"`all` runs them as usual. In the record "
			"`run.tests[].as_published` has the options of a test.",
		.record = "as_published"},
	{"beyond", OPTION_FLAG, NULL, AT(options.beyond),
		.help = "Also sizes above half of the device's memory, up to "
			"twice that memory (svm)",
		.more = "c2c refuses the test if the host has less memory. A "
			"driver may then swap between host and device, or "
			"hang: do this on a machine that nobody else uses.",
		.record = "beyond"},
	{"element", OPTION_COUNT, "4|8|12|16", AT(options.element_bytes),
		.help = "Bytes that a work-item of a GPU reads or writes at a "
			"time (cache; default 16)",
		.more = "CPUs read and write whole lines, so there `cache` "
			"refuses this option.",
		.within = {4, 16}, .record = "element_bytes"},
	{"fine", OPTION_FLAG, NULL, AT(fine),
		.help = "As many points as the test's source has (stride, "
			"constant, bus, math, cache, stream, incore, launch, "
			"roofline)",
		.more = "`stride` has all strides of both arrays, `constant` "
			"has 1, 2, 3 and so on to 128, "
			"`bus` has sizes of 4 to 64 MiB in steps of 4 MiB, "
			"`math` work-groups of 32, 64, 128 and 256, and "
			"functions of vectors of all widths, `incore` 1 to 8 "
			"chains, `launch` sizes that grow by 6 % and queued "
			"kernels in groups of 32 to 1,024, and `roofline` 68 "
			"intensities. On GPUs `stream` has 64, 128, 192 and so "
			"on work-items a unit, and `cache` has arrays of up to "
			"4 GiB, writes of blocks, and elements of 4, 8, 12 and "
			"16 bytes in a buffer and in an image. A test then "
			"takes several times as long; see --limit.",
		.record = "fine"},
	{"units", OPTION_FLAG, NULL, AT(options.units),
		.help = "The latency between all pairs of compute units, a "
			"matrix (latency)",
		.more = "A record describes the compute units of one device, "
			"so `all` and `--device all` cannot write one. See "
			"[BETWEEN COMPUTE "
			"UNITS].",
		.record = "units"},
	{
		"resume",
		OPTION_TEXT,
		"FILE",
		AT(resume),
		.help = "Continue an interrupted `all`: copy the tests that "
			"FILE has, and run the others",
		.more = "The record must have the same version of c2c, host, "
			"CPUs, clock, devices, drivers and variables of the "
			"user for OpenCL, and the same options except --limit. "
			"c2c copies the tests that were done or that the "
			"device could not do, and runs the others. After "
			"another interrupt the new record also has what FILE "
			"has of the tests that have not run again.",
	},
	{.kind = OPTION_HEADING, .group = 2, .help = "Duration and method:"},
	{"repeat", OPTION_COUNT, "N", AT(options.repeat),
		.help = "Timed runs at each visit of a point (default 10; from "
			"6 on there are intervals)",
		.within = {1, 10000}, .record = "repeat"},
	{"discard", OPTION_COUNT, "N", AT(options.discard),
		.help = "Untimed warm-up runs before the timed ones (default "
			"3)",
		.within = {0, 10000}, .record = "discard"},
	{"precision", OPTION_NUMBER, "PCT", AT(options.precision_pct),
		.help = "Repeat points until the 95 % interval of each is "
			"within PCT % of its median (default 5)",
		.within = {0.01, 100}, .record = "precision_pct"},
	{"budget", OPTION_TIME, "TIME", AT(options.budget_s),
		.help = "Repeat the points of a test for at most this time, "
			"even if intervals are still wide; every point is "
			"measured at least once (default 8, or 0.15 with "
			"--quick)",
		.more = "c2c does not visit a point again if its last visit "
			"took longer than the time that is left.",
		.within = {0, OPTION_TIME_MAX_S}, .record = "budget_s"},
	{"quick", OPTION_FLAG, NULL, AT(options.quick),
		.help = "Fewer points, sizes and runs: for a first look",
		.more = "Each visit of a point has six runs, after one that "
			"does not count. `rowcol` takes only the 4 MiB of "
			"words of the article, `bus` 4 and 16 MiB, `image` "
			"only squares, `svm` two sizes on CPUs, `stride` the "
			"smaller one, `stream` smaller arrays on CPUs, as "
			"`formats` and `roofline` do; `cache` goes up to 64 "
			"MiB, and `latency` every fourth size from 4 KiB on, "
			"up to 256 MiB, or one pass over the units. Tests with "
			"strides have fewer strides, and `branch` has only 1 "
			"and 32 paths. `math` has one function, `sin`, and no "
			"subtraction or division. Its vectors have 8 elements, "
			"or 16 on CPUs with AVX-512; its latencies are those "
			"of scalars. Work-groups have 256 work-items, and each "
			"unit gets at least four groups.\n\nIf a test has "
			"taken 10 seconds and its --budget, it measures only "
			"stride 1 and the first and the last point of the "
			"remaining curves. A note and `left_out` in the record "
			"then have the number of omitted points.",
		.record = "quick"},
	{"runs", OPTION_COUNT, "N", AT(runs), .letter = 'r',
		.help = "Measure N times, each time in a new process with its "
			"own budget, and report medians and intervals over the "
			"runs (default 1); for one test, not all",
		.more = "The record has all runs complete, under `runs`. Each "
			"point is the median over the runs, with the interval "
			"of the runs; see \"Several runs\" in c2c-latency(1). "
			"The ceiling and the test's object in `run.tests` come "
			"from the first complete run. After an interrupt the "
			"record has the complete runs, and the results so far "
			"of the last one. `c2c cl` refuses --runs with --units "
			"or several devices.",
		.within = {1, RUNS_MAX}},
	{"limit", OPTION_TIME, "TIME", AT(limit_s),
		.help = "Time limit of a test (default 600) or of the list of "
			"devices (default 20)",
		.more = "The time of a test includes compiling its kernels. "
			"Before the first test of `all` and `math`, c2c "
			"compiles kernels ahead. This step has the same limit, "
			"separately. A test compiles the kernels that are "
			"still missing.\n\nAt the limit, or after an "
			"interrupt, c2c asks the test to stop, and keeps its "
			"results. After 5 more seconds it kills the test. It "
			"then keeps the results "
			"up to the last second or point. It also does so if "
			"the implementation kills the test. After a second "
			"interrupt c2c exits immediately and writes nothing.",
		.within = {LEAST_LIMIT_S, MOST_LIMIT_S}, .record = "limit_s"},
	{.kind = OPTION_HEADING, .group = 3, .help = "Output:"},
	{"output", OPTION_OUTPUT, "FILE", AT(outputs),
		.help = "Write FILE, by extension: .json .json.gz .json.zst "
			".dat .csv .tsv, a picture .png .svg .pdf, a script "
			"for gnuplot .gp, tables in Markdown .md, or a page "
			".html; may be given more than once",
		.more = OUTPUTS_NAME, .letter = 'o',
		.choice = OUTPUT_RESULT | OUTPUTS_DRAWN},
	{"json", OPTION_FLAG, NULL, AT(json),
		.help = "Print the complete record as JSON (as -o - does), or "
			"the list of devices"},
	{"child", OPTION_TEXT, "WHAT", AT(child), .help = NULL},
	{"shared", OPTION_TEXT, "FOLDER", AT(options.shared), .help = NULL},
	OUTPUTS_SECTION_ROW(AT(outputs.section)),
	{"verbose", OPTION_NOTE,
		.more = "`all` then also prints the tables of its tests. A "
			"second table, in clock cycles, then follows each "
			"table "
			"of rates or latencies; see [The clock of the cores]."},
};

static const struct option_rule rules[] = {
	OUTPUTS_SECTION_RULE("output json"),
	{"device group work-group work-items size sizes access as-published "
	 "beyond element fine units repeat discard precision budget quick runs "
	 "output",
		"TEST=list",
		.flaw = ": list measures nothing; use --json for the complete "
			"list"},
	{"group", "TEST!all",
		.flaw = ": only all has groups; name all, or leave it out"},
	{"resume", "TEST!all",
		.flaw = ": only all can be continued; name all, or leave it "
			"out"},
	{"resume", "child-section",
		.flaw = ": c2c measure cannot resume a run; run this command "
			"alone"},
	{"runs", "TEST=all",
		.flaw = ": all takes minutes for each run; name one test"},
	{"runs", "units device=all",
		.flaw = ": only curves of one device have runs; leave out "
			"--units and --device all"},
	{"size", "sizes", .flaw = " and --sizes: give one of them"},
	{"quick", "fine", .flaw = " and --fine: give one of them"},
	{"sizes", "fine", .flaw = " and --fine: give one of them"},
	{"beyond", "TEST!svm",
		.flaw = ": only svm measures more memory than the device has"},
	{"units", "TEST!latency",
		.flaw = ": only latency measures between compute units"},
	{"units", "sizes",
		.flaw = " and --sizes: between compute units there are no "
			"sizes; give one of them"},
	{"units", "device=all",
		.flaw = ": a record has the units of one device; name it "
			"(--device)"},
	{.given = NULL},
};

bool cl_test_is_wanted(
	const struct cl_arguments *arguments, const struct test *test)
{
	if (strcmp(arguments->test, "all") != 0)
		return strcmp(arguments->test, test->name) == 0;
	return arguments->group == GROUPS || arguments->group == (int)test->set;
}

/* Store an option for the tests of c2c cl all that take the option. */
static int plan_option(const struct cl_arguments *arguments,
	enum test_takes takes, char **warning, struct error *err)
{
	const char *name = test_option_name(takes);
	struct text_list takers = {.text = NULL};
	size_t n = 0, wanted = 0;
	char *those;

	error_set(err, ERROR_USAGE, EINVAL, "no test accepts %s", name);
	for (size_t i = 0; test_table[i]; i++) {
		struct test_options fitting = arguments->options;

		if (!cl_test_is_wanted(arguments, test_table[i]))
			continue;
		wanted++;
		if (!(test_table[i]->takes & takes))
			continue;
		test_fit_options(test_table[i], &fitting, err);
		if (!(test_options_set(&fitting) & takes))
			continue;
		text_list_add(&takers, ", ", "%s", test_table[i]->name);
		n++;
	}
	those = text_list_end(&takers);
	if (n > 0 && n < wanted)
		*warning = text_format(
			"%s applies only to %s; the other tests ignore it",
			name, those ? those : "some");
	free(those);
	return n > 0 ? 0 : -EINVAL;
}

int cl_check_plan(const struct cl_arguments *arguments, struct run_facts *run,
	struct error *err)
{
	unsigned set = test_options_set(&arguments->options);
	int rc = 0;

	if (strcmp(arguments->test, "all") != 0)
		return test_check_options(
			test_find(arguments->test), &arguments->options, err);
	for (unsigned takes = 1; takes <= set && rc == 0; takes <<= 1) {
		char *warning = NULL;

		if (set & takes)
			rc = plan_option(arguments, (enum test_takes)takes,
				&warning, err);
		if (warning && !run_facts_warn(run, warning))
			rc = error_no_memory(err, "a warning");
		free(warning);
	}
	for (size_t i = 0; test_table[i] && rc == 0; i++) {
		struct test_options fitting = arguments->options;

		if (!cl_test_is_wanted(arguments, test_table[i]))
			continue;
		test_fit_options(test_table[i], &fitting, NULL);
		rc = test_check_options(test_table[i], &fitting, err);
		if (rc < 0)
			error_prefix(err, "%s", test_table[i]->name);
	}
	return rc;
}

/* Convert options that have a different form in struct test_options. */
static void convert_cl_options(struct cl_arguments *arguments)
{
	struct test_options *options = &arguments->options;

	options->sweep_groups = arguments->work_group == UINT64_MAX;
	if (!options->sweep_groups)
		options->work_group = arguments->work_group;
	options->least_bytes = arguments->sizes.range.min;
	options->most_bytes = arguments->sizes.range.max;
	options->each_doubling = arguments->sizes.each_doubling;
	options->fine = arguments->fine;
}

static void resolve_cl_defaults(struct cl_arguments *arguments)
{
	struct test_options *options = &arguments->options;

	if (options->repeat == 0)
		options->repeat = options->quick ? QUICK_REPEAT : TEST_REPEAT;
	if (options->discard == UINT64_MAX)
		options->discard =
			options->quick ? QUICK_DISCARD : TEST_DISCARD;
	if (!option_given(&arguments->given, "budget"))
		options->budget_s =
			options->quick ? TEST_QUICK_BUDGET_S : BUDGET_S;
	if (arguments->list_limit_s == 0)
		arguments->list_limit_s = arguments->limit_s > 0
						  ? arguments->limit_s
						  : LIST_LIMIT_S;
	if (arguments->limit_s == 0)
		arguments->limit_s = LIMIT_S;
}

int cl_set_published(struct cl_arguments *arguments, const struct test *test,
	struct error *err)
{
	const struct option_table table = {
		rows, N_OF(rows), arguments, NULL, NULL};
	int rc = 0;

	for (size_t i = 0; i < TEST_PUBLISHED && rc == 0; i++) {
		if (cl_published_applies(test, i, &arguments->given))
			rc = option_set(&table, test->published[i], err);
	}
	convert_cl_options(arguments);
	return rc;
}

static int cl_check_arguments(void *into, struct error *err)
{
	struct cl_arguments *arguments = into;
	const char *test = arguments->test, *child = arguments->child;
	const struct test *one = child ? test_find(child) : NULL;
	char *known;

	if (!one && test)
		one = test_find(test);
	/* A child that compiles sets the options of each test later. */
	if (arguments->as_published && one &&
		cl_set_published(arguments, one, err) < 0)
		return -err->code;
	convert_cl_options(arguments);
	resolve_cl_defaults(arguments);
	arguments->json |= arguments->outputs.json;
	if (!test)
		return error_set(err, ERROR_USAGE, EINVAL,
			"no TEST: name one, or list (the devices) or all");
	if (strcmp(test, "list") == 0 && arguments->outputs.section.max)
		return error_set(err, ERROR_USAGE, EINVAL,
			"list measures nothing: name a test, or all");
	if (strcmp(test, "list") == 0 || opencl_available(NULL) < 0 ||
		strcmp(test, "all") == 0)
		return 0;
	if (one && arguments->as_published && !one->published[0])
		return error_set(err, ERROR_USAGE, EINVAL,
			"--as-published: the source of %s states no values "
			"that an option sets; leave it out",
			test);
	if (one)
		return 0;
	known = test_list(0);
	error_set(err, ERROR_USAGE, EINVAL,
		"'%s' is no test; expected list, all or one of: %s", test,
		known ? known : "those in --help");
	free(known);
	return -EINVAL;
}

static int take_test(void *into, const char *test, struct error *err)
{
	struct cl_arguments *arguments = into;

	if (arguments->test)
		return error_set(err, ERROR_USAGE, EINVAL,
			"'%s' and '%s': expected one TEST", arguments->test,
			test);
	arguments->test = test;
	return 0;
}

void cl_record_options(
	const struct cl_arguments *arguments, struct facts *facts)
{
	const struct test_options *options = &arguments->options;
	const struct option_table table = {
		rows, N_OF(rows), (void *)arguments, NULL, NULL};

	options_record(&table, facts);
	if (options->work_group)
		facts_set_count(
			facts, "work_group", (int64_t)options->work_group);
	else
		facts_set_text(facts, "work_group",
			options->sweep_groups ? "sweep" : "auto");
	if (options->each_doubling)
		facts_set_count(facts, "sizes_each_doubling",
			(int64_t)options->each_doubling);
	if (options->access)
		facts_set_text(facts, "access",
			options->access == ACCESS_READ ? "read" : "write");
}

/* Describe a test, its source and the options of --as-published. */
static char *describe_test(const struct test *test)
{
	bool states = test->published[0];
	char *options = cl_published_text(test, NULL);
	char *text = text_format("%s: %s.\nSource: %s.%s%s%s", test->name,
		test->summary, test->source,
		states ? "\n--as-published sets " : "", options ? options : "?",
		states ? "." : "");

	free(options);
	return text;
}

/*
 * Return the beginning of the help: about the test of the command line, or else
 * about all tests. NULL: no memory.
 */
static char *describe_tests(int argc, char **argv)
{
	struct text_list list = {.text = NULL};
	struct error err;

	if (opencl_available(&err) < 0)
		return text_format("Measure this machine through OpenCL, "
				   "but %s.",
			err.text);
	for (int i = 1; i < argc; i++) {
		if (test_find(argv[i]))
			return describe_test(test_find(argv[i]));
	}
	text_list_add(&list, "\n",
		"Measure this machine through OpenCL. TEST is one of:");
	text_list_add(&list, "\n", "  %-9s %s", "list", "the devices");
	for (size_t i = 0; test_table[i]; i++)
		text_list_add(&list, "\n", "  %-9s %s", test_table[i]->name,
			test_table[i]->summary);
	text_list_add(&list, "\n", "  %-9s %s", "all", "all tests");
	return text_list_end(&list);
}

static int run_cl(int argc, char **argv)
{
	struct cl_arguments arguments = {.device = "cpu",
		.group = GROUPS,
		.options = {.discard = UINT64_MAX, /* not given */
			.precision_pct = PRECISION_PCT},
		.runs = 1,
		.argc = argc,
		.argv = argv};
	const struct option_table table = {
		rows, N_OF(rows), &arguments, cl_check_arguments, rules};
	char *doc = describe_tests(argc, argv);
	const struct option_command command = {
		.name = "cl",
		.doc = doc ? doc : "Measure this machine through OpenCL.",
		.often = "output device quick as-published help",
		.examples = "c2c cl list\tthe devices\n"
			    "c2c cl cache --quick\tone test, fast\n"
			    "c2c cl all --device gpu -o gpu.json\tevery test "
			    "of the GPU\n",
		.tables = &table,
		.n_tables = 1,
		.verbosity = &arguments.verbosity,
		.given = &arguments.given,
		.arguments = "TEST",
		.take = take_test,
	};
	int status = options_parse(&command, argc, argv);
	struct error err;

	if (status == STATUS_DONE && !arguments.child &&
		outputs_begin_section(&arguments.outputs, "cl", &err) < 0)
		status = cli_fail("cl", &err);
	if (status == STATUS_DONE)
		status = arguments.child ? cl_child_main(&arguments)
					 : cl_parent_main(&arguments);
	if (!arguments.child)
		outputs_end_section(&arguments.outputs, status);
	outputs_release(&arguments.outputs);
	free(doc);
	return status;
}

const struct command cmd_cl = {
	.name = "cl",
	.summary = "CPUs and GPUs through OpenCL",
	.run = run_cl,
};
