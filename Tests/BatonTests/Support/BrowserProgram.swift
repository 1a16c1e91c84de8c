// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import ChildProcesses
import Foundation
import Glibc

/// A run of `browser-host`. The test acts as the browser.
final class BrowserProgram: Sendable {
    /// The arguments that Chromium passes for Baton's own extension.
    static let chromium = ["chrome-extension://jkhbdoennkkodmmdieibkblhaegealbn/"]
    /// A page that may be handed over.
    static let page = #"{"type":"page","url":"https://example.org/","title":"A page"}"#

    /// The messages from the program.
    let messages: AsyncStream<Message>
    private let process: ChildProcess
    private let input: FileHandle
    private let output: FileHandle
    /// The program's end of its input, which stays open if the test writes after the program's end.
    private let source: FileHandle?

    /// A message and its values.
    struct Message: Sendable {
        let text: String

        subscript(key: String) -> String? { (values?[key]).map { "\($0)" } }
        var type: String { self["type"] ?? "" }
        var isOffered: Bool? { values?["offered"] as? Bool }
        var place: [String: Double] { values?["place"] as? [String: Double] ?? [:] }
        var offers: [[String: String]] { values?["offers"] as? [[String: String]] ?? [] }
        var icons: [String: String] { values?["icons"] as? [String: String] ?? [:] }

        private var values: [String: Any]? {
            try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        }
    }

    /// Starts the program, with or without a session bus. The test reads the program's output, or
    /// leaves it unread.
    ///
    /// - Parameter answer: Returns the answer to a message, or nil if it has none. The thread that
    ///   reads the messages sends the answer. The program waits only a few seconds for some
    ///   answers, and the threads that tests share may be busy for longer.
    init(
        on bus: PrivateBus?, _ arguments: [String] = chromium, environment: [String: String] = [:],
        isRead: Bool = true, answer: (@Sendable (Message) -> String?)? = nil
    ) async throws {
        let (input, output) = (Pipe(), Pipe())
        let descriptor = isRead ? -1 : fcntl(input.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        source = isRead ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process = try await ChildProcess(
            Sandbox.built("browser-host"), arguments,
            environment: .only(
                environment.merging(["DBUS_SESSION_BUS_ADDRESS": bus?.address ?? "unix:path=/nowhere"]) { $1 }),
            input: .handle(input.fileHandleForReading), output: .handle(output.fileHandleForWriting), error: .none)
        (self.input, self.output) = (input.fileHandleForWriting, output.fileHandleForReading)
        let (messages, sink) = AsyncStream.makeStream(of: Message.self)
        self.messages = messages
        guard isRead else {
            sink.finish()
            return
        }
        let handle = self.output
        let replies = answer.map { (answer: $0, input: self.input) }
        Thread.detachNewThread {
            while let header = try? handle.read(upToCount: 4), header.count == 4 {
                let length = header.withUnsafeBytes { Int($0.loadUnaligned(as: UInt32.self)) }
                guard let body = try? handle.read(upToCount: length), body.count == length else { break }
                let message = Message(text: String(decoding: body, as: UTF8.self))
                if let replies, let text = replies.answer(message) {
                    try? replies.input.write(contentsOf: Self.framed(text))
                }
                sink.yield(message)
            }
            sink.finish()
        }
    }

    /// Runs the program with a daemon that the test controls, and sends a hello.
    static func with(
        _ environment: [String: String] = [:], answer: (@Sendable (Message) -> String?)? = nil,
        _ body: @Sendable (FakeDaemon, BrowserProgram, inout AsyncStream<Message>.Iterator) async throws -> Void
    ) async throws {
        try await FakeDaemon.with { daemon, bus in
            let program = try await BrowserProgram(on: bus, environment: environment, answer: answer)
            var messages = program.messages.makeAsyncIterator()
            try program.say(#"{"type":"hello","version":1}"#)
            _ = try await messages.next("hello")
            try await body(daemon, program, &messages)
            try program.close()
            _ = await program.status
        }
    }

    /// Sends a message, like a browser.
    func say(_ text: String) throws { try write(Self.framed(text)) }

    private static func framed(_ text: String) -> Data {
        var length = UInt32(text.utf8.count)
        return Data(bytes: &length, count: 4) + Data(text.utf8)
    }

    func write(_ bytes: Data) throws { try input.write(contentsOf: bytes) }

    /// Ends the input, like a browser that exits.
    func close() throws { try input.close() }

    /// Closes the program's output.
    func stopReading() throws { try output.close() }

    func kill() { process.send(SIGKILL) }

    /// The program's exit status, once it has ended.
    var status: Int32 { get async { (try? await process.end.status) ?? -1 } }
}

extension AsyncStream<BrowserProgram.Message>.Iterator {
    /// Returns the next message of a type, and skips those before it.
    mutating func next(_ type: String) async throws -> Element {
        while true {
            let message = try await required()
            if message.type == type { return message }
        }
    }
}
