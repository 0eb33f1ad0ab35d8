// Attention by hand: points that move, weights that follow, the solver, and exercises that check an answer.
import { ask, calmly, fail, make, readState, say, writeState } from "/static/common.js";
import { plain, showPlainCommand, svg, ticks } from "/static/svg.js";

const SIZE = 440; // Of a picture, in its own units.
const FEW = 3; // Up to so many dimensions, every number has a field; of more, one field has all.
const $ = (id) => document.getElementById(id);

const DEFAULTS = {
  keys: "[[0.9,0.3],[0.2,0.9],[-0.8,0.5],[-0.2,-0.8]]",
  values: "[[0.8,0.8],[-0.8,0.7],[-0.7,-0.7],[0.8,-0.6]]",
  queries: "[[1,0.6]]",
  wanted: "0",
  exercise: "",
  scale: false,
  across: 0,
  up: 1,
};

const state = { keys: [], values: [], queries: [[0, 0]], row: 0, wanted: new Set([0]), exercise: null, scale: false, across: 0, up: 1, moves: "query" };
let certificate = null;
let exercises = [];
let frame = {}; // How far each picture reaches; it stays as it is while something is dragged.
let held = null;

// --- attention itself

const dot = (a, b) => a.reduce((sum, value, at) => sum + value * b[at], 0);
const length = (a) => Math.hypot(...a);
const query = () => state.queries[state.row];

export function attention() {
  const factor = state.scale ? state.keys[0].length ** -0.5 : 1;
  const scores = state.keys.map((key) => factor * dot(key, query()));
  const top = Math.max(...scores);
  const raised = scores.map((score) => Math.exp(score - top));
  const total = raised.reduce((sum, value) => sum + value, 0);
  const weights = raised.map((value) => value / total);
  const output = state.values[0].map((_, at) => dot(weights, state.values.map((value) => value[at])));
  return { scores, weights, output };
}

// --- what may be moved

const exercise = () => (state.exercise === null ? null : exercises[state.exercise]);
const movesKey = (at) => !exercise() || exercise().replaced === at;
const movesQuery = () => !exercise() || exercise().replaced === null;

// --- pictures

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
  if (weight !== null) made.append(svg("circle", { class: "weight", r: 16 * Math.sqrt(weight) }));
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
    moved();
  });
  return made;
}

// The pointer belongs to the window, because a picture is drawn anew while a point moves.
addEventListener("pointermove", (event) => {
  if (!held) return;
  const place = $(held.name.startsWith("value") ? "values" : "keys").querySelector("svg");
  const box = place.getBoundingClientRect();
  const inside = (value) => Math.min(0.98 * SIZE, Math.max(0.02 * SIZE, value));
  held.put(inside(((event.clientX - box.left) / box.width) * SIZE), inside(((event.clientY - box.top) / box.height) * SIZE));
  moved();
});
for (const end of ["pointerup", "pointercancel"]) {
  addEventListener(end, () => {
    if (!held) return;
    held = null;
    draw();
  });
}

const set = (vector, [across, up], [x, y]) => {
  vector[across] = Number(x.toFixed(3));
  if (up < vector.length && up !== across) vector[up] = Number(y.toFixed(3));
};
const add = (vector, axes, dx, dy, times = 1) => set(vector, axes, [(vector[axes[0]] ?? 0) + times * dx, (vector[axes[1]] ?? 0) + times * dy]);

function drawKeys(found) {
  if (!held) {
    const bound = reach(state.keys, ofKeys());
    const far = Math.max(Math.abs(query()[state.across] ?? 0), Math.abs(query()[state.up] ?? 0));
    frame = { ...frame, keys: bound, key: bound / 1.18, query: far > bound ? far / 0.8 : bound };
  }
  const plane = projector(frame.keys, ofKeys()), distant = projector(frame.query, ofKeys());
  const picture = paper(frame.keys, "Keys and the query");
  if (certificate) picture.append(...witness(plane));
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
  const x = Math.max(said.length * 3.8, Math.min(SIZE - said.length * 3.8, tip[0]));
  const y = tip[1] < SIZE / 2 ? Math.max(14, tip[1] - 16) : Math.min(SIZE - 6, tip[1] + 26);
  picture.append(svg("text", { class: "arrow-head name", x, y, "text-anchor": "middle", "font-size": 13, "font-weight": 600 }, said));
  replace("keys", picture);
}

// Why there is no such query: the two sides of the certificate meet in one point.
function witness(plane) {
  const { left, right } = certificate;
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

function drawValues(found) {
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
  const had = $(id).contains(document.activeElement) ? document.activeElement.dataset.name : null;
  $(id).replaceChildren(picture);
  if (had) picture.querySelector(`[data-name="${had}"]`)?.focus();
}

// --- numbers

function fields(vector, name, still) {
  const box = make("span", { class: "numbers" });
  if (vector.length > FEW) {
    box.append(make("input", {
      type: "text", "aria-label": `${name}, all numbers`, value: vector.map((value) => plain(value, 6)).join(", "), disabled: still,
      onchange: (event) => {
        const given = event.target.value.split(/[\s,;]+/).filter(Boolean).map(Number);
        if (given.length !== vector.length || given.some((value) => !Number.isFinite(value))) {
          return say(`${name} needs ${vector.length} numbers with commas between them.`, true);
        }
        vector.splice(0, vector.length, ...given);
        moved();
      },
    }));
    return box;
  }
  vector.forEach((value, at) => box.append(make("input", {
    type: "number", step: 0.05, value: Number(value.toPrecision(6)), "aria-label": `${name}, number ${at + 1}`, disabled: still,
    onchange: (event) => {
      if (!Number.isFinite(event.target.valueAsNumber)) return say("That is no number.", true);
      vector[at] = event.target.valueAsNumber;
      moved();
    },
  })));
  return box;
}

function meter(weight) {
  const bar = svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 8, rx: 2 }), svg("rect", { class: "filled", width: 100 * weight, height: 8, rx: 2 }));
  return make("div", { class: "meter" }, bar, make("span", { class: "figure" }, weight.toFixed(4)));
}

function drawTable(found) {
  if ($("table").contains(document.activeElement) && held === null && document.activeElement.type === "number") return fillTable(found);
  const goal = exercise()?.wanted[state.row];
  $("table").querySelector(".goal-column").hidden = !goal;
  $("table").querySelector("tbody").replaceChildren(...state.keys.map((key, at) => make("tr", {},
    make("td", {}, make("label", { class: "inline" }, make("input", {
      type: "checkbox", checked: state.wanted.has(at), "aria-label": `key ${at} is wanted`,
      onchange: (event) => {
        if (event.target.checked) state.wanted.add(at);
        else state.wanted.delete(at);
        forget();
        draw();
      },
    }), String(at))),
    make("td", {}, meter(found.weights[at])),
    goal ? make("td", { class: "figure" }, plain(goal[at], 3)) : null,
    make("td", { class: "figure" }, plain(found.scores[at])),
    make("td", {}, fields(key, `key ${at}`, !movesKey(at))),
    make("td", {}, fields(state.values[at], `value ${at}`)))));
}

// Only the scores and weights, where somebody types.
function fillTable(found) {
  [...$("table").querySelectorAll("tbody tr")].forEach((row, at) => {
    row.cells[1].replaceChildren(meter(found.weights[at]));
    row.cells[row.cells.length - 3].textContent = plain(found.scores[at]);
  });
}

function drawTools() {
  const size = state.keys[0].length;
  $("count").value = state.keys.length;
  $("dimensions").value = size;
  $("count").disabled = $("dimensions").disabled = $("scale").disabled = Boolean(exercise());
  $("scale").checked = state.scale;
  $("exercise").value = state.exercise ?? "";
  for (const each of document.querySelectorAll(".axes")) each.hidden = size < 3;
  for (const name of ["across", "up"]) {
    if ($(name).options.length !== size) $(name).replaceChildren(...state.keys[0].map((_, at) => make("option", { value: at }, String(at + 1))));
    $(name).value = Math.min(state[name], size - 1);
  }
  const long = length(query());
  $("length").value = long ? Math.log10(long) : -2;
  $("length").disabled = !movesQuery();
  $("length-shown").textContent = plain(long);
  if (!$("query-at").contains(document.activeElement)) $("query-at").replaceChildren(fields(query(), "query", !movesQuery()));
  $("which-row").hidden = state.queries.length < 2;
  if ($("which").options.length !== state.queries.length) {
    $("which").replaceChildren(...state.queries.map((_, at) => make("option", { value: at }, `query ${at}`)));
  }
  $("which").value = state.row;
  const movable = exercise() ? (exercise().replaced === null ? ["query"] : [String(exercise().replaced)]) : ["query", ...state.keys.map((_, at) => String(at))];
  if (!movable.includes(state.moves)) state.moves = movable[0];
  $("moves").replaceChildren(...movable.map((each) => make("option", { value: each }, each === "query" ? "the query" : `key ${each}`)));
  $("moves").value = state.moves;
  const chosen = [...state.wanted].sort();
  $("solve").textContent = exercise() ? "Show me" : chosen.length > 1 ? `Average ${chosen.join(", ")}` : chosen.length ? `Select ${chosen[0]}` : "Select";
  $("solve").disabled = !exercise() && !chosen.length;
  $("check").hidden = !exercise();
  $("forget").hidden = certificate === null;
  $("goal").hidden = !exercise();
  if (exercise()) $("goal").textContent = goalText(exercise());
}

function goalText({ name, replaced, length: long, wanted }) {
  const what = replaced === null
    ? `Move the ${wanted.length > 1 ? "queries" : "query"} until the weights are the goal.`
    : `The query stays. Move key ${replaced}${long ? `, which must be ${long} long,` : ""} until the weights are the goal.`;
  return `${name[0].toUpperCase()}${name.slice(1)}. ${what}`;
}

// --- keeping and asking

const keep = calmly(() => writeState({
  keys: JSON.stringify(state.keys), values: JSON.stringify(state.values), queries: JSON.stringify(state.queries),
  wanted: [...state.wanted].join(","), exercise: state.exercise === null ? "" : String(state.exercise),
  scale: state.scale, across: state.across, up: state.up,
}, DEFAULTS));

function request() {
  const wanted = [...state.wanted].sort((a, b) => a - b);
  const asked = { keys: state.keys, values: state.values, scale: state.scale };
  const task = exercise();
  if (task) {
    const row = task.wanted[state.row];
    Object.assign(asked, { keys: task.keys, weights: row });
    const members = row.flatMap((weight, at) => (weight ? [at] : []));
    delete asked.weights;
    if (members.length > 1) asked.average = members;
    else [asked.select] = members;
    if (task.length) asked.length = task.length;
  } else if (wanted.length > 1) asked.average = wanted;
  else [asked.select] = wanted;
  if (state.moves !== "query") Object.assign(asked, { query: query(), replace_key: Number(state.moves) });
  return asked;
}

function command() {
  const asked = request();
  const words = ["solve", "--keys", JSON.stringify(asked.keys)];
  if (asked.average) words.push("--average", asked.average.join(","));
  else words.push("--select", asked.select ?? 0);
  if (asked.replace_key !== undefined) words.push("--query", JSON.stringify(asked.query), "--replace-key", asked.replace_key);
  if (asked.length) words.push("--length", asked.length);
  if (asked.scale) words.push("--scale");
  showPlainCommand(...words);
}

async function solveIt() {
  try {
    const found = await ask("/api/hand/solve", { body: request() });
    if (found.query) state.queries[state.row] = found.query.map((value) => Number(value.toPrecision(12)));
    if (found.key) state.keys[found.replaced] = found.key;
    certificate = found.certificate ?? null;
    const margin = found.margin > 0 ? make("p", { class: "note" }, `Margin: ${plain(found.margin, 6)}.`) : null;
    $("answer").replaceChildren(...found.says.map((sentence) => make("p", { class: found.possible ? "done" : "wrong" }, sentence)), ...(margin ? [margin] : []));
    draw();
  } catch (error) { fail(error); }
}

async function check() {
  const task = exercise();
  const body = task.replaced === null ? { queries: state.queries } : { key: state.keys[task.replaced] };
  try {
    const found = await ask(`/api/hand/exercises/${state.exercise}`, { body });
    $("answer").replaceChildren(make("p", { class: found.solved ? "done" : "wrong" }, found.says));
  } catch (error) { fail(error); }
}

function forget() {
  certificate = null;
  $("answer").replaceChildren();
}

function moved() {
  if (certificate) forget();
  draw();
}

function draw() {
  const found = attention();
  drawKeys(found);
  drawValues(found);
  drawTable(found);
  drawTools();
  command();
  keep();
}

// --- setting up

function begin(number) {
  const task = exercises[number];
  state.exercise = number;
  state.keys = task.keys.map((key) => [...key]);
  state.values = spread(task.keys.length);
  state.queries = task.query ? [[...task.query]] : task.wanted.map(() => task.keys[0].map(() => 1));
  state.row = 0;
  state.scale = false;
  state.wanted = new Set(task.wanted[0].flatMap((weight, at) => (weight ? [at] : [])));
  state.moves = task.replaced === null ? "query" : String(task.replaced);
  forget();
}

// Points on a circle.
function spread(count, size = 2) {
  return Array.from({ length: count }, (_, at) => {
    const angle = (2 * Math.PI * at) / count + 0.6;
    return Array.from({ length: size }, (_none, d) => (d === 0 ? Number(Math.cos(angle).toFixed(2)) : d === 1 ? Number(Math.sin(angle).toFixed(2)) : 0));
  });
}

function resize(count, size) {
  const fit = (vector) => Array.from({ length: size }, (_, at) => vector[at] ?? 0);
  const circle = spread(Math.max(count, 3), size);
  state.keys = Array.from({ length: count }, (_, at) => fit(state.keys[at] ?? circle[at]));
  state.values = Array.from({ length: count }, (_, at) => state.values[at] ?? circle[at].slice(0, Math.max(2, state.values[0].length)));
  state.values = state.values.map((value) => Array.from({ length: state.values[0].length }, (_, at) => value[at] ?? 0));
  state.queries = [fit(state.queries[0])];
  state.row = 0;
  state.wanted = new Set([...state.wanted].filter((at) => at < count));
  state.across = Math.min(state.across, size - 1);
  state.up = Math.min(Math.max(state.up, 1), Math.max(size - 1, 1));
  forget();
  draw();
}

function restore() {
  const given = readState(DEFAULTS);
  const rows = (text, other) => {
    try {
      const found = JSON.parse(text);
      const whole = Array.isArray(found) && found.length && found.length <= 24 && found.every((row) => Array.isArray(row)
        && row.length === found[0].length && row.length <= 64 && row.length && row.every(Number.isFinite));
      return whole ? found : JSON.parse(other);
    } catch { return JSON.parse(other); }
  };
  state.scale = given.scale;
  state.across = Math.max(0, given.across);
  state.up = Math.max(0, given.up);
  const number = given.exercise === "" ? null : Number(given.exercise);
  if (number !== null && exercises[number]) begin(number);
  const keys = rows(given.keys, DEFAULTS.keys), values = rows(given.values, DEFAULTS.values), queries = rows(given.queries, DEFAULTS.queries);
  const fits = keys.length === values.length && queries[0].length === keys[0].length;
  if (!exercise()) Object.assign(state, fits ? { keys, values, queries } : { keys: rows("", DEFAULTS.keys), values: rows("", DEFAULTS.values), queries: rows("", DEFAULTS.queries) });
  else if (given.keys !== DEFAULTS.keys && fits && keys.length === state.keys.length && queries.length === state.queries.length && queries[0].length === state.keys[0].length) {
    Object.assign(state, { keys, values, queries });
  }
  if (!exercise()) state.wanted = new Set(given.wanted.split(",").filter((word) => word !== "").map(Number).filter((at) => at >= 0 && at < state.keys.length));
}

$("setup").addEventListener("submit", (event) => event.preventDefault());
$("exercise").addEventListener("change", (event) => {
  if (event.target.value === "") {
    state.exercise = null;
    state.queries = [query()];
    state.row = 0;
    forget();
  } else begin(Number(event.target.value));
  draw();
});
const bounded = (field) => Math.min(Number(field.max), Math.max(Number(field.min), Math.round(field.valueAsNumber) || 1));
for (const id of ["count", "dimensions"]) $(id).addEventListener("change", () => resize(bounded($("count")), bounded($("dimensions"))));
for (const id of ["across", "up"]) $(id).addEventListener("change", (event) => { state[id] = Number(event.target.value); draw(); });
$("scale").addEventListener("change", (event) => { state.scale = event.target.checked; moved(); });
$("length").addEventListener("input", (event) => {
  const long = length(query()), wanted = 10 ** event.target.valueAsNumber;
  state.queries[state.row] = long ? query().map((value) => (value * wanted) / long) : query().map((_, at) => (at ? 0 : wanted));
  moved();
});
$("which").addEventListener("change", (event) => {
  state.row = Number(event.target.value);
  state.wanted = new Set(exercise().wanted[state.row].flatMap((weight, at) => (weight ? [at] : [])));
  forget();
  draw();
});
$("moves").addEventListener("change", (event) => { state.moves = event.target.value; forget(); draw(); });
$("solve").addEventListener("click", solveIt);
$("check").addEventListener("click", check);
$("forget").addEventListener("click", () => { forget(); draw(); });

ask("/api/hand/exercises").then((found) => {
  exercises = found;
  restore();
  draw();
}).catch(fail);
