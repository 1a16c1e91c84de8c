# SPDX-License-Identifier: Apache-2.0
"""Office apps: which document the user works on, the place in it, and the unsaved contents. LibreOffice's extension
exchanges JSON lines with this service over a socket (Documentation/Office.md)."""

from office.adapter import Office

__all__ = ["Office"]
