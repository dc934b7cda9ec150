/*
 * The screen of c2c watch: ncurses, if c2c was built with it.
 */
#ifndef C2C_WATCH_SCREEN_H
#define C2C_WATCH_SCREEN_H

#include "cmd/watch/cmd_watch.h"
#include "util/error.h"

struct screen;

/* Whether c2c can draw one, and the version of the library; or NULL. */
const char *screen_curses_version(void);

/*
 * Whether a screen may be had here, as far as TERM tells: 0, or -ENOTSUP as
 * screen_open() returns it.
 */
int screen_check(struct error *err);

/*
 * Take the terminal. -ENOTSUP (ERROR_UNAVAILABLE) without ncurses, and if it
 * does not know the terminal.
 */
int screen_open(struct screen **made, struct error *err);

/* Give it back as it was. NULL: there is none. */
void screen_close(struct screen *screen);

/* Wait so long for a key, obey it, and draw what is due. */
void screen_turn(struct screen *screen, struct watch *watch, double wait_s);

#endif
