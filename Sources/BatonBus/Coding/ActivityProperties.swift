// SPDX-License-Identifier: Apache-2.0

public import ActivityModel

/// A client's change of an activity. Properties that the change does not name stay the same.
public struct ActivityProperties: Hashable, Sendable {
    /// The new values. The activity type has no meaning in a change.
    public var values: ActivityState
    /// The properties that change. A property is cleared if its new value is `nil` or empty.
    package var fields: Set<ActivityField>
    /// Whether the app has newer contents, which the daemon must request with `willSave`. `nil`
    /// leaves this unchanged.
    public var needsSave: Bool?

    /// Creates a change that takes all properties from a state.
    public init(_ values: ActivityState, needsSave: Bool? = nil) {
        self.init(values, fields: Set(ActivityField.all), needsSave: needsSave)
    }

    /// Creates a change that takes some properties from a state.
    package init(_ values: ActivityState, fields: Set<ActivityField>, needsSave: Bool? = nil) {
        self.values = values
        self.fields = fields
        self.needsSave = needsSave
    }

    /// Creates a change that sets only `needsSave`.
    public init(needsSave: Bool) {
        self.init(ActivityState(activityType: ""), fields: [], needsSave: needsSave)
    }

    /// Returns a state with this change applied. The type stays the same.
    public func applied(to state: ActivityState) -> ActivityState {
        fields.reduce(into: state) { $1.copy(from: values, to: &$0) }
    }
}
