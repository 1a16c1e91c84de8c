// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A property of activities that an app sets and that is sent to the other device.
///
/// ``all`` is the only list of these properties. All code that encodes, decodes, copies or checks
/// an activity uses this list. In the protocol, each property has a number (`activity.proto`). The
/// activity type is not a field, because it never changes.
package struct ActivityField: Sendable {
    /// The kind of a property's value, and the key path to the property in a state.
    package enum Value: Sendable {
        case text(any WritableKeyPath<ActivityState, String?> & Sendable)
        /// The address of a web page.
        case webpage(any WritableKeyPath<ActivityState, URL?> & Sendable)
        case date(any WritableKeyPath<ActivityState, Date?> & Sendable)
        case texts(any WritableKeyPath<ActivityState, Set<String>> & Sendable)
        case flag(any WritableKeyPath<ActivityState, Bool> & Sendable)
        /// ``ActivityState/userInfo``.
        case userInfo
    }

    /// The name of the property in Swift and on the bus.
    package let name: String
    package let value: Value

    package static let title = ActivityField(name: "title", value: .text(\.title))
    package static let userInfo = ActivityField(name: "userInfo", value: .userInfo)
    package static let webpageURL = ActivityField(name: "webpageURL", value: .webpage(\.webpageURL))
    package static let referrerURL = ActivityField(name: "referrerURL", value: .webpage(\.referrerURL))
    package static let expirationDate = ActivityField(name: "expirationDate", value: .date(\.expirationDate))
    package static let requiredUserInfoKeys = ActivityField(
        name: "requiredUserInfoKeys", value: .texts(\.requiredUserInfoKeys))
    package static let targetContentIdentifier = ActivityField(
        name: "targetContentIdentifier", value: .text(\.targetContentIdentifier))
    package static let persistentIdentifier = ActivityField(
        name: "persistentIdentifier", value: .text(\.persistentIdentifier))
    package static let supportsContinuationStreams = ActivityField(
        name: "supportsContinuationStreams", value: .flag(\.supportsContinuationStreams))

    /// Every field, in the order of the documentation.
    package static let all = [
        title, userInfo, webpageURL, referrerURL, expirationDate, requiredUserInfoKeys, targetContentIdentifier,
        persistentIdentifier, supportsContinuationStreams,
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private init(name: String, value: Value) {
        self.name = name
        self.value = value
    }

    /// Returns the field with a name, or nil if there is none.
    package init?(name: String) {
        guard let field = Self.byName[name] else { return nil }
        self = field
    }

    /// Copies this property from one state to another.
    package func copy(from source: ActivityState, to target: inout ActivityState) {
        switch value {
        case .text(let path): target[keyPath: path] = source[keyPath: path]
        case .webpage(let path): target[keyPath: path] = source[keyPath: path]
        case .date(let path): target[keyPath: path] = source[keyPath: path]
        case .texts(let path): target[keyPath: path] = source[keyPath: path]
        case .flag(let path): target[keyPath: path] = source[keyPath: path]
        case .userInfo: target.userInfo = source.userInfo
        }
    }
}

extension ActivityField: Hashable {
    package static func == (one: ActivityField, other: ActivityField) -> Bool { one.name == other.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
