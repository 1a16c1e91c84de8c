// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonProtocol
import BatonTransport
import Diagnosis
import Logging

/// Stops devices that fetch repeatedly and never take anything over, and allows them again.
extension HandoffService {
    /// Denies a device all activities and streams for ``UnacceptedFetches/stop``.
    ///
    /// - Parameter text: The device's id in upper or lower case, or its name if no other device has
    ///   the same name.
    /// - Returns: The device, with the time at which the stop ends.
    public func stopDevice(_ text: String) throws -> CircleMember {
        let (device, _) = try other(called: text)
        peers[device].fetches.stop(at: clock.uptime, unixTime: clock.unixTime)
        for pair in streams.all where pair.isOrigin && stop(of: pair.way.device) != nil { pair.handle.stop() }
        logger.notice("\(name(of: device)) (\(device)) gets nothing from this device for an hour: the user stopped it")
        return try member(called: device.description)
    }

    /// Lets a stopped device fetch activities and open streams again.
    ///
    /// - Parameter text: As for ``stopDevice(_:)``.
    /// - Returns: The device, and whether it was stopped.
    public func allowDevice(_ text: String) throws -> (member: CircleMember, wasStopped: Bool) {
        let (device, _) = try other(called: text)
        let wasStopped = peers[device].fetches.allow(at: clock.uptime)
        if wasStopped { logger.notice("\(name(of: device)) (\(device)) is no longer stopped") }
        return (try member(called: device.description), wasStopped)
    }

    /// Returns the error for a device that the user has stopped, or whose account is stopped; nil
    /// if the device may fetch.
    func stop(of device: DeviceID) -> HandoffError? {
        let isStopped = [device, account(of: device)].contains { peers[$0].fetches.stopEnd(at: clock.uptime) != nil }
        return isStopped ? Self.stopped : nil
    }

    /// Records that a device fetched an activity, and notifies the user if it fetches too often.
    func noteFetch(of entry: ActivityRegistry.Entry, by device: DeviceID) {
        tellGiven(
            GivenActivity(
                device: device.description, deviceName: name(of: device), application: entry.application,
                type: entry.state.activityType))
        let device = account(of: device)
        guard let count = peers[device].fetches.fetched(entry.instance, at: clock.uptime) else { return }
        logger.notice(
            "\(name(of: device)) (\(device)) has fetched \(count) times again what is done here, and has not gone on with it; 'baton stop \(device)' gives it nothing for an hour",
            metadata: [LogMetadata.cause: "\(device)"])
        news.tell(RepeatedFetches(device: device.description, deviceName: name(of: device), count: count))
    }

    private static let stopped = HandoffError(.userCancelled, .stopped)
}
