// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import NIOCore

extension RadioConformance {
    private func fail(_ check: Check, _ detail: String) -> ConformanceFailure {
        ConformanceFailure(check: check.rawValue, detail: detail)
    }

    /// Returns a random payload, which no other check, run or program advertises.
    private func fresh() -> [UInt8] { (0..<24).map { _ in UInt8.random(in: 0...255) } }

    private func start(_ pair: Pair) async throws {
        try await pair.first.start()
        try await pair.second.start()
    }

    /// Waits for an event of a radio. A radio's events can have only one consumer, so a check must
    /// not wait twice at the same time.
    private func first(
        _ check: Check, _ what: String, of radio: any Radio, in limit: Duration,
        where isWanted: @escaping @Sendable (RadioEvent) throws -> Bool
    ) async throws -> RadioEvent {
        let events = radio.events()
        return try await within(limit, check.rawValue, what) {
            for await event in events where try isWanted(event) { return event }
            throw ConformanceFailure(check: check.rawValue, detail: "\(what): the events ended")
        }
    }

    private func sight(_ check: Check, _ payload: [UInt8], by radio: any Radio) async throws -> Sighting {
        let event = try await first(check, "sighting an advertisement", of: radio, in: limits.sighted) { event in
            if case .sighted(let sighting) = event { sighting.payload == payload } else { false }
        }
        guard case .sighted(let sighting) = event else { throw fail(check, "not a sighting") }
        return sighting
    }

    func sightsExactBytes(_ check: Check, _ pair: Pair) async throws {
        try await start(pair)
        let payload = fresh()
        try await pair.first.advertise(payload)
        let sighting = try await sight(check, payload, by: pair.second)
        guard (1...128).contains(sighting.address.utf8.count) else {
            throw fail(check, "an address of \(sighting.address.utf8.count) bytes")
        }
        guard (-127...20).contains(sighting.signal ?? 0) else {
            throw fail(check, "a signal of \(sighting.signal ?? 0) dBm")
        }
    }

    func sightsReplacement(_ check: Check, _ pair: Pair) async throws {
        try await start(pair)
        for payload in [fresh(), fresh(), Array(fresh().prefix(20))] {
            try await pair.first.advertise(payload)
            _ = try await sight(check, payload, by: pair.second)
        }
    }

    func silenceIsLost(_ check: Check, _ pair: Pair) async throws {
        try await start(pair)
        let payload = fresh()
        try await pair.first.advertise(payload)
        let address = try await sight(check, payload, by: pair.second).address
        try await pair.first.advertise(nil)
        _ = try await first(check, "losing a silent peer", of: pair.second, in: limits.lost) {
            $0 == .lost(address: address)
        }
    }

    func tooLongIsRefused(_ check: Check, _ pair: Pair) async throws {
        try await pair.first.start()
        let payload = fresh()
        try await pair.first.advertise(payload)
        do {
            try await pair.first.advertise(payload + [0])
            throw fail(check, "25 bytes were taken")
        } catch let error as TransportError {
            guard error.code == .invalidArgument else { throw fail(check, "threw \(error.code): \(error)") }
        }
        // Start the other radio only now, because it must also hear an advertisement that began
        // earlier.
        try await pair.second.start()
        _ = try await sight(check, payload, by: pair.second)
    }

    func bothAdvertise(_ check: Check, _ pair: Pair) async throws {
        try await start(pair)
        let payloads = (fresh(), fresh())
        try await pair.first.advertise(payloads.0)
        try await pair.second.advertise(payloads.1)
        _ = try await sight(check, payloads.0, by: pair.second)
        _ = try await sight(check, payloads.1, by: pair.first)
    }

    func doesNotSightItself(_ check: Check, _ pair: Pair) async throws {
        try await start(pair)
        let own = fresh()
        try await pair.first.advertise(own)
        // The other radio's sighting shows that the advertisement is on the air. Until then the
        // first radio must not have reported its own advertisement.
        _ = try await sight(check, own, by: pair.second)
        // Change the other radio's advertisement, because an unchanged advertisement need not be
        // reported twice.
        for _ in 0..<3 {
            let other = fresh()
            try await pair.second.advertise(other)
            _ = try await first(check, "sighting the other", of: pair.first, in: limits.sighted) { event in
                guard case .sighted(let sighting) = event else { return false }
                if sighting.payload == own {
                    throw ConformanceFailure(check: check.rawValue, detail: "the radio sighted itself")
                }
                return sighting.payload == other
            }
        }
    }

    func advertisesWhatWasAskedBefore(_ check: Check, _ pair: Pair) async throws {
        let payload = fresh()
        try await pair.first.advertise(payload)
        try await start(pair)
        _ = try await sight(check, payload, by: pair.second)
    }

    func stopEndsEvents(_ check: Check, _ pair: Pair) async throws {
        try await start(pair)
        let events = pair.second.events()
        await pair.second.stop()
        try await within(limits.sighted, check.rawValue, "the end of the events") {
            for await _ in events {}
        }
    }

    /// Returns two radios that hear each other, with a channel between them.
    private func connect(_ check: Check, _ pair: Pair) async throws -> (ConformanceServer, CollectedChannel, Endpoint) {
        try await start(pair)
        let server = try await ConformanceServer.listen(pair.first, check.rawValue, echoes: true)
        guard (0x80...0xFF).contains(server.endpoint.port) else {
            throw fail(check, "the PSM is \(server.endpoint.port), not 0x80 to 0xFF")
        }
        let payload = fresh()
        try await pair.first.advertise(payload)
        var endpoint = server.endpoint
        endpoint.address = try await sight(check, payload, by: pair.second).address
        let collector = ByteCollector()
        let target = endpoint
        let channel = try await within(limits.connected, check.rawValue, "connecting to \(target)") {
            try await pair.second.connect(to: target, timeout: limits.connected) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(CollectingHandler(collector))
                }
            }
        }
        return (server, CollectedChannel(channel: channel, collector: collector), endpoint)
    }

    func channelThroughPSM(_ check: Check, _ pair: Pair) async throws {
        let (server, client, _) = try await connect(check, pair)
        let bytes = ChannelTransportConformance.pattern(10_000)
        try await client.write(bytes)
        let total = try await within(limits.connected, check.rawValue, "an echo") {
            await client.collector.wait(forCount: bytes.count)
        }
        guard total == ChannelTransportConformance.total(bytes) else { throw fail(check, "the echo differs") }
        let (_, peer) = try await within(limits.connected, check.rawValue, "accepting") {
            try await server.next(check.rawValue)
        }
        guard peer.transport == pair.first.kind, !peer.address.isEmpty, peer.port == 0 else {
            throw fail(check, "the accepted channel is said to come from \(peer)")
        }
        try? await client.channel.close()
        await server.close()
    }

    func disconnectClosesChannels(_ check: Check, _ pair: Pair) async throws {
        let (server, client, endpoint) = try await connect(check, pair)
        let (accepted, _) = try await within(limits.connected, check.rawValue, "accepting") {
            try await server.next(check.rawValue)
        }
        await pair.second.disconnect(endpoint)
        try await within(limits.connected, check.rawValue, "the end of the channels") {
            _ = await client.collector.waitForClose()
            _ = await accepted.collector.waitForClose()
        }
        await server.close()
    }
}
