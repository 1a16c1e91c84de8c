// SPDX-License-Identifier: Apache-2.0

import BatonTransport
import FoundationEssentials
import Glibc

/// The air between the simulated radios of a directory, whose conditions tests and people can set.
public struct SimulatedAir: Sendable {
    /// The directory that the radios share.
    public let directory: String

    /// Creates the air of a directory. A radio or ``set(_:)`` creates the directory.
    public init(directory: String) { self.directory = directory }

    /// Writes `conditions.json` atomically. The radios notice the new conditions within one
    /// interval.
    ///
    /// - Throws: `TransportError`, with `.invalidArgument` if a value is out of range or others can
    ///   write to the directory, and with another code if the file cannot be written.
    public func set(_ conditions: AirConditions) throws {
        if let flaw = conditions.flaw { throw TransportError(.invalidArgument, "conditions: \(flaw)") }
        let place = SocketDirectory(path: directory)
        try place.prepare()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        do {
            // The file is written beside the old one and renamed, so that no radio reads half a
            // file.
            try encoder.encode(conditions).write(to: URL(fileURLWithPath: place.conditionsPath), options: .atomic)
        } catch {
            throw TransportError(.resourceExhausted, "cannot write \(place.conditionsPath)", cause: "\(error)")
        }
    }

    /// Removes `conditions.json`, so that the air is clear again.
    public func clear() { unlink(SocketDirectory(path: directory).conditionsPath) }

    /// Returns the addresses of the radios in the directory, sorted.
    public func addresses() -> [String] { SocketDirectory(path: directory).addresses() }
}
