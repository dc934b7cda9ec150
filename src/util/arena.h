/*
 * Memory that is released together.
 *
 * arena_run() runs a calculation. If memory runs out, arena_alloc() ends the
 * calculation, so that its functions need no checks. If the calculation ends
 * early, its memory outside the arena is lost. A zeroed struct is an empty
 * arena; one thread uses it at a time.
 */
#ifndef C2C_ARENA_H
#define C2C_ARENA_H

#include <stdarg.h>
#include <stddef.h>

#include "util/error.h"

struct arena_block;
struct arena_exit;

struct arena {
	/* Last block, as a mark for arena_rewind(). */
	struct arena_block *last;
	struct arena_exit *exit; /* exit of the current arena_run(), or NULL */
};

/*
 * Return the result of work(arena, context, err), or -ENOMEM with *err if
 * memory for `what` runs out. In both cases the arena keeps its memory.
 */
int arena_run(struct arena *arena,
	int (*work)(struct arena *arena, void *context, struct error *err),
	void *context, const char *what, struct error *err);

/*
 * Return zeroed memory for n items of `bytes` bytes. If memory runs out, end
 * the current arena_run(), or return NULL outside of arena_run().
 */
void *arena_alloc(struct arena *arena, size_t n, size_t bytes);

/* Copy n items, or a text, which may be NULL. */
void *arena_copy(
	struct arena *arena, const void *items, size_t n, size_t bytes);
char *arena_strdup(struct arena *arena, const char *text);

/*
 * Make room for one item after n items, and return the array, which may move.
 * The array grows at powers of two, as with array_grow().
 */
void *arena_grow(struct arena *arena, void *items, size_t n, size_t bytes);

/* Copy a text into the arena, and free it. NULL means: memory ran out. */
char *arena_adopt(struct arena *arena, char *text);

/* printf() into the arena. */
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vformat(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* End the current arena_run(), because memory ran out outside of the arena. */
_Noreturn void arena_fail(struct arena *arena);

/* Release everything allocated after mark, an earlier value of arena->last. */
void arena_rewind(struct arena *arena, const struct arena_block *mark);

void arena_release(struct arena *arena);

#endif
