// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Logging

/// Devices that fetch again and again and never take anything over, and what the user does about
/// them.
extension HandoffService {
    /// Gives a device nothing for ``UnacceptedFetches/stop``.
    ///
    /// - Parameter text: Its id, in capitals or not, or its name if no other device has the same.
    /// - Returns: Which it is, and until when.
    public func stopDevice(_ text: String) throws -> CircleMember {
        let device = try otherDevice(called: text)
        apps.fetches.stop(device, at: clock.uptime, unixTime: clock.unixTime)
        for pair in streams.all where pair.isOrigin && stop(of: pair.way.device) != nil { pair.handle.stop() }
        logger.notice("\(name(of: device)) (\(device)) gets nothing from this device for an hour: the user stopped it")
        return try member(called: device.description)
    }

    /// Gives a device again what it asks for.
    ///
    /// - Parameter text: As for ``stopDevice(_:)``.
    /// - Returns: Which it is, and whether it was stopped.
    public func allowDevice(_ text: String) throws -> (member: CircleMember, wasStopped: Bool) {
        let device = try otherDevice(called: text)
        let wasStopped = apps.fetches.allow(device, at: clock.uptime)
        if wasStopped { logger.notice("\(name(of: device)) (\(device)) is no longer stopped") }
        return (try member(called: device.description), wasStopped)
    }

    private func otherDevice(called text: String) throws -> DeviceID {
        let member = try member(called: text)
        guard !member.isThisDevice else {
            throw BatonError(.invalidArgument, "device: \(member.name) is this device; name another one")
        }
        guard let device = circle?.roster.members.keys.first(where: { $0.description == member.device }) else {
            throw BatonError(.notFound, "there is no device \(text) in the circle; see 'baton devices'")
        }
        return device
    }

    /// Why a device gets nothing: it was stopped, or the one by way of which it came in; nil if it
    /// gets what it asks for.
    func stop(of device: DeviceID) -> HandoffError? {
        let isStopped = [device, account(of: device)].contains { apps.fetches.stopEnd(of: $0, at: clock.uptime) != nil }
        return isStopped ? Self.stopped : nil
    }

    /// Notes that an activity has left for a device, and tells the user when that fetches too
    /// often.
    func noteFetch(of entry: ActivityRegistry.Entry, by device: DeviceID) {
        tellGiven(
            GivenActivity(
                device: device.description, deviceName: name(of: device), application: entry.application,
                type: entry.state.activityType))
        let device = account(of: device)
        guard let count = apps.fetches.fetched(entry.instance, by: device, at: clock.uptime) else { return }
        logger.notice(
            "\(name(of: device)) (\(device)) has fetched \(count) times again what is done here, and has not gone on with it; 'baton stop \(device)' gives it nothing for an hour",
            metadata: [LogMetadata.cause: "\(device)"])
        news.tell(RepeatedFetches(device: device.description, deviceName: name(of: device), count: count))
    }

    private static let stopped = HandoffError(
        .userCancelled, "the user of the other device has stopped this one; 'baton stop --undo' there allows it again")
}
