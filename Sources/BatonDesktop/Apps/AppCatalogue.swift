// SPDX-License-Identifier: Apache-2.0

public import DesktopEntries
import DirectoryWatching
public import FoundationEssentials

/// The catalogue of installed apps, which follows changes.
public actor AppCatalogue {
    /// The installed apps.
    public private(set) var index: DesktopEntryIndex
    private var places: AppPlaces
    private let placesNow: @Sendable () async -> AppPlaces
    /// Wakes the watcher after a change of the directories to watch; nil before ``watch(_:)`` runs.
    private var moved: AsyncStream<Void>.Continuation?

    /// How long to wait after a change before reading the apps, so that the installation of a
    /// package counts as one change.
    static let settling = Duration.milliseconds(200)

    /// Creates a catalogue of the apps of a session.
    public init(session: SessionEnvironment = SessionEnvironment()) {
        self.init(AppPlaces(of: session.latest)) { AppPlaces(of: await session.variables()) }
    }

    /// Creates a catalogue of the apps in fixed directories.
    public init(directories: [URL], languages: [String], mimePlaces: MimePlaces, programs: Programs = .ofProcess) {
        let places = AppPlaces(
            directories: directories, languages: languages, mimePlaces: mimePlaces, programs: programs)
        self.init(places) { places }
    }

    private init(_ places: AppPlaces, now: @escaping @Sendable () async -> AppPlaces) {
        self.places = places
        placesNow = now
        index = places.index
    }

    /// Asks the session where its apps are, and reads the apps if the answer has changed.
    ///
    /// - Returns: Whether the apps differ from the previous ``index``.
    func askSession() async -> Bool {
        let now = await placesNow()
        guard now != places else { return false }
        places = now
        moved?.yield()
        let new = now.index
        defer { index = new }
        return new != index
    }

    /// Watches the app directories, and reports the apps at the start and after each change. Runs
    /// until the task is cancelled.
    public func watch(_ changed: @Sendable (DesktopEntryIndex) async -> Void) async {
        var isFirst = true
        while !Task.isCancelled {
            let (moves, moved) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            self.moved = moved
            // Watch before reading, so that no change is missed. Begin a new watch each time,
            // because directories appear and disappear.
            let watchedPrograms = index.programNames
            let watched = WatchedPlaces(of: places, programNames: watchedPrograms)
            let watch = DirectoryWatch(watched.directories, isOfInterest: watched.isOfInterest)
            let new = places.index
            if isFirst || new != index {
                index = new
                isFirst = false
                await changed(new)
            }
            // The entries name other programs now, which are not watched yet.
            guard new.programNames == watchedPrograms else { continue }
            await withTaskGroup { group in
                group.addTask { await DirectoryWatch.change(watch) }
                group.addTask { for await _ in moves { break } }
                await group.next()
                group.cancelAll()
            }
            try? await Task.sleep(for: Self.settling)
        }
    }

    /// Returns the app with an id, or nil if it is not installed.
    public func entry(_ identifier: String) -> DesktopEntry? { index.entries[identifier] }
}
