// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Testing

@testable import BatonDesktop

/// Tests the user's decisions about sandboxed apps, and the resulting permissions.
@Suite struct GrantsTests {
    private let letters = SandboxedApp(.flatpak, "org.example.Letters")
    private let snap = SandboxedApp(.snap, "letters_letters")
    private let own = "org.example.letters.write"
    private let foreign = "org.example.note"

    private func claim(_ team: String = "", _ types: String...) -> ActivityClaim {
        ActivityClaim(team: team, types: Set(types))
    }

    @Test("Without a grant, a Flatpak may use only its own types and no team, and its other declarations are pending")
    func withoutAGrant() {
        let grants = Grants()
        let all = claim("example", own, foreign)
        let entitlement = grants.entitlement(of: letters)
        #expect(entitlement.part(of: all) == claim("", own))
        #expect(entitlement.permits(own, team: ""))
        #expect(!entitlement.permits(own, team: "example") && !entitlement.permits(foreign, team: ""))
        #expect(!entitlement.permits(foreign, team: "example"))
        #expect(grants.pending(all, of: letters) == claim("example", foreign))
        #expect(grants.pending(claim("", own), of: letters) == nil)
        // The request is for the team only.
        #expect(grants.pending(claim("example", own), of: letters) == claim("example"))
    }

    @Test("Without a grant, a snap or a sandbox without a name may use no type and no team")
    func snaps() {
        let all = claim("", "letters_letters.write", foreign)
        #expect(Grants().entitlement(of: snap).part(of: all) == claim())
        #expect(Grants().pending(all, of: snap) == all)
        #expect(!Grants().entitlement(of: nil).permits(own, team: ""))
        #expect(Grants().entitlement(of: nil).part(of: all) == claim())
    }

    @Test("The type of web pages is no app's own")
    func browsing() {
        let web = claim("", "NSUserActivityTypeBrowsingWeb")
        for app in [letters, snap] { #expect(Grants().pending(web, of: app) == web) }
    }

    @Test("A grant covers only the requested team and types")
    func granted() throws {
        var grants = Grants()
        try grants.allow(claim("example", foreign), to: letters)
        let entitlement = grants.entitlement(of: letters)
        #expect(entitlement.part(of: claim("example", own, foreign)) == claim("example", own, foreign))
        #expect(!entitlement.permits("org.example.note.more", team: "example"))
        #expect(!entitlement.permits(foreign, team: ""))
        #expect(!entitlement.permits(foreign, team: "rivals"))
        #expect(!grants.entitlement(of: snap).permits(foreign, team: "example"))
        #expect(!grants.entitlement(of: SandboxedApp(.snap, letters.identifier)).permits(foreign, team: "example"))
        #expect(entitlement.part(of: claim("rivals", own, foreign)) == claim("", own))
    }

    @Test("An app that declares more asks only for the new types")
    func more() throws {
        var grants = Grants()
        try grants.allow(claim("example", foreign), to: letters)
        #expect(grants.pending(claim("example", own, foreign), of: letters) == nil)
        #expect(
            grants.pending(claim("example", own, foreign, "com.bank.transfer"), of: letters)
                == claim("example", "com.bank.transfer"))
    }

    @Test("A refusal is remembered, and so is a postponed question")
    func refusals() throws {
        var grants = Grants()
        grants.refuse(claim("example", foreign), to: letters)
        #expect(grants.pending(claim("example", own, foreign), of: letters) == nil)
        #expect(grants.entitlement(of: letters).part(of: claim("example", own, foreign)) == claim("", own))
        #expect(
            grants.pending(claim("example", own, foreign, "com.bank.transfer"), of: letters)
                == claim("example", "com.bank.transfer"))
        grants.dismiss(claim("example", "com.bank.transfer"), of: letters)
        let all = claim("example", own, foreign, "com.bank.transfer")
        #expect(grants.pending(all, of: letters) == claim("example", "com.bank.transfer"))
        #expect(grants.unasked(all, of: letters) == nil)
    }

    @Test("Revoking a type removes it, revoking the last type also removes the team, and the user is not asked again")
    func takenBack() throws {
        var grants = Grants()
        let all = claim("example", own, foreign, "org.example.list")
        try grants.allow(claim("example", foreign, "org.example.list"), to: letters)
        grants.refuse(claim("example", foreign), to: letters)
        #expect(grants.entitlement(of: letters).part(of: all) == claim("example", own, "org.example.list"))
        grants.refuse(claim("example", "org.example.list"), to: letters)
        #expect(grants.entitlement(of: letters).part(of: all) == claim("", own))
        #expect(grants.pending(all, of: letters) == nil)
        // The user can grant it again.
        try grants.allow(claim("example", foreign), to: letters)
        #expect(grants.entitlement(of: letters).part(of: all) == claim("example", own, foreign))
    }

    @Test("A team for an app's own activities stays when other types are refused, and can be revoked alone")
    func teams() throws {
        var grants = Grants()
        try grants.allow(claim("example"), to: letters)
        grants.refuse(claim("example", foreign), to: letters)
        #expect(grants.entitlement(of: letters).part(of: claim("example", own, foreign)) == claim("example", own))
        grants.refuse(claim("example"), to: letters)
        #expect(grants.entitlement(of: letters).part(of: claim("example", own, foreign)) == claim("", own))
        #expect(grants.pending(claim("example", own), of: letters) == nil)
    }

    @Test("The number of remembered apps is limited, and so are the bytes for each app")
    func limits() throws {
        var grants = Grants()
        for number in 0..<Grants.maximumApps {
            try grants.allow(claim("", foreign), to: SandboxedApp(.snap, "s\(number)"))
        }
        #expect(throws: Grants.Full.self) { try grants.allow(claim("", foreign), to: letters) }
        grants.forget(SandboxedApp(.snap, "s0"))
        let many = ActivityClaim(types: Set((0..<2_000).map { "org.example.type.\($0)" }))
        #expect(throws: Grants.Full.self) { try grants.allow(many, to: letters) }
        #expect(!grants.entitlement(of: letters).permits("org.example.type.1", team: ""))
        let fewer = ActivityClaim(types: Set((0..<1_000).map { "org.example.type.\($0)" }))
        try grants.allow(fewer, to: letters)
        #expect(throws: Grants.Full.self) { try grants.allow(many, to: letters) }
        #expect(grants.entitlement(of: letters).granted == ["": fewer.types])
    }

    @Test("A grant can be revoked even if no more can be remembered for the app, and the user is then asked again")
    func takenBackWithoutRoom() throws {
        var grants = Grants()
        try grants.allow(claim("example", foreign), to: letters)
        let full = filled(grants)
        var refused = full
        refused.refuse(claim("example", foreign, String(repeating: "t", count: 255)), to: letters)
        #expect(refused.entitlement(of: letters).granted.isEmpty)
        #expect(refused.unasked(claim("example", own, foreign), of: letters) == claim("example", foreign))
    }

    @Test("To make room, postponed questions are dropped first, then refusals, and only then does a grant fail")
    func forgotten() throws {
        var grants = filled(Grants())
        let (refused, long) = (grants.answers[letters]?.refused, String(repeating: "t", count: 255))
        grants.dismiss(claim("more", long), of: letters)
        #expect(grants.answers[letters]?.refused == refused && grants.answers[letters]?.dismissed.isEmpty == true)
        try grants.allow(claim("more", long), to: letters)
        #expect(grants.entitlement(of: letters).permits(long, team: "more"))
        #expect(grants.answers[letters]?.refused.isEmpty == true)
    }

    @Test("When too many apps are remembered, another app can be refused, but the user is asked about it again")
    func refusedWithoutRoom() throws {
        var grants = Grants()
        for number in 0..<Grants.maximumApps {
            try grants.allow(claim("", foreign), to: SandboxedApp(.snap, "s\(number)"))
        }
        let before = grants
        grants.refuse(claim("", foreign), to: letters)
        #expect(grants == before)
        grants.refuse(claim("", foreign), to: SandboxedApp(.snap, "s0"))
        #expect(grants.entitlement(of: SandboxedApp(.snap, "s0")).granted.isEmpty)
    }

    /// Returns grants with so many refusals for one app that no further team fits.
    private func filled(_ grants: Grants) -> Grants {
        var (full, next) = (grants, grants)
        for number in 0... {
            let type = String(repeating: "t", count: 10)
            next.refuse(claim("team\(number)", type), to: letters)
            guard next.answers[letters]?.refused["team\(number)"] != nil else { break }
            full = next
        }
        return full
    }
}
