"""From wire lines to the frames a user holds: facts only, no opinions."""
