// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import Glibc
import Testing

@testable import Wording

@Suite("The words for findings and failures")
struct FindingWordsTests {
    private static let codes = FindingCode.allCases.map(\.rawValue) + FailureCode.allCases.map(\.rawValue)

    @Test("Each code stands for only one finding or failure")
    func unique() { #expect(Set(Self.codes).count == Self.codes.count) }

    @Test("Each code has whole sentences, and advice for each surface", arguments: codes)
    func sentences(_ code: String) {
        #expect(!Reason.words(of: code).isEmpty)
        for text in Reason.words(of: code).flatMap({ $0.texts + $0.texts.compactMap(\.one) }).map(\.text) {
            let first = text.drop { "\"{".contains($0) }.first
            #expect(
                first?.isUppercase == true || text.hasPrefix("baton.conf") || "\"{".contains(text.prefix(1)), "\(text)")
            #expect(text.hasSuffix(".") && !text.contains(";") && !text.contains("  "), "\(text)")
        }
    }

    @Test("No text for a window names a command", arguments: codes)
    func windows(_ code: String) {
        for words in Reason.words(of: code) {
            for text in [words.sentence, words.window, words.ownWindow].compactMap({ $0?.text }) {
                for command in ["{command}", "systemctl", "\"baton ", "'baton ", "Run ", "rfkill"] {
                    #expect(!text.contains(command), "\(text)")
                }
            }
        }
    }

    @Test("Advice has no placeholder that its sentence cannot fill", arguments: codes)
    func places(_ code: String) {
        for words in Reason.words(of: code) {
            #expect((words.ownWindow ?? words.window).places.isSubset(of: words.sentence.places))
            #expect(words.window.places.isSubset(of: words.sentence.places))
            #expect(words.terminal.places.isSubset(of: words.sentence.places.union(["command", "others", "unit"])))
        }
    }

    @Test(
        "The sentence about a wrong argument begins with the argument's name",
        arguments: FailureCode.allCases.filter { $0.rawValue.hasPrefix("argument-") })
    func argumentNames(_ failure: FailureCode) {
        #expect(failure.words.allSatisfy { $0.sentence.text.hasPrefix("{argument} ") })
    }

    @Test("The words for a code are in the table of exactly one subject", arguments: FailureCode.allCases)
    func subjects(_ failure: FailureCode) {
        let subjects = [
            failure.reachingWords, failure.toldWords, failure.continuingWords, failure.publishingWords,
            failure.streamsWords, failure.pairingWords, failure.circleWords, failure.appsWords, failure.settingsWords,
            failure.domainsWords, failure.mistakesWords,
            failure.stateWords, failure.callersWords, failure.argumentsWords, failure.daemonWords,
            failure.reportedWords,
        ]
        #expect(subjects.count { $0 != nil } == 1)
    }

    @Test("The first text whose values are all known is used, and a text with a command only in a terminal")
    func chosen() {
        #expect(Finding(.removed).text(on: .ownWindow) == "Another laptop has removed this one. Add a laptop.")
        let named = Finding(.removed, ["laptop": "{desk}"])
        #expect(named.text(on: .ownWindow) == "\"{desk}\" has removed this laptop. Add a laptop.")
        let off = Finding(.adapterOff, command: "power on")
        #expect(off.text(on: .terminal) == "Bluetooth is off. Run \"power on\".")
        #expect(Finding(.adapterOff).text(on: .terminal) == off.text(on: .window))
    }

    @Test("A text says to open Baton's window only where the window is installed")
    func window() {
        let reason = Finding(.noCircle).reason
        func advice(_ surface: Surface, hasWindow: Bool) -> String? {
            reason.inWords(on: surface, in: .english, command: nil, hasWindow: hasWindow)?.advice
        }
        #expect(advice(.window, hasWindow: true) == "Open Baton, and add a laptop.")
        #expect(advice(.window, hasWindow: false) == advice(.terminal, hasWindow: true))
        #expect(advice(.ownWindow, hasWindow: true) == "Add a laptop.")
        for code in FindingCode.allCases {
            for words in code.words {
                #expect(words.window.text.contains("Open Baton") == (words.ownWindow != nil), "\(words.window.text)")
                #expect(words.ownWindow?.text.contains("Open Baton") != true)
            }
        }
    }

    @Test("The window is installed where a directory of the session has its desktop entry")
    func installed() {
        func isInstalled(_ variables: [String: String], in directory: String) -> Bool {
            let file = "\(directory)/applications/org.batonproject.BatonWindow.desktop"
            return BatonWindow.isInstalled {
                variables[$0]
            } exists: {
                $0 == file
            }
        }
        #expect(isInstalled([:], in: "/usr/share"))
        #expect(isInstalled(["XDG_DATA_DIRS": "/a:/b"], in: "/b"))
        #expect(!isInstalled(["XDG_DATA_DIRS": "/a:/b"], in: "/usr/share"))
        #expect(isInstalled(["HOME": "/home/me"], in: "/home/me/.local/share"))
        #expect(!isInstalled(["HOME": "/home/me", "XDG_DATA_HOME": "/data"], in: "/home/me/.local/share"))
        #expect(isInstalled(["XDG_DATA_HOME": "/data"], in: "/data"))
    }

    @Test("A finding with an unknown code is shown in the words of the program that reported it")
    func unknown() {
        let finding = Finding(Reason(code: "newer"), command: nil, reported: "News.")
        #expect(finding.text(on: .window) == "News.")
        #expect(Finding(Reason(code: "newer"), command: nil, reported: nil).text(on: .window) == "newer")
    }

    @Test("A list has commas, and a reason in a sentence has no full stop")
    func nested() {
        let reason = Reason.Value.reason(Reason(.programExited, ["program": "xdg-open", "status": .count(3)]))
        #expect(reason.text(at: "reason", in: .english) == "xdg-open ended with status 3")
        #expect(Reason.Value.reason(Reason(code: "newer")).text(at: "reason", in: .english) == "newer")
        #expect(Reason.Value.list(["desk", "sofa"]).text(at: "others", in: .english) == "desk, sofa")
    }

    @Test("A system error is shown with the system's own sentence, which is English in logs")
    func systemErrors() {
        func text(_ errno: Int32, _ language: Language) -> String {
            Reason.Value.reason(Reason(errno: errno)).text(at: "reason", in: language)
        }
        #expect(text(EACCES, .english) == "Permission denied")
        #expect(text(ENOSPC, .session) == String(cString: strerror(ENOSPC)))
        #expect(!text(.max, .english).isEmpty)
    }

    @Test(
        "Frequent D-Bus errors have sentences of their own, and others have none",
        arguments: [
            ("org.freedesktop.DBus.Error.NoReply", FailureCode.programSilent),
            ("org.freedesktop.DBus.Error.Spawn.ChildExited", .serviceEnded),
            ("org.freedesktop.systemd1.UnitMasked", .serviceMasked),
            ("org.freedesktop.DBus.Error.LimitsExceeded", .programBusy),
            ("org.freedesktop.DBus.Error.NoServer", .addressSilent),
            ("org.freedesktop.DBus.Error.Failed", nil), ("NoReply", nil), ("", nil),
        ] as [(String, FailureCode?)])
    func busErrors(name: String, failure: FailureCode?) {
        let reason = Reason(busError: name, of: "systemd")
        #expect(reason?.failure == failure)
        #expect(reason == nil || reason?.text(on: .window) != nil)
        #expect(failure != .addressSilent || reason?.text(on: .window)?.hasPrefix("systemd does not answer") == true)
    }

    @Test(
        "A length of time is shown in its largest unit",
        arguments: [
            (1, "1 minute"), (90, "2 minutes"), (3_600, "1 hour"), (3_545, "1 hour"), (86_400, "1 day"),
            (57 * 31_557_600, "57 years"),
        ] as [(Int, String)])
    func durations(seconds: Int, text: String) {
        #expect(Reason.Value.duration(.seconds(seconds)).text(at: "count", in: .english) == text)
    }
}

extension Words.Text {
    fileprivate var one: Words.Text? { singular.map { Words.Text($0.text) } }
}
