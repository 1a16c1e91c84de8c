// SPDX-License-Identifier: Apache-2.0

/// The limits of a connection, so that no peer can make it grow without bound.
public struct DBusLimits: Hashable, Sendable {
    /// The nesting depth of containers in one message, including variants. D-Bus itself allows 64.
    public var depth = 64
    /// The number of values in one received message.
    ///
    /// Containers and array elements count, but not the bytes of byte arrays.
    public var values = 1 << 20
    /// The total bytes of strings, paths, signatures and byte arrays in one received message.
    public var bytes = 16 << 20
    /// The number of successive combining marks in a string. Lower this limit for a connection that
    /// untrusted peers call.
    ///
    /// Comparing or looking up a string of n marks takes n² steps: half a minute for 512 KiB. A
    /// longer run makes the connection refuse the whole message.
    public var combiningMarks = Int.max
    /// The number of calls that wait for a reply, for all destinations together.
    public var pendingCalls = 1_024
    /// The number of incoming calls that are being answered, for all peers together.
    public var handledCalls = 512
    /// The number of incoming calls of one peer that are being answered.
    public var handledCallsPerPeer = 128
    /// The total bytes of received messages that wait to be handled. Beyond this limit, the
    /// connection reads nothing more from the bus. A single message may exceed the limit.
    public var receivedBytes = 63 << 20
    /// The number of bytes that wait to be written to the bus.
    public var outgoingBytes = 32 << 20
    /// The number of open signal streams.
    public var subscriptions = 1_024

    /// Creates the default limits.
    public init() {}
}
