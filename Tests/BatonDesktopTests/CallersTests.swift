// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import ChildProcesses
import DBus
import Foundation
import Glibc
import Testing

@testable import BatonDesktop

/// Tests the identity of callers, with real processes: in sandboxes made by bubblewrap, and without
/// a sandbox.
@Suite(.timeLimit(.minutes(5))) struct CallersTests {
    private func call(_ interface: String, _ member: String, _ arguments: [String] = []) -> [String] {
        [
            "gdbus", "call", "--session", "--dest", BatonBusName.bus, "--object-path", BatonBusName.path, "--method",
            interface + "." + member,
        ] + arguments
    }

    private var status: [String] { call(BatonBusName.daemon, "Status") }

    @Test("A program in a Flatpak's sandbox is that app, and manages nothing")
    func flatpak() async throws {
        try await Watcher.with { watcher, bus in
            let letters = Sandbox.Information.application("org.example.Letters")
            let asked = try await Sandbox.run(status, information: letters, bus: bus.address)
            #expect(asked.status == 0, "\(asked.text)")
            let invited = try await Sandbox.run(
                call(BatonBusName.circle, "Invite"), information: letters, bus: bus.address)
            #expect(invited.status != 0 && invited.text.contains("org.batonproject.Baton1.Error.NotAllowed"))
            let expected = Caller(applicationID: "org.example.Letters", kind: .flatpak, isSandboxed: true)
            #expect(watcher.all == [expected, expected])
        }
    }

    @Test("A program in a sandbox that is not Flatpak's counts as the user's own")
    func otherSandbox() async throws {
        try await Watcher.with { watcher, bus in
            let asked = try await Sandbox.run(status, information: .absent, bus: bus.address)
            #expect(asked.status == 0, "\(asked.text)")
            #expect(watcher.all.map(\.isSandboxed) == [false])
        }
    }

    @Test("A sandbox whose .flatpak-info cannot be used counts as a sandbox without a name")
    func unusableInformation() async throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID().uuidString)").path
        #expect(mkfifo(pipe, 0o600) == 0)
        defer { unlink(pipe) }
        let informations: [Sandbox.Information] = [
            .link(to: "/etc/hostname"), .link(to: "/nowhere"), .directory, .path(pipe), .file(""),
            .file("[Application]\nname=../other\n"),
            .application("org.example." + String(repeating: "a", count: 300)),
        ]
        for information in informations {
            try await Watcher.with { watcher, bus in
                let asked = try await Sandbox.run(status, information: information, bus: bus.address)
                #expect(asked.status == 0, "\(asked.text)")
                #expect(watcher.all == [.unidentified], "\(information)")
            }
        }
    }

    @Test("Information of more than 64 KiB is not read")
    func largeInformation() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "info-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let text = "[Application]\nname=org.example.Letters\n"
        try Data((text + String(repeating: "#", count: FlatpakInfo.largest)).utf8).write(to: file)
        try await Watcher.with { watcher, bus in
            _ = try await Sandbox.run(status, information: .path(file.path), bus: bus.address)
            #expect(watcher.all == [.unidentified])
        }
    }

    @Test("A program of another user is refused")
    func otherUser() {
        let own = UInt32(getpid())
        #expect(throws: BatonError.self) {
            try Callers.caller(
                DBusCredentials(userID: geteuid() + 1, processID: own), arrivedBy: Callers.ticks, user: geteuid())
        }
    }

    @Test("A process that began after the connection has reused the process id, and is not identified")
    func usedNumber() throws {
        let credentials = DBusCredentials(userID: geteuid(), processID: UInt32(getpid()))
        let start = try #require(ProcessDirectory(process: UInt32(getpid()))?.startTicks)
        #expect(start > 0 && start <= Callers.ticks)
        #expect(try Callers.caller(credentials, arrivedBy: start - 1, user: geteuid()) == .unidentified)
        #expect(try !Callers.caller(credentials, arrivedBy: start, user: geteuid()).isSandboxed)
    }

    @Test("A snap is identified by its connection's label, not by a process id", arguments: ["enforce", "complain"])
    func snapByItsLabel(mode: String) throws {
        func caller(_ label: String) throws -> Caller {
            let credentials = DBusCredentials(userID: geteuid(), processID: UInt32(getpid()), securityLabel: label)
            return try Callers.caller(credentials, arrivedBy: Callers.ticks, user: geteuid())
        }
        #expect(
            try caller("snap.letters.edit (\(mode))")
                == Caller(applicationID: "letters_edit", kind: .snap, isSandboxed: true))
        #expect(try caller("snap. (\(mode))") == .unidentified)
        #expect(try !caller("unconfined").isSandboxed)
    }

    @Test("A descriptor for the process takes precedence over the process id")
    func processDescriptor() async throws {
        let symbol = try #require(dlsym(nil, "pidfd_open"), "pidfd_open is in glibc since 2.36")
        typealias Open = @convention(c) (Int32, UInt32) -> Int32
        let open = unsafeBitCast(symbol, to: Open.self)
        let input = Pipe()
        let child = try await ChildProcess("/bin/cat", input: .handle(input.fileHandleForReading))
        let descriptor = open(child.processIdentifier, 0)
        #expect(descriptor >= 0)
        let credentials = DBusCredentials(
            userID: geteuid(), processID: 1, processDescriptor: OwnedDescriptor(adopting: descriptor))
        #expect(try !Callers.caller(credentials, arrivedBy: 0, user: geteuid()).isSandboxed)
        try input.fileHandleForWriting.close()
        _ = try await child.end
        #expect(try Callers.caller(credentials, arrivedBy: .max, user: geteuid()) == .unidentified)
    }

    @Test("A process that has ended, or that the bus does not know, is not identified")
    func gone() async throws {
        let child = try await ChildProcess("/bin/true")
        _ = try await child.end
        for number in [UInt32(child.processIdentifier), 0, nil] {
            let credentials = DBusCredentials(userID: geteuid(), processID: number)
            #expect(try Callers.caller(credentials, arrivedBy: .max, user: geteuid()) == .unidentified)
        }
    }

    @Test("The data about a process never comes from another process that has reused its id")
    func boundToTheProcess() async throws {
        let input = Pipe()
        let child = try await ChildProcess("/bin/cat", input: .handle(input.fileHandleForReading))
        let directory = try #require(ProcessDirectory(process: UInt32(child.processIdentifier)))
        #expect(directory.text(of: "cgroup", limit: ControlGroup.largest) != nil)
        try input.fileHandleForWriting.close()
        _ = try await child.end
        #expect(directory.startTicks == nil && directory.text(of: "cgroup", limit: ControlGroup.largest) == nil)
        #expect(Caller(of: directory, user: geteuid()) == .unidentified)
    }
}
