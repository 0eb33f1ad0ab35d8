// Every head of a model as a small map; one of them is chosen.
import { make } from "./common.js";
import { colours, painted } from "./colours.js";
import { firstOnly } from "./roving.js";

// `small` has all maps; `endOf` says where the colour scale of a head ends.
export function showHeads(box, { layers, heads }, small, { chosen, endOf, choose }) {
  const size = small.rows * small.columns;
  const scale = colours();
  const buttons = [];
  const cells = [make("span"), ...Array.from({ length: heads }, (_, head) => make("span", {}, `head ${head}`))];
  for (let layer = 0; layer < layers; layer++) {
    cells.push(make("span", {}, `layer ${layer}`));
    for (let head = 0; head < heads; head++) {
      const place = layer * heads + head;
      const canvas = painted(small.weights.subarray(place * size, (place + 1) * size), small.rows, small.columns, scale, 0, endOf(layer, head));
      const pressed = String(layer === chosen.layer && head === chosen.head);
      const button = make("button", { type: "button", "aria-label": `Layer ${layer}, head ${head}`, "aria-pressed": pressed, onclick: () => choose(layer, head) }, canvas);
      buttons.push(button);
      cells.push(button);
    }
  }
  box.style.gridTemplateColumns = `repeat(${heads + 1}, max-content)`;
  box.toggleAttribute("data-many", heads > 6);
  box.replaceChildren(...cells);
  firstOnly(buttons);
}

export function markHead(box, place) {
  [...box.querySelectorAll("button")].forEach((button, at) => button.setAttribute("aria-pressed", String(at === place)));
}
