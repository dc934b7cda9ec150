/* files.c: read small text files of the kernel. */
#include "machine/files.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cpu_list.h"
#include "util/text.h"

/* Limit for endless files; /proc/cpuinfo of thousands of CPUs is smaller. */
#define TEXT_MAX_BYTES (16u << 20)

/* Read a file to its end, because files of /sys and /proc report no size. */
static char *read_kernel_text(struct arena *arena, int fd)
{
	size_t room = 2048, used = 0;
	char *text = NULL;

	for (;;) {
		ssize_t got;

		if (!text || room - used < 2) {
			char *larger = arena_alloc(arena, 2 * room, 1);

			if (!larger)
				return NULL;
			text = text ? memcpy(larger, text, used) : larger;
			room *= 2;
		}
		got = read(fd, text + used, room - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return NULL;
		used += (size_t)got;
		if (got == 0 || used >= TEXT_MAX_BYTES)
			return text;
	}
}

char *files_read(struct files *files, const char *format, ...)
{
	struct arena_exit *exit = files->arena.exit;
	va_list args;
	char *path, *text = NULL;
	int fd = -1;

	if (!files->root)
		return NULL;
	va_start(args, format);
	path = arena_vformat(&files->arena, format, args);
	va_end(args);
	path = arena_format(
		&files->arena, "%s%s", files->root, path ? path : "");
	if (path)
		fd = open(path, O_RDONLY | O_CLOEXEC);
	/* Close the file even if memory runs out. */
	files->arena.exit = NULL;
	if (fd >= 0) {
		text = read_kernel_text(&files->arena, fd);
		close(fd);
	}
	files->arena.exit = exit;
	return text;
}

/* Trim text to its first line without surrounding blanks, in place. */
static void trim_line(char *text)
{
	char *start = text;
	size_t length;

	text[strcspn(text, "\n")] = '\0';
	while (isspace((unsigned char)*start))
		start++;
	length = strlen(start);
	while (length > 0 && isspace((unsigned char)start[length - 1]))
		length--;
	memmove(text, start, length);
	text[length] = '\0';
	text_make_safe(text);
}

char *files_line(char *text)
{
	if (text)
		trim_line(text);
	return text && *text ? text : NULL;
}

long long files_number(char *text)
{
	const char *line = files_line(text);
	long long number;
	char *end;

	if (!line || !isdigit((unsigned char)*line))
		return -1;
	errno = 0;
	number = strtoll(line, &end, 10);
	return errno || *end ? -1 : number;
}

bool files_cpus(hwloc_bitmap_t set, char *text)
{
	struct cpu_list cpus = {0};
	bool good = text;

	if (files_line(text))
		good = cpu_list_parse(&cpus, text, NULL) == 0;
	if (good)
		hwloc_bitmap_zero(set);
	for (size_t i = 0; good && i < cpus.n; i++)
		good = hwloc_bitmap_set(set, cpus.cpus[i]) == 0;
	cpu_list_release(&cpus);
	return good;
}

char *files_field(struct files *files, const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text && *text) {
		const char *end = text + strcspn(text, "\n");
		const char *colon = memchr(text, ':', (size_t)(end - text));

		if (colon && strncmp(text, key, length) == 0 &&
			text + length + strspn(text + length, " \t") == colon) {
			char *value = arena_format(&files->arena, "%.*s",
				(int)(end - colon - 1), colon + 1);

			if (value)
				trim_line(value);
			return value;
		}
		text = *end ? end + 1 : end;
	}
	return NULL;
}

uint64_t files_stat(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length) == 0 && line[length] == ' ')
			return strtoull(line + length, NULL, 10);
	}
	return 0;
}

bool files_has_word(const char *text, const char *word)
{
	static const char between[] = " \t\n,";
	size_t length = strlen(word);

	for (const char *at = text; at && (at = strstr(at, word)); at++) {
		/* The end of the text also ends a word. */
		if ((at == text || strchr(between, at[-1])) &&
			strchr(between, at[length]))
			return true;
	}
	return false;
}
