// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

/// `org.batonproject.Baton1.Panel`: the state that panels show, as properties that send change
/// signals.
enum PanelInterface: BusInterface {
    static let name = BatonBusName.panel
    /// The properties, with their signatures.
    static let properties = [
        ("State", "s"), ("Reason", "s"), ("PausedUntil", "x"), ("BestOffer", "a{sv}"), ("Withheld", "u"),
    ]
}

/// The state that panels show.
extension BatonBusClient {
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let getAll = BusCall(
        properties, "GetAll", takes: .string("interface"), returns: .values("properties"))

    /// Returns the present state for a panel.
    public func panelStatus() async throws -> PanelStatus { try PanelStatus(bus: try await panelValues()) }

    /// Returns the present state for a panel, then each change. The stream finishes when the bus
    /// disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func panelStatuses() async throws -> AsyncStream<PanelStatus> {
        let changes = try await events(
            of: Self.properties, member: "PropertiesChanged", arguments: [0: BatonBusName.panel]
        ) { signal in signal.arguments.dropFirst().first?.propertiesValue }
        let values = try await panelValues()
        let first = try PanelStatus(bus: values)
        let (stream, continuation) = AsyncStream.makeStream(of: PanelStatus.self, bufferingPolicy: .bufferingNewest(16))
        continuation.yield(first)
        let task = Task { [values] in
            var (values, last) = (values, first)
            for await change in changes {
                values.merge(change) { $1 }
                // Skip a signal that only repeats the last state.
                guard let status = try? PanelStatus(bus: values), status != last else { continue }
                last = status
                continuation.yield(status)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func panelValues() async throws -> [String: DBusValue] { try await call(Self.getAll, BatonBusName.panel) }
}

extension PanelStatus {
    var bus: [String: DBusValue] {
        let until = pausedUntil?.timeIntervalSince1970.rounded(.down)
        return [
            "State": plain(state.rawValue), "Reason": plain(reason),
            "PausedUntil": .int64(until.flatMap { Int64(exactly: $0) } ?? 0),
            "BestOffer": .properties(bestOffer?.bus ?? [:]), "Withheld": .uint32(withheldNumber),
        ]
    }

    init(bus values: [String: DBusValue]) throws {
        let until = values["PausedUntil"]?.integer(as: Int64.self) ?? 0
        let offer =
            try values["BestOffer"].map { try Properties($0).values.isEmpty ? nil : OfferSummary(bus: $0) } ?? nil
        self.init(
            state: State(rawValue: try (values["State"]?.stringValue).orInvalid("State", .string)),
            reason: values["Reason"]?.stringValue ?? "",
            pausedUntil: until > 0 ? Date(timeIntervalSince1970: TimeInterval(until)) : nil, bestOffer: offer,
            withheldNumber: values["Withheld"]?.integer(as: UInt32.self) ?? 0)
    }
}
