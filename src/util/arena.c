#include "util/arena.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each block is an allocation, so that ASan detects writes beyond its end. */
struct arena_block {
	struct arena_block *before;
	max_align_t memory[];
};

struct arena_exit {
	jmp_buf jump;
};

int arena_run(struct arena *arena,
	int (*work)(struct arena *arena, void *context, struct error *err),
	void *context, const char *what, struct error *err)
{
	struct arena_exit exit;
	int rc;

	arena->exit = &exit;
	if (setjmp(exit.jump) == 0)
		rc = work(arena, context, err);
	else
		rc = error_no_memory(err, what);
	arena->exit = NULL;
	return rc;
}

void *arena_alloc(struct arena *arena, size_t n, size_t bytes)
{
	struct arena_block *block = NULL;

	if (bytes == 0 || n <= (SIZE_MAX - sizeof(*block)) / bytes)
		block = calloc(1, sizeof(*block) + n * bytes);
	if (block) {
		block->before = arena->last;
		arena->last = block;
		return block->memory;
	}
	if (arena->exit)
		arena_fail(arena);
	return NULL;
}

void *arena_copy(struct arena *arena, const void *items, size_t n, size_t bytes)
{
	void *copy = arena_alloc(arena, n, bytes);

	return copy && n > 0 ? memcpy(copy, items, n * bytes) : copy;
}

void *arena_grow(struct arena *arena, void *items, size_t n, size_t bytes)
{
	void *grown;

	if (n & (n - 1))
		return items;
	grown = arena_alloc(arena, n ? 2 * n : 1, bytes);
	return grown && n > 0 ? memcpy(grown, items, n * bytes) : grown;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return text ? arena_copy(arena, text, strlen(text) + 1, 1) : NULL;
}

char *arena_adopt(struct arena *arena, char *text)
{
	struct arena_exit *exit = arena->exit;
	char *copy;

	arena->exit = NULL;
	copy = arena_strdup(arena, text);
	arena->exit = exit;
	free(text);
	if (!copy && exit)
		arena_fail(arena);
	return copy;
}

char *arena_vformat(struct arena *arena, const char *format, va_list args)
{
	char *text = NULL;

	return arena_adopt(
		arena, vasprintf(&text, format, args) < 0 ? NULL : text);
}

char *arena_format(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = arena_vformat(arena, format, args);
	va_end(args);
	return text;
}

void arena_fail(struct arena *arena)
{
	longjmp(arena->exit->jump, 1);
}

void arena_rewind(struct arena *arena, const struct arena_block *mark)
{
	while (arena->last != mark) {
		struct arena_block *block = arena->last;

		arena->last = block->before;
		free(block);
	}
}

void arena_release(struct arena *arena)
{
	arena_rewind(arena, NULL);
}
