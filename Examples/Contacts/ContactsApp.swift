// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import Foundation
import UserActivity

/// The app: a stack of screens, the user's commands, and the offers of other devices.
@MainActor
final class ContactsApp {
    let store: ContactStore
    private let connection: BatonConnection
    private var screens: [any Screen] = []
    private var application: Application?
    private var receiver: ContactsReceiver?

    init(store: ContactStore, connection: BatonConnection) {
        self.store = store
        self.connection = connection
        application = Application(
            declaration: ApplicationDeclaration(activityTypes: ActivityType.all), delegate: self
        ) { [weak self] notice in
            switch notice {
            case .continuing: self?.say("continuing…")
            case .failed(_, let error): self?.say("error: \(error.localizedDescription)")
            }
        }
    }

    /// Runs until the user quits or the input ends.
    func run(commands: AsyncStream<String>) async {
        // Offers that the user chooses elsewhere, for example in a notification, arrive here. If
        // the app already runs in another terminal, they arrive there.
        let service = try? await application?.serve(as: "org.example.Contacts", on: connection)
        show(ListScreen(app: self))
        for await line in commands {
            let parts = line.split(separator: " ", maxSplits: 1)
            let command = parts.first.map(String.init) ?? ""
            let argument = parts.count > 1 ? String(parts[1]) : ""
            if command == "quit" { break }
            do {
                try await perform(command, argument)
            } catch {
                say("error: \(error)")
            }
        }
        while let screen = screens.popLast() { screen.disappear() }
        await service?.stop()
    }

    private func perform(_ command: String, _ argument: String) async throws {
        switch command {
        case "": break
        case "show": showTop()
        case "back":
            guard screens.count > 1 else { throw Complaint("this is the first screen") }
            back()
        case "continue": try await continueOffer(of: argument)
        default:
            guard try screens.last?.perform(command, argument) == true else {
                throw Complaint("there is no command \"\(command)\" here")
            }
        }
    }

    func say(_ text: String) {
        FileHandle.standardOutput.write(Data((text.filter { $0 == "\n" || !$0.isControl } + "\n").utf8))
    }

    /// Returns the index for a number in the list.
    func index(_ argument: String) throws -> Int {
        guard let number = Int(argument), store.contacts.indices.contains(number - 1) else {
            throw Complaint("there is no contact \(argument)")
        }
        return number - 1
    }
}

/// The screens.
extension ContactsApp {
    func show(_ screen: any Screen) {
        change { screens.append(screen) }
    }

    func back() {
        change { _ = screens.popLast() }
    }

    func replace(with screen: any Screen) {
        change { screens = screens.dropLast() + [screen] }
    }

    func showTop() { say(screens.last?.lines.joined(separator: "\n") ?? "") }

    /// Changes screens. The new current activity is decided when the new screen has appeared.
    private func change(_ body: () -> Void) {
        let coordinator = ResponderCoordinator.shared
        coordinator.beginTransition()
        screens.last?.disappear()
        body()
        coordinator.mainChain = screens.last.map { [$0] } ?? []
        screens.last?.appear()
        coordinator.endTransition()
        showTop()
    }
}

/// Continuing.
extension ContactsApp: ApplicationDelegate, UserActivityRestoring {
    private func continueOffer(of name: String) async throws {
        guard let type = ActivityType.named(name) else { throw Complaint("continue what? list, view or edit") }
        let found = try await connection.waitForOffer(timeout: .seconds(60)) { offers in
            offers.first { $0.type == type }
        }
        guard let found else { throw Complaint("no other device offers this") }
        await application?.continueOffer(found, on: connection)
    }

    func application(_ application: Application, willContinueUserActivityWithType type: String) -> Bool {
        say("continuing…")
        return true
    }

    func application(
        _ application: Application, continue userActivity: UserActivity,
        restorationHandler: @escaping ([any UserActivityRestoring]?) -> Void
    ) -> Bool {
        guard ActivityType.all.contains(userActivity.activityType) else { return false }
        restorationHandler([self])
        return true
    }

    func restoreUserActivityState(_ activity: UserActivity) {
        do {
            switch activity.activityType {
            case ActivityType.view: show(try ViewScreen(app: self, continuing: activity))
            case ActivityType.edit: show(try EditScreen(app: self, continuing: activity))
            default:
                say("\(activity.userInfo?["totalContacts"] as? Int ?? 0) contacts are coming")
                receive(activity)
            }
        } catch {
            say("error: the other device's contact cannot be read")
        }
    }

    /// Receives the list, which replaces this device's.
    private func receive(_ activity: UserActivity) {
        activity.getContinuationStreams { [weak self] input, _, error in
            guard let self else { return }
            guard let input else { return say("error: \(error?.localizedDescription ?? "no streams")") }
            let receiver = ContactsReceiver(input) { [weak self] in self?.received($0) }
            self.receiver = receiver
            receiver.start()
        }
    }

    private func received(_ result: Result<Data, any Error>) {
        receiver = nil
        do {
            let contacts = try PropertyListDecoder().decode([Contact].self, from: try result.get())
            try store.replaceAll(with: contacts)
            screens.last?.userActivity?.needsSave = true
            say("received \(contacts.count) contacts")
            showTop()
        } catch {
            say("error: the list did not arrive: \(error.localizedDescription)")
        }
    }
}

extension Character {
    fileprivate var isControl: Bool { unicodeScalars.contains { $0.properties.generalCategory == .control } }
}
