// SPDX-License-Identifier: Apache-2.0

internal import DBus

/// `org.batonproject.Baton1.Settings`: the user's settings in the configuration file.
package enum SettingsInterface: BusInterface {
    static let name = BatonBusName.settings
    /// Answers with the present settings. Sends the client the settings after each change until the
    /// client leaves.
    package static let follow: BusCall<Void, UserSettings> = BusCall(
        name, "Follow", returns: .dictionary("settings"), needs: .managing)
    /// Sets the value of a key, or removes the key if the value is empty.
    package static let set = BusCall(
        name, "Set",
        takes: .both(.line("key", 1...UserSettings.maximumLength), .line("value", 0...UserSettings.maximumLength)),
        needs: .managing)

    static let methods: [any BusMethod] = [follow, set]
    static let signals = [signal("Changed", ["settings": "a{sv}"])]
}

/// The user's settings.
extension BatonBusClient {
    /// Returns the settings, then the new settings after each change, including edits of the file.
    /// The stream finishes when the bus disconnects.
    ///
    /// Call this again when ``daemonPresence()`` reports that the daemon was restarted.
    public func settings() async throws -> AsyncStream<UserSettings> {
        let changes = try await events(of: BatonBusName.settings, member: "Changed") {
            try? UserSettings(bus: $0.arguments.first)
        }
        return Self.following(try await call(SettingsInterface.follow), changes)
    }

    /// Sets the value of a key in the configuration file, or removes the key if the value is empty.
    /// Documentation/Configuration.md lists the keys.
    public func set(_ key: String, to value: String) async throws {
        try await call(SettingsInterface.set, (key, value))
    }
}

extension UserSettings: BusDictionary {
    var bus: [String: DBusValue] {
        ["values": .properties(values.mapValues(plain)), "rules": .texts(rules)]
    }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self.init(
            values: (properties.values["values"]?.propertiesValue ?? [:]).compactMapValues(\.stringValue),
            rules: properties.strings("rules"))
    }
}
