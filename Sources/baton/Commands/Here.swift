// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Glibc
import UserInfoJSON

struct Here: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Offer the directory of this shell to the other devices, or take theirs.",
        discussion: """
            The directory is offered as that of the terminal in front, until another shell shows its prompt. A shell with Baton's hook \
            ('baton shell') does this by itself. With --take the directory that another device offers is found here and printed, and no \
            terminal is opened: the function baton-cd of the hook goes there.
            """)

    @Flag(
        help:
            "Print the directory that another device's terminal is in, and, if a line is half typed there, that line after it."
    )
    var take = false

    @OptionGroup(title: "With --take") var choice: OfferOptions

    func validate() throws {
        guard take else {
            guard choice.isAny else { throw ValidationError("OFFER, --from and --wait need --take") }
            return
        }
        if choice.type != nil { throw ValidationError("--type is not for --take, which takes terminals alone") }
    }

    func run() async throws {
        let adapter = try TerminalAdapter()
        if take { return try await taken(from: adapter) }
        // The adapter identifies the shell by its process id. The shell is the parent of this
        // process.
        let answer = try adapter.ask(["here": .int(Int64(getppid()))])
        guard case .string(let name)? = answer["offered"] else {
            throw ToolFailure("this directory is not offered. \(Self.text(answer["stays"]) ?? "")", status: .refused)
        }
        try Output.standard.line("offering \(name)")
    }

    private func taken(from adapter: TerminalAdapter) async throws {
        _ = try adapter.ask(["take": .bool(true)])
        var choice = choice
        if choice.offer == nil { choice.type = TerminalAdapter.activityType }
        let wanted = choice
        try await Termination.cancels {
            try await Daemon.connected { connection in
                _ = try await wanted.withOffer(on: connection, asks: false) {
                    try await connection.bus.openOffer(
                        $0.offer, options: OpenOptions(application: TerminalAdapter.identifier))
                }
            }
        }
        let answer = try adapter.answer()
        guard let directory = Self.text(answer["directory"]).flatMap(Self.path) else {
            throw ToolFailure("the adapter for terminals names no directory; see 'baton doctor'")
        }
        try Output.standard.line(directory)
        if let line = Self.text(answer["line"]) { try Output.standard.line(line) }
    }

    private static func text(_ node: JSONNode?) -> String? {
        if case .string(let text)? = node { text } else { nil }
    }

    /// Decodes a path from hexadecimal digits. Returns `nil` if the path is not UTF-8.
    static func path(_ digits: String) -> String? {
        let digits = Array(digits.utf8)
        let bytes = stride(from: 0, to: digits.count, by: 2).map { at in
            UInt8(String(decoding: digits[at..<min(at + 2, digits.count)], as: UTF8.self), radix: 16)
        }
        guard !bytes.contains(nil) else { return nil }
        return String(validating: bytes.compactMap { $0 }, as: UTF8.self)
    }
}
