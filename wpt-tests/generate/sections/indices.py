"""What gather and scatter share: the types of indices, and what is said of those out of range."""

INDEX_TYPES = ("int32", "uint32", "int64")
OUT_OF_RANGE = "An index out of range may be clamped; here it is."
SIZE = {"issue": "output-size-unchecked", "outcome": "passes"}
UNCHECKED = "the specification has no step that checks the size of this output"
