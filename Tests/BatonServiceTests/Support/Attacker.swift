// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import BatonTransport
import NIOCore
import Testing

@testable import BatonProtocol
@testable import BatonService
@testable import SimulatedTransport

/// An attacker with a recorder and a transmitter. It records all advertisements, sends any bytes,
/// and accepts dials.
final class Attacker: Sendable {
    let radio: SimulatedRadio
    private let heard = Watched<[Sighting]>([])
    private let callers = Watched<[Caller]>([])

    init(_ radio: SimulatedRadio) {
        self.radio = radio
        Task { [heard] in
            for await event in radio.events() {
                guard case .sighted(let sighting) = event else { continue }
                // Record each payload of an address once.
                heard.change { if !$0.contains(sighting) { $0.append(sighting) } }
            }
        }
    }

    /// Returns the first recorded payload of a device that is not among `known`. Waits for it.
    func record(_ device: Device, otherThan known: [[UInt8]] = []) async throws -> [UInt8] {
        try await heard.wait("an advertisement of \(device.radio.address)") { heard in
            heard.first { $0.address == device.radio.address && !known.contains($0.payload) }?.payload
        }
    }

    /// Waits until the attacker has heard the device's current payload. Returns the payload.
    func recordCurrent(_ device: Device) async throws -> [UInt8] {
        let current = try #require(await device.radio.payload)
        return try await heard.wait("the advertisement of \(device.radio.address)") { heard in
            heard.contains { $0.address == device.radio.address && $0.payload == current } ? current : nil
        }
    }

    /// Accepts channels. `answer` returns the handler for each caller.
    func open(_ answer: @escaping @Sendable (Caller) -> any ChannelHandler & Sendable) async throws -> Endpoint {
        let listener = try await radio.listen { [callers] channel, _ in
            channel.eventLoop.makeCompletedFuture {
                let caller = Caller(channel: channel)
                try channel.pipeline.syncOperations.addHandler(answer(caller))
                callers.change { $0.append(caller) }
            }
        }
        // A simulated radio can be dialled only while it advertises.
        if await radio.payload == nil { try await radio.advertise([0]) }
        return try #require(await listener.endpoints().first)
    }

    /// Waits until the caller with an index has connected. Returns the caller.
    func caller(_ index: Int = 0) async throws -> Caller {
        try await callers.wait("caller \(index)") { $0.count > index ? $0[index] : nil }
    }

    var callerCount: Int { callers.value.count }
}

/// A channel that a device has dialled to an attacker, and the bytes that the attacker received.
final class Caller: Sendable {
    /// The received bytes, and whether the channel is closed.
    final class Seen: Sendable {
        private let state = Watched<(bytes: [UInt8], isClosed: Bool)>(([], false))

        func take(_ bytes: [UInt8]) { state.change { $0.bytes += bytes } }
        func end() { state.change { $0.isClosed = true } }

        /// Waits until the other side has closed the channel. Returns all received bytes.
        func toEnd() async throws -> [UInt8] { try await state.wait("an end") { $0.isClosed ? $0.bytes : nil } }

        /// Waits until the received bytes fulfil the condition. Returns all of them.
        func bytes(_ isWanted: ([UInt8]) -> Bool) async throws -> [UInt8] {
            try await state.wait("certain bytes") { isWanted($0.bytes) ? $0.bytes : nil }
        }
    }

    let channel: any Channel
    private let seen = Seen()

    init(channel: any Channel) { self.channel = channel }

    func take(_ bytes: [UInt8]) { seen.take(bytes) }
    func end() { seen.end() }

    /// Waits until the whole knock has arrived. Returns the knock without the bytes that follow it.
    func knock() async throws -> [UInt8] {
        let head = KnockFormat.headByteCount
        func end(_ bytes: [UInt8]) -> Int { head + (Int(bytes[head - 2]) << 8 | Int(bytes[head - 1])) }
        let bytes = try await seen.bytes { $0.count > head && $0.count >= end($0) }
        return Array(bytes[..<end(bytes)])
    }

    /// Waits until the caller has closed the channel. Returns all received bytes.
    func receivedToEnd() async throws -> [UInt8] { try await seen.toEnd() }

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
}

/// Sends a nonce, as a responder does, and records the received bytes.
final class NonceHandler: ChannelInboundHandler, @unchecked Sendable {
    // Sendable because it is used only on its channel's event loop.
    typealias InboundIn = ByteBuffer
    private let caller: Caller
    private let nonce: [UInt8]
    private var hasSpoken = false

    init(_ caller: Caller, nonce: [UInt8]) {
        self.caller = caller
        self.nonce = nonce
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { speak(context) }
    }

    func channelActive(context: ChannelHandlerContext) { speak(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        caller.take(Array(unwrapInboundIn(data).readableBytesView))
    }

    func channelInactive(context: ChannelHandlerContext) { caller.end() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func speak(_ context: ChannelHandlerContext) {
        guard !hasSpoken else { return }
        hasSpoken = true
        context.writeAndFlush(NIOAny(ByteBuffer(bytes: nonce)), promise: nil)
    }
}

extension World {
    func attacker(_ name: String = "mallory") async throws -> Attacker { Attacker(try await radio(name)) }
}

extension Device {
    /// All bytes that would identify this device: ids, keys and names.
    var marks: [[UInt8]] {
        get async {
            let (identity, circle) = await (service.identity, service.circle)
            let short = identity.id.short
            return [
                (0..<4).map { UInt8(truncatingIfNeeded: short >> (24 - 8 * $0)) }, identity.keys.certificateKey,
                identity.keys.signingKey, identity.keys.agreementKey, circle?.id.bytes ?? [],
                Array(radio.address.utf8),
            ].filter { !$0.isEmpty }
        }
    }
}

extension [UInt8] {
    func holds(_ part: [UInt8]) -> Bool {
        guard !part.isEmpty, part.count <= count else { return false }
        return (0...(count - part.count)).contains { self[$0..<($0 + part.count)].elementsEqual(part) }
    }

    /// Returns whether two byte strings share a substring of this length, at any position.
    func shares(_ length: Int, with other: [UInt8]) -> Bool {
        guard count >= length, other.count >= length else { return false }
        let parts = Set((0...(count - length)).map { Array(self[$0..<($0 + length)]) })
        return (0...(other.count - length)).contains { parts.contains(Array(other[$0..<($0 + length)])) }
    }

    static func ^ (one: [UInt8], other: [UInt8]) -> [UInt8] { zip(one, other).map { $0 ^ $1 } }
}

extension Beacon {
    /// The bytes that a beacon encrypts.
    var plaintext: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.plaintextByteCount)
        write(into: &bytes, at: 0)
        return bytes
    }
}
