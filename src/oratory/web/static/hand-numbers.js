// The same as numbers: a table of keys, values and weights, and the settings around it.
import { byId, make, say } from "./common.js";
import { plain, svg } from "./svg.js";
import { dragging } from "./hand-planes.js";
import { exercise, length, movesKey, movesQuery, query, state } from "./hand-scene.js";

const FEW = 3; // Up to so many dimensions, every number has a field; of more, one field has all.
let changed = null;

// What is called when a number has changed (`moved`), and when other keys are wanted (`forget`, then `draw`).
export function onNumbers(calls) {
  changed = calls;
}

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
        changed.moved();
      },
    }));
    return box;
  }
  vector.forEach((value, at) => box.append(make("input", {
    type: "number", step: 0.05, value: Number(value.toPrecision(6)), "aria-label": `${name}, number ${at + 1}`, disabled: still,
    onchange: (event) => {
      if (!Number.isFinite(event.target.valueAsNumber)) return say("That is no number.", true);
      vector[at] = event.target.valueAsNumber;
      changed.moved();
    },
  })));
  return box;
}

function meter(weight) {
  const bar = svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "track", width: 100, height: 8, rx: 2 }), svg("rect", { class: "filled", width: 100 * weight, height: 8, rx: 2 }));
  return make("div", { class: "meter" }, bar, make("span", { class: "figure" }, weight.toFixed(4)));
}

export function drawTable(found) {
  if (byId("table").contains(document.activeElement) && !dragging() && document.activeElement.type === "number") return fillTable(found);
  const goal = exercise()?.wanted[state.row];
  byId("table").querySelector(".goal-column").hidden = !goal;
  byId("table").querySelector("tbody").replaceChildren(...state.keys.map((key, at) => make("tr", {},
    make("td", {}, make("label", { class: "inline" }, make("input", {
      type: "checkbox", checked: state.wanted.has(at), "aria-label": `key ${at} is wanted`,
      onchange: (event) => {
        if (event.target.checked) state.wanted.add(at);
        else state.wanted.delete(at);
        changed.forget();
        changed.draw();
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
  [...byId("table").querySelectorAll("tbody tr")].forEach((row, at) => {
    row.cells[1].replaceChildren(meter(found.weights[at]));
    row.cells[row.cells.length - 3].textContent = plain(found.scores[at]);
  });
}

export function drawTools() {
  const size = state.keys[0].length;
  byId("count").value = state.keys.length;
  byId("dimensions").value = size;
  byId("count").disabled = byId("dimensions").disabled = byId("scale").disabled = Boolean(exercise());
  byId("scale").checked = state.scale;
  byId("exercise").value = state.exercise ?? "";
  for (const each of document.querySelectorAll(".axes")) each.hidden = size < 3;
  for (const name of ["across", "up"]) {
    if (byId(name).options.length !== size) byId(name).replaceChildren(...state.keys[0].map((_, at) => make("option", { value: at }, String(at + 1))));
    byId(name).value = Math.min(state[name], size - 1);
  }
  const long = length(query());
  byId("length").value = long ? Math.log10(long) : -2;
  byId("length").disabled = !movesQuery();
  byId("length-shown").textContent = plain(long);
  if (!byId("query-at").contains(document.activeElement)) byId("query-at").replaceChildren(fields(query(), "query", !movesQuery()));
  byId("which-row").hidden = state.queries.length < 2;
  if (byId("which").options.length !== state.queries.length) {
    byId("which").replaceChildren(...state.queries.map((_, at) => make("option", { value: at }, `query ${at}`)));
  }
  byId("which").value = state.row;
  const movable = exercise() ? (exercise().replaced === null ? ["query"] : [String(exercise().replaced)]) : ["query", ...state.keys.map((_, at) => String(at))];
  if (!movable.includes(state.moves)) state.moves = movable[0];
  byId("moves").replaceChildren(...movable.map((each) => make("option", { value: each }, each === "query" ? "the query" : `key ${each}`)));
  byId("moves").value = state.moves;
  const chosen = [...state.wanted].sort();
  byId("solve").textContent = exercise() ? "Show me" : chosen.length > 1 ? `Average ${chosen.join(", ")}` : chosen.length ? `Select ${chosen[0]}` : "Select";
  byId("solve").disabled = !exercise() && !chosen.length;
  byId("check").hidden = !exercise();
  byId("forget").hidden = state.certificate === null;
  byId("goal").hidden = !exercise();
  if (exercise()) byId("goal").textContent = goalText(exercise());
}

function goalText({ name, replaced, length: long, wanted }) {
  const what = replaced === null
    ? `Move the ${wanted.length > 1 ? "queries" : "query"} until the weights are the goal.`
    : `The query stays. Move key ${replaced}${long ? `, which must be ${long} long,` : ""} until the weights are the goal.`;
  return `${name[0].toUpperCase()}${name.slice(1)}. ${what}`;
}
