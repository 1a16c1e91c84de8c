# SPDX-License-Identifier: Apache-2.0
"""Channels of Channel.md over sockets: knock, TLS 1.3, then the frames of Session.md."""

import datetime
import os
import socket
import time

from cryptography import x509
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from OpenSSL import SSL, crypto

from . import knock
from .frames import frame, length, opened
from .primitives import Broken, Refused, same

LIMIT = 30  # seconds that any step may take


def self_signed(private) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "device")])
    begin = datetime.datetime(2020, 1, 1)
    return x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(private.public_key()) \
        .serial_number(1).not_valid_before(begin).not_valid_after(datetime.datetime(2120, 1, 1)).sign(private, SHA256())


def certificate_key(certificate: crypto.X509) -> bytes:
    return certificate.get_pubkey().to_cryptography_key().public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint)


class Channel:
    """One channel. Frames are sent and received as (kind, message)."""

    def __init__(self, stream: socket.socket, identity):
        self.socket = stream
        self.socket.settimeout(LIMIT)
        self.received = b""
        context = SSL.Context(SSL.TLS_METHOD)
        context.set_min_proto_version(SSL.TLS1_3_VERSION)
        # The knock has identified the peer. The certificate must have that device's key.
        context.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, lambda *_: True)
        context.use_privatekey(crypto.PKey.from_cryptography_key(identity.certificate))
        context.use_certificate(crypto.X509.from_cryptography(self_signed(identity.certificate)))
        context.set_alpn_protos([b"baton/1"])
        context.set_alpn_select_callback(
            lambda _, offered: b"baton/1" if b"baton/1" in offered else SSL.NO_OVERLAPPING_PROTOCOLS)
        context.set_session_cache_mode(SSL.SESS_CACHE_OFF)
        self.tls = SSL.Connection(context, None)

    @classmethod
    def dial(cls, stream, transport: str, key: bytes, identity, expects) -> "Channel":
        """Opens a channel as the initiator. `expects` judges the certificate's key."""
        channel = cls(stream, identity)
        try:
            channel._initiate(transport, key, expects)
        except BaseException:
            stream.close()
            raise
        return channel

    def _initiate(self, transport: str, key: bytes, expects):
        self.tls.set_connect_state()
        hello = self._step()
        if transport == "l2cap":
            self._write(b"\0")
        responder, initiator = self._exactly(16), os.urandom(16)
        self._write(knock.knock(key, transport, responder, initiator, hello))
        knock_tag = knock.tag(key, transport, responder, initiator, hello)
        if not same(self._exactly(16), knock.answer(key, responder, initiator, knock_tag)):
            raise Refused("a wrong answer")
        began = b""
        while not knock.check_server_hello(began):
            began += self._some()
        self._handshake(began)
        self._judge(expects)

    @classmethod
    def accept(cls, stream, transport: str, candidates: dict, identity) -> "Channel":
        """Opens the responder's side. `candidates` has the certificate key that each knock key
        requires.

        Afterwards `peer` is the certificate key of the device that dialled."""
        channel = cls(stream, identity)
        try:
            channel._respond(transport, candidates)
        except BaseException:
            stream.close()
            raise
        return channel

    def _respond(self, transport: str, candidates: dict):
        self.tls.set_accept_state()
        responder = os.urandom(16)
        self._write(responder)
        if transport == "l2cap":
            self._exactly(1)
        head = self._exactly(34)
        key, answer, hello = knock.open_knock(
            head + self._exactly(knock.length(head)), transport, responder, candidates)
        self._write(answer)
        self._handshake(hello)
        self._judge(lambda seen: seen == candidates[key])

    def send(self, kind: int, message: bytes):
        self.tls.sendall(frame(kind, message))
        self._flush()

    def receive(self):
        """Returns the next frame of a known kind, or None at the end of the channel."""
        while True:
            head = self._plain(4)
            if head is None:
                return None
            body = self._plain(length(head))
            if body is None:
                return None
            message = opened(body)
            if message is not None:
                return message

    def close(self):
        try:
            self.tls.shutdown()
            self._flush()
        except (SSL.Error, Refused):
            pass
        self.socket.close()

    def _judge(self, expects):
        self.peer = certificate_key(self.tls.get_peer_certificate())
        if self.tls.get_alpn_proto_negotiated() != b"baton/1" or not expects(self.peer):
            self.close()
            raise Refused("another certificate than the knock's device has")

    def _step(self) -> bytes:
        """Continues the handshake. Returns what TLS wants to send."""
        try:
            self.tls.do_handshake()
            self.shaken = True
        except SSL.WantReadError:
            self.shaken = False
        return self._outgoing()

    def _handshake(self, began: bytes):
        self.tls.bio_write(began)
        while True:
            self._write(self._step())
            if self.shaken:
                return
            self.tls.bio_write(self._some())

    def _outgoing(self) -> bytes:
        output = b""
        while True:
            try:
                output += self.tls.bio_read(65_536)
            except SSL.WantReadError:
                return output

    def _flush(self):
        self._write(self._outgoing())

    def _write(self, data: bytes):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Broken("the channel was closed") from error

    def _some(self) -> bytes:
        try:
            data = self.received or self.socket.recv(65_536)
        except ConnectionResetError as error:
            raise Broken("the channel was closed") from error
        self.received = b""
        if not data:
            raise Broken("the channel was closed")
        return data

    def _exactly(self, count: int) -> bytes:
        """Reads bytes before TLS. The bytes after them stay for TLS."""
        data = b""
        limit = time.monotonic() + LIMIT
        while len(data) < count:
            if time.monotonic() > limit:
                raise Broken("nothing came in time")
            data += self._some()
        self.received = data[count:]
        return data[:count]

    def _plain(self, count: int):
        data = b""
        while len(data) < count:
            try:
                data += self.tls.recv(count - len(data))
            except SSL.WantReadError:
                self._flush()
                try:
                    self.tls.bio_write(self._some())
                except Refused:
                    return None
            except (SSL.ZeroReturnError, SSL.SysCallError):
                return None
        return data

