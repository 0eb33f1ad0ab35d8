// The verdict view: sliders, and pictures of what the very functions of every comparison say to them.
import { ask, byId, calmly, fail, make, onLook, readState, say, showCommand, typeScale, writeState } from "./common.js";
import { sides } from "./colours.js";
import { plain, showPlainCommand, svg, ticks } from "./svg.js";

const SLIDERS = ["effect", "seed_noise", "item_noise", "rest", "items"];
const DEFAULTS = { comparison: "", variant: "", seeds: 0, effect: 2, seed_noise: 1.5, item_noise: 20, rest: 30, items: 500, draw: 0 };
const MOST = 20; // Seeds of a simulated comparison.
const LEFT = 64, RIGHT = 20;
let width = 900; // As wide as the place for it, so that letters are as large as elsewhere.
const state = readState(DEFAULTS);
if (!state.comparison) state.seeds = Math.min(state.seeds || 5, MOST);
let asking = new AbortController();

async function load() {
  asking.abort();
  asking = new AbortController();
  writeState({ ...state, seeds: state.comparison || state.seeds !== 5 ? state.seeds : 0 }, DEFAULTS);
  labels();
  const path = state.comparison
    ? `/api/verdict/of/${encodeURIComponent(state.comparison)}?${new URLSearchParams({ variant: state.variant, seeds: state.seeds })}`
    : `/api/verdict/simulated?${new URLSearchParams(Object.fromEntries([...SLIDERS, "draw"].map((name) => [name, state[name]]).concat([["seeds", MOST]])))}&chosen=${state.seeds}`;
  try {
    const found = await ask(path, { signal: asking.signal });
    say("");
    show(found);
  } catch (error) { fail(error); }
}

function labels() {
  for (const name of SLIDERS) document.querySelector(`output[for=${name}]`).textContent = name === "items" ? state.items : `${plain(state[name])} points`;
  byId("sliders").hidden = Boolean(state.comparison);
  byId("variant-row").hidden = !state.comparison;
  if (state.comparison) showCommand("report", state.comparison);
  else showPlainCommand("calibrate");
}

function show(found) {
  const factor = found.factor ?? 1, unit = found.unit ?? "points";
  width = Math.max(320, Math.min(900, byId("curve").clientWidth / typeScale()));
  byId("seeds").max = found.of_seeds;
  state.seeds ||= found.seeds; // An answer that comes late does not move the slider back.
  byId("seeds").value = state.seeds;
  document.querySelector("output[for=seeds]").textContent = `${found.seeds} of ${found.of_seeds}`;
  if (found.variants) {
    byId("variant").replaceChildren(...found.variants.map((name) => make("option", { value: name }, `${name} against ${found.baseline}`)));
    byId("variant").value = found.variant;
  }
  const here = found.curve[found.seeds - 1];
  const signed = (value) => (value === null ? "–" : `${value >= 0 ? "+" : "−"}${plain(Math.abs(factor * value), 3)}`);
  const word = found.no_verdict ? "no verdict" : here.verdict;
  const facts = {
    Difference: `${signed(here.mean)} ${unit}`,
    "95% interval": here.interval ? `${signed(here.interval[0])} to ${signed(here.interval[1])}` : "–",
    p: here.p === null ? "–" : here.p < 0.001 ? "< 0.001" : plain(here.p, 2),
    Wins: `${here.wins} of ${here.seeds}`,
    "Would have seen": here.detectable === null ? "–" : `${plain(factor * here.detectable, 3)} ${unit}`,
  };
  const why = found.no_verdict || here.undecided;
  const note = why ? `Because: ${why}.` : `p is of this difference alone; a comparison of several variants corrects it (Holm). ${found.better === "lower" ? "Lower is better." : ""}`;
  byId("result").replaceChildren(make("p", { class: "word" }, word[0].toUpperCase() + word.slice(1)),
    ...Object.entries(facts).map(([name, value]) => make("dl", {}, make("dt", {}, name), make("dd", {}, value))), make("p", { class: "note" }, note));
  drawCurve(found, factor, unit);
  drawMatrix(found, factor, unit);
  drawPower(found, factor, unit);
}

// --- pictures

function chart(height, low, high, label, unit) {
  const y = (value) => 14 + ((high - value) / (high - low)) * (height - 44);
  const made = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  for (const tick of ticks(low, high, 5)) {
    made.append(svg("line", { class: tick === 0 ? "zero" : "line", x1: LEFT, x2: width - RIGHT, y1: y(tick), y2: y(tick) }));
    made.append(svg("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, plain(tick)));
  }
  made.append(svg("text", { x: 0, y: 11 }, unit));
  return [made, y];
}

const column = (at, of) => LEFT + ((at + 0.5) / of) * (width - LEFT - RIGHT);

function drawCurve({ curve, seeds, variant }, factor, unit) {
  const truth = variant === undefined ? state.effect : null;
  const shown = curve.filter((each) => each.seeds > 2);
  const ends = [0, ...(truth === null ? [] : [truth]), ...curve.flatMap((each) => each.seed_differences.map((value) => factor * value)),
    ...shown.flatMap((each) => (each.interval ?? []).map((value) => factor * value))];
  const room = 0.06 * (Math.max(...ends) - Math.min(...ends)) || 1;
  const here = curve[seeds - 1];
  const label = `The difference with 1 to ${curve.length} seeds; with ${seeds} it is ${plain(factor * here.mean, 3)} ${unit}.`;
  const [picture, y] = chart(300, Math.min(...ends) - room, Math.max(...ends) + room, label, unit);
  if (truth !== null) picture.append(svg("line", { class: "truth", x1: LEFT, x2: width - RIGHT, y1: y(truth), y2: y(truth) }));
  curve.forEach((each, at) => {
    const x = column(at, curve.length);
    const group = svg("g", { class: each.seeds === seeds ? "now" : "" });
    group.append(svg("circle", { class: "seed", cx: x + 9, cy: y(factor * curve.at(-1).seed_differences[at]), r: 3.5 }));
    if (each.interval) group.append(svg("line", { class: "bar", x1: x, x2: x, y1: y(factor * each.interval[0]), y2: y(factor * each.interval[1]) }));
    group.append(svg("circle", { class: "dot", cx: x, cy: y(factor * each.mean), r: each.seeds === seeds ? 6 : 4 }));
    if (curve.length < 12 || width > 600 || each.seeds % 5 === 0) group.append(svg("text", { x, y: 294, "text-anchor": "middle" }, String(each.seeds)));
    picture.append(group);
  });
  // Its name comes last, so that it lies above the intervals.
  if (truth !== null) picture.append(svg("text", { class: "truth-label", x: width - RIGHT, y: y(truth) - 5, "text-anchor": "end" }, "true difference"));
  picture.append(svg("text", { x: LEFT - 8, y: 294, "text-anchor": "end" }, "seeds"));
  byId("curve").replaceChildren(picture);
}

// A cell is blue where the variant is better there, and orange where it is worse.
function drawMatrix({ matrix, seeds, items, better, item }, factor, unit) {
  const sign = better === "lower" ? -1 : 1;
  const sizes = matrix.flat().map(Math.abs).sort((a, b) => a - b);
  const most = sizes[Math.floor(0.98 * (sizes.length - 1))] || sizes.at(-1) || 1;
  const { better: up, worse: down, paper: none } = sides();
  const canvas = make("canvas", { width: matrix[0].length, height: matrix.length, role: "img" });
  canvas.setAttribute("aria-label", `Differences of ${matrix.length} seeds and ${items} ${item ?? "item"}s.`);
  canvas.style.height = `${Math.max(2.5, Math.min(1.4 * matrix.length, 18))}rem`;
  const pen = canvas.getContext("2d"), image = pen.createImageData(canvas.width, canvas.height);
  matrix.forEach((row, seed) => row.forEach((value, at) => {
    const share = Math.min(1, Math.abs(value) / most) * (seed < seeds ? 1 : 0.18);
    const colour = sign * value > 0 ? up : down;
    image.data.set([...none.map((base, part) => base + share * (colour[part] - base)), 255], 4 * (seed * canvas.width + at));
  }));
  pen.putImageData(image, 0, 0);
  byId("matrix").replaceChildren(canvas);
  const several = items > matrix[0].length ? ` Each column is the mean of ${Math.ceil(items / matrix[0].length)}.` : "";
  byId("matrix-says").textContent = `Every row is a seed, every column ${several ? "some of the" : "one of the"} ${items.toLocaleString("en")} ${item ?? "item"}s, ordered by their mean: `
    + `blue where the variant is better, orange where it is worse, full colour from ${plain(factor * most, 2)} ${unit} on.${several} Seeds that are not used are pale.`;
}

function drawPower({ planned, curve, seeds }, factor, unit) {
  if (!planned.length) return byId("power").replaceChildren(make("p", { class: "note" }, "Two seeds that differ are needed to say this."));
  const seen = Math.abs(factor * curve[seeds - 1].mean);
  const values = planned.map((each) => factor * each.detectable);
  const chosen = planned.findIndex((each) => each.seeds === seeds);
  const high = 1.08 * Math.max(...values.slice(1), values[chosen] ?? 0, seen);
  const [picture, y] = chart(260, 0, high, "The smallest difference that would be seen, by the number of seeds.", unit);
  const x = (count) => column(count - 3, planned.length);
  const path = planned.map((each, at) => `${at ? "L" : "M"}${x(each.seeds)} ${Math.max(0, y(values[at]))}`).join("");
  picture.append(svg("path", { class: "path", d: path }));
  picture.append(svg("line", { class: "truth", x1: LEFT, x2: width - RIGHT, y1: y(seen), y2: y(seen) }));
  picture.append(svg("text", { class: "truth-label", x: width - RIGHT, y: y(seen) - 5, "text-anchor": "end" }, "the difference that was found"));
  for (const each of planned) {
    if (each.seeds === 3 || each.seeds % 5 === 0) picture.append(svg("text", { x: x(each.seeds), y: 254, "text-anchor": "middle" }, String(each.seeds)));
    if (each.seeds === seeds) {
      picture.append(svg("g", { class: "now" }, svg("circle", { class: "dot", cx: x(each.seeds), cy: y(factor * each.detectable), r: 6 })));
      picture.append(svg("text", { x: x(each.seeds) + 10, y: y(factor * each.detectable) - 8 }, `${seeds} seeds: ${plain(factor * each.detectable, 3)} ${unit}`));
    }
  }
  picture.append(svg("text", { x: LEFT - 8, y: 254, "text-anchor": "end" }, "seeds"));
  byId("power").replaceChildren(picture);
}

// --- setting up

const soon = calmly(load, 80);
byId("setup").addEventListener("submit", (event) => event.preventDefault());
for (const name of SLIDERS) {
  byId(name).value = state[name];
  byId(name).addEventListener("input", (event) => { state[name] = event.target.valueAsNumber; labels(); soon(); });
}
byId("seeds").max = Math.max(MOST, state.seeds);
byId("seeds").addEventListener("input", (event) => { state.seeds = event.target.valueAsNumber; soon(); });
byId("again").addEventListener("click", () => { state.draw += 1; load(); });
byId("source").value = state.comparison;
if (byId("source").value !== state.comparison) state.comparison = byId("source").value = "";
byId("source").addEventListener("change", (event) => { Object.assign(state, { comparison: event.target.value, variant: "", seeds: event.target.value ? 0 : 5 }); load(); });
byId("variant").addEventListener("change", (event) => { state.variant = event.target.value; load(); });
onLook(load);
load();
