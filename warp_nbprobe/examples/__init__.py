"""Programs to measure, as they could stand in a notebook; `# %%` begins a cell."""
