// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials
import Glibc
import TraceModel

struct Trace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Record the radio, connections and hand-overs, and draw a picture of them.",
        discussion: """
            Start it, repeat what does not work, and end it with Ctrl-C. NAME.jsonl has one JSON object for each \
            event, and NAME.html is the picture. You can add both to a report. Enter marks a moment, with the \
            text that you typed before it.

            Devices, addresses and types of activities appear as letters, unless --reveal names them. Contents \
            and keys never appear. A recording ends after an hour by itself. Both files appear when it has \
            ended. If it is killed, there are no files.
            """)

    @Option(
        help: ArgumentHelp(
            "The name of both files, without .jsonl and .html. The default is baton-trace and the time.",
            valueName: "name"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "The details to show instead of letters: names, addresses, types, titles, separated by commas.",
            valueName: "details"),
        completion: .traceDetails, transform: Trace.details(parsing:))
    var reveal: Set<TraceDetail> = []

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp("How long to record.", valueName: "seconds"),
        transform: Trace.limit(parsing:))
    var limit: Seconds?

    @Option(
        help: ArgumentHelp("Draw a trace that was recorded before, and record nothing.", valueName: "file"),
        completion: .file(extensions: ["jsonl"]))
    var draw: String?

    /// Parses the time to record. The daemon ends a trace after an hour, so that is the maximum.
    private static func limit(parsing text: String) throws -> Seconds {
        guard let limit = try? Seconds(parsing: text), limit.duration > .zero, limit.duration <= .seconds(3_600) else {
            throw ValidationError("give seconds above 0, 3600 at most, such as 60")
        }
        return limit
    }

    private static func details(parsing text: String) throws -> Set<TraceDetail> {
        try Set(
            text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let detail = TraceDetail(rawValue: String(word)) else {
                    throw ValidationError("give names, addresses, types or titles, with commas between")
                }
                return detail
            })
    }

    func validate() throws {
        if draw != nil, !reveal.isEmpty || limit != nil {
            throw ValidationError("--draw goes with --output alone: what a trace says was decided as it was recorded")
        }
        if let output,
            ["", "-", ".", ".."].contains(output.split(separator: "/", omittingEmptySubsequences: false).last)
        {
            throw ValidationError("--output is not a name for two files: give one such as slow")
        }
    }

    func run() async throws {
        if let draw { return try redraw(draw) }
        let files = try TraceFiles(named: output ?? Self.name(at: Date()))
        let (reveal, limit, signals) = (reveal, limit, await Termination.signals)
        let recording = TraceRecording(files, for: limit?.duration)
        let lines = try await Daemon.connected { connection in
            let descriptor = try await Termination.cancels(saying: "interrupted before anything was recorded") {
                try await connection.bus.trace(revealing: reveal)
            }
            guard let number = descriptor.take() else { throw ToolFailure("the daemon gave no trace") }
            if Terminal(STDIN_FILENO).isTerminal {
                Output.note("recording; do what does not work. Enter marks a moment, Ctrl-C ends it")
            }
            return try await recording.run(from: OpenDescriptor(number), until: signals)
        }
        // Finish both files before printing their names, because printing may fail.
        for file in [try files.keep(), try files.draw(lines)] { try Output.standard.line(file) }
    }

    /// Returns the default name of a trace: `baton-trace-20260131-090500`.
    private static func name(at date: Date) -> String {
        let time = LocalTime(date)
        return "baton-trace-" + "\(time.day)-\(time.clock)".filter { $0 != ":" }
    }

    private func redraw(_ path: String) throws {
        guard !path.isEmpty else { throw ToolFailure("--draw is empty: name a .jsonl file", status: .usage) }
        let source = try Descriptor.opened(path)
        let data = try Descriptor.readAll(from: source.number, called: path, limit: TraceFiles.maximumLength)
        guard data.count <= TraceFiles.maximumLength else {
            throw ToolFailure("\(path) is too long for a trace: more than 64 MiB", status: .badContents)
        }
        let lines = data.split(separator: UInt8(ascii: "\n")).compactMap { TraceLine($0) }
        guard !lines.isEmpty else {
            throw ToolFailure("\(path) is not a trace; give a .jsonl file of baton trace", status: .badContents)
        }
        let target = (output ?? (path.hasSuffix(".jsonl") ? String(path.dropLast(6)) : path)) + ".html"
        try TraceFiles.write(TraceDrawing(lines).html, to: target)
        try Output.standard.line(target)
    }
}
