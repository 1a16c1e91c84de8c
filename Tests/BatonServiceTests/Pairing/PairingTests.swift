// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTesting
import BatonTransport
import NIOCore
import Testing

@testable import BatonService
@testable import SimulatedTransport

extension ServiceTests {
    /// Two daemons that pair on the simulated radio, and who would like to have a part in it.
    struct PairingTests {
        static let app = Device.app

        /// Both users run `baton pair` at the same time.
        static func bothPair(
            _ one: Device, _ two: Device
        ) async throws -> (one: (pairing: String, digits: String), two: (pairing: String, digits: String)) {
            async let first = one.service.pair(address: nil, client: app)
            async let second = two.service.pair(address: nil, client: app)
            return try await (first, second)
        }

        @Test("Two devices without a circle pair by radio: the same digits, yes on both, one circle")
        func pairing() async throws {
            try await World.with { world in
                let (anna, berta) = (try await world.device("anna"), try await world.device("berta"))
                let found = try await Self.bothPair(anna, berta)
                #expect(found.one.digits == found.two.digits)
                #expect(await anna.service.circle == nil)
                for device in [anna, berta] { #expect(await device.radio.payload == nil) }
                try await anna.service.confirmPairing(found.one.pairing, same: true, client: Self.app)
                try await berta.service.confirmPairing(found.two.pairing, same: true, client: Self.app)
                async let first: Void = anna.service.paired(found.one.pairing, client: Self.app)
                async let second: Void = berta.service.paired(found.two.pairing, client: Self.app)
                _ = try await (first, second)
                #expect(await anna.memberNames == ["anna", "berta"])
                #expect(await berta.memberNames == ["anna", "berta"])
                for device in [anna, berta] { #expect(await device.radio.payload == nil) }
                try await anna.publish("note")
                _ = try await berta.takeOver("note")
                // And it is kept.
                await berta.service.stop()
                #expect(try await world.device("berta").memberNames == ["anna", "berta"])
            }
        }

        @Test("Whoever has a circle takes the other in, whichever side dials", arguments: [0, 1, 2, 3])
        func joinsACircle(round: Int) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let carla = try await world.device("carla")
                // By address, so that each side has each part.
                _ = (anna, berta)
                let (waiting, dialling) = round % 2 == 0 ? (anna, carla) : (carla, anna)
                try await Self.pairByAddress(waiting: waiting, dialling: dialling, in: world)
                #expect(await carla.memberNames == ["anna", "berta", "carla"])
                #expect(await anna.memberNames == ["anna", "berta", "carla"])
                try await eventually("berta knows carla") { await berta.memberNames.count == 3 }
            }
        }

        /// Pairs over the simulated radio as a device would that was given an address.
        static func pairByAddress(waiting: Device, dialling: Device, in world: World) async throws {
            async let first = waiting.service.pair(address: nil, client: app)
            try await eventually("the door is open") { await waiting.service.channels.pairingDoor.isOpen }
            let endpoint = try await waiting.door
            async let second = dialling.service.pair(endpoint: endpoint, client: app)
            let found = try await (first, second)
            #expect(found.0.digits == found.1.digits)
            try await waiting.service.confirmPairing(found.0.pairing, same: true, client: app)
            try await dialling.service.confirmPairing(found.1.pairing, same: true, client: app)
            async let one: Void = waiting.service.paired(found.0.pairing, client: app)
            async let two: Void = dialling.service.paired(found.1.pairing, client: app)
            _ = try await (one, two)
        }

        @Test("Three daemons pair one after the other by their digits, know each other, and one is removed")
        func threePairAndOneIsRemoved() async throws {
            try await World.with { world in
                let anna = try await world.device("anna")
                let berta = try await world.device("berta")
                let carla = try await world.device("carla")
                try await Self.pairByAddress(waiting: anna, dialling: berta, in: world)
                // The second takes the third in: the first learns of it from them.
                try await Self.pairByAddress(waiting: carla, dialling: berta, in: world)
                let all = ["anna", "berta", "carla"]
                try await eventually("anna knows carla") { await anna.memberNames == all }
                #expect(await berta.memberNames == all)
                #expect(await carla.memberNames == all)
                try await anna.publish("note")
                _ = try await carla.takeOver("note")
                let old = await anna.service.circle?.secret
                // Changes on two devices at once: both hold.
                try await carla.service.rename(to: "Carla")
                _ = try await anna.service.removeDevice("berta")
                for device in [anna, carla] {
                    try await eventually("\(device.radio.address) has both changes") {
                        await device.memberNames == ["Carla", "anna"]
                    }
                }
                try await eventually("one new secret") {
                    let (one, two) = await (anna.service.circle?.secret, carla.service.circle?.secret)
                    return one == two && one != old
                }
                try await anna.publish("after")
                _ = try await carla.takeOver("after")
                let sealed = try #require(await anna.radio.payload)
                #expect(await berta.service.opened(sealed) == nil)
            }
        }

        @Test("A no, on either side or on both, is told on both and leaves nothing behind", arguments: [0, 1, 2])
        func no(who: Int) async throws {
            try await World.with { world in
                let (anna, berta) = (try await world.device("anna"), try await world.device("berta"))
                let before = await (anna.service.store.state.circle, berta.service.store.state.circle)
                let found = try await Self.bothPair(anna, berta)
                try await anna.service.confirmPairing(found.one.pairing, same: who == 1, client: Self.app)
                try await berta.service.confirmPairing(found.two.pairing, same: who == 0, client: Self.app)
                for (device, pairing) in [(anna, found.one.pairing), (berta, found.two.pairing)] {
                    let error = await #expect(throws: BatonError.self) {
                        try await device.service.paired(pairing, client: Self.app)
                    }
                    #expect(error?.code == .userCancelled)
                    try await device.expectNothingLeft()
                    // Who asks knows before anybody goes to the other device.
                    #expect(await device.service.status().pairingRefusal?.contains("in 1 minute") == true)
                }
                #expect(before.0 == nil && before.1 == nil)
            }
        }

        @Test("When more than two devices pair, none does")
        func crowd() async throws {
            try await World.with { world in
                // No time passes: whoever is heard alone for two seconds is taken.
                let clock = ManualClock()
                let (anna, berta) = (
                    try await world.device("anna", clock: clock), try await world.device("berta", clock: clock)
                )
                let eve = try await world.radio("eve")
                let advert = try #require(PairingAdvert(nonce: [0xFF, 1, 2, 3, 4, 5, 6, 7], psm: 0x80))
                try await eve.advertise(advert.payload)
                let first = Task { try await anna.service.pair(address: nil, client: Self.app) }
                let second = Task { try await berta.service.pair(address: nil, client: Self.app) }
                let one = await #expect(throws: BatonError.self) { _ = try await first.value }
                #expect(one?.code == .handoffFailed)
                _ = try? await second.value
                try await anna.expectNothingLeft()
                try await berta.expectNothingLeft()
            }
        }

        @Test("A man in the middle is seen: the digits differ, and after a no on one side nothing is left on either")
        func manInTheMiddle() async throws {
            try await World.with { world in
                // No time passes: whoever is heard alone for two seconds is taken.
                let clock = ManualClock()
                let (anna, berta) = (
                    try await world.device("anna", clock: clock), try await world.device("berta", clock: clock)
                )
                let eve = try await world.device("eve", clock: clock)
                let mallory = try await world.device("mallory", clock: clock)
                // One of his two machines waits for anna, the other dials berta.
                async let a = anna.service.pair(address: nil, client: Self.app)
                async let b = berta.service.pair(address: nil, client: Self.app)
                try await eventually("both doors are open") {
                    let doors = await (
                        anna.service.channels.pairingDoor.isOpen, berta.service.channels.pairingDoor.isOpen
                    )
                    return doors == (true, true)
                }
                async let x = eve.service.pair(endpoint: anna.door, client: Self.app)
                async let y = mallory.service.pair(endpoint: berta.door, client: Self.app)
                let (one, two, three, four) = try await (a, b, x, y)
                #expect(one.digits == three.digits && two.digits == four.digits)
                #expect(one.digits != two.digits, "one time in a million they are the same")
                // He says yes on both; the users do not.
                try await eve.service.confirmPairing(three.pairing, same: true, client: Self.app)
                try await mallory.service.confirmPairing(four.pairing, same: true, client: Self.app)
                try await anna.service.confirmPairing(one.pairing, same: false, client: Self.app)
                try await berta.service.confirmPairing(two.pairing, same: false, client: Self.app)
                for (device, pairing) in [(anna, one.pairing), (berta, two.pairing)] {
                    await #expect(throws: BatonError.self) {
                        try await device.service.paired(pairing, client: Self.app)
                    }
                    try await device.expectNothingLeft()
                }
            }
        }

        @Test(
            "After each failure pairing is refused for longer, and a code is not; before the other side's share was seen nothing counts"
        )
        func attemptsAreLimited() async throws {
            let clock = ManualClock()
            try await World.with { world in
                let (anna, berta) = (
                    try await world.device("anna", clock: clock), try await world.device("berta", clock: clock)
                )
                for pause in PairingLimiter.pauses {
                    async let first = anna.service.pair(address: nil, client: Self.app)
                    try await eventually("the door is open") { await anna.service.channels.pairingDoor.isOpen }
                    let found = try await berta.service.pair(endpoint: anna.door, client: Self.app)
                    let mine = try await first
                    try await anna.service.confirmPairing(mine.pairing, same: false, client: Self.app)
                    await #expect(throws: BatonError.self) {
                        try await berta.service.paired(found.pairing, client: Self.app)
                    }
                    await #expect(throws: BatonError.self) {
                        try await anna.service.paired(mine.pairing, client: Self.app)
                    }
                    let minutes = Int(pause / .seconds(60))
                    for device in [anna, berta] {
                        let error = await #expect(throws: BatonError.self) {
                            _ = try await device.service.pair(address: nil, client: Self.app)
                        }
                        #expect(error?.code == .limitReached)
                        #expect(error?.message.contains("in \(minutes) minute") == true, "\(String(describing: error))")
                        #expect(error?.message.contains("baton pair --qr") == true)
                        try await device.expectNothingLeft()
                    }
                    clock.advance(by: pause)
                }
                let task = Task { try await anna.service.pair(address: nil, client: Self.app) }
                try await eventually("it pairs again") { await anna.service.channels.pairingDoor.isOpen }
                task.cancel()
                _ = try? await task.value
            }
        }

        @Test("Without a user who pairs, the first message of pairing is a stranger's noise")
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

        /// Both users say yes, on one device first; why each of the two is not paired.
        private static func failures(
            waiting: Device, dialling: Device, waitingIsFirst: Bool
        ) async throws -> [BatonError?] {
            async let first = waiting.service.pair(address: nil, client: app)
            try await eventually("the door is open") { await waiting.service.channels.pairingDoor.isOpen }
            async let second = dialling.service.pair(endpoint: waiting.door, client: app)
            var sides = [(waiting, try await first.pairing), (dialling, try await second.pairing)]
            if !waitingIsFirst { sides.reverse() }
            for (device, pairing) in sides {
                try await device.service.confirmPairing(pairing, same: true, client: app)
            }
            var errors: [BatonError?] = []
            for (device, pairing) in sides {
                errors.append(
                    await #expect(throws: BatonError.self) { try await device.service.paired(pairing, client: app) })
                try await eventually("it is over") { await device.service.isPairingOver }
            }
            return errors
        }

        @Test("Two devices of circles do not pair, both say why, and no attempt is counted", arguments: [true, false])
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
                        #expect(error?.message.contains(areSame ? "the same circle" : "different circles") == true)
                    }
                }
                #expect(await anna.service.circle == before.0)
                #expect(await other.service.circle == before.1)
            }
        }

        @Test("The program that pairs goes away, and the pairing with it")
        func clientLeaves() async throws {
            try await World.with { world in
                let (anna, berta) = (try await world.device("anna"), try await world.device("berta"))
                let found = try await Self.bothPair(anna, berta)
                let stranger = ClientID(rawValue: ":1.9")
                let error = await #expect(throws: BatonError.self) {
                    try await anna.service.confirmPairing(found.one.pairing, same: true, client: stranger)
                }
                #expect(error?.code == .notFound)
                await anna.service.clientLeft(Self.app)
                await #expect(throws: BatonError.self) {
                    try await berta.service.paired(found.two.pairing, client: Self.app)
                }
                try await anna.expectNothingLeft()
                try await berta.expectNothingLeft()
                for device in [anna, berta] { await device.service.forgetFailedPairings() }
                // A second pairing at the same time is refused; one after the other is not.
                let again = try await Self.bothPair(anna, berta)
                let busy = await #expect(throws: BatonError.self) {
                    _ = try await anna.service.pair(address: nil, client: stranger)
                }
                #expect(busy?.code == .limitReached)
                #expect(again.one.digits == again.two.digits)
            }
        }

        @Test("By address over TCP")
        func overTCP() async throws {
            try await World.with { world in
                let (anna, berta) = (
                    try await world.device("anna", tcp: true), try await world.device("berta", tcp: true)
                )
                async let first = anna.service.pair(address: nil, client: Self.app)
                try await eventually("the door is open") { await anna.service.channels.pairingDoor.isOpen }
                let found = try await berta.service.pair(address: anna.tcpAddress, client: Self.app)
                let mine = try await first
                #expect(mine.digits == found.digits)
                try await anna.service.confirmPairing(mine.pairing, same: true, client: Self.app)
                try await berta.service.confirmPairing(found.pairing, same: true, client: Self.app)
                try await anna.service.paired(mine.pairing, client: Self.app)
                try await berta.service.paired(found.pairing, client: Self.app)
                #expect(await anna.memberNames == ["anna", "berta"])
            }
        }

        @Test("Who dials in is taken although what was heard by radio is being dialled, in vain")
        func addressAfterSearch() async throws {
            try await World.with { world in
                // Heard, and gone: its user has ended that, and takes the address.
                let held = HeldRadio.Gate()
                let anna = try await world.device("anna", tcp: true, wrap: { HeldRadio($0, gate: held) })
                let berta = try await world.device("berta", tcp: true)
                async let first = anna.service.pair(address: nil, client: Self.app)
                try await eventually("the door is open") { await anna.service.channels.pairingDoor.isOpen }
                let stale = try #require(PairingAdvert(nonce: [UInt8](repeating: 0xFF, count: 8), psm: 0x80))
                await anna.service.radioEvent(.sighted(Sighting(address: "gone", payload: stale.payload, signal: nil)))
                try await held.dialled()
                let found = try await berta.service.pair(address: anna.tcpAddress, client: Self.app)
                held.fail()
                let mine = try await first
                #expect(mine.digits == found.digits)
                try await anna.service.confirmPairing(mine.pairing, same: true, client: Self.app)
                try await berta.service.confirmPairing(found.pairing, same: true, client: Self.app)
                try await anna.service.paired(mine.pairing, client: Self.app)
                try await berta.service.paired(found.pairing, client: Self.app)
                #expect(await anna.memberNames == ["anna", "berta"])
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

extension Device {
    /// Where it is reached over TCP.
    fileprivate var tcpAddress: (host: String, port: UInt16) {
        get async throws {
            let own = try #require(
                await service.reachability.listeners.tcp?.endpoints().first { $0.address == "127.0.0.1" })
            return (own.address, own.port)
        }
    }

    /// No circle, no open door, no advertisement, no key that a knock could be made with.
    func expectNothingLeft() async throws {
        try await eventually("the pairing is over") { await self.service.isPairingOver }
        #expect(await service.circle == nil)
        #expect(await !service.channels.pairingDoor.isOpen)
        #expect(await service.keyring.candidates.isEmpty)
        try await eventually("silence") { await self.radio.payload == nil }
    }
}

extension HandoffService {
    /// The device that it is to come back as.
    var returningDevice: DeviceID? { pairings.returning?.id }
    var pairingIsRefusedUntil: Duration? { pairings.limiter.refusedUntil(at: clock.uptime) }
    var isPairingOver: Bool { pairings.run?.isOver ?? true }
    var pairingHeardCount: Int { pairings.run?.procedure.sighted.count ?? 0 }
    /// As if the pauses that failures cause were over.
    func forgetFailedPairings() { pairings.limiter.succeeded() }
}
