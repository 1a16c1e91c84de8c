// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Foundation
import Testing

@Suite struct SessionVariablesTests {
    @Test("A session can change six variables, but not the places of the user's own files")
    func sixVariables() {
        let own = ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"]
        let others = own + ["DBUS_SESSION_BUS_ADDRESS", "LC_ALL", "LC_MESSAGES", "LD_PRELOAD"]
        let six = ["XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS", "PATH", "LANG", "LANGUAGE"]
        let all = Dictionary(uniqueKeysWithValues: (others + six).map { ($0, "/\($0)") })
        let variables = SessionVariables(all, start: [:])
        #expect(variables.values.keys.sorted() == six.sorted())
        #expect(variables.languages == ["/LANGUAGE", "/LANG"])
        let nothing = SessionVariables([:], start: [:])
        #expect(variables.dataDirectories.first == nothing.dataDirectories.first)
        #expect(variables.configurationDirectories.first == nothing.configurationDirectories.first)
    }

    @Test("An unset or empty variable has the specifications' default")
    func unset() {
        for variables in [
            SessionVariables([:], start: [:]), SessionVariables(["XDG_DATA_DIRS": "", "PATH": ""], start: [:]),
        ] {
            #expect(variables.dataDirectories.dropFirst().map(\.path) == ["/usr/local/share", "/usr/share"])
            #expect(variables.configurationDirectories.dropFirst().map(\.path) == ["/etc/xdg"])
            #expect(variables.programs.directories == ["/usr/local/bin", "/usr/bin", "/bin"])
            #expect(variables.desktops.isEmpty && variables.languages.isEmpty)
        }
    }

    @Test("Relative directories are ignored, and the order of variables is kept")
    func directories() {
        let variables = SessionVariables(
            [
                "XDG_DATA_DIRS": "/b:share:/a", "XDG_CONFIG_DIRS": "/d:./x:/c", "PATH": "/f::bin:/e",
                "XDG_CURRENT_DESKTOP": "ubuntu:GNOME",
            ], start: [:])
        #expect(variables.dataDirectories.dropFirst().map(\.path) == ["/b", "/a"])
        #expect(variables.applicationDirectories.dropFirst().map(\.path) == ["/b/applications", "/a/applications"])
        #expect(variables.configurationDirectories.dropFirst().map(\.path) == ["/d", "/c"])
        #expect(variables.programs.directories == ["/f", "/e"])
        #expect(variables.desktops == ["ubuntu", "GNOME"])
        #expect(MimePlaces(of: variables).desktops == ["ubuntu", "gnome"])
    }

    @Test("The LC variables from the process's start take precedence over the session's LANG")
    func languages() {
        let session = ["LANG": "de_DE.UTF-8", "LANGUAGE": "de:en"]
        #expect(SessionVariables(session, start: [:]).languages == ["de", "en", "de_DE.UTF-8"])
        #expect(SessionVariables(session, start: ["LC_MESSAGES": "fr"]).languages == ["de", "en", "fr"])
        #expect(
            SessionVariables(session, start: ["LC_MESSAGES": "fr", "LC_ALL": "it", "LANG": "es"]).languages
                == ["de", "en", "it"])
    }
}
