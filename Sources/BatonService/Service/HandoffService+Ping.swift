// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Finds out whether another device of the circle answers, over which transport, and how fast.
extension HandoffService {
    /// How long a device may take to be reached and to answer.
    static let pingTimeout = Duration.seconds(30)
    /// How long a device's known endpoints may take to answer before the device is hailed, if this
    /// device can hail. An address that is out of date may never answer.
    static let pingPatience = Duration.seconds(5)

    /// Makes another device answer, over the link that
    /// ``continueOffer(_:timeout:client:account:near:)`` would use. The link may be an open one or
    /// a new one.
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
}
