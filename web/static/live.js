// Keeps a page as new as what it shows: where the server says that it changed, it is fetched again, and its parts are put in place.
// Without this script the page reads as well, and stays as it was when it was opened.
import "./curves.js";
import "./timeline.js";
import { chooseColumns } from "./columns.js";
import { address } from "./rows.js";

chooseColumns();
let topic = document.querySelector("nav[data-live]")?.dataset.live;
let renewals = 0; // that were begun: an answer that a later one overtook is left out
let again = 0;
let wait = 2000; // ms until a stream that ended is asked for again
let listens = 0; // the timer of that; 0: there is a stream
const lost = "the server does not answer; the page stays as it was";
const out = "the server asks who you are; the page stays as it was until you sign in or open its link again";

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

// What is gone is said; where the server has no answer, the page stays as it was and asks again.
async function renew() {
  if (document.querySelector("body > script, main script")) {
    location.reload(); // a picture with a script of its own begins anew
    return;
  }
  const mine = ++renewals;
  clearTimeout(again);
  const answer = await fetch(address(), { headers: { Accept: "text/html" } });
  const text = await answer.text();
  if (mine !== renewals) return;
  if (answer.status === 401 || (answer.redirected && new URL(answer.url).pathname === "/sign-in")) {
    say(out);
    return;
  }
  if (!answer.ok && answer.status !== 404) throw new Error(lost);
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const part of ["header", "main"]) {
    const old = document.querySelector(part);
    const fresh = page.querySelector(part);
    if (old && fresh) put(old, fresh);
  }
  topic = document.querySelector("nav[data-live]")?.dataset.live ?? topic;
  document.dispatchEvent(new Event("renewed"));
  say(answer.ok ? "live" : "this is not there any more");
}

function renewOrSay() {
  renew().catch(() => {
    say(lost);
    clearTimeout(again);
    again = setTimeout(renewOrSay, 2000);
  });
}

// The topic has the mark of what is shown: behind a connection that was lost the server tells what came meanwhile, and nothing where nothing did.
function listen() {
  const events = new EventSource(topic);
  listens = 0;
  events.onopen = () => {
    wait = 2000;
    say("live");
  };
  const again = (why) => {
    events.close();
    listens = setTimeout(listen, wait);
    wait = Math.min(2 * wait, 60000); // a stream may be refused for good, as after signing out
    say(why);
  };
  events.onerror = async () => {
    again(lost);
    if (await isRefused()) say(out);
  };
  events.onmessage = async (event) => {
    if (event.data !== "lost") renewOrSay();
    else if (await isRefused()) again(out); // who signed in meanwhile needs another stream
    else say(lost);
  };
}

// The stream does not tell why there is none.
async function isRefused() {
  const stop = new AbortController();
  try {
    return (await fetch(topic, { signal: stop.signal })).status === 401;
  } catch {
    return false;
  } finally {
    stop.abort();
  }
}

// Whoever looks at the page again does not wait for the timer.
function listenNow() {
  if (document.hidden || !listens) return;
  clearTimeout(listens);
  wait = 2000;
  listen();
}

if (topic) {
  listen();
  document.addEventListener("visibilitychange", listenNow);
  window.addEventListener("online", listenNow);
}
