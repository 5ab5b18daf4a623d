// Puts a timeline that can be zoomed in the place of the one that the server drew, on the page of a trace's timeline and on that of a run
// that has one trace alone. Without this script the pages have the drawn one.
import { Lanes } from "./lanes.js";

const [, , project, route, ...name] = location.pathname.split("/");
let lanes = null;

/** The address of the cells: the trace that this page is about. */
function address() {
  const fields = new URLSearchParams(location.search);
  const asked = new URLSearchParams();
  for (const field of ["trace", "rank", "at"]) if (fields.has(field)) asked.set(field, fields.get(field));
  return `/p/${project}/timeline/${name.join("/")}.json?${asked}`;
}

function put() {
  const drawn = document.querySelector(".lanes");
  if (!drawn) return;
  lanes?.remove();
  lanes = new Lanes(drawn, address());
}

if (route === "timeline" || route === "r") {
  put();
  document.addEventListener("renewed", put);
}
