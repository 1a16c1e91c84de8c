// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import DBus

/// What the user's systemd says of one service, from before it is started.
///
/// Source: org.freedesktop.systemd1(5).
struct UnitNews: Sendable {
    private enum Event: Sendable {
        case changed([String: DBusValue])
        case removed
    }

    private let events: AsyncStream<Event>
    /// Kept, for the signals come as long as somebody has them.
    private let subscriptions: [DBusSubscription]

    private static let systemd = "org.freedesktop.systemd1"
    private static let path = "/org/freedesktop/systemd1"

    /// Follows a unit, which need not be there yet.
    static func follow(_ unit: String, on bus: DBusConnection) async throws -> UnitNews {
        let (events, event) = AsyncStream.makeStream(of: Event.self)
        let changed = DBusMatch(
            sender: systemd, path: objectPath(of: unit), interface: "org.freedesktop.DBus.Properties",
            member: "PropertiesChanged", arguments: [0: "org.freedesktop.systemd1.Service"])
        let removed = DBusMatch(
            sender: systemd, path: path, interface: "org.freedesktop.systemd1.Manager", member: "UnitRemoved",
            arguments: [0: unit])
        // Queued by the connection's own thread, in the order in which they came.
        let subscriptions = [
            try await bus.onSignal(matching: changed) { signal in
                event.yield(.changed(signal.arguments.dropFirst().first?.propertiesValue ?? [:]))
            },
            try await bus.onSignal(matching: removed) { _ in event.yield(.removed) },
        ]
        return UnitNews(events: events, subscriptions: subscriptions)
    }

    /// How the service ends, with all of its processes; at most one element.
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
        let journal = "see: journalctl --user -u \(unit)"
        return switch result {
        case "success": .withAll(unit: unit)
        case "exit-code": .failed("ended with status \(status); \(journal)")
        case "signal", "core-dump": .failed("was ended by signal \(status); \(journal)")
        default: .failed("failed (\(result)); \(journal)")
        }
    }

    /// Where a unit has its object: its name, escaped as sd_bus_path_encode(3) does.
    static func objectPath(of unit: String) -> String {
        let label = unit.utf8.enumerated().map { index, byte -> String in
            let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) && byte < 0x80
            guard isLetter || isDigit && index > 0 else {
                return "_" + byte.hexadecimal()
            }
            return String(UnicodeScalar(byte))
        }
        return path + "/unit/" + label.joined()
    }
}
