// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Testing

@testable import BatonDesktop

@Suite struct FlatpakInfoTests {
    @Test("Only a line in the right group gives the app's id")
    func application() {
        let text = """
            # made by Flatpak
            name=org.example.Before
            [Context]
            name=org.example.Context
            [Application]
            name = org.example.Letters
            runtime=runtime/org.example.Platform/x86_64/1
            [Instance]
            name=org.example.Instance
            """
        #expect(FlatpakInfo.applicationID(in: text) == "org.example.Letters")
    }

    @Test("The first of duplicate groups or names counts, and only a newline ends a line")
    func strict() {
        let first = "[Application]\nname=org.example.Letters\n"
        for more in [
            "name=org.example.Other\n", "[Application]\nname=org.example.Other\n",
            "[Runtime]\nname=org.example.Other\n",
        ] {
            #expect(FlatpakInfo.applicationID(in: first + more) == "org.example.Letters")
        }
        for separator in ["\u{2028}", "\u{85}", "\u{B}"] {
            let context = "[Context]\nfilesystems=x\(separator)[Application]\(separator)name=org.example.Other\n"
            #expect(FlatpakInfo.applicationID(in: context) == nil)
            #expect(FlatpakInfo.applicationID(in: context + first) == "org.example.Letters")
        }
    }

    @Test("A runtime without an app is identified by the runtime's name")
    func runtime() {
        #expect(FlatpakInfo.applicationID(in: "[Runtime]\nname=org.example.Platform\n") == "org.example.Platform")
    }

    @Test(
        "An impossible name does not count as an id",
        arguments: [
            "", "letters", "org.example", "org..Letters", "org.example.", ".org.example", "org.example.9Letters",
            "org.example.Let ters",
            "org.example.Letters/../Other", "org.example.Löwe", "org.example.A\u{0}",
        ])
    func invalid(id: String) {
        #expect(FlatpakInfo.applicationID(in: "[Application]\nname=\(id)\n") == nil)
    }

    @Test("An id has at most 255 bytes")
    func long() {
        let long = "org.example." + String(repeating: "a", count: 243)
        #expect(SandboxedApp.isFlatpakID(long))
        #expect(!SandboxedApp.isFlatpakID(long + "a"))
    }

    @Test(
        "A file without the group or the name gives no id",
        arguments: ["[Application]\n", "name=org.example.A\n", "[Context]\nname=org.example.A\n"])
    func missing(text: String) { #expect(FlatpakInfo.applicationID(in: text) == nil) }
}
