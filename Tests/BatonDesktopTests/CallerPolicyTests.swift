// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Testing

@testable import BatonDesktop

@Suite struct CallerPolicyTests {
    private let policy = CallerPolicy { id in
        switch id {
        case "org.example.Letters": CallerPolicy.Declaration(team: "example", types: ["org.example.letter"])
        case "org.example.Alone": CallerPolicy.Declaration()
        default: nil
        }
    }
    private let letters = Caller(applicationID: "org.example.Letters", kind: .flatpak, isSandboxed: true)
    private let alone = Caller(applicationID: "org.example.Alone", kind: .snap, isSandboxed: true)
    private let unit = Caller(applicationID: "org.example.Letters", kind: .unit, isSandboxed: false)

    private func code(_ body: () throws -> Void) -> BatonBusError.Code? {
        do { try body() } catch { return (error as? BatonBusError)?.code }
        return nil
    }

    @Test(
        "All sandboxes without a name have one account, an app has its own, and other programs have none but their connection's"
    )
    func accounts() {
        #expect(Caller.unidentified.account == "/unidentified")
        #expect(!CallerPolicy.isApplicationID("/unidentified"))
        #expect(letters.account == "org.example.Letters" && unit.account == "org.example.Letters")
        #expect(Caller.ordinary.account == nil)
    }

    @Test("A sandboxed app publishes for its entry's team, whether it says so or not")
    func ownTeam() throws {
        #expect(try policy.team(claimed: nil, by: letters) == "example")
        #expect(try policy.team(claimed: "example", by: letters) == "example")
        #expect(try policy.team(claimed: nil, by: alone) == "")
    }

    @Test("A sandboxed app cannot claim another team")
    func otherTeam() {
        #expect(code { _ = try policy.team(claimed: "other", by: letters) } == .notAllowed)
        #expect(code { _ = try policy.team(claimed: "", by: letters) } == .notAllowed)
        #expect(code { _ = try policy.team(claimed: "example", by: alone) } == .notAllowed)
        #expect(code { _ = try policy.team(claimed: "example", by: .unidentified) } == .notAllowed)
    }

    @Test("A sandboxed app cannot claim to be another")
    func otherID() throws {
        #expect(code { _ = try policy.applicationID(claimed: "org.example.Alone", by: letters) } == .notAllowed)
        #expect(code { _ = try policy.applicationID(claimed: "org.example.Letters", by: .unidentified) } == .notAllowed)
        #expect(try policy.applicationID(claimed: "org.example.Letters", by: letters) == "org.example.Letters")
        #expect(try policy.applicationID(claimed: nil, by: letters) == "org.example.Letters")
    }

    @Test("Other programs are the user's, and may say what they like")
    func ordinary() throws {
        #expect(try policy.team(claimed: "other", by: .ordinary) == "other")
        #expect(try policy.team(claimed: nil, by: .ordinary) == "")
        #expect(try policy.team(claimed: nil, by: unit) == "example")
        #expect(try policy.team(claimed: "", by: unit) == "")
        #expect(try policy.applicationID(claimed: "org.example.Alone", by: unit) == "org.example.Alone")
        #expect(policy.continuable(by: unit) == nil && policy.continuable(by: .ordinary) == nil)
        #expect(policy.mayManage(.ordinary) && policy.mayManage(unit))
    }

    @Test("A sandboxed app continues only what its entry declares, and manages nothing")
    func continuing() {
        #expect(policy.continuable(by: letters) == .init(team: "example", types: ["org.example.letter"]))
        #expect(policy.continuable(by: alone) == .init())
        #expect(policy.continuable(by: .unidentified) == .init())
        #expect(!policy.mayManage(letters) && !policy.mayManage(.unidentified))
    }

    @Test("Ids that would lead elsewhere are refused", arguments: ["", ".", "..", "a/b", "a\nb", "a\u{0}"])
    func invalidID(id: String) {
        #expect(code { _ = try policy.applicationID(claimed: id, by: .ordinary) } == .invalidArgument)
    }
}
