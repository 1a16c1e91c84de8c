// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

extension ActivityState {
    /// The maximum length of an activity type or a team, in UTF-8 bytes.
    public static let maximumIdentifierLength = 255
    /// The maximum length of a title, in UTF-8 bytes.
    public static let maximumTitleLength = 1_024
    /// The maximum length of ``targetContentIdentifier`` and ``persistentIdentifier``, in UTF-8
    /// bytes.
    public static let maximumContentIdentifierLength = 4_096
    /// The maximum length of a web page's or referrer's address, in UTF-8 bytes.
    public static let maximumWebpageLength = 8_192

    /// Returns this state if it is valid.
    ///
    /// - Throws: ``UserActivityError`` that names the invalid property.
    public func validated() throws -> ActivityState {
        try Self.validate(activityType: activityType)
        for field in ActivityField.all {
            guard case .webpage(let path) = field.value, let page = self[keyPath: path] else { continue }
            try Self.validate(webpageURL: page, as: field.name)
        }
        try Self.validate(userInfo: userInfo)
        return self
    }

    /// Checks an activity type.
    ///
    /// The type must have 1 to ``maximumIdentifierLength`` UTF-8 bytes, and all its characters must
    /// be visible (requirement 22).
    ///
    /// - Parameter activityType: The type.
    /// - Throws: ``UserActivityError`` with `invalidType`.
    public static func validate(activityType: String) throws {
        let length = activityType.utf8.count
        guard length > 0 else {
            throw UserActivityError(code: .invalidType, property: "activityType", message: "is empty")
        }
        guard length <= maximumIdentifierLength else {
            throw UserActivityError(
                code: .invalidType, property: "activityType",
                message: "has \(length) bytes, and \(maximumIdentifierLength) are the limit")
        }
        guard VisibleText.isVisible(activityType) else {
            throw UserActivityError(
                code: .invalidType, property: "activityType",
                message: "has a control character, or another that cannot be seen")
        }
    }

    /// Checks a web page's address.
    ///
    /// The address must have the scheme `http` or `https` and a host. A port must be valid
    /// (requirement 47).
    ///
    /// - Parameters:
    ///   - webpageURL: The address.
    ///   - property: The property that the error names.
    /// - Throws: ``UserActivityError`` with `invalidWebpageURL`.
    public static func validate(webpageURL: URL, as property: String = "webpageURL") throws {
        guard webpageURL.isOfWeb else {
            let scheme = webpageURL.scheme?.lowercased()
            throw UserActivityError(
                code: .invalidWebpageURL, property: property,
                message: "has \(scheme.map { "the scheme \"\($0)\"" } ?? "no scheme"); only http and https are allowed")
        }
        guard webpageURL.host()?.isEmpty == false else {
            throw UserActivityError(code: .invalidWebpageURL, property: property, message: "names no host")
        }
        guard webpageURL.port.map({ UInt16(exactly: $0) != nil }) ?? true else {
            throw UserActivityError(
                code: .invalidWebpageURL, property: property, message: "names a port beyond \(UInt16.max)")
        }
    }

    /// Checks that no key or value is nested too deeply, and that lookups can find every key and
    /// every member of a set.
    ///
    /// The limit of the depth is ``UserInfoValue/maximumDepth``. Lookups cannot find NaN, because
    /// NaN does not equal itself.
    ///
    /// - Parameter userInfo: The dictionary.
    /// - Throws: ``UserActivityError`` with `tooDeep` or `unsupportedValue`, and the place of the
    ///   fault.
    public static func validate(userInfo: UserInfo) throws {
        for (key, value) in userInfo
        where max(key.depth, value.depth) > UserInfoValue.maximumDepth {
            throw UserActivityError(
                code: .tooDeep, property: "userInfo", path: "[\(key.name)]",
                message: "has more than \(UserInfoValue.maximumDepth) containers inside each other")
        }
        if let (path, reason) = UserInfoValue.faultyLookup(in: userInfo) {
            throw UserActivityError(code: .unsupportedValue, property: "userInfo", path: path, message: reason)
        }
    }
}

extension URL {
    /// Whether a web browser can open the URL: its scheme is `http` or `https`.
    package var isOfWeb: Bool { ["http", "https"].contains(scheme?.lowercased()) }
}
