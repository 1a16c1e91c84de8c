# SPDX-License-Identifier: Apache-2.0
"""Files of contacts: makes one, or prints one in a form that can be compared.

    contacts.py make NUMBER FILE
    contacts.py show FILE
"""

import json
import sys


def made(number: int) -> list:
    """Returns a number of contacts. Some contacts have no last name, and some have no e-mail address."""
    contacts = []
    for i in range(1, number + 1):
        contact = {"firstname": f"First {i}", "phonenumber": f"+49 {i}"}
        if i % 7:
            contact["lastname"] = f"Last é {i}"
        if i % 3:
            contact["email"] = f"{i}@example.org"
        contacts.append(contact)
    return contacts


def canonical(contacts: list) -> str:
    """Returns one line for each contact, regardless of the fields' order. A field without a value counts as
    missing."""
    lines = []
    for contact in contacts:
        there = {key: value for key, value in contact.items() if value is not None}
        lines.append(json.dumps(there, sort_keys=True))
    return "\n".join(lines)


def main(arguments: list) -> int:
    if arguments[0] == "make":
        with open(arguments[2], "w", encoding="utf-8") as file:
            json.dump(made(int(arguments[1])), file)
    else:
        with open(arguments[1], encoding="utf-8") as file:
            print(canonical(json.load(file)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
