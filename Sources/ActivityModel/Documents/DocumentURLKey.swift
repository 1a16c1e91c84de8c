// SPDX-License-Identifier: Apache-2.0

/// The key of userInfo under which a document's URL stands.
public let UserActivityDocumentURLKey = "NSUserActivityDocumentURLKey"
