// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import Diagnosis
internal import FoundationEssentials

/// The reason why a value cannot be sent over the bus.
struct UserInfoRefusal: Error {
    /// The fault in the value.
    let failure: FailureCode
    var values: [String: Reason.Value] = [:]
    /// The value's place in the userInfo, such as `["parts"][3]`. A member of a set has its number
    /// in the message: `{3}`.
    var place = ""
    /// Whether the value is refused only because it is too large.
    var isTooLarge = false
    /// Whether all values together exceed a limit, so that no single place caused the refusal.
    var isOfAll = false
}

extension UserInfoRefusal {
    static let nested = Self(failure: .argumentDepth, values: ["greatest": .count(UserInfoValue.maximumDepth)])
    static let cut = meaningless("flat")
    static let twice = Self(failure: .argumentTwice)

    /// Creates the refusal of a value that does not represent any userInfo value.
    ///
    /// - Parameter text: The value's D-Bus signature or the name of its kind.
    static func meaningless(_ text: String) -> Self {
        Self(failure: .argumentMeaningless, values: ["value": .text(String(text.unicodeScalars.prefix(100)))])
    }
}

extension BatonError {
    /// Creates the error for a userInfo that is refused.
    init(_ refusal: UserInfoRefusal) {
        self.init(argument: "userInfo\(refusal.place)", refusal.failure, refusal.values)
        if refusal.isTooLarge { code = .userInfoTooLarge }
    }
}

/// Writes the values of an activity's userInfo for the bus, without loss.
///
/// `Documentation/DBus/UserInfo.md` has the table. ``UserInfoReader`` reads the values.
enum UserInfoWriter {
    /// The maximum depth of nested D-Bus containers in the native form. D-Bus allows 64, of which
    /// the message itself needs some.
    private static let nativeDepth = 48

    /// Returns a whole userInfo: `a{sv}`, or `("dictionary", a(vv))` if a key is not a plain
    /// string.
    static func userInfo(_ userInfo: UserInfo) throws -> DBusValue {
        var pairs: [(DBusValue, DBusValue)] = []
        for (key, entry) in userInfo {
            do {
                pairs.append((try value(key), try value(entry)))
            } catch var refusal as UserInfoRefusal {
                refusal.place = "[\(name(of: key))]"
                throw BatonError(refusal)
            }
        }
        return dictionary(pairs)
    }

    /// Returns the text that stands for a key in error messages.
    static func name(of key: UserInfoValue) -> String {
        if case .string = key { "\"\(key.name)\"" } else { key.name }
    }

    /// Returns the native form of a value, or the flat form if the value is too deep for D-Bus.
    static func value(_ value: UserInfoValue) throws -> DBusValue {
        guard value.depth <= UserInfoValue.maximumDepth else { throw UserInfoRefusal.nested }
        if busDepth(of: value) <= nativeDepth { return native(value) }
        var tokens: [DBusValue] = []
        flatten(value, into: &tokens)
        return tagged("flat", .array(elementSignature: "v", tokens))
    }

    /// Returns a text as a string, or as tagged UTF-8 bytes if it has a NUL, which a D-Bus string
    /// cannot carry.
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
            // Write two parts, because Unix seconds in one double would lose the last bits of most
            // dates. The reader adds the second part to the first, so that rounding loses no bits.
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

    /// Returns the maximum number of nested D-Bus containers in the native form of a value.
    private static func busDepth(of value: UserInfoValue) -> Int {
        switch value {
        case .array(let elements): 2 + (elements.map(busDepth).max() ?? 0)
        case .set(let elements): 4 + (elements.map(busDepth).max() ?? 0)
        case .dictionary(let pairs): 5 + (pairs.map { max(busDepth(of: $0.key), busDepth(of: $0.value)) }.max() ?? 0)
        default: 3
        }
    }

    /// Appends a value as tokens. A container is `(kind, count)` followed by its elements, so that
    /// no token contains another.
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
