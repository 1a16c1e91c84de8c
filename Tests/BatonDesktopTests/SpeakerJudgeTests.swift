// SPDX-License-Identifier: Apache-2.0

import BatonBus
import DesktopEntries
import Diagnosis
import Testing

@testable import BatonDesktop
import Wording

/// Tests the judge's decisions about programs. `SpeakerTests` in `Tests/BatondTests` tests with
/// real daemons how programs are observed.
struct SpeakerJudgeTests {
    private func program(
        _ caller: Caller = .ordinary, executable: String? = "/bin/cat", command: String? = nil
    ) -> ObservedProgram {
        ObservedProgram(caller: caller, executable: executable, command: command)
    }

    private func entry(_ identifier: String, exec: String, more: String = "") throws -> DesktopEntry {
        try #require(
            DesktopEntry(identifier: identifier, text: "[Desktop Entry]\nType=Application\nExec=\(exec)\n\(more)"))
    }

    /// The real path of the program `cat`.
    private var cat: String { ProcessDirectory.resolved("/bin/cat") ?? "" }

    @Test("A program belongs to the app of its unit, or to the app whose entry starts the program's executable")
    func applications() throws {
        let unit = Caller(applicationID: "org.example.Terminal", kind: .unit, isSandboxed: false)
        let reader = "org.example.Reader"
        let (mine, others) = (try entry(reader, exec: "cat %U"), try entry(reader, exec: "/bin/true"))
        #expect(program(executable: cat).application(claimed: reader, mine, in: .ofProcess) == reader)
        #expect(program(executable: cat).application(claimed: reader, others, in: .ofProcess) == nil)
        let elsewhere = SessionVariables(["PATH": "/nonexistent"])
        #expect(program(executable: cat).application(claimed: reader, mine, in: elsewhere) == nil)
        #expect(program(executable: cat).application(claimed: reader, nil, in: .ofProcess) == nil)
        #expect(program(executable: "/bin/true").application(claimed: reader, mine, in: .ofProcess) == nil)
        #expect(program(unit, executable: cat).application(claimed: reader, mine, in: .ofProcess) == reader)
        #expect(
            program(unit, executable: cat).application(claimed: reader, others, in: .ofProcess)
                == "org.example.Terminal")
        #expect(program(unit, executable: cat).application(claimed: "", nil, in: .ofProcess) == "org.example.Terminal")
    }

    @Test("The entry of an app in a sandbox does not identify a program")
    func sandboxedEntry() throws {
        let flatpak = try entry("org.example.Boxed", exec: "cat", more: "X-Flatpak=org.example.Boxed\n")
        #expect(program(executable: cat).application(claimed: "org.example.Boxed", flatpak, in: .ofProcess) == nil)
    }

    @Test("A program that cannot be inspected belongs to the entry with its name")
    func hidden() throws {
        let entry = try entry("org.example.Cat", exec: "cat")
        let hidden = program(executable: nil, command: cat.fileName)
        #expect(hidden.application(claimed: "org.example.Cat", entry, in: .ofProcess) == "org.example.Cat")
        #expect(hidden.program == cat.fileName)
        #expect(
            program(executable: nil, command: "dog").application(claimed: "org.example.Cat", entry, in: .ofProcess)
                == nil)
        #expect(program(.unidentified, executable: nil, command: "cat").program == "")
    }

    @Test("An unknown program or one in a sandbox is not admitted")
    func refusals() {
        // A program that cannot be inspected is admitted if it has the daemon's root directory.
        #expect(program(executable: nil).refusal == nil)
        #expect(program(.unidentified).refusal == .unknown)
        #expect(program(.proxy).refusal == .sandboxed)
        #expect(program(Caller(applicationID: "a", kind: .snap, isSandboxed: true)).refusal == .sandboxed)
        #expect(program().refusal == nil)
    }

    @Test("The last sixteen refused programs are remembered, each once for each reason")
    func refusedAreBounded() {
        var refused = RefusedSpeakers()
        #expect(refused.findings == [])
        for number in 0..<100_000 {
            refused.note(program(executable: "/bin/p\(number % 20)"), number % 2 == 0 ? .unknown : .sandboxed)
        }
        refused.note(program(executable: nil, command: "a\nb"), .unknown)
        refused.note(program(executable: nil, command: "a\nb"), .unknown)
        let findings = refused.findings
        #expect(findings.map(\.code) == ["speaker-unknown", "speaker-sandboxed"])
        let text = findings.map { $0.text(on: .terminal, in: .english) }.joined()
        #expect(text.ranges(of: "\"p").count == RefusedSpeakers.maximum - 1)
        #expect(text.ranges(of: "\"a\\nb\"").count == 1, "\(text)")
        #expect(!text.contains("\"p4\"") && text.contains("\"p5\""), "\(text)")
    }
}
