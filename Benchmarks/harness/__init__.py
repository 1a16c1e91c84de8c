# SPDX-License-Identifier: Apache-2.0
"""The modules of Benchmarks/run: one for each part, and the code that the parts share."""
