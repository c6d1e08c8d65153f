"""Generated examples may take as long as the machine needs: no test here is about time."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
