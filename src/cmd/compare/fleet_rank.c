/* Print the report of a fleet. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "cmd/compare/compare_report.h"
#include "util/text_table.h"

/* If a list would have more hosts, print only their number. */
#define HOSTS_NAMED 5

/* Print the hosts of a kind, with the CPU model if there are several kinds. */
static void print_fleet_kind(const struct fleet *fleet, size_t at)
{
	const struct fleet_kind *kind = &fleet->kinds[at];
	const struct fleet_host *first = &kind->hosts[0];
	struct text_list table = {.text = NULL};

	if (fleet->n > 1)
		printf("%sKind %zu: %s, CPUs %s\n", at ? "\n" : "", at + 1,
			kind->model ? kind->model : "CPUs of an unknown model",
			kind->cpus);
	printf("Distance from %s (%s), the nearest first:\n", first->shown,
		first->shown_source);
	text_list_add(&table, "", "  Distance>9\t Change>9\t  Host<24\t File<");
	for (size_t i = 1; i < kind->n; i++) {
		const struct fleet_host *host = &kind->hosts[kind->order[i]];

		text_list_add(&table, "\n", "%.1f %%\t%+.1f %%\t%s\t%s%s",
			host->distance_pct, host->change_pct, host->shown,
			host->shown_source, host->outlier ? "  outlier" : "");
	}
	text_table_print(stdout, &table, "-", SIZE_MAX);
}

/* Return whether there are enough hosts to find outliers by values. */
static bool has_limit(const struct fleet_kind *kind)
{
	for (size_t i = 0; i < kind->n_levels; i++) {
		if (!isnan(kind->levels[i].limit_pct))
			return true;
	}
	return false;
}

/* Print the outliers with all reasons, even if the first host is an outlier. */
static void print_fleet_outliers(const struct fleet_kind *kind)
{
	if (kind->n_outliers > 0)
		puts("\nOutliers:");
	for (size_t i = 0; i < kind->n; i++) {
		const struct fleet_host *host = &kind->hosts[kind->order[i]];

		if (!host->outlier)
			continue;
		printf("  %s (%s)\n", host->shown, host->shown_source);
		for (size_t k = 0; k < host->n_reasons; k++)
			printf("    %s\n", host->reasons[k].text);
	}
	if (kind->n_outliers > 0)
		puts("Values of outliers differ from the median host by more "
		     "than the spread of other\nhosts. A healthy fleet has an "
		     "outlier with a chance of at most 5 %.");
	else if (has_limit(kind))
		puts("\nNo outliers.");
	if (!has_limit(kind))
		puts("\nFewer than four hosts besides the reference: c2c does "
		     "not test their values for\noutliers.");
}

static void print_differences(const struct fleet_kind *kind)
{
	if (kind->n_differences > 0)
		puts("\nDifferent from most hosts:");
	for (size_t i = 0; i < kind->n_differences; i++) {
		const struct fleet_difference *difference =
			&kind->differences[i];

		printf("  %s: %s on ", difference->what, difference->value);
		for (size_t k = 0; k < difference->n && k < HOSTS_NAMED; k++)
			printf("%s%s", k ? ", " : "",
				kind->hosts[difference->hosts[k]].shown);
		if (difference->n > HOSTS_NAMED)
			printf(" and %zu more", difference->n - HOSTS_NAMED);
		printf("; most have %s\n", difference->most);
	}
}

/* Print the hosts that cannot be compared with another host. */
static void print_unmatched_hosts(const struct fleet *fleet)
{
	struct text_list table = {.text = NULL};
	bool any = false;

	text_list_add(&table, "", "  <24\t <");
	for (size_t i = 1; i < fleet->n; i++) {
		const struct fleet_kind *kind = &fleet->kinds[i];

		if (kind->n > 1)
			continue;
		if (!any)
			puts("\nCannot be compared:");
		any = true;
		text_list_add(&table, "\n", "%s\t%s", kind->hosts[0].shown,
			kind->hosts[0].alone);
		for (size_t k = 0; k < kind->hosts[0].n_reasons; k++)
			text_list_add(&table, "\n", "\t%s",
				kind->hosts[0].reasons[k].text);
	}
	text_table_print(stdout, &table, "", SIZE_MAX);
}

void compare_report_fleet(const struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->n; i++) {
		const struct fleet_kind *kind = &fleet->kinds[i];

		if (i > 0 && kind->n < 2)
			continue;
		print_fleet_kind(fleet, i);
		print_fleet_outliers(kind);
		print_differences(kind);
	}
	print_unmatched_hosts(fleet);
	if (fleet->n_unread > 0)
		puts("\nCannot be read:");
	for (size_t i = 0; i < fleet->n_unread; i++)
		printf("  %s\n", fleet->unread[i].shown);
}
