// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// What is kept of an activity's `CSSearchableItemAttributeSet`: a search finds and shows it.
public struct SearchableItemAttributes: Hashable, Codable, Sendable {
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
