# SPDX-License-Identifier: Apache-2.0
"""Documentation/SimulatedRadio.md: the radio on Unix sockets."""

import pathlib
import socket
import threading
import time

from .hearing import Hearing


class Radio(Hearing):
    """Hears and sends advertisements, and dials and accepts channels."""

    def __init__(self, directory, address: str):
        super().__init__()
        self.directory, self.address = pathlib.Path(directory), address
        self.payload = None
        self.dialled = 0
        self.air = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.air.bind(str(self.directory / f"{address}.air"))
        self.air.settimeout(0.05)
        self.stopping = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def advertise(self, payload):
        """Advertises the value of the manufacturer data. With None it advertises nothing."""
        self.payload = payload

    def dial(self, address: str, psm: int) -> socket.socket:
        stream = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        stream.settimeout(10)
        self.dialled += 1
        name = self.directory / f"{self.address}.d{self.dialled}"
        stream.bind(str(name))
        try:
            stream.connect(str(self.directory / f"{address}.{psm}"))
        finally:
            name.unlink()
        if stream.recv(1) != b"\x06":
            raise ConnectionError("the other radio does not let this one in")
        return stream

    def listen(self, psm: int) -> socket.socket:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(str(self.directory / f"{self.address}.{psm}"))
        listener.listen()
        return listener

    @staticmethod
    def accept(listener: socket.socket) -> socket.socket:
        stream, _ = listener.accept()
        stream.sendall(b"\x06")
        return stream

    def close(self):
        self.stopping = True
        self.thread.join()
        self.air.close()
        for path in self.directory.glob(f"{self.address}.*"):
            path.unlink(missing_ok=True)

    def _run(self):
        told = 0.0
        while not self.stopping:
            if self.payload is not None and time.monotonic() - told >= 0.1:
                told = time.monotonic()
                self._tell(b"Bair\x01" + bytes([len(self.payload)]) + self.payload)
            try:
                datagram, sender = self.air.recvfrom(64)
            except TimeoutError:
                continue
            name = pathlib.Path(sender or "").name
            if name.endswith(".air") and len(datagram) >= 6 and datagram[:5] == b"Bair\x01" \
                    and datagram[5] == len(datagram) - 6 <= 24:
                with self.changed:
                    self.heard[name[:-4]] = datagram[6:]
                    self.changed.notify_all()

    def _tell(self, datagram: bytes):
        for path in self.directory.glob("*.air"):
            if path.name != f"{self.address}.air":
                try:
                    self.air.sendto(datagram, socket.MSG_DONTWAIT, str(path))
                except OSError:
                    pass  # the receiver has gone, or its queue is full. The advertisement is lost, as on the air.
