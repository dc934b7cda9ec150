/*
 * Print the findings of c2c check: as text, JUnit XML for CI servers, TAP 13,
 * Markdown for a summary, and the text format of Prometheus.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/check/cmd_check.h"
#include "cmd/check_status.h"
#include "util/text.h"

/* Print text, with [i] in place of the i-th character of special. */
static void print_escaped(FILE *out, const char *text, const char *special,
	const char *const *escaped)
{
	char *safe = text_safe_copy(text ? text : "");

	if (safe)
		text_print_escaped(out, safe, special, escaped);
	free(safe);
}

static void print_xml(FILE *out, const char *text)
{
	static const char *const escaped[] = {
		"&amp;", "&lt;", "&gt;", "&quot;", " "};

	print_escaped(out, text, "&<>\"\n", escaped);
}

static void print_markdown(FILE *out, const char *text)
{
	static const char *const escaped[] = {
		"\\\\", "\\|", "\\`", "\\*", "\\_", "&lt;", "&amp;", " "};

	print_escaped(out, text, "\\|`*_<&\n", escaped);
}

static void print_prometheus_label(
	FILE *out, const char *name, const char *text)
{
	static const char *const escaped[] = {"\\\\", "\\\"", "\\n"};

	fprintf(out, "%s=\"", name);
	print_escaped(out, text, "\\\"\n", escaped);
	putc('"', out);
}

static size_t count_answers(
	const struct machine_check *check, enum check_answer answer)
{
	size_t n = 0;

	for (size_t i = 0; i < check->n; i++)
		n += check->findings[i].answer == answer;
	return n;
}

/* Print one line with the findings that decide the answer. */
static void print_as_text(FILE *out, const struct machine_check *check)
{
	static const char *const words[] = {
		[CHECK_HOLDS] = "holds",
		[CHECK_UNKNOWN] = "cannot tell",
		[CHECK_FAILS] = "does not hold",
	};
	enum check_answer whole = check_conclude(check);
	const char *between = ": ";

	fputs(words[whole], out);
	for (size_t i = 0; i < check->n; i++) {
		if (check->findings[i].answer != whole)
			continue;
		fputs(between, out);
		text_print_safe(out, check->findings[i].text);
		between = "; ";
	}
	putc('\n', out);
}

/* Count the findings before this one that have the same name. */
static size_t count_same_names(const struct machine_check *check, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < at; i++)
		n += text_same(
			check->findings[i].name, check->findings[at].name);
	return n;
}

/* The name of a test case is unique, and the same in all runs of a check. */
static void print_as_junit(FILE *out, const struct machine_check *check)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"<testsuite name=\"c2c check\" tests=\"%zu\" failures=\"%zu\" "
		"errors=\"%zu\" skipped=\"0\" hostname=\"",
		check->n, count_answers(check, CHECK_FAILS),
		count_answers(check, CHECK_UNKNOWN));
	print_xml(out, check->hostname);
	fputs("\">\n", out);
	for (size_t i = 0; i < check->n; i++) {
		const struct check_finding *finding = &check->findings[i];
		bool holds = finding->answer == CHECK_HOLDS;
		size_t same = count_same_names(check, i);

		fputs("<testcase classname=\"c2c.check\" name=\"", out);
		print_xml(out, finding->name);
		if (same)
			fprintf(out, " %zu", same + 1);
		fputs("\">", out);
		fputs(holds				 ? "<system-out>"
			: finding->answer == CHECK_FAILS ? "<failure message=\""
							 : "<error message=\"",
			out);
		print_xml(out, finding->text);
		fputs(holds ? "</system-out></testcase>\n"
			    : "\"/></testcase>\n",
			out);
	}
	fputs("</testsuite>\n</testsuites>\n", out);
}

static void print_as_tap(FILE *out, const struct machine_check *check)
{
	fprintf(out, "TAP version 13\n1..%zu\n", check->n);
	for (size_t i = 0; i < check->n; i++) {
		const struct check_finding *finding = &check->findings[i];
		char *text = text_safe_copy(finding->text);

		/* TAP would take a number sign as the start of a directive. */
		for (char *c = text; c && *c; c++) {
			if (*c == '#' || *c == '\n')
				*c = ' ';
		}
		fprintf(out, "%sok %zu - %s: %s\n",
			finding->answer == CHECK_HOLDS ? "" : "not ", i + 1,
			finding->code, text ? text : "");
		if (finding->answer == CHECK_UNKNOWN)
			fputs("# c2c cannot tell whether it holds\n", out);
		free(text);
	}
}

static void print_as_markdown(FILE *out, const struct machine_check *check)
{
	fprintf(out, "**c2c check: %s**", check_answers[check_conclude(check)]);
	if (check->hostname) {
		fputs(" on ", out);
		print_markdown(out, check->hostname);
	}
	fputs("\n\n| answer | code | finding |\n|---|---|---|\n", out);
	for (size_t i = 0; i < check->n; i++) {
		const struct check_finding *finding = &check->findings[i];

		fprintf(out, "| %s | %s | ", check_answers[finding->answer],
			finding->code);
		print_markdown(out, finding->text);
		fputs(" |\n", out);
	}
}

/* Print the status and the measured values as metrics. */
static void print_as_prometheus(FILE *out, const struct machine_check *check)
{
	fprintf(out,
		"# HELP c2c_check_status Exit status: 0 all holds, 3 a finding "
		"fails, 4 no verdict.\n# TYPE c2c_check_status gauge\n"
		"c2c_check_status %d\n# HELP c2c_check_finding_status Status "
		"of each finding: 0, 3 or 4.\n# TYPE c2c_check_finding_status "
		"gauge\n",
		check_status(check_conclude(check), true));
	for (size_t i = 0; i < check->n; i++) {
		const struct check_finding *finding = &check->findings[i];
		char *cpus = cpu_list_format(&finding->cpus);

		fprintf(out,
			"c2c_check_finding_status{finding=\"%zu\",code=\"%s\",",
			i + 1, finding->code);
		print_prometheus_label(out, "cpus", cpus);
		fprintf(out, "} %d\n", check_status(finding->answer, true));
		free(cpus);
	}
	fputs("# HELP c2c_check_finding_value The measured value that decided "
	      "each finding.\n# TYPE c2c_check_finding_value gauge\n",
		out);
	for (size_t i = 0; i < check->n; i++) {
		const struct check_finding *finding = &check->findings[i];

		if (isnan(finding->value))
			continue;
		fprintf(out,
			"c2c_check_finding_value{finding=\"%zu\",code=\"%s\",",
			i + 1, finding->code);
		print_prometheus_label(out, "unit", finding->unit);
		fprintf(out, "} %.10g\n", finding->value);
	}
}

void check_print(
	FILE *out, const struct machine_check *check, enum check_format format)
{
	static void (*const printers[])(
		FILE *, const struct machine_check *) = {
		[CHECK_AS_TEXT] = print_as_text,
		[CHECK_AS_JUNIT] = print_as_junit,
		[CHECK_AS_TAP] = print_as_tap,
		[CHECK_AS_MARKDOWN] = print_as_markdown,
		[CHECK_AS_PROMETHEUS] = print_as_prometheus,
	};

	printers[format](out, check);
}
