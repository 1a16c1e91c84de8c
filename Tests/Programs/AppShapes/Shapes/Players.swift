// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Amperfy: one activity while something plays. Its delegate adds the position when asked.
@MainActor private final class PlaybackHandoff: NSObject, @MainActor NSUserActivityDelegate {
    private var activity: NSUserActivity?
    private var place = 0.0
    var continuations = 0

    func plays(_ song: String, at place: Double) {
        self.place = place
        if activity?.title != song {
            activity?.invalidate()
            let playing = NSUserActivity(activityType: "org.example.player.playing")
            playing.title = song
            playing.delegate = self
            playing.isEligibleForHandoff = true
            playing.becomeCurrent()
            activity = playing
        }
        activity?.needsSave = true
    }

    func stops() {
        activity?.resignCurrent()
        activity?.invalidate()
        activity = nil
    }

    func userActivityWillSave(_ userActivity: NSUserActivity) {
        userActivity.userInfo = ["song": userActivity.title ?? "", "place": place]
    }

    func userActivityWasContinued(_ userActivity: NSUserActivity) { continuations += 1 }
}

@MainActor func player() async throws {
    let devices = Devices()
    let handoff = PlaybackHandoff()
    handoff.plays("Aria", at: 1)
    handoff.plays("Aria", at: 12.5)
    let arrived = try await devices.handOver("org.example.player.playing")
    try expect(arrived.userInfo?["place"] as? Double == 12.5, "the place is the last one")
    try expect(handoff.continuations == 1, "the app is told that it goes on elsewhere")
    handoff.plays("Duet", at: 0)
    try expect(devices.sofa.offers.map(\.title) == ["Duet"], "the next song takes its place")
    handoff.stops()
    try expect(devices.sofa.offers.isEmpty, "silence is not offered")
}
