// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import Descriptors
import Foundation
import Glibc
import NIOCore
import Testing

@testable import SimulatedTransport

@Suite(.timeLimit(.minutes(5)))
struct SocketDirectoryTests {
    private let air: TemporaryAir

    init() throws { air = try TemporaryAir() }

    /// Makes a datagram socket of another program. Without a path the socket has no name.
    private func rawSocket(boundTo path: String? = nil) throws -> CInt {
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        try #require(descriptor >= 0)
        if let path {
            let address = try #require(UnixAddress(path: path))
            try #require(address.bind(descriptor) == 0)
        }
        return descriptor
    }

    private func send(_ bytes: [UInt8], from descriptor: CInt, to path: String, flags: CInt = 0) throws -> Int {
        let address = try #require(UnixAddress(path: path))
        return address.send(bytes, from: descriptor, flags: flags)
    }

    @Test("The directory is made with mode 0700, and a file, a link or a directory that others can write to is refused")
    func unsafeDirectoriesAreRefused() async throws {
        let made = SimulatedRadio(directory: "\(air.path)/new", address: "one")
        try await made.start()
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(air.path)/new")
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        await made.stop()
        try air.write("", to: "file")
        try FileManager.default.createSymbolicLink(atPath: "\(air.path)/link", withDestinationPath: "\(air.path)/new")
        try #require(mkdir("\(air.path)/open", 0o700) == 0 && chmod("\(air.path)/open", 0o770) == 0)
        for name in ["file", "link", "open", "missing/new"] {
            let radio = SimulatedRadio(directory: "\(air.path)/\(name)", address: "one")
            let error = await #expect(throws: TransportError.self, "\(name)") { try await radio.start() }
            #expect(error?.message.contains(air.path) == true)
            #expect(error?.message.contains("; name another") == true, "\(String(describing: error))")
            await radio.stop()
        }
    }

    @Test("A directory that others may only read is accepted, because connections are trusted no more than the radio")
    func readableDirectoryIsTaken() async throws {
        try #require(chmod(air.path, 0o755) == 0)
        let radio = SimulatedRadio(directory: air.path, address: "one")
        try await radio.start()
        #expect(SimulatedAir(directory: air.path).addresses() == ["one"])
        await radio.stop()
    }

    @Test("A directory that makes socket paths longer than 107 bytes is refused with advice")
    func longPathsAreRefused() async throws {
        let room = 107 - 1 - 3 - SocketDirectory.maximumSuffixLength - air.path.utf8.count - 1
        for (count, fits) in [(room, true), (room + 1, false)] {
            let directory = "\(air.path)/" + String(repeating: "d", count: count)
            let radio = SimulatedRadio(directory: directory, address: "one")
            if fits {
                try await radio.start()
                let listener = try await radio.listen { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
                await listener.close()
            } else {
                let error = await #expect(throws: TransportError.self) { try await radio.start() }
                #expect(error?.message.contains("choose a shorter directory") == true)
                #expect(!FileManager.default.fileExists(atPath: directory), "it is not made")
            }
            await radio.stop()
        }
    }

    @Test("Two radios cannot have the same address")
    func addressInUse() async throws {
        let first = SimulatedRadio(directory: air.path, address: "one")
        try await first.start()
        let second = SimulatedRadio(directory: air.path, address: "one")
        let error = await #expect(throws: TransportError.self) { try await second.start() }
        #expect(error?.code == .resourceExhausted)
        await second.stop()
        #expect(SimulatedAir(directory: air.path).addresses() == ["one"])
        await first.stop()
        #expect(SimulatedAir(directory: air.path).addresses().isEmpty)
    }

    @Test("A starting radio removes only the sockets of dead radios, including those at its own address")
    func staleSocketsAreRemoved() async throws {
        for name in ["dead.air", "dead.128", "dead.d1", "one.air", "one.129"] {
            Glibc.close(try rawSocket(boundTo: "\(air.path)/\(name)"))
        }
        try air.write("mine", to: "notes.txt")
        let other = SimulatedRadio(directory: air.path, address: "other")
        try await other.start()
        let radio = SimulatedRadio(directory: air.path, address: "one")
        try await radio.start()
        let names = try FileManager.default.contentsOfDirectory(atPath: air.path).sorted()
        #expect(names == ["lock", "notes.txt", "one.air", "other.air"])
        await radio.stop()
        await other.stop()
    }

    @Test("Hostile datagrams, of any size and from any sender, are not heard and do no harm")
    func hostileDatagramsAreIgnored() async throws {
        let radio = SimulatedRadio(directory: air.path, address: "one", clock: ManualClock())
        try await radio.start()
        let target = "\(air.path)/one.air"
        let good = AirDatagram.encode([7])
        let nameless = try rawSocket()
        let stranger = try rawSocket(boundTo: "\(air.path)/stranger.sock")
        let hidden = try rawSocket(boundTo: "\(air.path)/a.b.air")
        let peer = try rawSocket(boundTo: "\(air.path)/peer.air")
        defer { for descriptor in [nameless, stranger, hidden, peer] { Glibc.close(descriptor) } }
        for sender in [nameless, stranger, hidden] { #expect(try send(good, from: sender, to: target) == good.count) }
        for size in [0, 1, 5, 31, 1_000, 100_000] {
            let noise = [UInt8](repeating: 0x42, count: size)
            #expect(try send(noise, from: peer, to: target) == size)
        }
        #expect(try send(good, from: peer, to: target) == good.count)
        let event = await next(radio.events()) { if case .status = $0 { false } else { true } }
        #expect(event == .sighted(Sighting(address: "peer", payload: [7], signal: -50)))
        await radio.stop()
    }

    @Test("A flood is drained in bounded steps, and others are still heard")
    func floodIsBounded() async throws {
        let radio = SimulatedRadio(directory: air.path, address: "one", clock: ManualClock())
        try await radio.start()
        let target = "\(air.path)/one.air"
        let flooder = try rawSocket(boundTo: "\(air.path)/flooder.air")
        let peer = try rawSocket(boundTo: "\(air.path)/peer.air")
        defer { for descriptor in [flooder, peer] { Glibc.close(descriptor) } }
        let noise = [UInt8](repeating: 0xFF, count: 2_000)
        // Each send waits until the radio has read enough. The test's threads must not wait for
        // that.
        Thread.detachNewThread {
            for _ in 0..<20_000 { _ = try? send(noise, from: flooder, to: target) }
            _ = try? send(AirDatagram.encode([3]), from: peer, to: target)
        }
        let event = await next(radio.events()) { if case .status = $0 { false } else { true } }
        #expect(event == .sighted(Sighting(address: "peer", payload: [3], signal: -50)))
        await radio.stop()
    }

    @Test("A stopped radio has closed what it opened")
    func stopClosesDescriptors() async throws {
        let radio = SimulatedRadio(directory: air.path, address: "one")
        try await radio.start()
        _ = try await radio.listen { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        await radio.stop()
        #expect(try FileManager.default.contentsOfDirectory(atPath: air.path) == ["lock"])
        let error = await #expect(throws: TransportError.self) { try await radio.start() }
        #expect(error?.code == .radioUnavailable)
    }
}
