// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Finds out whether another device of the circle answers, over which transport, and how fast. A
/// probe also finds out whether both devices hear and reach each other (Session.md, "Probe").
extension HandoffService {
    /// How long a device may take to be reached and to answer.
    static let pingTimeout = Duration.seconds(30)
    /// How long a device's known endpoints may take to answer before the device is hailed, if this
    /// device can hail. An address that is out of date may never answer.
    static let pingPatience = Duration.seconds(5)

    /// Makes another device answer, over the link that
    /// ``continueOffer(_:timeout:client:account:near:)`` would use. The link may already be open,
    /// or may be opened for this.
    ///
    /// - Parameter text: The device's id, or its name if no other device has the same name.
    /// - Throws: ``BatonError``, which gives the reason if the device does not answer.
    public func ping(_ text: String) async throws -> DeviceAnswer {
        try await asking(text) { try await answer(of: $0, $1) }
    }

    /// Sends a question to another device, for one program at a time. A second ping could delay
    /// hand-overs, because a device answers few requests at once.
    ///
    /// - Parameter text: The device's id, or its name if no other device has the same name.
    /// - Throws: ``BatonError``.
    func asking<Answer>(
        _ text: String, _ question: (DeviceID, CircleMember) async throws -> Answer
    ) async throws -> Answer {
        let (device, member) = try other(called: text)
        guard peers.awaited.begin(device) else {
            throw BatonError(.limitReached, .alreadyAsked, ["laptop": .text(name(of: device))])
        }
        defer { peers.awaited.end(device) }
        do {
            return try await question(device, member)
        } catch  where lifecycle.isStopping {
            throw Self.ending
        } catch let error as HandoffError {
            throw BatonError(error, of: name(of: device))
        } catch is CancellationError where !Task.isCancelled {
            throw BatonError(.connectionUnavailable, .circleChanged)
        }
    }

    /// Pings a device, and returns how it answers.
    func answer(of device: DeviceID, _ member: CircleMember) async throws -> DeviceAnswer {
        let (begun, open, name) = (clock.uptime, peers.links.all, name(of: device))
        try await findWay(to: device, until: begun + Self.pingTimeout)
        return try await ask(device, until: begun + Self.pingTimeout) { [clock] link in
            let asked = clock.uptime
            try await link.ping(timeout: begun + Self.pingTimeout - asked)
            return DeviceAnswer(
                device: member.device, deviceName: name, transport: link.channel.transport.rawValue,
                roundTrip: clock.uptime - asked,
                connecting: open.contains { $0 === link } ? nil : asked - begun)
        }
    }

    /// Returns another device of the circle.
    ///
    /// - Parameter text: The device's id, or its name if no other device has the same name.
    /// - Throws: ``BatonError``.
    func other(called text: String) throws -> (DeviceID, CircleMember) {
        let member = try member(called: text)
        guard let device = circle?.roster.members.keys.first(where: { $0.description == member.device }),
            device != identity.id
        else {
            throw BatonError(.invalidArgument, .thisLaptop, ["laptop": .text(member.name)])
        }
        return (device, member)
    }

    /// Ensures that a link to a device can be opened. A device that offers nothing is silent, and
    /// its known endpoints may be out of date. In that case the device is hailed, and dials this
    /// device.
    func findWay(to device: DeviceID, until deadline: Duration) async throws {
        guard !peers.links.leads(to: device) else { return }
        guard !endpoints(of: device).isEmpty else {
            return try await hail(device, until: deadline, after: "no address of it is known")
        }
        // If this device cannot hail, waiting longer is its only choice.
        let patience = radioStatus.condition == .ready ? Self.pingPatience : SilenceLimits.device
        do {
            _ = try await link(to: device, by: .any, until: min(deadline, clock.uptime + patience))
        } catch let error as HandoffError where !error.isHangUp {
            logger.debug("\(device) does not answer where it was, hailing it: \(error)")
            try await hail(device, until: deadline, after: "it does not answer where it was last")
        }
    }

    /// Hails a device until it connects. A dial that is still under way may also connect to it.
    ///
    /// - Parameter failure: The earlier failure, for the error.
    private func hail(_ device: DeviceID, until deadline: Duration, after failure: String) async throws {
        if lifecycle.isStopping { throw CancellationError() }
        // No hail is needed if a dial has succeeded in the meantime.
        if peers.links.leads(to: device) { return }
        searchClocksAgain()
        guard radioStatus.condition == .ready else {
            throw HandoffError(.connectionUnavailable, .radioUnusable, cause: "\(failure); \(radioStatus.summary)")
        }
        let arrival = peers.awaited.beginHail(of: device)
        defer {
            peers.awaited.endHail(of: device)
            background.begin { await self.hailsChanged() }
        }
        await airing { hailsChanged() }
        do {
            try await arrival.value(until: deadline, clock, late: ChannelFailure.timedOut)
        } catch ChannelFailure.timedOut {
            throw HandoffError(
                .connectionUnavailable, peers.awaited.wasHailed(device) ? .calledInVain : .callWaits, cause: failure)
        }
    }

    // MARK: - Probes

    /// How long this device listens for a device that is not heard.
    static let hearingPatience = Duration.seconds(10)
    /// How long the other device may take to listen and to try its transports.
    static let probeTimeout = Duration.seconds(40)

    /// Pings another device, and asks how it hears and reaches this device. Then this device checks
    /// the other direction.
    ///
    /// - Parameter text: The device's id, or its name if no other device has the same name.
    /// - Throws: ``BatonError``, which gives the reason if the device does not answer.
    public func probe(_ text: String) async throws -> DeviceProbe {
        try await asking(text) { device, member in
            let answer = try await answer(of: device, member)
            peers.probes.begin()
            probesChanged()
            defer {
                peers.probes.end()
                background.begin { await self.probesChanged() }
            }
            async let heard = hears(device)
            let there = try await report(of: device)
            let here = ProbeReport(
                heard: await heard, ways: await trials(to: device).concurrentMap { await $0.way() },
                isMuted: isMuted)
            return DeviceProbe(answer: answer, here: .init(here, of: name(of: device)), there: .init(there))
        }
    }

    /// Returns another device's report on this device. A version of Baton that does not know probes
    /// never answers, and makes the link useless.
    private func report(of device: DeviceID) async throws -> ProbeReport {
        let deadline = clock.uptime + Self.probeTimeout
        return try await ask(device, until: deadline) { [clock] link in
            do {
                return try await link.probe(timeout: deadline - clock.uptime)
            } catch let error as HandoffError where error.code == .remoteApplicationTimedOut {
                link.drain(.idle)
                throw HandoffError(.remoteApplicationTimedOut, .probeUnanswered)
            }
        }
    }

    /// Returns this device's report on the device at the other end of a link, which has asked for
    /// the report.
    func probeReport(over link: PeerLink) async -> Result<ProbeReport, HandoffError> {
        let device = link.device
        guard peers[device].probes.take(at: clock.uptime) else {
            return .failure(HandoffError(.busy, .probedTooOften))
        }
        peers.probes.serve(at: clock.uptime)
        probesChanged()
        let heard = await hears(device)
        let ways = await trials(to: device).concurrentMap { await $0.discreetWay() }
        return .success(ProbeReport(heard: heard, ways: ways, isMuted: isMuted))
    }

    /// Whether this device advertises nothing, because advertising is not allowed now or the next
    /// sequence number cannot be written.
    private var isMuted: Bool {
        advertising.slot.ordinary == nil && (!apps.mayAdvertise || advertisingWaitsForRoom)
    }

    /// Updates the beacon, the hails and the deadline when a probe begins or ends. During a probe
    /// this device must be heard, so its hails wait.
    func probesChanged() {
        // If a probe ends during this function, its deadline has passed, and the alarm fires at
        // once.
        let begun = clock.uptime
        reachabilityChanged()
        if isProbed, advertising.breakOffHail(at: clock.uptime) { air() }
        // Hail the devices that have waited for the end of the probe.
        if !isProbed { hail() }
        schedule(.probes, at: peers.probes.deadline(at: begun))
    }

    /// Whether a probe by either side is under way, so that this device must be heard. False while
    /// nothing may be advertised.
    var isProbed: Bool { apps.mayAdvertise && peers.probes.isAudible(at: clock.uptime) }

    /// Returns how a device is heard, or nil if it is not. This may wait for the device's next
    /// advertisement.
    private func hears(_ device: DeviceID) async -> ProbeReport.Heard? {
        guard radioStatus.condition == .ready, !lifecycle.isStopping else { return nil }
        if !sightings.book.isHeard(device.short) {
            let arrival = peers.probes.listen(for: device)
            defer { peers.probes.endListening(arrival) }
            try? await arrival.value(
                until: clock.uptime + Self.hearingPatience, clock, late: ChannelFailure.timedOut)
        }
        guard sightings.book.isHeard(device.short) else { return nil }
        return ProbeReport.Heard(signal: sightings.book.heard(device.short).first?.signal.flatMap(Self.onTheWire))
    }

    private static func onTheWire(_ signal: Int) -> Int? { Int8(exactly: signal).map(Int.init) }

    /// Returns a trial of each of this device's transports to another device.
    func trials(to device: DeviceID) -> [TransportTrial] {
        transports.all.map(\.traits).map {
            TransportTrial(
                transport: $0, device: device, name: name(of: device), target: target(device, over: $0),
                dialler: dialler, channels: peers.probes.trials)
        }
    }

    /// Returns where to dial a device over a transport, or the reason why it cannot be dialled.
    private func target(
        _ device: DeviceID, over transport: TransportTraits
    ) -> Result<TransportTrial.Target, HandoffError> {
        if transport.range == .radio, radioStatus.condition != .ready {
            return .failure(HandoffError(.connectionUnavailable, .radioUnusable, cause: radioStatus.summary))
        }
        let endpoints = endpoints(of: device).filter { $0.transport == transport.kind }
        guard let credential = keyring.credential(of: device), !endpoints.isEmpty, !lifecycle.isStopping else {
            return .failure(HandoffError(.connectionUnavailable, .addressUnknown))
        }
        return .success(.init(endpoints: endpoints, credential: credential))
    }
}

extension DeviceProbe.Side {
    /// Makes one side of a probe from a device's report.
    ///
    /// - Parameter other: The name of the other device, if this device has made the report.
    fileprivate init(_ report: ProbeReport, of other: String? = nil) {
        self.init(
            hears: report.heard != nil, signal: report.heard?.signal, isMuted: report.isMuted,
            ways: report.ways.map { way in
                switch way.outcome {
                case .success(let time):
                    DeviceProbe.Way(transport: way.transport, time: .milliseconds(Int64(time)))
                case .failure(let error):
                    DeviceProbe.Way(
                        transport: way.transport, time: nil, reason: error.description,
                        failure: other.map { error.reason.with("laptop", .text($0)) })
                }
            })
    }
}
