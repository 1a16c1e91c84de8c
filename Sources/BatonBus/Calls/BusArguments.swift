// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import FoundationEssentials

/// The D-Bus arguments that represent one Swift value: the input of a method, or its output.
package struct BusArguments<Value: Sendable>: Sendable {
    let arguments: [DBusArgument]
    /// Returns the D-Bus values to send for a Swift value, one for each argument.
    let encode: @Sendable (Value) throws -> [DBusValue]
    /// Returns the Swift value of received D-Bus values.
    let decode: @Sendable ([DBusValue]) throws -> Value

    private init(
        _ arguments: [DBusArgument], encode: @escaping @Sendable (Value) throws -> [DBusValue],
        decode: @escaping @Sendable ([DBusValue]) throws -> Value
    ) {
        self.arguments = arguments
        self.encode = encode
        self.decode = decode
    }

    init(
        _ name: String, _ signature: String, encode: @escaping @Sendable (Value) throws -> DBusValue,
        decode: @escaping @Sendable (DBusValue) throws -> Value
    ) {
        self.init(
            [DBusArgument(name, signature)], encode: { [try encode($0)] },
            decode: { try decode($0.first.orInvalid(name, .type(signature))) })
    }

    /// Returns the same D-Bus arguments for another Swift type, to and from which the two functions
    /// convert.
    func map<Other: Sendable>(
        _ make: @escaping @Sendable (Value) throws -> Other, _ take: @escaping @Sendable (Other) throws -> Value
    ) -> BusArguments<Other> {
        BusArguments<Other>(arguments, encode: { try encode(take($0)) }, decode: { try make(decode($0)) })
    }

    /// Returns the arguments of `first` followed by the arguments of `second`.
    static func both<First, Second>(_ first: BusArguments<First>, _ second: BusArguments<Second>) -> Self
    where Value == (First, Second) {
        let count = first.arguments.count
        return Self(
            first.arguments + second.arguments, encode: { try first.encode($0.0) + second.encode($0.1) },
            decode: { (try first.decode(Array($0.prefix(count))), try second.decode(Array($0.dropFirst(count)))) })
    }

    /// Returns the arguments of `first`, `second` and `third`, one after the other.
    static func three<First, Second, Third>(
        _ first: BusArguments<First>, _ second: BusArguments<Second>, _ third: BusArguments<Third>
    ) -> Self where Value == (First, Second, Third) {
        BusArguments<(First, (Second, Third))>.both(first, .both(second, third))
            .map({ ($0.0, $0.1.0, $0.1.1) }, { ($0.0, ($0.1, $0.2)) })
    }

    /// Returns one argument that is a list of dictionaries.
    static func list<Element: BusDictionary>(_ name: String) -> Self where Value == [Element] {
        Self(
            name, "aa{sv}", encode: { .list($0) },
            decode: { try $0.arrayValue.orInvalid(name, .type("aa{sv}")).map { try Element(bus: $0) } })
    }
}

extension BusArguments where Value == Void {
    static var nothing: Self { Self([], encode: { _ in [] }, decode: { _ in }) }
}

extension BusArguments<String> {
    /// A string argument that is sent unchanged. Encoding fails for a NUL, which D-Bus cannot
    /// carry.
    static func string(_ name: String) -> Self {
        Self(name, "s", encode: { .string($0) }, decode: { try $0.stringValue.orInvalid(name, .string) })
    }

    /// A string argument that must fit into one line of a file.
    ///
    /// - Parameter length: The allowed length in bytes.
    static func line(_ name: String, _ length: ClosedRange<Int>) -> Self {
        string(name).map(
            { text in
                guard length.contains(text.utf8.count), VisibleText.isReadable(text) else {
                    throw BatonError.invalid(name, .text(length))
                }
                return text
            }, { $0 })
    }

    /// A string argument from the daemon. The text may come from another device, so NULs are
    /// replaced.
    static func text(_ name: String) -> Self {
        Self(name, "s", encode: plain, decode: { try $0.stringValue.orInvalid(name, .string) })
    }
}

extension BusArguments<String?> {
    /// A string argument in which an empty string represents `nil`.
    static func optional(_ name: String) -> Self {
        BusArguments<String>.string(name).map({ $0.isEmpty ? nil : $0 }, { $0 ?? "" })
    }
}

extension BusArguments<[String]> {
    /// A list of strings that are sent unchanged. Encoding fails for a NUL.
    static func strings(_ name: String) -> Self {
        Self(name, "as", encode: { .strings($0) }, decode: { try $0.stringsValue.orInvalid(name, .strings) })
    }

    /// A list of strings from the daemon, in which NULs are replaced as in
    /// ``BusArguments/text(_:)``.
    static func texts(_ name: String) -> Self {
        Self(name, "as", encode: { .texts($0) }, decode: { try $0.stringsValue.orInvalid(name, .strings) })
    }
}

extension BusArguments<Bool> {
    static func bool(_ name: String) -> Self {
        Self(name, "b", encode: { .bool($0) }, decode: { try $0.boolValue.orInvalid(name, .bool) })
    }

    /// A Boolean argument that is false if the value is missing or has another type.
    static func affirmation(_ name: String) -> Self {
        Self([DBusArgument(name, "b")], encode: { [.bool($0)] }, decode: { $0.first?.boolValue ?? false })
    }
}

extension BusArguments<Int> {
    /// A number from 0 to 2³² - 1. Numbers outside this range become the nearest limit.
    static func number(_ name: String) -> Self {
        Self(
            name, "u", encode: { .uint32(UInt32(clamping: $0)) },
            decode: { try $0.integer(as: Int.self).orInvalid(name, .type("u")) })
    }
}

extension BusArguments<Date> {
    /// A date, as whole seconds since 1970.
    static func date(_ name: String) -> Self {
        Self(
            name, "x",
            encode: { .int64(Int64(exactly: $0.timeIntervalSince1970.rounded(.down)) ?? 0) },
            decode: {
                Date(timeIntervalSince1970: Double(try $0.integer(as: Int64.self).orInvalid(name, .seconds)))
            })
    }
}

extension BusArguments<OwnedDescriptor> {
    static func descriptor(_ name: String) -> Self {
        Self(name, "h", encode: { .unixFD($0) }, decode: { try $0.descriptorValue.orInvalid(name, .type("h")) })
    }
}

extension BusArguments<[String: DBusValue]> {
    static func values(_ name: String) -> Self {
        Self(name, "a{sv}", encode: { .properties($0) }, decode: { try Properties($0).values })
    }
}

/// A value that is represented by an `a{sv}` on the bus.
protocol BusDictionary: Sendable {
    /// The keys and values of the dictionary.
    var bus: [String: DBusValue] { get }
    /// Creates the value from an `a{sv}`. Types that the daemon sends ignore unknown keys, because
    /// a newer daemon may send more.
    init(bus value: DBusValue?) throws
}

extension BusArguments where Value: BusDictionary {
    static func dictionary(_ name: String) -> Self {
        Self(name, "a{sv}", encode: { .properties($0.bus) }, decode: { try Value(bus: $0) })
    }
}
