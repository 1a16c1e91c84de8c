// SPDX-License-Identifier: Apache-2.0

/// The key in userInfo for the URL of a document.
public let UserActivityDocumentURLKey = "NSUserActivityDocumentURLKey"
