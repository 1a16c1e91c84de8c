// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import Foundation
import Testing

@testable import baton

/// Tests how command lines are parsed, and refused with advice.
@Suite struct CommandLineTests {
    @Test(
        "Wrong use is refused when a command line is parsed",
        arguments: [
            ["open", "1", "--type", "t"], ["continue", "1", "--type", "t"], ["continue", "1", "--from", "d"],
            ["continue", "--type", "t", "--json", "--stream-to", "-"], ["continue", "1", "--wait", "-1"], ["publish"],
            ["continue", "1", "--wait", "nan"], ["circle", "create", "--name", ""], ["circle", "invite"], ["nonsense"],
            ["continue", ""], ["open", "--type", ""], ["open", "--from", ""],
            ["continue", "1", "--stream-to", ""], ["circle", "invite", "-"], ["circle", "join", ""],
        ])
    func wrongUseIsRefused(arguments: [String]) async {
        await #expect(throws: (any Error).self) { try await BatonTool.asyncParseAsRoot(arguments) }
    }

    @Test(
        "An option with one value that is given twice is refused",
        arguments: [
            ["publish", "--type", "a", "--type", "b"], ["publish", "--type=a", "--type", "b"],
            ["ping", "-n", "2", "sofa", "--count", "3"], ["ping", "-n2", "-n3", "sofa"],
            ["circle", "create", "--name", "a", "--name=b"],
        ])
    func optionGivenTwice(words: [String]) {
        let error = #expect(throws: ToolFailure.self) { try CommandWords(words, of: BatonTool.self).check() }
        #expect(error?.status == .usage && error?.description.contains("is given twice") == true)
    }

    @Test(
        "An option that may be repeated is accepted",
        arguments: [
            ["publish", "--type", "--type"], ["publish", "--type", "a", "--info", "b=1", "--info", "c=2"],
            ["status", "--json", "--json"], ["rules", "add", "--", "--type", "--type"],
        ])
    func whatMayBeGivenTwiceIsTaken(words: [String]) throws { try CommandWords(words, of: BatonTool.self).check() }

    @Test("A negative number after two dashes is not an option")
    func negativeNumberBehindDashes() {
        #expect(CommandWords(["pause", "-5"], of: BatonTool.self).hint(after: "").contains("-5 was read as an option"))
        #expect(!CommandWords(["pause", "--", "-5"], of: BatonTool.self).hint(after: "").contains("option"))
    }

    @Test("A misspelt option is named when another option is missing")
    func misspeltOption() {
        let words = CommandWords(["publish", "--typ", "a"], of: BatonTool.self)
        #expect(words.hint(after: "Missing '--type <type>'").hasPrefix("; there is no option --typ; see: "))
        #expect(words.hint(after: "Unknown option '--typ'") == "; see: baton publish --help")
    }

    @Test("The options of baton publish describe the activity")
    func activityIsMadeOfItsOptions() async throws {
        func state(_ arguments: String...) async throws -> ActivityState {
            let command = try await BatonTool.asyncParseAsRoot(["publish"] + arguments)
            return try #require(command as? Publish).options.state()
        }
        let made = try await state(
            "--type", "t", "--info", "a=1=2", "--info", "b=", "--webpage", "https://example.org/")
        #expect(made.userInfo == ["a": "1=2", "b": ""])
        #expect(made.webpageURL?.absoluteString == "https://example.org/")
        await #expect(throws: ToolFailure.self) { try await state("--type", "") }
        await #expect(throws: ToolFailure.self) { try await state("--type", "t", "--info", "x") }
        await #expect(throws: ToolFailure.self) { try await state("--type", "t", "--info", "=x") }
        await #expect(throws: ToolFailure.self) { try await state("--type", "t", "--info", "a=1", "--info", "a=2") }
        await #expect(throws: ToolFailure.self) { try await state("--type", "t", "--webpage", "file:///x") }
        await #expect(throws: ToolFailure.self) { try await state("--type", "t", "--info-json", "/dev/zero") }
    }

    @Test(
        "A pause is given in seconds or in units of time",
        arguments: [
            ("90", 90, "90s"), ("90s", 90, "90s"), ("30m", 1_800, "30m"), ("1h30m", 5_400, "1h30m"),
            ("7d", 604_800, "7d"),
            ("1d2h3m4s", 93_784, "1d2h3m4s"), ("168h", 604_800, "168h"), ("00000001h", 3_600, "1h"),
            ("0090", 90, "90s"),
            ("0h05m", 300, "5m"),
        ])
    func pauseIsOfSecondsOrOfUnits(argument: String, seconds: Int, text: String) throws {
        let duration = try PauseDuration(parsing: argument)
        #expect(duration.duration == .seconds(seconds) && duration.text == text)
    }

    @Test(
        "An invalid pause is refused",
        arguments: ["", "d", "1h1h", "1m1h", "7d1s", "h1", "0", "1x", "-1h", "+1h", "0h"])
    func pauseThatIsNoneIsRefused(argument: String) {
        #expect(throws: ValidationError.self) { try PauseDuration(parsing: argument) }
    }
}
