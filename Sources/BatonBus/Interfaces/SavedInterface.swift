// SPDX-License-Identifier: Apache-2.0

public import ActivityModel
internal import DBus

/// `org.batonproject.Baton1.Saved`: activities that are kept for searches.
///
/// The optional text of each call is the id of an app, or `nil` for the caller's own.
package enum SavedInterface: BusInterface {
    static let name = BatonBusName.saved
    package static let save = BusCall(name, "Save", takes: .both(activity, application))
    package static let delete = BusCall(
        name, "Delete",
        takes: .both(BusArguments.strings("persistentIdentifiers").map({ Set($0) }, { $0.sorted() }), application))
    package static let deleteAll = BusCall(name, "DeleteAll", takes: application)
    /// `nil` as query finds all there are.
    package static let find = BusCall(
        name, "Find", takes: .both(.optional("query"), application), returns: found)

    static let methods: [any BusMethod] = [save, delete, deleteAll, find]

    private static let activity = BusArguments<(String, [String: DBusValue])>
        .both(.string("type"), .values("properties")).map(
            { type, properties in
                var values = properties
                guard values.updateValue(.string(type), forKey: "type") == nil else {
                    throw BatonError(
                        .invalidArgument, "type: it is an argument of its own; leave it out of the properties")
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
                application = try value.stringValue.orInvalid("application", "a string")
            }
            return application
        }, { $0.map { ["application": .string($0)] } ?? [:] })

    private static let found = BusArguments<[SavedUserActivity]>(
        "activities", "aa{sv}",
        encode: { .array(elementSignature: "a{sv}", try $0.map { .properties(try SavedCoding.encode($0)) }) },
        decode: {
            try $0.arrayValue.orInvalid("activities", "a list")
                .map { try SavedCoding.decode(try Properties($0).values) }
        })
}

/// Activities of this app that are kept for searches.
///
/// `application` is the app's id, for a program that the daemon does not know by itself; nil leaves
/// it to the daemon.
extension BatonBusClient {
    /// Keeps an activity, in place of what was kept of the same one, or of one with the same
    /// persistent identifier.
    public func save(_ activity: SavedUserActivity, application: String? = nil) async throws {
        try await call(SavedInterface.save, (activity, application))
    }

    /// Deletes those with these persistent identifiers; unknown ones do no harm.
    public func deleteSaved(persistentIdentifiers: Set<String>, application: String? = nil) async throws {
        try await call(SavedInterface.delete, (persistentIdentifiers, application))
    }

    /// Deletes all of this app's.
    public func deleteAllSaved(application: String? = nil) async throws {
        try await call(SavedInterface.deleteAll, application)
    }

    /// What is kept of this app's, the latest saved first.
    ///
    /// - Parameter query: Words, each of which must be found; nil for all there are.
    public func savedActivities(
        matching query: String? = nil, application: String? = nil
    ) async throws -> [SavedUserActivity] { try await call(SavedInterface.find, (query, application)) }
}
