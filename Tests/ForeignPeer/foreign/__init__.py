# SPDX-License-Identifier: Apache-2.0
"""A device of a circle in Python, written from Documentation/Protocol and Documentation/SimulatedRadio.md alone: nothing is shared with Baton."""
