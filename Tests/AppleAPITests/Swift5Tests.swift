// SPDX-License-Identifier: Apache-2.0

import Testing

/// Code for Swift 5 still compiles.
@Suite(.timeLimit(.minutes(5))) struct Swift5Tests {
    private static let code = """
        import Baton
        import Foundation
        import UserActivity

        class Screen {
            var stream: InputStream?

            func go(on activity: NSUserActivity) {
                activity.getContinuationStreams { input, output, error in self.stream = input }
            }
        }
        """

    /// Code that UIKit permits in the language mode of Swift 5. UIKit's classes are marked
    /// `@MainActor`, but only Swift 6 enforces that.
    private static let withoutActors = """
        import Baton
        import Foundation
        import UserActivity

        @MainActor final class Screen: UserActivityResponder {}

        final class Document: ActivityDocument {}

        class Manager {
            var root: (any UserActivityResponder)?
            var screen: Screen?
            var document: Document?

            func go(on activity: NSUserActivity) {
                root?.restoreUserActivityState(activity)
                root?.userActivity = activity
                screen?.userActivity = root?.userActivity
                screen?.updateUserActivityState(activity)
                document?.close()
                ResponderCoordinator.shared.reevaluate()
            }
        }

        protocol Shown: UserActivityResponder {
            var title: String { get }
        }

        extension Shown {
            func show() {
                userActivity = NSUserActivity(activityType: "org.example.show")
                userActivity?.title = title
            }
        }

        final class Delegate: NSObject, ApplicationDelegate {
            func application(
                _ application: Application, continue userActivity: NSUserActivity,
                restorationHandler: @escaping ([any UIUserActivityRestoring]?) -> Void
            ) -> Bool { true }
        }

        class Links {
            let delegate: Delegate
            let application: Application

            init(_ delegate: Delegate, _ application: Application) {
                self.delegate = delegate
                self.application = application
            }

            func open(_ activity: NSUserActivity) -> Bool {
                delegate.application(application, continue: activity, restorationHandler: { _ in })
            }
        }
        """

    @Test("Swift 5 code may use responders, documents and the application from classes without an actor")
    func classesWithoutAnActor() throws {
        #expect(try Compiler.diagnostics(of: Self.withoutActors, swift: "5") == "")
        // Swift 6 rejects the same code.
        let strict = try Compiler.diagnostics(of: Self.withoutActors, swift: "6")
        #expect(strict.contains("main actor-isolated instance method 'restoreUserActivityState'"))
    }

    /// A delegate whose handler may be called on any thread.
    private static let sendableHandler = """
        import Baton
        import UserActivity

        final class Delegate: ApplicationDelegate {
            func application(
                _ application: Application, continue userActivity: NSUserActivity,
                restorationHandler: @escaping @Sendable ([any UIUserActivityRestoring]?) -> Void
            ) -> Bool { true }
        }
        """

    @Test("A Sendable handler causes a warning, and the member is called", arguments: ["5", "6"])
    func handlerThatIsSendable(version: String) throws {
        let told = try Compiler.diagnostics(of: Self.sendableHandler, swift: version)
        // With this warning, the member still implements the protocol's requirement, so it is
        // called.
        #expect(told.contains("expected sendability to match requirement here"))
        #expect(told.contains(" warning: ") && !told.contains(" error: "))
    }

    /// A class that declares `userActivity` as code for UIKit does, but without `override`.
    private static let ownActivity = """
        import UserActivity

        @MainActor class Screen: UserActivityResponder {
            var userActivity: NSUserActivity? { didSet { userActivity?.becomeCurrent() } }
            func updateUserActivityState(_ activity: NSUserActivity) {}
        }
        """

    @Test("A class that declares userActivity itself is rejected in Swift 6, with a warning in Swift 5")
    func ownUserActivityIsTold() throws {
        for (version, level) in [("5", "warning"), ("6", "error")] {
            let told = try Compiler.diagnostics(of: Self.ownActivity, swift: version)
            #expect(told.contains("\(level): conformance of 'Screen' to protocol 'ResponderWithoutOwnUserActivity'"))
            let without = Self.ownActivity.replacing("var userActivity:", with: "var other:")
                .replacing("userActivity?.become", with: "other?.become")
            #expect(try Compiler.diagnostics(of: without, swift: version) == "")
        }
    }

    @Test(
        "A class without an actor keeps its streams, in Swift 5 and in Swift 6, without a warning",
        arguments: ["5", "6"])
    func plainClassKeepsItsStreams(version: String) throws {
        #expect(try Compiler.diagnostics(of: Self.code, swift: version) == "")
        // An error in the code is found, so the compiler really checked the code.
        let wrong = Self.code.replacing("self.stream = input", with: "self.stream = output")
        #expect(try Compiler.diagnostics(of: wrong, swift: version).contains("cannot assign value"))
    }
}
