/*
 * Versions of functions of libm that glibc 2.28 has, for wheels. Version 2.29 added others, which
 * compute the same but do not set errno in the old way. Included before every file by scripts/wheel.
 */
#if defined __x86_64__ && defined __GNUC__
__asm__(".symver exp,exp@GLIBC_2.2.5");
__asm__(".symver exp2,exp2@GLIBC_2.2.5");
__asm__(".symver log,log@GLIBC_2.2.5");
__asm__(".symver log2,log2@GLIBC_2.2.5");
__asm__(".symver pow,pow@GLIBC_2.2.5");
#endif
