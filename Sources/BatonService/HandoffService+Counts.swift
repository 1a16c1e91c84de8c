// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// How much the service holds.
extension HandoffService {
    /// How many entries each of the service's tables has, and how many tasks and alarms it has begun, by name.
    ///
    /// None depends on how much was carried, how often, or for how long: at rest each is what it was at rest before.
    public var counts: [String: Int] {
        [
            "activities": registry.all.count,
            "refusals": refusals.count,
            "savesAwaited": pendingSaves.values.reduce(0) { $0 + $1.count },
            "links": links.all.count,
            "openLinks": openLinks.count,
            "dials": dials.count,
            "dialWaiters": dials.values.reduce(0) { $0 + $1.waiters.count },
            "invitations": invitations.count,
            "fetches": fetches.count,
            "continuations": continuations.count,
            "givenAway": givenAway.count,
            "lineage": lineage.count,
            "streamTokens": tokens.count,
            "streams": streams.count,
            "offers": book.offers.count,
            "heardDevices": book.heardDeviceCount,
            "heardAddresses": book.heardAddressCount,
            "strangers": strangers.count,
            "pairingSightings": pairingSightings.count,
            "unopenedAdvertisements": clockSearch.unopened.count,
            "peerClocks": peerClocks.count,
            "names": names.count,
            "knownEndpoints": knownEndpoints.count,
            "foundByClock": foundByClock.count,
            "hailedFrom": hailedFrom.count,
            "lastSyncs": lastSync.count,
            "nearPaces": nearPaces.count,
            "newsJudged": newsBudget.count,
            "channelsWaiting": channels.waitingRoom.count,
            "eventsWaiting": news.count,
            "alarms": alarms.count(where: \.isSet),
            "tasks": background.count,
        ]
    }
}
