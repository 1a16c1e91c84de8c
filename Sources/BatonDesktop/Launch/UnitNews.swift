// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DBus
import Diagnosis

/// Follows one service of the systemd user manager, from before its start.
///
/// Source: org.freedesktop.systemd1(5).
struct UnitNews: Sendable {
    private enum Event: Sendable {
        case changed([String: DBusValue])
        case removed
    }

    private let events: AsyncStream<Event>
    /// The subscriptions. Signals arrive only while these objects exist.
    private let subscriptions: [DBusSubscription]

    /// Starts to follow a unit, which need not exist yet.
    static func follow(_ unit: String, on bus: DBusConnection) async throws -> UnitNews {
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        let changed = DBusMatch(
            sender: ProgramStarter.systemd, path: objectPath(of: unit), interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged", arguments: [0: "org.freedesktop.systemd1.Service"])
        let removed = DBusMatch(
            sender: ProgramStarter.systemd, path: ProgramStarter.path, interface: ProgramStarter.manager,
            member: "UnitRemoved", arguments: [0: unit])
        // The connection's own thread queues the signals, in the order of their arrival.
        let subscriptions = [
            try await bus.onSignal(matching: changed) { signal in
                event.yield(.changed(signal.arguments.dropFirst().first?.propertiesValue ?? [:]))
            },
            try await bus.onSignal(matching: removed) { _ in event.yield(.removed) },
        ]
        return UnitNews(events: events, subscriptions: subscriptions)
    }

    /// Yields how the service and all of its processes ended, at most once.
    func ends(of unit: String) -> AsyncStream<ProgramStarter.End> {
        let (ends, end) = AsyncStream.makeStream(of: ProgramStarter.End.self)
        let watch = Task {
            var (result, status) = ("success", Int32(0))
            loop: for await event in events {
                switch event {
                case .changed(let values):
                    result = values["Result"]?.stringValue ?? result
                    status = values["ExecMainStatus"]?.integer(as: Int32.self) ?? status
                case .removed:
                    end.yield(Self.end(of: unit, result, status))
                    break loop
                }
            }
            end.finish()
            withExtendedLifetime(subscriptions) {}
        }
        end.onTermination = { _ in watch.cancel() }
        return ends
    }

    private static func end(of unit: String, _ result: String, _ status: Int32) -> ProgramStarter.End {
        switch result {
        case "success": .withAll(unit: unit)
        case "exit-code": .failed(.exited(status), unit: unit)
        case "signal", "core-dump": .failed(.killed(status), unit: unit)
        case "timeout": .failed(Reason(.serviceLate), unit: unit)
        case "oom-kill": .failed(Reason(.memoryFull), unit: unit)
        default: .failed(Reason(.programFailed, ["result": .text(result)]), unit: unit)
        }
    }

    /// Returns the D-Bus object path of a unit. The unit's name is escaped as in
    /// sd_bus_path_encode(3).
    static func objectPath(of unit: String) -> String {
        let label = unit.utf8.enumerated().map { index, byte -> String in
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
            guard isLetter || isDigit && index > 0 else { return "_" + byte.hexadecimal() }
            return String(UnicodeScalar(byte))
        }
        return ProgramStarter.path + "/unit/" + label.joined()
    }
}
