/* Compressed records; what c2c says of bad ones is in tests/cases/files. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "result/packed.h"
#include "util/array.h"

/* n blanks, compressed. */
static FILE *pack_blanks(const char *path, size_t n)
{
	FILE *plain = packing_stream(), *packed = packing_stream();

	assert_true(plain && packed);
	for (size_t i = 0; i < n; i++)
		fputc(' ', plain);
	assert_int_equal(
		packing_write(packing_of(path), plain, packed, NULL), 0);
	fclose(plain);
	rewind(packed);
	return packed;
}

static void what_unpacks_to_more_than_the_limit_is_refused(void **state)
{
	static const char *const paths[] = {"a.json.gz", "a.json.zst"};
	static const char *const errors[] = {
		"it unpacks to more than 1 MiB: if it is a record, unpack it "
		"(gzip -d) and name the .json",
		"it unpacks to more than 1 MiB: if it is a record, unpack it "
		"(zstd -d) and name the .json"};
	const size_t most = 1 << 20;
	struct error err;

	(void)state;
	for (size_t i = 0; i < N_OF(paths); i++) {
		FILE *in = pack_blanks(paths[i], most + 1);

		assert_int_equal(packing_open(&in, most, &err), -EOVERFLOW);
		assert_string_equal(err.text, errors[i]);
		fclose(in);
		in = pack_blanks(paths[i], most);
		assert_int_equal(packing_open(&in, most, NULL), 0);
		assert_int_equal(fseek(in, 0, SEEK_END), 0);
		assert_int_equal(ftell(in), most);
		fclose(in);
	}
}

static void what_is_not_compressed_is_read_from_its_beginning(void **state)
{
	static const char *const texts[] = {
		"{}", "", "(a)", "\x1f", "\x1f{", "\x28\xb5\x2f."};

	(void)state;
	for (size_t i = 0; i < N_OF(texts); i++) {
		FILE *in = packing_stream();
		char text[8] = "";

		assert_non_null(in);
		fputs(texts[i], in);
		rewind(in);
		assert_int_equal(packing_open(&in, 100, NULL), 0);
		assert_int_equal(
			fread(text, 1, sizeof(text), in), strlen(texts[i]));
		assert_string_equal(text, texts[i]);
		fclose(in);
	}
}

static void the_whole_extension_says_what_compresses(void **state)
{
	(void)state;
	assert_non_null(packing_of("a.json.gz"));
	assert_non_null(packing_of("x.y/A.JSON.ZST"));
	assert_ptr_equal(packing_of(".json.gz"), packing_of("b.json.gz"));
	assert_null(packing_of("a.gz"));
	assert_null(packing_of("json.gz"));
	assert_null(packing_of("a.json.gz/b"));
	assert_null(packing_of("a.json.xz"));
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(what_unpacks_to_more_than_the_limit_is_refused),
	cmocka_unit_test(what_is_not_compressed_is_read_from_its_beginning),
	cmocka_unit_test(the_whole_extension_says_what_compresses),
};

CASE_GROUP(cases);
