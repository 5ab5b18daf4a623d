// What a hand does to a picture with a horizontal axis: the wheel and keys zoom and move, a stretch is chosen by the pointer, a double
// click and Home show the whole.

/** on: { value(px): the place on the axis, undefined while nothing is drawn; middle(): the place in the middle; zoom(about, factor);
 * move(part of what is seen); whole(); choose(from, to); drag({ from, to } in pixels, null at the end); point(px, py); leave() }. */
export function listen(canvas, on) {
  const at = (event) => event.clientX - canvas.getBoundingClientRect().left;
  let drag = null;
  canvas.addEventListener("wheel", (event) => {
    const about = on.value(at(event));
    if (about === undefined || !(event.ctrlKey || document.activeElement === canvas)) return; // else the page scrolls
    event.preventDefault();
    on.zoom(about, event.deltaY > 0 ? 1.25 : 0.8);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    drag = { from: at(event), to: at(event) };
  });
  canvas.addEventListener("pointermove", (event) => {
    on.point(at(event), event.clientY - canvas.getBoundingClientRect().top);
    if (!drag) return;
    drag.to = at(event);
    on.drag(drag);
  });
  canvas.addEventListener("pointerup", () => {
    const chosen = drag;
    drag = null;
    on.drag(null);
    if (!chosen || on.value(chosen.from) === undefined || Math.abs(chosen.to - chosen.from) < 5) return;
    on.choose(...[on.value(chosen.from), on.value(chosen.to)].sort((p, q) => p - q));
  });
  canvas.addEventListener("pointercancel", () => {
    drag = null;
    on.drag(null);
  });
  canvas.addEventListener("pointerleave", () => on.leave());
  canvas.addEventListener("dblclick", () => on.whole());
  canvas.addEventListener("keydown", (event) => {
    const keys = {
      "+": () => on.zoom(on.middle(), 0.5),
      "=": () => on.zoom(on.middle(), 0.5),
      "-": () => on.zoom(on.middle(), 2),
      ArrowLeft: () => on.move(-0.25),
      ArrowRight: () => on.move(0.25),
      0: () => on.whole(),
      Home: () => on.whole(),
    };
    if (!keys[event.key] || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    keys[event.key]();
  });
}
