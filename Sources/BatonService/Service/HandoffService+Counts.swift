// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// Counts of the service's entries.
extension HandoffService {
    /// The number of entries in each of the service's tables, and of its tasks and alarms, by name.
    ///
    /// Each number is limited. A number that is higher each time that the service becomes idle
    /// again shows that entries are never removed.
    public var counts: [String: Int] {
        [
            "links": peers.links.all.count,
            "openLinks": peers.links.open.count,
            "dials": peers.dials.count,
            "dialWaiters": peers.dials.waiterCount,
            "invitations": invitations.count,
            "fetches": continuations.fetchCount,
            "continuations": continuations.count,
            "streamGrants": peers.all.count { !$0.streamGrants.isEmpty },
            "owedAcceptances": peers.owedAcceptances.count,
            "streamTokens": streams.tokenCount,
            "streams": streams.count,
            "streamOpenings": streams.openingCount,
            "streamPlaces": streams.placeCount,
            "offers": sightings.book.offers.count,
            "namedActivities": sightings.book.namedActivityCount,
            "heardDevices": sightings.book.heardDeviceCount,
            "heardAddresses": sightings.book.heardAddressCount,
            "strangers": sightings.strangers.count,
            "pairingSightings": sightings.pairing.all.count,
            "unopenedAdvertisements": sightings.clockSearch.unopened.count,
            "hailsTried": sightings.hailListener.remembered,
            "reappearancesAwaited": peers.all.count(where: \.isReappearanceAwaited),
            "peerClocks": peers.clocks.count,
            "clockNewsOwed": peers.all.count { $0.clockNews.deadline != nil },
            "tcpFailures": peers.all.reduce(0) { $0 + $1.networkFailures.count },
            "peers": peers.count,
            "linkOffers": sightings.linkOffers.count,
            "newsJudged": peers.all.count(where: \.news.isUsed),
            "namesHeld": peers.all.count { $0.names.deadline != nil },
            "pings": peers.awaited.count,
            "probes": peers.probes.count + peers.all.count { $0.probes.isInUse(at: clock.uptime) },
            "channelsWaiting": channels.pendingChannels.count,
            "eventsWaiting": news.count,
            "alarms": timetable.count,
            "tasks": background.count,
        ].merging(lan.counts) { first, _ in first }.merging(apps.counts) { first, _ in first }
    }
}
