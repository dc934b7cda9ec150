/*
 * Files: which format, whole or not at all, and every way that writing can
 * fail. Each test works in a folder of its own, which must be empty of
 * temporaries after it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../case_group.h"
#include "sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Any user that is not root and owns nothing here. */
#define NOBODY 65534

/* How many files the folder has, hidden ones too. */
static unsigned count_files(void)
{
	DIR *directory = opendir(".");
	const struct dirent *entry;
	unsigned files = 0;

	assert_non_null(directory);
	while ((entry = readdir(directory)))
		files += strcmp(entry->d_name, ".") != 0 &&
			 strcmp(entry->d_name, "..") != 0;
	closedir(directory);
	return files;
}

static void put_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	assert_int_equal(fclose(out), 0);
}

static void assert_file(const char *path, const char *expected)
{
	char text[4096];
	FILE *in = fopen(path, "r");
	size_t n;

	assert_non_null(in);
	n = fread(text, 1, sizeof(text) - 1, in);
	text[n] = '\0';
	fclose(in);
	assert_string_equal(text, expected);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

/* Write text to path the atomic way: the result of file_commit(). */
static int write_text(const char *path, const char *text, struct error *err)
{
	struct file_writer writer;
	int rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	fputs(text, writer.stream);
	return file_commit(&writer, err);
}

static void formats_go_by_extension(void **state)
{
	static const struct {
		const char *path;
		enum file_format format;
	} good[] = {{"a.json", FILE_JSON}, {"a.dat", FILE_DAT},
		{"a.csv", FILE_CSV}, {"/x.y/a.b.JSON", FILE_JSON},
		{".csv", FILE_CSV}, {"a.json.gz", FILE_JSON},
		{"a.json.zst", FILE_JSON}};
	static const char *const bad[][2] = {
		{"a.txt", "'a.txt' ends in '.txt', expected .json, .json.gz, "
			  ".json.zst, .dat, .csv or .tsv for a result"},
		{"x.json/a",
			"'x.json/a' ends in no extension, expected .json, "
			".json.gz, .json.zst, .dat, .csv or .tsv for a result"},
		{"", "'' ends in no extension, expected .json, .json.gz, "
		     ".json.zst, .dat, .csv or .tsv for a result"},
	};
	enum file_format format;
	struct error err;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		assert_int_equal(
			file_format_of(good[i].path, &format, NULL), 0);
		assert_int_equal(format, good[i].format);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		assert_int_equal(
			file_format_of(bad[i][0], &format, &err), -EINVAL);
		assert_int_equal(err.class, ERROR_USAGE);
		assert_string_equal(err.text, bad[i][1]);
	}
}

static void every_format_is_saved_and_loaded(void **state)
{
	static const char *const names[] = {"a.json", "a.csv"};
	struct result result, again;

	(void)state;
	sample_result(&result);
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_int_equal(result_save(&result, names[i], NULL), 0);
		assert_int_equal(mode_of(names[i]), 0644);
		/* Content counts, not the name. */
		assert_int_equal(rename(names[i], "b"), 0);
		assert_int_equal(result_load(&again, "b", NULL), 0);
		sample_assert_values(
			again.matrices[0].values, result.matrices[0].values, 9);
		result_release(&again);
		assert_int_equal(unlink("b"), 0);
	}
	assert_int_equal(count_files(), 0);
	result_release(&result);
}

static void nothing_is_there_before_the_commit(void **state)
{
	struct file_writer writer;

	(void)state;
	put_file("a.json", "old");
	assert_int_equal(file_begin(&writer, "a.json", NULL), 0);
	fputs("new", writer.stream);
	fflush(writer.stream);
	assert_file("a.json", "old");
	assert_int_equal(file_commit(&writer, NULL), 0);
	assert_file("a.json", "new");
	assert_int_equal(count_files(), 1);
}

/* Whatever it leaves is one whole file, and nothing beside it. */
static void a_signal_leaves_no_temporary(void **state)
{
	char text[8] = "";
	pid_t child;
	int status;
	FILE *in;

	(void)state;
	put_file("a.json", "old");
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct file_writer writer;

		signal(SIGTERM, SIG_DFL);
		if (file_begin(&writer, "a.json", NULL) < 0)
			_exit(1);
		fputs("new", writer.stream);
		fflush(writer.stream);
		raise(SIGTERM);
		file_commit(&writer, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(count_files(), 1);
	in = fopen("a.json", "r");
	assert_non_null(in);
	assert_non_null(fgets(text, sizeof(text), in));
	fclose(in);
	assert_true(strcmp(text, "old") == 0 || strcmp(text, "new") == 0);
}

static void an_abort_leaves_the_old_file(void **state)
{
	struct file_writer writer;

	(void)state;
	put_file("a.json", "old");
	assert_int_equal(file_begin(&writer, "a.json", NULL), 0);
	fputs("new", writer.stream);
	file_abort(&writer);
	assert_file("a.json", "old");
	assert_int_equal(count_files(), 1);
	file_abort(&writer);
}

/* As gnuplot does it. */
static void modes_follow_the_umask_or_the_old_file(void **state)
{
	(void)state;
	umask(027);
	assert_int_equal(write_text("a", "x", NULL), 0);
	assert_int_equal(mode_of("a"), 0640);
	assert_int_equal(chmod("a", 0604), 0);
	assert_int_equal(write_text("a", "y", NULL), 0);
	assert_int_equal(mode_of("a"), 0604);
	assert_file("a", "y");
}

/* Two writers, stale temporaries, a name as long as a name may be. */
static void temporaries_do_not_collide(void **state)
{
	struct file_writer first, second;
	char name[256], stale[64];

	(void)state;
	snprintf(stale, sizeof(stale), ".a.%ld-0", (long)getpid());
	put_file(stale, "stale");
	assert_int_equal(file_begin(&first, "a", NULL), 0);
	assert_int_equal(file_begin(&second, "a", NULL), 0);
	fputs("first", first.stream);
	fputs("second", second.stream);
	assert_int_equal(file_commit(&second, NULL), 0);
	assert_int_equal(file_commit(&first, NULL), 0);
	assert_file("a", "first");
	memset(name, 'n', 255);
	name[255] = '\0';
	assert_int_equal(write_text(name, "long", NULL), 0);
	assert_file(name, "long");
	assert_file(stale, "stale");
	assert_int_equal(count_files(), 3);
}

static void a_link_stays_a_link(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("real", 0755), 0);
	put_file("real/a.json", "old");
	assert_int_equal(symlink("real/a.json", "link.json"), 0);
	assert_int_equal(write_text("link.json", "new", NULL), 0);
	assert_int_equal(lstat("link.json", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_file("real/a.json", "new");
	assert_int_equal(count_files(), 2);
}

static void devices_are_written_directly(void **state)
{
	struct file_writer writer;
	struct stat st;

	(void)state;
	assert_int_equal(file_begin(&writer, "/dev/null", NULL), 0);
	assert_true(writer.direct);
	fputs("x", writer.stream);
	assert_int_equal(file_commit(&writer, NULL), 0);
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
}

static void *read_fifo(void *text)
{
	FILE *in = fopen("fifo", "r");

	if (!in || !fgets(text, 100, in))
		return NULL;
	fclose(in);
	return text;
}

static void a_fifo_is_written_directly(void **state)
{
	pthread_t thread;
	char text[100] = "";
	void *done;

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(pthread_create(&thread, NULL, read_fifo, text), 0);
	assert_int_equal(write_text("fifo", "through", NULL), 0);
	assert_int_equal(pthread_join(thread, &done), 0);
	assert_non_null(done);
	assert_string_equal(text, "through");
	assert_int_equal(count_files(), 1);
}

/* Standard output may be a file that others write too: never replaced. */
static void proc_files_are_written_directly(void **state)
{
	char path[100];
	struct file_writer writer;
	int fd = open("out", O_WRONLY | O_CREAT, 0600);

	(void)state;
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/dev/fd/%d", fd);
	assert_int_equal(file_begin(&writer, path, NULL), 0);
	assert_true(writer.direct);
	fputs("x", writer.stream);
	assert_int_equal(file_commit(&writer, NULL), 0);
	close(fd);
	assert_file("out", "x");
	assert_int_equal(count_files(), 1);
}

/* A log that others append to loses nothing, by whatever link. */
static void what_is_open_is_written_where_it_stands(void **state)
{
	char path[100];
	struct stat st;
	int fd;

	(void)state;
	put_file("log", "old, ");
	fd = open("log", O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(symlink(path, "first"), 0);
	assert_int_equal(symlink("first", "second"), 0);
	assert_int_equal(write_text("second", "new, ", NULL), 0);
	assert_int_equal(write_text(path, "newer", NULL), 0);
	close(fd);
	assert_file("log", "old, new, newer");
	assert_int_equal(lstat("second", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(count_files(), 3);
}

static void what_cannot_be_written_is_told_before_and_after(void **state)
{
	static const struct {
		const char *path;
		int code;
		const char *message;
	} cases[] = {
		{"", EINVAL, "the name of the output file is empty"},
		{"folder", EISDIR,
			"'folder' cannot be written: Is a directory: choose "
			"the name of a file within it"},
		{"new/", EISDIR,
			"'new/' cannot be written: Is a directory: add the "
			"name of a file"},
		{"no/such/a.json", ENOENT,
			"'no/such/a.json' cannot be written: there is no "
			"folder 'no/such': create it (mkdir -p) or choose "
			"another"},
		{"file/a.json", ENOTDIR,
			"'file/a.json' cannot be written: 'file' is not a "
			"folder: choose another"},
		{"dangling", ENOENT,
			"'dangling' cannot be written: it is a symbolic link "
			"to a file that does not exist: remove the link or "
			"choose another name"},
		{"loop", ELOOP,
			"'loop' cannot be written: Too many levels of "
			"symbolic links"},
		{"closed/a.json", EACCES,
			"'closed/a.json' cannot be written: the folder "
			"'closed': Permission denied: choose another folder "
			"or change its permissions"},
		{"closed/there", EACCES,
			"'closed/there' cannot be written: Permission denied: "
			"make it writable (chmod u+w) or choose another name"},
		{"read-only", EACCES,
			"'read-only' cannot be written: Permission denied: "
			"make it writable (chmod u+w) or choose another name"},
	};
	bool root = geteuid() == 0;

	(void)state;
	assert_int_equal(mkdir("folder", 0755), 0);
	put_file("file", "");
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_int_equal(mkdir("closed", 0755), 0);
	put_file("closed/there", "old");
	put_file("read-only", "old");
	assert_int_equal(chmod("closed", 0555), 0);
	assert_int_equal(chmod("closed/there", 0444), 0);
	assert_int_equal(chmod("read-only", 0444), 0);
	assert_int_equal(chmod(".", 0777), 0);
	/* Root may write everything. */
	assert_int_equal(root ? seteuid(NOBODY) : 0, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error before = {.text = ""}, at = {.text = ""};
		struct file_writer writer;
		int rc = file_check_writable(cases[i].path, &before);

		assert_string_equal(before.text, cases[i].message);
		assert_int_equal(rc, -cases[i].code);
		rc = file_begin(&writer, cases[i].path, &at);
		assert_string_equal(at.text, cases[i].message);
		assert_int_equal(rc, -cases[i].code);
	}
	assert_int_equal(root ? seteuid(0) : 0, 0);
	/* The change of user forbade what LeakSanitizer does at the end. */
	prctl(PR_SET_DUMPABLE, 1);
	assert_file("read-only", "old");
	assert_int_equal(count_files(), 6);
	assert_int_equal(chmod("closed", 0755), 0);
}

static void what_can_be_written_is_not_created(void **state)
{
	char here[100];

	put_file("old", "old");
	assert_int_equal(symlink("old", "link"), 0);
	assert_int_equal(file_check_writable("new.json", NULL), 0);
	assert_int_equal(file_check_writable("./new.json", NULL), 0);
	assert_int_equal(file_check_writable("old", NULL), 0);
	assert_int_equal(file_check_writable("link", NULL), 0);
	assert_int_equal(file_check_writable("/dev/null", NULL), 0);
	snprintf(here, sizeof(here), "%s/new.json", (const char *)*state);
	assert_int_equal(file_check_writable(here, NULL), 0);
	assert_int_equal(count_files(), 2);
	assert_file("old", "old");
}

/* A full disk, as a limit on the size of files: each byte beyond fails. */
static void a_full_disk_leaves_the_old_file(void **state)
{
	struct rlimit old, small;
	struct result result;
	struct error err;
	int rc;

	(void)state;
	put_file("a.json", "old");
	sample_result(&result);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = result_save(&result, "a.json", &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(rc, -EFBIG);
	assert_string_equal(err.text, "'a.json': writing failed: File too "
				      "large: raise the limit on file sizes "
				      "(ulimit -f)");
	assert_int_equal(count_files(), 1);
	assert_file("a.json", "old");
	result_release(&result);
}

/* The same when only the last flush finds out. */
static void a_late_failure_leaves_the_old_file(void **state)
{
	struct rlimit old, small;
	struct file_writer writer;
	struct error err;
	int rc;

	(void)state;
	put_file("a.png", "old");
	assert_int_equal(file_begin(&writer, "a.png", NULL), 0);
	for (unsigned i = 0; i < 200; i++)
		fputc('x', writer.stream);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 100;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	rc = file_commit(&writer, &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(rc, -EFBIG);
	assert_string_equal(err.text, "'a.png' cannot be written: File too "
				      "large: raise the limit on file sizes "
				      "(ulimit -f)");
	assert_int_equal(count_files(), 1);
	assert_file("a.png", "old");
}

/* The same when a write in between failed, and none after it. */
static void an_early_failure_is_not_forgotten(void **state)
{
	struct rlimit old, small;
	struct file_writer writer;
	struct error err;

	(void)state;
	put_file("a.png", "old");
	assert_int_equal(file_begin(&writer, "a.png", NULL), 0);
	setbuf(writer.stream, NULL);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = 0;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	fputc('x', writer.stream);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(file_commit(&writer, &err), -EIO);
	assert_string_equal(
		err.text, "'a.png' cannot be written: Input/output error");
	assert_int_equal(count_files(), 1);
	assert_file("a.png", "old");
}

static void a_full_device_is_named(void **state)
{
	static sample_writer *const writers[] = {
		result_write_json, result_write_dat, result_write_csv};
	struct result result;
	struct error err;

	(void)state;
	assert_int_equal(write_text("/dev/full", "x", &err), -ENOSPC);
	assert_string_equal(err.text,
		"'/dev/full' cannot be written: No space left on device: free "
		"some space or choose another folder");
	sample_result(&result);
	for (size_t i = 0; i < COUNT(writers); i++) {
		FILE *out = fopen("/dev/full", "w");

		assert_non_null(out);
		assert_int_equal(writers[i](&result, out, &err), -ENOSPC);
		assert_string_equal(err.text,
			"writing failed: No space left on device: free "
			"some space or choose another folder");
		fclose(out);
	}
	result_release(&result);
}

static void what_cannot_be_read_is_named(void **state)
{
	struct result result;
	struct error err;

	(void)state;
	assert_int_equal(result_load(&result, "absent.json", &err), -ENOENT);
	assert_string_equal(err.text,
		"'absent.json' cannot be read: No such file or directory");
	assert_int_equal(result_load(&result, ".", &err), -EISDIR);
	assert_string_equal(err.text, "'.': reading failed: Is a directory");
	put_file("bad.csv", "1,2\n3,zz\n");
	assert_int_equal(result_load(&result, "bad.csv", &err), -EINVAL);
	assert_string_equal(err.text,
		"'bad.csv': line 2, column 2: found 'zz', expected a number or "
		"an empty cell");
	assert_int_equal(result_load(&result, "/dev/zero", &err), -EINVAL);
	assert_int_equal(result_load(&result, "/dev/null", &err), -EINVAL);
	assert_string_equal(err.text,
		"'/dev/null': found no numbers, expected a "
		"result of c2c or a matrix of numbers");
}

static void a_dash_is_standard_input(void **state)
{
	int saved = dup(STDIN_FILENO);
	struct result result;
	struct error err;
	int fd;

	(void)state;
	put_file("in", "0,7\n7,zz");
	fd = open("in", O_RDONLY);
	assert_true(saved >= 0 && fd >= 0);
	assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	assert_int_equal(result_load(&result, "-", &err), -EINVAL);
	assert_string_equal(err.text,
		"standard input: line 2, column 2: found 'zz', expected a "
		"number or an empty cell");
	put_file("in", "0,7\n7,0\n");
	rewind(stdin);
	assert_int_equal(result_load(&result, "-", &err), 0);
	assert_int_equal(result.cpus.n, 2);
	result_release(&result);
	assert_int_equal(dup2(saved, STDIN_FILENO), STDIN_FILENO);
	close(saved);
}

static void nothing_is_saved_of_what_is_no_format(void **state)
{
	struct result result;
	struct error err;
	size_t n_curves;

	(void)state;
	sample_result(&result);
	assert_int_equal(result_save(&result, "a.txt", &err), -EINVAL);
	assert_int_equal(err.class, ERROR_USAGE);
	result.n_matrices = 0;
	n_curves = result.n_curves;
	result.n_curves = 0;
	assert_int_equal(result_save(&result, "a.csv", &err), -EINVAL);
	assert_string_equal(err.text,
		"'a.csv': the result has no matrix and no curve for a CSV");
	assert_int_equal(count_files(), 0);
	result.n_matrices = 2;
	result.n_curves = n_curves;
	result_release(&result);
}

#define IN_FOLDER(test)                                                        \
	cmocka_unit_test_setup_teardown(                                       \
		test, sample_enter_folder, sample_leave_folder)

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(formats_go_by_extension),
	IN_FOLDER(every_format_is_saved_and_loaded),
	IN_FOLDER(nothing_is_there_before_the_commit),
	IN_FOLDER(a_signal_leaves_no_temporary),
	IN_FOLDER(an_abort_leaves_the_old_file),
	IN_FOLDER(modes_follow_the_umask_or_the_old_file),
	IN_FOLDER(temporaries_do_not_collide),
	IN_FOLDER(a_link_stays_a_link),
	IN_FOLDER(devices_are_written_directly),
	IN_FOLDER(a_fifo_is_written_directly),
	IN_FOLDER(proc_files_are_written_directly),
	IN_FOLDER(what_is_open_is_written_where_it_stands),
	IN_FOLDER(what_cannot_be_written_is_told_before_and_after),
	IN_FOLDER(what_can_be_written_is_not_created),
	IN_FOLDER(a_full_disk_leaves_the_old_file),
	IN_FOLDER(a_late_failure_leaves_the_old_file),
	IN_FOLDER(an_early_failure_is_not_forgotten),
	IN_FOLDER(a_full_device_is_named),
	IN_FOLDER(what_cannot_be_read_is_named),
	IN_FOLDER(a_dash_is_standard_input),
	IN_FOLDER(nothing_is_saved_of_what_is_no_format),
};

CASE_GROUP(cases);
