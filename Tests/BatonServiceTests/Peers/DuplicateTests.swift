// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTesting
import BatonTransport
import SimulatedTransport
import Testing

@testable import BatonService

extension ServiceTests.PeerLane {
    struct DuplicateTests {
        @Test(
            "If two devices dial each other at once, both are served, and one link of each transport remains",
            arguments: [false, true])
        func bothDial(tcp: Bool) async throws {
            try await World.withPair(tcp: tcp) { anna, berta, clock in
                try await anna.publish("hers")
                try await berta.publish("theirs")
                let (one, other) = (try await berta.offer(ofType: "hers"), try await anna.offer(ofType: "theirs"))
                for _ in 0..<10 {
                    try await Device.endLinks(of: anna, berta)
                    // Start another second, because at most 20 knocks are checked in one second.
                    clock.advance(by: .seconds(1))
                    let requests = [
                        Task { try await berta.service.continueOffer(one.offer, timeout: nil, client: Device.app) },
                        Task { try await anna.service.continueOffer(other.offer, timeout: nil, client: Device.app) },
                    ]
                    for (request, device) in zip(requests, [berta, anna]) {
                        let continued = try await request.value
                        try await device.service.accept(continued.continuation, accepted: true, client: Device.app)
                    }
                    // Each side may learn later than the other that a link has ended. So both may
                    // have one link for a moment, but not the same one.
                    try await anna.until("the same link is left of each transport", after: .traceLine) {
                        let (hers, theirs) = (await anna.openLinks, await berta.openLinks)
                        return !hers.isEmpty && hers == theirs && Set(hers.map(\.transport)).count == hers.count
                    }
                    for device in [anna, berta] { await device.service.forgetContinuations() }
                }
            }
        }

        @Test("A request on a link that ends before the answer is repeated on another link")
        func linkEnds() async throws {
            try await World.withPair(clock: ManualClock()) { anna, berta in
                let activity = try await anna.publish("note", needsSave: true)
                let continued = Task { try await berta.continueOffer(ofType: "note") }
                let isAsked: (ClientEvent) -> Bool? = { if case .willSave = $0 { true } else { nil } }
                _ = try await anna.next("willSave", isAsked)
                await berta.service.breakLinks()
                // Anna's app was already asked, and has no newer contents after its answer.
                try await anna.holds(2, of: "savesAwaited")
                try await anna.service.update(activity, needsSave: false, client: Device.app) { $0 }
                #expect(try await continued.value.activity.activityType == "note")
            }
        }

        @Test("A device whose link breaks before its hello is dialled again")
        func linkBreaksBeforeHello() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                try await anna.publish("note")
                let offer = try await berta.offer(ofType: "note")
                try await Device.endLinks(of: berta)
                var slow = AirConditions()
                slow.channelDelay = 1_000
                try world.air.set(slow)
                let continued = Task {
                    try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                }
                try await berta.until("the other device has proved itself", after: .traceLine) {
                    await berta.service.counts["openLinks"] != 0
                }
                await berta.service.breakLinks()
                world.air.clear()
                #expect(try await continued.value.activity.activityType == "note")
            }
        }
    }
}

/// What both sides of a link know about it.
private struct OpenLink: Hashable {
    var transport: TransportKind
    var dialler: DeviceID
}

extension Device {
    /// The links, including draining ones, in an order that is the same on both sides.
    fileprivate var openLinks: [OpenLink] {
        get async {
            await service.peers.links.open.map { OpenLink(transport: $0.channel.transport, dialler: $0.dialler) }
                .sorted { ($0.transport.rawValue, $0.dialler) < ($1.transport.rawValue, $1.dialler) }
        }
    }

    /// The transports of the links, including draining ones.
    var transports: [String] {
        get async { await service.peers.links.open.map(\.channel.transport.rawValue).sorted() }
    }
}

extension HandoffService {
    /// Breaks every link, as when the devices are out of range.
    func breakLinks() { for link in peers.links.open { link.channel.close() } }

    func forgetContinuations() { continuations = Continuations() }
}
