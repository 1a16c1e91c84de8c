// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Foundation
import Glibc
import Synchronization

/// A fake logind with one seat on a test's bus. It has the parts of logind that the session watch
/// uses.
final class FakeLogind: Sendable {
    /// A session of the test's own user or of another.
    struct Session: Sendable {
        var name: String
        var isOwn = true
        var kind = "user"

        var path: String { "/org/freedesktop/login1/session/\(name)" }
    }

    private struct State: Sendable {
        var user: String?
        var display: Session?
        var foreground: Session?
        var isLocked = false
    }

    private static let name = "org.freedesktop.login1"
    private static let root = "/org/freedesktop/login1"
    private static let seat = "/org/freedesktop/login1/seat/seat0"
    private static let none = DBusValue.structure([.string(""), .objectPath("/")])

    let connection: DBusConnection
    private let state = Mutex(State())
    /// The number of delay locks that are held.
    private let heldLocks = Watched(0)

    /// Takes logind's bus name at once. No user is logged in.
    ///
    /// - Parameter sessions: All sessions of the test.
    init(bus address: String, sessions: [Session]) async throws {
        connection = try await .open(address: address)
        func export(_ path: String, _ interface: String, _ methods: [DBusMethod] = [], _ properties: [DBusProperty])
            throws
        {
            try connection.export(
                DBusObject(interfaces: [
                    DBusInterface("\(Self.name).\(interface)", methods: methods, properties: properties)
                ]), at: path)
        }
        let seats = DBusMethod("ListSeats", outputs: [DBusArgument("seats", "a(so)")]) { _ in
            [.array(elementSignature: "(so)", [.structure([.string("seat0"), .objectPath(Self.seat)])])]
        }
        let inhibit = DBusMethod(
            "Inhibit",
            inputs: ["what", "who", "why", "mode"].map { DBusArgument($0, "s") }, outputs: [DBusArgument("lock", "h")]
        ) { [weak self] call in
            guard call.arguments.first?.stringValue == "sleep", call.arguments.last?.stringValue == "delay" else {
                throw DBusError(name: "org.freedesktop.DBus.Error.InvalidArgs", message: "not a lock that delays sleep")
            }
            let pipe = Pipe()
            self?.watch(pipe.fileHandleForReading)
            return [.unixFD(OwnedDescriptor(adopting: dup(pipe.fileHandleForWriting.fileDescriptor)))]
        }
        try export(Self.root, "Manager", [seats, inhibit], [])
        try export(
            Self.seat, "Seat", [],
            [
                DBusProperty("ActiveSession", "(so)") { [weak self] in
                    self?.state.withLock { Self.pair($0.foreground) } ?? Self.none
                }
            ])
        try export(
            "\(Self.root)/user/self", "User", [],
            [
                DBusProperty("State", "s") { [weak self] in .string(self?.state.withLock { $0.user } ?? "offline") },
                DBusProperty("Display", "(so)") { [weak self] in
                    self?.state.withLock { Self.pair($0.display) } ?? Self.none
                },
            ])
        for session in sessions {
            let user = geteuid() + (session.isOwn ? 0 : 1)
            try export(
                session.path, "Session", [],
                [
                    DBusProperty("User", "(uo)") {
                        .structure([.uint32(user), .objectPath("\(Self.root)/user/_\(user)")])
                    },
                    DBusProperty("Class", "s") { .string(session.kind) },
                    DBusProperty("LockedHint", "b") { [weak self] in
                        .bool(self?.state.withLock { $0.isLocked } ?? false)
                    },
                ])
        }
        _ = try await connection.requestName(Self.name)
    }

    private static func pair(_ session: Session?) -> DBusValue {
        session.map { .structure([.string($0.name), .objectPath($0.path)]) } ?? none
    }

    /// Changes the state and the session of the test's own user.
    func user(_ user: String?, display: Session?) throws {
        state.withLock { ($0.user, $0.display) = (user, display) }
        try tell("\(Self.root)/user/_\(geteuid())", "User", ["State": .string(user ?? "offline")])
    }

    /// Brings another session to the foreground.
    func foreground(_ session: Session?) throws {
        state.withLock { $0.foreground = session }
        try tell(Self.seat, "Seat", ["ActiveSession": Self.pair(session)])
    }

    /// Counts a delay lock until it is released, which the end of its pipe shows.
    private func watch(_ lock: FileHandle) {
        heldLocks.change { $0 += 1 }
        Task { [heldLocks] in
            _ = try? await lock.allUpcoming()
            heldLocks.change { $0 -= 1 }
        }
    }

    /// Waits until a lock delays sleep, or until none does.
    func sleepBecomes(delayed isDelayed: Bool) async throws {
        try await heldLocks.wait("sleep is delayed: \(isDelayed)") { ($0 > 0) == isDelayed ? () : nil }
    }

    /// Announces that the machine is about to sleep, or is awake again.
    func prepareForSleep(_ isAboutToSleep: Bool) throws {
        try connection.emit(
            path: Self.root, interface: "\(Self.name).Manager", member: "PrepareForSleep",
            arguments: [.bool(isAboutToSleep)])
    }

    /// Locks or unlocks the screen.
    func lock(_ isLocked: Bool) throws {
        let path = state.withLock { state in
            state.isLocked = isLocked
            return state.display?.path ?? Self.root
        }
        try tell(path, "Session", ["LockedHint": .bool(isLocked)])
    }

    private func tell(_ path: String, _ interface: String, _ changed: [String: DBusValue]) throws {
        try connection.emit(
            path: path, interface: "org.freedesktop.DBus.Properties", member: "PropertiesChanged",
            arguments: [.string("\(Self.name).\(interface)"), .properties(changed), .strings([])])
    }
}
