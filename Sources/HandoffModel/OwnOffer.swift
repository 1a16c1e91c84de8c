// SPDX-License-Identifier: Apache-2.0

/// The activity that this device offers to the circle's other devices.
public struct OwnOffer: Hashable, Sendable {
    /// The activity's type.
    public var type: String
    /// The title, if the app set one.
    public var title: String?
    /// The id of the app that publishes the activity, or nil if it is unknown.
    public var application: String?

    /// Creates the description of an offered activity.
    public init(type: String, title: String? = nil, application: String? = nil) {
        self.type = type
        self.title = title
        self.application = application
    }
}
