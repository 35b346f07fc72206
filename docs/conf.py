"""How Sphinx builds these pages: ``make docs``."""

import sys
from pathlib import Path

import protopick

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "protopick"
author = "the protopick developers"
copyright = author
version = release = protopick.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "made",  # pictures, tables and pages that are made from the code and the repository
]
exclude_patterns = [
    "_build",
    "_made",
    "examples",
    "decisions/README.md",
    "gallery/*.ipynb",
    "reference/made/examples",
]
templates_path = ["_templates"]
nitpicky = True
default_role = "py:obj"

# Pages in Markdown
myst_enable_extensions = ["colon_fence", "deflist", "attrs_inline"]
myst_heading_anchors = 3

# Reference
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say what a parameter is
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template lists the methods that are ours
add_module_names = False
nitpick_ignore = [  # parts that have no page of their own
    ("py:obj", "Ragged"),
    ("py:obj", "Table"),
    ("py:obj", "protopick.objects.checked"),
]

# Examples
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "gallery_order.position",
    "backreferences_dir": "reference/made/examples",
    "doc_module": ("protopick",),
    "reference_url": {"protopick": None},
    "abort_on_example_error": True,
    "download_all_examples": False,
    "image_srcset": ["2x"],
    "remove_config_comments": True,
    "show_memory": False,
    "min_reported_time": 1e9,  # a machine's times say nothing about a reader's
    "write_computation_times": False,
}

# Pages
html_theme = "pydata_sphinx_theme"
html_context = {"default_mode": "auto"}
html_title = "protopick"
html_static_path = ["_static"]
html_css_files = ["protopick.css"]
html_logo = "_static/logo.svg"
html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "protopick"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "show_prev_next": True,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {
    "index": [],
    "start": [],
    "paper": [],
    "compare/**": ["sidebar-nav-bs"],
}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
