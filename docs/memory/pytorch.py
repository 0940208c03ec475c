"""How fast PyTorch moves 1 GiB to a GPU and back: what docs/memory.md compares `offload` and `reload` with.

    python docs/memory/pytorch.py
"""

import time

import torch

BYTES = 1 << 30
TIMES = 7


def report(what, seconds):
    median = sorted(seconds)[len(seconds) // 2]
    print(f"{what}: {median * 1e3:.1f} ms, {BYTES / median / 1e9:.1f} GB/s", flush=True)


def timed(work):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - begun


def copies(pinned):
    """Copies between memories that are there already."""
    device = torch.zeros(BYTES, dtype=torch.uint8, device="cuda")
    host = torch.empty(BYTES, dtype=torch.uint8, pin_memory=pinned).fill_(1)
    name = "pinned" if pinned else "pageable"
    report(f"{name} memory, to the device", [timed(lambda: device.copy_(host)) for _ in range(TIMES)])
    report(f"{name} memory, to the host", [timed(lambda: host.copy_(device)) for _ in range(TIMES)])


def moves(pinned):
    """Moves into fresh memory; what is left behind goes back to the system."""
    held = {"device": torch.zeros(BYTES, dtype=torch.uint8, device="cuda")}

    def leave():
        if pinned:
            held["host"] = torch.empty(BYTES, dtype=torch.uint8, pin_memory=True)
            held["host"].copy_(held["device"])
        else:
            held["host"] = held["device"].to("cpu")
        del held["device"]
        torch.cuda.empty_cache()

    def come_back():
        held["device"] = held["host"].to("cuda")
        torch.cuda.synchronize()
        del held["host"]
        if pinned:
            torch._C._host_emptyCache()

    both = [(timed(leave), timed(come_back)) for _ in range(TIMES)]
    name = "pinned" if pinned else "pageable"
    report(f"a move to fresh {name} memory of the host", [there for there, _ in both])
    report(f"a move back from {name} memory", [back for _, back in both])


for pinned in (True, False):
    copies(pinned)
    torch.cuda.empty_cache()
for pinned in (True, False):
    moves(pinned)
    torch.cuda.empty_cache()
print(torch.__version__, torch.cuda.get_device_name())
