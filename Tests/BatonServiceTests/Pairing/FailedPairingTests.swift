// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import Diagnosis
import NIOCore
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests.CircleLane {
    /// Tests pairings that fail on either side: the reported reasons, and that nothing is left
    /// behind.
    struct FailedPairingTests {
        @Test(
            "A refusal by one user or both is reported on both sides and leaves nothing behind", arguments: [0, 1, 2])
        func no(who: Int) async throws {
            try await World.withStrangers { anna, berta in
                let before = await (anna.service.circle, berta.service.circle)
                let found = try await Device.bothPair(anna, berta)
                try await anna.service.confirmPairing(found.one.pairing, same: who == 1, client: Device.app)
                try await berta.service.confirmPairing(found.two.pairing, same: who == 0, client: Device.app)
                for (device, pairing) in [(anna, found.one.pairing), (berta, found.two.pairing)] {
                    let error = await #expect(throws: BatonError.self) {
                        try await device.service.paired(pairing, client: Device.app)
                    }
                    #expect(error?.code == .userCancelled)
                    try await device.expectNothingLeft()
                    // The status contains the refusal, so that a program can show it before the
                    // user walks to the other device.
                    let refusal = await device.service.status().pairingRefusal
                    #expect(refusal?.reason == Reason(.pairingWaits, ["wait": .duration(.seconds(60))]))
                }
                #expect(before.0 == nil && before.1 == nil)
            }
        }

        @Test("An address that cannot belong to one device is refused before the pairing begins")
        func addressOfNobody() async throws {
            try await World.withDevice(tcp: true) { anna in
                for host in ["0.0.0.0", "224.0.0.1", "fe80::1"] {
                    let error = await #expect(throws: BatonError.self) {
                        try await anna.service.pair(address: (host, 5), client: Device.app)
                    }
                    #expect(error?.code == .invalidArgument && error?.reason?.failure == .addressUnusable, "\(host)")
                }
                try await anna.expectNothingLeft()
            }
        }

        @Test("If more than two devices pair, none is paired")
        func crowd() async throws {
            try await World.with { world in
                // The clock stands still, because a device that is heard alone for two seconds
                // would be chosen.
                let clock = ManualClock()
                let (anna, berta) = try await world.strangers(clock: clock)
                let eve = try await world.radio("eve")
                let advert = try #require(PairingAdvert(nonce: [0xFF, 1, 2, 3, 4, 5, 6, 7], psm: 0x80))
                let first = Task { try await anna.service.pair(address: nil, client: Device.app) }
                let second = Task { try await berta.service.pair(address: nil, client: Device.app) }
                // A device that has heard too many ends its advertisement, perhaps before another
                // one listens. So each must have heard the other.
                try await anna.until("both have heard each other", after: .radioEvent, .traceLine) {
                    let heard = await (anna.service.pairingHeardCount, berta.service.pairingHeardCount)
                    return heard == (1, 1)
                }
                try await eve.advertise(advert.payload)
                for pairing in [first, second] {
                    let error = await #expect(throws: BatonError.self) { _ = try await pairing.value }
                    #expect(error?.code == .handoffFailed)
                }
                try await anna.expectNothingLeft()
                try await berta.expectNothingLeft()
            }
        }

        @Test(
            "With a man in the middle the digits differ, and a refusal on one side leaves nothing behind on either side"
        )
        func manInTheMiddle() async throws {
            try await World.with { world in
                // The clock stands still, because a device that is heard alone for two seconds
                // would be chosen.
                let clock = ManualClock()
                let (anna, berta) = try await world.strangers(clock: clock)
                let eve = try await world.device("eve", clock: clock)
                let mallory = try await world.device("mallory", clock: clock)
                // One of the attacker's machines waits for anna, and the other dials berta.
                async let a = anna.service.pair(address: nil, client: Device.app)
                async let b = berta.service.pair(address: nil, client: Device.app)
                for device in [anna, berta] { try await device.doorOpens() }
                async let x = eve.service.pair(endpoint: anna.door, client: Device.app)
                async let y = mallory.service.pair(endpoint: berta.door, client: Device.app)
                let (one, two, three, four) = try await (a, b, x, y)
                #expect(one.digits == three.digits && two.digits == four.digits)
                #expect(one.digits != two.digits, "one time in a million they are the same")
                // The attacker confirms on both machines, but the users do not.
                try await eve.service.confirmPairing(three.pairing, same: true, client: Device.app)
                try await mallory.service.confirmPairing(four.pairing, same: true, client: Device.app)
                try await anna.service.confirmPairing(one.pairing, same: false, client: Device.app)
                try await berta.service.confirmPairing(two.pairing, same: false, client: Device.app)
                for (device, pairing) in [(anna, one.pairing), (berta, two.pairing)] {
                    await #expect(throws: BatonError.self) {
                        try await device.service.paired(pairing, client: Device.app)
                    }
                    try await device.expectNothingLeft()
                }
            }
        }

        @Test(
            "After each failure, pairing by digits is refused for longer, but failures before the other side's share do not count"
        )
        func attemptsAreLimited() async throws {
            try await World.withStrangers { anna, berta, clock in
                for pause in PairingLimiter.pauses {
                    async let first = anna.service.pair(address: nil, client: Device.app)
                    try await anna.doorOpens()
                    let found = try await berta.service.pair(endpoint: anna.door, client: Device.app)
                    let mine = try await first
                    try await anna.service.confirmPairing(mine.pairing, same: false, client: Device.app)
                    await #expect(throws: BatonError.self) {
                        try await berta.service.paired(found.pairing, client: Device.app)
                    }
                    await #expect(throws: BatonError.self) {
                        try await anna.service.paired(mine.pairing, client: Device.app)
                    }
                    let minutes = Int(pause / .seconds(60))
                    for device in [anna, berta] {
                        let error = await #expect(throws: BatonError.self) {
                            _ = try await device.service.pair(address: nil, client: Device.app)
                        }
                        #expect(error?.code == .limitReached)
                        #expect(
                            error?.reason == Reason(.pairingWaits, ["wait": .duration(.seconds(60) * minutes)]),
                            "\(String(describing: error))")
                        try await device.expectNothingLeft()
                    }
                    clock.advance(by: pause)
                }
                let task = Task { try await anna.service.pair(address: nil, client: Device.app) }
                try await anna.doorOpens()
                task.cancel()
                _ = try? await task.value
            }
        }

        @Test(
            "Two devices that are both in circles do not pair, both say why, and the attempt does not count as a failure",
            arguments: [true, false])
        func circles(areSame: Bool) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                var other = berta
                if !areSame {
                    other = try await world.device("eve")
                    try await other.service.createCircle(name: "")
                }
                let before = await (anna.service.circle, other.service.circle)
                for round in 0..<6 {
                    let sides = round % 2 == 0 ? (anna, other) : (other, anna)
                    let errors = try await Self.failures(
                        waiting: sides.0, dialling: sides.1, waitingIsFirst: round % 4 < 2)
                    for error in errors {
                        #expect(error?.code == .alreadyInCircle)
                        #expect(error?.reason?.failure == (areSame ? .pairedAlready : .circlesDiffer))
                    }
                }
                #expect(await anna.service.circle == before.0)
                #expect(await other.service.circle == before.1)
            }
        }

        /// Lets both users agree, on one device first. Returns the errors of both devices.
        private static func failures(
            waiting: Device, dialling: Device, waitingIsFirst: Bool
        ) async throws -> [BatonError?] {
            async let first = waiting.service.pair(address: nil, client: Device.app)
            try await waiting.doorOpens()
            async let second = dialling.service.pair(endpoint: waiting.door, client: Device.app)
            var sides = [(waiting, try await first.pairing), (dialling, try await second.pairing)]
            if !waitingIsFirst { sides.reverse() }
            for (device, pairing) in sides {
                try await device.service.confirmPairing(pairing, same: true, client: Device.app)
            }
            var errors: [BatonError?] = []
            for (device, pairing) in sides {
                errors.append(
                    await #expect(throws: BatonError.self) {
                        try await device.service.paired(pairing, client: Device.app)
                    })
                await device.service.pairingEnds()
            }
            return errors
        }

        @Test("When the program that pairs leaves, the pairing ends")
        func clientLeaves() async throws {
            try await World.withStrangers { anna, berta in
                let found = try await Device.bothPair(anna, berta)
                let stranger = ClientID(rawValue: ":1.9")
                let error = await #expect(throws: BatonError.self) {
                    try await anna.service.confirmPairing(found.one.pairing, same: true, client: stranger)
                }
                #expect(error?.code == .notFound)
                await anna.service.clientLeft(Device.app)
                await #expect(throws: BatonError.self) {
                    try await berta.service.paired(found.two.pairing, client: Device.app)
                }
                try await anna.expectNothingLeft()
                try await berta.expectNothingLeft()
                for device in [anna, berta] { await device.service.forgetFailedPairings() }
                // A second pairing at the same time is refused. A later pairing is not refused.
                let again = try await Device.bothPair(anna, berta)
                let busy = await #expect(throws: BatonError.self) {
                    _ = try await anna.service.pair(address: nil, client: stranger)
                }
                #expect(busy?.code == .limitReached)
                #expect(again.one.digits == again.two.digits)
            }
        }

        @Test("While the user is not pairing, the first message of a pairing is treated as a stranger's noise")
        func closedDoor() async throws {
            try await World.with { world in
                let (anna, _) = try await world.reachablePair(clock: SystemClock())
                let eve = try await world.radio("eve")
                let ended = Watched<[UInt8]?>(nil)
                let channel = try await eve.connect(to: anna.door, timeout: .seconds(30)) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(Collector(ended))
                    }
                }
                let opening = Array("baton pair 2".utf8) + [UInt8](repeating: 7, count: 600)
                channel.writeAndFlush(ByteBuffer(bytes: opening), promise: nil)
                let heard = try await ended.wait("the end") { $0 }
                #expect(heard.count == 16, "the nonce, and nothing else")
            }
        }

        private final class Collector: ChannelInboundHandler {
            typealias InboundIn = ByteBuffer
            private let ended: Watched<[UInt8]?>
            private var all: [UInt8] = []
            init(_ ended: Watched<[UInt8]?>) { self.ended = ended }
            func channelRead(context: ChannelHandlerContext, data: NIOAny) {
                all += unwrapInboundIn(data).readableBytesView
            }
            func channelInactive(context: ChannelHandlerContext) {
                ended.change { [all] in $0 = all }
                context.fireChannelInactive()
            }
        }
    }
}
