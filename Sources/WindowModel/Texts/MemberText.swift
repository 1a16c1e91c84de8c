// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import Wording

/// Sentences about laptops.
enum MemberText {
    /// Returns the name of a laptop, with its id if another laptop has the same name.
    static func name(of device: String, in members: [CircleMember]) -> String {
        guard let member = members.first(where: { $0.device == device }) else { return tr("Another laptop") }
        return ShownText.name(DeviceNames(members).label(of: member))
    }

    /// Returns the text that says whether a laptop is near, or when it was last seen.
    static func presence(of member: CircleMember, now: Date) -> String {
        if member.isThisDevice { return tr("This laptop") }
        if let until = member.stoppedUntil, until > now {
            return tr("Gets no answer until {time}", ["time": TimeText.moment(until, now: now)])
        }
        let transports = Set(member.transports)
        if member.isNear { return transports.contains("tcp") ? tr("Near, and on this network") : tr("Near") }
        if transports.contains("tcp") { return tr("Connected over the network") }
        guard let seen = member.lastSeen else { return tr("Not seen since you logged in") }
        return tr("Last seen: {time}", ["time": TimeText.moment(seen, now: now)])
    }

    /// Returns the names of the other laptops in one text.
    static func others(_ members: [CircleMember]) -> String {
        let others = members.filter { !$0.isThisDevice }
        let shown = others.prefix(4).map {
            tr("“{laptop}”", ["laptop": name(of: $0.device, in: members)])
        }
        let (list, more) = (JoinedText.list(Array(shown)), others.count - shown.count)
        guard more > 0 else { return list }
        return ntr("{laptops}, and {count} more laptop", "{laptops}, and {count} more laptops", more, ["laptops": list])
    }
}
