"""Compares cards in a picture with pictures of cards: any deck, no training."""
