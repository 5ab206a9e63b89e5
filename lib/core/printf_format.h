/* SPDX-License-Identifier: MIT
 * What lets a compiler check the texts and arguments of functions like printf(). */
#ifndef XLI_PRINTF_FORMAT_H
#define XLI_PRINTF_FORMAT_H

/* MinGW's own word for C11's formats; with the other one it checks against those of a Windows
 * runtime without %zu (CMakeLists.txt asks it for functions that know C11's). */
#if defined(__MINGW32__) && !defined(__clang__)
#define XLI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define XLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define XLI_PRINTF(text, first)
#endif

#endif
