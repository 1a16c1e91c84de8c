# SPDX-License-Identifier: Apache-2.0
"""Endpoints of a device in hellos, grants of streams and invitations: (transport, address, port)."""

from .primitives import Message, contents, number


def encoded_endpoints(field: int, endpoints) -> bytes:
    return b"".join(contents(field, contents(1, transport) + contents(2, address) + number(3, port))
                    for transport, address, port in endpoints)


def read_endpoints(message: Message, field: int) -> list:
    return [(each.text(1), each.text(2), each.number(3)) for each in message.messages(field)]
