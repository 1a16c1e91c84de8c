// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis
import Testing

@testable import BatonDesktop

@Suite struct CallerPermissionsTests {
    private let grants = GrantStore()
    private var policy: CallerPermissions {
        CallerPermissions(grants: grants) { id in
            switch id {
            case "org.example.Letters":
                ActivityClaim(team: "example", types: ["org.example.letter", "org.example.letters.write"])
            case "org.example.Alone": ActivityClaim(types: ["org.example.Alone.play"])
            default: nil
            }
        }
    }
    private let letters = Caller(applicationID: "org.example.Letters", kind: .flatpak, isSandboxed: true)
    private let alone = Caller(applicationID: "org.example.Alone", kind: .snap, isSandboxed: true)
    private let unit = Caller(applicationID: "org.example.Letters", kind: .unit, isSandboxed: false)

    private func code(_ body: () throws -> Void) -> BatonError.Code? {
        do { try body() } catch { return (error as? BatonError)?.code }
        return nil
    }

    @Test("All unnamed sandboxes share an account, an app has its own, and other programs have one per connection")
    func accounts() {
        #expect(Caller.unidentified.account == "/unidentified")
        #expect(!ApplicationID.isValid("/unidentified"))
        #expect(letters.account == "org.example.Letters" && unit.account == "org.example.Letters")
        #expect(Caller.ordinary.account == nil)
    }

    /// Allows Letters its team and the type for letters.
    private func allow() throws {
        try grants.change(isForLess: false) {
            try $0.allow(
                ActivityClaim(team: "example", types: ["org.example.letter"]),
                to: SandboxedApp(.flatpak, "org.example.Letters"))
        }
    }

    @Test("A sandboxed app has no team until the team of its entry is granted, and then always has that team")
    func ownTeam() throws {
        #expect(try policy.team(claimed: nil, by: letters) == "")
        #expect(try policy.team(claimed: "", by: letters) == "")
        #expect(code { _ = try policy.team(claimed: "example", by: letters) } == .notAllowed)
        try allow()
        #expect(try policy.team(claimed: nil, by: letters) == "example")
        #expect(try policy.team(claimed: "example", by: letters) == "example")
        #expect(try policy.team(claimed: nil, by: alone) == "")
    }

    @Test("A sandboxed app cannot claim another team")
    func otherTeam() throws {
        try allow()
        #expect(code { _ = try policy.team(claimed: "other", by: letters) } == .notAllowed)
        #expect(code { _ = try policy.team(claimed: "", by: letters) } == .notAllowed)
        #expect(code { _ = try policy.team(claimed: "example", by: alone) } == .notAllowed)
        #expect(code { _ = try policy.team(claimed: "example", by: .unidentified) } == .notAllowed)
    }

    @Test("A sandboxed app may publish its own types, and other declared types only after they are granted")
    func types() throws {
        func isRefused(_ type: String, _ caller: Caller, team: String = "") -> Bool {
            code { try policy.check(type: type, team: team, by: caller) } == .notAllowed
        }
        #expect(!isRefused("org.example.Letters.anything", letters))
        #expect(isRefused("org.example.letter", letters) && isRefused("com.bank.transfer", letters))
        #expect(isRefused("NSUserActivityTypeBrowsingWeb", letters))
        #expect(isRefused("org.example.Alone.play", alone), "a snap's id begins no type")
        #expect(isRefused("org.example.letter", .unidentified))
        #expect(
            isRefused("org.example.letter", unit, team: "any") == false && !isRefused("com.bank.transfer", .ordinary))
        try allow()
        #expect(!isRefused("org.example.letter", letters, team: "example"))
        #expect(
            isRefused("org.example.letter", letters, team: "")
                && isRefused("com.bank.transfer", letters, team: "example"))
        // The same id in another sandbox belongs to another app.
        let snap = Caller(applicationID: "org.example.Letters", kind: .snap, isSandboxed: true)
        #expect(isRefused("org.example.letter", snap, team: "example"))
    }

    @Test("A refusal says in one line how the user can allow it")
    func advice() {
        for body in [
            { try policy.check(type: "org.example.letter", team: "", by: letters) },
            { _ = try policy.team(claimed: "example", by: letters) },
        ] as [() throws -> Void] {
            let error = #expect(throws: BatonError.self) { try body() }
            #expect(error?.reason?.values["app"] == "org.example.Letters")
            #expect(error?.message.contains("\n") == false)
        }
    }

    @Test("A sandboxed app cannot claim another app's id")
    func otherID() throws {
        #expect(code { _ = try policy.applicationID(claimed: "org.example.Alone", by: letters) } == .notAllowed)
        #expect(code { _ = try policy.applicationID(claimed: "org.example.Letters", by: .unidentified) } == .notAllowed)
        #expect(try policy.applicationID(claimed: "org.example.Letters", by: letters) == "org.example.Letters")
        #expect(try policy.applicationID(claimed: nil, by: letters) == "org.example.Letters")
    }

    @Test("Programs without a sandbox belong to the user, and may claim any team or id")
    func ordinary() throws {
        #expect(try policy.team(claimed: "other", by: .ordinary) == "other")
        #expect(try policy.team(claimed: nil, by: .ordinary) == "")
        #expect(try policy.team(claimed: nil, by: unit) == "example")
        #expect(try policy.team(claimed: "", by: unit) == "")
        #expect(try policy.applicationID(claimed: "org.example.Alone", by: unit) == "org.example.Alone")
        #expect(policy.continuable(by: unit) == nil && policy.continuable(by: .ordinary) == nil)
        #expect(policy.mayManage(.ordinary) && policy.mayManage(unit))
    }

    @Test("A sandboxed app continues only declared types that are its own or granted, and manages nothing")
    func continuing() throws {
        #expect(policy.continuable(by: letters) == .init(types: ["org.example.letters.write"]))
        try allow()
        #expect(
            policy.continuable(by: letters)
                == .init(team: "example", types: ["org.example.letter", "org.example.letters.write"]))
        #expect(policy.continuable(by: alone) == .init())
        #expect(policy.continuable(by: .unidentified) == .init())
        #expect(!policy.mayManage(letters) && !policy.mayManage(.unidentified))
    }

    @Test("An id that could point to another path is refused", arguments: ["", ".", "..", "a/b", "a\nb", "a\u{0}"])
    func invalidID(id: String) {
        #expect(code { _ = try policy.applicationID(claimed: id, by: .ordinary) } == .invalidArgument)
    }
}
