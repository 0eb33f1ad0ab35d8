// The logit lens: layers from the last to the first, places from left to right.
import { ask, byId, fail, make, visible } from "./common.js";
import { colours, paint, placeOf } from "./colours.js";
import { firstOnly, roving } from "./roving.js";

let wide = 1;

// `asked` says which model and text.
export function setUpLens(asked) {
  byId("lens").addEventListener("click", () => show(asked(), 0));
  byId("more").addEventListener("click", () => show(asked(), Number(byId("more").dataset.first)));
  roving(byId("lensed"), "button", () => wide);
}

export function forgetLens() {
  byId("lensed").replaceChildren();
  byId("guesses").replaceChildren();
  byId("more").hidden = true;
}

async function show(asked, first) {
  byId("lens").disabled = true;
  try {
    const found = await ask("/api/attention/lens", { body: { ...asked, first } });
    wide = found.places.length;
    const end = Math.max(...found.cells.flat().map((each) => each.guesses[0].probability));
    const cells = found.cells.map((layer) => layer.map((each) => cell(each, end, found.predicts)));
    const rows = found.layers.map((name, layer) => make("tr", {}, make("th", { scope: "row" }, name), ...cells[layer])).reverse();
    const head = make("tr", {}, make("td"), ...found.places.map((place) => make("th", { scope: "col", dir: "auto" }, visible(place))));
    const made = make("table", { class: "lens" }, make("thead", {}, head), make("tbody", {}, ...rows));
    byId("lensed").replaceChildren(make("div", { class: "wide", role: "region", "aria-label": "Logit lens", tabindex: 0 }, made));
    firstOnly([...made.querySelectorAll("button")]);
    byId("more").hidden = !found.more && first === 0;
    byId("more").textContent = found.more ? "Later tokens" : "Back to the beginning";
    byId("more").dataset.first = found.more ? first + wide : 0;
    byId("guesses").textContent = `Each cell is the most probable ${found.predicts}; a frame marks what the text really has.`;
  } catch (error) {
    fail(error);
  } finally {
    byId("lens").disabled = false;
  }
}

function cell(each, end, predicts) {
  const [best] = each.guesses;
  const right = each.right?.text === best.text;
  const detail = () => { byId("guesses").textContent = described(each, predicts); };
  const text = `${visible(best.text)} ${Math.round(best.probability * 100)}%`;
  const button = make("button", { type: "button", dir: "auto", class: right && "right", onpointerenter: detail, onfocus: detail, onclick: detail }, text);
  const scale = colours();
  paint(button, scale[placeOf(best.probability, 0, end, scale.length)]);
  return make("td", {}, button);
}

function described(cell, predicts) {
  const guesses = cell.guesses.map((guess) => `${visible(guess.text)} ${(100 * guess.probability).toFixed(1)}%`).join(", ");
  const right = cell.right ? ` What the text has, ${visible(cell.right.text)}, has ${(100 * cell.right.probability).toFixed(1)}%.` : "";
  return `Most probable ${predicts}: ${guesses}.${right}`;
}
