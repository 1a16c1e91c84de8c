// SPDX-License-Identifier: Apache-2.0

/// The ports at which Baton listens. The ports are fixed so that a firewall rule can open them.
public enum FixedPorts {
    /// The TCP ports, one for each user who runs Baton on a machine. Baton tries them in order.
    ///
    /// IANA's registry assigns none of 21591 to 21799 (October 2025). A program that asks the
    /// kernel for any free port gets one above 32767 (ip(7)), so no other program gets these ports
    /// by chance.
    public static let all: ClosedRange<UInt16> = 21_740...21_743

    /// The UDP port at which the daemons of all users receive beacons.
    public static let datagrams: UInt16 = 21_740
}
