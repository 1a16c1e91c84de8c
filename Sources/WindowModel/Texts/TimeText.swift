// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Wording

enum TimeText {
    /// Returns the time of day, with the day if it is not today.
    ///
    /// - Parameter now: The present time.
    static func moment(_ date: Date, now: Date) -> String { moment(date).text(now: moment(now)) }

    private static func moment(_ date: Date) -> LocalMoment {
        LocalMoment(Int64(exactly: date.timeIntervalSince1970.rounded()) ?? 0)
    }
}
