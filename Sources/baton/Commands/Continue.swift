// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import ArgumentParser
import BatonBus
import BatonClient
import FoundationEssentials
import UserInfoJSON

struct Continue: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Carry on here with an activity that another device offers.")

    @OptionGroup var choice: OfferOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var streams: StreamOptions

    func validate() throws {
        if json, streams.usesStandardOutput {
            throw ValidationError("--json and --stream-to - both want standard output; give --stream-to a file")
        }
    }

    func run() async throws {
        let command = self
        try await Termination.cancels { try await Daemon.connected { try await command.run(on: $0) } }
    }

    private func run(on connection: DaemonConnection) async throws {
        try streams.check()
        let source = try streams.openSource()
        let continuation = try await choice.withOffer(on: connection, asks: streams.streamFrom != "-") {
            try await connection.continueOffer($0.offer)
        }
        guard !streams.areWanted || continuation.state.supportsContinuationStreams else {
            try? await continuation.decline()
            throw ToolFailure(
                "the activity has no streams; leave out --stream-from and --stream-to, or publish it with one of them",
                status: .badContents)
        }
        guard streams.areWanted else {
            // Accept only after the output is written. Otherwise `baton publish --once` would lose
            // the activity.
            do {
                try report(continuation, streams: nil)
            } catch {
                try? await continuation.decline()
                throw error
            }
            return try await continuation.accept()
        }
        let target: StreamTarget
        do {
            target = try streams.openTarget()
        } catch {
            try? await continuation.decline()
            throw error
        }
        let pair: ContinuationStreams
        do {
            try await continuation.accept()
            pair = try await continuation.openStreams()
        } catch {
            target.discard()
            throw error
        }
        do {
            try report(continuation, streams: pair)
        } catch {
            await connection.giveUp(pair.identifier)
            target.discard()
            throw error
        }
        let progress = StreamProgressLine(for: streams, bus: connection.bus)
        progress?.begin(pair.identifier)
        defer { progress?.end(pair.identifier) }
        let pump = StreamPump(streams: pair, source: source, target: target)
        let totals = try await pump.run(giveUp: { await connection.giveUp(pair.identifier) }) {
            try await connection.waitForEnd(of: pair.identifier)
        }
        if !json, !streams.usesStandardOutput {
            try Output.standard.line("streams finished: sent \(totals.sent) bytes, received \(totals.received) bytes")
        }
    }

    private func report(_ continuation: FetchedActivity, streams pair: ContinuationStreams?) throws {
        let state = continuation.state
        if json {
            try Output.standard.json(ContinuationJSON.node(continuation, streams: pair), pretty: true)
        } else if !streams.usesStandardOutput {
            let lines = [
                "continued \(state.activityType) from \(continuation.deviceName) over \(continuation.transport)",
                state.title.map { "title: \($0)" },
                state.webpageURL.map { "web page: \($0.absoluteString)" },
                state.userInfo.isEmpty ? nil : "userInfo: \(try UserInfoJSON.node(state.userInfo).text())",
                pair.map { "streams opened over \($0.transport)" },
            ]
            for line in lines.compactMap({ $0 }) { try Output.standard.line(line) }
        }
    }
}
