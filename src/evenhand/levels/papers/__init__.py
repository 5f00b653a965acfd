"""Papers: makers of whole ones from titles, and of papers that person and machine wrote together."""
