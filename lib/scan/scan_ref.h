/* SPDX-License-Identifier: MIT
 * The scan as plain C, for tests and the benchmark. */
#ifndef XLI_SCAN_REF_H
#define XLI_SCAN_REF_H

#include <crosslane/scan.h>

/* Scans n elements on the host, one after another, as `desc` says; in == out is
 * fine. An unknown type or operator writes nothing. */
void xli_scan_reference(const xl_scan_desc *desc, size_t n, const void *in, void *out);

#endif
