// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import Descriptors
import Glibc
import Wording

/// Reports the daemon's condition to systemd. Each report is one datagram to `$NOTIFY_SOCKET`, as
/// sd_notify(3) describes.
///
/// Without `$NOTIFY_SOCKET`, the methods do nothing.
struct ServiceManager: Sendable {
    /// The longest time between two calls of ``alive()``, or nil if systemd does not wait for them.
    let watchdogInterval: Duration?
    private let address: UnixAddress?

    /// The time to wait if systemd is too busy to read a message.
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)
    /// The maximum length of a status, in bytes.
    private static let maximumStatus = 512

    /// An error that describes a failed report or an invalid variable.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Reads the variables that systemd sets.
    ///
    /// - Parameters:
    ///   - environment: The environment, with `NOTIFY_SOCKET` (a path, or `@` and an abstract
    ///     name), `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - processID: The id of this process. A watchdog that waits for another process is ignored.
    /// - Throws: ``Failure`` if one of the variables is invalid.
    init(environment: [String: String], processID: Int32) throws {
        address = try environment["NOTIFY_SOCKET"].map(Self.address)
        guard address != nil, let text = environment["WATCHDOG_USEC"],
            environment["WATCHDOG_PID"].map({ $0 == String(processID) }) ?? true
        else {
            watchdogInterval = nil
            return
        }
        guard let microseconds = Int64(text), microseconds > 0 else {
            throw Failure(description: "WATCHDOG_USEC is '\(text)', which is no number of microseconds")
        }
        watchdogInterval = .microseconds(microseconds)
    }

    private static func address(_ name: String) throws -> UnixAddress {
        let named: UnixAddress? =
            switch name.first {
            case "/": UnixAddress(path: name)
            case "@": UnixAddress(abstract: name.dropFirst())
            default: nil
            }
        guard let named else {
            throw Failure(description: "NOTIFY_SOCKET is '\(name)', which is no path of a socket, and no abstract one")
        }
        return named
    }

    /// Reports that the daemon serves, so that units that wait for it can start.
    func ready(_ status: String) throws { try send("READY=1\nSTATUS=\(Self.line(status))") }

    /// Reports the daemon's status, for `systemctl status`.
    func status(_ status: String) throws { try send("STATUS=\(Self.line(status))") }

    /// Reports that the daemon makes progress.
    func alive() throws { try send("WATCHDOG=1") }

    /// Reports that the daemon was asked to end and is stopping.
    func stopping() throws { try send("STOPPING=1\nSTATUS=Stopping") }

    /// Returns one line of limited length. A newline would begin another assignment.
    private static func line(_ text: String) -> String {
        String(decoding: VisibleText.replacing(text) { _ in " " }.utf8.prefix(maximumStatus), as: UTF8.self)
    }

    private func send(_ message: String) throws {
        guard let address else { return }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw Self.failure(errno) }
        defer { close(descriptor) }
        var patience = Self.patience
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout.size(ofValue: patience)))
        let bytes = Array(message.utf8)
        let sent = address.send(bytes, from: descriptor, flags: Int32(MSG_NOSIGNAL))
        guard sent == bytes.count else { throw Self.failure(errno) }
    }

    private static func failure(_ code: Int32) -> Failure {
        Failure(description: "systemd cannot be told (\(SystemMessage.text(code, in: .english)))")
    }
}
