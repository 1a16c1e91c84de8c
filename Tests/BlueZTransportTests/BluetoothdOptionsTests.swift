// SPDX-License-Identifier: GPL-3.0-or-later

import BatonTesting
import ChildProcesses
import Foundation
import Testing

@testable import BlueZTransport

/// Tests reading bluetoothd's options from its configuration and its command line.
@Suite(.timeLimit(.minutes(3))) struct BluetoothdOptionsTests {
    @Test(
        "A configuration is read as bluetoothd reads it",
        arguments: [
            ("", nil, false), ("[GATT]\nChannels = 3\n", 3, false), ("[GATT]\n#Channels = 3\n", nil, false),
            ("Channels=3\n", nil, false), ("[General]\nChannels=3\n[GATT]\n", nil, false),
            ("[GATT]\nChannels=3\n[General]\nA=b\n[GATT]\n Channels\t=\t1 \r\n", 1, false),
            ("[General]\r\nA=b\r\n[GATT]\r\nChannels=3\r\n[LE]\r\nMinAdvertisementInterval=160\r\n", 3, true),
            ("[GATT]\nChannels=7\n", nil, false), ("[GATT]\nChannels=\n", nil, false),
            ("[GATT\nChannels=3", nil, false),
            ("[LE]\nMinAdvertisementInterval=160\n", nil, true), ("[LE]\n=\n==\n[]\n[\n", nil, false),
        ] as [(String, Int?, Bool)])
    func readsConfiguration(_ text: String, _ channels: Int?, _ setsInterval: Bool) {
        let options = BluetoothdOptions(configuration: text)
        #expect(options.channels == channels && options.setsInterval == setsInterval && !options.isExperimental)
    }

    /// Runs a process with a command line, and reads its options.
    private func options(of arguments: [String], called name: String = "/usr/libexec/bluetooth/bluetoothd") async throws
        -> BluetoothdOptions?
    {
        let (input, output) = (Pipe(), Pipe())
        // The shell reports that it runs, then waits. Its arguments come from the command line.
        let script = "exec -a \"$0\" sh -c 'echo; read -r nothing' \"$@\""
        let process = try await ChildProcess(
            "/bin/bash", ["-c", script, name] + arguments, input: .handle(input.fileHandleForReading),
            output: .handle(output.fileHandleForWriting))
        _ = try await output.fileHandleForReading.upcoming(1)
        let options = BluetoothdOptions(process: UInt32(process.processIdentifier))
        try input.fileHandleForWriting.close()
        _ = try await process.end
        return options
    }

    @Test("A process's command line gives its options and its configuration file")
    func processSaysItsOptions() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "main-\(UUID().uuidString).conf")
        try Data("[GATT]\nChannels=4\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for words in [
            ["-E", "-f", file.path], ["-nE", "--configfile=\(file.path)"], ["--experimental", "-f\(file.path)"],
        ] {
            let options = try #require(try await options(of: words))
            #expect(options.channels == 4 && options.isExperimental, "\(words)")
        }
        #expect(try await options(of: ["--configfile", file.path])?.isExperimental == false)
        for words in [["-f", "main.conf"], ["-f", "\(file.path).gone"], ["-f"]] {
            #expect(try await options(of: words) == nil, "what cannot be read is not guessed")
        }
        #expect(try await options(of: ["-f", file.path], called: "/usr/bin/proxy") == nil)
        #expect(BluetoothdOptions(process: 0) == nil)
    }
}
