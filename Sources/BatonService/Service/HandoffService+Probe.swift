// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Finds out whether this device and another device hear and reach each other (Session.md,
/// "Probe").
extension HandoffService {
    /// How long this device listens for a device that is not heard.
    static let hearingPatience = Duration.seconds(10)
    /// How long a trial over a network may take. A trial over the radio may take as long as any
    /// dial.
    static let trialTimeout = Duration.seconds(10)
    /// The error that another device gets for each transport that does not lead to it, whatever the
    /// reason. The other device has named the addresses, so the real errors would tell it about
    /// this device's network.
    static let unreached = HandoffError(.connectionUnavailable, .unanswered)
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
                heard: await heard, ways: await ways(to: device, tried: trial), isMuted: isMuted)
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
        let ways = await ways(to: device, tried: discreetTrial)
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

    /// Returns whether each of this device's transports reaches another device, and how fast. Tries
    /// all transports at once.
    private func ways(
        to device: DeviceID,
        tried trial: @escaping @Sendable (TransportTraits, DeviceID) async -> Result<UInt32, HandoffError>
    ) async -> [ProbeReport.Way] {
        await withTaskGroup(of: (Int, ProbeReport.Way).self) { group in
            for (index, traits) in transports.all.map(\.traits).enumerated() {
                group.addTask {
                    let outcome = await trial(traits, device)
                    return (index, ProbeReport.Way(transport: traits.kind.rawValue, outcome: outcome))
                }
            }
            var found: [(Int, ProbeReport.Way)] = []
            for await way in group { found.append(way) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Runs a trial for another device, which learns only whether it was reached. A failure is
    /// reported only when the trial's whole time has passed, so that the time reveals nothing. The
    /// log has the reason.
    func discreetTrial(of transport: TransportTraits, to device: DeviceID) async -> Result<UInt32, HandoffError> {
        let deadline = clock.uptime + limit(of: transport)
        let outcome = await trial(of: transport, to: device)
        guard case .failure(let error) = outcome else { return outcome }
        logger.notice(
            "asked by \(name(of: device)), it was not reached by \(transport.kind.rawValue): \(error)",
            metadata: [LogMetadata.cause: "\(device)"])
        try? await clock.sleep(until: deadline)
        return .failure(Self.unreached)
    }

    /// Returns how long a trial may take.
    private func limit(of transport: TransportTraits) -> Duration {
        transport.range == .radio ? Dialler.timeout : Self.trialTimeout
    }

    /// Opens a new channel to a device, and exchanges a frame in each direction.
    ///
    /// - Returns: How many milliseconds the trial took, or the failure.
    private func trial(of transport: TransportTraits, to device: DeviceID) async -> Result<UInt32, HandoffError> {
        let isRadio = transport.range == .radio
        if isRadio, radioStatus.condition != .ready {
            return .failure(HandoffError(.connectionUnavailable, .radioUnusable, cause: radioStatus.summary))
        }
        let endpoints = endpoints(of: device).filter { $0.transport == transport.kind }
        guard let credential = keyring.credential(of: device), !endpoints.isEmpty, !lifecycle.isStopping else {
            return .failure(HandoffError(.connectionUnavailable, .addressUnknown))
        }
        let begun = clock.uptime
        let deadline = begun + limit(of: transport)
        do {
            let channel = try await dialler.race(endpoints, credential: credential) { [clock] _ in
                try await clock.sleep(until: deadline)
            }
            try await carryTrial(over: channel, until: deadline)
            return .success(UInt32(clamping: Int((clock.uptime - begun) / .milliseconds(1))))
        } catch {
            return .failure(Self.trialFailure(error, isRadio: isRadio))
        }
    }

    /// Exchanges a frame in each direction, and returns when the channel has closed. The caller
    /// must not send the result before that, because a radio has only one link to a device.
    private func carryTrial(over channel: SecureChannel, until deadline: Duration) async throws {
        peers.probes.begin(channel)
        defer { peers.probes.ended(channel) }
        channel.send(.trial)
        var (answer, failure): (Frame?, (any Error)?)
        do { answer = try await channel.nextFrame(within: max(deadline - clock.uptime, .zero)) } catch {
            failure = error
        }
        channel.close()
        _ = await channel.failure()
        if let failure { throw failure }
        guard answer == .trial else { throw HandoffError(.handoffFailed, .notUnderstood) }
    }

    private static func trialFailure(_ error: any Error, isRadio: Bool) -> HandoffError {
        let found = error as? HandoffError ?? HandoffError(unreachableBy: error)
        guard !isRadio, found.isUnanswered else { return found }
        return HandoffError(.connectionUnavailable, .networkSilent)
    }

    /// Answers a member that tries whether a transport leads to this device. The member closes the
    /// channel when it has the answer, because queued frames are lost when a channel closes. Until
    /// then the channel counts as pending (``PendingChannels``).
    func answerTrial(on channel: SecureChannel) async {
        peers.probes.begin(channel)
        defer { peers.probes.ended(channel) }
        channel.send(.trial)
        _ = try? await channel.nextFrame(within: channels.patience.firstFrame)
        channel.close()
        _ = await channel.failure()
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
