/* The screen of c2c watch, with the matrix as c2c plot draws it. */
#ifndef C2C_WATCH_SCREEN_H
#define C2C_WATCH_SCREEN_H

#include "cmd/watch/cmd_watch.h"
#include "util/error.h"

struct screen;

/* Return -ENOTSUP (ERROR_UNAVAILABLE) if the terminal of TERM has no screen. */
int screen_check(struct error *err);

/* Begin to draw on the whole terminal. */
int screen_open(struct screen **made, struct error *err);

/* Restore the terminal. NULL: there is no screen. */
void screen_close(struct screen *screen);

/* Wait for a key, at most wait_s, handle the key, and draw if it is time. */
void screen_turn(struct screen *screen, struct watch *watch, double wait_s);

#endif
