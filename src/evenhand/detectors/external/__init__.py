"""Detectors that run elsewhere: a service, another language, a cluster."""
