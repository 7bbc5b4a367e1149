"""How the block classifier behind `auto` is trained and judged: `python -m newsextract.lab.training CORPORA`.

Needs the extra `train`. Reads annotated corpora, writes the weights that come with the package and the model card.
"""
