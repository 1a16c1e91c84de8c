// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import BatonBus
import DesktopEntries
import Diagnosis
import Foundation
import Glibc
import Testing
import UserInfoJSON

@testable import baton

@Suite struct ToolTests {
    private let offers = [
        OfferSummary(offer: "1", device: "aa", deviceName: "desk", type: "t"),
        OfferSummary(
            offer: "2", device: "bb", deviceName: "sofa", type: "t", title: "T", signal: -40, supportsStreams: true),
        OfferSummary(offer: "3", device: "bb", deviceName: "sofa", type: nil),
    ]

    @Test("Offers are chosen by id, type and device")
    func offersAreChosen() throws {
        func select(_ offer: String?, _ type: String?, _ from: String?) -> [String]? {
            OfferChoice(offer: offer, type: type, from: from.map { CircleMember(device: $0, name: "n") })
                .select(offers)?.map(\.offer)
        }
        #expect(select(nil, "t", nil) == ["1", "2"])
        #expect(select(nil, "t", "bb") == ["2"])
        #expect(select(nil, nil, "bb") == ["2", "3"])
        #expect(select("3", nil, nil) == ["3"])
        let hexadecimal = OfferSummary(offer: "0a1b", device: "aa", deviceName: "desk")
        #expect(OfferChoice(offer: "0A1B", type: nil, from: nil).select([hexadecimal]) == [hexadecimal])
        #expect(select(nil, nil, nil) == ["1", "2", "3"])
        #expect(select(nil, "u", nil) == nil && select("9", nil, nil) == nil)
    }

    @Test("Among several offers the best is meant, unless a type was given")
    func bestAmongSeveral() async throws {
        func one(_ type: String?, best: String?, typed: [String]? = nil) async throws -> String {
            try await OfferChoice(offer: nil, type: type, from: nil).one(
                of: offers, best: { best }, isTerminal: typed != nil,
                answers: {
                    AsyncStream { stream in
                        for line in typed ?? [] { stream.yield(line) }
                        stream.finish()
                    }
                }
            ).offer
        }
        #expect(try await one(nil, best: "2") == "2")
        for (type, best) in [("t", "2"), (nil, nil), (nil, "9")] {
            let error = await #expect(throws: ToolFailure.self) { try await one(type, best: best) }
            #expect(error?.status == .usage && error?.description.contains("3 offers fit") == true)
            #expect(error?.description.contains("1  desk  t; 2  sofa  t  -40 dBm  streams  T; 3  sofa") == true)
        }
        // Who sits there chooses.
        #expect(try await one(nil, best: "2", typed: ["0", "x", " 3 "]) == "3")
        #expect(try await one("t", best: nil, typed: ["1"]) == "1")
        let none = await #expect(throws: ToolFailure.self) { try await one(nil, best: "2", typed: ["4"]) }
        #expect(none?.status == .refused)
    }

    @Test("The screen says who is near, what is offered and what to do")
    func screenSaysWhatToDo() {
        let now = Date(timeIntervalSince1970: 2_000_000_000)
        var status = DaemonStatus(version: "1", radio: "bluez", device: "aa", deviceName: "desk")
        func lines(_ panel: PanelStatus?, _ offers: [OfferSummary] = []) -> [String] {
            Overview(status: status, panel: panel, offers: offers, now: now).lines
        }
        status.withoutCircle = "this device is in no circle; run 'baton pair'"
        #expect(lines(nil)[1] == status.withoutCircle)
        status.findings = [Finding(.removed, "sofa removed this device from its circle; run 'baton pair'")]
        #expect(lines(nil) == ["This device is called desk.", status.warnings[0], "", "All commands: baton --help"])
        status.isPaused = true
        #expect(lines(nil).contains { $0.hasPrefix("Paused") })
        (status.circle, status.findings, status.isPaused) = ("c", [], false)
        status.members = [CircleMember(device: "aa", name: "desk", isThisDevice: true)]
        #expect(lines(nil)[0].contains("alone in its circle"))
        status.members += [
            CircleMember(device: "bb", name: "sofa", isNear: true, lastSeen: now, transports: ["l2cap"]),
            CircleMember(device: "cc", name: "attic", lastSeen: now - 7_300),
            CircleMember(device: "dd", name: "shed"), CircleMember(device: "ee", name: "car", transports: ["tcp"]),
        ]
        var offers = offers
        offers[0].application = "org.example.App"
        offers[1].hasWebpage = true
        #expect(
            lines(PanelStatus(state: .running), offers) == [
                "This device, desk, is in a circle with:", "  sofa  near, connected over l2cap",
                "  attic  last seen 2 hours ago", "  shed  not seen yet", "  car  connected over tcp", "",
                "To carry on here, run baton open:", "  desk  t", "  sofa  t  -40 dBm  page+streams  T",
                "  sofa  (unknown)",
                "",
                "All commands: baton --help",
            ])
        #expect(
            lines(PanelStatus(state: .paused)).contains(
                "Paused: nothing is offered or shown. To end that: baton resume"))
        (status.isPaused, status.pausedUntil) = (true, now)
        #expect(lines(PanelStatus(state: .paused, pausedUntil: now)).contains { $0.hasPrefix("Paused until ") })
        #expect(lines(PanelStatus(state: .noRadio, reason: "no adapter")).contains("no adapter"))
        status.findings = [Finding(.addressPublic, "hci0 has no privacy")]
        #expect(lines(PanelStatus(state: .running)).contains("hci0 has no privacy"))
        #expect(lines(nil, Array(repeating: offers[0], count: 20)).contains("  and 12 more: baton nearby"))
        // Nothing is said to be opened that cannot be, and nothing shown that is never to be.
        offers[0].application = nil
        offers[1].isHidden = true
        let screen = lines(nil, Array(offers.prefix(2)))
        #expect(
            screen.suffix(4) == [
                "What no app here continues, baton continue shows:", "  desk  t", "", "All commands: baton --help",
            ])
        #expect(!screen.contains { $0.contains("baton open") })
        #expect(
            lines(nil, [offers[1]]).contains("What other laptops offer is hidden by your rules; baton nearby lists it.")
        )
        #expect(lines(nil).contains("No other laptop offers anything here just now."))
    }

    @Test("A name that several devices have means none")
    func nameOfSeveralDevices() throws {
        let names = DeviceNames([
            CircleMember(device: "0a1b2c3d", name: "desk"), CircleMember(device: "11111111", name: "desk"),
            CircleMember(device: "22222222", name: "sofa"), CircleMember(device: "33333333", name: "0a1b2c3d"),
            CircleMember(device: "44444444", name: "99999999"),
        ])
        #expect(try names.device(called: "sofa").device == "22222222")
        for id in ["0a1b2c3d", "0A1B2C3D"] { #expect(try names.device(called: id).name == "desk") }
        let several = #expect(throws: BatonError.self) { try names.device(called: "desk") }
        #expect(several?.code == .invalidArgument && several?.message.contains("0a1b2c3d, 11111111") == true)
        // What has the form of an id is none's name.
        for text in ["nobody", "99999999"] {
            let none = #expect(throws: BatonError.self) { try names.device(called: text) }
            #expect(none?.code == .notFound && none?.message.contains("22222222 (sofa)") == true)
        }
    }

    @Test("A rule is shown with the name of its device")
    func ruleNamesItsDevice() {
        let members = [CircleMember(device: "0a1b2c3d", name: "desk")]
        #expect(
            RuleText.line("near type=t device=0a1b2c3d signal=-60", members)
                == "near type=t device=0a1b2c3d signal=-60  (desk)")
        #expect(
            RuleText.line("never device=11111111", members)
                == "never device=11111111  (no device of the circle has the id 11111111: the rule is about none)")
        #expect(
            RuleText.doubt(#"never type="a device=0a1b2c3d" device="old laptop""#, members)
                == "no id could be found for the name old laptop; see baton status, baton devices")
        #expect(RuleText.doubt("near type=t device=0a1b2c3d signal=-60", members) == nil)
        #expect(RuleText.line("ask", members) == "ask")
        #expect(RuleText.limit(#"hide type="a app=b""#) == nil && RuleText.limit("never app=org.example.Notes") == nil)
        #expect(RuleText.limit("hide type=t app=org.example.Notes")?.contains("started in a terminal") == true)
    }

    @Test(
        "A rule is words of a shell, which has taken the quotes away, or one word that is all of it",
        arguments: [
            (["never", "device=old laptop"], #"never device="old laptop""#),
            ([#"never type=t device="old laptop""#], #"never type=t device="old laptop""#), (["ask"], "ask"),
        ])
    func ruleOfArguments(arguments: [String], rule: String) {
        #expect(RuleText.text(ofArguments: arguments) == rule)
    }

    @Test("The second of two rules that are the same is found")
    func secondOfTwoSameRules() {
        #expect(RuleText.copy(of: "ask", in: ["never", "ask", "hide", "ask"]) == 4)
        #expect(RuleText.copy(of: "never", in: ["never", "ask"]) == nil)
    }

    @Test(
        "A pause is given in seconds, or in units of time",
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
        "A pause that is none is refused",
        arguments: ["", "d", "1h1h", "1m1h", "7d1s", "h1", "0", "1x", "-1h", "+1h", "0h"])
    func pauseThatIsNoneIsRefused(argument: String) {
        #expect(throws: ValidationError.self) { try PauseDuration(parsing: argument) }
    }

    @Test("A served app that no desktop entry hands anything to is doubted")
    func servedAppIsDoubted() throws {
        func doubt(_ text: String?) throws -> String? {
            let entries = try text.map {
                [try #require(DesktopEntry(identifier: "org.example.N", text: "[Desktop Entry]\n\($0)"))]
            }
            return Serve.doubt("org.example.N", DesktopEntryIndex(entries ?? []))
        }
        let missing = try #require(try doubt(nil))
        #expect(missing.hasPrefix("there is no org.example.N.desktop, so Baton hands nothing to this app; "))
        #expect(missing.contains("X-Baton-ActivityTypes=TYPE; into it in /") && !missing.contains("\n"))
        let silent = try #require(try doubt("Name=N"))
        #expect(silent.hasPrefix("org.example.N.desktop names no activity type, so Baton hands nothing"))
        #expect(try doubt("X-Baton-ActivityTypes=org.example.note;") == nil)
        #expect(try doubt("X-Baton-DocumentActivityTypes=text/plain=org.example.text;") == nil)
    }

    @Test("What an app has is taken back before what it asks for is refused")
    func takenBackBeforeRefused() {
        let grants = [AppGrant.State.pending, .refused, .granted, .pending].enumerated().map {
            AppGrant(sandbox: "flatpak", application: "org.example.App", state: $1, team: "t\($0)", types: ["a.b"])
        }
        #expect(Grants.Refuse.open(grants) == [grants[2], grants[0], grants[3]])
    }

    @Test("For a type that is not there, the offers that may be of it are named")
    func typeThatIsNotThere() {
        let unknown = OfferChoice(offer: nil, type: "u", from: nil).notFound(after: Seconds(0), among: offers)
        #expect(unknown.contains("3 (from sofa) is of a type that is not known yet"))
        let attic = CircleMember(device: "cc", name: "attic")
        let elsewhere = OfferChoice(offer: nil, type: "u", from: attic).notFound(after: Seconds(0), among: offers)
        #expect(!elsewhere.contains("not known yet") && elsewhere.hasPrefix("no offer of type u from attic was seen"))
    }

    @Test("A QR code that is larger than the terminal is not drawn")
    func codeTooLargeToDraw() throws {
        let text = String(repeating: "code", count: 60)
        let lines = try Pair.picture(of: text, on: Terminal(columns: nil, showsColours: false))
        let (columns, rows) = (try #require(lines.first).count, lines.count)
        #expect(rows > 20 && columns > 40)
        #expect(try Pair.picture(of: text, on: Terminal(columns: columns, rows: rows, showsColours: false)) == lines)
        for (columns, rows) in [(columns - 1, rows), (columns, rows - 1)] {
            let told = try Pair.picture(of: text, on: Terminal(columns: columns, rows: rows, showsColours: false))
            #expect(told.count == 1 && told[0].contains("make the terminal larger"))
        }
    }

    @Test("Offers have their keys, and null where nothing is known")
    func keysAndNull() throws {
        #expect(
            try OfferText.node(offers[2]).text()
                == #"{"device":"bb","deviceName":"sofa","offer":"3","signal":null,"streams":false,"title":null,"type":null,"webpage":false}"#
        )
        #expect(try OfferText.node(.disappeared(offer: "3")).text() == #"{"event":"disappeared","offer":"3"}"#)
        #expect(OfferText.table(offers)[2] == "2      sofa    t          -40 dBm  streams  T")
    }

    @Test("Of devices of the same name it is told what to do")
    func devicesOfTheSameName() {
        func circle(_ other: String) -> CircleSummary {
            CircleSummary(
                circle: "c", device: "aa", deviceName: "vm",
                members: [
                    CircleMember(device: "aa", name: "vm", isThisDevice: true),
                    CircleMember(device: "bb", name: other, isThisDevice: false),
                ])
        }
        #expect(CircleText.sameName("vm", among: circle("sofa").members) == nil)
        #expect(CircleText.sameName("vm", among: circle("vm").members)?.contains("baton rename NAME") == true)
        #expect(CircleText.others(circle("so\u{1B}fa")) == "so\u{1B}fa")
    }

    @Test("Who removes a device is told whom it took in")
    func removedDeviceTookIn() {
        let rest = [
            CircleMember(device: "aa", name: "desk", isThisDevice: true),
            CircleMember(device: "bb", name: "sofa", takenInBy: ["aa", "cc"]),
            CircleMember(device: "dd", name: "thief\u{1B}", takenInBy: ["cc"]),
        ]
        #expect(
            Remove.advice(on: ["dd"], of: rest) == [
                "thief\u{1B} (dd) came into the circle by way of it, and stays; if that was not you: baton remove dd"
            ])
        #expect(
            Devices.lines(rest) == [
                "aa  desk  (this device)", "bb  sofa  not seen yet  (taken in by desk, cc, which is gone)",
                "dd  thief\u{1B}  not seen yet  (taken in by cc, which is gone)",
            ])
    }

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

    @Test("A failure is one line that says what to do")
    func failureIsOneLine() {
        let error = BatonError(.daemonNotRunning, "it does not\nrun")
        #expect(ToolFailure.oneLine(error, message: "") == "it does not\\u{a}run; start it with: batond")
        let parsed = ToolFailure.oneLine(CancellationError(), message: "Error: no such option\n\n  Help: baton --help ")
        #expect(parsed == "Error: no such option Help: baton --help")
    }

    @Test("A daemon that ends in a call is an exit status of its own")
    func daemonEndsInACall() {
        let gone = BatonError(.failed, "ended", cause: "org.freedesktop.DBus.Error.NoReply")
        #expect(ExitStatus(of: gone) == .noDaemon)
        #expect(ExitStatus(of: BatonError(.failed, "it failed")) == .failed)
    }

    @Test("What is wrong with userInfo is wrong contents, and what is wrong with another property a wrong argument")
    func contentsAndArguments() {
        let contents = BatonError(.invalidArgument, #"userInfo["a"]: more than 16384 values"#)
        #expect(ExitStatus(of: contents) == .badContents)
        #expect(ExitStatus(of: BatonError(.invalidArgument, "title: more than 1024 bytes")) == .usage)
    }

    @Test("A negative number is no option behind two dashes")
    func negativeNumberBehindDashes() {
        #expect(CommandWords(["pause", "-5"], of: BatonTool.self).hint(after: "").contains("-5 was read as an option"))
        #expect(!CommandWords(["pause", "--", "-5"], of: BatonTool.self).hint(after: "").contains("option"))
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
        "What may be given twice is taken",
        arguments: [
            ["publish", "--type", "--type"], ["publish", "--type", "a", "--info", "b=1", "--info", "c=2"],
            ["status", "--json", "--json"], ["rules", "add", "--", "--type", "--type"],
        ])
    func whatMayBeGivenTwiceIsTaken(words: [String]) throws { try CommandWords(words, of: BatonTool.self).check() }

    @Test("A misspelt option is named where another is missing")
    func misspeltOption() {
        let words = CommandWords(["publish", "--typ", "a"], of: BatonTool.self)
        #expect(words.hint(after: "Missing '--type <type>'").hasPrefix("; there is no option --typ; see: "))
        #expect(words.hint(after: "Unknown option '--typ'") == "; see: baton publish --help")
    }

    @Test("A published activity is made of its options")
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

    @Test("A new file is private, and never replaces another or follows a link")
    func newFileIsPrivate() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "new-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "invitation").path()
        let file = try NewFile(path: path, mode: 0o600)
        try Descriptor.writeAll([65], to: file.descriptor.number, called: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path()).allSatisfy { $0 != "invitation" })
        try file.createExclusively()
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(throws: ToolFailure.self) { try NewFile(path: path, mode: 0o600).createExclusively() }
        let link = directory.appending(path: "link").path()
        try #require(symlink(directory.appending(path: "elsewhere").path(), link) == 0)
        #expect(throws: ToolFailure.self) { try NewFile(path: link, mode: 0o600).createExclusively() }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path()).sorted() == ["invitation", "link"])
    }

    @Test("Who leaves is told who has heard of it, and that the others will")
    func leaving() {
        let others = ["sofa", "attic"]
        #expect(Leave.outcome(others: others, told: others) == "left the circle; told sofa, attic")
        #expect(
            Leave.outcome(others: others, told: ["sofa"])
                == "left the circle; told sofa; attic, not found in time, will hear of it from there")
        #expect(Leave.outcome(others: [], told: []) == "left the circle")
        #expect(Leave.outcome(others: others, told: []).contains("baton remove"))
    }
}
