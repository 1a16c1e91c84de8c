// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus

/// The interface for activities that are kept for searches.
extension BatonBusService {
    var saved: DBusInterface {
        DBusInterface(
            BatonBusName.saved,
            methods: [
                method("Save", [("type", "s"), ("properties", "a{sv}"), ("options", "a{sv}")]) {
                    handler, client, arguments in
                    var values = try Properties(arguments[1]).values
                    guard values.updateValue(arguments[0], forKey: "type") == nil else {
                        throw BatonError(
                            .invalidArgument, "type: it is an argument of its own; leave it out of the properties")
                    }
                    try await handler.save(
                        try SavedCoding.decode(values), application: Self.application(in: arguments[2]), client: client)
                    return []
                },
                method("Delete", [("persistentIdentifiers", "as"), ("options", "a{sv}")]) {
                    handler, client, arguments in
                    try await handler.deleteSaved(
                        persistentIdentifiers: Set(arguments[0].stringsValue ?? []),
                        application: Self.application(in: arguments[1]), client: client)
                    return []
                },
                method("DeleteAll", [("options", "a{sv}")]) { handler, client, arguments in
                    try await handler.deleteAllSaved(application: Self.application(in: arguments[0]), client: client)
                    return []
                },
                method("Find", [("query", "s"), ("options", "a{sv}")], [("activities", "aa{sv}")]) {
                    handler, client, arguments in
                    let query = arguments[0].stringValue ?? ""
                    let found = try await handler.savedActivities(
                        matching: query.isEmpty ? nil : query, application: Self.application(in: arguments[1]),
                        client: client)
                    let values = try found.map { DBusValue.properties(try SavedCoding.encode($0)) }
                    return [.array(elementSignature: "a{sv}", values)]
                },
            ])
    }

    /// The option `application`; there are no others yet.
    private static func application(in options: DBusValue) throws -> String? {
        var application: String?
        for (name, value) in try Properties(options).values {
            guard name == "application" else { throw BatonError.unknownOption(name, known: "application") }
            application = try value.stringValue.orInvalid("application", "a string")
        }
        return application
    }
}
