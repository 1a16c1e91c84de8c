/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "baton-document-copy-private.h"

#include <baton.h>
#include <errno.h>
#include <fcntl.h>
#include <gio/gunixoutputstream.h>
#include <sys/stat.h>
#include <unistd.h>

#include "baton-document-url-private.h"
#include "baton-pump-private.h"
#include "baton-regular-file-private.h"

const BatonCopyLimits baton_document_copy_limits = {.bytes = BATON_DOCUMENT_LIMIT, .between = 30 * 1000, .in_all = 60 * 30 * 1000};

char *baton_document_copies_directory(void) {
    return g_build_filename(g_get_user_data_dir(), "baton", "documents", NULL);
}

typedef struct {
    GInputStream *input;
    char *name, *directory;
    guint64 limit, length;
    guint8 header[BATON_DOCUMENT_HEADER];
    BatonPatience *patience;
    char *folder, *path; /* the copy's path, once the file exists */
    GOutputStream *output;
} Copy;

static void copy_free(gpointer data) {
    Copy *copy = data;
    g_object_unref(copy->input);
    g_clear_object(&copy->output);
    baton_patience_free(copy->patience);
    g_free(copy->name);
    g_free(copy->directory);
    g_free(copy->folder);
    g_free(copy->path);
    g_free(copy);
}

/* Removes the copy and fails the task. Takes the error and the task. */
static void fail(GTask *task, GError *error) {
    Copy *copy = g_task_get_task_data(task);
    if (copy->path != NULL) unlink(copy->path);
    if (copy->folder != NULL) rmdir(copy->folder);
    g_task_return_error(task, baton_patience_explain(copy->patience, error));
    g_object_unref(task);
}

/* --- The file ----------------------------------------------------------------------------------- */

/* Reserves the space for the whole document, so that a full disk is noticed before the transfer. */
static gboolean has_room(int descriptor, guint64 length, GError **error) {
    if (length == 0 || fallocate(descriptor, 0, 0, (off_t)length) == 0 || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) return TRUE;
    baton_regular_file_fail(error, errno, "there is no room for the document");
    return FALSE;
}

/* Creates a directory that only the user can enter, and a new file in it. */
static gboolean make_file(Copy *copy, GError **error) {
    g_autofree char *uuid = g_uuid_string_random(), *folder = g_build_filename(copy->directory, uuid, NULL);
    if (g_mkdir_with_parents(copy->directory, 0700) != 0 || mkdir(folder, 0700) != 0) {
        baton_regular_file_fail(error, errno, "there is no place for the document");
        return FALSE;
    }
    copy->folder = g_steal_pointer(&folder);
    g_autofree char *path = g_build_filename(copy->folder, copy->name, NULL);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0) {
        baton_regular_file_fail(error, errno, "the document cannot be written");
        return FALSE;
    }
    copy->path = g_steal_pointer(&path);
    copy->output = g_unix_output_stream_new(descriptor, TRUE);
    return has_room(descriptor, copy->length, error);
}

/* --- Step by step ------------------------------------------------------------------------------- */

static void has_contents(GObject *source, GAsyncResult *result, gpointer data) {
    GTask *task = data;
    Copy *copy = g_task_get_task_data(task);
    GError *error = NULL;
    if (!baton_pump_finish(result, &error) || !g_output_stream_close(copy->output, NULL, &error)) {
        fail(task, error);
        return;
    }
    g_task_return_pointer(task, g_file_new_for_path(copy->path), g_object_unref);
    g_object_unref(task);
}

static void has_header(GObject *source, GAsyncResult *result, gpointer data) {
    GTask *task = data;
    Copy *copy = g_task_get_task_data(task);
    gsize count;
    GError *error = NULL;
    if (g_input_stream_read_all_finish(copy->input, result, &count, &error) && count < BATON_DOCUMENT_HEADER) error = baton_pump_cut();
    copy->length = baton_document_read_header(copy->header);
    if (error == NULL && copy->length > copy->limit)
        error = g_error_new_literal(BATON_ERROR, BATON_ERROR_USER_INFO_TOO_LARGE, "the document is too large to be copied");
    if (error != NULL || !make_file(copy, &error)) {
        fail(task, error);
        return;
    }
    baton_patience_renew(copy->patience);
    baton_pump_async(copy->input, copy->output, copy->length, copy->patience, has_contents, task);
}

void baton_document_copy_async(GInputStream *input, const char *name, const char *directory, const BatonCopyLimits *limits,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data) {
    GTask *task = g_task_new(input, NULL, callback, data);
    Copy *copy = g_new0(Copy, 1);
    copy->input = g_object_ref(input);
    copy->name = baton_document_name_of_copy(name);
    copy->directory = g_strdup(directory);
    copy->limit = limits->bytes;
    copy->patience = baton_patience_new(limits->between, limits->in_all, cancellable);
    g_task_set_task_data(task, copy, copy_free);
    g_input_stream_read_all_async(input, copy->header, BATON_DOCUMENT_HEADER, G_PRIORITY_DEFAULT, baton_patience_get_cancellable(copy->patience),
                                  has_header, task);
}

GFile *baton_document_copy_finish(GAsyncResult *result, GError **error) {
    return g_task_propagate_pointer(G_TASK(result), error);
}
