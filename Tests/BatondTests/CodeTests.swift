// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import Foundation
import Testing

/// Tests pairing by a QR code, with real daemons and the real tool.
@Suite(.serialized, .timeLimit(.minutes(3))) struct CodeTests {
    /// Runs a closure with two daemons in reach of each other.
    private func two(_ body: (RunningDaemon, RunningDaemon) async throws -> Void) async throws {
        try await RunningDaemon.withTwo { desk, lap in
            #expect(try await desk.baton(["rename", "desk"]).status == 0)
            #expect(try await lap.baton(["rename", "lap"]).status == 0)
            try await body(desk, lap)
        }
    }

    /// Waits for the complete output of `baton pair --qr`. Returns the picture's lines and the
    /// text.
    private func shown(_ tool: Program) async throws -> (picture: [String], text: String) {
        var picture: [String] = []
        var line = try await tool.line("a picture") { $0.contains("█") }
        while line.contains(where: { "█▀▄".contains($0) }) {
            picture.append(line)
            line = try await tool.line("the picture's next line") { _ in true }
        }
        #expect(line.hasSuffix("with its camera:  zbarcam --oneshot --raw | baton pair --code -"), "\(line)")
        try await tool.line("or, where there is no camera, give this line to:  baton pair --code -")
        let text = try await tool.line("the text") { $0.hasPrefix("baton-invitation-1:") }
        _ = try await tool.line("until when") { $0.contains("Ctrl-C takes it back") }
        return (picture, text)
    }

    @Test("Two laptops without a circle pair after zbar has read the picture that one of them shows")
    func pairing() async throws {
        try await two { desk, lap in
            let showing = try await Program("baton", ["pair", "--qr"], bus: desk.bus.address)
            let (picture, text) = try await shown(showing)
            let read = try await QRReader.text(in: picture)
            #expect(read == text)
            #expect(try await desk.baton(["status"]).text.contains("circle   none"))
            let reading = try await Program("baton", ["pair", "--code", "-"], bus: lap.bus.address)
            try reading.type("QR-Code:" + read)
            try await reading.line("paired: your circle is this laptop and desk")
            try await showing.line("paired: your circle is this laptop and lap")
            for daemon in [desk, lap] {
                let devices = try await daemon.baton(["devices"]).text
                #expect(devices.contains("desk") && devices.contains("lap"))
            }
        }
    }

    @Test("A withdrawn code pairs no device, reports that, and leaves no circle")
    func takenBack() async throws {
        try await two { desk, lap in
            let showing = try await Program("baton", ["pair", "--qr"], bus: desk.bus.address)
            let text = try await shown(showing).text
            await showing.kill()
            // The bus tells the daemon that the tool has ended.
            #expect(await desk.logs("no device was paired by the code: The code was taken back."))
            let refused = try await lap.baton(["pair", "--code", text])
            #expect(refused.status != 0 && refused.text.contains("does not accept this invitation"))
            for daemon in [desk, lap] { #expect(try await daemon.baton(["status"]).text.contains("circle   none")) }
        }
    }

    @Test("An invitation's file can be used as a code, and a code as an invitation's file")
    func samePayload() async throws {
        try await two { desk, lap in
            #expect(try await desk.baton(["circle", "create"]).status == 0)
            let file = desk.root.appending(path: "invitation").path
            #expect(try await desk.baton(["circle", "invite", file]).status == 0)
            let line = try String(contentsOfFile: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            let joined = try await lap.baton(["pair", "--code", line])
            #expect(joined.status == 0, "\(joined.text)")
            // A device in a circle can only show a code, not read one.
            let refused = try await lap.baton(["pair", "--code", line])
            #expect(
                refused.status != 0 && refused.text.contains("already works together with that one"), "\(refused.text)")
            #expect(try await lap.baton(["pair", "--qr", "--code", line]).text.contains("three ways"))
        }
    }
}
