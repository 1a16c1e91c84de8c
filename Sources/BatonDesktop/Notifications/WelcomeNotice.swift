// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
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
    public init(
        directory: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) {
        let places = (environment["XDG_CONFIG_DIRS"] ?? "/etc/xdg").split(separator: ":")
        // The session of a display manager belongs to no person. Since systemd 256, the user
        // manager of a person is a session of the class "manager" (pam_systemd(8)), and its units
        // start with that class.
        let kind = environment["XDG_SESSION_CLASS"] ?? ""
        let isOfUser = kind.isEmpty || kind == "manager" || kind.hasPrefix("user")
        isOff = !isOfUser || places.contains { FileManager.default.fileExists(atPath: "\($0)/\(Self.switchOff)") }
        marker = directory.map { URL(filePath: $0).appending(path: "welcomed") }
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
