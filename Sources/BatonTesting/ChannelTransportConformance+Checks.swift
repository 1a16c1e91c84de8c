// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

extension ChannelTransportConformance {
    /// The number of bytes that checks of long transfers send.
    var bulk: Int { 1 << 20 }

    func fail(_ check: Check, _ detail: String) -> ConformanceFailure {
        ConformanceFailure(check: check.rawValue, detail: detail)
    }

    /// Returns bytes that depend on their position, so that a check notices lost, repeated and
    /// swapped bytes.
    static func pattern(_ count: Int, seed: UInt8 = 0) -> [UInt8] {
        var state = UInt32(seed) &+ 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    static func total(_ bytes: [UInt8]) -> ByteCollector.Total {
        var total = ByteCollector.Total()
        total.add(bytes)
        return total
    }

    /// Dials an endpoint. The channel gets a collector at the end of its pipeline.
    func dial(_ ends: Ends, _ endpoint: Endpoint) async throws -> CollectedChannel {
        let collector = ByteCollector()
        let channel = try await ends.dialling.connect(to: endpoint, timeout: connectLimit) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(CollectingHandler(collector))
            }
        }
        return CollectedChannel(channel: channel, collector: collector)
    }

    /// Throws unless a collector receives exactly these bytes.
    func expect(_ collector: ByteCollector, _ bytes: [UInt8], _ check: Check, _ what: String) async throws {
        let total = await collector.wait(forCount: bytes.count)
        let expected = Self.total(bytes)
        guard total.count == expected.count, total.checksum == expected.checksum else {
            throw fail(
                check, "\(what): \(total.count) bytes of \(expected.count), closed: \(total.isClosed), or other bytes")
        }
    }

    func echoes(_ check: Check, _ ends: Ends, sizes: [Int]) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        let client = try await dial(ends, server.endpoint)
        var sent: [UInt8] = []
        for (index, size) in sizes.enumerated() {
            let bytes = Self.pattern(size, seed: UInt8(truncatingIfNeeded: index))
            sent += bytes
            try await client.write(bytes)
            try await expect(client.collector, sent, check, "echo of \(size) bytes")
        }
        try? await client.channel.close()
        await server.close()
    }

    func bothDirectionsAtOnce(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: false)
        let client = try await dial(ends, server.endpoint)
        let (accepted, peer) = try await server.next(check.rawValue)
        guard peer.transport == ends.listening.kind, peer.port == 0 else {
            throw fail(check, "the accepted channel is said to come from \(peer)")
        }
        let there = Self.pattern(bulk, seed: 1)
        let back = Self.pattern(bulk, seed: 2)
        async let wroteThere: Void = client.write(there)
        async let wroteBack: Void = accepted.write(back)
        _ = try await (wroteThere, wroteBack)
        try await expect(accepted.collector, there, check, "to the listener")
        try await expect(client.collector, back, check, "to the dialler")
        try? await client.channel.close()
        await server.close()
    }

    func manySmallWrites(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: false)
        let client = try await dial(ends, server.endpoint)
        let (accepted, _) = try await server.next(check.rawValue)
        let bytes = Self.pattern(20_000)
        for start in stride(from: 0, to: bytes.count, by: 10) {
            client.channel.write(ByteBuffer(bytes: bytes[start..<start + 10]), promise: nil)
            if start.isMultiple(of: 1_000) { client.channel.flush() }
        }
        client.channel.flush()
        try await expect(accepted.collector, bytes, check, "2,000 writes of 10 bytes")
        try? await client.channel.close()
        await server.close()
    }

    func slowReaderLosesNothing(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: false)
        let client = try await dial(ends, server.endpoint)
        let (accepted, _) = try await server.next(check.rawValue)
        // The first bytes show that the channel works. Then the reader stops until the writer has
        // handed over all its bytes.
        let bytes = Self.pattern(bulk)
        try await client.write(Array(bytes.prefix(10)))
        _ = await accepted.collector.wait(forCount: 10)
        try await accepted.channel.setOption(.autoRead, value: false).get()
        let written: EventLoopFuture<Void> = client.channel.writeAndFlush(ByteBuffer(bytes: bytes.dropFirst(10)))
        for _ in 0..<8 {
            // Read once at a time. After each read, let the event loop do other work.
            accepted.channel.read()
            try await accepted.channel.eventLoop.submit {}.get()
        }
        try await accepted.channel.setOption(.autoRead, value: true).get()
        try await written.get()
        try await expect(accepted.collector, bytes, check, "after the reader's pause")
        try? await client.channel.close()
        await server.close()
    }

    func closeIsSeenByThePeer(_ check: Check, _ ends: Ends) async throws {
        let server = try await ConformanceServer.listen(ends.listening, check.rawValue, echoes: true)
        for closesHere in [true, false] {
            let client = try await dial(ends, server.endpoint)
            let (accepted, _) = try await server.next(check.rawValue)
            try await client.write([1, 2, 3])
            _ = await client.collector.wait(forCount: 3)
            try await (closesHere ? client : accepted).channel.close().get()
            _ = await (closesHere ? accepted : client).collector.waitForClose()
            try? await client.channel.close()
        }
        await server.close()
    }
}
