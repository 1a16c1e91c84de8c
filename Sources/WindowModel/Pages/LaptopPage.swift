// SPDX-License-Identifier: Apache-2.0

import BatonBus
import FoundationEssentials
import Wording

struct LaptopPage {
    let status: DaemonStatus
    let device: String
    let probe: WindowModel.Probe?
    let now: Date

    var page: Page {
        guard let member = status.members.first(where: { $0.device == device }) else {
            return Page(
                title: tr("Laptop"),
                header: .status(
                    icon: "computer-symbolic", heading: tr("This laptop is no longer one of yours"), text: ""))
        }
        return Page(
            title: MemberText.name(of: device, in: status.members),
            sections: member.isThisDevice ? own : other(member))
    }

    private var own: [Page.Section] {
        let name = Row(id: "name", title: tr("Name of This Laptop"), control: .entry(status.deviceName, .name))
        let leave = Row(
            id: "leave", title: tr("Take this laptop out"),
            subtitle: tr("It no longer works together with your other laptops."),
            control: .buttons([PageButton(tr("Take Out…"), .ask(.leave), style: .destructive)]))
        return [
            Page.Section(id: "name", text: tr("Your other laptops show this name."), rows: [name]),
            Page.Section(id: "leave", rows: [leave]),
        ]
    }

    private func other(_ member: CircleMember) -> [Page.Section] {
        let isStopped = (member.stoppedUntil ?? .distantPast) > now
        let name = MemberText.name(of: device, in: status.members)
        let stop = Row(
            id: "stop",
            title: isStopped
                ? tr("“{laptop}” gets no answer", ["laptop": name])
                : tr("Refuse “{laptop}” for an hour", ["laptop": name]),
            subtitle: tr("It cannot continue anything from this laptop in that time."),
            control: .buttons([
                isStopped
                    ? PageButton(tr("Answer Again"), .request(.allow(device: device)))
                    : PageButton(tr("Refuse"), .request(.stop(device: device)))
            ]))
        let remove = Row(
            id: "remove", title: tr("Remove “{laptop}”", ["laptop": name]),
            subtitle: tr("Do this if you lost it or gave it away. It cannot come back without your consent."),
            control: .buttons([PageButton(tr("Remove…"), .ask(.remove(device: device)), style: .destructive)]))
        return [
            Page.Section(id: "state", rows: [stateRow(member), probeRow]),
            Page.Section(id: "remove", rows: [stop, remove]),
        ]
    }

    private func stateRow(_ member: CircleMember) -> Row {
        Row(
            id: "state", title: MemberText.presence(of: member, now: now), subtitle: sponsors(of: member),
            icon: "computer-symbolic")
    }

    private func sponsors(of member: CircleMember) -> String {
        let names = member.takenInBy.filter { sponsor in status.members.contains { $0.device == sponsor } }
        guard let first = names.first else { return "" }
        return tr("Added by “{laptop}”", ["laptop": MemberText.name(of: first, in: status.members)])
    }

    private var probeRow: Row {
        var row = Row(id: "probe", title: tr("Connection"))
        switch probe {
        case .running?:
            row.subtitle = tr("The test takes up to a minute and a half.")
            row.control = .busy(nil)
            return row
        case .succeeded(let probe)?: row.subtitle = Self.result(probe)
        case .failed(let error)?: row.subtitle = FailureText.any(error)
        case nil: row.subtitle = tr("See whether the two laptops reach each other.")
        }
        row.control = .buttons([PageButton(tr("Test"), .request(.probe(device: device)))])
        return row
    }

    private static func result(_ probe: DeviceProbe) -> String {
        let ways = (probe.here.ways + probe.there.ways).filter { $0.time != nil }.map(\.transport)
        let isNetwork = ways.contains("tcp")
        let isBluetooth = ways.contains { $0 != "tcp" }
        return switch (isBluetooth, isNetwork) {
        case (true, true): tr("The laptops reach each other over Bluetooth and over the network.")
        case (true, false): tr("The laptops reach each other over Bluetooth.")
        case (false, true): tr("The laptops reach each other over the network.")
        case (false, false): tr("The other laptop answers, but no new connection can be made.")
        }
    }
}
