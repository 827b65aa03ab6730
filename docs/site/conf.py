# Configuration of the documentation site; scripts/docs builds it.
import logging
import os

project = "cleave"
author = "the cleave developers"
copyright = "the cleave developers"
version = release = os.environ.get("CLEAVE_VERSION", "")
extensions = ["myst_parser", "breathe"]
myst_heading_anchors = 3
breathe_projects = {"cleave": os.environ.get("CLEAVE_DOXYGEN", "")}
breathe_default_project = "cleave"
breathe_domain_by_extension = {"h": "c"}
html_theme = "furo"
html_title = "cleave"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
highlight_language = "none"


class OneNameForStructAndTypedef(logging.Filter):
    """Drops the warning that a struct and its typedef have one name, as C allows."""

    def filter(self, record):
        return "Duplicate C declaration" not in record.getMessage()


logging.getLogger("sphinx.sphinx.domains.c").addFilter(OneNameForStructAndTypedef())
