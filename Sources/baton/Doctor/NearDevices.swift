// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Diagnosis

/// How the devices that are near answer, hear this one and reach it.
enum NearDevices {
    static func findings(of patient: Patient) async -> [Finding] {
        guard let bus = patient.bus, let status = try? patient.status.get() else { return [] }
        let near = status.members.filter { $0.isNear && !$0.isThisDevice }
        return await withTaskGroup(of: [Finding].self) { group in
            for member in near { group.addTask { await findings(of: member, bus) } }
            var found: [Finding] = []
            for await findings in group { found += findings }
            return found.sorted { $0.text < $1.text }
        }
    }

    /// A device of an older version, or that was asked too often, answers pings all the same.
    private static func findings(of member: CircleMember, _ bus: BatonBusClient) async -> [Finding] {
        if let probe = try? await bus.probe(member.device) { return findings(of: probe) }
        do {
            _ = try await bus.ping(member.device)
            return []
        } catch let error as BatonBusError where error.code == .limitReached {
            // Another program asks it just now.
            return []
        } catch {
            return [
                Finding(
                    .deviceSilent, ToolFailure.oneLine(error, message: "\(error)"),
                    command: "baton ping \(member.device)")
            ]
        }
    }

    /// What is wrong between this device and one that answers.
    static func findings(of probe: DeviceProbe) -> [Finding] {
        let name = probe.answer.deviceName
        return [
            deaf(probe.here, to: probe.there, "this device", name),
            deaf(probe.there, to: probe.here, name, "this device"),
        ].compactMap { $0 }
            + lost(probe.here, "to \(name)", other: probe.there)
            + lost(probe.there, "from \(name)", other: probe.here)
    }

    private static func deaf(
        _ side: DeviceProbe.Side, to other: DeviceProbe.Side, _ name: String, _ otherName: String
    ) -> Finding? {
        // One without a ready radio has said so by then.
        guard !side.hears, !other.isSilent, side.ways.contains(where: { $0.transport == "l2cap" }) else { return nil }
        return Finding(
            .radioOneWay,
            "\(name) does not hear \(otherName) by radio, though they are in touch; bring them nearer, and look at Bluetooth on both",
            command: "baton doctor radio")
    }

    /// What does not lead somewhere: Bluetooth at all, other transports where they lead back.
    private static func lost(_ side: DeviceProbe.Side, _ direction: String, other: DeviceProbe.Side) -> [Finding] {
        side.ways.compactMap { way in
            guard let reason = way.reason else { return nil }
            let leadsBack = other.ways.contains { $0.transport == way.transport && $0.time != nil }
            guard way.transport == "l2cap" || leadsBack else { return nil }
            return Finding(.transportOneWay, "\(way.transport) does not lead \(direction): \(reason)")
        }
    }
}
