// Tables in play. Without this file the pages work by reloading; with it they follow
// the game by themselves (htmx and its stream), speak the calls and keep the screen on.
"use strict";
(() => {
  const root = document.documentElement;
  const stage = () => document.getElementById("stage");
  const token = () => document.querySelector("meta[name=csrf-token]").content;

  const fieldOf = (element) => {
    const form = element && element.closest && element.closest("[data-entry]");
    return form ? form.elements.move : null;
  };

  // Forms of the stream carry no token of this visitor: it goes into a header.
  document.addEventListener("htmx:config:request", (event) => {
    const { request, sourceElement } = event.detail.ctx;
    request.headers["X-CSRFToken"] = token();
    const field = fieldOf(sourceElement);
    if (field && request.method !== "GET") field.dataset.sent = field.value;
  });

  // An answer may be overtaken by the stream: what is older than what is shown is dropped.
  const isOld = (text) => {
    const shown = stage() && stage().querySelector("[data-seq]");
    const sent = /data-seq="(\d+)"/.exec(text || "");
    return Boolean(shown && sent) && Number(sent[1]) < Number(shown.dataset.seq);
  };

  // The stream: what is cut comes back by itself; if it never opens, ask every 2 s.
  let asks = null;
  const cut = (is) => root.classList.toggle("is-cut", is);
  const ask = async () => {
    try {
      const answer = await fetch(stage().dataset.table, { credentials: "same-origin" });
      if (!answer.ok) return;
      cut(false);
      const text = await answer.text();
      if (!isOld(text)) await htmx.swap({ text, target: stage(), swap: "innerMorph" });
    } catch { cut(true); }
  };
  const askAgain = () => { asks ||= setInterval(ask, 2000); };
  let isOpen = false;
  document.addEventListener("htmx:sse:after:connection", () => {
    isOpen = true;
    clearInterval(asks);
    asks = null;
    cut(false);
  });
  document.addEventListener("htmx:sse:close", askAgain);
  document.addEventListener("htmx:sse:error", (event) => {
    cut(true);
    if (event.detail.status === 503) askAgain();
  });
  document.addEventListener("DOMContentLoaded", () => {
    // Whatever keeps the stream from opening, the table is followed.
    if (stage()) setTimeout(() => { if (!isOpen) askAgain(); }, 4000);
  });

  // A move that is refused stays in its field, with the reason below.
  const refuse = (text) => {
    const note = document.getElementById("refused");
    if (!note) return;
    note.textContent = text;
    note.hidden = !text;
  };
  document.addEventListener("htmx:before:swap", (event) => {
    const { ctx } = event.detail;
    const raw = ctx.response && ctx.response.raw;
    if (!raw) return;
    if (raw.ok) {
      if (ctx.request.method === "GET" || !isOld(ctx.text)) return;
      event.preventDefault();
      played(ctx.sourceElement);
      return;
    }
    event.preventDefault();
    if (ctx.request.method === "GET") {
      if (ctx.sourceElement === stage()) askAgain();
      return;
    }
    const page = new DOMParser().parseFromString(ctx.text, "text/html");
    const said = page.querySelector("main .lead");
    refuse(said ? said.textContent : String(raw.status));
  });
  // What was typed while the answer was on its way stays.
  const played = (element) => {
    const field = fieldOf(element);
    if (!field) return;
    refuse("");
    if (field.value === field.dataset.sent) field.value = "";
  };
  document.addEventListener("htmx:after:swap", (event) => {
    const { request } = event.detail.ctx;
    if (request && request.method !== "GET") played(event.target);
  });

  // Calls are spoken where the browser can, else there is a tone.
  const button = () => document.getElementById("speak");
  let speaks = false;
  let tones = null;
  const tone = () => {
    const beep = tones.createOscillator();
    const volume = tones.createGain();
    volume.gain.value = 0.08;
    beep.frequency.value = 660;
    beep.connect(volume).connect(tones.destination);
    beep.start();
    beep.stop(tones.currentTime + 0.18);
  };
  const call = (text) => {
    if (!speaks) return;
    if (window.speechSynthesis && speechSynthesis.getVoices().length) {
      const words = new SpeechSynthesisUtterance(text.replaceAll("\ufe0e", ""));
      words.lang = root.lang;
      speechSynthesis.speak(words);
    } else if (tones) tone();
  };
  document.addEventListener("told", (event) => {
    const one = JSON.parse(event.detail.data);
    const text = one.verdict === "rejected" ? `${one.text}. ${one.reason || ""}` : one.text;
    call(text);
  });

  // The screen stays on while a table is watched, where the browser allows it.
  const stayAwake = async () => {
    if (!navigator.wakeLock || !stage() || document.hidden) return;
    try { await navigator.wakeLock.request("screen"); } catch { /* low battery */ }
  };
  document.addEventListener("visibilitychange", stayAwake);

  document.addEventListener("click", (event) => {
    if (event.target !== button()) return;
    speaks = !speaks;
    button().setAttribute("aria-pressed", String(speaks));
    if (speaks && window.AudioContext && !tones) tones = new AudioContext();
    stayAwake();
  });

  document.addEventListener("DOMContentLoaded", () => {
    stayAwake();
    if (button()) button().hidden = !(window.speechSynthesis || window.AudioContext);
  });
})();
