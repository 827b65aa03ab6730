/*
 * Banned functions, each a compile error: functions without a bound on their output, functions that
 * return errors as valid numbers, and functions that depend on the locale or on hidden state. The
 * sanitizer build includes this file before every source (cmake/flags.cmake); scripts/check-banned
 * finds the same names without a compiler.
 *
 * The headers that declare the functions come first, because the macros would break the
 * declarations. _GNU_SOURCE is set as in the files that need it.
 */
#ifndef BASE_BANNED_H
#define BASE_BANNED_H

#define _GNU_SOURCE
#include <locale.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#define BANNED(function) banned_##function##_see_base_banned_h

/* Output without a bound: use snprintf, or memcpy with a length. */
#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef stpcpy
#define strcpy(...) BANNED(strcpy)
#define strcat(...) BANNED(strcat)
#define strncpy(...) BANNED(strncpy)
#define strncat(...) BANNED(strncat)
#define stpcpy(...) BANNED(stpcpy)
#define sprintf(...) BANNED(sprintf)
#define vsprintf(...) BANNED(vsprintf)
#define gets(...) BANNED(gets)

/* Error values look like numbers, and the decimal point depends on the locale: use
 * base/number.h. */
#define atoi(...) BANNED(atoi)
#define atol(...) BANNED(atol)
#define atoll(...) BANNED(atoll)
#define atof(...) BANNED(atof)
#define strtod(...) BANNED(strtod)
#define strtof(...) BANNED(strtof)
#define strtold(...) BANNED(strtold)
#define scanf(...) BANNED(scanf)
#define sscanf(...) BANNED(sscanf)
#define fscanf(...) BANNED(fscanf)

/* Hidden shared state: use base/random.h, or an explicit argument. */
#define strtok(...) BANNED(strtok)
#define rand(...) BANNED(rand)
#define srand(...) BANNED(srand)
#define random(...) BANNED(random)
#define srandom(...) BANNED(srandom)
#define drand48(...) BANNED(drand48)
#define setlocale(...) BANNED(setlocale)
#define asctime(...) BANNED(asctime)
#define ctime(...) BANNED(ctime)
#define gmtime(...) BANNED(gmtime)
#define localtime(...) BANNED(localtime)

/* Another process can create the name first: use base/file.h. */
#define tmpnam(...) BANNED(tmpnam)
#define tempnam(...) BANNED(tempnam)
#define mktemp(...) BANNED(mktemp)

/* alloca may overrun the stack, longjmp skips cleanup, and system runs a shell. */
#undef alloca
#undef longjmp
#define alloca(...) BANNED(alloca)
#define longjmp(...) BANNED(longjmp)
#define system(...) BANNED(system)
#define popen(...) BANNED(popen)

#endif
