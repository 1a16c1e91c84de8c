// SPDX-License-Identifier: Apache-2.0

import Diagnosis
import BatonTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct ToolPairingTests {
    @Test("Pairing shows digits, and reads the answer from standard input")
    func pairingShowsDigits() async throws {
        try await FakeDaemon.with { daemon, bus in
            let yes = try await Tool.run(on: bus, ["pair"], input: "what\nYes\n")
            #expect(yes.status == 0)
            #expect(yes.output.contains("the digits: 012 345\n"))
            #expect(yes.output.contains("run this on the other laptop too: baton pair\n"), "\(yes)")
            #expect(yes.output.contains("please answer yes or no\nwaiting for the other laptop's yes\n"), "\(yes)")
            #expect(yes.output.hasSuffix("paired: your circle is this laptop and sofa\n"))
        }
        // The answer no and the end of the input both mean no.
        for input in ["no\n", ""] {
            try await FakeDaemon.with { daemon, bus in
                let no = try await Tool.run(on: bus, ["pair", "--address", "192.0.2.7:1"], input: input)
                #expect(no.status == 77 && no.failedInOneLine && no.error.contains("not the same"), "\(no)")
                #expect(!no.output.contains("waiting for"), "\(no)")
            }
        }
    }

    @Test("The shown command for pairing with an address is quoted for every shell")
    func addressIsQuoted() async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.listen(at: ["tcp:[2001:db8::7]:4711", "tcp:192.0.2.7:4711"])
            let shown = try await Tool.run(on: bus, ["pair"], input: "no\n").output.split(separator: "\n")
            let start = "or, without Bluetooth:          baton pair --address "
            #expect(shown.dropFirst().first == "\(start)'[2001:db8::7]:4711'", "\(shown)")
            #expect(shown.dropFirst(2).first == "\(start)192.0.2.7:4711", "\(shown)")
        }
    }

    @Test("A signal ends a pairing")
    func pairingIsEndedByASignal() async throws {
        try await FakeDaemon.with { daemon, bus in
            let pairing = try await Tool(on: bus, ["pair", "--address", "192.0.2.7:1"], typed: "")
            var lines = pairing.lines.makeAsyncIterator()
            #expect(
                try await lines.required()
                    == "trying 192.0.2.7:1, for two minutes at most; run on the other laptop: baton pair")
            while try await !lines.required().hasPrefix("does the other laptop show the same?") {}
            pairing.interrupt()
            let ended = await pairing.result
            #expect(ended.status == 130 && ended.failedInOneLine, "\(ended)")
            #expect(ended.error.contains("in a minute or more, 'baton pair --qr' works until then"), "\(ended)")
        }
    }

    @Test("An error that would prevent pairing is reported before the user goes to the other laptop")
    func refusedBeforeOtherLaptop() async throws {
        try await FakeDaemon.with { daemon, bus in
            for address in ["sofa", "sofa:4711", "192.0.2.7"] {
                let wrong = try await Tool.run(on: bus, ["pair", "--address", address])
                #expect(wrong.status == 64 && wrong.failedInOneLine && wrong.output.isEmpty, "\(wrong)")
                #expect(wrong.error.contains("--address must have a form such as 192.0.2.7:4711."), "\(wrong)")
            }
            let anew = try await Tool.run(on: bus, ["pair", "--anew"], input: "yes\n")
            #expect(anew.status == 0 && anew.error.isEmpty, "\(anew)")
            #expect(anew.output.hasPrefix("run this on the other laptop: baton pair\n"), "\(anew)")
            await daemon.loseCircle()
            let nothing = try await Tool.run(on: bus, ["pair", "--anew"], input: "yes\n")
            #expect(nothing.status == 0 && nothing.error.contains("in no circle to come back to"), "\(nothing)")
            let devices = try await Tool.run(on: bus, ["devices", "--json"])
            #expect(devices.status == 78 && devices.output.hasPrefix("["), "\(devices)")
            await daemon.loseCircle(refusingToPair: Finding(Reason(.pairingUnderWay), command: nil, reported: nil))
            for arguments in [["pair"], ["pair", "--address", "192.0.2.7:1"]] {
                let refused = try await Tool.run(on: bus, arguments)
                #expect(refused.status == 77 && refused.output.isEmpty, "\(refused)")
                #expect(refused.error == "baton: This laptop is pairing already. End that first.\n")
            }
            // If the daemon refuses to pair, the tool prints the daemon's reason.
            await daemon.loseCircle(refusingToPair: FakeDaemon.withoutCircle)
            let none = try await Tool.run(on: bus, ["pair"])
            #expect(none.status == 78 && none.error == "baton: \(FakeDaemon.withoutCircleText)\n", "\(none)")
        }
    }

    @Test("An invitation is written once, readable only by its user")
    func invitationIsPrivate() async throws {
        try await FakeDaemon.with { daemon, bus in
            try await withDirectory { directory in
                let path = directory.appending(path: "invitation").path()
                let first = try await Tool.run(on: bus, ["circle", "invite", path])
                #expect(first.status == 0)
                #expect(first.output.hasPrefix("wrote \(path), valid until 20"))
                #expect(try String(contentsOfFile: path, encoding: .utf8) == "secret\n")
                var status = stat()
                #expect(stat(path, &status) == 0)
                #expect(status.st_mode & 0o777 == 0o600)
                let second = try await Tool.run(on: bus, ["circle", "invite", path])
                #expect(second.failedInOneLine)
                let joined = try await Tool.run(on: bus, ["circle", "join", path])
                #expect(joined.output == "joined circle cc as sofa, with desk\n")
            }
        }
    }
}
