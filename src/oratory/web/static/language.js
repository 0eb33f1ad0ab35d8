// The language-model view: surprisal as colour, what was expected, and going on token by token.
import { LINKED, SENTENCE, ask, byId, calmly, chooseFrom, download, fail, make, onLook, readState, say, sayIfLong, showCommands, visible, writeState } from "./common.js";
import { colours, loadScales, paint, placeOf, scaleBar } from "./colours.js";
import { csvOf } from "./keep.js";
import { firstOnly, roving } from "./roving.js";

const DEFAULTS = { runs: "", text: SENTENCE, counts: false, differ: false, at: -1, temperature: 1, top: 0, seed: 0, made: "" };
const state = readState(DEFAULTS);
let found = null;
let asking = new AbortController();
let made = []; // tokens after the text: { id, text, probability, guesses, byHand }
let playing = false;

const chosen = () => state.runs.split(",").filter(Boolean);

// A probability with as many digits as it needs to be more than nothing.
function percent(share) {
  if (!share) return "0%";
  if (share >= 0.0995) return `${Math.round(100 * share)}%`;
  return `${(100 * share).toFixed(share >= 0.001 ? 1 : Math.min(9, 1 - Math.floor(Math.log10(100 * share))))}%`;
}

const keep = calmly(() => {
  state.made = made.map((token) => token.id).join(".");
  writeState({ ...state, text: state.text.length > LINKED ? SENTENCE : state.text }, DEFAULTS);
  const drawn = ["--tokens", made.length, "--temperature", state.temperature, ...(state.top ? ["--top-k", state.top] : []), "--seed", state.seed];
  showCommands(
    ...chosen().map((run) => ["score", run, state.text]),
    ...(made.length ? [["generate", chosen()[0], state.text, ...drawn]] : []),
    ...(made.some((token) => token.byHand) ? ["the same up to the first token that was chosen by hand"] : []),
  );
}, 150);

async function score() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  byId("models").setAttribute("aria-busy", "true");
  const done = sayIfLong(state.counts ? "Counting the n-grams of the corpus; they are kept for the next time …" : "Scoring the text …");
  try {
    found = await ask("/api/language/score", { body: { runs: chosen(), counts: state.counts, text: state.text }, signal });
    done();
    say(found.sentence);
    showModels();
    byId("form").removeAttribute("data-stale");
  } catch (error) {
    if (fail(error)) byId("form").setAttribute("data-stale", "");
  } finally {
    done();
    if (!signal.aborted) byId("models").removeAttribute("aria-busy");
  }
  keep();
}
const soon = calmly(() => { forget(); score(); }, 350);

const differs = () => state.differ && found.same && found.models.length > 1;

// Every model with the text in its colours.
function showModels() {
  const most = Math.max(1, Math.ceil(Math.max(...found.models.flatMap((model) => model.surprisal))));
  const [first] = found.models;
  const apart = differs() ? Math.max(0.5, ...found.models.slice(1).flatMap((model) => model.surprisal.map((value, at) => Math.abs(value - first.surprisal[at])))) : 0;
  byId("models").replaceChildren(...found.models.map((model, number) => {
    const difference = number > 0 && differs();
    const [kind, low, high] = difference ? ["diverging", -apart, apart] : ["ramp", 0, most];
    const scale = colours(kind);
    const chips = model.tokens.map((token, at) => {
      const value = model.surprisal[at] - (difference ? first.surprisal[at] : 0);
      const said = `${visible(token)}: ${value.toFixed(2)} nats`;
      const point = () => detail(number, at);
      const chip = make("button", { type: "button", dir: "auto", title: said, "aria-label": said, onpointerenter: point, onfocus: point, onclick: point }, visible(token));
      paint(chip, scale[placeOf(value, low, high, scale.length)]);
      return chip;
    });
    firstOnly(chips);
    const box = make("p", { class: "chips", dir: "auto" }, ...chips);
    roving(box, "button");
    const unit = difference ? "nats more than the first" : "nats";
    const legend = make("span", {}, ` · ${model.summary} ${low.toFixed(low ? 1 : 0)} `, scaleBar(kind), ` ${high.toFixed(low ? 1 : 0)} ${unit}`);
    return make("div", { "data-model": model.name }, make("h3", {}, model.name, legend), box);
  }));
  if (state.at >= 0) detail(0, state.at);
}

// What all models expected in place of a token.
function detail(number, at) {
  const shown = found.same ? found.models : [found.models[number]];
  const token = shown[0].tokens[at];
  if (token === undefined) return;
  state.at = at;
  document.querySelectorAll(".chips").forEach((box, which) => {
    [...box.children].forEach((chip, place) => chip.classList.toggle("chosen", place === at && (found.same || which === number)));
  });
  const columns = shown.map((model) => {
    const rows = model.guesses[at].map(([text, share]) => bar(text, share, text === model.tokens[at]));
    const rank = `${model.surprisal[at].toFixed(2)} nats, ${percent(Math.exp(-model.surprisal[at]))}, number ${model.ranks[at].toLocaleString("en")} of ${model.vocabulary.toLocaleString("en")}`;
    return make("div", {}, make("h4", { dir: "auto" }, model.name), make("p", { class: "note" }, rank), ...rows);
  });
  byId("detail").replaceChildren(make("h3", { dir: "auto" }, `Expected in place of “${visible(token)}”`), make("div", { class: "columns" }, ...columns));
  keep();
}

function bar(text, share, came, onclick) {
  const filled = make("span");
  filled.style.width = `${100 * share}%`;
  const parts = [make("span", { class: "name", dir: "auto" }, visible(text)), make("span", { class: "bar" }, filled), make("span", { class: "share" }, percent(share))];
  return make(onclick ? "button" : "div", { class: `guess${came ? " came" : ""}`, type: onclick && "button", onclick }, ...parts);
}

// Going on.
const prompt = () => ({ run: chosen()[0], prompt: state.text });

async function step(byHand) {
  const body = { ...prompt(), made: made.map((token) => token.id), temperature: state.temperature, top_k: state.top || null, seed: state.seed };
  const next = await ask("/api/language/step", { body });
  made.push({ ...(byHand ?? next.token), guesses: next.guesses, byHand: Boolean(byHand), ends: byHand ? false : next.ends });
  showMade();
  return !next.ends;
}

function showMade() {
  const tokens = made.map((token, at) => {
    const said = `${visible(token.text)}: ${percent(token.probability)}`;
    const point = () => showNext(at);
    const chip = make("button", { type: "button", dir: "auto", title: said, "aria-label": said, onclick: point, onfocus: point, onpointerenter: point }, visible(token.text));
    const scale = colours("ramp");
    paint(chip, scale[placeOf(-Math.log(token.probability), 0, 12, scale.length)]);
    return chip;
  });
  byId("made").replaceChildren(make("span", { class: "given" }, state.text, " "), ...tokens);
  firstOnly(tokens);
  if (made.length) showNext(made.length - 1);
  else byId("next").replaceChildren(make("p", { class: "note" }, "Let the model choose one token: what it could have chosen is shown here."));
  byId("back").disabled = byId("clear").disabled = !made.length;
  beams();
  keep();
}

// The alternatives of one of the tokens that were made; a click takes another one in its place.
function showNext(at) {
  [...byId("made").querySelectorAll("button")].forEach((chip, place) => chip.classList.toggle("chosen", place === at));
  const token = made[at];
  if (!token.guesses) return;
  const rows = token.guesses.map((guess) => bar(guess.text, guess.probability, guess.id === token.id, () => {
    stop();
    made = [...made.slice(0, at), { ...guess, guesses: token.guesses, byHand: guess.id !== token.id }];
    showMade();
  }));
  byId("next").replaceChildren(make("p", { class: "note", dir: "auto" }, `In place of “${visible(token.text)}”, at temperature ${state.temperature}:`), ...rows);
}

const beams = calmly(async () => {
  try {
    const { beams: ways } = await ask("/api/language/beam", { body: { ...prompt(), made: made.map((token) => token.id), width: 5, ahead: 4 } });
    byId("beams").replaceChildren(...ways.map((way) => make("li", {}, make("button", {
      type: "button", dir: "auto",
      onclick: () => { stop(); made.push(...way.tokens.map((token) => ({ ...token, byHand: true }))); showMade(); },
    }, way.tokens.map((token) => visible(token.text)).join(" ")), make("span", { class: "faint" }, ` ${percent(way.probability)}`))));
  } catch (error) { fail(error); }
}, 200);

function stop() {
  playing = false;
  byId("play").setAttribute("aria-pressed", "false");
  byId("play").textContent = "Go on";
}

async function play() {
  if (playing) return stop();
  playing = true;
  byId("play").setAttribute("aria-pressed", "true");
  byId("play").textContent = "Stop";
  try {
    // eslint-disable-next-line no-await-in-loop
    while (playing && made.length < 200 && await step()) await new Promise((done) => { setTimeout(done, 120); });
  } catch (error) { fail(error); }
  return stop();
}

function forget() {
  stop();
  made = [];
  state.at = -1;
  showMade();
}

function showOthers() {
  const rest = chosen().slice(1);
  byId("others").replaceChildren(...rest.map((run) => make("button", { type: "button", "aria-label": `Remove ${run}`, onclick: () => { pick(chosen().filter((other) => other !== run)); score(); } }, `${run} ×`)));
  byId("other").disabled = chosen().length >= Number(byId("models").dataset.most);
}

function pick(runs) {
  state.runs = [...new Set(runs)].join(",");
  showOthers();
}

// Every token under every model, as a table.
function saveScores() {
  const rows = found.models.flatMap((model) => model.tokens.map((token, at) => {
    const [likeliest] = model.guesses[at];
    return [model.name, at, token, model.surprisal[at], model.ranks[at], ...(likeliest ?? ["", ""])];
  }));
  const columns = ["model", "place", "token", "surprisal, nats", "rank", "likeliest", "its probability"];
  download("surprisal.csv", csvOf([columns, ...rows]), "text/csv;charset=utf-8");
}

function setUp() {
  const run = byId("run");
  if (!chosen().length) state.runs = run.value;
  chooseFrom(run, chosen()[0]);
  byId("text").value = state.text;
  byId("counts").checked = state.counts;
  byId("differ").checked = state.differ;
  byId("text").addEventListener("input", () => { state.text = byId("text").value; soon(); });
  run.addEventListener("change", () => { pick([run.value, ...chosen().slice(1)]); forget(); score(); });
  byId("other").addEventListener("change", () => { if (byId("other").value) pick([...chosen(), byId("other").value]); byId("other").value = ""; score(); });
  byId("counts").addEventListener("change", () => { state.counts = byId("counts").checked; score(); });
  byId("differ").addEventListener("change", () => { state.differ = byId("differ").checked; if (found) showModels(); keep(); });
  const drawing = { temperature: ["temperature", 1], "top-k": ["top", 0], seed: ["seed", 0] };
  for (const [id, [name, usual]] of Object.entries(drawing)) {
    if (state[name] !== usual || id !== "top-k") byId(id).value = state[name];
    byId(id).addEventListener("input", () => { state[name] = Number(byId(id).value) || usual; byId("t-shown").textContent = state.temperature.toFixed(1); keep(); });
  }
  byId("t-shown").textContent = state.temperature.toFixed(1);
  byId("step").addEventListener("click", () => { stop(); step().catch(fail); });
  byId("play").addEventListener("click", () => play());
  byId("back").addEventListener("click", () => { stop(); made.pop(); showMade(); });
  byId("clear").addEventListener("click", () => forget());
  roving(byId("made"), "button");
  byId("save").addEventListener("click", () => { if (found) saveScores(); });
  onLook(() => { if (found) { showModels(); showMade(); } });
  showOthers();
}

// The tokens that a link names, with their alternatives.
async function restore(ids) {
  for (const id of ids) {
    const body = { ...prompt(), made: made.map((token) => token.id), temperature: state.temperature, top_k: state.top || null, seed: state.seed };
    // eslint-disable-next-line no-await-in-loop
    const next = await ask("/api/language/step", { body });
    const guess = [next.token, ...next.guesses].find((each) => each.id === id);
    if (!guess) return;
    made.push({ ...guess, guesses: next.guesses, byHand: id !== next.token.id });
  }
}

async function begin() {
  if (!byId("form")) return;
  setUp();
  const ids = state.made.split(".").filter(Boolean).map(Number).slice(0, 200);
  try {
    await loadScales();
    await score();
    if (found) await restore(ids);
  } catch (error) { fail(error); }
  showMade();
}

begin();
