# SPDX-License-Identifier: Apache-2.0
"""A hostile device for one-laptop-hostile in Documentation/Lab.md. It sends what L2CAP forbids, on Bumble's controller and
links."""
