# SPDX-License-Identifier: Apache-2.0
"""Terminals: the directory that a shell is in, the line that is half typed, and tmux's windows
(Documentation/Terminals.md)."""

from terminals.adapter import Terminals

__all__ = ["Terminals"]
