// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Testing

/// Tests calls that end without a reply.
@Suite(.timeLimit(.minutes(5)))
struct EndTests {
    /// Returns an object whose only method waits until it is cancelled. `started` opens when a call
    /// has arrived.
    private func waiting(_ started: Gate, cancelled: Gate) -> DBusObject {
        DBusObject(interfaces: [
            DBusInterface(
                interface,
                methods: [
                    DBusMethod("Wait") { _ in
                        started.open()
                        let never = Gate()
                        await never.wait()
                        cancelled.open()
                        throw CancellationError()
                    }
                ])
        ])
    }

    private static func wait(_ client: DBusConnection, _ server: DBusConnection, timeout: Duration) async throws {
        try await client.call(
            destination: server.uniqueName, path: path, interface: interface, member: "Wait", timeout: timeout)
    }

    @Test("A call without a reply times out")
    func aCallWithoutReplyTimesOut() async throws {
        try await withPair { server, client in
            try server.export(waiting(Gate(), cancelled: Gate()), at: path)
            #expect(
                await errorName { try await Self.wait(client, server, timeout: .milliseconds(50)) }
                    == DBusError.noReply)
        }
    }

    @Test("Cancelling a task ends its call")
    func cancellingATaskEndsItsCall() async throws {
        try await withPair { server, client in
            let started = Gate()
            try server.export(waiting(started, cancelled: Gate()), at: path)
            let call = Task { await errorName { try await Self.wait(client, server, timeout: .seconds(50)) } }
            await started.wait()
            call.cancel()
            #expect(await call.value == "CancellationError")
            let early = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await errorName { try await Self.wait(client, server, timeout: .seconds(50)) }
            }
            #expect(await early.value == "CancellationError")
        }
    }

    @Test("Closing fails calls in flight, finishes streams, and cancels handlers")
    func closingEndsEverything() async throws {
        try await withPair { server, client in
            let started = Gate()
            let cancelled = Gate()
            try server.export(waiting(started, cancelled: cancelled), at: path)
            let signals = try await client.signals(matching: DBusMatch(interface: interface))
            let call = Task { await errorName { try await Self.wait(client, server, timeout: .seconds(50)) } }
            await started.wait()
            client.close()
            #expect(await call.value == DBusError.disconnected)
            for await _ in signals {}
            for await reason in client.disconnected { #expect(reason.name == DBusError.disconnected) }
            #expect(client.isClosed)
            #expect(await errorName { try await client.releaseName("a.b") } == DBusError.disconnected)
            #expect(
                await errorName { try client.emit(path: path, interface: interface, member: "S") }
                    == DBusError.disconnected)
            #expect(await errorName { _ = try await client.signals(matching: DBusMatch()) } == DBusError.disconnected)
            server.close()
            await cancelled.wait()
        }
    }

    @Test("A caller that waits for the end of a connection waits until it has ended, although the caller was cancelled")
    func closingIsWaitedFor() async throws {
        try await withPair { _, client in
            for _ in 0..<2 {
                let closing = Task {
                    withUnsafeCurrentTask { $0?.cancel() }
                    await client.closing().value
                    return client.isClosed
                }
                #expect(await closing.value)
            }
        }
    }

    @Test("The handlers of one peer can be cancelled")
    func handlersOfAPeerAreCancelled() async throws {
        try await withPair { server, client in
            let started = Gate()
            let cancelled = Gate()
            try server.export(waiting(started, cancelled: cancelled), at: path)
            let call = Task { await errorName { try await Self.wait(client, server, timeout: .seconds(50)) } }
            await started.wait()
            server.cancelCalls(from: client.uniqueName)
            await cancelled.wait()
            #expect(await call.value == DBusError.failed)
        }
    }

    @Test("When the bus ends, calls fail, streams finish, and the process keeps running")
    func theBusGoes() async throws {
        let bus = try await PrivateBus.start()
        let server = try await DBusConnection.open(address: bus.address)
        let client = try await DBusConnection.open(address: bus.address)
        let started = Gate()
        try server.export(waiting(started, cancelled: Gate()), at: path)
        let signals = try await client.signals(matching: DBusMatch(interface: interface))
        let call = Task { await errorName { try await Self.wait(client, server, timeout: .seconds(50)) } }
        await started.wait()
        let ended = client.disconnected
        await bus.stop()
        #expect(await call.value == DBusError.disconnected)
        for await _ in signals {}
        for await reason in ended { #expect(reason.name == DBusError.disconnected) }
        #expect(await errorName { _ = try await DBusConnection.open(address: bus.address) } != "no error")
    }

    @Test("An unusable address is an error")
    func anUnusableAddressIsAnError() async throws {
        for address in ["", "nonsense", "unix:path=/nonexistent/bus", "unix:path=/a\0b"] {
            #expect(await errorName { _ = try await DBusConnection.open(address: address) } != "no error")
        }
    }

    @Test("The error about an unreachable bus is one line")
    func unusableAddressInOneLine() async throws {
        let long = "unix:path=/" + String(repeating: "a", count: 200)
        let error = await #expect(throws: DBusError.self) { _ = try await DBusConnection.open(address: long) }
        #expect(error?.message.contains("too long") == true && error?.message.contains { $0.isNewline } == false)
    }

    @Test("Calls beyond the limit of pending calls are refused at once")
    func pendingCallsAreLimited() async throws {
        var limits = DBusLimits()
        limits.pendingCalls = 1
        try await expectRefusalOfSecondCall(limits: limits)
    }

    @Test("Calls of one peer beyond the limit of handled calls are refused at once")
    func handledCallsAreLimited() async throws {
        var limits = DBusLimits()
        limits.handledCallsPerPeer = 1
        try await expectRefusalOfSecondCall(limits: limits)
    }

    private func expectRefusalOfSecondCall(limits: DBusLimits) async throws {
        try await withPair(limits: limits) { server, client in
            let started = Gate()
            try server.export(waiting(started, cancelled: Gate()), at: path)
            let call = Task { await errorName { try await Self.wait(client, server, timeout: .seconds(50)) } }
            await started.wait()
            #expect(
                await errorName { try await Self.wait(client, server, timeout: .seconds(50)) }
                    == DBusError.limitsExceeded)
            call.cancel()
            _ = await call.value
        }
    }

    @Test("The number of signal streams is limited")
    func signalStreamsAreLimited() async throws {
        var limits = DBusLimits()
        limits.subscriptions = 1
        try await withPair(limits: limits) { _, client in
            let first = try await client.signals(matching: DBusMatch(interface: interface))
            #expect(
                await errorName { _ = try await client.signals(matching: DBusMatch()) } == DBusError.limitsExceeded)
            withExtendedLifetime(first) {}
        }
    }
}
