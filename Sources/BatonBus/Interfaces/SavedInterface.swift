// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
internal import DBus
internal import Diagnosis

/// `org.batonproject.Baton1.Saved`: activities that apps save for searches.
///
/// The optional text of each call is the id of an app, or `nil` for the caller's own app.
package enum SavedInterface: BusInterface {
    static let name = BatonBusName.saved
    package static let save = BusCall(name, "Save", takes: .both(activity, application))
    package static let delete = BusCall(
        name, "Delete",
        takes: .both(BusArguments.strings("persistentIdentifiers").map({ Set($0) }, { $0.sorted() }), application))
    package static let deleteAll = BusCall(name, "DeleteAll", takes: application)
    /// Finds saved activities that match a query, or all if the query is `nil`.
    package static let find = BusCall(name, "Find", takes: .both(.optional("query"), application), returns: found)

    static let methods: [any BusMethod] = [save, delete, deleteAll, find]

    private static let activity = BusArguments<(String, [String: DBusValue])>
        .both(.string("type"), .values("properties")).map(
            { type, properties in
                var values = properties
                guard values.updateValue(.string(type), forKey: "type") == nil else {
                    throw BatonError(argument: "properties.type", .argumentNeedless)
                }
                return try SavedCoding.decode(values)
            },
            { (saved: SavedUserActivity) in
                var values = try SavedCoding.encode(saved)
                values["type"] = nil
                return (saved.state.activityType, values)
            })

    private static let application: BusArguments<String?> = BusArguments.values("options").map(
        { options in
            var application: String?
            for (name, value) in options {
                guard name == "application" else { throw BatonError.unknownOption(name, known: "application") }
                application = try value.stringValue.orInvalid("application", .string)
            }
            return application
        }, { $0.map { ["application": .string($0)] } ?? [:] })

    private static let found = BusArguments<[SavedUserActivity]>(
        "activities", "aa{sv}",
        encode: { .array(elementSignature: "a{sv}", try $0.map { .properties(try SavedCoding.encode($0)) }) },
        decode: {
            try $0.arrayValue.orInvalid("activities", .type("aa{sv}"))
                .map { try SavedCoding.decode(try Properties($0).values) }
        })
}

/// The activities that this app saves for searches.
///
/// The argument `application` is the app's id, for a program that the daemon cannot identify. If it
/// is nil, the daemon identifies the app.
extension BatonBusClient {
    /// Saves an activity. Replaces the saved version of the same activity, and a saved activity
    /// with the same persistent identifier.
    public func save(_ activity: SavedUserActivity, application: String? = nil) async throws {
        try await call(SavedInterface.save, (activity, application))
    }

    /// Deletes the saved activities with these persistent identifiers. Unknown identifiers are
    /// ignored.
    public func deleteSaved(persistentIdentifiers: Set<String>, application: String? = nil) async throws {
        try await call(SavedInterface.delete, (persistentIdentifiers, application))
    }

    /// Deletes all saved activities of this app.
    public func deleteAllSaved(application: String? = nil) async throws {
        try await call(SavedInterface.deleteAll, application)
    }

    /// Returns the saved activities of this app, the latest first.
    ///
    /// - Parameter query: Words that an activity must all contain, or nil for all activities.
    public func savedActivities(
        matching query: String? = nil, application: String? = nil
    ) async throws -> [SavedUserActivity] { try await call(SavedInterface.find, (query, application)) }
}
