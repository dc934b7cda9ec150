/* Reads result files, and writes files atomically. */
#include "result/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "result/format.h"
#include "result/packed.h"
#include "result/sections.h"
#include "util/text.h"

/* Largest number of links in a chain, as in the kernel. */
#define LINKS_MAX 40

/*
 * Number of temporary names to try. A dead process may have left files with the
 * first names.
 */
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
	} known[] = {{".json", FILE_JSON}, {".dat", FILE_DAT},
		{".csv", FILE_CSV}, {".tsv", FILE_TSV}};
	const char *dot = strrchr(file_base(path), '.');

	if (packing_of(path)) {
		*format = FILE_JSON;
		return 0;
	}
	for (size_t i = 0; dot && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcasecmp(dot, known[i].extension) == 0) {
			*format = known[i].format;
			return 0;
		}
	}
	return error_set(err, ERROR_USAGE, EINVAL,
		"'%s' ends in %s%s%s, expected .json, .json.gz, .json.zst, "
		".dat, .csv or .tsv for a result",
		path, dot ? "'" : "no extension", dot ? dot : "",
		dot ? "'" : "");
}

__attribute__((format(printf, 4, 5))) static int report_unwritable(
	const char *path, int code, struct error *err, const char *format, ...)
{
	va_list args;
	char *why;

	va_start(args, format);
	why = text_vformat(format, args);
	va_end(args);
	error_set(err, ERROR_FAILURE, code, "'%s' cannot be written: %s", path,
		why ? why : strerror(code));
	free(why);
	return -code;
}

int file_refuse(const char *path, int code, struct error *err)
{
	const char *remedy = format_remedy(code);

	return report_unwritable(path, code, err, "%s%s%s", strerror(code),
		*remedy ? ": " : "", remedy);
}

/* Return the folder in path, or NULL if out of memory. The caller frees it. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return strndup(path, slash == path ? 1 : (size_t)(slash - path));
}

/* Return whether c2c can create, but not rename files (chattr +a). */
static bool is_append_only(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int flags = 0;

	if (fd < 0)
		return false;
	if (ioctl(fd, FS_IOC_GETFLAGS, &flags) != 0)
		flags = 0;
	close(fd);
	return flags & FS_APPEND_FL;
}

/* Check that c2c can create and rename files in the folder of path. */
static int check_folder_writable(const char *path, struct error *err)
{
	char *folder = folder_of(path);
	struct stat st = {0};
	int rc = 0;

	if (!folder)
		return error_no_memory(err, path);
	if (stat(folder, &st) != 0 && errno == ENOENT)
		rc = report_unwritable(path, ENOENT, err,
			"there is no folder '%s': create it (mkdir -p) or "
			"choose another",
			folder);
	else if (st.st_mode && !S_ISDIR(st.st_mode))
		rc = report_unwritable(path, ENOTDIR, err,
			"'%s' is not a folder: choose another", folder);
	else if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		rc = report_unwritable(path, errno, err,
			"the folder '%s': %s: choose another folder or change "
			"its permissions",
			folder, strerror(errno));
	else if (is_append_only(folder))
		rc = report_unwritable(path, EPERM, err,
			"the folder '%s' is append-only: choose another folder "
			"(or chattr -a)",
			folder);
	free(folder);
	return rc;
}

/* Return path without links in its folder, or NULL. The caller frees it. */
static char *in_real_folder(const char *path)
{
	char *folder = folder_of(path);
	char *real = folder ? realpath(folder, NULL) : NULL;
	char *whole = real ? text_format("%s/%s", real, file_base(path)) : NULL;

	free(real);
	free(folder);
	return whole;
}

/*
 * Return the target of a link, relative to the working directory, or NULL. The
 * caller frees it.
 */
static char *read_next_link(const char *path)
{
	int folder = (int)(file_base(path) - path);
	char text[PATH_MAX];
	ssize_t n = readlink(path, text, sizeof(text) - 1);

	if (n < 0)
		return NULL;
	text[n] = '\0';
	return text_format("%.*s%s", *text == '/' ? 0 : folder, path, text);
}

/*
 * Return the file descriptor of c2c to which path links, as /dev/stdout does,
 * or -1. A comparison of inodes would also match other paths.
 */
static int find_open_file(const char *path)
{
	char *at = strdup(path), *next;
	char own[32];
	int fd = -1;

	snprintf(own, sizeof(own), "/proc/%ld/fd/", (long)getpid());
	for (unsigned i = 0; at && fd < 0 && i < LINKS_MAX; i++) {
		char *whole = in_real_folder(at);

		if (whole && strncmp(whole, own, strlen(own)) == 0)
			fd = atoi(whole + strlen(own));
		free(whole);
		next = read_next_link(at);
		free(at);
		at = next;
	}
	free(at);
	return fd;
}

/* Check a path for which stat() failed with errno `code`. */
static int check_new_path(const char *path, int code, struct error *err)
{
	struct stat st;

	if (code != ENOENT && code != EACCES && code != ENOTDIR)
		return report_unwritable(path, code, err, "%s", strerror(code));
	if (path[strlen(path) - 1] == '/')
		return report_unwritable(path, EISDIR, err,
			"%s: add the name of a file", strerror(EISDIR));
	if (lstat(path, &st) == 0 && S_ISLNK(st.st_mode))
		return report_unwritable(path, ENOENT, err,
			"it is a symbolic link to a file that does not exist: "
			"remove the link or choose another name");
	return check_folder_writable(path, err);
}

/*
 * Return path, or the target of a link at path. The caller frees it. Return
 * NULL with ELOOP if the target is not the file *seen, because another process
 * replaced the link. The kernel checks whether c2c may follow the link to
 * *seen.
 */
static char *follow_seen_link(const char *path, const struct stat *seen)
{
	struct stat st;
	char *real;

	if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return strdup(path);
	real = realpath(path, NULL);
	if (!real || (lstat(real, &st) == 0 && st.st_dev == seen->st_dev &&
			     st.st_ino == seen->st_ino))
		return real;
	free(real);
	errno = ELOOP;
	return NULL;
}

/*
 * Check that c2c can write path. *target is the path of the file to replace or
 * to write directly, without links. The caller frees it.
 */
static int find_target(
	const char *path, char **target, bool *direct, struct error *err)
{
	struct stat st;
	bool new;
	int rc = 0;

	*direct = false;
	*target = NULL;
	if (*path == '\0')
		return error_set(err, ERROR_USAGE, EINVAL,
			"the name of the output file is empty");
	new = stat(path, &st) != 0;
	if (new)
		rc = check_new_path(path, errno, err);
	else if (S_ISDIR(st.st_mode))
		rc = report_unwritable(path, EISDIR, err,
			"%s: choose the name of a file within it",
			strerror(EISDIR));
	else if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
		rc = report_unwritable(path, errno, err,
			"%s: make it writable (chmod u+w) or choose another "
			"name",
			strerror(errno));
	else /* A file must not replace a device. */
		*direct = !S_ISREG(st.st_mode) ||
			  strncmp(path, "/proc/", 6) == 0 ||
			  find_open_file(path) >= 0;
	if (rc < 0)
		return rc;
	/* Do not follow a link that appeared in place of a new file. */
	*target = *direct || new ? strdup(path) : follow_seen_link(path, &st);
	if (!*target && errno == ELOOP)
		return report_unwritable(path, ELOOP, err,
			"another process replaced the file with a symbolic "
			"link: choose another folder");
	if (!*target)
		return file_refuse(path, errno, err);
	/* The target of a link may be in another folder. */
	rc = *direct ? 0 : check_folder_writable(*target, err);
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
	return rc < 0 ? rc : packing_check(path, err);
}

static void block_writer_signals(struct file_writer *writer)
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

static int link_open(int fd, const char *path)
{
	char open_file[32];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, open_file, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

/*
 * Name the open temporary file fd, or create a temporary file if fd is
 * negative, in the folder of writer->path. mkstemp() would ignore the umask.
 * Return the file, or -1 with errno.
 */
static int name_temporary(struct file_writer *writer, int fd)
{
	const char *name = file_base(writer->path);
	int folder = (int)(name - writer->path);

	block_writer_signals(writer);
	for (unsigned i = 0; i < TEMPORARY_TRIES; i++) {
		char *path;
		int got;

		/* Shorten the name, to stay below NAME_MAX. */
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
 * Open a temporary file without a name, or with a name if the file system
 * requires a name. The kernel deletes files without names.
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
 * Open path for direct writing. Duplicate a file that is open already, because
 * open() would truncate the file.
 */
static int open_direct(const char *path)
{
	int fd = find_open_file(path);

	if (fd >= 0)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
}

static void keep_mode(const struct file_writer *writer, int fd)
{
	struct stat st;

	/* After a failure, the file has the mode from the umask. */
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
		writer->packing = packing_of(path);
		if (writer->stream && writer->packing) {
			writer->packed = writer->stream;
			writer->stream = packing_stream();
		}
		if (writer->stream)
			return 0;
		if (!writer->packed)
			close(fd);
	}
	rc = file_refuse(path, errno, err);
	file_abort(writer);
	return rc;
}

void file_abort(struct file_writer *writer)
{
	if (writer->stream)
		fclose(writer->stream);
	if (writer->packed)
		fclose(writer->packed);
	if (writer->temporary)
		unlink(writer->temporary);
	if (writer->held)
		pthread_sigmask(SIG_SETMASK, &writer->signals, NULL);
	free(writer->temporary);
	free(writer->path);
	memset(writer, 0, sizeof(*writer));
}

/* Sync and rename the file. Return 0 or a positive errno. */
static int sync_and_rename(struct file_writer *writer)
{
	FILE *stream = writer->stream;

	errno = 0;
	if (fflush(stream) != 0 || ferror(stream))
		return errno ? errno : EIO;
	/* fsync() fails for pipes and devices. */
	if (writer->direct)
		return 0;
	if (fsync(fileno(stream)) != 0)
		return errno;
	if (!writer->temporary && name_temporary(writer, fileno(stream)) < 0)
		return errno;
	return rename(writer->temporary, writer->path) == 0 ? 0 : errno;
}

/* Compress the written data. */
static int write_packed(struct file_writer *writer, struct error *err)
{
	int rc = packing_write(
		writer->packing, writer->stream, writer->packed, err);

	if (rc < 0)
		error_prefix(err, "'%s' cannot be written", writer->path);
	fclose(writer->stream);
	writer->stream = writer->packed;
	writer->packed = NULL;
	return rc;
}

int file_commit(struct file_writer *writer, struct error *err)
{
	int rc = writer->packed ? write_packed(writer, err) : 0;
	int code = rc < 0 ? 0 : sync_and_rename(writer);

	if (code)
		rc = file_refuse(writer->path, code, err);
	/* Another process may use the temporary name after the rename. */
	if (rc == 0) {
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
		[FILE_TSV] = result_write_tsv,
	};
	enum file_format format;
	int rc = file_format_of(path, &format, err);

	return rc < 0 ? rc : file_save(result, path, writers[format], err);
}

int result_read(struct result *result, FILE *in, struct error *err)
{
	struct reader reader;
	int rc;

	rc = reader_init(&reader, in, err);
	if (rc < 0)
		return rc;
	result_init(result);
	rc = reader.is_json ? format_read_json(result, &reader, err)
			    : format_read_csv(result, &reader, err);
	if (rc < 0)
		result_release(result);
	reader_release(&reader);
	return rc;
}

static char *regular_bytes(FILE *in, size_t *n)
{
	struct stat st;
	char *bytes = NULL;

	*n = 0;
	if (fstat(fileno(in), &st) == 0 && S_ISREG(st.st_mode))
		bytes = malloc((size_t)st.st_size + 1);
	if (bytes)
		*n = fread(bytes, 1, (size_t)st.st_size, in);
	if (bytes && (*n < (size_t)st.st_size || ferror(in))) {
		free(bytes);
		bytes = NULL;
	}
	return bytes;
}

char *file_bytes(const char *path, size_t *n)
{
	/* open() would wait for the writer of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
	char *bytes = NULL;
	struct stat st;

	*n = 0;
	/* c2c does not unpack devices, which may be endless. */
	if (in && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		packing_open(&in, PACKED_BYTES_MAX, NULL) == 0)
		bytes = regular_bytes(in, n);
	if (in)
		fclose(in);
	else if (fd >= 0)
		close(fd);
	return bytes;
}

/* Load a record quickly from a regular file, which c2c can read twice. */
static bool load_record(struct result *result, FILE *in)
{
	struct stat st;
	size_t n;
	char *text;
	bool loaded = false;
	int c;

	if (fstat(fileno(in), &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	c = getc(in);
	rewind(in);
	if (c != '{')
		return false;
	text = regular_bytes(in, &n);
	result_init(result);
	if (text)
		loaded = format_read_grids(result, text, n);
	if (!loaded)
		result_release(result);
	free(text);
	rewind(in);
	return loaded;
}

int result_load_whole(
	struct result *result, const char *path, struct error *err)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *in;
	int rc;

	in = standard ? stdin : fopen(path, "re");
	if (!in)
		return error_set(err, ERROR_FAILURE, errno,
			"'%s' cannot be read: %s", path, strerror(errno));
	rc = packing_open(&in, PACKED_BYTES_MAX, err);
	if (rc == 0 && (in == stdin || !load_record(result, in)))
		rc = result_read(result, in, err);
	if (rc < 0 && standard)
		error_prefix(err, "standard input");
	else if (rc < 0)
		error_prefix(err, "'%s'", path);
	if (in != stdin)
		fclose(in);
	return rc;
}

int result_load(struct result *result, const char *path, struct error *err)
{
	const char *name;
	char *file = section_file(path, &name);
	int rc = file ? result_load_whole(result, file, err)
		      : error_no_memory(err, "the name of a file");

	free(file);
	if (rc < 0)
		return rc;
	rc = section_choose(result, name, err);
	if (rc < 0) {
		error_prefix(err, "'%s'", section_path(path));
		result_release(result);
	}
	return rc;
}

char *file_canonical(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : in_real_folder(path);
}

bool file_same(const char *a, const char *b)
{
	char *real_a = file_canonical(a), *real_b = file_canonical(b);
	bool same = strcmp(a, b) == 0 ||
		    (real_a && real_b && strcmp(real_a, real_b) == 0);

	free(real_a);
	free(real_b);
	return same;
}
