/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* How documents travel: Documentation/ActivityModel.md, "Documents". */

/* The key of userInfo under which a document's URL stands. */
#define BATON_DOCUMENT_KEY "NSUserActivityDocumentURLKey"

/* The schemes of its URL: in a shared folder, and with its contents in the streams. */
#define BATON_FOLDER_SCHEME "baton-folder:"
#define BATON_DOCUMENT_SCHEME "baton-document:"

/* What stands before the contents in a stream: their length, the highest byte first. */
#define BATON_DOCUMENT_HEADER 8

/* How many bytes a document may have. */
#define BATON_DOCUMENT_LIMIT (64u << 20)

/* How many bytes a file's name may have. */
#define BATON_DOCUMENT_LONGEST_NAME 255

/* A URL `SCHEME:/PATH` of a file's path, in parts. Where a part is not UTF-8 or has control characters, PATH is as it can
 * be shown, and the path as it is comes after it: `SCHEME:/PATH?bytes=/PATH`. */
char *baton_document_make_url(const char *scheme, const char *const *parts);

/* The URL of a document whose contents go through the streams; NULL for what is not a file's name. */
char *baton_document_url_of_name(const char *name);

/* The name in such a URL from another device; NULL for anything else. */
char *baton_document_name_in_url(const char *url);

/* The file's name in a URL of either kind from another device; NULL for anything else. */
char *baton_document_name_of(const char *url);

/* Whether a document of this URL, which this device has made, is asked for by streams. */
gboolean baton_document_is_streamed(const char *url);

/* The URL of the document that an activity's userInfo names, if it is of one of the two schemes. */
char *baton_document_url_in(GVariant *user_info);

/* A userInfo, or none, with the URL of a document in the place of what it has; floating. */
GVariant *baton_document_add_url(GVariant *user_info, const char *url);

void baton_document_write_header(guint8 *header, guint64 length);
guint64 baton_document_read_header(const guint8 *header);

/* What of a URL comes after `SCHEME:/`, still encoded; NULL for another scheme, and with a host. */
char *baton_document_path_of(const char *url, const char *scheme);

/* What of a URL comes after `?bytes=/`, still encoded; NULL for another scheme, and without it. */
char *baton_document_bytes_of(const char *url, const char *scheme);

/* The bytes of a part of a path; NULL for a sign of percent without two digits, and for an encoded `/` or NUL. */
char *baton_document_decode_bytes(const char *part);

/* What a part of a path says; NULL for a sign of percent without two digits, for an encoded `/` or
 * NUL, and for what is not UTF-8. */
char *baton_document_decode(const char *part);

G_END_DECLS
