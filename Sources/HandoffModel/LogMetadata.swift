// SPDX-License-Identifier: Apache-2.0

/// The metadata keys of batond's log.
public enum LogMetadata {
    /// The key of whoever can cause a line as often as it likes: a device of the circle, by its id,
    /// or ``anybodyNear``. Of such lines batond writes so many, and counts the others
    /// (Service.md, "The log").
    public static let cause = "cause"
    /// Whoever has a radio.
    public static let anybodyNear = "radio"
}
