// The page works without this file. With it, a photo is sent as soon as it is chosen,
// and corrections and answers change the page in place.
"use strict";
(() => {
  document.documentElement.classList.add("js");
  if (window.isSecureContext && navigator.serviceWorker) {
    const version = new URL(document.currentScript.src).searchParams.get("v");
    navigator.serviceWorker.register(`/worker.js?v=${version}`).catch(() => {});
  }
  const byId = (id) => document.getElementById(id);

  const say = (text) => {
    // Emptied first, so that the same sentence is spoken again.
    byId("said").textContent = "";
    setTimeout(() => { byId("said").textContent = text; }, 60);
  };

  const fetchPage = async (url, options) => {
    try {
      const response = await fetch(url, { credentials: "same-origin", ...options });
      return new DOMParser().parseFromString(await response.text(), "text/html");
    } catch {
      return null;
    }
  };

  const offline = () => {
    const text = document.body.dataset.offline;
    let note = byId("offline");
    if (!note) {
      note = document.createElement("p");
      note.id = "offline";
      note.className = "warning";
      byId("main").prepend(note);
    }
    note.textContent = text;
    note.scrollIntoView({ block: "nearest" });
    say(text);
  };

  // A card in the picture, or in the list: offer what it may be.
  let opener = null;
  const openPanel = async (link) => {
    const page = await fetchPage(link.href.baseVal || link.href);
    const choose = page && page.getElementById("choose");
    if (!page) return offline();
    if (!choose) return swap(page);
    opener = link.getAttribute("href");
    const panel = byId("panel");
    panel.replaceChildren(document.adoptNode(choose));
    panel.showModal();
    panel.scrollTop = 0;
    return undefined;
  };

  const closePanel = () => {
    if (byId("panel").open) byId("panel").close();
  };

  const swap = (page) => {
    const fresh = page.getElementById("main");
    closePanel();
    if (!fresh) return offline();
    const top = window.scrollY;
    const main = document.adoptNode(fresh);
    byId("main").replaceWith(main);
    document.title = page.title;
    window.scrollTo(0, top);
    const back = opener && main.querySelector(`.hand a[href="${CSS.escape(opener)}"]`);
    (back || main).focus({ preventScroll: true });
    if (main.dataset.said) say(main.dataset.said);
    return undefined;
  };

  const nearest = (svg, event) => {
    let best = null;
    let least = 32; // CSS px around the finger
    for (const link of svg.querySelectorAll("a[data-panel]")) {
      const box = link.getBoundingClientRect();
      const away = Math.hypot(
        Math.max(box.left - event.clientX, 0, event.clientX - box.right),
        Math.max(box.top - event.clientY, 0, event.clientY - box.bottom),
      );
      if (away < least) { least = away; best = link; }
    }
    return best;
  };

  document.addEventListener("click", (event) => {
    const close = event.target.closest("[data-close]");
    if (close && close.closest("dialog")) {
      event.preventDefault();
      return closePanel();
    }
    if (event.target === byId("panel")) return closePanel();
    const marks = event.target.closest("svg.marks");
    const link = event.target.closest("a[data-panel]") || (marks && nearest(marks, event));
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return undefined;
    event.preventDefault();
    return openPanel(link);
  });

  document.addEventListener("submit", async (event) => {
    const form = event.target;
    if (form.matches("[data-shoot], [data-demo]")) return waiting(true);
    if (!form.matches("[data-swap]") || form.dataset.busy) return undefined;
    event.preventDefault();
    form.dataset.busy = "1";
    const body = new URLSearchParams(new FormData(form, event.submitter));
    const page = await fetchPage(form.action, { method: "POST", body });
    delete form.dataset.busy;
    return page ? swap(page) : offline();
  });

  // Each game offers its own numbers of players.
  const offerPlayers = () => {
    const game = document.querySelector("[data-players]:checked");
    const seats = document.querySelector(".players");
    if (!game || !seats) return;
    const counts = game.dataset.players.split(" ");
    for (const input of seats.querySelectorAll("input")) {
      const fits = counts.includes(input.value);
      input.closest("label").hidden = input.disabled = !fits;
      if (!fits) input.checked = false;
      if (fits && input.value === game.dataset.usual) {
        input.checked ||= !seats.querySelector("input:checked:enabled");
      }
    }
    seats.hidden = !game.dataset.players;
  };
  // Decks, mat and kit of the chosen game only.
  const offerGear = () => {
    const game = document.querySelector("input[name=game]:checked");
    for (const part of document.querySelectorAll("[data-game]")) {
      part.hidden = part.disabled = !game || part.dataset.game !== game.value;
    }
  };
  document.addEventListener("DOMContentLoaded", offerPlayers);
  document.addEventListener("DOMContentLoaded", offerGear);

  // A key stands behind # in the address of a QR code, and so never reaches a log.
  document.addEventListener("DOMContentLoaded", () => {
    const form = document.querySelector("[data-key]");
    const key = decodeURIComponent(location.hash.slice(1));
    if (!form || !/^[\w-]{4,12}$/.test(key)) return;
    form.elements.key.value = key;
    history.replaceState(null, "", location.pathname);
  });

  const waiting = (on) => {
    const note = document.querySelector(".waiting");
    if (note) note.hidden = !on;
    document.documentElement.classList.toggle("is-waiting", on);
    return undefined;
  };

  document.addEventListener("change", (event) => {
    const input = event.target;
    if (input.matches("[data-players]")) offerPlayers();
    if (input.matches("input[name=game]")) offerGear();
    if (!input.matches("[data-shoot] input[type=file]") || !input.files.length) return;
    for (const other of input.form.querySelectorAll("input[type=file]")) {
      if (other !== input) other.value = "";
    }
    input.form.requestSubmit();
  });

  window.addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    waiting(false);
    for (const input of document.querySelectorAll("input[type=file]")) input.value = "";
  });
})();
