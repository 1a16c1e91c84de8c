// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import Diagnosis
internal import FoundationEssentials

/// The conversion between an activity and its `a{sv}`, in both directions.
enum ActivityCoding {
    /// Returns a change as an `a{sv}`. The key `clear` names the properties to clear.
    static func encode(_ properties: ActivityProperties) throws -> [String: DBusValue] {
        var result: [String: DBusValue] = [:]
        var cleared: [String] = []
        for field in properties.fields {
            if let value = try encode(field, of: properties.values) {
                result[field.name] = value
            } else {
                cleared.append(field.name)
            }
        }
        if !cleared.isEmpty { result["clear"] = .strings(cleared.sorted()) }
        if let needsSave = properties.needsSave { result["needsSave"] = .bool(needsSave) }
        return result
    }

    /// Returns all properties of an activity that are set.
    static func encode(_ state: ActivityState) throws -> [String: DBusValue] {
        var result = try encode(ActivityProperties(state))
        result["clear"] = nil
        return result
    }

    private static func encode(_ field: ActivityField, of state: ActivityState) throws -> DBusValue? {
        switch field.value {
        case .text(let path): return state[keyPath: path].map(UserInfoWriter.text)
        case .userInfo: return state.userInfo.isEmpty ? nil : try UserInfoWriter.userInfo(state.userInfo)
        case .webpage(let path):
            // Do not check the port here, because the page may come from another device. The port
            // is checked when a page is published.
            guard state[keyPath: path]?.isOfWeb ?? true else {
                throw BatonError(argument: field.name, .argumentNoPage)
            }
            return state[keyPath: path].map { UserInfoWriter.text($0.absoluteString) }
        case .date(let path): return state[keyPath: path].map { .double($0.timeIntervalSince1970) }
        case .texts(let path): return encode(state[keyPath: path].sorted())
        case .flag(let path): return .bool(state[keyPath: path])
        }
    }

    /// Returns an array of strings, or nil if there are no texts. If a text has a NUL, which a
    /// D-Bus string cannot carry, the array contains variants.
    private static func encode(_ texts: [String]) -> DBusValue? {
        if texts.isEmpty { return nil }
        guard texts.contains(where: { $0.utf8.contains(0) }) else { return .strings(texts) }
        return .array(elementSignature: "v", texts.map { .variant(UserInfoWriter.text($0)) })
    }

    /// Reads a change. Throws `InvalidArgument`, with the property's name, for a property that is
    /// unknown or has an invalid value.
    ///
    /// `also` names properties that the caller reads itself.
    static func decode(_ values: [String: DBusValue], also: Set<String> = []) throws -> ActivityProperties {
        var result = ActivityProperties(ActivityState(activityType: ""), fields: [])
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            if let field = ActivityField(name: name) {
                try decode(field, value, into: &result.values)
                result.fields.insert(field)
            } else if name == "needsSave" {
                result.needsSave = try value.boolValue.orInvalid(name, .bool)
            } else if name == "clear" {
                for cleared in try value.stringsValue.orInvalid(name, .strings) {
                    guard let field = ActivityField(name: cleared) else {
                        throw BatonError(argument: "clear.\(cleared.prefix(100))", .argumentUnknown)
                    }
                    guard values[cleared] == nil else {
                        throw BatonError(argument: cleared, .argumentTwice)
                    }
                    result.fields.insert(field)
                }
            } else if !also.contains(name) {
                let isFixed = PublishOptions.keys.contains(name)
                throw BatonError(argument: "\(name.prefix(100))", isFixed ? .argumentFixed : .argumentUnknown)
            }
        }
        return result
    }

    /// Throws if `clear` is given for a new activity, which has no properties to clear.
    static func checkNothingIsCleared(_ values: [String: DBusValue]) throws {
        guard values["clear"] == nil else { throw BatonError(argument: "clear", .argumentNeedless) }
    }

    private static func decode(_ field: ActivityField, _ value: DBusValue, into state: inout ActivityState) throws {
        let name = field.name
        func text() throws -> String { try UserInfoReader.text(value).orInvalid(name, .string) }
        switch field.value {
        case .text(let path): state[keyPath: path] = try text()
        case .userInfo: state.userInfo = try UserInfoReader.userInfo(value)
        case .webpage(let path):
            let url = try url(try text(), name)
            try checkWeb(url, name)
            state[keyPath: path] = url
        case .date(let path):
            let seconds = value.doubleValue ?? value.integer(as: Int64.self).map(Double.init)
            guard let seconds, seconds.isFinite else { throw BatonError.invalid(name, .seconds) }
            state[keyPath: path] = Date(timeIntervalSince1970: seconds)
        case .texts(let path):
            state[keyPath: path] = Set(
                try value.arrayValue.orInvalid(name, .strings).map {
                    try UserInfoReader.text($0).orInvalid(name, .strings)
                })
        case .flag(let path): state[keyPath: path] = try value.boolValue.orInvalid(name, .bool)
        }
    }

    /// Throws if a type is not a valid activity type.
    static func checkType(_ type: String) throws {
        do {
            try ActivityState.validate(activityType: type)
        } catch let error as UserActivityError {
            throw BatonError(error)
        }
    }

    private static func checkWeb(_ url: URL, _ name: String) throws {
        do {
            try ActivityState.validate(webpageURL: url, as: name)
        } catch let error as UserActivityError {
            throw BatonError(error)
        }
    }

    private static func url(_ text: String, _ name: String) throws -> URL {
        try URL(string: text, encodingInvalidCharacters: false).orInvalid(name, .form(.url))
    }
}
