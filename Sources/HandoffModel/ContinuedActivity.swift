// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

/// An activity that was fetched from another device: the answer of `Offers.Continue`.
public struct ContinuedActivity: Hashable, Sendable {
    /// The continuation's id, for `accept`, `openStreams` and `cancel`.
    public var continuation: String
    /// The activity that the other device handed over.
    public var activity: ActivityState
    /// The id of the device that the activity came from.
    public var device: String
    /// The name of the device that the activity came from.
    public var deviceName: String
    /// The transport that carried the activity: `l2cap`, `tcp` or `simulated`.
    public var transport: String
    /// The id of the app in which an adapter continues the activity.
    ///
    /// The id is nil if no adapter receives the activity, or if the app is unknown.
    public var application: String?

    /// The maximum number of undecided activities for one connection to the bus.
    ///
    /// An activity is undecided until the program has accepted or declined it.
    package static let maximumPerClient = 16

    /// Creates a fetched activity.
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
