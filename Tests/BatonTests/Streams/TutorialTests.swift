// SPDX-License-Identifier: Apache-2.0

import BatonLoopback
import Foundation
import Testing
import UserActivity

private struct Contact: Codable, Equatable {
    var firstname: String?
    var lastname: String?
    var phoneNumber: String?
    var email: String?
}

/// The tutorial's origin, line by line in today's Swift, with Codable in place of NSKeyedArchiver.
private final class ViewController: NSObject, UserActivityDelegate, StreamDelegate {
    var contactsArray: [Contact]?
    var outputStream: OutputStream?
    var dataToStream = Data()
    var byteIndex = 0
    var events: [Stream.Event] = []
    var writes: [Int] = []

    func userActivity(_ userActivity: UserActivity, didReceive inputStream: InputStream, outputStream: OutputStream) {
        if let allContacts = contactsArray {
            byteIndex = 0
            dataToStream = (try? PropertyListEncoder().encode(allContacts)) ?? Data()
            self.outputStream = outputStream
            self.outputStream?.delegate = self
            self.outputStream?.schedule(in: .main, forMode: .default)
            self.outputStream?.open()
        }
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        events.append(eventCode)
        if aStream == self.outputStream, let outputStream {
            if eventCode == .hasSpaceAvailable {
                let dataLength = dataToStream.count
                var len = 0
                if dataLength - byteIndex >= 1024 {
                    len = 1024
                } else {
                    len = dataLength - byteIndex
                }
                let buffer = [UInt8](dataToStream[byteIndex..<byteIndex + len])
                len = outputStream.write(buffer, maxLength: len)
                writes.append(len)
                byteIndex += len
            }
            if eventCode == .endEncountered {
                outputStream.close()
                outputStream.remove(from: .main, forMode: .default)
                self.outputStream = nil
            }
        }
    }
}

/// The tutorial's continuing side.
private final class AppDelegate: NSObject, StreamDelegate {
    var inputStream: InputStream?
    var receivedData = Data()
    var events: [Stream.Event] = []
    var finished: (() -> Void)?

    func applicationContinue(_ userActivity: UserActivity) {
        if userActivity.supportsContinuationStreams {
            nonisolated(unsafe) let app = self
            userActivity.getContinuationStreams { inputStream, outputStream, error in
                if let someError = error {
                    Issue.record(someError)
                } else if let inStream = inputStream {
                    app.receivedData = Data()
                    app.inputStream = inStream
                    app.inputStream?.delegate = app
                    app.inputStream?.schedule(in: .main, forMode: .default)
                    app.inputStream?.open()
                }
            }
        }
    }

    func stream(_ aStream: Stream, handle eventCode: Stream.Event) {
        events.append(eventCode)
        if aStream == inputStream, let inputStream {
            if eventCode == .hasBytesAvailable {
                var buffer = [UInt8](repeating: 0, count: 1024)
                let len = inputStream.read(&buffer, maxLength: 1024)
                if len > 0 { receivedData.append(buffer, count: len) }
            }
            if eventCode == .endEncountered {
                inputStream.close()
                inputStream.remove(from: .main, forMode: .default)
                self.inputStream = nil
                finished?()
            }
        }
    }
}

/// Requirements 128 to 135: the tutorial's unchanged code, on the main run loop.
@Suite(.timeLimit(.minutes(5))) @MainActor struct TutorialTests {
    @Test("The complete list arrives, in writes of at most 1,024 bytes", arguments: [0, 1, 500])
    func wholeListArrives(count: Int) async throws {
        let loopback = Loopback()
        let desk = loopback.app("desk", delivery: .mainActor)
        let sofa = loopback.app("sofa", delivery: .mainActor)
        let origin = ViewController()
        let contacts = (0..<count).map { number in
            // Optional fields may be nil.
            Contact(
                firstname: "First \(number)", lastname: number % 3 == 0 ? nil : "Last", email: "\(number)@example.org")
        }
        origin.contactsArray = contacts
        let userActivity = UserActivity(activityType: "com.appcoda.handoffdemo.list-contacts", host: desk)
        userActivity.supportsContinuationStreams = true
        userActivity.delegate = origin
        userActivity.becomeCurrent()

        let offer = await sofa.offer(ofType: "com.appcoda.handoffdemo.list-contacts")
        let continued = try await sofa.continueOffer(offer)
        let continuing = AppDelegate()
        await withCheckedContinuation { waiting in
            continuing.finished = { waiting.resume() }
            continuing.applicationContinue(continued.activity)
        }
        #expect(try PropertyListDecoder().decode([Contact].self, from: continuing.receivedData) == contacts)
        #expect(origin.writes.last == 0)
        #expect(origin.writes.allSatisfy { $0 <= 1024 })
        #expect(origin.writes.reduce(0, +) == origin.dataToStream.count)
        #expect(origin.events.first == .openCompleted)
        #expect(continuing.events.first == .openCompleted)
        #expect(continuing.events.filter { $0 == .endEncountered }.count == 1)
        #expect(continuing.inputStream == nil)
        userActivity.invalidate()
    }
}
