// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonClient
import Diagnosis
import Foundation
import Wording

/// The circle of a ``FakeDaemon`` with two devices: desk, which is its own, and sofa.
struct FakeCircle {
    private var isEntered = true
    /// The reason why the device may not pair after it has left its circle, or nil if it may.
    private(set) var pairingRefusal: Finding?
    /// The names of the device, in order.
    private(set) var names: [String] = []
    /// The number of times that a device left or was removed.
    private(set) var farewells = 0
    /// The number of pings.
    private var pings = 0
    /// How often a client asked to make the present networks known.
    private var knownNetworks = 0
    private var losesPings = false
    /// Whether the other device does not hear this one, and TCP reaches no device.
    private var isUnheard = false
    private var isTired = false
    private var stoppedUntil: Date?
    private(set) var history = [
        HistoryEntry(
            first: Date(timeIntervalSince1970: 2_000_000_000), last: Date(timeIntervalSince1970: 2_000_000_300),
            device: "bb", deviceName: "sofa", application: "org.example.Notes", type: "org.example.note", count: 3)
    ]

    var id: String? { isEntered ? "cc" : nil }
    /// The reason why the device is in no circle, or nil if it is in one.
    var absence: Finding? { isEntered ? nil : FakeDaemon.withoutCircle }

    var members: [CircleMember] {
        guard isEntered else { return [] }
        return [
            CircleMember(device: "aa", name: "desk", isThisDevice: true),
            CircleMember(
                device: "bb", name: "sofa", isNear: true, lastSeen: Date(timeIntervalSince1970: 2_000_000_000),
                transports: ["l2cap"], stoppedUntil: stoppedUntil),
        ]
    }

    mutating func lose(refusingToPair refusal: Finding?) { (isEntered, pairingRefusal) = (false, refusal) }
    mutating func losePings() { losesPings = true }
    mutating func becomeUnheard() { isUnheard = true }
    mutating func becomeTired() { isTired = true }

    mutating func rename(to name: String) { names.append(name) }

    mutating func remove(_ device: String) throws(BatonError) -> (member: CircleMember, unvouched: [String]) {
        guard !["desk", "aa"].contains(device) else {
            throw BatonError(.invalidArgument, appMessage: "run 'baton leave'")
        }
        guard ["sofa", "bb"].contains(device) else {
            throw BatonError(.notFound, appMessage: "there is no device \(device)")
        }
        farewells += 1
        return (CircleMember(device: "bb", name: "sofa"), ["aa"])
    }

    mutating func forgetHistory() { history = [] }

    mutating func stop(_ device: String) throws(BatonError) -> CircleMember {
        guard ["sofa", "bb"].contains(device) else {
            throw BatonError(.notFound, appMessage: "there is no device \(device)")
        }
        stoppedUntil = Date(timeIntervalSince1970: 2_000_000_000)
        return members[1]
    }

    mutating func allow(_ device: String) throws(BatonError) -> (member: CircleMember, wasStopped: Bool) {
        guard ["sofa", "bb"].contains(device) else {
            throw BatonError(.notFound, appMessage: "there is no device \(device)")
        }
        defer { stoppedUntil = nil }
        return (members[1], stoppedUntil != nil)
    }

    /// Returns how many networks became known: one each second time, and none the other times.
    mutating func knowNetworks() -> Int {
        knownNetworks += 1
        return knownNetworks % 2
    }

    mutating func leave() -> [String] {
        farewells += 1
        return ["sofa"]
    }

    mutating func ping(_ device: String) throws(BatonError) -> DeviceAnswer {
        guard ["sofa", "bb"].contains(device), !losesPings else {
            throw BatonError(.connectionUnavailable, appMessage: "\(device): it is out of reach")
        }
        pings += 1
        return DeviceAnswer(
            device: "bb", deviceName: "sofa", transport: "l2cap", roundTrip: .milliseconds(10 + 2 * pings),
            connecting: pings == 1 ? .milliseconds(480) : nil)
    }

    mutating func probe(_ device: String) throws(BatonError) -> DeviceProbe {
        if isTired { throw BatonError(.limitReached, appMessage: "sofa: it was asked too often") }
        let answer = try ping(device)
        let reached = DeviceProbe.Way(transport: "l2cap", time: .milliseconds(240))
        let lost = DeviceProbe.Way(
            transport: "tcp", time: nil, reason: "nobody answers",
            failure: Reason(.networkSilent, ["laptop": "sofa"]))
        let tcp = isUnheard ? lost : nil
        return DeviceProbe(
            answer: answer,
            here: DeviceProbe.Side(hears: true, signal: -52, ways: [reached] + (tcp.map { [$0] } ?? [])),
            there: DeviceProbe.Side(hears: !isUnheard, ways: [reached]))
    }
}

extension FakeDaemon {
    /// The reason why the device is in no circle: another laptop has removed it.
    static let withoutCircle = Finding(.removed, ["laptop": "sofa"])
    /// The text in which the tool reports that finding.
    static let withoutCircleText = withoutCircle.text(on: .terminal)

    /// The names of the device, in order.
    var names: [String] { circle.names }
    /// The number of times that a device left or was removed.
    var farewells: Int { circle.farewells }

    /// Takes the device out of its circle, with an optional reason why it may not pair.
    func loseCircle(refusingToPair refusal: Finding? = nil) { circle.lose(refusingToPair: refusal) }

    /// Makes all devices stop answering.
    func losePings() { circle.losePings() }

    /// Makes the other device stop hearing this one.
    func becomeUnheard() { circle.becomeUnheard() }

    /// Rejects probes because there were too many.
    func becomeTired() { circle.becomeTired() }

    nonisolated func addCircle(to router: inout BusRouter) {
        router.on(CircleInterface.create) { name, _ in
            try await self.check()
            return CircleSummary(circle: "cc", device: "aa", deviceName: name.isEmpty ? "host" : name)
        }
        router.on(CircleInterface.invite) { _ in
            try await self.check()
            return CircleInvitation(text: "secret\n", expires: Date(timeIntervalSince1970: 2_000_000_000))
        }
        router.on(CircleInterface.join) { invitation, _ in
            try await self.check()
            guard invitation == "secret\n" else {
                throw BatonError(.invitationInvalid, appMessage: "not an invitation")
            }
            return CircleSummary(
                circle: "cc", device: "bb", deviceName: "sofa", members: [CircleMember(device: "aa", name: "desk")])
        }
        router.on(CircleInterface.rename) { name, _ in try await self.rename(to: name) }
        router.on(CircleInterface.remove) { device, _ in try await self.inCircle { try $0.remove(device) } }
        router.on(DaemonInterface.history) { _ in try await self.inCircle { $0.history } }
        router.on(DaemonInterface.forgetHistory) { _ in try await self.inCircle { $0.forgetHistory() } }
        router.on(CircleInterface.stop) { device, _ in try await self.inCircle { try $0.stop(device) } }
        router.on(CircleInterface.allow) { device, _ in try await self.inCircle { try $0.allow(device) } }
        router.on(CircleInterface.ping) { device, _ in try await self.inCircle { try $0.ping(device) } }
        router.on(CircleInterface.probe) { device, _ in try await self.inCircle { try $0.probe(device) } }
        router.on(CircleInterface.leave) { _ in try await self.inCircle { $0.leave() } }
        router.on(CircleInterface.knowNetworks) { _ in try await self.inCircle { $0.knowNetworks() } }
    }

    private func inCircle<Answer>(_ body: @Sendable (inout FakeCircle) throws -> Answer) throws -> Answer {
        try check()
        return try body(&circle)
    }

    private func rename(to name: String) throws {
        try check()
        circle.rename(to: name)
        faults.renamed()
    }
}
