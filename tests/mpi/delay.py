"""A wire that takes its time: delay.py SECONDS NAMESPACE DEVICE NAMESPACE DEVICE

Makes a tun device in each of two network namespaces and carries IP packets between them, each so many seconds late: what `tc netem delay`
does where the kernel has it. Says "ready" when both ends are there; carries until it is killed.
"""
import collections, ctypes, fcntl, os, select, struct, sys, time

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
libc = ctypes.CDLL(None, use_errno=True)


def tun(namespace, device):
    with open(f"/run/netns/{namespace}") as there:
        if libc.setns(there.fileno(), CLONE_NEWNET) != 0:
            sys.exit(f"delay.py: cannot enter {namespace}: {os.strerror(ctypes.get_errno())}")
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", device.encode(), IFF_TUN | IFF_NO_PI))
    return end


def main():
    delay = float(sys.argv[1])
    ends = [tun(*sys.argv[2:4]), tun(*sys.argv[4:6])]
    other = {ends[0]: ends[1], ends[1]: ends[0]}
    under_way = collections.deque()
    print("ready", flush=True)
    while True:
        wait = max(0.0, under_way[0][0] - time.monotonic()) if under_way else None
        for end in select.select(ends, [], [], wait)[0]:
            try:
                under_way.append((time.monotonic() + delay, other[end], os.read(end, 65536)))
            except BlockingIOError:
                pass
        while under_way and under_way[0][0] <= time.monotonic():
            _, end, packet = under_way.popleft()
            try:
                os.write(end, packet)
            except OSError:
                pass  # lost, as packets may be


main()
