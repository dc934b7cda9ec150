#include "result/anonymous.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/xml_anonymous.h"
#include "record/edit_texts.h"
#include "result/fields.h"
#include "util/array.h"

/*
 * Type and key of fields that are cut completely: names, settings, sentences.
 */
static const struct {
	const char *type, *key;
} cut_fields[] = {
	{"machine", "hostname"},
	{"machine", "warnings"},
	{"tool", "cflags"},
	{"run", "warnings"},
	{"run_known", "environment"},
	{"cl_test", "reason"},
	{"cl_test", "notes"},
	{"cl_test", "findings"},
	{"cl_test", "rejected"},
	{"cl_timing", "clock_reason"},
	{"cache", "why"},
	{"cache", "cpus_why"},
	{"skipped", "arguments"},
	{"skipped", "reason"},
};

static bool is_kept_field(const struct record_type *type, const char *key)
{
	for (size_t i = 0; i < sizeof(cut_fields) / sizeof(*cut_fields); i++) {
		if (strcmp(cut_fields[i].type, type->name) == 0 &&
			strcmp(cut_fields[i].key, key) == 0)
			return false;
	}
	return true;
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

/* Replace n bytes by a dash. */
static void cut_word(char *at, size_t n)
{
	*at = '-';
	memmove(at + 1, at + n, strlen(at + n) + 1);
}

/* Return the length of the domain that follows a host name. */
static size_t count_in_domain(const char *text)
{
	size_t n = 0;

	while (is_in_name(text[n]) || text[n] == '.')
		n++;
	return n;
}

/* Cut a host name (given without its domain) together with any domain. */
static void cut_host(char *text, const char *host)
{
	size_t n = strlen(host);
	char *at = text;

	while (n && (at = strcasestr(at, host))) {
		if ((at > text && is_in_name(at[-1])) || is_in_name(at[n]))
			at++;
		else
			cut_word(at, n + count_in_domain(at + n));
	}
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

/*
 * Return the start of the path whose first slash is at `slash`: "/a", "./a",
 * "../a", "~a/b", "-I/a", "C:\a", "\\a". NULL if it is no path (GB/s).
 */
static char *find_path_start(char *text, char *slash)
{
	char *start = slash, *name = slash;

	if (!isalnum((unsigned char)slash[1]) &&
		!(slash[1] && strchr("_.+/\\", slash[1])) && !(slash[1] & 0x80))
		return NULL;
	while (name > text && is_in_name(name[-1]))
		name--;
	if (name > text && name[-1] == '~')
		return name - 1;
	if (slash - name == 2 && *name == '-' &&
		isalpha((unsigned char)slash[-1]))
		return name;
	if (slash - text >= 2 && slash[-1] == ':' && *slash == '\\' &&
		isalpha((unsigned char)slash[-2]) &&
		(slash - text == 2 || !is_in_name(slash[-3])))
		return slash - 2;
	while (start > text && start[-1] == '.')
		start--;
	return start == text || !is_in_name(start[-1]) ? start : NULL;
}

/* Return the length of a path; a quoted path may have spaces. */
static size_t count_in_path(const char *text, const char *start)
{
	const char *end = start > text && strchr("\"'`", start[-1])
				  ? strchr(start, start[-1])
				  : NULL;

	return end ? (size_t)(end - start) : strcspn(start, " ,;'\"`)>]}|");
}

static void cut_paths(char *text)
{
	for (char *at = text; *at; at++) {
		char *start = is_slash(*at) ? find_path_start(text, at)
			      : *at == '~' && is_slash(at[1]) ? at
							      : NULL;

		if (!start)
			continue;
		cut_word(start, count_in_path(text, start));
		at = start;
	}
}

/* Cut what looks like bob@host.example.com. */
static void cut_addresses(char *text)
{
	for (char *at = text; (at = strchr(at, '@')); at++) {
		char *start = at;

		while (start > text &&
			(is_in_name(start[-1]) || start[-1] == '.'))
			start--;
		if (start == at || !isalnum((unsigned char)at[-1]) ||
			!isalnum((unsigned char)at[1]))
			continue;
		cut_word(start,
			(size_t)(at - start) + 1 + count_in_domain(at + 1));
		at = start;
	}
}

static void cut_names(char *text, const char *host)
{
	cut_addresses(text);
	if (host)
		cut_host(text, host);
	cut_paths(text);
}

/*
 * Cut what users and hosts may choose in hwloc's XML: the values of attributes.
 */
static void cut_names_in_xml(char *xml, const char *host)
{
	static const char *const attributes[] = {
		" value=", " name=", " subtype="};

	for (size_t i = 0; i < N_OF(attributes); i++) {
		for (char *at = xml; (at = strstr(at, attributes[i]));) {
			char *value = at + strlen(attributes[i]) + 1;
			char quote = value[-1];
			char *end = quote ? strchr(value, quote) : NULL;

			if (!end)
				break;
			*end = '\0';
			/* Keep a fixed text: see is_fixed_text(). */
			if (i > 0 || !host || strcmp(value, host) != 0)
				cut_names(value, host);
			at = value + strlen(value);
			*end = quote;
			if (at < end)
				memmove(at, end, strlen(end) + 1);
		}
	}
}

/*
 * Whether a text must stay: a unit (GB/s), a time (12:30:00), or a word of c2c
 * that is also the host's name ("latency", "gpu"). A dash in place of such a
 * word would change the meaning of the record.
 */
static bool is_fixed_text(const char *key, const char *text, const char *host)
{
	return (strcmp(key, "unit") == 0 && !strchr(text, ' ')) ||
	       strcmp(key, "started") == 0 || (host && strcmp(text, host) == 0);
}

static void edit_kept_text(const char *key, char *text, const void *host)
{
	if (strcmp(key, "hwloc_xml") == 0) {
		xml_make_anonymous(text);
		cut_names_in_xml(text, host);
		return;
	}
	/* "Linux 6.1.0-18-amd64": cut the builder's text. */
	if (strcmp(key, "kernel") == 0)
		text[strcspn(text, "-+")] = '\0';
	if (!is_fixed_text(key, text, host))
		cut_names(text, host);
}

/* Copy the name of a record's host without its domain, for free(); or NULL. */
static int copy_host(const struct result *result, char **host)
{
	const char *name = facts_text(&result->machine, "hostname");

	*host = name ? strndup(name, strcspn(name, ".")) : NULL;
	return name && !*host ? -ENOMEM : 0;
}

/*
 * A record and its sections may have several hosts: cut each name everywhere.
 */
int result_make_anonymous(struct result *result, struct error *err)
{
	size_t n = result->n_sections + 1;
	char **hosts = calloc(n, sizeof(*hosts));
	int rc = hosts ? copy_host(result, &hosts[0]) : -ENOMEM;

	for (size_t i = 1; rc == 0 && i < n; i++)
		rc = copy_host(&result->sections[i - 1], &hosts[i]);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		const struct text_editor editor = {
			is_kept_field, edit_kept_text, hosts[i]};

		if (i == 0 || hosts[i])
			rc = record_edit_texts(&result_type, result, &editor);
	}
	for (size_t i = 0; hosts && i < n; i++)
		free(hosts[i]);
	free(hosts);
	return rc < 0 ? error_no_memory(err, "the record") : 0;
}
