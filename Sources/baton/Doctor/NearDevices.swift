// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis
import FoundationEssentials
import Wording

/// Checks whether nearby devices answer, hear this device and reach it.
enum NearDevices {
    static func findings(of patient: Patient) async -> [Finding] {
        guard let bus = patient.bus, let status = try? patient.status.get() else { return [] }
        let near = status.members.filter { !$0.isThisDevice && isOrWasNear($0, at: Date()) }
        return await withTaskGroup(of: [Finding].self) { group in
            let names = DeviceNames(status.members)
            for member in near { group.addTask { await findings(of: member, called: names.label(of: member), bus) } }
            var found: [Finding] = []
            for await findings in group { found += findings }
            return found.sorted { $0.text(on: .terminal) < $1.text(on: .terminal) }
        }
    }

    private static func findings(
        of member: CircleMember, called name: String, _ bus: BatonBusClient
    ) async -> [Finding] {
        do {
            return findings(of: try await bus.probe(member.device))
        } catch let error as BatonError where error.code == .limitReached {
            Output.note("baton: \(error); what \(name) hears and reaches was not asked again")
            return []
        } catch let error as BatonError where error.code == .remoteApplicationTimedOut {
            // The other device has an older version. Report that the check was impossible, so that
            // nobody believes that it found no problem.
            return [Finding(.checkFailed, ["laptop": .text(name), "reason": BatonError.reason(error)])]
        } catch {
            return [
                Finding(
                    .deviceSilent, ["laptop": .text(name), "reason": BatonError.reason(error)],
                    command: "baton ping \(member.device)")
            ]
        }
    }

    /// Returns whether a device is near, is connected, or was seen in the last ten minutes.
    ///
    /// A device that was seen recently counts, because this device may have stopped hearing it.
    static func isOrWasNear(_ member: CircleMember, at now: Date) -> Bool {
        member.isNear || !member.transports.isEmpty
            || member.lastSeen.map { now.timeIntervalSince($0) < 600 } ?? false
    }

    /// Returns findings about the radio and the transports between this device and a device that
    /// answers.
    static func findings(of probe: DeviceProbe) -> [Finding] {
        let name = probe.answer.deviceName
        func finding(_ place: String) -> Finding {
            Finding(.transportOneWay, [place: .text(name)], command: "baton ping --each-way \(probe.answer.device)")
        }
        return [
            deaf(probe.here, to: probe.there, ["unheard": .text(name)]),
            deaf(probe.there, to: probe.here, ["deaf": .text(name)]),
        ].compactMap { $0 }
            + lost(probe.here, other: probe.there).map { finding($0 == "tcp" ? "toByNetwork" : "to") }
            + lost(probe.there, other: probe.here).map { finding($0 == "tcp" ? "fromByNetwork" : "from") }
    }

    private static func deaf(
        _ side: DeviceProbe.Side, to other: DeviceProbe.Side, _ values: [String: Reason.Value]
    ) -> Finding? {
        guard !side.hears, !other.isMuted else { return nil }
        return Finding(.radioOneWay, values, command: "baton doctor radio")
    }

    /// Returns the transports that fail in this direction. TCP counts only if it works in the other
    /// direction.
    private static func lost(_ side: DeviceProbe.Side, other: DeviceProbe.Side) -> [String] {
        side.ways.filter { way in
            guard way.time == nil else { return false }
            // A muted device is silent on purpose.
            guard way.transport == "tcp" || !other.isMuted else { return false }
            let leadsBack = other.ways.contains { $0.transport == way.transport && $0.time != nil }
            // A radio transport needs both devices to hear each other. If one device does not hear
            // the other, another finding says so, or the silence is on purpose.
            return way.transport == "tcp" ? leadsBack : side.hears && other.hears
        }.map(\.transport)
    }
}
