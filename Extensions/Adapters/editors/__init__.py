# SPDX-License-Identifier: Apache-2.0
"""Text editors: which file, where in it, and what is not saved. Their plugins speak JSON lines to a
socket (Documentation/Editors.md)."""

from editors.adapter import Editors

__all__ = ["Editors"]
