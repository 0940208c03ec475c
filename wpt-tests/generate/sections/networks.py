"""What gru, gruCell, lstm and lstmCell share: their operands, and what each of them refuses."""

from vector import randoms, random_integers, size, tensor

HIDDEN, INPUT, BATCH = 2, 3, 2


class Network:
    """The operands of one operator: their shapes, by name, and which of them are options."""

    def __init__(self, section, operator, algorithm, shapes, optional, activations):
        self.section, self.operator, self.algorithm = section, operator, algorithm
        self.shapes, self.optional, self.activations = shapes, optional, activations

    def operands(self, data_type, given, halves=False, seed=0, sizes=None, constants=()):
        """Positive decimals, so that sums do not cancel; or halves of both signs, whose sums and products are exact."""
        result = {}
        for index, (name, shape) in enumerate(self.shapes(**(sizes or {})).items()):
            if name in self.optional and name not in given:
                continue
            if halves:
                data = [x / 2 for x in random_integers(seed + 11 * index + 1, size(shape), -3, 4)]
            else:
                data = randoms(seed + 11 * index + 1, size(shape), 0.05, 0.9)
            result[name] = tensor(data_type, shape, data, name in constants)
        return result

    def arguments(self, operands, hidden_size=HIDDEN, steps=None, **options):
        options = {**{name: name for name in operands if name in self.optional}, **options}
        arguments = {name: name for name in operands if name not in self.optional}
        if steps is not None:
            arguments["steps"] = steps
        arguments["hiddenSize"] = hidden_size
        return {**arguments, **({"options": options} if options else {})}

    def case(self, name, data_type, given=(), halves=False, seed=0, sizes=None, constants=(), members=None, **options):
        sizes = sizes or {}
        operands = self.operands(data_type, given, halves, seed, sizes, constants)
        steps = sizes.get("steps", 2) if "steps" in self.shapes.__code__.co_varnames else None
        arguments = self.arguments(operands, sizes.get("hidden", HIDDEN), steps, **options)
        self.section.case(f"{self.operator} {data_type} {name}", self.operator, operands, arguments,
                          output=self.outputs(options), **(members or {}))

    def outputs(self, options):
        count = {"gru": 1, "gruCell": 0, "lstm": 2, "lstmCell": 2}[self.operator] + bool(options.get("returnSequence"))
        return [f"output{index}" for index in range(count)] if count else "output"

    def refused(self, name, step, changed=None, given=(), sizes=None, hidden_size=HIDDEN, steps=None, **options):
        """The call with operands `changed` to (data type, shape)."""
        operands = {key: tensor("float32", shape, 1) for key, shape in self.shapes(**(sizes or {})).items()
                    if key not in self.optional or key in given or key in (changed or {})}
        operands.update((key, tensor(*operand, 1)) for key, operand in (changed or {}).items())
        if steps is None and "steps" in self.shapes.__code__.co_varnames:
            steps = 2
        self.section.throws(f"{self.operator} {name}", self.operator, operands, self.arguments(operands, hidden_size, steps, **options),
                            self.algorithm, step, output=self.outputs(options))

    def shape(self, name):
        return self.shapes()[name]

    def wrong_types_and_ranks(self, type_step, rank_step):
        """Of the operands that are no options: each with another type, and each with one dimension more."""
        for name, shape in self.shapes().items():
            if name not in self.optional:
                if name != "input":
                    self.refused(f"with a {name} of another type", type_step, {name: ("float16", shape)})
                self.refused(f"with a {name} of another rank", rank_step, {name: ("float32", [1, *shape])})
        self.refused("of int32", type_step, {name: ("int32", shape) for name, shape in self.shapes().items() if name not in self.optional})

    def wrong_options(self, first_step):
        """Each operand among the options: of another type, of another shape, of another rank."""
        for index, name in enumerate(self.optional):
            step, shape = first_step + index, self.shape(name)
            self.refused(f"with a {name} of another type", f"{step}.1", {name: ("float16", shape)})
            self.refused(f"with a {name} of another size", f"{step}.2", {name: ("float32", [*shape[:-1], shape[-1] + 1])})
            self.refused(f"with a {name} of another rank", f"{step}.2", {name: ("float32", [1, *shape])})
        step = first_step + len(self.optional)
        count = len(self.activations)
        self.refused("with an activation too few", f"{step}.1", activations=["sigmoid"] * (count - 1))
        self.refused("with an activation too many", f"{step}.1", activations=["sigmoid"] * (count + 1))
        self.refused("with no activations in the list", f"{step}.1", activations=[])

    def refusals(self):
        operands = {name: ("float32", shape) for name, shape in self.shapes().items()}
        steps = 2 if "steps" in self.shapes.__code__.co_varnames else None
        arguments = self.arguments(operands, steps=steps)
        self.section.refusals(self.operator, arguments, operands, (self.algorithm, "1"), {name: (self.algorithm, "2") for name in operands})
        return self.section
