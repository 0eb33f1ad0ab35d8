// The attention explorer: what is chosen, what is asked, and what is shown beside the maps.
import { LINKED, SENTENCE, ask, byId, calmly, chooseFrom, fail, isDark, make, onLook, readState, say, sayIfLong, showCommands, table, visible, writeState } from "./common.js";
import { colours, loadScales, scaleBar } from "./colours.js";
import { markHead, showHeads } from "./heads.js";
import { forgetLens, setUpLens } from "./lens.js";
import { LineViews } from "./lines.js";
import { MapViews, cut, shown } from "./mapview.js";
import { Ribbons } from "./ribbons.js";
import { roving } from "./roving.js";
import { save } from "./saving.js";
import { Difference, MapSource, TILE, fetchMaps } from "./tiles.js";

const DEFAULTS = {
  run: "", text: SENTENCE, step: -1, run2: "", text2: "", step2: -1, beside: false, layer: 0, head: 0, unit: "tokens", view: "map", scale: "all", area: "largest",
  left: 0, top: 0, span: 0, query: -1, key: -1,
};
const state = readState(DEFAULTS);
const sides = [...document.querySelectorAll(".side")];
let facts = []; // of each side
let asking = new AbortController();

const asked = (at) => {
  const ending = at ? "2" : "";
  const step = state[`step${ending}`];
  return { run: state[`run${ending}`], text: state[`text${ending}`], step: step < 0 ? null : step };
};
const used = () => (state.beside ? [0, 1] : [0]);
const inWords = (at) => state.unit === "words" && facts[at].words !== null;
const names = (at) => (inWords(at) ? facts[at].words : facts[at].tokens).map(visible);

const views = new MapViews(byId("maps"), { moved: (cursor) => { lines.look(cursor); tell(cursor); keep(); }, changed: () => keep() });
const pointAt = (at) => { if (views.cursor?.query !== at || views.cursor?.key !== at) views.point({ query: at, key: at }); };
const lines = new LineViews(byId("lines"), pointAt);
const ribbons = new Ribbons(byId("row"), byId("column"), pointAt);

// The address says all that is chosen.
const keep = calmly(() => {
  const { camera, cursor } = views;
  const whole = camera.span >= views.length;
  Object.assign(state, whole ? { left: 0, top: 0, span: 0 } : camera);
  Object.assign(state, cursor ?? { query: -1, key: -1 });
  const long = Math.max(state.text.length, state.text2.length) > LINKED;
  const second = state.beside ? {} : { run2: "", text2: "", step2: -1 };
  writeState({ ...state, ...second, ...(long ? { text: SENTENCE, text2: "" } : {}) }, DEFAULTS);
  showCommands(...used().map(command));
}, 150);

function command(at) {
  const { run, text, step } = asked(at);
  return ["attend", run, text, "--layer", state.layer, "--head", state.head, ...(step === null ? [] : ["--step", step]), "--out", at ? "beside.svg" : "map.svg"];
}

// Ask for the maps of everything that is chosen.
async function load() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  byId("maps").setAttribute("aria-busy", "true");
  const done = sayIfLong("Working out every map of this text …");
  try {
    const found = await Promise.all(used().map((at) => ask("/api/attention/maps", { body: asked(at), signal })));
    facts = found;
    done();
    say("");
    const least = Math.min(...facts.map((each) => each.layers)) - 1;
    state.layer = Math.min(state.layer, least);
    state.head = Math.min(state.head, Math.min(...facts.map((each) => each.heads)) - 1);
    used().forEach(showMoments);
    tellAbout();
    forgetLens();  // Before anything new is drawn: what is asked for from here on stays.
    byId("measured").replaceChildren();
    await Promise.all([grid(signal), show()]);
    byId("form").removeAttribute("data-stale");
  } catch (error) {
    if (fail(error)) byId("form").setAttribute("data-stale", "");
  } finally {
    done();
    if (!signal.aborted) byId("maps").removeAttribute("aria-busy");
  }
}
const soon = calmly(load, 350);

// The end of the colour scale of a side.
function endOf(at) {
  return state.scale === "own" ? facts[at].peaks[state.layer][state.head] || 1 : Math.max(...facts.map((each) => each.end));
}

function legend(low, high, kind, most) {
  const more = most > high * 1.001 ? ` and more, up to ${shown(most)}` : "";
  return make("span", {}, `${shown(low)} `, scaleBar(kind), ` ${shown(high, low < 0)}${more}`);
}

function titleOf(at) {
  if (!state.beside) return `Layer ${state.layer}, head ${state.head}`;
  const differs = (name) => state[name] !== state[`${name}2`];
  const said = [differs("run") ? facts[at].name : null, differs("step") ? moment(at) : null, differs("text") ? `“${cut(asked(at).text, 28)}”` : null].filter(Boolean);
  return said.join(", ") || `Layer ${state.layer}, head ${state.head}`;
}

function moment(at) {
  const { steps } = facts[at];
  const step = asked(at).step;
  if (step === null || step === steps.at(-1)) return "after training";
  return step === 0 ? "before training" : `step ${step} of ${steps.at(-1)}`;
}

async function show() {
  const sources = used().map((at) => new MapSource({ ...asked(at), layer: state.layer, head: state.head, words: inWords(at), mean: state.area === "mean" }, arrived));
  const look = isDark() ? "dark" : "light";
  const panes = used().map((at) => ({
    title: titleOf(at), source: sources[at], names: names(at), length: names(at).length, colours: colours(), low: 0, high: endOf(at), look,
    longest: Math.max(...names(at).map((name) => [...name].length)), legend: legend(0, endOf(at), "ramp", facts[at].peaks[state.layer][state.head]),
  }));
  if (state.beside && panes[0].length === panes[1].length) {
    const end = Math.max(endOf(0), endOf(1));
    panes.push({ ...panes[0], title: "The first minus the second", source: new Difference(...sources, arrived), colours: colours("diverging"), low: -end, high: end, legend: legend(-end, end, "diverging", 0) });
  }
  const before = views.length;
  views.show(panes);
  byId("area").parentElement.hidden = views.length <= TILE; // Each cell of such a map is a pixel or more.
  if (before !== views.length || !views.camera.span) views.look({ left: 0, top: 0, span: views.length });
  if (views.cursor && Math.max(views.cursor.query, views.cursor.key) >= panes[0].length) views.cursor = null;
  lines.show(views.panes, views.cursor);
  showText();
  keep();
}

function arrived(error) {
  if (error) fail(error);
  views.redraw();
  lines.redraw();
  if (views.cursor) tell(views.cursor);
}

// Every head, small.
async function grid(signal) {
  const [{ peaks, heads }] = facts;
  const small = await fetchMaps("/api/attention/grid", { ...asked(0), words: inWords(0) }, signal);
  const own = state.scale === "own";
  showHeads(byId("heads"), facts[0], small, { chosen: state, choose, endOf: (layer, head) => (own ? peaks[layer][head] || 1 : endOf(0)) });
  document.querySelector(".explorer").toggleAttribute("data-narrow", heads <= 4 && !state.beside);
}

function choose(layer, head) {
  Object.assign(state, { layer, head });
  markHead(byId("heads"), layer * facts[0].heads + head);
  show().catch(fail);
}

// The checks, what a reader must know of the text, and the measures.
function tellAbout() {
  const fine = facts.every((each) => each.passed);
  const verdict = byId("verdict");
  verdict.textContent = fine ? "These are the weights that ran: every sanity check passed." : "A sanity check failed: see below where.";
  verdict.className = `verdict ${fine ? "fine" : "broken"}`;
  const ofSide = (sentence, at) => (state.beside ? `${sentence.replace(/[.]$/, "")} (${titleOf(at)}).` : sentence);
  const said = facts.flatMap((each, at) => [...each.sentences.map((sentence) => ofSide(sentence, at)), ...(at ? [] : [`${each.name}: ${each.about}; ${each.tokens.length} tokens.`])]);
  if (state.beside) {
    if (names(0).length !== names(1).length) said.push(`There is no difference to draw: the maps have ${names(0).length} and ${names(1).length} rows.`);
    else if (names(0).join(" ") !== names(1).join(" ")) said.push("The texts differ: the difference compares places, not words.");
    if (state.run !== state.run2 && (facts[0].seed !== facts[1].seed || facts[0].seed === null)) said.push("These runs began from different weights: head 0 of one has nothing to do with head 0 of the other.");
  }
  byId("about").replaceChildren(...said.map((sentence) => make("p", { class: "note", dir: "auto" }, sentence)));
  const unit = document.querySelector("[data-unit=words]");
  unit.disabled = facts.every((each) => each.words === null);
  unit.title = unit.disabled ? "Every word is one token here" : "";
  const tableOf = (which) => facts.map((each, at) => table({ ...each[which], title: state.beside ? `${each[which].title}: ${titleOf(at)}` : each[which].title }));
  byId("checks").replaceChildren(...tableOf("checks"));
  byId("measures").replaceChildren(...tableOf("measures"));
}

function showMoments(at) {
  const { steps } = facts[at];
  const label = sides[at].querySelector(".when");
  const slider = label.querySelector("input");
  label.hidden = steps.length < 2;
  slider.max = steps.length - 1;
  const step = asked(at).step;
  slider.value = step === null ? steps.length - 1 : Math.max(0, steps.indexOf(step));
  const said = moment(at);
  label.querySelector(".moment").textContent = said[0].toUpperCase() + said.slice(1);
  slider.setAttribute("aria-valuetext", said);
}

// The text below the map, around the cursor.
function showText(around = views.cursor?.query ?? 0) {
  ribbons.show(names(0), around);
  if (views.cursor) tell(views.cursor);
}

let telling = new AbortController();
function tell({ query, key }) {
  const all = names(0);
  if (query >= all.length || key >= all.length) return;
  telling.abort();
  byId("cell").textContent = said(all, query, key, views.panes.map((each) => each.source.weight(query, key)));
  rest(query, key);
}

// The colours of the text follow when the cursor rests: hundreds of words would take longer than a frame.
const rest = calmly(async (query, key) => {
  const all = names(0);
  if (query >= all.length || key >= all.length) return;
  telling = new AbortController();
  const { signal } = telling;
  const [pane] = views.panes;
  const values = views.panes.map((each) => each.source.weight(query, key));
  byId("looks").textContent = `Where “${all[query]}” looks`;
  byId("looked").textContent = `Who looks at “${all[key]}”`;
  try {
    const found = await pane.source.token(query, key, all.length, signal);
    if (signal.aborted) return;
    if (values[0] === null) values[0] = found[0][key];
    byId("cell").textContent = said(all, query, key, values);
    if (!ribbons.has(query)) { showText(query); return; }
    ribbons.colour(found[0], found[1], { query, key });
  } catch (error) { fail(error); }
}, 50);

function said(all, query, key, values) {
  const [one, two] = values;
  const start = `“${all[query]}” (${query}) looks at “${all[key]}” (${key})`;
  if (one === null) return `${start}: …`;
  if (!state.beside) return `${start} with ${one.toFixed(4)} of its weight.`;
  const other = two === null || two === undefined ? "" : ` and ${two.toFixed(4)}, a difference of ${shown(one - two, true)}`;
  return `${start}: ${one.toFixed(4)}${other}.`;
}

async function measure(what, button) {
  button.disabled = true;
  byId("measured").replaceChildren(make("p", { class: "note" }, "This takes a moment …"));
  try {
    const found = await ask(`/api/attention/${what}`, { body: { ...asked(0), text: "" } });
    byId("measured").replaceChildren(...found.tables.map(table));
  } catch (error) {
    byId("measured").replaceChildren(make("p", { class: "wrong" }, error.message));
  } finally {
    button.disabled = false;
  }
}

function setUpSide(side, at) {
  const ending = at ? "2" : "";
  const [text, run, step] = ["text", "run", "step"].map((name) => side.querySelector(`[name=${name}]`));
  state[`run${ending}`] ||= run.value;
  chooseFrom(run, state[`run${ending}`]);
  text.value = state[`text${ending}`];
  text.addEventListener("input", () => { state[`text${ending}`] = text.value; soon(); });
  run.addEventListener("change", () => { state[`run${ending}`] = run.value; state[`step${ending}`] = -1; load(); });
  step.addEventListener("input", () => {
    const { steps } = facts[at];
    const chosen = steps[Number(step.value)];
    state[`step${ending}`] = chosen === steps.at(-1) ? -1 : chosen;
    showMoments(at);
    quickly();
  });
}
const quickly = calmly(load, 80);

function beside(on) {
  state.beside = on;
  sides[1].hidden = !on;
  byId("compare").setAttribute("aria-pressed", String(on));
}

// Draw all of it once more, as it is chosen now.
function again() {
  Promise.all([grid(asking.signal), show()]).catch(fail);
}

// Buttons of which one is pressed: `data-NAME` of each is a value of the state.
function choice(name, changed) {
  const buttons = [...document.querySelectorAll(`[data-${name}]`)];
  const mark = () => buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.dataset[name] === state[name])));
  mark();
  for (const button of buttons) button.addEventListener("click", () => { state[name] = button.dataset[name]; mark(); changed(); });
}

// The map, or lines between tokens.
function showView() {
  byId("maps").hidden = byId("zoom").hidden = byId("keys").hidden = state.view === "lines";
  byId("lines").hidden = state.view !== "lines";
  lines.redraw();
  views.redraw();
  keep();
}

function setUp() {
  if (!state.text2) state.text2 = state.text;
  if (!state.run2) state.run2 = state.run;
  sides.forEach(setUpSide);
  beside(state.beside);
  byId("compare").addEventListener("click", () => {
    if (!state.beside) {
      Object.assign(state, { run2: state.run, text2: state.text, step2: 0 });
      sides[1].querySelector("[name=run]").value = state.run;
      sides[1].querySelector("[name=text]").value = state.text;
    }
    beside(!state.beside);
    load();
  });
  choice("unit", () => { views.cursor = null; again(); });
  choice("view", showView);
  showView();
  for (const name of ["scale", "area"]) {
    byId(name).value = state[name];
    byId(name).addEventListener("change", () => { state[name] = byId(name).value; again(); });
  }
  byId("closer").addEventListener("click", () => views.zoom(1 / 1.5));
  byId("farther").addEventListener("click", () => views.zoom(1.5));
  byId("whole").addEventListener("click", () => views.look({ left: 0, top: 0, span: views.length }));
  byId("save").addEventListener("change", () => {
    const canvases = (state.view === "lines" ? lines : views).panes.map((pane) => pane.canvas);
    save(byId("save").value, { name: facts[0].name, asked: asked(0), layer: state.layer, head: state.head, canvases }).catch(fail);
    byId("save").value = "";
  });
  setUpLens(() => asked(0));
  byId("measure").addEventListener("click", () => measure("heads", byId("measure")));
  byId("ablate").addEventListener("click", () => measure("ablation", byId("ablate")));
  roving(byId("heads"), "button", () => facts[0]?.heads ?? 1);
  roving(byId("row"), "button");
  roving(byId("column"), "button");
  onLook(() => { if (facts.length) again(); });
}

async function begin() {
  if (!byId("form")) return;
  setUp();
  const start = { left: state.left, top: state.top, span: state.span, query: state.query, key: state.key };
  try {
    await loadScales();
  } catch (error) { fail(error); return; }
  await load();
  if (start.span) views.look({ left: start.left, top: start.top, span: start.span });
  if (start.query >= 0 && facts.length) views.point({ query: start.query, key: start.key });
}

export { views };
window.views = views; // For those who measure frames.
begin();
