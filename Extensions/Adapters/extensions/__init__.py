# SPDX-License-Identifier: Apache-2.0
"""The adapters' side of plugins and extensions in other programs, which exchange JSON lines with this service over a
socket in the session's directory."""
