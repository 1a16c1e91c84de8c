// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import Testing

@testable import BatonDesktop

/// Tests the questions to the user about sandboxed apps, and the limits on their number.
@Suite struct GrantQuestionsTests {
    private let letters = SandboxedApp(.flatpak, "org.example.Letters")

    private func claim(_ types: String...) -> ActivityClaim { ActivityClaim(types: Set(types)) }

    @Test("A question does not change while it is shown, and further claims cause another question after it")
    func frozen() throws {
        var questions = GrantQuestions()
        #expect(questions.update([letters: claim("a.b")], at: .zero).isEmpty)
        let first = try #require(questions.questions.first)
        #expect(first.claim == claim("a.b") && first.key.kind == .grant)
        #expect(questions.update([letters: claim("a.b", "c.d")], at: .zero).isEmpty)
        #expect(questions.questions == [first])
        #expect(questions.take(first.key) == first)
        #expect(questions.take(first.key) == nil)
        #expect(questions.update([letters: claim("c.d")], at: .zero).isEmpty)
        #expect(questions.questions.map(\.claim) == [claim("c.d")])
        #expect(questions.questions.first?.key != first.key)
    }

    @Test("A click on a question about a withdrawn claim grants nothing")
    func withdrawn() throws {
        var questions = GrantQuestions()
        _ = questions.update([letters: claim("a.b", "c.d")], at: .zero)
        let first = try #require(questions.questions.first)
        #expect(questions.update([letters: claim("c.d", "e.f")], at: .zero) == [first.key])
        #expect(questions.take(first.key) == nil)
        #expect(questions.questions.map(\.claim) == [claim("c.d", "e.f")])
        let second = try #require(questions.questions.first)
        #expect(
            questions.update([letters: ActivityClaim(team: "t", types: ["c.d", "e.f"])], at: .zero) == [second.key])
        #expect(questions.update([:], at: .zero).count == 1)
        #expect(questions.questions.isEmpty)
    }

    @Test("An app that rewrites its entry causes at most three questions a day")
    func rewriting() {
        var questions = GrantQuestions()
        var keys: Set<NotificationKey> = []
        for round in 0..<1_000 {
            _ = questions.update([letters: claim("type.\(round)")], at: .seconds(round))
            keys.formUnion(questions.questions.map(\.key))
        }
        #expect(keys.count == GrantQuestions.maximumPerApp)
        _ = questions.update([letters: claim("a.b")], at: GrantQuestions.period + .seconds(3))
        #expect(questions.questions.count == 1)
    }

    @Test("For all apps together there are at most four questions at a time and sixteen a day")
    func many() {
        var questions = GrantQuestions()
        let all = Dictionary(uniqueKeysWithValues: (0..<100).map { (SandboxedApp(.snap, "s_\($0)"), claim("a.b")) })
        var keys: Set<NotificationKey> = []
        for round in 0..<100 {
            _ = questions.update(all, at: .seconds(round))
            #expect(questions.questions.count <= GrantQuestions.maximumShown)
            for question in questions.questions {
                keys.insert(question.key)
                _ = questions.take(question.key)
            }
        }
        #expect(keys.count == GrantQuestions.maximumInAll)
    }

    @Test("A question shows the app's id, its request, and its team")
    func shown() {
        let shown = GrantNotifications.notification(
            of: ActivityClaim(team: "example", types: ["org.example.note", "com.bank.transfer"]), letters,
            hasWindow: false)
        #expect(
            shown.body == """
                org.example.Letters (Flatpak)
                It wants to get and to publish com.bank.transfer, org.example.note of the team "example".
                """)
        #expect(shown.actions.map(\.key) == ["allow", "refuse"] && shown.isLasting)
        #expect(shown.icon == nil && shown.application == nil)
    }

    @Test(
        "If a question cannot show a claim completely and unchanged, a click does not allow it",
        arguments: [
            ["a.b of the team \"bank\"."], ["a\u{202E}b.c"], ["a.b\nc"], ["<b>a.b</b>"], ["\u{430}.b"],
            [String(repeating: "a", count: 201)], [String(repeating: "a", count: 140)],
            (0..<40).map { "org.example.type\($0)" },
        ])
    func notShown(types: [String]) {
        for hasWindow in [false, true] {
            let shown = GrantNotifications.notification(
                of: ActivityClaim(types: Set(types)), letters, hasWindow: hasWindow)
            #expect(shown.actions.map(\.key) == (hasWindow ? ["show", "refuse"] : ["refuse"]))
            #expect(shown.body.contains("baton grants") != hasWindow && shown.body.count <= Notification.maximumLength)
            #expect(types.allSatisfy { !shown.body.contains($0) })
        }
    }

    @Test(
        "A question shows an app's complete id in its body, because servers cut summaries, or else cannot be allowed by a click",
        arguments: [1, 40, 80, 99, 100, 101, 255])
    func wholeIdentifier(length: Int) {
        let app = SandboxedApp(.flatpak, String(repeating: "a", count: length - 1) + "z")
        let shown = GrantNotifications.notification(of: claim("b.c"), app, hasWindow: true)
        #expect(shown.summary == "An app wants activities of other apps")
        let first = shown.body.split(separator: "\n").first
        #expect(shown.actions.contains { $0.key == "allow" } == (length <= 100))
        #expect((first == "\(app.identifier) (Flatpak)") == (length <= 100))
        #expect(shown.body.count <= Notification.maximumLength)
    }
}
