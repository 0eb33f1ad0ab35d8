// What the views share: asking the API, listening to events, links that restore a view, commands to copy.

export const byId = (id) => document.getElementById(id);

// What a view begins with, and how many letters of a text a link can hold.
export const SENTENCE = "We will keep the promise of this great nation to all of its people.";
export const LINKED = 4000;

const SILENT = "The page does not answer. Is `oratory serve` still running?";

// Ask the API. A refusal is an Error whose message is the sentence for the person in front of the page.
// `body` is sent as JSON; `signal` (of an AbortController) takes a question back.
export async function ask(path, options = {}) {
  return (await answerOf(path, options)).json();
}

// An answer of bytes, such as the maps of a text.
export async function askBytes(path, body, signal) {
  return (await answerOf(path, { body, signal })).arrayBuffer();
}

async function answerOf(path, { method, body, signal }) {
  let answer;
  try {
    answer = await fetch(path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: body === undefined ? {} : { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error(SILENT);
  }
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).error ?? `The page answered ${answer.status}.`);
  return answer;
}

// Listen to server-sent events, each a JSON document: `handlers` by the name of the event. Returns a function that ends it.
export function listen(path, handlers) {
  const source = new EventSource(path);
  let silent = false;
  for (const [name, handle] of Object.entries(handlers)) {
    source.addEventListener(name, (event) => {
      if (silent) say("");
      silent = false;
      handle(JSON.parse(event.data));
    });
  }
  source.addEventListener("error", () => { // The browser goes on trying, unless it was refused.
    silent = true;
    say(source.readyState === EventSource.CLOSED ? "This page is not told of news any more; load it again." : SILENT, true);
  });
  const end = () => source.close();
  source.addEventListener("end", end);
  addEventListener("pagehide", end, { once: true });
  return end;
}

// An element with attributes and children; a text is always a text node. `on...` attributes are functions.
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A table of facts as `Table` has them: { title, columns, rows, words, note }.
export function table({ title, columns, rows, words = 1, note = "" }) {
  const cell = (tag) => (text, at) => make(tag, { class: at >= words && "figure", scope: tag === "th" && "col" }, text);
  const made = make("table", {}, make("caption", {}, title),
    make("thead", {}, make("tr", {}, ...columns.map(cell("th")))),
    make("tbody", {}, ...rows.map((row) => make("tr", {}, ...row.map(cell("td"))))));
  const box = make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": title }, made);
  return note ? make("div", {}, box, make("p", { class: "note" }, note)) : box;
}

// Say something to everybody, screen readers too. `wrong` shows it as an error.
export function say(sentence, wrong = false) {
  const place = byId("said");
  if (!place) return;
  place.textContent = sentence;
  place.classList.toggle("wrong", wrong);
}

// Say why something failed; a question that was taken back is no failure. Returns whether it is one.
export function fail(error) {
  const failed = error.name !== "AbortError";
  if (failed) say(error.message, true);
  return failed;
}

// What the address says: the values of a view by name, or the defaults where it says nothing.
export function readState(defaults) {
  const query = new URLSearchParams(location.search);
  return Object.fromEntries(Object.entries(defaults).map(([name, value]) => {
    if (!query.has(name)) return [name, value];
    const text = query.get(name);
    if (typeof value === "number") return [name, Number.isFinite(Number(text)) ? Number(text) : value];
    return [name, typeof value === "boolean" ? text === "true" : text];
  }));
}

// Put the values of a view into the address, so that its link restores it; defaults are left out.
export function writeState(values, defaults = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== defaults[name] && value !== null && value !== undefined) query.set(name, value);
  }
  const text = query.toString();
  history.replaceState(null, "", text ? `?${text}` : location.pathname);
}

// Choose a value of a list; one that the list does not have, such as a run that a link names, is added to it.
export function chooseFrom(list, value) {
  if (![...list.options].some((option) => option.value === value)) list.append(make("option", { value }, value));
  list.value = value;
}

// Words as one line for a shell, as Python's shlex.join writes them.
export function shell(words) {
  return words.map(String).map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`)).join(" ");
}

// Show the command lines that give the same as the view does now, each a list of words. The folder of the runs is added
// where it is needed; a string is a remark.
export function showCommands(...commands) {
  const place = byId("command");
  if (!place) return;
  const runs = document.documentElement.dataset.runs;
  const line = (words) => (typeof words === "string" ? `# ${words}` : shell(["oratory", ...words, ...(runs ? ["--runs", runs] : [])]));
  place.textContent = commands.map(line).join("\n");
}
export const showCommand = (...words) => showCommands(words);

// Say something if it is still true after a moment: what takes long is explained, and what is quick does not flicker.
export function sayIfLong(sentence) {
  const waiting = setTimeout(() => say(sentence), 600);
  return () => clearTimeout(waiting);
}

// Wait until nothing was typed for a moment.
export function calmly(act, milliseconds = 250) {
  let waiting;
  return (...values) => {
    clearTimeout(waiting);
    waiting = setTimeout(() => act(...values), milliseconds);
  };
}

// A token as it is shown: without the marks that tokenizers write for blanks, and with signs for what is not seen.
export function visible(token) {
  return token.replace(/^[Ġ▁]/, "").replace(/[\n\t\r]/g, "⏎") || "␣";
}

// Give bytes or a text to the person as a file.
export function download(name, content, type) {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  const link = make("a", { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// Whether the page is dark now, and being told when that changes.
export function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
export function onLook(act) {
  addEventListener("look", act);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", act);
}

// How much larger the type of the page is than usual: a canvas must follow the presentation mode by itself.
export function typeScale() {
  return parseFloat(getComputedStyle(document.documentElement).fontSize) / 17;
}

function keep(name, value) {
  try { localStorage.setItem(name, value); } catch { /* Then it is chosen again next time. */ }
}

const LOOKS = { auto: "as the system has them", light: "light", dark: "dark" };

function setUpLooks() {
  const root = document.documentElement;
  const theme = byId("theme");
  const present = byId("present");
  const show = () => {
    theme?.setAttribute("aria-label", `Colours: ${LOOKS[root.dataset.theme ?? "auto"]}`);
    present?.setAttribute("aria-pressed", String(root.dataset.present === "on"));
  };
  theme?.addEventListener("click", () => {
    const next = { auto: "light", light: "dark", dark: "auto" }[root.dataset.theme ?? "auto"];
    if (next === "auto") delete root.dataset.theme;
    else root.dataset.theme = next;
    keep("theme", next);
    show();
    dispatchEvent(new Event("look"));
  });
  present?.addEventListener("click", () => {
    if (root.dataset.present) delete root.dataset.present;
    else root.dataset.present = "on";
    keep("present", root.dataset.present ?? "off");
    show();
    dispatchEvent(new Event("look"));
  });
  show();
}

function setUpCopies() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    const text = button?.parentElement.querySelector("pre")?.textContent;
    if (!text) return;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
      button.textContent = "Press Ctrl+C";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}

// On a narrow screen the menu is longer than the screen: begin where the view is.
function setUpMenu() {
  const [menu, here] = [document.querySelector(".bar nav"), document.querySelector(".bar nav [aria-current]")];
  if (here) menu.scrollLeft = here.offsetLeft - menu.offsetLeft - (menu.clientWidth - here.offsetWidth) / 2;
}

setUpLooks();
setUpMenu();
setUpCopies();
