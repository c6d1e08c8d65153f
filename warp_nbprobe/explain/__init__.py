"""Why each module was built, what that cost, and what to do about it: from recorded facts to findings."""
