// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing

extension ContactsTests {
    /// The ways in which the sending program ends early. The other side sends nothing.
    enum Cut: CaseIterable {
        case killed, interrupted, unreadable
    }

    @Test("A stream that its sender cuts short never counts as complete", arguments: Cut.allCases)
    func streamIsCutShort(cut: Cut) async throws {
        try await withLaptops { desk, sofa in
            let kept = desk.store.deletingLastPathComponent().appending(path: "kept")
            try Data("what was there".utf8).write(to: kept)
            // Use a file that never ends, or a file that cannot be read, as on a broken disk.
            let source = cut == .unreadable ? "/proc/self/mem" : "/dev/zero"
            let sender = try await Program(
                "baton", ["publish", "--type", "org.example.cut", "--stream-from", source, "--once"],
                bus: desk.bus.address)
            let receiver = try await Program(
                "baton",
                ["continue", "--type", "org.example.cut", "--wait", "60", "--stream-to", kept.path, "--force"],
                bus: sofa.bus.address)
            switch cut {
            case .killed:
                try await sender.line("streams") { $0.hasPrefix("streams opened") }
                await sender.kill()
            case .interrupted:
                try await sender.line("streams") { $0.hasPrefix("streams opened") }
                #expect(try await sender.terminate() != 0)
            case .unreadable: try await sender.line("the error") { $0.contains("cannot read") }
            }
            try await receiver.line("what is wrong") {
                $0.hasPrefix("baton: The program on the other laptop closed the streams early, or refused them.")
            }
            #expect(try await receiver.terminate() != 0)
            #expect(try Data(contentsOf: kept) == Data("what was there".utf8))
        }
    }

    @Test("Data written before an app closes its streams and ends arrives completely")
    func closedAndEnded() async throws {
        try await withLaptops { desk, sofa in
            let home = desk.store.deletingLastPathComponent()
            let pipe = home.appending(path: "slow")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            let sender = try await Program(
                "app-program", ["org.example.Sends", home.appending(path: "report").path, "sends"],
                bus: desk.bus.address)
            // The pipe has a reader, which does not read yet.
            let reader = open(pipe.path, O_RDONLY | O_NONBLOCK)
            let receiver = try await Program(
                "baton", ["continue", "--type", "org.example.sends", "--wait", "60", "--stream-to", pipe.path],
                bus: sofa.bus.address)
            _ = try? await sender.line("its end") { _ in false }
            #expect(try await sender.terminate() == 0)
            _ = fcntl(reader, F_SETFL, 0)
            let all = try FileHandle(fileDescriptor: reader, closeOnDealloc: true).readToEnd()
            #expect(all?.count == 400_027)
            try await receiver.line("the end") { $0.hasPrefix("streams finished") }
        }
    }

    @Test("Named pipes work as source and target, and a missing writer is waited for")
    func namedPipes() async throws {
        try await withLaptops { desk, sofa in
            let home = desk.store.deletingLastPathComponent()
            let pipe = home.appending(path: "pipe")
            try #require(mkfifo(pipe.path, 0o600) == 0)
            let lonely = try await Program(
                "baton", ["publish", "--type", "org.example.pipe", "--stream-from", pipe.path, "--once"],
                bus: desk.bus.address)
            try await lonely.line("publishing") { $0.hasPrefix("publishing") }
            let target = home.appending(path: "from-pipe")
            let receiver = try await Program(
                "baton", ["continue", "--type", "org.example.pipe", "--wait", "60", "--stream-to", target.path],
                bus: sofa.bus.address)
            try await lonely.line("streams") { $0.hasPrefix("streams opened") }
            // The writer comes only now.
            let writer = try FileHandle(forWritingTo: pipe)
            try writer.write(contentsOf: Data("through a pipe".utf8))
            try writer.close()
            try await receiver.line("the end") { $0.hasPrefix("streams finished") }
            #expect(try Data(contentsOf: target) == Data("through a pipe".utf8))
            // The program reads the pipe until it ends.
            try await lonely.line("its end") { $0.hasPrefix("ended") }

            let unread = try await Program(
                "baton", ["publish", "--type", "org.example.unread", "--stream-from", "/dev/null", "--once"],
                bus: desk.bus.address)
            try await unread.line("publishing") { $0.hasPrefix("publishing") }
            let refused = try await Program(
                "baton", ["continue", "--type", "org.example.unread", "--wait", "60", "--stream-to", pipe.path],
                bus: sofa.bus.address)
            try await refused.line("what to do") { $0.contains("start its reader first") }
            #expect(try await refused.terminate() != 0)
            await unread.end()
        }
    }
}
