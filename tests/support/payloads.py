"""Texts that run as a script on a page that forgets to escape one (R9)."""

from __future__ import annotations

from itertools import product

CALL = "window.hit=1"
TAGS = (
    "<script>{call}</script>",
    "<img src=x onerror={call}>",
    "<svg onload={call}>",
    "<svg><animate onbegin={call} attributeName=x>",
    "<details open ontoggle={call}>",
    "<input autofocus onfocus={call}>",
    "<iframe srcdoc='<script>parent.hit=1</script>'>",
    "<a href=javascript:{call} id=x>x</a>",
    "<math><mi xlink:href=javascript:{call}>",
    "<object data=javascript:{call}>",
    "<body onload={call}>",
    "<video><source onerror={call}>",
    "<style onload={call}></style>",
    "<button formaction=javascript:{call}>x",
    "<template><img src=x onerror={call}></template>",
)
LEADS = ("", '"', "'", "`", "-->", "</textarea>", "]]>", '">', "'>", "</title>")
OTHERS = (
    "{{{{ config }}}}",
    "{{% raw %}}{{{{ 7*7 }}}}",
    "javascript:{call}",
    "data:text/html,<script>{call}</script>",
    "\u202e<script>{call}</script>",
    "\x00<script>{call}</script>",
    "hx-on:load={call}",
    '" hx-get="/x" hx-trigger="load" x="',
    '" onmouseover={call} autofocus onfocus={call} x="',
    "' onfocus={call} autofocus x='",
    "\n\ndata: <script>{call}</script>\n\n",
    "event: told\ndata: {{}}\n\n",
    "&lt;script&gt;{call}&lt;/script&gt;",
    "%3Cscript%3E{call}%3C/script%3E",
    "\\u003cscript\\u003e{call}",
)


def payloads() -> list[str]:
    """Return more than 200 of them, each once."""
    made = [lead + tag.format(call=CALL) for lead, tag in product(LEADS, TAGS)]
    made += [other.format(call=CALL) for other in OTHERS]
    made += [f'<x x="{lead}" onclick={CALL}>{n}' for n, lead in enumerate(LEADS * 4)]
    return list(dict.fromkeys(made))
