"""The routes, chapter by chapter: what each takes and answers, and its view."""
