// SPDX-License-Identifier: Apache-2.0

import AssociatedDomains

/// What the desktop's side works with: programs, files and services that are there besides it.
struct DesktopEnvironment: Sendable {
    /// Starts apps.
    let launcher: AppLauncher
    /// Opens web pages.
    let pages: WebPageOpener
    /// The apps that are installed.
    let catalogue: AppCatalogue
    /// The notifications that are shown.
    let board: NotificationBoard
    /// The user's configuration.
    let settingsFile: SettingsFile
    /// What left this laptop.
    let history: HistoryStore
    /// Asks domains about apps.
    let asker: DomainAsker
    /// Where logind is; nil for none.
    let systemBus: SystemBus?
}
