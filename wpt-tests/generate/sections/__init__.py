"""One module for each section of the specification, in its order; `section()` makes its vectors."""
