// SPDX-License-Identifier: Apache-2.0

import ActivityModel
import BatonTesting
import Foundation

/// Random userInfo with values of all types. The same seed gives the same values.
struct RandomUserInfo {
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15) }

    mutating func userInfo() -> UserInfo {
        var pairs: UserInfo = [:]
        for _ in 0..<int(6) {
            let key = int(4) == 0 ? value(depth: 2) : .string(string())
            pairs[key] = value(depth: 4)
        }
        return pairs
    }

    private mutating func int(_ bound: UInt64) -> UInt64 { random.next() % bound }

    private mutating func value(depth: Int) -> UserInfoValue {
        switch int(depth > 0 ? 13 : 10) {
        case 0: return .null
        case 1: return .bool(int(2) == 0)
        case 2: return .int([Int64.min, .max, 0, -1, Int64(bitPattern: random.next())][Int(int(5))])
        case 3: return .integer(random.next() | 1 << 63)
        case 4: return .double(double())
        case 5: return .string(string())
        case 6: return .data(Data((0..<int(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }))
        case 7: return .date(date())
        case 8: return .uuid(uuid())
        case 9: return URL(string: "https://example.org/\(random.next())?q=%20#x").map { .url($0) } ?? .null
        case 10: return .array((0..<int(4)).map { _ in value(depth: depth - 1) })
        case 11: return .set(Set((0..<int(4)).map { _ in value(depth: depth - 1) }))
        default:
            var pairs: UserInfo = [:]
            for _ in 0..<int(4) {
                let key = int(3) == 0 ? value(depth: depth - 1) : .string(string())
                pairs[key] = value(depth: depth - 1)
            }
            return .dictionary(pairs)
        }
    }

    /// Returns any number but not-a-number, which is not equal to itself.
    private mutating func double() -> Double {
        let chosen = [
            0, -0.0, 1, .leastNonzeroMagnitude, 1e300, .infinity, -.infinity, 9_007_199_254_740_992,
            Double(bitPattern: random.next()),
        ]
        let value = chosen[Int(int(UInt64(chosen.count)))]
        return value.isNaN ? 0.1 : value
    }

    private mutating func date() -> Date {
        switch int(4) {
        case 0: Date(timeIntervalSinceReferenceDate: double())
        case 1: Date(timeIntervalSinceReferenceDate: Double(Int64(bitPattern: random.next()) >> 20) / 1000)
        case 2: Date(timeIntervalSince1970: Double(random.next() >> 30) / 1_000_000)
        default: [Date.distantPast, .distantFuture][Int(int(2))]
        }
    }

    private mutating func uuid() -> UUID {
        let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        return bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    private mutating func string() -> String {
        let alphabet = ["a", "$", "\"", "\\", "/", "é", "\u{0}", "\n", "\u{2028}", "👩‍👩‍👧", "$data", "e\u{301}"]
        return (0..<int(5)).map { _ in alphabet[Int(int(UInt64(alphabet.count)))] }.joined()
    }
}
