// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

/// A client's change of an activity. It changes only the properties that it names.
public struct ActivityProperties: Hashable, Sendable {
    /// A property that is sent with the activity. The raw value is its name on the bus.
    public enum Field: String, CaseIterable, Hashable, Sendable {
        case title, userInfo, webpageURL, referrerURL, expirationDate, requiredUserInfoKeys, targetContentIdentifier
        case persistentIdentifier, supportsContinuationStreams
    }

    /// The new values. The activity type has no meaning in a change.
    public var values: ActivityState
    /// The properties that change. A property is cleared if its new value is `nil` or empty.
    public var fields: Set<Field>
    /// Whether the app has newer contents to send when `willSave` asks for them, or `nil` to leave
    /// this unchanged.
    public var needsSave: Bool?

    /// Creates a change that takes some or all properties from a state.
    public init(_ values: ActivityState, fields: Set<Field> = Set(Field.allCases), needsSave: Bool? = nil) {
        self.values = values
        self.fields = fields
        self.needsSave = needsSave
    }

    /// Creates a change of `needsSave` only.
    public init(needsSave: Bool) {
        self.init(ActivityState(activityType: ""), fields: [], needsSave: needsSave)
    }

    /// Returns a state with this change applied. The type stays the same.
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
