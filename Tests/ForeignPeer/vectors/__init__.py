# SPDX-License-Identifier: Apache-2.0
"""Writes the vectors of Tests/Vectors with the code of the foreign peer, and reads each one back with it."""
