// SPDX-License-Identifier: Apache-2.0

import ActivityModel

/// The place of a reader in a page. A value that is unknown is `nil`. Documentation/Browser.md
/// explains how the values are used.
struct PagePlace: Codable, Hashable {
    /// The pixels to the left of the visible part and above it, and the height of the page. These
    /// values are useful only if the page has the same layout on both laptops.
    var x, y, height: Double?
    /// The fraction of the page above the visible part, 0 to 1.
    var fraction: Double?
    /// The id of the element at the top.
    var anchor: String?
    /// The first words of the block at the top.
    var text: String?
    /// The fraction of the element or block at the top that is above the visible part, 0 to 1.
    var offset: Double?
    /// The playing time of the largest playing video or audio, in seconds.
    var mediaTime: Double?
    /// The index of that video or audio in the page, counted from 0.
    var medium: Double?

    static let maximumPixels = 1e8
    /// The largest size of an element's id, in bytes.
    static let maximumAnchor = 256
    /// The largest size of the first words, in bytes.
    static let maximumText = 512
    /// The longest playing time of a video or audio, in seconds: about three years.
    static let maximumTime = 1e8
    /// The largest index of a video or audio.
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

    /// This place without the values that exceed their limits. A page or another laptop may send
    /// such values.
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

    /// The place as an activity carries it.
    var userInfo: UserInfo {
        var info = UserInfo()
        for (key, path, _) in Self.numbers { info[key] = self[keyPath: path].map(UserInfoValue.double) }
        for (key, path, _) in Self.texts { info[key] = self[keyPath: path].map(UserInfoValue.string) }
        return info
    }

    init() {}

    /// Reads the place in an activity's userInfo. Ignores other entries.
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
    /// The number in the value. Some senders write 1.0 as the integer 1.
    fileprivate var number: Double? {
        switch self {
        case .double(let number): number
        case .int(let number): Double(number)
        case .uint(let number): Double(number)
        default: nil
        }
    }
}
