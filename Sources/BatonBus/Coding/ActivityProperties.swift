// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

/// The properties of an activity that a client gives for a change: only those it names are changed.
public struct ActivityProperties: Hashable, Sendable {
    /// A property that travels; the raw value is its name on the bus.
    public enum Field: String, CaseIterable, Hashable, Sendable {
        case title, userInfo, webpageURL, referrerURL, expirationDate, requiredUserInfoKeys, targetContentIdentifier
        case persistentIdentifier, supportsContinuationStreams
    }

    /// Where the new values stand; its activity type is of no meaning in a change.
    public var values: ActivityState
    /// Which properties change. One whose new value is `nil` or empty is cleared.
    public var fields: Set<Field>
    /// Whether the app has newer contents that it would hand over when asked by `willSave`; `nil`:
    /// as before.
    public var needsSave: Bool?

    /// A change of some properties, or of all of them, to the values of a state.
    public init(_ values: ActivityState, fields: Set<Field> = Set(Field.allCases), needsSave: Bool? = nil) {
        self.values = values
        self.fields = fields
        self.needsSave = needsSave
    }

    /// A change of `needsSave` alone.
    public init(needsSave: Bool) {
        self.init(ActivityState(activityType: ""), fields: [], needsSave: needsSave)
    }

    /// The state that comes of a change of another; the type stays.
    public func applied(to state: ActivityState) -> ActivityState {
        var result = state
        for field in fields {
            switch field {
            case .title: result.title = values.title
            case .userInfo: result.userInfo = values.userInfo
            case .webpageURL: result.webpageURL = values.webpageURL
            case .referrerURL: result.referrerURL = values.referrerURL
            case .expirationDate: result.expirationDate = values.expirationDate
            case .requiredUserInfoKeys: result.requiredUserInfoKeys = values.requiredUserInfoKeys
            case .targetContentIdentifier: result.targetContentIdentifier = values.targetContentIdentifier
            case .persistentIdentifier: result.persistentIdentifier = values.persistentIdentifier
            case .supportsContinuationStreams: result.supportsContinuationStreams = values.supportsContinuationStreams
            }
        }
        return result
    }
}
