/*
 * Files of results: which format a name means and a content is, and writing
 * so that a reader never sees half a file.
 */
#include "result/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/format.h"

/* Links that lead on to each other: more are a loop, as for the kernel. */
#define LINKS_MAX 40

/* Names tried for a temporary before giving up: stale ones of a dead PID. */
#define TEMPORARY_TRIES 100

const char *file_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int file_format_of(
	const char *path, enum file_format *format, struct error *err)
{
	static const struct {
		const char *extension;
		enum file_format format;
	} known[] = {
		{".json", FILE_JSON}, {".dat", FILE_DAT}, {".csv", FILE_CSV}};
	const char *dot = strrchr(file_base(path), '.');

	for (size_t i = 0; dot && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcasecmp(dot, known[i].extension) == 0) {
			*format = known[i].format;
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' ends in %s%s%s, expected .json, .dat or .csv for a "
		"result (.png, .svg or .pdf for a picture)",
		path, dot ? "'" : "no extension", dot ? dot : "",
		dot ? "'" : "");
}

/* What goes to path and why it cannot, as an error. */
static int cannot_write(
	const char *path, int code, const char *remedy, struct error *err)
{
	return error_set(err, ERROR_FAILURE, code,
		"'%s' cannot be written: %s%s%s", path, strerror(code),
		*remedy ? ": " : "", remedy);
}

/* The folder part of path: a string for free(), or NULL without memory. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Whether a file can be created or renamed in the folder of path. */
static int check_folder(const char *path, struct error *err)
{
	char *folder = folder_of(path);
	struct stat st = {0};
	int rc = 0;

	if (!folder)
		return error_no_memory(err, path);
	if (stat(folder, &st) != 0 && errno == ENOENT)
		rc = error_set(err, ERROR_FAILURE, ENOENT,
			"'%s' cannot be written: there is no folder '%s': "
			"create it (mkdir -p) or choose another",
			path, folder);
	else if (st.st_mode && !S_ISDIR(st.st_mode))
		rc = error_set(err, ERROR_FAILURE, ENOTDIR,
			"'%s' cannot be written: '%s' is not a folder: choose "
			"another",
			path, folder);
	else if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		rc = error_set(err, ERROR_FAILURE, errno,
			"'%s' cannot be written: the folder '%s': %s: choose "
			"another folder or change its permissions",
			path, folder, strerror(errno));
	free(folder);
	return rc;
}

/* An existing file, which may not be written: read-only is meant so. */
static int check_existing(const char *path, struct error *err)
{
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
		return 0;
	return cannot_write(path, errno,
		"make it writable (chmod u+w) or choose another name", err);
}

/* The folder part of path, links followed, with its last part: for free(). */
static char *canonical(const char *path)
{
	char *folder = folder_of(path);
	char *real = folder ? realpath(folder, NULL) : NULL;
	char *whole;

	if (!real ||
		asprintf(&whole, "%s/%s", strcmp(real, "/") == 0 ? "" : real,
			file_base(path)) < 0)
		whole = NULL;
	free(real);
	free(folder);
	return whole;
}

/* What the link at path says, as seen from here: for free(), NULL if none. */
static char *next_link(const char *path)
{
	int folder = (int)(file_base(path) - path);
	char *next, text[PATH_MAX];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n < 0)
		return NULL;
	text[n] = '\0';
	if (asprintf(&next, "%.*s%s", *text == '/' ? 0 : folder, path, text) <
		0)
		return NULL;
	return next;
}

/*
 * The number of the open file that path leads to by links, as /dev/stdout
 * does, or -1. The file behind it may hold other things.
 */
static int find_open_file(const char *path)
{
	char *at = strdup(path), *next;
	char own[32];
	int fd = -1;

	snprintf(own, sizeof(own), "/proc/%ld/fd/", (long)getpid());
	for (unsigned i = 0; at && fd < 0 && i < LINKS_MAX; i++) {
		char *whole = canonical(at);

		if (whole && strncmp(whole, own, strlen(own)) == 0)
			fd = atoi(whole + strlen(own));
		free(whole);
		next = next_link(at);
		free(at);
		at = next;
	}
	free(at);
	return fd;
}

/* There is nothing at path that stat() can see; code is its errno. */
static int check_new(const char *path, int code, struct error *err)
{
	struct stat st;

	if (code != ENOENT && code != EACCES && code != ENOTDIR)
		return cannot_write(path, code, "", err);
	if (path[strlen(path) - 1] == '/')
		return cannot_write(
			path, EISDIR, "add the name of a file", err);
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return error_set(err, ERROR_FAILURE, ENOENT,
			"'%s' cannot be written: it is a symbolic link to a "
			"file that does not exist: remove the link or choose "
			"another name",
			path);
	return check_folder(path, err);
}

/* The file that path leads to if it is a link, else path: for free(). */
static char *follow(const char *path)
{
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return realpath(path, NULL);
	return strdup(path);
}

/*
 * Check that path can be written. *target, for free(), is then the file to
 * replace, links followed, or what is to be written directly.
 */
static int find_target(
	const char *path, char **target, bool *direct, struct error *err)
{
	struct stat st;
	int rc;

	*direct = false;
	*target = NULL;
	if (*path == '\0')
		return error_set(err, ERROR_USAGE, EINVAL,
			"the name of the output file is empty");
	if (stat(path, &st) != 0) {
		rc = check_new(path, errno, err);
	} else if (S_ISDIR(st.st_mode)) {
		rc = cannot_write(path, EISDIR,
			"choose the name of a file within it", err);
	} else {
		rc = check_existing(path, err);
		/* A device must not be replaced by a file. */
		*direct = !S_ISREG(st.st_mode) ||
			  strncmp(path, "/proc/", 6) == 0 ||
			  find_open_file(path) >= 0;
	}
	if (rc < 0)
		return rc;
	*target = *direct ? strdup(path) : follow(path);
	if (!*target)
		return errno == ENOMEM ? error_no_memory(err, path)
				       : cannot_write(path, errno, "", err);
	/* A link may lead to a folder where nothing can be renamed. */
	rc = *direct ? 0 : check_folder(*target, err);
	if (rc < 0) {
		free(*target);
		*target = NULL;
	}
	return rc;
}

int file_check_writable(const char *path, struct error *err)
{
	char *target = NULL;
	bool direct;
	int rc = find_target(path, &target, &direct, err);

	free(target);
	return rc;
}

/*
 * A named temporary is there for as long as signals are held, so that none can
 * leave it behind.
 */
static void hold_signals(struct file_writer *writer)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGQUIT);
	if (!writer->held)
		pthread_sigmask(SIG_BLOCK, &signals, &writer->signals);
	writer->held = true;
}

/* Give the file that is open as fd a name. */
static int link_open(int fd, const char *path)
{
	char open_file[32];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, open_file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/*
 * Name the temporary beside writer->path: of fd, or of a new file if that is
 * negative. Not mkstemp(), whose files are private, since only the kernel can
 * apply the umask without a race. Returns the file, or -1 with errno.
 */
static int name_temporary(struct file_writer *writer, int fd)
{
	const char *name = file_base(writer->path);
	int folder = (int)(name - writer->path);

	hold_signals(writer);
	for (unsigned i = 0; i < TEMPORARY_TRIES; i++) {
		char *path;
		int got;

		/* Cut the name where the longest allowed would overflow. */
		if (asprintf(&path, "%.*s.%.200s.%ld-%u", folder, writer->path,
			    name, (long)getpid(), i) < 0) {
			errno = ENOMEM;
			return -1;
		}
		if (fd >= 0)
			got = link_open(fd, path) == 0 ? fd : -1;
		else
			got = open(path,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (got >= 0) {
			writer->temporary = path;
			return got;
		}
		free(path);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/*
 * A file without a name, which is gone with the process whatever ends that.
 * Some file systems have none.
 */
static int open_temporary(struct file_writer *writer)
{
	char *folder = folder_of(writer->path);
	int fd = -1;

	if (folder && access("/proc/self/fd", X_OK) == 0)
		fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	free(folder);
	return fd >= 0 ? fd : name_temporary(writer, -1);
}

/*
 * What is open already is written where it stands: another opening would begin
 * at its front, over what is there.
 */
static int open_direct(const char *path)
{
	int fd = find_open_file(path);

	if (fd >= 0)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
}

/* The mode of the file to be replaced, if there is one, goes on. */
static void keep_mode(const struct file_writer *writer, int fd)
{
	struct stat st;

	/* Failing is harmless: the umask has given a mode already. */
	if (stat(writer->path, &st) == 0 && fchmod(fd, st.st_mode & 0777) != 0)
		return;
}

int file_begin(struct file_writer *writer, const char *path, struct error *err)
{
	int fd, rc;

	memset(writer, 0, sizeof(*writer));
	rc = find_target(path, &writer->path, &writer->direct, err);
	if (rc < 0)
		return rc;
	fd = writer->direct ? open_direct(writer->path)
			    : open_temporary(writer);
	if (fd >= 0) {
		if (!writer->direct)
			keep_mode(writer, fd);
		writer->stream = fdopen(fd, "w");
		if (writer->stream)
			return 0;
		close(fd);
	}
	rc = cannot_write(path, errno, format_remedy(errno), err);
	file_abort(writer);
	return rc;
}

static void release(struct file_writer *writer)
{
	if (writer->held)
		pthread_sigmask(SIG_SETMASK, &writer->signals, NULL);
	free(writer->temporary);
	free(writer->path);
	memset(writer, 0, sizeof(*writer));
}

void file_abort(struct file_writer *writer)
{
	if (writer->stream)
		fclose(writer->stream);
	if (writer->temporary)
		unlink(writer->temporary);
	release(writer);
}

/* Everything onto the disk and under its name: 0 or a positive errno. */
static int finish(struct file_writer *writer)
{
	FILE *stream = writer->stream;

	errno = 0;
	if (fflush(stream) != 0 || ferror(stream))
		return errno ? errno : EIO;
	/* Only a file is synced: a pipe or a device cannot be. */
	if (writer->direct)
		return 0;
	if (fsync(fileno(stream)) != 0)
		return errno;
	if (!writer->temporary && name_temporary(writer, fileno(stream)) < 0)
		return errno;
	return rename(writer->temporary, writer->path) == 0 ? 0 : errno;
}

int file_commit(struct file_writer *writer, struct error *err)
{
	int code = finish(writer);
	int rc = 0;

	if (code)
		rc = cannot_write(writer->path, code, format_remedy(code), err);
	/* Else there is nothing left under that name, or another's by now. */
	if (!code) {
		free(writer->temporary);
		writer->temporary = NULL;
	}
	file_abort(writer);
	return rc;
}

int file_save(const struct result *result, const char *path,
	result_writer *write, struct error *err)
{
	struct file_writer writer;
	int rc = file_begin(&writer, path, err);

	if (rc < 0)
		return rc;
	rc = write(result, writer.stream, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", path);
		file_abort(&writer);
		return rc;
	}
	return file_commit(&writer, err);
}

int result_save(
	const struct result *result, const char *path, struct error *err)
{
	static result_writer *const writers[] = {
		[FILE_JSON] = result_write_json,
		[FILE_DAT] = result_write_dat,
		[FILE_CSV] = result_write_csv,
	};
	enum file_format format;
	int rc = file_format_of(path, &format, err);

	return rc < 0 ? rc : file_save(result, path, writers[format], err);
}

/* By content: JSON begins with its bracket. */
static bool is_json(const struct reader *reader)
{
	const char *text = reader->buffer + reader->at;
	size_t n = reader->end - reader->at;
	size_t i = 0;

	while (i < n && strchr(" \t\r\n", text[i]) && text[i])
		i++;
	return i < n && (text[i] == '{' || text[i] == '[');
}

static bool is_dat(const struct reader *reader)
{
	static const char *const firsts[] = {"# plot", "# format:"};
	size_t n = reader->end - reader->at;

	for (size_t i = 0; i < 2; i++) {
		if (n >= strlen(firsts[i]) &&
			memcmp(reader->buffer + reader->at, firsts[i],
				strlen(firsts[i])) == 0)
			return true;
	}
	return false;
}

int result_read(struct result *result, FILE *in, struct error *err)
{
	struct reader reader;
	int rc;

	rc = reader_init(&reader, in, err);
	if (rc < 0)
		return rc;
	result_init(result);
	if (is_dat(&reader))
		rc = error_set(err, ERROR_FAILURE, EINVAL,
			"a .dat is for gnuplot and c2c does not read it: name "
			"the .json or the .csv of that run");
	else
		rc = is_json(&reader) ? format_read_json(result, &reader, err)
				      : format_read_csv(result, &reader, err);
	if (rc < 0)
		result_release(result);
	reader_release(&reader);
	return rc;
}

int result_load(struct result *result, const char *path, struct error *err)
{
	FILE *in;
	int rc;

	if (strcmp(path, "-") == 0) {
		rc = result_read(result, stdin, err);
		if (rc < 0)
			error_prefix(err, "standard input");
		return rc;
	}
	in = fopen(path, "re");
	if (!in)
		return error_set(err, ERROR_FAILURE, errno,
			"'%s' cannot be read: %s", path, strerror(errno));
	rc = result_read(result, in, err);
	if (rc < 0)
		error_prefix(err, "'%s'", path);
	fclose(in);
	return rc;
}

static int stat_folder(const char *path, struct stat *folder)
{
	char *name = folder_of(path);
	int rc = name ? stat(name, folder) : -1;

	free(name);
	return rc;
}

bool file_same(const char *a, const char *b)
{
	struct stat x, y;
	char *real_a, *real_b;
	bool same;

	if (strcmp(a, b) == 0)
		return true;
	/* Both exist: one may be a link to the other. */
	real_a = realpath(a, NULL);
	real_b = realpath(b, NULL);
	same = real_a && real_b && strcmp(real_a, real_b) == 0;
	free(real_a);
	free(real_b);
	if (same)
		return true;
	return strcmp(file_base(a), file_base(b)) == 0 &&
	       stat_folder(a, &x) == 0 && stat_folder(b, &y) == 0 &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}
