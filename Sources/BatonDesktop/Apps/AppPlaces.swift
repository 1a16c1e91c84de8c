// SPDX-License-Identifier: Apache-2.0

import DesktopEntries
import FoundationEssentials

/// The directories of a session's apps, and the languages of their names.
struct AppPlaces: Hashable, Sendable {
    /// The directories of desktop entries. Earlier directories take precedence.
    var directories: [URL]
    /// The user's languages, the preferred one first.
    var languages: [String]
    /// The places of the lists that assign apps to file types.
    var mimePlaces: MimePlaces
    /// The programs that desktop entries may name.
    var programs: Programs
}

extension AppPlaces {
    init(of session: SessionVariables) {
        self.init(
            directories: session.applicationDirectories, languages: session.languages,
            mimePlaces: MimePlaces(of: session), programs: session.programs)
    }

    /// The apps that are installed now, read at each access.
    var index: DesktopEntryIndex {
        DesktopEntryIndex(directories: directories, languages: languages, mimePlaces: mimePlaces, programs: programs)
    }
}
