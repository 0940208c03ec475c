"""The table of operators: for each WebNN method, the function that adds its nodes to a model.

A function takes the model and the method's arguments under WebNN's names, operands as Operands, and returns its output, or the
list of them. What comes as options may be left out.
"""

import elementwise
import movement
import normalization
import products
import quantization
import recurrent
import reduction
import windows

OPERATORS = {
    **elementwise.OPERATORS, **movement.OPERATORS, **normalization.OPERATORS, **products.OPERATORS, **quantization.OPERATORS,
    **recurrent.OPERATORS, **reduction.OPERATORS, **windows.OPERATORS,
}
