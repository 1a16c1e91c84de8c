# SPDX-License-Identifier: Apache-2.0
"""The air of the lab, without machines: against formulas of the Core Specification, and against what a real link layer has shown.

    Scripts/python-tests --only=test_air Tests/Lab
"""
