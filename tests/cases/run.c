/*
 * Run the cases of the command line: arguments and files in; text, files and an
 * exit status out.
 * Usage: run [--accept] [GROUP | GROUP/CASE]...
 *
 * A case is a folder tests/cases/GROUP/CASE. It has
 *
 *   cmd     a line "# what holds", then one command a line
 *   in/     the files that the commands find in their working folder; if cmd
 *           names a file of ../in, which the cases of a group share, that too
 *   out     what the commands print on standard output; absent: nothing. Of
 *           several commands each that prints has a line "$ COMMAND" before it
 *   err     the same of standard error
 *   status  the exit status of each command that does not end with 0, and which
 *           command that is; absent: there is none
 *   made/   files as they must be in the end; files beside these do not matter
 *
 * A command is a list of words: '...' and "..." keep blanks, $'...' knows \n,
 * \e and \xHH too, NAME=VALUE before the command sets a variable, <FILE, >FILE
 * and 2>FILE redirect. There are no pipes and no patterns. The word c2c is c2c
 * itself, in a process that was forked from this one, with the made-up CPUs of
 * tests/made_up. Any other word is a program: jq asks for facts of a long
 * record, test for a file that must be there or not. The working folder has a
 * link "source" to the project's own folder, for example to its data/.
 *
 * In the end all JSON of c2c that the commands printed, wrote for made/ or
 * wrote as anything but a result is validated by schema/c2c.schema.json. (A
 * result may be one that a case made up.)
 *
 * --accept writes out, err, status and the files of made/ as they are now, and
 * shows the difference. An empty file in made/ asks for the file.
 *
 * slow: it is one test to make check, and runs 1,500 commands under sanitizers.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../made_up/made_up.h"

#include "cl/cl.h"

/* src/main.c is compiled into this program under this name. */
#undef main
int c2c_main(int argc, char **argv);

#define PATH_BYTES    512
#define WORDS_MAX     64
#define CASES_MAX     4096
#define LINE_BYTES    4096
#define SECONDS_MAX   120    /* of one command: after that it hangs */
#define REDIRECTION   '\001' /* before a word that is one */
#define WORKERS_MAX   64
#define CHILD_OF_CASE "C2C_CASES_CHILD"
#define NO_STACKS     "glibc.pthread.stack_cache_size=0"

/* The sanitizer's own name. NOLINTNEXTLINE(bugprone-*,cert-dcl*) */
const char *__lsan_default_suppressions(void);

/* hwloc does not free all of XML that it refuses. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libhwloc\n";
}

struct case_run {
	char folder[PATH_BYTES]; /* of the case */
	char work[PATH_BYTES];	 /* where its commands run */
	char statuses[4 * LINE_BYTES];
	unsigned commands; /* how many cmd has */
	bool accept, failed;
	FILE *report; /* what differs, as comments of TAP */
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(
	const char *format, ...)
{
	va_list list;

	va_start(list, format);
	fputs("Bail out! ", stdout);
	vprintf(format, list);
	putchar('\n');
	va_end(list);
	exit(99);
}

/*
 * LeakSanitizer looks through 17 MB of the sanitizers' own tables, which is
 * most of what a command costs. A command that leaves as many blocks of memory
 * as it found has lost none, and is not looked at.
 */
#ifdef __SANITIZE_ADDRESS__
static atomic_long blocks, blocks_at_start = -1;

/* GCC has no header for these. NOLINTBEGIN(bugprone-*,cert-dcl*) */
int __sanitizer_install_malloc_and_free_hooks(
	void (*at_malloc)(const volatile void *, size_t),
	void (*at_free)(const volatile void *));
int __lsan_is_turned_off(void);
/* NOLINTEND(bugprone-*,cert-dcl*) */

int __lsan_is_turned_off(void)
{
	return blocks == blocks_at_start;
}

static void count_block(const volatile void *block, size_t size)
{
	(void)block;
	(void)size;
	blocks++;
}

static void count_freed(const volatile void *block)
{
	blocks -= block != NULL;
}

/*
 * The last of the handlers of exit(). The sanitizers' own would take back what
 * they know of each variable.
 */
static void end_at_once(int status, void *unused)
{
	(void)unused;
	fflush(NULL);
	if (__lsan_is_turned_off())
		_exit(status);
}

static void count_blocks(void)
{
	if (__sanitizer_install_malloc_and_free_hooks(
		    count_block, count_freed) == 0)
		die("the sanitizer takes no hooks");
	blocks_at_start = blocks;
	if (on_exit(end_at_once, NULL) != 0)
		die("no room to end at once");
}

/*
 * glibc keeps the stacks of ended threads, with a block each, for later ones.
 * It can be told not to only before it starts.
 */
static void keep_no_stacks(char **argv)
{
	const char *set = getenv("GLIBC_TUNABLES");

	if (set && strcmp(set, NO_STACKS) == 0)
		return;
	if (setenv("GLIBC_TUNABLES", NO_STACKS, 1) == 0)
		execv("/proc/self/exe", argv);
	die("cannot start again: %s", strerror(errno));
}
#else
static void count_blocks(void)
{
}

static void keep_no_stacks(char **argv)
{
	(void)argv;
}
#endif

__attribute__((format(printf, 2, 3))) static void path_of(
	char path[PATH_BYTES], const char *format, ...)
{
	va_list list;
	int n;

	va_start(list, format);
	n = vsnprintf(path, PATH_BYTES, format, list);
	va_end(list);
	if (n < 0 || n >= PATH_BYTES)
		die("a path is too long: %s", path);
}

static bool exists(const char *path)
{
	struct stat at;

	return stat(path, &at) == 0;
}

/* The whole of a file, ended by a NUL; NULL if there is none. */
static char *slurp(const char *path, size_t *n)
{
	FILE *file = fopen(path, "r");
	size_t room = 1 << 16, got;
	char *bytes;

	*n = 0;
	if (!file)
		return NULL;
	bytes = malloc(room + 1);
	while (bytes && (got = fread(bytes + *n, 1, room - *n, file)) > 0) {
		*n += got;
		if (*n == room)
			bytes = realloc(bytes, (room *= 2) + 1);
	}
	fclose(file);
	if (!bytes)
		die("out of memory");
	bytes[*n] = '\0';
	return bytes;
}

static void write_file(const char *path, const char *bytes, size_t n)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
		die("cannot write %s: %s", path, strerror(errno));
}

static void copy_file(const char *from, const char *to)
{
	size_t n;
	char *bytes = slurp(from, &n);

	if (!bytes)
		die("cannot read %s: %s", from, strerror(errno));
	write_file(to, bytes, n);
	free(bytes);
}

/* Start a program and wait for it; its output goes to a stream, as comments. */
static void comment_output(FILE *report, const char *const *argv)
{
	char line[LINE_BYTES];
	int ends[2];
	pid_t pid;
	FILE *in;

	fflush(NULL);
	if (pipe(ends) != 0 || (pid = fork()) < 0)
		die("cannot start %s: %s", argv[0], strerror(errno));
	if (pid == 0) {
		dup2(ends[1], 1);
		dup2(ends[1], 2);
		execvp(argv[0], (char *const *)argv);
		perror(argv[0]);
		_exit(127);
	}
	close(ends[1]);
	in = fdopen(ends[0], "r");
	while (in && fgets(line, sizeof(line), in))
		fprintf(report, "#   %s", line);
	if (in)
		fclose(in);
	waitpid(pid, NULL, 0);
}

/* The character that an escape in $'...' stands for; *at is its last. */
static char escaped(const char **at)
{
	char hex[3] = "";

	switch (*++*at) {
	case 'n':
		return '\n';
	case 'e':
		return '\033';
	case 'x':
		strncpy(hex, *at + 1, 2);
		*at += strspn(hex, "0123456789abcdef");
		return (char)strtol(hex, NULL, 16);
	default:
		die("no such escape: \\%s", *at);
	}
}

/*
 * Copy one word to *to without its quotes, which end where they began. The
 * result is where it ends.
 */
static const char *copy_word(const char *line, char **to)
{
	bool escapes = false;
	char quote = '\0';

	for (; *line && (quote || !isspace((unsigned char)*line)); line++) {
		if (quote && *line == quote) {
			quote = '\0';
			escapes = false;
		} else if (!quote && (*line == '\'' || *line == '"')) {
			quote = *line;
		} else if (!quote && line[0] == '$' && line[1] == '\'') {
			quote = *++line;
			escapes = true;
		} else {
			*(*to)++ = escapes && *line == '\\' ? escaped(&line)
							    : *line;
		}
	}
	if (quote)
		die("a quote does not end: %s", line);
	*(*to)++ = '\0';
	return line;
}

/* Split a line into words, whose bytes are in text. */
static size_t split(
	const char *line, char text[LINE_BYTES], char *words[WORDS_MAX])
{
	size_t n = 0;

	if (strlen(line) >= LINE_BYTES / 2)
		die("a command is too long: %s", line);
	for (;;) {
		line += strspn(line, " \t");
		if (!*line)
			break;
		if (n == WORDS_MAX - 1)
			die("a command has too many words");
		words[n++] = text;
		if (*line == '<' || *line == '>' || strncmp(line, "2>", 2) == 0)
			*text++ = REDIRECTION;
		line = copy_word(line, &text);
	}
	words[n] = NULL;
	return n;
}

static bool is_assignment(const char *word)
{
	size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

	return n > 0 && word[n] == '=';
}

static void redirect(const char *path, int flags, int fd)
{
	int opened = open(path, flags, 0666);

	if (opened < 0 || dup2(opened, fd) < 0) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		_exit(126);
	}
	close(opened);
}

/* <FILE, >FILE or 2>FILE */
static void redirect_to(const char *word)
{
	int fd = *word == '<' ? 0 : *word == '>' ? 1 : 2;

	redirect(word + (fd == 2 ? 2 : 1),
		fd == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_TRUNC, fd);
}

/* In the child: become the command that the words name. */
__attribute__((noreturn)) static void become(
	const struct case_run *run, char **words, size_t n)
{
	char path[PATH_BYTES], *argv[WORDS_MAX];
	int argc = 0;

	if (chdir(run->work) != 0)
		_exit(126);
	redirect("/dev/null", O_RDONLY, 0);
	path_of(path, "%s.out", run->work);
	redirect(path, O_WRONLY | O_CREAT | O_APPEND, 1);
	path_of(path, "%s.err", run->work);
	redirect(path, O_WRONLY | O_CREAT | O_APPEND, 2);
	for (size_t i = 0; i < n; i++) {
		if (argc == 0 && is_assignment(words[i]))
			putenv(words[i]);
		else if (words[i][0] == REDIRECTION)
			redirect_to(words[i] + 1);
		else
			argv[argc++] = words[i];
	}
	argv[argc] = NULL;
	/* hwloc would take the made-up machine before a file. */
	if (getenv("HWLOC_XMLFILE"))
		unsetenv("HWLOC_SYNTHETIC");
	alarm(SECONDS_MAX);
	if (argc > 0 && strcmp(argv[0], "c2c") == 0) {
		setenv(CHILD_OF_CASE, "1", 1);
		count_blocks();
		exit(c2c_main(argc, argv));
	}
	if (argc > 0)
		execvp(argv[0], argv);
	fprintf(stderr, "%s: %s\n", argc > 0 ? argv[0] : "no command",
		strerror(errno));
	_exit(127);
}

/*
 * Put the command before what it prints to .out or .err, and take it away if it
 * prints nothing.
 */
static void put_banner(
	const struct case_run *run, const char *stream, const char *line)
{
	char path[PATH_BYTES];
	FILE *file;

	path_of(path, "%s.%s", run->work, stream);
	file = fopen(path, "a");
	if (!file || fprintf(file, "$ %s\n", line) < 0 || fclose(file) != 0)
		die("cannot write %s: %s", path, strerror(errno));
}

static void take_unused_banner(
	const struct case_run *run, const char *stream, const char *line)
{
	off_t banner = (off_t)strlen(line) + 3;
	char path[PATH_BYTES], *bytes;
	size_t n;

	path_of(path, "%s.%s", run->work, stream);
	bytes = slurp(path, &n);
	if (!bytes)
		die("cannot read %s: %s", path, strerror(errno));
	if ((off_t)n >= banner && bytes[n - (size_t)banner] == '$' &&
		strncmp(bytes + n - (size_t)banner + 2, line, strlen(line)) ==
			0 &&
		truncate(path, (off_t)n - banner) != 0)
		die("cannot shorten %s: %s", path, strerror(errno));
	free(bytes);
}

/*
 * jq 1.6 prints 1 for a 1.0 that it read, and jq 1.7 what was written: what jq
 * printed, from there on, loses the ".0" of numbers outside of strings.
 */
static void shorten_numbers(const struct case_run *run, size_t from)
{
	char path[PATH_BYTES], *bytes;
	bool in_string = false;
	size_t n, kept = from;

	path_of(path, "%s.out", run->work);
	bytes = slurp(path, &n);
	for (size_t i = from; bytes && i < n; i++) {
		if (bytes[i] == '\n')
			in_string = false;
		else if (bytes[i] == '"' && (i == from || bytes[i - 1] != '\\'))
			in_string = !in_string;
		else if (!in_string && i > from &&
			 isdigit((unsigned char)bytes[i - 1]) &&
			 strncmp(bytes + i, ".0", 2) == 0 &&
			 !isdigit((unsigned char)bytes[i + 2]))
			i += 2;
		if (i < n)
			bytes[kept++] = bytes[i];
	}
	if (bytes)
		write_file(path, bytes, kept);
	free(bytes);
}

static size_t bytes_of_out(const struct case_run *run)
{
	char path[PATH_BYTES];
	struct stat status;

	path_of(path, "%s.out", run->work);
	return stat(path, &status) == 0 ? (size_t)status.st_size : 0;
}

static void run_line(struct case_run *run, const char *line)
{
	char *words[WORDS_MAX], text[LINE_BYTES];
	size_t n, used = strlen(run->statuses), before;
	int status;
	pid_t pid;

	n = split(line, text, words);
	if (n == 0)
		return;
	if (run->commands > 1) {
		put_banner(run, "out", line);
		put_banner(run, "err", line);
	}
	before = bytes_of_out(run);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("cannot fork: %s", strerror(errno));
	if (pid == 0)
		become(run, words, n);
	waitpid(pid, &status, 0);
	if (strcmp(words[0], "jq") == 0)
		shorten_numbers(run, before);
	if (run->commands > 1) {
		take_unused_banner(run, "out", line);
		take_unused_banner(run, "err", line);
	}
	if (WIFSIGNALED(status))
		snprintf(run->statuses + used, sizeof(run->statuses) - used,
			"signal %d: %s\n", WTERMSIG(status), line);
	else if (WEXITSTATUS(status) != 0)
		snprintf(run->statuses + used, sizeof(run->statuses) - used,
			"%d: %s\n", WEXITSTATUS(status), line);
}

/* Copy the files of a folder whose names the commands have, or all. */
static void copy_inputs(
	const struct case_run *run, const char *folder, const char *commands)
{
	char from[PATH_BYTES], to[PATH_BYTES];
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' ||
			(commands && !strstr(commands, entry->d_name)))
			continue;
		path_of(from, "%s/%s", folder, entry->d_name);
		path_of(to, "%s/%s", run->work, entry->d_name);
		copy_file(from, to);
	}
	if (dir)
		closedir(dir);
}

/* Compare what there is with what the case expects, or accept it. */
static void judge(struct case_run *run, const char *name, const char *actual,
	bool may_be_absent)
{
	char path[PATH_BYTES];
	size_t n_actual, n_expected;
	char *has, *expected;

	path_of(path, "%s/%s", run->folder, name);
	has = slurp(actual, &n_actual);
	expected = slurp(path, &n_expected);
	if (has ? !expected ? may_be_absent && n_actual == 0
			    : n_actual == n_expected &&
					memcmp(has, expected, n_actual) == 0
		: !expected)
		goto out;
	if (!run->accept)
		run->failed = true;
	fprintf(run->report, "# %s %s:\n", name,
		run->accept ? "is now" : "is not as expected");
	if (has)
		comment_output(run->report,
			(const char *const[]){"diff", "-u", "--label",
				"expected", "--label", "now",
				expected ? path : "/dev/null", actual, NULL});
	else
		fprintf(run->report, "#   there is no such file\n");
	if (run->accept && has && (n_actual > 0 || !may_be_absent))
		write_file(path, has, n_actual);
	else if (run->accept && expected)
		unlink(path);
out:
	free(has);
	free(expected);
}

static void judge_made(struct case_run *run)
{
	char folder[PATH_BYTES], actual[PATH_BYTES], name[PATH_BYTES];
	const struct dirent *entry;
	DIR *dir;

	path_of(folder, "%s/made", run->folder);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		path_of(actual, "%s/%s", run->work, entry->d_name);
		path_of(name, "made/%s", entry->d_name);
		judge(run, name, actual, false);
		path_of(name, "%s.made.%s", run->work, entry->d_name);
		rename(actual, name); /* for validation */
	}
	if (dir)
		closedir(dir);
}

static void judge_all(struct case_run *run)
{
	char actual[PATH_BYTES];

	path_of(actual, "%s.status", run->work);
	write_file(actual, run->statuses, strlen(run->statuses));
	judge(run, "status", actual, true);
	path_of(actual, "%s.out", run->work);
	judge(run, "out", actual, true);
	path_of(actual, "%s.err", run->work);
	judge(run, "err", actual, true);
	judge_made(run);
}

static unsigned count_commands(const char *lines)
{
	unsigned n = 0;

	for (; *lines; lines += strcspn(lines, "\n"), lines += *lines == '\n')
		n += *lines != '#' && *lines != '\n';
	return n;
}

/* Run the commands of a case; its sentence is in title afterwards. */
static void run_commands(struct case_run *run, char title[LINE_BYTES])
{
	char path[PATH_BYTES], *commands, *line, *rest;
	size_t n;

	path_of(path, "%s/cmd", run->folder);
	commands = slurp(path, &n);
	if (!commands)
		die("cannot read %s", path);
	path_of(path, "%s/../in", run->folder);
	copy_inputs(run, path, commands);
	path_of(path, "%s/in", run->folder);
	copy_inputs(run, path, NULL);
	run->commands = count_commands(commands);
	for (line = commands; line && *line; line = rest) {
		rest = strchr(line, '\n');
		if (rest)
			*rest++ = '\0';
		if (*line != '#')
			run_line(run, line);
		else if (!*title)
			snprintf(title, LINE_BYTES, "%s",
				line + 1 + strspn(line + 1, " "));
	}
	free(commands);
}

static long ms_since(const struct timespec *began)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)((now.tv_sec - began->tv_sec) * 1000 +
		      (now.tv_nsec - began->tv_nsec) / 1000000);
}

static void prepare_work(struct case_run *run, const char *root)
{
	char path[PATH_BYTES], source[PATH_BYTES];

	if (mkdir(run->work, 0777) != 0)
		die("cannot make %s: %s", run->work, strerror(errno));
	path_of(path, "%s.out", run->work);
	write_file(path, "", 0);
	path_of(path, "%s.err", run->work);
	write_file(path, "", 0);
	path_of(source, "%s/../..", root);
	path_of(path, "%s/source", run->work);
	if (symlink(source, path) != 0)
		die("cannot make %s: %s", path, strerror(errno));
	setenv("HOME", run->work, 1);
	setenv("TMPDIR", run->work, 1);
}

/* A build without OpenCL says that, whatever the arguments of c2c cl are. */
static void skip_without_opencl(
	const char *name, unsigned number, const char *scratch)
{
	char path[PATH_BYTES];
	FILE *tap;

	if (strncmp(name, "cl/", 3) != 0 || opencl_available(NULL) == 0)
		return;
	path_of(path, "%s/%u.tap", scratch, number);
	tap = fopen(path, "w");
	if (!tap ||
		fprintf(tap, "ok %u - %s # SKIP c2c was built without OpenCL\n",
			number, name) < 0 ||
		fclose(tap) != 0)
		die("cannot write %s", path);
	_exit(0);
}

/* In a worker: run one case and write its lines of TAP to NUMBER.tap. */
__attribute__((noreturn)) static void work(const char *root, const char *name,
	unsigned number, bool accept, const char *scratch)
{
	struct case_run run = {.accept = accept};
	char path[PATH_BYTES], title[LINE_BYTES] = "", *differences = NULL;
	struct timespec began;
	size_t n;
	FILE *tap;

	skip_without_opencl(name, number, scratch);
	clock_gettime(CLOCK_MONOTONIC, &began);
	path_of(run.folder, "%s/%s", root, name);
	path_of(run.work, "%s/%u", scratch, number);
	run.report = open_memstream(&differences, &n);
	prepare_work(&run, root);
	run_commands(&run, title);
	if (!*title) {
		run.failed = true;
		fprintf(run.report, "# cmd does not begin with '# sentence'\n");
	}
	judge_all(&run);
	path_of(path, "%s.tap", run.work);
	tap = fopen(path, "w");
	if (!tap || fclose(run.report) != 0)
		die("cannot write %s", path);
	fprintf(tap, "%sok %u - %s: %s\n%s# took %ld ms: tests/cases/%s\n",
		run.failed ? "not " : "", number, name, title, differences,
		ms_since(&began), name);
	if (fclose(tap) != 0)
		die("cannot write %s", path);
	_exit(0);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder that have a file of this name in them, sorted. */
static size_t list(const char *folder, const char *file, char **names)
{
	const struct dirent *entry;
	char path[PATH_BYTES];
	size_t n = 0;
	DIR *dir = opendir(folder);

	while (dir && (entry = readdir(dir))) {
		path_of(path, "%s/%s/%s", folder, entry->d_name, file);
		if (entry->d_name[0] != '.' && exists(path) && n < CASES_MAX)
			names[n++] = strdup(entry->d_name);
	}
	if (dir)
		closedir(dir);
	qsort(names, n, sizeof(*names), by_name);
	return n;
}

/* Does any of the filters choose GROUP/CASE? Each must choose something. */
static bool is_chosen(const char *name, char **filters, bool *used)
{
	bool chosen = !filters[0];

	for (size_t i = 0; filters[i]; i++) {
		size_t n = strlen(filters[i]);

		while (n > 0 && filters[i][n - 1] == '/')
			n--;
		if (strncmp(name, filters[i], n) == 0 &&
			(name[n] == '\0' || name[n] == '/')) {
			chosen = true;
			used[i] = true;
		}
	}
	return chosen;
}

static size_t find_cases(const char *root, char **filters, char **cases)
{
	static char *groups[CASES_MAX], *names[CASES_MAX];
	bool used[WORDS_MAX] = {false};
	size_t n = 0, n_groups = list(root, ".", groups);
	char path[PATH_BYTES];

	for (size_t g = 0; g < n_groups; g++) {
		size_t n_names;

		path_of(path, "%s/%s", root, groups[g]);
		n_names = list(path, "cmd", names);
		for (size_t i = 0; i < n_names && n < CASES_MAX; i++) {
			path_of(path, "%s/%s", groups[g], names[i]);
			if (is_chosen(path, filters, used))
				cases[n++] = strdup(path);
			free(names[i]);
		}
		free(groups[g]);
	}
	for (size_t i = 0; filters[i]; i++) {
		if (!used[i])
			die("there is no case '%s' in %s", filters[i], root);
	}
	return n;
}

/* As many cases at a time as there are CPUs. */
static void run_all(const char *root, char **cases, size_t n, bool accept,
	const char *scratch)
{
	long workers = sysconf(_SC_NPROCESSORS_ONLN), running = 0;

	fflush(NULL);
	for (size_t i = 0; i < n || running > 0;) {
		if (i < n && running < workers && running < WORKERS_MAX) {
			pid_t pid = fork();

			if (pid < 0)
				die("cannot fork: %s", strerror(errno));
			if (pid == 0)
				work(root, cases[i], (unsigned)i + 1, accept,
					scratch);
			running++;
			i++;
		} else {
			wait(NULL);
			running--;
		}
	}
}

static bool print_reports(size_t n, const char *scratch)
{
	char path[PATH_BYTES];
	bool failed = false;

	for (size_t i = 0; i < n; i++) {
		size_t bytes;
		char *report;

		path_of(path, "%s/%zu.tap", scratch, i + 1);
		report = slurp(path, &bytes);
		if (report)
			fputs(report, stdout);
		else
			printf("not ok %zu - the case did not end\n", i + 1);
		failed = failed || !report || strncmp(report, "ok ", 3) != 0;
		free(report);
	}
	return failed;
}

/* All that c2c wrote as JSON is valid: a line of TAP. */
static bool validate(const char *root, const char *scratch, size_t number)
{
	char program[PATH_BYTES], schema[PATH_BYTES], *said = NULL;
	size_t n;
	FILE *report = open_memstream(&said, &n);

	path_of(program, "%s/../schema", root);
	path_of(schema, "%s/../../schema/c2c.schema.json", root);
	comment_output(
		report, (const char *const[]){program, schema, scratch, NULL});
	fclose(report);
	printf("%sok %zu - the JSON that the cases wrote is valid\n%s",
		n > 0 ? "not " : "", number, said);
	free(said);
	return n == 0;
}

static void remove_folder(const char *path)
{
	pid_t pid = fork();

	if (pid == 0) {
		execlp("rm", "rm", "-rf", "--", path, NULL);
		_exit(127);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/*
 * A user's colours, widths and language must not change a result.
 * HWLOC_SYNTHETIC has the made-up machine by now.
 */
static void clean_environment(void)
{
	static const char *const names[] = {"NO_COLOR", "CLICOLOR_FORCE",
		"COLORTERM", "COLUMNS", "LINES", "C2C_CLOCK", "TERM",
		"HWLOC_XMLFILE", "HWLOC_FSROOT", "HWLOC_COMPONENTS"};

	/* libc keeps these for ever: once here, not in each command. */
	setenv("NO_COLOR", "1", 1);
	setenv("CLICOLOR_FORCE", "1", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	setlocale(LC_CTYPE, "");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		unsetenv(names[i]);
	made_up_pretend();
	setenv("TZ", "UTC0", 1);
	tzset();
}

int main(int argc, char **argv)
{
	static char *cases[CASES_MAX];
	char scratch[PATH_BYTES], root[PATH_BYTES], *absolute;
	const char *srcdir = getenv("srcdir"), *tmp = getenv("TMPDIR");
	bool accept = argc > 1 && strcmp(argv[1], "--accept") == 0, failed;
	size_t n;

	if (getenv(CHILD_OF_CASE))
		return c2c_main(argc, argv);
	keep_no_stacks(argv);
	if (argc > WORDS_MAX)
		die("too many arguments");
	if (srcdir)
		path_of(root, "%s/tests/cases", srcdir);
	else
		path_of(root, "%s", C2C_CASES_DIR);
	absolute = realpath(root, NULL);
	if (!absolute)
		die("there is no %s", root);
	path_of(root, "%s", absolute);
	free(absolute);
	clean_environment();
	path_of(scratch, "%s/c2c-cases-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(scratch))
		die("cannot make %s: %s", scratch, strerror(errno));
	n = find_cases(root, argv + 1 + accept, cases);
	if (n == 0)
		die("there are no cases in %s", root);
	printf("1..%zu\n", n + 1);
	run_all(root, cases, n, accept, scratch);
	failed = print_reports(n, scratch);
	failed = !validate(root, scratch, n + 1) || failed;
	remove_folder(scratch);
	return failed;
}
