"""Read annotated corpora in the formats that the field uses."""
