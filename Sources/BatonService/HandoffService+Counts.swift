// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import BatonTransport

/// How much the service holds.
extension HandoffService {
    /// How many entries each of the service's tables has, and how many tasks and alarms it has
    /// begun, by name.
    ///
    /// None depends on how much was carried, how often, or for how long: at rest each is what it
    /// was at rest before.
    public var counts: [String: Int] {
        [
            "activities": registry.all.count,
            "refusals": saves.refusalCount,
            "savesAwaited": saves.count,
            "links": links.all.count,
            "openLinks": links.open.count,
            "dials": dials.count,
            "dialWaiters": dials.waiterCount,
            "invitations": invitations.count,
            "fetches": continuations.fetchCount,
            "continuations": continuations.count,
            "lineage": lineage.count,
            "streamTokens": streams.tokenCount,
            "streams": streams.count,
            "streamPlaces": streams.placeCount,
            "offers": book.offers.count,
            "heardDevices": book.heardDeviceCount,
            "heardAddresses": book.heardAddressCount,
            "strangers": strangers.count,
            "pairingSightings": pairingSightings.all.count,
            "unopenedAdvertisements": clockSearch.unopened.count,
            "peerClocks": peerClocks.count,
            "peers": peers.count,
            "newsJudged": newsBudget.count,
            "pings": awaited.count,
            "channelsWaiting": channels.waitingRoom.count,
            "eventsWaiting": news.count,
            "alarms": alarms.count,
            "tasks": background.count,
        ]
    }
}
