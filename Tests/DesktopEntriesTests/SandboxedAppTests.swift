// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

@testable import DesktopEntries

@Suite struct SandboxedAppTests {
    private func app(
        _ lines: String = "", entry: String = "org.example.Letters", at place: DesktopEntryPlace = .ordinary
    ) -> SandboxedApp? {
        DesktopEntry(
            identifier: entry, text: "[Desktop Entry]\nType=Application\nName=Letters\n\(lines)", place: place)?
            .sandboxedApp
    }

    @Test("A Flatpak owns exactly the types that begin with its id and a dot, in upper or lower case")
    func ownTypes() {
        let letters = SandboxedApp(.flatpak, "org.example.Letters")
        for own in ["org.example.Letters.write", "org.example.letters.write", "ORG.EXAMPLE.LETTERS.X.Y"] {
            #expect(letters.owns(type: own))
        }
        for other in [
            "org.example.Letters", "org.example.LettersPro.write", "org.example.letter", "org.example", "",
            "NSUserActivityTypeBrowsingWeb", "org.example.Letters\u{301}.write", "org.example.\u{212A}etters.write",
        ] {
            #expect(!letters.owns(type: other), "\(other)")
        }
    }

    @Test("Snaps and apps in unknown sandboxes own no type")
    func snapsOwnNothing() {
        for sandbox in [SandboxedApp.Sandbox.snap, .unknown] {
            #expect(!SandboxedApp(sandbox, "org.example.Letters").owns(type: "org.example.Letters.write"))
            #expect(!SandboxedApp(sandbox, "letters_letters").owns(type: "letters_letters.write"))
        }
    }

    @Test("An entry belongs to a Flatpak or a snap because of a key or its directory")
    func recognised() {
        #expect(app() == nil)
        #expect(app("X-Flatpak=org.example.Letters") == SandboxedApp(.flatpak, "org.example.Letters"))
        #expect(app(at: .flatpak) == SandboxedApp(.flatpak, "org.example.Letters"))
        #expect(app("X-SnapInstanceName=letters", entry: "letters_letters") == SandboxedApp(.snap, "letters_letters"))
        #expect(app("X-SnapAppName=letters", entry: "letters_letters") == SandboxedApp(.snap, "letters_letters"))
        #expect(app(entry: "letters_letters", at: .snap) == SandboxedApp(.snap, "letters_letters"))
        #expect(app(at: .portal) == SandboxedApp(.unknown, "org.example.Letters"))
    }

    @Test("Another entry of a Flatpak belongs to the same app")
    func furtherEntries() {
        let viewer = app("X-Flatpak=org.example.Letters", entry: "org.example.Letters.Viewer", at: .flatpak)
        #expect(viewer == SandboxedApp(.flatpak, "org.example.Letters"))
    }

    @Test("A sandbox's key counts anywhere in an entry, even twice or in another language")
    func keysAnywhere() {
        let letters = SandboxedApp(.flatpak, "org.example.Letters")
        #expect(app("[Desktop Action x]\nX-Flatpak=org.example.Letters") == letters)
        #expect(app("X-Flatpak[de]=org.example.Letters") == letters)
        #expect(app("X-Flatpak=org.example.Letters\nX-Flatpak=org.example.Letters") == letters)
        // Either of the two values may be the right one, so the sandbox is unknown.
        for keys in [
            "X-Flatpak=com.bank.App\nX-Flatpak=org.example.Letters", "X-Flatpak=org.example.Letters\nX-Flatpak=",
        ] {
            #expect(app(keys) == SandboxedApp(.unknown, "org.example.Letters"), "\(keys)")
        }
        #expect(app("[Desktop Action x]\nX-SnapAppName=a", entry: "a_a") == SandboxedApp(.snap, "a_a"))
    }

    @Test("An entry with a Flatpak's key but another name gets the identity of an unknown sandbox")
    func falseKeys() {
        for key in ["com.bank.App", "org", "org.example", "org.example.Letter", ""] {
            #expect(app("X-Flatpak=\(key)", at: .portal) == SandboxedApp(.unknown, "org.example.Letters"), "\(key)")
        }
        #expect(app(entry: "letters", at: .flatpak) == SandboxedApp(.unknown, "letters"))
    }

    @Test("A snap whose entry has a Flatpak's key counts as a snap")
    func snapThatSaysItIsAFlatpak() {
        #expect(app("X-Flatpak=org.example.Letters", at: .snap) == SandboxedApp(.snap, "org.example.Letters"))
    }

    @Test(
        "The place of a file determines the origin of its entry",
        arguments: [
            ("/var/lib/flatpak/exports/share/applications/a.desktop", DesktopEntryPlace.flatpak),
            ("/home/ada/.local/share/flatpak/exports/share/applications/a.desktop", .flatpak),
            ("/srv/apps/app/org.x.Y/current/active/export/share/applications/a.desktop", .flatpak),
            ("/var/lib/snapd/desktop/applications/a_a.desktop", .snap),
            ("/home/ada/.local/share/xdg-desktop-portal/applications/a.desktop", .portal),
            // These files and their directories belong to root.
            ("/etc/passwd", .ordinary), ("/usr/share/applications/there-is-none.desktop", .user),
            ("/home/ada/.local/share/applications/exports/a.desktop", .user),
        ])
    func places(path: String, place: DesktopEntryPlace) {
        #expect(DesktopEntryPlace(of: URL(filePath: path)) == place)
    }

    @Test("An entry that a user other than root owns or may change does not count as a system entry")
    func owner() throws {
        // Use a directory in /tmp, because its path contains no links.
        let root = URL(filePath: "/tmp/bde-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        let file = root.appending(path: "a.desktop")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try Data().write(to: file)
        let isRoot = geteuid() == 0
        #expect(DesktopEntryPlace(of: file) == (isRoot ? .ordinary : .user))
        guard isRoot else { return }
        for path in [file.path, root.path] {
            #expect(chown(path, 65_534, 65_534) == 0)
            #expect(DesktopEntryPlace(of: file) == .user, "\(path)")
            #expect(chown(path, 0, 0) == 0)
        }
        #expect(chmod(file.path, 0o666) == 0)
        #expect(DesktopEntryPlace(of: file) == .user)
        #expect(chmod(file.path, 0o644) == 0)
        let link = root.appending(path: "link.desktop")
        #expect(symlink(file.path, link.path) == 0 && DesktopEntryPlace(of: link) == .ordinary)
        #expect(lchown(link.path, 65_534, 65_534) == 0 && DesktopEntryPlace(of: link) == .user)
    }

    @Test("A user's link to a sandbox's entry counts as the sandbox's entry, even without a key")
    func links() throws {
        let root = URL(filePath: "/tmp/bde-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
        defer { try? FileManager.default.removeItem(at: root) }
        let (portal, mine) = (
            root.appending(path: "xdg-desktop-portal/applications"), root.appending(path: "applications")
        )
        let exports = root.appending(path: "flatpak/exports/share/applications")
        for directory in [portal, mine, exports] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        let text = Data(
            "[Desktop Entry]\nType=Application\nName=N\nExec=true\nX-Baton-ActivityTypes=com.bank.transfer\n".utf8)
        try text.write(to: portal.appending(path: "org.example.Web.desktop"))
        try text.write(to: exports.appending(path: "org.example.Letters.desktop"))
        for (link, target) in [
            ("org.example.Web", "../xdg-desktop-portal/applications/org.example.Web"),
            ("org.example.Linked", "../flatpak/exports/share/applications/org.example.Letters"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: mine.appending(path: "\(link).desktop").path, withDestinationPath: "\(target).desktop")
        }
        let index = DesktopEntryIndex(directories: [mine, exports], languages: [])
        #expect(index.entries["org.example.Web"]?.sandboxedApp == SandboxedApp(.unknown, "org.example.Web"))
        #expect(index.entries["org.example.Linked"]?.sandboxedApp == SandboxedApp(.flatpak, "org.example.Linked"))
        #expect(index.entries["org.example.Letters"]?.sandboxedApp == SandboxedApp(.flatpak, "org.example.Letters"))
        #expect(DesktopEntryIndex.entry("org.example.Web", in: [mine])?.sandboxedApp != nil)
    }

    @Test("An entry reduced to a part of its claims has only that team and those types")
    func partOfAClaim() throws {
        let text = """
            [Desktop Entry]
            Type=Application
            Name=Letters
            X-Baton-Team=example
            X-Baton-ActivityTypes=a.one;a.two
            X-Baton-DocumentActivityTypes=text/plain=a.one;text/html=a.three
            """
        let entry = try #require(DesktopEntry(identifier: "x", text: text))
        #expect(entry.claim == ActivityClaim(team: "example", types: ["a.one", "a.two", "a.three"]))
        let part = entry.claiming(ActivityClaim(types: ["a.one", "a.four"]))
        #expect(part.claim == ActivityClaim(types: ["a.one"]))
        #expect(part.team == nil && part.activityTypes == ["a.one"] && part.documentTypes == ["text/plain": "a.one"])
        #expect(part.name == "Letters")
    }
}
