// SPDX-License-Identifier: Apache-2.0

/// The identity of a sandboxed app. The sandbox provides this identity, not the app.
public struct SandboxedApp: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of sandboxes.
    public enum Sandbox: String, CaseIterable, Hashable, Sendable {
        case flatpak
        case snap
        /// Another sandbox, or one that cannot be identified.
        case unknown
    }

    /// The app's sandbox.
    public var sandbox: Sandbox
    /// The app's id: a Flatpak's own id, or the name of the desktop entry.
    public var identifier: String

    /// Creates the identity of an app in a sandbox.
    public init(_ sandbox: Sandbox, _ identifier: String) {
        self.sandbox = sandbox
        self.identifier = identifier
    }

    /// A text for people, such as `flatpak:org.example.Letters`.
    public var description: String { "\(sandbox.rawValue):\(identifier)" }

    /// Returns whether an app may use activities of a type without the user's permission.
    ///
    /// Only a Flatpak may, and only for a type that begins with its id and a dot, in upper or lower
    /// case. A Flatpak's id is a reversed domain name of its author, as an activity type is. A
    /// snap's id is not.
    public func owns(type: String) -> Bool {
        sandbox == .flatpak
            && type.utf8.map(Self.lowercased).starts(with: "\(identifier).".utf8.map(Self.lowercased))
    }

    /// Returns whether a text is a valid Flatpak id.
    ///
    /// A Flatpak id has three or more elements of letters, digits, `_` and `-`. No element begins
    /// with a digit.
    package static func isFlatpakID(_ text: String) -> Bool {
        let elements = text.split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 255 && elements.count >= 3
            && elements.allSatisfy { element in
                guard let first = element.utf8.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) else {
                    return false
                }
                return element.utf8.allSatisfy(isIdentifierByte)
            }
    }

    /// Returns whether a byte may occur in an element of a Flatpak's id or a bus name.
    static func isIdentifierByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

extension SandboxedApp {
    /// Identifies the app that a desktop entry starts. Returns nil if no sandbox confines the app.
    ///
    /// Source: flatpak(1), "X-Flatpak". snapd and xdg-desktop-portal write keys of their own when
    /// they install an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry's id.
    ///   - place: The place of the entry's file.
    ///   - flatpak: All values of `X-Flatpak` anywhere in the file.
    ///   - isSnap: Whether the file contains one of snapd's keys.
    init?(entry: String, place: DesktopEntryPlace, flatpak: [String], isSnap: Bool) {
        if place == .snap || isSnap {
            self.init(.snap, entry)
        } else if let first = flatpak.first {
            // An entry that Flatpak exported is named after its app, and names only that app. Treat
            // any other entry as that of an unknown sandbox, which has fewer rights.
            let flatpak = flatpak.allSatisfy { $0.utf8.elementsEqual(first.utf8) } ? first : ""
            let isItsOwn =
                Self.isFlatpakID(flatpak) && (entry == flatpak || entry.utf8.starts(with: "\(flatpak).".utf8))
            self.init(isItsOwn ? .flatpak : .unknown, isItsOwn ? flatpak : entry)
        } else if place == .flatpak, Self.isFlatpakID(entry) {
            self.init(.flatpak, entry)
        } else if place == .portal || place == .flatpak {
            self.init(.unknown, entry)
        } else {
            return nil
        }
    }
}
