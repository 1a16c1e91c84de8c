// SPDX-License-Identifier: Apache-2.0

/// What a connection accepts, so that no peer can make it grow without bound.
public struct DBusLimits: Hashable, Sendable {
    /// Containers inside each other in one message, variants included; D-Bus itself allows 64.
    public var depth = 64
    /// Values in one received message, containers and elements of arrays included, but for bytes in
    /// an array.
    public var values = 1 << 20
    /// Bytes of strings, paths, signatures and arrays of bytes in one received message.
    public var bytes = 16 << 20
    /// Combining marks in a row in a string, for a connection that strangers to the bus call: to
    /// compare or look up a string of n of them takes n² steps, half a minute for 512 KiB. One
    /// string with more has the whole message refused.
    public var combiningMarks = Int.max
    /// Calls that wait for a reply, all destinations together.
    public var pendingCalls = 1_024
    /// Calls of other peers that are being answered, all peers together.
    public var handledCalls = 512
    /// Calls of one peer that are being answered.
    public var handledCallsPerPeer = 128
    /// Bytes of received messages that wait to be looked at; beyond, nothing more is read from the
    /// bus until some were. A single message may be larger.
    public var receivedBytes = 63 << 20
    /// Bytes that wait to be written to the bus.
    public var outgoingBytes = 32 << 20
    /// Streams of signals that are open.
    public var subscriptions = 1_024

    /// The defaults.
    public init() {}
}
