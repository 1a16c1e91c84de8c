// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BatonBus
import BatonClient
import Diagnosis
import UserInfoJSON
import Wording

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Find problems that keep Baton from working, and say what to do.",
        discussion: """
            It checks each step from the daemon to the devices that are near. For each problem it prints a line: \
            a code, the problem, and what to do. The codes stay the same in later versions. If there is no \
            problem, it prints one line, and its status is 0. A check that fails or hangs is a problem, too. No \
            check changes anything.

            Devices that were near in the last ten minutes look for this one, as with 'baton ping --each-way'. \
            This may take a minute and a half. A notification server that D-Bus starts on demand is checked only \
            after the first offer.
            """)

    @Argument(
        help: ArgumentHelp("The checks to run; without any, all checks. See --list.", valueName: "check"),
        completion: .check)
    var checks: [String] = []

    @Flag(help: "List the checks, and the problems that they may find.")
    var list = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws { _ = try wanted() }

    func run() async throws {
        if list { return try listed() }
        let findings = try await Self.examine(wanted())
        if json {
            try Output.standard.json(Self.node(findings), pretty: true)
        } else {
            for line in Self.lines(findings) { try Output.standard.line(line) }
        }
        if findings.contains(where: { !$0.findings.isEmpty }) { throw ExitCode(ExitStatus.found.rawValue) }
    }

    private func wanted() throws -> [Check] {
        if let unknown = checks.first(where: { name in !Check.all.contains { $0.name == name } }) {
            let names = Check.all.map(\.name).joined(separator: ", ")
            throw ValidationError("there is no check '\(unknown)'; there are: \(names)")
        }
        return checks.isEmpty ? Check.all : Check.all.filter { checks.contains($0.name) }
    }

    /// Runs checks at the same time.
    ///
    /// - Returns: The findings of each check, in the order of the checks.
    private static func examine(_ checks: [Check]) async throws -> [(check: Check, findings: [Finding])] {
        let connection: DaemonConnection
        do {
            connection = try await DaemonConnection.open(options: .fleeting, warn: Output.warn)
        } catch {
            return await make(checks, of: Patient(bus: nil, status: .failure(error)))
        }
        let status: Result<DaemonStatus, any Error>
        do {
            status = .success(try await connection.bus.status(timeout: Check.usualLimit))
        } catch {
            status = .failure(error)
        }
        let findings = await make(checks, of: Patient(bus: connection.bus, status: status))
        await connection.close()
        return findings
    }

    /// Runs checks. If no daemon answers and the user named no checks, leaves out those that need a
    /// daemon.
    ///
    /// The daemon check reports that the daemon does not answer.
    private static func make(_ asked: [Check], of patient: Patient) async -> [(check: Check, findings: [Finding])] {
        let isDaemonGone = if case .failure = patient.status { true } else { false }
        let checks = isDaemonGone && asked.count == Check.all.count ? asked.filter { !$0.needsDaemon } : asked
        return await withTaskGroup(of: (Int, [Finding]).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await check.findings(in: patient)) }
            }
            var found = checks.map { (check: $0, findings: [Finding]()) }
            for await (index, findings) in group { found[index].findings = findings }
            return found
        }
    }

    static func lines(_ found: [(check: Check, findings: [Finding])]) -> [String] {
        let findings = found.flatMap(\.findings)
        guard !findings.isEmpty else {
            return ["nothing is wrong: \(found.map(\.check.name).joined(separator: ", "))"]
        }
        return findings.map { "\($0.code): \($0.text(on: .terminal))" }
    }

    /// Returns the findings as a JSON object, as described in baton-json(5).
    static func node(_ found: [(check: Check, findings: [Finding])]) -> JSONNode {
        .object([
            "checks": .array(found.map { .string($0.check.name) }),
            "findings": .array(
                found.flatMap { entry in
                    entry.findings.map { finding in
                        .object([
                            "check": .string(entry.check.name), "code": .string(finding.code),
                            "text": .string(finding.text(on: .terminal, in: .english)),
                            "command": finding.command.map(JSONNode.string) ?? .null,
                        ])
                    }
                }),
        ])
    }

    /// Returns the checks and their possible findings as a JSON object, as described in
    /// baton-json(5).
    private static func list(of checks: [Check]) -> JSONNode {
        func kinds(_ codes: [FindingCode]) -> JSONNode {
            .array(codes.map { .object(["code": .string($0.rawValue), "meaning": .string($0.meaning)]) })
        }
        return .object([
            "checks": .array(
                checks.map { check in
                    .object([
                        "check": .string(check.name), "subject": .string(check.subject),
                        "kinds": kinds(FindingCode.allCases.filter(check.codes.contains)),
                    ])
                }),
            "everyCheck": kinds(everyCheck),
        ])
    }

    /// The findings that every check can have.
    private static let everyCheck = [FindingCode.checkFailed, .checkHung]

    private func listed() throws {
        if json { return try Output.standard.json(Self.list(of: wanted()), pretty: true) }
        for check in try wanted() {
            try Output.standard.line("\(check.name): \(check.subject)")
            for code in FindingCode.allCases where check.codes.contains(code) {
                try Output.standard.line("  \(code.rawValue): \(code.meaning)")
            }
        }
        try Output.standard.line("every check:")
        for code in Self.everyCheck {
            try Output.standard.line("  \(code.rawValue): \(code.meaning)")
        }
    }
}
