// SPDX-License-Identifier: Apache-2.0

internal import ActivityModel
internal import DBus
internal import Diagnosis
internal import FoundationEssentials

/// The conversion between a saved activity and its `a{sv}`: the activity's properties, and those
/// for searches.
enum SavedCoding {
    private static let names: Set<String> = ["identity", "type", "keywords", "contentAttributeSet"]

    /// Returns the properties of a saved activity. `Save` takes `type` as a separate argument.
    static func encode(_ saved: SavedUserActivity) throws -> [String: DBusValue] {
        var result = try ActivityCoding.encode(saved.state)
        result["identity"] = .string(saved.identity.description)
        result["type"] = UserInfoWriter.text(saved.state.activityType)
        if !saved.keywords.isEmpty { result["keywords"] = try texts(saved.keywords.sorted(), "keywords") }
        if let attributes = saved.contentAttributeSet {
            result["contentAttributeSet"] = .properties(try encode(attributes))
        }
        return result
    }

    /// Reads the properties that ``encode(_:)`` returns. If they have no identity, the activity
    /// gets a new identity.
    static func decode(_ values: [String: DBusValue]) throws -> SavedUserActivity {
        let type = try (values["type"]?.stringValue).orInvalid("type", .string)
        try ActivityCoding.checkType(type)
        let properties = try ActivityCoding.decode(values, also: names)
        try ActivityCoding.checkNothingIsCleared(values)
        guard properties.needsSave == nil else {
            throw BatonError(argument: "needsSave", .argumentNeedless)
        }
        let identity = try values["identity"].map {
            try $0.stringValue.flatMap(ActivityIdentity.init).orInvalid("identity", .form(.uuid))
        }
        return SavedUserActivity(
            identity: identity ?? ActivityIdentity(),
            state: properties.applied(to: ActivityState(activityType: type)),
            keywords: Set(
                try values["keywords"].map { try $0.stringsValue.orInvalid("keywords", .strings) } ?? []),
            contentAttributeSet: try values["contentAttributeSet"].map(attributes))
    }

    private static func encode(_ attributes: SearchableItemAttributes) throws -> [String: DBusValue] {
        var result: [String: DBusValue] = ["contentType": try text(attributes.contentType, "contentType")]
        result["title"] = try attributes.title.map { try text($0, "title") }
        result["displayName"] = try attributes.displayName.map { try text($0, "displayName") }
        result["contentDescription"] = try attributes.contentDescription.map { try text($0, "contentDescription") }
        if !attributes.keywords.isEmpty { result["keywords"] = try texts(attributes.keywords, "keywords") }
        result["thumbnailURL"] = attributes.thumbnailURL.map { .string($0.absoluteString) }
        result["thumbnailData"] = attributes.thumbnailData.map { .bytes([UInt8]($0)) }
        result["relatedUniqueIdentifier"] = try attributes.relatedUniqueIdentifier.map {
            try text($0, "relatedUniqueIdentifier")
        }
        return result
    }

    private static func attributes(_ value: DBusValue) throws -> SearchableItemAttributes {
        var result = SearchableItemAttributes()
        let values = try value.propertiesValue.orInvalid("contentAttributeSet", .type("a{sv}"))
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            let name = "contentAttributeSet.\(name.prefix(100))"
            func text() throws -> String { try value.stringValue.orInvalid(name, .string) }
            switch name.dropFirst("contentAttributeSet.".count) {
            case "contentType": result.contentType = try text()
            case "title": result.title = try text()
            case "displayName": result.displayName = try text()
            case "contentDescription": result.contentDescription = try text()
            case "keywords": result.keywords = try value.stringsValue.orInvalid(name, .strings)
            case "thumbnailURL":
                let url = try URL(string: try text(), encodingInvalidCharacters: false)
                    .orInvalid(name, .form(.url))
                guard url.isFileURL, url.host()?.isEmpty ?? true else {
                    throw BatonError.invalid(name, .form(.fileURL))
                }
                result.thumbnailURL = url
            case "thumbnailData": result.thumbnailData = Data(try value.bytesValue.orInvalid(name, .type("ay")))
            case "relatedUniqueIdentifier": result.relatedUniqueIdentifier = try text()
            default: throw BatonError(argument: name, .argumentUnknown)
            }
        }
        return result
    }

    private static func text(_ text: String, _ name: String) throws -> DBusValue {
        guard !text.utf8.contains(0) else { throw BatonError(argument: name, .argumentNUL) }
        return .string(text)
    }

    private static func texts(_ texts: [String], _ name: String) throws -> DBusValue {
        .array(elementSignature: "s", try texts.map { try text($0, name) })
    }
}
