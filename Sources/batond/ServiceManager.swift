// SPDX-License-Identifier: GPL-3.0-or-later

import ActivityModel
import Descriptors
import Glibc

/// Tells systemd the condition of the daemon: one datagram to `$NOTIFY_SOCKET` for each piece of
/// news, as sd_notify(3) says.
///
/// Without `$NOTIFY_SOCKET` nobody wants to know, and nothing happens.
struct ServiceManager: Sendable {
    /// Within which time each ``alive()`` must follow the one before; nil when nobody waits for it.
    let watchdogInterval: Duration?
    private let address: UnixAddress?

    /// How long a message may take where systemd is too busy to read it.
    private static let patience = timeval(tv_sec: 5, tv_usec: 0)
    /// What is told of the state, at most, in bytes.
    private static let maximumStatus = 512

    /// What could not be told, and why.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameters:
    ///   - environment: Has `NOTIFY_SOCKET` (a path, or `@` and an abstract name), `WATCHDOG_USEC`
    ///     and `WATCHDOG_PID`.
    ///   - processID: Who asks: a watchdog that waits for another process is none for this one.
    /// - Throws: ``Failure`` when one of the variables makes no sense.
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

    /// The daemon serves; units that wait for it may go on.
    func ready(_ status: String) throws { try send("READY=1\nSTATUS=\(Self.line(status))") }

    /// What the daemon does, for `systemctl status`.
    func status(_ status: String) throws { try send("STATUS=\(Self.line(status))") }

    /// The daemon makes progress.
    func alive() throws { try send("WATCHDOG=1") }

    /// The daemon has been asked to end, and does so.
    func stopping() throws { try send("STOPPING=1\nSTATUS=Stopping") }

    /// One line of a limited length: a newline would begin another assignment.
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
        Failure(description: "systemd cannot be told (\(String(cString: strerror(code))))")
    }
}
