# SPDX-License-Identifier: Apache-2.0
"""The host's side of the radio lab: a kernel, an initramfs, and virtual machines that run the scenarios."""


class LabError(Exception):
    """The lab could not run, which counts as a failure. The message is one line."""
