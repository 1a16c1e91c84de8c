# SPDX-License-Identifier: Apache-2.0
"""What Benchmarks/run is made of: a module for each part, and what the parts share."""
