// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What a search shows of an activity's content: a value, where Apple's
/// `CSSearchableItemAttributeSet` is an object.
public struct SearchableItemAttributeSet: Hashable, Codable, Sendable {
    /// The kind of content: a MIME type here, a uniform type identifier on Apple's systems.
    public var contentType: String
    /// A short title.
    public var title: String?
    /// A name to show instead of the title.
    public var displayName: String?
    /// What it is, in a sentence.
    public var contentDescription: String?
    /// Words by which it is found.
    public var keywords: [String]
    /// A picture in a file.
    public var thumbnailURL: URL?
    /// A picture.
    public var thumbnailData: Data?
    /// The name of the same thing in the app's own search index, so that it is found once only.
    public var relatedUniqueIdentifier: String?

    /// Attributes of content of a kind.
    ///
    /// - Parameter contentType: The kind of content.
    public init(contentType: String = "text/plain") {
        self.contentType = contentType
        keywords = []
    }
}
