# SPDX-License-Identifier: Apache-2.0
"""Text editors: which file the user edits, the place in it, and the text that is not saved. The editors' plugins
exchange JSON lines with this service over a socket (Documentation/Editors.md)."""

from editors.adapter import Editors

__all__ = ["Editors"]
