# SPDX-License-Identifier: Apache-2.0
"""Baton for LibreOffice: the job that LibreOffice runs when it starts (Documentation/Office.md)."""

import unohelper
from com.sun.star.task import XJob

from batonoffice.office import Office


class Job(unohelper.Base, XJob):
    """Connects this LibreOffice to the session's adapters, until it ends."""

    def __init__(self, context):
        self.context = context

    def execute(self, arguments):
        Office(self.context).begin()


g_ImplementationHelper = unohelper.ImplementationHelper()
g_ImplementationHelper.addImplementation(Job, "org.batonproject.Office", ("com.sun.star.task.Job",))
