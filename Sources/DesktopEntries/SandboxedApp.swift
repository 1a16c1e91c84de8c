// SPDX-License-Identifier: Apache-2.0

/// An app that a sandbox confines: the sandbox says whose it is, not the app.
public struct SandboxedApp: Hashable, Sendable, CustomStringConvertible {
    /// What confines it.
    public enum Sandbox: String, CaseIterable, Hashable, Sendable {
        /// Flatpak.
        case flatpak
        /// snapd.
        case snap
        /// Something that is none of these, or cannot be told.
        case unknown
    }

    /// What confines it.
    public var sandbox: Sandbox
    /// Its id: a Flatpak's own, and else the name of its desktop entry.
    public var identifier: String

    /// An app in a sandbox.
    public init(_ sandbox: Sandbox, _ identifier: String) {
        self.sandbox = sandbox
        self.identifier = identifier
    }

    /// For people: `flatpak:org.example.Letters`.
    public var description: String { "\(sandbox.rawValue):\(identifier)" }

    /// Whether activities of a type are the app's own, without anybody's leave: those whose type
    /// begins with a Flatpak's id and a dot, whatever their case.
    ///
    /// A Flatpak's id is a name that its author has, as activity types are. A snap's is none.
    public func owns(type: String) -> Bool {
        sandbox == .flatpak
            && type.utf8.map(Self.lowercased).starts(with: "\(identifier).".utf8.map(Self.lowercased))
    }

    /// Whether Flatpak would let an application have this id: three elements or more, of letters,
    /// digits, `_` and `-`, none of which begins with a digit.
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

    /// Whether a byte may stand in an element of a Flatpak's id, and of a bus name.
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
    /// The app that a desktop entry starts; nil for one that no sandbox confines.
    ///
    /// Source: flatpak(1), "X-Flatpak"; snapd and xdg-desktop-portal write the keys of their own
    /// when they install an entry.
    ///
    /// - Parameters:
    ///   - entry: The entry's id.
    ///   - place: Where its file is.
    ///   - flatpak: All values of `X-Flatpak`, wherever in the file; none without that key.
    ///   - isSnap: Whether it has one of snapd's keys, wherever in the file.
    init?(entry: String, place: DesktopEntryPlace, flatpak: [String], isSnap: Bool) {
        if place == .snap || isSnap {
            self.init(.snap, entry)
        } else if let first = flatpak.first {
            // Flatpak's entries are named after the app, and name one app. One that is not, or does
            // not, only loses by what it says.
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
