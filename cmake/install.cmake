# SPDX-License-Identifier: MIT
# What `cmake --install` puts where: written by the packaging work.
