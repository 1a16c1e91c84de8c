// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// What panels show.
extension BatonBusClient {
    private static let properties = "org.freedesktop.DBus.Properties"

    /// What a panel is to show now.
    public func panelStatus() async throws -> PanelStatus { try PanelStatus(bus: try await panelValues()) }

    /// What a panel is to show: the present status at once, then each that follows; finishes when
    /// the bus goes.
    ///
    /// Begin anew when the daemon was restarted, as ``daemonPresence()`` tells.
    public func panelStatuses() async throws -> AsyncStream<PanelStatus> {
        let changes: AsyncStream<[String: DBusValue]>
        do {
            changes = try await connection.signals(
                matching: DBusMatch(
                    sender: BatonBusName.bus, path: BatonBusName.path, interface: Self.properties,
                    member: "PropertiesChanged", arguments: [0: BatonBusName.panel])
            ) { signal in signal.arguments.dropFirst().first?.propertiesValue }
        } catch {
            throw BatonError.fromTheBus(error)
        }
        let values = try await panelValues()
        let first = try PanelStatus(bus: values)
        let (stream, continuation) = AsyncStream.makeStream(of: PanelStatus.self, bufferingPolicy: .bufferingNewest(16))
        continuation.yield(first)
        let task = Task { [values] in
            var (values, last) = (values, first)
            for await change in changes {
                values.merge(change) { $1 }
                // A signal may tell what had already been read.
                guard let status = try? PanelStatus(bus: values), status != last else { continue }
                last = status
                continuation.yield(status)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func panelValues() async throws -> [String: DBusValue] {
        let reply = try await call(Self.properties, "GetAll", [.string(BatonBusName.panel)])
        return try (reply.first?.propertiesValue).orInvalid("reply", "properties")
    }
}
