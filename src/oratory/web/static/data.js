// The data view: the audit of a corpus, leaked texts with their twins, baselines, splits.
import { ask, byId, calmly, fail, isDark, make, onLook, readState, say, table, writeState } from "./common.js";
import { marked, plain } from "./svg.js";

const DEFAULTS = { data: byId("corpus").options[0]?.value ?? "sotu", held: "test", find: "", near: false };
const state = readState(DEFAULTS);
const body = (id) => byId(id).querySelector(".body");
let commands = {};
let asking = new AbortController();

const query = (more = {}) => new URLSearchParams({ data: state.data, ...more }).toString();
const keep = () => writeState(state, DEFAULTS);

async function load() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  keep();
  say("Reading the corpus …");
  for (const id of ["audit", "splits"]) body(id).replaceChildren(make("p", { class: "faint" }, "One moment …"));
  byId("leaks").hidden = true;
  try {
    const shown = await ask(`/api/data/show?${query()}`, { signal });
    commands = shown.commands;
    byId("command").textContent = [commands.audit, commands.baselines, commands.show].join("\n");
    body("splits").replaceChildren(...shown.notes.map((note) => make("p", { class: "note" }, note)), ...shown.tables.map(textTable));
    const found = await ask(`/api/data/audit?${query()}`, { signal });
    const findings = make("ul", { class: "findings" }, ...found.sentences.map((sentence) => make("li", {}, sentence)));
    body("audit").replaceChildren(findings, ...found.tables.map(textTable));
    say("");
    byId("leaks").hidden = !shown.held_out.length;
    byId("held").replaceChildren(...shown.held_out.map((name) => make("option", { value: name }, name)));
    if (!shown.held_out.includes(state.held)) state.held = shown.held_out[0] ?? "test";
    byId("held").value = state.held;
    await Promise.all([shown.held_out.length ? leaks() : null, scales()]);
  } catch (error) { fail(error); }
}

// Texts of a corpus go in any direction.
function textTable(facts) {
  const made = table(facts);
  for (const cell of made.querySelectorAll("td:not(.figure)")) cell.dir = "auto";
  return made;
}

async function leaks(first = 0) {
  const { signal } = asking;
  keep();
  try {
    const found = await ask(`/api/data/twins?${query({ held: state.held, find: state.find, near: state.near, first })}`, { signal });
    byId("h-leaks").textContent = state.held === "test" ? "Texts of test that stand in train" : `Texts of ${state.held} that stand in train`;
    byId("leak-count").textContent = `${found.exact.toLocaleString("en")} of ${found.items.toLocaleString("en")} are word for word in train; `
      + `${found.matching.toLocaleString("en")} ${state.find || state.near ? "match" : "are listed with those that are almost the same"}.`;
    if (!first) byId("leak-list").replaceChildren();
    if (!found.matching) byId("leak-list").replaceChildren(make("li", {}, make("p", { class: "faint empty" }, state.find || state.near ? "No such text." : "Nothing leaks here.")));
    byId("leak-list").append(...found.twins.map(row));
    const shown = first + found.twins.length;
    byId("more").hidden = shown >= found.matching;
    byId("more").onclick = () => leaks(shown);
    if (!first) byId("twin").replaceChildren(make("p", { class: "faint" }, "The twin of the text that you choose is shown here."));
  } catch (error) { fail(error); }
}

function row(twin) {
  const button = make("button", { type: "button", "aria-pressed": "false", dir: "auto" },
    twin.exact ? null : make("span", { class: "tag" }, `${Math.round(100 * twin.jaccard)}% alike`),
    twin.label !== null && twin.twin_label !== null && twin.label !== twin.twin_label ? make("span", { class: "tag bad" }, "other label") : null,
    twin.text);
  button.addEventListener("click", () => {
    for (const each of byId("leak-list").querySelectorAll("[aria-pressed=true]")) each.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", "true");
    show(twin);
  });
  return make("li", {}, button);
}

function show(twin) {
  const label = (name) => (name === null ? "" : `, label ${name}`);
  const where = twin.other === null ? "in train as it was given" : `train, text ${twin.other.toLocaleString("en")}`;
  const more = twin.times > 1 ? ` It stands there ${twin.times} times.` : "";
  const says = twin.exact
    ? `The same after normalising case, punctuation and white space.${more}`
    : `Almost the same: the Jaccard index of their word triples is ${plain(twin.jaccard, 2)}. Words that the other does not have are marked.`;
  const [own, other] = twin.exact ? [[twin.text], [twin.twin]] : [marked(twin.text, twin.twin, false), marked(twin.twin, twin.text, false)];
  byId("twin").replaceChildren(
    make("h3", {}, `${state.held}, text ${twin.item.toLocaleString("en")}${label(twin.label)}`), make("blockquote", { dir: "auto" }, ...own),
    make("h3", {}, `${where}${label(twin.twin_label)}`), make("blockquote", { dir: "auto" }, ...other), make("p", { class: "note" }, says));
}

async function measure() {
  byId("measure").disabled = true;
  byId("measure").textContent = "Measuring …";
  try {
    const found = await ask(`/api/data/baselines?${query()}`, { signal: asking.signal });
    body("baselines").replaceChildren(...found.tables.map(textTable));
  } catch (error) {
    fail(error);
    byId("measure").disabled = false;
    byId("measure").textContent = "Measure the baselines";
  }
}

// Studies of scale: their curves, and where they cross.
async function scales() {
  const found = await ask(`/api/data/scales?${query()}`, { signal: asking.signal });
  body("scale").replaceChildren(...(found.scales.length ? found.scales.map(study) : [
    make("p", { class: "faint" }, "Nobody has trained on parts of this corpus yet. This command trains on nested parts of train, and says from which size on a model wins:"),
    make("div", { class: "code" }, make("pre", { tabindex: 0 }, found.command), make("button", { type: "button", "data-copy": true }, "Copy"))]));
  if (found.scales.length) byId("command").textContent = [...Object.values(commands), ...found.scales.map((each) => each.command)].join("\n");
}

function study(facts) {
  const image = make("img", { alt: `Curves by the size of train. ${facts.sentences.join(" ")}`, "data-study": facts.id });
  drawStudy(image);
  return make("article", {},
    make("ul", { class: "findings" }, ...facts.sentences.map((sentence) => make("li", {}, sentence))),
    make("figure", { class: "study", tabindex: 0 }, image, make("figcaption", {}, facts.caption)), ...facts.tables.map(textTable),
    make("p", {}, make("a", { href: `/comparisons/${facts.id}` }, "The whole study")));
}

function drawStudy(image) {
  image.src = `/api/data/scales/${image.dataset.study}.svg?dark=${isDark()}`;
}
onLook(() => document.querySelectorAll("[data-study]").forEach(drawStudy));

const before = body("baselines").cloneNode(true);
function resetBaselines() {
  body("baselines").replaceWith(before.cloneNode(true));
  byId("measure").addEventListener("click", measure);
}

byId("choice").addEventListener("submit", (event) => event.preventDefault());
byId("filter").addEventListener("submit", (event) => event.preventDefault());
byId("corpus").addEventListener("change", (event) => {
  Object.assign(state, { data: event.target.value, held: "test", find: "", near: false });
  byId("find").value = "";
  byId("near").checked = false;
  resetBaselines();
  load();
});
byId("held").addEventListener("change", (event) => { state.held = event.target.value; leaks(); });
byId("find").addEventListener("input", calmly((event) => { state.find = event.target.value; leaks(); }, 250));
byId("near").addEventListener("change", (event) => { state.near = event.target.checked; leaks(); });
byId("corpus").value = state.data;
byId("find").value = state.find;
byId("near").checked = state.near;
resetBaselines();
if (byId("corpus").options.length) load();
