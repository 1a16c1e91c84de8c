// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import FoundationEssentials
import Glibc

/// The air between the simulated radios of a directory: sets its conditions, for tests and for
/// people.
public struct SimulatedAir: Sendable {
    /// The directory that the radios share.
    public let directory: String

    /// The air of a directory, which a radio or ``set(_:)`` creates.
    public init(directory: String) {
        self.directory = directory
    }

    /// Writes `conditions.json` atomically; the radios notice within one interval.
    ///
    /// - Throws: `TransportError`: `.invalidArgument` when a value is out of its range or the
    ///   directory is not the user's alone; another when the file cannot be written.
    public func set(_ conditions: AirConditions) throws {
        if let flaw = conditions.flaw { throw TransportError(.invalidArgument, "conditions: \(flaw)") }
        let place = SocketDirectory(path: directory)
        try place.prepare()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            // Written beside and renamed: no radio reads half a file.
            try encoder.encode(conditions).write(to: URL(fileURLWithPath: place.conditionsPath), options: .atomic)
        } catch {
            throw TransportError(.resourceExhausted, "cannot write \(place.conditionsPath)", cause: "\(error)")
        }
    }

    /// Removes `conditions.json`: the air is clear again.
    public func clear() {
        unlink(SocketDirectory(path: directory).conditionsPath)
    }

    /// The radios that are in the directory, by address, in order.
    public func addresses() -> [String] {
        SocketDirectory(path: directory).addresses()
    }
}
