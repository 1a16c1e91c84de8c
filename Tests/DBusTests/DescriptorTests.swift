// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import DBus
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct DescriptorTests {
    @Test("A descriptor arrives, can be used, and is closed once")
    func descriptorsPass() async throws {
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            let pipe = Pipe()
            let sent = OwnedDescriptor(adopting: dup(pipe.fileHandleForWriting.fileDescriptor))
            let back = try await client.echo(.unixFD(sent), at: server)
            let received = try #require(back?.descriptorValue)
            let number = try #require(received.take())
            #expect(received.take() == nil)
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            let file = FileHandle(fileDescriptor: number, closeOnDealloc: true)
            try file.write(contentsOf: Data("hello".utf8))
            #expect(try pipe.fileHandleForReading.read(upToCount: 5) == Data("hello".utf8))
            sent.close()
            #expect(sent.take() == nil)
        }
    }

    @Test("The last reference or close() closes a descriptor, but not after take()")
    func descriptorsAreClosedOnce() throws {
        let pipe = Pipe()
        let before = try descriptors(like: pipe)
        var owned: OwnedDescriptor? = OwnedDescriptor(adopting: dup(pipe.fileHandleForWriting.fileDescriptor))
        owned?.close()
        owned?.close()
        #expect(owned?.take() == nil)
        #expect(try descriptors(like: pipe) == before)
        owned = OwnedDescriptor(adopting: dup(pipe.fileHandleForWriting.fileDescriptor))
        #expect(try descriptors(like: pipe) == before + 1)
        owned = nil
        #expect(try descriptors(like: pipe) == before)
        owned = OwnedDescriptor(adopting: dup(pipe.fileHandleForWriting.fileDescriptor))
        let taken = try #require(owned?.take())
        owned = nil
        #expect(try descriptors(like: pipe) == before + 1)
        close(taken)
    }

    @Test("Descriptors in refused, unexpected or unread messages do not leak")
    func descriptorsDoNotLeak() async throws {
        let pipe = Pipe()
        let before = try descriptors(like: pipe)
        try await withPair { server, client in
            try server.export(DBusObject(interfaces: [echo]), at: path)
            let unread = try await client.signals(
                matching: DBusMatch(sender: server.uniqueName, interface: interface), buffer: 2)
            for _ in 0..<20 {
                let sent = OwnedDescriptor(adopting: dup(pipe.fileHandleForWriting.fileDescriptor))
                let value = DBusValue.unixFD(sent)
                _ = try await client.echo(value, at: server)
                #expect(
                    await errorName {
                        try await client.call(
                            destination: server.uniqueName, path: path, interface: interface, member: "Nothing",
                            arguments: [value])
                    } == DBusError.invalidArguments)
                // The message turns out to be invalid after its descriptor has been appended.
                _ = await errorName {
                    try await client.call(
                        destination: server.uniqueName, path: path, interface: interface, member: "Nothing",
                        arguments: [value, .string("\0")])
                }
                try server.emit(
                    path: path, interface: interface, member: "Signal", arguments: [value],
                    destination: client.uniqueName)
                try server.emit(
                    path: path, interface: "org.batonproject.Unwanted", member: "Signal", arguments: [value],
                    destination: client.uniqueName)
            }
            // The reply comes after the signals that were sent before it.
            _ = try await client.echo(.byte(1), at: server)
            withExtendedLifetime(unread) {}
        }
        #expect(try descriptors(like: pipe) == before)
    }

    /// The test runs in a separate process, so that the descriptors of other tests do not count.
    @Test("Closed connections leave no descriptor")
    func connectionsDoNotLeakDescriptors() async {
        await #expect(processExitsWith: .success) {
            try await PrivateBus.with { bus in
                let before = try #require(openDescriptorCount())
                for _ in 0..<200 {
                    let connection = try await DBusConnection.open(address: bus.address)
                    connection.close()
                    for await _ in connection.disconnected {}
                }
                let after = try #require(openDescriptorCount())
                // Each connection has two descriptors.
                precondition(after < before + 20)
            }
        }
    }

    /// Returns how many descriptors of this process are ends of this pipe.
    private func descriptors(like pipe: Pipe) throws -> Int {
        let files = FileManager.default
        let own = try files.destinationOfSymbolicLink(
            atPath: "/proc/self/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        return try files.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
            (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == own
        }
    }
}
