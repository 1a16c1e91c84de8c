// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// Where in a page its reader is. Each value may be missing; Documentation/Browser.md says what
/// each is for.
struct PagePlace: Codable, Hashable {
    /// The pixels above and left of what is seen, and the height of the page: they hold where the
    /// page is laid out as it was.
    var x, y, height: Double?
    /// How much of the page is above what is seen, 0 to 1.
    var fraction: Double?
    /// The id of the element at the top.
    var anchor: String?
    /// How the text of the block at the top begins.
    var text: String?
    /// How much of that element is above what is seen, 0 to 1.
    var offset: Double?
    /// The time of the largest medium that plays, in seconds.
    var mediaTime: Double?
    /// Which of the page's media that is, in their order, from 0.
    var medium: Double?

    /// The largest number of pixels.
    static let maximumPixels = 1e8
    /// The longest id of an element, in bytes.
    static let maximumAnchor = 256
    /// The longest beginning of a text, in bytes.
    static let maximumText = 512
    /// The latest time in a medium, in seconds: more than a year.
    static let maximumTime = 1e8
    /// The last medium of a page.
    static let maximumMedium = 1e8

    private static var numbers: [(key: UserInfoValue, path: WritableKeyPath<Self, Double?>, maximum: Double)] {
        [
            ("x", \.x, maximumPixels), ("y", \.y, maximumPixels), ("height", \.height, maximumPixels),
            ("fraction", \.fraction, 1), ("offset", \.offset, 1), ("mediaTime", \.mediaTime, maximumTime),
            ("medium", \.medium, maximumMedium),
        ]
    }

    private static var texts: [(key: UserInfoValue, path: WritableKeyPath<Self, String?>, maximum: Int)] {
        [("anchor", \.anchor, maximumAnchor), ("text", \.text, maximumText)]
    }

    /// This place without what is outside of its limits: it comes from a page, or from another
    /// laptop.
    var withinLimits: Self {
        var place = self
        for (_, path, maximum) in Self.numbers where !(0...maximum).contains(self[keyPath: path] ?? 0) {
            place[keyPath: path] = nil
        }
        for (_, path, maximum) in Self.texts where (self[keyPath: path] ?? "").utf8.count > maximum {
            place[keyPath: path] = nil
        }
        return place
    }

    /// It as an activity carries it.
    var userInfo: UserInfo {
        var info = UserInfo()
        for (key, path, _) in Self.numbers { info[key] = self[keyPath: path].map(UserInfoValue.double) }
        for (key, path, _) in Self.texts { info[key] = self[keyPath: path].map(UserInfoValue.string) }
        return info
    }

    /// Nowhere in particular.
    init() {}

    /// What an activity says of the place; whatever else stands there is left alone.
    init(userInfo: UserInfo) {
        var place = Self()
        for (key, path, _) in Self.numbers { place[keyPath: path] = userInfo[key]?.number }
        for (key, path, _) in Self.texts {
            if case .string(let text) = userInfo[key] { place[keyPath: path] = text }
        }
        self = place.withinLimits
    }
}

extension UserInfoValue {
    /// Some senders write 1.0 as 1.
    fileprivate var number: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        default: nil
        }
    }
}
