"""Train and judge the block classifier behind `auto`: `python -m training CORPORA`.

Needs the extra `train`. Reads annotated corpora, writes the weights that come with the package and the model card.
"""
