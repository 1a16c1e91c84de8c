// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Whether this device and another one hear and reach each other, each way (Session.md, "Probe").
extension HandoffService {
    /// How long a device that is not heard is listened for.
    static let hearingPatience = Duration.seconds(10)
    /// How long a transport may take to lead to a device.
    static let trialTimeout = Duration.seconds(10)
    /// How long the other device may take for both.
    static let probeTimeout = Duration.seconds(30)

    /// Has another device answer, as ``ping(_:)`` does, and say what it hears of this one and how
    /// it reaches it; then this device does the same.
    ///
    /// - Parameter text: the device's id, or its name if no other device has the same.
    /// - Throws: ``ServiceError``, which says why it does not answer.
    public func probe(_ text: String) async throws -> ProbeAnswer {
        let (device, member) = try other(called: text)
        let answer = try await ping(member.device)
        peers.probes.begin()
        await reachabilityChanged()
        defer {
            peers.probes.end()
            background.begin { await self.reachabilityChanged() }
        }
        do {
            async let heard = heard(device)
            let there = try await ask(device, until: clock.uptime + Self.probeTimeout) {
                try await $0.probe(timeout: Self.probeTimeout)
            }
            let here = ProbeReport(
                heard: await heard, ways: await ways(to: device), isSilent: !apps.mayAdvertise)
            return ProbeAnswer(ping: answer, here: here, there: there)
        } catch let error as HandoffError where error.code == .remoteApplicationTimedOut {
            throw ServiceError(
                .remoteApplicationTimedOut,
                "\(member.name) answers pings, and not this; Baton there may be older than here: update it")
        } catch let error as HandoffError {
            throw ServiceError(error, of: member.name)
        }
    }

    func linkIsProbed(_ link: PeerLink) async -> Result<ProbeReport, HandoffError> {
        let device = link.device
        guard peers.probes.serve(device, at: clock.uptime) else {
            return .failure(HandoffError(.busy, "it was asked too often; try again in three minutes"))
        }
        await probesChanged()
        let heard = await heard(device)
        return .success(ProbeReport(heard: heard, ways: await ways(to: device), isSilent: !apps.mayAdvertise))
    }

    /// For as long as somebody looks for this device it is to be heard.
    private func probesChanged() async {
        await reachabilityChanged()
        alarms.set(.probes, to: peers.probes.nextDeadline(at: clock.uptime), clock) { [weak self] in
            await self?.probesAlarmWentOff()
        }
    }

    private func probesAlarmWentOff() async {
        alarms.wentOff(.probes)
        await probesChanged()
    }

    /// Whether a device is heard, which may take until its next advertisement.
    private func heard(_ device: DeviceID) async -> ProbeReport.Heard? {
        guard radioStatus.condition == .ready else { return nil }
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
    private func ways(to device: DeviceID) async -> [ProbeReport.Way] {
        let kinds = [radio.kind] + (tcp.map { [$0.kind] } ?? [])
        return await withTaskGroup(of: (Int, ProbeReport.Way).self) { group in
            for (index, kind) in kinds.enumerated() {
                group.addTask {
                    (index, ProbeReport.Way(transport: kind.rawValue, outcome: await self.trial(of: kind, to: device)))
                }
            }
            var found: [(Int, ProbeReport.Way)] = []
            for await way in group { found.append(way) }
            return found.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Opens a channel of its own, and has a frame go each way.
    ///
    /// - Returns: The milliseconds that it took.
    private func trial(of kind: TransportKind, to device: DeviceID) async -> Result<UInt32, HandoffError> {
        if kind == radio.kind, radioStatus.condition != .ready {
            return .failure(HandoffError(.connectionUnavailable, radioStatus.summary))
        }
        let endpoints = endpoints(of: device).filter { $0.transport == kind }
        guard let credential = keyring.credential(of: device), !endpoints.isEmpty else {
            return .failure(HandoffError(.connectionUnavailable, "no address of it is known"))
        }
        let begun = clock.uptime
        do {
            let channel = try await dial(endpoints, credential, until: begun + Self.trialTimeout)
            defer { channel.close() }
            channel.send(.trial)
            guard case .trial = try await channel.nextFrame(within: Self.trialTimeout) else {
                return .failure(HandoffError(.handoffFailed, "it answers with something else"))
            }
            return .success(UInt32(clamping: Int((clock.uptime - begun) / .milliseconds(1))))
        } catch let error as HandoffError {
            return .failure(error)
        } catch {
            return .failure(Self.unreachable(error))
        }
    }

    /// A channel that is dialled in time.
    private func dial(
        _ endpoints: [Endpoint], _ credential: PeerCredential, until deadline: Duration
    ) async throws -> SecureChannel {
        try await withThrowingTaskGroup(of: SecureChannel?.self) { group in
            group.addTask { try await self.race(endpoints, credential: credential) }
            group.addTask { [clock] in
                try await clock.sleep(until: deadline)
                return nil
            }
            let first = await group.nextResult()
            group.cancelAll()
            // A channel that came up while it was being given up is nobody's.
            while let late = await group.nextResult() {
                if case .success(let channel?) = late { channel.close() }
            }
            guard let channel = try first?.get() else { throw ChannelFailure.timedOut }
            return channel
        }
    }
}
