// SPDX-License-Identifier: Apache-2.0

import BatonBus
import Wording

/// Sentences about apps and adapters.
enum AppText {
    /// Returns what the user must know about an adapter.
    static func note(_ adapter: AdapterStatus) -> String {
        switch adapter.state {
        case .pending: tr("It is a program of your own, and waits until you allow it.")
        case .refused: tr("It is a program of your own, and you have refused it.")
        default: ""
        }
    }

    /// Returns the sentence that says whether an app takes part, or what it lacks.
    static func state(of app: AppStatus, adapters: [AdapterStatus]) -> String {
        let adapter = adapters.first { $0.adapter == app.adapter }.map { ShownText.name($0.name) }
        switch app.state {
        case .on where isBrowser(app):
            return tr("Takes part after you restart it, click Baton's button in its toolbar, and agree.")
        case .on: return adapter.map { tr("Takes part in: {kind}", ["kind": $0]) } ?? tr("Takes part by itself")
        case .off: return tr("Switched off in: {kind}", ["kind": adapter ?? ""])
        case .pending: return tr("Waits until you allow: {kind}", ["kind": adapter ?? ""])
        case .refused: return tr("You have refused: {kind}", ["kind": adapter ?? ""])
        case .missing:
            guard let package = app.package else { return tr("It lacks a file of another package.") }
            return tr("It needs the package {package}.", ["package": ShownText.name(package)])
        case .sandboxed: return tr("It runs in a sandbox. Install it from the packages of your distribution.")
        default: return tr("It does not take part.")
        }
    }

    /// Returns whether an app is a browser. Only the browser knows whether the user has agreed.
    private static func isBrowser(_ app: AppStatus) -> Bool { app.adapter == nil && app.goesOn != nil }

    /// Returns the package with the files that an app lacks, or nil if no package is known.
    ///
    /// The package's name comes from an adapter's desktop entry.
    static func package(for app: AppStatus) -> String? {
        app.state == .missing ? app.package.flatMap { isPackage($0) ? $0 : nil } : nil
    }

    /// Returns what to do if the desktop cannot install a package.
    static func installing(_ package: String) -> String {
        tr(
            "Install the package {package} in this desktop's program for software.",
            ["package": ShownText.name(package)])
    }

    /// Returns the name of an app's icon.
    static func icon(of app: AppStatus) -> String {
        app.state == .on ? app.application : "dialog-information-symbolic"
    }

    /// Returns whether a text is a valid name of a Debian package.
    ///
    /// Source: Debian Policy 4.6, section 5.6.7.
    private static func isPackage(_ text: String) -> Bool {
        (2...100).contains(text.utf8.count) && text.first.map { $0.isLetter || $0.isNumber } == true
            && text.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || [0x2B, 0x2D, 0x2E].contains($0)
            }
    }
}

/// The kinds of activities that several apps continue.
struct AppChoices {
    struct Kind: Hashable {
        let type: String
        /// The apps and adapters that continue it, ordered by name.
        let apps: [App]
    }

    /// An app, or an adapter that speaks for apps.
    struct App: Hashable {
        let id: String
        let name: String
    }

    private let installed: InstalledApps

    init(_ installed: InstalledApps) { self.installed = installed }

    /// The kinds, ordered by type.
    var kinds: [Kind] {
        var apps: [String: [App]] = [:]
        for app in installed.apps where app.adapter == nil {
            for type in app.types { apps[type, default: []].append(App(id: app.application, name: app.name)) }
        }
        for adapter in installed.adapters where adapter.state == .on {
            for type in adapter.types { apps[type, default: []].append(App(id: adapter.adapter, name: adapter.name)) }
        }
        return apps.filter { $0.value.count > 1 }.sorted { $0.key < $1.key }.map { type, apps in
            let sorted = apps.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            return Kind(type: type, apps: Array(sorted.prefix(WindowModel.maximumRows)))
        }
    }
}
