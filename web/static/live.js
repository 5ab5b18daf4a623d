// Keeps a page as new as what it shows: where the server says that it changed, it is fetched again, and its parts are put in place.
// Without this script the page reads as well, and stays as it was when it was opened.
const topic = document.querySelector("nav[data-live]")?.dataset.live;
const lost = "the server does not answer; the page stays as it was";

function say(text) {
  document.getElementById("live").textContent = text;
}

// What was chosen stays chosen, and what has the focus keeps it.
function put(old, fresh) {
  const chosen = new Set([...old.querySelectorAll("input:checked")].map((box) => box.value));
  const typed = new Map([...old.querySelectorAll("input[id]")].map((field) => [field.id, field.value]));
  const focused = old.contains(document.activeElement) ? document.activeElement.id : "";
  old.replaceWith(document.adoptNode(fresh));
  for (const box of fresh.querySelectorAll("input[type=checkbox]")) box.checked = chosen.has(box.value);
  for (const [id, value] of typed) {
    const field = document.getElementById(id);
    if (field) field.value = value;
  }
  if (focused) document.getElementById(focused)?.focus();
}

async function renew() {
  if (document.querySelector("body > script, main script")) {
    location.reload(); // a picture with a script of its own begins anew
    return;
  }
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of ["header", "main"]) {
    const old = document.querySelector(part);
    const fresh = page.querySelector(part);
    if (old && fresh) put(old, fresh);
  }
  say(answer.ok ? "live" : lost);
}

if (topic) {
  const events = new EventSource(topic);
  events.onopen = () => say("live");
  events.onerror = () => say(lost);
  events.onmessage = () => renew().catch(() => say(lost));
}
