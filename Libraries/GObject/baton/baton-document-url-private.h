/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* URLs of documents: Documentation/ActivityModel.md, "Documents". */

/* The key in userInfo whose value is the document's URL. */
#define BATON_DOCUMENT_KEY "NSUserActivityDocumentURLKey"

/* The URL schemes: for a document in a shared folder, and for one whose contents go through
 * streams. */
#define BATON_FOLDER_SCHEME "baton-folder:"
#define BATON_DOCUMENT_SCHEME "baton-document:"

/* The size of the header before the contents in a stream: their length, highest byte first. */
#define BATON_DOCUMENT_HEADER 8

/* The most bytes that a document may have. */
#define BATON_DOCUMENT_LIMIT (64u << 20)

/* The most bytes that a file's name may have. */
#define BATON_DOCUMENT_LONGEST_NAME 255

/* Makes a URL `SCHEME:/PATH` from the parts of a file's path. If a part is not UTF-8 or has control
 * characters, PATH contains replacements for them. The real path follows:
 * `SCHEME:/PATH?bytes=/PATH`. */
char *baton_document_make_url(const char *scheme, const char *const *parts);

/* Returns the URL of a document whose contents go through streams; NULL if the text is not a file
 * name. */
char *baton_document_url_of_name(const char *name);

/* Returns the file name in the URL of a document that goes through streams; NULL for anything else. */
char *baton_document_name_in_url(const char *url);

/* Returns the file name in a URL of either scheme from another device; NULL for anything else. */
char *baton_document_name_of(const char *url);

/* Returns the name for a copy of a document with this name. Programs obey hidden files beside a text,
 * such as .kateproject, so the copy is not hidden. */
char *baton_document_name_of_copy(const char *name);

/* Returns whether other devices get a document through streams. The URL must be from this
 * device. */
gboolean baton_document_is_streamed(const char *url);

/* Returns the document's URL in an activity's userInfo, if it has one of the two schemes. */
char *baton_document_url_in(GVariant *user_info);

/* Returns a floating userInfo with this document URL, instead of the document URL that it may have.
 * The userInfo may be NULL. */
GVariant *baton_document_add_url(GVariant *user_info, const char *url);

void baton_document_write_header(guint8 *header, guint64 length);
guint64 baton_document_read_header(const guint8 *header);

/* Returns the encoded path after `SCHEME:/`; NULL if the URL has another scheme or a host. */
char *baton_document_path_of(const char *url, const char *scheme);

/* Returns the encoded path after `?bytes=/`; NULL if the URL has another scheme or no such part. */
char *baton_document_bytes_of(const char *url, const char *scheme);

/* Decodes a part of a path to bytes. Returns NULL for a percent sign without two digits, and for an
 * encoded `/` or NUL. */
char *baton_document_decode_bytes(const char *part);

/* Decodes a part of a path to text. Returns NULL for a percent sign without two digits, for an
 * encoded `/` or NUL, and for bytes that are not UTF-8. */
char *baton_document_decode(const char *part);

G_END_DECLS
