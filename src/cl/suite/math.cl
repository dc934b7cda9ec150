/*
 * c2c compiles this file once for each vector width. The host defines S (the
 * type of a number), T (a vector of S), I (as many ints), TO_T() (converts I to
 * T), STARTS, CHAINS, NAMED() (makes names for this vector) and BODY (the body
 * of call()). Without BODY the kernels are arithmetic; ONLY is the number of
 * the only kind to compile.
 *
 * The compiler may combine a product and a sum only in mad() or fma(), because
 * the host has to compute equal results. The compiler knows no value: starts
 * come from memory; factors and turns are arguments.
 */
#pragma OPENCL FP_CONTRACT OFF

/* Eight steps of a chain, which alternate between two pairs of numbers. */
#define EIGHT(STEP, DO)                                                        \
	DO(STEP, a, c) DO(STEP, b, d) DO(STEP, a, c) DO(STEP, b, d)            \
	DO(STEP, a, c) DO(STEP, b, d) DO(STEP, a, c) DO(STEP, b, d)

/*
 * Eight steps in a loop, for divisions. Compilers make many instructions of
 * each division, and some compilers take minutes to compile 1,024 divisions.
 */
#define EIGHT_IN_PAIRS(STEP, DO)                                               \
	_Pragma("unroll 1") for (int pair = 0; pair < 4; pair++) {             \
		DO(STEP, a, c) DO(STEP, b, d)                                  \
	}

#define ADD(x, p, q) x += p;
#define SUB(x, p, q) x -= p;
#define MUL(x, p, q) x *= p;
#define DIV(x, p, q) x /= p;
#define MAD(x, p, q) x = mad(x, p, q);
#define FMA(x, p, q) x = fma(x, p, q);

#define ONE(STEP, p, q) STEP(x0, p, q)
#define ALL(STEP, p, q)                                                        \
	STEP(x0, p, q) STEP(x1, p, q) STEP(x2, p, q) STEP(x3, p, q)            \
	STEP(x4, p, q) STEP(x5, p, q) STEP(x6, p, q) STEP(x7, p, q)

#define BEGIN                                                                  \
	size_t g = get_global_id(0);                                           \
	T a = a1, b = b1, c = c1, d = d1, x0 = in[g % STARTS];

/* Eight independent chains, and a single chain. */
#define ARITHMETIC(NAME, STEP, STEPS)                                          \
	__kernel void NAMED(NAME##_8)(__global const T *in,            \
		__global T *out, S a1, S b1, S c1, S d1, uint turns)           \
	{                                                                      \
		BEGIN                                                          \
		T x1 = x0 + (S)1, x2 = x0 + (S)2, x3 = x0 + (S)3;             \
		T x4 = x0 + (S)4, x5 = x0 + (S)5, x6 = x0 + (S)6;              \
		T x7 = x0 + (S)7;                                              \
		for (uint i = 0; i < turns; i++) {                             \
			STEPS(STEP, ALL)                                       \
		}                                                              \
		out[g] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));    \
	}                                                                      \
	__kernel void NAMED(NAME##_1)(__global const T *in,            \
		__global T *out, S a1, S b1, S c1, S d1, uint turns)           \
	{                                                                      \
		BEGIN                                                          \
		for (uint i = 0; i < turns; i++) {                             \
			EIGHT(STEP, ONE)                                       \
		}                                                              \
		out[g] = x0;                                                   \
	}

#ifndef BODY

#if !defined(ONLY) || ONLY == 0
ARITHMETIC(add, ADD, EIGHT)
#endif
#if !defined(ONLY) || ONLY == 1
ARITHMETIC(sub, SUB, EIGHT)
#endif
#if !defined(ONLY) || ONLY == 2
ARITHMETIC(mul, MUL, EIGHT)
#endif
#if !defined(ONLY) || ONLY == 3
ARITHMETIC(div, DIV, EIGHT_IN_PAIRS)
#endif
#if !defined(ONLY) || ONLY == 4
ARITHMETIC(mad, MAD, EIGHT)
#endif
#if !defined(ONLY) || ONLY == 5
ARITHMETIC(fma, FMA, EIGHT)
#endif

#else

T NAMED(call)(T x, T b, int k1)
{
	I k = k1;
	BODY
}

/*
 * Argument k of work-item g is its start plus k * dx; chain j has every
 * CHAINS-th argument. Each sum is stored separately: with one turn a sum is a
 * single result.
 */
__kernel void NAMED(calls)(__global const T *in, __global T *out, S dx,
	S b1, int k1, uint turns)
{
	size_t g = get_global_id(0);
	T b = b1, x[CHAINS], sum[CHAINS];

	for (int j = 0; j < CHAINS; j++) {
		x[j] = in[g % STARTS] + (S)j * dx;
		sum[j] = (T)(0);
	}
	for (uint i = 0; i < turns; i++) {
		for (int j = 0; j < CHAINS; j++) {
			sum[j] += NAMED(call)(x[j], b, k1);
			x[j] += (S)CHAINS * dx;
		}
	}
	for (int j = 0; j < CHAINS; j++)
		out[g * CHAINS + j] = sum[j];
}

#endif
