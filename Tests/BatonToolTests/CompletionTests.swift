// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import Testing

@testable import baton

/// Tests the candidates for completion. `Tests/Examples/test_completion.py` tests real shells.
@Suite struct CompletionTests {
    @Test(
        "A word that cannot be used on a command line is not completed",
        arguments: [
            "", " ", "two\nlines", "a\rb", "a\tb", "bell\u{7}", "\u{1B}[31mred", "\u{202E}detrever", "-y", "--yes", "~",
            "~root", "-\u{301}y", "~\u{301}root",
        ])
    func wordThatCannotBeGiven(word: String) { #expect(Candidate(word) == nil) }

    @Test(
        "A word is quoted as each shell needs it",
        arguments: [
            ("desk", "'desk'", "desk:id", "desk\tid"), ("a b", "'a b'", "a b:id", "a b\tid"),
            ("it's", #"'it'\''s'"#, "it's:id", "it's\tid"), ("$(a)`b`", "'$(a)`b`'", "$(a)`b`:id", "$(a)`b`\tid"),
            (#"a\:b"#, #"'a\:b'"#, #"a\\\:b:id"#, "a\\:b\tid"),
        ])
    func wordForEachShell(word: String, bash: String, zsh: String, fish: String) throws {
        let candidate = try #require(Candidate(word, "id"))
        #expect(candidate.line(for: .bash) == bash)
        #expect(candidate.line(for: .zsh) == zsh)
        #expect(candidate.line(for: .fish) == fish)
    }

    @Test("A mark after a character does not keep it from being quoted")
    func characterWithAMark() throws {
        // Variables, because the macros do not take a literal with a mark after a backslash.
        let word = "a'\u{301}$(b)'\u{301}:\u{301}c\\\u{301}"
        let bash = "'a'\\''\u{301}$(b)'\\''\u{301}:\u{301}c\\\u{301}'"
        let zsh = "a'\u{301}$(b)'\u{301}\\:\u{301}c\\\\\u{301}"
        let candidate = try #require(Candidate(word))
        #expect(candidate.line(for: .bash) == bash)
        #expect(candidate.line(for: .zsh) == zsh)
    }

    @Test("A device with an ambiguous name is completed by its id")
    func deviceCompletedByID() {
        let members = [
            CircleMember(device: "0a1b2c3d", name: "desk"), CircleMember(device: "11111111", name: "twin"),
            CircleMember(device: "22222222", name: "twin"), CircleMember(device: "33333333", name: "99999999"),
            CircleMember(device: "44444444", name: "-y"), CircleMember(device: "55555555", name: "two\nlines"),
            CircleMember(device: "66666666", name: "sofa", isThisDevice: true),
        ]
        #expect(
            CompletionKind.devices(of: members).map(\.word)
                == ["desk", "11111111", "22222222", "33333333", "44444444", "55555555"])
        // A device without an offer also makes a name ambiguous.
        #expect(CompletionKind.devices(of: members) { $0 == "11111111" }.map(\.word) == ["11111111"])
    }

    @Test(
        "The details of a trace are completed one after another",
        arguments: [
            ("", ["names", "addresses", "types", "titles"]), ("ty", ["names", "addresses", "types", "titles"]),
            ("--reveal=types,titles,", ["types,titles,names", "types,titles,addresses"]),
            ("types,", ["types,names", "types,addresses", "types,titles"]),
            ("types,names,a", ["types,names,addresses", "types,names,titles"]),
        ])
    func detailsOneAfterTheOther(word: String, completed: [String]) {
        #expect(CompletionKind.details(after: word).map(\.word) == completed)
    }

    @Test("The description of a completed word is one line")
    func meaningIsOneLine() throws {
        #expect(try #require(Candidate("1", "a\nb\tc")).meaning == #"a\u{a}b\u{9}c"#)
    }

    @Test(
        "The value of a rule is completed as the shell splits it",
        arguments: [
            (["baton", "rules", "add", "near", "device=d"], 4, "device=desk"),
            (["baton", "rules", "add", "near", "device", "=", "d"], 6, "desk"),
            (["baton", "rules", "add", "near", "device", "="], 5, "desk"),
            (["baton", "rules", "add", "--first", "near", "type=t", "de"], 6, "device=desk"),
        ])
    func valueOfARule(words: [String], index: Int, completed: String) throws {
        let word = RuleWord(words, index)
        #expect(word.wants("device"))
        #expect(word.candidate("device", try #require(Candidate("desk")))?.word == completed)
        #expect(RuleWord(["type=x"], 0).wants("device") == false)
    }

    @Test(
        "A rule's keys follow the action, each of them once",
        arguments: [
            (["add", ""], 1, []), (["add", "--first", ""], 2, []),
            (["add", "near", ""], 2, ["type", "app", "device"]),
            (["add", "hide", ""], 2, ["type", "app"]), (["add", "ask", "type=t", ""], 3, ["app", "device"]),
            // These are the words as bash splits them.
            (["add", "ask", "type", "=", "t", ""], 5, ["app", "device"]),
            (["add", "ask", "type", "=", "t", "app", "=", ""], 7, ["app"]), (["baton"], 9, []),
        ])
    func keysFollowTheAction(words: [String], index: Int, keys: [String]) {
        let words = ["baton", "rules"] + words
        let word = RuleWord(words, index + 2)
        #expect(["type", "app", "device"].filter(word.wants) == keys)
        #expect(word.actions.isEmpty == !keys.isEmpty)
    }
}
