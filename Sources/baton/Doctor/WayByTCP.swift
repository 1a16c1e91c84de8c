// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// Checks whether TCP reaches another device of the circle when the radio cannot be used.
enum WayByTCP {
    static func findings(of patient: Patient) async -> [Finding] {
        // Read the status again, because the other checks have opened connections since it was last
        // read.
        guard let bus = patient.bus, let status = try? await bus.status() else { return [] }
        return await findings(of: status) { (try? await bus.ping($0.device))?.transport == "tcp" }
    }

    /// Returns a finding if no device can be reached by radio or TCP.
    ///
    /// Devices are asked only if the radio cannot be used. If the radio works, a laptop that is out
    /// of touch may simply be off or far away.
    ///
    /// - Parameter answers: Returns whether a device answers over TCP.
    static func findings(
        of status: DaemonStatus, _ answers: @escaping @Sendable (CircleMember) async -> Bool
    ) async -> [Finding] {
        let others = status.members.filter { !$0.isThisDevice }
        guard !status.hasRadio, !others.isEmpty, await !leads(to: others, status, answers) else { return [] }
        return [Finding(.unreachable)]
    }

    private static func leads(
        to others: [CircleMember], _ status: DaemonStatus, _ answers: @escaping @Sendable (CircleMember) async -> Bool
    ) async -> Bool {
        guard status.tcp else { return false }
        if others.contains(where: { $0.transports.contains("tcp") }) { return true }
        return await withTaskGroup(of: Bool.self) { group in
            for other in others { group.addTask { await answers(other) } }
            // After one answer, cancel the other questions.
            defer { group.cancelAll() }
            for await isReached in group where isReached { return true }
            return false
        }
    }
}
