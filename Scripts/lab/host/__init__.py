# SPDX-License-Identifier: Apache-2.0
"""The radio lab, seen from the host: a kernel, an initramfs, and virtual machines that run the scenarios."""


class LabError(Exception):
    """The lab could not run: that is a failure, with one line that says why."""
