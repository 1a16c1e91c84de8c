# SPDX-License-Identifier: Apache-2.0
"""Mail: the message that the user writes or reads. Thunderbird's extension exchanges JSON lines with this service over
a socket (Documentation/Mail.md)."""

from mail.adapter import Mail

__all__ = ["Mail"]
