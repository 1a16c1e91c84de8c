// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

/// An activity that was fetched from another device: the answer of `Offers.Continue`.
public struct ContinuedActivity: Hashable, Sendable {
    /// The continuation's id, for `accept`, `openStreams` and `cancel`.
    public var continuation: String
    /// What the other device handed over.
    public var activity: ActivityState
    /// The id of the device that it came from.
    public var device: String
    /// That device's name.
    public var deviceName: String
    /// What carried it: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// The id of the app in which an adapter goes on with it, as the user is shown; `nil` for what
    /// no adapter is given, or where none is known.
    public var application: String?

    /// How many a program may have that it has yet to accept, on one connection to the bus.
    package static let maximumPerClient = 16

    /// A fetched activity.
    public init(
        continuation: String, activity: ActivityState, device: String, deviceName: String, transport: String,
        application: String? = nil
    ) {
        self.continuation = continuation
        self.activity = activity
        self.device = device
        self.deviceName = deviceName
        self.transport = transport
        self.application = application
    }
}
