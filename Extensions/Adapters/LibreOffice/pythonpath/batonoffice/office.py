# SPDX-License-Identifier: Apache-2.0
"""Tells the session's adapters which document is in front, hands over its place and unsaved contents, and opens
documents from other laptops. Everything but the reading of lines happens in LibreOffice's main thread."""

from __future__ import annotations

import os
import sys

import unohelper
from com.sun.star.awt import XCallback
from com.sun.star.document import XDocumentEventListener
from com.sun.star.frame import XTerminateListener

from . import documents, lines, paths, places
from .opening import Opener

VERSION = 1  # the version of the protocol at the socket
# The events that matter. LibreOffice sends many other events.
FRONT, CHANGED, GONE = "OnFocus", ("OnModifyChanged", "OnSaveDone", "OnSaveAsDone", "OnTitleChanged"), "OnUnload"


class Office(unohelper.Base, XDocumentEventListener, XTerminateListener):
    """Reports this LibreOffice's document in front to the adapters, and carries out what they ask for."""

    def __init__(self, context):
        self.context, services = context, context.ServiceManager
        self.desktop = services.createInstanceWithContext("com.sun.star.frame.Desktop", context)
        self.callbacks = services.createInstanceWithContext("com.sun.star.awt.AsyncCallback", context)
        self.opener = Opener(context, self.desktop)
        self.front, self.told = None, None  # the document that was in front last, and what the adapters know of it
        self.line = lines.Line({"version": VERSION, "office": "LibreOffice"}, lambda message: self._later(self._heard, message),
                               lambda: self._later(self._connected))

    def begin(self):
        broadcaster = self.context.getValueByName("/singletons/com.sun.star.frame.theGlobalEventBroadcaster")
        broadcaster.addDocumentEventListener(self)
        self.desktop.addTerminateListener(self)
        self.line.connect()

    # --- What LibreOffice tells

    def documentEventOccured(self, event):
        if event.EventName == GONE:
            self.opener.closed(event.Source)
        if event.EventName == FRONT:
            self.front, self.told = event.Source, None
            self.line.connect()
            self._tell()
        elif event.Source == self.front and event.EventName in CHANGED:
            self._tell()
        elif event.Source == self.front and event.EventName == GONE:
            self.front = None
            self._tell()

    def queryTermination(self, event):
        pass

    def notifyTermination(self, event):
        self.line.close()

    def disposing(self, source):
        pass

    # --- Lines to and from the adapters

    def _tell(self):
        state = self._state()
        if state != self.told:
            self.told = state
            self.line.send({"state": state})

    def _state(self) -> dict | None:
        found = documents.describe(self.front) if self.front else None
        return found and {**paths.said(found.pop("path")), **found}

    def _connected(self):
        self.told = None
        if self.front:
            self._tell()

    def _heard(self, message: dict):
        if "ask" in message:
            self.line.send({"answer": message["ask"], "state": self._answer(message)})
        elif "open" in message:
            self._open(message)

    def _answer(self, message: dict) -> dict | None:
        state = self._state()
        if state is None:
            return None
        state["place"] = _tried(places.of, self.front, state["kind"])
        if state["unsaved"] and not documents.has_password(self.front) and self.front not in self.opener.staying:
            state["sent"] = _tried(self._write, message) is True
        return state

    def _write(self, message: dict) -> bool:
        path = documents.path(self.front.URL)
        if path and os.path.exists(path) and os.path.getsize(path) > message["limit"]:
            return False  # writing it would keep LibreOffice busy for seconds
        with self.line.open(message["text"], os.O_RDWR, "r+b") as file:
            documents.write(self.front, file, message["limit"])
            # For some links, such as those to SVG, LibreOffice writes the picture that it shows, so another laptop
            # could get pictures of this computer in its document.
            stays = self.front in self.opener.arrived and documents.has_links(file)
            if stays:
                file.truncate(0)
        return not stays

    def _open(self, message: dict):
        try:
            self.opener.open(message)
        except Exception as error:  # noqa: BLE001: of UNO or Python; the other laptop waits
            self.line.send({"failed": message["open"], "why": f"{type(error).__name__}: {error}"[:1000]})
            if not self.desktop.Components.hasElements():
                self.desktop.terminate()
        else:
            self.line.send({"opened": message["open"]})

    def _later(self, call, *arguments):
        """Calls a function in the main thread."""
        self.callbacks.addCallback(Call(call, arguments), None)


class Call(unohelper.Base, XCallback):
    """A call that LibreOffice makes in its main thread."""

    def __init__(self, call, arguments: tuple):
        self.call, self.arguments = call, arguments

    def notify(self, _):
        _tried(self.call, *self.arguments)


def _tried(call, *arguments):
    """Returns a call's result, or None if it fails. The failure is printed to LibreOffice's own output."""
    try:
        return call(*arguments)
    except Exception as error:  # noqa: BLE001: of UNO or Python
        print(f"Baton: {type(error).__name__}: {error}", file=sys.stderr)
        return None
