// The text twice: where a token looks, and who looks at it. Of a long text, the part around the cursor.
import { make } from "./common.js";
import { colours, paint, placeOf } from "./colours.js";
import { firstOnly } from "./roving.js";

const MOST = 240; // tokens of a ribbon

export class Ribbons {
  // `point` is called with the place of a token.
  constructor(row, column, point) {
    this.boxes = [row, column];
    this.point = point;
    this.from = 0;
    this.length = 0;
  }

  show(names, around) {
    this.length = names.length;
    this.from = Math.max(0, Math.min(names.length - MOST, around - MOST / 2));
    for (const box of this.boxes) {
      const buttons = names.slice(this.from, this.from + MOST).map((name, place) => {
        const point = () => this.point(this.from + place);
        return make("button", { type: "button", dir: "auto", onpointerenter: point, onfocus: point, onclick: point }, name);
      });
      box.replaceChildren(...(this.from ? ["… "] : []), ...buttons, ...(this.from + MOST < names.length ? [" …"] : []));
      firstOnly(buttons);
    }
  }

  has(at) {
    return at >= this.from && at < this.from + MOST;
  }

  // Colour both: the weights of a query's row and of a key's column.
  colour(row, column, { query, key }) {
    this.paint(this.boxes[0], row, query);
    this.paint(this.boxes[1], column, key);
  }

  paint(box, weights, chosen) {
    const scale = colours();
    const end = weights.reduce((most, weight) => Math.max(most, weight), 0) || 1;
    [...box.querySelectorAll("button")].forEach((button, place) => {
      const at = this.from + place;
      paint(button, scale[placeOf(weights[at], 0, end, scale.length)]);
      button.classList.toggle("chosen", at === chosen);
      button.title = weights[at].toFixed(4);
      button.setAttribute("aria-label", `${button.textContent}: ${weights[at].toFixed(3)}`);
    });
  }
}
