// SPDX-License-Identifier: Apache-2.0

public import Foundation
import Synchronization

/// The former name of ``CSSearchableItemAttributeSet``, from when it was a struct.
public typealias SearchableItemAttributeSet = CSSearchableItemAttributeSet

/// The attributes of an activity that a search uses and shows.
///
/// This is a class, as in Core Spotlight, with the members that apps set for activities.
///
/// An activity copies the set that an app assigns. Changes of that copy,
/// ``UserActivity/contentAttributeSet``, change the search results. The desktop's search uses
/// ``title``, ``displayName``, ``contentDescription``, ``keywords``, the thumbnail and
/// ``relatedUniqueIdentifier``. The object also stores the other members, but they have no effect.
public final class CSSearchableItemAttributeSet: Sendable {
    struct Contents: Hashable, Sendable {
        /// The attributes that the desktop's search uses.
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
        /// The activity that owns this set, or nil for a set that an app made.
        weak var activity: UserActivity?
    }

    private let stored: Mutex<Stored>

    /// Creates attributes for a kind of content.
    ///
    /// - Parameter contentType: The kind of content: a MIME type here, a uniform type identifier on
    ///   Apple's systems.
    public convenience init(contentType: String = "text/plain") {
        self.init(Contents(searched: SearchableItemAttributes(contentType: contentType)), of: nil)
    }

    /// Creates attributes for a kind of content. The argument has the label that Core Spotlight
    /// used first.
    ///
    /// - Parameter contentType: The kind of content.
    public convenience init(itemContentType contentType: String) { self.init(contentType: contentType) }

    /// Creates an activity's own copy of a set.
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

/// The attributes that a search uses.
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

    /// A description of the content, in one sentence.
    public var contentDescription: String? {
        get { contents.searched.contentDescription }
        set { set(\.searched.contentDescription, newValue) }
    }

    /// Words by which a search finds the content. Nil and empty mean the same.
    public var keywords: [String]? {
        get { contents.searched.keywords }
        set { set(\.searched.keywords, newValue ?? []) }
    }

    /// The file that contains a picture of the content.
    public var thumbnailURL: URL? {
        get { contents.searched.thumbnailURL }
        set { set(\.searched.thumbnailURL, newValue) }
    }

    /// A picture of the content, as the bytes of an image file.
    public var thumbnailData: Data? {
        get { contents.searched.thumbnailData }
        set { set(\.searched.thumbnailData, newValue) }
    }

    /// The identifier of the same content in the app's own search index.
    ///
    /// A search that finds both the activity and the item in that index shows the content only
    /// once.
    public var relatedUniqueIdentifier: String? {
        get { contents.searched.relatedUniqueIdentifier }
        set { set(\.searched.relatedUniqueIdentifier, newValue) }
    }
}

/// Attributes that are stored without effect.
extension CSSearchableItemAttributeSet {
    /// The app's own identifier for the content.
    public var identifier: String? {
        get { contents.identifier }
        set { set(\.identifier, newValue) }
    }

    /// Other names of the content.
    public var alternateNames: [String]? {
        get { contents.alternateNames }
        set { set(\.alternateNames, newValue) }
    }

    /// The names of the content's authors.
    public var authorNames: [String]? {
        get { contents.authorNames }
        set { set(\.authorNames, newValue) }
    }

    /// The content as plain text.
    public var textContent: String? {
        get { contents.textContent }
        set { set(\.textContent, newValue) }
    }

    /// The content as HTML.
    public var htmlContentData: Data? {
        get { contents.htmlContentData }
        set { set(\.htmlContentData, newValue) }
    }

    /// The address of the content on the web.
    public var url: URL? {
        get { contents.url }
        set { set(\.url, newValue) }
    }

    /// The location of the content's data.
    public var contentURL: URL? {
        get { contents.contentURL }
        set { set(\.contentURL, newValue) }
    }

    /// The date on which the content was added to the app.
    public var addedDate: Date? {
        get { contents.addedDate }
        set { set(\.addedDate, newValue) }
    }

    /// The date on which the content was created.
    public var contentCreationDate: Date? {
        get { contents.contentCreationDate }
        set { set(\.contentCreationDate, newValue) }
    }

    /// The date on which the content was last changed.
    public var contentModificationDate: Date? {
        get { contents.contentModificationDate }
        set { set(\.contentModificationDate, newValue) }
    }

    /// The date on which the content was last used.
    public var lastUsedDate: Date? {
        get { contents.lastUsedDate }
        set { set(\.lastUsedDate, newValue) }
    }

    /// The start of an event.
    public var startDate: Date? {
        get { contents.startDate }
        set { set(\.startDate, newValue) }
    }

    /// The end of an event.
    public var endDate: Date? {
        get { contents.endDate }
        set { set(\.endDate, newValue) }
    }

    /// The latitude of a place, in degrees north.
    public var latitude: NSNumber? {
        get { contents.latitude.map { NSNumber(value: $0) } }
        set { set(\.latitude, newValue?.doubleValue) }
    }

    /// The longitude of a place, in degrees east.
    public var longitude: NSNumber? {
        get { contents.longitude.map { NSNumber(value: $0) } }
        set { set(\.longitude, newValue?.doubleValue) }
    }

    /// Whether a navigation app can lead the user to the place.
    public var supportsNavigation: NSNumber? {
        get { contents.supportsNavigation.map { NSNumber(value: $0) } }
        set { set(\.supportsNavigation, newValue?.boolValue) }
    }

    /// Whether the user can call the content's phone number.
    public var supportsPhoneCall: NSNumber? {
        get { contents.supportsPhoneCall.map { NSNumber(value: $0) } }
        set { set(\.supportsPhoneCall, newValue?.boolValue) }
    }
}
