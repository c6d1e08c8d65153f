"""The live panels, made of core ipywidgets: what Python has to answer (choosing, filtering, paging, comparing).

What is shown is rendered from the frames each time, so the saved state never holds more than one page of any table.
"""

from warp_nbprobe.views.widgets.explorer import explorer
from warp_nbprobe.views.widgets.history import history_panel

__all__ = ["explorer", "history_panel"]
