// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Testing

@Suite struct DesktopEntryTests {
    private func entry(_ lines: String, languages: [String] = []) -> DesktopEntry? {
        DesktopEntry(
            identifier: "org.example.Letters", text: "[Desktop Entry]\nType=Application\n" + lines, languages: languages
        )
    }

    @Test("An entry declares types of activities, a team, and the types of documents")
    func declarations() {
        let entry = entry(
            """
            Name=Letters
            X-Baton-ActivityTypes=org.example.edit;org.example.view;;
            X-Baton-Team = example
            X-Baton-DocumentActivityTypes=text/plain=org.example.edit;text/html=org.example.page;nonsense;
            [Desktop Action new]
            X-Baton-Team=another
            """)
        #expect(entry?.activityTypes == ["org.example.edit", "org.example.view"])
        #expect(entry?.team == "example")
        #expect(entry?.documentTypes == ["text/plain": "org.example.edit", "text/html": "org.example.page"])
        #expect(entry?.continuableTypes == ["org.example.edit", "org.example.view", "org.example.page"])
    }

    @Test("An adapter serves the apps that it lists, or with `*` all apps, and a sandboxed app cannot be an adapter")
    func adapters() throws {
        let listing = try #require(entry("X-Baton-Adapter=org.example.Player;mpv;;"))
        #expect(listing.adapts("mpv") && listing.adapts("org.example.Player") && !listing.adapts("vlc"))
        #expect(!listing.adapts("*"))
        let all = try #require(entry("X-Baton-Adapter=*"))
        #expect(all.isAdapter && all.adapts("vlc"))
        let sandboxed = try #require(entry("X-Baton-Adapter=*\nX-Flatpak=org.example.Letters"))
        #expect(!sandboxed.isAdapter && !sandboxed.adapts("mpv"))
        #expect(try #require(entry("Name=Letters")).isAdapter == false)
    }

    @Test(
        "An adapter's entry gives facts about its apps, except long ones, relative paths and facts about other apps"
    )
    func facts() throws {
        let long = String(repeating: "x", count: 1_025)
        let listing = try #require(
            entry(
                """
                X-Baton-Adapter=mpv;vlc;long;bare;
                [X-Baton-App mpv]
                GoesOn=file, second
                Needs=/a/b;relative;\((1...20).map { "/\($0);" }.joined())
                Package=mpv-mpris
                [X-Baton-App long]
                GoesOn=\(long)
                [X-Baton-App vlc]
                GoesOn=file
                Package=\(long)
                [X-Baton-App other]
                GoesOn=file
                """))
        #expect(Set(listing.adaptedFacts.keys) == ["mpv", "vlc"])
        let facts = try #require(listing.adaptedFacts["mpv"])
        #expect(facts.goesOn == "file, second" && facts.package == "mpv-mpris" && facts.needs.count == 15)
        #expect(!facts.isComplete && listing.adaptedFacts["vlc"]?.isComplete == true)
        #expect(listing.adaptedFacts["vlc"]?.package == nil)
    }

    @Test("At most 64 adapters count: those whose ids sort first")
    func adapterLimit() {
        let index = DesktopEntryIndex(
            (10..<80).compactMap {
                DesktopEntry(identifier: "a\($0)", text: "[Desktop Entry]\nType=Application\nX-Baton-Adapter=mpv")
            })
        #expect(index.adapters.count == 64 && index.adapters(for: "mpv").last?.identifier == "a73")
        #expect(index.adapters(for: "vlc").isEmpty)
    }

    @Test(
        "The name is in the user's language",
        arguments: [
            ("de_AT.UTF-8", "Briefe aus Wien"), ("de_DE", "Briefe"), ("sr@latin", "Pisma"), ("fr", "Letters"),
            ("", "Letters"),
        ])
    func nameIsInTheUsersLanguage(locale: String, name: String) {
        let text = "Name=Letters\nName[de]=Briefe\nName[de_AT]=Briefe aus Wien\nName[sr@latin]=Pisma"
        #expect(entry(text, languages: [locale])?.name == name)
    }

    @Test(
        "Exec contains the arguments",
        arguments: [
            ("letters", ["letters"]), ("letters --new %U", ["letters", "--new"]),
            (#""/opt/my app/run" "a \"b\"" c"#, ["/opt/my app/run", #"a "b""#, "c"]),
            ("letters %i --title=%c 100%%", ["letters", "--icon", "mail", "--title=Letters", "100%"]),
            ("sh -c 'exec letters \"a b\"'", ["sh", "-c", #"exec letters "a b""#]),
            (#"/opt/My\ Apps/run a"#, ["/opt/My Apps/run", "a"]), ("letters a # note", ["letters", "a"]),
            ("letters %z 100%", ["letters", "100%"]), ("A=b letters", ["A=b", "letters"]),
            (#"sh -c "echo \$HOME""#, ["sh", "-c", "echo $HOME"]), (#"letters """#, ["letters", ""]),
        ])
    func execGivesTheArguments(exec: String, arguments: [String]) {
        // The file contains each backslash twice.
        let text = exec.split(separator: "\\", omittingEmptySubsequences: false).joined(separator: #"\\"#)
        #expect(entry("Name=Letters\nIcon=mail\nExec=\(text)")?.arguments == arguments)
    }

    @Test(
        "An invalid Exec gives no arguments",
        arguments: [#"letters "open"#, "letters 'open", #"letters \\"#, "%U", "", #""" letters"#, #""%f" letters"#])
    func execIsNotValid(exec: String) { #expect(entry("Exec=\(exec)")?.arguments == nil) }

    @Test("The time for a command line grows only with its length", .timeLimit(.minutes(1)))
    func longExec() {
        let word = String(repeating: "a", count: DesktopEntryIndex.largestEntry - 1_000)
        #expect(entry("Exec=letters \(word)")?.arguments?.last?.utf8.count == word.utf8.count)
        #expect(entry("Exec=letters \"\(word)\"")?.arguments?.last?.utf8.count == word.utf8.count)
    }

    @Test("A command line that its field codes make too long gives no arguments")
    func manyFieldCodes() {
        let (name, codes) = (String(repeating: "n", count: 10_000), String(repeating: "%c", count: 100))
        #expect(entry("Name=\(name)\nExec=letters \(codes)")?.arguments?.last?.utf8.count == 1_000_000)
        #expect(entry("Name=\(name)\nExec=letters \(codes)\(codes)")?.arguments == nil)
    }

    @Test("An entry that is deleted or not an application is ignored", arguments: ["Hidden=true", "Type=Link"])
    func deletedOrNoApplication(line: String) { #expect(entry(line) == nil) }

    @Test("A text without the group of a desktop entry is ignored")
    func textWithoutTheGroupIsNoEntry() {
        for text in ["", "Name=Letters", "[Other]\nName=Letters", "\u{0}\u{1}[[]"] {
            #expect(DesktopEntry(identifier: "x", text: text) == nil)
        }
    }

    @Test("Claims of domains are read unchanged")
    func claimsAsWritten() {
        let entry = entry("X-Baton-AssociatedDomains=activitycontinuation:example.com;*.example.org;;")
        #expect(entry?.associatedDomains == ["activitycontinuation:example.com", "*.example.org"])
        #expect(self.entry("Name=Letters")?.associatedDomains == [])
    }

    @Test("Claims of domains are limited in number and length")
    func claimLimits() {
        let many = (1...65).map { "a\($0).com" }.joined(separator: ";")
        #expect(entry("X-Baton-AssociatedDomains=\(many)")?.associatedDomains.count == 64)
        let (longest, longer) = (String(repeating: "a", count: 300), String(repeating: "a", count: 301))
        let claims = entry("X-Baton-AssociatedDomains=\(longer);\(longest);a\u{1B}.com")?.associatedDomains
        #expect(claims == [longest])
    }

    @Test("Types and teams that are too long are ignored")
    func longTypesAndTeams() {
        let long = String(repeating: "x", count: 256)
        let entry = entry(
            "X-Baton-ActivityTypes=\(long);short;\nX-Baton-Team=\(long)\nX-Baton-DocumentActivityTypes=a/b=\(long)")
        #expect(entry?.continuableTypes == ["short"])
        #expect(entry?.team == nil)
    }

    @Test("Types beyond the limit are ignored")
    func typeLimit() {
        let types = (0..<300).map { "t\($0)" }.joined(separator: ";")
        #expect(entry("X-Baton-ActivityTypes=\(types)")?.activityTypes.count == DesktopEntry.maximumTypes)
    }

    @Test("Groups with the same name are merged, and the last value of a repeated key is used")
    func secondGroupAndKey() {
        let entry = entry("Name=First\nName=Second\n[Desktop Action new]\nName=x\n[Desktop Entry]\nIcon=other")
        #expect(entry?.name == "Second")
        #expect(entry?.icon == "other")
    }

    @Test(
        "Only a newline ends a line",
        arguments: ["\u{2028}", "\u{2029}", "\u{85}", "\u{B}", "\u{C}", "\r"])
    func onlyANewlineEndsALine(separator: String) {
        let entry = entry("Comment=Reads\(separator)Exec=/bin/other\nExec=true\nIcon=x\(separator)Hidden=true")
        #expect(entry?.exec == "true")
        #expect(entry?.icon == "x\(separator)Hidden=true")
    }

    @Test("A syntax character with a combining mark keeps its meaning")
    func marks() {
        let entry = entry(
            "Name=\u{301}App\nX-Baton-ActivityTypes=a;\u{301}b;c=\u{301}\nX-Baton-DocumentActivityTypes=a/b=\u{301}c")
        #expect(entry?.name == "\u{301}App")
        #expect(entry?.activityTypes == ["a", "\u{301}b", "c=\u{301}"])
        #expect(entry?.documentTypes == ["a/b": "\u{301}c"])
    }

    @Test("A file that GLib rejects is ignored", arguments: ["junk", "=x", "a[b=c", "[a[b]", "Encoding=Latin-1"])
    func refusedLines(line: String) { #expect(entry("Name=Letters\n\(line)") == nil) }

    @Test("An entry is of type Application, and begins with its group without a byte order mark")
    func typeAndBeginning() {
        for text in [
            "[Desktop Entry]\nName=Letters", "[Desktop Entry]\nType=Application \n",
            "[Other]\n[Desktop Entry]\nType=Application",
            "\u{FEFF}[Desktop Entry]\nType=Application",
        ] {
            #expect(DesktopEntry(identifier: "x", text: text) == nil, "\(text)")
        }
    }

    @Test(
        "An icon with a file extension is the icon of that name",
        arguments: [
            ("reader.png", "reader"), ("a.b.svg", "a.b"), ("a.xpm", "a"), ("a.jpg", "a.jpg"), ("/a/b.png", "/a/b.png"),
        ])
    func iconsAsFiles(icon: String, name: String) { #expect(entry("Icon=\(icon)")?.icon == name) }

    @Test("D-Bus starts an app only if its id is a bus name")
    func busNames() {
        #expect(entry("DBusActivatable=true")?.isDBusActivatable == true)
        for identifier in ["letters", "org.9.x", "org..x", "org.exa mple"] {
            let entry = DesktopEntry(
                identifier: identifier, text: "[Desktop Entry]\nType=Application\nDBusActivatable=true")
            #expect(entry?.isDBusActivatable == false, "\(identifier)")
        }
    }
}
