// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// The part of an activity's `CSSearchableItemAttributeSet` that a search uses and shows.
public struct SearchableItemAttributes: Hashable, Codable, Sendable {
    /// The kind of content: a MIME type here, a uniform type identifier on Apple's systems.
    public var contentType: String
    /// A short title.
    public var title: String?
    /// A name to show instead of the title.
    public var displayName: String?
    /// A description of the content, in one sentence.
    public var contentDescription: String?
    /// Words by which a search finds the content.
    public var keywords: [String]
    /// The file that contains a picture of the content.
    public var thumbnailURL: URL?
    /// A picture of the content, as the bytes of an image file.
    public var thumbnailData: Data?
    /// The identifier of the same content in the app's own search index.
    ///
    /// A search that finds both the activity and the item in that index shows the content only
    /// once.
    public var relatedUniqueIdentifier: String?

    /// Creates attributes for a kind of content.
    ///
    /// - Parameter contentType: The kind of content.
    public init(contentType: String = "text/plain") {
        self.contentType = contentType
        keywords = []
    }
}
