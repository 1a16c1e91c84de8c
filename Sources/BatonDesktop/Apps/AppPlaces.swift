// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import FoundationEssentials

/// Where the apps of a session are, and in which languages they are shown.
struct AppPlaces: Hashable, Sendable {
    /// The directories of desktop entries, the first that counts first.
    var directories: [URL]
    /// The user's languages, the most wanted first.
    var languages: [String]
    /// Where it stands which app opens what.
    var mimePlaces: MimePlaces
    /// The programs that entries may name.
    var programs: Programs
}

extension AppPlaces {
    /// Those of a session.
    init(of session: SessionVariables) {
        self.init(
            directories: session.applicationDirectories, languages: session.languages,
            mimePlaces: MimePlaces(of: session), programs: session.programs)
    }

    /// The apps that are there now.
    var index: DesktopEntryIndex {
        DesktopEntryIndex(directories: directories, languages: languages, mimePlaces: mimePlaces, programs: programs)
    }
}
