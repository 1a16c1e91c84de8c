// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Decides how much the radio listens. The service calls ``listeningChanged()`` after each change
/// that may affect the setting.
extension HandoffService {
    /// Records whether the user is present at this laptop.
    ///
    /// - Parameter needsSignals: Whether a rule waits until another device is near.
    public func attend(_ attendance: Attendance, needsSignals: Bool = true) {
        if attendance == .present, listening.attendance != .present { searchClocksAgain() }
        listening.needsSignals = needsSignals
        listening.attend(attendance, at: clock.uptime)
        listeningChanged()
    }

    /// Listens without a pause for a while, because the user may be looking for offers.
    func lookForOffers() {
        searchClocksAgain()
        listening.look(at: clock.uptime)
        listeningChanged()
    }

    /// Sends the radio the wanted setting if it has changed.
    func listeningChanged() {
        statusChange.note()
        guard !lifecycle.isStopping else { return }
        let linksEnd = memberLinks.rest.map { clock.uptime + $0 }
        schedule(.listening, at: [listening.deadline(at: clock.uptime), linksEnd].compactMap(\.self).min())
        if listening.beginTelling(listeningNeeds, at: clock.uptime) {
            background.begin { await self.tellListening() }
        }
    }

    /// Sends settings to the radio until the radio has the wanted setting.
    func tellListening() async {
        while let setting = listening.next(listeningNeeds, at: clock.uptime) { await radio.scan(setting) }
    }

    private var memberLinks: MemberLinks {
        var members = MemberLinks(unixTime: clock.unixTime)
        let linked = Set(peers.links.all.filter { $0.traits.range == .network && $0.isKept }.map(\.device))
        let connected = Set(peers.links.all.map(\.device))
        for device in store.state.others {
            let isHere = connected.contains(device) || sightings.book.isHeard(device.short)
            members.add(
                isLinked: linked.contains(device), lastSeen: isHere ? clock.unixTime : peers[device].lastSeen)
        }
        return members
    }

    private var listeningNeeds: ListeningPlan.Needs {
        var needs: ListeningPlan.Needs = []
        if circle != nil { needs.insert(.membership) }
        if circle == nil, pairings.isLooking { needs.insert(.pairing) }
        if pairings.runInProgress != nil || invitations.count > 0 || listening.joins > 0 { needs.insert(.pairing) }
        let isSearching =
            !peers.dials.isEmpty || peers.awaited.count > 0 || continuations.fetchCount > 0
            || peers.probes.isAudible(at: clock.uptime)
        if isSearching { needs.insert(.waiting) }
        if streams.placeCount > 0 || streams.haveOrigin { needs.insert(.streams) }
        if peers.owedAcceptances.count > 0 { needs.insert(.acceptances) }
        if !memberLinks.suffice { needs.insert(.unlinked) }
        return needs
    }
}
