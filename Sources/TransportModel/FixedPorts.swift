// SPDX-License-Identifier: Apache-2.0

/// The TCP ports at which Baton listens, so that a firewall can be told which to open.
public enum FixedPorts {
    /// One port for each user who runs Baton on a machine, tried in order.
    ///
    /// IANA's registry assigns none of 21591 to 21799 (October 2025). The kernel gives a program
    /// that asks for any port one above 32767 (ip(7)), so no other connection has these by chance.
    public static let all: ClosedRange<UInt16> = 21_740...21_743
}
