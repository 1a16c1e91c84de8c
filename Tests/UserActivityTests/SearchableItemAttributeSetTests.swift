// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import UserActivity

@Suite(.timeLimit(.minutes(5))) struct SearchableItemAttributeSetTests {
    private func found() -> UserActivity {
        let activity = UserActivity(activityType: "org.example.recipe", host: nil)
        activity.isEligibleForSearch = true
        return activity
    }

    @Test("An activity copies the set that an app assigns")
    func setIsCopied() {
        let (soup, salad) = (found(), found())
        let attributes = CSSearchableItemAttributeSet(itemContentType: "public.text")
        attributes.title = "Soup"
        soup.contentAttributeSet = attributes
        attributes.title = "Salad"
        salad.contentAttributeSet = attributes
        #expect(soup.contentAttributeSet?.title == "Soup" && salad.contentAttributeSet?.title == "Salad")
        #expect(soup.savedActivity?.contentAttributeSet?.title == "Soup")
        #expect(soup.contentAttributeSet?.contentType == "public.text")
    }

    @Test("Changing the activity's own set changes the search results")
    func ownSetIsAReference() {
        let activity = found()
        activity.contentAttributeSet = CSSearchableItemAttributeSet()
        let own = activity.contentAttributeSet
        own?.contentDescription = "Hot"
        own?.keywords = ["lunch"]
        #expect(activity.contentAttributeSet === own)
        #expect(activity.savedActivity?.contentAttributeSet?.contentDescription == "Hot")
        #expect(activity.savedActivity?.contentAttributeSet?.keywords == ["lunch"])
        own?.keywords = nil
        #expect(activity.savedActivity?.contentAttributeSet?.keywords == [])
    }

    @Test("A set may outlive its activity")
    func setOutlivesItsActivity() {
        let own = {
            let activity = found()
            activity.contentAttributeSet = CSSearchableItemAttributeSet()
            return activity.contentAttributeSet
        }()
        own?.title = "Soup"
        #expect(own?.title == "Soup")
    }

    @Test("The activity's copy keeps every member")
    func eachMemberIsKept() throws {
        let day = Date(timeIntervalSince1970: 1_700_000_000)
        let page = try #require(URL(string: "https://example.org/soup"))
        let attributes = CSSearchableItemAttributeSet(contentType: "text/html")
        attributes.displayName = "Lunch"
        attributes.thumbnailURL = URL(filePath: "/tmp/soup.png")
        attributes.thumbnailData = Data([1])
        attributes.relatedUniqueIdentifier = "soup"
        attributes.identifier = "soup-1"
        attributes.alternateNames = ["broth"]
        attributes.authorNames = ["Ada"]
        attributes.textContent = "Boil."
        attributes.htmlContentData = Data([2])
        (attributes.url, attributes.contentURL) = (page, page)
        attributes.addedDate = day
        (attributes.contentCreationDate, attributes.contentModificationDate) = (day, day + 1)
        (attributes.lastUsedDate, attributes.startDate, attributes.endDate) = (day + 2, day + 3, day + 4)
        (attributes.latitude, attributes.longitude) = (48.1, -11)
        (attributes.supportsNavigation, attributes.supportsPhoneCall) = (true, false)
        let activity = found()
        activity.contentAttributeSet = attributes
        let copy = try #require(activity.contentAttributeSet)
        #expect(copy !== attributes)
        #expect(copy.displayName == "Lunch" && copy.contentType == "text/html")
        #expect(copy.thumbnailURL?.path == "/tmp/soup.png" && copy.thumbnailData == Data([1]))
        #expect(copy.relatedUniqueIdentifier == "soup" && copy.identifier == "soup-1")
        #expect(copy.alternateNames == ["broth"] && copy.authorNames == ["Ada"])
        #expect(copy.textContent == "Boil." && copy.htmlContentData == Data([2]))
        #expect(copy.url == page && copy.contentURL == page && copy.addedDate == day)
        #expect(copy.contentCreationDate == day && copy.contentModificationDate == day + 1)
        #expect(copy.lastUsedDate == day + 2 && copy.startDate == day + 3 && copy.endDate == day + 4)
        #expect(copy.latitude == 48.1 && copy.longitude?.intValue == -11)
        #expect(copy.supportsNavigation == true && copy.supportsPhoneCall?.boolValue == false)
    }
}
