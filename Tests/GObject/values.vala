// SPDX-License-Identifier: Apache-2.0
// In Vala values of libbaton belong to the program: there are no warnings, and a dropped value is
// freed.

void main() {
    Variant[] values = {
        Baton.value_new_date(new DateTime.now_utc()), Baton.value_new_url("https://example.org/"),
        Baton.value_new_uuid(Uuid.string_random()), Baton.value_new_data(new Bytes({0, 1, 255}))
    };
    foreach (unowned Variant value in values) {
        if (value.is_floating()) print("%s is floating: it leaks\n", value.get_type_string());
    }
    Variant? missing = new Variant.array(new VariantType("{sv}"), {}).lookup_value("page", null);
    if (Baton.value_get_url(missing) != null || Baton.value_new_uuid("zz") != null) print("there is no such value\n");
}
