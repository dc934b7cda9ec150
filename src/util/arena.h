/*
 * Memory that is released together.
 *
 * For calculations that can fail for want of memory only: arena_try() runs one,
 * and arena_take() leaves it when there is no more, so that no function in
 * between has to ask. Such a calculation owns nothing but memory of its arena.
 * A zeroed struct is an empty arena; one belongs to one thread at a time.
 */
#ifndef C2C_UTIL_ARENA_H
#define C2C_UTIL_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct arena_block;
struct arena_exit;

struct arena {
	struct arena_block
		*last;		 /* what was taken last: a mark to go back to */
	struct arena_exit *exit; /* of the arena_try() under way, or NULL */
};

/*
 * Run work(arena, context). False when memory ran out; what was taken until
 * then is the arena's all the same.
 */
bool arena_try(struct arena *arena,
	void (*work)(struct arena *arena, void *context), void *context);

/*
 * Zeroed memory for n items of so many bytes each, or no return to the caller;
 * NULL where no arena_try() is under way.
 */
void *arena_take(struct arena *arena, size_t n, size_t bytes);

/* A copy of text, which may be NULL. */
char *arena_text(struct arena *arena, const char *text);

/* A copy of text, which is freed; NULL stands for memory that was out. */
char *arena_adopt(struct arena *arena, char *text);

/* printf() into the arena. */
char *arena_format(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vformat(struct arena *arena, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* End the arena_try() under way: memory was out elsewhere. */
_Noreturn void arena_fail(struct arena *arena);

/* Release what was taken since arena->last was mark. */
void arena_back(struct arena *arena, const struct arena_block *mark);

void arena_release(struct arena *arena);

#endif
