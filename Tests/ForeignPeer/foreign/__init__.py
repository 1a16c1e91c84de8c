# SPDX-License-Identifier: Apache-2.0
"""A device of a circle in Python. It shares no code with Baton.

This package is written from Documentation/Protocol and Documentation/SimulatedRadio.md alone."""
