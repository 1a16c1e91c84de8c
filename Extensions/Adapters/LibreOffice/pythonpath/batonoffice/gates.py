# SPDX-License-Identifier: Apache-2.0
"""Gates between LibreOffice and the network. The gates are closed while a document from another laptop is open."""

from __future__ import annotations

import unohelper
from com.sun.star.lang import XServiceInfo, XSingleComponentFactory
from com.sun.star.media import XManager
from com.sun.star.ucb import IllegalIdentifierException, XContentProvider

from . import media

# Address schemes whose contents are on this computer. All others have a gate, also ".*" for the schemes that no other
# provider has. With libreoffice-gnome, that provider is GIO, which mounts shares of servers.
LOCAL = ("file", "private", "vnd.sun.star.pkg", "vnd.sun.star.zip", "vnd.sun.star.hier", "vnd.sun.star.help", "vnd.sun.star.tdoc",
         "vnd.sun.star.expand", "vnd.sun.star.extension", "vnd.libreoffice.image")
# Services that play sounds and videos. They load an address by themselves, without its scheme's provider.
PLAYERS = "com.sun.star.comp.avmedia.Manager_"
# This service brings GTK 4, which must not be loaded beside GTK 3.
GTK4 = PLAYERS + "Gtk"


def close(context, arrived: list) -> list:
    """Puts a gate in front of every content provider and player that may use the network, and returns the gates. The
    gates let nothing through while `arrived` has entries."""
    services = context.ServiceManager
    broker = services.createInstanceWithContext("com.sun.star.ucb.UniversalContentBroker", context)
    gates = [Gate(broker, each, arrived) for each in broker.queryContentProviders() if each.Scheme not in LOCAL]
    for service in filter(lambda name: name.startswith(PLAYERS), services.AvailableServiceNames):
        gates += [PlayerGate(context, service, name, arrived) for name in _implementations(services, service)]
    return gates


def _implementations(services, service: str) -> list:
    """Returns the names of a service's implementations."""
    found, each = [], services.createContentEnumeration(service)
    while each.hasMoreElements():
        found.append(each.nextElement().ImplementationName)
    return found


class Gate(unohelper.Base, XContentProvider):
    """A provider in front of LibreOffice's own provider of an address scheme."""

    def __init__(self, broker, info, arrived: list):
        self.arrived, self.provider = arrived, info.ContentProvider
        broker.registerContentProvider(self, info.Scheme, True)

    def queryContent(self, identifier):
        if self.arrived or self.provider is None:
            raise IllegalIdentifierException("a document from another laptop is open", self)
        return self.provider.queryContent(identifier)

    def compareContentIds(self, one, other):
        return self.provider.compareContentIds(one, other) if self.provider else 0


class PlayerGate(unohelper.Base, XSingleComponentFactory, XServiceInfo, XManager):
    """A factory in place of LibreOffice's own factory of players, and the manager that it makes. While a document that
    arrived is open, only files whose contents are audio or video play."""

    def __init__(self, context, service: str, name: str, arrived: list):
        self.service, self.name, self.arrived = service, name, arrived
        # LibreOffice's own factory cannot be used once it is replaced.
        self.manager = None if service == GTK4 else context.ServiceManager.createInstanceWithContext(service, context)
        context.ServiceManager.remove(name)
        context.ServiceManager.insert(self)

    def createPlayer(self, address):
        is_allowed = not self.arrived or media.is_file_with_media(address)
        return self.manager.createPlayer(address) if self.manager and is_allowed else None

    def createInstanceWithContext(self, context):
        return self

    def createInstanceWithArgumentsAndContext(self, arguments, context):
        return self

    def getImplementationName(self):
        return self.name

    def supportsService(self, name):
        return name == self.service

    def getSupportedServiceNames(self):
        return (self.service,)
