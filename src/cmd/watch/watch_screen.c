#include "cmd/watch/watch_screen.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cli.h"
#include "machine/timebase.h"
#include "render/plot.h"
#include "util/size.h"
#include "util/text.h"

/* Seconds between drawings, besides those after a key. */
#define DRAW_S 0.5

/* Characters of the host name in the title. */
#define HOST_MOST 24

/* A larger window stays empty at its edges. */
#define MOST_ROWS    512
#define MOST_COLUMNS 1024

/* The least window, and its lines below the matrix: state, events, keys. */
#define LEAST_ROWS    12
#define LEAST_COLUMNS 24
#define OTHER_LINES   4

/*
 * Codes that all terminals of today share with xterm: the second screen without
 * cursor, where long lines are cut off, and the screen as before.
 */
#define ENTER	   "\033[?1049h\033[?25l\033[?7l"
#define LEAVE	   "\033[0m\033[?7h\033[?25h\033[?1049l"
#define TOP	   "\033[H"
#define LINE_REST  "\033[K"
#define BELOW_REST "\033[J"

struct screen {
	struct cli_terminal before; /* terminal to restore at a second signal */
	enum plot_border *borders;  /* [watch->cpus->n] none */
	bool frozen, help;
	double drawn_s;
	char note[160]; /* message about a key; "": none */
};

static int refuse_terminal(struct error *err)
{
	const char *term = getenv("TERM");

	return error_set(err, ERROR_UNAVAILABLE, ENOTSUP,
		"no screen on this terminal (TERM is '%s'): use --no-screen",
		term ? term : "");
}

int screen_check(struct error *err)
{
	const char *term = getenv("TERM");

	return term && *term && !text_same(term, "dumb") ? 0
							 : refuse_terminal(err);
}

/*
 * Change the modes and the screen of the terminal. Block signals meanwhile,
 * because a second signal would end c2c without restoring the terminal. Other
 * threads receive no signals.
 */
static void change_terminal(const struct cli_terminal *saved,
	const struct termios *modes, const char *codes)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	cli_set_saved_terminal(saved);
	tcsetattr(STDOUT_FILENO, TCSANOW, modes);
	fputs(codes, stdout);
	fflush(stdout);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int screen_open(struct screen **made, struct error *err)
{
	struct screen *screen = calloc(1, sizeof(*screen));
	struct termios modes;

	*made = NULL;
	if (!screen)
		return error_no_memory(err, "the screen");
	if (tcgetattr(STDOUT_FILENO, &screen->before.modes) != 0) {
		free(screen);
		return refuse_terminal(err);
	}
	screen->before.fd = STDOUT_FILENO;
	screen->before.bytes = strlen(LEAVE);
	memcpy(screen->before.exit_sequence, LEAVE, strlen(LEAVE));
	/* Read single keys; Ctrl-Z would leave the shell on this screen. */
	modes = screen->before.modes;
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	modes.c_cc[VSUSP] = _POSIX_VDISABLE;
	change_terminal(&screen->before, &modes, ENTER);
	*made = screen;
	return 0;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	change_terminal(NULL, &screen->before.modes, LEAVE);
	free(screen->borders);
	free(screen);
}

/* Show the values of the last burst, unless frozen. */
static bool update_shown_matrix(struct screen *screen, struct watch *watch)
{
	const struct passes *passes = &watch->bursts.passes;
	const double *last =
		passes->values + (passes->n_passes - 1) * passes->n_pairs;
	size_t n = watch->cpus->n;

	if (!screen->borders)
		screen->borders = calloc(n, sizeof(*screen->borders));
	if (!screen->borders)
		return false;
	for (size_t i = 0; i < n * n && !screen->frozen; i++)
		watch->base.matrices->values[i] =
			i % n == i / n ? NAN
				       : last[bursts_pair_index(
						 &watch->bursts, i / n, i % n)];
	return true;
}

/* Return "14:02:07" in local time. */
static const char *local_time(double unix_s, char text[16])
{
	time_t whole = (time_t)unix_s;
	struct tm tm;

	localtime_r(&whole, &tm);
	strftime(text, 16, "%H:%M:%S", &tm);
	return text;
}

static void print_shown_matrix(const struct screen *screen,
	const struct watch *watch, struct plot_terminal terminal, FILE *out)
{
	static const char *const orders[] = {
		"by number", "by topology", "by groups"};
	const char *host = watch->state.host;
	struct plot_options options;
	char title[160], time[16];
	struct error err;

	snprintf(title, sizeof(title), "c2c watch %.*s: %zu CPUs %s%s  %s",
		HOST_MOST, host ? host : "", watch->cpus->n,
		orders[watch->order], screen->frozen ? ", FROZEN" : "",
		local_time(watch->state.now_s, time));
	plot_options_init(&options);
	options.title = title;
	options.order = PLOT_ORDER_GROUPS;
	options.cpus = &watch->shown;
	options.borders = screen->borders;
	terminal.fit = true;
	terminal.rows -= OTHER_LINES;
	if (plot_text(PLOT_RECORD(&watch->base), &options, &terminal, out,
		    &err) < 0)
		fprintf(out, "%s\n", err.text);
}

static void print_watch_state(const struct watch *watch, FILE *out)
{
	const struct watch_state *state = &watch->state;

	fprintf(out, "duty %.1f %%, limit %g %%", state->duty * 100,
		state->duty_limit * 100);
	if (state->watch_s < state->held_s)
		fprintf(out, " from %.1f s on", state->held_s);
	if (isfinite(state->stolen))
		fprintf(out, "  steal %.1f %%", state->stolen * 100);
	if (isfinite(state->agreement))
		fprintf(out, "  agreement %.2f", state->agreement);
	fprintf(out, "  %zu bursts  %zu events\n", state->bursts,
		state->events);
}

/* Print the events, the latest one first. */
static void print_watch_events(const struct watch *watch, FILE *out)
{
	char time[16];

	if (watch->n_recorded == 0)
		fputs(watch->bursts.n_usual < BURSTS_LEARN
				? "learning the usual noise\n"
				: "nothing moved\n",
			out);
	for (size_t k = 0; k < min_size(watch->n_recorded, WATCH_EVENTS); k++) {
		const struct watch_event *event =
			&watch->events[(watch->n_recorded - 1 - k) %
				       WATCH_EVENTS];

		fprintf(out, "%s %s\n", local_time(event->at_s, time),
			event->text);
	}
}

static const char help[] =
	"\n  q      quit, and save the record"
	"\n  space  freeze the matrix, or continue"
	"\n  o      order by number, by topology, by measured groups"
	"\n  s      save the record in the current folder now"
	"\n  ? h    this help, or the matrix again"
	"\n  Dark is near. c2c still measures meanwhile.\n";

/* Show the first lines of a text, and the last line of the screen. */
static void show_text(const char *text, unsigned rows, const char *last)
{
	fputs(TOP, stdout);
	for (unsigned row = 1; row < rows && *text; row++) {
		int bytes = (int)strcspn(text, "\n");

		/* After a full line, the cursor is on its last character. */
		printf(LINE_REST "%.*s\n", bytes, text);
		text += bytes + (text[bytes] == '\n');
	}
	printf(BELOW_REST "\033[%u;1H%s", rows, last);
	fflush(stdout);
}

static void draw_watch_screen(struct screen *screen, struct watch *watch)
{
	const struct error *trouble = watch_sink_error(watch);
	struct plot_terminal terminal = plot_terminal_of(stdout);
	const char *last =
		*screen->note ? screen->note
		: trouble     ? trouble->text
			      : "q quit  space freeze  o order  s save  ? help";
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	terminal.rows = (unsigned)min_size(terminal.rows, MOST_ROWS);
	terminal.columns = (unsigned)min_size(terminal.columns, MOST_COLUMNS);
	if (!out || !update_shown_matrix(screen, watch) ||
		terminal.rows < LEAST_ROWS ||
		terminal.columns < LEAST_COLUMNS) {
		last = "enlarge the window";
	} else if (screen->help) {
		fputs(help, out);
	} else {
		print_shown_matrix(screen, watch, terminal, out);
		print_watch_state(watch, out);
		print_watch_events(watch, out);
	}
	if (out && fclose(out) == 0)
		show_text(text, terminal.rows, last);
	free(text);
}

static void save_watch_record(struct screen *screen, struct watch *watch)
{
	char *name = watch_record_name();
	struct error err;

	if (!name)
		return;
	if (measure_save_now(watch->plan, name, &err) < 0)
		snprintf(
			screen->note, sizeof(screen->note), "%.150s", err.text);
	else
		snprintf(screen->note, sizeof(screen->note), "saved: %s", name);
	free(name);
}

static void handle_watch_key(
	struct screen *screen, struct watch *watch, char key)
{
	screen->note[0] = '\0';
	if (key == 'q') {
		watch->quit = true;
	} else if (key == ' ') {
		screen->frozen = !screen->frozen;
	} else if (key == 'o') {
		watch->order = (watch->order + 1) % WATCH_ORDERS;
		watch_sort_cpus(watch);
	} else if (key == 's') {
		save_watch_record(screen, watch);
	} else if (key == '?' || key == 'h') {
		screen->help = !screen->help;
	}
}

/* Return a key, or 0 after a time without one. */
static char wait_for_key(double wait_s)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
	int wait_ms = (int)ceil(wait_s * 1000);
	char key;

	if (poll(&in, 1, wait_ms) <= 0)
		return 0;
	if (read(STDIN_FILENO, &key, 1) == 1)
		return key;
	/* There are no more keys. */
	poll(NULL, 0, wait_ms);
	return 0;
}

void screen_turn(struct screen *screen, struct watch *watch, double wait_s)
{
	char key = wait_for_key(wait_s);
	double now_s;

	if (key)
		handle_watch_key(screen, watch, key);
	now_s = timebase_raw_s();
	if (!key && now_s - screen->drawn_s < DRAW_S)
		return;
	draw_watch_screen(screen, watch);
	screen->drawn_s = now_s;
}
