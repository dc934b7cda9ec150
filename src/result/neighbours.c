/* Prints the JSON of neighbours. */
#include "result/neighbours.h"

#include "record/print.h"

static const struct record_field cpu_neighbours_rows[] = {
	ROW(cpu_neighbours, COUNT, cpu, "cpu", "Number of the CPU"),
	ROW(cpu_neighbours, CPUS, cpus, "neighbours",
		"The other CPUs, from the nearest to the farthest. CPUs with "
		"imprecise values are missing"),
	ROW_VALUES(cpu_neighbours, n_values, values, "values",
		"Mean value of both directions for each neighbour",
		.unit = "unit"),
	{0},
};

static RECORD_TYPE(cpu_neighbours, cpu_neighbours, "A CPU and its neighbours");

static const struct record_field neighbours_rows[] = {
	ROW(neighbours, TEXT, matrix, "matrix",
		"Name of the matrix with the values"),
	ROW(neighbours, TEXT, unit, "unit", "Unit of the values"),
	ROW_OR_NULL(neighbours, TEXT, quantity, "quantity",
		"Kind of the values: one-way, round-trip or rate"),
	ROW_LIST(neighbours, cpu_neighbours_type, cpus, "cpus",
		"CPUs of the placement, in the order of threads", .line = true),
	{0},
};

const struct record_type neighbours_type = {
	.name = "neighbours",
	.about = "CPUs and their neighbours, from c2c export --placement=json",
	.format = "c2c-neighbours",
	.version = 1,
	.fields = neighbours_rows,
	.bytes = sizeof(struct neighbours),
};

int neighbours_print(const struct neighbours *neighbours, FILE *out)
{
	return print_struct(&neighbours_type, neighbours, out);
}
