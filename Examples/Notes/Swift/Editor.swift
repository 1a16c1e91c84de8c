// SPDX-License-Identifier: Apache-2.0

import Baton
import BatonBus
import Foundation
import UserActivity

/// The note that the user is editing, and its activity.
@MainActor
final class Editor: UserActivityDelegate {
    private let connection: BatonConnection
    private let activity: UserActivity
    private var note = Note()
    /// The text that was last requested, and the text that was continued elsewhere since. The text
    /// that was continued elsewhere must not be kept here.
    private var asked: String?
    private var gone: String?

    init(connection: BatonConnection) {
        self.connection = connection
        activity = UserActivity(activityType: Note.activityType, host: connection)
        activity.delegate = self
    }

    func perform(_ line: String) async {
        let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        let argument = parts.count > 1 ? String(parts[1]) : ""
        switch parts.first.map(String.init) ?? "" {
        case "": break
        case "type":
            guard note.insert(argument) else { return say("error: the note is full") }
            changed()
        case "move":
            guard let position = Int(argument) else { return say("error: move where? A number") }
            note.move(to: position)
            changed()
        case "show":
            // A note that is shown can be continued, so wait until the daemon has it.
            await connection.settle()
            show()
        case "continue": await continueNote()
        default: say("error: there is no command \"\(line)\"")
        }
    }

    func close() { activity.invalidate() }

    /// Prints each offer of a note once, and its end, until the daemon ends.
    func tellOffers() async throws {
        var told: [String: String] = [:]
        for try await event in try await connection.watchOffers() {
            switch event {
            case .appeared(let offer), .changed(let offer):
                guard offer.type == Note.activityType, told[offer.offer] == nil else { continue }
                told[offer.offer] = offer.deviceName
                say("offer: \(offer.deviceName)")
            case .disappeared(let offer):
                if let device = told.removeValue(forKey: offer) { say("gone: \(device)") }
            }
        }
    }

    /// The text is copied when another laptop wants it, not at each key.
    private func changed() {
        activity.needsSave = true
        activity.becomeCurrent()
        show()
    }

    nonisolated func userActivityWillSave(_ userActivity: UserActivity) {
        // The connection calls its delegates on the main actor.
        MainActor.assumeIsolated {
            activity.title = note.title
            asked = note.text
            try? activity.setTypedPayload(note)
        }
    }

    nonisolated func userActivityWasContinued(_ userActivity: UserActivity) {
        MainActor.assumeIsolated {
            // The note continues elsewhere. The note on this laptop is offered again when the user
            // types.
            activity.resignCurrent()
            gone = asked
            say("it continues on another laptop")
        }
    }

    private func continueNote() async {
        do {
            let offer = try await connection.waitForOffer(timeout: .seconds(60)) { offers in
                offers.first { $0.type == Note.activityType }
            }
            guard let offer else { return say("error: no other laptop offers a note") }
            let continuation = try await connection.continueOffer(offer.offer)
            guard let received = try? continuation.activity.typedPayload(Note.self).checked else {
                try await continuation.decline()
                return say("error: that is no note")
            }
            // Text that was typed here and has not been continued elsewhere must not be lost.
            let isKept = ![received.text, gone, ""].contains(note.text)
            guard let both = isKept ? received.above(note.text) : received else {
                try await continuation.decline()
                return say("error: both notes are too long for one: continue this one elsewhere first")
            }
            (note, gone) = (both, nil)
            say("continued from \(continuation.deviceName)")
            if isKept { say("what was here before stands below it") }
            changed()
            try await continuation.accept()
        } catch {
            say("error: \(error)")
        }
    }

    private func show() { say("note \(note.cursor): \(note.text.replacing("\n", with: "\\n"))") }

    private func say(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }
}
