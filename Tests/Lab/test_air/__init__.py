# SPDX-License-Identifier: Apache-2.0
"""Tests the lab's air without machines, against formulas of the Core Specification and against measurements of a real link layer.

    Scripts/python-tests --only=test_air Tests/Lab
"""
