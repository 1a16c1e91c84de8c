// SPDX-License-Identifier: Apache-2.0

import BatonTesting
import Foundation
import Testing

@testable import BatonDesktop

@Suite("The notification that suggests adding another laptop")
struct WelcomeNoticeTests {
    @Test("The notification is shown once for a user, with a button, and removed when there is another laptop")
    func once() throws {
        try withDirectory { directory in
            var notice = WelcomeNotice(directory: directory.path, environment: [:], shell: "/bin/bash")
            guard case .show(let notification, let key, _)? = notice.show(if: true).first else {
                Issue.record("it is not shown")
                return
            }
            #expect(notification.actions.map(\.label) == ["Add a Laptop"])
            #expect(NotificationKey(key.text) == key)
            #expect(notice.show(if: true).isEmpty)
            #expect(notice.remove() == [.remove(key)])
            #expect(notice.remove().isEmpty)
            var next = WelcomeNotice(directory: directory.path, environment: [:], shell: "/bin/bash")
            #expect(next.show(if: true).isEmpty)
        }
    }

    @Test("The notification is not shown while Baton's window is not installed, and can be shown later")
    func withoutWindow() throws {
        try withDirectory { directory in
            var notice = WelcomeNotice(directory: directory.path, environment: [:], shell: "/bin/bash")
            #expect(notice.show(if: false).isEmpty)
            #expect(!notice.show(if: true).isEmpty)
        }
    }

    @Test(
        "The notification is shown in a session of a person, and of a person's user manager",
        arguments: ["", "user", "user-early", "manager"])
    func person(kind: String) throws {
        try withDirectory { directory in
            var notice = WelcomeNotice(
                directory: directory.path, environment: ["XDG_SESSION_CLASS": kind], shell: "/bin/bash")
            #expect(!notice.show(if: true).isEmpty)
        }
    }

    @Test(
        "The notification is not shown in a display manager's session",
        arguments: ["greeter", "lock-screen", "background", "manager-early"])
    func greeter(kind: String) throws {
        try withDirectory { directory in
            var notice = WelcomeNotice(
                directory: directory.path, environment: ["XDG_SESSION_CLASS": kind], shell: "/bin/bash")
            #expect(notice.show(if: true).isEmpty)
        }
    }

    @Test(
        "The notification is not shown to a user as whom nobody can log in",
        arguments: ["/usr/sbin/nologin", "/sbin/nologin", "/bin/false"])
    func displayManager(shell: String) throws {
        try withDirectory { directory in
            var notice = WelcomeNotice(directory: directory.path, environment: [:], shell: shell)
            #expect(notice.show(if: true).isEmpty)
        }
    }

    @Test("The notification is not shown if an administrator has switched it off")
    func switchedOff() throws {
        try withDirectory { directory in
            let file = directory.appending(path: WelcomeNotice.switchOff)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
            var notice = WelcomeNotice(
                directory: directory.path, environment: ["XDG_CONFIG_DIRS": "/none:\(directory.path)"],
                shell: "/bin/bash")
            #expect(notice.show(if: true).isEmpty)
        }
    }

    @Test("The notification is not shown if Baton cannot remember that it was shown")
    func unwritable() {
        var notice = WelcomeNotice(directory: "/proc/none", environment: [:], shell: "/bin/bash")
        #expect(notice.show(if: true).isEmpty)
    }
}
