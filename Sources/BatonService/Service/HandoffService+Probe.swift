// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Logging

/// Whether this device and another one hear and reach each other, each way (Session.md, "Probe").
extension HandoffService {
    /// How long a device that is not heard is listened for.
    static let hearingPatience = Duration.seconds(10)
    /// How long a network may take to lead to a device; a radio has as long as any dial of it.
    static let trialTimeout = Duration.seconds(10)
    /// What another device is told of each way that does not lead to it, whatever the reason. It
    /// has named the addresses: how what is there answers would tell it about this device's
    /// network.
    static let unreached = HandoffError(
        .connectionUnavailable, "it was not reached; the log of batond there says why")
    /// How long the other device may take for both.
    static let probeTimeout = Duration.seconds(40)

    /// Has another device answer, as ``ping(_:)`` does, and say what it hears of this one and how
    /// it reaches it; then this device does the same.
    ///
    /// - Parameter text: The device's id, or its name if no other device has the same.
    /// - Throws: ``BatonError``, which says why it does not answer.
    public func probe(_ text: String) async throws -> DeviceProbe {
        try await asking(text) { device, member in
            let answer = try await answer(of: device, member)
            peers.probes.begin()
            await probesChanged()
            defer {
                peers.probes.end()
                background.begin { await self.probesChanged() }
            }
            async let heard = hears(device)
            let there = try await report(of: device)
            let here = ProbeReport(
                heard: await heard, ways: await ways(to: device, tried: trial), isMuted: isMuted)
            return DeviceProbe(answer: answer, here: .init(here), there: .init(there))
        }
    }

    /// What another device finds of this one. One of a version that knows nothing of it never
    /// answers: the link that it is asked over is of no more use then.
    private func report(of device: DeviceID) async throws -> ProbeReport {
        let deadline = clock.uptime + Self.probeTimeout
        return try await ask(device, until: deadline) { [clock] link in
            do {
                return try await link.probe(timeout: deadline - clock.uptime)
            } catch let error as HandoffError where error.code == .remoteApplicationTimedOut {
                await link.drain(.idle)
                throw HandoffError(
                    .remoteApplicationTimedOut,
                    "it answers pings, and did not answer this in time; Baton there may be older than here")
            }
        }
    }

    /// What this device finds of the device of a link, which asks.
    func probeReport(over link: PeerLink) async -> Result<ProbeReport, HandoffError> {
        let device = link.device
        guard peers.probes.serve(device, at: clock.uptime) else {
            return .failure(HandoffError(.busy, "it was asked too often; try again in ten minutes"))
        }
        await probesChanged()
        let heard = await hears(device)
        let ways = await ways(to: device, tried: discreetTrial)
        return .success(ProbeReport(heard: heard, ways: ways, isMuted: isMuted))
    }

    /// Whether nothing is advertised, as the user wants silence or there is no room to write down
    /// the number that it would have.
    private var isMuted: Bool {
        advertising.slot.ordinary == nil && (!apps.mayAdvertise || advertisingWaitsForRoom)
    }

    /// For as long as somebody looks for this device it is to be heard, and for whom it hails can
    /// wait.
    func probesChanged() async {
        let begun = clock.uptime
        peers.probes.forget(at: begun)
        await reachabilityChanged()
        if isProbed, advertising.slot.hail(nil) {
            advertising.hails.breakOff(at: clock.uptime)
            await air()
        }
        // Who has waited for the end of it.
        if !isProbed { await hail() }
        // The radio may have taken long. If a probe has ended meanwhile, the alarm fires at once.
        schedule(.probes, at: peers.probes.nextDeadline(at: begun))
    }

    /// Whether this device is to be heard as it is looked for: not where its user wants silence,
    /// whoever asks.
    var isProbed: Bool { apps.mayAdvertise && peers.probes.isAudible(at: clock.uptime) }

    /// Whether a device is heard, which may take until its next advertisement.
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

    /// How each transport of this device leads to another one, all of them tried at once.
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

    /// A trial for another device, which learns whether it was reached and nothing else: a failure
    /// is told at the end of the time that a trial has. The log keeps the reason.
    func discreetTrial(of transport: TransportTraits, to device: DeviceID) async -> Result<UInt32, HandoffError> {
        let deadline = clock.uptime + limit(of: transport)
        let outcome = await trial(of: transport, to: device)
        guard case .failure(let error) = outcome else { return outcome }
        logger.notice(
            "asked by \(name(of: device)), it was not reached by \(transport.kind.rawValue): \(error.message)",
            metadata: [LogMetadata.cause: "\(device)"])
        try? await clock.sleep(until: deadline)
        return .failure(Self.unreached)
    }

    /// How long a trial may take.
    private func limit(of transport: TransportTraits) -> Duration {
        transport.range == .radio ? Dialler.timeout : Self.trialTimeout
    }

    /// Opens a channel of its own, and has a frame go each way.
    ///
    /// - Returns: The milliseconds that it took.
    private func trial(of transport: TransportTraits, to device: DeviceID) async -> Result<UInt32, HandoffError> {
        let isRadio = transport.range == .radio
        if isRadio, radioStatus.condition != .ready {
            return .failure(HandoffError(.connectionUnavailable, radioStatus.summary))
        }
        let endpoints = endpoints(of: device).filter { $0.transport == transport.kind }
        guard let credential = keyring.credential(of: device), !endpoints.isEmpty, !lifecycle.isStopping else {
            return .failure(HandoffError(.connectionUnavailable, "no address of the other device is known"))
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

    /// Has a frame go each way, and returns when the channel has closed: what is found is not to
    /// be told before that, for a radio has one link to a device.
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
        guard answer == .trial else { throw HandoffError(.handoffFailed, "it answers with something else") }
    }

    private static func trialFailure(_ error: any Error, isRadio: Bool) -> HandoffError {
        let found = error as? HandoffError ?? HandoffError(unreachableBy: error)
        guard !isRadio, found.isUnanswered else { return found }
        return HandoffError(
            .connectionUnavailable, "nobody answers; a firewall may be between, or a network that keeps devices apart")
    }

    /// A member tries whether there is a way to this device. It closes the channel once it knows,
    /// for what is queued is lost with a channel; until then it counts as one that waits.
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
    /// What a device has reported, as users are told it.
    fileprivate init(_ report: ProbeReport) {
        self.init(
            hears: report.heard != nil, signal: report.heard?.signal, isMuted: report.isMuted,
            ways: report.ways.map { way in
                switch way.outcome {
                case .success(let time):
                    DeviceProbe.Way(transport: way.transport, time: .milliseconds(Int64(time)))
                case .failure(let error):
                    DeviceProbe.Way(transport: way.transport, time: nil, reason: error.message)
                }
            })
    }
}
