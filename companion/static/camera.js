// Shows the camera of this device and sends it, picture by picture: the next one goes
// out only when the last one has been taken.
"use strict";
(() => {
  const form = document.querySelector("[data-camera]");
  if (!form) return;
  const words = JSON.parse(form.dataset.words);
  const video = form.querySelector("video");
  const status = form.querySelector(".camera-status");
  const start = form.querySelector("[data-start]");
  const stop = form.querySelector("[data-stop]");
  const device = form.elements.device;
  const name = form.elements.name;
  const MIN_GAP_MS = 66;
  const RETRY_MS = 1500;
  let stream = null;
  let lock = null;

  const tell = (text) => { status.textContent = text; };
  const pause = (ms) => new Promise((done) => { setTimeout(done, ms); });

  const listCameras = async () => {
    const found = await navigator.mediaDevices.enumerateDevices();
    const cameras = found.filter((one) => one.kind === "videoinput" && one.label);
    const chosen = device.value;
    device.replaceChildren(device.options[0], ...cameras.map((one) => new Option(one.label, one.deviceId)));
    device.value = chosen;
  };

  const open = () => navigator.mediaDevices.getUserMedia({
    audio: false,
    video: {
      width: { ideal: 1920 },
      height: { ideal: 1080 },
      ...(device.value ? { deviceId: { exact: device.value } } : { facingMode: { ideal: "environment" } }),
    },
  });

  const stayAwake = async () => {
    try { lock = await navigator.wakeLock?.request("screen"); } catch { lock = null; }
  };

  const snap = (canvas) => new Promise((done) => {
    canvas.width = video.videoWidth;
    canvas.height = video.videoHeight;
    canvas.getContext("2d").drawImage(video, 0, 0);
    canvas.toBlob(done, "image/jpeg", 0.88);
  });

  const admit = async () => {
    const answer = await fetch(form.dataset.keys, {
      method: "POST",
      credentials: "same-origin",
      headers: { Accept: "application/json" },
      body: new FormData(form),
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told.key;
  };

  const send = async (key) => {
    const canvas = document.createElement("canvas");
    let count = 0;
    while (stream) {
      const begun = performance.now();
      const blob = await snap(canvas);
      count += 1;
      try {
        const answer = await fetch(form.dataset.frames, {
          method: "POST",
          headers: {
            Accept: "application/json",
            "Content-Type": "image/jpeg",
            "X-CSRFToken": form.elements.csrf_token.value,
            "X-Arbitro-Camera": key,
            "X-Arbitro-Count": String(count),
            "X-Arbitro-Taken": String(Date.now()),
          },
          body: blob,
        });
        if (!stream) return;
        if (answer.ok) tell(words.sending.replace("{count}", String(count)));
        else {
          tell((await answer.json()).error);
          await pause(RETRY_MS);
        }
      } catch {
        if (!stream) return;
        tell(words.lost);
        await pause(RETRY_MS);
      }
      await pause(Math.max(0, MIN_GAP_MS - (performance.now() - begun)));
    }
  };

  const end = () => {
    stream?.getTracks().forEach((track) => track.stop());
    stream = null;
    lock?.release();
    video.srcObject = null;
    start.hidden = false;
    stop.hidden = true;
    tell(words.stopped);
  };

  start.addEventListener("click", async () => {
    if (!form.reportValidity()) return;
    if (!navigator.mediaDevices) { tell(words.none); return; }
    try {
      stream = await open();
    } catch {
      tell(words.refused);
      return;
    }
    video.srcObject = stream;
    await video.play();
    start.hidden = true;
    stop.hidden = false;
    await listCameras();
    await stayAwake();
    try {
      await send(await admit());
    } catch (error) {
      end();
      tell(error.message);
    }
  });
  stop.addEventListener("click", end);
  device.addEventListener("change", () => { if (stream) { end(); start.click(); } });
  document.addEventListener("visibilitychange", () => {
    if (stream && document.visibilityState === "visible") stayAwake();
  });
})();
