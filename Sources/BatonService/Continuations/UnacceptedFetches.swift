// SPDX-License-Identifier: Apache-2.0

import BatonProtocol

/// How often each device has fetched the same activities again without taking them over, and which
/// devices the user has stopped.
///
/// A device that follows what somebody writes fetches one activity again and again. One that is
/// used fetches an activity once or twice, and takes it over: each that it takes over makes up for
/// one that it has fetched again. In memory only: uptimes come in.
struct UnacceptedFetches: Sendable {
    /// How often a device fetches again what it has fetched, without taking anything over, before
    /// the user is told.
    static let tolerated = 10
    /// How long after its last fetch a device begins anew.
    static let memory = Duration.seconds(3_600)
    /// How long a device that the user has stopped gets nothing.
    static let stop = Duration.seconds(3_600)
    /// How many activities of a device are known again; those fetched first go first.
    static let maximumActivities = 16

    private struct Entry: Sendable {
        var activities: [[UInt8]] = []
        var count = 0
        var isTold = false
        var last = Duration.zero
    }

    private var entries: [DeviceID: Entry] = [:]
    /// The uptimes until which devices get nothing, and the same in seconds since 1970.
    private var stops: [DeviceID: (end: Duration, unixTime: Int64)] = [:]

    /// Of how many devices something is remembered.
    var count: Int { Set(entries.keys).union(stops.keys).count }

    /// A device has got an activity.
    ///
    /// - Returns: How often it has fetched again without taking anything over, if the user is to be
    ///   told now: once, until it has made up for all.
    mutating func fetched(_ instance: [UInt8], by device: DeviceID, at uptime: Duration) -> Int? {
        forget(at: uptime)
        var entry = entries[device] ?? Entry()
        defer { entries[device] = entry }
        entry.last = uptime
        guard entry.activities.contains(instance) else {
            entry.activities = (entry.activities + [instance]).suffix(Self.maximumActivities)
            return nil
        }
        entry.count += 1
        guard entry.count >= Self.tolerated, !entry.isTold else { return nil }
        entry.isTold = true
        return entry.count
    }

    /// A device has taken an activity over.
    mutating func accepted(by device: DeviceID) {
        guard var entry = entries[device] else { return }
        entry.count = max(0, entry.count - 1)
        if entry.count == 0 { entry.isTold = false }
        entries[device] = entry
    }

    /// The user wants that a device gets nothing for a while.
    mutating func stop(_ device: DeviceID, at uptime: Duration, unixTime: Int64) {
        forget(at: uptime)
        stops[device] = (uptime + Self.stop, unixTime + Self.stop.components.seconds)
    }

    /// The user allows a device again; what it has fetched until now does not count.
    ///
    /// - Returns: Whether it was stopped.
    mutating func allow(_ device: DeviceID, at uptime: Duration) -> Bool {
        forget(at: uptime)
        entries[device] = nil
        return stops.removeValue(forKey: device) != nil
    }

    /// Until when a device gets nothing, in seconds since 1970; nil if it gets what it asks for.
    func stopEnd(of device: DeviceID, at uptime: Duration) -> Int64? {
        stops[device].flatMap { $0.end > uptime ? $0.unixTime : nil }
    }

    /// Of other devices nothing is kept.
    mutating func keep(where isKept: (DeviceID) -> Bool) {
        entries = entries.filter { isKept($0.key) }
        stops = stops.filter { isKept($0.key) }
    }

    private mutating func forget(at uptime: Duration) {
        entries = entries.filter { $0.value.last + Self.memory > uptime }
        stops = stops.filter { $0.value.end > uptime }
    }
}
