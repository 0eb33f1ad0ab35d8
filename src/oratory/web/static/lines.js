// Maps as lines between tokens: queries on the left, keys on the right, and the thicker a line, the more weight.
import { make, typeScale } from "./common.js";
import { TILE } from "./tiles.js";
import { cut, inks } from "./mapview.js";
import { WINDOW, drawLines, windowFrom } from "./drawn-lines.js";

export class LineViews {
  // `point` is called with the query that is pointed at.
  constructor(box, point) {
    this.box = box;
    this.point = point;
    this.panes = [];
    new ResizeObserver(() => this.redraw()).observe(box);
  }

  // Panes as those of maps. Difference maps have no lines: a line has no sign.
  show(panes, cursor) {
    this.panes = panes.filter((pane) => pane.low >= 0).map((pane) => ({ ...pane, canvas: make("canvas", { role: "img" }), about: make("span") }));
    this.cursor = cursor;
    this.box.dataset.panes = this.panes.length;
    this.box.replaceChildren(...this.panes.map((pane) => make("figure", {}, make("figcaption", {}, make("b", {}, pane.title), " ", pane.about), pane.canvas)));
    for (const pane of this.panes) {
      pane.canvas.addEventListener("pointermove", (event) => {
        const at = pane.from + Math.floor((event.offsetY - pane.top) / pane.each);
        if (at >= pane.from && at < pane.until && at !== this.cursor?.query) this.point(at);
      });
    }
    this.redraw();
  }

  look(cursor) {
    this.cursor = cursor;
    this.redraw();
  }

  redraw() {
    if (this.waiting || this.box.hidden) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.panes.forEach((pane) => this.draw(pane));
    });
  }

  draw(pane) {
    const type = typeScale();
    pane.from = windowFrom(pane.from, Math.min(this.cursor?.query ?? 0, pane.length - 1), pane.length);
    pane.until = Math.min(pane.length, pane.from + WINDOW);
    pane.each = 24 * type;
    pane.top = 26 * type;
    const { canvas, from, until, each, top } = pane;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, top + (until - from) * each + 4];
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const ink = inks(this.box);
    const side = Math.min(150 * type, width * 0.3);
    const y = (token) => top + (token - from + 0.5) * each;
    this.lines(context, pane, { left: side, right: width - side, ink }, y);
    const text = (said, x, at, chosen) => {
      context.font = `${chosen ? "700 " : ""}${14 * type}px ${ink.font}`;
      context.fillStyle = chosen ? ink.accent : ink.ink;
      context.fillText(said, x, at, side - 12);
    };
    context.textBaseline = "middle";
    for (const [align, x, title, chosen] of [["right", side - 8, "looks", this.cursor?.query], ["left", width - side + 8, "is looked at", null]]) {
      context.textAlign = align;
      context.globalAlpha = 0.75;
      text(title, x, 10 * type, false);
      context.globalAlpha = 1;
      for (let token = from; token < until; token++) text(cut(pane.names[token], 16), x, y(token), token === chosen);
    }
    const part = until - from < pane.length ? `Tokens ${from} to ${until - 1} of ${pane.length.toLocaleString("en")}, around the one that is pointed at; what is beyond has no line. ` : "";
    pane.about.textContent = `${part}Point at a token on the left to see its lines alone.`;
    canvas.setAttribute("aria-label", `Lines from each token to those that it looks at, ${pane.title}. The text below has the same weights as words.`);
  }

  lines(context, pane, { left, right, ink }, y) {
    const { from, until, source } = pane;
    const [first, last] = [from, until - 1].map((at) => Math.floor(at / TILE));
    for (let row = first; row <= last; row++) for (let column = first; column <= last; column++) source.tile(1, row, column);
    const weight = (query, key) => source.weight(query, key);
    drawLines(context, { from, until, y, left, right, colour: ink.accent, alone: this.cursor?.query, weight });
  }
}
