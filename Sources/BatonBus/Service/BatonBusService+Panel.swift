// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials
internal import Synchronization

/// What panels show: properties, whose changes are told.
extension BatonBusService {
    /// The least time between two signals.
    public static let panelPace = Duration.milliseconds(500)

    var panel: DBusInterface {
        DBusInterface(
            BatonBusName.panel,
            properties: PanelStatus.properties.map { name, signature in
                DBusProperty(name, signature, changes: .told) { [weak self] call in
                    guard let self else {
                        throw DBusError(name: DBusError.unknownObject, message: "batond is stopping")
                    }
                    let value = panelStatus.withLock { $0.bus[name] }
                    return try await answer(call) { _, _, _ in value.map { [$0] } ?? [] }.first.orInvalid(
                        name, signature)
                }
            })
    }

    /// What panels are to show from now on: what differs from before is told in one signal, and
    /// nothing when nothing does.
    public func publish(_ status: PanelStatus) {
        panelStatus.withLock { current in
            let before = current.bus
            current = status
            let changed = status.bus.filter { before[$0.key] != $0.value }
            guard !changed.isEmpty else { return }
            // Within the lock, so that the last signal is the last status.
            try? connection.emitPropertiesChanged(
                path: BatonBusName.path, interface: BatonBusName.panel, changed)
        }
    }

    /// Publishes what a stream says, until it ends or the task is cancelled.
    ///
    /// - Parameters:
    ///   - statuses: Buffers the newest only, so that what comes and goes during a rest is never
    ///     told.
    ///   - rest: Waits after each one that was published.
    public func publish(
        _ statuses: AsyncStream<PanelStatus>,
        rest: @Sendable () async -> Void = { try? await Task.sleep(for: BatonBusService.panelPace) }
    ) async {
        for await status in statuses {
            publish(status)
            await rest()
        }
    }
}

extension PanelStatus {
    static let properties = [
        ("State", "s"), ("Reason", "s"), ("PausedUntil", "x"), ("BestOffer", "a{sv}"), ("Withheld", "u"),
    ]

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
            state: State(rawValue: try (values["State"]?.stringValue).orInvalid("State", "a string")),
            reason: values["Reason"]?.stringValue ?? "",
            pausedUntil: until > 0 ? Date(timeIntervalSince1970: TimeInterval(until)) : nil, bestOffer: offer,
            withheldNumber: values["Withheld"]?.integer(as: UInt32.self) ?? 0)
    }
}
