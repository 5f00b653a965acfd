"""The only place, with engines, that imports torch, transformers, openai or ray: always inside functions."""
