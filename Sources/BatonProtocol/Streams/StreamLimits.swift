// SPDX-License-Identifier: Apache-2.0

/// How many pairs of streams a device has open, or has let others open. How long one waits:
/// ``StreamMachine/Limits``.
public enum StreamLimits {
    /// As many as one device may have, whichever side opened them: a Bluetooth link carries no
    /// more.
    public static let maximumPerDevice = 32
    /// As many as there may be in all.
    public static let maximumCount = 256
}
