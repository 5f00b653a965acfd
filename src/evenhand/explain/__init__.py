"""Why a text got its score."""
