// Keys, values and queries as points in the plane, which are dragged, or moved with the keyboard.
import { byId } from "./common.js";
import { plain, svg, ticks } from "./svg.js";
import { movesKey, movesQuery, query, state } from "./hand-scene.js";

const SIZE = 440; // Of a picture, in its own units.
const RING = 13; // The radius of a ring whose filled part is a weight.
let frame = {}; // How far each picture reaches; it stays as it is while something is dragged.
let held = null;
let changed = null;

// What is called when a point has moved (`moved`), and when it was let go (`draw`).
export function onChange(calls) {
  changed = calls;
}

export const dragging = () => held !== null;

// Which two numbers of a vector a picture shows: of keys those that are chosen, of values the first two.
const ofKeys = () => [state.across, state.up];
const ofValues = () => [0, 1];

function reach(points, [across, up]) {
  const found = Math.max(1, ...points.flatMap((point) => [Math.abs(point[across] ?? 0), Math.abs(point[up] ?? 0)]));
  return 1.18 * found;
}

function projector(bound, [across, up]) {
  const unit = SIZE / (2 * bound);
  return {
    at: (point) => [SIZE / 2 + unit * (point[across] ?? 0), SIZE / 2 - unit * (point[up] ?? 0)],
    back: (x, y) => [(x - SIZE / 2) / unit, (SIZE / 2 - y) / unit],
  };
}

function paper(bound, label) {
  const made = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, role: "group", "aria-label": label });
  const unit = SIZE / (2 * bound);
  for (const tick of ticks(-bound, bound, 6)) {
    const [x, y] = [SIZE / 2 + unit * tick, SIZE / 2 - unit * tick];
    const kind = tick === 0 ? "axis" : "grid";
    made.append(svg("line", { class: kind, x1: x, x2: x, y1: 0, y2: SIZE }), svg("line", { class: kind, x1: 0, x2: SIZE, y1: y, y2: y }));
    if (tick && Math.abs(tick) < 0.92 * bound) made.append(svg("text", { class: "tick", x: x + 3, y: SIZE / 2 + 13 }, plain(tick)));
  }
  return made;
}

// A point that can be dragged, and moved with the keyboard. `move` is given how far, in the units of the picture.
function point({ name, label, at, kind = "", weight = null, still = false, put, nudge, number }) {
  const [x, y] = at;
  const made = svg("g", {
    class: `point ${kind}${still ? " still" : ""}`, transform: `translate(${x} ${y})`, "data-name": name,
    tabindex: 0, role: "img", "aria-roledescription": still ? "point" : "movable point", "aria-label": label,
  });
  made.append(svg("circle", { class: "halo", r: 24 }), svg("circle", { class: "body", r: kind === "query" ? 9 : 16 }));
  if (weight !== null) made.append(svg("circle", { class: "weight", r: RING, transform: "rotate(-90)", "stroke-dasharray": `${2 * Math.PI * RING * weight} 1000` }));
  if (number !== undefined) made.append(svg("text", {}, String(number)));
  if (still) return made;
  made.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    made.focus({ focusVisible: false });
    held = { name, put };
  });
  made.addEventListener("keydown", (event) => {
    const step = (event.shiftKey ? 0.25 : 0.05) * (frame[name.split(" ")[0]] ?? 1);
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (!by) return;
    event.preventDefault();
    nudge(...by);
    changed.moved();
  });
  return made;
}

// The pointer belongs to the window, because a picture is drawn anew while a point moves.
addEventListener("pointermove", (event) => {
  if (!held) return;
  const place = byId(held.name.startsWith("value") ? "values" : "keys").querySelector("svg");
  const box = place.getBoundingClientRect();
  const inside = (value) => Math.min(0.98 * SIZE, Math.max(0.02 * SIZE, value));
  held.put(inside(((event.clientX - box.left) / box.width) * SIZE), inside(((event.clientY - box.top) / box.height) * SIZE));
  changed.moved();
});
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, () => {
    if (!held) return;
    held = null;
    changed.draw();
  });
}

const set = (vector, [across, up], [x, y]) => {
  vector[across] = Number(x.toFixed(3));
  if (up < vector.length && up !== across) vector[up] = Number(y.toFixed(3));
};
const add = (vector, axes, dx, dy, times = 1) => set(vector, axes, [(vector[axes[0]] ?? 0) + times * dx, (vector[axes[1]] ?? 0) + times * dy]);

export function drawKeys(found) {
  if (!held) {
    const bound = reach(state.keys, ofKeys());
    const far = Math.max(Math.abs(query()[state.across] ?? 0), Math.abs(query()[state.up] ?? 0));
    frame = { ...frame, keys: bound, key: bound / 1.18, query: far > bound ? far / 0.8 : bound };
  }
  const plane = projector(frame.keys, ofKeys()), distant = projector(frame.query, ofKeys());
  const picture = paper(frame.keys, "Keys and the query");
  if (state.certificate) picture.append(...witness(plane));
  const tip = distant.at(query());
  picture.append(svg("line", { class: "arrow", x1: SIZE / 2, y1: SIZE / 2, x2: tip[0], y2: tip[1] }));
  state.keys.forEach((key, at) => picture.append(point({
    name: `key ${at}`, number: at, at: plane.at(key), weight: found.weights[at], kind: state.wanted.has(at) ? "wanted" : "",
    still: !movesKey(at), label: `key ${at} at ${key.map((value) => plain(value)).join(", ")}, weight ${found.weights[at].toFixed(3)}`,
    put: (x, y) => set(key, ofKeys(), plane.back(x, y)), nudge: (dx, dy) => add(key, ofKeys(), dx, dy),
  })));
  const times = frame.query / frame.keys;
  picture.append(point({
    name: "query", at: tip, kind: "query", still: !movesQuery(), label: `the query at ${query().map((value) => plain(value)).join(", ")}`,
    put: (x, y) => set(query(), ofKeys(), distant.back(x, y)), nudge: (dx, dy) => add(query(), ofKeys(), dx, dy, times),
  }));
  const said = times > 1.01 ? `query, drawn ${plain(times, 2)} times shorter` : "query";
  // Beyond the tip, so that the arrow does not go through its name.
  const x = Math.max(said.length * 4.2, Math.min(SIZE - said.length * 4.2, tip[0]));
  const y = tip[1] < SIZE / 2 ? Math.max(14, tip[1] - 16) : Math.min(SIZE - 6, tip[1] + 26);
  picture.append(svg("text", { class: "arrow-head name", x, y, "text-anchor": "middle", "font-size": 13, "font-weight": 600 }, said));
  replace("keys", picture);
}

// Why there is no such query: the two sides of the certificate meet in one point.
function witness(plane) {
  const { left, right } = state.certificate;
  const sides = Object.keys(right).length
    ? [left, right]
    : [Object.entries(left).filter(([, share]) => share > 0), Object.entries(left).filter(([, share]) => share < 0)].map(Object.fromEntries);
  const drawn = [];
  for (const side of sides) {
    const total = Object.values(side).reduce((sum, share) => sum + share, 0);
    if (!total) continue;
    const middle = state.keys[0].map((_, d) => Object.entries(side).reduce((sum, [at, share]) => sum + (share / total) * state.keys[at][d], 0));
    const [x, y] = plane.at(middle);
    for (const at of Object.keys(side)) {
      const [x2, y2] = plane.at(state.keys[at]);
      drawn.push(svg("line", { class: "witness", x1: x, y1: y, x2, y2 }));
    }
    drawn.push(svg("circle", { class: "witness-at", cx: x, cy: y, r: 7 }));
  }
  return drawn;
}

export function drawValues(found) {
  if (!held) frame.values = reach(state.values, ofValues());
  frame.value = frame.values / 1.18;
  const plane = projector(frame.values, ofValues());
  const picture = paper(frame.values, "Values and the output");
  const [x, y] = plane.at(found.output);
  state.values.forEach((value, at) => {
    const [x2, y2] = plane.at(value);
    picture.append(svg("line", { class: "pull", x1: x, y1: y, x2, y2, "stroke-opacity": found.weights[at] }));
  });
  state.values.forEach((value, at) => picture.append(point({
    name: `value ${at}`, number: at, at: plane.at(value), weight: found.weights[at],
    label: `value ${at} at ${value.map((each) => plain(each)).join(", ")}`,
    put: (px, py) => set(value, ofValues(), plane.back(px, py)), nudge: (dx, dy) => add(value, ofValues(), dx, dy),
  })));
  picture.append(svg("path", { class: "output", d: `M${x} ${y - 11}l11 11l-11 11l-11 -11z` }));
  picture.append(svg("text", { class: "output-label", x: x + (x > SIZE * 0.7 ? -14 : 14), y: y - 14, "text-anchor": x > SIZE * 0.7 ? "end" : "start" }, "output"));
  replace("values", picture);
}

// Put a picture in the place of the one before; the point that had the focus has it again.
function replace(id, picture) {
  const had = byId(id).contains(document.activeElement) ? document.activeElement.dataset.name : null;
  byId(id).replaceChildren(picture);
  if (had) picture.querySelector(`[data-name="${had}"]`)?.focus();
}
