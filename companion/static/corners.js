// Lets four corners be tapped in a photo before it is sent.
"use strict";
(() => {
  const form = document.querySelector("[data-corners]");
  if (!form) return;
  const box = form.querySelector(".tap");
  const picture = box.querySelector("img");
  const marks = box.querySelector("svg");
  const field = form.elements.corners;
  let corners = [];

  const draw = () => {
    marks.setAttribute("viewBox", `0 0 ${picture.naturalWidth} ${picture.naturalHeight}`);
    const radius = picture.naturalWidth / 60;
    marks.innerHTML = "";
    const line = document.createElementNS(marks.namespaceURI, "polygon");
    line.setAttribute("points", corners.map((c) => c.join(",")).join(" "));
    marks.append(line);
    for (const [x, y] of corners) {
      const dot = document.createElementNS(marks.namespaceURI, "circle");
      dot.setAttribute("cx", x);
      dot.setAttribute("cy", y);
      dot.setAttribute("r", radius);
      marks.append(dot);
    }
    field.value = corners.length === 4 ? corners.flat().map((v) => v.toFixed(1)).join(",") : "";
  };

  form.elements.photo.addEventListener("change", (event) => {
    const file = event.target.files[0];
    box.hidden = !file;
    corners = [];
    if (file) picture.src = URL.createObjectURL(file);
  });
  picture.addEventListener("load", draw);
  box.addEventListener("click", (event) => {
    const frame = picture.getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width * picture.naturalWidth;
    const y = (event.clientY - frame.top) / frame.height * picture.naturalHeight;
    if (corners.length === 4) corners = [];
    corners.push([x, y]);
    draw();
  });
})();
