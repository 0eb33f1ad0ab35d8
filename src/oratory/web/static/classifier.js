// The classifier view: probabilities, nearest texts, which tokens mattered, confusion matrix, calibration.
import { ask, byId, chooseFrom, fail, make, onLook, readState, say, showCommand, table, writeState } from "./common.js";
import { mixed, paint, sides } from "./colours.js";
import { marked, percent, plain, svg } from "./svg.js";

const DEFAULTS = { run: byId("run").options[0].value, text: "", why: false, label: "", split: "test", seen: "", row: "", column: "" };
const state = readState(DEFAULTS);
let asking = new AbortController();
let labels = [];

const api = (part = "") => `/api/classifier/${encodeURIComponent(state.run)}${part}`;
const shade = (element, side, share) => paint(element, mixed(sides()[side], sides().paper, 0.75 * Math.min(1, share)));

function keep() {
  writeState(state, DEFAULTS);
  showCommand("score", state.run, state.text.trim() || "TEXT", ...(state.why ? ["--why"] : []));
}

// --- a text

async function classify() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  keep();
  if (!state.text.trim()) return say("Type a text first.", true);
  say("");
  const body = { text: state.text };
  try {
    const [scored, near] = await Promise.all([
      ask(api("/score"), { body, signal }),
      ask(api("/nearest"), { body, signal }).catch((error) => (error.name === "AbortError" ? Promise.reject(error) : { error: error.message })),
    ]);
    byId("answer").hidden = false;
    showClasses(scored);
    showNear(near);
    if (state.why) await explain();
    else byId("reasons").hidden = true;
  } catch (error) { fail(error); }
}

function showClasses(scored) {
  const ranked = Object.entries(scored.probabilities).sort((a, b) => b[1] - a[1]);
  byId("classes").replaceChildren(...ranked.slice(0, 30).map(([name, share]) => make("div", { class: `class${name === scored.label ? " likeliest" : ""}` },
    make("span", { class: "name", dir: "auto" }, name),
    svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { class: "track", width: 100, height: 10, rx: 2 }), svg("rect", { class: "filled", width: 100 * share, height: 10, rx: 2 })),
    make("span", { class: "share" }, percent(share)))));
  const notes = scored.note ? [scored.note] : [];
  if (scored.unknown.length) notes.push(`Unknown to its vocabulary: ${scored.unknown.join(", ")}.`);
  if (scored.cut) notes.push(`The last ${scored.cut} tokens are beyond the context and were not used.`);
  byId("classes-note").replaceChildren(...notes.map((note) => make("p", { class: "note", dir: "auto" }, note)));
}

function showNear(near) {
  if (near.error) return byId("near").replaceChildren(make("p", { class: "wrong" }, near.error));
  const verdict = near.seen
    ? "Seen: train has this text, so its class says what was remembered, not what was learned."
    : "Unseen: train does not have this text.";
  byId("near").replaceChildren(make("p", { class: `verdict${near.seen ? " seen" : ""}` }, verdict),
    ...near.neighbours.map((each) => make("div", { class: "neighbour" }, make("div", { dir: "auto" }, ...marked(each.text, state.text, true)),
      make("p", { class: "note" }, make("span", { class: "tag" }, each.label), each.same ? "the same text" : `likeness ${each.likeness.toFixed(2)}`))),
    near.neighbours.length ? "" : make("p", { class: "faint" }, "No text of train shares a word with it."));
}

// --- which tokens mattered

async function explain() {
  const { signal } = asking;
  keep();
  say("Working out which tokens mattered …");
  try {
    const found = await ask(api("/why"), { body: { text: state.text, label: state.label || null }, signal });
    say("");
    showReasons(found);
  } catch (error) { fail(error); }
}

function showReasons(found) {
  byId("reasons").hidden = false;
  byId("target").replaceChildren(...labels.map((name) => make("option", { value: name }, name)));
  byId("target").value = found.label;
  const ways = [
    ["Integrated gradients", "gradients", `in nats; they sum to ${plain(found.log_odds - found.reference, 3)}, which is how far the log-odds are above those of as many unknown words`],
    ["Occlusion", "occlusion", "in nats; what the log-odds lose when the word is made unknown"],
    ["Attention", "attention", "the share of all attention that the token gets; it says where the model looks, not what decides"],
  ];
  byId("tokens").replaceChildren(
    make("div", { class: "ways" }, ...ways.map(([name, key, about]) => way(found, name, key, about))),
    make("p", { class: "note" }, `Blue speaks for ${found.label}, orange against it. The gradients miss their sum by ${plain(found.gap, 2)} nats. `
      + `${agreement(found.tokens)} This is one model, trained with one seed; another may decide by other words.`),
    make("details", {}, make("summary", {}, "The numbers"), table({
      title: `Why ${found.label}`, columns: ["token", "gradients", "occlusion", "attention"],
      rows: found.tokens.map((each) => [each.token, plain(each.gradients, 3), plain(each.occlusion, 3), percent(each.attention)]),
    })));
}

function way(found, name, key, about) {
  const values = found.tokens.map((each) => each[key]);
  const most = Math.max(...values.map(Math.abs)) || 1;
  const text = make("p", { class: "text", dir: "auto" });
  found.tokens.forEach((each, at) => {
    const span = make("span", { title: `${each.token}: ${key === "attention" ? percent(values[at]) : plain(values[at], 3)}` }, each.token);
    shade(span, values[at] < 0 ? "worse" : "better", Math.abs(values[at]) / most);
    text.append(span, " ");
  });
  return make("div", { class: "way", "data-way": key }, make("h3", {}, name, " ", make("span", { class: "faint" }, about)), text);
}

// How far the ways agree: the rank correlation of attention with the size of the gradients.
function agreement(tokens) {
  if (tokens.length < 5) return "";
  const found = correlation(ranks(tokens.map((each) => Math.abs(each.gradients))), ranks(tokens.map((each) => each.attention)));
  return Number.isFinite(found) ? `The rank correlation of attention with the size of the gradients is ${found.toFixed(2)} in this text.` : "";
}

function ranks(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2);
}

function correlation(a, b) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [ma, mb] = [mean(a), mean(b)];
  const both = a.reduce((sum, value, at) => sum + (value - ma) * (b[at] - mb), 0);
  return both / Math.sqrt(a.reduce((sum, value) => sum + (value - ma) ** 2, 0) * b.reduce((sum, value) => sum + (value - mb) ** 2, 0));
}

// --- confusion and calibration

async function results() {
  keep();
  try {
    const about = await ask(api());
    ({ labels } = about);
    byId("split").replaceChildren(...about.splits.map((name) => make("option", { value: name }, name)));
    if (!about.splits.includes(state.split)) state.split = about.splits[0] ?? "test";
    byId("split").value = state.split;
    await confusion();
  } catch (error) {
    byId("confusion").replaceChildren(make("p", { class: "wrong" }, error.message));
  }
}

async function confusion() {
  const found = await ask(`${api("/confusion")}?split=${encodeURIComponent(state.split)}`);
  const total = found.confusion.map((row) => row.reduce((sum, count) => sum + count, 0));
  const head = make("tr", {}, make("th", { scope: "col" }, "label ↓  taken for →"), ...labels.map((name) => make("th", { scope: "col", dir: "auto" }, name)));
  const rows = found.confusion.map((row, at) => make("tr", {}, make("th", { scope: "row", dir: "auto" }, labels[at]), ...row.map((count, to) => {
    const chosen = labels[at] === state.row && labels[to] === state.column;
    const button = make("button", { type: "button", "aria-pressed": String(chosen), "aria-label": `${count} texts of ${labels[at]} taken for ${labels[to]}` }, count.toLocaleString("en"));
    shade(button, at === to ? "better" : "worse", total[at] ? 0.75 * (count / total[at]) : 0);
    button.addEventListener("click", () => {
      Object.assign(state, { row: labels[at], column: labels[to] });
      for (const each of byId("confusion").querySelectorAll("td button")) each.setAttribute("aria-pressed", String(each === button));
      cell();
    });
    return make("td", {}, button);
  })));
  const accuracy = `${percent(found.accuracy)} of ${found.items.toLocaleString("en")} texts are right`
    + (found.items_seen === undefined ? "." : `: ${percent(found.accuracy_seen)} of the ${found.items_seen.toLocaleString("en")} that train has, ${percent(found.accuracy_unseen)} of the others.`);
  byId("confusion").replaceChildren(make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Confusion matrix" },
    make("table", { class: "matrix" }, make("caption", {}, `Texts of ${state.split}`), make("thead", {}, head), make("tbody", {}, ...rows))), make("p", {}, accuracy));
  drawCalibration(found);
  byId("seen").disabled = found.items_seen === undefined;
  if (labels.includes(state.row) && labels.includes(state.column)) await cell();
}

async function cell(first = 0) {
  keep();
  const query = new URLSearchParams({ label: state.row, predicted: state.column, split: state.split, first });
  if (state.seen && !byId("seen").disabled) query.set("seen", state.seen);
  try {
    const found = await ask(`${api("/items")}?${query}`);
    byId("cell-says").textContent = `${found.matching.toLocaleString("en")} texts of ${state.row} taken for ${state.column}, the surest first. Choose one to classify it.`;
    byId("cell").hidden = !found.matching;
    if (!first) byId("cell").replaceChildren();
    byId("cell").append(...found.items.map((item) => make("li", {}, make("button", { type: "button", dir: "auto", onclick: () => take(item.text) },
      make("span", { class: "tag" }, percent(item.confidence, 0)), item.seen ? make("span", { class: "tag" }, "seen") : null, item.text))));
    const shown = first + found.items.length;
    byId("more").hidden = shown >= found.matching;
    byId("more").onclick = () => cell(shown);
  } catch (error) { fail(error); }
}

function take(text) {
  byId("text").value = state.text = text;
  state.label = "";
  classify();
  byId("text").focus();
}

function drawCalibration({ calibration, calibration_error: error, items }) {
  const [size, left, low] = [320, 40, 26];
  const x = (value) => left + value * (size - left - 22), y = (value) => 8 + (1 - value) * (size - low - 8);
  const picture = svg("svg", { viewBox: `0 0 ${size} ${size}`, role: "img", "aria-label": `Accuracy against confidence; calibration error ${plain(error, 2)}` });
  picture.append(svg("rect", { class: "frame", x: x(0), y: y(1), width: x(1) - x(0), height: y(0) - y(1) }), svg("line", { class: "even", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  for (const tick of [0, 0.5, 1]) {
    picture.append(svg("text", { x: x(tick), y: size - 10, "text-anchor": "middle" }, percent(tick, 0)), svg("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, percent(tick, 0)));
  }
  for (const bin of calibration) {
    picture.append(svg("line", { class: "off", x1: x(bin.confidence), x2: x(bin.confidence), y1: y(bin.confidence), y2: y(bin.accuracy) }));
    picture.append(svg("circle", { class: "bin", cx: x(bin.confidence), cy: y(bin.accuracy), r: 3 + 12 * Math.sqrt(bin.items / items) },
      svg("title", {}, `${bin.items} texts: sure by ${percent(bin.confidence)}, right in ${percent(bin.accuracy)}`)));
  }
  byId("calibration").replaceChildren(picture);
  byId("calibration-says").textContent = `How often it is right (up), by how sure it is (across); the area of a circle is the number of texts. On the dashed line confidence is accuracy. Calibration error ${plain(error, 2)}.`;
}

// --- setting up

byId("asked").addEventListener("submit", (event) => {
  event.preventDefault();
  Object.assign(state, { text: byId("text").value, why: false, label: "" });
  classify();
});
byId("why").addEventListener("click", () => {
  Object.assign(state, { text: byId("text").value, why: true, label: "" });
  classify();
});
byId("text").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("asked").requestSubmit(); });
byId("target").addEventListener("change", (event) => { state.label = event.target.value; explain(); });
byId("run").addEventListener("change", async (event) => {
  Object.assign(state, { run: event.target.value, label: "", row: "", column: "" });
  byId("cell").hidden = true;
  byId("more").hidden = true;
  byId("cell-says").textContent = "Choose a cell to see its texts.";
  await results();
  if (state.text) classify();
});
byId("split").addEventListener("change", (event) => { state.split = event.target.value; confusion().catch(fail); });
byId("seen").addEventListener("change", (event) => { state.seen = event.target.value; if (state.row) cell(); });
onLook(() => { confusion().catch(fail); if (state.why) explain(); });
chooseFrom(byId("run"), state.run);
byId("text").value = state.text;
byId("seen").value = state.seen;
results().then(() => { if (state.text) classify(); });
