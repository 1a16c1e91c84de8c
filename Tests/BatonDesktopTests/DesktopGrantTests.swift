// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonBus
import BatonTesting
import DesktopEntries
import Diagnosis
import Foundation
import Testing

@testable import BatonDesktop

/// Tests apps in sandboxes, and the user's grants for them.
extension DesktopTests {
    private static let letters = SandboxedApp(.flatpak, "org.example.Letters")
    /// A Flatpak that claims the type of Notes. The Flatpak's id resembles the type more than the
    /// id of Notes does.
    private static let greedy = [
        "org.example.note":
            "Name=Mail\nExec=true\nX-Flatpak=org.example.note\nX-Baton-ActivityTypes=\(HandoverWorld.type)\n"
    ]
    private static let claims = """
        Name=Mail
        X-Flatpak=org.example.Letters
        X-Baton-ActivityTypes=org.example.letters.write;com.bank.transfer

        """

    @Test("A sandboxed app is not preferred for another app's type until it is allowed")
    func notPreferredUntilAllowed() async throws {
        try await withDesktop("default-app.\(HandoverWorld.type) = org.example.note", apps: Self.greedy) {
            desktop, _, server, host in
            let question = try #require(await server.nextShown())
            #expect(question.body.hasPrefix("org.example.note (Flatpak)\n"))
            #expect(question.actions == ["allow", "Allow", "refuse", "Refuse"])
            // The app is not used, although it is the user's default.
            #expect(await desktop.offered(offer()).application == HandoverWorld.identifier)
            let error = await #expect(throws: BatonError.self) {
                try await desktop.open("offer-1", options: OpenOptions(application: "org.example.note"))
            }
            #expect(error?.code == .notAllowed && error?.reason?.failure == .appSandboxed)
            try server.choose("allow", of: question.id)
            try await host.until("the app is offered") {
                await desktop.offers["offer-1"]?.application == "org.example.note"
            }
            try await desktop.refuse(
                AppGrant(sandbox: "flatpak", application: "org.example.note", state: .granted, types: []))
            #expect(await desktop.offers["offer-1"]?.application == HandoverWorld.identifier)
        }
    }

    @Test("A sandboxed app's type does not count as declared until it is allowed")
    func notDeclaredUntilAllowed() async throws {
        try await withDesktop(apps: ["org.example.Letters": Self.claims]) { desktop, world, server, _ in
            #expect(world.journal.all.contains("declared org.example.letters.write"))
            #expect(!world.journal.all.contains("declared com.bank.transfer"))
            let question = try #require(await server.nextShown())
            try server.choose("allow", of: question.id)
            await world.journal.wait(for: "declared com.bank.transfer")
            #expect(await desktop.keeper.finding == nil)
        }
    }

    @Test("A refusal is remembered, and the next question is only about further claims")
    func refusalIsRemembered() async throws {
        let grants = GrantStore()
        try await withDesktop(grants: grants, apps: ["org.example.Letters": Self.claims]) {
            desktop, world, server, host in
            let question = try #require(await server.nextShown())
            #expect(question.body.hasSuffix("\nIt wants to get and to publish com.bank.transfer."))
            try server.choose("refuse", of: question.id)
            try await host.until("no question is left") { await desktop.keeper.finding == nil }
            let file = world.root.appending(path: "applications/org.example.Letters.desktop")
            let more = "[Desktop Entry]\nType=Application\nExec=true\n\(Self.claims)".replacing(
                "com.bank.transfer", with: "com.bank.transfer;com.bank.see")
            try Data(more.utf8).write(to: file, options: .atomic)
            let second = try #require(await server.nextShown { $0.id != question.id })
            #expect(second.body.hasSuffix("\nIt wants to get and to publish com.bank.see."))
            #expect(await desktop.findings.contains { $0.code == "grants-pending" })
        }
        // A restarted daemon still knows the refusal.
        try await withDesktop(grants: grants, apps: ["org.example.Letters": Self.claims]) { desktop, _, server, _ in
            #expect(await desktop.keeper.finding == nil)
            _ = await desktop.offered(offer())
            #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
        }
    }

    @Test("A postponed question does not come back, and is listed")
    func questionPutOff() async throws {
        let grants = GrantStore()
        for isFirst in [true, false] {
            try await withDesktop(grants: grants, apps: ["org.example.Letters": Self.claims]) {
                desktop, _, server, host in
                if isFirst {
                    let question = try #require(await server.nextShown())
                    try server.dismiss(question.id)
                    try await host.until("it is put off") {
                        grants.grants.answers[Self.letters]?.dismissed.isEmpty == false
                    }
                } else {
                    _ = await desktop.offered(offer())
                    #expect(await server.nextShown()?.summary == "Notes from \"desk\"")
                }
                #expect(await desktop.grants.map(\.state) == [.pending])
            }
        }
    }

    @Test("The user is not asked while the screen is locked")
    func notAskedWhileLocked() async throws {
        try await withDesktop(apps: ["org.example.Letters": Self.claims]) { desktop, _, server, _ in
            let question = try #require(await server.nextShown())
            await desktop.sessionChanged(SessionState(isLocked: true))
            #expect(await server.nextClosed() == question.id)
            await desktop.sessionChanged(SessionState())
            #expect(await server.nextShown()?.summary == question.summary)
        }
    }

    @Test("Revoking a grant ends running hand-overs and published activities")
    func takingBackEndsAll() async throws {
        let grants = GrantStore()
        let app = SandboxedApp(.flatpak, "org.example.note")
        try grants.change(isForLess: false) { try $0.allow(ActivityClaim(types: [HandoverWorld.type]), to: app) }
        try await withDesktop(grants: grants, apps: Self.greedy) { desktop, world, _, host in
            host.holdsFetches = true
            #expect(await desktop.offered(offer()).application == "org.example.note")
            let opening = Task { try await desktop.open("offer-1", options: OpenOptions()) }
            try await host.until("the app is to have it") {
                await desktop.openings.receiver(of: "offer-1")?.app.identifier == "org.example.note"
            }
            let granted = try #require(await desktop.grants.first)
            #expect(granted.state == .granted)
            try await desktop.refuse(granted)
            await #expect(throws: BatonError.self) { try await opening.value }
            #expect(world.journal.all.contains("ends what is not permitted"))
            #expect(await desktop.grants.map(\.state) == [.refused])
        }
    }

    @Test("Only declared types can be allowed")
    func onlyDeclaredIsAllowed() async throws {
        try await withDesktop(apps: ["org.example.Letters": Self.claims]) { desktop, _, _, _ in
            for (sandbox, id, team, types) in [
                ("flatpak", "org.example.Letters", "", ["org.example.*"]),
                ("flatpak", "org.example.Letters", "bank", []),
                ("flatpak", "org.example.Letters", "", []), ("snap", "org.example.Letters", "", ["com.bank.transfer"]),
                ("none", "org.example.Letters", "", ["com.bank.transfer"]),
                ("flatpak", HandoverWorld.identifier, "", [HandoverWorld.type]),
            ] {
                await #expect(throws: BatonError.self) {
                    try await desktop.allow(
                        AppGrant(sandbox: sandbox, application: id, state: .pending, team: team, types: types))
                }
            }
            #expect(await desktop.grants.map(\.state) == [.pending])
        }
    }

    @Test("Refusing an app that was removed forgets the app")
    func refusingForgetsGoneApp() async throws {
        let grants = GrantStore()
        let gone = SandboxedApp(.snap, "gone_gone")
        try grants.change(isForLess: false) { try $0.allow(ActivityClaim(types: ["a.b"]), to: gone) }
        try await withDesktop(grants: grants) { desktop, _, _, _ in
            try await desktop.refuse(try #require(await desktop.grants.first))
            #expect(await desktop.grants.isEmpty && grants.grants.answers.isEmpty)
        }
    }

    @Test("An app loses its grants if it asks for more than can be remembered")
    func tooMuchToRemember() async throws {
        let grants = GrantStore()
        let app = SandboxedApp(.flatpak, "org.example.note")
        try grants.change(isForLess: false) { try $0.allow(ActivityClaim(types: [HandoverWorld.type]), to: app) }
        var apps = Self.greedy
        for number in 0..<40 {
            let types = (0..<20).map { "\(String(repeating: "t", count: 200)).\($0)" }.joined(separator: ";")
            // The last entry declares no team, like the grant.
            apps["\(app.identifier).n\(number)"] = """
                Name=Mail
                X-Flatpak=\(app.identifier)
                X-Baton-Team=\(number == 39 ? "" : "t\(number)")
                X-Baton-ActivityTypes=\(types)

                """
        }
        try await withDesktop(grants: grants, apps: apps) { desktop, _, _, _ in
            let all = await desktop.grants
            #expect(all.count == 41)
            for pending in all where pending.state == .pending && !pending.team.isEmpty {
                try await desktop.refuse(pending)
            }
            try await desktop.refuse(
                AppGrant(sandbox: "flatpak", application: app.identifier, state: .granted, types: []))
            #expect(await desktop.grants.allSatisfy { $0.state != .granted })
        }
    }

    @Test("A sandboxed app with an impossible name claims nothing")
    func impossibleName() throws {
        let store = GrantStore()
        var keeper = GrantKeeper(store: store)
        let text = "[Desktop Entry]\nType=Application\nX-SnapInstanceName=x\nX-Baton-ActivityTypes=com.bank.transfer\n"
        let names = ["x_y", "x\u{7}", String(repeating: "x", count: 256)]
        keeper.install(DesktopEntryIndex(names.compactMap { DesktopEntry(identifier: $0, text: text) }))
        #expect(keeper.summaries.map(\.application) == ["x_y"])
        #expect(keeper.missing("com.bank.transfer", team: "", names[0]) != nil)
        #expect(keeper.missing("com.bank.transfer", team: "", names[1]) == nil)
        #expect(keeper.entitled.entries.count == 3)
        #expect(throws: BatonError.self) {
            try keeper.allow(
                AppGrant(sandbox: "snap", application: names[1], state: .pending, types: ["com.bank.transfer"]))
        }
    }

    /// A saved activity of the Flatpak that claims the type of Notes.
    private static var kept: SearchResult {
        SearchResult(
            application: "org.example.note",
            activity: SavedUserActivity(
                identity: ActivityIdentity(), state: ActivityState(activityType: HandoverWorld.type), keywords: [],
                contentAttributeSet: nil))
    }

    @Test("Revoking a grant ends the opening of a saved activity")
    func takingBackEndsOpening() async throws {
        let grants = GrantStore()
        let app = SandboxedApp(.flatpak, "org.example.note")
        try grants.change(isForLess: false) { try $0.allow(ActivityClaim(types: [HandoverWorld.type]), to: app) }
        try await withDesktop(grants: grants, apps: Self.greedy) { desktop, world, _, _ in
            let never = AsyncStream<Void> { _ in }
            try await world.runApp(
                as: app.identifier,
                will: {
                    for await _ in never {}
                    return true
                })
            let opening = Task { try await desktop.open(Self.kept) }
            await world.journal.wait(for: "will org.example.note from this device")
            try await desktop.refuse(try #require(await desktop.grants.first))
            let error = await #expect(throws: BatonError.self) { try await opening.value }
            #expect(error?.code == .userCancelled)
            #expect(!world.journal.all.contains { $0.hasPrefix("continue") })
        }
    }

    @Test("A saved activity is not given to a program that may not have its type")
    func keptNotForThatProgram() async throws {
        try await withDesktop { desktop, world, _, host in
            try await world.runApp()
            host.refusedTypes = [HandoverWorld.type]
            var result = Self.kept
            result.application = HandoverWorld.identifier
            let error = await #expect(throws: BatonError.self) { try await desktop.open(result) }
            #expect(error?.code == .notAllowed)
            #expect(!world.journal.all.contains { $0.hasPrefix("continue") })
        }
    }

    @Test("A saved activity of a type that is not its app's own is not opened")
    func keptOfForeignType() async throws {
        try await withDesktop(apps: Self.greedy) { desktop, _, _, _ in
            let error = await #expect(throws: BatonError.self) { try await desktop.open(Self.kept) }
            #expect(error?.code == .notAllowed)
        }
    }
}
