// What several views share: elements of SVG, plain numbers, marked words, and a command without the folder of the runs.
import { byId, make, shell } from "./common.js";

const SPACE = "http://www.w3.org/2000/svg";

// An element of SVG with attributes and children; a text is always a text node. `on...` attributes are functions.
export function svg(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// A number with at most so many digits, without zeros that say nothing.
export function plain(value, digits = 4) {
  return value === null || !Number.isFinite(value) ? "–" : String(Number(value.toPrecision(digits)));
}

// A share as percent.
export function percent(value, digits = 1) {
  return value === null || value === undefined ? "–" : `${(100 * value).toFixed(digits)}%`;
}

// Show a command that has nothing to do with runs.
export function showPlainCommand(...words) {
  const place = byId("command");
  if (place) place.textContent = shell(["oratory", ...words]);
}

// The round places of an axis between two numbers, about `count` of them.
export function ticks(low, high, count = 5) {
  const rough = (high - low) / count || 1;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = unit * ([1, 2, 5, 10].find((each) => each * unit >= rough) ?? 10);
  const found = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; at += 1) found.push(Number((at * step).toPrecision(12)));
  return found;
}

// The words of a text, with those marked that another text has, or those that it has not.
export function marked(text, other, shared) {
  const key = (word) => word.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const known = new Set(other.split(/\s+/).map(key));
  return text.split(/(\s+)/).map((word) => (key(word) && known.has(key(word)) === shared ? make("mark", {}, word) : word));
}
