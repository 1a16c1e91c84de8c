// SPDX-License-Identifier: Apache-2.0

/// Sentences about the requests of sandboxed apps.
public enum GrantWords {
    /// Returns an app's id with the kind of its sandbox.
    ///
    /// - Parameter sandbox: The kind of sandbox, as the session bus names it.
    public static func app(_ identifier: String, sandbox: String) -> String {
        switch sandbox {
        case "flatpak": tr("{app} (Flatpak)", ["app": identifier])
        case "snap": tr("{app} (snap)", ["app": identifier])
        default: tr("{app} (sandboxed)", ["app": identifier])
        }
    }

    /// Returns what an app asks for.
    ///
    /// - Parameters:
    ///   - types: The activity types that are not the app's own, as a list for people. It is empty
    ///     if the request is about the team alone.
    ///   - team: The team, or an empty text for none.
    public static func wish(types: String, team: String) -> String {
        switch (types.isEmpty, team.isEmpty) {
        case (true, true): tr("It wants to exchange its activities with all apps.")
        case (true, false):
            tr("It wants to exchange its activities with all apps of the team \"{team}\".", ["team": team])
        case (false, true): tr("It wants to get and to publish {types}.", ["types": types])
        case (false, false):
            tr("It wants to get and to publish {types} of the team \"{team}\".", ["types": types, "team": team])
        }
    }

    /// Returns what an app may do, or may not do. The arguments are the same as for
    /// ``wish(types:team:)``.
    public static func right(types: String, team: String) -> String {
        switch (types.isEmpty, team.isEmpty) {
        case (true, true): tr("To exchange its activities with all apps")
        case (true, false): tr("To exchange its activities with all apps of the team \"{team}\"", ["team": team])
        case (false, true): tr("To get and to publish {types}", ["types": types])
        case (false, false):
            tr("To get and to publish {types} of the team \"{team}\"", ["types": types, "team": team])
        }
    }
}
