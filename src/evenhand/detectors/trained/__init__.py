"""Detectors that learn from the split 'train', and classifiers that others have trained."""
