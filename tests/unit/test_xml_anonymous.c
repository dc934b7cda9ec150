/* What stays of hwloc's XML, and that damaged XML does no harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../case_group.h"
#include "machine/xml_anonymous.h"

static void check_xml(const char *xml, const char *left)
{
	char text[256];

	snprintf(text, sizeof(text), "%s", xml);
	xml_make_anonymous(text);
	assert_string_equal(text, left);
}

static void names_and_unknown_infos_go(void **state)
{
	static const struct {
		const char *xml, *left;
	} cases[] = {
		{"<object type=\"PU\" name=\"x\" os_index=\"0\"/>",
			"<object type=\"PU\" os_index=\"0\"/>"},
		{"<object name='x' type='Misc' subtype='x'/>",
			"<object type='Misc'/>"},
		{"<object type='Group' subtype='llc'/>",
			"<object type='Group' subtype='llc'/>"},
		{"<a>\n  <info name=\"HostName\" value=\"x\"/>\n</a>",
			"<a>\n</a>"},
		{"<info name='CPUModel' value='7'/>",
			"<info name='CPUModel' value='7'/>"},
		{"<info name='CPU' value='7'/><info name='CPUSerial' "
		 "value='7'/>",
			""},
		/* Attributes that hwloc does not know, and other programs. */
		{"<object serial='x' type='PU' Name='x'></object>",
			"<object type='PU'></object>"},
		{"<info name='OSName' value='a/b' x='x' />",
			"<info name='OSName' value='a/b'/>"},
		{"<?xml version='1.0' x='x'?><?x y?><!DOCTYPE topology "
		 "SYSTEM \"hwloc2.dtd\"><!DOCTYPE topology [x]>",
			"<?xml version='1.0'?><!DOCTYPE topology SYSTEM "
			"\"hwloc2.dtd\">"},
		/* Only the attribute counts, not what a value has. */
		{"<info value=' name=\"CPUModel\"' name='x'/>", ""},
		{"<info name='x' value='a > b'></info>1", "1"},
		{"<userdata name='x'>x<x/></userdata><b/>", "<b/>"},
		{"<!-- x --><u64values>1 2 PU:0</u64values>",
			"<u64values>1 2 PU:0</u64values>"},
		{"<u64values>some text</u64values>", "<u64values></u64values>"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		check_xml(cases[i].xml, cases[i].left);
}

/* Each beginning of a text, which ends in any place of it. */
static void xml_that_was_cut_off_does_no_harm(void **state)
{
	static const char xml[] =
		"<?xml v='1'?><!-- c --><object type='Misc' name='n' "
		"subtype=\"s\"><info name='x' value='>'></info><userdata "
		"name='u'>u</userdata>1 2</object>";

	(void)state;
	for (size_t n = 0; n < sizeof(xml); n++) {
		char text[sizeof(xml)], again[sizeof(xml)];

		snprintf(text, n + 1, "%s", xml);
		xml_make_anonymous(text);
		assert_true(strlen(text) <= n);
		memcpy(again, text, strlen(text) + 1);
		xml_make_anonymous(again);
		assert_string_equal(again, text);
	}
	check_xml("<object name=x type=\"", "<object");
	check_xml("<info name=\"CPU", "");
	check_xml("<", "<");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(names_and_unknown_infos_go),
	cmocka_unit_test(xml_that_was_cut_off_does_no_harm),
};

CASE_GROUP(tests);
