// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import Glibc

/// The facts that an adapter's desktop entry gives about one of its apps
/// (Documentation/DesktopEntries.md).
public struct AdaptedAppFacts: Hashable, Sendable {
    /// The maximum number of files to look for.
    static let maximumFiles = 16
    /// The maximum length of a text, in UTF-8 bytes.
    static let maximumText = 1_024

    /// The value of `GoesOn`: what Baton hands over from the app, in English words for people.
    public let goesOn: String
    /// The value of `Needs`: paths, one of which must exist. A `*` stands for any characters in a
    /// name.
    ///
    /// If there are no paths, the app needs nothing more.
    public let needs: [String]
    /// The value of `Package`: the package that contains the needed file, or nil if the entry names
    /// none.
    public let package: String?

    /// Reads the group of an app. Returns nil if there is no such group.
    ///
    /// Texts that are too long or that contain invisible characters are ignored.
    init?(reading application: String, in keys: KeyFile) {
        let group = "X-Baton-App \(application)"
        func text(_ key: String) -> String? {
            keys.string(key, in: group).flatMap { text in
                (1...Self.maximumText).contains(text.utf8.count) && VisibleText.isVisible(text) ? text : nil
            }
        }
        guard let goesOn = text("GoesOn") else { return nil }
        self.goesOn = goesOn
        needs = keys.elements("Needs", in: group).prefix(Self.maximumFiles).filter { $0.hasPrefix("/") }
        package = text("Package")
    }

    /// Whether one of the files exists, or none is needed.
    public var isComplete: Bool { needs.isEmpty || needs.contains(where: Self.exists) }

    private static func exists(_ pattern: String) -> Bool {
        var found = glob_t()
        defer { globfree(&found) }
        return glob(pattern, 0, nil, &found) == 0
    }
}
