// The rows of a long list come as one scrolls: where its end nears the window, those of the next page are put behind them.
// Without this script the link at the end leads to the next page.
const AHEAD = "800px"; // from the end of the list to the window
const MOST = 2000; // rows that are fetched anew where the list changed; what stands behind them comes by scrolling again

let adds = false;
let added = 0;

// The address of the page with as many rows as it shows now.
export function address() {
  const at = new URL(location.href);
  if (added) at.searchParams.set("limit", Math.min(document.querySelectorAll("main tbody tr").length, MOST));
  return at.href;
}

async function add(link) {
  const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
  if (!answer.ok || !link.isConnected) return; // the link stays, or the list came anew meanwhile
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const rows = [...page.querySelectorAll("main tbody tr")];
  document.querySelector("main tbody").append(...rows.map((row) => document.adoptNode(row)));
  added += rows.length;
  const next = page.querySelector("a[rel=next]");
  if (next) link.href = next.href;
  else link.parentElement.remove();
}

const end = new IntersectionObserver(
  async ([seen]) => {
    if (!seen.isIntersecting || adds) return;
    adds = true;
    try {
      await add(seen.target);
    } catch {
      return; // the server does not answer, which live.js says
    } finally {
      adds = false;
    }
    watch(); // once more: the new rows may not fill the window
  },
  { rootMargin: AHEAD },
);

function watch() {
  end.disconnect();
  const link = document.querySelector("main a[rel=next]");
  if (link) end.observe(link);
}

document.addEventListener("renewed", watch);
watch();
