# SPDX-License-Identifier: Apache-2.0
"""The lab's scenarios."""

from .scenario import Scenario

ONE = {"one": "bluez-one.sh"}
TWO = {"first": "bluez-two-first.sh", "second": "bluez-two-second.sh"}

SCENARIOS = [
    Scenario("bluez-one-laptop", ONE),
    Scenario("bluez-two-laptops", TWO),
]
