/* CSV: ours, and the shapes and habits of other tools. */
#include <dirent.h>
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
#include "sample.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void golden_file_is_written(void **state)
{
	struct result result;
	char *text, *golden = sample_golden("result.csv");

	(void)state;
	sample_result(&result);
	text = sample_text(&result, result_write_csv);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
}

static void golden_file_comes_back(void **state)
{
	char *text, *golden = sample_golden("result.csv");
	const struct matrix *matrix;
	struct result result, expected;

	(void)state;
	sample_result(&expected);
	assert_int_equal(sample_read(&result, golden, NULL), 0);
	assert_int_equal(result.cpus.n, 3);
	assert_memory_equal(result.cpus.cpus, expected.cpus.cpus,
		3 * sizeof(*result.cpus.cpus));
	matrix = result_find_matrix(&result, NULL, NULL);
	assert_non_null(matrix);
	assert_string_equal(result.command, "latency");
	assert_string_equal(matrix->name, "latency");
	assert_string_equal(matrix->statistic, "median");
	assert_string_equal(matrix->unit, "ns");
	assert_null(matrix->quantity);
	assert_true(matrix->symmetric);
	assert_false(matrix->higher_is_better);
	assert_true(result.complete);
	assert_int_equal(result.machine.n, 0);
	assert_true(isnan(result.elapsed_s));
	sample_assert_values(matrix->values, expected.matrices[0].values, 9);
	text = sample_text(&result, result_write_csv);
	assert_string_equal(text, golden);
	free(text);
	free(golden);
	result_release(&result);
	result_release(&expected);
}

/* What result has as its only matrix, in the words of a corner. */
static void assert_words(const struct result *result, const char *words)
{
	const struct matrix *matrix = result_find_matrix(result, NULL, NULL);
	char text[256];

	assert_non_null(matrix);
	snprintf(text, sizeof(text), "%s: %s %s %s %s %s", result->command,
		matrix->name, matrix->statistic, matrix->unit,
		matrix->quantity ? matrix->quantity : "-",
		matrix->higher_is_better ? "higher" : "lower");
	assert_string_equal(text, words);
}

static void what_a_matrix_is_comes_back(void **state)
{
	static const struct {
		const char *name, *statistic, *unit, *quantity;
		bool higher;
		const char *corner, *words;
	} cases[] = {
		{"latency", "median", "ns", "one-way", false, "cpu,",
			"latency: latency median ns - lower"},
		{"latency", "median", "ns", "round-trip", false,
			"cpu: latency median ns round-trip lower,",
			"latency: latency median ns round-trip lower"},
		{"copy", "median", "GiB/s", "rate with page faults", true,
			"cpu: copy median GiB/s rate with page faults higher,",
			"memcpy: copy median GiB/s rate with page faults "
			"higher"},
		{"copy", "median", "GiB/s", "rate", true,
			"cpu: copy median GiB/s rate higher,",
			"memcpy: copy median GiB/s rate higher"},
		{"reader", "min", "GiB/s", NULL, true,
			"cpu: reader min GiB/s - higher,",
			"queue: reader min GiB/s - higher"},
		{"a \"b\",;", "", "\n", "\t", true,
			"cpu: a__b___ _ _ _ higher,",
			"latency: a__b___ _ _ _ higher"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result result, back;
		char *text;

		result_init(&result);
		assert_int_equal(cpu_list_parse(&result.cpus, "0,1", NULL), 0);
		assert_non_null(result_add_matrix(&result, cases[i].name,
			cases[i].statistic, cases[i].unit, cases[i].quantity,
			cases[i].higher, true));
		text = sample_text(&result, result_write_csv);
		assert_memory_equal(
			text, cases[i].corner, strlen(cases[i].corner));
		assert_int_equal(sample_read(&back, text, NULL), 0);
		assert_words(&back, cases[i].words);
		free(text);
		result_release(&back);
		result_release(&result);
	}
}

/* Corners of other tools, and those that are nearly ours. */
static void other_corners_tell_nothing(void **state)
{
	static const char *const corners[] = {"cpu", "core",
		"cpu:", "cpu: copy median GiB/s rate",
		"cpu: copy median GiB/s rate best",
		"cpu: copy  median GiB/s rate higher", "cpu: copy median",
		"cpu: copy median GiB/s higher",
		"CPU: copy median GiB/s rate higher"};
	struct result result;
	char text[128];

	(void)state;
	for (size_t i = 0; i < COUNT(corners); i++) {
		snprintf(
			text, sizeof(text), "%s,0,1\n0,,2\n1,2,\n", corners[i]);
		assert_int_equal(sample_read(&result, text, NULL), 0);
		assert_words(&result, "latency: latency median ns - lower");
		result_release(&result);
	}
	/* As a spreadsheet may save it. */
	assert_int_equal(sample_read(&result,
				 "\"cpu: copy median GiB/s rate higher\";0;1\n"
				 "0;;2\n1;2;\n",
				 NULL),
		0);
	assert_words(&result, "memcpy: copy median GiB/s rate higher");
	result_release(&result);
}

/* The same three CPUs, 20 ns, 30 ns and 31.5 ns apart, in many forms. */
static void every_form_is_read(void **state)
{
	static const char *const cases[] = {
		/* squares */
		",20,30\n20,,31.5\n30,31.5,\n",
		",20,30\n20,,31.5\n30,31.5,",
		"0,20,30\n20,0,31.5\n30,31.5,0\n",
		"nan,20,30\n20,NaN,31.5\n30,31.5,NAN\n",
		/* habits */
		"\xef\xbb\xbf,20,30\r\n20,,31.5\r\n30,31.5,\r\n",
		" , 20 , 30 \n 20,\t, 31.5\n30  ,31.5,  \n",
		",20,30,\n20,,31.5,\n30,31.5,,\n",
		";20;30\n20;;31.5\n30;31.5;\n",
		"\t20\t30\n20\t\t31.5\n30\t31.5\t\n",
		"0 20 30\n20  0 31.5\n 30 31.5 0 \n",
		"\"\",\"20\",\"30\"\n20,,31.5\n30,31.5,\n",
		"# by some tool\n,2e1,3e1\n\n20,,31.5\n30,31.5,\n\n\n",
		/* one half */
		",,\n20,,\n30,31.5,\n",
		"\n20,\n30,31.5,\n",
		",\n20,,\n30,31.5,,\n",
		"0\n20,0\n30,31.5,0\n",
		"\n20\n30,31.5\n",
		"\r\n20\r\n30 31.5\r\n",
		",20,30\n,,31.5\n,,\n",
		",20,30\n,31.5\n0\n",
		"0 20 30\n0 31.5\n0\n",
		/* headers */
		"cpu,0,1,2\n0,,20,30\n1,20,,31.5\n2,30,31.5,\n",
		"cpu,0,1,2,\n0,,20,30,\n1,20,,31.5,\n2,30,31.5,,\n",
		"cpu,0,1,2\n0,\n1,20,\n2,30,31.5,\n",
		",0,1,2\n0,,20,30\n1,20,,31.5\n2,30,31.5,\n",
		"from\\to;0;1;2\n0;;20;30\n1;20;;31.5\n2;30;31.5;\n",
	};
	static const double expected[] = {
		NAN, 20, 30, 20, NAN, 31.5, 30, 31.5, NAN};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {.text = ""};
		struct result result;

		if (sample_read(&result, cases[i], &err) < 0)
			fail_msg("'%s': %s", cases[i], err.text);
		assert_int_equal(result.cpus.n, 3);
		for (unsigned c = 0; c < 3; c++)
			assert_int_equal(result.cpus.cpus[c], c);
		assert_int_equal(result.n_matrices, 1);
		sample_assert_values(result.matrices[0].values, expected, 9);
		assert_true(result.matrices[0].symmetric);
		result_release(&result);
	}
}

/* The same three CPUs, as people post them. */
static void what_people_post_is_read(void **state)
{
	static const char *const cases[] = {
		/* names of CPUs */
		",CPU0,CPU1,CPU2\nCPU0,,20,30\nCPU1,20,,31.5\nCPU2,30,31.5,\n",
		"CPU,CPU 0,CPU 1,CPU 2\nCPU 0,x,20,30\nCPU 1,20,x,31.5\n"
		"CPU 2,30,31.5,x\n",
		"core0 core1 core2\n0 20 30\n20 0 31.5\n30 31.5 0\n",
		"cpu_0;0;20;30\ncpu_1;20;0;31.5\ncpu_2;30;31.5;0\n",
		"Thread 0\t\t20\t30\nThread 1\t20\t\t31.5\n"
		"Thread 2\t30\t31.5\t\n",
		"0 0 20 30\n1 20 0 31.5\n2 30 31.5 0\n",
		"0: - 20 30\n1: 20 - 31.5\n2: 30 31.5 -\n",
		"0 1 2\n0 20 30\n20 0 31.5\n30 31.5 0\n",
		"0\n1 20\n2 30 31.5\n",
		/* other tools, and what stands around their output */
		"$ c2clat\n CPU    0    1    2\n   0    0   20   30\n"
		"   1   20    0 31.5\n   2   30 31.5    0\n$\n",
		"Num cores: 3\nNum samples: 300\n\n      0    1    2\n  0\n"
		"  1  20\302\2611\n  2  30\302\2611 31.5\302\2610\n\n"
		"   Min  latency: 20.0ns \302\2610.2 cores: (1,0)\n",
		"   0    1    2\n 0\n 1  20+-1\n 2  30 +- 1  31.5+-0\n",
		"Latency (ns):\nto     0   1    2\nfrom\n 0   NaN  20   30\n"
		" 1    20 NaN 31.5\n 2    30 31.5 NaN\n",
		"     0     1     2\n0         20    30\n1   20        31.5\n"
		"2   30  31.5\n",
		"c2c latency (line), median [ns]\n\nCPU    0    1    2\n"
		"  0   \302\267  20   30\n  1  20   \302\267  31.5\n"
		"  2  30 31.5   \302\267\n\n20 to 31.5 ns (lower is better)\n",
		/* forums, papers, spreadsheets, mails */
		"Mine:\n\n| CPU | 0 | 1 | 2 |\n|---|--:|:-:|---|\n"
		"| 0 |  | 20 | 30 |\n| 1 | **20** |  | 31.5 |\n"
		"| 2 | 30 | 31.5 |  |\n\nThanks!\n",
		"+---+----+\n| 0| 20| 30|\n+---+----+\n| 20| 0| 31.5|\n"
		"+---+----+\n| 30| 31.5| 0|\n",
		"-- & 20 & 30 \\\\\n20 & -- & 31.5 \\\\\n30 & 31.5 & -- \\\\\n",
		"sep=;\r\n;20,0;30,0\r\n20,0;;31,5\r\n30,0;31,5;\r\n",
		"\t20,0\t30,0\n20,0\t\t31,5\n30,0\t31,5\t\n",
		"My machine,,\n,20,30\n20,,31.5\n30,31.5,\n",
		"> 0 20 30\n> 20 0 31.5\n> 30 31.5 0\n",
		"\033[37;1m0\033[0m 20 30\n20 \033[1m0 31.5\n30 31.5 "
		"0\033[0m\n",
		",0,1,2,Avg\n0,,20,30,25\n1,20,,31.5,26\n2,30,31.5,,31\n"
		"Avg,25,26,31,27\n",
		",20ns,30 ns\n20ns,,31.5ns\n30 ns,31.5ns,\n",
		/* programs */
		"[[0, 20, 30], [20, null, 31.5], [30, 31.5, 0]]",
		"[\n  [\n    0,\n    20,\n    30\n  ],\n  [20, 0, 31.5],\n"
		"  [30, 31.5, 0]\n]\n",
		"[[ 0.  20.\n  30. ]\n [20.   0.  31.5]\n [30.  31.5  0. ]]\n",
		"array([[ 0., 20., 30.],\n       [20., 0., 31.5],\n"
		"       [30., 31.5, 0.]])\n",
		/* Three words above a square name no columns of pairs. */
		"latency in ns\n0 20 30\n20 0 31.5\n30 31.5 0\n",
		"a,b,c\n0,20,30\n20,0,31.5\n30,31.5,0\n",
		/* pairs */
		"a,b,ns\n0,0,9\n0,1,20\n0,2,30\n2,2,8\n1,2,31.5\n",
		"a,b,ns\n0,1,20\n0,2,30\n1,2,31.5\n",
		"0 1 20\n1 0 20\n0 2 30\n2 0 30\n1 2 31.5\n2 1 31.5\n",
		"0 <-> 1 : 20 ns\n0 <-> 2 : 30 ns\n1 <-> 2 : 31.5 ns\n",
		"CPU 0 -> CPU 1: 20ns\nCPU 0 -> CPU 2: 30ns\n"
		"CPU 1 -> CPU 2: 31.5ns\n",
		"0 -> 1: 20\n0 -> 2: 30\n1 -> 2: 31.5\nNearest: 0 -> 1\n",
		"(2, 0): 30\n(2, 1): 31.5\n(1, 0): 20\n",
		"0-1: 20\n0-2: 30\n1-2: 31.5\n",
	};
	static const double expected[] = {
		NAN, 20, 30, 20, NAN, 31.5, 30, 31.5, NAN};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {.text = ""};
		struct result result;

		if (sample_read(&result, cases[i], &err) < 0)
			fail_msg("'%s': %s", cases[i], err.text);
		if (result.cpus.n != 3)
			fail_msg("'%s': %zu CPUs", cases[i], result.cpus.n);
		sample_assert_values(result.matrices[0].values, expected, 9);
		result_release(&result);
	}
}

/* What the text around a table says of its numbers, and of its rows. */
static void units_and_nodes_are_read(void **state)
{
	static const struct {
		const char *text, *unit;
		bool nodes;
	} cases[] = {
		{"# cycles\n0,50\n50,0\n", "cycles", false},
		{"Latency in us:\n0 5\n5 0\n", "us", false},
		{"0,5us\n5us,0\n", "us", false},
		{"Idle latencies (in ns)...\n\t\tNuma node\n"
		 "Numa node\t     0\t     1\n       0\t  89.1\t 148.3\n"
		 "       1\t 147.9\t  88.7\n",
			"ns", true},
		{"available: 2 nodes (0-1)\nnode 0 cpus: 0 1\n"
		 "node 0 size: 100 MB\nnode distances:\nnode   0   1\n"
		 "  0:  10  16\n  1:  16  10\n",
			"distance", true},
		/* One node, as numactl -H prints it in full, and MLC. */
		{"available: 1 nodes (0)\nnode 0 cpus: 0 1 2\n"
		 "node 0 size: 100 MB\nnode 0 free: 50 MB\nnode distances:\n"
		 "node   0 \n  0:  10 \n",
			"distance", true},
		{"available: 2 nodes (0-1)\nnode 0 cpus: 0 1 2\n"
		 "node 0 size: 100 MB\nnode 0 free: 50 MB\nnode 1 cpus:\n"
		 "node 1 size: 100 MB\nnode 1 free: 50 MB\nnode distances:\n"
		 "node   0   1 \n  0:  10  16 \n  1:  16  10 \n",
			"distance", true},
		{"Idle latencies (in ns)...\n\t\tNuma node\n"
		 "Numa node\t     0\t\n       0\t  89.1\t\n",
			"ns", true},
		/* Pairs */
		{"node 0 -> node 1: 123 us\nnode 1 -> node 0: 124 us\n"
		 "node 0 -> node 0: 80 us\n",
			"us", true},
		{"NUMA node 0 -> NUMA node 1: 5 us\n"
		 "NUMA node 1 -> NUMA node 0: 6 us\n",
			"us", true},
		{"node0 node1 123\nnode1 node0 124\n", "ns", true},
		{"from node,to node,us\n0,1,123\n1,0,124\n", "us", true},
		/* Words that are a unit only by chance. */
		{"EPYC 7763, rented server in US\n0,50\n50,0\n", "ns", false},
		{"Measured (US)\n0,50\n50,0\n", "ns", false},
		{"Latency in MS Azure\n0,50\n50,0\n", "ns", false},
		{"bandwidth in Mb/s\n0,50\n50,0\n", "ns", false},
		{"bandwidth in gb/s\n0,50\n50,0\n", "GB/s", false},
		/* A comment has no thousands; blocks of pairs are one list. */
		{"    0 1 2\n# 1,000 rounds\n0 0 53 60\n1 53 0 61\n"
		 "2 60 61 0\n",
			"ns", false},
		{"0 1 53\n0 2 60\n0 3 61\n\n1 0 53\n1 2 62\n1 3 63\n\n"
		 "2 0 60\n2 1 62\n2 3 55\n\n3 0 61\n3 1 63\n3 2 55\n",
			"ns", false},
		{"Measured by us on a Ryzen 9:\n0,50\n50,0\n", "ns", false},
		{"Latency in ns. Turbo clocks off.\n0,50\n50,0\n", "ns", false},
		{"The distance between us is 5.\n0,50\n50,0\n", "ns", false},
		{"Latency (us)\n# 3 GHz, 10 ns pause\n0,50\n50,0\n", "us",
			false},
		{"unit: cycles\n0,50\n50,0\n", "cycles", false},
		/* Two letters look like the one for a millionth. */
		{"0,5\302\265s\n5 \302\265s,0\n", "us", false},
		{"0,5\316\274s\n5 \316\274s,0\n", "us", false},
		{"latency [\316\274s]\n0 5\n5 0\n", "us", false},
		{"latency us\n0 5\n5 0\n", "us", false},
		{"Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\n"
		 "0 5\n5 0\n",
			"MB/s", false},
		/* In a corner, above pairs, and below the table. */
		{"us,0,1\n0,,5\n1,5,\n", "us", false},
		{"CPU [us],0,1\n0,,5\n1,5,\n", "us", false},
		{"bandwidth (GiB/s),0,1\n0,,5\n1,5,\n", "GiB/s", false},
		{"a,b,us\n0,1,5\n0,2,6\n1,2,7\n", "us", false},
		{"from to latency_us\n0 1 5\n0 2 6\n1 2 7\n", "us", false},
		{"0 5\n5 0\n\nAll values in us.\n", "us", false},
		{"0 5 6\n5 0 7\n6 7 0\n\nBandwidth (GB/s)\n0 3\n3 0\n", "ns",
			false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {.text = ""};
		struct result result;

		if (sample_read(&result, cases[i].text, &err) < 0)
			fail_msg("'%s': %s", cases[i].text, err.text);
		assert_string_equal(result.matrices[0].unit, cases[i].unit);
		assert_int_equal(result_is_of_nodes(&result), cases[i].nodes);
		result_release(&result);
	}
}

/* Signs between thousands, and decimals that look like them. */
static void thousands_are_told_from_decimals(void **state)
{
	static const struct {
		const char *text;
		double value; /* of the first two CPUs; 0: refused */
	} cases[] = {
		{"cpu;0;1\n0;;1.234,5\n1;1.234,5;\n", 1234.5},
		{"cpu;0;1\n0;;1,234.5\n1;1,234.5;\n", 1234.5},
		{"cpu\t0\t1\n0\t\t1,234,567\n1\t1,234,567\t\n", 1234567},
		{"cpu;0;1\n0;;1 234\n1;1 234;\n", 1234},
		{"cpu\t0\t1\n0\t\t1 234 ns\n1\t1 234 ns\t\n", 1234},
		{"| cpu | 0 | 1 |\n| 0 | | 1\302\240234,5 |\n"
		 "| 1 | 1\342\200\257234,5 | |\n",
			1234.5},
		{"cpu,0,1\n0,,1'234\n1,1_234,\n", 1234},
		{"a;b;ns\n0;1;1.234,5\n0;2;1.300,5\n1;2;1.400,5\n", 1234.5},
		/* Another number decides. */
		{"cpu;0;1;2\n0;;1,234;53.5\n1;1,234;;60\n2;53.5;60;\n", 1234},
		{"cpu;0;1;2\n0;;1.234;1.234,5\n1;1.234;;60\n"
		 "2;1.234,5;60;\n",
			1234},
		{"cpu,0,1,2\n0,,\"1,234\",53.5\n1,\"1,234\",,60\n2,53.5,60,\n",
			1234},
		{"cpu;0;1;2\n0;;1,234;53,5\n1;1,234;;60\n2;53,5;60;\n", 1.234},
		{"0,000;1,234\n1,234;0,000\n", 1.234},
		{"0;1234,567\n1234,567;0\n", 1234.567},
		/* As programs write it. */
		{"cpu;0;1\n0;;1.234\n1;1.234;\n", 1.234},
		/* Nothing decides. */
		{"cpu\t0\t1\n0\t\t1,234\n1\t1,234\t\n", 0},
		{"cpu;0;1\n0;;1,234\n1;950;\n", 0},
		{"| cpu | 0 | 1 |\n| 0 | | 1,234 |\n| 1 | 1,234 | |\n", 0},
		{"cpu,0,1\n0,,\"1,234\"\n1,\"1,234\",\n", 0},
		{"0 1,234\n1,234 0\n", 0},
		{"a;b;ns\n0;1;1,234\n0;2;1,300\n1;2;1,400\n", 0},
		{"cpu;0;1;2\n0;;53,1;1.234\n1;53,1;;60\n2;1.234;60;\n", 0},
		/* Groups of other sizes are none. */
		{"cpu;0;1\n0;;1 23\n1;1 23;\n", 0},
		{"cpu;0;1\n0;;12 34 567\n1;12 34 567;\n", 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {.text = ""};
		struct result result;
		int rc = sample_read(&result, cases[i].text, &err);

		if ((rc == 0) != (cases[i].value > 0))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (rc < 0)
			continue;
		if (result.matrices[0].values[1] != cases[i].value)
			fail_msg("'%s': %g", cases[i].text,
				result.matrices[0].values[1]);
		result_release(&result);
	}
}

/* A table that a log has twice is one, and two tables are refused. */
static void tables_are_not_joined(void **state)
{
	static const struct {
		const char *text, *refused; /* the second line, or NULL */
	} cases[] = {
		{"0 7\n7 0\n\n0 7\n7 0\n", NULL},
		{"0 7\n7 0\n\n0 8\n8 0\n", "4"},
		{"cpu,0,1\n0,,7\n1,7,\n\ncpu,0,1\n0,,7\n1,7,\n", NULL},
		{"cpu,0,1\n0,,7\n1,7,\n\n\ncpu,0,1\n0,,8\n1,7,\n", "6"},
		{"cpu,0,1\n0,,7\n1,7,\n\ncpu,0,1\n0,,8\n1,7,\n\n"
		 "cpu,0,1\n0,,7\n1,7,\n",
			"5"},
		{"cpu,0,1\n0,,7\n1,7,\nand\ncpu,0,1\n0,,8\n1,7,\nand\n"
		 "cpu,0,1\n0,,7\n1,7,\n",
			"5"},
		{"0 -> 1: 7 ns\n1 -> 0: 7 ns\nand\n0 -> 1: 7 ns\n"
		 "1 -> 0: 8 ns\n",
			"4"},
		{"0\n7 0\n\n0\n7 0\n", NULL},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {.text = ""};
		struct result result;
		int rc = sample_read(&result, cases[i].text, &err);
		const char *second = strstr(err.text, "and from line ");

		if ((rc < 0) != (cases[i].refused != NULL) ||
			(rc < 0 &&
				(!second || second[14] != *cases[i].refused)))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (rc < 0)
			continue;
		assert_int_equal(result.cpus.n, 2);
		result_release(&result);
	}
}

/* Rows of a square may have an empty line in the middle. */
static void an_empty_line_parts_no_square(void **state)
{
	struct result result;

	(void)state;
	assert_int_equal(
		sample_read(&result, "0 4 9 9\n4 0 9 9\n\n9 9 0 5\n9 9 5 0\n",
			NULL),
		0);
	assert_int_equal(result.cpus.n, 4);
	assert_true(result.matrices[0].values[11] == 5);
	result_release(&result);
}

static void two_cpus_are_enough(void **state)
{
	static const char *const cases[] = {
		"0,7\n7,0\n", ",7\n7,\n", "\n7\n", "0\n7,0\n", "0,7\n0\n"};
	static const double expected[] = {NAN, 7, 7, NAN};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result result;

		assert_int_equal(sample_read(&result, cases[i], NULL), 0);
		assert_int_equal(result.cpus.n, 2);
		sample_assert_values(result.matrices[0].values, expected, 4);
		result_release(&result);
	}
}

/*
 * Directions that differ, a hole on one side, a diagonal that says something.
 */
static void an_asymmetric_square_stays_so(void **state)
{
	static const double differs[] = {5, 1, 2, 3, NAN, 4, 5, 6, NAN};
	static const double holes[] = {NAN, 1, 2, 1, NAN, 3, NAN, 3, NAN};
	struct result result;

	(void)state;
	assert_int_equal(sample_read(&result, "5,1,2\n3,0,4\n5,6,\n", NULL), 0);
	assert_false(result.matrices[0].symmetric);
	sample_assert_values(result.matrices[0].values, differs, 9);
	result_release(&result);
	assert_int_equal(sample_read(&result, ",1,2\n1,,3\n,3,\n", NULL), 0);
	assert_false(result.matrices[0].symmetric);
	sample_assert_values(result.matrices[0].values, holes, 9);
	result_release(&result);
}

/*
 * Coarse clocks print whole numbers that increase along the first row: these
 * are latencies as long as they are not 0, 1, 2...
 */
static void latencies_are_no_header(void **state)
{
	static const char *const cases[] = {
		",5,10,15\n5,,10,10\n10,10,,5\n16,10,5,\n",
		",0,1,2\n0,,2,2\n1,2,,1\n9,2,1,\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct result result;

		assert_int_equal(sample_read(&result, cases[i], NULL), 0);
		assert_int_equal(result.cpus.n, 4);
		result_release(&result);
	}
}

/* What may be meant in two ways is refused, and what is only odd is read. */
static void odd_tables_are_read_or_refused(void **state)
{
	static const struct {
		const char *text;
		size_t n;	 /* CPUs; 0: refused */
		unsigned second; /* of them */
		double value;	 /* of the first two */
	} cases[] = {
		/* CPUs that do not count up, with an empty corner. */
		{",0,2,4\n0,,20,60\n2,20,,61\n4,60,61,\n", 3, 2, 20},
		{"\t0\t2\t4\n0\t-\t20\t60\n2\t20\t-\t61\n4\t60\t61\t-\n", 3, 2,
			20},
		{",5,10,15\n5,,10,10\n10,10,,5\n15,10,5,\n", 0, 0, 0},
		{",1,2,3\n1,,2,2\n2,2,,1\n3,2,1,\n", 0, 0, 0},
		/* Zeros of a half are no latencies. */
		{"0,0,0\n20,0,0\n60,61,0\n", 3, 1, 20},
		{"0,20,60\n0,0,61\n0,0,0\n", 3, 1, 20},
		/* The diagonal of three CPUs, or a half of four. */
		{"20\n60 61\n60 60 20\n", 0, 0, 0},
		{"20 60 60\n61 60\n20\n", 0, 0, 0},
		{"0,-\n2,21,-\n4,110,20,-\n", 3, 2, 21},
		{"0 20 60 61\n1 20 60 60\n2 60 61 20\n3 60 60 20\n", 0, 0, 0},
		{"1,110,110,62\n2,110,110,20\n3,110,110,61\n4,62,20,61\n", 0, 0,
			0},
		{"from,to,avg,sd\n0,1,20,1\n0,2,60,2\n1,2,60,1\n"
		 "0,3,60,1\n",
			0, 0, 0},
		{"CPU0,CPU1,CPU2\n9,60,110\n60,9,62\n110,62,9\n", 3, 1, 60},
		{"core0 core1 core2\n9 60 110\n60 9 62\n110 62 9\n", 3, 1, 60},
		{"0,1,20\n2,3,21\n4,5,20\n", 0, 0, 0},
		{"0,1,20\n2,3,21\n", 0, 0, 0},
		{"0,5us\n5ns,0\n", 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error err = {.text = ""};
		struct result result;
		int rc = sample_read(&result, cases[i].text, &err);

		if ((rc == 0) != (cases[i].n > 0))
			fail_msg("'%s': %s", cases[i].text, err.text);
		if (rc < 0)
			continue;
		if (result.cpus.n != cases[i].n ||
			result.cpus.cpus[1] != cases[i].second ||
			result.matrices[0].values[1] != cases[i].value)
			fail_msg("'%s' has other CPUs", cases[i].text);
		assert_true(result.matrices[0].symmetric);
		result_release(&result);
	}
}

/* With a header the file says which CPUs there are, even if nothing else. */
static void a_header_needs_no_numbers(void **state)
{
	struct result result;

	(void)state;
	assert_int_equal(sample_read(&result, "cpu,9,4\n9,,\n4,,\n", NULL), 0);
	assert_int_equal(result.cpus.n, 2);
	assert_int_equal(result.cpus.cpus[0], 9);
	assert_true(isnan(result.matrices[0].values[1]));
	result_release(&result);
}

static void bad_files_are_named_by_line_and_column(void **state)
{
	static const char *const cases[][2] = {
		{"", "found no numbers, expected a result of c2c or a matrix "
		     "of numbers"},
		{"\n\n", "found no numbers, expected a result of c2c or a "
			 "matrix of numbers"},
		{"latency (ms)\n0 5\n5 0\n",
			"the file says that its unit is ms, expected ns or us: "
			"multiply the numbers by 1,000 and write us"},
		{"0 5 ms\n5 ms 0\n",
			"the file says that its unit is ms, expected ns or us: "
			"multiply the numbers by 1,000 and write us"},
		{"0 -> 1: 5 ns\n0 -> 2: 6 us\n1 -> 2: 7 us\n",
			"line 2: found 'us' after 'ns': write all numbers in "
			"one unit"},
		{"0;1,234\n1,234;0\n",
			"line 1: found '1,234', where ',' may separate "
			"thousands or decimals: write thousands without a "
			"sign, and decimals with a point"},
		{"# only\n", "found no numbers, expected a result of c2c or a "
			     "matrix of numbers"},
		{"hello world\n", "found no numbers, expected a result of c2c "
				  "or a matrix "
				  "of numbers"},
		{",\n,\n", "found only empty cells, expected numbers"},
		{",20\n20,abc\n", "line 2, column 2: found 'abc', expected a "
				  "number or an empty cell"},
		{"\n,20\n\n20,1x\n", "line 4, column 2: found '1x', expected a "
				     "number or an empty cell"},
		{",20\n20,0x10\n", "line 2, column 2: found '0x10', expected a "
				   "number or an empty cell"},
		{",20\ninf,\n", "line 2, column 1: found 'inf', expected a "
				"number or an empty cell"},
		{",1e999\n20,\n", "line 1, column 2: found '1e999', expected a "
				  "number up to 1e15 or an empty cell"},
		{",20\n1.1e15,\n", "line 2, column 1: found '1.1e15', expected "
				   "a number up to 1e15 or an empty cell"},
		{",20\n-20,\n", "line 2, column 1: found '-20', expected a "
				"number that is not negative"},
		{",20,30\n20,,31\n30,31\n",
			"line 3: found 2 cells, expected 3: a matrix of 3 "
			"lines is a square of as many columns, or a triangle"},
		{",20,30\n20,,31,5\n30,31,\n",
			"line 2: found 4 cells, expected 3: a matrix of 3 "
			"lines is a square of as many columns, or a triangle"},
		{",20,30\n20,,31\n",
			"line 1: found 3 cells, expected 2: a matrix of 2 "
			"lines is a square of as many columns, or a triangle"},
		{"0\n20,0\n30,31,0\n40,41,42\n",
			"line 4: found 3 cells, expected 4: a matrix of 4 "
			"lines is a square of as many columns, or a triangle"},
		{"cpu,0,1.5\n0,,2\n1,2,\n", "line 1, column 3: found '1.5', "
					    "expected a CPU number in "
					    "the heading"},
		{"cpu,0,,1\n0,,2\n1,2,\n", "line 1, column 3: found nothing, "
					   "expected a CPU number "
					   "in the heading"},
		{"cpu,0,1048576\n0,,2\n1,2,\n",
			"line 1, column 3: found '1048576', expected a CPU "
			"number in the heading"},
		{"cpu,3,3\n3,,2\n3,2,\n",
			"line 1, column 3: found CPU 3 for the second time, "
			"expected every CPU once"},
		{"cpu,3,4\n3,,2\n5,2,\n",
			"line 3, column 1: found 5, expected 4, the CPU of "
			"column 3"},
		{"cpu,3,4\n3,,2\n",
			"line 1: found a heading of 2 CPUs and 1 line below "
			"it, expected one per CPU"},
		{"cpu,3,4\n3,,2\n4,2,,9\n",
			"line 3: found 3 cells, expected 2: a matrix of 2 "
			"lines is a square of as many columns, or a triangle"},
		{"a,b\n1,2\n",
			"line 2: found 2 cells, expected 1: a matrix of 1 "
			"lines is a square of as many columns, or a triangle"},
		/* Of two readings, none is taken. */
		{"run 1\n0,7\n7,0\nrun 2\n0,8\n8,0\n",
			"found two tables of 2 lines, from line 2 and from "
			"line 5: keep only one of these tables"},
		{"1,2,53\n1,3,52\n2,3,58\n",
			"line 1: three numbers may be a pair of CPUs and its "
			"latency, or a row of a matrix: put the line 'a,b,ns' "
			"above pairs, or 'cpu,0,1,2' above a matrix"},
		/* A line of pairs that is none is not left out. */
		{"a,b,ns\n0,1,5\n0,2,fast\n1,2,7\n",
			"line 3: found '0,2,fast', expected two CPUs, or two "
			"nodes, and a number"},
		{"a,b,ns\n0,1,5\n0,2,-6\n1,2,7\n",
			"line 3: found '0,2,-6', expected two CPUs, or two "
			"nodes, and a number"},
		{"0 -> 1: 5\n0 -> 2: fast\n1 -> 2: 7\n",
			"line 2: found '0 -> 2: fast', expected two CPUs, or "
			"two nodes, and a number"},
		{"0 -> 1: 5\n0 -> 2: 6\n1 -> 2: fast\n",
			"line 3: found '1 -> 2: fast', expected two CPUs, or "
			"two nodes, and a number"},
		{"0 -> 1: 1,234 ns\n0 -> 2: 1,300 ns\n",
			"line 1: found '0 -> 1: 1,234 ns', expected two CPUs, "
			"or two nodes, and a number"},
		{"CPU 0 -> node 0: 80\nCPU 1 -> node 1: 90\n",
			"line 1: found 'CPU 0 -> node 0: 80', expected two "
			"CPUs, or two nodes, and a number"},
		/* Each flaw is named where it is. */
		{"cpu,0,1,2\n", "line 1: found a heading and no line below it"},
		{"cpu,a,b\na,,7\nb,7,\n",
			"line 2, column 2: found nothing, expected a CPU "
			"number: a table that begins with a word has a "
			"heading"},
		{"0 7 8\n7 0 9\n8 9 0\n\n0 6\n6 0\n",
			"line 5: found 2 cells, and 3 in the lines above the "
			"gap: keep only one of these tables"},
		{"cpu,0,1,2\n0,,7,8\n1;7;;9\n2,8,9,\n",
			"line 3: found another separator than in the next "
			"lines: use one separator, and no commas within "
			"numbers"},
		{"CPU   0   1   2\n  0       20  30\n  1  20\n"
		 "  2  30  31\n",
			"line 3: found 1 cell, expected 2: a matrix of 3 lines "
			"is a square of as many columns, or a triangle"},
		{"0 7 8\n7 0 9\n8 9 0\n7 7 7\n",
			"line 1: found 3 cells, expected 4: a matrix of 4 "
			"lines is a square of as many columns, or a triangle"},
		{"0\n1,\n2,7,\n",
			"line 1: the first numbers may be CPUs or latencies: "
			"put a heading above the table, as in 'cpu,0,1,2'"},
		{"0 1 53\n0 2 52\n0 1 58\n",
			"line 3: found CPUs 0 and 1 for the second time, "
			"expected every pair once in each direction"},
		{",20\n20,\x01\x80zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
		 "zzzzz\n",
			"line 2, column 2: found "
			"'??zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...', "
			"expected a number or an empty cell"},
		/* The corner tells what the numbers are. */
		{"cpu: A\033[2JB median ns one-way lower,0,1\n0,,5\n1,5,\n",
			"matrices[0].name: found control characters, expected "
			"text without control characters"},
		{"cpu: a median ns \302\233 2J lower,0,1\n0,,5\n1,5,\n",
			"matrices[0].quantity: found control characters, "
			"expected text without control characters"},
		{"cpu: a median \233ns one-way lower,0,1\n0,,5\n1,5,\n",
			"matrices[0].unit: found bytes that are not UTF-8, "
			"expected text without control characters"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		sample_refused(cases[i][0], cases[i][1]);
}

/* rows lines of cells cells, all 1. */
static char *ones(size_t rows, size_t cells)
{
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	for (size_t i = 0; i < rows; i++) {
		for (size_t j = 0; j < cells; j++)
			fputs(j + 1 < cells ? "1," : "1\n", out);
	}
	fclose(out);
	return text;
}

static void absurd_sizes_are_refused(void **state)
{
	char *wide = ones(1, 16387), *tall = ones(16387, 1);

	(void)state;
	sample_refused(wide, "line 1: found more than 16384 cells, expected a "
			     "matrix of at most that many CPUs");
	sample_refused(tall, "line 16387: found more than 16384 lines, "
			     "expected a matrix of at most that many CPUs");
	free(wide);
	free(tall);
}

static void a_thousand_cpus_are_read(void **state)
{
	char *text = ones(1024, 1024);
	struct result result;

	(void)state;
	assert_int_equal(sample_read(&result, text, NULL), 0);
	assert_int_equal(result.cpus.n, 1024);
	assert_true(result.matrices[0].symmetric);
	assert_true(result.matrices[0].values[1024 * 1024 - 1] == 1);
	free(text);
	result_release(&result);
}

/* Files that other people published, where this machine has them. */
static void published_files_are_read(void **state)
{
	const char *srcdir = getenv("srcdir");
	char folder[4096], path[8192];
	const struct dirent *entry;
	unsigned files = 0;
	DIR *directory;

	(void)state;
	snprintf(folder, sizeof(folder), "%s/../shared/matrices/train",
		srcdir ? srcdir : ".");
	directory = opendir(folder);
	if (!directory) {
		print_message("skip: there is no ../shared/matrices/train\n");
		skip();
		return; /* never, which analysers do not know */
	}
	while ((entry = readdir(directory))) {
		const char *dot = strrchr(entry->d_name, '.');
		struct error err = {.text = ""};
		struct result result;

		if (!dot || strcmp(dot, ".csv") != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (result_load(&result, path, &err) < 0)
			fail_msg("%s", err.text);
		assert_true(result.cpus.n >= 6);
		assert_int_equal(result.cpus.cpus[0], 0);
		/* All are full squares with an empty diagonal. */
		for (size_t i = 0; i < result.cpus.n; i++) {
			for (size_t j = 0; j < result.cpus.n; j++)
				assert_int_equal(
					isnan(result.matrices[0].values
							[i * result.cpus.n +
								j]) != 0,
					i == j);
		}
		result_release(&result);
		files++;
	}
	closedir(directory);
	assert_true(files > 0);
}

static const struct CMUnitTest cases[] = {
	cmocka_unit_test(golden_file_is_written),
	cmocka_unit_test(golden_file_comes_back),
	cmocka_unit_test(what_a_matrix_is_comes_back),
	cmocka_unit_test(other_corners_tell_nothing),
	cmocka_unit_test(every_form_is_read),
	cmocka_unit_test(what_people_post_is_read),
	cmocka_unit_test(units_and_nodes_are_read),
	cmocka_unit_test(thousands_are_told_from_decimals),
	cmocka_unit_test(tables_are_not_joined),
	cmocka_unit_test(an_empty_line_parts_no_square),
	cmocka_unit_test(two_cpus_are_enough),
	cmocka_unit_test(an_asymmetric_square_stays_so),
	cmocka_unit_test(latencies_are_no_header),
	cmocka_unit_test(odd_tables_are_read_or_refused),
	cmocka_unit_test(a_header_needs_no_numbers),
	cmocka_unit_test(bad_files_are_named_by_line_and_column),
	cmocka_unit_test(absurd_sizes_are_refused),
	cmocka_unit_test(a_thousand_cpus_are_read),
	cmocka_unit_test(published_files_are_read),
};

CASE_GROUP(cases);
