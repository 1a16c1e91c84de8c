// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus

/// What a program says of an activity when it publishes it, and never again.
public struct PublishOptions: Hashable, Sendable {
    /// The team of the apps that may continue it; nil leaves it to the daemon.
    public var team: String?
    /// The id of the app that does it, where a program speaks for one that does not know Baton; nil
    /// for the program's own.
    public var application: String?
    /// The connection of the program that does it, where an adapter speaks for that: the daemon
    /// judges the program by itself. Nil for a program without a connection, and for whoever speaks
    /// for itself.
    public var speaker: ClientID?
    /// Whether it is offered only while no other activity of this device is current that is not for
    /// the background.
    public var isBackground: Bool

    /// What a program says.
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
    /// The keys that `Publish` has beside those of the contents.
    static let keys: Set<String> = ["team", "application", "speaker", "background"]

    init(bus values: [String: DBusValue]) throws {
        self.init(
            team: try values["team"].map { try UserInfoReader.text($0).orInvalid("team", "a string") },
            application: try values["application"].map { try $0.stringValue.orInvalid("application", "a string") },
            speaker: try values["speaker"].map(Self.speaker),
            isBackground: try values["background"].map { try $0.boolValue.orInvalid("background", "a boolean") }
                ?? false)
    }

    /// The unique bus name of a program that an adapter speaks for.
    ///
    /// A well-known name is refused: by the time that it is looked up, it may be another program's.
    static func speaker(_ value: DBusValue) throws -> ClientID {
        let name = value.stringValue.flatMap { $0.hasPrefix(":") ? $0 : nil }
        return ClientID(rawValue: try name.orInvalid("speaker", "a unique bus name, such as :1.42"))
    }

    /// A daemon takes what it is not told for false.
    var bus: [String: DBusValue] {
        var values: [String: DBusValue] = [:]
        values["team"] = team.map(UserInfoWriter.text)
        values["application"] = application.map(DBusValue.string)
        values["speaker"] = speaker.map { DBusValue.string($0.rawValue) }
        if isBackground { values["background"] = .bool(true) }
        return values
    }
}
