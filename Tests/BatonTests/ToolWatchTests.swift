// SPDX-License-Identifier: Apache-2.0

import BatonBus
import BatonTesting
import Foundation
import Testing

/// `baton status --watch`
@Suite(.timeLimit(.minutes(5))) struct ToolWatchTests {
    private static let offer = OfferSummary(
        offer: "1", device: "bb", deviceName: "sofa", team: "", type: "org.example.letter", title: "Dear Ada",
        signal: -47)

    @Test("Changes are shown with the offers, and an interruption does not count as a failure")
    func changes() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["status", "--watch"])
            var lines = tool.lines.makeAsyncIterator()
            while try await lines.required() != "" {}
            await daemon.appear(Self.offer)
            var again: [String] = []
            while again.last != "" { again.append(try await lines.required()) }
            #expect(again.contains("device   desk  aa"))
            #expect(again.contains { $0.hasPrefix("offer    1") && $0.hasSuffix("Dear Ada") })
            tool.interrupt()
            let end = await tool.result
            #expect(end.status == 0 && end.error == "", "\(end)")
        }
    }

    @Test(
        "The watch ends when its reader is gone, even without changes",
        arguments: ["status --watch", "status --watch --json", "nearby --watch"])
    func reader(line: String) async throws {
        try await FakeDaemon.with { daemon, bus in
            await daemon.appear(Self.offer)
            let end = try await Tool.run(on: bus, script: "baton \(line) | head -n 1")
            #expect(end.status == 0 && end.error == "", "\(end)")
            #expect(end.output.filter { $0 == "\n" }.count == 1, "\(end)")
        }
    }

    @Test("A watch that writes to a file runs until it is interrupted")
    func file() async throws {
        try await FakeDaemon.with { _, bus in
            try await withDirectory { directory in
                let file = directory.appending(path: "file").path
                let script =
                    "\"$0\" status --watch >'\(file)' & until [ -s '\(file)' ]; do :; done; kill $!; wait $!; echo $?"
                let end = try await Tool.run(on: bus, script: script)
                #expect(end.output == "0\n" && end.error == "", "\(end)")
            }
        }
    }

    @Test("With --json each line is an object that contains the offers")
    func json() async throws {
        try await FakeDaemon.with { daemon, bus in
            let tool = try await Tool(on: bus, ["status", "--watch", "--json"])
            var lines = tool.lines.makeAsyncIterator()
            for count in 0...1 {
                let object =
                    try JSONSerialization.jsonObject(with: Data(try await lines.required().utf8)) as? [String: Any]
                #expect((object?["offers"] as? [Any])?.count == count && object?["device"] as? String == "aa")
                await daemon.appear(Self.offer)
            }
            tool.interrupt()
            _ = await tool.result
        }
    }
}
