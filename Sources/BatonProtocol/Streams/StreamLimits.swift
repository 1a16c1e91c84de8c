// SPDX-License-Identifier: Apache-2.0

/// The limits for open pairs of streams. ``StreamMachine/Limits`` has their times.
public enum StreamLimits {
    /// The maximum number of pairs with one device, whichever side opened them.
    ///
    /// A Bluetooth link carries no more.
    public static let maximumPerDevice = 32
    /// The maximum number of pairs in total.
    public static let maximumCount = 256
}
