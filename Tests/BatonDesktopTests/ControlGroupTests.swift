// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import BatonDesktop

/// Tests how a program is identified by its control groups, with groups as systemd and snapd make
/// them, and with invalid files.
@Suite struct ControlGroupTests {
    private func caller(_ text: String) -> Caller { Caller(groups: ControlGroup(text, user: 1_000)) }

    private func unit(_ name: String) -> Caller {
        caller("0::/user.slice/user-1000.slice/user@1000.service/app.slice/\(name)\n")
    }

    @Test(
        "Units of the user's manager are identified by their names",
        arguments: [
            ("app-gnome-org.example.Letters-12345.scope", "org.example.Letters"),
            ("app-org.example.Letters-12345.scope", "org.example.Letters"),
            ("app-gnome-kitty-77.scope", "kitty"), ("app-kitty-77.scope", "kitty"),
            ("app-org.example.Letters@autostart.service", "org.example.Letters"),
            ("app-gnome-org.example.Letters@12345.service", "org.example.Letters"),
            ("app-org.example.Letters.service", "org.example.Letters"),
            ("app-flatpak-org.example.Letters-1.scope", "org.example.Letters"),
            (#"app-gnome-my\x2deditor-9.scope"#, "my-editor"), (#"app-gnome-caf\xc3\xa9-9.scope"#, "café"),
        ])
    func units(name: String, id: String) {
        #expect(unit(name) == Caller(applicationID: id, kind: .unit, isSandboxed: false))
    }

    @Test(
        "Other units identify no app",
        arguments: [
            "vte-spawn-0dd2.scope", "gnome-terminal-server.service", "app-12345.scope", "app-.scope", "app-x.target",
            #"app-a\x2fb-1.scope"#, #"app-a\x00b-1.scope"#, #"app-a\xzz-1.scope"#, #"app-a\xff-1.scope"#,
            #"app-a\x2f\xcd\x98b-1.scope"#, "session-2.scope",
        ])
    func otherUnits(name: String) { #expect(unit(name) == .ordinary) }

    @Test("Slices around a unit and groups inside it make no difference")
    func nested() {
        #expect(
            caller(
                "0::/user.slice/user-1000.slice/user@1000.service/a.slice/a-b.slice/app-org.example.A-1.scope/app-org.example.B-1.scope"
            ).applicationID == "org.example.A")
    }

    @Test("A group whose name begins with a combining mark hides no unit")
    func combiningMark() {
        #expect(
            caller("0::/user.slice/user@1000.service/app.slice/app-org.example.A-1.scope/\u{358}x").applicationID
                == "org.example.A")
    }

    @Test("The units of other users' managers and of the system do not count")
    func othersUnits() {
        #expect(
            caller("0::/user.slice/user-1001.slice/user@1001.service/app.slice/app-org.example.A-1.scope") == .ordinary)
        #expect(caller("0::/system.slice/app-org.example.A-1.scope") == .ordinary)
    }

    @Test("If there is no unified hierarchy, the control group comes from systemd's own hierarchy")
    func version1() {
        let path = "/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.example.A-1.scope"
        #expect(caller("4:memory:/x\n1:name=systemd:\(path)\n0::/\n").applicationID == "org.example.A")
        #expect(caller("4:memory:\(path)\n3:pids:\(path)\n") == .ordinary)
    }

    @Test(
        "Snaps are sandboxed, and have the names of their desktop entries",
        arguments: [
            (
                "0::/user.slice/user-1000.slice/user@1000.service/app.slice/snap.letters.letters-0d1e2f3a-0000-4111-8222-123456789abc.scope",
                "letters_letters"
            ),
            (
                "0::/user.slice/user-1000.slice/user@1000.service/snap.letters.edit.0d1e2f3a-0000-4111-8222-123456789abc.scope",
                "letters_edit"
            ),
            ("0::/system.slice/snap.letters.server.service", "letters_server"),
            ("9:freezer:/snap.letters\n0::/", "letters"),
            (
                "9:freezer:/snap.letters\n0::/x/snap.letters.edit-0d1e2f3a-0000-4111-8222-123456789abc.scope",
                "letters_edit"
            ),
            ("0::/a/snap.letters.a-b-c-d-e-f.scope", "letters_a-b-c-d-e-f"),
        ])
    func snaps(text: String, id: String) {
        #expect(caller(text) == Caller(applicationID: id, kind: .snap, isSandboxed: true))
    }

    @Test("A snap is identified even if its group is inside an app's unit")
    func snapWithinAUnit() {
        let text =
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.example.A-1.scope/snap.letters.edit.service"
        #expect(caller(text).kind == .snap)
    }

    @Test(
        "An invalid file identifies no app",
        arguments: [
            "", "::", "0:", "0::", "0::/snap.", "0::/snap..x.scope", "0::/snap", "\n\n", "0::/user@1000.service",
        ])
    func nonsense(text: String) { #expect(caller(text) == .ordinary) }
}
