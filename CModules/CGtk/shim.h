// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <adwaita.h>
#include <dlfcn.h>
#include <glib-unix.h>

// Swift imports no functions with variable arguments.

/// Sets the name that a screen reader says for a widget.
static inline void cgtk_set_accessible_label(GtkWidget *widget, const char *label) {
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

/// Makes a screen reader say a text. GTK has a function for this since 4.14, with a priority from 0 to 2.
static inline void cgtk_announce(GtkWidget *widget, const char *text) {
    void (*announce)(GtkAccessible *, const char *, int) =
        (void (*)(GtkAccessible *, const char *, int))dlsym(NULL, "gtk_accessible_announce");
    if (announce) announce(GTK_ACCESSIBLE(widget), text, 1);
}

/// Returns whether a widget is a label.
static inline gboolean cgtk_is_label(GtkWidget *widget) { return GTK_IS_LABEL(widget); }

/// The state of a window that is not visible (GDK_TOPLEVEL_STATE_SUSPENDED since GTK 4.12).
static const unsigned cgtk_suspended = 1 << 16;

/// Returns a floating `a{sv}` without entries.
static inline GVariant *cgtk_empty_properties(void) {
    return g_variant_new_array(G_VARIANT_TYPE("{sv}"), NULL, 0);
}

/// Creates a widget with an accessible role, which cannot change later.
static inline GtkWidget *cgtk_drawing_area(GtkAccessibleRole role) {
    return GTK_WIDGET(g_object_new(GTK_TYPE_DRAWING_AREA, "accessible-role", role, NULL));
}

/// Creates a label that screen readers read again when its text changes.
static inline GtkWidget *cgtk_announcing_label(void) {
    return GTK_WIDGET(g_object_new(GTK_TYPE_LABEL, "accessible-role", GTK_ACCESSIBLE_ROLE_STATUS, NULL));
}
