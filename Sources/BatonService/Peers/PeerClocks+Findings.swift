// SPDX-License-Identifier: Apache-2.0

import BatonProtocol
import Diagnosis

extension PeerClocks {
    /// Returns the findings about this device's clock and the members' clocks.
    func findings(_ state: DeviceState, at moment: BeaconAdvertiser.Moment) -> [Finding] {
        let isWrong = moment.unixTime < state.notBefore && !isConfirmed(at: moment)
        let own = Finding(.clockWrong, ["clock": .time(moment.unixTime)], command: "timedatectl set-ntp true")
        let devices = differences(at: moment).keys.sorted()
        return (isWrong ? [own] : []) + devices.compactMap { finding(of: $0, state, at: moment) }
    }

    /// Returns the finding that a member's clock differs from this device's clock, or nil if they
    /// agree.
    func finding(of device: DeviceID, _ state: DeviceState, at moment: BeaconAdvertiser.Moment) -> Finding? {
        guard let seconds = differences(at: moment)[device] else { return nil }
        let place =
            switch (corrected(at: moment).contains(device), seconds > 0) {
            case (false, true): "ahead"
            case (false, false): "behind"
            case (true, true): "allowedAhead"
            case (true, false): "allowedBehind"
            }
        let values: [String: Reason.Value] = [
            "laptop": .text(state.name(of: device)), place: .duration(.seconds(abs(seconds))),
        ]
        return Finding(.clockDiffers, values)
    }
}
