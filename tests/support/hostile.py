"""Paths and addresses that lead where nobody should get (R9, R10; ecosystem.md C2)."""

from __future__ import annotations

from itertools import product
from urllib.parse import quote

STEPS = (
    *("..", ".", "...", "%2e%2e", "%2e.", ".%2e", "%252e%252e", "..%00", "..;"),
    *("..\\", "%5c..", "..%5c", "..%c0%af", "%c0%ae%c0%ae", "‥", "．．"),
)
GOALS = (
    *("etc/passwd", "arbitro.db", "session.key", "arbitro-key.txt"),
    *("config.py", "c:\\windows\\win.ini"),
)
ODD = (
    *("CON", "NUL.jpg", "a" * 300, "~root", "$HOME", "`id`", "|id", ";id", "-rf"),
    *("%00", "x%00.jpg", "x\u202egpj.exe", " ", "*", "?", "[a]", "{a,b}", "#x"),
)


def paths() -> list[str]:
    """Return more than 100 names of files, as they stand in an address."""
    climbing = [
        "/".join([step] * depth + [goal])
        for step, goal, depth in product(STEPS, GOALS, (1, 4))
    ]
    odd = [quote(name, safe="%") for name in ODD]
    absolute = [f"/{goal}" for goal in GOALS] + [f"file:///{goal}" for goal in GOALS]
    return list(dict.fromkeys((*climbing, *odd, *absolute)))


HOSTS = (
    *("127.0.0.1", "localhost", "0.0.0.0", "[::1]", "[::]", "127.1", "2130706433"),
    *("0x7f000001", "0177.0.0.1", "[::ffff:127.0.0.1]", "169.254.169.254"),
    *("metadata.google.internal", "10.0.0.1", "192.168.0.1", "172.16.0.1"),
    *("[fe80::1]", "[fd00::1]", "100.64.0.1", "router.local", "127.0.0.1.nip.io"),
    *("user@127.0.0.1", "127.0.0.1#@cam.hall", "cam.hall@127.0.0.1", "①②⑦.⓪.⓪.①"),
)
SCHEMES = ("http", "https", "rtsp")
OTHER = (
    *("file:///etc/passwd", "ftp://cam.hall/x", "gopher://127.0.0.1:6379/_x"),
    *("dict://127.0.0.1:11211/", "data:image/jpeg;base64,AAAA", "pipe:0"),
    *("concat:/etc/passwd", "subfile,,start,0,end,9,,:/etc/passwd", "//127.0.0.1/x"),
    *("http:/127.0.0.1", "http:\\\\127.0.0.1", "\thttp://127.0.0.1", "v4l2:///dev/x"),
)


def addresses() -> list[str]:
    """Return more than 60 addresses of cameras that are none."""
    plain = [f"{scheme}://{host}/x" for scheme, host in product(SCHEMES, HOSTS)]
    return list(dict.fromkeys((*plain, *OTHER)))
