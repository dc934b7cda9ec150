#include "result/anonymous.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "machine/xml_anonymous.h"
#include "record/edit_texts.h"
#include "result/fields.h"

/* Type and key of fields that are cut whole: names, settings, sentences. */
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

/* Cut the name of a host, alone or with its domain. */
static void cut_host(char *text, const char *host)
{
	size_t n = host ? strlen(host) : 0;
	char *at = text;

	while (n && (at = strstr(at, host))) {
		if ((at > text && is_in_name(at[-1])) || is_in_name(at[n]))
			at++;
		else
			cut_word(at,
				n + strspn(at + n, ".abcdefghijklmnopqrstuvw"
						   "xyz0123456789-"));
	}
}

/* Cut what looks like a path: a slash and a name after the end of a word. */
static void cut_paths(char *text)
{
	for (char *at = text; *at; at++) {
		if ((*at == '/' || (*at == '~' && at[1] == '/')) &&
			(is_in_name(at[1]) || at[1] == '.' || at[1] == '/') &&
			(at == text || strchr(" =:,;'\"(<", at[-1])))
			cut_word(at, strcspn(at, " ,;'\")>"));
	}
}

static void edit_kept_text(const char *key, char *text, const void *host)
{
	if (strcmp(key, "hwloc_xml") == 0) {
		xml_make_anonymous(text);
		return;
	}
	/* "Linux 6.1.0-18-amd64": the builder chose what follows the dash. */
	if (strcmp(key, "kernel") == 0)
		text[strcspn(text, "-+")] = '\0';
	cut_host(text, host);
	cut_paths(text);
}

int result_make_anonymous(struct result *result, struct error *err)
{
	const char *name = facts_text(&result->machine, "hostname");
	char *host = name ? strdup(name) : NULL;
	const struct text_editor editor = {is_kept_field, edit_kept_text, host};
	int rc = name && !host
			 ? -ENOMEM
			 : record_edit_texts(&result_type, result, &editor);

	free(host);
	return rc < 0 ? error_no_memory(err, "the record") : 0;
}
