// Draws the areas of a mat over its picture: choose, drag corners, add, remove, undo.
// Millimetres, x right, y away from the near edge; the picture's first row is farthest.
"use strict";
(() => {
  const form = document.querySelector("[data-mat]");
  if (!form) return;
  const words = JSON.parse(form.dataset.words);
  const [left, low, right, high] = form.dataset.bounds.split(",").map(Number);
  const svg = form.querySelector("svg");
  const status = form.querySelector(".mat-status");
  const facts = form.querySelector(".facts");
  const field = form.elements;
  const SNAP_MM = 8;
  const SHARED_MM = 0.5;
  const done = [];
  let mat = JSON.parse(field.lines.value);
  let chosen = 0;
  let drawing = null;

  svg.setAttribute("viewBox", `${left} ${-high} ${right - left} ${high - low}`);
  const make = (name, attributes) => {
    const node = document.createElementNS(svg.namespaceURI, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const ringOf = (feature) => feature.geometry.coordinates[0];
  const isSimple = (feature) => feature.geometry.type === "Polygon";
  const round = (value) => Math.round(value * 10) / 10;
  const tell = (text) => { status.textContent = text; };

  const keep = () => {
    done.push(JSON.stringify(mat));
    form.querySelector("[data-do=undo]").disabled = false;
  };

  const place = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [round(Math.min(Math.max(point.x, left), right)), round(Math.min(Math.max(-point.y, low), high))];
  };

  const snapped = ([x, y], not) => {
    let best = [x, y];
    let least = SNAP_MM;
    mat.features.filter(isSimple).forEach((feature) => ringOf(feature).forEach((corner) => {
      if (not && not.includes(corner)) return;
      const far = Math.hypot(corner[0] - x, corner[1] - y);
      if (far < least) { best = [corner[0], corner[1]]; least = far; }
    }));
    return best;
  };

  // Corners of other areas at the same place move along, so that no gap opens.
  const sharing = ([x, y]) => mat.features.filter(isSimple).flatMap((feature) => ringOf(feature).filter(
    (corner) => Math.hypot(corner[0] - x, corner[1] - y) < SHARED_MM));

  const show = () => {
    svg.replaceChildren();
    mat.features.forEach((feature, number) => {
      const rings = isSimple(feature) ? [feature.geometry.coordinates] : feature.geometry.coordinates;
      rings.forEach((polygon) => {
        const path = polygon.map((ring) => `M${ring.map(([x, y]) => `${x} ${-y}`).join("L")}Z`).join("");
        const area = make("path", { d: path, class: `area ${feature.properties.kind}${number === chosen ? " chosen" : ""}`, "data-number": number });
        const title = make("title", {});
        title.textContent = `${feature.id} (${called(feature.properties.kind)})`;
        area.append(title);
        svg.append(area);
      });
    });
    const feature = mat.features[chosen];
    if (feature && isSimple(feature)) {
      ringOf(feature).slice(0, -1).forEach(([x, y], corner) => {
        svg.append(make("circle", { cx: x, cy: -y, r: (right - left) / 90, class: "corner", "data-corner": corner }));
      });
    }
    if (drawing) {
      svg.append(make("polyline", { points: drawing.map(([x, y]) => `${x},${-y}`).join(" "), class: "drawn" }));
      drawing.forEach(([x, y]) => svg.append(make("circle", { cx: x, cy: -y, r: (right - left) / 90, class: "corner" })));
    }
    field.lines.value = JSON.stringify(mat);
    tellFacts();
  };

  // What a kind is called in the language of the page.
  const called = (kind) => [...field.kind.options].find((one) => one.value === kind)?.text || kind;

  const tellFacts = () => {
    const feature = mat.features[chosen];
    facts.disabled = !feature;
    form.querySelector("[data-do=remove]").disabled = !feature;
    field.area.replaceChildren(...mat.features.map((one, number) => new Option(`${one.id} (${called(one.properties.kind)})`, number, false, number === chosen)));
    if (!feature) return;
    const { kind, terrain, place: where, ...others } = feature.properties;
    field.id.value = feature.id;
    field.kind.value = kind;
    field.terrain.value = terrain || "forest";
    field.place.value = where || "lateral";
    field.others.value = JSON.stringify(others);
    form.querySelectorAll("[data-for]").forEach((label) => { label.hidden = label.dataset.for !== kind; });
  };

  facts.addEventListener("change", (event) => {
    if (event.target.name === "area") { chosen = Number(event.target.value); show(); return; }
    const feature = mat.features[chosen];
    let others;
    try { others = JSON.parse(field.others.value || "{}"); } catch (error) { tell(error.message); return; }
    keep();
    feature.id = field.id.value;
    feature.properties = { kind: field.kind.value, ...others };
    if (field.kind.value === "terrain") feature.properties.terrain = field.terrain.value;
    if (field.kind.value === "city") feature.properties.place = field.place.value;
    show();
  });

  svg.addEventListener("pointerdown", (event) => {
    if (drawing) {
      const point = snapped(place(event));
      const first = drawing[0];
      if (drawing.length > 2 && Math.hypot(point[0] - first[0], point[1] - first[1]) < SNAP_MM) finish();
      else drawing.push(point);
      show();
      return;
    }
    if (event.target.dataset.corner !== undefined) { drag(event); return; }
    if (event.target.dataset.number !== undefined) { chosen = Number(event.target.dataset.number); show(); }
  });

  const drag = (event) => {
    keep();
    const ring = ringOf(mat.features[chosen]);
    const moved = sharing(ring[Number(event.target.dataset.corner)]);
    svg.setPointerCapture(event.pointerId);
    const follow = (now) => {
      const [x, y] = snapped(place(now), moved);
      moved.forEach((corner) => { [corner[0], corner[1]] = [x, y]; });
      show();
    };
    const end = () => {
      svg.removeEventListener("pointermove", follow);
      svg.removeEventListener("pointerup", end);
      svg.removeEventListener("pointercancel", end);
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointercancel", end);
    event.preventDefault();
  };

  const finish = () => {
    keep();
    let number = 1;
    while (mat.features.some((one) => one.id === `area${number}`)) number += 1;
    mat.features.push({
      type: "Feature",
      id: `area${number}`,
      properties: { kind: "terrain", terrain: "forest" },
      geometry: { type: "Polygon", coordinates: [[...drawing, drawing[0].slice()]] },
    });
    chosen = mat.features.length - 1;
    drawing = null;
    tell("");
  };

  const save = async () => {
    const body = new FormData(form);
    body.set("lines", JSON.stringify(mat));
    try {
      const answer = await fetch(form.action, { method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json" } });
      tell(answer.ok ? words.saved : (await answer.json()).error);
      if (answer.ok) delete mat.draft;
    } catch {
      tell(words.lost);
    }
  };

  const acts = {
    add: () => { drawing = []; chosen = -1; tell(words.draw); show(); },
    remove: () => { keep(); mat.features.splice(chosen, 1); chosen = -1; show(); },
    undo: () => {
      if (drawing) drawing = null;
      else if (done.length) mat = JSON.parse(done.pop());
      form.querySelector("[data-do=undo]").disabled = !done.length;
      chosen = Math.min(chosen, mat.features.length - 1);
      tell("");
      show();
    },
    save,
  };
  form.querySelectorAll("[data-do]").forEach((button) => button.addEventListener("click", () => acts[button.dataset.do]()));

  form.querySelector("[data-file]").addEventListener("change", async (event) => {
    const file = event.target.files[0];
    if (!file) return;
    try {
      const taken = JSON.parse(await file.text());
      if (!Array.isArray(taken.features)) throw new Error("features?");
      keep();
      mat = taken;
      chosen = 0;
      show();
    } catch (error) {
      tell(error.message);
    }
  });

  field.lines.addEventListener("change", () => {
    try { const taken = JSON.parse(field.lines.value); keep(); mat = taken; show(); } catch (error) { tell(error.message); }
  });
  show();
})();
