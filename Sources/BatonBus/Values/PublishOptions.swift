// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus

/// The options that a program sets when it publishes an activity. The options of an activity never
/// change.
public struct PublishOptions: Hashable, Sendable {
    /// The team of the apps that may continue the activity, or nil to let the daemon choose.
    public var team: String?
    /// The id of the app for which the program publishes, or nil for the program's own app.
    public var application: String?
    /// The bus connection of the program for which an adapter speaks, so that the daemon can check
    /// that program. The value is nil if the program has no bus connection, or if the publisher
    /// speaks for itself.
    public var speaker: ClientID?
    /// Whether this device offers the activity only while no activity without this option is
    /// current.
    public var isBackground: Bool

    /// Creates options.
    public init(
        team: String? = nil, application: String? = nil, speaker: ClientID? = nil, isBackground: Bool = false
    ) {
        self.team = team
        self.application = application
        self.speaker = speaker
        self.isBackground = isBackground
    }
}

extension PublishOptions {
    /// The keys of `Publish` that are not properties of the activity.
    static let keys: Set<String> = ["team", "application", "speaker", "background"]

    init(bus values: [String: DBusValue]) throws {
        self.init(
            team: try values["team"].map { try UserInfoReader.text($0).orInvalid("team", .string) },
            application: try values["application"].map { try $0.stringValue.orInvalid("application", .string) },
            speaker: try values["speaker"].map(Self.speaker),
            isBackground: try values["background"].map { try $0.boolValue.orInvalid("background", .bool) }
                ?? false)
    }

    /// Reads the bus name of a program for which an adapter speaks, which must be a unique name.
    ///
    /// A well-known name is refused, because another program may own the name by the time that the
    /// daemon looks it up.
    static func speaker(_ value: DBusValue) throws -> ClientID {
        let name = value.stringValue.flatMap { $0.hasPrefix(":") ? $0 : nil }
        return ClientID(rawValue: try name.orInvalid("speaker", .form(.busName)))
    }

    /// The options as the properties of `Publish`. A missing Boolean means false.
    var bus: [String: DBusValue] {
        var values: [String: DBusValue] = [:]
        values["team"] = team.map(UserInfoWriter.text)
        values["application"] = application.map(DBusValue.string)
        values["speaker"] = speaker.map { DBusValue.string($0.rawValue) }
        if isBackground { values["background"] = .bool(true) }
        return values
    }
}
