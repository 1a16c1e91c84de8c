// SPDX-License-Identifier: Apache-2.0

/// The metadata keys of batond's log.
public enum LogMetadata {
    /// The key for the cause of a line that other devices can trigger as often as they like.
    ///
    /// Its value is the id of a device in the circle, or ``anybodyNear``. batond limits the number
    /// of such lines per cause, and counts the lines that it leaves out (Service.md, "The log").
    public static let cause = "cause"
    /// The cause of lines that anyone with a radio can trigger.
    public static let anybodyNear = "radio"
}
