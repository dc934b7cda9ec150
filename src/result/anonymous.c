#include "result/anonymous.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "machine/xml_anonymous.h"
#include "record/edit_texts.h"
#include "result/fields.h"
#include "util/array.h"
#include "util/text.h"

/*
 * Texts that an anonymous record keeps: the type of an object, and keys. c2c,
 * the processor or a driver chose these texts. c2c drops all other texts, and
 * lists of objects that are missing here.
 */
static const struct {
	const char *type, *keys;
} kept_fields[] = {
	{"result", " command started "},
	{"topology", " hwloc_xml "},
	{"tool", " version compiler "},
	{"machine", " cpu_model arch kernel hypervisor microcode governor "},
	{"clock", " source "},
	{"huge_pages", " thp "},
	{"options", " * "},
	{"run", " interval pages "},
	{"resumed", " started "},
	{"run_known", " agreement.statistic device device_type platform "},
	{"matrix", " name statistic unit quantity "},
	{"passes", " name unit "},
	{"curve", " test family member variant device "},
	{"mark", " text "},
	{"axis_x", " name unit names "},
	{"axis_y", " name unit "},
	{"cache", " name "},
	{"skipped", " command "},
	{"cl_test", " test section status threads points ceilings theory "
		    "columns_fall maps best calls "},
	{"cl_device", " type name platform platform_version version driver "},
	{"cl_timing", " clock "},
	{"cl_core_clock", " by "},
	{"cl_thread", " cpus "},
	{"cl_point", " name y "},
	{"cl_ceiling", " name what "},
	{"cl_theory", " name source "},
	{"cl_fall", " array access "},
	{"cl_map", " direction "},
	{"cl_best", " operation type "},
	{"cl_call", " function type "},
};

static bool is_kept_field(const struct record_type *type, const char *key)
{
	size_t n = strlen(key);

	for (size_t i = 0; i < N_OF(kept_fields); i++) {
		const char *at = kept_fields[i].keys;

		if (strcmp(kept_fields[i].type, type->name) != 0)
			continue;
		while (n > 0 && (at = strstr(at + 1, key)) != NULL) {
			if (at[-1] == ' ' && at[n] == ' ')
				return true;
		}
	}
	return false;
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_';
}

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

/* Replace each occurrence of a name of n bytes, and the domain after it. */
static void cut_name(char *text, const char *name, size_t n)
{
	for (char *at = text; *at; at++) {
		if (strncasecmp(at, name, n) == 0 && !is_in_name(at[n]) &&
			(at == text || !is_in_name(at[-1])))
			cut_word(at, n + count_in_domain(at + n));
	}
}

/* Return the next name in a list of lines, and its length in *n. */
static const char *next_name(const char **names, size_t *n)
{
	const char *name = *names;

	*n = strcspn(name, "\n");
	*names = name + *n + (name[*n] == '\n');
	return *n > 0 ? name : NULL;
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || ((unsigned char)c & 0x80);
}

/* Return whether a word with a slash is a rate, such as "operations/B". */
static bool is_rate(const char *word)
{
	size_t n = strcspn(word, "/");

	for (size_t i = 0; i < n; i++) {
		if (!isalpha((unsigned char)word[i]))
			return false;
	}
	return !strchr(word + n + 1, '/') &&
	       (text_is_rate(word) || strcmp(word + n, "/B") == 0);
}

/* Return whether a word contains a path, or the name of a file or a host. */
static bool has_path(const char *word)
{
	bool slash = false, letter = false;

	for (const char *at = word; *at; at++) {
		slash |= is_slash(*at);
		letter |= is_of_word(*at);
		if (at > word && is_of_word(at[-1]) &&
			((*at == '.' && isalpha((unsigned char)at[1])) ||
				(*at == '@' && is_of_word(at[1]))))
			return true;
	}
	return slash && letter && !is_rate(word);
}

static bool is_ipv4(const char *text)
{
	unsigned a, b, c, d;
	int n = 0;

	return sscanf(text, "%3u.%3u.%3u.%3u%n", &a, &b, &c, &d, &n) == 4 &&
	       a < 256 && b < 256 && c < 256 && d < 256 &&
	       !isdigit((unsigned char)text[n]);
}

/*
 * Return whether a word contains an IPv4 or IPv6 address, or at least 12
 * hexadecimal digits, as in a MAC address, a UUID or a serial number.
 */
static bool has_address(const char *word)
{
	for (const char *at = word; *at; at++) {
		size_t n = strspn(at, "0123456789abcdefABCDEF:.-");
		size_t digits = 0, colons = 0;

		if (n == 0 || (at > word && is_of_word(at[-1])))
			continue;
		if (is_ipv4(at))
			return true;
		for (size_t i = 0; i < n; i++) {
			digits += isxdigit((unsigned char)at[i]) != 0;
			colons += at[i] == ':';
			if (i > 0 && at[i] == ':' && at[i - 1] == ':')
				colons += 5;
		}
		if (!is_of_word(at[n]) && (digits >= 12 || colons >= 5))
			return true;
	}
	return false;
}

/* Return the length of a word, or of a quoted path, which may have blanks. */
static size_t count_in_word(const char *text, const char *at)
{
	const char *end = NULL;
	size_t n;

	if (at > text && strchr("\"'`", at[-1]) && strchr("/\\~.", *at))
		end = strchr(at, at[-1]);
	n = end ? (size_t)(end - at) : strcspn(at, " \t\n,;\"'`|<>()[]{}=");
	while (n > 1 && strchr(".:", at[n - 1]))
		n--;
	return n;
}

static void cut_words(char *text)
{
	for (char *at = text; *at; at++) {
		size_t n = count_in_word(text, at);
		char end = at[n];
		bool goes;

		if (n == 0)
			continue;
		at[n] = '\0';
		goes = has_path(at) || has_address(at);
		at[n] = end;
		if (goes)
			cut_word(at, n);
		else
			at += n - 1;
	}
}

/*
 * Return whether a text equals a name. The text is then a word of c2c, as if a
 * host had the name "gpu". A record needs its words.
 */
static bool is_name(const char *text, const char *names)
{
	const char *name;
	size_t n;

	while ((name = next_name(&names, &n))) {
		if (strlen(text) == n && strncmp(text, name, n) == 0)
			return true;
	}
	return false;
}

static void cut_names(char *text, const char *names)
{
	const char *name;
	size_t n;

	while ((name = next_name(&names, &n)))
		cut_name(text, name, n);
	cut_words(text);
}

/* Cut names in the values of XML attributes from users and hosts. */
static void cut_names_in_xml(char *xml, const char *names)
{
	static const char support[] = "<support";
	static const char *const attributes[] = {
		" value=", " name=", " subtype="};

	for (size_t i = 0; i < N_OF(attributes); i++) {
		for (char *at = xml; (at = strstr(at, attributes[i]));) {
			size_t n = strlen(support);
			bool fixed = at - xml >= (long)n &&
				     strncmp(at - n, support, n) == 0;
			char *value = at + strlen(attributes[i]) + 1;
			char quote = value[-1];
			char *end = quote ? strchr(value, quote) : NULL;

			if (!end)
				break;
			*end = '\0';
			if (!fixed)
				cut_names(value, i == 0 && is_name(value, names)
							 ? ""
							 : names);
			at = value + strlen(value);
			*end = quote;
			if (at < end)
				memmove(at, end, strlen(end) + 1);
		}
	}
}

/* Cut the text after a version such as "Linux 6.1.0". */
static void cut_after_number(char *text)
{
	char *number = text + strcspn(text, "0123456789");

	number[strspn(number, "0123456789.")] = '\0';
}

/* Return whether a text is a unit, a time or a word of c2c. */
static bool is_fixed_text(const char *key, const char *text, const char *names)
{
	return (strcmp(key, "unit") == 0 && !strchr(text, ' ')) ||
	       !text[strspn(text, "0123456789-:TZ")] || is_name(text, names);
}

static void edit_kept_text(const char *key, char *text, const void *names)
{
	char *bracket;

	if (strcmp(key, "hwloc_xml") == 0) {
		xml_make_anonymous(text);
		cut_names_in_xml(text, names);
		return;
	}
	if (strcmp(key, "kernel") == 0 || strcmp(key, "compiler") == 0)
		cut_after_number(text);
	if (strcmp(key, "hypervisor") == 0 && (bracket = strstr(text, " (")))
		*bracket = '\0'; /* "unknown (SIGNATURE)" */
	cut_names(text, is_fixed_text(key, text, names) ? "" : names);
}

/*
 * List the names of hosts, without domains, and kernel releases with letters,
 * in a record, its runs and its sections.
 */
static void list_names(const struct result *result, struct text_list *names)
{
	const char *host = facts_text(&result->machine, "hostname");
	const char *kernel = facts_text(&result->machine, "kernel");
	const char *release = kernel ? strchr(kernel, ' ') : NULL;

	if (host && *host && *host != '.')
		text_list_add(
			names, "\n", "%.*s", (int)strcspn(host, "."), host);
	if (release && release[1 + strspn(release + 1, "0123456789.")])
		text_list_add(names, "\n", "%s", release + 1);
	for (size_t i = 0; i < result->n_runs; i++)
		list_names(&result->runs[i], names);
	for (size_t i = 0; i < result->n_sections; i++)
		list_names(&result->sections[i], names);
}

int result_make_anonymous(struct result *result, struct error *err)
{
	struct text_list list = {0};
	struct text_editor editor = {is_kept_field, edit_kept_text, NULL};
	char *names;
	int rc = -ENOMEM;

	list_names(result, &list);
	names = text_list_end(&list);
	editor.context = names;
	if (names)
		rc = record_edit_texts(&result_type, result, &editor);
	free(names);
	return rc < 0 ? error_no_memory(err, "the record") : 0;
}
