// SPDX-License-Identifier: Apache-2.0

internal import DBus
internal import FoundationEssentials

/// A value whose `a{sv}` is declared as a table of fields, for both directions.
protocol BusRecord: BusDictionary {
    /// The value into which the fields are read.
    static var blank: Self { get }
    /// The fields, in the order in which they are read.
    static var fields: [BusField<Self>] { get }
}

extension BusRecord {
    var bus: [String: DBusValue] { Self.fields.reduce(into: [:]) { $0[$1.key] = $1.write(self) } }

    init(bus value: DBusValue?) throws {
        let properties = try Properties(value)
        self = try Self.fields.reduce(into: Self.blank) { record, field in try field.read(properties, &record) }
    }
}

struct BusField<Record: Sendable>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Record, Value> & Sendable

    let key: String
    /// Returns the value to send, or nil to send none.
    let write: @Sendable (Record) -> DBusValue?
    /// Reads the field of a received dictionary into a record.
    let read: @Sendable (Properties, inout Record) throws -> Void

    init(
        _ key: String, write: @escaping @Sendable (Record) -> DBusValue?,
        read: @escaping @Sendable (Properties, inout Record) throws -> Void
    ) {
        self.key = key
        self.write = write
        self.read = read
    }
}

extension BusField {
    /// A key that is only sent: other fields contain the same.
    static func derived(_ key: String, _ write: @escaping @Sendable (Record) -> DBusValue?) -> Self {
        Self(key, write: write, read: { _, _ in })
    }

    /// A text that is always sent.
    ///
    /// - Parameter isRequired: Whether reading fails without the text. Otherwise the text is empty.
    static func text(_ key: String, _ path: Path<String>, isRequired: Bool = true) -> Self {
        Self(
            key, write: { plain($0[keyPath: path]) },
            read: { $1[keyPath: path] = try isRequired ? $0.required(key) : $0.text(key) ?? "" })
    }

    static func optionalText(_ key: String, _ path: Path<String?>) -> Self {
        Self(key, write: { $0[keyPath: path].map(plain) }, read: { $1[keyPath: path] = $0.text(key) })
    }

    /// A word of which later versions may know more.
    static func word<Word: RawRepresentable<String> & Sendable>(_ key: String, _ path: Path<Word>) -> Self {
        Self(
            key, write: { plain($0[keyPath: path].rawValue) },
            read: { $1[keyPath: path] = try Word(rawValue: $0.required(key)).orInvalid(key, .string) })
    }

    static func optionalWord<Word: RawRepresentable<String> & Sendable>(_ key: String, _ path: Path<Word?>) -> Self {
        Self(
            key, write: { ($0[keyPath: path]?.rawValue).map(plain) },
            read: { $1[keyPath: path] = $0.text(key).flatMap(Word.init(rawValue:)) })
    }

    /// A list of texts.
    ///
    /// - Parameter isSentEmpty: Whether an empty list is sent.
    static func texts(_ key: String, _ path: Path<[String]>, isSentEmpty: Bool = true) -> Self {
        Self(
            key, write: { $0[keyPath: path].isEmpty && !isSentEmpty ? nil : .texts($0[keyPath: path]) },
            read: { $1[keyPath: path] = $0.strings(key) })
    }

    /// A Boolean that is false if it is missing.
    static func bool(_ key: String, _ path: Path<Bool>) -> Self {
        Self(key, write: { .bool($0[keyPath: path]) }, read: { $1[keyPath: path] = $0.bool(key) })
    }

    /// A number that stays as in ``BusRecord/blank`` if it is missing.
    static func number<Number: FixedWidthInteger & Sendable>(
        _ key: String, _ path: Path<Number>, _ write: @escaping @Sendable (Number) -> DBusValue?
    ) -> Self {
        Self(
            key, write: { write($0[keyPath: path]) },
            read: { if let number = $0.values[key]?.integer(as: Number.self) { $1[keyPath: path] = number } })
    }

    static func optionalNumber(
        _ key: String, _ path: Path<Int?>, _ write: @escaping @Sendable (Int) -> DBusValue
    ) -> Self {
        Self(
            key, write: { $0[keyPath: path].map(write) },
            read: { $1[keyPath: path] = $0.values[key]?.integer(as: Int.self) })
    }

    /// A time that reading requires, in whole seconds since 1970.
    static func date(_ key: String, _ path: Path<Date>) -> Self {
        Self(
            key, write: { seconds($0[keyPath: path]) },
            read: { $1[keyPath: path] = try $0.date(key).orInvalid("reply", .seconds) })
    }

    static func optionalDate(_ key: String, _ path: Path<Date?>) -> Self {
        Self(key, write: { $0[keyPath: path].map(seconds) }, read: { $1[keyPath: path] = $0.date(key) })
    }

    /// A duration that reading requires, in seconds.
    static func duration(_ key: String, _ path: Path<Duration>) -> Self {
        Self(
            key, write: { .double($0[keyPath: path] / .seconds(1)) },
            read: { $1[keyPath: path] = try Self.duration($0.values[key], key) })
    }

    static func optionalDuration(_ key: String, _ path: Path<Duration?>) -> Self {
        Self(
            key, write: { $0[keyPath: path].map { .double($0 / .seconds(1)) } },
            read: { $1[keyPath: path] = try $0.values[key].map { try Self.duration($0, key) } })
    }

    private static func duration(_ value: DBusValue?, _ key: String) throws -> Duration {
        guard let seconds = value?.doubleValue, (0...3_600).contains(seconds) else {
            throw BatonError.invalid(key, .number(0...3_600))
        }
        return .seconds(seconds)
    }

    static func optional<Part: BusDictionary>(_ key: String, _ path: Path<Part?>) -> Self {
        Self(
            key, write: { $0[keyPath: path].map { .properties($0.bus) } },
            read: { $1[keyPath: path] = try $0.values[key].map { try Part(bus: $0) } })
    }

    static func list<Part: BusDictionary>(_ key: String, _ path: Path<[Part]>) -> Self {
        Self(
            key, write: { .list($0[keyPath: path]) },
            read: { $1[keyPath: path] = try $0.list(key).map { try Part(bus: $0) } })
    }
}

private func seconds(_ date: Date) -> DBusValue { .int64(Int64(date.timeIntervalSince1970.rounded(.down))) }
