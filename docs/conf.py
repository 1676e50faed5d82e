"""The documentation site, built without a network: ``sphinx-build -W --keep-going -b html docs build/docs``.

Pages with ``>>>`` are run by pytest. Pages with ``{code-cell}`` are run here, each in a fresh kernel: an error in one,
or anything on its stderr, fails the build. The notebooks in ``examples/`` hold their output, and tests compare it.
"""

import logging
import os
import sys
import tempfile
from pathlib import Path

from sphinx.application import Sphinx

import primewood

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "primewood"
author = "The primewood developers"
project_copyright = "The primewood developers, MIT licence"
version = release = primewood.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "docstrings", "doctests", "commands"]
exclude_patterns = ["_ext"]
nitpicky = True
nitpick_ignore_regex = [(r"py:(class|obj|data|exc)", r"(?!primewood\.\w+$).*")]  # types and internal names
default_role = "py:obj"  # links what is on this site, code otherwise

html_theme = "furo"
html_title = "primewood"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False

myst_enable_extensions = ["deflist", "colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_excludepatterns = ["examples/*"]
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_output_stderr = "error"
nb_render_markdown_format = "myst"

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 110


def setup(_app: Sphinx) -> None:
    """Run code cells without the profile of whoever builds the site, and without the kernel's remarks about itself."""
    profile = Path(tempfile.mkdtemp()) / "profile_default"
    profile.mkdir()
    (profile / "ipython_kernel_config.py").write_text('c.IPKernelApp.log_level = "ERROR"\n')
    os.environ["IPYTHONDIR"] = str(profile.parent)
    logging.getLogger("traitlets").setLevel(logging.WARNING)
