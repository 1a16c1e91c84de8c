// SPDX-License-Identifier: Apache-2.0

public import DesktopEntries
import DirectoryWatching
public import FoundationEssentials

/// The apps that are installed, kept up to date.
public actor AppCatalogue {
    /// The apps as they are now.
    public private(set) var index: DesktopEntryIndex
    private var places: AppPlaces
    private let placesNow: @Sendable () async -> AppPlaces
    /// Wakes the watcher, as there are other places to watch.
    private var moved: AsyncStream<Void>.Continuation?

    /// How long changes may go on before they are read; a package's installation is one change.
    static let settling = Duration.milliseconds(200)

    /// Reads the apps that a session has.
    public init(session: SessionEnvironment = SessionEnvironment()) {
        self.init(AppPlaces(of: session.latest)) { AppPlaces(of: await session.variables()) }
    }

    /// Reads the apps that there are in places which stay the same.
    public init(
        directories: [URL], languages: [String], mimePlaces: MimePlaces, programs: Programs = .ofProcess
    ) {
        let places = AppPlaces(
            directories: directories, languages: languages, mimePlaces: mimePlaces, programs: programs)
        self.init(places) { places }
    }

    private init(_ places: AppPlaces, now: @escaping @Sendable () async -> AppPlaces) {
        self.places = places
        placesNow = now
        index = places.index
    }

    /// Asks the session where its apps are, and reads them where it says something else than
    /// before.
    ///
    /// - Returns: Whether there are other apps now than ``index`` had.
    func askSession() async -> Bool {
        let now = await placesNow()
        guard now != places else { return false }
        places = now
        moved?.yield()
        let new = now.index
        defer { index = new }
        return new != index
    }

    /// Watches the directories until the task is cancelled, and says what there is after each
    /// change, as well as at the beginning.
    public func watch(_ changed: @Sendable (DesktopEntryIndex) async -> Void) async {
        var isFirst = true
        while !Task.isCancelled {
            let (moves, moved) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            self.moved = moved
            // Watched before it is read, so that nothing falls in between; and anew each time, for
            // directories come and go.
            let watchedPrograms = index.programNames
            let watched = WatchedPlaces(of: places, programNames: watchedPrograms)
            let watch = DirectoryWatch(watched.directories, isOfInterest: watched.isOfInterest)
            let new = places.index
            if isFirst || new != index {
                index = new
                isFirst = false
                await changed(new)
            }
            // Entries name other programs now, which are not watched yet.
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

    /// The app with an id.
    public func entry(_ identifier: String) -> DesktopEntry? { index.entries[identifier] }
}
