// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import UserInfoJSON
import Wording

struct Ping: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check whether a device of your circle answers, over which transport, and how fast.",
        discussion: """
            The question takes the way of a hand-over: the existing connection, or a new one, for which there \
            are 30 seconds. Nothing starts or appears on the other device. A device that offers nothing is \
            silent. Such a device is called by radio, and answers a call once in ten minutes. If the device does \
            not answer, the error says why.

            With --each-way, both devices then look for each other. They check whether they hear each other by \
            radio, and whether each transport leads from one to the other. Over Bluetooth, this shows that the \
            existing link can be used. A device does this for another one ten times, and then once in ten \
            minutes.
            """)

    /// The largest number of questions to a device.
    static let maximumCount = 1_000

    @Argument(help: "The device's id, or its name if no other has the same; see baton devices.", completion: .device)
    var device: String

    @Option(
        name: [.customShort("n", allowingJoined: true), .long], parsing: .unconditional,
        help: ArgumentHelp(
            "How many times to ask, once a second: 1 to \(maximumCount). The default is 1.", valueName: "number"),
        transform: Ping.count(parsing:))
    var count: Int?

    @Flag(help: "Have both devices look for each other once, by radio and over each transport. Not with --count.")
    var eachWay = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        if eachWay, count != nil { throw ValidationError("--each-way asks once; leave --count out") }
    }

    private static func count(parsing text: String) throws -> Int {
        guard let count = Int(text), (1...maximumCount).contains(count) else {
            throw ValidationError("give a number from 1 to \(maximumCount)")
        }
        return count
    }

    func run() async throws {
        let command = self
        try await Termination.cancels { try await Daemon.connected { try await command.run($0.bus) } }
    }

    private func run(_ bus: BatonBusClient) async throws {
        guard !eachWay else { return try ProbeText.show(try await bus.probe(device), json: json) }
        var answers: [DeviceAnswer] = []
        for number in 1...(count ?? 1) {
            if number > 1 { try await Task.sleep(for: .seconds(1)) }
            // After the first answer use the device's id, because another device may take its name.
            let answer = try await bus.ping(answers.first?.device ?? device)
            answers.append(answer)
            if !json { try Output.standard.line(Self.line(answer)) }
        }
        if json {
            try Output.standard.json(Self.node(answers), pretty: true)
        } else if answers.count > 1 {
            try Output.standard.line(Self.summary(answers))
        }
    }

    static func line(_ answer: DeviceAnswer) -> String {
        let (name, transport, time) = (answer.deviceName, answer.transport, text(answer.roundTrip))
        guard let connecting = answer.connecting else {
            return tr(
                "\"{laptop}\" answers over {transport} in {time}.",
                ["laptop": name, "transport": transport, "time": time])
        }
        return tr(
            "\"{laptop}\" answers over {transport} in {time}, and {total} after Baton began to connect.",
            ["laptop": name, "transport": transport, "time": time, "total": text(connecting)])
    }

    static func summary(_ answers: [DeviceAnswer]) -> String {
        let times = answers.map(\.roundTrip)
        let mean = times.reduce(.zero, +) / times.count
        return ntr(
            "{count} answer: {least} to {greatest}, {mean} on average.",
            "{count} answers: {least} to {greatest}, {mean} on average.", times.count,
            ["least": text(times.min() ?? .zero), "greatest": text(times.max() ?? .zero), "mean": text(mean)])
    }

    /// Returns the answers' JSON object, as described in baton-json(5).
    static func node(_ answers: [DeviceAnswer]) -> JSONNode {
        .object([
            "device": .string(answers.first?.device ?? ""),
            "deviceName": .string(answers.first?.deviceName ?? ""),
            "answers": .array(answers.map(node)),
        ])
    }

    /// Returns the JSON object of one answer.
    static func node(_ answer: DeviceAnswer) -> JSONNode {
        .object([
            "transport": .string(answer.transport), "milliseconds": .double(answer.roundTrip / .milliseconds(1)),
            "connectingMilliseconds": answer.connecting.map { .double($0 / .milliseconds(1)) } ?? .null,
        ])
    }

    /// Returns a duration in milliseconds, with one decimal below 10 ms.
    static func text(_ duration: Duration) -> String {
        let tenths = Int((duration / .milliseconds(0.1)).rounded())
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) ms" : "\((tenths + 5) / 10) ms"
    }
}
