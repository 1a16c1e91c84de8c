// SPDX-License-Identifier: Apache-2.0

/// The identity of a sandboxed app, as its sandbox and not the app states it.
public struct SandboxedApp: Hashable, Sendable, CustomStringConvertible {
    /// The kinds of sandboxes.
    public enum Sandbox: String, CaseIterable, Hashable, Sendable {
        /// Flatpak.
        case flatpak
        /// snapd.
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
    /// The type must begin with a Flatpak's id and a dot, in either case. The author of a Flatpak
    /// owns its id as a name, just like an activity type. A snap's id is no such name.
    public func owns(type: String) -> Bool {
        sandbox == .flatpak
            && type.utf8.map(Self.lowercased).starts(with: "\(identifier).".utf8.map(Self.lowercased))
    }

    /// Returns whether a text is a valid Flatpak id.
    ///
    /// It has three or more elements of letters, digits, `_` and `-`, none of which begins with a
    /// digit.
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
    /// Identifies the app that a desktop entry starts; returns nil if no sandbox confines it.
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
            // A real Flatpak entry is named after its app, and names only one app. Any other entry
            // gets the identity of an unknown sandbox, which has fewer rights.
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
