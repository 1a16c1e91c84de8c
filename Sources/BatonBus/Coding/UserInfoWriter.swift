// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import FoundationEssentials

/// What keeps a value from being carried over the bus.
struct UserInfoRefusal: Error {
    var reason: String
    /// Where it stands in the userInfo, such as `["parts"][3]`; of a set's members the number is
    /// that in the message: `{3}`.
    var place = ""
    /// Whether there is too much of it, and nothing wrong with it.
    var isTooLarge = false
    /// Whether all values together are refused, so that no place is to blame.
    var isOfAll = false
}

/// How a value of an activity's userInfo is written on the bus, without loss.
///
/// `Documentation/DBus/UserInfo.md` has the table; ``UserInfoReader`` is the other direction.
enum UserInfoWriter {
    /// D-Bus allows 64 containers inside each other; what the surrounding message needs is kept
    /// free.
    private static let nativeDepth = 48

    /// A whole userInfo: `a{sv}`, or `("dictionary", a(vv))` when a key is not a plain string.
    static func userInfo(_ userInfo: UserInfo) throws -> DBusValue {
        var pairs: [(DBusValue, DBusValue)] = []
        for (key, entry) in userInfo {
            do {
                pairs.append((try value(key), try value(entry)))
            } catch let refusal as UserInfoRefusal {
                throw BatonError(.invalidArgument, "userInfo[\(name(of: key))]: \(refusal.reason)")
            }
        }
        return dictionary(pairs)
    }

    /// How an error message names a key.
    static func name(of key: UserInfoValue) -> String {
        if case .string = key { "\"\(key.name)\"" } else { key.name }
    }

    /// The native form, or the flat one for a value that is too deep for D-Bus.
    static func value(_ value: UserInfoValue) throws -> DBusValue {
        guard value.depth <= UserInfoValue.maximumDepth else {
            throw UserInfoRefusal(reason: "more than \(UserInfoValue.maximumDepth) containers inside each other")
        }
        if busDepth(of: value) <= nativeDepth { return native(value) }
        var tokens: [DBusValue] = []
        flatten(value, into: &tokens)
        return tagged("flat", .array(elementSignature: "v", tokens))
    }

    /// A string, which stands in its UTF-8 bytes when it has a NUL, since D-Bus cannot carry that.
    static func text(_ string: String) -> DBusValue {
        string.utf8.contains(0) ? tagged("string", .bytes([UInt8](string.utf8))) : .string(string)
    }

    private static func tagged(_ tag: String, _ value: DBusValue) -> DBusValue {
        .structure([.string(tag), .variant(value)])
    }

    private static func native(_ value: UserInfoValue) -> DBusValue {
        switch value {
        case .array(let elements): array(elements.map(native))
        case .set(let elements): tagged("set", array(elements.map(native)))
        case .dictionary(let pairs): dictionary(pairs.map { (native($0.key), native($0.value)) })
        default: scalar(value)
        }
    }

    private static func scalar(_ value: UserInfoValue) -> DBusValue {
        switch value {
        case .bool(let bool): return .bool(bool)
        case .int(let int): return .int64(int)
        case .uint(let uint): return .uint64(uint)
        case .double(let double): return .double(double)
        case .string(let string): return text(string)
        case .data(let data): return .bytes([UInt8](data))
        case .date(let date):
            // Two parts, since Unix seconds in one double would lose the last bits of most dates.
            // The second is what the reader misses when it has only the first, so that nothing is
            // lost to rounding.
            let shift = Date.timeIntervalBetween1970AndReferenceDate
            let seconds = date.timeIntervalSinceReferenceDate
            let whole = seconds.rounded(.towardZero) + shift
            return tagged("date", .structure([.double(whole), .double(seconds - (whole - shift))]))
        case .uuid(let uuid): return tagged("uuid", .string(uuid.uuidString))
        case .url(let url): return tagged("url", text(url.absoluteString))
        default: return tagged("null", .string(""))
        }
    }

    private static func array(_ elements: [DBusValue]) -> DBusValue {
        .array(elementSignature: "v", elements.map { .variant($0) })
    }

    private static func dictionary(_ pairs: [(DBusValue, DBusValue)]) -> DBusValue {
        if pairs.allSatisfy({ $0.0.signature == "s" }) {
            return .dictionary(
                keySignature: "s", valueSignature: "v", pairs.map { DBusValue.Entry($0.0, .variant($0.1)) })
        }
        let structures = pairs.map { DBusValue.structure([.variant($0.0), .variant($0.1)]) }
        return tagged("dictionary", .array(elementSignature: "(vv)", structures))
    }

    /// How many containers of D-Bus the native form needs, at most.
    private static func busDepth(of value: UserInfoValue) -> Int {
        switch value {
        case .array(let elements): 2 + (elements.map(busDepth).max() ?? 0)
        case .set(let elements): 4 + (elements.map(busDepth).max() ?? 0)
        case .dictionary(let pairs): 5 + (pairs.map { max(busDepth(of: $0.key), busDepth(of: $0.value)) }.max() ?? 0)
        default: 3
        }
    }

    /// Containers as `(kind, count)` followed by what they hold, so that nothing stands inside
    /// anything else.
    private static func flatten(_ value: UserInfoValue, into tokens: inout [DBusValue]) {
        func open(_ kind: String, _ count: Int) {
            tokens.append(.variant(.structure([.string(kind), .uint32(UInt32(clamping: count))])))
        }
        switch value {
        case .array(let elements):
            open("array", elements.count)
            for element in elements { flatten(element, into: &tokens) }
        case .set(let elements):
            open("set", elements.count)
            for element in elements { flatten(element, into: &tokens) }
        case .dictionary(let pairs):
            open("dictionary", pairs.count)
            for (key, value) in pairs {
                flatten(key, into: &tokens)
                flatten(value, into: &tokens)
            }
        default: tokens.append(.variant(scalar(value)))
        }
    }
}
