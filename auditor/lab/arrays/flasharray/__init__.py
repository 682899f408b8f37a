"""The lab's FlashArray: what it holds (description.py) and how it answers over REST 2.x."""
