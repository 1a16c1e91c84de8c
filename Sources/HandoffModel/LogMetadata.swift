// SPDX-License-Identifier: Apache-2.0

/// The metadata keys of batond's log.
public enum LogMetadata {
    /// The key for the cause of a line that others can trigger at will.
    ///
    /// Its value is the id of a device in the circle, or ``anybodyNear``. batond limits the number
    /// of such lines per cause, and counts the rest (Service.md, "The log").
    public static let cause = "cause"
    /// The cause of lines that anyone with a radio can trigger.
    public static let anybodyNear = "radio"
}
