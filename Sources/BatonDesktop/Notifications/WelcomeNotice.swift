// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
import Glibc
import Wording

/// The notification that suggests once to each user to add another laptop.
///
/// The notification is shown only if the window is installed, because its button opens the window.
public struct WelcomeNotice: Sendable {
    /// The key of the notification, of which there is only one.
    static let key = NotificationKey(.welcome, "window")
    /// The file with which an administrator turns the notification off, relative to a configuration
    /// directory.
    static let switchOff = "baton/no-welcome"

    /// The file whose existence means that the notification was shown; nil to show none.
    private let marker: URL?
    private let isOff: Bool
    private(set) var isShown = false

    /// Creates a notice.
    ///
    /// - Parameters:
    ///   - directory: The state directory, which keeps a file once the notification was shown; nil
    ///     to show none.
    ///   - environment: The variables of the session.
    ///   - shell: The user's login shell, or nil for the login shell of this process's user.
    public init(
        directory: String?, environment: [String: String] = ProcessInfo.processInfo.environment, shell: String? = nil
    ) {
        let places = (environment["XDG_CONFIG_DIRS"] ?? "/etc/xdg").split(separator: ":")
        // The session of a display manager belongs to no person. A unit starts before its session,
        // and does not know the session's class. Since systemd 256, units have the class "manager"
        // of the user manager instead (pam_systemd(8)). But nobody can log in as the user of a
        // display manager.
        let kind = environment["XDG_SESSION_CLASS"] ?? ""
        let isOfUser =
            (kind.isEmpty || kind == "manager" || kind.hasPrefix("user"))
            && !["false", "nologin"].contains((shell ?? Self.loginShell).fileName)
        isOff = !isOfUser || places.contains { FileManager.default.fileExists(atPath: "\($0)/\(Self.switchOff)") }
        marker = directory.map { URL(filePath: $0).appending(path: "welcomed") }
    }

    /// The login shell of this process's user, or an empty text if it is unknown.
    private static var loginShell: String {
        getpwuid(geteuid())?.pointee.pw_shell.map { String(cString: $0) } ?? ""
    }

    /// Shows the notification if it was never shown to this user, and remembers that it was shown.
    ///
    /// - Parameter mayShow: Whether the window is installed and notifications are on.
    mutating func show(if mayShow: Bool) -> [NotificationChange] {
        guard mayShow, !isOff, !isShown, let marker, !FileManager.default.fileExists(atPath: marker.path),
            // Without the file, the notification would appear at each login.
            FileManager.default.createFile(
                atPath: marker.path, contents: Data(), attributes: [.posixPermissions: 0o600])
        else { return [] }
        isShown = true
        let notification = Notification(
            summary: tr("Baton is installed"),
            body: tr("Add your other laptop, and continue on one what you began on the other."),
            icon: "org.batonproject.Baton", application: BatonWindow.identifier,
            actions: [.init(NotificationStyle.continueAction, tr("Add a Laptop"))], stay: .untilAnswered)
        return [.show(notification, Self.key)]
    }

    /// Removes the notification, because this laptop is in a circle now or the user has answered.
    mutating func remove() -> [NotificationChange] {
        guard isShown else { return [] }
        isShown = false
        return [.remove(Self.key)]
    }
}
