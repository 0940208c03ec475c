"""gemm."""

from vector import EXACT, Section, method, randoms, size, tensor

ALGORITHM = method("gemm(a, b, options)")


def section():
    s = Section("gemm", EXACT)

    def case(name, data_type, a, b, c=None, constants=False, **options):
        inputs = {"a": tensor(data_type, a, randoms(size(a), size(a), 0.1, 2)), "b": tensor(data_type, b, randoms(size(b) + 5, size(b), 0.1, 2), constants)}
        if c is not None:
            inputs["c"] = tensor(data_type, c, randoms(size(c) + 9, size(c), 0.1, 3), constants)
            options["c"] = "c"
        s.case(f"gemm {data_type} {name}", "gemm", inputs, {"a": "a", "b": "b", **({"options": options} if options else {})})

    for data_type in ("float32", "float16"):
        case("default options", data_type, [2, 3], [3, 4])
        case("options.c of the output's shape", data_type, [2, 3], [3, 2], [2, 2])
        case("options.c scalar", data_type, [2, 3], [3, 2], [])
        case("options.c 1D", data_type, [2, 3], [3, 3], [3])
        case("options.c 1D of one element", data_type, [2, 3], [3, 3], [1])
        case("options.c row", data_type, [2, 3], [3, 3], [1, 3])
        case("options.c column", data_type, [2, 3], [3, 3], [2, 1])
        case("options.alpha", data_type, [2, 3], [3, 2], alpha=0.5)
        case("options.alpha zero", data_type, [2, 3], [3, 2], [2, 2], alpha=0)
        case("options.beta", data_type, [2, 3], [3, 2], [2, 2], beta=0.25)
        case("options.beta zero", data_type, [2, 3], [3, 2], [2, 2], beta=0)
        case("options.beta without c", data_type, [2, 3], [3, 2], beta=4)
        case("options.aTranspose", data_type, [3, 2], [3, 4], aTranspose=True)
        case("options.bTranspose", data_type, [2, 3], [4, 3], bTranspose=True)
        case("both transposed", data_type, [3, 2], [4, 3], aTranspose=True, bTranspose=True)
        case("all options", data_type, [3, 2], [4, 3], [4], alpha=0.25, beta=0.5, aTranspose=True, bTranspose=True, label="everything")
        case("row by column", data_type, [1, 4], [4, 1], [])
    case("options not transposed", "float32", [2, 3], [3, 2], aTranspose=False, bTranspose=False)
    case("constant b and c", "float32", [2, 3], [3, 2], [2], constants=True)
    case("long inner dimension", "float32", [2, 24], [24, 2], [2, 2])
    s.case("gemm float32 of mixed signs", "gemm", {
        "a": tensor("float32", [2, 2], [1, -2, 0.5, 3]), "b": tensor("float32", [2, 2], [2, -1, 0.25, 4]), "c": tensor("float32", [2], [-1, 8])},
        {"a": "a", "b": "b", "options": {"c": "c", "alpha": -2, "beta": -0.5}}, note="every partial sum is exact in any order")
    s.case("gemm float32 of an operand with itself", "gemm", {"a": tensor("float32", [2, 2], [1, 2, 3, 4])},
           {"a": "a", "b": "a", "options": {"c": "a", "bTranspose": True}})

    def refused(name, step, a=("float32", [2, 3]), b=("float32", [3, 2]), c=None, **options):
        inputs = {"a": tensor(*a, 1), "b": tensor(*b, 1)}
        if c:
            inputs["c"] = tensor(*c, 1)
            options["c"] = "c"
        s.throws(f"gemm {name}", "gemm", inputs, {"a": "a", "b": "b", **({"options": options} if options else {})}, ALGORITHM, step)

    refused("of int32", "3", ("int32", [2, 3]), ("int32", [3, 2]))
    refused("with operands of different types", "3", ("float32", [2, 3]), ("float16", [3, 2]))
    refused("with a of rank 3", "4", ("float32", [1, 2, 3]))
    refused("with b of rank 1", "4", b=("float32", [3]))
    refused("with inner sizes that differ", "11", b=("float32", [2, 3]))
    refused("with inner sizes that differ once a is transposed", "11", aTranspose=True)
    refused("with inner sizes that differ once b is transposed", "11", bTranspose=True)
    refused("with a c that does not broadcast", "12.1", c=("float32", [3]))
    refused("with a c larger than the output", "12.1", b=("float32", [3, 1]), c=("float32", [2, 2]))
    refused("with a c of rank 3", "12.1", c=("float32", [1, 2, 2]))
    refused("with a c of another type", "12.2", c=("float16", [2, 2]))

    operands = {"a": ("float32", [2, 2]), "b": ("float32", [2, 2]), "c": ("float32", [2, 2])}
    s.refusals("gemm", {"a": "a", "b": "b", "options": {"c": "c"}}, operands, (ALGORITHM, "1"),
               {"a": (ALGORITHM, "2"), "b": (ALGORITHM, "2"), "c": (ALGORITHM, "2")})
    assert s.tests[-1]["name"] == "gemm c of another builder"
    s.tests[-1] = {"name": s.tests[-1]["name"], "literal": {"issue": "gemm-c-unvalidated", "outcome": "passes"}, **s.tests[-1]}
    return s
