// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// What the class was called before it was an object.
public typealias SearchableItemAttributeSet = CSSearchableItemAttributeSet

/// What a search shows of an activity's content: an object, as in Core Spotlight, with the members
/// that apps set for activities.
///
/// An activity copies the set that it is given. Its own set is
/// ``UserActivity/contentAttributeSet``: what changes there changes what a search finds. The
/// desktop's search uses ``title``, ``displayName``, ``contentDescription``, ``keywords``, the
/// thumbnail and ``relatedUniqueIdentifier``. The other members are kept in the object, without
/// effect.
public final class CSSearchableItemAttributeSet: Sendable {
    struct Contents: Hashable, Sendable {
        /// What a search uses.
        var searched = SearchableItemAttributes()
        var identifier: String?
        var alternateNames: [String]?
        var authorNames: [String]?
        var textContent: String?
        var htmlContentData: Data?
        var url: URL?
        var contentURL: URL?
        var addedDate: Date?
        var contentCreationDate: Date?
        var contentModificationDate: Date?
        var lastUsedDate: Date?
        var startDate: Date?
        var endDate: Date?
        var latitude: Double?
        var longitude: Double?
        var supportsNavigation: Bool?
        var supportsPhoneCall: Bool?
    }

    private struct Stored {
        var contents: Contents
        /// The activity whose own set this is.
        weak var activity: UserActivity?
    }

    private let stored: Mutex<Stored>

    /// Attributes of content of a kind.
    ///
    /// - Parameter contentType: The kind of content: a MIME type here, a uniform type identifier on
    ///   Apple's systems.
    public convenience init(contentType: String = "text/plain") {
        self.init(Contents(searched: SearchableItemAttributes(contentType: contentType)), of: nil)
    }

    /// The same, by Core Spotlight's first name for it.
    ///
    /// - Parameter contentType: The kind of content.
    public convenience init(itemContentType contentType: String) { self.init(contentType: contentType) }

    /// An activity's own copy.
    convenience init(copying set: CSSearchableItemAttributeSet, for activity: UserActivity) {
        self.init(set.contents, of: activity)
    }

    private init(_ contents: Contents, of activity: UserActivity?) {
        stored = Mutex(Stored(contents: contents, activity: activity))
    }

    var contents: Contents { stored.withLock { $0.contents } }

    private func set<Value>(_ path: WritableKeyPath<Contents, Value>, _ value: Value) {
        let activity = stored.withLock { stored -> UserActivity? in
            let before = stored.contents.searched
            stored.contents[keyPath: path] = value
            return stored.contents.searched == before ? nil : stored.activity
        }
        activity?.changedForSearch()
    }
}

/// What a search uses.
extension CSSearchableItemAttributeSet {
    /// The kind of content: a MIME type here, a uniform type identifier on Apple's systems.
    public var contentType: String {
        get { contents.searched.contentType }
        set { set(\.searched.contentType, newValue) }
    }

    /// A short title.
    public var title: String? {
        get { contents.searched.title }
        set { set(\.searched.title, newValue) }
    }

    /// A name to show instead of the title.
    public var displayName: String? {
        get { contents.searched.displayName }
        set { set(\.searched.displayName, newValue) }
    }

    /// What it is, in a sentence.
    public var contentDescription: String? {
        get { contents.searched.contentDescription }
        set { set(\.searched.contentDescription, newValue) }
    }

    /// Words by which it is found; nil and empty are the same.
    public var keywords: [String]? {
        get { contents.searched.keywords }
        set { set(\.searched.keywords, newValue ?? []) }
    }

    /// A picture in a file.
    public var thumbnailURL: URL? {
        get { contents.searched.thumbnailURL }
        set { set(\.searched.thumbnailURL, newValue) }
    }

    /// A picture.
    public var thumbnailData: Data? {
        get { contents.searched.thumbnailData }
        set { set(\.searched.thumbnailData, newValue) }
    }

    /// The name of the same thing in the app's own search index, so that it is found once only.
    public var relatedUniqueIdentifier: String? {
        get { contents.searched.relatedUniqueIdentifier }
        set { set(\.searched.relatedUniqueIdentifier, newValue) }
    }
}

/// What is kept without effect.
extension CSSearchableItemAttributeSet {
    /// The content's name in the app.
    public var identifier: String? {
        get { contents.identifier }
        set { set(\.identifier, newValue) }
    }

    /// Other names of it.
    public var alternateNames: [String]? {
        get { contents.alternateNames }
        set { set(\.alternateNames, newValue) }
    }

    /// Who made it.
    public var authorNames: [String]? {
        get { contents.authorNames }
        set { set(\.authorNames, newValue) }
    }

    /// Its text.
    public var textContent: String? {
        get { contents.textContent }
        set { set(\.textContent, newValue) }
    }

    /// Its text, as HTML.
    public var htmlContentData: Data? {
        get { contents.htmlContentData }
        set { set(\.htmlContentData, newValue) }
    }

    /// Where it is on the web.
    public var url: URL? {
        get { contents.url }
        set { set(\.url, newValue) }
    }

    /// Where its contents are.
    public var contentURL: URL? {
        get { contents.contentURL }
        set { set(\.contentURL, newValue) }
    }

    /// When it came to the app.
    public var addedDate: Date? {
        get { contents.addedDate }
        set { set(\.addedDate, newValue) }
    }

    /// When it was made.
    public var contentCreationDate: Date? {
        get { contents.contentCreationDate }
        set { set(\.contentCreationDate, newValue) }
    }

    /// When it was last changed.
    public var contentModificationDate: Date? {
        get { contents.contentModificationDate }
        set { set(\.contentModificationDate, newValue) }
    }

    /// When it was last used.
    public var lastUsedDate: Date? {
        get { contents.lastUsedDate }
        set { set(\.lastUsedDate, newValue) }
    }

    /// When an event begins.
    public var startDate: Date? {
        get { contents.startDate }
        set { set(\.startDate, newValue) }
    }

    /// When an event ends.
    public var endDate: Date? {
        get { contents.endDate }
        set { set(\.endDate, newValue) }
    }

    /// Where a place is, in degrees to the north.
    public var latitude: NSNumber? {
        get { contents.latitude.map { NSNumber(value: $0) } }
        set { set(\.latitude, newValue?.doubleValue) }
    }

    /// Where a place is, in degrees to the east.
    public var longitude: NSNumber? {
        get { contents.longitude.map { NSNumber(value: $0) } }
        set { set(\.longitude, newValue?.doubleValue) }
    }

    /// Whether one can be led to the place.
    public var supportsNavigation: NSNumber? {
        get { contents.supportsNavigation.map { NSNumber(value: $0) } }
        set { set(\.supportsNavigation, newValue?.boolValue) }
    }

    /// Whether one can call it.
    public var supportsPhoneCall: NSNumber? {
        get { contents.supportsPhoneCall.map { NSNumber(value: $0) } }
        set { set(\.supportsPhoneCall, newValue?.boolValue) }
    }
}
