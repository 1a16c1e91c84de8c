// SPDX-License-Identifier: Apache-2.0

/// The laptops that fetch again and again, and of which the user has yet to hear: those that have
/// no place on the screen wait until the user has answered another.
struct FetchQuestions: Sendable {
    /// How many are on the screen at a time.
    static let maximumShown = 4

    private var all: [(device: String, notification: Notification)] = []

    /// Those that have a place, the oldest first.
    var shown: [(device: String, notification: Notification)] { Array(all.prefix(Self.maximumShown)) }

    /// The user is to hear of a laptop, in the place that it has already if there is one.
    mutating func insert(_ notification: Notification, of device: String) {
        if let place = all.firstIndex(where: { $0.device == device }) {
            all[place].notification = notification
        } else {
            all.append((device, notification))
        }
    }

    /// There is nothing to ask about a laptop; nothing happens when there was not.
    mutating func remove(_ device: String) { all.removeAll { $0.device == device } }

    /// Forgets laptops, those for example that have left the circle.
    ///
    /// - Returns: Those that were forgotten.
    mutating func keep(where isKept: (String) -> Bool) -> [String] {
        defer { all.removeAll { !isKept($0.device) } }
        return all.map(\.device).filter { !isKept($0) }
    }
}
