/*
 * c2c cl as text: the devices, the curves, what else was found out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cl/cl.h"
#include "cmd/cli.h"
#include "plot/plot.h"
#include "plot/scale.h"
#include "util/text.h"

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "unknown";
}

static json_int_t number_of(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void print_device(const json_t *device)
{
	static const struct {
		const char *label, *key;
	} sizes[] = {
		{"global memory", "global_bytes"},
		{"largest buffer", "largest_buffer_bytes"},
		{"local memory", "local_bytes"},
		{"constant memory", "constant_bytes"},
		{"cache", "cache_bytes"},
		{"cache line", "cache_line_bytes"},
	};
	char text[TEXT_SIZE_BYTES];

	printf("%" JSON_INTEGER_FORMAT ". %s\n", number_of(device, "index"),
		text_of(device, "name"));
	printf("   %-16s%s\n", "type", text_of(device, "type"));
	printf("   %-16s%s (%s)\n", "platform", text_of(device, "platform"),
		text_of(device, "platform_version"));
	printf("   %-16s%s\n", "driver", text_of(device, "driver"));
	printf("   %-16s%" JSON_INTEGER_FORMAT " at %" JSON_INTEGER_FORMAT
	       " MHz (as the device says)\n",
		"compute units", number_of(device, "compute_units"),
		number_of(device, "clock_mhz"));
	printf("   %-16sat most %" JSON_INTEGER_FORMAT " work-items\n",
		"work-group", number_of(device, "work_group_max"));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		printf("   %-16s%s\n", sizes[i].label,
			text_size((uint64_t)number_of(device, sizes[i].key),
				text));
	printf("   %-16s%s\n", "images",
		json_is_true(json_object_get(device, "images")) ? "yes" : "no");
	printf("   %-16s%s\n", "double",
		json_is_true(json_object_get(device, "double")) ? "yes" : "no");
}

void cl_print_devices(const json_t *devices)
{
	const json_t *device;
	size_t i;

	json_array_foreach(devices, i, device)
	{
		print_device(device);
	}
}

static void print_ceilings(const json_t *row)
{
	static const struct {
		const char *key, *unit;
	} rates[] = {{"gib_per_s", "GiB/s"}, {"gflop_per_s", "GFLOP/s"}};
	const json_t *ceiling, *rate;
	char text[PLOT_NUMBER_BYTES];
	size_t i;

	json_array_foreach(json_object_get(row, "ceilings"), i, ceiling)
	{
		for (size_t k = 0; k < 2; k++) {
			rate = json_object_get(ceiling, rates[k].key);
			if (!json_is_number(rate))
				continue;
			plot_fixed(text, json_number_value(rate),
				plot_decimals(json_number_value(rate)));
			printf("  the CPUs natively, %s: %s %s (%s)\n",
				text_of(ceiling, "name"), text, rates[k].unit,
				text_of(ceiling, "what"));
		}
	}
}

static void print_findings(const json_t *row)
{
	const json_t *finding;
	size_t i;

	json_array_foreach(json_object_get(row, "findings"), i, finding)
	{
		fputs("  ", stdout);
		cli_print_wrapped(json_string_value(finding), 2, 4);
	}
}

/* What launches no kernel has nothing of a launch in its times. */
static void print_timing(const json_t *timing)
{
	const json_t *launch = json_object_get(timing, "launch_us");
	bool events = strcmp(text_of(timing, "clock"), "event") == 0;

	if (launch)
		printf("  timed by %s; a launch takes %.3g us\n",
			events ? "the device's events"
			       : "the host's clock, launch included",
			json_number_value(launch));
	else
		printf("  timed by the host's clock, from the call until the "
		       "queue is empty\n");
}

/* The CPUs of all threads, as one list. */
static void print_threads(const json_t *row)
{
	const json_t *threads = json_object_get(row, "threads"), *thread;
	struct cpu_list cpus = {0};
	char *text;
	size_t i;

	json_array_foreach(threads, i, thread)
	{
		cpu_list_parse(&cpus, text_of(thread, "cpus"), NULL);
	}
	cpu_list_sort(&cpus);
	text = cpu_list_format(&cpus);
	if (cpus.n > 0 && text)
		printf("  threads: %zu on CPUs %s%s\n",
			json_array_size(threads), text,
			json_is_true(json_object_get(row, "threads_bound"))
				? ""
				: ", not bound to one each");
	free(text);
	cpu_list_release(&cpus);
}

static void print_test(const json_t *row)
{
	const json_t *device = json_object_get(row, "device");
	const json_t *timing = json_object_get(row, "timing");

	if (json_object_get(row, "reason"))
		printf("\n%s: %s\n", text_of(row, "test"),
			text_of(row, "reason"));
	/* What came before the reason, if anything. */
	if (!timing)
		return;
	printf("\n%s (section %s): %s, %s\n", text_of(row, "test"),
		text_of(row, "section"), text_of(device, "name"),
		text_of(device, "platform"));
	print_timing(timing);
	print_threads(row);
	print_ceilings(row);
	print_findings(row);
}

/* What there is of one device. */
static int print_part(const struct result *result, const struct cl_part *part,
	const struct plot_terminal *terminal, struct error *err)
{
	/* Another view of the same curves. */
	struct result view = *result;
	const json_t *row;
	struct plot_options plot;
	size_t i;
	int rc = 0;

	plot_options_init(&plot);
	view.curves += part->first_curve;
	view.n_curves = part->n_curves;
	if (view.n_curves > 0)
		rc = plot_text(&view, &plot, terminal, stdout, err);
	json_array_foreach(result->run.tests, i, row)
	{
		const json_t *device = json_object_get(row, "device");

		if (rc == 0 && number_of(device, "index") ==
				       number_of(part->device, "index"))
			print_test(row);
	}
	return rc;
}

int cl_print_result(const struct result *result, const struct cl_part *parts,
	size_t n_parts, struct error *err)
{
	struct plot_terminal terminal = plot_terminal_of(stdout);
	int rc = 0;

	for (size_t i = 0; i < n_parts && rc == 0; i++) {
		if (n_parts > 1)
			printf("%sdevice %" JSON_INTEGER_FORMAT ": %s\n\n",
				i > 0 ? "\n" : "",
				number_of(parts[i].device, "index"),
				text_of(parts[i].device, "name"));
		rc = print_part(result, &parts[i], &terminal, err);
	}
	return rc;
}
