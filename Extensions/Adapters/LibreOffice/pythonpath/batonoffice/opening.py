# SPDX-License-Identifier: Apache-2.0
"""Opens documents that arrive from another laptop. A document and its sender are not trusted: no macro runs, no link is
updated, and nothing is loaded from the network."""

from __future__ import annotations

from . import documents, gates, paths, places
from .documents import argument

NEVER = 0  # com.sun.star.document.MacroExecMode.NEVER_EXECUTE
NO_UPDATE = 0  # com.sun.star.document.UpdateDocMode.NO_UPDATE
INFORMATION = 0  # com.sun.star.frame.InfobarType.INFO
INFOBAR = "org.batonproject.Office"


class Opener:
    """Opens documents, and keeps this LibreOffice off the network while one of them is open."""

    def __init__(self, context, desktop):
        self.context, self.desktop = context, desktop
        self.arrived = []  # documents from another laptop, and paths of those that are being opened
        # The open documents whose unsaved contents stay here. LibreOffice puts pictures of this computer into an RTF
        # text that names them, and would write these pictures with the text.
        self.staying = []
        self.gates = []

    def open(self, message: dict):
        """Opens a document, unless it is open already, and shows it at its place. Raises an exception if the document
        cannot be opened."""
        path = paths.heard(message)
        document = None if message["isCopy"] else self._shown(path)
        if document is None:
            document = self._load(path, message)
        self._show(document, message)

    def closed(self, document):
        """Called when a document was closed."""
        for each in (self.arrived, self.staying):
            if document in each:
                each.remove(document)

    def _shown(self, path: str):
        """Returns the open document of a file, or None."""
        components = self.desktop.Components.createEnumeration()
        while components.hasMoreElements():
            each = components.nextElement()
            if documents.path(getattr(each, "URL", "") or "") == path and getattr(each, "CurrentController", None):
                return each
        return None

    def _load(self, path: str, message: dict):
        self.gates = self.gates or gates.close(self.context, self.arrived)
        interaction = self.context.ServiceManager.createInstanceWithContext("com.sun.star.task.InteractionHandler", self.context)
        arguments = [argument("MacroExecutionMode", NEVER), argument("UpdateDocMode", NO_UPDATE), argument("InteractionHandler", interaction)]
        if message["isCopy"]:
            # Open it as a document without a file, so that saving it asks where.
            arguments += [argument("AsTemplate", True), argument("DocumentTitle", message["name"]),
                          argument("SuggestedSaveAsName", message["name"])]
        if message.get("isReadOnly"):  # otherwise LibreOffice would ask, and open nothing until somebody answers
            arguments.append(argument("ReadOnly", True))
        self.arrived.append(path)  # the gates are closed from now on
        try:
            document = self.desktop.loadComponentFromURL(documents.address(path), "_default", 0, tuple(arguments))
            if document is None:
                raise OSError("LibreOffice did not open it")
            self.arrived.append(document)
            if documents.is_rtf(path):
                self.staying.append(document)
        finally:
            self.arrived.remove(path)
        if message["isCopy"]:
            document.setModified(message["isUnsaved"])
        return document

    def _show(self, document, message: dict):
        kind, window = documents.kind(document), document.CurrentController.Frame.ContainerWindow
        window.setVisible(True)
        window.toFront()
        window.setFocus()
        if kind is not None and message["place"]:
            places.go(document, kind, message["place"])
        bars = document.CurrentController
        if message["note"] and hasattr(bars, "appendInfobar"):  # from LibreOffice 7.0 on
            if bars.hasInfobar(INFOBAR):
                bars.removeInfobar(INFOBAR)
            bars.appendInfobar(INFOBAR, "", message["note"], INFORMATION, (), True)
