# SPDX-License-Identifier: Apache-2.0
"""A hostile device for Documentation/Lab.md's one-laptop-hostile: what L2CAP forbids, on Bumble's controller and links."""
