/*
 * Print answers from the records of a machine in at most REPORT_LINES lines,
 * for c2c report and its page.
 */
#ifndef C2C_REPORT_ANSWERS_H
#define C2C_REPORT_ANSWERS_H

#include "cmd/page/page.h"
#include "cmd/prose.h"

#define REPORT_LINES 40

/* Print a row for each answer about records[n] of one machine, n > 0. */
void report_print_answers(
	struct prose *prose, const struct page_input *records, size_t n);

#endif
