// Attention by hand: the solver, exercises that check an answer, and setting up.
import { ask, byId, calmly, fail, make, readState, writeState } from "./common.js";
import { plain, showPlainCommand } from "./svg.js";
import { drawTable, drawTools, onNumbers } from "./hand-numbers.js";
import { drawKeys, drawValues, onChange } from "./hand-planes.js";
import { DEFAULTS, attention, exercise, length, query, spread, state } from "./hand-scene.js";


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
    state.certificate = found.certificate ?? null;
    const margin = found.margin > 0 ? make("p", { class: "note" }, `Margin: ${plain(found.margin, 6)}.`) : null;
    byId("answer").replaceChildren(...found.says.map((sentence) => make("p", { class: found.possible ? "done" : "wrong" }, sentence)), ...(margin ? [margin] : []));
    draw();
  } catch (error) { fail(error); }
}

async function check() {
  const task = exercise();
  const body = task.replaced === null ? { queries: state.queries } : { key: state.keys[task.replaced] };
  try {
    const found = await ask(`/api/hand/exercises/${state.exercise}`, { body });
    byId("answer").replaceChildren(make("p", { class: found.solved ? "done" : "wrong" }, found.says));
  } catch (error) { fail(error); }
}

function forget() {
  state.certificate = null;
  byId("answer").replaceChildren();
}

function moved() {
  if (state.certificate) forget();
  draw();
}

onChange({ moved, draw });
onNumbers({ moved, draw, forget });

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
  const task = state.exercises[number];
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
  if (number !== null && state.exercises[number]) begin(number);
  const keys = rows(given.keys, DEFAULTS.keys), values = rows(given.values, DEFAULTS.values), queries = rows(given.queries, DEFAULTS.queries);
  const fits = keys.length === values.length && queries[0].length === keys[0].length;
  if (!exercise()) Object.assign(state, fits ? { keys, values, queries } : { keys: rows("", DEFAULTS.keys), values: rows("", DEFAULTS.values), queries: rows("", DEFAULTS.queries) });
  else if (given.keys !== DEFAULTS.keys && fits && keys.length === state.keys.length && queries.length === state.queries.length && queries[0].length === state.keys[0].length) {
    Object.assign(state, { keys, values, queries });
  }
  if (!exercise()) state.wanted = new Set(given.wanted.split(",").filter((word) => word !== "").map(Number).filter((at) => at >= 0 && at < state.keys.length));
}

byId("setup").addEventListener("submit", (event) => event.preventDefault());
byId("exercise").addEventListener("change", (event) => {
  if (event.target.value === "") {
    state.exercise = null;
    state.queries = [query()];
    state.row = 0;
    forget();
  } else begin(Number(event.target.value));
  draw();
});
const bounded = (field) => Math.min(Number(field.max), Math.max(Number(field.min), Math.round(field.valueAsNumber) || 1));
for (const id of ["count", "dimensions"]) byId(id).addEventListener("change", () => resize(bounded(byId("count")), bounded(byId("dimensions"))));
for (const id of ["across", "up"]) byId(id).addEventListener("change", (event) => { state[id] = Number(event.target.value); draw(); });
byId("scale").addEventListener("change", (event) => { state.scale = event.target.checked; moved(); });
byId("length").addEventListener("input", (event) => {
  const long = length(query()), wanted = 10 ** event.target.valueAsNumber;
  state.queries[state.row] = long ? query().map((value) => (value * wanted) / long) : query().map((_, at) => (at ? 0 : wanted));
  moved();
});
byId("which").addEventListener("change", (event) => {
  state.row = Number(event.target.value);
  state.wanted = new Set(exercise().wanted[state.row].flatMap((weight, at) => (weight ? [at] : [])));
  forget();
  draw();
});
byId("moves").addEventListener("change", (event) => { state.moves = event.target.value; forget(); draw(); });
byId("solve").addEventListener("click", solveIt);
byId("check").addEventListener("click", check);
byId("forget").addEventListener("click", () => { forget(); draw(); });

ask("/api/hand/exercises").then((found) => {
  state.exercises = found;
  restore();
  draw();
}).catch(fail);
