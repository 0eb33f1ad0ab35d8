// Starting a training or a comparison: what is filled in is checked as on the command line, and shown as a command.
import { ask, byId, calmly, readState, writeState } from "./common.js";

const form = byId("form");
const checked = byId("checked");
const start = byId("start");
const command = byId("command");
const fixed = ["task", "data", "model", "seed", "seeds", "variants"];
const defaults = { kind: "run", task: form.elements.task.value, data: form.elements.data.value, model: "", seed: "0", seeds: "5", variants: form.elements.variants.value };
const inputs = [...form.elements].filter((each) => each.name && !fixed.includes(each.name));
for (const each of inputs) defaults[each.name] = "";
const restored = readState(defaults);
let kind = restored.kind === "comparison" ? "comparison" : "run";
let asked = new AbortController();

for (const name of [...fixed, ...inputs.map((each) => each.name)]) {
  const field = form.elements[name];
  field.value = restored[name];
  if (field.tagName === "SELECT" && field.value !== restored[name]) field.value = defaults[name];
}

function wanted() {
  const value = (name) => form.elements[name].value;
  const settings = Object.fromEntries(inputs.filter((each) => each.value.trim() && !each.closest("[hidden]")).map((each) => [each.name, each.value.trim()]));
  const found = { kind, task: value("task"), data: value("data"), model: value("model"), settings };
  if (kind === "run") return { ...found, seed: Number(value("seed") || 0) };
  return { ...found, seeds: value("seeds").trim(), variants: value("variants").split("\n").filter((line) => line.trim()) };
}

// Only what this task and this kind of model have is shown.
function arrange() {
  for (const each of form.querySelectorAll("[data-only]")) each.hidden = each.dataset.only !== kind;
  for (const each of form.querySelectorAll("[data-kind]")) each.setAttribute("aria-pressed", String(each.dataset.kind === kind));
  const model = form.elements.model.value;
  const origin = model === "" ? "scratch" : model.includes("-") ? "own" : "published";
  for (const each of form.querySelectorAll(".setting")) {
    const { tasks, origins } = each.dataset;
    const task = form.elements.task.value;
    each.hidden = !tasks.split(" ").includes(task) || !origins.split(" ").includes(origin);
    const base = JSON.parse(each.dataset.bases).find((one) => one.origin === origin && one.tasks.includes(task));
    const usual = base?.value ?? each.dataset.default;
    const input = each.querySelector("input");
    if (input) input.placeholder = usual;
    else each.querySelector("option").textContent = `${usual} (default)`;
  }
}

async function check() {
  asked.abort();
  asked = new AbortController();
  try {
    const found = await ask("/api/train/check", { body: wanted(), signal: asked.signal });
    command.textContent = found.command;
    tell(kind === "run" ? "This can be trained." : `These are ${found.runs} runs, of which those that are there already are not trained again.`);
    start.disabled = false;
  } catch (error) {
    if (error.name === "AbortError") return;
    tell(error.message, true);
    start.disabled = true;
  }
}

function tell(sentence, wrong = false) {
  checked.textContent = sentence;
  checked.classList.toggle("wrong", wrong);
}

const soon = calmly(check, 400);

function changed() {
  arrange();
  const values = Object.fromEntries([...fixed, ...inputs.map((each) => each.name)].map((name) => [name, form.elements[name].value]));
  writeState({ kind, ...values }, defaults);
  soon();
}

form.addEventListener("input", changed);
for (const each of form.querySelectorAll("[data-kind]")) {
  each.addEventListener("click", () => {
    kind = each.dataset.kind;
    changed();
  });
}
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  start.disabled = true;
  tell("Checking …");
  try {
    const job = await ask("/api/train/start", { body: wanted() });
    location.assign(`/jobs#${job.id}`);
  } catch (error) {
    tell(error.message, true);
    start.disabled = false;
  }
});

arrange();
check();
