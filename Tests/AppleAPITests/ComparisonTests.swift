// SPDX-License-Identifier: Apache-2.0

// Tests how code for Apple's systems compares activities, and which names of Core Spotlight it
// uses.
import Foundation
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct ComparisonTests {
    private static func viewing(_ title: String) -> NSUserActivity {
        let activity = NSUserActivity(activityType: "com.example.viewing")
        activity.title = title
        return activity
    }

    @Test("An activity equals only itself, even after a change")
    func activityEqualsItselfAlone() {
        let (one, other) = (Self.viewing("Soup"), Self.viewing("Soup"))
        let same = one
        one.title = "Salad"
        #expect(one == same && one.hashValue == same.hashValue)
        #expect(one != other)
    }

    @Test("A set contains each activity once")
    func setHasEachActivityOnce() {
        let (one, other) = (Self.viewing("Soup"), Self.viewing("Soup"))
        var activities: Set<NSUserActivity> = [one, other]
        one.title = "Salad"
        #expect(!activities.insert(one).inserted)
        #expect(activities.count == 2 && activities.contains(other))
        #expect(activities.remove(one) === one)
        #expect(activities == [other])
    }

    @Test("The suggested invocation phrase is kept, but not sent to another device")
    func suggestedPhraseIsKept() {
        let activity = Self.viewing("Soup")
        let state = activity.currentState
        #expect(activity.suggestedInvocationPhrase == nil)
        activity.suggestedInvocationPhrase = "Show the soup"
        #expect(activity.suggestedInvocationPhrase == "Show the soup")
        #expect(activity.currentState == state)
    }

    @Test("The names of Core Spotlight's activities are Apple's")
    func namesOfCoreSpotlight() {
        #expect(CSSearchableItemActionType == "com.apple.corespotlightitem")
        #expect(CSSearchableItemActivityIdentifier == "kCSSearchableItemActivityIdentifier")
    }
}
