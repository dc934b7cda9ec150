/*
 * The built-in functions of table 1: how each is called, for which arguments,
 * what is right, and how far off the specification allows: OpenCL 1.2, section
 * 7.4, the tables of single and of double precision, full profile. These two
 * differ in division and sqrt() alone, so that a row here has one bound. What
 * they call correctly rounded or 0 ulp is 0 here. Arguments are taken where a
 * function has no pole and no overflow, and of both signs where it may.
 *
 * What returns a second result through a pointer has it added or subtracted, so
 * that it is computed. Both results of sincos() may be 4 ulp off, which is two
 * ulp each of their sum for these arguments, and the sum is rounded. lgamma()
 * is not in the tables; its bound is made up and tells it from another
 * function.
 */
#include <math.h>
#include <stdbool.h>

#include "cl/suite/math.h"

#define UNBOUNDED 8192

#define RIGHT(name, expression)                                                \
	static long double name(long double x, long double b, bool is_double)  \
	{                                                                      \
		(void)b;                                                       \
		(void)is_double;                                               \
		return expression;                                             \
	}

/* sin(pi x) without the error of pi at whole numbers. */
static long double sin_pi(long double x)
{
	long double n = rintl(x), y = sinl(M_PIl * (x - n));

	return fmodl(n, 2) != 0 ? -y : y;
}

RIGHT(right_fmax, fmaxl(x, b))
RIGHT(right_fmin, fminl(x, b))
RIGHT(right_sin, sinl(x))
RIGHT(right_asin, asinl(x))
RIGHT(right_cos, cosl(x))
RIGHT(right_acos, acosl(x))
RIGHT(right_tan, tanl(x))
RIGHT(right_atan, atanl(x))
RIGHT(right_exp, expl(x))
RIGHT(right_log, logl(x))
RIGHT(right_rsqrt, 1 / sqrtl(x))
RIGHT(right_hypot, hypotl(x, b))
RIGHT(right_ldexp, ldexpl(x, MATH_K))
RIGHT(right_exp10, exp10l(x))
RIGHT(right_ilogb, ilogbl(x))
RIGHT(right_log10, log10l(x))
RIGHT(right_sinh, sinhl(x))
RIGHT(right_cosh, coshl(x))
RIGHT(right_tanh, tanhl(x))
RIGHT(right_asinh, asinhl(x))
RIGHT(right_acosh, acoshl(x))
RIGHT(right_atanh, atanhl(x))
RIGHT(right_asinpi, asinl(x) / M_PIl)
RIGHT(right_acospi, acosl(x) / M_PIl)
RIGHT(right_atanpi, atanl(x) / M_PIl)
RIGHT(right_cbrt, cbrtl(x))
RIGHT(right_ceil, ceill(x))
RIGHT(right_copysign, copysignl(x, b))
RIGHT(right_fabs, fabsl(x))
RIGHT(right_fdim, fdiml(x, b))
RIGHT(right_floor, floorl(x))
RIGHT(right_fma, fmal(x, x, b))
RIGHT(right_fmod, fmodl(x, b))
RIGHT(right_atan2, atan2l(x, b))
RIGHT(right_atan2pi, atan2l(x, b) / M_PIl)
RIGHT(right_sinpi, sin_pi(x))
RIGHT(right_cospi, sin_pi(x + 0.5L))
RIGHT(right_tanpi, sin_pi(x) / sin_pi(x + 0.5L))
RIGHT(right_log1p, log1pl(x))
RIGHT(right_logb, logbl(x))
RIGHT(right_lgamma, lgammal(x))
RIGHT(right_remainder, remainderl(x, b))
RIGHT(right_rint, rintl(x))
RIGHT(right_round, roundl(x))
RIGHT(right_trunc, truncl(x))
RIGHT(right_erfc, erfcl(x))
RIGHT(right_erf, erfl(x))
RIGHT(right_expm1, expm1l(x))
RIGHT(right_pown, powl(x, MATH_K))
RIGHT(right_powr, powl(x, b))
RIGHT(right_rootn, powl(x, 1 / (long double)MATH_K))
RIGHT(right_tgamma, tgammal(x))
RIGHT(right_fract, x - 2 * floorl(x))

static long double right_frexp(long double x, long double b, bool is_double)
{
	int exponent;
	long double y = frexpl(x, &exponent);

	(void)b;
	(void)is_double;
	return y + exponent;
}

static long double right_sincos(long double x, long double b, bool is_double)
{
	(void)b;
	(void)is_double;
	return sinl(x) + cosl(x);
}

static long double right_modf(long double x, long double b, bool is_double)
{
	long double whole, part = modfl(x, &whole);

	(void)b;
	(void)is_double;
	return part - whole;
}

/* The quotient has its sign and at least three bits: here it is below eight. */
static long double right_remquo(long double x, long double b, bool is_double)
{
	int quotient;
	long double y = remquol(x, b, &quotient);

	(void)is_double;
	return y + quotient;
}

/* The distance to the next is one of a few powers of two, and told exactly. */
static long double right_nextafter(long double x, long double b, bool is_double)
{
	return (is_double ? (long double)nextafter((double)x, (double)b)
			  : (long double)nextafterf((float)x, (float)b)) -
	       x;
}

#define ANY   -4, 8
#define ABOVE 0.5, 8
#define UNIT  -0.75, 2

const struct math_function math_functions[] = {
	{"fmax", 2, false, "return fmax(x, b);", ANY, -1, 0, right_fmax},
	{"fmin", 2, false, "return fmin(x, b);", ANY, -1, 0, right_fmin},
	{"sin", 3, true, "return sin(x);", ANY, 0, 4, right_sin},
	{"asin", 3, false, "return asin(x);", UNIT, 0, 4, right_asin},
	{"cos", 3, false, "return cos(x);", ANY, 0, 4, right_cos},
	{"acos", 3, false, "return acos(x);", UNIT, 0, 4, right_acos},
	{"tan", 3, false, "return tan(x);", ANY, 0, 5, right_tan},
	{"atan", 3, false, "return atan(x);", ANY, 0, 5, right_atan},
	{"exp", 4, true, "return exp(x);", ANY, 0, 3, right_exp},
	{"log", 4, true, "return log(x);", ABOVE, 0, 3, right_log},
	{"rsqrt", 4, true, "return rsqrt(x);", ABOVE, 0, 2, right_rsqrt},
	{"fract", 4, false, "T t, y = fract(x, &t); return y - t;", ANY, 0, 0,
		right_fract},
	{"frexp", 4, false, "T y = frexp(x, &k); return y + TO_T(k);", ABOVE, 0,
		0, right_frexp},
	{"hypot", 4, false, "return hypot(x, b);", ANY, 1.5, 4, right_hypot},
	{"ldexp", 4, false, "return ldexp(x, k);", ANY, 0, 0, right_ldexp},
	{"exp10", 4, false, "return exp10(x);", ANY, 0, 3, right_exp10},
	{"ilogb", 4, false, "return TO_T(ilogb(x));", ABOVE, 0, 0, right_ilogb},
	{"log10", 4, false, "return log10(x);", ABOVE, 0, 3, right_log10},
	{"sinh", 5, false, "return sinh(x);", ANY, 0, 4, right_sinh},
	{"cosh", 5, false, "return cosh(x);", ANY, 0, 4, right_cosh},
	{"tanh", 5, false, "return tanh(x);", ANY, 0, 5, right_tanh},
	{"asinh", 5, false, "return asinh(x);", ANY, 0, 4, right_asinh},
	{"acosh", 5, false, "return acosh(x);", 1.5, 8, 0, 4, right_acosh},
	{"atanh", 5, false, "return atanh(x);", UNIT, 0, 5, right_atanh},
	{"asinpi", 5, false, "return asinpi(x);", UNIT, 0, 5, right_asinpi},
	{"acospi", 5, false, "return acospi(x);", UNIT, 0, 5, right_acospi},
	{"atanpi", 5, false, "return atanpi(x);", ANY, 0, 5, right_atanpi},
	{"cbrt", 6, false, "return cbrt(x);", ANY, 0, 2, right_cbrt},
	{"ceil", 6, false, "return ceil(x);", ANY, 0, 0, right_ceil},
	{"copysign", 6, false, "return copysign(x, b);", ANY, -1, 0,
		right_copysign},
	{"fabs", 6, false, "return fabs(x);", ANY, 0, 0, right_fabs},
	{"fdim", 6, false, "return fdim(x, b);", ANY, -1, 0, right_fdim},
	{"floor", 6, false, "return floor(x);", ANY, 0, 0, right_floor},
	{"fma", 6, false, "return fma(x, x, b);", ANY, 1.5, 0, right_fma},
	{"fmod", 6, false, "return fmod(x, b);", ANY, 0.75, 0, right_fmod},
	{"atan2", 7, false, "return atan2(x, b);", ANY, 1.5, 6, right_atan2},
	{"atan2pi", 7, false, "return atan2pi(x, b);", ANY, 1.5, 6,
		right_atan2pi},
	{"sinpi", 7, false, "return sinpi(x);", ANY, 0, 4, right_sinpi},
	{"cospi", 7, false, "return cospi(x);", ANY, 0, 4, right_cospi},
	{"tanpi", 7, false, "return tanpi(x);", -0.25, 0.5, 0, 6, right_tanpi},
	{"sincos", 7, false, "T t, y = sincos(x, &t); return y + t;", 0.25, 1,
		0, 4.5, right_sincos},
	{"log1p", 8, false, "return log1p(x);", -0.5, 8, 0, 2, right_log1p},
	{"logb", 8, false, "return logb(x);", ABOVE, 0, 0, right_logb},
	{"modf", 8, false, "T t, y = modf(x, &t); return y - t;", ANY, 0, 0,
		right_modf},
	{"lgamma", 8, false, "return lgamma(x);", 3, 8, 0, UNBOUNDED,
		right_lgamma},
	{"remainder", 8, false, "return remainder(x, b);", ANY, 0.75, 0,
		right_remainder},
	{"rint", 8, false, "return rint(x);", ANY, 0, 0, right_rint},
	{"round", 8, false, "return round(x);", ANY, 0, 0, right_round},
	{"trunc", 8, false, "return trunc(x);", ANY, 0, 0, right_trunc},
	{"erfc", 9, false, "return erfc(x);", -2, 4, 0, 16, right_erfc},
	{"erf", 9, false, "return erf(x);", -2, 4, 0, 16, right_erf},
	{"expm1", 9, false, "return expm1(x);", ANY, 0, 3, right_expm1},
	{"nextafter", 9, false, "return nextafter(x, b) - x;", ABOVE, 100, 0,
		right_nextafter},
	{"pown", 9, false, "return pown(x, k);", ABOVE, 0, 16, right_pown},
	{"powr", 9, true, "return powr(x, b);", ABOVE, 1.75, 16, right_powr},
	{"remquo", 9, false, "T y = remquo(x, b, &k); return y + TO_T(k);", ANY,
		0.75, 0, right_remquo},
	{"rootn", 9, false, "return rootn(x, k);", ABOVE, 0, 16, right_rootn},
	{"tgamma", 9, false, "return tgamma(x);", ABOVE, 0, 16, right_tgamma},
};

const size_t math_n_functions =
	sizeof(math_functions) / sizeof(math_functions[0]);
