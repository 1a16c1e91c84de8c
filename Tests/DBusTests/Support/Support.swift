// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus

let path = "/org/batonproject/Test"
let interface = "org.batonproject.Test1"

/// Runs a closure with a bus and two connections: a server and a client.
func withPair(
    limits: DBusLimits = DBusLimits(),
    _ body: @Sendable (_ server: DBusConnection, _ client: DBusConnection) async throws -> Void
) async throws {
    try await PrivateBus.with { bus in
        let server = try await DBusConnection.open(address: bus.address, limits: limits)
        let client = try await DBusConnection.open(address: bus.address, limits: limits)
        try await body(server, client)
        server.close()
        client.close()
        for await _ in server.disconnected {}
        for await _ in client.disconnected {}
    }
}

/// Runs a closure that must fail with a D-Bus error, and returns the error's name.
func errorName(_ body: () async throws -> Void) async -> String {
    do {
        try await body()
        return "no error"
    } catch let error as DBusError {
        return error.name
    } catch {
        return "\(type(of: error))"
    }
}

/// An interface with a method that returns its argument.
let echo = DBusInterface(
    interface,
    methods: [
        DBusMethod("Echo", inputs: [DBusArgument("value", "v")], outputs: [DBusArgument("value", "v")]) {
            $0.arguments
        },
        DBusMethod("Nothing") { _ in [] },
    ])

extension DBusConnection {
    func echo(_ value: DBusValue, at server: DBusConnection) async throws -> DBusValue? {
        try await call(
            destination: server.uniqueName, path: path, interface: interface, member: "Echo",
            arguments: [.variant(value)]
        ).first?.unwrapped
    }
}

/// A gate that opens once, and then lets all waiting tasks continue.
final class Gate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: Void.self) }

    func open() { continuation.finish() }
    func wait() async { for await _ in stream {} }
}
