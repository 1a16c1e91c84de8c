// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import BatonTransport
import Diagnosis
import SimulatedTransport
import Testing

@testable import BatonProtocol
@testable import BatonService

/// A member that offers one activity and hands over another.
private final class Liar: Sendable {
    /// The reports of the device that received the activities.
    let reports = Watched<[Bool]>([])
    private let listener: any Listener

    /// Replaces a stopped device, on a radio of its own.
    ///
    /// - Parameters:
    ///   - offered: The activity in the advertisement.
    ///   - tells: Whether the hello names the offered activity.
    ///   - type: The type of the activity that it hands over.
    ///   - prepare: Called before the impostor answers.
    init(
        _ device: Device, on radio: SimulatedRadio, offered: ActivityKind, tells: Bool, handsOver type: String,
        after prepare: @escaping @Sendable () async -> Void = {}
    ) async throws {
        let circle = try #require(await device.service.circle)
        let (identity, keyring) = await (device.service.identity, device.service.keyring)
        let activity = try #require(ActivityHasher(secret: circle.secret).hash(of: offered))
        let types =
            tells ? [ActivityTypeEntry(hash: activity.bytes, team: offered.team, type: offered.type)] : []
        let hello = Hello(
            name: "liar", unixTime: SystemClock().unixTime, sequence: 1 << 20, activity: activity.bytes, types: types,
            endpoints: [], circle: [])
        listener = try await SecureChannels(handMade: identity, keyring: keyring).listen(on: radio) {
            [reports] channel in
            Task {
                for await frame in channel.frames() {
                    switch frame {
                    case .hello: channel.send(.hello(hello))
                    case .continueRequest(let request):
                        await prepare()
                        let activity = try EncodedActivity(ActivityState(activityType: type))
                        let grant = ContinueGrant(instance: pattern(16, seed: request.id), activity: activity)
                        channel.send(.continueReply(ContinueReply(id: request.id, result: .success(grant))))
                    case .continued(let report): reports.change { $0.append(report.accepted) }
                    default: channel.close()
                    }
                }
            }
        }
        let psm = try #require(await listener.endpoints().first?.port)
        var cipher = BeaconCipher(secret: circle.secret)
        let beacon = Beacon(
            device: identity.id.short, activity: activity, flags: [], sequence: 1 << 20, psm: UInt8(clamping: psm))
        try await radio.advertise(cipher.seal(beacon, at: SystemClock().unixTime))
    }
}

extension ServiceTests.HandoverLane {
    struct OtherTypeTests {
        struct Case: Sendable, CustomTestStringConvertible {
            var offered: ActivityKind
            var tells = true
            /// The types that apps on the other device continue.
            var declared: Set<ActivityKind> = []
            var comes: String
            var isTaken: Bool

            var testDescription: String { "\(offered), told: \(tells), known: \(declared.count), comes \(comes)" }
        }

        private static let notes = "org.example.notes.edit"
        private static let bank = "com.bank.transfer"

        @Test(
            "An activity of another type than the offered one is refused and reported, even if only a hash was offered",
            arguments: [
                Case(offered: ActivityKind(type: notes), comes: notes, isTaken: true),
                Case(offered: ActivityKind(type: notes), comes: bank, isTaken: false),
                Case(offered: ActivityKind(team: "T", type: notes), comes: bank, isTaken: false),
                Case(offered: ActivityKind(type: notes), tells: false, comes: notes, isTaken: true),
                Case(offered: ActivityKind(type: notes), tells: false, comes: bank, isTaken: false),
                // This device does not know the team, so it cannot match the arrived activity with
                // the offer.
                Case(offered: ActivityKind(team: "T", type: notes), tells: false, comes: notes, isTaken: false),
                Case(
                    offered: ActivityKind(team: "T", type: notes), tells: false,
                    declared: [ActivityKind(team: "T", type: "org.example.notes.read")], comes: notes, isTaken: true),
                Case(
                    offered: ActivityKind(team: "T", type: notes), tells: false,
                    declared: [ActivityKind(team: "T", type: notes), ActivityKind(team: "T", type: bank)], comes: bank,
                    isTaken: false),
            ])
        func anotherType(_ test: Case) async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                await berta.service.declare(test.declared)
                await anna.service.stop()
                let liar = try await Liar(
                    anna, on: try await world.radio("liar"), offered: test.offered, tells: test.tells,
                    handsOver: test.comes)
                let annaID = await anna.identityID.description
                let offer = try await berta.offer("the liar's") { offer in
                    offer.device == annaID && (!test.tells || offer.type == test.offered.type)
                }
                if test.isTaken {
                    let continued = try await berta.service.continueOffer(
                        offer.offer, timeout: nil, client: Device.app)
                    #expect(continued.activity.activityType == test.comes)
                    try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
                } else {
                    let refused = await #expect(throws: BatonError.self) {
                        try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                    }
                    #expect(refused?.code == .handoffFailed)
                    #expect(refused?.reason == Reason(.otherType, ["laptop": "anna"]))
                    #expect(await berta.service.counts["continuations"] == 0)
                }
                #expect(try await liar.reports.wait("the report") { $0.isEmpty ? nil : $0 } == [test.isTaken])
            }
        }

        @Test("An offer that was never named before the secret changed keeps its type")
        func secretChanges() async throws {
            try await World.with { world in
                let (anna, berta) = try await world.pair()
                let carla = try await world.device("carla")
                try await carla.service.joinCircle(berta.service.invite().text)
                await anna.service.stop()
                // While a channel to anna is open, she would be dialled at her own address.
                try await berta.linksEnd()
                let liar = try await Liar(
                    anna, on: try await world.radio("liar"), offered: ActivityKind(type: Self.notes), tells: false,
                    handsOver: Self.notes, after: { _ = try? await berta.service.removeDevice("carla") })
                let annaID = await anna.identityID.description
                let offer = try await berta.offer("the liar's") { $0.device == annaID }
                let continued = try await berta.service.continueOffer(offer.offer, timeout: nil, client: Device.app)
                try await berta.service.accept(continued.continuation, accepted: true, client: Device.app)
                #expect(try await liar.reports.wait("the report") { $0.isEmpty ? nil : $0 } == [true])
                #expect(await berta.service.circle?.roster.members.count == 2)
            }
        }

        @Test("A member's later message about a hash does not change the type of the offer that the user chose")
        func typeChosen() throws {
            let secret = CircleSecret()
            let hasher = ActivityHasher(secret: secret)
            let activity = try #require(hasher.hash(team: "", type: Self.notes))
            func offer(_ type: String?) -> Offer {
                Offer(
                    device: 1, activity: activity, team: type.map { _ in "" }, type: type, title: nil,
                    hasWebpage: false, supportsStreams: false, signal: nil, address: "a", psm: 0x80, sequence: 1)
            }
            let colliding = ActivityKind(team: "worked for", type: Self.bank)
            let chosen = OfferedType(of: offer(Self.notes))
            #expect(!chosen.isType(Self.bank, learnt: colliding, teams: [], hasher: hasher))
            #expect(chosen.isType(Self.notes, learnt: colliding, teams: [], hasher: hasher))
            // The announced type counts, although the arrived activity has the offered hash.
            let other = OfferedType(of: offer(Self.bank))
            #expect(!other.isType(Self.notes, learnt: nil, teams: [], hasher: hasher))
            // Types that look alike but have different code points count as different, because
            // their hashes differ.
            let composed = OfferedType(of: offer("org.example.caf\u{E9}"))
            #expect(!composed.isType("org.example.cafe\u{301}", learnt: nil, teams: [], hasher: hasher))
            let unknown = OfferedType(of: offer(nil))
            #expect(unknown.isType(Self.notes, learnt: nil, teams: ["T"], hasher: hasher))
            #expect(!unknown.isType(Self.bank, learnt: nil, teams: ["T", "worked for"], hasher: hasher))
        }
    }
}
