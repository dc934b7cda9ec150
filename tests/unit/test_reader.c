/* Lines of any length up to the limit, wherever reads happen to end. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "result/reader.h"

static FILE *open_bytes(const char *bytes, size_t n)
{
	FILE *file = tmpfile();

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, n, file), n);
	rewind(file);
	return file;
}

static void lines_lose_their_ends(void **state)
{
	static const char text[] = "one\n\ntwo\r\nthr\ree\n \nlast";
	static const char *const lines[] = {
		"one", "", "two", "thr\ree", " ", "last"};
	FILE *in = open_bytes(text, sizeof(text) - 1);
	struct reader reader;
	char *line;

	(void)state;
	assert_int_equal(reader_init(&reader, in, NULL), 0);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		assert_int_equal(reader_next_line(&reader, &line, NULL), 1);
		assert_string_equal(line, lines[i]);
		assert_int_equal(reader.line, i + 1);
	}
	assert_int_equal(reader_next_line(&reader, &line, NULL), 0);
	assert_int_equal(reader_next_line(&reader, &line, NULL), 0);
	reader_release(&reader);
	fclose(in);
}

static void a_byte_order_mark_is_skipped(void **state)
{
	FILE *in = open_bytes("\xef\xbb\xbfx\n", 5);
	struct reader reader;
	char *line;

	(void)state;
	assert_int_equal(reader_init(&reader, in, NULL), 0);
	assert_int_equal(reader_next_line(&reader, &line, NULL), 1);
	assert_string_equal(line, "x");
	reader_release(&reader);
	fclose(in);
}

/* Lengths around the size of a read, with and without a last line feed. */
static void lines_may_cross_reads(void **state)
{
	static const size_t lengths[] = {
		65533, 65534, 65535, 65536, 65537, 131071, 131072, 200000};

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		for (size_t ends = 0; ends <= 1; ends++) {
			size_t n = lengths[i];
			char *text = malloc(n + 4), *line;
			struct reader reader;
			FILE *in;

			assert_non_null(text);
			memset(text, 'x', n + 2);
			text[0] = 'a';
			text[1] = '\n';
			text[n + 2] = '\n';
			in = open_bytes(text, n + 2 + ends);
			assert_int_equal(reader_init(&reader, in, NULL), 0);
			assert_int_equal(
				reader_next_line(&reader, &line, NULL), 1);
			assert_string_equal(line, "a");
			assert_int_equal(
				reader_next_line(&reader, &line, NULL), 1);
			assert_int_equal(strlen(line), n);
			assert_int_equal(strspn(line, "x"), n);
			assert_int_equal(
				reader_next_line(&reader, &line, NULL), 0);
			reader_release(&reader);
			fclose(in);
			free(text);
		}
	}
}

static void endless_lines_are_refused(void **state)
{
	FILE *in = tmpfile();
	struct reader reader;
	struct error err;
	char *line;

	(void)state;
	assert_non_null(in);
	for (size_t i = 0; i < READER_LINE_MAX + 100; i++)
		putc('x', in);
	rewind(in);
	assert_int_equal(reader_init(&reader, in, &err), 0);
	assert_int_equal(reader_next_line(&reader, &line, &err), -EINVAL);
	assert_string_equal(err.text,
		"line 1 is longer than 4194304 bytes: expected a result of c2c "
		"or a CSV matrix");
	reader_release(&reader);
	fclose(in);
}

static void nul_bytes_are_refused(void **state)
{
	FILE *in = open_bytes("a\nb\0c\n", 6);
	struct reader reader;
	struct error err;
	char *line;

	(void)state;
	assert_int_equal(reader_init(&reader, in, &err), 0);
	assert_int_equal(reader_next_line(&reader, &line, &err), 1);
	assert_int_equal(reader_next_line(&reader, &line, &err), -EINVAL);
	assert_string_equal(err.text,
		"line 2: found a NUL byte, expected text (save UTF-16 as "
		"UTF-8)");
	reader_release(&reader);
	fclose(in);
}

static void other_kinds_are_named_with_a_remedy(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		const char *message;
	} cases[] = {
		{"\x1f\x8b\x08", 3,
			"this is compressed with gzip: unpack it (gunzip)"},
		{" \n\x1f\x8b\x08", 5,
			"this is compressed with gzip: unpack it (gunzip)"},
		{"\xfd\x37zXZ\0", 6,
			"this is compressed with xz: unpack it (unxz)"},
		{"(\xb5/\xfd", 4,
			"this is compressed with zstd: unpack it (unzstd)"},
		{"BZh9", 4,
			"this is compressed with bzip2: unpack it (bunzip2)"},
		{"PK\x03\x04", 4,
			"this is a ZIP archive, as .xlsx and .ods are: unpack "
			"it (unzip), or export the table as CSV"},
		{"\xff\xfe{\0", 4, "this is text in UTF-16: save it as UTF-8"},
		{"\xfe\xff\0{", 4, "this is text in UTF-16: save it as UTF-8"},
		{"%PDF-1.4", 8,
			"this is a picture, not a record: name the .json or "
			"the .csv of that run"},
		{"\x89PNG\r\n", 6,
			"this is a picture, not a record: name the .json or "
			"the .csv of that run"},
		{"<?xml", 5,
			"this is XML or HTML, not a record: name the .json or "
			"the .csv of that run"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FILE *in = open_bytes(cases[i].bytes, cases[i].n);
		struct reader reader;
		struct error err;

		assert_int_equal(reader_init(&reader, in, &err), -EINVAL);
		assert_string_equal(err.text, cases[i].message);
		fclose(in);
	}
}

/* What was read to tell the kind is not lost. */
static void short_texts_are_read_whole(void **state)
{
	static const char *const texts[] = {"1", "PK", "# plo", "1,2\n3,4\n5"};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		FILE *in = open_bytes(texts[i], strlen(texts[i]));
		struct reader reader;
		struct error err;
		char bytes[32];

		assert_int_equal(reader_init(&reader, in, &err), 0);
		assert_int_equal(reader_read(&reader, bytes, sizeof(bytes)),
			strlen(texts[i]) < 9 ? strlen(texts[i]) : 9);
		assert_memory_equal(bytes, texts[i],
			strlen(texts[i]) < 9 ? strlen(texts[i]) : 9);
		reader_release(&reader);
		fclose(in);
	}
}

/* Writing only: every read fails. */
static void failed_reads_say_why(void **state)
{
	FILE *in = fopen("/dev/null", "w");
	struct reader reader;
	struct error err;

	(void)state;
	assert_non_null(in);
	assert_int_equal(reader_init(&reader, in, &err), -EBADF);
	assert_string_equal(err.text, "reading failed: Bad file descriptor");
	fclose(in);
}

static void raw_bytes_come_in_pieces(void **state)
{
	FILE *in = open_bytes("line\nabcdefg", 12);
	struct reader reader;
	char *line, data[5];

	(void)state;
	assert_int_equal(reader_init(&reader, in, NULL), 0);
	assert_int_equal(reader_next_line(&reader, &line, NULL), 1);
	/* First what was read to tell the kind of the file. */
	assert_int_equal(reader_read(&reader, data, 5), 4);
	assert_memory_equal(data, "abcd", 4);
	assert_int_equal(reader_read(&reader, data, 5), 3);
	assert_memory_equal(data, "efg", 3);
	assert_int_equal(reader_read(&reader, data, 5), 0);
	assert_int_equal(reader.failure, 0);
	reader_release(&reader);
	fclose(in);
}

static void numbers_are_read_to_their_end(void **state)
{
	static const char *const bad[] = {"", "x", "1x", "0x1", "nan", "inf",
		"1e999", "-", ".", "1 2", "1,"};
	double value = 42;

	(void)state;
	assert_true(reader_number("-1.5e1,9", 6, &value));
	assert_true(value == -15);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(reader_number(bad[i], strlen(bad[i]), &value));
	assert_true(value == -15);
}

/* Short decimals are read without strtod(), and are the same doubles. */
static void plain_numbers_are_exact(void **state)
{
	static const char *const texts[] = {"0", "7", "5.", ".5", "0.1",
		"123.456", "0.12345678901234", "12345678901234.5",
		"123456789012345", "0.123456789012345678",
		"12345678901234.567"};
	double value;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_true(reader_number(texts[i], strlen(texts[i]), &value));
		assert_true(value == strtod(texts[i], NULL));
	}
	assert_false(reader_number("1.2.3", 5, &value));
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(lines_lose_their_ends),
	cmocka_unit_test(a_byte_order_mark_is_skipped),
	cmocka_unit_test(lines_may_cross_reads),
	cmocka_unit_test(endless_lines_are_refused),
	cmocka_unit_test(nul_bytes_are_refused),
	cmocka_unit_test(other_kinds_are_named_with_a_remedy),
	cmocka_unit_test(short_texts_are_read_whole),
	cmocka_unit_test(failed_reads_say_why),
	cmocka_unit_test(raw_bytes_come_in_pieces),
	cmocka_unit_test(numbers_are_read_to_their_end),
	cmocka_unit_test(plain_numbers_are_exact),
};

CASE_GROUP(cases);
