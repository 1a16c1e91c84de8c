// SPDX-License-Identifier: Apache-2.0

@testable import BatonDesktop
@testable import DesktopEntries
import ActivityModel
import Foundation
import UserActivity

extension FuzzTarget {
    /// Desktop entries, which any app may install, and their command lines.
    static let desktopEntry = FuzzTarget("desktop-entry") {
        let entry = """
            [Desktop Entry]
            Type=Application
            Name=Letters
            Name[de]=Briefe
            Icon=letters
            Exec=letters --open "%f \\\\$x" %U %i %c 100%%
            Path=/
            DBusActivatable=true
            X-Baton-ActivityTypes=org.example.letter;org.example.note\\;b;
            X-Baton-DocumentActivityTypes=text/plain=org.example.text;
            X-Baton-Team=org.example
            """
        return [[0] + Array(entry.utf8), [1] + Array("env A=1 \"a b\" c\\ d %F".utf8)]
    } body: { input in
        var text = String(decoding: input.dropFirst(), as: UTF8.self)
        if input.first == 1 { text = "[Desktop Entry]\nType=Application\nIcon=i\nName=n\nExec=\(text)" }
        let identifier = "org.example.Letters"
        guard let entry = DesktopEntry(identifier: identifier, text: text, languages: ["de_DE", "de"]) else { return }
        try FuzzFinding.unless("types are limited in number and length") {
            entry.continuableTypes.count <= 2 * DesktopEntry.maximumTypes
                && (entry.continuableTypes + (entry.team.map { [$0] } ?? [])).allSatisfy {
                    (1...ActivityState.maximumIdentifierLength).contains($0.utf8.count) && !$0.utf8.contains(0)
                }
        }
        try FuzzFinding.unless("a command line names a program") {
            entry.arguments.map { $0.first?.isEmpty == false } ?? true
        }
    }

    /// The configuration: settings, rules and shared folders, and the paths that other devices
    /// name.
    static let configuration = FuzzTarget("configuration", maximumLength: 2_048) {
        let settings = """
            # comment
            notifications = off
            notifications.on-lock-screen = full
            default-app.org.example.letter = org.example.Letters
            rule = never device="old laptop"
            rule = near type=org.example.notes.* signal=-55
            """
        let folders = "# comment\nDocuments = /home/ada/Documents\nMusic = /srv/music\n"
        return [
            [0] + Array(settings.utf8), [0] + Array(settings.replacing("\n", with: "\r\n").utf8),
            [1] + Array("hide type=org.example.diary.* app=org.example.Diary".utf8),
            [1] + Array("near type=\"a b\" signal=-55 device=x".utf8), [2] + Array(folders.utf8),
            [2] + Array(folders.replacing("\n", with: "\r\n").utf8),
            [3] + Array("baton-folder:/Documents/a%20b/c.txt".utf8),
            [3] + Array("baton-folder:/Documents/../c.txt".utf8), [4] + Array("baton-document:/a%20b.txt".utf8),
            [4] + Array("baton-document:/..".utf8), [5] + DocumentStream.header(length: 1_000),
        ]
    } body: { input in
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        switch (input.first ?? 0) % 6 {
        case 0:
            let settings = try Settings(text)
            try FuzzFinding.unless("rules are limited in number") { settings.rules.count <= Settings.maximumRules }
            // Write the rules in the form that `baton rules add` writes.
            try FuzzFinding.unless("rules that were read are written as they were") {
                try Settings(settings.rules.map { "rule = \($0)\n" }.joined()).rules == settings.rules
            }
        case 1:
            // Read a rule in the form that `baton rules add` accepts. The rule must not add other
            // lines to the file.
            let rule = try Rule(text)
            try FuzzFinding.unless("a rule that was read is written as it was, in one line") {
                try Settings("rule = \(rule)\n").rules == [rule]
            }
        case 2: _ = SharedFolders(configuration: input.dropFirst()) { _ in }
        case 4:
            guard let url = URL(string: text), let name = DocumentStream.name(in: url) else { return }
            try FuzzFinding.unless("a document's name is one of a file in a folder, and is written as it was") {
                !name.utf8.contains(UInt8(ascii: "/")) && !["", ".", ".."].contains(name)
                    && (DocumentStream.url(name: name).flatMap(DocumentStream.name)).map {
                        Array($0.utf8) == Array(name.utf8)
                    }
                        == true
            }
        case 5:
            let length = DocumentStream.length(header: input.dropFirst(), limit: 1 << 30)
            try FuzzFinding.unless("a document is no longer than it may be") { (0...1 << 30).contains(length ?? 0) }
        default:
            let folder = URL(filePath: "/home/ada/Documents", directoryHint: .isDirectory)
            guard let url = URL(string: text), let file = SharedFolders(["Documents": folder]).local(url) else {
                return
            }
            try FuzzFinding.unless("nobody names what is outside of the folder") {
                file.standardizedFileURL.path.utf8.starts(with: "/home/ada/Documents/".utf8)
            }
        }
    }

    /// The file of saved activities.
    static let saved = FuzzTarget("saved") {
        var library = SavedLibrary()
        var state = ActivityState(activityType: "org.example.letter")
        state.title = "Letter"
        state.userInfo = ["draft": "Dear Ada", "page": .int(3), "ratio": .double(.infinity)]
        let activity = SavedUserActivity(
            identity: ActivityIdentity(), state: state, keywords: ["a", "b"],
            contentAttributeSet: SearchableItemAttributes())
        try library.save(activity, of: "org.example.Letters", at: Date(timeIntervalSince1970: 0))
        return [Array(SavedCodec.encode(library))]
    } body: { input in
        let date = Date(timeIntervalSince1970: 0)
        let library = try SavedCodec.decode(Data(input), at: date)
        try FuzzFinding.unless("a library that was read is written as it was") {
            let encoded = SavedCodec.encode(library)
            return try SavedCodec.encode(SavedCodec.decode(encoded, at: date)) == encoded
        }
    }

    /// The facts that identify a calling program: its control groups, and Flatpak's file about it.
    static let caller = FuzzTarget("caller", maximumLength: 1_024) {
        let groups = [
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.example.Letters-12.scope\n",
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/"
                + "snap.letters.editor-0a1b2c3d-0000-1111-2222-333344445555.scope\n",
            "12:freezer:/snap.letters\n1:name=systemd:/user.slice/snap.letters.x.service\n",
        ]
        return groups.map { [0] + Array($0.utf8) } + [[1] + Array("[Application]\nname=org.example.Letters\n".utf8)]
    } body: { input in
        let text = String(decoding: input.dropFirst(), as: UTF8.self)
        if input.first == 0 {
            let group = ControlGroup(text, user: 1_000)
            try FuzzFinding.unless("a snap's program has a name and no path") {
                group.snap.map { !$0.isEmpty && !$0.contains("/") } ?? true
            }
        } else if let id = FlatpakInfo.applicationID(in: text) {
            try FuzzFinding.unless("only what Flatpak would allow is an id") { SandboxedApp.isFlatpakID(id) }
        }
    }
}
